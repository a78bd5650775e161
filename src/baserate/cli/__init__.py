"""The command line: arguments to the rooms below, and an exit code.

0 means done, 1 that the data or the question will not do (one sentence says why), 2 that the command was not
understood, 130 that it was stopped.
"""

import io
import os
import sys


def main() -> None:
    """What the command ``baserate`` runs."""
    try:
        from baserate.cli.app import STOPPED, run
    except ModuleNotFoundError as error:
        sys.exit(f"the command line needs {error.name}, which is missing; pip install 'baserate[cli]'")
    # DuckDB would load pandas, where it is installed, to ask if a number is one of its values: a third of a second.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # which makes importing it fail
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that cannot be shown is no reason to fail
    code = run(sys.argv[1:])
    if code == STOPPED:
        # A thread of an engine may still be at work. Python, ending as usual, would make it end in a crash.
        os._exit(code)
    sys.exit(code)
