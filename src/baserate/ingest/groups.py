"""One GROUP BY, from rows to cells. A cell has the total of the rows of one class, in one bucket, in one group.

A group has one score: each score of a table has groups of its own, and all of them are read in one query.

Few rows are fetched instead, which is faster than grouping in the engine; then each row is a cell.
"""

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from baserate import checks
from baserate.arrays import Array, BoolArray, FloatArray, Indices
from baserate.errors import DataFileError, InputError
from baserate.ingest.bucket_expressions import with_bucket
from baserate.ingest.collecting import AnyFrame, Fetched, exactly, indexed, marked
from baserate.ingest.request import Request
from baserate.ingest.sql import name as quoted

ScoreRange = tuple[float, float]

# In place of a number of bits: rows are told apart by the score itself.
EXACT = 64
# Likewise: rows are not even added up.
EACH_ROW = 65

# Above this, float64 cannot tell neighbouring whole numbers apart.
_LARGEST_EXACT_INTEGER = 2.0**53


class GroupedCounts(NamedTuple):
    """The cells as columns, with one entry per cell."""

    group: Indices
    positive: BoolArray
    bits: Array  # how fine its bucket is
    bucket: FloatArray  # the number of it; where it is exact, the score
    low: FloatArray  # the lowest score
    high: FloatArray
    rows: FloatArray
    weight: FloatArray | None = None
    square: FloatArray | None = None

    def some(self, which: BoolArray | Indices) -> "GroupedCounts":
        """Some of the cells."""
        if which.dtype == np.bool_ and which.all():
            return self
        return GroupedCounts(*(None if column is None else column[which] for column in self))  # type: ignore[arg-type]

    def joined(self, other: "GroupedCounts") -> "GroupedCounts":
        """The cells of both."""
        both = zip(self, other, strict=True)
        return GroupedCounts(*(None if a is None or b is None else np.concatenate([a, b]) for a, b in both))  # type: ignore[arg-type]


# The place of its score among those of the request, and the values of its keys.
Group = tuple[Any, ...]


class GroupPart(NamedTuple):
    """All rows of some groups: those of some scores, by their places, and of them the k-th of n shares."""

    scores: tuple[int, ...]
    k: int
    n: int


class TooManyCells(Exception):
    """There are more cells than allowed; use wider buckets."""


