"""The area of the unachievable region over the share of positives, for all recalls and for high ones.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), figure 3 with corollary 4.
"""

from functools import partial

import drawing
import numpy as np
from experiment import Experiment, Finding, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

Floats = NDArray[np.float64]

RANGES = ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0))
AT_HALF = (0.3068528194, 0.2123179275, 0.0946394843)
WHOLE, PART = "what theorem 2 gives", "what corollary 4 gives"
PREVALENCES = np.linspace(0.002, 0.998, 250)

ANY = br.Curve.from_rates([0.5], [0.5])  # the floor depends on the prevalence only


def floors(recalls: tuple[float, float]) -> Floats:
    return br.sweep(partial(br.min_auc_pr, recall_range=recalls), ANY, PREVALENCES).value


def floor(prevalence: float, recalls: tuple[float, float]) -> float:
    return float(br.min_auc_pr(ANY.at_prevalence(prevalence), recall_range=recalls))


def run(setup: Setup) -> Experiment:
    whole, half, high = (floors(recalls) for recalls in RANGES)
    return Experiment(
        title="How large the unachievable region is",
        source="Boyd et al. 2012, Fig. 3",
        story=(
            "Left: the lowest AUC-PR over the share of positives, over all recalls and over high recalls only. Right: "
            "the same divided by the largest area in that range. Most of the region lies at high recalls, so whoever "
            "looks only there is given more for free."
        ),
        findings=findings(whole, half, high),
        figure=picture([whole, half, high]),
    )


def findings(whole: Floats, half: Floats, upper_fifth: Floats) -> tuple[Finding, ...]:
    scaled_half, scaled_high = half / 0.5, upper_fifth / 0.2
    ordered = (whole > half) & (half > upper_fifth)
    rising = np.diff([whole, half, upper_fifth]) > 0
    lower, upper = floor(0.3, (0.0, 0.5)), floor(0.3, (0.5, 1.0))
    return (
        *(
            Number(f"recalls {low:g} to {high:g}, skew 0.5", value, floor(0.5, (low, high)), 5e-11, note, printed=False)
            for (low, high), value, note in zip(RANGES, AT_HALF, (WHOLE, PART, PART), strict=True)
        ),
        Shape(
            "(a) more recalls, more area; all curves rise with the skew",
            f"in this order at {ordered.sum()} of {ordered.size} skews; {rising.sum()} of {rising.size} steps rise",
            bool(ordered.all() and rising.all()),
        ),
        Shape(
            "(b) as a share of what is possible the order is the other way round: high recalls suffer most",
            f"at skew 0.5: {floor(0.5, RANGES[0]):.2f}, {floor(0.5, RANGES[1]) / 0.5:.2f}, "
            f"{floor(0.5, RANGES[2]) / 0.2:.2f}",
            bool(np.all((whole < scaled_half) & (scaled_half < scaled_high))),
        ),
        Shape(
            "areas of adjoining ranges add up",
            f"{lower:.6f} + {upper:.6f} = {floor(0.3, RANGES[0]):.6f} at skew 0.3",
            abs(lower + upper - floor(0.3, RANGES[0])) < 1e-14,
        ),
        Shape(
            "the limits are 0 without positives and 1 without negatives",
            f"{floor(1e-9, RANGES[0]):.1e} and {floor(1 - 1e-9, RANGES[0]):.8f}",
            floor(1e-9, RANGES[0]) < 1e-9 and 1 - floor(1 - 1e-9, RANGES[0]) < 1e-7,
        ),
    )


def picture(areas: list[Floats]) -> Figure:
    figure, (left, right) = drawing.panels(2, width=4.6, height=3.8)
    for (low, high), area, colour in zip(RANGES, areas, drawing.PALETTE, strict=False):
        name = f"recall {low:g} to {high:g}"
        left.plot(PREVALENCES, area, color=colour, linewidth=2, label=name)
        right.plot(PREVALENCES, area / (high - low), color=colour, linewidth=2, label=name)
    for ax in (left, right):
        drawing.unit_square(ax)
        drawing.legend(ax, "upper left")
    drawing.describe(left, "Lowest AUC-PR", "prevalence", "area")
    drawing.describe(right, "As a share of the largest", "prevalence", "lowest / largest area")
    return figure
