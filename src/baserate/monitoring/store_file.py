"""The file of a store: how it is made, opened, brought up to date, and refused if it is something else."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from baserate.curves.files import write_new
from baserate.curves.formats import STORE, check_version
from baserate.curves.packing import decode
from baserate.errors import BaserateError, CurveFileError
from baserate.monitoring.store_rows import COLUMNS, Row, Rows, row_of, row_of_curve

# Marks the file as a store: "brCS" in the header of the database.
APPLICATION = 0x62724353

# Bytes of the smallest page, and so of the smallest file, that SQLite has.
_SMALLEST = 512


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
        connection = _connected(path, timeout)
        try:
            # A journal that is deleted at the end of a transaction, and the folder told to the disk too: else a journal
            # could come back after a power cut and undo what was acknowledged.
            connection.execute("PRAGMA synchronous = EXTRA")
            # What is deleted or replaced is overwritten, and not only forgotten.
            connection.execute("PRAGMA secure_delete = ON")
            with transaction(connection, "read"):
                version = _known_version(connection, path)
            if version < STORE.version and read_only:
                with closing(connection):  # who is not to change the file reads a copy that is up to date
                    connection = copied(connection)
            if version < STORE.version:
                with transaction(connection):
                    _bring_up_to_date(connection, path)
            connection.execute(f"PRAGMA query_only = {read_only:d}")
        except BaseException:
            connection.close()
            raise
    return connection


def _connected(path: Path, timeout: float) -> sqlite3.Connection:
    """Also who may only look may write at first: what a killed writer had begun has to be taken back."""
    where = f"{path.absolute().as_uri()}?mode=rw"
    # Without an isolation level Python begins no transactions of its own.
    return sqlite3.connect(where, uri=True, timeout=timeout, isolation_level=None)


def _make(path: Path) -> None:
    """A new file appears under its name when it is complete; if another process was faster, its file counts."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with transaction(connection):
            _lay_out(connection)
        with suppress(FileExistsError):
            write_new(path, connection.serialize())


def copied(connection: sqlite3.Connection) -> sqlite3.Connection:
    """All that is in a store at one moment, in memory, whoever else writes."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    connection.backup(copy)
    return copy


def _lay_out(connection: sqlite3.Connection) -> None:
    Rows(connection, "a new store").begin()
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {STORE.version}")


def _known_version(connection: sqlite3.Connection, path: Path) -> int:
    """Refuse what is not a store, or not a whole one."""
    if _number(connection, "application_id") != APPLICATION:
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is a database of something else; "
            f"choose another path."
        )
    version = _number(connection, "user_version")
    check_version(STORE, version, repr(str(path)))
    # The database notices pages that are missing, but not that a part of the last one is.
    length = _number(connection, "page_count") * _number(connection, "page_size")
    if path.stat().st_size < length:
        raise CurveFileError(
            f"a store must be whole, got {str(path)!r}, which lacks {length - path.stat().st_size:,} of {length:,} "
            f"bytes; bring a copy back."
        )
    table, expected = ("kept", COLUMNS) if version == STORE.version else ("curves", _EARLIER[version])
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if tuple(columns) != expected:
        raise CurveFileError(
            f"a store must have a table of curves, got {str(path)!r}, which is damaged: its columns are "
            f"{', '.join(columns) or 'missing'}; bring a copy back."
        )
    return version


def _number(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


# --- earlier versions -----------------------------------------------------------------------------

# Their columns. Version 0 kept keys and curves only, version 1 had no checksums; both had curves in one table.
_EARLIER = {
    0: ("model", "period", "slice", "content"),
    1: ("model", "slice", "period", "n_pos", "n_neg", "bucketed", "width", "digest", "content"),
}


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Within a transaction, as another process may be doing the same."""
    version = _known_version(connection, path)
    if version == STORE.version:
        return
    earlier = _rows_of_0(connection) if version == 0 else _rows_of_1(connection)
    Rows(connection, repr(str(path))).begin(earlier)
    connection.execute("DROP TABLE curves")
    connection.execute("DROP TABLE IF EXISTS edges")
    connection.execute(f"PRAGMA user_version = {STORE.version}")


def _rows_of_0(connection: sqlite3.Connection) -> Iterator[Row]:
    """The curve as it came is not known, so the kept one stands for it."""
    asked = "SELECT model, coalesce(slice, ''), period, content FROM curves ORDER BY 1, 2, 3"
    for *place, content in connection.execute(asked):
        yield row_of_curve(tuple(place), decode(content), content=content)


def _rows_of_1(connection: sqlite3.Connection) -> Iterator[Row]:
    """With the scores that no bucket of a model's curves crosses, which were in a table of their own."""
    asked = f"SELECT {', '.join(_EARLIER[1])} FROM curves UNION ALL "
    asked += "SELECT model, '', '', 0.0, 0.0, 0, 0.0, x'', score FROM edges ORDER BY 1, 2, 3"
    for *place, n_pos, n_neg, bucketed, width, digest, content in connection.execute(asked):
        sizes = {"n_pos": n_pos, "n_neg": n_neg, "bucketed": bucketed, "width": width}
        yield row_of(tuple(place), content, digest=digest, **sizes)


# --- asking ---------------------------------------------------------------------------------------


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Let the database look at itself."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise CurveFileError(
            f"a store must be whole, got {str(path)!r}, which is damaged ({found}); bring a copy back."
        )


@contextmanager
def transaction(connection: sqlite3.Connection, done: str = "written") -> Iterator[None]:
    """All or nothing; whoever writes waits here until others have finished, and who reads sees one moment."""
    connection.execute("BEGIN" if done == "read" else "BEGIN IMMEDIATE")
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
        if "decode" in str(error):  # text that is none
            raise _damaged(path, error) from None
        if "locked" in str(error) or "busy" in str(error):
            raise CurveFileError(
                f"a store is written by one at a time, got {str(path)!r}, which others have kept busy for "
                f"{timeout:g} seconds; try again, or wait longer with timeout=."
            ) from None
        raise _impossible(path, done, error) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of what it says of damage, which need not be text
        raise _damaged(path, error) from None
    except OSError as error:
        raise _impossible(path, done, error) from None


def _impossible(path: Path, done: str, error: Exception) -> CurveFileError:
    return CurveFileError(
        f"a store must be a file that can be {done}, got {str(path)!r}, which cannot ({error}); check the path, "
        f"permissions and space."
    )


def _damaged(path: Path, error: Exception) -> CurveFileError:
    return CurveFileError(
        f"a store must be a file that CurveStore made, got {str(path)!r}, which is damaged or something else "
        f"({error}); bring a copy back, or choose another path."
    )
