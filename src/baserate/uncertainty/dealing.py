"""Rows of one class dealt again among samples, as if it were chance which sample has which rows.

If nothing has changed between samples, that is what it is: given all rows of a class together, every deal that leaves
each sample its size is as likely as the one that was seen. So a number that compares samples is as likely to be the
largest of some deals as any other is, whatever the number and however few the rows.

Rows are sorted into cells by their scores, the same for all samples, and dealt in bundles of as many rows each, which
are made at random within each sample. The cells depend on all rows together and the bundles on chance, so neither
takes anything from the above; a number that is read off cells is only a little blunter.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.arrays import Counts, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.uncertainty.picks import TOO_MANY_CASES

# Bundles of a class in all samples, and at most, where small samples need small bundles.
_BUNDLES = 250
_MOST_BUNDLES = 2000
_BUNDLES_OF_A_SAMPLE = 8

_FEW_ROWS = 200_000  # that are shuffled one by one in no time

NOWHERE = -1  # the group of samples that are dealt but not read


class Sample(NamedTuple):
    """Rows at each score or above, from none at all down to all of them."""

    score: FloatArray  # from the highest down
    pos: Counts
    neg: Counts

    def between(self, edges: FloatArray) -> tuple[Indices, Indices]:
        """Rows of each class in cells, each of which begins at an edge and ends below the one before."""
        down_to = len(self.score) - np.searchsorted(self.score[::-1], edges)
        return np.diff(self.pos[down_to], prepend=0), np.diff(self.neg[down_to], prepend=0)


def sample(curve: Curve) -> Sample:
    """The rows of a curve; of weighted ones, as many equal rows as they are worth: Kish's effective size.

    The rows at a score are then a fraction, and so rounded that the rows above no score are off by more than half.
    """
    columns = (curve.pos, curve.pos_squares), (curve.neg, curve.neg_squares)
    return Sample(curve.score, *(_running(count, squares) for count, squares in columns))


def _running(count: Counts, squares: Counts) -> Counts:
    total = np.append(0, np.cumsum(count))
    if total.dtype.kind != "f":
        return total
    typical_weight = squares.sum() / total[-1] if total[-1] else 1.0
    return np.rint(total / typical_weight).astype(np.int64)


class Cells(NamedTuple):
    """Stretches of the score axis, from the highest down."""

    edges: FloatArray  # the lowest score of each
    merged: bool  # whether scores that differ share one


def cells(pooled: Curve, per_share: float, per_log: float) -> Cells:
    """Cells that hold no more than a small share of either class, or of what is above them, unless one score does.

    They are `per_share` to all of a class, and `per_log` to e times as many rows of a class above.
    """
    pos, neg = (np.cumsum(column, dtype=np.float64) for column in (pooled.pos, pooled.neg))
    place = sum(per_share / rows[-1] * rows + per_log * np.log1p(rows) for rows in (pos, neg))
    if len(pooled) <= place[-1]:
        return Cells(pooled.score, merged=False)
    last = np.append(np.diff(np.floor(place)) > 0, True)
    return Cells(pooled.score[last], merged=True)


class Bundles(NamedTuple):
    """Rows of one class, in bundles that change hands, and some too few for a bundle that stay where they are."""

    rows: FloatArray  # bundles, cells
    group: npt.NDArray[np.int8]  # which group of samples each bundle is in
    rest: FloatArray  # groups, cells

    def as_seen(self) -> FloatArray:
        """Rows by group and cell as they were found, as the only deal."""
        return self._dealt(self.group[np.newaxis])

    def deal(self, n_deals: int, rng: np.random.Generator) -> FloatArray:
        """Rows by deal, group and cell."""
        return self._dealt(rng.permuted(np.broadcast_to(self.group, (n_deals, len(self.group))), axis=1))

    def _dealt(self, group: npt.NDArray[np.int8]) -> FloatArray:
        found = np.empty((len(group), *self.rest.shape))
        for k, rest in enumerate(self.rest):
            found[:, k] = (group == k).astype(np.float64) @ self.rows + rest
        return found


def bundles(rows: list[Indices], groups: list[int], rng: np.random.Generator) -> Bundles:
    """Tie up the rows of samples, given by cell; `groups` names the group of each sample, from 0 up."""
    size = _size_of_a_bundle([int(one.sum()) for one in rows])
    rest = np.zeros((max(groups) + 1, len(rows[0])))
    tied = [_tied(of_sample, size, rng) for of_sample in rows]
    for of_sample, bundled, group in zip(rows, tied, groups, strict=True):
        if group != NOWHERE:
            rest[group] += of_sample - bundled.sum(axis=0)
    owner = np.repeat(np.array(groups, np.int8), [len(bundled) for bundled in tied])
    return Bundles(np.concatenate(tied).astype(np.float64), owner, rest)


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
