"""A curve from a file or an engine beside the plain GROUP BY of the same engine, and many curves beside one GROUP BY.

``python benchmarks/engines.py`` makes the rows in a temporary folder, does each job several times in processes of their
own, by turns, and prints the tables; ``--rows 1e5 1e6`` says how many rows, ``--only parquet spark`` which engines,
``--rounds 3`` how often; ``--write docs/engines-speed.md`` puts the tables into the documentation; ``--quick`` does
little, without Spark.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from files import say
from tables import crowd, table

_SLICES = 20
_SCORES = ("score", "second", "third")
_CHUNK = 5_000_000
_WARM = 2  # rounds: Java goes on compiling after the first
_PARTS = "floor(score * 65536)"


def make(folder: Path, n: int) -> None:
    """Scored payments of a year, one in a hundred fraud, in twenty slices, as Parquet and as CSV."""
    rng = np.random.default_rng(0)
    for k, start in enumerate(range(0, n, _CHUNK)):
        rows = min(_CHUNK, n - start)
        fraud = rng.random(rows) < 0.01
        columns: dict[str, Any] = {"fraud": fraud.astype(np.int8)}
        for better, name in enumerate(_SCORES):
            columns[name] = 1 / (1 + np.exp(4 - 1.5 * rng.normal(size=rows) - (4 + better) * fraud))
        columns["slice"] = np.array([f"slice {j}" for j in range(_SLICES)])[rng.integers(0, _SLICES, rows)]
        seconds = rng.integers(0, 365 * 86_400, rows).astype("timedelta64[s]")
        columns["time"] = (np.datetime64("2026-01-01", "s") + seconds).astype("datetime64[us]")
        pl.DataFrame(columns).write_parquet(folder / f"{k}.parquet")
    pl.scan_parquet(folder / "*.parquet").sink_parquet(folder / "rows.parquet")
    pl.scan_parquet(folder / "rows.parquet").select("fraud", "score").sink_csv(folder / "rows.csv")


# --- jobs: what is timed, after what is not --------------------------------------------------------


class Job(NamedTuple):
    """Ours, and the plain GROUP BY; both count what they found."""

    ours: Callable[[], int]
    plain: Callable[[], int]
    cpu: Callable[[], float] = time.process_time


def _connection() -> Any:
    import duckdb

    return duckdb.connect(config={"memory_limit": "512MB", "preserve_insertion_order": False})


def _curve(source: Any) -> int:
    import baserate as br

    return len(br.curve(source, label="fraud", score="score"))


def _of_file(read: str, path: Path) -> Job:
    relation = _connection().sql(f"SELECT fraud, score FROM {read}('{path}')")
    return Job(lambda: _curve(path), lambda: _grouped(relation))


def _grouped(relation: Any, keys: str = f"{_PARTS}, fraud") -> int:
    return len(relation.aggregate(f"{keys}, count(*) AS n").fetchnumpy()["n"])


def parquet(folder: Path) -> Job:
    return _of_file("read_parquet", folder / "rows.parquet")


def csv(folder: Path) -> Job:
    return _of_file("read_csv", folder / "rows.csv")


def relation(folder: Path) -> Job:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE rows AS SELECT fraud, score FROM read_parquet('{folder / 'rows.parquet'}')")
    made = connection.table("rows")
    return Job(lambda: _curve(made), lambda: _grouped(made))


def dask(folder: Path) -> Job:
    import dask.dataframe as dd

    frame = dd.read_parquet(folder / "rows.parquet", columns=["fraud", "score"])

    def plain() -> int:
        return len(frame.assign(bucket=np.floor(frame.score * 65536)).groupby(["bucket", "fraud"]).size().compute())

    return Job(lambda: _curve(frame), plain)


def spark(folder: Path) -> Job:
    """Its work is done by another process, whose CPU seconds the system tells."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from pyspark.sql import SparkSession

    from helpers.spark import java_home  # type: ignore[import-not-found,unused-ignore]  # beside the tests

    os.environ |= {"JAVA_HOME": str(java_home(tempfile.mkdtemp())), "SPARK_LOCAL_IP": "127.0.0.1"}
    settings: dict[str, Any] = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
    }
    settings |= {"spark.driver.memory": "3g", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    gateway: Any = session.sparkContext._gateway
    java = gateway.proc.pid

    def cpu() -> float:
        children = Path(f"/proc/{java}/task/{java}/children").read_text("ascii").split()
        stats = [Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split() for pid in (java, *children)]
        return time.process_time() + sum(int(one[11]) + int(one[12]) for one in stats) / os.sysconf("SC_CLK_TCK")

    frame = session.read.parquet(str(folder / "rows.parquet")).select("fraud", "score")
    frame.createOrReplaceTempView("rows")
    asked = "SELECT floor(score * 65536D) AS bucket, fraud, count(*) AS n FROM rows GROUP BY 1, 2"

    def plain() -> int:
        return len(session.sql(asked).toPandas())  # a new one each time: of an old one Spark keeps what it has shuffled

    return Job(lambda: _curve(frame), plain, cpu)


def groups(folder: Path) -> Job:
    """Twelve months, twenty slices and three scores beside one score by the same keys."""
    path = folder / "rows.parquet"
    table = _connection().sql(f"SELECT * FROM read_parquet('{path}')")

    def ours() -> int:
        from baserate.ingest.tables import curves_by_score

        return len(curves_by_score(path, _SCORES, ["slice"], label="fraud", period=("time", "month")))

    return Job(ours, lambda: _grouped(table, f"slice, year(time) * 12 + month(time), {_PARTS}, fraud"))


JOBS: dict[str, Callable[[Path], Job]] = {
    "Parquet": parquet,
    "CSV": csv,
    "DuckDB relation": relation,
    "Dask": dask,
    "Spark": spark,
    f"12 months × {_SLICES} slices × {len(_SCORES)} scores": groups,
}


# --- a process for each -----------------------------------------------------------------------------


class Timed(NamedTuple):
    """Seconds of one round, and how many thresholds or buckets there were."""

    cpu: float
    wall: float
    found: int


def work(name: str, folder: Path, rounds: int) -> None:
    """Do both by turns, twice to warm up, and print what each round took."""
    warnings.simplefilter("ignore")
    job = JOBS[name](folder)
    times: dict[str, list[Timed]] = {"ours": [], "plain": []}
    for k in range(_WARM + rounds):
        for which, run in (("plain", job.plain), ("ours", job.ours)):
            cpu, wall = job.cpu(), time.perf_counter()
            found = run()
            if k >= _WARM:
                times[which].append(Timed(job.cpu() - cpu, time.perf_counter() - wall, found))
    print(json.dumps(times))


def timed(name: str, folder: Path, rounds: int) -> dict[str, list[Timed]]:
    """The same in a process of its own."""
    asked = [sys.executable, __file__, "--work", name, "--folder", str(folder), "--rounds", str(rounds)]
    said = subprocess.run(asked, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {which: [Timed(*one) for one in rows] for which, rows in json.loads(said.splitlines()[-1]).items()}


def line(name: str, n: int, times: dict[str, list[Timed]]) -> list[str]:
    """Medians, and the median, the lowest and the highest ratio of CPU seconds, round by round."""
    ratios = [ours.cpu / max(plain.cpu, 1e-3) for ours, plain in zip(times["ours"], times["plain"], strict=True)]
    seconds = [
        f"{np.median([getattr(one, what) for one in times[which]]):.2f} s"
        for what in ("cpu", "wall")
        for which in ("plain", "ours")
    ]
    spread = f"{np.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"
    return [name, f"{n:,}", *seconds, spread, f"{times['ours'][-1].found:,}"]


def page(sizes: list[int], names: list[str], rounds: int) -> str:
    """All tables."""
    rows = []
    for n in sizes:
        with tempfile.TemporaryDirectory(prefix="baserate-engines-") as folder:
            say(f"making {n:,} rows ...")
            make(Path(folder), n)
            for name in names:
                say(f"{name}, {n:,} rows ...")
                rows.append(line(name, n, timed(name, Path(folder), rounds)))
    heads = [
        "from",
        "rows",
        "CPU, GROUP BY",
        "CPU, curve",
        "time, GROUP BY",
        "time, curve",
        "CPU, GROUP BY = 1",
        "found",
    ]
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "duckdb", "polars"))
    return f"""# Engines: a curve beside a GROUP BY

Made by `make bench-engines` in one run on one machine, by turns and {rounds} times each; printed are medians, and of
the ratio the lowest and the highest. Python {platform.python_version()}, {packages}. {crowd()}

GROUP BY is `floor(score * 65536), label, count(*)` by the same engine. The curve is `br.curve` with its defaults: up to
4 million rows every score is kept, so that a curve of fewer rows costs more and is exact. Months, slices and scores are
{12 * _SLICES * len(_SCORES)} curves from one Parquet file, beside the GROUP BY of one score by month, slice, bucket and
label. Found are thresholds, or curves.

{table(heads, rows, words=1)}
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e4, 1e6, 2e7], help="numbers of rows, such as 1e6")
    parser.add_argument("--only", nargs="+", choices=JOBS, default=list(JOBS), help="these engines")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    parser.add_argument("--quick", action="store_true", help="10,000 rows, once, without Spark")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    parser.add_argument("--work", choices=JOBS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.folder, options.rounds)
        return
    if options.quick:
        text = page([10_000], [name for name in options.only if name != "Spark"], 1)
    else:
        text = page([int(n) for n in options.rows], options.only, options.rounds)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
