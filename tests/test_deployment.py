"""The worst over a range of prevalences, and thresholds judged on other data than they were chosen on."""

import math
from functools import partial

import numpy as np
import pytest

import baserate as br

COST = partial(br.expected_cost, cost_fp=1, cost_fn=10)


@pytest.fixture(scope="module")
def halves():
    data = br.examples.payments()
    early = data["month"] <= "2026-03"
    return [br.Curve.from_scores(data["fraud"][rows], data["new_model"][rows]) for rows in (early, ~early)]


@pytest.fixture
def point():
    return br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)


# --- the worst case -------------------------------------------------------------------------------


def test_precision_is_worst_where_positives_are_rare(point):
    found = br.worst_case(br.precision, point, "1:9999", 0.01)
    there = br.estimate(br.precision, point.at_prevalence(1e-4))
    assert (found.value, found.prevalence) == (pytest.approx(there.value), pytest.approx(1e-4))
    assert (found.low, found.high) == (pytest.approx(there.low), pytest.approx(there.high))
    assert "the worst of 1 in 10,000 to 1 in 100" in str(found)
    assert br.worst_case(br.npv, point, 1e-4, 0.01).prevalence == 0.01


def test_costs_are_worst_where_they_are_highest(point):
    found = br.worst_case(COST, point, 0.001, 0.1)
    assert (found.prevalence, found.value) == (0.1, COST(point.at_prevalence(0.1)))
    # The data decide which end is worse, so the good side is made at half the error; the bad side is as it is.
    there = point.at_prevalence(0.1)
    assert found.high == pytest.approx(br.estimate(COST, there).high)
    assert found.low == pytest.approx(br.estimate(COST, there, confidence_level=0.975).low)
    assert found.confidence_level == 0.95


def test_which_is_worst_can_be_said(point):
    assert br.worst_case(br.precision, point, 0.001, 0.01, worst="highest").prevalence == 0.01
    assert br.worst_case(COST, point, 0.001, 0.1, worst="lowest").prevalence == 0.001
    with pytest.raises(br.errors.InputError, match="worst must be one of 'lowest', 'highest', got 'low'"):
        br.worst_case(br.precision, point, 0.001, 0.01, worst="low")
    with pytest.raises(br.errors.InputError, match="low must be below high"):
        br.worst_case(br.precision, point, 0.01, 0.001)
    with pytest.raises(br.errors.InputError, match="precision is estimated at one operating point"):
        br.worst_case(br.precision, br.Curve.from_scores([0, 1], [0, 1]), 0.01, 0.1)


def test_a_worst_place_inside_the_range_is_found():
    point = br.Point.from_counts(tp=90, fp=200, fn=10, tn=800)
    grid = np.linspace(0.01, 0.99, 9801)
    swept = br.sweep(br.mcc, point, grid).value
    found = br.worst_case(br.mcc, point, 0.01, 0.99, worst="highest")
    assert 0.1 < found.prevalence < 0.9
    assert found.value == pytest.approx(swept.max(), abs=1e-4)
    assert found.low <= found.value <= found.high


def test_the_bad_end_is_the_worst_over_the_range(point):
    """Also where that is elsewhere than the worst value: at small F the upper end of the cost is highest at one end."""
    few = br.Point.from_counts(tp=2, fp=2, fn=0, tn=8)  # perfect recall, of two
    cost = partial(br.expected_cost, cost_fp=1, cost_fn=1)
    found = br.worst_case(cost, few, 0.05, 0.9)
    assert found.prevalence == 0.05  # nothing is missed, so mistakes are false alarms
    other_end = br.estimate(cost, few.at_prevalence(0.9))
    assert found.high >= other_end.high
    assert other_end.high > br.estimate(cost, few.at_prevalence(0.05)).high


def test_a_curve_without_positives():
    found = br.worst_case(br.average_precision, br.Curve.from_scores([0, 0], [0.1, 0.2]), 0.01, 0.1, rng=0)
    assert math.isnan(found.value)
    assert found.reason is br.Reason.NO_POSITIVES


# --- a threshold ----------------------------------------------------------------------------------

TARGETS = {
    "recall=0.5": lambda curve: curve.at_recall(0.5),
    "fpr <= 0.01": lambda curve: curve.at_fpr(0.01),
    "precision=0.3": lambda curve: curve.at_precision(0.3),
    "alert_rate=0.02": lambda curve: curve.at_alert_rate(0.02),
    "threshold=0.3": lambda curve: curve.at_threshold(0.3),
    "best=expected_cost:cost_fp=1:cost_fn=10": lambda curve: curve.best(COST),
}


