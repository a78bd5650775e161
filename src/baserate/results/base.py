"""The base of all results: rows, dataframes, JSON, text, notebook view and ``==``.

A result class has fields and a text (`_said`). Rows are made of its fields: one for each entry of its arrays, or a
single one without arrays. A class with other rows, such as one per group, overrides `_rows`.
"""

import math
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from baserate import notebook
from baserate.errors import InputError, Reason, printable, shown
from baserate.results import kept
from baserate.results.words import aligned, key_text
from baserate.written import PREVALENCES, Shown, one_in

Cell = str | float | None
Row = dict[str, Cell]
Backend = Literal["pandas", "polars", "pyarrow"]

_BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")

_LONGEST = 1e12  # whole numbers from here on are written with an exponent

# Of fields that are not arrays, those that stand in every row of a table, so that tables can be put below each other.
_IN_EVERY_ROW = ("metric", "prevalence")


class Said(NamedTuple):
    """The text of a result: a sentence, optionally with a table and sentences below it."""

    head: str
    heads: Sequence[str] = ()
    cells: Sequence[Sequence[str]] = ()
    foot: Sequence[str] = ()

    def __str__(self) -> str:
        table = [*([self.heads] if self.heads else []), *self.cells]
        return "\n".join([*([self.head] if self.head else []), *(aligned(table) if table else []), *self.foot])

    @property
    def harmless(self) -> "Said":
        """What it says with control characters escaped, because names in it may come from anywhere."""
        cells = [list(map(printable, row)) for row in self.cells]
        head = "\n".join(map(printable, self.head.split("\n")))
        return Said(head, list(map(printable, self.heads)), cells, list(map(printable, self.foot)))


@dataclass(frozen=True, eq=False)
class Result:
    """The base class of all results.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.results import Result
    >>> swept = br.sweep(br.precision, br.Point.from_rates(tpr=0.5, fpr=0.01), [0.5, 0.01])
    >>> swept.rows()[0]["prevalence"]
    0.5
    >>> list(swept.frame("pandas"))
    ['metric', 'prevalence', 'value']
    >>> Result.from_json(swept.to_json()) == swept
    True
    """

    # Names of fields to draw in a notebook: across, height, and the ends of a band if there is one.
    _drawn: ClassVar[tuple[str, ...]] = ()

    def rows(self) -> list[Row]:
        """The result as a list of dicts with text, numbers and None.

        ``pd.DataFrame(result.rows())`` makes a table of them.
        """
        return self._rows()

    def row(self) -> Row:
        """The only row of the result; an error if it has several."""
        rows = self.rows()
        if len(rows) != 1:
            raise InputError(f"row is for results of one row, got {len(rows):,} rows; call rows.")
        return rows[0]

    def frame(self, backend: Backend | None = None) -> Any:
        """The rows as a dataframe.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library of the dataframe; by default the first of these already imported, else installed.
        """
        return frame_of(columns_of(self.rows()), backend)

    def to_json(self) -> str:
        """The result as JSON, which `from_json` reads; the fields, nan and infinity are kept as they are."""
        return kept.written(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON of `to_json`; ``Result.from_json`` reads every result class."""
        result = kept.read(text, {one.__name__: one for one in result_classes()})
        if not isinstance(result, cls):
            kind = type(result).__name__
            raise InputError(
                f"{cls.__name__}.from_json needs the JSON of {cls.__name__}, got that of {kind}; use {kind}.from_json."
            )
        return result

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    def __hash__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self))
        return hash((type(self), *(value for value in values if isinstance(value, (str, int)))))

    def __str__(self) -> str:
        return str(self._said().harmless)

    def _repr_html_(self) -> str:
        said = self._said().harmless
        heads, cells = (said.heads, said.cells) if said.cells else _shown(self.rows())
        picture = notebook.sparkline(*(getattr(self, name) for name in self._drawn)) if self._drawn else ""
        return notebook.view(said.head, heads, cells, said.foot, picture)

    def _said(self) -> Said:
        raise NotImplementedError(f"{type(self).__name__} must say something")

    def _rows(self) -> list[Row]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = {name: value.tolist() for name, value in values.items() if isinstance(value, np.ndarray)}
        if not arrays:
            return [{name: cell(value) for name, value in values.items()}]
        common = {name: cell(values[name]) for name in _IN_EVERY_ROW if name in values and name not in arrays}
        return [common | dict(zip(arrays, entries, strict=True)) for entries in zip(*arrays.values(), strict=True)]


def result_classes(of: type[Result] = Result) -> list[type[Result]]:
    """All result classes."""
    return [subclass for one in of.__subclasses__() for subclass in (one, *result_classes(one))]


def cell(value: object) -> Cell:
    """A value as a cell of a table."""
    if isinstance(value, Reason):
        return value.value
    if isinstance(value, np.generic):
        return cell(value.item())
    if isinstance(value, Shown):
        return float(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def with_key(name: str, key: Hashable, row: Row) -> Row:
    """The row of a group, its key first; keys that are neither text nor numbers are written as text."""
    first: Row = {name: key if isinstance(key, (str, int, float)) else key_text(key)}
    return first | row


def columns_of(rows: Sequence[Mapping[str, Cell]]) -> dict[str, list[Cell]]:
    """Rows with the same keys as columns."""
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def frame_of(columns: Mapping[str, list[Cell]], backend: Backend | None) -> Any:
    """Columns as a dataframe of the library that is wanted, or that is there."""
    import narwhals as nw

    whole = {name: _of_one_kind(column) for name, column in columns.items()}
    return nw.from_dict(whole, backend=_backend(backend)).to_native()


def _backend(asked: Backend | None) -> Backend:
    """The given dataframe library, or one that is imported or installed."""
    if isinstance(asked, str) and asked in _BACKENDS:
        return asked
    if asked is not None:
        raise InputError(
            f"backend must be one of {', '.join(_BACKENDS)}, got {shown(asked)}; pass one of them or nothing."
        )
    imported = (name for name in _BACKENDS if name in sys.modules)
    installed = (name for name in _BACKENDS if find_spec(name) is not None)
    library = next(imported, None) or next(installed, None)
    if library is None:
        raise InputError("a frame must be one of pandas, polars or pyarrow, got none installed; use rows instead.")
    return library


def _of_one_kind(column: list[Cell]) -> list[Cell]:
    """A column of one type, numbers or text, as dataframes require."""
    kinds = {str if isinstance(one, str) else float for one in column if one is not None}
    return column if len(kinds) < 2 else [None if one is None else str(one) for one in column]


def _same(one: object, other: object) -> bool:
    """Whether two fields are equal; nan equals nan, and arrays are compared entry by entry."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        numbers = one.dtype.kind == other.dtype.kind == "f"
        return bool(np.array_equal(one, other, equal_nan=numbers))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(map(_same, one.values(), other.values()))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def _shown(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """Column heads and cells, without columns that are all None."""
    heads = [name for name, column in columns_of(rows).items() if any(one is not None for one in column)]
    return heads, [[_text(name, row[name]) for name in heads] for row in rows]


def _text(name: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return printable(str(value))
    if name in PREVALENCES:
        return one_in(value)
    whole = float(value).is_integer() and abs(value) < _LONGEST
    return f"{value:,.0f}" if whole else f"{value:.4g}"
