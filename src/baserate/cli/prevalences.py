"""Prevalences as people write them: a share, odds, or a range of shares.

A colon means two things, and what stands beside it tells which. Odds have whole numbers on both sides (``1:1000``), a
range has shares (``1e-4:1e-2``). No whole number lies strictly between 0 and 1, so nothing can be read both ways.
"""

import math
from collections.abc import Iterable

import numpy as np

from baserate import checks
from baserate.errors import InputError

Range = tuple[float, float]


def prevalence_from(text: str) -> float:
    """One prevalence, from a share or odds."""
    found = _read(text)
    if isinstance(found, tuple):
        raise InputError(f"one prevalence is wanted here, got the range {text!r}; sweep reads over ranges.")
    return found


def range_from(text: str) -> Range:
    """Two prevalences, the lower first."""
    found = _read(text)
    if not isinstance(found, tuple):
        raise InputError(f"a range must be two shares such as 1e-4:1e-2, got {text!r}, which is one prevalence.")
    return found


def grid_from(texts: Iterable[str], points: int) -> list[float]:
    """Prevalences in order, each once; so many of each range, evenly spaced in log-odds."""
    found: set[float] = set()
    for text in texts:
        read = _read(text)
        found.update(_between(*read, points) if isinstance(read, tuple) else [read])
    return sorted(found)


def _read(text: str) -> float | Range:
    left, colon, right = text.strip().partition(":")
    if not colon:
        share = _number(left)
        if math.isnan(share):
            hint = _instead_of(text)
            raise InputError(f"a prevalence must be a share such as 0.001 or odds such as 1:1000, got {text!r}{hint}.")
        return checks.prevalence(share)
    if _is_whole(left) and _is_whole(right):
        return checks.prevalence(f"{left}:{right}")
    if _is_share(left) and _is_share(right):
        return checks.prevalence_range(float(left), float(right))
    raise InputError(
        f"a colon stands in odds of whole numbers such as 1:1000, or in a range of shares between 0 and 1 such as "
        f"1e-4:1e-2, got {text!r}; write one of these."
    )


def _instead_of(text: str) -> str:
    """How a percentage or a fraction is written here; nothing if it is neither."""
    number, percent, rest = text.strip().partition("%")
    top, _, bottom = (number, "/", "100") if percent and not rest else number.partition("/")
    share = _number(top) / (_number(bottom) or math.nan)
    return f"; write {share:.15g}" if 0 < share < 1 else ""


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_share(text: str) -> bool:
    return 0 < _number(text) < 1


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _between(low: float, high: float, points: int) -> list[float]:
    first, last = (math.log(end) - math.log1p(-end) for end in (low, high))
    inner = 1 / (1 + np.exp(-np.linspace(first, last, points)[1:-1]))
    return [low, *map(float, inner), high]  # the ends as they were written, without rounding
