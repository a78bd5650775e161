"""How many positives and negatives a test set needs."""
# ruff: noqa: PT028 - `test_set` is no test

from collections.abc import Mapping
from typing import Literal

from baserate import checks
from baserate.arrays import ArrayLike
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
from baserate.errors import InputError
from baserate.metrics.predictive import precision
from baserate.registry import describe, is_pointwise
from baserate.results import TestSetPlan

Method = Literal["exact", "wilson", "normal", "hoeffding"]

# Of the test sets that may fail the goal, this share is kept in reserve where that is cheap: a plan that is met by a
# hair is found wanting by every other simulation of it.
_RESERVE = 0.2


def test_set(
    tpr: float,
    fpr: float,
    *,
    delta: float | None = None,
    half_width: float | None = None,
    ap_width: float | None = None,
    prevalence: float | str | None = None,
    confidence_level: float = 0.95,
    assurance: float = 0.95,
    method: Method = "exact",
    cost_pos: float = 1.0,
    cost_neg: float = 1.0,
    n_pos: int | None = None,
    n_neg: int | None = None,
) -> TestSetPlan:
    """The cheapest test set that will show precision, or average precision, as narrowly as wanted.

    How wide an interval comes out is a matter of chance. The plan is for the share `assurance` of the test sets that
    may be drawn, not for the average one, which would disappoint every other time. For precision nothing is simulated:
    the chance of each outcome is known. For average precision test sets are drawn, always the same ones.

    Parameters
    ----------
    tpr, fpr : float
        The rates that are expected at the threshold, which is fixed beforehand. For `ap_width`, a point of the ROC
        curve that is expected; the curve is taken to be that of two normal laws of equal variance,
        ``z(TPR) = z(FPR) + d'`` with normal deviates z. `test_set_like` follows an example instead.
    delta : float, optional
        The wanted largest width of the band of precision over all prevalences, as `max_width` gives it.
    half_width, prevalence : float, optional
        Or: half the wanted width of the interval of precision, and the prevalence where it is read.
    ap_width : float, optional
        Or, with `prevalence`: the wanted width of the interval of average precision, from end to end.
    confidence_level : float
        The level of the interval at a prevalence. For `delta` it is that of the interval of each rate:
        the band then holds both of them at least in the square of it.
    assurance : float
        In which share of test sets the interval is to be that narrow.
    method : {"exact", "wilson", "normal", "hoeffding"}
        How the interval will be made; see the notes. That of average precision is always the default of `estimate`.
    cost_pos, cost_neg : float
        What it costs to find and label a case of each class; only their ratio matters for the sizes.
    n_pos, n_neg : int, optional
        The size of one class, if it is settled; then the smallest of the other is looked for.

    Returns
    -------
    TestSetPlan
        With both sizes, the widths to expect and the chance of being as narrow as wanted.

    Notes
    -----
    At a prevalence, "exact" stands for what `estimate` does by default ("melded"), "wilson" for its "score", "normal"
    for its "logit_delta", and "hoeffding" for a box of two Hoeffding intervals at the root of the level. For `delta`
    they are the intervals of each rate: Clopper and Pearson's, Wilson's, Wald's, Hoeffding's. Where Wald's interval, or
    the delta method, takes a rate for known because no case fell on one side, that counts as no interval. Hoeffding's
    inequality does not know that small rates vary less, so a small FPR takes enormous numbers.

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

    With 200 positives and no more to be had:

    >>> br.design.test_set(tpr=0.6, fpr=0.001, half_width=0.1, prevalence="1:1000", n_pos=200).n_neg
    39050

    All of the curve instead of one threshold:

    >>> plan = br.design.test_set(tpr=0.6, fpr=0.001, ap_width=0.3, prevalence="1:1000", cost_neg=0.01)
    >>> round(plan.value, 3), plan.assured_width <= 0.3
    (0.527, True)
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
    method: Method,
) -> Goal:
    x: float | None = None
    if half_width is None:
        width = checks.probability(delta, "delta")
    else:
        width = 2 * checks.number(half_width, "half_width")
        if not 0 < width < 1:
            raise InputError(
                f"half_width must be above 0 and below 0.5, got {half_width!r}; precision lies between 0 and 1 anyway."
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
    """Refuse all but one wanted width, and one whose prevalence is missing or has no part to play."""
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
            f"half_width and ap_width must come with a prevalence, and delta without, got "
            f"{name}={wanted[name]!r} {'without' if prevalence is None else 'with'} one; delta is the width at every "
            f"prevalence."
        )


def _sizes(goal: Goal, share: float, prices: Prices, n_pos: int | None, n_neg: int | None) -> Sizes:
    meets = Meets(goal)
    if n_pos is None and n_neg is None:
        found = cheapest(goal, prices, meets.at(share))
    else:
        prices = prices_of_others(n_pos, n_neg)
        found = with_one_given(goal, meets.at(share), n_pos=n_pos, n_neg=n_neg)
    if found is None:
        raise not_enough((n_pos, n_neg), "ask for less, or use the method 'exact'")
    more = share + _RESERVE * (1 - share)
    return with_reserve(prices, meets.at(more), found)


def _plan(goal: Goal, share: float, prices: Prices, sizes: Sizes) -> TestSetPlan:
    found = widths(goal, *sizes)
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
        expected_width=found.mean(),
        assured_width=found.quantile(share),
        assurance=share,
        chance=found.chance_within(goal.width),
        confidence_level=goal.confidence_level,
        method=goal.method,
        interval=(OF_A_RATE if goal.x is None else OF_PRECISION)[goal.method],
        of_a_point=is_pointwise(precision),
    )
