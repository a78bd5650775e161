"""Reads and writes shares and prevalences as text: ``0.5 %``, ``1 in 1,000``, ``1/300``, ``1:299``."""

import math
import re

# A whole number, with or without commas between its thousands; and any number.
_WHOLE = r"(\d{1,3}(?:,\d{3})+|\d+)"
_NUMBER = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf)", re.IGNORECASE)
_ONE_IN = re.compile(rf"{_WHOLE}\s*-?(?:in|out of|of|/)-?\s*{_WHOLE}(\.\d+)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"(\d*),(\d+)(\s*%)?")


def share_from(text: str) -> float:
    """A share from text: ``0.6``, ``60%`` or ``60 percent``; nan if it is neither."""
    number, percent = re.subn(r"\s*(%|percent|per cent)$", "", text.strip(), flags=re.IGNORECASE)
    if not _NUMBER.fullmatch(number):
        return math.nan
    return float(number) / 100 if percent else float(number)


def prevalence_from(text: str) -> float:
    """A prevalence from a share, from ``1 in 200`` and ``1/200``, or from odds such as ``1:199``; nan if it is none."""
    text = text.strip()
    positives, colon, negatives = text.partition(":")
    if colon:
        return _from_odds(_amount(positives), _amount(negatives))
    if one_in_many := _ONE_IN.fullmatch(text):
        return _amount(one_in_many[1]) / (_amount(one_in_many[2] + (one_in_many[3] or "")) or math.nan)
    return share_from(text)


def _from_odds(positives: float, negatives: float) -> float:
    possible = 0 < positives < math.inf and 0 < negatives < math.inf
    return 1 / (1 + negatives / positives) if possible else math.nan


def _amount(text: str) -> float:
    """A number, perhaps with commas between its thousands."""
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.strip())
    return float(plain) if _NUMBER.fullmatch(plain) else math.nan


def right_form(value: object, *, of_prevalence: bool = False) -> str:
    """Advice for a value that looks like a percentage, like the 1,000 of "1 in 1,000", or that has a decimal comma."""
    if isinstance(value, str):
        if comma := _DECIMAL_COMMA.fullmatch(value.strip()):
            return f"write {comma[1] or '0'}.{comma[2]}{(comma[3] or '').strip()}, with a decimal point"
        value = share_from(value)
    if not isinstance(value, float | int) or not 1 <= value < math.inf:
        return ""
    ways = [f"{value / 100:.10g} for {value:g} %"] if value < 100 else []
    if of_prevalence and value > 1 and float(value).is_integer():
        ways.append(f'"1 in {value:,.0f}"')
    return f"write {' or '.join(ways)}" if ways else ""


def one_in(prevalence: float) -> str:
    """A prevalence as people say it: "1 in 1,000"; above one half, where cases are not rare, a percentage."""
    if not 0 < prevalence <= 0.5:
        return "none" if prevalence == 0 else "unknown" if math.isnan(prevalence) else percent(prevalence)
    cases = float(f"{1 / prevalence:.3g}")
    return f"1 in {cases:,.0f}" if cases >= 10 else f"1 in {cases:g}"


def one_in_to_four_digits(prevalence: float) -> str:
    """A prevalence to four digits, to tell similar ones apart: "1 in 1,001", "1 in 18.12"."""
    if not 0 < prevalence <= 0.5:
        return "0" if prevalence == 0 else one_in(prevalence)
    return f"1 in {float(f'{1 / prevalence:.4g}'):,.12g}"


def percent(share: float) -> str:
    """A percentage with three digits, of the share or, above one half, of its complement."""
    shown = float(f"{100 * share:.3g}") if share <= 0.5 else 100 - float(f"{100 * (1 - share):.3g}")
    return f"{shown:.10g} %"


# Names of columns with prevalences; tables for people write them as one in so many.
PREVALENCES = frozenset(
    {"prevalence", "common_prevalence", "prevalence_before", "from_prevalence", "max_width_prevalence"}
    | {"rarest_prevalence", "scores_prevalence", "from", "to"}
)


class Shown(float):
    """A number with a text for people; programs use the number."""

    text: str

    def __new__(cls, value: float, text: str) -> "Shown":
        """The number, and its text."""
        shown = super().__new__(cls, value)
        shown.text = text
        return shown

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        """The arguments for copying and pickling."""
        return float(self), self.text
