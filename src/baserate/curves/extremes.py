"""The best and the worst order of rows that the buckets of a curve allow.

Within a bucket the order of the rows is lost. Whatever it was, the ROC curve runs between two staircases: all
positives of the bucket above all its negatives, and the reverse. An area lies between the areas of the two, and
average precision too if the positives are tied in the best case and all apart in the worst.
"""

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.curves.counting import Counted
from baserate.curves.table import CountTable
from baserate.formulas import areas
from baserate.formulas.choosing import ROUNDING
from baserate.formulas.steps import Steps


def best_order(table: CountTable, *, high: float = 1.0) -> CountTable:
    """Positives first in every bucket, as one tie, which is split where it passes the recall `high`."""
    counted = table.counted
    mixed = table.buckets & (counted.pos > 0) & (counted.neg > 0)
    entry, second = _split(mixed)
    pos = np.where(second, 0, counted.pos[entry])
    neg = np.where(mixed[entry] & ~second, 0, counted.neg[entry])
    score = counted.score[entry]
    if high < 1:
        return _with_corner_at(score, pos, neg, table.buckets[entry], high)
    return CountTable(Counted(score, pos, neg))


class WorstOrder(CountTable):
    """Negatives first in every bucket, followed by positives without ties."""

    def __init__(self, table: CountTable) -> None:
        counted = table.counted
        mixed = table.buckets & (counted.pos > 0) & (counted.neg > 0)
        entry, second = _split(mixed)
        pos = np.where(mixed[entry] & ~second, 0, counted.pos[entry])
        neg = np.where(second, 0, counted.neg[entry])
        super().__init__(Counted(counted.score[entry], pos, neg))
        self._apart = table.buckets[entry][pos > 0]

    @property
    def whole_steps(self) -> Steps | None:
        """None, because the positives of a corner are not tied."""
        return None

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """A lower bound of average precision if no positives are tied.

        The i-th positive adds ``i / (i + a)``, which is concave in i and so at least its mean from ``i - 1/2`` to ``i +
        1/2``. So the integral is a lower bound of the sum, and a close one. For weighted rows the integral over the
        total weight is.
        """
        tied = areas.average_precision(self._some_steps(~self._apart), x, low, high, deficit=deficit)
        apart = self._some_steps(self._apart)
        if (low, high) == (0.0, 1.0) and apart.tp.dtype.kind != "f":
            apart = apart._replace(tp=apart.tp + 0.5)
        return tied + areas.auc_pr(apart, x, low, high, deficit=deficit)

    def _some_steps(self, rows: BoolArray) -> Steps:
        return self.steps.each(lambda column: column[rows])


def blur(table: CountTable, x: FloatArray) -> FloatArray:
    """The width of the bounds of average precision, for each x."""
    if not table.buckets.any() or not (table.total_pos and table.total_neg):
        return np.zeros(len(x))
    return best_order(table).average_precision(x, 0.0, 1.0) - WorstOrder(table).average_precision(x, 0.0, 1.0)


def _split(mixed: BoolArray) -> tuple[Indices, BoolArray]:
    """The entry that each row of the split table comes from, and whether it is the second half of it."""
    entry = np.repeat(np.arange(len(mixed)), 1 + mixed)
    second = np.zeros(len(entry), np.bool_)
    second[1:] = entry[1:] == entry[:-1]
    return entry, second


def _with_corner_at(score: FloatArray, pos: Counts, neg: Counts, buckets: BoolArray, recall: float) -> CountTable:
    """A table of these counts, with a corner at `recall`: the bucket that passes it is split there."""
    above = np.cumsum(pos)
    total = float(above[-1])
    reached = recall * total
    if pos.dtype.kind != "f":
        reached = np.floor(reached * (1 + ROUNDING))
        reached -= reached / total > recall
    k = int(np.searchsorted(above, reached, side="right"))
    part = reached - float(above[k] - pos[k])
    if part <= 0 or not buckets[k]:
        return CountTable(Counted(score, pos, neg))
    halves = np.array([part, pos[k] - part]).astype(pos.dtype)
    cut = (np.insert(score, k, score[k]), np.concatenate([pos[:k], halves, pos[k + 1 :]]), np.insert(neg, k, 0))
    return CountTable(Counted(*cut))
