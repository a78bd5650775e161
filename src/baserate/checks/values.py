"""Single values: numbers, shares, prevalences, ranges."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

from baserate.checks.synonyms import did_you_mean
from baserate.errors import InputError, shown
from baserate.written import prevalence_from, right_form, share_from

# Numbers whose squares, and prevalences whose odds, still have a float.
_LARGEST = 1e100
SMALLEST_PREVALENCE = 1e-300

# As many cases as a class may have, so that sums over both classes still fit in int64.
MOST_CASES = 2**62
_MOST_REPEATS = 10_000_000

_PREVALENCES = 'pass a share such as 0.001, "1 in 1,000", "0.1 %" or odds such as "1:999"'


def number(value: object, name: str, *, kind: str = "a float") -> float:
    """One real number, not nan; `kind` is what to pass instead of text."""
    if type(value) is float and not math.isnan(value):
        return value
    try:
        converted = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        converted = math.nan
    if math.isnan(converted):
        meant = share_from(value) if isinstance(value, str) else math.nan
        advice = f"pass {kind}" if math.isnan(meant) else f"pass {meant:.15g}, without quotes"
        raise InputError(f"{name} must be a number, got {shown(value)}; {advice}.")
    return converted


def share(value: object, name: str, *, above: bool = False) -> float:
    """A number between 0 and 1; `above` says that 0 itself is excluded."""
    converted = number(value, name)
    if not (0 < converted <= 1 if above else 0 <= converted <= 1):
        raise InputError(
            f"{name} must be {'above 0 and at most 1' if above else 'between 0 and 1'}, got {shown(value)}; "
            f"{right_form(value) or 'pass a share'}."
        )
    return converted


def probability(value: object, name: str) -> float:
    """A number strictly between 0 and 1."""
    converted = number(value, name)
    if not 0 < converted < 1:
        raise InputError(
            f"{name} must be strictly between 0 and 1, got {shown(value)}; {right_form(value) or 'pass a share'}."
        )
    return converted


def confidence_level(value: object) -> float:
    """A confidence level, at least 0.5 and below 1."""
    converted = number(value, "confidence_level")
    if not 0.5 <= converted < 1:
        raise InputError(
            f"confidence_level must be at least 0.5 and below 1, got {shown(value)}; "
            f"{right_form(value) or 'pass a share such as 0.95'}."
        )
    return converted


def generator(value: object) -> np.random.Generator:
    """A random generator: the given one, one from a seed, or a new one for None."""
    if isinstance(value, np.random.Generator):
        return value
    if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value < 0):
        raise InputError(f"rng must be a seed or a numpy.random.Generator, got {shown(value)}; pass rng=0 for example.")

    return np.random.default_rng(None if value is None else int(value))


def whole_number(value: object, name: str, *, most: int = MOST_CASES) -> int:
    """A whole number above zero, within the limits of counting and memory."""
    converted = positive_number(value, name, kind="a whole number")
    if not converted.is_integer():
        raise InputError(f"{name} must be a whole number, got {shown(value)}; round it first.")
    if converted > most:
        raise InputError(f"{name} must be at most {most:,}, got {shown(value)}; pass a smaller number.")
    return int(converted)


def repeats(value: object, name: str) -> int:
    """A number of draws, whose results must fit in memory."""
    return whole_number(value, name, most=_MOST_REPEATS)


def not_negative(value: object, name: str) -> float:
    """A finite number, not below zero."""
    converted = number(value, name)
    if not 0 <= converted < math.inf:
        raise InputError(f"{name} must be finite and not negative, got {shown(value)}; pass a number from 0 up.")
    return converted


def cost(value: object, name: str) -> float:
    """A finite number, not negative."""
    converted = number(value, name)
    if not 0 <= converted < math.inf:
        raise InputError(f"{name} must be finite and not negative, got {shown(value)}; pass the cost of one mistake.")
    return converted


def positive_number(value: object, name: str, *, kind: str = "a float") -> float:
    """A finite number above zero."""
    converted = number(value, name, kind=kind)
    if not 0 < converted < math.inf:
        raise InputError(f"{name} must be finite and above 0, got {shown(value)}; pass a positive number.")
    if not 1 / _LARGEST < converted < _LARGEST:
        raise InputError(
            f"{name} must be between {1 / _LARGEST:.0e} and {_LARGEST:.0e}, got {shown(value)}; rescale it."
        )
    return converted


def prevalence(value: object, name: str = "prevalence") -> float:
    """A prevalence strictly between 0 and 1, from a number or from text such as "1 in 1,000", "0.1 %" or "1:999"."""
    converted = prevalence_from(value) if isinstance(value, str) else number(value, name)
    if not SMALLEST_PREVALENCE <= converted < 1:
        advice = right_form(value, of_prevalence=True) or _PREVALENCES
        raise InputError(f"{name} must be strictly between 0 and 1, got {shown(value)}; {advice}.")
    return converted


def prevalence_range(low: object, high: object) -> tuple[float, float]:
    """Two prevalences, the lower first."""
    ends = prevalence(low, "low"), prevalence(high, "high")
    if not ends[0] < ends[1]:
        raise InputError(f"low must be below high, got {shown(low)} and {shown(high)}; swap or widen them.")
    return ends


def recall_range(value: object) -> tuple[float, float]:
    """A pair of recalls, the lower first."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InputError(f"recall_range must be a pair such as (0.5, 1.0), got {shown(value)}; pass both ends.")
    low, high = share(value[0], "recall_range"), share(value[1], "recall_range")
    if not low < high:
        raise InputError(f"recall_range must run from low to high, got {shown(value)}; swap or widen it.")
    return low, high


def class_sizes(n_pos: object, n_neg: object) -> tuple[float | None, float | None]:
    """Both class sizes or neither."""
    if n_pos is None and n_neg is None:
        return None, None
    if n_pos is None or n_neg is None:
        raise InputError(
            f"n_pos and n_neg must come together, got {shown(n_pos)} and {shown(n_neg)}; pass both or neither."
        )
    return positive_number(n_pos, "n_pos"), positive_number(n_neg, "n_neg")


T = TypeVar("T")


def one_of(value: T, allowed: Sequence[T], name: str) -> T:
    """One of a few known values."""
    # Arrays and tables have an answer of their own to whether they equal something.
    if not isinstance(value, tuple(map(type, allowed))) or value not in allowed:
        hint = did_you_mean(shown(value).strip("'"), [str(item) for item in allowed])
        listed = ", ".join(repr(item) for item in allowed)
        raise InputError(f"{name} must be one of {listed}, got {shown(value)}{'; ' + hint if hint else ''}.")
    return value
