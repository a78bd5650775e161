"""Running the coverage study: which settings there are, and how what came out is kept, so that a run can go on."""

import hashlib
import itertools
import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

import numpy as np
from coverage_comparisons import changes, clusters, differences, slices
from coverage_estimates import areas, chosen, given
from coverage_lines import Asker, Line, Scope, Setting, lines_of, together
from coverage_models import MODELS
from coverage_verdicts import alarms, blame, claims
from which_code import fingerprint

EVERYTHING = Scope()
TIMES_AGAIN = 10  # as many simulations decide about what fell short at first


# Each part of the study makes what simulates and asks.
PARTS: Mapping[str, Callable[[Setting, Scope], Asker]] = {
    part.__name__: part
    for part in (areas, given, chosen, differences, clusters, slices, changes, alarms, claims, blame)
}

Sizes = Sequence[tuple[int, int]]
FEW_SIZES: Sizes = ((5, 100), (15, 300), (100, 10_000))
MORE_SIZES: Sizes = ((20, 10_000), (1_000, 100), (30, 100_000))
SIZES: Sizes = (*itertools.product((5, 20, 100, 1_000), (100, 10_000)), (15, 300), (30, 100_000))
HARD = ("weak", "strong", "rare top negatives")


def settings(*, whole: bool) -> list[Setting]:
    """All settings, or a part that stands for them; mixed, so that a run that is stopped has something of each."""
    ordered = [*_of_one_model(whole=whole), *_of_two_models(whole=whole), *_of_verdicts(whole=whole)]
    return [ordered[i] for i in np.random.default_rng(0).permutation(len(ordered))]


def _of_one_model(*, whole: bool) -> Iterator[Setting]:
    for part, model in itertools.product(("areas", "chosen", "given"), MODELS):
        more = MORE_SIZES if model in HARD and part == "areas" else ()
        few = FEW_SIZES[1:] if part == "chosen" else FEW_SIZES
        for n_pos, n_neg in SIZES if whole else (*few, *more):
            yield Setting(part, model, n_pos, n_neg)


def _of_two_models(*, whole: bool) -> Iterator[Setting]:
    for shape, correlation in itertools.product(("equal", "unequal", "better"), (0, 0.5, 0.9, 0.99)):
        for n_pos, n_neg in SIZES if whole else ((15, 300), (100, 1_000)):
            yield Setting("differences", shape, n_pos, n_neg, f"correlation {correlation:g}")
    # Where power is compared, and where the default changes from one method to another.
    for shape, correlation in itertools.product(("equal", "better", "very unequal"), (0.5, 0.9)):
        yield Setting("differences", shape, 30, 1_000, f"correlation {correlation:g}")
        yield Setting("differences", shape, 100, 2_000, f"correlation {correlation:g}")
    for shape, n_pos in itertools.product(("equal", "unequal", "better"), (19, 20, 25)):
        yield Setting("differences", shape, n_pos, 400, "correlation 0.5")


def _of_verdicts(*, whole: bool) -> Iterator[Setting]:
    sizes = ((15, 300), (30, 1_000), (100, 10_000), *(((1_000, 10_000),) if whole else ()))
    for n_pos, n_neg in sizes:
        for kind in ("same model", "one worse"):
            yield Setting("slices", "binormal", n_pos, n_neg, kind)
        for kind in ("same model", "worse model"):
            yield Setting("changes", "binormal", n_pos, n_neg, kind)
        if whole or n_pos <= 30:
            for kind in ("same model", "worse half-way") if whole or n_pos == 30 else ("same model",):
                yield Setting("alarms", "binormal", n_pos, n_neg, kind)
        for model in MODELS if whole else ("weak", "three levels", "rare top negatives"):
            yield Setting("claims", model, n_pos, n_neg)
        for model, detail in itertools.product(("continuous", "levels"), ("", "weighted")):
            yield Setting("blame", model, n_pos, n_neg, detail)
        yield Setting("blame", "continuous", n_pos, n_neg, "read elsewhere")
    for n_clusters, each in itertools.product((10, 30, 100), (3, 15)):
        yield Setting("clusters", "shared effect", each * n_clusters, 17 * each * n_clusters, f"{n_clusters} clusters")


# --- one job --------------------------------------------------------------------------------------


