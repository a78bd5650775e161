"""DuckDB with progress, interrupts and temporary files that are removed afterwards."""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from baserate.errors import BaserateError, InputError
from baserate.progress import ProgressLine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_LIMIT = "512MB"
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([kmgt]?)i?b\s*", re.IGNORECASE)
# From some size on, older versions of DuckDB take a limit for 0.
_LARGEST = 2**60

_POLLING = 0.1  # seconds between two looks at how far a query is


def duckdb_module() -> Any:
    """The module DuckDB, which is imported only when files are read."""
    try:
        with interrupts_wait():
            import duckdb
    except ImportError:
        raise BaserateError("files need DuckDB, which is not installed; pip install duckdb.") from None
    return duckdb


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Delay interrupts (Ctrl-C) until the end of the block.

    While DuckDB is being imported or runs a query, it turns an interrupt into another error, and loses it while it
    imports pandas.
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


def connected(duckdb: Any, memory_limit: str | None, spill: str) -> "DuckDBPyConnection":
    """A connection with a memory limit, and its temporary folder for data beyond it."""
    limit = MEMORY_LIMIT if memory_limit is None else memory_limit
    # DuckDB takes a negative size, or a share of all memory above 100 %, for no limit.
    size = _SIZE.fullmatch(limit)
    if size is None or float(size[1]) * 1024 ** " kmgt".index(size[2].lower() or " ") > _LARGEST:
        raise _no_size(limit)
    settings = {
        "memory_limit": limit,
        "temp_directory": spill,
        "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
        "preserve_insertion_order": False,
    }
    try:
        connection: DuckDBPyConnection = duckdb.connect(config=settings)
    except duckdb.Error:
        raise _no_size(limit) from None
    # A query tells how far it is only if it has a progress bar; nobody needs to see DuckDB's own.
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    connection.execute("SET progress_bar_time = 0")
    return connection


def _no_size(memory_limit: str) -> InputError:
    return InputError(f"memory_limit must be a size such as '512MB' or '2GB', got {memory_limit!r}.")


def memory(connection: "DuckDBPyConnection") -> int:
    """The memory limit of a connection in bytes."""
    [(limit,)] = connection.execute("SELECT current_setting('memory_limit')").fetchall()  # all: DuckDB 2 waits for it
    number, unit = str(limit).split()
    return int(float(number) * 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"].index(unit))


def watched(connection: "DuckDBPyConnection", relation: Any) -> dict[str, Any]:
    """Run a query of DuckDB with a progress line; an interrupt stops it."""
    outcome: dict[str, Any] = {}
    done = threading.Event()  # a thread whose join() is interrupted would say that it is not alive

    def work() -> None:
        try:
            outcome["columns"] = relation.fetchnumpy()
        except BaseException as error:  # handed on to the thread that waits
            outcome["error"] = error
        finally:
            done.set()

    try:
        with interrupts_wait():
            threading.Thread(target=work, daemon=True).start()
        with ProgressLine("reading") as line:
            working = True
            while working:
                working = not done.wait(_POLLING)
                line.show(connection.query_progress() / 100)
    except BaseException:
        while not done.wait(_POLLING):
            connection.interrupt()  # goes unheard before the query has begun
        raise
    if "error" in outcome:
        raise outcome["error"]
    columns: dict[str, Any] = outcome["columns"]
    return columns
