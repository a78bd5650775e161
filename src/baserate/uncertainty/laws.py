"""How much a drawn population holds in each cell, given the rows that were seen there."""

from collections.abc import Callable

import numpy as np

from baserate.arrays import Counts, FloatArray, Indices
from baserate.uncertainty.cells import Part

_FEW_ROWS = 4  # in a cell

Draw = Callable[[int, np.random.Generator], FloatArray]  # as many draws, one row of cells each
Law = Callable[[Part], Draw]


def multinomial(part: Part) -> Draw:
    """Draw how many of as many rows fall into each cell."""
    used = np.flatnonzero(part.rows)
    rows = part.rows[used].astype(np.int64)
    n_rows, n_cells = int(rows.sum()), len(used)
    # For few rows in each cell, to draw each row is quicker than to draw how many there are in each cell.
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
    """How often each cell comes up in each row."""
    places = cells + np.arange(0, len(cells) * n_cells, n_cells)[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=len(cells) * n_cells).reshape(len(cells), n_cells)


def gammas(part: Part) -> Draw:
    """Draw a gamma variate for each cell, with as many degrees as there are rows in it, times their weight."""
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
