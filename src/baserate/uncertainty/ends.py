"""From drawn values to intervals, p-values, probabilities and bands."""

from collections.abc import Iterable

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.formulas.proportions import Interval


def percentile(replicates: FloatArray, confidence_level: float) -> Interval:
    """The percentile interval of the replicates, along the first axis.

    The ends are order statistics, not interpolated, because replicates may be infinite. If more replicates are
    undefined than may lie beyond an end, both ends are nan.
    """
    tail = (1 - confidence_level) / 2
    undefined = np.isnan(replicates)
    known = undefined.sum(axis=0) <= int(tail * (len(replicates) - 1))
    low = np.quantile(np.where(undefined, -np.inf, replicates), tail, axis=0, method="lower")
    high = np.quantile(np.where(undefined, np.inf, replicates), 1 - tail, axis=0, method="higher")
    return Interval(np.where(known, low, np.nan), np.where(known, high, np.nan))


def melded(drawn: FloatArray, value: FloatArray, confidence_level: float) -> Interval:
    """From the lowest percentile of all observers to the highest; the observed value is always inside.

    `drawn` has axes for observers, populations and places.
    """
    ends = [percentile(side, confidence_level) for side in drawn]
    low, high = np.minimum.reduce([end.low for end in ends]), np.maximum.reduce([end.high for end in ends])
    # No draw reaches the extreme of a range, but the observed value may be there.
    return Interval(np.minimum(low, value), np.maximum(high, value))


def expanded(
    drawn: FloatArray, value: FloatArray, confidence_level: float, n: float, moved_back: FloatArray | float = 0.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of the expanded percentile interval, and p-values for a value of 0, from all observers pooled.

    The tails are widened by the ratio of Student's quantile, with ``n - 1`` degrees of freedom, to the normal one
    (Hesterberg 2015). The p-value is below ``1 - confidence_level`` where 0 lies outside.

    If the median of the draws differs from the value, the value is probably biased, too. So the interval also contains
    the one of draws that are moved back by a multiple of this distance.
    """
    pooled = np.concatenate(list(drawn))
    with np.errstate(invalid="ignore"):  # values may be infinite
        bias = np.median(pooled, axis=0) - value
        unbiased = pooled - moved_back * np.where(np.isfinite(bias), bias, 0.0)
    level = 1 - 2 * expanded_tail(confidence_level, n)
    low, high = holding(percentile(pooled, level), [percentile(unbiased, level)])
    p = np.fmax(p_value(pooled[np.newaxis], value), p_value(unbiased[np.newaxis], value))
    p = 2 * scipy.special.stdtr(max(n - 1, 1), scipy.special.ndtri(p / 2))
    ends = np.minimum(low, value), np.maximum(high, value)
    return *ends, np.where(np.isnan(ends).any(axis=0), np.nan, p)


def expanded_tail(confidence_level: float, n: float) -> float:
    """The normal tail probability beyond Student's quantile with ``n - 1`` degrees of freedom."""
    return float(scipy.special.ndtr(-scipy.special.stdtrit(max(n - 1, 1), (1 + confidence_level) / 2)))


def p_value(drawn: FloatArray, value: FloatArray) -> FloatArray:
    """The two-sided p-value for a value of 0: the largest of all observers.

    Up to one population, it is below 0.05 where 0 lies outside the 95 % interval.
    """
    less, more = (
        np.where(on_side, np.count_nonzero(~side, axis=1).max(axis=0), drawn.shape[1])
        for on_side, side in ((value > 0, drawn > 0), (value < 0, drawn < 0))
    )
    return np.asarray(np.minimum(1.0, 2 * (1 + np.minimum(less, more)) / (1 + drawn.shape[1])), np.float64)


def leading(worth: FloatArray, of_others: FloatArray) -> FloatArray:
    """The probability that each model is better than all others, as the mean of observers; ties are shared equally.

    Both arrays have axes for observers, populations, models and places. `of_others` has the values of the same models
    when they are rivals, which another observer may place differently.
    """
    probabilities = []
    for k in range(worth.shape[2]):
        rivals = np.delete(of_others, k, axis=2)
        most = rivals.max(axis=2)
        tied = 1 / (1 + np.count_nonzero(rivals == most[:, :, np.newaxis], axis=2))
        own = worth[:, :, k]
        probabilities.append(np.where(own == most, tied, own > most).mean(axis=(0, 1)))
    return np.array(probabilities)


def holding(ends: Interval, others: Iterable[Interval]) -> Interval:
    """The smallest interval that contains an interval and others; nan where the first is nan."""
    low, high = ends
    for other in others:
        low, high = np.fmin(low, other.low), np.fmax(high, other.high)
    return Interval(np.where(np.isnan(ends.low), np.nan, low), np.where(np.isnan(ends.high), np.nan, high))


def envelope(drawn: FloatArray, confidence_level: float) -> Interval:
    """A simultaneous band: the narrowest order statistics, of one rank at all places, that contain enough draws."""
    tail = (1 - confidence_level) / 2
    return Interval(_lower_envelope(drawn[0], tail), -_lower_envelope(-drawn[-1], tail))


def _lower_envelope(draws: FloatArray, tail: float) -> FloatArray:
    ordered = np.sort(draws, axis=0)
    columns = zip(ordered.T, draws.T, strict=True)
    not_above = np.stack([np.searchsorted(column, values, side="right") for column, values in columns], axis=1)
    # A draw is below order statistic c somewhere if at some place at most c draws are at or below it.
    lowest = np.sort(not_above.min(axis=1))
    rank = int(lowest[int(tail * (len(draws) - 1))]) - 1
    envelope: FloatArray = ordered[max(rank, 0)]
    return envelope
