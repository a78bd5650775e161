"""What `bounds` promises: whatever the rows behind the buckets were, the metric of these rows lies between.

Rows are drawn, their distinct scores cut into runs, and only the ends and the counts of each run are handed on.
"""

import functools
import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

import baserate as br
from helpers.bucketed_rows import (
    AREAS,
    ETAS,
    POINTWISE,
    PROBABILITIES,
    Rows,
    assert_between,
    at,
    chosen,
    one_of,
    samples,
    value,
)

pytestmark = pytest.mark.slow  # together, these take long

# --- the promise ----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(rows=samples(), eta=st.sampled_from(ETAS))
def test_areas_lie_between(rows, eta):
    exact, bucketed = at(rows.exact(), eta), at(rows.bucketed(), eta)
    for metric in AREAS:
        found = br.bounds(metric, bucketed)
        if found.reason is not br.Reason.FRACTIONAL_COUNTS:  # whether weights add up to whole numbers, rounding decides
            assert_between(found, value(metric, exact), rows)
        assert_between(found, value(metric, bucketed), rows)
        np.testing.assert_equal(found.value, value(metric, bucketed))


@pytest.mark.filterwarnings("ignore::baserate.errors.FewerBinsWarning")
@settings(max_examples=60)
@given(rows=samples(), eta=st.sampled_from(ETAS), tenths=st.booleans())
@example(rows=Rows(np.array([0, 1, 0]), np.array([0, np.inf, 0]), None, np.zeros(3)), eta=1 - 1e-9, tenths=False)
def test_metrics_of_probabilities_lie_between(rows, eta, tenths):
    """Also with scores on the edges of bins, in 64 bits and in 32."""
    s = np.clip(rows.s, 0, 7) / 10 if tenths else scipy.special.expit(rows.s)
    if tenths and rows.y[0]:
        s = s.astype(np.float32).astype(np.float64)
    rows = rows._replace(s=s)
    exact, bucketed = at(rows.exact(), eta), at(rows.bucketed(), eta)
    for metric in PROBABILITIES:
        found = br.bounds(metric, bucketed)
        assert_between(found, value(metric, exact), (metric, rows))
        assert_between(found, value(metric, bucketed), (metric, rows))


def test_bounds_of_probabilities_are_narrow_where_buckets_are():
    rng = np.random.default_rng(2)
    s = rng.beta(0.5, 3, 50_000)
    counted = br.Accumulator(max_scores=3_000)
    counted.update(rng.uniform(size=len(s)) < s**1.3, s)
    curve = counted.curve()
    assert curve.bucketed
    for metric, width in {br.brier_score: 1e-3, br.log_loss: 2e-3, br.ece: 5e-3, br.smooth_ece: 2e-2}.items():
        assert 0 < br.bounds(metric, curve).width < width, metric


@settings(max_examples=50)
@given(rows=samples(), eta=st.sampled_from(ETAS))
def test_thresholds_within_a_bucket_lie_between(rows, eta):
    exact, bucketed = at(rows.exact(), eta), at(rows.bucketed(), eta)
    bucket_of_threshold = np.searchsorted(-bucketed.score, -exact.score)
    assert (exact.score <= bucketed.top[bucket_of_threshold]).all()
    for metric in POINTWISE:
        found, values = br.bounds(metric, bucketed), value(metric, exact)
        for k in range(len(bucketed)):
            here = one_of(found, k)
            assert_between(here, values[bucket_of_threshold == k], rows)
            assert_between(here, found.value[k], rows)


def rules(exact, share, draw_among):
    """Every way to choose a point, at levels that the rows meet exactly and at a share that they may not."""
    levels = {
        "at_recall": [level for level in exact.tpr if level > 0],
        "at_fpr": [0.0, *exact.fpr],
        "at_precision": [level for level in value(br.precision, exact) if level > 0],
        "at_alert_rate": [0.0, *value(br.alert_rate, exact)],
        "at_threshold": exact.score,
        "at_top_k": range(1, len(exact) + 4),
    }
    for name, met in levels.items():
        yield name, draw_among(list(met))
        yield name, draw_among(list(met)) if name == "at_top_k" else share
    for metric in draw_among([BEST[k::6] for k in range(6)]):
        yield "best", metric


