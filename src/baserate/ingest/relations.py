"""Files as one table of DuckDB, with the requested columns of every file, matched by name."""

import glob
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from baserate.errors import DataFileError
from baserate.ingest import delimited
from baserate.ingest.delimited import Dialect, Layout
from baserate.ingest.paths import File
from baserate.ingest.request import Columns, check_names
from baserate.ingest.sql import literal, name, options, text

_READERS = {"Parquet": "read_parquet", "CSV": "read_csv", "JSON lines": "read_json"}
_JSON_LINES = {"format": "newline_delimited"}
# DuckDB sees no difference of case: of the columns "P" and "p" it calls the second "p_1".
_NUMBERED = re.compile(r".+_\d+", re.DOTALL)
_FILE = "baserate file"  # what DuckDB calls the file of a row; hardly a file has such a column


class SqlTable(NamedTuple):
    """A table as SQL, and the meaning of columns that their types do not show."""

    sql: str
    text: Collection[str] = ()  # text, because the file knows nothing else
    json: Collection[str] = ()  # values as JSON writes them
    dialect: Dialect | None = None


def table(
    connection: Any, kind: str, files: Sequence[File], columns: Columns, said: Dialect, *, parallel: bool = True
) -> SqlTable:
    """The requested columns of all files; each CSV file is read by one thread unless `parallel`."""
    if kind == "CSV":
        return _of_csv(files, columns, said, parallel)
    return (_of_parquet if kind == "Parquet" else _of_json)(connection, files, columns)


def read(kind: str, files: Iterable[File], **said: object) -> str:
    """The SQL function call that reads files of a format."""
    named = [glob.escape(file.plain) for file in files]
    return f"{_READERS[kind]}({literal(named)}{options(**{'hive_partitioning': False} | said)})"


# --- formats --------------------------------------------------------------------------------------


def _of_parquet(connection: Any, files: Sequence[File], columns: Columns) -> SqlTable:
    types = _parquet_types(connection, files, columns)
    _check_columns(dict(zip((file.path for file in files), types, strict=True)), files, columns)
    parts = _parts(files, columns)
    own = columns.names - parts.keys()
    different = [column for column in own if len({in_file[column] for in_file in types}) > 1]
    for column in different:
        _check_alike(column, [in_file[column][0] for in_file in types], files)
    # Unless it is told to look at all files, DuckDB gives every column the type that it has in the first one.
    said = {"union_by_name": True} if different else {}
    source = read("Parquet", files, **_told(parts), **said)
    return SqlTable(_selected(source, {column: name(column) for column in own} | parts), text=parts)


def _parquet_types(connection: Any, files: Sequence[File], columns: Columns) -> list[dict[str, tuple[str, ...]]]:
    """The columns of each file with their types; children of nested columns are not listed."""
    if len(files) == 1:
        relation = connection.sql(f"SELECT * FROM {read('Parquet', files)}")
        if not any(_NUMBERED.fullmatch(column) for column in relation.columns):
            return [{column: (str(kind),) for column, kind in zip(relation.columns, relation.types, strict=True)}]
    named = [glob.escape(file.plain) for file in files]
    connection.execute("SET preserve_insertion_order = true")
    rows = connection.sql(
        "SELECT file_name, name, num_children, type, converted_type, logical_type "
        f"FROM parquet_schema({literal(named)})"
    ).fetchall()
    connection.execute("SET preserve_insertion_order = false")
    types: dict[str, dict[str, tuple[str, ...]]] = {file.plain: {} for file in files}
    listed: dict[str, list[str]] = {file.plain: [] for file in files}
    for file, column, _, *kind in _top_level(rows):
        types[file][column] = tuple(map(str, kind))
        listed[file].append(column)
    for one in files:
        _check_case(listed[one.plain], columns, one)
    return list(types.values())


