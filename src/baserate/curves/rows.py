"""Rows that are not counted yet, and how the compiled kernel counts them.

A curve sorts its rows when their order is first needed. Bins and means need no order, and with few positives areas need
only the order of these. Without the kernel, `counting` sorts all rows at once.
"""

import functools
import operator
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from baserate import native
from baserate.arrays import Array, BoolArray, Counts, FloatArray
from baserate.curves.counting import Counted, count_classes, count_rows, narrow, starts
from baserate.formulas.steps import Steps

# Up to this many different scores are counted without sorting, if rows are eight times as many.
_FEW_SCORES = 1 << 14

# If among so many rows no two have the same score, there are more: 16,384 would collide some thirty times.
_SAMPLE = 1024

# Fewer rows are sorted before anything cleverer is done.
_FEW_ROWS = 1 << 15

# Where there are so many times as many negatives as positives, only positives are sorted.
_RARE = 32

# Where there are so many times as many, numpy counts all rows by score.
_FEWER = 8

# What the kernel takes, by the letters of types. A long double is none of these, even where it is as wide as a double.
SCORES, LABELS = "fd", "?bBhHiIlLqQ"

# The kernel counts in 32 bits.
_MOST_ROWS = 2**31 - 1

# What the kernel sees beside ones: nothing, zeros, or minus ones. Both of these, or anything else, takes a closer look.
_FINE = (0, 1, 2)


class ScoredRows(NamedTuple):
    """The scores of each class, in any order; rising if they are sorted."""

    pos: FloatArray
    neg: FloatArray
    sorted: bool = False


# --- reading --------------------------------------------------------------------------------------


def read(y_true: object, y_score: object) -> ScoredRows | Counted | None:
    """Check and split plain arrays of labels and scores in one pass; if there are few distinct scores, count them.

    None if that is not possible: for other containers, invalid input, or without the kernel.
    """
    if native.kernel is None or not (_plain(y_true, LABELS) and _plain(y_score, SCORES)):
        return None
    labels, scores = _in_line(y_true), _in_line(y_score)  # type: ignore[arg-type]  # they are plain arrays
    if len(labels) != len(scores) or len(scores) > _MOST_ROWS:
        return None
    if len(scores) >= _FEW_ROWS and (counted := _tallied(scores, labels)) is not None:
        return counted
    return _split(scores, labels)


def counted_or_split(scores: FloatArray, positive: BoolArray) -> ScoredRows | Counted:
    """Count checked columns by score if there are few distinct scores, else split them by class."""
    return read(positive, scores) or count_rows(scores, positive)


def tabulate(scores: FloatArray, positive: BoolArray) -> Counted:
    """Count checked columns by distinct score."""
    rows_or_counts = counted_or_split(scores, positive)
    return count_split(rows_or_counts) if isinstance(rows_or_counts, ScoredRows) else rows_or_counts


def _plain(values: object, types: str) -> bool:
    """Whether it is a one-dimensional array of one of these types, in native byte order."""
    return type(values) is np.ndarray and values.ndim == 1 and values.dtype.char in types and values.dtype.isnative


def _in_line(values: Array) -> Array:
    """An array that the kernel can walk along: this one, or a copy."""
    in_line = values.flags.c_contiguous and values.flags.aligned
    return values if in_line else np.require(values, requirements=["C", "ALIGNED"])


def _fine(seen: Iterable[int]) -> bool:
    return functools.reduce(operator.or_, seen) in _FINE


class _Tally(NamedTuple):
    """The different scores of some rows in any order, the negatives and positives at each, and what the kernel saw."""

    score: FloatArray
    n: Counts
    seen: int


