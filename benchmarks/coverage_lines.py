"""What the coverage study asks about, what it counts, and when a count falls short."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

# What is wanted of an interval at each level, and of a test or an alarm: a little less than it says, or just that.
WANTED = {("coverage", 0.8): 0.78, ("coverage", 0.95): 0.93, ("coverage", 0.99): 0.98, ("error", 0.95): 0.95}
FEWEST_ANSWERS = 50  # to judge by
DRAWS = 400  # populations for each interval; a fifth of what the library draws unless told


class Setting(NamedTuple):
    """A part of the study, one population and one size of test set."""

    part: str
    model: str
    n_pos: int
    n_neg: int
    detail: str = ""

    def __str__(self) -> str:
        sizes = f"{self.n_pos:,}:{self.n_neg:,}"
        return ", ".join(word for word in (self.model, sizes, self.detail) if word)


class Answer(NamedTuple):
    """What one method says to one question about one test set."""

    question: str
    where: str
    method: str
    default: bool  # whether it is what one gets without naming a method
    held: bool  # of a test: whether it is right
    width: float = math.nan
    value: float = math.nan
    level: float = 0.95
    kind: str = "coverage"  # of an interval; "error" of a test, whose mistakes are counted; "power" is only told


class Line(NamedTuple):
    """What came out for one question and one method in one setting."""

    setting: Setting
    question: str
    where: str
    method: str
    default: bool
    level: float
    kind: str
    answers: int
    held: int
    width: float  # median
    spread: float  # standard deviation of the value over test sets

    @property
    def share(self) -> float:
        """How often it held."""
        return self.held / self.answers if self.answers else math.nan

    @property
    def cell(self) -> tuple[object, ...]:
        """What makes it the same line in another run."""
        return self.place, self.method

    @property
    def place(self) -> tuple[object, ...]:
        """Where methods can be compared."""
        return self.setting, self.question, self.where, self.level, self.kind

    @property
    def falls_short(self) -> bool:
        """Below what is wanted by more than two standard errors of this simulation."""
        wanted = WANTED.get((self.kind, self.level))
        if wanted is None or self.answers < FEWEST_ANSWERS:
            return False
        return self.share < wanted - 2 * math.sqrt(wanted * (1 - wanted) / self.answers)


class Scope(NamedTuple):
    """What to ask about."""

    questions: frozenset[str] | None = None  # all of them
    rivals: bool = True  # whether methods other than the default are asked, too

    def asks(self, question: str) -> bool:
        """Whether a question is wanted."""
        return self.questions is None or question in self.questions


Asker = Callable[[np.random.Generator], Iterable[Answer]]  # simulates one test set and asks about it


def interval(
    question: str,
    where: str,
    method: str,
    ends: tuple[float, float],
    truth: float,
    *,
    value: float = math.nan,
    default: bool = True,
    level: float = 0.95,
    known_to: float = 1e-9,
) -> Iterator[Answer]:
    """Whether an interval holds the truth, as far as that is known; nothing where there is no interval."""
    low, high = ends
    if not (math.isnan(low) or math.isnan(high) or math.isnan(truth)):
        slack = known_to * abs(truth)  # an end that equals the truth up to rounding holds it
        held = low <= truth + slack and high >= truth - slack
        yield Answer(question, where, method, default, bool(held), float(high - low), value, level)


def mistake(question: str, where: str, method: str, wrong: bool, *, default: bool = True) -> Answer:
    """Whether a test, an alarm or a verdict is wrong, which it may be in one case of twenty."""
    return Answer(question, where, method, default, not bool(wrong), kind="error")


def lines_of(setting: Setting, answers: Iterable[Answer]) -> list[Line]:
    """Answers to the same question by the same method, counted."""
    found: dict[tuple[str, str, str, bool, float, str], list[Answer]] = {}
    for answer in answers:
        key = (answer.question, answer.where, answer.method, answer.default, answer.level, answer.kind)
        found.setdefault(key, []).append(answer)
    return [_line(setting, key, some) for key, some in found.items()]


def _line(setting: Setting, key: tuple[str, str, str, bool, float, str], answers: list[Answer]) -> Line:
    held = sum(answer.held for answer in answers)
    width = float(np.median([answer.width for answer in answers]))
    values = np.array([answer.value for answer in answers])
    with np.errstate(invalid="ignore"):
        spread = float(np.std(values))
    return Line(setting, *key, len(answers), held, width, spread)


def together(lines: list[Line]) -> Line:
    """The same line from several runs."""
    answers, held = (sum(getattr(line, name) for line in lines) for name in ("answers", "held"))
    width, spread = (float(np.mean([getattr(line, name) for line in lines])) for name in ("width", "spread"))
    return lines[0]._replace(answers=answers, held=held, width=width, spread=spread)
