"""Files to tables: Parquet, CSV and JSON lines, many at once, through DuckDB in a stated amount of memory."""

import glob
import gzip
import os
import re
import signal
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import narwhals.stable.v2 as nw

from baserate.errors import BaserateError, DataFileError, InputError
from baserate.ingest.collecting import Answer, AnyFrame
from baserate.progress import ProgressLine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

T = TypeVar("T")

MEMORY_LIMIT = "512MB"

# What DuckDB says of a CSV whose column was to be numbers.
_NO_NUMBER = re.compile(r"""converting column "(.*?)"\. Could not convert string "(.*?)" to 'DOUBLE'""")

_FORMATS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".json": "JSON lines",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
}
_COMPRESSED = ".gz"
_NULLS = ["", "NA", "N/A", "n/a", "null", "NULL", "None", "nan", "NaN"]
_CHUNK = 2**20  # bytes looked at together
_POLLING = 0.1  # seconds between two looks at how far a query is
_HEAD = 10_000  # rows that tell what a column may be


@dataclass(frozen=True)
class Files:
    """A table in files: what `Curve` makers need of it."""

    table: "DuckDBPyRelation"
    collect: Callable[[AnyFrame], Answer]
    labels_are_text: bool
    length: int | None  # the number of rows, which Parquet knows without being read


@dataclass(frozen=True)
class Column:
    """A column of a file, and up to three different numbers or bools among its first values."""

    name: str
    kind: Literal["bool", "whole", "float", "other"]
    values: tuple[object, ...]


def is_path(table: object) -> bool:
    """Whether something names files rather than being a table."""
    if isinstance(table, list | tuple):
        return bool(table) and all(isinstance(part, str | os.PathLike) for part in table)
    return isinstance(table, str | os.PathLike)


@contextmanager
def opened(
    path: object, *, numbers: Iterable[str], label: str, memory_limit: str | None, head_only: bool = False
) -> Iterator[Files]:
    """The table in a file, a folder, a pattern, or a list of files; gone, with all it left on disk, afterwards.

    `numbers` and `label` are read as what they are from CSV, where a column has no type of its own. Compressed files
    are checked for being whole, which takes a pass over them, unless only the head of the table is wanted.
    """
    found = _found(path)
    kind = _format(found)
    duckdb = _duckdb()
    if not head_only:
        for file in found:
            if file.lower().endswith(_COMPRESSED):
                _check_whole(file)
        with _interrupts_wait():
            duckdb.ConstantExpression(0)  # the first one loads pandas, if it is installed
    with ExitStack() as leftovers:
        with _interrupts_wait():
            spill = leftovers.enter_context(tempfile.TemporaryDirectory(prefix="baserate-", ignore_cleanup_errors=True))
            connection = leftovers.enter_context(closing(_connected(duckdb, memory_limit or MEMORY_LIMIT, spill)))
        try:
            with _interrupts_wait():
                table = _relation(connection, kind, found, set(numbers), label)
                length = len(table) if kind == "Parquet" and not head_only else None
            yield Files(table, lambda frame: _watched(connection, frame), kind == "CSV", length)
        except duckdb.Error as error:
            raise _unreadable(found, kind, error) from None
        finally:
            with _interrupts_wait():
                leftovers.close()


def columns_of(path: object, *, memory_limit: str | None = None) -> list[Column]:
    """The columns of files as their first rows show them; the rest is not read."""
    with opened(path, numbers=(), label="", memory_limit=memory_limit, head_only=True) as found:
        frame = nw.from_native(found.table)
        kinds = {name: _kind(dtype) for name, dtype in frame.collect_schema().items()}
        simple = [name for name, kind in kinds.items() if kind != "other"]
        head = found.collect(frame.select(simple).head(_HEAD)) if simple else Answer({})
    values = {name: [value for value in head.distinct(name)[0] if value is not None] for name in simple}
    return [Column(name, kind, tuple(values.get(name, ())[:3])) for name, kind in kinds.items()]


def _kind(dtype: nw.dtypes.DType) -> Literal["bool", "whole", "float", "other"]:
    if isinstance(dtype, nw.Boolean):
        return "bool"
    return "whole" if dtype.is_integer() else "float" if dtype.is_float() else "other"


# --- finding them ---------------------------------------------------------------------------------


def _found(path: object) -> list[str]:
    """All files that are meant, each there and not empty."""
    parts = list(path) if isinstance(path, list | tuple) else [path]
    found: list[str] = []
    for part in map(os.fspath, parts):  # type: ignore[arg-type]
        found += _files_at(str(part))
    for file in found:
        if os.path.getsize(file) == 0:
            raise DataFileError(f"a file must hold a table, got {file!r}, which is empty; check how it was written.")
        if not os.access(file, os.R_OK):
            raise DataFileError(f"a file must be readable, got {file!r}, which is not; check its permissions.")
    return found


