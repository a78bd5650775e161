"""Maps from scores to probabilities as SQL expressions."""

from itertools import pairwise

from baserate.arrays import FloatArray

# Log-odds beyond this are 0 or 1 to all digits of most engines, and some of them refuse exp of larger numbers.
_MOST = 700


def sql_of_log_odds(
    column: str,
    *,
    intercept: float,
    slope: float | None = None,
    beta: tuple[float, float] = (0.0, 0.0),
    ends: tuple[float, float] = (0.0, 1.0),
) -> str:
    """The probability whose log-odds are a line in the score, or in its two logarithms; `ends` are those of 0 and 1."""
    # Of a null, least and greatest return the other argument.
    missing = f"CASE WHEN {column} IS NULL THEN NULL"
    if slope is not None:
        return f"{missing} ELSE {_logistic(f'{intercept!r} + {slope!r} * ({column})')} END"
    a, b = beta
    inside = _logistic(f"{intercept!r} + {a!r} * ln({column}) - {b!r} * ln(1 - ({column}))")
    return f"{missing} WHEN {column} <= 0 THEN {ends[0]!r} WHEN {column} >= 1 THEN {ends[1]!r} ELSE {inside} END"


def _logistic(log_odds: str) -> str:
    return f"1 / (1 + exp(-greatest(-{_MOST}, least({_MOST}, {log_odds}))))"


def sql_of_steps(column: str, score: FloatArray, rate: FloatArray, weight: float, *, joined: bool) -> str:
    """The rate from each score on, joined by lines or not; `weight` is that of the odds against an event."""
    knots = list(zip(score.tolist(), rate.tolist(), strict=True))
    (first, lowest), (_, highest) = knots[0], knots[-1]
    if joined:
        pieces = [f"WHEN {column} <= {first!r} THEN {lowest!r}"]
        for (low, below), (high, above) in pairwise(knots):
            slope = (above - below) / (high - low)
            between = f"{below!r} + {slope!r} * ({column} - {low!r})" if slope else f"{below!r}"
            pieces.append(f"WHEN {column} < {high!r} THEN {between}")
    else:
        pieces = [f"WHEN {column} < {high!r} THEN {below!r}" for (_, below), (high, _) in pairwise(knots)]
    missing = f"WHEN {column} IS NULL THEN NULL"
    if weight == 1:
        return " ".join(["CASE", missing, *pieces, f"ELSE {highest!r} END"])
    share = " ".join(["CASE", *pieces, f"ELSE {highest!r} END"]) if pieces else repr(highest)
    odds_against = f"{weight!r} * (1 / nullif({share}, 0) - 1)"
    return f"CASE {missing} ELSE coalesce(1 / (1 + {odds_against}), 0) END"