class GroupReader:
    """Queries a table for its cells, as often as needed, and remembers its groups and labels."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._is_positive: dict[object, bool] | None = None
        self.groups: dict[Group, int] = {}
        if not request.keys:  # they are there even if no row is
            self.groups = {(k,): k for k in range(len(request.scores))}
        self.unlabelled: Array = np.zeros(0)  # rows by group
        self.labelled: Array = np.zeros(0)
        self.each_row: GroupedCounts | None = None  # the rows with a label, if they were fetched one by one

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._request.weighted

    @property
    def n_scores(self) -> int:
        """The number of scores of each row."""
        return len(self._request.scores)

    def n_groups(self) -> int:
        """The number of groups of all scores, by a query of the keys only, unless it is known."""
        if self._is_positive is not None:
            return len(self.groups)
        of_each_score = 1
        if self._request.keys:
            grouped = self._request.frame.group_by(*self._request.keys).agg(nw.len().alias("rows"))
            answer = self._request.collect(grouped.select(nw.len().alias("groups")))
            of_each_score = int(answer.numbers("groups")[0])
        return of_each_score * len(self._request.scores)

    @property
    def lists_groups(self) -> bool:
        """Whether the engine puts the scores of each group into a list, in less time than it takes to add them up."""
        return bool(self._request.keys) and not self.weighted and self._request.frame.implementation.is_duckdb()

    def count(self, most: int) -> FloatArray | None:
        """The rows of each group, by a query without scores; None if there are more than `most` groups."""
        asked, n_scores = self._request, len(self._request.scores)
        counted = asked.frame.group_by(*asked.keys, *self._classes_of).agg(nw.len().alias("rows"))
        answer = asked.collect(counted.head(most + 1))
        answer = answer.stacked(["rows"] * n_scores, as_one="of_all", place="which")
        rows = answer.numbers("of_all")
        if len(rows) > most:
            return None
        groups, *_ = self._told(answer, rows)
        return np.bincount(groups, rows, minlength=len(self.groups)).astype(np.float64)

    @property
    def known_length(self) -> int | None:
        """The number of rows, of all scores together, if it is known without a query."""
        frame = self._request.frame
        length = len(frame) if isinstance(frame, nw.DataFrame) else self._request.length
        return None if length is None else length * len(self._request.scores)

    def read(self, bits: int, ranges: Sequence[ScoreRange] | None = None, *, most: int | None = None) -> GroupedCounts:
        """Read the cells of all rows, or of rows with scores in the ranges; at most `most` cells."""
        answer = self._ask(bits, ranges, most)
        seen = _seen(answer, each_row=bits == EACH_ROW, weighted=self._request.weighted)
        rows = seen["rows"]
        if most is not None and len(rows) > most:
            self._classes(self._labels(answer, len(rows))[0])  # more than two are the likeliest reason, and better said
            raise TooManyCells
        groups, positive, unlabelled = self._told(answer, rows)
        least_weight = seen.pop("least_weight", None)
        cells = GroupedCounts(groups, positive, np.full(len(rows), bits, np.int8), **seen)
        if unlabelled.any():
            cells = cells.some(~unlabelled)
        self._check(cells, None if least_weight is None else least_weight[~unlabelled])
        if bits == EACH_ROW:
            self.each_row = cells
        return cells

    def _told(self, answer: Fetched, rows: FloatArray) -> tuple[Indices, BoolArray, BoolArray]:
        """The group of each cell, whether it is positive, and whether it has no label; the first answer is kept."""
        labels, label = self._labels(answer, len(rows))
        groups = self._groups_of(answer, len(rows))
        unlabelled = np.array([value is None for value in labels], np.bool_)[label]
        if self._is_positive is None:
            self._is_positive = self._classes(labels)
            self.unlabelled = np.bincount(groups[unlabelled], rows[unlabelled], minlength=len(self.groups))
            self.labelled = np.bincount(groups, rows, minlength=len(self.groups)) - self.unlabelled
        unknown = set(labels) - self._is_positive.keys() - {None}
        if unknown:
            raise changed(f"the label {min(map(repr, unknown))} was not there before")
        return groups, np.array([self._is_positive.get(value, False) for value in labels], np.bool_)[label], unlabelled

    def listed(self, part: GroupPart) -> Iterator[tuple[int, FloatArray, FloatArray]]:
        """The groups of a part, each with the scores of its positives and of its negatives, in any order.

        The engine brings a list for each class of a group, which is quicker than to bring rows.
        """
        asked = self._request
        relation = nw.to_native(asked.frame)
        if part.n > 1:
            relation = relation.filter(f"hash({', '.join(asked.keys)}) % {part.n} = {part.k}")
        keys = ", ".join(map(quoted, [*asked.keys, *self._classes_of]))
        lists = ", ".join(f"list({asked.scores[place]}) AS list_{place}" for place in part.scores)
        query: AnyFrame = nw.from_native(relation.aggregate(f"{keys}, {lists}"))
        answer = asked.collect(query)
        for place in part.scores:
            yield from self._of_lists(answer.beside("which", place), answer.lists(f"list_{place}"))

    def _of_lists(self, answer: Fetched, lists: list[FloatArray]) -> Iterator[tuple[int, FloatArray, FloatArray]]:
        low, high = (np.array([end(scores) for scores in lists], np.float64) for end in (np.min, np.max))
        missing = np.isnan(low)  # in the whole list, if one is
        rows = [np.isnan(one).sum() if some else len(one) for one, some in zip(lists, missing, strict=True)]
        each = np.array(rows, np.float64)
        groups, positive, unlabelled = self._told(answer, each)
        cells = GroupedCounts(groups, positive, np.full(len(each), EACH_ROW, np.int8), low, low, high, each)
        self._check(cells.some(~unlabelled), None)
        by_group: dict[int, tuple[list[FloatArray], list[FloatArray]]] = {}
        for k in np.flatnonzero(~unlabelled).tolist():
            by_group.setdefault(int(groups[k]), ([], []))[not positive[k]].append(lists[k])
        nothing = np.zeros(0)
        for group, (pos, neg) in by_group.items():
            yield group, np.concatenate([nothing, *pos]), np.concatenate([nothing, *neg])

    def _ask(self, bits: int, ranges: Sequence[ScoreRange] | None, most: int | None) -> Fetched:
        asked = self._request
        if bits == EACH_ROW:
            weights = ["weight", "square"] if asked.weighted else []
            rows = asked.collect(asked.frame.select(*asked.keys, *self._classes_of, *asked.scores, *weights))
            return rows.stacked(asked.scores, as_one="score", place="which")
        if len(asked.scores) == 1:
            cells = self._cells(asked.frame.rename({"score_0": "score"}), bits, ranges)
        elif _reads_once(asked.frame):
            of_each = (asked.frame.with_columns(nw.col(name).alias("score")) for name in asked.scores)
            found = [self._cells(frame, bits, ranges) for frame in of_each]
            cells = _concatenated(
                [frame.with_columns(nw.lit(float(k)).alias("which")) for k, frame in enumerate(found)]
            )
        else:
            cells = self._cells(_one_below_another(asked.frame, asked.scores), bits, ranges, "which")
        if most is not None and isinstance(cells, nw.LazyFrame):
            cells = cells.head(most + 1)
        return asked.collect(cells)

    def _cells(self, frame: AnyFrame, bits: int, ranges: Sequence[ScoreRange] | None, *keys: str) -> AnyFrame:
        """The column ``score`` grouped by its buckets, by the keys of the request, and by more."""
        score = nw.col("score")
        if ranges is not None:
            ends = [(exactly(low, frame), exactly(high, frame)) for low, high in ranges]
            frame = frame.filter(reduce(or_, ((score >= low) & (score <= high) for low, high in ends)))
        frame = frame.with_columns(score.alias("bucket")) if bits == EXACT else with_bucket(frame, bits)
        sums = [nw.len().alias("rows"), score.min().alias("low"), score.max().alias("high")]
        if self._request.weighted:
            sums += [nw.col("weight").sum().alias("total"), nw.col("square").sum().alias("squares")]
            sums += [nw.col("weight").min().alias("least_weight")]
        return frame.group_by(*keys, *self._request.keys, *self._classes_of, "bucket").agg(*sums)

    # --- what the groups and the labels are ----------------------------------------------------------

    @property
    def _classes_of(self) -> list[str]:
        return ["label"] if self._request.labelled else []

    def _groups_of(self, answer: Fetched, length: int) -> Indices:
        of_score = ["which"] if len(self._request.scores) > 1 else []
        columns = [*of_score, *self._request.keys]
        if not columns:
            return np.zeros(length, np.intp)
        parts = [answer.distinct(column) for column in columns]
        values, sizes = [part for part, _ in parts], tuple(len(part) for part, _ in parts)
        if not length:
            return np.zeros(0, np.intp)
        code = np.ravel_multi_index([place for _, place in parts], sizes)
        n_codes = math.prod(sizes)
        few = n_codes <= max(length, 1000)  # so few that there may be a place for each
        codes = np.flatnonzero(marked(code, n_codes)) if few else np.unique(code)
        places = np.stack(np.unravel_index(codes, sizes), axis=1).tolist()
        found = [tuple(part[k] for part, k in zip(values, place, strict=True)) for place in places]
        groups: list[Group] = found if of_score else [(0, *key) for key in found]
        known = np.array([self.groups.setdefault(group, len(self.groups)) for group in groups], np.intp)
        return known[indexed(codes, n_codes)[code] if few else np.searchsorted(codes, code)]

    def _labels(self, answer: Fetched, length: int) -> tuple[list[object], Indices]:
        """The distinct labels, and the index of the label of each cell; without a label column, 0 for all."""
        return answer.distinct("label") if self._request.labelled else ([0], np.zeros(length, np.intp))

    def _classes(self, labels: list[object]) -> dict[object, bool]:
        """Which labels are positive, by the same rules as for arrays."""
        there = [label for label in labels if label is not None]
        columns = self._request.columns
        values = _typed(there, columns.positive) if self._request.labels_are_text else there
        is_positive = checks.labels(_column(values), columns.positive, f"the label {columns.label!r}")
        return dict(zip(there, is_positive.tolist(), strict=True))

    # --- what must not be there ----------------------------------------------------------------------

    def _check(self, cells: GroupedCounts, least_weight: FloatArray | None) -> None:
        columns = self._request.columns
        seen = {id(column): column for column in (cells.bucket, cells.low, cells.high)}.values()  # of a row all are one
        missing = reduce(or_, map(np.isnan, seen))
        if missing.any():
            score = self._score_of(cells)
            first = score[missing].min()
            rows = int(cells.rows[missing & (score == first)].sum())
            raise InputError(
                f"the score {columns.scores[first]!r} must have no missing values, got {rows:,} row{'s' * (rows > 1)} "
                f"{'with a label and ' * self._request.labelled}without a score; drop or fill them first."
            )
        for place in np.flatnonzero(self._request.whole_scores).tolist():
            self._check_whole(cells.some(self._score_of(cells) == place), columns.scores[place])
        for place, name in enumerate(columns.scores):
            if name in self._request.limits:
                self._check_within(cells.some(self._score_of(cells) == place), name)
        if least_weight is not None and (np.isnan(least_weight) | (least_weight < 0)).any():
            raise InputError(
                f"the weight {columns.weight!r} must be finite and not negative in every row, got some that are "
                f"missing, infinite or negative; drop or correct these rows."
            )

    def _check_within(self, cells: GroupedCounts, score: str) -> None:
        least, largest = self._request.limits[score]
        low, high = float(cells.low.min(initial=least)), float(cells.high.max(initial=largest))
        if low < least or high > largest:
            raise DataFileError(
                f"the score {score!r} must lie within {least:g} and {largest:g}, as the Parquet files say themselves, "
                f"got {low if low < least else high:g}; they are damaged: copy or write them again."
            )

    def _score_of(self, cells: GroupedCounts) -> Indices:
        """The place of the score of each cell."""
        return np.array([int(place) for place, *_ in self.groups], np.intp)[cells.group]

    @staticmethod
    def _check_whole(cells: GroupedCounts, score: str) -> None:
        largest = max(float(np.abs(column).max(initial=0)) for column in (cells.bucket, cells.low, cells.high))
        if largest >= _LARGEST_EXACT_INTEGER:  # which may have been the next whole number
            raise InputError(
                f"the score {score!r} must fit in float64 without new ties, got whole numbers up to {largest:,.0f}; "
                f"subtract an offset or divide first."
            )


def _reads_once(frame: AnyFrame) -> bool:
    """Whether a table is read once, however often a query names it."""
    engine = frame.implementation
    return isinstance(frame, nw.DataFrame) or engine.is_polars() or engine.is_dask()


def _concatenated(frames: list[AnyFrame]) -> AnyFrame:
    both: AnyFrame = nw.concat(frames)  # type: ignore[type-var]  # all of one kind
    return both


def _one_below_another(frame: AnyFrame, scores: Sequence[str]) -> AnyFrame:
    """Each row once for every score, as ``score``, beside the place of it, ``which``: the table is read once."""
    places = _concatenated([frame.head(1).select(nw.lit(float(k)).alias("which")) for k in range(len(scores))])
    score = nw.col(scores[-1])
    for k in range(len(scores) - 1):
        score = nw.when(nw.col("which") == float(k)).then(nw.col(scores[k])).otherwise(score)
    return frame.join(places, how="cross").with_columns(score.alias("score")).drop(*scores)  # type: ignore[arg-type]


def _seen(answer: Fetched, *, each_row: bool, weighted: bool) -> dict[str, FloatArray]:
    """The query result: each cell, or each row."""
    if not each_row:
        sums = {"weight": "total", "square": "squares", "least_weight": "least_weight"} if weighted else {}
        columns = {name: name for name in ("bucket", "low", "high", "rows")} | sums
        return {name: answer.numbers(column) for name, column in columns.items()}
    score = answer.numbers("score")
    rows = {"bucket": score, "low": score, "high": score, "rows": np.ones(len(score))}
    if not weighted:
        return rows
    weight = answer.numbers("weight")
    return rows | {"weight": weight, "square": answer.numbers("square"), "least_weight": weight}


def changed(how: str) -> InputError:
    """The error for a table that has changed between two passes."""
    return InputError(f"the table changed while it was read: {how}; read a copy of it.")


def _typed(texts: list[object], positive: object) -> list[object]:
    """Labels from a text file, as numbers or bools if all of them are."""
    if isinstance(positive, str):
        return texts
    try:
        return [float(str(text)) for text in texts]
    except ValueError:
        truth = {"true": True, "false": False}
        known = [truth.get(str(text).strip().lower()) for text in texts]
        return texts if None in known else list(known)


def _column(values: list[object]) -> Array:
    """The values as an object array, without conversion."""
    column = np.empty(len(values), object)
    column[:] = values
    return column
