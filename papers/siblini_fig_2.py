"""One model, three pictures of it, at two shares of positives: only the ROC curve stays as it is.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 2.
doi:10.1007/978-3-030-44584-3_36.
"""

import drawing
import models
import numpy as np
from experiment import Experiment, Finding, Given, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

Floats = NDArray[np.float64]

SHARES = (0.003, 0.5)


def run(setup: Setup) -> Experiment:
    curve = models.credit_card_curve(setup)
    rare, even = (curve.at_prevalence(share) for share in SHARES)
    return Experiment(
        title="One model in three kinds of curves",
        source="Siblini et al. 2020, Fig. 2",
        story=(
            "The authors show a fraud model of their own data, which nobody else has; this is a logistic regression "
            f"on the public card payments, read at their share of 0.003 (orange) and at 0.5 (blue). {models.OF_CARDS} "
            "A ROC curve does not see the difference. A PR curve does, and with it the false alarms. In gain space "
            "nearly every threshold of the rare case is next to 1, where models can hardly be told apart."
        ),
        findings=findings(curve, rare, even),
        figure=picture(rare, even),
    )


def findings(curve: br.Curve, rare: br.Curve, even: br.Curve) -> tuple[Finding, ...]:
    gains = [gain_curve(one) for one in (rare, even)]
    near_one = [float(np.mean(recall[recall >= 0] > 0.98)) for recall, _ in gains]
    at_recall = curve.at_recall(0.8)
    fixed = np.abs(precision_at(rare, 0.8) - precision_at(even, 0.8))
    return (
        Given(
            "the ROC curve is the same at both shares",
            f"AUC-ROC {br.roc_auc(rare):.4f} and {br.roc_auc(even):.4f}",
            br.roc_auc(rare) == br.roc_auc(even),
            "one curve read at two shares; its rates are not computed again",
        ),
        Shape(
            "the PR curve falls where positives are rare",
            f"AUC-PR {br.auc_pr(rare):.3f} and {br.auc_pr(even):.3f}; precision at recall 0.8 differs by {fixed:.3f}",
            bool(br.auc_pr(rare) < br.auc_pr(even) - 0.1),
        ),
        Shape(
            "the PR gain curve is pressed against 1 there",
            f"AUC-PRG {br.auc_prg(rare):.4f} and {br.auc_prg(even):.4f}; recall gain is above 0.98 for "
            f"{near_one[0]:.0%} and {near_one[1]:.0%} of thresholds",
            bool(br.auc_prg(rare) > 0.999 > br.auc_prg(even) and near_one[0] > near_one[1]),
        ),
        *(
            Number(
                f"recall gain at {share:g}, where 118 of 147 frauds are found",
                value,
                br.recall_gain(at_recall.at_prevalence(share)),
                5e-11,
                "by hand: 1 − 29/118 · odds",
                printed=False,
            )
            for share, value in zip(SHARES, (0.9992604933, 0.7542372881), strict=True)
        ),
        Shape(
            "precision gain does not depend on the share, only recall gain does",
            f"largest difference {np.abs(gains[0][1] - gains[1][1]).max():.0e}",
            bool(np.allclose(gains[0][1], gains[1][1], atol=1e-9)),
        ),
    )


def gain_curve(curve: br.Curve) -> tuple[Floats, Floats]:
    """Recall gain and precision gain at the thresholds that have found positives."""
    found = curve.tpr > 0
    return np.asarray(br.recall_gain(curve))[found], np.asarray(br.precision_gain(curve))[found]


def precision_at(curve: br.Curve, recall: float) -> float:
    return float(br.precision(curve.at_recall(recall)))


def picture(rare: br.Curve, even: br.Curve) -> Figure:
    figure, (roc, pr, gain) = drawing.panels(3, width=4.0, height=3.9)
    for curve, colour, width, words in (
        (even, drawing.BLUE, 4.0, "at 0.5"),
        (rare, drawing.ORANGE, 1.7, "at 0.003"),
    ):
        found = curve.tpr > 0
        precision = np.asarray(br.precision(curve))
        roc.step(np.append(0, curve.fpr), np.append(0, curve.tpr), color=colour, linewidth=width, label=words)
        pr.plot(curve.tpr[found], precision[found], color=colour, linewidth=width, label=words)
        recall, ours = gain_curve(curve)
        start = ours[recall > 0][0]  # up to the first threshold precision gain is the same
        shown = recall >= 0
        gain.plot(
            np.append(0, recall[shown]), np.append(start, ours[shown]), color=colour, linewidth=width, label=words
        )
    drawing.describe(roc, "ROC: one line for both", "false positive rate", "recall")
    drawing.describe(pr, "Precision and recall", "recall", "precision")
    drawing.describe(gain, "Their gains", "recall gain", "precision gain")
    for ax, curve_metric in ((roc, br.roc_auc), (pr, br.auc_pr), (gain, br.auc_prg)):
        drawing.unit_square(ax)
        drawing.say(ax, f"area {curve_metric(even):.3f}", 0.3, 0.32, drawing.BLUE)
        drawing.say(ax, f"area {curve_metric(rare):.3f}", 0.3, 0.24, drawing.ORANGE)
    drawing.legend(roc, "lower right")
    return figure
