"""A line that says how far long work has come: only on a terminal, only after a while, gone when it is done."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds before the first sign
_INTERVAL = 0.2  # seconds between signs
_WIDTH = 30


def progress(items: Iterable[T], total: int, what: str, *, to: TextIO | None = None) -> Iterator[T]:
    """Pass the items on, showing how many of them there have been."""
    stream = sys.stderr if to is None else to
    if stream is None or not stream.isatty():
        yield from items
        return
    started = time.monotonic()
    shown = 0.0
    try:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now - started > _PATIENCE and now - shown > _INTERVAL:
                stream.write(_line(done, total, what, now - started))
                stream.flush()
                shown = now
            yield item
    finally:
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()


def _line(done: int, total: int, what: str, elapsed: float) -> str:
    share = min(done / total, 1.0) if total else 1.0
    bar = "#" * round(share * _WIDTH)
    left = f"{elapsed * (1 - share) / share:.0f} s left" if share else ""
    return f"\r\x1b[K{what} [{bar:<{_WIDTH}}] {share:4.0%} {left}"
