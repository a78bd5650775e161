"""What only a fresh process can tell: peak memory, and how long an import takes.

``python benchmarks/fresh.py PROGRAM FOLDER`` loads the rows in the folder, runs the program and prints how many bytes
its resident memory rose by at its peak. Linux alone can tell: ``ru_maxrss`` would also remember the imports, and the
process that started this one.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import competitors
import numpy as np
from timing import Runner, seconds_of
from workload import Floats, Labels, Workload

import baserate as br

_PEAK_RESET = Path("/proc/self/clear_refs")
CAN_TELL_PEAKS = _PEAK_RESET.exists()


def ours(label: Labels, score: Floats) -> Runner:
    """A curve and one average precision."""
    return Runner("baserate", lambda: br.average_precision(br.Curve.from_scores(label, score)))


def programs(label: Labels, score: Floats) -> Iterator[Runner]:
    """All who know an average precision; none is imported before it is its turn."""
    yield ours(label, score)
    yield from competitors.average_precision(label, score)


def program(name: str, label: Labels, score: Floats) -> Runner:
    """The one of that name."""
    return next(runner for runner in programs(label, score) if runner.name == name)


def peaks(workload: Workload, names: list[str]) -> dict[str, float]:
    """The peak of each program above its input, in multiples of the score array."""
    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as folder:
        label, score = workload.rows()
        np.save(Path(folder) / "label.npy", label)
        np.save(Path(folder) / "score.npy", score)
        return {name: int(_fresh([__file__, name, folder])) / score.nbytes for name in names}


def import_seconds(statement: str, repeats: int) -> float:
    """Of a fresh interpreter with the import, less one without."""
    return _interpreter_seconds(statement, repeats) - _interpreter_seconds("pass", repeats)


@cache
def _interpreter_seconds(code: str, repeats: int) -> float:
    return min(seconds_of(partial(_fresh, ["-c", code])) for _ in range(repeats))


def _fresh(arguments: list[str]) -> str:
    # Compiled modules are kept, as pip keeps those of a package that it installs.
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=kept).stdout


def _resident(field: str) -> int:
    """Bytes of resident memory: VmRSS now, VmHWM at the peak."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    found = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
    if found is None:
        raise OSError(f"/proc/self/status must have {field}, got none")
    return 1024 * int(found[1])


def main() -> None:
    name, folder = sys.argv[1:]
    # First on a few rows: what is loaded on first use is not what the rows need.
    program(name, *Workload(1000, 0.5).rows()).run()
    label, score = (np.load(Path(folder) / f"{column}.npy") for column in ("label", "score"))
    _PEAK_RESET.write_text("5", encoding="ascii")
    before = _resident("VmRSS")
    program(name, label, score).run()
    print(_resident("VmHWM") - before)


if __name__ == "__main__":
    main()
