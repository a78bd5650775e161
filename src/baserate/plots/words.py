"""Words and numbers as they stand in a picture."""

import math
from collections.abc import Callable

from baserate.errors import Reason
from baserate.registry import bound_parameters, describe, row_of

_DECIMALS_FROM = 1e-3  # smaller shares are written as powers of ten
_ODDS_FROM = 100  # negatives per positive; with fewer, a share is easier to read
_LINE = 40  # letters that fit beside the handle of a legend at column width


def short(number: float) -> str:
    """Three digits, zeros included."""
    text = f"{number:#.3g}".rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}") if "e" not in text else _power(number)


def share(value: float) -> str:
    """A prevalence: odds where these are round and the share is not, or else three digits."""
    if not 0 < value < 1:
        return f"{value:g}"
    odds = (1 - value) / value
    if _digits(value) > 2 and odds >= _ODDS_FROM and _digits(odds) <= 2:
        return f"1:{round(odds):,}"
    return f"{value:.3g}" if value >= _DECIMALS_FROM else _power(value)


def _digits(value: float) -> int:
    """How many digits say it, to nine."""
    return len(f"{value:.8e}".split("e")[0].replace(".", "").rstrip("0"))


def _power(value: float) -> str:
    power = math.floor(math.log10(abs(value)))
    digits = f"{value / 10.0**power:.3g}"
    tens = f"10^{{{power}}}"
    return f"${tens}$" if digits == "1" else rf"${digits} \times {tens}$"


def metric_label(metric: Callable[..., object]) -> str:
    """A metric as a table calls it, with its parameters."""
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
    """What a legend says of a curve: its name, its area, where it was read and the prevalence of its data."""
    facts = f"undefined, {reason.sentence}" if reason else f"{area_name} {short(area)}"
    text = facts if name is None else f"{name}: {facts}"
    if read_at is None or reason:
        return text
    prevalence, own_prevalence = read_at
    where = f"at prevalence {share(prevalence)}"
    if own_prevalence is not None and share(own_prevalence) != share(prevalence):
        where += f" (own {share(own_prevalence)})"
    return two_lines(text, where)


def two_lines(first: str, second: str) -> str:
    """Two parts of a sentence, in one line of a legend if they fit."""
    return f"{first} {second}" if len(first) + len(second) < _LINE else f"{first}\n{second}"
