"""How rows were sampled for labelling: a stratum of each row, a rule in words, or a probability of each row."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import Array, ArrayLike, BoolArray, FloatArray, Indices
from baserate.checks import Label
from baserate.curves.counting import Counted, count_rows
from baserate.curves.strata import Stratum
from baserate.errors import InputError, shown
from baserate.written import percent, prevalence_from

# More different probabilities, or strata, than this are no strata: each would have too few labels.
MOST_STRATA = 20

# A declared rate is contradicted if so few or so many labels had this probability.
_CONTRADICTED = 1e-6

_UNKNOWN = "where a label is unknown it must be missing: None or nan"
_HOW = "write such as 'all >= 0.9, else 0.5 %'"
_CLAUSE = re.compile(r"(?P<share>.+?)\s*>=\s*(?P<from>\S+)")


class Design(NamedTuple):
    """Named strata, the stratum of each row, and the share of each that was to be labelled, if it was declared."""

    names: tuple[str, ...]
    of_row: Indices
    shares: tuple[float | None, ...]


class Clause(NamedTuple):
    """A part of a rule: the share of the rows labelled from a score on, down to the next higher clause."""

    share: float
    lowest: float

    @property
    def name(self) -> str:
        """The clause as text."""
        share = "all" if self.share == 1 else "none" if self.share == 0 else percent(self.share)
        return f"{share} of the rest" if np.isneginf(self.lowest) else f"{share} >= {self.lowest!r}"


# --- the ways to say it ---------------------------------------------------------------------------


def design_from(
    score: FloatArray, *, stratum: ArrayLike | None, rule: str | None, inclusion: ArrayLike | None
) -> Design:
    """How the rows were sampled, said in one of three ways."""
    said = {"stratum": stratum, "rule": rule, "inclusion": inclusion}
    given = [name for name, value in said.items() if value is not None]
    if len(given) != 1:
        raise InputError(
            f"how rows were sampled for labelling must be said once, got {' and '.join(given) or 'nothing'}; pass one "
            f"of rule='all >= 0.9, else 0.5 %', stratum= a column, and inclusion= a column of probabilities."
        )
    if rule is not None:
        return by_clauses(parse(rule), score)
    if stratum is not None:
        return _by_stratum(checks.column(stratum, "stratum"), len(score))
    return _by_inclusion(checks.numbers(inclusion, "inclusion"), len(score))


def _by_stratum(column: Array, n_rows: int) -> Design:
    _check_rows(column, "stratum", n_rows)
    distinct, of_row = np.unique(column.astype(np.str_), return_inverse=True)
    check_few(len(distinct), "stratum")
    return Design(tuple(distinct.tolist()), of_row, (None,) * len(distinct))


def _by_inclusion(column: FloatArray, n_rows: int) -> Design:
    _check_rows(column, "inclusion", n_rows)
    distinct, of_row = np.unique(column, return_inverse=True)
    check_inclusion(distinct.tolist())
    check_few(len(distinct), "inclusion")
    return Design(tuple(map(inclusion_name, distinct.tolist())), of_row, tuple(distinct.tolist()))


def check_inclusion(probabilities: Sequence[float]) -> None:
    """Refuse what are no probabilities."""
    outside = [one for one in probabilities if not 0 <= one <= 1]
    if outside:
        raise InputError(
            f"inclusion must be probabilities of being labelled, between 0 and 1, got {outside[0]}; for weights pass "
            f"1 / weight."
        )


def inclusion_name(probability: float) -> str:
    """The name of the stratum of all rows with this probability."""
    return f"inclusion {probability!r}"


def _check_rows(column: Array, name: str, n_rows: int) -> None:
    if len(column) != n_rows:
        raise InputError(
            f"{name} must have one value per row, got {len(column):,} for {n_rows:,} rows; pass one for each, labelled "
            f"or not."
        )


def check_few(n: int, name: str) -> None:
    """Refuse so many strata that each would have too few labels."""
    if n > MOST_STRATA:
        raise InputError(
            f"{name} must have at most {MOST_STRATA} different values, got {n:,}; rows with similar chances of being "
            f"labelled make a stratum, so name each row's stratum with stratum=."
        )


def parse(rule: str) -> tuple[Clause, ...]:
    """A rule such as "all >= 0.9, 10 % >= 0.5, else 0.5 %": clauses from the highest score down."""
    if not isinstance(rule, str):
        raise InputError(f"rule must be text, got {shown(rule)}; {_HOW}.")
    clauses = [_clause(part.strip(), rule) for part in re.split(r",(?!\d{3}\b)|;", rule)]
    lowest = [clause.lowest for clause in clauses]
    if lowest != sorted(set(lowest), reverse=True) or not np.isneginf(lowest[-1]):
        raise InputError(f"rule must go from the highest scores down to 'else …', got {shown(rule)}; {_HOW}.")
    return tuple(clauses)


def _clause(text: str, rule: str) -> Clause:
    found = _CLAUSE.fullmatch(text)
    share = found["share"] if found else text.removeprefix("else").strip()
    lowest = checks_number(found["from"]) if found else -np.inf
    known = {"all": 1.0, "none": 0.0}.get(share, prevalence_from(share))
    if np.isnan(lowest) or not 0 <= known <= 1 or np.isposinf(lowest):
        raise _no_clause(text, rule)
    return Clause(known, lowest)


def _no_clause(text: str, rule: str) -> InputError:
    """The exception for a part of a rule that cannot be read; it names the mistake."""
    got = repr(text) if text == rule.strip() else f"{text!r} in {shown(rule)}"
    if re.search(r"\S\s+else\b|>=.*>=", text):
        return InputError(f"rule must have a comma between its parts, got {got}; {_HOW}.")
    if re.search(r"[<>=]", text) and not re.search(r"(?<![<>=])>=(?![<>=])", text):
        return InputError(f"rule must have >= before a score, got {got}; {_HOW}.")
    return InputError(f"rule must have parts such as 'all >= 0.9' and 'else 0.5 %', got {got}.")


def checks_number(text: str) -> float:
    """A number from text; nan if it is none."""
    try:
        return float(text)
    except ValueError:
        return np.nan


def by_clauses(clauses: tuple[Clause, ...], score: FloatArray) -> Design:
    """The clause of each score."""
    rising = np.array([clause.lowest for clause in clauses[::-1]])
    of_row = len(clauses) - np.searchsorted(rising, score, side="right")
    return Design(tuple(one.name for one in clauses), of_row, tuple(one.share for one in clauses))


# --- rows -----------------------------------------------------------------------------------------


def strata_of(label: ArrayLike, score: ArrayLike, positive: Label | None, **said: ArrayLike | None) -> list[Stratum]:
    """Count all scored rows by stratum, labelled or not."""
    known, labels = checks.present(label, "label")
    is_positive = checks.labels(labels, positive, "label", several=_UNKNOWN)
    scores = checks.numbers(score, "score")
    checks.same_length(known, "label", scores, "score")
    design = design_from(scores, **said)  # type: ignore[arg-type]  # the three ways
    return counted_by_stratum(design, scores, known, is_positive)


def counted_by_stratum(design: Design, scores: FloatArray, known: BoolArray, is_positive: BoolArray) -> list[Stratum]:
    """Counts by score of each stratum; `is_positive` has the known labels only."""
    of_labelled, of_unlabelled = design.of_row[known], design.of_row[~known]
    labelled, unlabelled = scores[known], scores[~known]
    strata = []
    for k, (name, share) in enumerate(zip(design.names, design.shares, strict=True)):
        here, rest = of_labelled == k, unlabelled[of_unlabelled == k]
        stratum = Stratum(name, count_rows(labelled[here], is_positive[here]), _unlabelled(rest))
        check_share(stratum, share)
        strata.append(stratum)
    return strata


def _unlabelled(scores: FloatArray) -> Counted:
    return count_rows(scores, np.zeros(len(scores), np.bool_))


def check_share(stratum: Stratum, share: float | None) -> None:
    """Refuse a stratum whose counts contradict the share that was to be labelled."""
    if share is None or not stratum.n_rows:
        return
    n, of = stratum.n_labelled, stratum.n_rows
    if share in (0, 1):
        contradicted = n != share * of
    else:
        tails = scipy.special.bdtr(n, of, share), scipy.special.bdtrc(n - 1, of, share) if n else 1.0
        contradicted = bool(min(tails) < _CONTRADICTED)
    if contradicted:
        raise InputError(
            f"the share of labelled rows must be as declared, {percent(share)} in {stratum.name!r}, got {n:,} of "
            f"{of:,} rows, {percent(n / of)}; correct the rate, or name each row's stratum."
        )
