"""The file of a store: how it is created, opened, migrated, and refused if it is something else."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from baserate.curves.formats import STORE, check_version
from baserate.curves.packing import decode
from baserate.curves.saving import write_new
from baserate.errors import BaserateError, CurveFileError, InputError
from baserate.monitoring.store_rows import COLUMNS, StoredRow, StoredRows, row_of, row_of_curve

# Marks the file as a store: "brCS" in the header of the database.
APPLICATION = 0x62724353

# Bytes of SQLite's smallest page, and so of its smallest file.
_SMALLEST = 512


class StoreFile:
    """An open store, whose rows are read and written in transactions, by the thread that opened it."""

    def __init__(self, path: Path, timeout: float, read_only: bool) -> None:
        self.path, self.timeout, self.read_only = path, timeout, read_only
        self._open: sqlite3.Connection | None = opened(path, timeout, read_only)
        self._opened_by = _here()

    def _reading(self) -> AbstractContextManager[StoredRows]:
        return self._asking("read")

    def _writing(self) -> AbstractContextManager[StoredRows]:
        return self._asking("written")

    @contextmanager
    def _asking(self, done: Literal["read", "written"]) -> Iterator[StoredRows]:
        """The rows, in one transaction."""
        if self._open is None:
            raise InputError(f"a store must be open, got {str(self.path)!r} after close(); open it again.")
        if self._opened_by != _here():
            raise InputError(
                f"a store must be used by the thread and the process that opened it, got {str(self.path)!r} in "
                f"another; open it there, too."
            )
        with in_a_sentence(self.path, self.timeout, done), transaction(self._open, done):
            yield StoredRows(self._open, repr(str(self.path)))

    def close(self) -> None:
        """Close the file; closing it twice is allowed."""
        if self._open is not None and self._opened_by == _here():  # another thread or process closes its own
            self._open.close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})" + " (closed)" * (self._open is None)


def _here() -> tuple[int, int]:
    """The current process and thread: an SQLite connection must not be used by others."""
    return os.getpid(), threading.get_ident()


# --- opening --------------------------------------------------------------------------------------


def opened(path: Path, timeout: float, read_only: bool) -> sqlite3.Connection:
    """A connection to a store of the current version, or an error."""
    if not path.exists():
        if read_only:
            raise CurveFileError(f"store not found: {str(path)!r}; check the path.")
        with in_a_sentence(path, timeout, "created"):
            _make(path)
    if path.is_file() and path.stat().st_size < _SMALLEST:  # SQLite would treat it as new
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is empty, truncated or something "
            f"else; restore a backup, or choose another path."
        )
    with in_a_sentence(path, timeout, "opened"):
        connection = _connected(path, timeout)
        try:
            # Also sync the folder after the journal is deleted: otherwise the journal could reappear after a power cut
            # and roll back an acknowledged transaction.
            connection.execute("PRAGMA synchronous = EXTRA")
            # Overwrite what is deleted or replaced.
            connection.execute("PRAGMA secure_delete = ON")
            with transaction(connection, "read"):
                version = _known_version(connection, path)
            if version < STORE.version and read_only:
                with closing(connection):  # a reader that must not change the file migrates a copy in memory
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
    """A connection that may write, for readers, too: before they read, SQLite undoes what a killed writer left."""
    where = f"{path.absolute().as_uri()}?mode=rw"
    # Without an isolation level Python begins no transactions of its own.
    return sqlite3.connect(where, uri=True, timeout=timeout, isolation_level=None)


def _make(path: Path) -> None:
    """Create the file; it gets its name when it is complete. If another process was faster, its file is used."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with transaction(connection):
            _lay_out(connection)
        with suppress(FileExistsError):
            write_new(path, connection.serialize())


