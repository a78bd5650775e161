"""Areas and baselines for many prevalences at once.

Every function takes a curve, or many drawn ones, and an array of ``x``, the negatives per positive, and returns one
value per x. A metric uses the x of its curve, a sweep many x.
"""

from collections.abc import Callable

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.formulas import above_floor, areas, baselines
from baserate.formulas.interpolation import interpolated
from baserate.formulas.steps import Outlined

RecallRange = tuple[float, float]
WHOLE: RecallRange = (0.0, 1.0)

# Nearer to the floor than this, relatively, an area is summed up from there.
_NEAR_FLOOR = 1 / 32


def as_read(over: Callable[..., FloatArray], curve: Curve, **parameters: object) -> float:
    """Evaluate a function of many x at the x of the curve."""
    return float(over(curve, np.array([curve.odds_against]), **parameters)[0])


def roc_auc(curve: Outlined, x: FloatArray, *, max_fpr: float = 1.0) -> FloatArray:
    """AUC-ROC, which does not depend on x."""
    area = areas.roc_auc(curve.table.merged_steps, checks.share(max_fpr, "max_fpr", above=True))
    return np.repeat(area[..., np.newaxis], len(x), axis=-1)


def average_precision(curve: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """Average precision: precision times the rise in recall, summed over the corners."""
    low, high = checks.recall_range(recall_range)
    return interpolated(lambda odds: curve.table.average_precision(odds, low, high), x)


def auc_pr(curve: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """AUC-PR: the exact integral along the ROC curve."""
    low, high = checks.recall_range(recall_range)
    return interpolated(lambda odds: curve.table.auc_pr(odds, low, high), x)


def auc_prg(curve: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """AUC-PRG: one integral, cut at each prevalence."""
    return areas.auc_prg(curve.table.merged_steps, x, *checks.recall_range(recall_range))


def best_f_beta(curve: Outlined, x: FloatArray, *, beta: float, recall_range: RecallRange = WHOLE) -> FloatArray:
    """The highest F-beta of all thresholds; for many x, from the convex hull."""
    low, high = checks.recall_range(recall_range)
    # The end of a vertical piece beats its inner points, unless the range cuts the end off.
    steps = curve.table.merged_steps if high == 1 else curve.table.steps
    return areas.best_f_beta(steps, x, checks.positive_number(beta, "beta"), low, high)


def best_f1(curve: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """The best F-beta with beta 1."""
    return best_f_beta(curve, x, beta=1.0, recall_range=recall_range)


def min_auc_pr(_: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """The floor of AUC-PR, which is the same for all curves."""
    low, high = checks.recall_range(recall_range)
    return np.array([baselines.min_auc_pr(x_j, low, high) for x_j in x])


def min_average_precision(curve: Outlined, x: FloatArray) -> FloatArray:
    """The floor of average precision for this many positives."""
    n_pos = _whole(curve.n_pos)
    return np.array([baselines.min_average_precision(n_pos, x_j) if n_pos else np.nan for x_j in x])


def chance_average_precision(curve: Outlined, x: FloatArray) -> FloatArray:
    """The expected average precision of a random order, interpolated in log x."""
    n_pos, n_neg = _whole(curve.n_pos), _whole(curve.n_neg)
    if not (n_pos and n_neg):
        return np.full(len(x), np.nan)
    return interpolated(lambda odds: np.array([baselines.chance_average_precision(n_pos, n_neg, o) for o in odds]), x)


def normalized_auc_pr(curve: Outlined, x: FloatArray, *, recall_range: RecallRange = WHOLE) -> FloatArray:
    """AUC-PR between its floor and the width of the range."""
    low, high = checks.recall_range(recall_range)
    return _normalized(
        x,
        area=lambda odds: auc_pr(curve, odds, recall_range=recall_range),
        lack=lambda odds: curve.table.auc_pr(odds, low, high, deficit=True),
        floor=lambda x_j: baselines.min_auc_pr(x_j, low, high),
        floor_lack=lambda x_j: baselines.min_auc_pr(x_j, low, high, deficit=True),
        above=lambda x_j: above_floor.auc_pr_above_floor(curve.table.merged_steps, x_j, low, high),
    )


def normalized_average_precision(curve: Outlined, x: FloatArray) -> FloatArray:
    """Average precision, rescaled so that the lowest possible value is 0 and a perfect one is 1."""
    n_pos = _whole(curve.n_pos)
    if not n_pos:
        return np.full(len(x), np.nan)
    steps = curve.table.whole_steps
    return _normalized(
        x,
        area=lambda odds: average_precision(curve, odds),
        lack=lambda odds: curve.table.average_precision(odds, *WHOLE, deficit=True),
        floor=lambda x_j: baselines.min_average_precision(n_pos, x_j),
        floor_lack=lambda x_j: baselines.min_average_precision(n_pos, x_j, deficit=True),
        above=None if steps is None else lambda x_j: above_floor.average_precision_above_floor(steps, x_j),
    )


def _normalized(
    x: FloatArray,
    *,
    area: Callable[[FloatArray], FloatArray],
    lack: Callable[[FloatArray], FloatArray],
    floor: Callable[[float], float],
    floor_lack: Callable[[float], float],
    above: Callable[[float], float] | None,
) -> FloatArray:
    """An area on the scale from its floor to its maximum; `lack` is the maximum minus the area.

    Above prevalence 1/2 areas are near their maximum, and only the lack is accurate; near the floor, only `above`, the
    area minus the floor, is.
    """
    rare = x >= 1
    lowest, room = np.array([floor(x_j) for x_j in x]), np.array([floor_lack(x_j) for x_j in x])
    of_rare = area(x[rare]) - lowest[rare]
    of_common = room[~rare] - lack(x[~rare])
    result = np.empty((*of_common.shape[:-1], len(x)))
    result[..., rare], result[..., ~rare] = of_rare, of_common
    if above is not None and result.ndim == 1:  # many drawn curves at once need no more digits
        for j in np.flatnonzero(np.abs(result) < _NEAR_FLOOR * np.where(rare, lowest, room)):
            result[j] = above(x[j])
    result /= room
    return result


def _whole(size: float) -> float | None:
    """A class size; None if it is not a whole number because of weights."""
    return size if float(size).is_integer() else None
