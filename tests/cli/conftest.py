"""A small file of scores, and two ways to run a command on it."""

import polars as pl
import pytest

from helpers.programs import Ended, run_program


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
    return run_program


@pytest.fixture
def ask(capsys):
    """Run a command in this process, which is much quicker."""
    from baserate.cli.app import run

    def within(*arguments):
        code = run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return within