def copied(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A consistent snapshot of a store in memory, even while others write."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    connection.backup(copy)
    return copy


def _lay_out(connection: sqlite3.Connection) -> None:
    StoredRows(connection, "a new store").begin()
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {STORE.version}")


def _known_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file; refuse what is not a store, or an incomplete one."""
    if _number(connection, "application_id") != APPLICATION:
        raise CurveFileError(
            f"a store must be a file that CurveStore made, got {str(path)!r}, which is another database; choose "
            f"another path."
        )
    version = _number(connection, "user_version")
    check_version(STORE, version, repr(str(path)))
    # SQLite detects missing pages, but not a truncated last page.
    length = _number(connection, "page_count") * _number(connection, "page_size")
    if path.stat().st_size < length:
        raise CurveFileError(
            f"a store must be complete, got {str(path)!r}, which lacks {length - path.stat().st_size:,} of {length:,} "
            f"bytes; restore a backup."
        )
    table, expected = ("kept", COLUMNS) if version == STORE.version else ("curves", _EARLIER[version])
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if tuple(columns) != expected:
        raise CurveFileError(
            f"a store must have a table of curves, got {str(path)!r}, which is damaged: its columns are "
            f"{', '.join(columns) or 'missing'}; restore a backup."
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
    """Migrate the file, within a transaction: another process may have done so in the meantime."""
    version = _known_version(connection, path)
    if version == STORE.version:
        return
    earlier = _rows_of_0(connection) if version == 0 else _rows_of_1(connection)
    StoredRows(connection, repr(str(path))).begin(earlier)
    connection.execute("DROP TABLE curves")
    connection.execute("DROP TABLE IF EXISTS edges")
    connection.execute(f"PRAGMA user_version = {STORE.version}")


def _rows_of_0(connection: sqlite3.Connection) -> Iterator[StoredRow]:
    """Rows of version 0; the original curve is unknown, so its digest is that of the stored one."""
    query = "SELECT model, coalesce(slice, ''), period, content FROM curves ORDER BY 1, 2, 3"
    for *place, content in connection.execute(query):
        yield row_of_curve(tuple(place), decode(content), content=content)


def _rows_of_1(connection: sqlite3.Connection) -> Iterator[StoredRow]:
    """Rows of version 1, and the bucket edges of models, which had a table of their own."""
    query = f"SELECT {', '.join(_EARLIER[1])} FROM curves UNION ALL "
    query += "SELECT model, '', '', 0.0, 0.0, 0, 0.0, x'', score FROM edges ORDER BY 1, 2, 3"
    for *place, n_pos, n_neg, bucketed, width, digest, content in connection.execute(query):
        sizes = {"n_pos": n_pos, "n_neg": n_neg, "bucketed": bucketed, "width": width}
        yield row_of(tuple(place), content, digest=digest, **sizes)


# --- asking ---------------------------------------------------------------------------------------


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Run SQLite's integrity check."""
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise CurveFileError(
            f"a store must be intact, got {str(path)!r}, which is damaged ({verdict}); restore a backup."
        )


@contextmanager
def transaction(connection: sqlite3.Connection, done: str = "written") -> Iterator[None]:
    """A transaction: writers wait here for each other, readers see one snapshot."""
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
    """Turn errors of the database into sentences."""
    try:
        yield
    except BaserateError:
        raise
    except sqlite3.OperationalError as error:
        if "decode" in str(error):  # invalid UTF-8
            raise _damaged(path, error) from None
        if "locked" in str(error) or "busy" in str(error):
            raise CurveFileError(
                f"the store {str(path)!r} is locked: others have been writing for {timeout:g} seconds; try again, or "
                f"pass a longer timeout=."
            ) from None
        raise _impossible(path, done, error) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # messages about damage may be invalid UTF-8
        raise _damaged(path, error) from None
    except OSError as error:
        raise _impossible(path, done, error) from None


def _impossible(path: Path, done: str, error: Exception) -> CurveFileError:
    return CurveFileError(
        f"the store {str(path)!r} cannot be {done} ({error}); check the path, permissions and free space."
    )


def _damaged(path: Path, error: Exception) -> CurveFileError:
    return CurveFileError(
        f"a store must be a file that CurveStore made, got {str(path)!r}, which is damaged or something else "
        f"({error}); restore a backup, or choose another path."
    )
