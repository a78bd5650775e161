"""A small file of scores, and two ways to run a command on it."""

import subprocess
import sys
from typing import NamedTuple

import polars as pl
import pytest

PROGRAM = [sys.executable, "-c", "from baserate_command import main; main()"]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def rows():
    return pl.DataFrame(
        {
            "y": [0, 1, 0, 1, 1, 0, 0, 1],
            "p": [0.1, 0.4, 0.5, 0.8, 0.9, 0.2, 0.3, 0.7],
            "q": [0.9, 0.4, 0.5, 0.1, 0.9, 0.2, 0.3, 0.7],
            "country": ["cz", "cz", "cz", "cz", "de", "de", "de", "de"],
            "ts": ["2026-01-03", "2026-02-03"] * 4,
        }
    ).with_columns(pl.col("ts").str.to_date())


@pytest.fixture
def path(tmp_path, rows):
    rows.write_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


@pytest.fixture
def payments(tmp_path):
    """The bundled example: a label, and two models that cross."""
    import baserate as br

    frame = pl.DataFrame({name: list(column) for name, column in br.examples.payments().items()})
    frame.write_csv(tmp_path / "scores.csv")
    return tmp_path / "scores.csv"


@pytest.fixture
def program():
    """Run a command as a program."""

    def run(*arguments, **options):
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)], capture_output=True, check=False, text=True, timeout=120, **options
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def ask(capsys):
    """Run a command in this process, which is much quicker."""
    from baserate.cli.app import run

    def within(*arguments):
        code = run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return within
