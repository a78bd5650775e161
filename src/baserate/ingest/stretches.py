"""Ranges of scores to read again, with bucket boundaries as ends."""

from dataclasses import dataclass

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.ingest.groups import GroupedCounts, Range

# Ranges in the condition of one query. To compare every row with one more costs an engine as much as to group a tenth
# of them, so there are few; where there is not enough room for all that lies between, there may be many.
FEW_RANGES = 2
MANY_RANGES = 32


@dataclass(frozen=True)
class Stretches:
    """Neighbouring buckets over all groups, lowest first, and which of them to read again."""

    low: FloatArray
    high: FloatArray
    again: BoolArray

    @classmethod
    def covering(cls, cells: GroupedCounts, curves: list[Curve], blurred: list[BoolArray], most: int) -> "Stretches":
        """Stretches that cover the marked buckets of all curves, and possibly some between them."""
        order = np.argsort(cells.low, kind="stable")
        bits, bucket = cells.bits[order], cells.bucket[order]
        first = np.flatnonzero(np.append(True, (bits[1:] != bits[:-1]) | (bucket[1:] != bucket[:-1])))
        low, rows = cells.low[order][first], np.add.reduceat(cells.rows[order], first)
        high = np.maximum.reduceat(cells.high[order], first)
        marks = np.zeros(len(low) + 1, np.intp)
        for curve, entries in zip(curves, blurred, strict=True):
            np.add.at(marks, _bucket_at(low, curve.score[entries]), 1)
            np.add.at(marks, _bucket_at(low, curve.top[entries]) + 1, -1)
        return cls(low, high, _with_small_gaps_filled(np.cumsum(marks)[:-1] > 0, rows, most))

    def contains(self, cells: GroupedCounts) -> BoolArray:
        """Which cells are in a stretch to read again."""
        return self.again[_bucket_at(self.low, cells.low)]

    def ranges(self) -> list[Range]:
        """The lowest and highest score of each stretch to read again."""
        first, last = _runs(self.again)
        return list(zip(self.low[first].tolist(), self.high[last].tolist(), strict=True))


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