def _top_level(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The children of the root, in a tree listed depth first."""
    to_come: list[int] = []
    for row in rows:
        while to_come and to_come[-1] == 0:
            to_come.pop()
        if len(to_come) == 1:
            yield row
        if to_come:
            to_come[-1] -= 1
        if row[2]:
            to_come.append(row[2])


def _check_alike(column: str, stored: Sequence[str], files: Sequence[File]) -> None:
    """Refuse a column that is a number in one file and text in another; number types may differ."""
    alone = {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY", "None"}
    odd = next((k for k, one in enumerate(stored) if one != stored[0] and not alone.isdisjoint({one, stored[0]})), None)
    if odd is not None:
        raise DataFileError(
            f"a column must have one type in all files, got {column!r} as {stored[0]} in {files[0].path!r} and as "
            f"{stored[odd]} in {files[odd].path!r}; write these files alike."
        )


def _of_csv(files: Sequence[File], columns: Columns, said: Dialect, parallel: bool) -> SqlTable:
    layouts = delimited.layouts(files, said)
    _check_columns({files[0].path: layout.header for layout, files in layouts.items()}, files, columns)
    for layout, written in layouts.items():
        _check_unique(layout.header, columns, written[0])
    parts = _parts(files, columns)
    own = {column: name(column) for column in sorted(columns.names - parts.keys())}
    selects = [
        _selected(
            csv_source(layout, written, columns, parallel=parallel, **_told(parts)),
            {column: name(column) for column in own} | parts,
        )
        for layout, written in layouts.items()
    ]
    (first, *_) = layouts
    return SqlTable(" UNION ALL ".join(selects), text=columns.names, dialect=first.dialect)


def csv_source(layout: Layout, files: Sequence[File], columns: Columns | None = None, **said: object) -> str:
    """The SQL function call that reads files of one layout: numbers as numbers, all else as text."""
    asked = set() if columns is None else columns.names
    numbers = set() if columns is None else columns.numbers
    # Columns that nobody asked for may have any name, even the same, so they are called by their place.
    types = {
        column if column in asked else f"unasked {k}": "DOUBLE" if column in numbers else "VARCHAR"
        for k, column in enumerate(layout.header)
    }
    return read(
        "CSV",
        files,
        auto_detect=False,
        header=True,
        columns=types,
        delim=layout.dialect.delimiter,
        decimal_separator=layout.dialect.decimal,
        quote='"',
        escape='"',
        comment="",
        nullstr=list(delimited.NULLS),
        strict_mode=True,
        null_padding=False,
        ignore_errors=False,
        **said,
    )


def _of_json(connection: Any, files: Sequence[File], columns: Columns) -> SqlTable:
    parts = _parts(files, columns)
    own = columns.names - parts.keys()
    known = connection.sql(f"SELECT * FROM {read('JSON lines', files, **_JSON_LINES)}").columns
    if not own <= set(known):  # perhaps it comes later
        known = connection.sql(f"SELECT * FROM {read('JSON lines', files, **_JSON_LINES, sample_size=-1)}").columns
    # Columns are then read by their own names, so case matters.
    known = [*known, *(column for column in sorted(own) if any(_is_numbered(column, one) for one in known))]
    _check_columns({files[0].path: known}, files, columns)
    numbers, time = columns.numbers, columns.time
    types = {column: "DOUBLE" if column in numbers else "VARCHAR" if column == time else "JSON" for column in own}
    source = read("JSON lines", files, columns=types, **_JSON_LINES, **_told(parts))
    selected = _selected(source, {column: name(column) for column in own} | parts)
    in_json = [column for column, kind in types.items() if kind == "JSON"]
    return SqlTable(selected, text=[*parts, *(column for column in own if column == time)], json=in_json)


def _is_numbered(column: str, known: str) -> bool:
    """Whether DuckDB calls a column so because another one differs from it in case only."""
    return known.startswith(f"{column}_") and known[len(column) + 1 :].isdecimal()


def _selected(source: str, columns: Mapping[str, str]) -> str:
    return f"SELECT {', '.join(f'{value} AS {name(column)}' for column, value in columns.items())} FROM {source}"


# --- folders --------------------------------------------------------------------------------------


def _parts(files: Sequence[File], columns: Columns) -> dict[str, str]:
    """The requested keys of key=value folders, as SQL: of all their values, that of the file that a row is in."""
    numbers = columns.numbers
    number = f"CAST(regexp_extract({name(_FILE)}, '([0-9]+)[^/\\\\]*$', 1) AS INTEGER)"  # of a link
    parts = {}
    for k, (key, _) in enumerate(files[0].parts):
        if key in columns.names:
            if any(file.plain == file.path for file in files):
                raise DataFileError(
                    f"key=value folders need symbolic links, which this system refuses; store {key!r} as a column."
                )
            values = ", ".join(_part(file, k) for file in files)
            value = f"(CAST([{values}] AS VARCHAR[]))[{number} + 1]"
            parts[key] = f"CAST({value} AS DOUBLE)" if key in numbers else value
    return parts


def _part(file: File, k: int) -> str:
    key, value = file.parts[k]
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        raise DataFileError(
            f"values of key=value folders must be UTF-8, got {value!r} for {key!r}; rename the folder."
        ) from None
    return text(value)


def _told(parts: Collection[str]) -> dict[str, str]:
    """Have DuckDB say which file a row is in. Its own reading of key=value folders takes those above, too."""
    return {"filename": _FILE} if parts else {}


# --- names ----------------------------------------------------------------------------------------


def _check_columns(in_files: Mapping[str, Collection[str]], files: Sequence[File], columns: Columns) -> None:
    """Refuse a requested column unless it is in every file or in the names of the folders, but not in both."""
    _check_case(sorted(columns.names), columns, files[0])
    in_parts = dict(files[0].parts)
    somewhere = {column for names in in_files.values() for column in names}
    check_names(columns, [*dict.fromkeys(column for names in in_files.values() for column in names), *in_parts])
    for column in sorted(columns.names):
        if column in in_parts and column in somewhere:
            raise DataFileError(
                f"a column must be in the files or in the names of their folders, got {column!r} in both "
                f"({column}={in_parts[column]}); name the files one by one to take those in the files, or rename the "
                f"folders."
            )
        without = next((file for file, names in in_files.items() if column not in names), None)
        if without is not None and column not in in_parts:
            raise DataFileError(
                f"the file {without!r} has no column {column!r}, which others have; leave it out, or add the column."
            )


def _check_case(names: Sequence[str], columns: Columns, file: File) -> None:
    """Refuse a requested column that has a twin: DuckDB ignores case, and takes the first of them."""
    requested, seen = {column.casefold() for column in columns.names}, dict[str, str]()
    for column in names:
        folded = column.casefold()
        if folded in seen and folded in requested:
            raise DataFileError(
                f"columns of a file must differ by more than case, got {seen[folded]!r} and {column!r} in "
                f"{file.path!r}; rename one of them."
            )
        seen[folded] = column


def _check_unique(header: Sequence[str], columns: Columns, file: File) -> None:
    twice = next((column for column in sorted(columns.names) if header.count(column) > 1), None)
    if twice is not None:
        raise DataFileError(f"duplicate column {twice!r} in the header of {file.path!r}; rename one of them.")
