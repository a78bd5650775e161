"""Maps from scores to probabilities as SQL expressions.

What has no probability gives null: no branch is taken for a null, for NaN, or for a score that the map cannot read. NaN
is above all numbers in some engines and beside them in others, so a range is compared at both ends.
"""

import math
import sys
from itertools import pairwise

from baserate.arrays import FloatArray

# Log-odds beyond this are 0 or 1 to all digits of most engines, and some of them refuse exp of larger numbers.
_MOST = 700


def sql_of_line(column: str, *, intercept: float, slope: float) -> str:
    """The probability whose log-odds are a line in the score."""
    return _of_numbers(column, _logistic(f"{_double(intercept)} + {_double(slope)} * ({column})"))


def sql_of_log_odds(column: str, *, a: float, b: float, c: float, ends: tuple[float, float]) -> str:
    """The probability whose log-odds are a line in both logarithms of the score; `ends` are those of 0 and 1."""
    inside = _logistic(f"{_double(c)} + {_double(a)} * ln({column}) - {_double(b)} * ln(1 - ({column}))")
    at_ends = " ".join(f"WHEN {column} = {end} THEN {_double(share)}" for end, share in enumerate(ends))
    return f"CASE WHEN {column} > 0 AND {column} < 1 THEN {inside} {at_ends} END"


def _logistic(log_odds: str) -> str:
    # Of a null, least and greatest return the other argument.
    return f"1 / (1 + exp(-greatest(-{_MOST}, least({_MOST}, {log_odds}))))"


def sql_of_steps(column: str, score: FloatArray, rate: FloatArray, weight: float, *, joined: bool) -> str:
    """The rate from each score on, joined by lines or not; `weight` is that of the odds against an event."""
    knots = list(zip(score.tolist(), rate.tolist(), strict=True))
    (first, lowest), (_, highest) = knots[0], knots[-1]
    if joined:
        pieces = [f"WHEN {column} <= {_double(first)} THEN {_double(lowest)}"]
        for (low, below), (high, above) in pairwise(knots):
            slope = (above - below) / (high - low)
            start = below if math.isfinite(low) else above  # any number is far above minus infinity
            rising = f" + {_double(slope)} * ({column} - {_double(low)})" if slope else ""
            pieces.append(f"WHEN {column} < {_double(high)} THEN {_double(start)}{rising}")
    else:
        pieces = [f"WHEN {column} < {_double(high)} THEN {_double(below)}" for (_, below), (high, _) in pairwise(knots)]
    share = " ".join(["CASE", *pieces, f"ELSE {_double(highest)} END"]) if pieces else _double(highest)
    if weight == 1:
        return _of_numbers(column, share)
    odds_against = f"{_double(weight)} * (1 / nullif({share}, 0) - 1)"
    return _of_numbers(column, f"coalesce(1 / (1 + {odds_against}), 0)")


def _of_numbers(column: str, share: str) -> str:
    """The share of each number, which may be infinite, and null of others: no NaN lies between 0 and 1."""
    return f"CASE WHEN 1 / (1e0 + abs({column})) BETWEEN 0 AND 1 THEN {share} END"


def _double(number: float) -> str:
    """A number that engines read as a double: without an exponent it would be a decimal. No literal is infinite."""
    largest = sys.float_info.max
    text = repr(max(-largest, min(largest, number)))
    return text if "e" in text else f"{text}e0"
