"""The optional compiled kernel: loops over rows for which numpy has no single function.

It is optional. Without it numpy gives the same results, more slowly. numpy is used if no compiler was found, if
``BASERATE_NATIVE=0`` is set in the environment, and for array types that the kernel does not support.
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
    """The kernel; call this only if it is available."""
    assert kernel is not None
    return kernel


def status() -> str:
    """Whether rows are counted by the compiled kernel or by numpy, and why.

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
    """Slices of the rows: two if they are enough for a second thread, else one."""
    if n < _MANY or _processors() < 2:
        return [slice(0, n)]
    return [slice(0, n // 2), slice(n // 2, n)]


def at_once(first: Callable[[], T], *second: Callable[[], T]) -> list[T]:
    """Run one or two functions, the second in another thread."""
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
