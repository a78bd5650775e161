"""A request to a table: columns by role, checked, and the table with only these columns."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw

from baserate import checks
from baserate.checks import Label, did_you_mean
from baserate.curves.sampling import Clause
from baserate.errors import InputError, shown
from baserate.ingest import calendars, periods, texts
from baserate.ingest.collecting import AnyFrame, Fetched, asking, collected, exactly
from baserate.ingest.labelling import NOTHING_SAID, Labelling
from baserate.ingest.periods import Period
from baserate.ingest.sql import name as quoted

Collect = Callable[[AnyFrame], Fetched]


@dataclass(frozen=True)
class Columns:
    """Columns of a table by their role."""

    label: str | None  # None: there are no labels, and every row is counted as a negative
    scores: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    period: Period | None = None
    positive: Label | None = None
    labelling: Labelling = NOTHING_SAID  # a rule by which rows were sampled makes one more column to group by

    @property
    def names(self) -> set[str]:
        """All requested columns."""
        named = (self.label, *self.scores, self.weight, *self.by, self.time)
        return {name for name in named if name is not None}

    @property
    def numbers(self) -> set[str | None]:
        """The columns that must hold numbers."""
        return {*self.scores, self.weight}

    @property
    def grouping(self) -> dict[str, str]:
        """The columns to group by, by their names in a `Request`."""
        named = {} if self.label is None else {"label": self.label}
        return named | {f"key_{k}": name for k, name in enumerate(self.by)}

    @property
    def time(self) -> str | None:
        """The column of times."""
        return None if self.period is None else self.period.column


@dataclass(frozen=True)
class Request:
    """A table with the columns ``score_0``, ``score_1``, …, ``key_0``, …, perhaps ``label``, ``weight``, ``period``.

    Attributes
    ----------
    frame : narwhals frame
        The table.
    columns : Columns
        Their original names.
    whole_scores : tuple of bool
        Which scores are whole numbers, not all of which float64 represents.
    collect : callable
        A function that runs a query.
    text : collection of str
        Columns that are text because the format has no other type.
    length : int or None
        The number of rows, if it is known but not from the frame.
    limits : mapping
        The least and the largest score, by column, where the files say them.
    """

    frame: AnyFrame
    columns: Columns
    whole_scores: tuple[bool, ...]
    collect: Collect
    text: Collection[str] = ()
    length: int | None = None
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The columns to group by."""
        period = [] if self.columns.period is None else ["period"]
        return [*(f"key_{k}" for k in range(len(self.columns.by) + bool(self.columns.labelling.clauses))), *period]

    @property
    def scores(self) -> list[str]:
        """The columns of scores."""
        return [f"score_{k}" for k in range(len(self.columns.scores))]

    @property
    def labelled(self) -> bool:
        """Whether the table has labels."""
        return self.columns.label is not None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.columns.weight is not None

    @property
    def labels_are_text(self) -> bool:
        """Whether labels are text because the format has no other type."""
        return self.columns.label in self.text

    def named(self, keys: Sequence[Sequence[object]]) -> list[tuple[object, ...]]:
        """Keys from the engine with names of periods, and with whole numbers if text represents them."""
        columns = [list(column) for column in zip(*keys, strict=True)]
        for k, name in enumerate(self.columns.by[: len(columns)]):
            if name in self.text:
                columns[k] = texts.as_whole_numbers(columns[k])
        if self.columns.period is not None and columns:
            columns[-1] = _named_periods(columns[-1], self.columns.period)
        return list(zip(*columns, strict=True)) if columns else [tuple(key) for key in keys]