class Job(NamedTuple):
    """So many test sets of one setting; other numbers are other test sets."""

    setting: Setting
    n: int
    number: int = 0
    scope: Scope = EVERYTHING

    @property
    def name(self) -> str:
        """What its file is called."""
        asked = sorted(self.scope.questions or ()), self.scope.rivals
        text = json.dumps([*self.setting, self.n, self.number, *asked])
        return f"{self.setting.part}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def simulate(job: Job) -> list[Line]:
    """Test set after test set."""
    ask = PARTS[job.setting.part](job.setting, job.scope)
    seed = zlib.crc32(json.dumps(job.setting).encode())
    rng = np.random.default_rng([seed, job.number])
    return lines_of(job.setting, (answer for _ in range(job.n) for answer in ask(rng)))


# --- what came out is kept ------------------------------------------------------------------------


def made_by() -> str:
    """The code of the study and of what it asks."""
    return fingerprint(
        Path(__file__).parent / f"coverage_{name}.py" for name in ("models", "estimates", "comparisons", "verdicts")
    )


class Kept(NamedTuple):
    """A folder with one file for each job."""

    folder: Path

    def read(self, job: Job) -> list[Line] | None:
        """What is known already."""
        path = self.folder / job.name
        if not path.exists():
            return None
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [Line(job.setting, *row) for row in rows]

    def write(self, job: Job, lines: list[Line]) -> None:
        """Whole or not at all, whenever the run is stopped."""
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self.folder / f"{job.name}.unfinished"
        unfinished.write_text(json.dumps([line[1:] for line in lines]), encoding="utf-8")
        unfinished.replace(self.folder / job.name)


class Run(NamedTuple):
    """How to run: where results are kept, on how many processors, and until when."""

    kept: Kept
    processes: int = 2
    until: float = float("inf")

    def all(self, jobs: Sequence[Job]) -> dict[Job, list[Line]]:
        """What came out of each job, of those that are done."""
        known = {job: self.kept.read(job) for job in jobs}
        found = {job: lines for job, lines in known.items() if lines is not None}
        waiting = [job for job, lines in known.items() if lines is None]
        say(f"{len(found)} of {len(jobs)} were done before")
        for job, lines in self._simulated(waiting):
            found[job] = lines
            self.kept.write(job, lines)
            say(f"{len(found)} of {len(jobs)}: {job.setting.part}, {job.setting}")
        return found

    def _simulated(self, waiting: list[Job]) -> Iterator[tuple[Job, list[Line]]]:
        """Jobs as they are done; none is begun too late."""
        in_time = itertools.takewhile(lambda _: time.monotonic() < self.until, waiting)
        if self.processes == 1:
            yield from ((job, simulate(job)) for job in in_time)
            return
        with ProcessPoolExecutor(self.processes) as pool:
            running = {pool.submit(simulate, job): job for job in itertools.islice(in_time, self.processes)}
            while running:
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(done), done.result()
                    running |= {pool.submit(simulate, job): job for job in itertools.islice(in_time, 1)}


def say(what: str) -> None:
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


# --- the study ------------------------------------------------------------------------------------


class Study(NamedTuple):
    """What came out, and how much of it is still missing."""

    lines: list[Line]
    n: int
    missing: int
    undecided: int  # settings that fell short at first and have not been simulated again


def study(wanted: Sequence[Setting], n: int, run: Run, scope: Scope = EVERYTHING) -> Study:
    """All settings; where a default falls short, ten times as many fresh test sets decide."""
    found = run.all([Job(setting, n, scope=scope) for setting in wanted])
    again = [job for first, lines in found.items() for job in _again(first, lines)]
    decided = run.all(again)
    lines = [line for some in found.values() for line in some]
    return Study(_replaced(lines, decided), n, len(wanted) - len(found), len(again) // TIMES_AGAIN - _whole(decided))


def _again(job: Job, lines: list[Line]) -> list[Job]:
    short = frozenset(line.question for line in lines if line.default and line.falls_short)
    return (
        [job._replace(number=k, scope=Scope(short, rivals=False)) for k in range(1, TIMES_AGAIN + 1)] if short else []
    )


def _whole(decided: Mapping[Job, list[Line]]) -> int:
    """Settings all of whose further runs are there."""
    numbers: dict[Setting, int] = {}
    for job in decided:
        numbers[job.setting] = numbers.get(job.setting, 0) + 1
    return sum(number == TIMES_AGAIN for number in numbers.values())


def _replaced(lines: list[Line], decided: Mapping[Job, list[Line]]) -> list[Line]:
    fresh: dict[tuple[object, ...], list[Line]] = {}
    for line in itertools.chain.from_iterable(decided.values()):
        fresh.setdefault(line.cell, []).append(line)
    return [
        together(fresh[line.cell]) if line.default and line.falls_short and line.cell in fresh else line
        for line in lines
    ]
