"""Claims about a model, such as "precision is at least 0.5 at recall 0.6", and whether the data bear them out."""

import math
import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

import numpy as np

from baserate import checks
from baserate.claims.more_labels import copies, factor_that_reaches
from baserate.curves.curve import Curve
from baserate.curves.rules import Rule
from baserate.deployment import worst_case
from baserate.errors import InputError, NoSuchPointError
from baserate.metrics.by_name import Chooser, metric_from, rule_from
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.results import ClaimVerdict, Estimate
from baserate.results.words import percent
from baserate.uncertainty.cells import is_mostly_tied
from baserate.uncertainty.estimate import estimate, sizes_behind

_DRAWS_BEYOND = 40  # draws beyond the ends of an interval that only says how many labels to ask for
_LOWEST_LEVEL = 0.75  # an interval whose ends hold at this level holds in half of all cases, and no less is made


@dataclass(frozen=True)
class Claim:
    """Something that is promised of a model, for `check` to compare with data.

    Attributes
    ----------
    metric : callable or str
        A metric, by its function or by its name with parameters, such as "f_beta:beta=2".
    at_least, at_most : float
        The bound; one of them.
    at : Rule, str or function, optional
        For a metric of a threshold, the rule that chooses it: "recall=0.6" or "recall >= 0.6", "fpr=0.001",
        "threshold=0.5", "precision=0.9", "top_k=100", "alert_rate=0.01", "best=f1", or a function such as
        ``lambda curve: curve.at_recall(0.6)``.
    prevalence : float, odds or pair, optional
        Where it is claimed. A pair (low, high) claims it of every prevalence in between. If not given, where the curve
        is read.
    confidence_level : float
        How sure one wants to be before a claim is called met, and before it is called broken; at least 0.75.
    name : str, optional
        What to call it.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.Claim(br.precision, at_least=0.5, at="recall >= 0.6", prevalence=0.003))
    precision >= 0.5 at recall >= 0.6, prevalence 0.003, 95 % sure
    >>> print(br.Claim("average_precision", at_least=0.3, prevalence=(0.001, 0.01)))
    average_precision >= 0.3, prevalence 0.001 to 0.01, 95 % sure
    """

    metric: MetricFunction | str
    _: KW_ONLY
    at_least: float | None = None
    at_most: float | None = None
    at: Chooser | None = None
    prevalence: float | str | tuple[float | str, float | str] | None = None
    confidence_level: float = 0.95
    name: str | None = None
    _asked: "_Asked" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Read once, here, so that a claim that cannot be checked is refused before the data are there.
        object.__setattr__(self, "_asked", _Asked.of(self))

    def __str__(self) -> str:
        asked = self._asked
        text = f"{describe(asked.metric)} {'>=' if asked.least else '<='} {asked.bound:g}"
        if asked.rule is not None:
            text += f" at {asked.rule}"
        if isinstance(asked.prevalence, tuple):
            text += ", prevalence {:.4g} to {:.4g}".format(*asked.prevalence)
        elif asked.prevalence is not None:
            text += f", prevalence {asked.prevalence:.4g}"
        return f"{text}, {percent(self.confidence_level)} sure"


@dataclass(frozen=True)
class _Asked:
    """A claim as it was understood."""

    metric: MetricFunction
    bound: float
    least: bool  # whether the bound is the least that is promised, or the most
    rule: Rule | None
    prevalence: float | tuple[float, float] | None

    @classmethod
    def of(cls, claim: Claim) -> "_Asked":
        metric = metric_from(claim.metric) if isinstance(claim.metric, str) else claim.metric
        if not callable(metric):
            raise InputError(f"metric must be a function or a name such as 'precision', got {metric!r}; pass one.")
        if (claim.at_least is None) == (claim.at_most is None):
            raise InputError(
                f"a claim has one bound, at_least or at_most, got {'none' if claim.at_least is None else 'both'}; pass "
                f"one."
            )
        level = checks.confidence_level(claim.confidence_level)
        if level < _LOWEST_LEVEL:
            raise InputError(f"confidence_level of a claim must be at least {_LOWEST_LEVEL}, got {level}; raise it.")
        if claim.name is not None and not isinstance(claim.name, str):
            raise InputError(f"name must be text, got {claim.name!r}; put it in quotes.")
        rule = _rule(claim.at, metric)
        return cls(metric, _bound(claim, metric), claim.at_least is not None, rule, _prevalence(claim.prevalence, rule))


