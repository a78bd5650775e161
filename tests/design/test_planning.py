"""Planned test sets are large enough, and hardly larger."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest

import baserate as br
from baserate.design.search import Prices, Sizes
from baserate.design.widths import OF_A_RATE, OF_PRECISION, Goal, widths
from baserate.formulas.proportions import PROPORTIONS
from helpers.precision_plans import GRID

pytestmark = pytest.mark.slow  # together, these take long


def plan_of(tpr, fpr, prevalence, width, cost_neg, **options):
    wanted = {"delta": width} if prevalence is None else {"half_width": width / 2, "prevalence": prevalence}
    return br.design.test_set(tpr, fpr, cost_neg=cost_neg, **wanted, **options)


def goal_of(plan):
    x = None if plan.prevalence is None else (1 - plan.prevalence) / plan.prevalence
    return Goal(plan.tpr, plan.fpr, plan.wanted_width, x, plan.confidence_level, plan.method)


def width_of(plan, tp, fp):
    """What a user would compute from these counts; 1 where there is nothing, or a rate is taken for known."""
    ends = {}
    level = plan.confidence_level if plan.prevalence is None else math.sqrt(plan.confidence_level)
    for name, k, n in (("tpr", tp, plan.n_pos), ("fpr", fp, plan.n_neg)):
        found = PROPORTIONS[OF_A_RATE[plan.method]](k, n, level)
        ends[name] = float(found.low), float(found.high)
    known = plan.method == "normal" and (tp in (0, plan.n_pos) or fp in (0, plan.n_neg))
    if known or tp == fp == 0:
        return 1.0
    if plan.prevalence is None:
        return br.design.max_width(**ends).width
    if plan.method == "hoeffding":
        band = br.papers.box_band(br.precision, [plan.prevalence], **ends)
        return float(band.high[0] - band.low[0])
    point = br.Point.from_counts(tp=tp, fn=plan.n_pos - tp, fp=fp, tn=plan.n_neg - fp)
    return br.estimate(br.precision, point.at_prevalence(plan.prevalence), method=OF_PRECISION[plan.method]).width


def simulated(plan, n_sets, seed):
    """In which share of test sets the interval is as narrow as wanted, and how wide it is on average."""
    rng = np.random.default_rng(seed)
    drawn = np.stack([rng.binomial(plan.n_pos, plan.tpr, n_sets), rng.binomial(plan.n_neg, plan.fpr, n_sets)])
    outcomes, times = np.unique(drawn, axis=1, return_counts=True)
    found = np.array([width_of(plan, int(tp), int(fp)) for tp, fp in outcomes.T])
    return times[found <= plan.wanted_width].sum() / n_sets, (found * times).sum() / n_sets


def cheaper_that_would_do(plan, prices):
    """The lowest cost, over a dense grid of both sizes, that is enough in 95 % of test sets."""
    best, goal = plan.cost, goal_of(plan)
    for n_pos in sorted({max(1, round(plan.n_pos * factor)) for factor in np.geomspace(0.25, 4, 31)}):
        most = (best - prices.pos * n_pos) / prices.neg
        for n_neg in sorted({math.floor(most * share) for share in np.geomspace(0.999, 0.6, 10)}, reverse=True):
            cost = prices.of(Sizes(n_pos, n_neg))
            if n_neg > 0 and cost < best and widths(goal, n_pos, n_neg).chance_within(goal.width) >= 0.95:
                best = cost
    return best


@pytest.mark.slow
@pytest.mark.parametrize("method", OF_A_RATE)
@pytest.mark.parametrize("wanted", GRID, ids=str)
def test_planned_sizes_are_enough_in_simulated_test_sets_and_hardly_more(wanted, method):
    plan = plan_of(*wanted, method=method)
    n_sets = 600
    share, mean = simulated(plan, n_sets, seed=7)
    error = math.sqrt(plan.chance * (1 - plan.chance) / n_sets)
    assert plan.chance >= 0.95
    assert share >= 0.95 - 2.6 * error  # 1 in 200 by chance if 95 % is met exactly
    assert abs(share - plan.chance) < 4 * error
    assert mean == pytest.approx(plan.expected_width, rel=0.02, abs=0.015)
    assert plan.cost <= 1.2 * cheaper_that_would_do(plan, Prices(1.0, wanted[-1]))


def test_a_plan_is_enough_in_simulated_test_sets():
    plan = plan_of(0.8, 0.05, 0.05, 0.3, 1.0)
    share, mean = simulated(plan, 150, seed=1)
    assert share >= 0.92
    assert mean == pytest.approx(plan.expected_width, rel=0.02)
    assert plan.expected_width < plan.assured_width <= plan.wanted_width == 0.3
    assert 0.95 <= plan.chance < 0.99


def test_the_average_test_set_is_not_what_is_planned_for():
    """Sizes at which the width is right on average are too small every other time."""
    plan = plan_of(0.6, 0.001, None, 0.2, 0.01)
    average = plan_of(0.6, 0.001, None, 0.2, 0.01, assurance=0.5)
    assert average.cost < 0.9 * plan.cost
    assert 0.5 <= average.chance < 0.7
    assert widths(goal_of(plan), average.n_pos, average.n_neg).chance_within(0.2) == average.chance


@pytest.mark.parametrize("tpr", [0.6, 0.9])
def test_hoeffding_is_the_closed_form(tpr):
    """Brabec: margins sigma = sqrt(ln(2 / (1 - level)) / (2 n)), and the other CV that the first one leaves."""
    plan = plan_of(tpr, 0.01, None, 0.1, 1.0, method="hoeffding")
    bound = math.log(2 / 0.05) / 2
    left = br.design.affordable_cv(0.1, math.sqrt(bound / plan.n_pos) / tpr)
    closed = bound / (left * 0.01) ** 2
    assert closed < plan.n_neg < 1.06 * closed


@pytest.mark.slow
def test_wilson_and_exact_agree_for_many_cases_and_hoeffding_asks_for_far_more():
    exact, wilson, normal, hoeffding = (
        plan_of(0.6, 0.001, 0.001, 0.04, 0.01, method=method).cost for method in OF_A_RATE
    )
    assert exact == pytest.approx(wilson, rel=0.05)
    assert wilson == pytest.approx(normal, rel=0.05)
    assert hoeffding > 100 * exact


def test_the_dearer_a_positive_the_fewer_of_them():
    plans = [plan_of(0.6, 0.001, 0.001, 0.2, cost_neg, method="normal") for cost_neg in (1.0, 0.1, 0.01)]
    assert [plan.n_pos for plan in plans] == sorted((plan.n_pos for plan in plans), reverse=True)
    assert [plan.n_neg for plan in plans] == sorted(plan.n_neg for plan in plans)
    for plan, cost_neg in zip(plans, (1.0, 0.1, 0.01), strict=True):
        assert plan.cost == pytest.approx(plan.n_pos + cost_neg * plan.n_neg)


def test_the_split_is_looked_for():
    """Where few false positives are expected the closed form is a poor guess: it would cost 2,380."""
    plan = plan_of(0.3, 0.0001, 0.5, 0.05, 0.01, method="hoeffding")
    assert plan.cost < 600


def test_only_the_ratio_of_prices_matters():
    one = br.design.test_set(0.6, 0.01, delta=0.3, cost_pos=1, cost_neg=0.1)
    ten = br.design.test_set(0.6, 0.01, delta=0.3, cost_pos=10, cost_neg=1)
    assert ten.cost == pytest.approx(10 * one.cost, rel=0.02)
    assert one == br.design.test_set(0.6, 0.01, delta=0.3, cost_pos=1, cost_neg=0.1)


def test_more_certainty_takes_more():
    base = {"tpr": 0.6, "fpr": 0.01, "half_width": 0.1, "prevalence": 0.01, "method": "normal"}
    costs = [
        br.design.test_set(**base).cost,
        br.design.test_set(**base, confidence_level=0.99).cost,
        br.design.test_set(**base, assurance=0.999).cost,
        br.design.test_set(**{**base, "half_width": 0.05}).cost,
    ]
    assert costs[0] < min(costs[1:])
    assert costs[3] > 3 * costs[0]


def test_one_class_may_be_settled():
    free = br.design.test_set(0.6, 0.001, half_width=0.1, prevalence="1:1000")
    fewer = br.design.test_set(0.6, 0.001, half_width=0.1, prevalence="1:1000", n_pos=200)
    assert (fewer.n_pos, fewer.n_neg > free.n_neg, fewer.chance >= 0.95) == (200, True, True)
    goal = goal_of(fewer)
    assert widths(goal, 200, int(0.85 * fewer.n_neg)).chance_within(0.2) < 0.95
    other = br.design.test_set(0.6, 0.001, half_width=0.1, prevalence="1:1000", n_neg=fewer.n_neg)
    assert other.n_neg == fewer.n_neg
    assert other.n_pos <= 200
    assert widths(goal, int(0.8 * other.n_pos), other.n_neg).chance_within(0.2) < 0.95


def test_a_plan_tells_what_it_is_for():
    plan = br.design.test_set(0.6, 0.001, half_width=0.1, prevalence="1:1000", cost_neg=0.01)
    assert (plan.metric, plan.interval) == ("precision", "melded")
    assert plan.value == pytest.approx(0.375, rel=1e-3)
    assert plan.prevalence == pytest.approx(1 / 1001)
    assert plan.expected_fp == pytest.approx(0.001 * plan.n_neg)
    assert "precision at prevalence 1 in 1,000 known to ±0.1 (95 %, melded)" in str(plan)
    everywhere = br.design.test_set(0.6, 0.01, delta=0.3, method="wilson")
    assert everywhere.prevalence is everywhere.value is None
    assert "at most 0.3 wide at every prevalence (each rate 95 %, wilson)" in str(everywhere)
    assert str(replace(plan, n_pos=1234)).startswith("1,234 positives and ")


@pytest.mark.slow
@pytest.mark.parametrize("method", OF_A_RATE)
def test_planning_is_quick(method):
    """At most some twenty sorts of a million numbers were seen; a search through all sizes would take thousands."""
    numbers = np.random.default_rng(0).random(10**6)
    for wanted in GRID:
        sorting = seconds_of(lambda: (np.sort(numbers), np.argsort(numbers)))
        assert seconds_of(lambda wanted=wanted: plan_of(*wanted, method=method)) < 80 * sorting


def seconds_of(work):
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"delta": None}, "one of delta, half_width and ap_width must be given, got none"),
        ({"half_width": 0.1, "prevalence": 0.1}, "ap_width must be given, got delta and half_width"),
        ({"prevalence": 0.1}, "need a prevalence, and delta needs none, got delta=0.1 with one"),
        ({"delta": None, "half_width": 0.1}, "need a prevalence, .* got half_width=0.1 without one"),
        ({"delta": None, "half_width": 0.5, "prevalence": 0.1}, "half_width must be above 0 and below 0.5, got 0.5"),
        ({"delta": 1}, "delta must be strictly between 0 and 1"),
        ({"tpr": 0}, "tpr must be above 0"),
        ({"fpr": 0}, "fpr must be strictly between 0 and 1"),
        ({"fpr": 60}, "fpr must be strictly between 0 and 1"),
        ({"method": "exakt"}, "method must be one of 'exact', .*did you mean 'exact'"),
        ({"cost_pos": 0}, "cost_pos must be finite and above 0"),
        ({"assurance": 1}, "assurance must be strictly between 0 and 1"),
        ({"n_pos": 10, "n_neg": 10}, "at most one of n_pos and n_neg can be given"),
        ({"n_pos": 2.5}, "n_pos must be a whole number"),
        ({"n_pos": 5}, "got n_pos=5, which needs more"),
        ({"tpr": 1, "method": "normal"}, "got this goal, which needs more"),
    ],
)
def test_what_is_refused(changed, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.design.test_set(**({"tpr": 0.6, "fpr": 0.01, "delta": 0.1} | changed))


def test_a_rate_of_one_can_be_planned_for():
    plan = br.design.test_set(1.0, 0.01, delta=0.4)
    assert plan.chance >= 0.95
    assert plan.n_pos < 100
