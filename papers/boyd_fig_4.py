"""Points of equal F1 that mean different things, because recall and precision are not interchangeable.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), figure 4 and section 4.4.
"""

from typing import NamedTuple

import drawing
import numpy as np
from experiment import Experiment, Given, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray
from unachievable import lowest_precision

import baserate as br

PREVALENCE = 0.33
F1 = 0.45
# Where on the contour the three points lie is drawn in the paper, not printed.
RECALLS = {"A": 0.95, "B": 0.65, "C": 0.3}


class Place(NamedTuple):
    """A point of PR space."""

    recall: float
    precision: float

    @property
    def fpr(self) -> float:
        """The false positive rate it takes; above 1 there is no such classifier."""
        return self.recall * (1 / self.precision - 1) * PREVALENCE / (1 - PREVALENCE)

    def point(self) -> br.Point:
        return br.Point.from_rates(self.recall, self.fpr, prevalence=PREVALENCE)


def on_contour(recall: float, f1: float = F1) -> Place:
    return Place(recall, f1 * recall / (2 * recall - f1))


def lowest(recall: float) -> float:
    return lowest_precision(recall, PREVALENCE)


def refused(place: Place) -> bool:
    try:
        place.point()
    except br.errors.InputError:
        return True
    return False


def modified(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The modified F1 of recalls and precisions, one row each."""
    return np.array([br.modified_f1(Place(*place).point()) for place in places])


def run(setup: Setup) -> Experiment:
    places = {name: on_contour(recall) for name, recall in RECALLS.items()}
    return Experiment(
        title="Three points with the same F1",
        source="Boyd et al. 2012, Fig. 4",
        story=(
            "Grey lines join points of equal F1. A, B and C all have F1 = 0.45; where on the line they are is drawn in "
            "the paper and not printed, so recalls of 0.95, 0.65 and 0.3 were chosen to fit what it says of them. At "
            "prevalence 0.33 there is no classifier at A, one that is hardly better than chance at B, and a useful one "
            "at C. The modified F1 measures precision from chance and tells B from C."
        ),
        findings=(*of_points(places), growth()),
        figure=picture(places),
    )


def growth() -> Shape:
    """What the paper asks of a modified F1, at random places above chance and at some below."""
    rng = np.random.default_rng(4)
    recalls, precisions = rng.uniform(0.1, 1, 400), rng.uniform(0.35, 0.95, 400)
    base = modified(np.column_stack([recalls, precisions]))
    more_recall = modified(np.column_stack([recalls + 0.5 * (1 - recalls), precisions])) > base
    more_precision = modified(np.column_stack([recalls, precisions + 0.04])) > base
    below = modified(np.column_stack([np.linspace(0.05, 0.9, 50), np.full(50, 0.329)]))
    return Shape(
        "the modified F1 grows with recall and with precision above chance, and is 0 below",
        f"with recall in {more_recall.sum()} and with precision in {more_precision.sum()} of {base.size} places; "
        f"{np.count_nonzero(below)} of {below.size} below chance not 0",
        bool(more_recall.all() and more_precision.all() and not below.any()),
    )


def of_points(places: dict[str, Place]) -> list[Number | Shape | Given]:
    a, b, c = places.values()
    at_b, at_c = b.point(), c.point()
    by_hand = "not in the paper: its formula by hand, 2·q·r / (q + r) with q = (p − 0.33) / 0.67"
    return [
        *(
            Given(f"F1 of {name} is 0.45", f"{br.f1(at):.12g}", abs(br.f1(at) - F1) < 1e-12, "put on this line")
            for name, at in (("B", at_b), ("C", at_c))
        ),
        *(
            Number(what, value, ours, 5e-10, "by hand, 0.45·r / (2·r − 0.45)", printed=False)
            for what, value, ours in (
                ("precision of B", 0.3441176471, br.precision(at_b)),
                ("precision of C", 0.9, br.precision(at_c)),
                ("lift of B, its precision over 0.33", 1.0427807487, br.lift(at_b)),
                ("lift of C, its precision over 0.33", 2.7272727273, br.lift(at_c)),
            )
        ),
        Number("modified F1 of B", 0.0408189965, br.modified_f1(at_b), 5e-10, by_hand, printed=False),
        Number("modified F1 of C", 0.4435797665, br.modified_f1(at_c), 5e-10, by_hand, printed=False),
        Shape(
            "A, on the same contour, is unachievable at skew 0.33",
            f"precision {a.precision:.3f} at recall {a.recall:g}, where {lowest(a.recall):.3f} is the least; "
            f"its false positive rate of {a.fpr:.2f} is refused",
            a.precision < lowest(a.recall) and refused(a),
        ),
        Shape(
            "B is achievable, and hardly better than random guessing",
            f"lift {br.lift(at_b):.3f}",
            not refused(b) and 1 < br.lift(at_b) < 1.1,
        ),
        Shape(
            "C has good precision at modest recall",
            f"lift {br.lift(at_c):.3f}",
            br.lift(at_c) > 2.5,
        ),
    ]


def picture(places: dict[str, Place]) -> Figure:
    figure, (ax,) = drawing.panels(width=5.4, height=4.4)
    recalls = np.linspace(0.005, 1, 400)
    for f1 in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
        there = recalls[recalls > f1 / (2 - f1)]
        line = f1 * there / (2 * there - f1)
        main = f1 == F1
        ax.plot(there, line, color=drawing.INK if main else "#b5b5b5", linewidth=1.8 if main else 1.0, zorder=2)
        drawing.label(ax, 1, float(line[-1]), f"{f1:g}", drawing.INK if main else drawing.GREY)
    low = np.array([lowest(recall) for recall in recalls])
    ax.fill_between(recalls, 0, low, color=drawing.ORANGE, alpha=0.18, linewidth=0)
    ax.plot(recalls, low, color=drawing.ORANGE, linewidth=2)
    ax.axhline(PREVALENCE, color=drawing.GREY, linewidth=1.4, linestyle=(0, (5, 2)))
    drawing.say(ax, "unachievable", 0.72, 0.035, drawing.ORANGE)
    drawing.say(ax, "random guessing", 0.02, PREVALENCE - 0.035, "#666666")
    for name, place in places.items():
        colour = drawing.ORANGE if name == "A" else drawing.BLUE
        ax.plot(*place, "X" if name == "A" else "o", color=colour, markersize=9, zorder=4)
        ax.annotate(
            name,
            place,
            xytext=(4, -17 if name == "A" else 8),
            textcoords="offset points",
            color=colour,
            fontsize=12,
            fontweight="bold",
        )
    drawing.unit_square(ax)
    ax.set_xlim(-0.02, 1.1)
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.text(1.035, 1.02, "F1", color="#666666", fontsize=9)
    drawing.describe(ax, f"Equal F1, prevalence {PREVALENCE}", "recall", "precision")
    return figure
