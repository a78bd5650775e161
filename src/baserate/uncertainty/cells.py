"""A curve cut into cells: rows that a question cannot tell apart, and that resampling may therefore fill as one.

Resampling rows within each class is a multinomial over cells, exactly. An area sees only the corners of a curve, so
its cells are the corners and the gaps between them, however many negatives lie in a gap.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.curves.curve import Curve

# Twice as many corners are all kept as they are. Of more, areas keep so many, and cut the others into so many runs.
_SINGLE_CORNERS = 8192

# Runs for a search for the best threshold, to a unit of log odds: each has a thousandth of what is above it, or below.
_RUNS_PER_LOGIT = 1000

_NEARLY_NONE = 1e-12  # a share with finite log odds


@dataclass(frozen=True, eq=False)
class Part:
    """The cells of one class."""

    rows: FloatArray  # rows in each cell; of weighted rows, the number of equal ones that are worth as much
    weight: FloatArray  # the weight of one of them

    @cached_property
    def total(self) -> float:
        """The weight of all."""
        return float(self.rows @ self.weight)

    @cached_property
    def typical_weight(self) -> float:
        """The weight of a row where heavy rows count for more: the sum of squares over the sum."""
        return float((self.rows * self.weight) @ self.weight / self.total) if self.total else 1.0

    @property
    def effective_size(self) -> float:
        """How many rows of equal weight all are worth: Kish's effective size."""
        return self.total / self.typical_weight


class Cells(NamedTuple):
    """Both classes, from the highest score down.

    Positives have one cell per corner. Negatives have two, those in the gap above the corner and those tied with it,
    and a last one for the gap below all corners.
    """

    score: FloatArray  # of each corner
    pos: Part
    neg: Part
    straight: BoolArray  # corners that stand for a run of corners, between which the ROC curve is taken as straight

    @property
    def atoms(self) -> BoolArray:
        """Corners where rows share a score: there the score is discrete, elsewhere it may be continuous."""
        return ((self.pos.rows > 1) | (self.neg.rows[1::2] > 0)) & ~self.straight


def is_mostly_tied(curve: Curve) -> bool:
    """Whether there are two rows or more to a score; of weighted rows that is not known, and not assumed."""
    return not curve.weighted and 2 * len(curve) <= curve.n_pos + curve.n_neg


def corners(curve: Curve, sides: Indices | None = None) -> Cells:
    """One corner per distinct positive score: all that points chosen by recall can see.

    Of more corners than are drawn in no time, those between the first and the last on one side of a limit stand as one.
    `sides` has a number for each score, 0 if it may come to be on either side.
    """
    return _by_side(curve, np.flatnonzero(curve.pos > 0), sides)


def thresholds(curve: Curve, sides: Indices | None = None) -> Cells:
    """One corner per distinct score: every threshold there is, unless they are so many; then as for `corners`."""
    return _by_side(curve, np.arange(len(curve)), sides)


def corners_for_areas(curve: Curve) -> Cells:
    """The corners, all that areas can see; beyond a number of them, runs of corners stand as one.

    The highest ones, where a false positive weighs most, stay as they are, and so does one that would fill a run by
    itself. Along a run the ROC curve is taken as straight, which moves an area of precision by less than the largest
    share of positives in a run (below 1/4,096) times the fall of precision along all runs, and moves it alike in all
    draws.
    """
    at = np.flatnonzero(curve.pos > 0)
    if len(at) <= 2 * _SINGLE_CORNERS:
        return _cut(curve, at)
    pos, neg = (share * _SINGLE_CORNERS for share in _shares_above(curve, at))
    begins = _another_whole(pos) | _around(_fills_a_whole(pos) | _fills_a_whole(neg))
    begins[: _SINGLE_CORNERS + 1] = True
    return _in_runs(curve, at, begins)


