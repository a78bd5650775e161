"""Drawing two curves at once from rows that two models have scored."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.pair import Pair
from baserate.uncertainty.cells import Cells, Part
from baserate.uncertainty.draws import Drawn, Masses, gammas, multinomial, optimist, pessimist, resample

_CHUNK = 2**18  # numbers drawn at a time


class Shared(NamedTuple):
    """Groups of rows of one class that both models see in the same cells."""

    part: Part  # how many rows are in each group
    of_a: Indices  # the cell of each group in the first model's curve
    of_b: Indices

    def into(self, drawn: FloatArray, cell_of: Indices, n_cells: int) -> FloatArray:
        """What was drawn for the groups, added up by cell."""
        order = np.argsort(cell_of, kind="stable")
        cells, first = np.unique(cell_of[order], return_index=True)
        summed = np.zeros((len(drawn), n_cells))
        summed[:, cells] = np.add.reduceat(drawn[:, order], first, axis=1)
        return summed


class PairCells(NamedTuple):
    """Both curves cut into cells, and which rows are in which cell of each."""

    a: Cells
    b: Cells
    pos: Shared
    neg: Shared

    def chunks(self, n_draws: int) -> list[int]:
        """How many pairs of curves to draw at a time."""
        size = max(1, min(n_draws, _CHUNK // (len(self.pos.of_a) + len(self.neg.of_a))))
        return [size] * (n_draws // size) + [n_draws % size] * (n_draws % size > 0)


def pair_cells(pair: Pair, a: Cells, b: Cells) -> PairCells:
    """Find the cells of all rows."""
    in_a, in_b = (cell_of(score, cells) for score, cells in zip(pair.scores, (a, b), strict=True))
    pos, neg = pair.positive, ~pair.positive
    # A positive is always tied with a corner; corners are counted without the gaps between them.
    return PairCells(a, b, _shared(in_a[pos] // 2, in_b[pos] // 2), _shared(in_a[neg], in_b[neg]))


def cell_of(score: FloatArray, cells: Cells) -> Indices:
    """The cell of each score: even numbers are gaps, odd ones are ties with a corner."""
    above = np.searchsorted(-cells.score, -score)
    tied = cells.score[np.minimum(above, len(cells.score) - 1)] == score
    return np.asarray(2 * above + tied, np.intp)


def _shared(of_a: Indices, of_b: Indices) -> Shared:
    code = of_a.astype(np.int64) * (int(of_b.max(initial=0)) + 1) + of_b
    _, first, rows = np.unique(code, return_index=True, return_counts=True)
    return Shared(Part(rows.astype(np.float64), np.ones(len(rows))), of_a[first], of_b[first])


def paired_resamples(cells: PairCells, sizes: list[int], rng: np.random.Generator) -> Iterator[tuple[Drawn, Drawn]]:
    """Rows drawn with replacement within each class, as both models see them."""
    draw_pos, draw_neg = multinomial(cells.pos.part), multinomial(cells.neg.part)
    for size in sizes:
        pos, neg = draw_pos(size, rng), draw_neg(size, rng)
        yield resample(cells.a, *_of_a(cells, pos, neg)), resample(cells.b, *_of_b(cells, pos, neg))


def paired_melds(
    cells: PairCells, sizes: list[int], rng: np.random.Generator
) -> Iterator[tuple[tuple[Drawn, Drawn], tuple[Drawn, Drawn]]]:
    """Populations as seen by a pessimist and by an optimist about the first model; each sees the second the other way.

    What is not placed may lie where it harms the first model most and helps the second most, or the reverse.
    """
    draw_pos, draw_neg = gammas(cells.pos.part), gammas(cells.neg.part)
    for size in sizes:
        pos, neg = draw_pos(size, rng), draw_neg(size, rng)
        free = rng.standard_exponential((size, 1)), rng.standard_exponential((size, 1))
        of_a, of_b = Masses(*_of_a(cells, pos, neg), *free), Masses(*_of_b(cells, pos, neg), *free)
        yield (
            (pessimist(cells.a, of_a), optimist(cells.b, of_b)),
            (optimist(cells.a, of_a), pessimist(cells.b, of_b)),
        )


def _of_a(cells: PairCells, pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
    corners = len(cells.a.score)
    return cells.pos.into(pos, cells.pos.of_a, corners), cells.neg.into(neg, cells.neg.of_a, 2 * corners + 1)


def _of_b(cells: PairCells, pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
    corners = len(cells.b.score)
    return cells.pos.into(pos, cells.pos.of_b, corners), cells.neg.into(neg, cells.neg.of_b, 2 * corners + 1)
