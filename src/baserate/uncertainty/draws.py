"""Curves drawn at random around the one that was seen, many at once.

`resamples` are what the data would look like again: rows drawn with replacement within each class. `melds` are what the
population may look like given the data: its distribution function at each corner follows the law of uniform order
statistics, which leaves one row's worth of probability unplaced in each class. A pessimist places it where it does
most harm, an optimist where it does most good; the lower end of an interval belongs to the pessimist. For a single
rate the two together are Clopper and Pearson's interval.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.errors import InputError
from baserate.formulas.steps import Steps
from baserate.uncertainty.cells import Cells, Part

# Numbers drawn at a time: few enough that the work on them stays in the processor's cache.
_CHUNK = 2**17

_FEW_ROWS = 4  # in a cell

Draw = Callable[[int, np.random.Generator], FloatArray]  # as many draws, one row of cells each


class Drawn(NamedTuple):
    """Many curves with the same corners."""

    steps: Steps  # with one row of corners for each curve
    atoms: BoolArray  # corners where the score is discrete
    score: FloatArray  # of each corner


def chunks(cells: Cells, n_draws: int) -> list[int]:
    """How many curves to draw at a time, in how many times."""
    size = max(1, min(n_draws, _CHUNK // (3 * len(cells.score) + 1)))
    return [size] * (n_draws // size) + [n_draws % size] * (n_draws % size > 0)


def check_draws(n_draws: int, confidence_level: float) -> None:
    """Refuse so few draws that none of them would lie beyond the ends of an interval."""
    fewest = math.ceil(2 / (1 - confidence_level))
    if n_draws < fewest:
        raise InputError(
            f"n_resamples must be at least {fewest:,} for a confidence level of {confidence_level:.6g}, got "
            f"{n_draws:,}; draw more, or ask for less."
        )


def resamples(cells: Cells, sizes: list[int], rng: np.random.Generator) -> Iterator[Drawn]:
    """Rows drawn with replacement within each class: the stratified bootstrap, exactly."""
    draw_pos, draw_neg = multinomial(cells.pos), multinomial(cells.neg)
    for size in sizes:
        yield resample(cells, draw_pos(size, rng), draw_neg(size, rng))


def resample(cells: Cells, pos: FloatArray, neg: FloatArray) -> Drawn:
    """Resampled curves, from the rows that fell into each cell; they are read as they are, like the curve itself."""
    tp, fp = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)[:, 1::2]
    steps = Steps(tp, fp, pos, neg[:, 1::2], cells.pos.total, cells.neg.total)
    return Drawn(steps, ~cells.straight, cells.score)


class Masses(NamedTuple):
    """What random populations hold in each cell, and in each class one row's worth that is not placed yet."""

    pos: FloatArray
    neg: FloatArray
    free_pos: FloatArray
    free_neg: FloatArray


def melds(cells: Cells, sizes: list[int], rng: np.random.Generator) -> Iterator[tuple[Drawn, Drawn]]:
    """Populations as a pessimist and as an optimist sees them, from the same random numbers."""
    draw_pos, draw_neg = gammas(cells.pos), gammas(cells.neg)
    for size in sizes:
        pos, neg = draw_pos(size, rng), draw_neg(size, rng)
        free_pos, free_neg = (
            rng.standard_exponential((size, 1)) * part.typical_weight for part in (cells.pos, cells.neg)
        )
        masses = Masses(pos, neg, free_pos, free_neg)
        yield pessimist(cells, masses), optimist(cells, masses)


def pessimist(cells: Cells, masses: Masses) -> Drawn:
    """The free positive below all rows, the free negative above them."""
    pos, neg, free_pos, free_neg = masses
    none = np.zeros_like(free_neg)
    steps = _shares(_row(pos, free_pos), _row(neg[:, :1] + free_neg, neg[:, 1:], none, none))
    return Drawn(steps, np.append(cells.atoms, False), np.append(cells.score, -np.inf))


def optimist(cells: Cells, masses: Masses) -> Drawn:
    """The free positive above all rows, the free negative below them."""
    pos, neg, free_pos, free_neg = masses
    none = np.zeros_like(free_neg)
    steps = _shares(_row(free_pos, pos), _row(none, none, neg[:, :-1], neg[:, -1:] + free_neg))
    return Drawn(steps, np.append(False, cells.atoms), np.append(np.inf, cells.score))


def _row(*parts: FloatArray) -> FloatArray:
    return np.concatenate(parts, axis=1)


def _shares(pos: FloatArray, neg: FloatArray) -> Steps:
    """Corners of curves with one positive and one negative in all, from what each cell holds."""
    tp, fp = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)
    # Divided by its own last entry a running sum ends at exactly 1.
    n_pos, n_neg = tp[:, -1:], fp[:, -1:]
    return Steps(tp / n_pos, fp[:, 1::2] / n_neg, pos / n_pos, neg[:, 1::2] / n_neg, 1.0, 1.0)


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
