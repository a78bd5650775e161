"""Prevalences on the command line: one, or a range of two.

A colon has two meanings. Odds have whole numbers on both sides (``1:999``), a range has shares (``1e-4:1e-2``). No
whole number lies strictly between 0 and 1, so the two cannot be confused.
"""

import math
from collections.abc import Iterable

import numpy as np

from baserate import checks, written
from baserate.arrays import PrevalenceRange
from baserate.errors import InputError

PREVALENCE_HELP = 'Prevalence to evaluate at, such as 0.001, "1 in 1,000" or 0.1%; repeatable.'


def prevalence_from(text: str) -> float:
    """One prevalence, from a share or odds."""
    parsed = _read(text)
    if isinstance(parsed, tuple):
        raise InputError(f"one prevalence is needed here, got the range {text!r}; baserate sweep takes ranges.")
    return parsed


def range_from(text: str) -> PrevalenceRange:
    """Two prevalences, the lower first."""
    parsed = _read(text)
    if not isinstance(parsed, tuple):
        raise InputError(f"a range must be two prevalences such as 1e-4:1e-2, got one: {text!r}.")
    return parsed


def grid_from(texts: Iterable[str], points: int) -> list[float]:
    """Sorted distinct prevalences; of each range a given number, evenly spaced in log-odds."""
    prevalences: set[float] = set()
    for text in texts:
        read = _read(text)
        prevalences.update(_between(*read, points) if isinstance(read, tuple) else [read])
    return sorted(prevalences)


def _read(text: str) -> float | PrevalenceRange:
    left, colon, right = (part.strip() for part in text.partition(":"))
    if not colon or (_is_whole(left) and _is_whole(right)):
        return checks.prevalence(text)
    if _is_share(left) and _is_share(right):
        return checks.prevalence_range(left, right)
    raise InputError(
        f'invalid prevalence {text!r}; write "1 in 1,000", odds of whole numbers such as 1:999, or a range of shares '
        f"between 0 and 1 such as 1e-4:1e-2."
    )


def _is_whole(text: str) -> bool:
    return text.isascii() and text.replace(",", "").isdigit()


def _is_share(text: str) -> bool:
    return 0 < written.prevalence_from(text) < 1


def _between(low: float, high: float, points: int) -> list[float]:
    first, last = (math.log(end) - math.log1p(-end) for end in (low, high))
    inner = 1 / (1 + np.exp(-np.linspace(first, last, points)[1:-1]))
    return [low, *map(float, inner), high]  # the ends as they were written, without rounding
