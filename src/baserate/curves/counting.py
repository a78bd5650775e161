"""Counts rows by score with numpy: ``(scores, labels, weights) -> score, pos, neg``, highest distinct score first.

`rows` does the same with the compiled kernel and must agree with it; without the kernel, this is what counts.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import Array, BoolArray, Counts, FloatArray, Indices


class Counted(NamedTuple):
    """Positives and negatives by distinct score, highest score first.

    An entry may also be a bucket: rows with scores from `score` to `top`, whose order is lost. Buckets do not overlap,
    so the cumulative counts at each `score` are exact.
    """

    score: FloatArray
    pos: Counts
    neg: Counts
    pos_squares: FloatArray | None = None  # sums of squared weights, where rows are weighted
    neg_squares: FloatArray | None = None
    top: FloatArray | None = None  # the highest score of each bucket, where there are buckets


def count_rows(scores: FloatArray, positive: BoolArray) -> Counted:
    """Count unweighted rows.

    Values are sorted, never indices: all scores once, then those of the rarer class, which are located among the
    distinct ones. Counts are stored in the narrowest integer type that holds them, one byte without ties.
    """
    rarer_is_positive = 2 * np.count_nonzero(positive) <= len(positive)
    rarer = np.negative(scores[positive if rarer_is_positive else ~positive])
    keys, rare, common = _by_key(np.negative(scores), rarer)
    return Counted(keys, rare, common) if rarer_is_positive else Counted(keys, common, rare)


def count_classes(pos: FloatArray, neg: FloatArray) -> Counted:
    """Count unweighted rows that are split by class."""
    rarer, common = sorted((pos, neg), key=len)
    scores = np.empty(len(pos) + len(neg))
    np.negative(rarer, out=scores[: len(rarer)])
    np.negative(common, out=scores[len(rarer) :])
    keys, rare, others = _by_key(scores, np.negative(rarer))
    return Counted(keys, rare, others) if rarer is pos else Counted(keys, others, rare)


def _by_key(keys: FloatArray, rarer: FloatArray) -> tuple[FloatArray, Counts, Counts]:
    """The scores, the rarer rows and the others at each, from negated scores of all rows and of the rarer ones.

    Both arrays are overwritten.
    """
    keys.sort()
    rarer.sort()
    new = _begins(keys)
    all_counts: Counts
    if new.all():
        all_counts = np.ones(len(keys), np.uint8)
        rare_counts = np.zeros(len(keys), np.uint8)
        rare_counts[np.searchsorted(keys, rarer)] = 1
    else:
        first = np.flatnonzero(new)
        all_counts = narrow(np.diff(first, append=len(keys)))
        keys = keys[first]
        rare_counts = np.bincount(np.searchsorted(keys, rarer), minlength=len(keys)).astype(all_counts.dtype)
    return _unnegated(keys), rare_counts, all_counts - rare_counts


def count_weighted_rows(scores: FloatArray, positive: BoolArray, weight: FloatArray) -> Counted:
    """Sum the weights, and their squares, of the rows at each distinct score."""
    keys = np.negative(scores)
    order = _by_key_and_weight(keys, weight)
    keys, positive, weight = keys[order], positive[order], weight[order]
    first = starts(keys)
    place = np.repeat(np.arange(len(first)), np.diff(first, append=len(keys)))
    keys = keys[first]

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(place, weights=values, minlength=len(keys)).astype(np.float64, copy=False)

    pos_weight, neg_weight = np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)
    counted = Counted(
        _unnegated(keys), summed(pos_weight), summed(neg_weight), summed(pos_weight**2), summed(neg_weight**2)
    )
    return _without_empty(counted)


def _by_key_and_weight(keys: FloatArray, weight: FloatArray) -> Indices:
    """A canonical order of rows, because sums of floats depend on the order.

    If a sample shows that most scores are distinct, rows are sorted by weight only within ties.
    """
    some = keys[:1024]
    if 2 * len(np.unique(some)) < len(some):
        return np.lexsort((weight, keys))
    order = np.argsort(keys)
    same = np.zeros(len(keys) + 1, np.bool_)
    np.equal(keys[order[1:]], keys[order[:-1]], out=same[1:-1])
    tied = same[1:] | same[:-1]
    among = order[tied]
    order[tied] = among[np.lexsort((weight[among], keys[among]))]
    return order


def merge_counts(counted: Counted) -> Counted:
    """Sort counts by score and add up repeated scores; overlapping buckets become one.

    The result does not depend on what was merged first: the buckets of all parts together cover some stretches of
    the score axis, and these stretches are the buckets of the whole.
    """
    check_totals(counted)
    counted = _without_empty(counted)  # first, as an empty bucket must not join others
    top = counted.score if counted.top is None else counted.top
    keys = np.negative(top)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    if counted.top is None:
        first = starts(keys)
    else:
        lowest_yet = np.minimum.accumulate(counted.score[order])
        first = np.flatnonzero(np.append(True, -keys[1:] < lowest_yet[:-1])[: len(keys)])

    def summed(values: Counts) -> Counts:
        ordered = values[order]
        if len(first) == len(ordered):  # no two are at one score
            return ordered
        return np.add.reduceat(ordered.astype(np.float64 if values.dtype.kind == "f" else np.int64), first)

    pos, neg = summed(counted.pos), summed(counted.neg)
    pos_squares, neg_squares = (
        None if squares is None else summed(squares).astype(np.float64)
        for squares in (counted.pos_squares, counted.neg_squares)
    )
    top = _unnegated(keys[first])
    if counted.top is None:
        return Counted(top, narrow(pos), narrow(neg), pos_squares, neg_squares)
    score = lowest_yet[np.append(first, len(keys))[1:] - 1] + 0.0
    exact = np.array_equal(score, top)
    return Counted(score, narrow(pos), narrow(neg), pos_squares, neg_squares, None if exact else top)


def merge_counts_by_group(counted: Counted, group: Indices, n_groups: int) -> list[Counted]:
    """Merge the counts of each group, as `merge_counts` does, but sort all of them at once; for rows without weights.

    No entry may be empty.
    """
    order = np.argsort(narrow(group), kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))
    top = (counted.score if counted.top is None else counted.top)[order]
    lowest_yet = counted.score[order]
    for part in (slice(begin, end) for begin, end in pairwise(ends.tolist())):
        falling = np.argsort(np.negative(top[part]))  # whole numbers add up to the same in any order
        order[part], top[part] = order[part][falling], top[part][falling]
        lowest_yet[part] = np.minimum.accumulate(lowest_yet[part][falling])
    new = np.ones(len(order), np.bool_)
    np.less(top[1:], lowest_yet[:-1], out=new[1:])
    new[ends[:-1][np.diff(ends) > 0]] = True
    first = np.flatnonzero(new)
    pos, neg = counted.pos[order], counted.neg[order]
    if len(first):
        pos, neg = np.add.reduceat(pos, first), np.add.reduceat(neg, first)
    top, score = top[first] + 0.0, lowest_yet[np.append(first[1:], len(order))[: len(first)] - 1] + 0.0
    return [
        _without_top(Counted(score[part].copy(), narrow(pos[part]), narrow(neg[part]), top=top[part].copy()))
        for part in (slice(begin, end) for begin, end in pairwise(np.searchsorted(first, ends).tolist()))
    ]


def _without_top(counted: Counted) -> Counted:
    """Counts without the highest scores of buckets, if no entry is a bucket."""
    return counted._replace(top=None) if np.array_equal(counted.score, counted.top) else counted  # type: ignore[arg-type]


def check_totals(counted: Counted) -> None:
    """Refuse counts whose total does not fit into the integers used."""
    for name, column in (("pos", counted.pos), ("neg", counted.neg)):
        if column.dtype.kind == "f":
            checks.weights_fit(column, name)
        else:
            checks.cases_fit(column, name)


def narrow(counts: Counts) -> Counts:
    """Whole numbers in the narrowest unsigned integer that holds them; sums of weights as they are."""
    if counts.dtype.kind == "f":
        return counts
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def starts(sorted_keys: Array) -> Indices:
    """The index at which each run of equal keys begins."""
    return np.flatnonzero(_begins(sorted_keys))


def _begins(sorted_keys: Array) -> BoolArray:
    """Which keys begin a run of equal ones."""
    new = np.ones(len(sorted_keys), np.bool_)
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=new[1:])
    return new


def _unnegated(keys: FloatArray) -> FloatArray:
    """The scores with -0.0 replaced by 0.0, since they are equal."""
    np.negative(keys, out=keys)
    keys += 0.0
    return keys


def _without_empty(counted: Counted) -> Counted:
    """Remove scores with no weight, so that a row of weight zero counts like no row."""
    used = (counted.pos > 0) | (counted.neg > 0)
    if used.all():
        return counted
    return Counted(*(None if column is None else column[used] for column in counted))  # type: ignore[arg-type]  # pos stays
