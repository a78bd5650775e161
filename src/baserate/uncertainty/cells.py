"""A curve cut into cells: rows that a question cannot tell apart, and that resampling may therefore fill as one.

Resampling rows within each class is a multinomial over cells, exactly. An area sees only the corners of a curve, so
its cells are the corners and the gaps between them, however many negatives lie in a gap.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.curve.curve import Curve


class Part(NamedTuple):
    """The cells of one class."""

    rows: FloatArray  # rows in each cell; of weighted rows, the number of equal ones that are worth as much
    weight: FloatArray  # the weight of one of them

    @property
    def total(self) -> float:
        """The weight of all."""
        return float(self.rows @ self.weight)

    @property
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

    @property
    def atoms(self) -> BoolArray:
        """Corners where rows share a score: there the score is discrete, elsewhere it may be continuous."""
        return (self.pos.rows > 1) | (self.neg.rows[1::2] > 0)


def corners(curve: Curve) -> Cells:
    """One corner per distinct positive score: all that areas, and points chosen by recall, can see."""
    return _cut(curve, np.flatnonzero(curve.pos > 0))


def thresholds(curve: Curve) -> Cells:
    """One corner per distinct score: every threshold there is."""
    return _cut(curve, np.arange(len(curve)))


def corners_and(curve: Curve, threshold: float) -> Cells:
    """The corners and one threshold that was given beforehand."""
    at = np.flatnonzero(curve.pos > 0)
    row = len(curve) - int(np.searchsorted(curve.score[::-1], threshold)) - 1
    return _cut(curve, np.union1d(at, [row] if row >= 0 else []).astype(np.intp))


def _cut(curve: Curve, at: Indices) -> Cells:
    pos_squares = curve.pos_squares[at].astype(np.float64) if curve.weighted else None
    neg_squares = _gaps_and_ties(curve.neg_squares, at) if curve.weighted else None
    pos, neg = _part(curve.pos[at], pos_squares), _part(_gaps_and_ties(curve.neg, at), neg_squares)
    return Cells(curve.score[at], pos, neg)


def _gaps_and_ties(amounts: Counts, at: Indices) -> FloatArray:
    """Amounts in the gap above each corner and tied with it, alternately, and last those below all corners."""
    running = np.concatenate([np.zeros(1, np.longdouble), np.cumsum(amounts, dtype=np.longdouble)])
    ends = np.empty(2 * len(at) + 2, np.intp)
    ends[0], ends[1:-1:2], ends[2:-1:2], ends[-1] = 0, at, at + 1, len(amounts)
    return np.diff(running[ends]).astype(np.float64)


def _part(amounts: Counts, squares: FloatArray | None) -> Part:
    sums = amounts.astype(np.float64)
    if squares is None:
        return Part(sums, np.ones(len(sums)))
    used = sums > 0
    weight = np.divide(squares, sums, out=np.ones(len(sums)), where=used)
    return Part(np.divide(sums, weight, out=np.zeros(len(sums)), where=used), weight)
