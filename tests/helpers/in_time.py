"""An end to what does not end."""

import contextlib
import signal

SECONDS = 30  # that a call on a few rows, or a small file, may take at the most


@contextlib.contextmanager
def in_time():
    """An end to what does not end, where there are alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    usual = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("it took too long")))
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, usual)
