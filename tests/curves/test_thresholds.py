"""Which threshold each rule picks."""

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import baserate as br

#                      score  0.9  0.8  0.6  0.5  0.3  0.1
CURVE = br.Curve.from_counts([0.9, 0.8, 0.6, 0.5, 0.3, 0.1], [2, 0, 2, 0, 1, 0], [0, 1, 1, 2, 2, 4])


def test_threshold_includes_equal_scores():
    assert CURVE.at_threshold(0.6).tpr == 0.8
    assert CURVE.at_threshold(np.nextafter(0.6, 1)).tpr == 0.4
    assert CURVE.at_threshold(-np.inf).tpr == 1
    assert CURVE.at_threshold(np.inf).tpr == 0
    assert CURVE.at_threshold(0.7).threshold == 0.7


def test_recall_takes_the_highest_threshold_that_reaches_it():
    assert CURVE.at_recall(0.4).threshold == 0.9
    assert CURVE.at_recall(0.41).threshold == 0.6
    assert CURVE.at_recall(1).threshold == 0.3


def test_fpr_takes_the_lowest_threshold_within_it():
    assert CURVE.at_fpr(0).threshold == 0.9
    assert CURVE.at_fpr(0.2).threshold == 0.6
    assert CURVE.at_fpr(0.39).threshold == 0.6
    assert CURVE.at_fpr(0.4).threshold == 0.5
    assert CURVE.at_fpr(1).threshold == 0.1


def test_fpr_that_no_score_keeps_alerts_on_nothing():
    point = br.Curve.from_scores([0, 1], [2, 1]).at_fpr(0)
    assert (point.threshold, point.tpr, point.fpr) == (np.inf, 0, 0)
    with pytest.raises(br.errors.NoSuchPointError, match="infinite"):
        br.Curve.from_scores([0, 1], [np.inf, 1]).at_fpr(0)


def test_precision_takes_the_largest_recall_and_then_the_highest_threshold():
    assert CURVE.at_precision(0.66).threshold == 0.6  # 4 / 6
    assert CURVE.at_precision(0.5).threshold == 0.6  # 0.5 has 4 / 8 at the same recall
    assert CURVE.at_precision(5 / 11).threshold == 0.3
    assert CURVE.at_prevalence(0.001).at_precision(0.5).threshold == 0.9


def test_precision_out_of_reach_says_how_far():
    with pytest.raises(br.errors.NoSuchPointError, match=r"the highest is 0\.5, at threshold 1"):
        br.Curve.from_scores([0, 1], [1, 1]).at_precision(0.9)


def test_top_k_counts_rows_and_never_splits_ties():
    assert CURVE.at_top_k(2).threshold == 0.9
    assert CURVE.at_top_k(5).threshold == 0.8
    assert CURVE.at_top_k(10**6).threshold == 0.1
    assert CURVE.at_top_k(1).threshold == np.inf
    with pytest.raises(br.errors.MissingInformationError, match="at_alert_rate"):
        br.Curve.from_scores([0, 1], [1, 2], weight=[1, 1]).at_top_k(1)
    with pytest.raises(br.errors.MissingInformationError, match="at_alert_rate"):
        br.Curve.from_rates([0.5], [0.1]).at_top_k(1)


def test_share_of_alerts_depends_on_the_prevalence():
    assert CURVE.at_alert_rate(2 / 15).threshold == 0.9
    assert CURVE.at_alert_rate(3 / 15).threshold == 0.8
    assert CURVE.at_prevalence(0.999).at_alert_rate(0.5).threshold == 0.8
    assert CURVE.at_prevalence(0.001).at_alert_rate(0.5).threshold == 0.5


def test_best_breaks_ties_to_the_highest_threshold():
    curve = br.Curve.from_counts([4, 3, 2, 1], [1, 0, 1, 0], [0, 1, 0, 1])
    assert br.youden_j(curve).tolist() == [0.5, 0.0, 0.5, 0.0]
    assert curve.best(br.youden_j).threshold == 4


def test_best_of_a_cost_is_the_lowest():
    cost = functools.partial(br.expected_cost, cost_fn=1, cost_fp=1)
    assert CURVE.best(cost).threshold == CURVE.best(br.accuracy).threshold
    assert CURVE.best(br.lr_negative).threshold == 0.3


def test_silence_competes_for_the_best():
    """At one in ten thousand, predicting nothing is the most accurate and the cheapest."""
    curve = br.Curve.from_scores([0, 1, 0], [3, 2, 1]).at_prevalence(1e-4)
    cost = functools.partial(br.expected_cost, cost_fn=1, cost_fp=1)
    benefit = functools.partial(br.net_benefit, threshold_probability=0.5)
    for metric in (br.accuracy, cost, benefit):
        assert curve.best(metric).threshold == np.inf
    assert br.accuracy(curve.best(br.accuracy)) == pytest.approx(0.9999, rel=1e-14)
    assert curve.best(br.f1).threshold == 2
    infinite = br.Curve.from_scores([0, 1, 0], [np.inf, 2, 1]).at_prevalence(1e-4)
    assert infinite.best(br.accuracy).threshold == 2  # no threshold lies above an infinite score


@pytest.mark.parametrize("metric", [br.alert_rate, br.min_precision])
def test_a_metric_without_direction_has_no_best(metric):
    with pytest.raises(br.errors.InputError, match="must have a direction"):
        CURVE.best(metric)
    with pytest.raises(br.errors.InputError, match="must have a direction"):
        br.crossings(metric, CURVE.at_recall(0.5), CURVE.at_recall(0.9))


