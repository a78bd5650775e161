"""Two ROC curves whose order in AUC-PR depends on the prevalence.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 4; the points are those of the authors' code.
"""

from typing import NamedTuple

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

import baserate as br
from baserate.plots import PrecisionRecallDisplay, RocDisplay

# fmt: off
TPR_1 = (.01, .11, .21, .23, .26, .31, .33, .36, .42, .46, .76, .82, .88, .92, .95, .96, .97, .99, 1)
FPR_1 = (.000001, .00003, .0005, .0006, .0008, .001, .0015, .0019, .0022, .0028, .007, .011, .22, .26, .38, .49, .55,
         .79, 1)
TPR_2 = (.01, .15, .28, .33, .35, .37, .39, .40, .42, .46, .56, .64, .72, .75, .81, .85, .86, .93, 1)
FPR_2 = (.000001, .00001, .0002, .00025, .0003, .00035, .0004, .00045, .0005, .0006, .0007, .001, .02, .3, .5, .6, .7,
         .8, 1)
# fmt: on

PREVALENCES = (0.1, 0.001)
NAMES = ("classifier 1", "classifier 2")
SWEEP = np.geomspace(1e-4, 0.5, 80)


class Areas(NamedTuple):
    """Of one curve at one prevalence: the area printed, the same to four digits, and by exact interpolation."""

    printed: float
    trapezoid: float
    exact: float


AREAS = {
    ("classifier 1", 0.1): Areas(0.84, 0.8377, 0.8402),
    ("classifier 2", 0.1): Areas(0.75, 0.7463, 0.7514),
    ("classifier 1", 0.001): Areas(0.23, 0.2328, 0.2218),
    ("classifier 2", 0.001): Areas(0.42, 0.4159, 0.4078),
}
STRAIGHT = "straight lines between PR points, from the first point on, as in the authors' code"
EXACT = "the PR curve that belongs to the straight lines of the ROC curve, by hand"


def first_curve() -> br.Curve:
    return br.Curve.from_rates(TPR_1, FPR_1)


def second_curve() -> br.Curve:
    return br.Curve.from_rates(TPR_2, FPR_2)


def trapezoid(curve: br.Curve) -> float:
    """The area by straight lines between PR points; the point at recall 0, which has no precision, is left out."""
    listed = curve.tpr > 0
    return float(np.trapezoid(br.precision(curve)[listed], curve.tpr[listed]))


def run(setup: Setup) -> Experiment:
    curves = dict(zip(NAMES, (first_curve(), second_curve()), strict=True))
    numbers: list[Number | Shape] = []
    for (name, prevalence), area in AREAS.items():
        curve, what = curves[name].at_prevalence(prevalence), f"of {name} at {prevalence}"
        numbers += [
            Number(f"PR-AUC {what}, their way", area.printed, trapezoid(curve), 0.005, STRAIGHT),
            Number(f"the same to four digits, {what}", area.trapezoid, trapezoid(curve), 5e-5, STRAIGHT, printed=False),
            Number(f"AUC-PR {what}, ours", area.exact, br.auc_pr(curve), 5e-5, EXACT, printed=False),
        ]
    theirs, ours = (br.crossings(metric, *curves.values(), names=NAMES) for metric in (trapezoid, br.auc_pr))
    read = [curves[name].at_prevalence(prevalence) for name, prevalence in AREAS]
    extra = [trapezoid(curve) - br.auc_pr(curve, recall_range=(0.01, 1.0)) for curve in read]
    areas = [br.roc_auc(curve) for curve in curves.values()]
    findings: tuple[Number | Shape, ...] = (
        *numbers,
        Number("prevalence at which the two swap, their way", 0.018070, theirs[0].prevalence, 5e-7, STRAIGHT, False),
        Number("prevalence at which the two swap, ours", 0.018882, ours[0].prevalence, 5e-7, EXACT, False),
        Shape(
            "classifier 2 leads where positives are rare, classifier 1 where they are not; one swap",
            f"below: {ours[0].leads_below}, above: {ours[0].leads_above}, swaps: {len(ours)}",
            len(ours) == 1 and (ours[0].leads_below, ours[0].leads_above) == (NAMES[1], NAMES[0]),
        ),
        *(
            Number(f"AUC-ROC of {name}", value, area, 5e-10, "trapezoids by hand", printed=False)
            for name, value, area in zip(NAMES, (0.939555945, 0.826146075), areas, strict=True)
        ),
        Shape(
            "AUC-ROC cannot see it: it prefers classifier 1 at every prevalence",
            f"{areas[0]:.4f} and {areas[1]:.4f}",
            areas[0] > areas[1],
        ),
        Shape(
            "over the same recalls, straight lines always give more than there is",
            "by " + ", ".join(f"{more:.4f}" for more in extra) + "; leaving out recalls below 0.01 gives less",
            min(extra) > 0.001,
        ),
    )
    return Experiment(
        title="Two classifiers that swap places in AUC-PR",
        source="Brabec et al. 2020, Fig. 4",
        story=(
            "Above the two ROC curves, the second time with a logarithmic axis that shows where they differ; then "
            "their PR curves at two prevalences, and AUC-PR over all of them. The authors join PR points by straight "
            "lines; `auc_pr` interpolates as the ROC curve does, which moves the swap a little. Both ways are shown."
        ),
        findings=findings,
        figure=picture(curves, ours[0], theirs[0]),
    )


