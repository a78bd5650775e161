"""Common bins of two curves: no entry of either is split, so that every count is exact."""

from collections.abc import Sequence

import numpy as np

from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.curve import Curve

# Finer bins add little to the estimate, and each costs the test some power.
MOST_BINS = 10

# Labelled rows of each class in every bin; with fewer, the test statistic is not chi-squared.
FEWEST_PER_CLASS = 2

# Unlabelled rows per bin.
UNLABELLED_PER_BIN = 10


def places(*curves: Curve) -> tuple[FloatArray, list[Indices]]:
    """Stretches of scores that split no entry of any curve: their lowest scores, and the stretch of each entry.

    A distinct score is a stretch of its own; overlapping buckets are one.
    """
    low = np.concatenate([curve.score for curve in curves])
    high = np.concatenate([curve.top for curve in curves])
    order = np.argsort(low, kind="stable")
    reached = np.maximum.accumulate(high[order])
    begins = np.ones(len(low), np.bool_)
    begins[1:] = low[order][1:] > reached[:-1]
    starts = low[order][begins]
    return starts, [np.searchsorted(starts, curve.score, side="right") - 1 for curve in curves]


def summed(place: Indices, amounts: CountArray, length: int) -> FloatArray:
    """Sums by stretch."""
    return np.bincount(place, weights=amounts, minlength=length).astype(np.float64, copy=False)


def in_bins(amounts: FloatArray, cuts: Indices) -> FloatArray:
    """Sums by bin; `cuts` are the stretches at which bins begin, but for the first."""
    return np.add.reduceat(amounts, np.concatenate([[0], cuts]))


def fine_cuts(pos: FloatArray, neg: FloatArray, most: int) -> Indices:
    """Cuts for bins with about equal shares of both classes, and with enough rows of each.

    They depend on labelled rows only, so that unlabelled ones cannot bias them.
    """
    cuts = quantile_cuts(pos / pos.sum() + neg / neg.sum(), most)
    return merged(cuts, (pos, neg), FEWEST_PER_CLASS)


def middle_cut(pos: FloatArray, neg: FloatArray) -> Indices:
    """The cut at which FPR and FNR are nearest; none if all scores are equal.

    The cut at which TPR and FPR differ most would be optimistic.
    """
    return quantile_cuts(pos / pos.sum() + neg / neg.sum(), 2)


def quantile_cuts(amounts: FloatArray, most: int) -> Indices:
    """Cuts for bins with about equal amounts: quantiles."""
    gaps, above = _gaps(amounts)
    if not len(gaps):
        return gaps
    levels = amounts.sum() * np.arange(1, most) / most
    nearest = np.unique(np.searchsorted((above[1:] + above[:-1]) / 2, -levels))
    return np.asarray(gaps[nearest])


def merged(cuts: Indices, columns: Sequence[FloatArray], fewest: float) -> Indices:
    """Remove cuts, from the highest down, until each bin has enough of every column."""
    kept: list[int] = []
    held = np.zeros(len(columns))
    in_each = np.array([in_bins(column, cuts) for column in columns])
    for cut, more in zip(cuts[::-1], in_each.T[:0:-1], strict=True):
        held = held + more
        if held.min() >= fewest:
            kept.append(int(cut))
            held = np.zeros(len(columns))
    # If the lowest bin is too small, it is merged with the one above.
    if kept and (held + in_each[:, 0]).min() < fewest:
        kept.pop()
    return np.array(kept[::-1], np.intp)


def _gaps(amounts: FloatArray) -> tuple[Indices, FloatArray]:
    """Places between non-empty stretches, and minus the amount above each.

    If empty stretches lie between, the place is in their middle. At either end it would lie at an observed row, and the
    bin on that side would have half a row too many.
    """
    there = np.flatnonzero(amounts > 0)
    above = np.cumsum(amounts[::-1])[::-1]
    return (there[:-1] + there[1:] + 1) // 2, -above[there[1:]]
