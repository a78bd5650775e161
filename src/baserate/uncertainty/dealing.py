"""Rows dealt again among samples, as if it were chance which sample has which rows: a sampler for what changes in time.

If nothing has changed between samples, that is what it is: given all rows of a class together, every deal that leaves
each sample its size is as likely as the one that was seen. So a number that compares samples is as likely to be the
largest of some deals as any other is, whatever the number and however few the rows.

Rows are in the cells of the curve that pools the samples, and are dealt in bundles of as many rows each, which are made
at random within each sample. The cells depend on all rows together and the bundles on chance, so neither takes anything
from the above; a number that is read off cells is only a little blunter.
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

# Bundles of a class in all samples, and at most, where small samples need small bundles.
_BUNDLES = 250
_MOST_BUNDLES = 2000
_BUNDLES_OF_A_SAMPLE = 8

_FEW_ROWS = 200_000  # that are shuffled one by one in no time

NOWHERE = -1  # the group of samples that are dealt but not read


class OfDeals(Sampler):
    """A reference and windows of periods whose rows are dealt again among them; each is read as a model is.

    Samples have the same cells. Of the groups that they are in, 0 is the reference; 1 is the first window, and each
    window has one more group than the window before.
    """

    curves = ()
    again = True

    def __init__(self, samples: Sequence[Cells], groups: Sequence[int], rng: np.random.Generator) -> None:
        self._pos, self._neg = (
            _bundles(of_class, groups, rng) for of_class in zip(*((one.pos, one.neg) for one in samples), strict=True)
        )
        found = zip(*(_in_windows(one.dealt_to(one.group[np.newaxis])) for one in (self._pos, self._neg)), strict=True)
        self.cells = tuple(samples[0]._replace(pos=_even(pos[0]), neg=_even(neg[0])) for pos, neg in found)
        self.numbers = 3 * len(samples[0].score)  # of a window, as they are worked on one by one

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """What the reference and each window hold after so many deals."""
        dealt = self._pos.deal(n_draws, streams.pos), self._neg.deal(n_draws, streams.neg)
        return list(zip(*map(_in_windows, dealt), strict=True))


def _in_windows(dealt: FloatArray) -> FloatArray:
    """The reference, and windows that hold those before them: along the first axis."""
    np.cumsum(dealt[1:], axis=0, out=dealt[1:])
    return dealt


def _even(held: FloatArray) -> Part:
    return Part(held, np.ones(len(held)))


class _Bundles(NamedTuple):
    """Rows of one class, in bundles that change hands, and some too few for a bundle that stay where they are."""

    rows: FloatArray  # bundles, cells: what the rows weigh
    group: npt.NDArray[np.int8]  # which group of samples each bundle is in
    rest: FloatArray  # groups, cells

    def deal(self, n_deals: int, rng: np.random.Generator) -> FloatArray:
        """Rows by group, deal and cell."""
        return self.dealt_to(rng.permuted(np.broadcast_to(self.group, (n_deals, len(self.group))), axis=1))

    def dealt_to(self, group: npt.NDArray[np.int8]) -> FloatArray:
        """The same where it is known who gets which bundle: one row for each deal."""
        return np.stack([(group == k).astype(np.float64) @ self.rows + rest for k, rest in enumerate(self.rest)])


def _bundles(parts: Sequence[Part], groups: Sequence[int], rng: np.random.Generator) -> _Bundles:
    """Tie up the rows of samples; `groups` names the group of each sample."""
    # Weighted rows are as many equal ones in each cell as they are worth there.
    rows = [np.where(part.rows > 0, np.maximum(np.rint(part.rows), 1), 0).astype(np.intp) for part in parts]
    size = _size_of_a_bundle([int(one.sum()) for one in rows])
    rest = np.zeros((max(groups) + 1, len(rows[0])))
    tied = []
    for part, of_sample, group in zip(parts, rows, groups, strict=True):
        held = part.rows * part.weight
        tied.append(_tied(of_sample, size, rng) * np.divide(held, of_sample, out=np.zeros(len(held)), where=held > 0))
        if group != NOWHERE:
            rest[group] += held - tied[-1].sum(axis=0)
    owner = np.repeat(np.array(groups, np.int8), [len(bundled) for bundled in tied])
    return _Bundles(np.concatenate(tied), owner, rest)


def _tied(rows: Indices, size: int, rng: np.random.Generator) -> Indices:
    """As many bundles as there can be, one row of cells each: row by row, or cell by cell, which is the same law."""
    n_rows, n_cells = int(rows.sum()), len(rows)
    n_bundles = n_rows // size
    if n_rows <= _FEW_ROWS:
        cell = rng.permutation(np.repeat(np.arange(n_cells), rows))[: n_bundles * size]
        place = np.repeat(np.arange(n_bundles) * n_cells, size) + cell
        return np.bincount(place, minlength=n_bundles * n_cells).reshape(n_bundles, n_cells)
    if n_rows >= TOO_MANY_CASES:
        raise InputError(
            f"rows are dealt from fewer than {TOO_MANY_CASES:,} in a period, got {n_rows:,}; take a sample of the rows "
            f"first."
        )
    found = np.empty((n_bundles, n_cells), np.intp)
    for bundle in found:
        bundle[:] = rng.multivariate_hypergeometric(rows, size, method="marginals")
        rows = rows - bundle
    return found


def _size_of_a_bundle(sizes: list[int]) -> int:
    total, smallest = sum(sizes), min(sizes)
    return max(1, -(-total // _MOST_BUNDLES), min(total // _BUNDLES, smallest // _BUNDLES_OF_A_SAMPLE))
