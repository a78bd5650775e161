"""Claims about a model, such as "precision is at least 0.5 at recall 0.6", and whether the data support them."""

import math
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
from baserate.written import one_in

_DRAWS_BEYOND = 40  # draws beyond the ends of an interval that is used only to estimate how many labels are needed
_LOWEST_LEVEL = 0.75  # one-sided; the two-sided interval then has level 0.5, the lowest that there is


@dataclass(frozen=True)
class Claim:
    """A claim about a model, which `check` compares with data.

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
    prevalence : float, str or pair, optional
        The prevalence of the claim. A pair (low, high) claims it for every prevalence in between. By default that of
        the curve.
    confidence_level : float
        The one-sided level at which a claim is called met or broken; at least 0.75.
    name : str, optional
        A name for it.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.Claim(br.precision, at_least=0.5, at="recall >= 0.6", prevalence=0.003))
    precision >= 0.5 at recall >= 0.6, prevalence 1 in 333, 95 % sure
    >>> print(br.Claim("average_precision", at_least=0.3, prevalence=(0.001, 0.01)))
    average_precision >= 0.3, prevalence 1 in 1,000 to 1 in 100, 95 % sure
    """

    metric: MetricFunction | str
    _: KW_ONLY
    at_least: float | None = None
    at_most: float | None = None
    at: Chooser | None = None
    prevalence: float | str | tuple[float | str, float | str] | None = None
    confidence_level: float = 0.95
    name: str | None = None
    _checked: "_CheckedClaim" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Check it here, so that an invalid claim is refused before there are data.
        object.__setattr__(self, "_checked", _CheckedClaim.of(self))

    def __str__(self) -> str:
        checked = self._checked
        text = f"{describe(checked.metric)} {'>=' if checked.least else '<='} {checked.bound:g}"
        if checked.rule is not None:
            text += f" at {checked.rule}"
        if isinstance(checked.prevalence, tuple):
            text += ", prevalence {} to {}".format(*map(one_in, checked.prevalence))
        elif checked.prevalence is not None:
            text += f", prevalence {one_in(checked.prevalence)}"
        return f"{text}, {percent(self.confidence_level)} sure"


@dataclass(frozen=True)
class _CheckedClaim:
    """The checked parts of a claim."""

    metric: MetricFunction
    bound: float
    least: bool  # True for at_least, False for at_most
    rule: Rule | None
    prevalence: float | tuple[float, float] | None

    @classmethod
    def of(cls, claim: Claim) -> "_CheckedClaim":
        metric = metric_from(claim.metric) if isinstance(claim.metric, str) else claim.metric
        if not callable(metric):
            raise InputError(f"metric must be a function or a name such as 'precision', got {metric!r}; pass one.")
        if (claim.at_least is None) == (claim.at_most is None):
            raise InputError(
                f"a claim needs one bound, at_least or at_most, got {'none' if claim.at_least is None else 'both'}; "
                f"pass one."
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
            f"{name} must be in the range of {row.name}, {row.lowest:g} to {row.highest:g}, got {bound:g}; pass a "
            f"value in this range."
        )
    return bound


def _rule(at: object, metric: MetricFunction) -> Rule | None:
    row = row_of(metric)
    if at is None:
        if row is not None and row.family is Family.POINTWISE:
            raise InputError(
                f"{row.name} needs a rule that chooses the threshold, got none; pass at='recall=0.6' for example."
            )
        return None
    if row is not None and row.family is not Family.POINTWISE:
        raise InputError(
            f"at needs a metric at a threshold, got {at!r} with {row.name}, a metric of the whole curve; leave it out."
        )
    return rule_from(at)


