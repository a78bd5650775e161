"""A progress line for long computations: only on a terminal, only after a while, and removed at the end."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self, TextIO, TypeVar

from baserate.errors import printable

T = TypeVar("T")

_PATIENCE = 2.0  # seconds before the first sign
_INTERVAL = 0.2  # seconds between signs
_WIDTH = 30
_LONGEST = 60  # letters of what is done

_SILENT: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silenced() -> Iterator[None]:
    """Show no progress lines within the block."""
    before = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(before)


def progress(items: Iterable[T], total: int, what: str, *, to: TextIO | None = None) -> Iterator[T]:
    """Iterate over items with a progress line."""
    with ProgressLine(what, to=to) as line:
        for done, item in enumerate(items):
            line.show(done / total if total else 1.0)
            yield item


class ProgressLine:
    """A progress line for work that reports its completed share."""

    def __init__(self, what: str, *, to: TextIO | None = None) -> None:
        stream = sys.stderr if to is None else to
        wanted = stream is not None and stream.isatty() and not _SILENT.get()
        self._stream = stream if wanted else None
        self._what = printable(what)
        self._started = time.monotonic()
        self._shown = 0.0

    def show(self, share: float, what: str | None = None) -> None:
        """Show that this share of the work is done, unless the line was updated a moment ago."""
        if what is not None:
            self._what = printable(what)[:_LONGEST]
        now = time.monotonic()
        if self._stream is not None and now - self._started > _PATIENCE and now - self._shown > _INTERVAL:
            self._stream.write(_line(share, self._what, now - self._started))
            self._stream.flush()
            self._shown = now

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class Stages:
    """One progress line for a job of several parts, which says what it is at; lines within the parts are not shown."""

    def __init__(self, what: str, *, to: TextIO | None = None) -> None:
        self._line, self._what = ProgressLine(what, to=to), what
        self._whole, self._done, self._now = 1.0, 0.0, 0.0

    def plan(self, work: float) -> None:
        """Say how much work there is, in units of one's own."""
        self._whole = max(work, 1e-9)

    def at(self, part: str, work: float = 1.0) -> None:
        """Say which part begins, and how much work it is."""
        self._done, self._now = self._done + self._now, work
        self._line.show(self._done / self._whole, f"{self._what}: {part}")

    def __enter__(self) -> Self:
        self._line.__enter__()
        self._before = _SILENT.set(True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _SILENT.reset(self._before)
        self._line.__exit__(kind, error, trace)


def _line(share: float, what: str, elapsed: float) -> str:
    share = min(max(share, 0.0), 1.0)
    bar = "#" * round(share * _WIDTH)
    left = f"{elapsed * (1 - share) / share:.0f} s left" if share else ""
    return f"\r\x1b[K{what} [{bar:<{_WIDTH}}] {share:4.0%} {left}"
