"""Curves of many groups from all of their scores, which an engine lists sooner than it sorts them into buckets.

A bucket costs an engine as much as many rows, and buckets of small groups hold few rows. So the scores are fetched, one
part of the groups after another. If there are more than may be kept, neighbouring scores of negatives become one entry
where they are in one bucket. Areas stay exact: they need the order of negatives only as far as positives divide them.
"""

import math
from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.counting import Counted, count_classes, narrow
from baserate.curves.curve import Curve
from baserate.ingest.bucket_expressions import bucket_of
from baserate.ingest.groups import GroupPart, GroupReader

# With so many rows for each bucket of a fine look, there are few groups, and buckets are quicker.
_FINE, _ROWS_OF_A_BUCKET = 16, 16

# Scores that are fetched at once, and shares of the groups of one score. Which groups are in a share is left to chance,
# so shares differ in size: one may be so many standard deviations larger than expected.
_AT_ONCE = 12_000_000
_MOST_PARTS = 4
_DEVIATIONS = 3

# Buckets are as many as fill so much of the room, if all of them occur.
_FILLED = 0.6


def bits_for(n_groups: int, max_scores: int) -> int:
    """How fine buckets may be, so that there is room for those of all groups."""
    return int(np.log2(max(max_scores / _FILLED / n_groups, 1)))


def curves_by_group(reader: GroupReader, max_scores: int) -> list[Curve] | None:
    """A curve per group, with exact areas; None if another way is quicker or needs less room."""
    rows = reader.count(max_scores) if reader.lists_groups else None
    if rows is None or not rows.sum() or len(rows) * 2**_FINE * _ROWS_OF_A_BUCKET <= rows.sum():
        return None
    parts = _parts(rows, reader.n_scores, min(max_scores, _AT_ONCE))
    if not parts:
        return None
    bits = bits_for(len(rows), max_scores) if rows.sum() > max_scores else None
    curves = [Curve.from_counts([], pos=[], neg=[])] * len(rows)
    seen = kept = 0
    for part in parts:
        for group, pos, neg in reader.listed(part):
            counted = count_classes(pos, neg)
            curves[group] = Curve._of(counted if bits is None else _condensed(counted, min(bits, _FINE)))
            kept += len(curves[group])
            seen += len(pos) + len(neg)
        if kept / max(seen, 1) * rows.sum() > max_scores:
            return None
    return [
        replace(curve, unlabelled=int(unlabelled)) for curve, unlabelled in zip(curves, reader.unlabelled, strict=True)
    ]


def _parts(rows: FloatArray, n_scores: int, at_once: int) -> list[GroupPart]:
    """All scores together if they fit, else one after another, each in shares of its groups if it is too large."""
    scores = range(n_scores)
    if rows.sum() <= at_once:
        return [GroupPart(tuple(scores), 0, 1)]
    rows = rows[: len(rows) // n_scores]  # of one score
    for n in range(1, _MOST_PARTS + 1):
        if rows.sum() / n + _DEVIATIONS * math.sqrt((rows**2).sum() * (1 - 1 / n) / n) <= at_once:
            return [GroupPart((score,), k, n) for score in scores for k in range(n)]
    return []


def _condensed(counted: Counted, bits: int) -> Counted:
    """Counts with neighbouring scores of negatives only as one entry, if they are in one bucket."""
    score, pos, neg = counted.score, counted.pos, counted.neg
    bucket, some = bucket_of(score, bits), pos > 0
    new = np.ones(len(score), np.bool_)
    new[1:] = (bucket[1:] != bucket[:-1]) | some[1:] | some[:-1]
    first = np.flatnonzero(new)
    neg = np.add.reduceat(neg.astype(np.int64), first)
    top, low = score[first], score[np.append(first[1:], len(score)) - 1]
    return Counted(low, pos[first], narrow(neg), top=None if np.array_equal(low, top) else top)