def _bound(claim: Claim, metric: MetricFunction) -> float:
    name = "at_most" if claim.at_least is None else "at_least"
    bound = checks.number(getattr(claim, name), name)
    row = row_of(metric)
    if row is not None and not row.lowest <= bound <= row.highest:
        raise InputError(
            f"{name} must be in the range of {row.name}, {row.lowest:g} to {row.highest:g}, got {bound:g}; no data "
            f"could decide it."
        )
    return bound


def _rule(at: object, metric: MetricFunction) -> Rule | None:
    row = row_of(metric)
    if at is None:
        if row is not None and row.family is Family.POINTWISE:
            raise InputError(
                f"at must say how a threshold is chosen for {row.name}, got none; write 'recall=0.6' for example."
            )
        return None
    if row is not None and row.family is not Family.POINTWISE:
        raise InputError(
            f"at is for metrics of a threshold, got {at!r} with {row.name}, which reads all of them; leave it out."
        )
    return rule_from(at)


def _prevalence(value: object, rule: Rule | None) -> float | tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, tuple | list):
        return checks.prevalence(value)
    if len(value) != 2:
        raise InputError(f"prevalence must be one or a pair (low, high), got {value!r}; pass both ends.")
    if rule is not None and rule.depends_on_prevalence:
        raise InputError(
            f"over a range of prevalences there must be one threshold, got the rule {rule}, which has another at each; "
            f"choose by threshold, recall or fpr."
        )
    return checks.prevalence_range(*value)


