"""One ROC curve, two PR curves: each prevalence has its own.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 2. The points of its ROC curve are not printed; the first one of figure 4
takes its place.
"""

import drawing
import numpy as np
from brabec_fig_4 import first_curve
from experiment import Experiment, Given, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br
from baserate.plots import PrecisionRecallDisplay, RocDisplay

RATIOS = ("1:10", "1:100")


def run(setup: Setup) -> Experiment:
    curve = first_curve()
    common, rare = (curve.at_prevalence(ratio) for ratio in RATIOS)
    inner = (curve.fpr > 0) & (curve.tpr > 0)
    fall = br.precision(common)[inner] - br.precision(rare)[inner]
    last = br.precision(common)[-1], br.precision(rare)[-1]
    return Experiment(
        title="One ROC curve, two PR curves",
        source="Brabec et al. 2020, Fig. 2",
        story=(
            "One ROC curve read at one positive for ten negatives and at one for a hundred. The points of the figure "
            "are not printed; the first ROC curve of Fig. 4 takes their place. A PR curve without its imbalance ratio "
            "says little."
        ),
        findings=(
            Given(
                "the ROC curve and its area do not change",
                f"AUC-ROC {br.roc_auc(common):.6f} and {br.roc_auc(rare):.6f}",
                br.roc_auc(common) == br.roc_auc(rare) and np.array_equal(common.tpr, rare.tpr),
                "one curve read at two ratios; its rates are not computed again",
            ),
            Number("AUC-ROC", 0.939555945, br.roc_auc(curve), 5e-10, "trapezoids by hand", printed=False),
            *(
                Number(f"AUC-PR at {what}", value, br.auc_pr(read), 5e-9, "by quadrature", printed=False)
                for what, value, read in (("1:10", 0.83289565, common), ("1:100", 0.57621024, rare))
            ),
            Shape(
                "the PR curve at 1:100 lies below the one at 1:10 wherever there are false alarms",
                f"by {fall.min():.4f} to {fall.max():.4f}; AUC-PR {br.auc_pr(rare):.3f} and {br.auc_pr(common):.3f}",
                bool(np.all(fall > 0) and br.auc_pr(rare) < br.auc_pr(common)),
            ),
            Shape(
                "at recall 1 both end at their prevalence, 1/11 and 1/101",
                f"{last[0]:.6f} and {last[1]:.6f}",
                abs(last[0] - 1 / 11) < 1e-12 and abs(last[1] - 1 / 101) < 1e-12,
            ),
        ),
        figure=picture(curve),
    )


def picture(curve: br.Curve) -> Figure:
    figure, (left, right) = drawing.panels(2, width=4.5, height=3.9)
    RocDisplay.from_curve(curve).plot(left, legend="none", color=drawing.INK, linewidth=2)
    for ratio, colour, style in zip(RATIOS, drawing.PALETTE, ("-", "--"), strict=False):
        shown = PrecisionRecallDisplay.from_curve(curve.at_prevalence(ratio), area=br.auc_pr)
        shown.plot(right, legend="none", chance=False, lowest=False, color=colour, linestyle=style, linewidth=2)
        shown.line_.set_label(f"{ratio}, area {shown.area:.2f}")
    drawing.describe(left, "One ROC curve …", "false positive rate", "true positive rate")
    drawing.describe(right, "… two PR curves", "recall", "precision")
    drawing.legend(right, "lower left")
    return figure
