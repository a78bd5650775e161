"""Output files of ``baserate monitor``: Parquet, and gauges for Prometheus."""

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import SupportsFloat

import numpy as np

from baserate.cli.output import OutputRow, until_nobody_reads
from baserate.curves.saving import write_whole
from baserate.results.verdicts import SeriesVerdict

# Columns of the Parquet file and their kinds; what does not exist is null.
_COLUMNS = {
    "model": "VARCHAR",
    "slice": "VARCHAR",
    "period": "VARCHAR",
    "pos": "DOUBLE",
    "neg": "DOUBLE",
    "prevalence": "DOUBLE",
    "metric": "VARCHAR",
    "own": "DOUBLE",
    "own_low": "DOUBLE",
    "own_high": "DOUBLE",
    "own_error": "DOUBLE",
    "common_prevalence": "DOUBLE",
    "common": "DOUBLE",
    "common_low": "DOUBLE",
    "common_high": "DOUBLE",
    "common_error": "DOUBLE",
    "change": "DOUBLE",
    "prior_part": "DOUBLE",
    "model_part": "DOUBLE",
    "model_low": "DOUBLE",
    "model_high": "DOUBLE",
    "statistic": "DOUBLE",
    "limit": "DOUBLE",
    "alarm": "BOOLEAN",
    "provisional": "BOOLEAN",
}


def write_parquet(path: str, rows: Sequence[OutputRow]) -> None:
    """One row per model, slice and period; the file appears under its name when it is complete."""
    import duckdb

    columns = {name: np.array([_cell(row[name]) for row in rows], object) for name in _COLUMNS}
    wanted = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind in _COLUMNS.items())
    with tempfile.TemporaryDirectory(prefix="baserate-") as folder:
        made = Path(folder) / "monitored.parquet"
        where = str(made).replace("'", "''")
        try:
            with duckdb.connect() as connection:
                connection.register("monitored", columns)
                connection.execute(f"COPY (SELECT {wanted} FROM monitored) TO '{where}' (FORMAT parquet)")
        except duckdb.IOException as error:
            raise OSError(f"{path!r} cannot be written ({str(error).splitlines()[0]})") from None
        with until_nobody_reads():
            write_whole(path, made.read_bytes())


def _cell(value: object) -> object:
    """Numbers as text, without loss of digits, so that a column of nulls has a type, too."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, str) else repr(value).lower()


def write_prometheus(path: str, latest: Sequence[tuple[OutputRow, SeriesVerdict]]) -> None:
    """Write gauges of the latest period that was judged, of each model and slice in the text format, atomically."""
    rows = [row for row, _ in latest]
    gauges: dict[str, tuple[str, list[tuple[dict[str, object], object]]]] = {
        "baserate_metric": (
            "Value of the metric in the latest period, at its own and at the common prevalence.",
            [
                ({**_of(row), "metric": row["metric"], "prevalence": where}, row[where])
                for row in rows
                for where in ("own", "common")
            ],
        ),
        "baserate_common_prevalence": (
            "The prevalence that all periods are compared at.",
            [(_of(row), row["common_prevalence"]) for row in rows],
        ),
        "baserate_prevalence": (
            "Share of positives in the latest period.",
            [(_of(row), row["prevalence"]) for row in rows],
        ),
        "baserate_positives": ("Positives in the latest period.", [(_of(row), row["pos"]) for row in rows]),
        "baserate_negatives": ("Negatives in the latest period.", [(_of(row), row["neg"]) for row in rows]),
        "baserate_model_alarm": (
            "1 if the model is worse than it was.",
            [(_of(row), verdict.verdict == "model") for row, verdict in latest],
        ),
        "baserate_prevalence_moved": (
            "1 if the prevalence is no longer what it was.",
            [(_of(row), verdict.prevalence_moved) for row, verdict in latest],
        ),
        "baserate_latest_period_info": (
            "Which period is the latest.",
            [({**_of(row), "period": row["period"]}, 1) for row in rows],
        ),
    }
    lines = []
    for name, (about, samples) in gauges.items():
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
        lines += [f"{name}{{{_labels(labels)}}} {_number(value)}" for labels, value in samples]
    with until_nobody_reads():
        write_whole(path, ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"))


def _of(row: OutputRow) -> dict[str, object]:
    return {"model": row["model"], "slice": row["slice"] or ""}


def _labels(labels: dict[str, object]) -> str:
    return ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: object) -> str:
    if value is None:
        return "NaN"
    assert isinstance(value, SupportsFloat)  # rows hold nothing else in the columns that become gauges
    number = float(value)
    if math.isfinite(number):
        return repr(number)
    return "NaN" if math.isnan(number) else f"{'+' if number > 0 else '-'}Inf"
