"""A curve cut into cells: neighbouring scores that drawn populations need not tell apart.

Drawing a population means drawing the mass of each cell. Cells depend on the rows alone, not on the metric, so that all
answers about a curve come from the same populations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.table import CountTable

# Up to this many corners, each has cells of its own.
_FEW_CORNERS = 512

# Beyond that, corners within a sixteenth of a unit of log-odds of either rate are merged into a run. Where few rows lie
# above or below, corners stay single; a run has at most a sixteenth of the rows above it or below it.
RUNS_PER_LOGIT = 16

# The highest rows of either class are never merged: at a low prevalence they decide.
_SINGLE = 32

# A tie is not merged if it moves a rate by more than this fraction of its standard deviation.
_NOTICED = 0.25

_NEARLY_NONE = 1e-12  # a share with finite log odds


@dataclass(frozen=True, eq=False)
class Part:
    """The cells of one class."""

    rows: FloatArray  # rows in each cell; of weighted rows, their effective number
    weight: FloatArray  # the weight of one of them

    @cached_property
    def total(self) -> float:
        """The total weight."""
        return float(self.rows @ self.weight)

    @cached_property
    def typical_weight(self) -> float:
        """The mean weight, itself weighted: the sum of squares over the sum."""
        return float((self.rows * self.weight) @ self.weight / self.total) if self.total else 1.0

    @property
    def effective_size(self) -> float:
        """Kish's effective sample size."""
        return self.total / self.typical_weight


class Cells(NamedTuple):
    """Both classes, from the highest score down.

    Positives have one cell per corner. Negatives have two, those in the gap above the corner and those tied with it,
    and a last one for the gap below all corners.
    """

    score: FloatArray  # of each corner; of a run of them, the lowest one
    top: FloatArray  # and the highest one
    pos: Part
    neg: Part
    mostly_tied: bool = False  # two rows or more per score; never set for weighted rows

    @property
    def straight(self) -> BoolArray:
        """Which corners are merged runs, along which the ROC curve is taken as straight."""
        return self.top > self.score

    @property
    def atoms(self) -> BoolArray:
        """Which corners are ties so large that the score is taken as discrete there."""
        tied = ((self.pos.rows > 1) | (self.neg.rows[1::2] > 0)) & ~self.straight
        if self.mostly_tied or not tied.any():
            return tied
        return tied & (_moves(self.pos.rows) | _moves(self.neg.rows)[1::2])


# From a curve, and the number of runs per unit of log-odds.
Cut = Callable[[Curve, int], Cells]


def corners(curve: Curve) -> Cells:
    """One corner per distinct score of a positive: all that areas depend on."""
    at = np.flatnonzero(_counted(curve).pos)
    return _cut(curve, at, at)


def every_corner(curve: Curve) -> Cells:
    """One corner per distinct score of a positive, and per score that many negatives share."""
    counted = _counted(curve)
    at = np.flatnonzero((counted.pos > 0) | _noticed(counted.neg, counted.neg_squares))
    return _cut(curve, at, at)


def cells_of(curve: Curve, runs_per_logit: int = RUNS_PER_LOGIT, few: int = _FEW_CORNERS) -> Cells:
    """Cells at the corners. Many corners are merged into runs, along which the ROC curve is taken as straight.

    The error of merging is measured on the curve itself, and draws are shifted by it (see `draws`). What is left is a
    few hundredths of the Monte Carlo error for areas, and about as large as it at thresholds that a limit chooses
    (docs/intervals.md has the figures).
    """
    counted = _counted(curve)
    heavy_pos, heavy_neg = _noticed(counted.pos, counted.pos_squares), _noticed(counted.neg, counted.neg_squares)
    return _in_runs(curve, (counted.pos > 0) | heavy_neg, heavy_pos | heavy_neg, runs_per_logit, few)


