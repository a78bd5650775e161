"""Programs timed in turns on the same rows, so that whatever else the machine does meets all of them alike."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from workload import Floats

Value = float | Floats

# What seconds are of: the clock on the wall or, where others use the machine, this process.
clock: Callable[[], float] = time.perf_counter

# Two programs gave the same number if no two of their numbers are further apart than this.
TOLERANCE = 1e-6
_MOST = 15


@dataclass(frozen=True)
class Runner:
    """A program and what it does; where only a part of the work is run, how many times as long the whole takes."""

    name: str
    run: Callable[[], Value]
    times: float = 1.0


@dataclass(frozen=True)
class Result:
    """What a program found, and its seconds in each round."""

    name: str
    value: Value
    seconds: Floats

    @property
    def median(self) -> float:
        """Seconds, typically."""
        return float(np.median(self.seconds))


@dataclass(frozen=True)
class Ratio:
    """How many times as long another program takes, round by round: the median and the quartiles."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{digits(self.median)} × ({digits(self.low)}–{digits(self.high)})"


@dataclass(frozen=True)
class Race:
    """One of ours and some others at the same work."""

    ours: Result
    others: dict[str, Result]
    tolerance: float = TOLERANCE

    @classmethod
    def of_times(cls, values: Sequence[tuple[str, Value]], seconds: Floats, tolerance: float) -> "Race":
        """From what each found, ours first, and the seconds of each, one column per program."""
        results = [Result(name, value, own) for (name, value), own in zip(values, seconds.T, strict=True)]
        return cls(results[0], {result.name: result for result in results[1:]}, tolerance)

    def ratio(self, name: str) -> Ratio:
        """How many times as long it takes as ours, each round by itself."""
        low, median, high = np.quantile(self.others[name].seconds / self.ours.seconds, [0.25, 0.5, 0.75])
        return Ratio(float(median), float(low), float(high))

    def apart(self, name: str) -> float:
        """How far its numbers are from ours, at most; nan if they cannot be compared."""
        theirs, ours = np.atleast_1d(self.others[name].value), np.atleast_1d(self.ours.value)
        return float(np.max(np.abs(theirs - ours))) if theirs.shape == ours.shape else math.nan

    def agrees(self, name: str) -> bool:
        """Whether it gave the same numbers."""
        return self.apart(name) <= self.tolerance

    def cell(self, name: str) -> str:
        """The ratio if both gave the same numbers, else both numbers; a dash for a program that did not take part.

        Where more than rounding is allowed, it says how far apart they are.
        """
        if name not in self.others:
            return "–"
        if self.agrees(name):
            differs = math.isfinite(self.tolerance) and self.apart(name) > TOLERANCE
            return str(self.ratio(name)) + f", {self.apart(name):.0e} apart" * differs
        return f"{_shown(self.others[name].value)}, not {_shown(self.ours.value)}"


def race(ours: Runner, *others: Runner, seconds: float, fewest: int, tolerance: float = TOLERANCE) -> Race:
    """Run all in turns: once to warm up, then for about so many seconds, or the fewest times if that takes longer."""
    runners = (ours, *others)
    start = clock()
    values = [(runner.name, runner.run()) for runner in runners]
    rounds = int(np.clip(seconds / (clock() - start), fewest, _MOST))
    times = np.array([[runner.times * seconds_of(runner.run) for runner in runners] for _ in range(rounds)])
    return Race.of_times(values, times, tolerance)


def seconds_of(job: Callable[[], object]) -> float:
    """How long it takes, without throwing away what it made."""
    start = clock()
    kept = job()
    taken = clock() - start
    del kept
    return taken


def in_words(seconds: float) -> str:
    """A duration to three digits, in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds / 1e-6)} µs"


def digits(number: float) -> str:
    """Some three digits, never as a power of ten."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _shown(value: Value) -> str:
    return "/".join(f"{number:.5g}" for number in np.atleast_1d(value)[:3])