def request(
    table: object,
    columns: Columns,
    *,
    collect: Collect = collected,
    text: Collection[str] = (),
    length: int | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> Request:
    """Check the columns and select them."""
    frame = _frame(table)
    if columns.period is not None:
        frame = _with_known_times(frame, columns.period.column)
    with asking(frame):
        schema = frame.collect_schema()
    check_names(columns, list(schema.names()))
    for name in columns.scores:
        _check_numbers(schema[name], "score", name)
    with asking(frame):
        frame, plain = _with_plain_names(frame, schema.names(), sorted(columns.names))
    selected = [nw.col(plain[name]).cast(nw.Float64).alias(f"score_{k}") for k, name in enumerate(columns.scores)]
    for alias, name in columns.grouping.items():
        _check_single("label" if alias == "label" else "by", name, schema[name], frame)
        selected.append(nw.col(plain[name]).alias(alias))
    if columns.weight is not None:
        _check_numbers(schema[columns.weight], "weight", columns.weight)
        selected.append(nw.col(plain[columns.weight]).cast(nw.Float64).alias("weight"))
    if columns.period is not None:
        periods.check_time(columns.period, schema[columns.period.column])
        selected.append(nw.col(plain[columns.period.column]).alias("time"))
    frame = _selected(frame, selected)
    if columns.period is not None:
        frame = _with_period(frame, columns.period, schema[columns.period.column], collect)
    if columns.labelling.clauses:
        frame = frame.with_columns(_clause_of(columns.labelling.clauses, frame).alias(f"key_{len(columns.by)}"))
    whole_scores = tuple(schema[name].is_integer() for name in columns.scores)
    if columns.weight is not None:
        frame = _with_good_weights(frame)
    return Request(frame, columns, whole_scores, collect, text, length, limits or {})


def _frame(table: object) -> AnyFrame:
    frame = checks.narwhals_of(table)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"a table must be a dataframe, a relation of an engine or the path of a file, got "
            f"{type(table).__name__}; for arrays use Curve.from_scores(y_true, y_score)."
        )
    return frame


def _with_known_times(frame: AnyFrame, time: str) -> AnyFrame:
    """Convert nanoseconds: narwhals does not support those with a zone, and DuckDB 2 rounds when it takes a month."""
    if not frame.implementation.is_duckdb():
        return frame
    relation = nw.to_native(frame)
    kind = dict(zip(relation.columns, map(str, relation.types), strict=True)).get(time)
    if kind not in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS"):
        return frame
    shorter = texts.to_microseconds(time, with_zone=kind == "TIMESTAMPTZ_NS")
    with asking(frame):
        relation = relation.project(f"* REPLACE ({shorter} AS {quoted(time)})")
    return _frame(relation)


def _with_plain_names(frame: AnyFrame, known: Sequence[str], asked: Sequence[str]) -> tuple[AnyFrame, dict[str, str]]:
    """The table with requested columns renamed where an engine reads names as more than names, and the new names.

    DuckDB and Spark take "a.b" for the field b of a, DuckDB and Polars "*" for all columns.
    """
    engine, native = frame.implementation, nw.to_native(frame)
    plain = {name: f"baserate column {k}" for k, name in enumerate(asked)}
    if engine.is_duckdb():
        return _frame(native.project(", ".join(f"{quoted(name)} AS {quoted(plain[name])}" for name in asked))), plain
    if engine.is_spark_like():
        return _frame(native.toDF(*(plain.get(name, f"other column {k}") for k, name in enumerate(known)))), plain
    if engine.is_polars():
        return _frame(native.rename(plain)), plain
    return frame, {name: name for name in asked}


def _selected(frame: AnyFrame, columns: list[nw.Expr]) -> AnyFrame:
    try:
        return frame.select(*columns)
    except ValueError as error:  # pyarrow refuses these here, other engines let them pass
        raise InputError(
            f"scores and weights must fit in float64 without new ties, got some that do not ({error}); subtract an "
            f"offset or divide first."
        ) from None


