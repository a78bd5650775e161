"""Peers of the whole job: a page about a classifier, and performance by month, from the same Parquet file.

``python benchmarks/peers.py --python .venv/peers/bin/python`` makes a file of a million rows, has each program do its
job in processes of their own and prints the section; ``--write docs/speed.md`` has it take its place on the page.
Programs that send reports of their use somewhere are told not to.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import engines
import numpy as np
import speed
from main_job import child_seconds
from sections import Section, say
from tables import table
from timing import in_words

_PROGRAM = [sys.executable, "-c", "from baserate.cli import main; main()"]
_SILENT = {"NML_DISABLE_USAGE_LOGGING": "1", "DO_NOT_TRACK": "1"}

_EVIDENTLY = """
import sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
from evidently import BinaryClassification, DataDefinition, Dataset, Report
from evidently.presets import ClassificationPreset
rows = pd.read_parquet(sys.argv[1], columns=["fraud", "score"])
roles = DataDefinition(classification=[BinaryClassification(target="fraud", prediction_probas="score")])
Report([ClassificationPreset()]).run(Dataset.from_pandas(rows, data_definition=roles), None).save_html(sys.argv[2])
"""
_NANNYML = """
import sys, warnings
warnings.simplefilter("ignore")
import nannyml, pandas as pd
rows = pd.read_parquet(sys.argv[1], columns=["fraud", "score", "time"])
rows["predicted"] = (rows["score"] >= 0.5).astype(int)
columns = {"y_true": "fraud", "y_pred": "predicted", "y_pred_proba": "score", "timestamp_column_name": "time"}
kind = {"problem_type": "classification_binary", "metrics": ["average_precision"], "chunk_period": "M"}
of_program = getattr(nannyml, sys.argv[2])(**columns, **kind)
of_program.fit(rows[rows["time"] < "2026-04-01"])
(of_program.calculate if hasattr(of_program, "calculate") else of_program.estimate)(rows)
"""


class Job(NamedTuple):
    """Who does what, by which command."""

    program: str
    what: str
    command: list[str]


def jobs(folder: Path, python: str) -> list[Job]:
    """Ours first, then theirs."""
    path = str(folder / "rows.parquet")
    asked = [path, "--label", "fraud", "--score", "score", "-q"]
    by_month = ["--period", "time:month", "--until", "2027-02-01", "--store", str(folder / "curves.store")]
    page = str(folder / "page.html")
    return [
        Job("baserate", "`report`: a page, with intervals", [*_PROGRAM, "report", *asked, "-o", page]),
        Job("Evidently", "`ClassificationPreset` as a page", [python, "-c", _EVIDENTLY, path, page]),
        Job("baserate", "`monitor`: 12 months, alarms, a store", [*_PROGRAM, "monitor", *asked, *by_month]),
        Job("NannyML", "`PerformanceCalculator`: 12 months", [python, "-c", _NANNYML, path, "PerformanceCalculator"]),
        Job("NannyML", "`CBPE`: 12 months, without labels", [python, "-c", _NANNYML, path, "CBPE"]),
    ]


def section(n: int, rounds: int, python: str) -> Section:
    """Medians of whole processes, by turns."""
    with tempfile.TemporaryDirectory(prefix="baserate-peers-") as name:
        folder = Path(name)
        engines.make(folder, n)
        asked = jobs(folder, python)
        seconds = np.array([[_once(job, folder) for job in asked] for _ in range(rounds + 1)])[1:]  # warm
    rows = [
        [job.program, job.what, in_words(float(took))]
        for job, took in zip(asked, np.median(seconds, axis=0), strict=True)
    ]
    words = f"""Processor time of whole processes on one Parquet file of {n:,} rows, starting Python and loading the
program included; the median of {rounds}. They do not answer the same questions, so there are no ratios."""
    return Section("Peers of the whole job", words, table(["program", "what", "processor time"], rows, words=2))


def _once(job: Job, folder: Path) -> float:
    say(f"{job.program}: {job.what}")
    for left in folder.glob("curves.store*"):
        left.unlink()
    return child_seconds(job.command)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="the Python that has evidently and nannyml")
    parser.add_argument("--rows", type=float, default=1e6, help="number of rows")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    parser.add_argument("--write", type=Path, metavar="FILE", help="have the section take its place there")
    options = parser.parse_args()
    os.environ |= _SILENT
    found = section(int(options.rows), options.rounds, options.python)
    print(found.words, found.table, sep="\n\n")
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(speed.with_section(page, found), encoding="utf-8")


if __name__ == "__main__":
    main()
