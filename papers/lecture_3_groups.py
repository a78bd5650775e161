"""Eight predictions in two groups and in eight: the reliability diagram depends on the groups.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
calibration plots, and how groups are made.
"""

import warnings

import drawing
import numpy as np
from diagrams import reliability_diagram
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

SCORE = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
HAPPENED = np.array([0, 0, 0, 1, 0, 1, 1, 1])


def run(setup: Setup) -> Experiment:
    curve = br.Curve.from_scores(HAPPENED, SCORE)
    two, eight = (br.reliability(curve, bins=br.calibration.equal_frequency(n)) for n in (2, 8))
    bolder = br.Curve.from_scores(HAPPENED, np.where(SCORE > 0.5, SCORE + 0.08, SCORE - 0.08))
    moved = br.reliability(bolder, bins=br.calibration.equal_frequency(2))
    wide, even = _skewed()
    findings = (
        Shape(
            "two groups lie on the diagonal",
            f"scores {_list(two.mean_score)}, event rates {_list(two.event_rate)}: ECE {two.ece:.2g}",
            two.ece < 1e-12 and len(two.n) == 2,
        ),
        Shape(
            "the same predictions in eight groups look badly calibrated",
            f"event rates {_list(eight.event_rate)}: ECE {eight.ece:.3f}, MCE "
            f"{br.mce(curve, bins=br.calibration.equal_frequency(8)):.3f}",
            bool(np.isin(eight.event_rate, [0, 1]).all()),
        ),
        Number(
            "ECE of eight groups of one", 0.3, eight.ece, 5e-10, "the mean distance of y and p, by hand", printed=False
        ),
        Number(
            "MCE of eight groups of one",
            0.6,
            br.mce(curve, bins=br.calibration.equal_frequency(8)),
            5e-10,
            "the largest distance of y and p, by hand",
            printed=False,
        ),
        Shape(
            "changing predictions moves the points sideways only",
            f"mean scores {_list(moved.mean_score)}, event rates {_list(moved.event_rate)}: now worse, ECE "
            f"{moved.ece:.2f}",
            bool(np.array_equal(moved.event_rate, two.event_rate) and moved.ece > two.ece + 0.05),
        ),
        Shape(
            "groups of equal width can hold few rows or none",
            f"of 10 groups {10 - len(wide.n)} are empty, {(wide.n < 5).sum()} have one to four of 200 rows",
            bool((wide.n < 5).any() and len(wide.n) < 10),
        ),
        Shape(
            "groups of equal size differ in width",
            f"{even.n.min()} to {even.n.max()} rows; from {(even.high - even.low).min():.3f} to "
            f"{(even.high - even.low).max():.3f} wide",
            even.n.max() - even.n.min() <= 1 and bool((even.high - even.low).max() > 10 * (even.high - even.low).min()),
        ),
    )
    return Experiment(
        title="Two groups or eight",
        source="LMU lecture, calibration plots and the importance of grouping",
        story=(
            "Eight predictions from 0.1 to 0.9. In two groups they are perfect, in eight they are far off: groups of "
            "one row have event rates of 0 or 1. Right: 200 predictions that are mostly small, cut both ways. Bars "
            "are the gaps between score and event rate."
        ),
        findings=findings,
        figure=picture(two, eight, wide, even),
    )


def _list(values: np.ndarray) -> str:
    return ", ".join(f"{value:.2g}" for value in values)


def _skewed() -> tuple[br.results.Reliability, br.results.Reliability]:
    """Calibrated scores of which most are small, in ten groups of either kind."""
    rng = np.random.default_rng(3)
    score = rng.beta(0.6, 4, 200)
    curve = br.Curve.from_scores(rng.random(200) < score, score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.FewerBinsWarning)
        return br.reliability(curve, bins=br.calibration.equal_width(10)), br.reliability(
            curve, bins=br.calibration.equal_frequency(10)
        )


def picture(
    two: br.results.Reliability,
    eight: br.results.Reliability,
    wide: br.results.Reliability,
    even: br.results.Reliability,
) -> Figure:
    figure, axes = drawing.panels(4, width=3.5, height=3.6)
    titles = ("2 groups", "8 groups", "10 of equal width, with rows", "10 of equal size")
    for ax, found, title in zip(axes, (two, eight, wide, even), titles, strict=True):
        reliability_diagram(ax, found, title)
    for score, rate, n in zip(wide.mean_score, wide.event_rate, wide.n, strict=True):
        drawing.label(axes[2], score, rate, str(n), drawing.INK, rise=7)
    drawing.say(axes[3], "20 rows each", 0.5, 0.25)
    return figure