@checks.declared
def check(
    claim: Claim,
    curve: Curve,
    *,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> ClaimVerdict:
    """Compare a claim with data: it is met, broken, or these data cannot tell.

    It is met if the interval of the metric lies on the good side of the bound, broken if it lies on the bad side, and
    undecided otherwise. Each end of the interval holds at the level of the claim: at 95 %, a claim that is false is
    called met in at most 5 % of samples, and one that is true is called broken in at most 5 %. (So the interval as a
    whole is one at 90 %.)

    Parameters
    ----------
    claim : Claim
        What is claimed.
    curve : Curve
        The data. A threshold that the claim's rule chooses on them is judged as it would be shipped, as by `estimate`.
    n_resamples, rng
        As for `estimate`.

    Notes
    -----
    An undecided claim comes with the labels that would likely decide it, in the mix of the data: so many that the same
    rates, seen on so many more cases, would have an interval that ends at the bound. As rates will not stay exactly
    where they are, this is an expectation, and new labels may well leave it open again.

    Over a range of prevalences a claim is met if it is met at the worst of them, see `worst_case`.

    Several claims, models or slices are checked one by one: of twenty true claims one may well be called broken.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["old_model"])
    >>> claim = br.Claim(br.precision, at_least=0.5, at="recall=0.4", prevalence="1:100")
    >>> print(br.check(claim, curve, rng=0))
    broken: precision >= 0.5 at recall >= 0.4, prevalence 0.009901, 95 % sure: precision is 0.4077, at most 0.4674
    """
    asked, generator = claim._asked, checks.generator(rng)
    try:
        found = _estimated(asked, curve, _of_both_ends(claim.confidence_level), n_resamples, generator)
        note = found.reason.sentence if found.reason else found.caution
    except NoSuchPointError as error:
        found, note = _nothing(asked, curve, claim.confidence_level), str(error)
    verdict = _verdict(asked, found)
    factor = _factor_that_decides(claim, curve, found, n_resamples, generator) if verdict == "undecided" else math.inf
    more = [math.ceil((factor - 1) * n) if math.isfinite(factor) else None for n in (found.n_pos, found.n_neg)]
    return ClaimVerdict(
        claim=str(claim),
        name=claim.name or str(claim),
        verdict=verdict,
        estimate=found,
        bound=asked.bound,
        margin=found.value - asked.bound if asked.least else asked.bound - found.value,
        more_pos=more[0],
        more_neg=more[1],
        note=note,
    )


def _of_both_ends(level: float) -> float:
    """The level of an interval each of whose ends holds at a level, without the rounding of the subtraction."""
    return round(2 * level - 1, 12)


def _estimated(
    asked: _Asked, curve: Curve, confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> Estimate:
    if isinstance(asked.prevalence, float):
        curve = curve.at_prevalence(asked.prevalence)
    at = curve if asked.rule is None else asked.rule.on(curve)
    if not isinstance(asked.prevalence, tuple):
        return estimate(asked.metric, at, confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    return worst_case(
        asked.metric,
        at,
        *asked.prevalence,
        worst="lowest" if asked.least else "highest",
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )


def _nothing(asked: _Asked, curve: Curve, level: float) -> Estimate:
    """What is known where no threshold does what the rule asks for."""
    n_pos, n_neg = sizes_behind(curve)
    where = asked.prevalence if isinstance(asked.prevalence, float) else curve.prevalence
    nothing = (math.nan, math.nan, math.nan)
    return Estimate(
        describe(asked.metric), *nothing, _of_both_ends(level), where, "none", n_pos, n_neg, reason=curve.missing_class
    )


def _verdict(asked: _Asked, found: Estimate) -> Literal["met", "broken", "undecided"]:
    good, bad = (found.low >= asked.bound, found.high < asked.bound)
    if not asked.least:
        good, bad = (found.high <= asked.bound, found.low > asked.bound)
    return "met" if good else "broken" if bad else "undecided"  # nan is neither


def _factor_that_decides(
    claim: Claim, curve: Curve, found: Estimate, n_resamples: int, rng: np.random.Generator
) -> float:
    """How many times the labels would bring the end of the interval to the bound, the value staying where it is."""
    asked, level = claim._asked, found.confidence_level
    good = found.value > asked.bound
    draws = min(n_resamples, math.ceil(_DRAWS_BEYOND / (1 - level)))  # an expectation needs no more

    def distance(times: int) -> float:
        rule = asked.rule and asked.rule.of_copies(times)
        many = _estimated(replace(asked, rule=rule), copies(curve, times), level, draws, rng)
        return abs(found.value - (many.low if good else many.high))

    now = abs(found.value - (found.low if good else found.high))
    if math.isnan(now):
        return math.inf
    # These rules choose among ties otherwise than among scores that all differ, and copies are ties.
    by_number = asked.rule is not None and asked.rule.within_gaps
    look = None if by_number and not is_mostly_tied(curve) else distance
    return factor_that_reaches(abs(found.value - asked.bound), look, now)


# --- from a file ----------------------------------------------------------------------------------

_SHARED = ("prevalence", "confidence_level")
_LARGEST_FILE = 1_000_000
_MOST_DOTS = 100  # in a line: a key of many parts takes memory by their square
_KEYS = ("name", "metric", "at", "at_least", "at_most", *_SHARED)


@checks.declared
def read_claims(path: str | os.PathLike[str]) -> list[Claim]:
    """Claims from a TOML file.

    Each ``[[claim]]`` has a `metric` and a bound, `at_least` or `at_most`, and may have `name`, `at`, `prevalence` and
    `confidence_level`, which mean what they mean in a `Claim`. A prevalence is a share, odds in quotes, or a pair of
    these in brackets. Above the first claim, `prevalence` and `confidence_level` may be set for all.

    Parameters
    ----------
    path : path
        The file.

    Examples
    --------
    >>> import baserate as br, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "claims.toml"
    >>> _ = path.write_text('''
    ... prevalence = "1:1000"
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
    recall >= 0.4 at alert_rate <= 0.01, prevalence 0.000999, 95 % sure
    f_beta:beta=2 >= 0.2 at threshold=0.5, prevalence 0.001 to 0.01, 95 % sure
    """
    found = _toml(os.fspath(path))
    _refuse_unknown(found, (*_SHARED, "claim"), "the file of claims")
    rows = found.get("claim", [])
    if isinstance(rows, dict):
        raise InputError(f"a claim must begin with [[claim]], got [claim] in {os.fspath(path)!r}; double the brackets.")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f"a file of claims must have at least one [[claim]], got none in {os.fspath(path)!r}; add one."
        )
    shared = {key: found[key] for key in _SHARED if key in found}
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
    """Refuse what no file of claims needs, and what reading it would take all memory for."""
    if len(text) > _LARGEST_FILE:
        raise InputError(f"a file of claims must be at most {_LARGEST_FILE:,} bytes, got more in {path!r}; split it.")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise InputError(
            f"a key must have few parts, got more than {_MOST_DOTS} dots in a line of {path!r}; write less."
        )


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
