"""The odds at which the mean score of a bin agrees with its event rate, with an interval.

The mean score of a bin equals its event rate if the residuals of its positives, 1 - score, sum to the same as those of
its negatives, which are their scores. At another prevalence negatives have another weight. So the ratio of the two sums
gets an interval, and scores agree with the data at all odds within it.
"""

import math
from typing import Literal, NamedTuple

import numpy as np

from baserate.arrays import CountArray, FloatArray
from baserate.curves.bins import Binned
from baserate.curves.curve import Curve
from baserate.curves.row_bins import RowBins
from baserate.formulas.proportions import Interval, beta_quantile
from baserate.formulas.weighted_means import Sums, laws
from baserate.metrics.predictive import precision
from baserate.uncertainty.points import over_laws


def agreeing_odds(curve: Curve, bins: Binned, confidence_level: float) -> Interval:
    """For each bin, the interval of odds against an event at which its scores agree with the data.

    At lower odds the scores are too low, at higher odds too high. Scores of buckets are too low only if their highest
    possible values are, and too high only if the lowest are. At a given prevalence the class sizes are fixed, and one
    interval serves all prevalences; at the prevalence of the data they are random.
    """
    ratio = _of_random_classes if curve.given_prevalence is None else _of_given_classes
    ends = [
        np.array([ratio(pos, neg, confidence_level) for pos, neg in errors]).reshape(-1, 2).T
        for errors in _errors_of(curve, bins)
    ]
    return Interval(ends[0][0], ends[-1][1])


_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


class _Errors(NamedTuple):
    """Residuals of one class in one bin, in units of the largest possible one."""

    sums: Sums
    farthest: float
    one_more: float  # the weight of a free row


def _errors_of(curve: Curve, bins: Binned) -> list[list[tuple[_Errors, _Errors]]]:
    """Positives and negatives of each bin: of buckets, with the highest scores and with the lowest."""
    if bins.rows is not None:
        return [_errors_of_rows(bins.rows)]
    return [_errors(curve, bins, scores) for scores in ([curve.top, curve.score] if curve.bucketed else [curve.score])]


def _errors_of_rows(bins: RowBins) -> list[tuple[_Errors, _Errors]]:
    """Positives and negatives of each bin of unsorted rows."""
    lacks, scores = bins.squares()
    kept = np.flatnonzero(bins.pos.n + bins.neg.n)
    pos = _errors_in_parts(bins.rest_pos[kept], lacks[kept], 1 - bins.lowest[kept], len(bins.rows.pos))
    neg = _errors_in_parts(bins.score_neg[kept], scores[kept], bins.highest[kept], len(bins.rows.neg))
    return list(zip(pos, neg, strict=True))


def _errors_in_parts(total: FloatArray, squares: FloatArray, farthest: FloatArray, n: int) -> list[_Errors]:
    value = total / np.where(farthest > 0, farthest, 1.0)
    columns = (column.tolist() for column in (value, squares, farthest))
    return [_Errors(Sums(float(n), float(n), v, v, v2), far, 1.0) for v, v2, far in zip(*columns, strict=True)]


def _errors(curve: Curve, bins: Binned, scores: FloatArray) -> list[tuple[_Errors, _Errors]]:
    """Positives and negatives of each bin."""
    rising = bins.place[::-1]  # scores fall along a curve
    lowest, highest = (len(rising) - np.searchsorted(rising, np.arange(len(bins.n)), side) for side in _SIDES)
    weighted = curve.weighted
    pos = _errors_of_class(1 - scores, 1 - scores[lowest - 1], bins, curve.pos, curve.pos_squares if weighted else None)
    neg = _errors_of_class(scores, scores[highest], bins, curve.neg, curve.neg_squares if weighted else None)
    return list(zip(pos, neg, strict=True))


def _errors_of_class(
    errors: FloatArray, farthest: FloatArray, bins: Binned, weight: CountArray, squares: CountArray | None
) -> list[_Errors]:
    place, n = bins.place, len(bins.n)
    part = errors / np.where(farthest > 0, farthest, 1.0)[place]
    value = np.bincount(place, weight * part, n)
    if squares is None:
        squares, squares_value, heaviest = weight, value, np.ones(n)
    else:
        squares_value, heaviest = np.bincount(place, squares * part, n), np.zeros(n)
        np.maximum.at(heaviest, place, np.divide(squares, weight, out=np.zeros(len(part)), where=weight > 0))
    squares_value2 = np.bincount(place, squares * part**2, n)
    total, total_squares = float(weight.sum()), float(squares.sum())
    one_more = np.maximum(heaviest, total_squares / total)
    columns = (column.tolist() for column in (value, squares_value, squares_value2, farthest, one_more))
    return [_Errors(Sums(total, total_squares, *sums), far, more) for *sums, far, more in zip(*columns, strict=True)]


def _of_given_classes(pos: _Errors, neg: _Errors, confidence_level: float) -> tuple[float, float]:
    """The melded interval of the ratio of two independent means, as for precision."""
    of_pos, of_neg = (laws(one.sums, one.one_more, one.one_more) for one in (pos, neg))
    known = over_laws(precision, of_pos, of_neg, np.ones(1), confidence_level)
    low, high = (math.inf if end == 1 else float(end / (1 - end)) for end in known)
    return _in_units(low, high, pos, neg)


def _of_random_classes(pos: _Errors, neg: _Errors, confidence_level: float) -> tuple[float, float]:
    """The interval of the ratio of two sums over a random number of rows, each approximated by a gamma distribution.

    If all rows of a bin have the same score and weight, this is Clopper and Pearson's interval.
    """
    tail = (1 - confidence_level) / 2
    low = _ratio(pos.sums, neg.sums.and_a_row(neg.one_more, 1.0), tail)
    high = _ratio(neg.sums, pos.sums.and_a_row(pos.one_more, 1.0), tail)
    sizes = neg.sums.weight / pos.sums.weight
    return _in_units(sizes * low, sizes / high if high else math.inf, pos, neg)


def _ratio(numerator: Sums, denominator: Sums, tail: float) -> float:
    """A low quantile of the ratio of two sums."""
    if numerator.value == 0:
        return 0.0
    (a, unit), (b, other) = (
        (one.value**2 / one.squares_value2, one.squares_value2 / one.value) for one in (numerator, denominator)
    )
    quantile = beta_quantile(np.asarray(a), np.asarray(b), tail)
    return float(quantile.share / quantile.rest) * unit / other


def _in_units(low: float, high: float, pos: _Errors, neg: _Errors) -> tuple[float, float]:
    """A ratio of residuals in the units of the scores; if all scores are 0, a single positive contradicts them."""
    if neg.farthest == 0:
        return (math.inf if low > 0 else 0.0), math.inf
    units = pos.farthest / neg.farthest
    return low * units, math.inf if math.isinf(high) else high * units