def scores_in_runs(curve: Curve, runs_per_logit: int = RUNS_PER_LOGIT, few: int = _FEW_CORNERS) -> Cells:
    """Cells with a corner per distinct score, merged into runs as in `cells_of`.

    Mean losses need them, because they differ between negatives in one gap.
    """
    counted = _counted(curve)
    heavy = _noticed(counted.pos, counted.pos_squares) | _noticed(counted.neg, counted.neg_squares)
    return _in_runs(curve, np.ones(len(curve), np.bool_), heavy, runs_per_logit, few)


def _in_runs(curve: Curve, is_corner: BoolArray, heavy: BoolArray, runs_per_logit: int, few: int) -> Cells:
    counted, at = _counted(curve), np.flatnonzero(is_corner)
    if len(at) <= few:
        return _cut(curve, at, at)
    alone, begins = heavy[at], np.zeros(len(at), np.bool_)
    begins[0] = True
    both = _running(counted.pos), _running(counted.neg)
    for running in both:
        above = np.append(0, running[at + 1]).astype(np.float64)
        crossed, leaps = _crossings(above, float(running[-1]), runs_per_logit)
        begins[crossed[crossed < len(at)]] = True
        n_first = int(np.searchsorted(above[:-1], _SINGLE))
        begins[:n_first] |= np.diff(above[:n_first], prepend=-1.0) > 0
        alone[crossed[leaps] - 1] = True
    begins |= alone
    begins[1:] |= alone[:-1]
    first = np.append(0, 1 + np.flatnonzero(begins[1:]))
    return _cut(curve, at[first], at[np.append(first[1:], len(at)) - 1], both)


def _crossings(above: FloatArray, total: float, runs_per_logit: int) -> tuple[Indices, BoolArray]:
    """Where the log-odds of a rising share pass a multiple of the length of a run, and whether they leap over one.

    Most of many scores pass none, so log-odds are computed only beside the places that such multiples have.
    """

    def place_of(part: FloatArray) -> FloatArray:
        share = _NEARLY_NONE + (1 - 2 * _NEARLY_NONE) * (part / total)
        return np.asarray(scipy.special.logit(share) * runs_per_logit, np.float64)

    lowest, highest = np.floor(place_of(above[[0, -1]]))
    share = scipy.special.expit(np.arange(lowest, highest + 1) / runs_per_logit)
    about = np.searchsorted(above, (share - _NEARLY_NONE) / (1 - 2 * _NEARLY_NONE) * total)
    index = np.unique(about[:, np.newaxis] + np.arange(-1, 2))  # a rounded share may lie on either side
    index = index[(index > 0) & (index < len(above))]
    before, behind = place_of(above[index - 1]), place_of(above[index])
    passed = np.floor(behind) > np.floor(before)
    return index[passed], (behind - before >= 1)[passed]


def every_score(curve: Curve, _: int = RUNS_PER_LOGIT) -> Cells:
    """One corner per distinct score, never merged: a user's own function may read any of them."""
    at = np.arange(len(curve))
    return _cut(curve, at, at)


def between(curve: Curve, thresholds: FloatArray) -> Cells:
    """One cell between each of several falling thresholds and the next: all that metrics at these thresholds need."""
    behind = _behind(curve, thresholds)
    first, last = np.append(0, behind), np.append(behind, len(curve)) - 1
    score = np.append(thresholds, -np.inf)
    return Cells(score, score, *_parts(_counted(curve), _ends(first, last, len(curve))))


def alike(curves: Sequence[Curve], pooled: Curve, cells: Cells) -> list[Cells]:
    """Several curves cut at the boundaries of the pooled curve's cells."""
    above = len(pooled) - np.searchsorted(pooled.score[::-1], cells.top, side="right")
    lowest = np.empty(2 * len(cells.score))  # of the gap above each corner, and of the corner
    lowest[::2], lowest[1::2] = np.append(np.inf, pooled.score)[above], cells.score
    aligned = []
    for curve in curves:
        ends = np.concatenate([[0], _behind(curve, lowest), [len(curve)]])
        ends[1:-1:2][above == 0] = 0  # nothing is above the highest score, even if that is infinite
        aligned.append(Cells(cells.score, cells.top, *_parts(_counted(curve), ends)))
    return aligned