def _tallied(scores: Array, labels: Array) -> Counted | None:
    """Counts by score if there are few distinct scores; else None."""
    if _tally(scores[:_SAMPLE], labels[:_SAMPLE], _SAMPLE - 1) is None:
        return None
    limit = min(_FEW_SCORES, len(scores) // 8)
    parts = native.parts(len(scores))
    counted = native.at_once(*(partial(_tally, scores[part], labels[part], limit) for part in parts))
    tallies = [tally for tally in counted if tally is not None]
    if len(tallies) < len(counted) or not _fine(tally.seen for tally in tallies):
        return None
    score, n = (np.concatenate(column) for column in ([t.score for t in tallies], [t.n for t in tallies]))
    falling = np.argsort(score)[::-1]
    score, n = score[falling], n[falling]
    first = starts(score)  # parts may have met the same score
    neg, pos = np.add.reduceat(n, first).T
    return _narrow_alike(score[first], pos, neg)


def _tally(scores: Array, labels: Array, limit: int) -> _Tally | None:
    """None if there are more different scores than the limit."""
    score, n = np.empty(limit), np.empty((limit, 2), np.int64)
    different, seen = native.loaded().tally(scores, labels, score, n.ravel())
    return None if different > limit else _Tally(score[:different], n[:different], seen)


def _split(scores: Array, labels: Array) -> ScoredRows | None:
    """The scores of each class; None if labels or scores are invalid."""
    kernel, parts = native.loaded(), native.parts(len(scores))
    if len(parts) == 1:
        room = np.empty(len(scores))
        n_pos, seen = kernel.split(scores, labels, room, room)
        return ScoredRows(room[:n_pos], room[n_pos:]) if _fine([seen]) else None
    positives = native.at_once(*(partial(kernel.ones, labels[part]) for part in parts))
    if not _fine(seen for _, seen in positives):
        return None
    ends = np.cumsum([n_pos for n_pos, _ in positives])
    pos, neg = np.empty(ends[-1]), np.empty(len(scores) - ends[-1])
    work = []
    for part, end, (n_pos, _) in zip(parts, ends, positives, strict=True):
        of_pos, of_neg = slice(end - n_pos, end), slice(part.start - (end - n_pos), part.stop - end)
        work.append(partial(kernel.split, scores[part], labels[part], pos[of_pos], neg[of_neg]))
    return ScoredRows(pos, neg) if _fine(seen for _, seen in native.at_once(*work)) else None


# --- counting -------------------------------------------------------------------------------------


def sort(rows: ScoredRows) -> ScoredRows:
    """The rows sorted, in new arrays, because other threads may be reading the old ones."""
    if rows.sorted:
        return rows
    if len(native.parts(len(rows.pos) + len(rows.neg))) == 1:
        return ScoredRows(np.sort(rows.pos), np.sort(rows.neg), sorted=True)
    pos, neg = native.at_once(partial(np.sort, rows.pos), partial(np.sort, rows.neg))
    return ScoredRows(pos, neg, sorted=True)


def count_split(rows: ScoredRows) -> Counted:
    """Rows by distinct score."""
    n = len(rows.pos) + len(rows.neg)
    if native.kernel is None:  # rows that came from elsewhere
        return count_rows(np.concatenate([rows.pos, rows.neg]), np.arange(n) < len(rows.pos))
    if not rows.sorted and _FEWER * len(rows.pos) <= len(rows.neg):  # numpy needs less room, and is quicker
        return count_classes(rows.pos, rows.neg)
    rising = sort(rows)
    score, pos, neg = np.empty(n), np.empty(n, np.uint32), np.empty(n, np.uint32)
    different = native.loaded().count(rising.pos, rising.neg, score, pos, neg)
    return _narrow_alike(_head(score, different), pos[:different], neg[:different])


def _head(buffer: Array, n: int) -> Array:
    """The first entries of a buffer; a copy if most of the buffer is empty, so that its memory can be freed."""
    return buffer[:n].copy() if 2 * n < len(buffer) else buffer[:n]


def _narrow_alike(score: FloatArray, pos: Counts, neg: Counts) -> Counted:
    """Both counts in the narrowest integer type that holds their sum, as from `count_rows`."""
    kind = np.min_scalar_type(int(np.max(pos + neg, initial=0)))
    return Counted(score, pos.astype(kind), neg.astype(kind))


def are_rare(rows: ScoredRows) -> bool:
    """Whether positives are so few that sorting only them is faster."""
    n_pos, n_neg = len(rows.pos), len(rows.neg)
    return not rows.sorted and 0 < _RARE * n_pos <= n_neg and n_pos + n_neg >= _FEW_ROWS


def corners_of_rare(rows: ScoredRows) -> Steps:
    """The corners, from sorted positives and the number of negatives between them."""
    falling = np.sort(rows.pos)[::-1]
    first = starts(falling)
    score = falling[first]
    kernel = native.loaded()

    def placed(part: slice) -> Counts:
        counts = np.zeros((len(score) + 1, 2), np.uint32)
        kernel.place(score, rows.neg[part], counts.ravel())
        return counts

    placements = native.at_once(*(partial(placed, part) for part in native.parts(len(rows.neg))))
    between, tied = sum(placements[1:], placements[0])[:-1].T
    tp = np.append(first[1:], len(falling))
    fp = np.cumsum(between + tied, dtype=np.int64)
    return Steps(tp, fp, narrow(np.diff(tp, prepend=0)), narrow(tied), len(rows.pos), len(rows.neg))


def corners_of_sorted(rows: ScoredRows) -> Steps:
    """The corners of two sorted classes."""
    n = len(rows.pos)
    tp, fp, tied = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(n, np.uint32)
    different = native.loaded().corners(rows.pos, rows.neg, tp, fp, tied)
    if different == n:
        return Steps(tp, fp, np.ones(n, np.uint8), _lean(tied), n, len(rows.neg))
    tp, fp = _head(tp, different), _head(fp, different)
    pos = tp.copy()
    pos[1:] -= tp[:-1]
    return Steps(tp, fp, _lean(pos), _lean(_head(tied, different)), n, len(rows.neg))


def _lean(counts: Counts) -> Counts:
    """Counts in the narrowest type, if that saves more than a moment's memory."""
    return counts if len(counts) < _FEW_ROWS else narrow(counts)
