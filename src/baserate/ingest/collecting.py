"""Query results of an engine as plain columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from baserate import checks
from baserate.arrays import Array, BoolArray, FloatArray, Indices
from baserate.errors import BaserateError, InputError

AnyFrame = nw.DataFrame[Any] | nw.LazyFrame[Any]

# Whole numbers up to here are counted by place, in any type that holds them.
_SMALL = 2.0**31


class Fetched:
    """The result of a query, as columns in memory.

    `written` has functions that parse the values of some columns, by column. Columns in `times` are meant so many times
    over, each time below the one before.
    """

    def __init__(
        self,
        columns: dict[str, Array | list[object]],
        written: Mapping[str, Callable[[object], object]] | None = None,
        times: Mapping[str, int] | None = None,
    ) -> None:
        self._columns = columns
        self._written = written or {}
        self._times = times or {}

    def numbers(self, name: str) -> FloatArray:
        """A column as floats, nan where it is null."""
        numbers = self._numbers(name)
        return np.tile(numbers, self._times[name]) if name in self._times else numbers

    def _numbers(self, name: str) -> FloatArray:
        column = self._columns[name]
        if isinstance(column, list):
            return np.array([np.nan if value is None else value for value in map(_plain, column)], np.float64)
        return _floats(column)

    def stacked(self, names: Sequence[str], *, as_one: str, place: str) -> "Fetched":
        """Some columns of numbers as one, each below the one before, beside the place of each; all others repeat."""
        n = len(names)
        others = {name: column for name, column in self._columns.items() if name not in names}
        numbers = [self.numbers(name) for name in names]
        one = numbers[0] if n == 1 else np.concatenate(numbers)
        columns = others | {as_one: one, place: np.repeat(np.arange(n), len(numbers[0]))}
        return Fetched(columns, self._written, dict.fromkeys(others, n) if n > 1 else {})

    def lists(self, name: str) -> list[FloatArray]:
        """A column of lists of numbers, nan where one is null."""
        return [_floats(np.asanyarray(numbers)) for numbers in self._columns[name]]

    def beside(self, name: str, value: float) -> "Fetched":
        """With one more column, which has this value everywhere."""
        length = len(next(iter(self._columns.values())))
        return Fetched(self._columns | {name: np.full(length, value)}, self._written, self._times)

    def instant(self, name: str) -> object:
        """The only value of a column of times, to the microsecond; None if it is null."""
        column = self._columns[name]
        if isinstance(column, np.ndarray) and column.dtype.kind == "M":
            return _python_times(column)[0]
        return _plain(column[0])

    def distinct(self, name: str) -> tuple[list[object], Indices]:
        """The distinct values of a column, None for null and nan, and the index of each row's value."""
        values, place = self._distinct(name)
        return values, np.tile(place, self._times[name]) if name in self._times else place

    def _distinct(self, name: str) -> tuple[list[object], Indices]:
        column = self._columns[name]
        if isinstance(column, np.ndarray) and column.dtype.kind == "M":
            _check_microseconds(column)
            column = _python_times(column)
        if isinstance(column, list) or column.dtype.kind not in "biuf":
            column = column.tolist() if isinstance(column, np.ndarray) else column
            try:
                seen = {value: k for k, value in enumerate(dict.fromkeys(column))}
                place = np.fromiter(map(seen.__getitem__, column), np.intp, len(column))
            except TypeError:
                raise not_single(column) from None
            if any(isinstance(value, bytes | tuple) for value in seen):
                raise not_single(seen)
            values = [_plain(self._written.get(name, _plain)(value)) for value in seen]
        else:
            known, missing = np.ma.getdata(column), np.ma.getmaskarray(column)
            rising, place = _ranked(known, missing)
            values = list(map(_plain, rising.tolist()))
            if missing.any():
                place, values = np.where(missing, len(rising), place), [*values, None]
        different = {value: k for k, value in enumerate(dict.fromkeys(values))}
        return list(different), np.array([different[value] for value in values], np.intp)[place]


