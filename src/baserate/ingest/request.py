"""A request to a table: columns by role, checked, and the table with only these columns."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw

from baserate.checks import Label, did_you_mean
from baserate.errors import InputError
from baserate.ingest import periods, texts
from baserate.ingest.collecting import Answer, AnyFrame, asking, collected
from baserate.ingest.periods import Calendar, Period
from baserate.ingest.sql import name as quoted

Collect = Callable[[AnyFrame], Answer]


@dataclass(frozen=True)
class Columns:
    """Columns of a table by their role."""

    label: str | None  # None: there are no labels, and every row is counted as a negative
    score: str
    weight: str | None = None
    keys: tuple[str, ...] = ()
    period: Period | None = None
    positive: Label | None = None

    @property
    def names(self) -> set[str]:
        """All requested columns."""
        return {name for name in (self.label, self.score, self.weight, *self.keys, self.time) if name is not None}

    @property
    def grouping(self) -> dict[str, str]:
        """The columns to group by, by their names in a `Request`."""
        named = {} if self.label is None else {"label": self.label}
        return named | {f"key_{k}": name for k, name in enumerate(self.keys)}

    @property
    def time(self) -> str | None:
        """The column of times."""
        return None if self.period is None else self.period.column


@dataclass(frozen=True)
class Request:
    """A table with only the columns ``score``, if given ``label`` and ``weight``, and the keys ``key_0``, ``key_1``, ….

    Attributes
    ----------
    frame : narwhals frame
        The table.
    columns : Columns
        Their original names.
    whole_scores : bool
        Whether scores are whole numbers, not all of which float64 represents.
    calendar : Calendar or None
        The periods of the last key, which is their index.
    collect : callable
        A function that runs a query.
    text : collection of str
        Columns that are text because the format has no other type.
    length : int or None
        The number of rows, if it is known but not from the frame.
    """

    frame: AnyFrame
    columns: Columns
    whole_scores: bool
    calendar: Calendar | None
    collect: Collect
    text: Collection[str] = ()
    length: int | None = None

    @property
    def keys(self) -> list[str]:
        """The columns to group by."""
        return [f"key_{k}" for k in range(len(self.columns.keys) + (self.calendar is not None))]

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

    def named(self, keys: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
        """Keys from the engine with names of periods, and with whole numbers if text represents them."""
        columns = [list(column) for column in zip(*keys, strict=True)]
        for k, name in enumerate(self.columns.keys[: len(columns)]):
            if name in self.text:
                columns[k] = texts.as_whole_numbers(columns[k])
        if self.calendar is not None and columns:
            columns[-1] = [self.calendar.name(int(place)) for place in columns[-1]]
        return list(zip(*columns, strict=True)) if columns else list(keys)


def request(
    table: object,
    columns: Columns,
    *,
    collect: Collect = collected,
    text: Collection[str] = (),
    length: int | None = None,
) -> Request:
    """Check the columns and select them."""
    frame = _frame(table)
    if columns.period is not None:
        frame = _with_known_times(frame, columns.period.column)
    with asking(frame):
        schema = frame.collect_schema()
    check_names(columns, list(schema.names()))
    _check_numbers(schema[columns.score], "score", columns.score)
    selected = [nw.col(columns.score).cast(nw.Float64).alias("score")]
    if columns.label is not None:
        selected.append(_label(columns.label, schema[columns.label]))
    selected += [nw.col(name).alias(f"key_{k}") for k, name in enumerate(columns.keys)]
    if columns.weight is not None:
        _check_numbers(schema[columns.weight], "weight", columns.weight)
        selected.append(nw.col(columns.weight).cast(nw.Float64).alias("weight"))
    if columns.period is not None:
        periods.check_time(columns.period, schema[columns.period.column])
        selected.append(nw.col(columns.period.column).alias("time"))
    frame = _selected(frame, selected)
    calendar = None
    if columns.period is not None:
        calendar = _calendar(frame, columns.period, schema[columns.period.column], collect)
        place = calendar.place(frame.implementation).alias(f"key_{len(columns.keys)}")
        frame = frame.with_columns(place).drop("time")
    whole_scores = schema[columns.score].is_integer()
    if columns.weight is not None:
        frame = _with_good_weights(frame)
    return Request(frame, columns, whole_scores, calendar, collect, text, length)


def _frame(table: object) -> AnyFrame:
    frame = nw.from_native(table, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"a table must be a dataframe, a relation of an engine or the path of a file, got "
            f"{type(table).__name__}; for arrays use Curve.from_scores(y_true, y_score)."
        )
    return frame


def _with_known_times(frame: AnyFrame, time: str) -> AnyFrame:
    """Convert nanoseconds with a zone, a type of DuckDB 2 that narwhals does not support."""
    if not frame.implementation.is_duckdb():
        return frame
    relation = nw.to_native(frame)
    if dict(zip(relation.columns, map(str, relation.types), strict=True)).get(time) != "TIMESTAMPTZ_NS":
        return frame
    with asking(frame):
        relation = relation.project(f"* REPLACE ({texts.to_microseconds(time)} AS {quoted(time)})")
    return _frame(relation)


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
    wanted += [("score", columns.score), *(("a key", key) for key in columns.keys)]
    wanted += [("weight", columns.weight)] if columns.weight is not None else []
    wanted += [("the time of a period", columns.period.column)] if columns.period is not None else []
    for part, name in wanted:
        if name not in known:
            hint = did_you_mean(str(name), [str(column) for column in known])
            listed = ", ".join(str(column) for column in known[:20]) + ", …" * (len(known) > 20)
            advice = hint or f"its columns are {listed or 'none'}"
            raise InputError(f"{part} must be a column of the table, got {name!r}; {advice}.")
    if columns.label == columns.score:
        raise InputError(f"label and score must be two columns, got {columns.score!r} for both.")


def _check_numbers(dtype: nw.dtypes.DType, part: str, name: str) -> None:
    if isinstance(dtype, nw.Decimal):
        # Engines round decimals to floats differently, and may make two of them equal.
        raise InputError(f"{part} must be floats or whole numbers, got decimals in {name!r}; cast them to float first.")
    if not (dtype.is_numeric() or isinstance(dtype, nw.Boolean)):
        raise InputError(f"{part} must be numbers, got {name!r} of type {dtype}; convert it to float first.")


def _label(name: str, dtype: nw.dtypes.DType) -> nw.Expr:
    if dtype.is_nested() or dtype.is_temporal():
        raise InputError(f"label must hold two classes, got {name!r} of type {dtype}; pass the column of labels.")
    return nw.col(name).alias("label")


def _calendar(frame: AnyFrame, period: Period, dtype: nw.dtypes.DType, collect: Collect) -> Calendar:
    time = nw.col("time")
    try:
        ends = collect(frame.select(time.min().alias("first"), time.max().alias("last")))
        return periods.calendar(ends.instant("first"), ends.instant("last"), period, dtype)
    except Exception as error:
        if isinstance(error, InputError) or not periods.is_beyond(error):
            raise
        raise periods.beyond(period) from None


def _with_good_weights(frame: AnyFrame) -> AnyFrame:
    """Weights with their squares; missing, nan and infinite weights become negative, which is refused later."""
    weight = nw.col("weight")
    good = ~weight.is_null() & weight.is_finite()
    frame = frame.with_columns(nw.when(good).then(weight).otherwise(nw.lit(-1.0)).alias("weight"))
    return frame.with_columns((weight * weight).alias("square"))