def picture(curves: dict[str, br.Curve], ours: br.results.Crossing, theirs: br.results.Crossing) -> Figure:
    figure = Figure(figsize=(9.2, 10.4), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    grid = figure.add_gridspec(3, 2)
    roc, log_roc, common, rare = (figure.add_subplot(grid[place]) for place in ((0, 0), (0, 1), (1, 0), (1, 1)))
    below = figure.add_subplot(grid[2, :])
    for ax in (roc, log_roc, common, rare, below):
        drawing.quiet(ax)
    for name, colour in zip(NAMES, drawing.PALETTE, strict=False):
        for ax in (roc, log_roc):
            shown = RocDisplay.from_curve(curves[name])
            shown.plot(ax, log_x=ax is log_roc, legend="none", chance=False, color=colour, linestyle="-", linewidth=2)
            shown.line_.set_label(name)
    drawing.describe(roc, "ROC curves", "false positive rate", "true positive rate")
    drawing.describe(log_roc, "The same, logarithmic", "false positive rate", "true positive rate")
    drawing.legend(roc, "lower right")
    for ax, prevalence in ((common, 0.1), (rare, 0.001)):
        _pr_curves(ax, curves, prevalence)
    _areas(below, curves, ours, theirs)
    return figure


def _pr_curves(ax: Axes, curves: dict[str, br.Curve], prevalence: float) -> None:
    for name, colour in zip(NAMES, drawing.PALETTE, strict=False):
        shown = PrecisionRecallDisplay.from_curve(curves[name].at_prevalence(prevalence), area=br.auc_pr)
        shown.plot(ax, legend="none", chance=False, lowest=False, color=colour, linestyle="-", linewidth=2)
        shown.line_.set_label(f"{name}: {shown.area:.3f}")
    drawing.describe(ax, f"PR curves at prevalence {prevalence}", "recall", "precision")
    drawing.legend(ax, "lower left" if prevalence == 0.1 else "upper right")


def _areas(ax: Axes, curves: dict[str, br.Curve], ours: br.results.Crossing, theirs: br.results.Crossing) -> None:
    for name, colour in zip(NAMES, drawing.PALETTE, strict=False):
        exact, straight = (br.sweep(metric, curves[name], SWEEP).value for metric in (br.auc_pr, trapezoid))
        ax.plot(SWEEP, exact, color=colour, linewidth=2.2, label=name)
        ax.plot(SWEEP, straight, color=colour, linewidth=1, linestyle=(0, (4, 2)), label=f"{name}, straight lines")
    for found, words, drop in ((ours, "equal at", -14), (theirs, "with straight lines at", -28)):
        ax.plot(found.prevalence, found.value, "o", color=drawing.INK, markersize=5)
        drawing.label(ax, found.prevalence, found.value, f"{words} {found.prevalence:.5f}", drawing.INK, rise=drop)
    drawing.describe(ax, "AUC-PR over the prevalence", "", "AUC-PR")
    drawing.prevalence_axis(ax, (0.0001, 0.001, 0.01, 0.1, 0.5))
    ax.set_ylim(0, 1)
    drawing.legend(ax, "upper left")
