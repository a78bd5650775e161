"""The command line: arguments to the rooms below, and an exit code.

0 means done, 1 that the data or the question will not do (one sentence says why), 2 that the command was not
understood, 130 that it was stopped.
"""

import sys


def main() -> None:
    """What the command ``baserate`` runs."""
    try:
        from baserate.cli.app import run
    except ModuleNotFoundError as error:
        sys.exit(f"the command line needs {error.name}, which is missing; pip install 'baserate[cli]'")
    sys.exit(run(sys.argv[1:]))