def check_names(columns: Columns, known: list[str]) -> None:
    """Refuse columns that the table does not have."""
    wanted = [("label", columns.label)] if columns.label is not None else []
    wanted += [*(("score", score) for score in columns.scores), *(("by", column) for column in columns.by)]
    wanted += [("weight", columns.weight)] if columns.weight is not None else []
    wanted += [("the time of a period", columns.period.column)] if columns.period is not None else []
    for part, name in wanted:
        if name not in known:
            hint = did_you_mean(str(name), [str(column) for column in known])
            listed = ", ".join(str(column) for column in known[:20]) + ", …" * (len(known) > 20)
            advice = hint or f"its columns are {listed or 'none'}"
            raise InputError(f"{part} must be a column of the table, got {shown(name)}; {advice}.")
    if columns.label in columns.scores:
        raise InputError(f"label and score must be two columns, got {columns.label!r} for both.")


def _check_numbers(dtype: nw.dtypes.DType, part: str, name: str) -> None:
    if isinstance(dtype, nw.Decimal):
        # Engines round decimals to floats differently, and may make two of them equal.
        raise InputError(f"{part} must be floats or whole numbers, got decimals in {name!r}; cast them to float first.")
    if not (dtype.is_numeric() or isinstance(dtype, nw.Boolean)):
        raise InputError(f"{part} must be numbers, got {name!r} of type {dtype}; convert it to float first.")


def _check_single(part: str, name: str, dtype: nw.dtypes.DType, frame: AnyFrame) -> None:
    """Refuse values that hold others, and bytes. Objects of pandas may be numbers or text; those of Polars are not."""
    odd = dtype.is_nested() or isinstance(dtype, nw.Binary)
    odd = odd or (isinstance(dtype, nw.Object) and frame.implementation.is_polars())
    if part == "label" and (odd or dtype.is_temporal()):
        raise InputError(f"label must hold two classes, got {name!r} of type {dtype}; pass the column of labels.")
    if odd:
        raise InputError(
            f"{part} must be a column of numbers, text, bools or dates, got {name!r} of type {dtype}; choose another "
            f"column, or convert it to text."
        )


def _with_period(frame: AnyFrame, period: Period, dtype: nw.dtypes.DType, collect: Collect) -> AnyFrame:
    """The time of each row as the number of its period."""

    def ends() -> calendars.FirstAndLast | None:
        time = nw.col("time")
        found = collect(frame.select(time.min().alias("first"), time.max().alias("last")))
        if found.instant("first") is None:
            return None
        first, last = (periods.instant(found.instant(end)) for end in ("first", "last"))
        periods.check_span(first.date(), last.date(), period)
        return first, last

    try:
        return calendars.with_number(frame, period, dtype, ends)
    except Exception as error:
        if isinstance(error, InputError) or not periods.is_beyond(error):
            raise
        raise periods.beyond(period) from None


def _named_periods(numbers: Sequence[Any], period: Period) -> list[object]:
    """The names of periods by the numbers that came back; None where there is no time."""
    if calendars.BEYOND in numbers:
        raise periods.beyond(period)
    whole = [int(number) for number in numbers if number != calendars.NO_TIME]
    names = dict(zip(whole, periods.names(whole, period), strict=True))
    return [names.get(number) for number in numbers]


def _clause_of(clauses: Sequence[Clause], frame: AnyFrame) -> nw.Expr:
    """The place of the clause of a rule that each row falls under, by its score."""
    score, place = nw.col("score_0"), nw.lit(float(len(clauses) - 1))
    for k in reversed(range(len(clauses) - 1)):
        place = nw.when(score >= exactly(clauses[k].lowest, frame)).then(nw.lit(float(k))).otherwise(place)
    return place


def _with_good_weights(frame: AnyFrame) -> AnyFrame:
    """Weights with their squares; missing, nan and infinite weights become negative, which is refused later."""
    weight = nw.col("weight")
    good = ~weight.is_null() & weight.is_finite()
    frame = frame.with_columns(nw.when(good).then(weight).otherwise(nw.lit(-1.0)).alias("weight"))
    return frame.with_columns((weight * weight).alias("square"))
