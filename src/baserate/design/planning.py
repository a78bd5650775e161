"""Sample sizes of a test set."""
# ruff: noqa: PT028 - `test_set` is no test

from collections.abc import Mapping
from typing import Literal

from baserate import checks
from baserate.arrays import ArrayLike, Prevalence
from baserate.design.ap_planning import ap_goal, check_method, not_enough, plan_for_ap, prices_from, settled_sizes
from baserate.design.roc_models import through
from baserate.design.search import (
    Meets,
    Prices,
    Sizes,
    cheapest,
    prices_of_others,
    with_one_given,
    with_reserve,
)
from baserate.design.widths import OF_A_RATE, OF_PRECISION, Goal, widths
from baserate.errors import InputError, shown
from baserate.metrics.predictive import precision
from baserate.registry import describe, is_pointwise
from baserate.results import TestSetPlan

PlanMethod = Literal["exact", "wilson", "normal", "hoeffding"]

# If that is cheap, the plan aims at a higher assurance, by this share of the allowed failures: a plan that just meets
# its goal fails in every other simulation of it.
_RESERVE = 0.2


def test_set(
    tpr: float,
    fpr: float,
    *,
    delta: float | None = None,
    half_width: float | None = None,
    ap_width: float | None = None,
    prevalence: Prevalence | None = None,
    confidence_level: float = 0.95,
    assurance: float = 0.95,
    method: PlanMethod = "exact",
    cost_pos: float = 1.0,
    cost_neg: float = 1.0,
    n_pos: int | None = None,
    n_neg: int | None = None,
) -> TestSetPlan:
    """The cheapest test set with a narrow enough interval of precision, or of average precision.

    The width of an interval is random. The plan meets the goal in the share `assurance` of test sets; a plan for the
    expected width would miss it in about half of them. For precision the probability of each outcome is computed
    exactly. For average precision test sets are simulated, with a fixed seed.

    Parameters
    ----------
    tpr, fpr : float
        The expected rates at the threshold, which is fixed in advance. For `ap_width`, an expected point of the ROC
        curve, which is assumed to be binormal with equal variances: ``z(TPR) = z(FPR) + d'`` with normal deviates z.
        `test_set_like` follows an example instead.
    delta : float, optional
        The largest width of the band of precision over all prevalences, as from `max_width`.
    half_width, prevalence : float, optional
        Or: half the largest width of the interval of precision, and the prevalence.
    ap_width : float, optional
        Or, with `prevalence`: the largest width of the interval of average precision, from end to end.
    confidence_level : float
        The level of the interval at a prevalence. For `delta` it is the level of the interval of each rate; the band
        then has at least the square of it.
    assurance : float
        The share of test sets in which the interval is at most that wide.
    method : {"exact", "wilson", "normal", "hoeffding"}
        The method of the interval; see the notes. Average precision always has the default interval of `estimate`.
    cost_pos, cost_neg : float
        The cost to find and label a case of each class; only their ratio matters for the sizes.
    n_pos, n_neg : int, optional
        The size of one class, if it is fixed; the plan then has the smallest size of the other.

    Returns
    -------
    TestSetPlan
        With both sizes, the expected widths, and the probability of an interval that is narrow enough.

    Notes
    -----
    At a prevalence, "exact" is the default of `estimate` ("melded"), "wilson" its "score", "normal" its "logit_delta",
    and "hoeffding" a box of two Hoeffding intervals at the square root of the level. For `delta` they are the intervals
    of each rate: Clopper and Pearson's, Wilson's, Wald's, Hoeffding's. If Wald's interval or the delta method has width
    0, because no case fell on one side, that counts as no interval. Hoeffding's inequality ignores that small rates
    have a small variance, so a small FPR needs very large numbers.

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.
    Lugannani & Rice, Saddle point approximation for the distribution of the sum of independent random variables,
    Advances in Applied Probability 1980. doi:10.2307/1426607.

    Examples
    --------
    >>> import baserate as br
    >>> plan = br.design.test_set(tpr=0.6, fpr=0.001, delta=0.1, cost_neg=0.01)
    >>> plan.n_pos, plan.n_neg
    (865, 215945)

    With 200 positives and no more available:

    >>> br.design.test_set(tpr=0.6, fpr=0.001, half_width=0.1, prevalence="1 in 1,000", n_pos=200).n_neg
    39070

    For the whole curve instead of one threshold:

    >>> plan = br.design.test_set(tpr=0.6, fpr=0.001, ap_width=0.3, prevalence="1 in 1,000", cost_neg=0.01)
    >>> round(plan.value, 3), plan.assured_width <= 0.3
    (0.528, True)
    """
    _check_one({"delta": delta, "half_width": half_width, "ap_width": ap_width}, prevalence)
    checks.one_of(method, list(OF_A_RATE), "method")
    share = checks.probability(assurance, "assurance")
    prices, settled = prices_from(cost_pos, cost_neg), settled_sizes(n_pos, n_neg)
    if ap_width is not None:
        check_method(method)
        point = checks.probability(tpr, "tpr"), checks.probability(fpr, "fpr")
        wanted = ap_goal(through(*point), ap_width, checks.prevalence(prevalence), confidence_level)
        return plan_for_ap(wanted, share, prices, settled, point=point)
    goal = _goal(
        tpr=tpr,
        fpr=fpr,
        delta=delta,
        half_width=half_width,
        prevalence=prevalence,
        confidence_level=confidence_level,
        method=method,
    )
    return _plan(goal, share, prices, _sizes(goal, share, prices, *settled))


