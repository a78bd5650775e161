"""Numbers that only charts, tooltips and the order of rows need."""

import math

import numpy as np
import scipy

from baserate.curves.curve import Curve
from baserate.formulas.hull import upper_hull
from baserate.formulas.proportions import Interval, clopper_pearson
from baserate.metrics import over_odds
from baserate.metrics.areas import roc_auc
from baserate.page.condensed import LogOddsRange, smooth
from baserate.page.sampled import DrawnRates
from baserate.page.words import DIGITS, FEW_DIGITS, SHOWN_DIGITS, Json, numbers
from baserate.uncertainty.estimate import IntervalSettings, estimates, sizes_behind
from baserate.uncertainty.methods import Estimand

_BINS = 40

# The level of each of two rates, for 95 % of both together.
_LEVEL_OF_EACH = 0.95**0.5


def histogram(curve: Curve) -> Json | None:
    """The share of each class by score, in bins of equal width; None where scores are infinite or all the same."""
    low, high = float(curve.score[-1]), float(curve.top[0])
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return None
    edges = np.linspace(low, high, _BINS + 1)
    middle = curve.middle
    shares = {
        name: np.histogram(middle, edges, weights=cases.astype(np.float64))[0] / cases.sum()
        for name, cases in (("pos", curve.pos), ("neg", curve.neg))
    }
    kept: Json = {"edges": numbers(edges, FEW_DIGITS)}
    return kept | {name: numbers(share, SHOWN_DIGITS) for name, share in shares.items()}


def menu(curve: Curve, span: LogOddsRange, threshold: float | None) -> Json:
    """What the metrics of the menu need of a slice besides average precision.

    That is AUC-PR at the nodes, AUC-ROC, the convex hull for the best F1, and the rates at the threshold that the page
    opens with.
    """
    tp, fp = (column.astype(np.float64) for column in curve.table.cumulative())
    rises = np.flatnonzero(curve.pos > 0)
    corners = rises[np.append(fp[rises][1:] != fp[rises][:-1], True)]
    hull = corners[upper_hull(fp[corners], tp[corners])]
    n_pos, n_neg = float(curve.table.total_pos), float(curve.table.total_neg)
    estimand = Estimand(roc_auc, curve, np.array([curve.odds_against]))
    ((area,),) = estimates([estimand], IntervalSettings.of(0.95, 50, 0))
    found: Json = {
        "pr_logs": numbers(smooth(over_odds.auc_pr, curve, span).values, FEW_DIGITS),
        "hull": {"tpr": numbers(tp[hull] / n_pos, DIGITS), "fpr": numbers(fp[hull] / n_neg, DIGITS)},
        "roc": numbers([area.value, area.low, area.high], FEW_DIGITS),
    }
    if threshold is not None:
        found["rates"] = _rates(curve, threshold)
    return found


def _rates(curve: Curve, threshold: float) -> list[float | None]:
    at = curve.at_threshold(threshold)
    n_pos, n_neg = sizes_behind(curve)
    if curve.sampled:
        drawn = DrawnRates(curve, np.array([threshold]))
        ends = [Interval(low[0], high[0]) for low, high in (drawn.tpr(_LEVEL_OF_EACH), drawn.fpr(_LEVEL_OF_EACH))]
    else:
        rates = (at.tpr, n_pos), (at.fpr, n_neg)
        ends = [clopper_pearson(np.array(rate * n), n, _LEVEL_OF_EACH) for rate, n in rates]
    return numbers([at.tpr, at.fpr]) + numbers([float(end) for both in ends for end in both], FEW_DIGITS)


def widening(cells: int) -> float | None:
    """How many times wider the intervals of so many cells have to be, to hold together (Bonferroni)."""
    if not cells:
        return None
    return float(scipy.special.ndtri(0.025 / cells) / scipy.special.ndtri(0.025))


def difference(value: float, low: float, high: float, overall: float) -> float:
    """How far all rows of a model are from a slice, in half-widths of its interval on the logarithmic scale."""
    if not (value > 0 and low > 0 and overall > 0 and low < value < high):
        return 0.0
    side = high if overall > value else low
    return math.log(overall / value) / math.log(side / value)
