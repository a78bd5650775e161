"""Laws of the mass that a drawn population has in each cell, given the rows observed there."""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import scipy

from baserate.arrays import Counts, FloatArray, Indices
from baserate.uncertainty.cells import Part

_FEW_ROWS = 4  # in a cell
HALF_A_ROW = 0.5  # free in each class

Draw = Callable[[int, np.random.Generator], FloatArray]  # as many draws, one row of cells each
CellLaw = Callable[[Part], Draw]


def multinomial(part: Part) -> Draw:
    """Draw as many rows with replacement, counted by cell: the bootstrap."""
    used = np.flatnonzero(part.rows)
    rows = part.rows[used].astype(np.int64)
    n_rows, n_cells = int(rows.sum()), len(used)
    # With few rows per cell, drawing each row is quicker than drawing the count of each cell.
    row_by_row = n_rows <= _FEW_ROWS * n_cells
    cell_of = np.repeat(np.arange(n_cells), rows) if row_by_row else np.zeros(0, np.intp)

    def draw(size: int, rng: np.random.Generator) -> FloatArray:
        drawn = np.zeros((size, len(part.rows)))
        if row_by_row:
            drawn[:, used] = _tally(cell_of[rng.integers(n_rows, size=(size, n_rows))], n_cells)
        else:
            drawn[:, used] = rng.multinomial(n_rows, rows / n_rows, size=size)
        return drawn

    return draw


def _tally(cells: Indices, n_cells: int) -> Counts:
    """The count of each cell in each row."""
    places = cells + np.arange(0, len(cells) * n_cells, n_cells)[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=len(cells) * n_cells).reshape(len(cells), n_cells)


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