# pytest takes what begins with test for a test, where it is imported by name.
test_set.__test__ = False  # type: ignore[attr-defined]


def _goal(
    *,
    tpr: ArrayLike,
    fpr: ArrayLike,
    delta: object,
    half_width: object,
    prevalence: object,
    confidence_level: object,
    method: PlanMethod,
) -> Goal:
    x: float | None = None
    if half_width is None:
        width = checks.probability(delta, "delta")
    else:
        width = 2 * checks.number(half_width, "half_width")
        if not 0 < width < 1:
            raise InputError(
                f"half_width must be above 0 and below 0.5, got {shown(half_width)}; pass half the width of the "
                f"interval."
            )
        eta = checks.prevalence(prevalence)
        x = (1 - eta) / eta
    return Goal(
        tpr=checks.share(tpr, "tpr", above=True),
        fpr=checks.probability(fpr, "fpr"),
        width=width,
        x=x,
        confidence_level=checks.confidence_level(confidence_level),
        method=method,
    )


def _check_one(wanted: Mapping[str, object], prevalence: object) -> None:
    """Refuse anything but exactly one width, with a prevalence if it needs one."""
    given = [name for name, value in wanted.items() if value is not None]
    if len(given) != 1:
        raise InputError(
            f"one of delta, half_width and ap_width must be given, got {' and '.join(given) or 'none'}; pass delta=0.1 "
            f"for precision at every prevalence at once, half_width=0.05 for precision at a prevalence, or "
            f"ap_width=0.1 for average precision."
        )
    (name,) = given
    if (name == "delta") != (prevalence is None):
        raise InputError(
            f"half_width and ap_width need a prevalence, and delta needs none, got {name}={shown(wanted[name])} "
            f"{'without' if prevalence is None else 'with'} one; {'pass' if prevalence is None else 'leave out'} "
            f"prevalence."
        )


def _sizes(goal: Goal, share: float, prices: Prices, n_pos: int | None, n_neg: int | None) -> Sizes:
    meets = Meets(goal)
    if n_pos is None and n_neg is None:
        sizes = cheapest(goal, prices, meets.at(share))
    else:
        prices = prices_of_others(n_pos, n_neg)
        sizes = with_one_given(goal, meets.at(share), n_pos=n_pos, n_neg=n_neg)
    if sizes is None:
        raise not_enough((n_pos, n_neg), "allow a wider interval, or use the method 'exact'")
    more = share + _RESERVE * (1 - share)
    return with_reserve(prices, meets.at(more), sizes)


def _plan(goal: Goal, share: float, prices: Prices, sizes: Sizes) -> TestSetPlan:
    distribution = widths(goal, *sizes)
    return TestSetPlan(
        n_pos=sizes.pos,
        n_neg=sizes.neg,
        cost=prices.of(sizes),
        metric=describe(precision),
        tpr=goal.tpr,
        fpr=goal.fpr,
        prevalence=None if goal.x is None else 1 / (1 + goal.x),
        value=None if goal.x is None else goal.tpr / (goal.tpr + goal.x * goal.fpr),
        wanted_width=goal.width,
        expected_width=distribution.mean(),
        assured_width=distribution.quantile(share),
        assurance=share,
        chance=distribution.chance_within(goal.width),
        confidence_level=goal.confidence_level,
        method=goal.method,
        interval=(OF_A_RATE if goal.x is None else OF_PRECISION)[goal.method],
        of_a_point=is_pointwise(precision),
    )
