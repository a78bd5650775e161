"""Sample sizes for an interval of average precision."""
# ruff: noqa: PT028 - `test_set_like` is no test

from baserate import checks
from baserate.curves.curve import Curve
from baserate.design.ap_search import ApGoal, cheapest_for_ap
from baserate.design.ap_widths import N_RESAMPLES
from baserate.design.roc_models import RocModel, ap_moments, like
from baserate.design.search import LARGEST, Prices
from baserate.errors import InputError, shown
from baserate.metrics.areas import average_precision
from baserate.registry import describe, is_pointwise
from baserate.results import TestSetPlan
from baserate.uncertainty.estimate import check_counted

# Widths come from simulations, so the plan aims at a higher assurance: by this share of the allowed failures.
_RESERVE = 0.3

Settled = tuple[int | None, int | None]


@checks.declared
def test_set_like(
    example: Curve,
    *,
    ap_width: float,
    confidence_level: float = 0.95,
    assurance: float = 0.95,
    cost_pos: float = 1.0,
    cost_neg: float = 1.0,
    n_pos: int | None = None,
    n_neg: int | None = None,
) -> TestSetPlan:
    """The cheapest test set with a narrow enough interval of average precision, for a curve like an example.

    Parameters
    ----------
    example : Curve
        A pilot, or last month's test set, at the prevalence of interest: ``pilot.at_prevalence("1 in 1,000")``.
    ap_width : float
        The largest width of the default interval of `estimate`, from end to end.
    confidence_level : float
        The level of that interval.
    assurance : float
        The share of test sets in which the interval is at most that wide.
    cost_pos, cost_neg : float
        The cost to find and label a case of each class; only their ratio matters for the sizes.
    n_pos, n_neg : int, optional
        The size of one class, if it is fixed; the plan then has the smallest size of the other.

    Returns
    -------
    TestSetPlan
        With the sizes of the new test set, the expected widths, and the probability of an interval that is narrow
        enough.

    Notes
    -----
    The example is smoothed: its ROC curve is replaced by line segments in normal deviates of both rates, one for every
    ten positives, and by a line beyond them. If its scores have few levels, at most 200 and at most one for every three
    positives, the new test set is assumed to have the same levels. The plan is as good as the example: with few
    positives, or few negatives above most positives, the true curve may differ, and `chance` does not include that.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pilot = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> plan = br.design.test_set_like(pilot, ap_width=0.1, cost_neg=0.05)
    >>> plan.n_pos > pilot.n_pos, plan.assured_width <= 0.1
    (True, True)
    """
    check_counted(example)
    if example.missing_class is not None:
        raise InputError(
            f"example must have rows of both classes, but {example.missing_class.sentence}; add rows of the other "
            f"class."
        )
    goal = ap_goal(like(example), ap_width, example.prevalence, confidence_level)
    share, prices = checks.probability(assurance, "assurance"), prices_from(cost_pos, cost_neg)
    return plan_for_ap(goal, share, prices, settled_sizes(n_pos, n_neg), point=None)


# pytest would collect a function whose name begins with test.
test_set_like.__test__ = False  # type: ignore[attr-defined]


def check_method(method: str) -> None:
    """Refuse any method but the default interval of `estimate`."""
    if method != "exact":
        raise InputError(
            f"method must be 'exact' with ap_width, got {shown(method)}; leave it out: average precision has the "
            f"default interval of estimate."
        )


def ap_goal(model: RocModel, ap_width: object, prevalence: float, confidence_level: object) -> ApGoal:
    """The checked goal of a plan."""
    level = checks.confidence_level(confidence_level)
    if level > 1 - 2 / N_RESAMPLES:
        raise InputError(
            f"confidence_level must be at most {1 - 2 / N_RESAMPLES} for average precision, got {level!r}; lower it: "
            f"intervals are made from {N_RESAMPLES:,} draws."
        )
    return ApGoal(model, (1 - prevalence) / prevalence, checks.probability(ap_width, "ap_width"), level)


def plan_for_ap(
    goal: ApGoal, share: float, prices: Prices, settled: Settled, *, point: tuple[float, float] | None
) -> TestSetPlan:
    """The cheapest plan; `point` is the point of the ROC curve that was given, if any."""
    cheapest = cheapest_for_ap(goal, share + _RESERVE * (1 - share), prices, n_pos=settled[0], n_neg=settled[1])
    if cheapest is None:
        raise not_enough(settled, "allow a wider interval")
    sizes, widths = cheapest
    return TestSetPlan(
        n_pos=sizes.pos,
        n_neg=sizes.neg,
        cost=prices.of(sizes),
        metric=describe(average_precision),
        tpr=None if point is None else point[0],
        fpr=None if point is None else point[1],
        prevalence=1 / (1 + goal.x),
        value=ap_moments(goal.model, goal.x).value,
        wanted_width=goal.width,
        expected_width=widths.mean(),
        assured_width=widths.quantile(share),
        assurance=share,
        chance=widths.chance_within(goal.width),
        confidence_level=goal.confidence_level,
        method="exact",
        interval="melded",
        of_a_point=is_pointwise(average_precision),
    )


# --- what all plans ask for -----------------------------------------------------------------------


def prices_from(cost_pos: object, cost_neg: object) -> Prices:
    """The checked costs of a case of each class."""
    return Prices(checks.positive_number(cost_pos, "cost_pos"), checks.positive_number(cost_neg, "cost_neg"))


def settled_sizes(n_pos: object, n_neg: object) -> Settled:
    """The checked size of a class that is fixed, or None."""
    if n_pos is not None and n_neg is not None:
        raise InputError(
            f"at most one of n_pos and n_neg can be given, got {shown(n_pos)} and {shown(n_neg)}; use design.supports "
            f"for a test set of given sizes."
        )
    return _settled_size(n_pos, "n_pos"), _settled_size(n_neg, "n_neg")


def _settled_size(size: object, name: str) -> int | None:
    if size is None:
        return None
    return checks.whole_number(size, name, most=int(LARGEST))


def not_enough(settled: Settled, advice: str) -> InputError:
    """The error for a goal that no size meets."""
    n_pos, n_neg = settled
    what = f"n_pos={n_pos}" if n_pos is not None else f"n_neg={n_neg}" if n_neg is not None else "this goal"
    return InputError(
        f"a plan must need at most {LARGEST:.0e} cases of a class, got {what}, which needs more; {advice}."
    )
