"""Rows of which only some are labelled: counts by score within each stratum, and the weighted counts they amount to.

Within a stratum, the labelled rows are a random sample of all its rows. So each of them stands for as many rows as the
stratum has for each label (Horvitz & Thompson 1952; by the groups of a screening test it is the estimator of Begg &
Greenes 1983).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baserate import checks
from baserate.arrays import Counts, FloatArray
from baserate.curves.counting import Counted, merge_counts
from baserate.curves.table import CountTable, _running
from baserate.errors import InputError
from baserate.formulas.pointwise import Confusion
from baserate.written import percent

# Labelled shares of one stratum that differ by more standard errors were not sampled by the same rule.
_TOO_FAR = 6.0


@dataclass(frozen=True, eq=False)
class Stratum:
    """Rows that were sampled for labelling in the same way.

    Attributes
    ----------
    name : str
        Its name; strata of the same name are added up.
    labelled : Counted
        Positives and negatives by score.
    unlabelled : Counted
        Rows without a label by score: they are in its `neg`, whatever their class.
    """

    name: str
    labelled: Counted
    unlabelled: Counted

    @cached_property
    def n_pos(self) -> int:
        """Positives that were found."""
        return int(self.labelled.pos.sum(dtype=np.int64))

    @cached_property
    def n_labelled(self) -> int:
        """Rows with a label."""
        return self.n_pos + int(self.labelled.neg.sum(dtype=np.int64))

    @cached_property
    def n_unlabelled(self) -> int:
        """Rows without a label."""
        return int(self.unlabelled.neg.sum(dtype=np.int64))

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.n_labelled + self.n_unlabelled

    @property
    def weight(self) -> float:
        """Rows that a labelled one stands for; infinite if none is labelled."""
        return self.n_rows / self.n_labelled if self.n_labelled else math.inf

    @property
    def missing(self) -> bool:
        """Whether it has rows, but none of them is labelled."""
        return self.n_unlabelled > 0 and self.n_labelled == 0

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Its lowest and its highest score."""
        parts = [counted for counted in (self.labelled, self.unlabelled) if len(counted.score)]
        tops = (one.score[0] if one.top is None else one.top[0] for one in parts)
        return min(float(one.score[-1]) for one in parts), max(map(float, tops))

    def weighted(self) -> Counted:
        """The labelled rows, each with the weight of the rows it stands for."""
        score, pos, neg, _, _, top = self.labelled
        w = self.weight
        return Counted(score, pos * w, neg * w, pos * (w * w), neg * (w * w), top)

    def copies(self, times: int) -> "Stratum":
        """The stratum of so many copies of every row."""
        tables = (
            one._replace(pos=one.pos.astype(np.int64) * times, neg=one.neg.astype(np.int64) * times)
            for one in (self.labelled, self.unlabelled)
        )
        return Stratum(self.name, *tables)

    def __str__(self) -> str:
        return f"{self.name}: {self.n_labelled:,} of {self.n_rows:,} rows labelled, {self.n_pos:,} positive"


def merged(strata: Iterable[Stratum]) -> tuple[Stratum, ...]:
    """Strata by name, those of the same name added up; those without rows are left out."""
    by_name: dict[str, list[Stratum]] = {}
    for stratum in strata:
        if stratum.n_rows:
            by_name.setdefault(stratum.name, []).append(stratum)
    whole = (_added(several) for several in by_name.values())
    return tuple(sorted(whole, key=lambda one: (-one.ends[1], one.name)))


def _added(several: Sequence[Stratum]) -> Stratum:
    if len(several) == 1:
        return several[0]
    _check_alike(several)
    return Stratum(
        several[0].name,
        merge_counts(joined([one.labelled for one in several])),
        merge_counts(joined([one.unlabelled for one in several])),
    )


def _check_alike(several: Sequence[Stratum]) -> None:
    """Refuse parts of a stratum that were sampled at different rates: weights of the whole would be wrong for each."""
    rows = np.array([one.n_rows for one in several], np.float64)
    labelled = np.array([one.n_labelled for one in several], np.float64)
    rate = labelled.sum() / rows.sum()
    error = np.sqrt(rate * (1 - rate) * rows)
    off = np.abs(labelled - rate * rows)
    if (off > _TOO_FAR * error + 1).any():
        shares = ", ".join(percent(share) for share in labelled / rows)
        raise InputError(
            f"a stratum must have been sampled at one rate, got {several[0].name!r} with {shares} of its rows "
            f"labelled in different parts; give the parts different names."
        )


def joined(several: Sequence[Counted]) -> Counted:
    """The entries of several tables of counts, one after the other; `merge_counts` adds them up."""
    tops = [part.score if part.top is None else part.top for part in several]
    bucketed = any(part.top is not None for part in several)
    return Counted(
        np.concatenate([part.score for part in several]),
        np.concatenate([part.pos for part in several]),
        np.concatenate([part.neg for part in several]),
        _squares([part.pos_squares for part in several]),
        _squares([part.neg_squares for part in several]),
        np.concatenate(tops) if bucketed else None,
    )


def _squares(several: Sequence[FloatArray | None]) -> FloatArray | None:
    known = [squares for squares in several if squares is not None]
    return np.concatenate(known) if len(known) == len(several) else None