def test_wishes_are_met_up_to_rounding():
    curve = br.Curve.from_scores([1] * 10 + [0] * 10, np.arange(20, 0, -1), weight=[0.1] * 20)
    assert curve.at_recall(0.1 * 3).tpr == pytest.approx(0.3)
    curve = br.Curve.from_scores([0] * 10 + [1] * 10, np.arange(20, 0, -1), weight=[0.1] * 20)
    assert curve.at_fpr(0.3).fpr == pytest.approx(0.3)


def test_best_takes_a_users_own_metric():
    assert CURVE.best(lambda curve: br.recall(curve) - 5 * curve.fpr).threshold == 0.9
    with pytest.raises(br.errors.InputError, match="one value per threshold"):
        CURVE.best(br.roc_auc)


def test_a_point_remembers_how_it_was_chosen():
    point = CURVE.at_prevalence(0.01).at_precision(0.1).at_prevalence(0.5)
    assert point.chosen == br.Rule.parse("precision >= 0.1")
    assert point.curve == CURVE.at_prevalence(0.01)
    assert "chosen by precision >= 0.1 at prevalence 1 in 100" in repr(point)
    assert CURVE.best(functools.partial(br.f_beta, beta=2)).chosen_by == "best=f_beta:beta=2 at prevalence 1 in 3"
    assert CURVE.at_top_k(3).chosen_by == "top_k <= 3"
    stated = br.Point.from_rates(0.5, 0.1)
    assert (stated.chosen, stated.chosen_by) == (None, None)


def test_a_point_of_a_curve_of_rates_has_no_threshold():
    curve = br.Curve.from_rates([0.5, 0.8], [0.1, 0.3], prevalence=0.5)
    point = curve.at_recall(0.7)
    assert point.threshold is None
    assert (point.tpr, point.fpr) == (0.8, 0.3)
    assert curve.best(br.youden_j).tpr == 0.8
    assert curve.at_fpr(0.05).tpr == 0
    with pytest.raises(br.errors.MissingInformationError, match="no scores"):
        curve.at_threshold(0.5)


@pytest.mark.parametrize("rule", ["at_recall", "at_fpr", "at_precision", "at_alert_rate"])
def test_one_class_has_nothing_to_choose(rule):
    with pytest.raises(br.errors.NoSuchPointError, match="no positives"):
        getattr(br.Curve.from_scores([0, 0], [1, 2]), rule)(0.5)


tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=10).filter(
    lambda rows: all(sum(row[k] for row in rows) for k in (0, 1))
)


@pytest.mark.slow
@settings(max_examples=150)
@given(table=tables, wanted=st.integers(1, 20).map(lambda k: k / 20), eta=st.floats(0.01, 0.99))
def test_every_rule_against_its_definition(table, wanted, eta):
    curve = br.Curve.from_counts(range(len(table)), [p for p, _ in table], [n for _, n in table]).at_prevalence(eta)
    points = [curve.at_threshold(score) for score in curve.score]  # highest first
    rounding = 1e-12

    assert curve.at_recall(wanted).threshold == next(p.threshold for p in points if p.tpr >= wanted)
    within = [p for p in points if p.fpr <= wanted]
    assert curve.at_fpr(wanted).threshold == (within[-1].threshold if within else np.inf)
    rare = [p for p in points if br.alert_rate(p) <= wanted + rounding]
    assert curve.at_alert_rate(wanted).threshold == (rare[-1].threshold if rare else np.inf)
    precise = [p for p in points if br.precision(p) >= wanted - rounding]
    if precise:
        most = max(p.tpr for p in precise)
        expected = max(p.threshold for p in precise if p.tpr == most)
        assert curve.at_precision(wanted).threshold == expected
    else:
        with pytest.raises(br.errors.NoSuchPointError):
            curve.at_precision(wanted)
    best = max(br.f1(p) for p in points)
    assert curve.best(br.f1).threshold == max(p.threshold for p in points if br.f1(p) >= best - rounding)
    assert br.f1(curve.best(br.f1)) == pytest.approx(br.best_f1(curve), rel=1e-14)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(-1e6, 1e6)), min_size=2, max_size=30),
    st.floats(0.01, 1),
)
@example([(True, 0.99997), (False, 0.99996), (True, 0.99995), (False, 0.3)], 0.5)
@example([(True, 1.0), (False, 1 - 2**-53)], 0.5)
def test_a_threshold_that_was_shown_chooses_the_same_point_again(rows, recall):
    labels, scores = [label for label, _ in rows], [score for _, score in rows]
    if all(labels) or not any(labels):
        labels = [True, False, *labels[2:]]
    curve = br.Curve.from_scores(labels, scores)
    for point in (
        curve.at_recall(recall),
        curve.at_fpr(recall),
        curve.best(br.f1),
        curve.at_threshold(scores[0] - 0.1),
    ):
        again = curve.at_threshold(float(point.threshold_text))
        assert again.confusion == point.confusion
        assert f"threshold={point.threshold_text}," in repr(point)


def test_thresholds_are_shown_in_few_digits():
    curve = br.Curve.from_scores([1, 0, 1, 0], [0.123456789, 0.12345, 0.5, 0.25])
    assert curve.at_recall(1).threshold_text == "0.123456"
    assert curve.at_recall(0.5).threshold_text == "0.5"
    assert curve.at_fpr(1e-9).threshold_text == "0.5"
    assert br.Point.from_rates(0.5, 0.5).threshold_text == ""
    # A threshold within a bucket would cut it: what is shown stays above all of its scores.
    bucketed = br.Curve.from_counts([0.99996, 0.5], [1, 1], [1, 1], top=[0.99999, 0.99994])
    assert 0.99994 < float(bucketed.at_recall(0.5).threshold_text) <= 0.99996
