"""What a page about speed is made of: how much is measured, and sections with their races."""

import sys
import textwrap
import time
from dataclasses import dataclass, field

from timing import TOLERANCE, Race, Runner, race
from workload import Workload

Races = dict[tuple[str, Workload], Race]


@dataclass(frozen=True)
class Sizes:
    """Numbers of rows, and what to spend on each race: so many seconds, and so many rounds if that takes longer."""

    prevalences: tuple[float, ...]  # the first two of them, for what takes long
    growing: tuple[int, ...]
    rows: int
    file: int
    intervals_compared: int  # where the others draw all replicates, too, so that intervals can be compared
    peaks: int  # of so many workloads memory is measured, each in processes of its own
    seconds: float
    fewest: int
    models: int = 20  # in the file of the main job

    def workloads(self, n: int, most: int | None = None) -> list[Workload]:
        """So many rows at each prevalence, or the first few of them, without and with ties."""
        return [Workload(n, prevalence, ties) for prevalence in self.prevalences[:most] for ties in (False, True)]

    def race(self, ours: Runner, *others: Runner, tolerance: float = TOLERANCE) -> Race:
        """Run them in turns."""
        return race(ours, *others, seconds=self.seconds, fewest=self.fewest, tolerance=tolerance)


FULL = Sizes(
    prevalences=(0.01, 0.5, 0.001),
    growing=(10_000, 100_000, 1_000_000, 10_000_000),
    rows=1_000_000,
    file=10_000_000,
    intervals_compared=10_000,
    peaks=6,
    seconds=4.0,
    fewest=3,
)
QUICK = Sizes(
    prevalences=(0.01,),
    growing=(10_000, 30_000, 100_000),
    rows=30_000,
    file=100_000,
    intervals_compared=2_000,
    peaks=1,
    seconds=0.1,
    fewest=1,
    models=3,
)
HUGE = 100_000_000


@dataclass(frozen=True)
class Section:
    """A heading, words, a table, and the races behind it by their question and rows."""

    head: str
    words: str
    table: str
    races: Races = field(default_factory=dict)

    def __str__(self) -> str:
        return f"## {self.head}\n\n{wrapped(self.words)}\n\n{self.table}\n"


def wrapped(words: str) -> str:
    """Paragraphs in lines of the usual width; lists stay as they are."""
    paragraphs = words.strip().split("\n\n")
    return "\n\n".join(
        text if text.startswith("- ") else textwrap.fill(text, 119, break_long_words=False, break_on_hyphens=False)
        for text in paragraphs
    )


def say(what: str) -> None:
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)
