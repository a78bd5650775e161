"""Reads Parquet, CSV and JSON lines, one file or many, through DuckDB with a memory limit."""

import math
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw

from baserate.errors import BaserateError, DataFileError, InputError, cut
from baserate.ingest import delimited, engine, parquet, paths, relations, texts
from baserate.ingest.collecting import AnyFrame, Fetched
from baserate.ingest.delimited import ColumnKind, Dialect
from baserate.ingest.engine import interrupts_wait
from baserate.ingest.paths import File
from baserate.ingest.relations import SqlTable
from baserate.ingest.request import Columns, Request
from baserate.ingest.sql import name as quoted
from baserate.results.sources import SourceFile, check_unchanged

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

# What DuckDB says of a value that was to be a number.
_NO_NUMBER = re.compile(r"""converting column "(.*?)"\. Could not convert string "(.*?)" to 'DOUBLE'""")
_NO_JSON_NUMBER = re.compile(r"Failed to cast value to numerical: (.*)")

# What DuckDB 2 says of text that is not UTF-8.
_NO_TEXT = "nanobind::str()"

_HEAD = 10_000  # rows that tell what a column may be
_SCORE = 250  # bytes that a score takes on its way into a curve
_SHORTEST_ROW = 3  # bytes of a file, at the least, with its end of line


class NotInParallel(DataFileError):
    """A CSV file that threads cannot read that begin in the midst of it: perhaps its quoted lines look like rows."""


class Options(NamedTuple):
    """Options for reading files."""

    memory_limit: str | None = None
    dialect: Dialect = Dialect()
    parallel: bool = True

    @classmethod
    def checked(cls, memory_limit: str | None, delimiter: object, decimal: object) -> "Options":
        """Check the caller's options."""
        return cls(memory_limit, delimited.dialect(delimiter, decimal))

    def check_unused(self) -> None:
        """Refuse options for files if the table is a dataframe."""
        if self.memory_limit is not None:
            raise InputError("memory_limit is for files, got a table; set the limit of the engine that holds it.")
        if self.dialect != Dialect():
            raise InputError("delimiter and decimal are for CSV files, got a table; leave them out.")