BEST = [metric for metric in POINTWISE if br.METRICS[metric.func.__name__].higher_is_better is not None]


@settings(max_examples=70)
@given(
    rows=samples(),
    etas=st.tuples(st.sampled_from(ETAS), st.sampled_from(ETAS)),
    share=st.floats(0.01, 1),
    data=st.data(),
)
def test_points_chosen_by_the_same_rule_lie_between(rows, etas, share, data):
    """Also when the chosen point is then read at another prevalence."""
    exact, bucketed = at(rows.exact(), etas[0]), at(rows.bucketed(), etas[0])
    metrics = data.draw(st.sampled_from([POINTWISE[k::4] for k in range(4)]))
    for rule, level in rules(exact, share, lambda levels: data.draw(st.sampled_from(levels))):
        of_rows, of_buckets = chosen(exact, rule, level), chosen(bucketed, rule, level)
        if of_rows is None or of_buckets is None:
            continue
        for metric in metrics:
            found = br.bounds(metric, at(of_buckets, etas[1]))
            assert_between(found, value(metric, at(of_rows, etas[1])), (rows, rule, level))
            assert_between(found, found.value, (rows, rule, level))


@settings(max_examples=40)
@given(rows=samples())
def test_what_is_met_by_buckets_is_met_by_their_rows(rows):
    """A point that exists on the bucketed curve exists on the exact one: its thresholds are among the exact ones."""
    exact, bucketed = rows.exact(), rows.bucketed()
    for rule, level in [("at_precision", 0.4), ("at_precision", 0.8), ("best", br.f1)]:
        assert chosen(bucketed, rule, level) is None or chosen(exact, rule, level) is not None
    assert set(bucketed.score) <= set(exact.score)
    assert set(bucketed.top) <= set(exact.score)


@settings(max_examples=40)
@given(rows=samples(), label=st.integers(0, 1))
def test_metrics_of_one_class_lie_between_without_the_other(rows, label):
    rows = rows._replace(y=np.full(len(rows.y), label))
    exact, bucketed = rows.exact(), rows.bucketed()
    bucket_of_threshold = np.searchsorted(-bucketed.score, -exact.score)
    found, values = br.bounds((br.specificity, br.recall)[label], bucketed), (exact.tnr, exact.tpr)[label]
    for k, value_here in zip(bucket_of_threshold, values, strict=True):
        assert_between(one_of(found, k), value_here, rows)
    assert np.isnan(br.bounds(br.f1, bucketed).low).all()
    assert math.isnan(br.bounds(br.roc_auc, bucketed).high)


def test_the_chance_level_knows_only_class_sizes():
    found = br.bounds(br.chance_average_precision, br.Curve.from_counts([1], [3], [50], top=[2]))
    assert found.width < 1e-11
    assert found.value == value(br.chance_average_precision, br.Curve.from_counts([1], [3], [50]))


# --- where nothing is blurred, and where nothing can be said ---------------------------------------


def test_without_buckets_both_bounds_are_the_value():
    exact = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.4, 0.8, 0.9, 0.2])
    as_buckets = br.Curve.from_counts(exact.score, exact.pos, exact.neg, top=exact.score)
    for curve in (exact, as_buckets, exact.at_prevalence(0.01), br.Curve.from_rates([0.5], [0.1], prevalence=0.1)):
        for metric in AREAS + POINTWISE:
            if curve.has_scores or "average_precision" not in metric.func.__name__:
                found = br.bounds(metric, curve)
                np.testing.assert_equal(found.low, found.value)
                np.testing.assert_equal(found.high, found.value)
    given = br.Point.from_rates(0.5, 0.1, prevalence=0.1)
    assert br.bounds(br.f1, given).width == 0
    assert br.bounds(br.recall, exact.at_recall(0.5)).width == 0


BLURRED = br.Curve.from_counts([1, 4], pos=[3, 2], neg=[5, 1], top=[3, 4])


