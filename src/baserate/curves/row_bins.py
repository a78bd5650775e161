"""Bins of unsorted rows.

Sums are computed exactly and rounded once, so the order of rows does not matter.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import native
from baserate.arrays import BoolArray, CountArray, FloatArray
from baserate.curves.rows import ScoredRows

# Fewer rows are sorted in no time. Then a metric has the same value to the last digit however its curve was made. Of
# more rows, exact sums and those of counts may differ in the last digit.
MANY_ROWS = 100_000

# Each bin has two whole numbers per exponent.
MOST_BINS_OF_ROWS = 256
_EXPONENTS = 1024

# A float from 0 to 1 is a whole number of these: 2**-1075.
_UNITS = 1075
_ONE = 1 << _UNITS

_Sums = npt.NDArray[np.uint64]


def are_many(rows: ScoredRows) -> bool:
    """Whether rows are so many that sorting should be avoided, and the kernel is available."""
    return native.kernel is not None and len(rows.pos) + len(rows.neg) >= MANY_ROWS


class BinEdges(NamedTuple):
    """The edges between bins; a score on an edge belongs to the bin below it if `right`, else to the one above."""

    inner: FloatArray
    right: bool


class OfClass(NamedTuple):
    """The rows of one class in each bin."""

    n: CountArray
    total: list[int]  # of scores, in units
    ends: FloatArray  # the lowest and the highest score; nan without rows
    met: BoolArray  # which of the special scores there are


@dataclass(frozen=True, eq=False)
class RowBins:
    """Rows in bins; bins may be empty."""

    rows: ScoredRows
    cut: BinEdges
    pos: OfClass
    neg: OfClass

    @property
    def lowest(self) -> FloatArray:
        """The lowest score in each bin."""
        return np.fmin(self.pos.ends[:, 0], self.neg.ends[:, 0])

    @property
    def highest(self) -> FloatArray:
        """The highest score in each bin."""
        return np.fmax(self.pos.ends[:, 1], self.neg.ends[:, 1])

    @property
    def score_pos(self) -> FloatArray:
        """The sum of the scores of positives."""
        return _floats(self.pos.total)

    @property
    def score_neg(self) -> FloatArray:
        """The sum of the scores of negatives."""
        return _floats(self.neg.total)

    @cached_property
    def rest_pos(self) -> FloatArray:
        """The sum of 1 - score over the positives in each bin."""
        return _floats([int(n) * _ONE - total for n, total in zip(self.pos.n, self.pos.total, strict=True)])

    def squares(self) -> tuple[FloatArray, FloatArray]:
        """Sums of squares of 1 - score (positives) and of score (negatives), relative to the largest in each bin."""
        lacks = _squares(self.rows.pos, self.cut, 1 - self.lowest, lacking=True)
        return lacks, _squares(self.rows.neg, self.cut, self.highest, lacking=False)


def bin_rows(rows: ScoredRows, cut: BinEdges, special: FloatArray) -> RowBins:
    """Put rows into bins, and note which of the 32-bit floats next to the edges occur as scores."""
    return RowBins(rows, cut, _of_class(rows.pos, cut, special), _of_class(rows.neg, cut, special))


def sums_of_squares(rows: ScoredRows) -> tuple[float, float]:
    """Sums of squares of 1 − score over positives and of score over negatives."""
    everything = BinEdges(np.zeros(0), right=True)
    lacks = _squares(rows.pos, everything, np.ones(1), lacking=True)
    return float(lacks[0]), float(_squares(rows.neg, everything, np.ones(1), lacking=False)[0])


def _of_class(scores: FloatArray, cut: BinEdges, special: FloatArray) -> OfClass:
    n_bins = len(cut.inner) + 1
    sums, n = np.zeros((n_bins, _EXPONENTS, 2), np.uint64), np.zeros(n_bins, np.int64)
    ends, met = np.full((n_bins, 2), np.nan), np.zeros(len(special), np.uint8)
    native.loaded().bin_sums(scores, cut.inner, special, sums.ravel(), n, ends.ravel(), met, cut.right)
    return OfClass(n, _totals(sums), ends, met.astype(np.bool_))


def _squares(scores: FloatArray, cut: BinEdges, farthest: FloatArray, *, lacking: bool) -> FloatArray:
    """Sums of ``(error / farthest)**2``, computed in units that are powers of two, so that nothing is rounded."""
    far = np.where(farthest > 0, farthest, 1.0)
    units = np.ldexp(1.0, np.minimum(-np.frexp(far)[1], 1022))
    sums = np.zeros((len(far), _EXPONENTS, 2), np.uint64)
    native.loaded().bin_squares(scores, cut.inner, units, sums.ravel(), cut.right, lacking)
    squares: FloatArray = _floats(_totals(sums)) / (far * units) ** 2
    return squares


def _totals(sums: _Sums) -> list[int]:
    """The sum of each bin, in these units."""
    totals = [0] * len(sums)
    for place, exponent in zip(*np.nonzero(sums.any(axis=-1)), strict=True):
        low, high = sums[place, exponent].tolist()
        totals[place] += (low + (high << 32)) << max(int(exponent), 1)
    return totals


def _floats(totals: list[int]) -> FloatArray:
    return np.array([total / _ONE for total in totals], np.float64)
