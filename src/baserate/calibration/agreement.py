"""Whether the scores of a bin are what happens in it: odds at which they would be.

The mean score of a bin is its event rate where positives fall short of 1, added up, as much as negatives exceed 0. Both
sums are uncertain, and at another prevalence negatives have another weight than positives. So the ratio of the sums
gets an interval, and scores agree with the data where the curve is read at odds within it.
"""

import math
from typing import Literal, NamedTuple

import numpy as np

from baserate.arrays import CountArray, FloatArray
from baserate.curves.bins import Binned
from baserate.curves.curve import Curve
from baserate.formulas.proportions import Interval, beta_quantile
from baserate.formulas.weighted_means import Sums, laws
from baserate.metrics.predictive import precision
from baserate.uncertainty.points import over_laws


def agreeing_odds(curve: Curve, found: Binned, confidence_level: float) -> Interval:
    """Odds against an event, from and to which the scores of each bin agree with the data.

    Below them the scores are too low, above them too high. Of buckets, scores are too low only if the highest that they
    may stand for are, and too high only if the lowest are. Class sizes are taken as given where the prevalence is, and
    then one interval serves all prevalences; at the data's own they are as random as the rest.
    """
    ratio = _of_random_classes if curve.given_prevalence is None else _of_given_classes
    ends = [
        np.array([ratio(pos, neg, confidence_level) for pos, neg in _errors(curve, found, scores)]).reshape(-1, 2).T
        for scores in ([curve.top, curve.score] if curve.bucketed else [curve.score])
    ]
    return Interval(ends[0][0], ends[-1][1])


_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


class _Errors(NamedTuple):
    """Of one class in one bin: how far scores are from what happened, in units of the farthest that any is."""

    sums: Sums
    farthest: float
    one_more: float  # what one more row may weigh


def _errors(curve: Curve, found: Binned, scores: FloatArray) -> list[tuple[_Errors, _Errors]]:
    """Positives and negatives of each bin."""
    rising = found.place[::-1]  # scores fall along a curve
    lowest, highest = (len(rising) - np.searchsorted(rising, np.arange(len(found.n)), side) for side in _SIDES)
    weighted = curve.weighted
    pos = _errors_of(1 - scores, 1 - scores[lowest - 1], found, curve.pos, curve.pos_squares if weighted else None)
    neg = _errors_of(scores, scores[highest], found, curve.neg, curve.neg_squares if weighted else None)
    return list(zip(pos, neg, strict=True))


def _errors_of(
    errors: FloatArray, farthest: FloatArray, found: Binned, weight: CountArray, squares: CountArray | None
) -> list[_Errors]:
    place, n = found.place, len(found.n)
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
    """Two independent means, each with the laws of its limits, melded as those of a precision are."""
    of_pos, of_neg = (laws(one.sums, one.one_more, one.one_more) for one in (pos, neg))
    known = over_laws(precision, of_pos, of_neg, np.ones(1), confidence_level)
    low, high = (math.inf if end == 1 else float(end / (1 - end)) for end in known)
    return _in_units(low, high, pos, neg)


def _of_random_classes(pos: _Errors, neg: _Errors, confidence_level: float) -> tuple[float, float]:
    """Two sums over as many rows as chance brings, each a Gamma variable with the sum's mean and variance.

    Where all rows of a bin have one score and one weight, this is Clopper and Pearson's interval.
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
    found = beta_quantile(np.asarray(a), np.asarray(b), tail)
    return float(found.share / found.rest) * unit / other


def _in_units(low: float, high: float, pos: _Errors, neg: _Errors) -> tuple[float, float]:
    """A ratio of errors; scores that are all 0, or all 1, are wrong for sure once something else has happened."""
    if neg.farthest == 0:
        return (math.inf if low > 0 else 0.0), math.inf
    units = pos.farthest / neg.farthest
    return low * units, math.inf if math.isinf(high) else high * units