def _files_at(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    if os.path.isdir(path):
        inside = sorted(str(file) for file in Path(path).rglob("*") if file.is_file() and _suffix(str(file)))
        if not inside:
            raise DataFileError(f"a folder must hold {_known()} files, got {path!r}, which has none; check the path.")
        return inside
    matching = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
    if not matching:
        remote = "; remote files are read by giving the relation of your own engine" if "://" in path else ""
        raise DataFileError(f"a file must be there, got {path!r}, where there is none; check the path{remote}.")
    return matching


def _suffix(file: str) -> str | None:
    name = file.lower().removesuffix(_COMPRESSED)
    return next((suffix for suffix in _FORMATS if name.endswith(suffix)), None)


def _format(files: list[str]) -> str:
    kinds = {_FORMATS[suffix] if (suffix := _suffix(file)) else None for file in files}
    if None in kinds:
        odd = next(file for file in files if not _suffix(file))
        raise DataFileError(f"a file must be one of {_known()}, got {odd!r}; convert it, or rename it.")
    if len(kinds) > 1:
        raise DataFileError(f"files read together must be of one format, got {' and '.join(sorted(map(str, kinds)))}.")
    return str(kinds.pop())


def _check_whole(file: str) -> None:
    """DuckDB takes the end of a torn compressed file for the end of its rows."""
    size = os.path.getsize(file)
    try:
        with open(file, "rb") as packed, gzip.open(packed) as unpacked, ProgressLine("checking") as line:
            while unpacked.read(_CHUNK):
                line.show(packed.tell() / size)
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(
            f"a compressed file must be whole, got {file!r}, which is not ({error}); copy or write it again."
        ) from None


def _known() -> str:
    return ", ".join(_FORMATS)


# --- reading them ---------------------------------------------------------------------------------


def _duckdb() -> Any:
    try:
        with _interrupts_wait():
            import duckdb
    except ImportError:
        raise BaserateError(
            "files are read by DuckDB, which is not installed; pip install 'baserate[files]'."
        ) from None
    return duckdb


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Have an interrupt come afterwards.

    DuckDB makes another error of one that comes while it is loaded or asked, and swallows one that comes while it loads
    pandas.
    """
    if threading.current_thread() is not threading.main_thread():  # which is the one that is interrupted
        yield
        return
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if usual is None else usual)
        if came:
            signal.raise_signal(signal.SIGINT)


def _connected(duckdb: Any, memory_limit: str, spill: str) -> "DuckDBPyConnection":
    settings = {
        "memory_limit": memory_limit,
        "temp_directory": spill,
        "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
        "preserve_insertion_order": False,
    }
    try:
        connection: DuckDBPyConnection = duckdb.connect(config=settings)
    except duckdb.Error:
        raise InputError(f"memory_limit must be a size such as '512MB' or '2GB', got {memory_limit!r}.") from None
    # A query tells how far it is only if it has a progress bar; nobody needs to see DuckDB's own.
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    connection.execute("SET progress_bar_time = 0")
    return connection


def _relation(connection: Any, kind: str, files: list[str], numbers: set[str], label: str) -> "DuckDBPyRelation":
    hive = all(any("=" in part for part in Path(file).parent.parts) for file in files)
    relation: DuckDBPyRelation
    if kind == "Parquet":
        relation = connection.read_parquet(files, hive_partitioning=hive)
    elif kind == "JSON lines":
        relation = connection.read_json(files, format="newline_delimited", hive_partitioning=hive)
    else:
        columns = connection.read_csv(files, na_values=_NULLS, hive_partitioning=hive).columns
        types = {name: "DOUBLE" for name in columns if name in numbers} | {label: "VARCHAR"}
        if label not in columns:
            del types[label]  # whoever checks the names says so
        relation = connection.read_csv(files, na_values=_NULLS, hive_partitioning=hive, dtype=types)
    return relation


def _watched(connection: "DuckDBPyConnection", frame: AnyFrame) -> Answer:
    """Have DuckDB work it out, show how far it is, and stop it if the user wants to stop."""
    relation: Any = nw.to_native(frame)
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["columns"] = relation.fetchnumpy()
        except BaseException as error:  # handed on to the thread that waits
            outcome["error"] = error

    worker = threading.Thread(target=work, daemon=True)
    try:
        worker.start()
        with ProgressLine("reading") as line:
            working = True
            while working:
                worker.join(_POLLING)
                working = worker.is_alive()
                line.show(connection.query_progress() / 100)
    except BaseException:
        while worker.is_alive():
            connection.interrupt()  # goes unheard before the query has begun
            worker.join(_POLLING)
        raise
    if "error" in outcome:
        raise outcome["error"]
    return Answer(outcome["columns"])


def _unreadable(files: list[str], kind: str, error: Exception) -> DataFileError:
    which = repr(files[0]) + (f" and {len(files) - 1:,} more" if len(files) > 1 else "")
    no_number = _NO_NUMBER.search(str(error))
    if no_number:
        column, value = no_number.groups()
        return DataFileError(
            f"scores and weights must be numbers, got {value!r} in column {column!r} of {which}; name another column."
        )
    said = "; ".join(line.strip() for line in str(error).splitlines()[:3] if line.strip())
    return DataFileError(f"a file must be readable as {kind}, got {which}, which is not ({said}); check the file.")
