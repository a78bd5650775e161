"""The content of a curve without its prevalence, and what is computed from it once."""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from baserate import native
from baserate.arrays import BoolArray, Counts, FloatArray
from baserate.curves import rows
from baserate.curves.counting import Counted, check_totals
from baserate.curves.rows import ScoredRows
from baserate.formulas import areas
from baserate.formulas.pointwise import Confusion
from baserate.formulas.steps import Steps, merge_vertical


class ThresholdTable(ABC):
    """Cumulative counts along the thresholds, highest first.

    Curves of counts and curves of rates differ only here: a curve of rates has one positive and one negative in total.
    """

    total_pos: float
    total_neg: float

    @property
    def score(self) -> FloatArray | None:
        """The thresholds, if they are scores."""
        return None

    @abstractmethod
    def cumulative(self) -> tuple[Counts, Counts]:
        """Positives and negatives at each threshold or above."""

    @abstractmethod
    def remaining(self) -> tuple[Counts, Counts]:
        """Positives and negatives below each threshold, without subtractions that would round."""

    @abstractmethod
    def steps_from(self) -> Steps:
        """Compute the corners."""

    @cached_property
    def steps(self) -> Steps:
        """The corners: one row per distinct positive score."""
        return self.steps_from()

    @cached_property
    def merged_steps(self) -> Steps:
        """The corners without those inside a vertical piece of the ROC curve."""
        return merge_vertical(self.steps)

    @property
    def whole_steps(self) -> Steps | None:
        """The corners, if each has a whole number of positives and average precision is their step sum; else None."""
        return None

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """The step sum over the corners with recall in [low, high], for each x."""
        return areas.average_precision(self.steps, x, low, high, deficit=deficit)

    def auc_pr(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """The interpolated area, for each x."""
        return areas.auc_pr(self.merged_steps, x, low, high, deficit=deficit)

    @abstractmethod
    def __len__(self) -> int:
        """Number of thresholds."""

    @abstractmethod
    def confusion_at(self, row: int) -> Confusion[float]:
        """The confusion matrix at one threshold; row -1 is above all of them."""

    def confusion(self) -> Confusion[FloatArray]:
        """The confusion matrix at each threshold."""
        tp, fp = self.cumulative()
        fn, tn = self.remaining()
        return Confusion(*(cell.astype(np.float64) for cell in (tp, fn, fp, tn)))


class CountTable(ThresholdTable):
    """Counts by distinct score."""

    def __init__(self, counted: Counted) -> None:
        check_totals(counted)
        self.counted = counted
        _freeze(*counted)
        self.total_pos = _total(counted.pos)
        self.total_neg = _total(counted.neg)

    @property
    def score(self) -> FloatArray:
        """The distinct scores."""
        return self.counted.score

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest score; None without rows."""
        score, top = self.counted.score, self.counted.top
        return (float(score[-1]), float((score if top is None else top)[0])) if len(score) else None

    def cumulative(self) -> tuple[Counts, Counts]:
        """Cumulative sums of the counts, from the highest score down."""
        return _running(self.counted.pos), _running(self.counted.neg)

    def remaining(self) -> tuple[Counts, Counts]:
        """Cumulative sums of the counts below each threshold."""
        return _running_below(self.counted.pos), _running_below(self.counted.neg)

    def steps_from(self) -> Steps:
        """The corners: the entries that have positives."""
        at = np.flatnonzero(self.counted.pos)
        pos, neg = self.counted.pos[at], self.counted.neg[at]
        fp = _running(self.counted.neg)[at]
        return Steps(_running(pos), fp, pos, neg, self.total_pos, self.total_neg)

    def __len__(self) -> int:
        return len(self.counted.score)

    def confusion_at(self, row: int) -> Confusion[float]:
        """The counts down to the row, and the remaining counts of each class."""
        above, below = slice(row + 1), slice(row + 1, None)
        cells = (column[part] for column in (self.counted.pos, self.counted.neg) for part in (above, below))
        return Confusion(*(float(_total(cell)) for cell in cells))

    @property
    def whole_steps(self) -> Steps | None:
        """The corners; None for weighted rows, which have no numbers of cases."""
        return None if self.weighted else self.steps

    @property
    def weighted(self) -> bool:
        """True if rows had weights, so that totals are not numbers of cases."""
        return self.counted.pos_squares is not None

    @property
    def bucketed(self) -> bool:
        """True if some entries are buckets."""
        return self.counted.top is not None

    @property
    def buckets(self) -> BoolArray:
        """Which entries are buckets of several scores."""
        top = self.counted.top
        return np.zeros(len(self), np.bool_) if top is None else top > self.score


class RowTable(CountTable):
    """Rows that are counted when their order is first needed."""

    def __init__(self, scored: ScoredRows) -> None:
        _freeze(scored.pos, scored.neg)
        self.rows = scored
        self.total_pos, self.total_neg = len(scored.pos), len(scored.neg)

    @cached_property
    def counted(self) -> Counted:  # type: ignore[override]  # nobody sets it
        """Counts by distinct score. The rows are kept, so that results do not depend on the order of calls."""
        counted = rows.count_split(self.rows)
        _freeze(*counted)
        return counted

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest score."""
        classes = [scores for scores in self.rows[:2] if len(scores)]
        return (float(min(map(np.min, classes))), float(max(map(np.max, classes)))) if classes else None

    def steps_from(self) -> Steps:
        """The corners, without counting all rows."""
        if native.kernel is None or "counted" in self.__dict__:
            return super().steps_from()
        if rows.are_rare(self.rows):
            return rows.corners_of_rare(self.rows)
        self.rows = rows.sort(self.rows)
        return rows.corners_of_sorted(self.rows)

    @property
    def weighted(self) -> bool:
        """False: weighted rows are counted at once."""
        return False

    @property
    def bucketed(self) -> bool:
        """False: each row has its score."""
        return False


class RateTable(ThresholdTable):
    """Points of a ROC curve up to (1, 1), without the first point (0, 0)."""

    total_pos = total_neg = 1.0

    def __init__(self, tpr: FloatArray, fpr: FloatArray) -> None:
        if len(tpr) == 0 or tpr[-1] < 1 or fpr[-1] < 1:
            tpr, fpr = np.append(tpr, 1.0), np.append(fpr, 1.0)
        moved = (tpr > 0) | (fpr > 0)
        self.tpr, self.fpr = tpr[moved], fpr[moved]
        _freeze(self.tpr, self.fpr)

    def cumulative(self) -> tuple[Counts, Counts]:
        """The rates themselves."""
        return self.tpr, self.fpr

    def remaining(self) -> tuple[Counts, Counts]:
        """The complements of the rates."""
        return 1 - self.tpr, 1 - self.fpr

    def steps_from(self) -> Steps:
        """The corners: the points at which TPR rises."""
        pos, neg = np.diff(self.tpr, prepend=0.0), np.diff(self.fpr, prepend=0.0)
        at = pos > 0
        return Steps(self.tpr[at], self.fpr[at], pos[at], neg[at], 1.0, 1.0)

    def __len__(self) -> int:
        return len(self.tpr)

    def confusion_at(self, row: int) -> Confusion[float]:
        """The rates at the row and their complements."""
        tpr, fpr = (float(self.tpr[row]), float(self.fpr[row])) if row >= 0 else (0.0, 0.0)
        return Confusion(tpr, 1 - tpr, fpr, 1 - fpr)


def _freeze(*columns: Counts | None) -> None:
    for column in columns:
        if column is not None:
            column.setflags(write=False)


def _total(counts: Counts) -> float:
    if counts.dtype.kind != "f":
        return int(counts.sum(dtype=np.int64))
    return float(_running(counts)[-1]) if len(counts) else 0.0


def _running_below(counts: Counts) -> Counts:
    """The sum of all entries after each entry."""
    return np.append(_running(counts[:0:-1])[::-1], 0)[: len(counts)]


def _running(counts: Counts) -> Counts:
    """Cumulative sums: exact for whole numbers, in long doubles for weights."""
    if counts.dtype.kind != "f":
        return np.cumsum(counts, dtype=np.int64)
    return np.cumsum(counts, dtype=np.longdouble).astype(np.float64)