def _prevalence(value: object, rule: Rule | None) -> float | tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, tuple | list):
        return checks.prevalence(value)
    if len(value) != 2:
        raise InputError(f"prevalence must be one value or a pair (low, high), got {value!r}; pass both ends.")
    if rule is not None and rule.depends_on_prevalence:
        raise InputError(
            f"a range of prevalences needs a rule that does not depend on the prevalence, got {rule}; choose by "
            f"threshold, recall or fpr."
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
    """Compare a claim with data: it is met, broken or undecided.

    It is met if the interval of the metric lies on the good side of the bound, broken if it lies on the bad side, and
    undecided otherwise. The ends of the interval are one-sided limits at the level of the claim: at 95 %, a false claim
    should be called met in at most 5 % of samples, and a true claim broken in at most 5 % (docs/coverage.md has the
    measured shares). The two-sided interval then has a level of 90 %. Where the estimate has a caution about its
    coverage, there is no verdict: the claim is undecided, and the note says why.

    Parameters
    ----------
    claim : Claim
        The claim.
    curve : Curve
        The data. A threshold that the claim's rule chooses on them is evaluated as in `estimate`, about "threshold".
    n_resamples, rng
        As for `estimate`.

    Notes
    -----
    An undecided claim comes with the number of labels that would probably decide it, at the class ratio of the data:
    with so many more cases and the same rates, the interval would end at the bound. Rates will change with new labels,
    so this is an expectation, and the claim may stay undecided.

    Over a range of prevalences a claim is met if it is met at the worst of them, see `worst_case`.

    Several claims, models or slices are not adjusted for multiple comparisons: of twenty true claims, one may be called
    broken.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["old_model"])
    >>> claim = br.Claim(br.precision, at_least=0.5, at="recall=0.4", prevalence="1 in 100")
    >>> print(br.check(claim, curve, rng=0))
    broken: precision >= 0.5 at recall >= 0.4, prevalence 1 in 100, 95 % sure: precision is 0.4101, at most 0.4699
    """
    checked, generator = claim._checked, checks.generator(rng)
    try:
        estimated = _estimated(checked, curve, _of_both_ends(claim.confidence_level), n_resamples, generator)
        note = estimated.reason.sentence if estimated.reason else estimated.caution
    except NoSuchPointError as error:
        estimated, note = _nothing(checked, curve, claim.confidence_level), str(error)
    verdict = _verdict(checked, estimated)
    open_yet = verdict == "undecided" and estimated.caution is None
    factor = _factor_that_decides(claim, curve, estimated, n_resamples, generator) if open_yet else math.inf
    more = [math.ceil((factor - 1) * n) if math.isfinite(factor) else None for n in (estimated.n_pos, estimated.n_neg)]
    return ClaimVerdict(
        claim=str(claim),
        name=claim.name or str(claim),
        verdict=verdict,
        estimate=estimated,
        bound=checked.bound,
        margin=estimated.value - checked.bound if checked.least else checked.bound - estimated.value,
        more_pos=more[0],
        more_neg=more[1],
        note=note,
    )


def _of_both_ends(level: float) -> float:
    """The level of the two-sided interval whose ends are one-sided limits at `level`, without rounding error."""
    return round(2 * level - 1, 12)


def _estimated(
    checked: _CheckedClaim, curve: Curve, confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> Estimate:
    if isinstance(checked.prevalence, float):
        curve = curve.at_prevalence(checked.prevalence)
    at = curve if checked.rule is None else checked.rule.on(curve)
    if not isinstance(checked.prevalence, tuple):
        return estimate(checked.metric, at, confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    return worst_case(
        checked.metric,
        at,
        *checked.prevalence,
        worst="lowest" if checked.least else "highest",
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )


def _nothing(checked: _CheckedClaim, curve: Curve, level: float) -> Estimate:
    """An estimate of nan, if no threshold satisfies the rule."""
    n_pos, n_neg = sizes_behind(curve)
    where = checked.prevalence if isinstance(checked.prevalence, float) else curve.prevalence
    nothing = (math.nan, math.nan, math.nan)
    return Estimate(
        describe(checked.metric),
        *nothing,
        _of_both_ends(level),
        where,
        "none",
        n_pos,
        n_neg,
        reason=curve.missing_class,
    )


def _verdict(checked: _CheckedClaim, estimated: Estimate) -> Literal["met", "broken", "undecided"]:
    if estimated.caution is not None:  # the interval may not have the coverage that a verdict stands for
        return "undecided"
    good, bad = (estimated.low >= checked.bound, estimated.high < checked.bound)
    if not checked.least:
        good, bad = (estimated.high <= checked.bound, estimated.low > checked.bound)
    return "met" if good else "broken" if bad else "undecided"  # nan is neither


def _factor_that_decides(
    claim: Claim, curve: Curve, estimated: Estimate, n_resamples: int, rng: np.random.Generator
) -> float:
    """The factor by which labels must grow until the interval ends at the bound, if the value stays the same."""
    checked, level = claim._checked, estimated.confidence_level
    good = estimated.value > checked.bound
    draws = min(n_resamples, math.ceil(_DRAWS_BEYOND / (1 - level)))  # an expectation needs no more

    def distance(times: int) -> float:
        rule = checked.rule and checked.rule.of_copies(times)
        many = _estimated(replace(checked, rule=rule), copies(curve, times), level, draws, rng)
        return abs(estimated.value - (many.low if good else many.high))

    now = abs(estimated.value - (estimated.low if good else estimated.high))
    if math.isnan(now):
        return math.inf
    # These rules treat ties and distinct scores differently, and copies are ties.
    by_number = checked.rule is not None and checked.rule.within_gaps
    look = None if by_number and not is_mostly_tied(curve) else distance
    return factor_that_reaches(abs(estimated.value - checked.bound), look, now)
