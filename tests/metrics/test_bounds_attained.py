"""Bounds are no wider than the truth: some rows behind the buckets attain them, and finer buckets bring them nearer."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from helpers.bucketed_rows import AREAS, ETAS, POINTWISE, at, chosen, one_of, samples, value

pytestmark = pytest.mark.slow  # together, these take long


def weak_orders(pos, neg):
    """Every way to line up rows that may be tied: the positives and negatives of each tie, highest score first."""
    if pos == neg == 0:
        yield ()
    for p, n in itertools.product(range(pos + 1), range(neg + 1)):
        if p or n:
            for rest in weak_orders(pos - p, neg - n):
                yield ((p, n), *rest)


BESIDE = {  # what lies above and below the bucket
    "nothing": ([], []),
    "rows on both sides": ([(2, 1)], [(1, 2), (0, 3)]),
    "negatives above": ([(0, 2)], [(1, 0)]),
    "positives below": ([], [(2, 1)]),
}


def curves_of_all_orders(pos, neg, beside, eta):
    above, below = BESIDE[beside]
    scores = np.arange(len(above) + 8 + len(below), 0, -1.0)
    for order in weak_orders(pos, neg):
        table = np.array([*above, *order, *below])
        places = np.r_[: len(above) + len(order), len(scores) - len(below) : len(scores)]
        yield at(br.Curve.from_counts(scores[places], *table.T), eta)


def curve_with_bucket(pos, neg, beside, eta):
    above, below = BESIDE[beside]
    table = np.array([*above, (pos, neg), *below])
    scores = np.arange(len(table), 0, -1.0)
    tops = scores + 0.5 * (np.arange(len(table)) == len(above))
    return at(br.Curve.from_counts(scores, *table.T, top=tops), eta)


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("pos", "neg"), [(1, 1), (2, 2), (1, 3), (3, 0), (0, 3)])
@pytest.mark.parametrize("eta", [None, 0.9])
def test_bounds_are_attained(pos, neg, beside, eta):
    """By some order of the rows in the bucket; the lower one of average precision up to a sum for an integral."""
    if beside == "nothing" and not (pos and neg):
        return
    bucketed = curve_with_bucket(pos, neg, beside, eta)
    curves = list(curves_of_all_orders(pos, neg, beside, eta))
    for metric in AREAS:
        values = np.array([value(metric, curve) for curve in curves])
        found = br.bounds(metric, bucketed)
        if np.isnan(values).all():
            assert math.isnan(found.low)
            assert math.isnan(found.high)
            continue
        assert found.low <= np.nanmin(values)
        assert np.nanmax(values) <= found.high
        assert found.high == pytest.approx(np.nanmax(values), rel=1e-11, abs=1e-13)
        if "average_precision" not in found.metric and not np.isnan(values).any():
            assert found.low == pytest.approx(np.nanmin(values), rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("pos", "neg"), [(1, 1), (2, 2), (4, 1), (3, 0)])
@pytest.mark.parametrize("eta", [None, 1e-3, 0.9])
def test_the_lower_bound_of_average_precision_is_an_integral(pos, neg, beside, eta):
    """Of ``i / (i + a)`` over the positives i in the bucket, which falls short of the sum by little."""
    if beside == "nothing" and not (pos and neg):
        return
    bucketed = curve_with_bucket(pos, neg, beside, eta)
    place = len(BESIDE[beside][0])
    cells = bucketed.confusion_as_read
    begin, a = cells.tp[place] - pos + 0.5, cells.fp[place]
    integral = pos - a * math.log((begin + pos + a) / (begin + a))
    elsewhere = sum(
        bucketed.pos[k] * cells.tp[k] / (cells.tp[k] + cells.fp[k])
        for k in range(len(bucketed))
        if k != place and bucketed.pos[k]
    )
    low = br.bounds(br.average_precision, bucketed).low
    assert low == pytest.approx((elsewhere + integral) / bucketed.n_pos, rel=1e-10)
    least = min(value(br.average_precision, curve) for curve in curves_of_all_orders(pos, neg, beside, eta))
    shortfall = pos * a / (begin + a) ** 3 / 12 / bucketed.n_pos  # the second derivative at its largest, by 1/24
    assert least - shortfall <= low * (1 + 1e-11)
    assert low <= least


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("pos", "neg"), [(1, 1), (2, 2), (3, 2)])
def test_bounds_of_thresholds_are_attained(pos, neg, beside):
    """An alert rate is the exception: no row of the bucket need be above a threshold for its bound."""
    bucketed = curve_with_bucket(pos, neg, beside, 0.01)
    place, below = len(BESIDE[beside][0]), len(BESIDE[beside][1])
    curves = list(curves_of_all_orders(pos, neg, beside, 0.01))
    for metric in POINTWISE:
        values = np.concatenate([value(metric, curve)[place : len(curve) - below] for curve in curves])
        found = one_of(br.bounds(metric, bucketed), place)
        assert found.high == pytest.approx(np.nanmax(values), rel=1e-11, abs=1e-13)
        if metric.func is not br.alert_rate:
            assert found.low == pytest.approx(np.nanmin(values), rel=1e-11, abs=1e-13)


def test_a_bucket_of_one_class_blurs_no_order():
    curve = br.Curve.from_counts([1, 3, 5], pos=[0, 2, 4], neg=[7, 3, 0], top=[2, 3, 6])
    for metric in (br.roc_auc, br.auc_pr, br.auc_prg, br.best_f1):
        assert br.bounds(metric, curve).width < 1e-11
    only_negatives = br.Curve.from_counts([1, 3], pos=[0, 5], neg=[7, 3], top=[2, 3])
    assert br.bounds(br.average_precision, only_negatives).width < 1e-11


def test_rules_keep_bounds_within_what_they_allow():
    """Ten of each class in one bucket: a recall is reached, a false positive rate is kept, whatever the order."""
    curve = br.Curve.from_counts([1], pos=[10], neg=[10], top=[2])
    at_recall = br.bounds(br.recall, curve.at_recall(0.6))
    assert (at_recall.low, at_recall.high) == pytest.approx((0.6, 1.0), rel=1e-11)
    at_fpr = br.bounds(br.specificity, curve.at_fpr(0.3))
    assert (at_fpr.low, at_fpr.high) == pytest.approx((0.7, 1.0), rel=1e-11)
    assert br.bounds(br.recall, curve.at_threshold(1.5)).width == pytest.approx(1)
    for threshold in (1, 2.5):
        assert br.bounds(br.recall, curve.at_threshold(threshold)).width < 1e-11
    split = br.Curve.from_counts([1, 3, 5], pos=[1, 1, 8], neg=[9, 9, 1], top=[2, 4, 6])
    assert br.bounds(br.precision, split.at_precision(0.88)).high == pytest.approx(1)
    assert br.bounds(br.recall, split.at_precision(0.88)).low == pytest.approx(0.0)
    assert br.bounds(br.recall, split.at_precision(0.4)).low == pytest.approx(0.8)
    assert br.bounds(br.recall, split.best(br.f1)).high == pytest.approx(0.9)
    dear_alerts = functools.partial(br.expected_cost, cost_fn=1.0, cost_fp=3.0)
    assert br.bounds(br.recall, split.best(dear_alerts)).high == pytest.approx(0.9)


@settings(max_examples=25)
@given(rows=samples(), eta=st.sampled_from(ETAS), share=st.floats(0.01, 1), joins=st.integers(2, 3))
def test_finer_buckets_never_widen(rows, eta, share, joins):
    fine = at(rows.bucketed(), eta)
    number = np.unique(rows.bucket, return_inverse=True)[1]
    coarse = at(rows._replace(bucket=number // joins).bucketed(), eta)
    bucket_of_bucket = np.searchsorted(-coarse.score, -fine.score)

    def assert_within(inner, low, high):
        slack = 1e-13 + 1e-11 * np.nan_to_num(np.maximum(np.abs(low), np.abs(high)), posinf=0.0)
        assert np.all(~(inner.low < low - slack)), (inner, low, rows)
        assert np.all(~(inner.high > high + slack)), (inner, high, rows)

    for metric in AREAS:
        outer = br.bounds(metric, coarse)
        assert_within(br.bounds(metric, fine), outer.low, outer.high)
    for metric in POINTWISE[::3]:
        outer = br.bounds(metric, coarse)
        assert_within(br.bounds(metric, fine), outer.low[bucket_of_bucket], outer.high[bucket_of_bucket])
        for rule in ("at_recall", "at_fpr", "at_alert_rate"):
            of_fine, of_coarse = chosen(fine, rule, share), chosen(coarse, rule, share)
            if of_fine is not None and of_coarse is not None:
                outer = br.bounds(metric, of_coarse)
                assert_within(br.bounds(metric, of_fine), outer.low, outer.high)