@dataclass(frozen=True)
class Files:
    """The table in one or more files."""

    table: "DuckDBPyRelation"
    collect: Callable[[AnyFrame], Fetched]
    text: Collection[str]  # columns that are text because the file knows nothing else
    length: int | None  # the number of rows, which Parquet knows without being read
    files: tuple[SourceFile, ...]
    format: str  # in words, with the dialect
    memory: int  # bytes that reading may take
    limits: parquet.Limits  # the least and largest scores, if Parquet says them

    @property
    def most_scores(self) -> int:
        """The number of scores that fit into the memory limit."""
        return max(self.memory // _SCORE, 1)

    def check_room(self, asked: Request, max_scores: int) -> None:
        """Refuse to keep every score if that would exceed the memory limit, before it is tried."""
        room = max(max_scores, self.most_scores)
        least_rows = sum(file.size for file in self.files) // _SHORTEST_ROW
        packed = any(paths.is_compressed(file.path) for file in self.files)
        if (self.length if self.length is not None else math.inf if packed else least_rows) <= room:
            return
        others = [*asked.keys, *(["label"] if asked.labelled else [])]
        cells = (", ".join(map(quoted, (score, *others))) for score in asked.scores)
        counted = " + ".join(f"approx_count_distinct(hash({columns}))" for columns in cells)
        relation = nw.to_native(asked.frame).aggregate(f"{counted} AS scores")
        scores = int(self.collect(nw.from_native(relation)).numbers("scores")[0])
        if scores > room:
            raise InputError(
                f"tolerance=0 keeps every score, and about {scores:,} scores need {scores * _SCORE / 1e9:.2g} GB, more "
                f"than memory_limit; raise memory_limit, or allow a tolerance."
            )


@dataclass(frozen=True)
class Column:
    """A column of a file, with up to three distinct numbers or bools among its first values."""

    name: str
    kind: ColumnKind
    values: tuple[object, ...]


@contextmanager
def opened(path: object, columns: Columns, options: Options) -> Iterator[Files]:
    """Open the table in a file, a folder, a pattern, or a list of files; temporary files are removed afterwards.

    Compressed files are first checked to be complete, which takes a pass over them.
    """
    given = paths.found(path)
    kind = _format(given, options)
    duckdb = engine.duckdb_module()
    before = tuple(SourceFile.of(file.path) for file in given)
    for file in given:
        if paths.is_compressed(file.path):
            paths.check_whole(file.path)
    with interrupts_wait():
        duckdb.ConstantExpression(0)  # the first one loads pandas, if it is installed
    with _connected(duckdb, given, kind, options) as (connection, files):
        with interrupts_wait():
            table = relations.table(connection, kind, files, columns, options.dialect, parallel=options.parallel)
            pages = parquet.chunks(connection, files, columns.names) if kind == "Parquet" else []
        parquet.check_pages(pages)
        relation = _with_times(connection, table, columns.time)
        with interrupts_wait():
            length = len(relation) if kind == "Parquet" else None
        written = {alias: texts.from_json for alias, column in columns.grouping.items() if column in table.json}
        memory = engine.memory(connection)
        words = kind if table.dialect is None else f"{kind}, {table.dialect}"
        collect, limits = partial(_collected, connection, written), parquet.limits(pages, columns.scores)
        yield Files(relation, collect, table.text, length, before, words, memory, limits)
        for one in before:
            check_unchanged(one)


def n_records(path: object, options: Options) -> int:
    """How many rows CSV files have, by Python."""
    by_layout = delimited.layouts(paths.found(path), options.dialect)
    return sum(delimited.n_records(file, layout) for layout, files in by_layout.items() for file in files)


@contextmanager
def _connected(duckdb: Any, given: list[File], kind: str, options: Options) -> Iterator[tuple[Any, list[File]]]:
    """A connection, and the files under names in which DuckDB sees no pattern."""
    files = given
    with ExitStack() as leftovers:
        with interrupts_wait():
            room = leftovers.enter_context(tempfile.TemporaryDirectory(prefix="baserate-", ignore_cleanup_errors=True))
            spill, links = os.path.join(room, "spill"), os.path.join(room, "links")
            connection = leftovers.enter_context(closing(engine.connected(duckdb, options.memory_limit, spill)))
        try:
            files = paths.named_plainly(given, links)
            yield connection, files
        except duckdb.OutOfMemoryException as error:
            raise BaserateError(
                f"memory_limit {options.memory_limit or engine.MEMORY_LIMIT} is too small for these files; raise it "
                f"or group by fewer columns."
            ) from error
        except (UnicodeDecodeError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and _NO_TEXT not in str(error):
                raise
            raise DataFileError(
                f"names in a file must be UTF-8, got others in {files[0].path!r}; write the file again."
            ) from error
        except duckdb.Error as error:
            said = _unreadable(files, kind, error)
            raise (NotInParallel(said) if kind == "CSV" and options.parallel else DataFileError(said)) from error
        finally:
            with interrupts_wait():
                leftovers.close()


def _format(files: Sequence[File], options: Options) -> str:
    kind = paths.format_of(files)
    if kind != "CSV" and options.dialect != Dialect():
        raise InputError(f"delimiter and decimal are for CSV files, got {kind}; leave them out.")
    return kind


def _with_times(connection: Any, table: SqlTable, time: str | None) -> "DuckDBPyRelation":
    """The table with times converted from text to timestamps."""
    relation: DuckDBPyRelation
    if time is None or time not in table.text:
        with interrupts_wait():
            relation = connection.sql(table.sql)
        return relation
    column = quoted(time)
    with interrupts_wait():
        some = connection.sql(f"SELECT {column} AS time FROM ({table.sql}) WHERE {column} IS NOT NULL LIMIT 1")
    times = engine.watched(connection, some)["time"].tolist()
    expression = texts.time_expression(time, str(times[0]) if times else None)
    with interrupts_wait():
        relation = connection.sql(f"SELECT * REPLACE ({expression} AS {column}) FROM ({table.sql})")
    return relation


def _collected(connection: Any, written: Mapping[str, Callable[[object], object]], frame: AnyFrame) -> Fetched:
    return Fetched(engine.watched(connection, nw.to_native(frame)), written)


# --- what the columns are -------------------------------------------------------------------------


def columns_of(path: object, options: Options | None = None) -> list[Column]:
    """The columns of files, from the first rows of the first file; no other rows are read."""
    options = (options or Options())._replace(parallel=False)  # a few rows are soon read
    given = paths.found(path)
    kind = _format(given, options)
    with _connected(engine.duckdb_module(), given[:1], kind, options) as (connection, files):
        columns = (_csv_columns if kind == "CSV" else _typed_columns)(connection, kind, files, options)
    return columns + [Column(key, "other", ()) for key, _ in given[0].parts]


def _typed_columns(connection: Any, kind: str, files: Sequence[File], _: Options) -> list[Column]:
    said = {"format": "newline_delimited"} if kind == "JSON lines" else {}
    with interrupts_wait():
        relation = connection.sql(f"SELECT * FROM {relations.read(kind, files, **said)}")
    kinds = {name: _kind(dtype) for name, dtype in nw.from_native(relation).collect_schema().items()}
    simple = [name for name, kind in kinds.items() if kind != "other"]
    some = relation.project(", ".join(map(quoted, simple))).limit(_HEAD) if simple else None
    head = Fetched({}) if some is None else Fetched(engine.watched(connection, some))
    return [Column(name, kind, _some(head, name) if name in simple else ()) for name, kind in kinds.items()]


def _kind(dtype: nw.dtypes.DType) -> ColumnKind:
    if isinstance(dtype, nw.Boolean):
        return "bool"
    return "whole" if dtype.is_integer() else "float" if dtype.is_float() else "other"


def _csv_columns(connection: Any, _: str, files: Sequence[File], options: Options) -> list[Column]:
    ((layout, _files),) = delimited.layouts(files, options.dialect).items()
    with interrupts_wait():
        relation = connection.sql(
            f"SELECT * FROM {relations.csv_source(layout, files, parallel=options.parallel)} LIMIT {_HEAD}"
        )
    columns = engine.watched(connection, relation).values()
    listed = []
    for name, values in zip(layout.header, columns, strict=True):
        kind, some = delimited.values_of(
            [value for value in dict.fromkeys(values.tolist()) if value is not None], layout
        )
        listed.append(Column(name, kind, some))
    return listed


def _some(head: Fetched, name: str) -> tuple[object, ...]:
    return tuple([value for value in head.distinct(name)[0] if value is not None][:3])


# --- what is wrong with them ----------------------------------------------------------------------


_DECIMAL_COMMA = "if the comma is the decimal sign, say decimal=','"


def _unreadable(files: Sequence[File], kind: str, error: Exception) -> str:
    said = str(error)
    blamed = [file.path for file in files if file.plain and file.plain in said] or [file.path for file in files]
    which = repr(blamed[0]) + (f" and {len(blamed) - 1:,} more" if len(blamed) > 1 else "")
    no_number, no_time = _no_number(said), texts.bad_time(said)
    if no_number is not None:
        advice = _DECIMAL_COMMA if re.match(r"'-?\d*,\d+'", no_number) else "name another column"
        return f"scores and weights must be numbers, got {no_number} of {which}; {advice}."
    if no_time is not None:
        return (
            f"times in text must be ISO 8601, such as 2026-05-31 or 2026-05-31 23:59:59, and all have a zone or none, "
            f"got {cut(no_time)!r} in {which}; write them in this form."
        )
    for file in files:
        said = said.replace(file.plain, file.path) if file.plain else said
    said = "; ".join(cut(line.strip(), 200) for line in said.splitlines()[:3] if line.strip())
    return f"cannot read {which} as {kind} ({said}); check the file."


def _no_number(said: str) -> str | None:
    in_csv, in_json = _NO_NUMBER.search(said), _NO_JSON_NUMBER.search(said)
    if in_csv:
        return f"{cut(in_csv[2])!r} in column {cut(in_csv[1])!r}"
    return f"{in_json[1]} in a line" if in_json else None