def collected(frame: AnyFrame) -> Fetched:
    """Run the query."""
    with asking(frame):
        if isinstance(frame, nw.LazyFrame):
            native: Any = nw.to_native(frame)
            if frame.implementation.is_duckdb():
                return Fetched(native.fetchnumpy())  # without pyarrow, which DuckDB does not need
            frame = frame.collect()
        return Fetched({name: _column(frame[name]) for name in frame.columns})


def exactly(value: float, frame: AnyFrame) -> nw.Expr:
    """A number for an expression, exactly: SQL may round a decimal literal of Ibis, so it is passed as text."""
    return nw.lit(repr(value)).cast(nw.Float64) if frame.implementation.is_ibis() else nw.lit(value)


@contextmanager
def asking(frame: AnyFrame) -> Iterator[None]:
    """Turn errors of an engine into an error of this library, with the original as cause."""
    try:
        yield
    except (BaserateError, MemoryError):
        raise
    except Exception as error:
        said = next((line.strip() for line in str(error).splitlines() if line.strip()), "nothing")
        raise BaserateError(
            f"{frame.implementation.name.lower()} failed with {type(error).__name__} ({said}); its own error is the "
            f"cause of this one."
        ) from error


def _floats(column: Array) -> FloatArray:
    """Numbers as floats, nan where they are masked."""
    numbers = np.ma.getdata(column).astype(np.float64, copy=False)
    if isinstance(column, np.ma.MaskedArray) and column.mask.any():
        return np.where(column.mask, np.nan, numbers)
    return numbers


def _column(series: "nw.Series[Any]") -> Array | list[object]:
    if series.dtype.is_numeric() and not isinstance(series.dtype, nw.Decimal) and series.null_count() == 0:
        return series.to_numpy()
    return series.to_list()


def not_single(values: Iterable[object]) -> InputError:
    """What to say of labels or keys that are no single values, such as lists in a column of objects."""
    kinds = sorted({type(value).__name__ for value in values})
    return InputError(
        f"labels and keys must be numbers, text, bools or dates of one kind, got {', '.join(kinds)}; choose another "
        f"column, or convert it to text."
    )


def _ranked(numbers: Array, missing: BoolArray) -> tuple[Array, Indices]:
    """The different numbers that are there, rising, and the index of each; that of a missing one has no meaning."""
    there = numbers[~missing] if missing.any() else numbers
    if len(there) == len(numbers) > 0 and numbers.dtype.kind in "iuf":
        low, high = float(numbers.min()), float(numbers.max())
        if max(-low, high) < _SMALL and high - low < len(numbers):  # never true of nan
            above = numbers.astype(np.intp) - int(low)  # wide first: differences of narrow numbers may not fit
            if numbers.dtype.kind != "f" or np.array_equal(above + low, numbers):
                known = np.flatnonzero(marked(above, int(high - low) + 1))
                return (known + low).astype(numbers.dtype), indexed(known, int(high - low) + 1)[above]
    rising = np.unique(there)
    return rising, np.searchsorted(rising, numbers)  # quicker than np.unique knows it


def marked(places: Indices, n: int) -> BoolArray:
    """Which of n places occur."""
    there = np.zeros(n, np.bool_)
    there[places] = True
    return there


def indexed(places: Indices, n: int) -> Indices:
    """The index of each of n places among some of them, rising; 0 for others."""
    index = np.zeros(n, np.intp)
    index[places] = np.arange(len(places))
    return index


def _python_times(column: Array) -> list[object]:
    """Times as Python's own types; numpy would return nanoseconds, and times outside of the calendar, as integers."""
    times = column.astype("datetime64[us]").tolist()
    if any(isinstance(time, int) for time in times):
        raise OverflowError("a time lies outside the years 1 to 9999")
    return list(times)


def _check_microseconds(column: Array) -> None:
    data = np.ma.getdata(column)
    rounded = data.astype("datetime64[us]").astype(data.dtype)
    if ((rounded != data) & ~np.isnat(data) & ~np.ma.getmaskarray(column)).any():
        raise InputError(
            "times that are keys must be whole microseconds, got some that are not; round them, or split them "
            "into periods."
        )


def _plain(value: object) -> object:
    """None for nan, NaT and pandas.NA; otherwise Python's own type instead of that of numpy or pandas."""
    if checks.is_missing(value):
        return None
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    return value.item() if isinstance(value, np.generic) else value
