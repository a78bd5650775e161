"""Bins that two curves share: cut where no entry of either is split, so that every count is exact."""

from collections.abc import Sequence

import numpy as np

from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.curve import Curve

# Finer bins hardly tell more of a prevalence, and each one costs the check some of its power.
MOST_BINS = 10

# Rows of each labelled class in every bin; with fewer, chi² is no longer the law of the check.
FEWEST_PER_CLASS = 2

# Unlabelled rows for each bin there may be.
UNLABELLED_PER_BIN = 10


def places(*curves: Curve) -> tuple[FloatArray, list[Indices]]:
    """Stretches of scores that hold whole entries of all the curves: where each begins, and those of the entries.

    Scores that are told apart everywhere are stretches of their own; buckets that overlap are one.
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
    """What each stretch holds."""
    return np.bincount(place, weights=amounts, minlength=length).astype(np.float64, copy=False)


def in_bins(amounts: FloatArray, cuts: Indices) -> FloatArray:
    """What each bin holds, given the stretches at which all but the first begin."""
    return np.add.reduceat(amounts, np.concatenate([[0], cuts]))


def fine_cuts(pos: FloatArray, neg: FloatArray, most: int) -> Indices:
    """Where to cut for bins that hold about equal shares of both classes, and no bin too few rows of one.

    Only labelled rows are looked at: what was seen of the unlabelled ones cannot favour a prevalence.
    """
    cuts = quantile_cuts(pos / pos.sum() + neg / neg.sum(), most)
    return merged(cuts, (pos, neg), FEWEST_PER_CLASS)


def middle_cut(pos: FloatArray, neg: FloatArray) -> Indices:
    """The one cut where the rates of false positives and false negatives are nearest; none if all scores are one.

    A cut where the rates of true and false positives differ most would be chosen for what is there by chance.
    """
    return quantile_cuts(pos / pos.sum() + neg / neg.sum(), 2)


def quantile_cuts(amounts: FloatArray, most: int) -> Indices:
    """Where to cut for bins that hold about equal amounts."""
    gaps, above = _gaps(amounts)
    if not len(gaps):
        return gaps
    levels = amounts.sum() * np.arange(1, most) / most
    nearest = np.unique(np.searchsorted((above[1:] + above[:-1]) / 2, -levels))
    return np.asarray(gaps[nearest])


def merged(cuts: Indices, columns: Sequence[FloatArray], fewest: float) -> Indices:
    """Leave out cuts, from the highest on, until each bin has enough of every column."""
    kept: list[int] = []
    held = np.zeros(len(columns))
    in_each = np.array([in_bins(column, cuts) for column in columns])
    for cut, more in zip(cuts[::-1], in_each.T[:0:-1], strict=True):
        held = held + more
        if held.min() >= fewest:
            kept.append(int(cut))
            held = np.zeros(len(columns))
    # The lowest bin takes in the one above it if it is too small itself.
    if kept and (held + in_each[:, 0]).min() < fewest:
        kept.pop()
    return np.array(kept[::-1], np.intp)


def _gaps(amounts: FloatArray) -> tuple[Indices, FloatArray]:
    """The places between stretches that hold something, and minus the amount above each.

    Where stretches that hold nothing lie between, the cut is in their middle. At either end of them it would stand at
    a row that was looked at, and the bin on that side would hold too many rows by half of one.
    """
    there = np.flatnonzero(amounts > 0)
    above = np.cumsum(amounts[::-1])[::-1]
    return (there[:-1] + there[1:] + 1) // 2, -above[there[1:]]
