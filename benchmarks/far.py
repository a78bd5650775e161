"""How far it goes: what a curve costs an engine by the number of rows, fitted on some sizes and checked at the largest.

``PYTHONPATH=tests python benchmarks/far.py`` makes Parquet files in a temporary folder, reads each with DuckDB and with
Spark (local, 2 cores) in processes of their own and prints the page; ``--write docs/how-far.md`` puts it into the
documentation; ``--quick`` uses a thousandth of the rows and no Spark.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from files import make, run, say
from tables import table

_SIZES = (1_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000)
# Fewer rows than this would be kept one by one, which costs what it costs to fetch them.
_MAX_SCORES = 900_000
_CELL = 5 * 8  # bytes of a bucket of one class: its number, its class, its rows, its lowest and its highest score

_DUCKDB = """
import json, os, sys, time
import baserate as br, duckdb, narwhals.stable.v2
began = time.process_time()
curve = br.curve(sys.argv[1], label="fraud", score="score", max_scores=int(sys.argv[2]))
cpu = time.process_time() - began
curve.save(sys.argv[1] + ".curve")
cells = int((curve.pos > 0).sum() + (curve.neg > 0).sum())
print(json.dumps({"cpu": cpu, "cells": cells, "saved": os.path.getsize(sys.argv[1] + ".curve")}))
"""
# Spark's work is done by another process, whose CPU seconds the system tells.
_SPARK = """
import json, os, sys, tempfile, warnings
warnings.simplefilter("ignore")
from helpers.spark import java_home
os.environ |= {"JAVA_HOME": str(java_home(tempfile.mkdtemp())), "SPARK_LOCAL_IP": "127.0.0.1"}
from pyspark.sql import SparkSession
import baserate as br
settings = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8"}
settings |= {"spark.driver.memory": "3g", "spark.log.level": "OFF"}
session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
java = session.sparkContext._gateway.proc.pid
def cpu():
    running = [java, *map(int, open(f"/proc/{java}/task/{java}/children").read().split())]
    fields = [open(f"/proc/{pid}/stat").read().rpartition(")")[2].split() for pid in running]
    return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")
frame = session.read.parquet(sys.argv[1])
began = cpu()
curve = br.curve(frame, label="fraud", score="score", max_scores=int(sys.argv[2]))
took = cpu() - began
curve.save(sys.argv[1] + ".curve")
cells = int((curve.pos > 0).sum() + (curve.neg > 0).sum())
print(json.dumps({"cpu": took, "cells": cells, "saved": os.path.getsize(sys.argv[1] + ".curve")}))
"""


class Line(NamedTuple):
    """CPU seconds: so many to begin with, and so many for a row."""

    start: float
    per_row: float

    def at(self, rows: float) -> float:
        """What so many rows take."""
        return self.start + self.per_row * rows


def fitted(rows: list[int], seconds: list[float]) -> Line:
    """The line by which errors relative to the seconds are smallest."""
    design = np.stack([np.ones(len(rows)), np.array(rows, float)], axis=1) / np.array(seconds)[:, np.newaxis]
    start, per_row = np.linalg.lstsq(design, np.ones(len(rows)), rcond=None)[0]
    return Line(float(start), float(per_row))


def page(sizes: tuple[int, ...], engines: dict[str, str], folder: Path, max_scores: int = _MAX_SCORES) -> str:
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    cells = saved = bytes_per_row = 0.0
    for n in sizes:
        path = folder / f"{n}.parquet"
        say(f"making {n:,} rows ...")
        make(path, n)
        bytes_per_row = path.stat().st_size / n
        for name, script in engines.items():
            say(f"reading {n:,} rows with {name} ...")
            found = run(script, path, str(max_scores))
            seconds[name].append(found["cpu"])
            cells, saved = max(cells, found["cells"]), max(saved, found["saved"])
        path.unlink()
    lines = {name: fitted(list(sizes[:-1]), took[:-1]) for name, took in seconds.items()}
    rows = [
        [
            name,
            f"{line.start:.2g} s",
            f"{line.per_row * 1e9:.0f} ns",
            f"{line.at(sizes[-1]):.1f} s",
            f"{seconds[name][-1]:.1f} s",
            f"{line.at(1e12) / 3600:,.0f} h",
        ]
        for name, line in lines.items()
    ]
    fits = ", ".join(f"{n:,}" for n in sizes[:-1])
    largest = f"{sizes[-1]:,}"
    head = ["engine", "start", "each row", f"{largest} rows: by the line", "measured", "a trillion rows, by the line"]
    return _PAGE.format(
        table=table(head, rows),
        fits=fits,
        largest=largest,
        bytes_per_row=bytes_per_row,
        scanned=bytes_per_row * 1e12 / 2**40,
        cells=cells,
        max_scores=max_scores,
        saved=saved / 2**20,
        home=cells * _CELL / 2**20,
        shuffled=1_000 * cells * _CELL / 2**30,
    )


_PAGE = """# How far it goes

The cost of a curve of a large table has three parts. Measured by `make bench-far` in one run on one machine with two
cores.

**Scanned.** Every row is read once: its label, its score and the columns it is grouped by. The files here have
{bytes_per_row:.1f} bytes a row. If the first look is not fine enough, a second one reads the score of every row again.

**Shuffled.** Each partition first adds up its own rows by group, class and bucket. So what is sent on does not depend
on the number of rows: at most partitions × groups × buckets × {cell} bytes. For one group with {cells:,.0f} buckets and
1,000 partitions that is {shuffled:.1f} GiB.

**Brought home.** The sums over all partitions: groups × buckets × {cell} bytes, {home:.1f} MiB for one group. There are
never more than `max_scores` buckets.

CPU seconds of `br.curve` on Parquet files, with `max_scores={max_scores:_}` so that no file has its rows fetched one by
one. The line is fitted to these numbers of rows: {fits}.
It is checked at {largest} rows:

{table}

The last column is an extrapolation: nobody has read a trillion rows here. They would be {scanned:.1f} TiB to scan.

**Do not read a row twice.** The largest of these curves takes {saved:.1f} MiB as a file (`curve.save`), or 4 KiB in a
[store](monitoring.md). Curves add up: `br.Curve.pool(days)` is the curve of all days together. So a day costs one scan,
and a year costs adding up 365 small files.
""".replace("{cell}", str(_CELL))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a thousandth of the rows, and no Spark")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    options = parser.parse_args()
    engines = {"DuckDB": _DUCKDB} if options.quick else {"DuckDB": _DUCKDB, "Spark": _SPARK}
    less = 1000 if options.quick else 1
    with tempfile.TemporaryDirectory(prefix="baserate-far-") as folder:
        text = page(tuple(n // less for n in _SIZES), engines, Path(folder), _MAX_SCORES // less)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
