"""Laws of the mass that a drawn population has in each cell, given the rows observed there."""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import scipy

from baserate.arrays import Counts, FloatArray, Indices
from baserate.formulas.poisson import looked_up, poisson_tables
from baserate.uncertainty.cells import Part

_FEW_ROWS = 4  # in a cell

# Cells whose counts are looked up: those with so few rows, up to this share of all rows, if they are many.
_SMALL, _IN_SMALL, _MANY_CELLS = 512, 0.25, 64
_AT_A_TIME, _NUMBERS = 128, 2**16  # draws, and numbers in them

HALF_A_ROW = 0.5  # free in each class

Draw = Callable[[int, np.random.Generator], FloatArray]  # as many draws, one row of cells each
CellLaw = Callable[[Part], Draw]


def multinomial(part: Part) -> Draw:
    """Draw as many rows with replacement, counted by cell: the bootstrap."""
    used = np.flatnonzero(part.rows)
    counts = _counts_of(part.rows[used].astype(np.int64))

    def draw(size: int, rng: np.random.Generator) -> FloatArray:
        drawn = np.zeros((size, len(part.rows)))
        drawn[:, used] = counts(size, rng)
        return drawn

    return draw


def _counts_of(rows: Counts) -> Callable[[int, np.random.Generator], Counts]:
    """What draws the counts of cells with so many rows, in the quickest way."""
    n_rows, n_cells = int(rows.sum()), len(rows)
    if n_rows <= _FEW_ROWS * n_cells:  # with few rows per cell, drawing each row is quicker than each count
        cell_of = np.repeat(np.arange(n_cells), rows)
        return lambda size, rng: _tally(cell_of[rng.integers(n_rows, size=(size, n_rows))], n_cells)
    in_order = np.argsort(rows, kind="stable")
    total = np.cumsum(rows[in_order])
    n_small = int(np.count_nonzero((total <= _IN_SMALL * n_rows) & (rows[in_order] <= _SMALL)))
    if n_small >= _MANY_CELLS:
        return _ByPoisson(rows, in_order[:n_small], in_order[n_small:])
    return lambda size, rng: rng.multinomial(n_rows, rows / n_rows, size=size)


def _tally(cells: Indices, n_cells: int) -> Counts:
    """The count of each cell in each row."""
    places = cells + np.arange(0, len(cells) * n_cells, n_cells)[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=len(cells) * n_cells).reshape(len(cells), n_cells)


class _ByPoisson:
    """Counts of rows drawn with replacement, for many cells with many rows.

    Independent Poisson counts are multinomial, given their total. So the small cells, which are most of them, get
    Poisson counts, looked up in tables. The other cells share the rows that are left, and the draw is kept with the
    probability that independent counts of theirs have this sum, over its maximum.
    """

    def __init__(self, rows: Counts, small: Indices, large: Indices) -> None:
        self._small, self._large, self._n_rows = small, large, int(rows.sum())
        self._left = float(rows[large].sum())  # rows of the other cells, on average
        self._shares = rows[large] / self._left
        means, self._table_of = np.unique(rows[small], return_inverse=True)
        self._tables = poisson_tables(means.astype(np.float64))
        # Not by how many draws are asked for, on which no draw may depend.
        self._at_a_time = max(1, min(_AT_A_TIME, _NUMBERS // len(small)))
        self._rng: np.random.Generator | None = None
        self._kept: Counts = np.zeros((0, len(rows)), np.int64)

    def __call__(self, size: int, rng: np.random.Generator) -> Counts:
        """As many draws; those that were kept beyond them are the next ones of the same random stream."""
        if rng is not self._rng:
            self._rng, self._kept = rng, self._kept[:0]
        kept = [self._kept]
        while sum(map(len, kept)) < size:
            kept.append(self._some(rng))
        drawn = np.concatenate(kept)
        self._kept = drawn[size:]
        return drawn[:size]

    def _some(self, rng: np.random.Generator) -> Counts:
        """The draws that are kept, of a few."""
        uniform = rng.random((len(self._small), self._at_a_time))
        small = looked_up(uniform, self._table_of, self._tables)
        left = self._n_rows - small.sum(axis=0)
        log_gamma = scipy.special.gammaln
        log_share = (left - self._left) * np.log(self._left) + log_gamma(self._left + 1) - log_gamma(left + 1.0)
        kept = (left >= 0) & (np.log(1 - rng.random(self._at_a_time)) <= log_share)
        drawn = np.empty((int(kept.sum()), len(self._small) + len(self._large)), np.int64)
        drawn[:, self._small] = small.T[kept]
        drawn[:, self._large] = rng.multinomial(left[kept], self._shares)
        return drawn


def gammas(part: Part) -> Draw:
    """Draw a gamma variate per cell, whose shape parameter is the number of its rows, times their weight."""
    used = np.flatnonzero(part.rows)
    rows, weight = part.rows[used], part.weight[used]
    single, alike = bool((rows == 1).all()), bool((weight == 1).all())

    def draw(size: int, rng: np.random.Generator) -> FloatArray:
        shape = (size, len(used))
        variates = rng.standard_exponential(shape) if single else rng.standard_gamma(rows, shape)
        drawn = np.zeros((size, len(part.rows)))
        drawn[:, used] = variates if alike else variates * weight
        return drawn

    return draw


def gamma_quantile(rows: float, share: FloatArray) -> FloatArray:
    """Quantiles of a gamma distribution with this shape; 0 for shape 0."""
    if rows == HALF_A_ROW:  # half a squared normal variate, without scipy.special, which takes long to import
        normal = NormalDist().inv_cdf
        return np.array([normal(tail) ** 2 / 2 for tail in ((1 - share) / 2).tolist()])
    return np.asarray(scipy.special.gammaincinv(rows, share) if rows else 0.0, np.float64)
