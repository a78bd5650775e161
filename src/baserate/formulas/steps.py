"""The corners of a curve, which determine its areas.

Recall changes only at scores of positives. So an area needs one row for each distinct score of a positive, with the
number of negatives above it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from baserate.arrays import Counts, FloatArray

# Rows worked on at a time: small enough that the temporaries of a formula stay in the processor's cache.
_BLOCK = 8192


class Steps(NamedTuple):
    """One row per distinct positive score, from the highest score down, along the last axis.

    Columns may have axes in front, for many curves with the same corners, such as resamples. A row without positives
    adds nothing.
    """

    tp: Counts  # positives at this score or above
    fp: Counts  # negatives at this score or above
    pos: Counts  # positives at this score
    neg: Counts  # negatives at this score
    n_pos: float  # all positives
    n_neg: float  # all negatives

    def each(self, change: Callable[[Counts], Counts]) -> "Steps":
        """Apply a function to every column."""
        tp, fp, pos, neg = (change(column) for column in self[:4])
        return Steps(tp, fp, pos, neg, self.n_pos, self.n_neg)


class Outline(Protocol):
    """What areas need of a curve, or of many drawn curves."""

    @property
    def steps(self) -> Steps:
        """The corners."""

    @property
    def merged_steps(self) -> Steps:
        """The corners without those inside a vertical piece of the ROC curve."""

    @property
    def whole_steps(self) -> Steps | None:
        """The corners, if each has a whole number of positives and average precision is their step sum; else None."""

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """Average precision for each x; with `deficit`, the width of the recall range minus it."""

    def auc_pr(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """Area under the PR curve for each x; with `deficit`, the width of the recall range minus it."""


class Outlined(Protocol):
    """An object with an outline and class sizes."""

    @property
    def table(self) -> Outline:
        """The outline."""

    @property
    def n_pos(self) -> float:
        """Cases of each class."""

    @property
    def n_neg(self) -> float:
        """Cases of each class."""


class Segments(NamedTuple):
    """Rising pieces of the ROC curve, as rates."""

    tpr: FloatArray  # where the piece begins
    fpr: FloatArray
    rise: FloatArray  # how far it goes in TPR; a piece that does not rise counts for nothing
    run: FloatArray  # how far it goes in FPR


def parts(steps: Steps) -> Iterator[slice]:
    """The rows of each block."""
    for start in range(0, steps.tp.shape[-1], _BLOCK):
        yield slice(start, start + _BLOCK)


def blocks(steps: Steps) -> Iterator[Steps]:
    """The steps as floats, a block at a time."""
    for rows in parts(steps):
        yield steps.each(partial(as_floats, rows=rows))


def as_floats(column: Counts, rows: slice) -> FloatArray:
    """Some rows of a column as floats."""
    return column[..., rows].astype(np.float64, copy=False)


def segments(block: Steps, low: float, high: float) -> Segments:
    """The rising pieces with recall in [low, high], cut at the ends of the range."""
    tp, fp, pos, neg, n_pos, n_neg = block
    whole = Segments((tp - pos) / n_pos, (fp - neg) / n_neg, pos / n_pos, neg / n_neg)
    if (low, high) == (0.0, 1.0):
        return whole
    start = np.maximum(whole.tpr, low)
    slope = per_rise(whole.run, whole.rise)
    rise = np.maximum(np.minimum(tp / n_pos, high) - start, 0.0)
    return Segments(start, whole.fpr + slope * (start - whole.tpr), rise, slope * rise)


def per_rise(amount: FloatArray, rise: FloatArray) -> FloatArray:
    """An amount per rise in recall; 0 where recall does not rise."""
    if rise.ndim == 1 and rise.min(initial=1.0) > 0:  # one curve rises at each of its corners, and this is quicker
        return amount / rise
    return np.divide(amount, rise, out=np.zeros_like(amount), where=rise > 0)


def merge_vertical(steps: Steps) -> Steps:
    """Join neighbouring rows with the same FPR, which are one vertical piece of the ROC curve."""
    upright = steps.neg == 0
    continues = np.zeros(len(steps.tp), np.bool_)
    continues[1:] = upright[1:] & upright[:-1] & (steps.fp[1:] == steps.fp[:-1])
    first = np.flatnonzero(~continues)
    if len(first) == len(continues):
        return steps
    last = np.append(first[1:], len(continues)) - 1
    tp = steps.tp[last]
    before = np.concatenate([np.zeros(1, tp.dtype), tp[:-1]])
    return Steps(tp, steps.fp[last], tp - before, steps.neg[last], steps.n_pos, steps.n_neg)
