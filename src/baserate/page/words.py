"""Numbers and names as people say them, and as JSON can hold them."""

import unicodedata
from collections.abc import Iterable

import numpy as np

# Digits kept of numbers, and of those that are many or are ends of intervals; a page shows four, and three.
DIGITS, FEW_DIGITS, SHOWN_DIGITS, ALL_DIGITS = 9, 6, 4, 17

# Kinds of letters, as Unicode has them, that leave the direction of a text alone.
_LEFT_TO_RIGHT = ("L", "EN", "ES", "ET", "CS", "NSM", "BN", "WS", "S", "ON", "B")

_SMALLEST_P = 1e-4

Json = dict[str, object]


def numbers(column: Iterable[float], digits: int = DIGITS) -> list[float | None]:
    """Some digits of each; JSON knows no infinity and no nan."""
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in column]


def isolated(name: str) -> str:
    """A name that is written from right to left does not turn the sentence around it."""
    turns = any(unicodedata.bidirectional(letter) not in _LEFT_TO_RIGHT for letter in name)
    return f"\u2068{name}\u2069" if turns else name


def short(value: float) -> str:
    """Two digits of a value, as a sentence has them."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def rounded_p(p_value: float) -> str:
    """A p-value; those below the smallest are not told apart, and there is no text for none."""
    if np.isnan(p_value):
        return ""
    return f"{p_value:.2g}" if p_value >= _SMALLEST_P else f"below {_SMALLEST_P}"


def amount(cases: float) -> str:
    """A number of cases, or a sum of weights."""
    return f"{cases:,.0f}" if float(cases).is_integer() else f"{cases:,.6g}"


def counted(cases: float, noun: str) -> str:
    """How many of something there are."""
    return f"{amount(cases)} {noun}{'s' * (cases != 1)}"
