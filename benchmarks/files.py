"""A Parquet file of 1e8 rows beside DuckDB's own GROUP BY of buckets, a smaller one beside scikit-learn, in one run.

``python benchmarks/files.py`` makes the files in a temporary folder, reads each in a process of its own and prints the
tables; ``--write docs/files-speed.md`` puts them into the documentation; ``--quick`` uses a hundredth of the rows.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tables import crowd, table

GIB = 2**30
_CHUNK = 5_000_000

# What each process does with the path it is given; it prints its seconds, its peak memory and what it found.
_HEAD = """
import json, resource, sys, time
path = sys.argv[1]
"""
_TAIL = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({"seconds": seconds, "cpu": time.process_time() - began, "peak": peak, "found": found}))
"""
OURS = f"""{_HEAD}
import baserate as br, duckdb, narwhals.stable.v2
began, start = time.process_time(), time.perf_counter()
curve = br.curve(path, label="fraud", score="score")
bounds = [br.bounds(br.average_precision, at) for at in (curve, curve.at_prevalence(1e-4))]
seconds = time.perf_counter() - start
found = {{"thresholds": len(curve), "bounds": [[b.value, b.low, b.high] for b in bounds]}}
{_TAIL}"""
PLAIN = f"""{_HEAD}
import duckdb
settings = {{"memory_limit": "512MB", "preserve_insertion_order": False}}
began, start = time.process_time(), time.perf_counter()
connection = duckdb.connect(config=settings)
connection.execute("SET enable_progress_bar = false")
table = connection.read_parquet(path)
found = len(table.aggregate("floor(score * 65536), fraud, count(*) AS n").fetchnumpy()["n"])
seconds = time.perf_counter() - start
{_TAIL}"""
THEIRS = f"""{_HEAD}
import polars as pl
from sklearn.metrics import average_precision_score
began, start = time.process_time(), time.perf_counter()
frame = pl.read_parquet(path)
found = average_precision_score(frame["fraud"].to_numpy(), frame["score"].to_numpy())
seconds = time.perf_counter() - start
{_TAIL}"""


def make(path: Path, n: int) -> None:
    """A file of n scored payments, one in a hundred fraud, no two scores alike on purpose."""
    rng = np.random.default_rng(0)
    chunks = path.with_suffix("")
    chunks.mkdir()
    for k, start in enumerate(range(0, n, _CHUNK)):
        rows = min(_CHUNK, n - start)
        fraud = rng.random(rows) < 0.01
        score = 1 / (1 + np.exp(4 - 1.5 * rng.normal(size=rows) - 4 * fraud))
        pl.DataFrame({"fraud": fraud.astype(np.int8), "score": score}).write_parquet(chunks / f"{k}.parquet")
    pl.scan_parquet(chunks / "*.parquet").sink_parquet(path)
    for chunk in chunks.iterdir():
        chunk.unlink()
    chunks.rmdir()


def run(script: str, path: Path, *more: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", script, str(path), *more], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def report(large: int, fits: int, folder: Path) -> str:
    found = {}
    for n in (large, fits):
        path = folder / f"{n}.parquet"
        say(f"making {n:,} rows ...")
        make(path, n)
        say(f"reading {n:,} rows ...")
        found[n] = (run(OURS, path), run(PLAIN, path), path.stat().st_size)
    say("polars and scikit-learn ...")
    theirs = run(THEIRS, folder / f"{fits}.parquet")
    rows = []
    for n, (ours, plain, size) in found.items():
        result = ours["found"]
        widths = [f"{high - low:.1e}" for _, low, high in result["bounds"]]
        peak, seconds = ours["peak"] / GIB, ours["seconds"]
        thresholds = f"{result['thresholds']:,}"
        times = [f"{seconds:.1f} s", f"{ours['cpu']:.1f} s", f"{ours['cpu'] / plain['cpu']:.1f}"]
        rows.append([f"{n:,}", f"{size / GIB:.2f} GiB", *times, f"{peak:.2f} GiB", thresholds, *widths])
    ours = found[fits][0]
    faster = theirs["seconds"] / ours["seconds"]
    leaner = theirs["peak"] / ours["peak"]
    low, high = ours["found"]["bounds"][0][1:]
    # Exact curves have no room between their bounds; two programs round differently.
    inside = low - 1e-12 <= theirs["found"] <= high + 1e-12
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "duckdb", "polars", "scikit-learn"))
    head = [
        "rows",
        "file",
        "time",
        "CPU",
        "CPU, GROUP BY = 1",
        "peak memory",
        "thresholds kept",
        "AP certain within",
        "… at prevalence 1e-4",
    ]
    return f"""# Files: time and memory

Made by `make bench-files` in one run on one machine; each file is read by a process of its own, whose peak resident
memory is printed, interpreter and libraries included. Python {platform.python_version()}, {packages}. {crowd()}

`br.curve("scores.parquet", label="fraud", score="score")` with its defaults, and `bounds` of average precision at the
file's own prevalence (0.01) and at 1e-4. GROUP BY is what DuckDB takes for `floor(score * 65536), fraud, count(*)` of
the same file, which is all that an answer without bounds would need:

{table(head, rows)}

Reading {fits:,} rows with polars and calling scikit-learn's `average_precision_score` takes {faster:.1f} times as
long and {leaner:.1f} times the memory ({theirs["seconds"]:.1f} s, {theirs["peak"] / GIB:.2f} GiB); its value lies
{"within" if inside else "OUTSIDE"} the bounds.
"""


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the tables there, too")
    options = parser.parse_args()
    sizes = (1_000_000, 300_000) if options.quick else (100_000_000, 20_000_000)
    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as folder:
        text = report(*sizes, Path(folder))
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
