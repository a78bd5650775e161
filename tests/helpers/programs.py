"""The command as a program of its own."""

import subprocess
import sys
from typing import NamedTuple

PROGRAM = [sys.executable, "-c", "from baserate_command import main; main()"]


class Ended(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def run_program(*arguments, **options):
    """Run the command and wait for its end."""
    command = [*PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=120, **options)
    return Ended(done.returncode, done.stdout, done.stderr)