def cell_of(score: FloatArray, cells: Cells) -> Indices:
    """The index of each score's cell: even for gaps, odd for corners and runs."""
    corner = np.searchsorted(-cells.score, -score)
    within = (corner < len(cells.score)) & (score <= np.append(cells.top, np.inf)[corner])
    return np.asarray(2 * corner + within, np.intp)


def is_mostly_tied(curve: Curve) -> bool:
    """Whether there are two rows or more per score; False for weighted rows, whose number is unknown."""
    return not curve.weighted and 2 * len(curve) <= curve.n_pos + curve.n_neg


def _counted(curve: Curve) -> Counted:
    """The counts in the narrow integers that they are stored in."""
    assert isinstance(curve.table, CountTable)  # `check_counted` has seen to that
    curve._check_not_sampled("this interval")
    return curve.table.counted


def _noticed(sums: Counts, squares: Counts | None) -> BoolArray:
    """Which scores are ties large enough to move the rate by a noticeable fraction of its standard deviation."""
    tied = sums > 1 if squares is None else sums * sums > squares  # more than one row
    if not tied.any():
        return tied
    rows = sums.astype(np.float64)
    if squares is not None:
        rows = np.divide(rows * rows, squares, out=np.zeros(len(sums)), where=sums > 0)
    return tied & _moves(rows)


def _moves(rows: FloatArray) -> BoolArray:
    """Which cells have several rows that together move a rate by a noticeable fraction of its standard deviation."""
    above = np.cumsum(rows)
    spread = np.sqrt(above * (above[-1] - above + rows) / above[-1])
    return np.asarray((rows > 1) & (rows >= _NOTICED * spread), np.bool_)


def _behind(curve: Curve, score: FloatArray) -> Indices:
    """The number of distinct scores of a curve at or above each score."""
    return np.asarray(len(curve) - np.searchsorted(curve.score[::-1], score), np.intp)


def _cut(curve: Curve, first: Indices, last: Indices, running: tuple[Counts, Counts] | None = None) -> Cells:
    """Cells at corners that run from a first score to a last one, and between them."""
    parts = _parts(_counted(curve), _ends(first, last, len(curve)), running)
    return Cells(curve.score[last], curve.score[first], *parts, mostly_tied=is_mostly_tied(curve))


def _ends(first: Indices, last: Indices, n_scores: int) -> Indices:
    """The boundaries of the cells: the gap above each corner, the corner, and last the gap below all corners."""
    ends = np.empty(2 * len(first) + 2, np.intp)
    ends[0], ends[1:-1:2], ends[2:-1:2], ends[-1] = 0, first, last + 1, n_scores
    return ends


def _parts(counted: Counted, ends: Indices, running: tuple[Counts, Counts] | None = None) -> tuple[Part, Part]:
    # Positives lie at corners only; a gap holds negatives.
    both = running or (_running(counted.pos), _running(counted.neg))
    pos, neg = _amounts(both[0], ends)[1::2], _amounts(both[1], ends)
    if counted.pos_squares is None or counted.neg_squares is None:
        return Part(pos, np.ones(len(pos))), Part(neg, np.ones(len(neg)))
    squares = [_amounts(_running(column), ends) for column in (counted.pos_squares, counted.neg_squares)]
    return _part(pos, squares[0][1::2]), _part(neg, squares[1])


def _amounts(running: Counts, ends: Indices) -> FloatArray:
    """The sum of a column in each cell, from its cumulative sums."""
    return np.diff(running[ends]).astype(np.float64)


def _running(column: Counts) -> Counts:
    """Cumulative sums that begin with 0: exact for counts, in long doubles for weights."""
    exact = np.int64 if column.dtype.kind != "f" else np.longdouble
    running = np.zeros(len(column) + 1, exact)
    np.cumsum(column, dtype=exact, out=running[1:])
    return running


def _part(sums: FloatArray, squares: FloatArray) -> Part:
    used = sums > 0
    weight = np.divide(squares, sums, out=np.ones(len(sums)), where=used)
    return Part(np.divide(sums, weight, out=np.zeros(len(sums)), where=used), weight)
