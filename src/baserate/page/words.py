"""Numbers and names, as text for people and as JSON."""

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

# Digits of numbers, fewer of long columns and of interval ends; a page shows four, and three.
DIGITS, FEW_DIGITS, SHOWN_DIGITS, ALL_DIGITS = 9, 6, 4, 17

# Unicode's bidirectional classes that do not change the direction of a text.
_LEFT_TO_RIGHT = ("L", "EN", "ES", "ET", "CS", "NSM", "BN", "WS", "S", "ON", "B")

_SMALLEST_P = 1e-4

Json = dict[str, object]


def numbers(column: Iterable[float], digits: int = DIGITS) -> list[float | None]:
    """Numbers rounded to some digits; None for infinity and nan, which JSON does not have."""
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in column]


def isolated(name: str) -> str:
    """A name, isolated if it is written from right to left, so that the sentence around it keeps its direction."""
    turns = any(unicodedata.bidirectional(letter) not in _LEFT_TO_RIGHT for letter in name)
    return f"\u2068{name}\u2069" if turns else name


def short(value: float) -> str:
    """A value with two digits, for sentences."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def rounded_p(p_value: float) -> str:
    """A p-value as text, with a lower limit; empty for nan."""
    if np.isnan(p_value):
        return ""
    return f"{p_value:.2g}" if p_value >= _SMALLEST_P else f"below {_SMALLEST_P}"


def amount(cases: float) -> str:
    """A number of cases, or a sum of weights."""
    return f"{cases:,.0f}" if float(cases).is_integer() else f"{cases:,.6g}"


def counted(cases: float, noun: str) -> str:
    """A number of cases with its noun, in the singular or plural."""
    return f"{amount(cases)} {noun}{'s' * (cases != 1)}"


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