def corners_for_the_best(curve: Curve, threshold: float | None) -> Cells:
    """The corners, for a search for the best of them, which on this curve ended at a threshold.

    Beyond a number of them, runs stand as one, and only their ends are looked at. No run is worth mentioning beside
    what is above it and what is below it, or goes beyond the threshold, so the best of the ends is as good as the best
    of all up to a small part of what chance does.
    """
    at = np.flatnonzero(curve.pos > 0)
    if len(at) <= 2 * _SINGLE_CORNERS:
        return _cut(curve, at)
    pos, neg = (
        scipy.special.logit(np.clip(share, _NEARLY_NONE, 1 - _NEARLY_NONE)) * _RUNS_PER_LOGIT
        for share in _shares_above(curve, at)
    )
    alone = _fills_a_whole(pos) | _fills_a_whole(neg)
    if threshold is not None:
        alone |= curve.score[at] == threshold
    begins = _another_whole(pos) | _another_whole(neg) | _around(alone)
    return _in_runs(curve, at, begins)


def either_side(curve: Curve, threshold: float) -> Cells:
    """What is at a threshold that was given beforehand or above it, and what is below: all that its metrics can see."""
    behind = len(curve) - int(np.searchsorted(curve.score[::-1], threshold))
    cells = _cut(curve, np.array([0, behind]), np.array([behind, len(curve)]) - 1)
    return cells._replace(score=np.array([threshold, -np.inf]))


# --- runs of corners ------------------------------------------------------------------------------


def _by_side(curve: Curve, at: Indices, sides: Indices | None) -> Cells:
    if sides is None or len(at) <= 2 * _SINGLE_CORNERS:
        return _cut(curve, at)
    side = sides[at]
    alone, changes = side == 0, np.diff(side) != 0
    alone[1:] |= changes
    alone[:-1] |= changes
    return _in_runs(curve, at, _around(alone))


def _in_runs(curve: Curve, at: Indices, begins: BoolArray) -> Cells:
    """Cells of runs of corners, by which corners begin one."""
    first = np.append(0, 1 + np.flatnonzero(begins[1:]))
    return _cut(curve, at[first], at[np.append(first[1:], len(at)) - 1])


def _shares_above(curve: Curve, at: Indices) -> tuple[FloatArray, FloatArray]:
    """The share of each class above all corners, which is none, and down to each one."""
    return np.append(0.0, curve.tpr[at]), np.append(0.0, curve.fpr[at])


def _another_whole(place: FloatArray) -> BoolArray:
    """Corners above which another whole number has been reached than above the one before."""
    return np.diff(np.floor(place[:-1]), prepend=-np.inf) > 0


def _fills_a_whole(place: FloatArray) -> BoolArray:
    """Corners that take up as much as the way from one whole number to the next."""
    return np.diff(place) >= 1


def _around(alone: BoolArray) -> BoolArray:
    """Corners that begin a run, if these are to have one each: they, and those behind them."""
    begins = alone.copy()
    begins[1:] |= alone[:-1]
    return begins


def _cut(curve: Curve, first: Indices, last: Indices | None = None) -> Cells:
    """Cells between corners, each of which goes from a first row to a last one."""
    last = first if last is None else last
    # Positives lie at corners only; what is in a gap is nothing but negatives.
    pos, neg = _amounts(curve.pos, first, last)[1::2], _amounts(curve.neg, first, last)
    pos_squares = neg_squares = None
    if curve.weighted:
        pos_squares = _amounts(curve.pos_squares, first, last)[1::2]
        neg_squares = _amounts(curve.neg_squares, first, last)
    return Cells(curve.score[last].copy(), _part(pos, pos_squares), _part(neg, neg_squares), first < last)


def _amounts(column: Counts, first: Indices, last: Indices) -> FloatArray:
    """What is in the gap above each corner and at the corner, alternately, and last what is below all corners."""
    running = np.concatenate([np.zeros(1, np.longdouble), np.cumsum(column, dtype=np.longdouble)])
    ends = np.empty(2 * len(first) + 2, np.intp)
    ends[0], ends[1:-1:2], ends[2:-1:2], ends[-1] = 0, first, last + 1, len(column)
    return np.diff(running[ends]).astype(np.float64)


def _part(amounts: Counts, squares: FloatArray | None) -> Part:
    sums = amounts.astype(np.float64)
    if squares is None:
        return Part(sums, np.ones(len(sums)))
    used = sums > 0
    weight = np.divide(squares, sums, out=np.ones(len(sums)), where=used)
    return Part(np.divide(sums, weight, out=np.zeros(len(sums)), where=used), weight)
