"""Where the processor time of commands goes, by room of the package, and what the kernel saves.

``python benchmarks/speed.py --where`` measures this section alone.
"""

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # what is profiled has to load its modules itself
    from sections import Section, Sizes

JOBS = ("evaluate", "report", "curve")
IMPORTS, ENGINE, OTHER = "imports", "DuckDB", "Python"
_WHAT = {
    IMPORTS: "loads modules, numpy's and DuckDB's, too",
    ENGINE: "reads and groups rows",
    "ingest": "asks DuckDB, and takes what it found",
    "curves": "counts",
    "native": "counts, compiled",
    "uncertainty": "draws and reads populations",
    "page": "writes the page",
    "formulas": "areas and rates, of drawn populations, too",
    "metrics": "numbers of one curve, and their bounds",
    "checks": "checks arguments",
    "registry": "finds metrics",
    "results": "makes results, and their text",
    "cli": "reads the command, prints the answer",
    OTHER: "what no room asked for",
}
_DEEPEST = 60  # calls from one function outside of the package to another
_LEAST = 0.005  # share of any job, below which rooms are summed up

Function = tuple[str, int, str]


class Timed(NamedTuple):
    """A profiled function: seconds of its own, and by its callers seconds of its own and with what it called."""

    own: float
    callers: dict[Function, tuple[float, float]]


def section(sizes: "Sizes") -> "Section":
    """Both tables."""
    from main_job import make_file
    from sections import Section
    from tables import table
    from timing import digits

    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as folder:
        path = Path(folder) / "scores.parquet"
        make_file(path, sizes)
        shares = {job: _asked(["--work", job, "--file", str(path)]) for job in JOBS}
    rooms: dict[str, float] = defaultdict(float)
    for job in JOBS:
        for room, share in shares[job].items():
            rooms[room] = max(rooms[room], share)
    listed = [room for room, share in sorted(rooms.items(), key=lambda one: -one[1]) if share >= _LEAST]
    rows = [
        [room if room in (IMPORTS, ENGINE, OTHER) else f"`{room}`", _WHAT.get(room, ""), *_row(shares, room)]
        for room in listed
    ]
    rest = {job: {"": 1 - sum(shares[job].get(room, 0.0) for room in listed)} for job in JOBS}
    rows.append(["others", "", *_row(rest, "")])
    heads = ["room", "what it does", "`baserate evaluate`", "`baserate report`", "`br.curve`"]
    words = f"""Shares of the processor time of one score in a Parquet file of {sizes.rows:,} rows, one in a hundred
positive, from the first import on, by [room](architecture.md) of the package. Time that a room spends in numpy or
another library counts as the room's. A profiler counted, which makes what is written in Python look longer than it is.

Below is one average precision from as many labels and scores in memory, in milliseconds of processor time, with the
[compiled kernel](kernel.md) and with `BASERATE_NATIVE=0`."""
    both = [_asked(["--work", "arrays", "--rows", str(sizes.rows)], native=native) for native in ("1", "0")]
    arrays = [
        [prevalence, f"{1e3 * kernel:.1f}", f"{1e3 * numpy:.1f}", digits(numpy / kernel)]
        for prevalence, kernel, numpy in zip(both[0], both[0].values(), both[1].values(), strict=True)
    ]
    tables = table(heads, rows, words=2), table(["prevalence", "kernel", "numpy", "ratio"], arrays)
    return Section(f"Where the time goes, {sizes.rows:,} rows", words, "\n\n".join(tables))


def _row(shares: dict[str, dict[str, float]], room: str) -> list[str]:
    return [f"{100 * max(shares[job].get(room, 0.0), 0.0):.0f} %" for job in JOBS]


def _asked(arguments: list[str], *, native: str = "1") -> dict[str, float]:
    """What a process of its own has found."""
    from sections import say

    say(f"where the time goes: {' '.join(arguments[1:2])}, BASERATE_NATIVE={native}")
    command = [sys.executable, __file__, *arguments]
    # Compiled modules are kept, as pip keeps those of a package that it installs; the first run makes them.
    environment = {**os.environ, "BASERATE_NATIVE": native, "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


# --- in a process of its own ----------------------------------------------------------------------


def profiled(job: Callable[[], object]) -> dict[str, float]:
    """The share of each room in the processor time of a job; all threads count, where they are waited for."""
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    job()
    profile.disable()
    raw: dict[Function, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # it has no other interface
    functions = {
        function: Timed(own, {caller: (edge[2], edge[3]) for caller, edge in callers.items()})
        for function, (_, _, own, _, callers) in raw.items()
    }
    seconds: dict[str, float] = defaultdict(float)
    known: dict[Function, dict[str, float]] = {}
    for function, timed in functions.items():
        for room, share in _rooms(function, functions, known, 0).items():
            seconds[room] += share * timed.own
    total = sum(seconds.values())
    return {room: spent / total for room, spent in seconds.items()}


def _rooms(
    function: Function, functions: dict[Function, Timed], known: dict[Function, dict[str, float]], depth: int
) -> dict[str, float]:
    """The room of a function, or those on whose behalf it works, by shares."""
    room = _room(function)
    if room is not None:
        return {room: 1.0}
    if function in known:
        return known[function]
    callers = functions[function].callers if function in functions and depth < _DEEPEST else {}
    weights = {caller: edge[1] for caller, edge in callers.items() if caller != function}
    total = sum(weights.values())
    if not total:
        return {OTHER: 1.0}
    known[function] = {OTHER: 1.0}  # of a circle of calls
    shares: dict[str, float] = defaultdict(float)
    for caller, weight in weights.items():
        for name, share in _rooms(caller, functions, known, depth + 1).items():
            shares[name] += share * weight / total
    known[function] = dict(shares)
    return known[function]


def _room(function: Function) -> str | None:
    file, _, name = function
    if "importlib" in file or name in ("<module>", "<built-in method builtins.exec>"):
        return IMPORTS
    parts = Path(file).parts
    if "baserate" not in parts or "site-packages" in parts[parts.index("baserate") :]:
        return None
    inside = parts[len(parts) - parts[::-1].index("baserate") :]
    if inside == ("ingest", "engine.py"):
        return ENGINE
    return inside[0].removesuffix(".py") if inside else None


def work(job: str, file: Path | None, rows: int) -> dict[str, float]:
    """Shares of rooms, or seconds by prevalence."""
    if job == "arrays":
        return {f"{prevalence:g}": _average_precision(rows, prevalence) for prevalence in (0.001, 0.01, 0.5)}
    return profiled(partial(_done, job, str(file)))


def _average_precision(rows: int, prevalence: float) -> float:
    from workload import Workload

    import baserate as br

    label, score = Workload(rows, prevalence).rows()
    seconds = []
    for _ in range(8):
        start = time.process_time()
        br.average_precision(br.Curve.from_scores(label, score))
        seconds.append(time.process_time() - start)
    return median(seconds[1:])


def _done(job: str, file: str) -> None:
    if job == "curve":
        import baserate as br

        br.curve(file, label="label", score="model_0")
        return
    from baserate.cli import main as command

    page = ["-o", str(Path(file).with_name("page.html"))] if job == "report" else []
    asked = [job, file, "--label", "label", "--score", "model_0", "--prevalence", "1:10000", "-q", *page]
    sys.argv = ["baserate", *asked]
    try:
        command()
    except SystemExit as ended:
        if ended.code:
            raise


def main() -> None:
    """One of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", choices=(*JOBS, "arrays"), required=True)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--rows", type=int, default=0)
    options = parser.parse_args()
    print(json.dumps(work(options.work, options.file, options.rows)))


if __name__ == "__main__":
    main()
