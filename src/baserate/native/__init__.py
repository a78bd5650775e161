"""The compiled kernel, where it was built: loops over rows that numpy has no single call for.

It is optional. Without it numpy does the same, with the same results, and slower: where there was no compiler, where
``BASERATE_NATIVE=0`` is in the environment, and for arrays of kinds that the kernel does not take.
"""

import os
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

__all__ = ["status"]

T = TypeVar("T")

# Fewer rows are done before a second thread has begun.
_MANY = 4_000_000

_OFF = os.environ.get("BASERATE_NATIVE") == "0"


def _load() -> ModuleType | None:
    if _OFF:
        return None
    try:
        from baserate.native import _kernel
    except ImportError:
        return None
    return _kernel


kernel = _load()


def loaded() -> ModuleType:
    """The kernel, for those who have seen that it is there."""
    assert kernel is not None
    return kernel


def status() -> str:
    """Which one counts rows: "compiled", or "numpy" and why.

    Examples
    --------
    >>> import baserate as br
    >>> br.native.status().split(":")[0] in ("compiled", "numpy")
    True
    """
    if kernel is not None:
        return "compiled"
    return "numpy: turned off by BASERATE_NATIVE=0" if _OFF else "numpy: the kernel was not built"


def parts(n: int) -> list[slice]:
    """So many rows, cut in two if they are worth a second thread."""
    if n < _MANY or _processors() < 2:
        return [slice(0, n)]
    return [slice(0, n // 2), slice(n // 2, n)]


def at_once(first: Callable[[], T], *second: Callable[[], T]) -> list[T]:
    """One or two pieces of work, the second in a thread of its own."""
    if not second:
        return [first()]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as other:  # which ends with the work: a thread that waits would not survive a fork
        try:
            later = [other.submit(work) for work in second]
        except RuntimeError:  # no thread can be had, as when Python is about to end
            return [work() for work in (first, *second)]
        return [first(), *(work.result() for work in later)]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
