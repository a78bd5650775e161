"""What the command ``baserate`` runs, from its first line on: an interrupt ends it with 130 and without a traceback.

It is no part of the package, because Python loads a whole package before the first line of a module in it.
"""

import _thread
import contextlib
import os
import signal
import time
from types import FrameType

_STOPPED = 130
_LATER = 0.02  # seconds


def _stop(*_: object) -> None:
    """End at once: while modules load there is nothing to tidy up, and C code that loads may swallow an exception."""
    with contextlib.suppress(OSError):
        os.write(2, b"Stopped.\n")
    os._exit(_STOPPED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or try again soon while a module loads: C code that loads may swallow it."""
    if _loading(frame):
        _thread.start_new_thread(_interrupt_later, (_thread.get_ident(),))
    else:
        signal.default_int_handler(number, frame)


def _loading(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False


def _interrupt_later(main_thread: int) -> None:
    time.sleep(_LATER)
    if hasattr(signal, "pthread_kill"):  # which wakes it where it waits, too
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _on_interrupt(do: "signal._HANDLER") -> None:
    # A shell has programs that it runs in the background ignore interrupts, and they stay ignored.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, do)


_on_interrupt(_stop)


def main() -> None:
    """Run the command; while it is at work, an interrupt is an exception that lets it tidy up."""
    from baserate.cli import main as carry_out

    try:
        try:
            _on_interrupt(_interrupt)
            carry_out()
        finally:
            _on_interrupt(_stop)
    except KeyboardInterrupt:
        _stop()
