"""What a ROC curve sees and a reliability diagram does not, and the reverse.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
ROC curve versus calibration plot. The data of the slides is not given; here the scores are calibrated by construction.
"""

import drawing
import numpy as np
import scipy
import scipy.stats
from diagrams import reliability_diagram
from experiment import Experiment, Finding, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br
from baserate.plots import RocDisplay

DECILES = br.calibration.equal_frequency(10)
NAMES = ("as they are", "permuted within deciles", "moved: (p + 0.2) / 1.2")


def permuted(score: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores handed out anew among the rows of each decile."""
    made = score.copy()
    for rows in np.array_split(np.argsort(score), 10):
        made[rows] = rng.permutation(score[rows])
    return made


def run(setup: Setup) -> Experiment:
    rng = np.random.default_rng(4)
    n = 5_000 if setup.quick else 100_000
    score = scipy.special.expit(rng.normal(-0.3, 1.6, n))
    happened = rng.random(n) < score
    versions = (score, permuted(score, rng), (score + 0.2) / 1.2)
    curves = [br.Curve.from_scores(happened, version) for version in versions]
    own, shuffled, moved = (br.reliability(curve, bins=DECILES) for curve in curves)
    return Experiment(
        title="What a ROC curve sees, and what a calibration plot sees",
        source="LMU lecture, ROC curve versus calibration plot",
        story=(
            f"{n:,} calibrated scores; the same handed out anew at random within each decile; and the same pushed up "
            "by a monotone function. The orange ROC curve is that of the first. A ROC curve sees only the order, a "
            "calibration plot only means of groups."
        ),
        findings=(*findings(curves, (own, shuffled, moved)), *row_by_row(score, happened, curves[0])),
        figure=picture(curves, (own, shuffled, moved)),
    )


def findings(curves: list[br.Curve], found: tuple[br.results.Reliability, ...]) -> tuple[Finding, ...]:
    own, shuffled, moved = found
    area, area_shuffled, area_moved = (br.roc_auc(curve) for curve in curves)
    off = np.abs(own.mean_score - shuffled.mean_score).max() + np.abs(own.event_rate - shuffled.event_rate).max()
    too_high = int((moved.judgement == "too high").sum())
    return (
        Shape(
            "permuting scores within deciles worsens the ROC curve",
            f"AUC-ROC {area:.4f} becomes {area_shuffled:.4f}",
            area_shuffled < area - 0.001,
        ),
        Shape(
            "… and leaves the calibration plot by deciles as it is",
            f"no point moves by more than {off:.0e}; ECE {own.ece:.4f} and {shuffled.ece:.4f}",
            bool(off < 1e-12),
        ),
        Shape(
            "a monotone transformation leaves the ROC curve as it is",
            f"AUC-ROC {area:.4f} and {area_moved:.4f}",
            area == area_moved and np.array_equal(curves[0].tpr, curves[2].tpr),
        ),
        Shape(
            "… and spoils the calibration plot",
            f"ECE {own.ece:.4f} becomes {moved.ece:.4f}; {too_high} of 10 deciles are significantly too high",
            moved.ece > own.ece + 0.05 and "too low" not in moved.judgement,
        ),
        Shape(
            "the Brier score sees the permutation, too",
            f"Brier {br.brier_score(curves[0]):.4f} and {br.brier_score(curves[1]):.4f}",
            br.brier_score(curves[1]) > br.brier_score(curves[0]),
            "not in the lecture",
        ),
    )


def row_by_row(score: NDArray[np.float64], happened: NDArray[np.bool_], curve: br.Curve) -> tuple[Number, ...]:
    """The same numbers from the rows, without a curve."""
    n_pos, n_neg = happened.sum(), (~happened).sum()
    above = scipy.stats.rankdata(score)[happened].sum() - n_pos * (n_pos + 1) / 2
    return (
        Number(
            "AUC-ROC", float(above / (n_pos * n_neg)), br.roc_auc(curve), 5e-10, "from ranks of rows", printed=False
        ),
        Number(
            "Brier score",
            float(np.mean((score - happened) ** 2)),
            br.brier_score(curve),
            5e-10,
            "the mean over rows",
            printed=False,
        ),
    )


def picture(curves: list[br.Curve], found: tuple[br.results.Reliability, ...]) -> Figure:
    figure, axes = drawing.panels(3, 2, width=3.7, height=3.5)
    for number, (curve, name) in enumerate(zip(curves, NAMES, strict=True)):
        above, below = axes[number], axes[number + 3]
        if number:
            above.plot(curves[0].fpr, curves[0].tpr, color=drawing.ORANGE, linewidth=4, alpha=0.5)
        RocDisplay.from_curve(curve).plot(above, legend="none", color=drawing.BLUE, linestyle="-", linewidth=2)
        drawing.describe(above, name, "false positive rate", "true positive rate")
        drawing.say(above, f"AUC {br.roc_auc(curve):.3f}", 0.55, 0.15)
        reliability_diagram(below, found[number], "")
        drawing.say(below, f"ECE {found[number].ece:.3f}", 0.55, 0.15)
    return figure