def test_a_threshold_beside_the_buckets_is_not_blurred():
    for metric in POINTWISE:
        beside, within = (one_of(br.bounds(metric, BLURRED), k) for k in (0, 1))
        assert beside.width <= 1e-11 * max(1, abs(beside.value))
        assert within.width > 0.01 or metric.func is br.chance_precision


def test_own_functions_are_refused():
    for own in (np.mean, lambda curve: 1.0, functools.partial(lambda curve, k: k, k=1)):
        with pytest.raises(br.errors.InputError, match="metric of this library"):
            br.bounds(own, BLURRED)
    with pytest.raises(br.errors.InputError, match="a point that was not chosen by your own function"):
        br.bounds(br.recall, BLURRED.best(lambda at: at.tpr - at.fpr))
    with pytest.raises(br.errors.InputError, match="whole Curve"):
        br.bounds(br.roc_auc, BLURRED.at_recall(0.5))


def test_bounds_say_where_they_were_read():
    assert br.bounds(br.f1, BLURRED.at_prevalence(0.2).at_recall(0.5)).prevalence == 0.2
    assert br.bounds(br.roc_auc, BLURRED).prevalence == BLURRED.own_prevalence
    silent = br.bounds(br.precision, BLURRED.at_threshold(9))
    assert (math.isnan(silent.value), silent.reason) == (True, br.Reason.NO_ALERTS)


# --- once wrong -----------------------------------------------------------------------------------


def test_a_tie_may_reach_beyond_the_range_of_recalls():
    """Average precision gives the recalls up to 0.9 the precision at the end of the tie."""
    rows = Rows(np.array([0, *[1] * 10]), np.array([5, *[3] * 10]), None, np.array([1, *[0] * 10]))
    rows = rows._replace(y=np.append(rows.y, 0), s=np.append(rows.s, 2), bucket=np.append(rows.bucket, 0))
    metric = functools.partial(br.average_precision, recall_range=(0.2, 0.9))
    assert value(metric, rows.exact()) == pytest.approx(br.bounds(metric, rows.bucketed()).high)


def test_a_range_without_the_end_of_a_bucket_may_hold_thresholds_of_its_rows():
    curve = br.Curve.from_counts([1], pos=[10], neg=[10], top=[2])
    found = br.bounds(functools.partial(br.best_f1, recall_range=(0.3, 0.5)), curve)
    assert (found.low, found.high) == (0, pytest.approx(2 * 5 / (5 + 10)))
    just_below = br.bounds(functools.partial(br.best_f1, recall_range=(0.0, math.nextafter(0.3, 0))), curve)
    assert just_below.high == pytest.approx(2 * 2 / (2 + 10))
    nothing = br.bounds(functools.partial(br.best_f1, recall_range=(0.31, 0.39)), curve)
    assert math.isnan(nothing.low)
    assert math.isnan(nothing.high)


def test_a_choice_is_made_again_at_the_prevalence_it_was_made_at():
    """Then the point is read elsewhere: what was best stays what it was."""
    rows = Rows(np.array([1, 0, 0, 1, 0]), np.array([5, 4, 3, 2, 1]), None, np.array([3, 2, 1, 1, 0]))
    point = rows.bucketed().best(br.f1)
    for eta in (1e-6, 0.5, 1 - 1e-6):
        here, there = br.bounds(br.recall, point), br.bounds(br.recall, point.at_prevalence(eta))
        assert (here.low, here.high) == (there.low, there.high)


def test_the_best_may_be_infinite():
    """LR+ is infinite above the first negative, in whatever bucket that is."""
    curve = br.Curve.from_counts([1, 3], pos=[4, 1], neg=[5, 0], top=[2, 3])
    found = br.bounds(br.recall, curve.best(br.lr_positive))
    assert (found.low, found.high) == pytest.approx((0.2, 1.0))


def test_nothing_lies_above_a_bucket_that_ends_at_infinity():
    curve = br.Curve.from_counts([1, 5], pos=[4, 1], neg=[1, 90], top=[2, np.inf])
    with pytest.raises(br.errors.NoSuchPointError, match="infinite"):
        curve.at_fpr(0.1)
    assert curve.best(functools.partial(br.expected_cost, cost_fn=1, cost_fp=100)).threshold == 5


