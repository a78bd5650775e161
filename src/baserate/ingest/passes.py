"""Reads a table in as few passes as make curves exact, or accurate within the tolerance."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.counting import Counted, merge_counts_by_group, narrow
from baserate.curves.curve import Curve
from baserate.curves.extremes import blur
from baserate.curves.table import CountTable
from baserate.errors import InputError, PrecisionWarning
from baserate.ingest.bucket_expressions import MOST_BITS, widths
from baserate.ingest.by_group import bits_for, curves_by_group
from baserate.ingest.groups import EACH_ROW, EXACT, GroupedCounts, GroupReader, TooManyCells, changed
from baserate.ingest.stretches import FEW_RANGES, MANY_RANGES, Axis, Stretches

# How fine the first look is, at most: scores from 0 to 1 in 65,536 parts or, if there is less room than for both
# classes and as much again, in 4,096. Fewer of many groups, if these were to fill so much of their buckets: a look that
# finds too many is thrown away.
_FINEST_FIRST, _FINEST_OF_LITTLE, _LITTLE = 16, 12, 2**18
_COARSER = 3  # bits less, if that were too many

# Looks at the data, at most.
_PASSES = 6

# So few rows are looked at one by one, if they have to be told apart.
_FEW_ROWS = 50_000

# Where average precision has to be known: at the data's own prevalence, and at these.
_PREVALENCES = np.array([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5])


def gather(reader: GroupReader, tolerance: float, max_scores: int) -> list[Curve]:
    """A curve per group: exact if it fits, else with bounds of average precision within the tolerance."""
    listed = curves_by_group(reader, max_scores) if tolerance > 0 else None
    if listed is not None:
        return listed
    length = reader.known_length
    few = length is not None and length <= max_scores
    if few or tolerance == 0:
        return curves_of(reader.read(EACH_ROW if few else EXACT), reader)
    cells = _first_look(reader, max_scores)
    if np.array_equal(cells.low, cells.high):
        return curves_of(cells, reader)
    if cells.rows.sum() <= max_scores:
        return curves_of(reader.read(EXACT), reader)
    found = _Found.of(cells, reader)
    for _ in range(_PASSES - 1):
        if found.widest <= tolerance:
            return found.curves
        finer = _looked_at_again(found, reader, tolerance, max_scores)
        if finer is None:
            break
        found = _Found.of(finer, reader)
    if found.widest > tolerance:
        warnings.warn(
            PrecisionWarning(
                f"the error of average precision is up to {found.widest:.2g}, above the tolerance {tolerance:g}: the "
                f"table has too many distinct scores; raise max_scores or memory_limit, and see bounds(metric, curve)."
            ),
            stacklevel=4,
        )
    return found.curves


def _first_look(reader: GroupReader, max_scores: int) -> GroupedCounts:
    finest = _FINEST_OF_LITTLE if max_scores < _LITTLE else _FINEST_FIRST
    n_groups = reader.n_groups()
    if n_groups > 1:
        finest = min(finest, bits_for(n_groups, max_scores))
    for bits in [*range(finest, 0, -_COARSER), 0]:
        try:
            return reader.read(bits, most=max_scores)
        except TooManyCells:
            continue
    raise InputError(
        f"a table must give at most {max_scores:,} groups of rows, got more; group by fewer columns or longer periods, "
        f"or raise max_scores or memory_limit."
    )


def curves_of(cells: GroupedCounts, reader: GroupReader) -> list[Curve]:
    """The curve of each group, in the order of the reader."""
    n_groups = len(reader.groups)
    if len(cells.bits) and cells.bits[0] == EACH_ROW:
        curves = [
            Curve.from_scores(positive, score, weight=weight)
            for positive, score, weight in _by_group(cells.group, n_groups, cells.positive, cells.low, cells.weight)
        ]
    elif cells.weight is not None:
        columns = (cells.low, cells.high, cells.positive, cells.weight, cells.square)
        curves = [_weighted_curve(*part) for part in _by_group(cells.group, n_groups, *columns)]
    else:
        rows = cells.rows.astype(np.int64)
        pos, neg = np.where(cells.positive, rows, 0), np.where(cells.positive, 0, rows)
        counted = merge_counts_by_group(Counted(cells.low, pos, neg, top=cells.high), cells.group, n_groups)
        curves = [Curve._of(of_group) for of_group in counted]
    return [
        replace(curve, unlabelled=int(unlabelled)) for curve, unlabelled in zip(curves, reader.unlabelled, strict=True)
    ]


def _by_group(group: Indices, n_groups: int, *columns: Any) -> Iterator[list[Any]]:
    """The columns of each group; None stays."""
    order = np.argsort(narrow(group), kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(group, minlength=n_groups))).tolist()
    ordered = [None if column is None else column[order] for column in columns]
    return ([None if column is None else column[start:end] for column in ordered] for start, end in pairwise(ends))


def _weighted_curve(
    low: FloatArray, high: FloatArray, positive: BoolArray, weight: FloatArray, square: FloatArray
) -> Curve:
    columns = {
        "pos": np.where(positive, weight, 0),
        "neg": np.where(positive, 0, weight),
        "pos_squares": np.where(positive, square, 0),
        "neg_squares": np.where(positive, 0, square),
    }
    return Curve.from_counts(low, top=None if np.array_equal(low, high) else high, **columns)


# --- what is not known well enough ----------------------------------------------------------------


class _Found(NamedTuple):
    """What the looks so far have found: cells, a curve per group, and how well each is known where it has to be."""

    cells: GroupedCounts
    curves: list[Curve]
    widths: list[FloatArray]

    @classmethod
    def of(cls, cells: GroupedCounts, reader: GroupReader) -> "_Found":
        """The curves of cells."""
        curves = curves_of(cells, reader)
        return cls(cells, curves, [_width(curve) for curve in curves])

    @property
    def widest(self) -> float:
        """The largest width of all curves."""
        return max((float(width.max()) for width in self.widths), default=0.0)


def _width(curve: Curve) -> FloatArray:
    assert isinstance(curve.table, CountTable)
    return blur(curve.table, _odds(curve))


def _odds(curve: Curve) -> FloatArray:
    return np.append((1 - _PREVALENCES) / _PREVALENCES, 1.0 if curve.missing_class else curve.odds_against)


def _blurs(curve: Curve, width: FloatArray, tolerance: float) -> list[tuple[Indices, FloatArray]]:
    """The errors of buckets where the tolerance is exceeded: entries, the smallest error first, and running sums."""
    too_wide = width > tolerance
    if not too_wide.any():
        return []
    tp, fp = (np.append(0.0, column) for column in curve.table.cumulative())
    before, after = tp[:-1] / tp[-1], tp[1:] / tp[-1]
    least, most = fp[:-1] / fp[-1], fp[1:] / fp[-1]
    rise = np.where(curve.top > curve.score, after - before, 0.0)
    at = np.flatnonzero(rise)
    before, after, least, most, rise = before[at], after[at], least[at], most[at], rise[at]
    found = []
    for x in _odds(curve)[too_wide]:
        # Precision in the middle of the rise stands for the mean over it: good enough to tell what matters.
        share = rise * (after / (after + x * least) - (before + after) / (before + after + 2 * x * most))
        order = np.argsort(share)
        found.append((at[order], np.cumsum(share[order])))
    return found


def _blurred(blurs: list[tuple[Indices, FloatArray]], length: int, left: float) -> BoolArray:
    """The buckets to tell apart, the widest first, until about `left` is left."""
    entries = np.zeros(length, np.bool_)
    for at, up_to in blurs:
        entries[at[up_to > left]] = True
    return entries


# --- looking again --------------------------------------------------------------------------------


def _looked_at_again(found: _Found, reader: GroupReader, tolerance: float, max_scores: int) -> GroupedCounts | None:
    """Read some buckets again, split as finely as needed or possible; None if there is no room."""
    cells, curves, axis = found.cells, found.curves, Axis.of(found.cells)
    blurs = [_blurs(curve, width, tolerance) for curve, width in zip(curves, found.widths, strict=True)]
    for left, most_ranges in product(tolerance * np.array([0.25, 1, 4, 16, 64, 256]), (FEW_RANGES, MANY_RANGES)):
        blurred = [_blurred(blur, len(curve), left) for blur, curve in zip(blurs, curves, strict=True)]
        if not any(entries.any() for entries in blurred):
            return None
        stretches = Stretches.covering(axis, curves, blurred, most_ranges)
        again = stretches.cells
        room = max_scores - int(np.count_nonzero(~again))
        bits = _finer(cells.some(again), found.widest / tolerance, room)
        if bits is None:
            continue
        try:
            new = reader.read(bits, stretches.ranges(), most=room)
        except TooManyCells:
            continue
        _check_unchanged(cells.some(again), new)
        return cells.some(~again).joined(new)
    return None


def _finer(cells: GroupedCounts, too_wide: float, room: int) -> int | None:
    """The number of bits for splitting cells: as many as the error requires, if there is room.

    Rows that are close together within a bucket need more bits, which do not need more room.
    """
    finest = int(cells.bits.max())
    # Buckets that cannot become finer may still hold few scores, many times each.
    if cells.rows.sum() <= min(_FEW_ROWS, room) or finest == MOST_BITS:
        return EXACT
    spread = cells.high - cells.low
    at = np.flatnonzero((spread > 0) & np.isfinite(spread))
    empty = widths(cells.low[at], cells.bits[at]) / spread[at]
    close = int(np.average(np.log2(np.maximum(empty, 1)), weights=cells.rows[at])) if len(at) else 0
    wanted = min(math.ceil(math.log2(too_wide)) + 1, int(np.log2(max(room / len(cells.low), 1))))
    return min(finest + wanted + close, MOST_BITS) if wanted + close > 0 else None


def _check_unchanged(old: GroupedCounts, new: GroupedCounts) -> None:
    for positive in (False, True):
        before, after = (
            np.bincount(part.group[part.positive == positive], part.rows[part.positive == positive])
            for part in (old, new)
        )
        if not np.array_equal(before, after):
            raise changed("two passes over it have different numbers of rows")
