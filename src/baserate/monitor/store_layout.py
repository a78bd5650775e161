"""The file of a store: how it is made, opened, brought up to date, and refused if it is something else."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from baserate.curves.compact import decode, fingerprint, width
from baserate.curves.formats import STORE, check_version
from baserate.errors import BaserateError, CurveFileError, InputError

# Marks the file as a store: "brCS" in the header of the database.
APPLICATION = 0x62724353

# Bytes of the smallest page, and so of the smallest file, that SQLite has.
_SMALLEST = 512


class Row(NamedTuple):
    """A row of the table, as its columns are named."""

    model: str
    slice: str  # empty for all rows
    period: str
    n_pos: float
    n_neg: float
    bucketed: bool
    width: float
    digest: bytes  # of the curve as it came
    content: bytes  # the compact curve


COLUMNS = Row._fields

_TABLE = """
CREATE TABLE curves (
    model TEXT NOT NULL,
    slice TEXT NOT NULL,
    period TEXT NOT NULL,
    n_pos REAL NOT NULL,
    n_neg REAL NOT NULL,
    bucketed INTEGER NOT NULL,
    width REAL NOT NULL,
    digest BLOB NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (model, slice, period)
)
"""

# Scores of a model that no bucket of its curves crosses, so that they can be pooled.
_EDGES = "CREATE TABLE edges (model TEXT NOT NULL PRIMARY KEY, score BLOB NOT NULL)"


def opened(path: Path, timeout: float, read_only: bool) -> sqlite3.Connection:
    """A connection to a store of the present version, or a sentence."""
    if not path.exists():
        if read_only:
            raise CurveFileError(f"a store to be read must be there, got {str(path)!r}, which is not; check the path.")
        with in_a_sentence(path, timeout, "made"):
            _make(path)
    if path.is_file() and path.stat().st_size < _SMALLEST:  # which the database would take for a new one
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is empty, cut short or "
            f"something else; bring a copy back, or choose another path."
        )
    with in_a_sentence(path, timeout, "opened"):
        connection = _connected(path, timeout, "ro" if read_only else "rw")
        try:
            _bring_up_to_date(connection, path, read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _connected(path: Path, timeout: float, mode: str) -> sqlite3.Connection:
    where = f"{path.absolute().as_uri()}?mode={mode}"
    # Without an isolation level Python begins no transactions of its own.
    connection = sqlite3.connect(where, uri=True, timeout=timeout, isolation_level=None)
    if mode != "ro":
        # A journal that is deleted at the end of a transaction, and the folder told to the disk too: else a journal
        # could come back after a power cut and undo what was acknowledged.
        connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _make(path: Path) -> None:
    """A new file appears under its name when it is complete; if another process was faster, its file counts."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        connection = _connected(unfinished, 0.0, "rwc")
        try:
            with transaction(connection):
                _lay_out(connection)
        finally:
            connection.close()
        _publish(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _publish(unfinished: Path, path: Path) -> None:
    try:
        os.link(unfinished, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            os.replace(unfinished, path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(_TABLE)
    connection.execute(_EDGES)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {STORE.version}")


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    if _number(connection, "application_id") != APPLICATION:
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is a database of something else; "
            f"choose another path."
        )
    version = _number(connection, "user_version")
    check_version(STORE, version, repr(str(path)))
    if version < STORE.version:
        if read_only:
            raise CurveFileError(
                f"a store to be read must have the layout of version {STORE.version}, got {str(path)!r} with version "
                f"{version}; open it once without read_only, which brings it up to date."
            )
        with transaction(connection):
            # Again, as another process may have done it in the meantime.
            for step in _STEPS[_number(connection, "user_version") :]:
                step(connection)
    _check_length(connection, path)
    _check_table(connection, path)


def _check_length(connection: sqlite3.Connection, path: Path) -> None:
    """The database notices pages that are missing, but not that a part of the last one is."""
    length = _number(connection, "page_count") * _number(connection, "page_size")
    if path.stat().st_size < length:
        raise CurveFileError(
            f"a store must be whole, got {str(path)!r}, which lacks {length - path.stat().st_size:,} of {length:,} "
            f"bytes; bring a copy back."
        )


def _check_table(connection: sqlite3.Connection, path: Path) -> None:
    columns = [row[1] for row in connection.execute("PRAGMA table_info(curves)")]
    if tuple(columns) != COLUMNS:
        raise CurveFileError(
            f"a store must have a table of curves, got {str(path)!r}, which is damaged: its columns are "
            f"{', '.join(columns) or 'missing'}; bring a copy back."
        )


def _from_0_to_1(connection: sqlite3.Connection) -> None:
    """Version 0 kept keys and curves only; the curve as it came is not known, so the kept one stands for it."""
    connection.execute("ALTER TABLE curves RENAME TO before")
    _lay_out(connection)
    for model, period, part, content in connection.execute("SELECT model, period, slice, content FROM before"):
        curve = decode(content)
        sizes = float(curve.n_pos), float(curve.n_neg)
        row = Row(model, part or "", period, *sizes, curve.bucketed, width(curve), fingerprint(curve), content)
        connection.execute(f"INSERT INTO curves VALUES (?{', ?' * (len(row) - 1)})", row)
    connection.execute("DROP TABLE before")


# What brings a layout to the next version; the first is for version 0.
_STEPS = (_from_0_to_1,)


def _number(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Let the database look at itself."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise CurveFileError(
            f"a store must be whole, got {str(path)!r}, which is damaged ({found}); bring a copy back."
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; whoever writes waits here until others have finished."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def in_a_sentence(path: Path, timeout: float, done: str) -> Iterator[None]:
    """Whatever the database says, in a sentence."""
    try:
        yield
    except BaserateError:
        raise
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise CurveFileError(
                f"a store is written by one at a time, got {str(path)!r}, which others have kept busy for "
                f"{timeout:g} seconds; try again, or wait longer with timeout=."
            ) from None
        raise CurveFileError(
            f"a store must be a file that can be {done}, got {str(path)!r}, which cannot ({error}); check the path, "
            f"permissions and space."
        ) from None
    except sqlite3.ProgrammingError as error:
        raise InputError(
            f"a store is used by the thread that opened it, got another ({error}); open it again."
        ) from None
    except sqlite3.DatabaseError as error:
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is damaged or something else "
            f"({error}); bring a copy back, or choose another path."
        ) from None