def no_rows() -> Counted:
    """Counts of no rows."""
    return Counted(np.zeros(0), np.zeros(0, np.uint8), np.zeros(0, np.uint8))


class SampledTable(CountTable):
    """Weighted counts by score of rows of which only some are labelled.

    If a stratum has no labels at all, class sizes are unknown, and so are counts at thresholds at or below its highest
    score.
    """

    def __init__(self, strata: tuple[Stratum, ...]) -> None:
        self.strata = strata
        known = [one.weighted() for one in strata if not one.missing]
        counted = merge_counts(joined(known)) if known else Counted(*(np.zeros(0),) * 5)
        self.unknown_from = max((one.ends[1] for one in strata if one.missing), default=-math.inf)
        self.partly_unknown = any(one.missing for one in strata)
        if self.partly_unknown and self.unknown_from not in counted.score:  # a threshold between labelled rows is known
            counted = _with_entry_at(self.unknown_from, counted)
        super().__init__(counted)
        if self.partly_unknown:
            self.total_pos = self.total_neg = math.nan

    @property
    def said(self) -> str:
        """How many rows are labelled, in words."""
        labelled, rows = (sum(getattr(one, name) for one in self.strata) for name in ("n_labelled", "n_rows"))
        n = len(self.strata)
        return f"{labelled:,} of {rows:,} rows labelled in {n} strat{'a' if n > 1 else 'um'}"

    def labelled(self) -> CountTable:
        """The counts as those of weighted rows, without the strata that they come from."""
        return CountTable(self.counted)

    def cumulative(self) -> tuple[Counts, Counts]:
        """Cumulative sums of the estimated counts, from the highest score down; nan where rows are unknown."""
        pos, neg = (_running(column) for column in (self.counted.pos, self.counted.neg))
        if self.partly_unknown:
            unknown = self.score <= self.unknown_from
            pos, neg = np.where(unknown, np.nan, pos), np.where(unknown, np.nan, neg)
        return pos, neg

    def remaining(self) -> tuple[Counts, Counts]:
        """Cumulative sums below each threshold; nan if rows are unknown."""
        if self.partly_unknown:
            return np.full(len(self), np.nan), np.full(len(self), np.nan)
        return super().remaining()

    def confusion_at(self, row: int) -> Confusion[float]:
        """The estimated counts at one threshold; nan where rows are unknown."""
        tp, fn, fp, tn = super().confusion_at(row)
        if not self.partly_unknown:
            return Confusion(tp, fn, fp, tn)
        if row >= 0 and self.score[row] <= self.unknown_from:
            tp = fp = math.nan
        return Confusion(tp, math.nan, fp, math.nan)


def _with_entry_at(score: float, counted: Counted) -> Counted:
    """Counts with one more entry, of no rows."""
    place = int(np.searchsorted(-counted.score, -score))
    entry = (score, 0.0, 0.0, 0.0, 0.0, score)
    columns = (
        None if column is None else np.insert(column, place, value)
        for column, value in zip(counted, entry, strict=True)
    )
    return Counted(*columns)  # type: ignore[arg-type]  # those of weighted rows


def columns_of(strata: Sequence[Stratum]) -> dict[str, Counts]:
    """Strata as columns, as they are saved; `stratum` and `unlabelled_stratum` count from 0."""
    columns: dict[str, Counts] = {}
    for prefix, tables in (
        ("", [one.labelled for one in strata]),
        ("unlabelled_", [one.unlabelled for one in strata]),
    ):
        whole = joined([table._replace(top=table.score if table.top is None else table.top) for table in tables])
        columns[f"{prefix}score"], columns[f"{prefix}neg"] = whole.score, whole.neg
        if not prefix:
            columns["pos"] = whole.pos
        if whole.top is not None and not np.array_equal(whole.top, whole.score):
            columns[f"{prefix}top"] = whole.top
        columns[f"{prefix}stratum"] = np.repeat(np.arange(len(strata), dtype=np.uint16), [len(t.score) for t in tables])
    return columns


def strata_from(columns: Mapping[str, Counts], facts: Mapping[str, object]) -> list[Stratum]:
    """Strata from their saved columns, checked like other input."""
    names = json.loads(str(facts["strata"]))
    tables: list[list[Counted]] = []
    for prefix in ("", "unlabelled_"):
        score = checks.numbers(columns[f"{prefix}score"], "score")
        top = checks.not_below(checks.numbers(columns.get(f"{prefix}top", score), "top"), "top", score, "score")
        neg = checks.counts(columns[f"{prefix}neg"], "neg")
        pos = np.zeros(len(neg), np.int64) if prefix else checks.counts(columns["pos"], "pos")
        of = checks.counts(columns[f"{prefix}stratum"], "stratum")
        for name, column in (("pos", pos), ("neg", neg), ("stratum", of)):
            checks.same_length(score, "score", column, name)
        parts = (Counted(score[of == k], pos[of == k], neg[of == k], top=top[of == k]) for k in range(len(names)))
        tables.append([merge_counts(part) for part in parts])
        if len(of) and of.max() >= len(names):
            raise InputError(f"stratum must be below the number of names, got {of.max()}; save the curve again.")
    return [Stratum(str(name), *both) for name, *both in zip(names, *tables, strict=True)]
