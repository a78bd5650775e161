"""Curves of tables of which only some rows were sampled for labelling.

Labelled rows and others are counted by two queries, by score within each stratum. Labelled rows are few, so all their
scores are kept; of many others buckets are enough, because only their number and the ends of their stratum are used.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import narwhals.stable.v2 as nw

from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.sampling import check_few, check_inclusion, check_share, inclusion_name
from baserate.curves.strata import Stratum, no_rows
from baserate.curves.table import CountTable
from baserate.errors import InputError
from baserate.ingest.collecting import exactly
from baserate.ingest.groups import EACH_ROW, EXACT, GroupReader, TooManyCells
from baserate.ingest.labelling import Labelling
from baserate.ingest.passes import curves_of, gather
from baserate.ingest.request import Request

# How fine the buckets of rows without a label are; coarser if groups are many.
_BITS = (12, 8, 4, 0)


class OfGroup(NamedTuple):
    """The curve of a score and a group, and how many of its rows have a label or none."""

    score: str
    key: tuple[object, ...]
    curve: Curve
    labelled: int
    unlabelled: int


def sampled_groups(asked: Request, tolerance: float, max_scores: int) -> list[OfGroup]:
    """The curve of each score and group; the stratum is the last of the columns to group by."""
    labelling = asked.columns.labelling
    place = len(asked.columns.by) - (not labelling.clauses)
    groups: dict[tuple[str, tuple[object, ...]], dict[object, list[Counted]]] = {}
    if not asked.columns.by[:place] and asked.columns.period is None:  # they are there even if no row is
        groups = {(score, ()): {} for score in asked.columns.scores}
    for which, part in enumerate(_parts(asked)):
        reader = GroupReader(part)
        curves = _labelled(reader, tolerance, max_scores) if which == 0 else _others(reader, max_scores)
        keys = asked.named([key for _, *key in reader.groups])
        for (score, *_), key, curve in zip(reader.groups, keys, curves, strict=True):
            assert isinstance(curve.table, CountTable)
            group = groups.setdefault((asked.columns.scores[int(score)], key[:place] + key[place + 1 :]), {})
            group.setdefault(key[place], [no_rows(), no_rows()])[which] = curve.table.counted
    _check_strata({stratum for by_stratum in groups.values() for stratum in by_stratum}, labelling)
    return [_of_group(*score_and_key, by_stratum, labelling) for score_and_key, by_stratum in groups.items()]


def _parts(asked: Request) -> tuple[Request, Request]:
    """The rows with a label, and the others, of which only the score is asked."""
    label = nw.col("label")
    missing = label.is_null()
    if asked.frame.collect_schema()["label"].is_float():  # engines compare nan differently, but it is never within
        low, high = (exactly(end, asked.frame) for end in (-math.inf, math.inf))
        missing = missing | ~((label >= low) & (label <= high))
    others = asked.frame.filter(missing).drop("label")
    return (
        replace(asked, frame=asked.frame.filter(~missing)),
        replace(asked, frame=others, columns=replace(asked.columns, label=None)),
    )


def _labelled(reader: GroupReader, tolerance: float, max_scores: int) -> list[Curve]:
    length = reader.known_length
    if length is None or length > max_scores:
        try:
            return curves_of(reader.read(EXACT, most=max_scores), reader)
        except TooManyCells:
            pass
    return gather(reader, tolerance, max_scores)


def _others(reader: GroupReader, max_scores: int) -> list[Curve]:
    length = reader.known_length
    if length is not None and length <= max_scores:
        return curves_of(reader.read(EACH_ROW), reader)
    for bits in _BITS:
        try:
            return curves_of(reader.read(bits, most=max_scores), reader)
        except TooManyCells:
            continue
    raise InputError(
        f"a table must give at most {max_scores:,} groups of rows, got more; group by fewer columns or longer periods."
    )


def _check_strata(found: set[object], labelling: Labelling) -> None:
    """Refuse rows without a stratum, probabilities that are none, and too many of them."""
    if None in found:
        raise InputError(
            f"{labelling.column!r} must say of every row how it was sampled, got rows without a value; fill them."
        )
    if labelling.inclusion is not None:
        check_inclusion([_number(one) for one in found])
    check_few(len(found), "inclusion" if labelling.inclusion is not None else "stratum")


def _of_group(
    score: str, key: tuple[object, ...], by_stratum: dict[object, list[Counted]], labelling: Labelling
) -> OfGroup:
    strata = [_stratum(stratum, both, labelling) for stratum, both in by_stratum.items()]
    sizes = (sum(getattr(one, name) for one in strata) for name in ("n_labelled", "n_unlabelled"))
    return OfGroup(score, key, Curve._of_strata(strata), *sizes)


def _stratum(value: object, both: Sequence[Counted], labelling: Labelling) -> Stratum:
    """A stratum; one that contradicts the share that was declared is refused."""
    if labelling.clauses:
        clause = labelling.clauses[int(_number(value))]
        name, share = clause.name, clause.share
    elif labelling.inclusion is not None:
        share = _number(value)
        name = inclusion_name(share)
    else:
        return Stratum(str(value), *both)
    stratum = Stratum(name, *both)
    check_share(stratum, share)
    return stratum


def _number(value: object) -> float:
    return float(str(value))
