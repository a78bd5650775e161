"""Labels and numbers in plots."""

import math
from collections.abc import Callable

from baserate.errors import Reason
from baserate.registry import bound_parameters, describe, row_of
from baserate.written import one_in

_DECIMALS_FROM = 1e-3  # smaller shares are written as powers of ten
_LINE = 40  # characters that fit into a legend at column width


def short(number: float) -> str:
    """A number with three digits, with trailing zeros."""
    text = f"{number:#.3g}".rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}") if "e" not in text else _power(number)


def share(value: float) -> str:
    """A share with three digits, for ticks and precisions; small ones as powers of ten."""
    if not 0 < value < 1:
        return f"{value:g}"
    return f"{value:.3g}" if value >= _DECIMALS_FROM else _power(value)


def _power(value: float) -> str:
    power = math.floor(math.log10(abs(value)))
    digits = f"{value / 10.0**power:.3g}"
    tens = f"10^{{{power}}}"
    return f"${tens}$" if digits == "1" else rf"${digits} \times {tens}$"


def metric_label(metric: Callable[..., object]) -> str:
    """The label of a metric, with its parameters."""
    row = row_of(metric)
    if row is None:
        return describe(metric)
    settings = ", ".join(f"{name} = {value}" for name, value in bound_parameters(metric).items())
    return f"{row.label} ({settings})" if settings else row.label


def area_label(
    name: str | None,
    area_name: str,
    area: float,
    reason: Reason | None,
    read_at: tuple[float, float | None] | None = None,
) -> str:
    """The legend entry of a curve: its name, its area, its prevalence and that of the data."""
    facts = f"undefined, {reason.sentence}" if reason else f"{area_name} {short(area)}"
    text = facts if name is None else f"{name}: {facts}"
    if read_at is None or reason:
        return text
    prevalence, own_prevalence = read_at
    where = f"at prevalence {one_in(prevalence)}"
    if own_prevalence is not None and one_in(own_prevalence) != one_in(prevalence):
        where += f" (own {one_in(own_prevalence)})"
    return two_lines(text, where)


def two_lines(first: str, second: str) -> str:
    """Two parts of a legend entry, in one line if they fit."""
    return f"{first} {second}" if len(first) + len(second) < _LINE else f"{first}\n{second}"
