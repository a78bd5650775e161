"""Parts of counted rows, pooled as finely as a limit allows."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import Array, BoolArray, Counts, FloatArray
from baserate.curves.buckets import MOST_BITS, bucket_of
from baserate.curves.counting import Counted, check_totals, merge_counts, narrow, starts

# The level above all levels of buckets: every score is kept.
EXACT = MOST_BITS + 1


class CountedPart(NamedTuple):
    """Some rows, counted at the finest level that fits.

    At the exact level an entry is one score. At a level of buckets it is one class in one bucket, with lowest score,
    highest score and count. The classes are kept separate; if their ranges were joined, the result would depend on the
    order of merging.
    """

    counted: Counted
    bits: int

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.counted.score)


def pooled(parts: Sequence[CountedPart], most: int) -> CountedPart:
    """All parts together, at the finest level with at most `most` scores or buckets.

    Buckets of a level are unions of those of finer levels, and more rows never have fewer buckets. So the level depends
    on the rows alone, and no part is coarser than the result.
    """
    bits = min(part.bits for part in parts)
    counted = _stacked([part.counted for part in parts])
    check_totals(counted)
    if bits < EXACT:
        counted = _by_bucket_and_class(counted, bits)
    elif len(parts) > 1:
        counted = merge_counts(counted)

    def fits(bits: int) -> bool:
        groups = counted.score if bits == EXACT else bucket_of(counted.score, bits)
        return len(starts(groups)) <= most

    if fits(bits):
        return CountedPart(counted, bits)
    coarser = range(bits - 1, 0, -1)
    place = bisect_left(coarser, True, key=fits)
    bits = coarser[place] if place < len(coarser) else 0
    return CountedPart(_by_bucket_and_class(counted, bits), bits)


def _stacked(tables: Sequence[Counted]) -> Counted:
    """All entries of all tables; if some are weighted, the rows of the others have weight 1."""
    if len(tables) == 1:
        return tables[0]
    weighted = any(table.pos_squares is not None for table in tables)
    bucketed = any(table.top is not None for table in tables)

    def column(name: str, instead: str = "") -> Array:
        return np.concatenate([getattr(table, instead if getattr(table, name) is None else name) for table in tables])

    return Counted(
        column("score"),
        column("pos"),
        column("neg"),
        column("pos_squares", instead="pos") if weighted else None,
        column("neg_squares", instead="neg") if weighted else None,
        column("top", instead="score") if bucketed else None,
    )


def _by_bucket_and_class(counted: Counted, bits: int) -> Counted:
    """One entry for each class in each bucket, highest bucket first."""
    of_pos, of_neg = np.flatnonzero(counted.pos > 0), np.flatnonzero(counted.neg > 0)
    entry = np.append(of_pos, of_neg)
    is_pos = np.arange(len(entry)) < len(of_pos)
    # Negated, because entries come with the highest first: the sort is fast where it finds long rising runs.
    keys = -(2 * bucket_of(counted.score[entry], bits) + is_pos)
    order = np.argsort(keys, kind="stable")
    first = starts(keys[order])
    entry, is_pos = entry[order], is_pos[order]

    def summed(values: Counts, wanted: BoolArray) -> Counts:
        wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
        return narrow(np.add.reduceat(np.where(wanted, wide[entry], 0), first))

    def squares(values: FloatArray | None, wanted: BoolArray) -> FloatArray | None:
        return None if values is None else summed(values, wanted)

    top = counted.score if counted.top is None else counted.top
    return Counted(
        np.minimum.reduceat(counted.score[entry], first),
        summed(counted.pos, is_pos),
        summed(counted.neg, ~is_pos),
        squares(counted.pos_squares, is_pos),
        squares(counted.neg_squares, ~is_pos),
        np.maximum.reduceat(top[entry], first),
    )
