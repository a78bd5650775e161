"""The lowest possible PR curve for several shares of positives.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), figure 2 with theorems 1 and 2.
"""

from itertools import pairwise
from typing import NamedTuple

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

PREVALENCES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9)
RECALLS = np.linspace(0, 1, 2001)


class Floor(NamedTuple):
    """The lowest PR curve at a prevalence, and the area below it."""

    prevalence: float
    precision: NDArray[np.float64]
    area: float


def floor_at(prevalence: float) -> Floor:
    """Read off a curve that takes every negative for a positive before it finds the first positive."""
    worst = br.Curve.from_rates(tpr=RECALLS, fpr=np.ones_like(RECALLS), prevalence=prevalence)
    there = worst.fpr == 1
    return Floor(prevalence, np.interp(RECALLS, worst.tpr[there], br.precision(worst)[there]), br.auc_pr(worst))


def closed_form(prevalence: float) -> float:
    return float(br.min_auc_pr(br.Curve.from_rates([0.5], [0.5], prevalence=prevalence)))


def run(setup: Setup) -> Experiment:
    floors = [floor_at(prevalence) for prevalence in PREVALENCES]
    counted = {floor.prevalence: float(np.trapezoid(floor.precision, RECALLS)) for floor in floors}
    apart = max(abs(counted[p] - closed_form(p)) for p in PREVALENCES)
    apart_curve = max(abs(floor.area - closed_form(floor.prevalence)) for floor in floors)
    rising = np.concatenate([b.precision[1:] > a.precision[1:] for a, b in pairwise(floors)])
    findings = (
        Number(
            "lowest AUC-PR at skew 0.01", 0.0050167505, closed_form(0.01), 5e-11, "what theorem 2 gives", printed=False
        ),
        Number("lowest AUC-PR at skew 0.1", 0.05, closed_form(0.1), 0.005, "printed as about 0.05"),
        Number("lowest AUC-PR at skew 0.25", 0.136954, closed_form(0.25), 5e-7, "what theorem 2 gives", printed=False),
        Number("lowest AUC-PR at skew 0.5", 0.31, closed_form(0.5), 0.005),
        Number(
            "gain of AUC-PR for nothing from skew 0.01 to 0.5",
            0.3,
            closed_form(0.5) - closed_form(0.01),
            0.05,
            "printed as about 0.3",
        ),
        Shape(
            "theorem 2: the closed form is the area below the curve of theorem 1",
            f"trapezoid of 2,000 pieces within {apart:.0e}, area of the worst ranking within {apart_curve:.0e}",
            apart < 1e-5 and apart_curve < 1e-12,
        ),
        Shape(
            "a larger share of positives lifts the whole lowest curve",
            f"at {rising.sum():,} of {rising.size:,} recalls above 0, from one share to the next",
            bool(rising.all()),
        ),
    )
    return Experiment(
        title="The lowest PR curve rises with the share of positives",
        source="Boyd et al. 2012, Fig. 2",
        story=(
            "No classifier, however bad, falls below the curve of its prevalence. The number at each line is the area "
            "below it, which is a part of AUC-PR that comes without any skill."
        ),
        findings=findings,
        figure=picture(floors),
    )


def picture(floors: list[Floor]) -> Figure:
    figure, (ax,) = drawing.panels(width=5.8, height=4.2)
    for number, floor in enumerate(floors):
        shade = 0.3 + 0.7 * number / (len(floors) - 1)
        ax.fill_between(RECALLS, 0, floor.precision, color=drawing.ORANGE, alpha=0.07, linewidth=0)
        ax.plot(RECALLS, floor.precision, color=drawing.ORANGE, alpha=shade, linewidth=2)
        drawing.say(ax, f"{floor.prevalence:g}  (area {floor.area:.3f})", 1.03, floor.prevalence)
    drawing.say(ax, "prevalence", 1.03, 0.99, drawing.GREY)
    drawing.unit_square(ax)
    ax.set_xlim(-0.02, 1.38)
    ax.set_xticks(np.linspace(0, 1, 6))
    drawing.describe(ax, "Lowest precision possible at each recall", "recall", "precision")
    ax.xaxis.set_label_coords(0.36, -0.1)
    return figure
