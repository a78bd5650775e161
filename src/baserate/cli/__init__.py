"""The command line: arguments to the rooms below, and an exit code.

0 means done, 1 invalid data or arguments (one sentence says why), 2 an invalid command or option, 130 interrupted.
"""

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def main() -> None:
    """Run the command given by the arguments of the program."""
    try:
        from baserate.cli.app import STOPPED, run
    except ModuleNotFoundError as error:
        sys.exit(f"the command line needs {error.name}, which is not installed; pip install {error.name}")
    # DuckDB would load pandas, where it is installed, to ask if a number is one of its values: a third of a second.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # which makes importing it fail
    _open_all()
    sys.stdout, sys.stderr = _unbreakable(sys.stdout), _unbreakable(sys.stderr)
    code = run(sys.argv[1:])
    if code == STOPPED:
        # A thread of an engine may still be at work. Python, ending as usual, would make it end in a crash.
        os._exit(code)
    sys.exit(code)


def _open_all() -> None:
    """Open the file descriptors 0 to 2 if they are closed; else the next opened file would become an output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _unbreakable(stream: TextIO | None) -> TextIO:
    """A stream that ignores a closed reader, so that the exit code does not depend on it."""
    if stream is None:  # it was closed before the program began
        return open(os.devnull, "w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")  # a name that cannot be shown is no reason to fail
    if os.name != "posix":
        return stream
    kept = io.BufferedWriter(_Kept(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(kept, stream.encoding, "backslashreplace", line_buffering=stream.line_buffering)


class _Kept(io.FileIO):
    """A stream that discards text after its reader has closed."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, or discard the text if the reader has closed."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