def test_small_weights_are_not_lost_beside_large_ones():
    """What is left of a class below a threshold is added up, never a difference."""
    y, s = np.array([1, 1, 1, 0, 0, 0]), np.array([6, 5, 2, 4, 3, 1])
    rows = Rows(y, s, np.array([1e9, 1.0, 1.3e-3, 1e9, 1.0, 1.3e-3]), np.array([3, 3, 0, 2, 1, 0]))
    found, values = br.bounds(br.lr_negative, rows.bucketed()), value(br.lr_negative, rows.exact())
    assert_between(one_of(found, 0), values[:2], rows)
    assert found.low[0] == pytest.approx(1.3e-3 / (1e9 + 1.0013), rel=1e-11, abs=0)


def test_one_row_is_not_lost_beside_a_billion():
    """A level that all but one meet up to rounding: the bounds keep to what the rule lets pass."""
    for n in range(10**9, 10**9 + 5):
        above, below = (math.nextafter((n - 1) / n, towards) for towards in (1, 0))
        exact = br.Curve.from_counts([3, 2, 1], [n - 1, 1, 0], [0, 0, 2])
        bucketed = br.Curve.from_counts([2, 1], [n, 0], [0, 2], top=[3, 1])
        of_rows, of_buckets = exact.at_recall(above), bucketed.at_recall(above)
        assert_between(br.bounds(br.lr_negative, of_buckets), br.lr_negative(of_rows), n)
        exact = br.Curve.from_counts([2, 1], [1, 1], [n - 1, 1])
        bucketed = br.Curve.from_counts([1], [2], [n], top=[2])
        of_rows, of_buckets = exact.at_fpr(below), bucketed.at_fpr(below)
        assert_between(br.bounds(br.specificity, of_buckets), br.specificity(of_rows), n)


def test_a_level_met_by_weights_leaves_what_is_below():
    """At a recall that the rows above the bucket almost have, its small weights are all that is missed."""
    y, s = np.array([1, 1, 1, 0]), np.array([4, 3, 2, 1])
    for small in (1.1e-3, 1.3e-3, 1.7e-3):
        rows = Rows(y, s, np.array([1e9, small, small, 1.0]), np.array([2, 1, 1, 0]))
        for recall in rows.exact().tpr[:2]:
            for level in (recall, math.nextafter(recall, 1), math.nextafter(recall, 0)):
                of_rows, of_buckets = rows.exact().at_recall(level), rows.bucketed().at_recall(level)
                assert_between(br.bounds(br.lr_negative, of_buckets), br.lr_negative(of_rows), (small, level))


def test_a_gain_of_nothing_but_rounding_may_be_chosen():
    """One hit for 13 false alerts at p = 1/14 is worth 0, or what rounding makes of it, and competes with silence."""
    metric = functools.partial(br.net_benefit, threshold_probability=1 / 14)
    for more in range(1, 60):
        exact = br.Curve.from_counts([4, 3, 2, 1], pos=[0, 1, 0, 2], neg=[13, 0, 1, more])
        bucketed = br.Curve.from_counts([4, 2, 1], pos=[0, 1, 2], neg=[13, 1, more], top=[4, 3, 1])
        found = br.bounds(br.recall, bucketed.best(metric))
        assert_between(found, br.recall(exact.best(metric)), more)


def test_the_end_of_a_range_is_met_up_to_the_rounding_of_weights():
    """The best order reaches 0.7 of 3.2 positives within the second bucket, and must not be rounded out of it."""
    y, weight = np.array([0, 1, 1, 1, 1, 0]), np.array([0.7, 0.7, 0.7, 0.9, 0.9, 0.2])
    rows = Rows(y, np.arange(6, 0, -1.0), weight, np.array([2, 2, 1, 1, 0, 0]))
    found = br.bounds(functools.partial(br.best_f1, recall_range=(0.0, 0.7)), rows.bucketed())
    assert found.high == pytest.approx(2 * 2.24 / (2.24 + 3.2 + 0.7))
    narrow = functools.partial(br.best_f1, recall_range=(0.7, math.nextafter(0.7, 1)))
    assert br.bounds(narrow, rows.bucketed()).low == 0
