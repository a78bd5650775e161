"""Ranges of scores to read again, with bucket boundaries as ends."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.ingest.groups import GroupedCounts, ScoreRange

# Ranges in the condition of one query. To compare every row with one more costs an engine as much as to group a tenth
# of them, so there are few; where there is not enough room for all that lies between, there may be many.
FEW_RANGES = 2
MANY_RANGES = 32


class Axis(NamedTuple):
    """The buckets of all groups together, lowest first: their lowest and highest scores, and their rows."""

    low: FloatArray
    high: FloatArray
    rows: FloatArray
    place: Indices  # the bucket of each cell

    @classmethod
    def of(cls, cells: GroupedCounts) -> "Axis":
        """All cells of a bucket as one."""
        order = np.argsort(cells.low)
        bits, bucket = cells.bits[order], cells.bucket[order]
        new = np.append(True, (bits[1:] != bits[:-1]) | (bucket[1:] != bucket[:-1]))
        first, place = np.flatnonzero(new), np.empty(len(order), np.intp)
        place[order] = np.cumsum(new) - 1
        rows, high = np.add.reduceat(cells.rows[order], first), np.maximum.reduceat(cells.high[order], first)
        return cls(cells.low[order][first], high, rows, place)


@dataclass(frozen=True)
class Stretches:
    """Which neighbouring buckets to look at again."""

    axis: Axis
    again: BoolArray

    @classmethod
    def covering(cls, axis: Axis, curves: list[Curve], blurred: list[BoolArray], most: int) -> "Stretches":
        """The buckets in which any of the curves has blurred entries; some between them, too."""
        marks = np.zeros(len(axis.low) + 1, np.intp)
        for curve, entries in zip(curves, blurred, strict=True):
            if entries.any():
                np.add.at(marks, _bucket_at(axis.low, curve.score[entries]), 1)
                np.add.at(marks, _bucket_at(axis.low, curve.top[entries]) + 1, -1)
        return cls(axis, _with_small_gaps_filled(np.cumsum(marks)[:-1] > 0, axis.rows, most))

    @property
    def cells(self) -> BoolArray:
        """Which cells are in a stretch to read again."""
        return self.again[self.axis.place]

    def ranges(self) -> list[ScoreRange]:
        """The lowest and highest score of each stretch to read again."""
        first, last = _runs(self.again)
        return list(zip(self.axis.low[first].tolist(), self.axis.high[last].tolist(), strict=True))


def _bucket_at(low: FloatArray, score: FloatArray) -> Indices:
    return np.searchsorted(low, score, side="right") - 1


def _runs(marked: BoolArray) -> tuple[Indices, Indices]:
    """The first and last index of each run of marked entries."""
    edges = np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1


def _with_small_gaps_filled(marked: BoolArray, rows: FloatArray, most: int) -> BoolArray:
    """Limit the number of runs to what a query can name, by including the gaps with the fewest rows."""
    first, last = _runs(marked)
    if len(first) <= most:
        return marked
    above = np.append(0.0, np.cumsum(rows))
    in_gap = above[first[1:]] - above[last[:-1] + 1]
    filled = marked.copy()
    for gap in np.argsort(in_gap)[: len(first) - most]:
        filled[last[gap] + 1 : first[gap + 1]] = True
    return filled
