"""Intervals at the thresholds that a page keeps: those of `estimate`, for a threshold that would be shipped."""

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.formulas.proportions import clopper_pearson
from baserate.metrics.predictive import precision
from baserate.page.condensed import RECALLS
from baserate.page.sampled import DrawnRates
from baserate.page.words import FEW_DIGITS, Json, numbers
from baserate.uncertainty import points
from baserate.uncertainty.estimate import sizes_behind

_LEVEL = 0.95

# The level of each of two rates, for 95 % of both together.
_LEVEL_OF_EACH = 0.95**0.5

# For more models than this, precision has its own interval at every fifth percent of recall only.
_SEVERAL = 5
_SPARSE = 5


def intervals(curve: Curve, rows: Indices, n_models: int) -> Json:
    """Ends of the rates at each threshold, and of their ratio.

    The ratio of the rates gives precision at every prevalence. Its interval is computed at whole percents of recall,
    and in between the ends of precision are interpolated. Recall has a level of 95 %, and F1 needs both rates at a
    joint level of 95 %.
    """
    totals = curve.table.total_pos, curve.table.total_neg
    tpr, fpr = (column[rows] / total for column, total in zip(curve.table.cumulative(), totals, strict=True))
    against = np.array([float(totals[1]) / float(totals[0])])
    if curve.sampled:
        drawn = DrawnRates(curve, curve.score[rows])
        of_tpr, of_fpr, recall = drawn.tpr(_LEVEL_OF_EACH), drawn.fpr(_LEVEL_OF_EACH), drawn.tpr(_LEVEL)
        low, high = _ratios(*drawn.precision(float(against[0]), _LEVEL), against)
    else:
        n_pos, n_neg = sizes_behind(curve)
        of_tpr, of_fpr = (clopper_pearson(rate * n, n, _LEVEL_OF_EACH) for rate, n in ((tpr, n_pos), (fpr, n_neg)))
        recall = clopper_pearson(tpr * n_pos, n_pos, _LEVEL)
        low, high = _of_ratio(curve, rows, tpr, fpr, against, n_models=n_models)
    return {
        "tpr_low": numbers(of_tpr.low, FEW_DIGITS),
        "tpr_high": numbers(of_tpr.high, FEW_DIGITS),
        "fpr_low": numbers(of_fpr.low, FEW_DIGITS),
        "fpr_high": numbers(of_fpr.high, FEW_DIGITS),
        "recall_low": numbers(recall.low, FEW_DIGITS),
        "recall_high": numbers(recall.high, FEW_DIGITS),
        "ratio_low": numbers(low, FEW_DIGITS),
        "ratio_high": numbers(high, FEW_DIGITS),
    }


def _of_ratio(
    curve: Curve, rows: Indices, tpr: FloatArray, fpr: FloatArray, against: FloatArray, *, n_models: int
) -> tuple[FloatArray, FloatArray]:
    """Ends of TPR/FPR at each threshold; the upper one may be infinite."""
    wanted = RECALLS if n_models <= _SEVERAL else RECALLS[_SPARSE - 1 :: _SPARSE]
    known = np.unique(np.append(np.searchsorted(tpr, wanted - 1e-12).clip(0, len(rows) - 1), [0, len(rows) - 1]))
    ends = np.array([_precision(curve, float(curve.score[rows[k]]), against) for k in known.tolist()])
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(tpr + fpr > 0, tpr / (tpr + against * fpr), np.nan)
        low, high = (np.interp(tpr, tpr[known], end) for end in ends.T)
    return _ratios(np.fmin(low, value), np.fmax(high, value), against)


def _ratios(low: FloatArray, high: FloatArray, against: FloatArray) -> tuple[FloatArray, FloatArray]:
    """TPR/FPR where precision has these ends."""
    with np.errstate(divide="ignore", invalid="ignore"):
        least, most = (np.where(end >= 1, np.inf, against * end / (1 - end)) for end in (low, high))
    return least, most


def _precision(curve: Curve, threshold: float, against: FloatArray) -> tuple[float, float]:
    """The melded interval of precision at a threshold, where the prevalence is that of the rows.

    Precision rises with one rate and falls with the other, so each end takes one distribution of each.
    """
    (least, most), (fewest, largest) = points.cases(curve.at_threshold(threshold)).laws
    low = points.over_laws(precision, (least,), (largest,), against, _LEVEL).low
    high = points.over_laws(precision, (most,), (fewest,), against, _LEVEL).high
    return float(low), float(high)
