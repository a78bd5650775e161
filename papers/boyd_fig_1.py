"""The lowest precision that is possible at each recall, with one positive for every two negatives.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), figure 1 and table 1.
"""

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure
from unachievable import lowest_precision

import baserate as br

N_POS, N_NEG = 100, 200
PREVALENCE = N_POS / (N_POS + N_NEG)
RECALLS = np.linspace(0.01, 1, 100)


def lowest(recall: float) -> float:
    return lowest_precision(recall, PREVALENCE)


def refusal(tp: int, fp: int, fn: int, tn: int) -> str:
    """What the library says to such counts; nothing if they are possible."""
    try:
        br.Point.from_counts(tp, fp, fn, tn)
    except br.errors.InputError as error:
        return str(error)
    return ""


def worst_ranking() -> br.Curve:
    return br.Curve.from_scores([0] * N_NEG + [1] * N_POS, np.arange(N_NEG + N_POS, 0, -1))


def run(setup: Setup) -> Experiment:
    valid = br.Point.from_counts(20, 80, 80, 120)
    worst = worst_ranking()
    refused = refusal(60, 240, 40, -40)
    reach = max(recall for recall in np.arange(1, N_POS + 1) / N_POS if lowest(recall) <= 0.2 + 1e-12)
    on_the_line = np.array([lowest(recall) for recall in worst.tpr[worst.tpr > 0]])
    gap = float(np.abs(br.precision(worst)[worst.tpr > 0] - on_the_line).max())
    # Precision is asked at the points of the worst ranking that have found positives: there all negatives are taken.
    findings = (
        Number("Table 1 (a): recall", 0.2, br.recall(valid), 5e-10),
        Number("Table 1 (a): precision", 0.2, br.precision(valid), 5e-10),
        Shape("Table 1 (b): no counts give recall 0.6 with precision 0.2", f"refused: “{refused}”", refused != ""),
        Number("the last recall at which precision 0.2 is possible", 0.5, reach, 5e-10),
        Shape(
            "ranking all negatives first lies on the lowest curve, so the bound is tight",
            f"largest distance {gap:.0e}",
            gap < 1e-12,
        ),
        Number(
            "lowest average precision with 100 positives and 200 negatives",
            0.1907341356,
            _floor(worst),
            5e-11,
            "what theorem 3 gives",
            printed=False,
        ),
        Shape(
            "that ranking has the lowest average precision and a normalized area of 0",
            f"AP {br.average_precision(worst):.10f}, AUCNPR {br.normalized_auc_pr(worst):.1e}",
            abs(br.average_precision(worst) - _floor(worst)) < 1e-12 and abs(br.normalized_auc_pr(worst)) < 1e-12,
        ),
        Number(
            "normalized area of the opposite ranking, all positives first",
            1.0,
            br.normalized_auc_pr(br.Curve.from_counts([1, 2], pos=[0, N_POS], neg=[N_NEG, 0])),
            5e-10,
            "what its definition gives",
            printed=False,
        ),
    )
    return Experiment(
        title="A region of PR space that nothing can reach",
        source="Boyd et al. 2012, Fig. 1 and Table 1",
        story=(
            "With 100 positives and 200 negatives a classifier cannot make more than 200 false alarms. This bounds "
            "precision from below at every recall, and the area below the bound is a gift to any classifier. Of the "
            "two points with precision 0.2 the left one has counts behind it, the right one would need 240 of 200 "
            "negatives."
        ),
        findings=findings,
        figure=picture(),
    )


def _floor(worst: br.Curve) -> float:
    return float(br.min_average_precision(worst))


def picture() -> Figure:
    figure, (ax,) = drawing.panels(width=5.4, height=4.2)
    low = np.array([lowest(recall) for recall in RECALLS])
    recalls, low = np.append(0, RECALLS), np.append(0, low)
    ax.fill_between(recalls, 0, low, color=drawing.ORANGE, alpha=0.18, linewidth=0)
    ax.plot(recalls, low, color=drawing.ORANGE, linewidth=2, label="lowest precision possible")
    ax.axhline(PREVALENCE, color=drawing.GREY, linewidth=1.4, linestyle=(0, (5, 2)), label="random guessing")
    ax.plot(0.2, 0.2, "o", color=drawing.BLUE, markersize=8)
    ax.plot(0.6, 0.2, "X", color=drawing.ORANGE, markersize=9)
    ax.plot([0.2, 0.5], [0.2, 0.2], color=drawing.BLUE, linewidth=1.2)
    drawing.say(ax, "20 of 100 found,\n80 false alarms", 0.03, 0.265, drawing.BLUE)
    drawing.say(ax, "60 found would need\n240 false alarms of 200", 0.63, 0.165, drawing.ORANGE)
    drawing.say(ax, "unachievable", 0.76, 0.07, drawing.ORANGE)
    drawing.unit_square(ax)
    drawing.describe(ax, "One positive for every two negatives", "recall", "precision")
    drawing.legend(ax, "upper right")
    return figure