@pytest.mark.parametrize("target", TARGETS)
def test_it_is_chosen_on_one_curve_and_judged_on_the_other(halves, target):
    choose, judge = halves
    plan = br.deploy(choose, judge, at=target, prevalence=0.01)
    chosen = TARGETS[target](choose.at_prevalence(0.01))
    assert (plan.threshold, plan.chosen, plan.prevalence) == (chosen.threshold, chosen.chosen_by, 0.01)
    judged = judge.at_prevalence(0.01).at_threshold(chosen.threshold)
    for name in ("precision", "recall", "alert_rate"):
        metric = getattr(br, name)
        assert getattr(plan, name) == br.estimate(metric, judged)
        assert getattr(plan, name).chosen is None  # not on these data
    assert plan.fpr.value == judged.fpr
    assert plan.fpr.low <= judged.fpr <= plan.fpr.high
    kept = br.estimate(br.specificity, judged)
    assert (plan.fpr.low, plan.fpr.high) == (pytest.approx(1 - kept.high), pytest.approx(1 - kept.low))
    assert br.deploy(choose, judge, at=TARGETS[target], prevalence=0.01).threshold == plan.threshold


def test_alerts_per_day(halves):
    choose, judge = halves
    plan = br.deploy(choose, judge, alerts_per_day=50, traffic=20_000, prevalence="1:999")
    assert plan.threshold == choose.at_prevalence(0.001).at_alert_rate(50 / 20_000).threshold
    rate = plan.alert_rate
    assert plan.alerts_per_day == (20_000 * rate.value, 20_000 * rate.low, 20_000 * rate.high)
    table = plan.rows()
    assert [row["metric"] for row in table] == ["precision", "recall", "fpr", "alerts per day"]
    assert table[3]["value"] == plan.alerts_per_day[0]
    assert "alerts per day" in str(plan)
    assert br.deploy(choose, judge, alerts_per_day=50, traffic=10).threshold == choose.score.min()
    without = br.deploy(choose, judge, at="recall=0.5")
    assert without.alerts_per_day is None
    assert without.rows()[3]["metric"] == "alert_rate"


def test_it_is_used_where_the_judge_is_read(halves):
    choose, judge = halves
    plan = br.deploy(choose, judge.at_prevalence(0.001), at="precision=0.3")
    assert plan == br.deploy(choose, judge, at="precision=0.3", prevalence=0.001)
    assert plan.threshold != br.deploy(choose, judge, at="precision=0.3").threshold


def test_no_alerts_at_all_is_said_and_not_guessed(halves):
    plan = br.deploy(*halves, at="threshold=2", prevalence=0.01)
    assert plan.precision.reason is br.Reason.NO_ALERTS
    assert (plan.recall.value, plan.fpr.value) == (0, 0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "deploy needs one target, at= or alerts_per_day=, got none"),
        ({"at": "recall=0.5", "alerts_per_day": 3}, "got both"),
        ({"alerts_per_day": 3}, "alerts_per_day needs the number of cases per day, got none"),
        ({"alerts_per_day": -3, "traffic": 10}, "alerts_per_day must be finite and above 0"),
        ({"at": "recall=0.5", "traffic": 0}, "traffic must be finite and above 0"),
        ({"at": "recal=0.5"}, "the rule of at must be one of"),
        ({"at": 0.5}, "at must be a rule such as 'recall=0.6', or a function that chooses a point"),
        ({"at": "recall=0.5", "prevalence": 2}, "prevalence must be strictly between"),
        ({"at": "recall=0.5", "confidence_level": 95}, "confidence_level must be"),
    ],
)
def test_bad_input_is_a_sentence(halves, options, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.deploy(*halves, **options)


def test_the_same_rows_twice_are_refused(halves):
    with pytest.raises(br.errors.InputError, match="judge must have other rows than choose"):
        br.deploy(halves[0], halves[0].at_prevalence(0.001), at="recall=0.5")


def test_points_are_no_curves(halves):
    with pytest.raises(
        br.errors.InputError, match="judge must be a Curve, got a Point; pass the curve it was chosen on"
    ):
        br.deploy(halves[0], halves[1].at_recall(0.5), at="recall=0.5")


def test_curves_of_rates_have_no_thresholds(halves):
    rates = br.Curve.from_rates([0.5, 0.9], [0.01, 0.3], prevalence=0.01)
    with pytest.raises(br.errors.MissingInformationError):
        br.deploy(rates, halves[1], at="recall=0.5")
    with pytest.raises(br.errors.MissingInformationError):
        br.deploy(halves[1], rates, at="recall=0.5")
