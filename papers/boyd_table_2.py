"""The mean AUC-PR over tasks of different skew, and the mean of what is left without the unachievable region.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), table 2 and section 4.2.
"""

from typing import NamedTuple

import drawing
import numpy as np
from binormal import binormal, with_auc_pr
from experiment import Difference, Experiment, Finding, Given, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br


class Task(NamedTuple):
    """A predicate of the IMDB data as printed."""

    name: str
    auc_pr: float
    normalized: float


TASKS = (
    Task("actor", 1.0, 1.0),
    Task("director", 1.0, 1.0),
    Task("gender", 0.509, 0.325),
    Task("genre", 0.624, 0.611),
    Task("movie", 0.267, 0.141),
    Task("workedUnder", 1.0, 1.0),
)
MEANS = Task("mean", 0.733, 0.680)


def skew_behind(task: Task) -> float:
    """The prevalence at which the two printed areas belong together.

    A perfect area is perfect at every prevalence, so there any will do.
    """
    if task.auc_pr == 1:
        return 0.1
    return skew_with_floor((task.auc_pr - task.normalized) / (1 - task.normalized))


def skew_with_floor(floor: float) -> float:
    """The prevalence at which the lowest area is this one."""
    from scipy.optimize import brentq

    return float(brentq(lambda p: br.min_auc_pr(binormal(0, p)) - floor, 1e-4, 0.9))


def run(setup: Setup) -> Experiment:
    skews = {task.name: skew_behind(task) for task in TASKS}
    curves = {task.name: with_auc_pr(task.auc_pr, skews[task.name]) for task in TASKS}
    found = br.folds.mean_over_folds(br.auc_pr, curves)
    return Experiment(
        title="A mean over tasks that start from different floors",
        source="Boyd et al. 2012, Table 2",
        story=(
            "The table prints both areas but not the skew of each task; both together give it away. Curves with these "
            "areas at these skews are averaged by `mean_over_folds`, which gives the mean above the floors beside the "
            "plain one. The orange part of each bar is what every ranking gets; for the three perfect tasks it is not "
            "known, and not drawn."
        ),
        findings=findings(skews, curves, found),
        figure=picture(skews, found),
    )


def findings(skews: dict[str, float], curves: dict[str, br.Curve], found: br.results.FoldMean) -> tuple[Finding, ...]:
    each = br.folds.mean_over_folds(br.normalized_auc_pr, curves).each
    gender, genre = (br.min_auc_pr(binormal(0, skew)) for skew in (0.5, 0.05))
    rows = [_normalized(task, each[task.name]) for task in TASKS]
    return (
        *rows,
        Given(
            "the mean AUCPR is the mean of the printed areas, 0.733",
            f"{found.value:.6f}",
            bool(abs(found.value - np.mean([task.auc_pr for task in TASKS])) < 1e-9)
            and abs(found.value - MEANS.auc_pr) <= 5e-4,
            "its inputs are the printed values: it shows that the table adds up, and nothing of ours",
        ),
        Given(
            "the mean AUCNPR is the mean of the printed ones, 0.680",
            f"{normalized_mean(found):.6f}",
            bool(abs(normalized_mean(found) - np.mean([task.normalized for task in TASKS])) < 1e-9)
            and abs(normalized_mean(found) - MEANS.normalized) <= 1e-3,
            "the same, at skews that were made to fit; the six printed values have a mean of 0.6795",
        ),
        Number("lowest AUCPR of gender, skew 0.5", 0.31, gender, 0.005),
        Difference(
            "lowest AUCPR of genre, skew 0.05",
            "0.02",
            f"{genre:.4f}",
            round(genre, 2) == 0.03 and skew_with_floor(0.025) < 0.05 < skews["genre"],
            "rounds to 0.03; the paper says that the skew is near 0.05. A floor that rounds to 0.02 needs a skew below "
            f"{skew_with_floor(0.025):.3f}, and the areas of the table ask for one above",
        ),
        Shape(
            "the skews that fit both columns are those of the text: gender near 0.5, genre near 0.05",
            f"gender {skews['gender']:.3f}, genre {skews['genre']:.3f}, movie {skews['movie']:.3f}",
            0.4 < skews["gender"] < 0.55 and 0.03 < skews["genre"] < 0.09,
            "averages over folds, so the skew is approximate",
        ),
        Shape(
            "an area of 0.4 is worse than guessing for gender and well above it for genre",
            f"chance is {skews['gender']:.2f} and {skews['genre']:.2f}",
            skews["genre"] < 0.4 < skews["gender"],
        ),
        Shape("the mean is said to mix prevalences", f"“{found.caution}”", found.caution is not None),
    )


def normalized_mean(found: br.results.FoldMean) -> float:
    return float("nan") if found.normalized is None else found.normalized


def _normalized(task: Task, ours: float) -> Given | Difference:
    what = f"AUCNPR of {task.name}"
    if task.auc_pr == 1:
        note = "a perfect ranking has 1 at every skew; the skew here, 0.1, is invented"
        return Given(what, f"{ours:.3f}", abs(ours - task.normalized) < 1e-9, note)
    return Difference(
        what,
        f"{task.normalized:.3f}",
        f"{ours:.3f}",
        abs(ours - task.normalized) < 5e-4,
        "not a comparison: at the skew that makes the two equal. There is such a skew, no more is said",
    )


def picture(skews: dict[str, float], found: br.results.FoldMean) -> Figure:
    figure, (left, right) = drawing.panels(2, width=4.9, height=3.6)
    names = [task.name for task in TASKS]
    places = np.arange(len(names))
    floors = [0.0 if task.auc_pr == 1 else br.min_auc_pr(binormal(0, skews[task.name])) for task in TASKS]
    areas = [task.auc_pr for task in TASKS]
    left.barh(places, areas, color=drawing.BLUE, height=0.62)
    left.barh(places, floors, color=drawing.ORANGE, height=0.62, label="unachievable, given to everybody")
    right.barh(places, [task.normalized for task in TASKS], color=drawing.GREEN, height=0.62)
    for ax, values, middle in (
        (left, areas, found.value),
        (right, [task.normalized for task in TASKS], normalized_mean(found)),
    ):
        ax.axvline(middle, color=drawing.INK, linewidth=1.4, linestyle=(0, (4, 2)))
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set_xlim(0, 1.15)
        ax.set_ylim(len(names) - 0.4, -1.1)
        ax.text(middle + 0.015, -0.75, f"mean {middle:.4f}", fontsize=9, color=drawing.INK, va="center")
        for place, value in zip(places, values, strict=True):
            drawing.label(ax, 1.0, float(place), f"{value:.3f}", drawing.INK)
    drawing.describe(left, "AUC-PR", "area")
    drawing.describe(right, "AUCNPR: above the floor", "share of what can be reached")
    left.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.18), frameon=False, fontsize=9)
    return figure
