"""Test statistics of calibration, and their ranges if scores are known only within limits."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import CountArray, FloatArray, Indices

# Where (1-p)(1-2p) and -p(1-2p) are lowest, and where (1-2p)² p (1-p) is highest (and lowest, at 1/2).
_LOWEST_OF_POSITIVE = 0.75
_LOWEST_OF_NEGATIVE = 0.25
_HIGHEST_VARIANCE = (0.5 - np.sqrt(0.125), 0.5 + np.sqrt(0.125))


class Expected(NamedTuple):
    """Expected positives and negatives in each bin, from the scores."""

    pos: FloatArray
    neg: FloatArray
    surplus: FloatArray  # positives counted less those expected: by one sum, so that it keeps its digits


class Range(NamedTuple):
    """Lower and upper limit of a number."""

    low: float
    high: float


def expected_in_bins(score: FloatArray, pos: CountArray, neg: CountArray, place: Indices) -> Expected:
    """Expected positives and negatives of each bin: sums over its entries."""

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(place, weights=values).astype(np.float64, copy=False)

    rest = 1 - score
    return Expected(summed((pos + neg) * score), summed((pos + neg) * rest), summed(pos * rest - neg * score))


def pearson(expected: Expected) -> FloatArray:
    """Each bin's term of the Hosmer–Lemeshow statistic; infinite if a class has cases but none are expected."""
    square = expected.surplus**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(square > 0, square / expected.pos + square / expected.neg, 0.0)


def pearson_range(lowest: Expected, highest: Expected) -> Range:
    """The range of the statistic if each score lies between two limits and bins have the same rows.

    For fixed counts, the term of a bin falls with the expected positives until they equal the count, and then rises.
    """
    ends = pearson(lowest), pearson(highest)
    between = (lowest.surplus >= 0) & (highest.surplus <= 0)
    low = np.where(between, 0.0, np.minimum(*ends))
    return Range(float(low.sum()), float(np.maximum(*ends).sum()))


def spiegelhalter(score: FloatArray, pos: CountArray, neg: CountArray) -> float:
    """Spiegelhalter's z; nan if the variance is 0."""
    surplus = float(np.sum(pos * _of_positive(score) + neg * _of_negative(score)))
    variance = float(np.sum((pos + neg) * _variance(score)))
    return surplus / np.sqrt(variance) if variance > 0 else np.nan


def spiegelhalter_range(low: FloatArray, high: FloatArray, pos: CountArray, neg: CountArray) -> Range:
    """The range of z if each score lies between two limits, from the separate extremes of its terms."""
    of_pos = _extremes(_of_positive, low, high, (_LOWEST_OF_POSITIVE,))
    of_neg = _extremes(_of_negative, low, high, (_LOWEST_OF_NEGATIVE,))
    variances = _extremes(_variance, low, high, (0.5, *_HIGHEST_VARIANCE))
    least, most = (float(np.sum(pos * of_pos[end] + neg * of_neg[end])) for end in (0, 1))
    smallest, largest = (float(np.sum((pos + neg) * variances[end])) for end in (0, 1))
    with np.errstate(divide="ignore"):  # a variance may be 0; where the sum is 0, so is z, whatever the variance
        z_low = np.divide(least, np.sqrt(largest if least >= 0 else smallest)) if least else 0.0
        z_high = np.divide(most, np.sqrt(smallest if most >= 0 else largest)) if most else 0.0
    return Range(float(z_low), float(z_high))


def chi2_tail(statistic: float, df: int) -> float:
    """The upper tail probability of the chi-squared distribution."""
    return float(scipy.special.chdtrc(df, statistic))


def normal_tails(z: float) -> float:
    """The two-sided tail probability of the standard normal distribution."""
    return float(2 * scipy.special.ndtr(-abs(z)))


def _of_positive(score: FloatArray) -> FloatArray:
    return (1 - score) * (1 - 2 * score)


def _of_negative(score: FloatArray) -> FloatArray:
    return -score * (1 - 2 * score)


def _variance(score: FloatArray) -> FloatArray:
    return (1 - 2 * score) ** 2 * (score * (1 - score))


def _extremes(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, turns: tuple[float, ...]
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest value of a function between two ends, given its interior extrema."""
    values = np.array([function(low), function(high), *(function(np.clip(turn, low, high)) for turn in turns)])
    return values.min(axis=0), values.max(axis=0)
