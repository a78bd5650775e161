"""A permutation test for changes over time: rows are dealt again among samples.

If nothing changed between samples, rows of a class are exchangeable: every deal that keeps the sizes of the samples is
equally likely. So any statistic that compares samples has a valid permutation test, however few the rows.

Rows are kept in the cells of the pooled curve, and dealt in bundles of equal size, which are made at random within each
sample. Cells depend on the pooled rows only, and bundles on chance, so the test stays valid; it loses a little power.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.arrays import FloatArray, Indices
from baserate.errors import InputError
from baserate.uncertainty.cells import Cells, Part
from baserate.uncertainty.picks import TOO_MANY_CASES
from baserate.uncertainty.samplers import Sampler, Streams

# Bundles of a class in all samples; the most, if small samples need small bundles; and the fewest of a sample.
_BUNDLES = 250
_MOST_BUNDLES = 2000
_BUNDLES_OF_A_SAMPLE = 8

_FEW_ROWS = 200_000  # quick to shuffle one by one


class OfDeals(Sampler):
    """A reference and windows of periods, whose rows are dealt again among them; each is read like a model.

    All samples have the same cells. Group 0 is the reference and group 1 the first window; each further window consists
    of the window before and one more group.
    """

    curves = ()
    again = True

    def __init__(self, samples: Sequence[Cells], groups: Sequence[int], rng: np.random.Generator) -> None:
        self._pos, self._neg = (
            _bundles(of_class, groups, rng) for of_class in zip(*((one.pos, one.neg) for one in samples), strict=True)
        )
        held = zip(*(_in_windows(one.dealt_to(one.group[np.newaxis])) for one in (self._pos, self._neg)), strict=True)
        self.cells = tuple(samples[0]._replace(pos=_even(pos[0]), neg=_even(neg[0])) for pos, neg in held)
        self.numbers = 3 * len(samples[0].score)  # of a window, as they are worked on one by one

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """The masses of the reference and of each window, in each deal."""
        dealt = self._pos.deal(n_draws, streams.pos), self._neg.deal(n_draws, streams.neg)
        return list(zip(*map(_in_windows, dealt), strict=True))


def _in_windows(dealt: FloatArray) -> FloatArray:
    """The reference and the windows, from groups along the first axis: windows are cumulative sums."""
    np.cumsum(dealt[1:], axis=0, out=dealt[1:])
    return dealt


def _even(held: FloatArray) -> Part:
    return Part(held, np.ones(len(held)))


class _Bundles(NamedTuple):
    """Rows of one class in bundles, which are dealt, and the remaining rows, which stay in their sample."""

    rows: FloatArray  # by bundle and cell: the weight of the rows
    group: npt.NDArray[np.int8]  # of each bundle
    rest: FloatArray  # by group and cell

    def deal(self, n_deals: int, rng: np.random.Generator) -> FloatArray:
        """Deal the bundles at random: rows by group, deal and cell."""
        return self.dealt_to(rng.permuted(np.broadcast_to(self.group, (n_deals, len(self.group))), axis=1))

    def dealt_to(self, group: npt.NDArray[np.int8]) -> FloatArray:
        """Rows by group, deal and cell, when `group` says which group gets each bundle, with one row per deal."""
        return np.stack([(group == k).astype(np.float64) @ self.rows + rest for k, rest in enumerate(self.rest)])


def _bundles(parts: Sequence[Part], groups: Sequence[int], rng: np.random.Generator) -> _Bundles:
    """Bundle the rows of samples; `groups` has the group of each sample."""
    # Weighted rows count by their effective number in each cell.
    rows = [np.where(part.rows > 0, np.maximum(np.rint(part.rows), 1), 0).astype(np.intp) for part in parts]
    size = _size_of_a_bundle([int(one.sum()) for one in rows])
    rest = np.zeros((max(groups) + 1, len(rows[0])))
    tied = []
    for part, of_sample, group in zip(parts, rows, groups, strict=True):
        held = part.rows * part.weight
        tied.append(_tied(of_sample, size, rng) * np.divide(held, of_sample, out=np.zeros(len(held)), where=held > 0))
        rest[group] += held - tied[-1].sum(axis=0)
    owner = np.repeat(np.array(groups, np.int8), [len(bundled) for bundled in tied])
    return _Bundles(np.concatenate(tied), owner, rest)


def _tied(rows: Indices, size: int, rng: np.random.Generator) -> Indices:
    """Random bundles, by bundle and cell; drawn row by row or cell by cell, with the same distribution."""
    n_rows, n_cells = int(rows.sum()), len(rows)
    n_bundles = n_rows // size
    if n_rows <= _FEW_ROWS:
        cell = rng.permutation(np.repeat(np.arange(n_cells), rows))[: n_bundles * size]
        place = np.repeat(np.arange(n_bundles) * n_cells, size) + cell
        return np.bincount(place, minlength=n_bundles * n_cells).reshape(n_bundles, n_cells)
    if n_rows >= TOO_MANY_CASES:
        raise InputError(
            f"a period must have fewer than {TOO_MANY_CASES:,} rows of a class, got {n_rows:,}; take a sample of the "
            f"rows first."
        )
    bundles = np.empty((n_bundles, n_cells), np.intp)
    for bundle in bundles:
        bundle[:] = rng.multivariate_hypergeometric(rows, size, method="marginals")
        rows = rows - bundle
    return bundles


def _size_of_a_bundle(sizes: list[int]) -> int:
    total, smallest = sum(sizes), min(sizes)
    return max(1, -(-total // _MOST_BUNDLES), min(total // _BUNDLES, smallest // _BUNDLES_OF_A_SAMPLE))
