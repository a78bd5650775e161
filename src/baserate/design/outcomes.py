"""The possible outcomes of a test set: binomial counts with their probabilities, and nodes to interpolate between."""

import math
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray

# Counts are considered up to so many standard deviations from the mean; the rest has a probability below 3e-6.
_REACH = 4.75
# With more counts than this, neighbours share a cell.
_CELLS = 400
# Smooth functions of the count are computed at so many nodes, and interpolated by a polynomial.
_NODES = 12


class Outcomes(NamedTuple):
    """Counts of successes among `n` cases, in cells, with their probabilities.

    ``spread @ values`` interpolates values at the `nodes` to the cells.
    """

    n: float
    successes: FloatArray
    chance: FloatArray
    nodes: FloatArray
    spread: FloatArray


def outcomes(n: int, rate: float) -> Outcomes:
    """The binomial distribution of n cases, without its negligible tails."""
    middle, deviation = n * rate, math.sqrt(n * rate * (1 - rate))
    reach = _REACH * deviation + _REACH**2 / 6  # the distribution is skewed for small means
    lowest, highest = max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach))
    size = highest - lowest + 1
    last = np.unique(np.round(np.linspace(lowest - 1, highest, min(size, _CELLS) + 1)))  # of each cell
    below = scipy.special.betaincc(last[1:-1] + 1, n - last[1:-1], rate)
    count = (last[:-1] + 1 + last[1:]) / 2
    nodes = _nodes(count, n, few_failures=rate > 0.5)
    spread = _spread(count, nodes, n, few_failures=rate > 0.5)
    return Outcomes(float(n), count, np.diff(below, prepend=0.0, append=1.0), nodes, spread)


def _nodes(count: FloatArray, n: int, *, few_failures: bool) -> FloatArray:
    """All counts if they are few, otherwise Chebyshev nodes on the arcsine scale.

    0 and n are nodes of their own, because intervals have another form there.
    """
    if len(count) <= _NODES + 4:
        return count
    inner = count[(count > 0) & (count < n)]
    ends = _angle(inner[[0, -1]], n, few_failures=few_failures)
    places = ends.mean() + np.diff(ends) / 2 * np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
    rarer = n * np.sin(places) ** 2
    between = n - rarer if few_failures else rarer
    return np.concatenate([between, count[(count == 0) | (count == n)]])


def _spread(count: FloatArray, nodes: FloatArray, n: int, *, few_failures: bool) -> FloatArray:
    """The matrix of barycentric interpolation from nodes to counts; 0 and n keep their own values."""
    if len(nodes) == len(count):
        return np.eye(len(count))
    at, to = (_angle(places, n, few_failures=few_failures) for places in (nodes[:_NODES], count))
    sign = np.where(np.arange(_NODES) % 2, -1.0, 1.0)
    sign[[0, -1]] /= 2
    distance = to[:, np.newaxis] - at
    hit = np.abs(distance) < 1e-9 * np.abs(at[0] - at[-1])
    weight = sign / np.where(hit, 1.0, distance)
    weight = np.where(hit.any(axis=1, keepdims=True), hit, weight)
    weight = weight / weight.sum(axis=1, keepdims=True)
    apart = (count == 0) | (count == n)
    weight[apart] = 0.0
    return np.hstack([weight, np.eye(len(count))[:, apart]])


def _angle(count: FloatArray, n: int, *, few_failures: bool) -> FloatArray:
    """The arcsine of the square root of the rarer rate, on which counts have a constant variance."""
    rarer = n - count if few_failures else count
    return np.arcsin(np.sqrt(np.clip(rarer / n, 0.0, 1.0)))
