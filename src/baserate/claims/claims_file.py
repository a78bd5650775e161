"""Claims from a TOML file."""

import os
from collections.abc import Mapping

from baserate import checks
from baserate.claims.claims import Claim
from baserate.errors import InputError

_SHARED = ("prevalence", "confidence_level")
_LARGEST_FILE = 1_000_000
_MOST_DOTS = 100  # in a line: a key of many parts takes memory by their square
_KEYS = ("name", "metric", "at", "at_least", "at_most", *_SHARED)


@checks.declared
def read_claims(path: str | os.PathLike[str]) -> list[Claim]:
    """Read claims from a TOML file.

    Each ``[[claim]]`` has a `metric` and a bound, `at_least` or `at_most`, and may have `name`, `at`, `prevalence` and
    `confidence_level`, as in a `Claim`. A prevalence is a share, a text such as "1 in 1,000", or a pair of these in
    brackets. Above the first claim, `prevalence` and `confidence_level` may be set for all.

    Parameters
    ----------
    path : path
        The file.

    Examples
    --------
    >>> import baserate as br, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "claims.toml"
    >>> _ = path.write_text('''
    ... prevalence = "1 in 1000"
    ...
    ... [[claim]]
    ... name = "enough of the fraud"
    ... metric = "recall"
    ... at = "alert_rate = 0.01"
    ... at_least = 0.4
    ...
    ... [[claim]]
    ... metric = "f_beta:beta=2"
    ... at = "threshold = 0.5"
    ... at_least = 0.2
    ... prevalence = [0.001, 0.01]
    ... ''')
    >>> for claim in br.read_claims(path):
    ...     print(claim)
    recall >= 0.4 at alert_rate <= 0.01, prevalence 1 in 1,000, 95 % sure
    f_beta:beta=2 >= 0.2 at threshold=0.5, prevalence 1 in 1,000 to 1 in 100, 95 % sure
    """
    contents = _toml(os.fspath(path))
    _refuse_unknown(contents, (*_SHARED, "claim"), "the file of claims")
    rows = contents.get("claim", [])
    if isinstance(rows, dict):
        raise InputError(f"a claim must begin with [[claim]], got [claim] in {os.fspath(path)!r}; double the brackets.")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f"a file of claims must have at least one [[claim]], got none in {os.fspath(path)!r}; add one."
        )
    shared = {key: contents[key] for key in _SHARED if key in contents}
    return [_claim(shared | row, number) for number, row in enumerate(rows, start=1)]


def _toml(path: str) -> dict[str, object]:
    import tomllib

    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST_FILE + 1).decode()
        _check_bounds(text, path)
        return tomllib.loads(text)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = f"file not found: {path!r}" if missing else f"the file {path!r} cannot be read ({error.strerror})"
        raise InputError(f"{why}; check the path.") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # also a number of too many digits, and brackets within brackets
        raise InputError(f"a file of claims must be TOML, got {path!r}, which is not ({error}); correct it.") from None


def _check_bounds(text: str, path: str) -> None:
    """Refuse files that are too large, or that would take too much memory to parse."""
    if len(text) > _LARGEST_FILE:
        raise InputError(f"a file of claims must be at most {_LARGEST_FILE:,} bytes, got more in {path!r}; split it.")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise InputError(f"a line must have at most {_MOST_DOTS} dots, got more in {path!r}; shorten its keys.")


def _claim(row: Mapping[str, object], number: int) -> Claim:
    name = row.get("name")
    title = f"claim {number}" + (f" ({name!r})" if isinstance(name, str) else "")
    _refuse_unknown(row, _KEYS, title)
    if "metric" not in row:
        raise InputError(
            f'{title} must have a metric, got {", ".join(row) or "nothing"}; add metric = "precision" for example.'
        )
    for key in ("metric", "at", "name"):
        if not isinstance(row.get(key, ""), str):
            raise InputError(f"{title}: {key} must be text, got {row[key]!r}; put it in quotes.")
    try:
        return Claim(**row)  # type: ignore[arg-type]  # the claim checks what comes
    except InputError as error:
        raise InputError(f"{title}: {error}") from None


def _refuse_unknown(row: Mapping[str, object], known: tuple[str, ...], title: str) -> None:
    for key in row:
        if key not in known:
            hint = checks.did_you_mean(key, known) or f"write one of {', '.join(known)}"
            raise InputError(f"{title} has no key {key!r}; {hint}.")
