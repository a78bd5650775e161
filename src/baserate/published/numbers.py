"""A printed number as the range of numbers that would be printed so."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Real
from typing import NamedTuple

from baserate import checks, written
from baserate.errors import InputError, shown
from baserate.metrics.by_name import metric_from
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import METRICS, CellRatio, Family, all_parameters, row_of

POSITIVES, NEGATIVES = "n_pos", "n_neg"

# What papers print beside metrics.
PREVALENCE, TPR, FPR = "prevalence", "tpr", "fpr"
SHARES: Mapping[str, CellRatio] = {
    PREVALENCE: CellRatio((1, 1, 0, 0), (1, 1, 1, 1)),
    TPR: CellRatio((1, 0, 0, 0), (1, 1, 0, 0)),
    FPR: CellRatio((0, 0, 1, 0), (0, 0, 1, 1)),
}

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%|percent)?", re.IGNORECASE)
_MOST_DIGITS = 30

_HALF = Fraction(1, 2)


class Printed(NamedTuple):
    """A printed number: its name, the text, the ends of its range, and what it is a ratio of, if it is one."""

    name: str
    text: str
    low: Fraction
    high: Fraction
    cells: CellRatio | None
    metric: MetricFunction | None = None

    @property
    def said(self) -> str:
        """Name and text: precision 0.90."""
        return f"{self.name} {self.text}"


def measure(name: str) -> tuple[CellRatio | None, MetricFunction | None]:
    """What a name stands for: a ratio of cells, or a metric of a whole curve."""
    here = checks.name_here(name) if name not in SHARES else name
    if here in SHARES:
        return SHARES[here], None
    called = here.partition(":")[0]
    if called not in METRICS and not checks.did_you_mean(called, METRICS):
        raise _not_audited(name)
    metric = metric_from(here)
    row = row_of(metric)
    assert row is not None  # it was found by its name
    if row.traits.cells is not None:
        return row.traits.cells(**all_parameters(metric)), metric
    if row.family is Family.AREA and not all_parameters(metric) and not row.traits.best_over_thresholds:
        return None, metric
    raise _not_audited(name)


def _not_audited(name: str) -> InputError:
    known = [row.name for row in METRICS.values() if row.traits.cells is not None]
    return InputError(
        f"audit needs a metric that is a ratio of sums of cells, or an area, got {shown(name)}; "
        f"use {', '.join([*SHARES, *known])}, roc_auc, auc_pr or average_precision; class sizes are n_pos and n_neg."
    )


def printed_number(name: str, value: object) -> Printed:
    """A printed number with the range that rounds to it."""
    cells, metric = measure(name)
    low, high, text = _range(name, value)
    row = None if metric is None else row_of(metric)
    least, most = (Fraction(0), Fraction(1)) if row is None else _limits(row.lowest, row.highest, low, high)
    if high < least or low > most:
        hint = written.right_form(float(value) if isinstance(value, Real) else value if isinstance(value, str) else "")
        raise InputError(
            f"{name} must be between {float(least):g} and {float(most):g}, got {shown(value)}; "
            f"{hint or 'pass the number as it is printed'}."
        )
    return Printed(name, text, max(low, least), min(high, most), cells, metric)


def class_size(name: str, value: object) -> int:
    """A number of cases: 147, or the text 85,296."""
    plain = value.replace(",", "") if isinstance(value, str) else value
    if isinstance(plain, str) and plain.isascii() and plain.isdigit() and len(plain) < _MOST_DIGITS:
        plain = int(plain)
    if isinstance(plain, bool) or not isinstance(plain, Integral):
        raise InputError(f"{name} must be a whole number, got {shown(value)}; pass the number of cases of that class.")
    return checks.whole_number(int(plain), name)


def _limits(lowest: float, highest: float, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The range of a metric, cut to that of the number where it is unlimited."""
    infinite = float("inf")
    return (
        low if lowest == -infinite else Fraction(lowest),
        high if highest == infinite else Fraction(highest),
    )


def _range(name: str, value: object) -> tuple[Fraction, Fraction, str]:
    """The ends of the range of a printed number, and its text."""
    if isinstance(value, tuple | list) and len(value) == 2:
        low, high = (Fraction(checks.number(end, name)) for end in value)
        return _ordered(name, value, low, high, f"{float(low):g} to {float(high):g}")
    if isinstance(value, Real) and not isinstance(value, bool):
        return _rounded(name, value, shown(value.item() if hasattr(value, "item") else value))
    if not isinstance(value, str):
        raise InputError(f"{name} must be a number as it is printed, got {shown(value)}; write it as text: '0.90'.")
    return _rounded(name, value, value.strip())


def _rounded(name: str, value: object, text: str) -> tuple[Fraction, Fraction, str]:
    number = _NUMBER.fullmatch(text)
    if number and len(text) > _MOST_DIGITS:
        raise _too_many_digits(text)
    if number:
        exact, half = _with_half_a_digit(number[1])
        scale = 100 if number[2] else 1
        return (exact - half) / scale, (exact + half) / scale, text
    left, colon, right = text.partition(":")
    ends = _NUMBER.fullmatch(left.strip()), _NUMBER.fullmatch(right.strip())
    if colon and all(ends) and "." in left + right:
        low, high = (Fraction(checks.number(written.share_from(end.strip()), name)) for end in (left, right))
        return _ordered(name, value, low, high, f"{float(low):g} to {float(high):g}")
    if name == PREVALENCE and 0 < (share := written.prevalence_from(text)) < 1:
        one_in = 1 / Fraction(share).limit_denominator(10**12)
        return 1 / (one_in + _HALF), 1 / max(one_in - _HALF, Fraction(1)), text
    raise InputError(
        f"{name} must be a number as it is printed, such as 0.90, 90 % or a range 0.85:0.95, got {shown(value)}; "
        f"{written.right_form(value) or 'write it in one of these ways'}."
    )


def _with_half_a_digit(text: str) -> tuple[Fraction, Fraction]:
    """A number, and half a unit of its last digit."""
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent of too many digits
        raise InputError(f"a printed number must be finite, got {shown(text)}; write it with fewer digits.") from None
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # it is finite
    if abs(exponent) > _MOST_DIGITS:
        raise _too_many_digits(text)
    return Fraction(number), Fraction(10) ** exponent / 2


def _too_many_digits(text: str) -> InputError:
    return InputError(f"a printed number has at most {_MOST_DIGITS} digits, got {shown(text)}; write fewer.")


def _ordered(name: str, value: object, low: Fraction, high: Fraction, text: str) -> tuple[Fraction, Fraction, str]:
    if low > high:
        raise InputError(f"a range must begin with its lower end, got {shown(value)} for {name}; swap the ends.")
    return low, high, text
