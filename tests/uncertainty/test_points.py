"""Intervals at a given threshold: where one of the two rates is certain, and of weighted rows."""

import math

import numpy as np
import pytest
import scipy

import baserate as br


@pytest.mark.parametrize("n", [3, 10, 100])
@pytest.mark.parametrize("metric", [br.precision, br.f1, br.youden_j])
def test_where_one_rate_is_certain_the_end_is_an_exact_quantile_of_the_other(metric, n):
    """All positives found: the upper end has TPR 1, and Clopper and Pearson's lower limit of FPR."""
    point = br.Point.from_counts(tp=n, fp=3, fn=0, tn=27).at_prevalence(0.01)
    lowest = float(scipy.special.betaincinv(3, 28, 0.025))
    best = metric(br.Point.from_rates(1.0, lowest, prevalence=0.01))
    assert br.estimate(metric, point, method="melded").high == pytest.approx(best, abs=2e-5)
    silent = br.Point.from_counts(tp=0, fp=3, fn=n, tn=27).at_prevalence(0.01)
    highest = float(scipy.special.betaincinv(4, 27, 0.975))
    worst = metric(br.Point.from_rates(0.0, highest, prevalence=0.01))
    assert br.estimate(metric, silent, method="melded").low == pytest.approx(worst, abs=2e-5)


# --- weights ------------------------------------------------------------------------------------------


def weighted_set(rng, n_pos=300, n_neg=3_000, spread=1.0, tie=0.9):
    """Scores, and log-normal weights that go up with them; both classes of the weighted population have spread 1."""
    label = np.repeat([1, 0], [n_pos, n_neg])
    noise = rng.normal(size=(2, len(label)))
    score = 2.0 * label + tie * noise[0] + math.sqrt(1 - tie**2) * noise[1]
    return br.Curve.from_scores(label, score, weight=np.exp(spread * noise[0])), tie * spread


@pytest.mark.parametrize("tie", [0.9, *(pytest.param(tie, marks=pytest.mark.slow) for tie in (-0.9, 0.0))])
@pytest.mark.parametrize("metric", [br.recall, br.specificity, br.precision])
def test_intervals_of_weighted_rows_hold_whatever_weighs_more(metric, tie):
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(100):
        curve, moved = weighted_set(rng, tie=tie)
        threshold = 1.8 + moved
        rates = (float(scipy.special.ndtr(mean + moved - threshold)) for mean in (2.0, 0.0))
        truth = metric(br.Point.from_rates(*rates, prevalence=0.01))
        found = br.estimate(metric, curve.at_threshold(threshold).at_prevalence(0.01))
        held += found.low <= truth <= found.high
    assert held >= 93 - 2 * math.sqrt(100 * 0.93 * 0.07)


def test_weights_that_are_light_where_it_matters_do_not_widen():
    """False positives that weigh little are as many as they are, however heavy the rest."""
    label, score = np.repeat([1, 0], [100, 1_000]), np.append(np.ones(100), np.arange(1_000) < 100)
    weight = np.where((label == 0) & (score == 1), 0.1, 1.0)
    found = br.estimate(br.specificity, br.Curve.from_scores(label, score, weight=weight).at_threshold(1))
    counted = br.estimate(br.specificity, br.Curve.from_scores(label, score).at_threshold(1))
    assert found.width < 0.3 * counted.width
    assert found.caution is None


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.precision, br.f1, br.youden_j, lambda point: point.tpr - point.fpr])
def test_equal_weights_are_none(metric):
    label, score = np.repeat([1, 0], [20, 200]), np.append(np.arange(20) % 3, np.arange(200) % 7 == 0)
    plain = br.estimate(metric, br.Curve.from_scores(label, score).at_threshold(1))
    alike = br.estimate(metric, br.Curve.from_scores(label, score, weight=np.full(220, 0.3)).at_threshold(1))
    assert (alike.low, alike.high) == pytest.approx((plain.low, plain.high), rel=1e-6)
    assert (alike.n_pos, alike.n_neg) == pytest.approx((20, 200))
    assert alike.caution is None


def test_few_rows_that_carry_the_weight_are_a_caution():
    label, score = np.repeat([1, 0], [50, 500]), np.append(np.arange(50.0), np.arange(500.0) / 20)
    weight = np.ones(550)
    weight[45] = 200.0
    curve = br.Curve.from_scores(label, score, weight=weight)
    found = br.estimate(br.recall, curve.at_threshold(40))
    assert found.low < 0.2
    assert "weights are very uneven" in found.caution
    assert br.estimate(br.specificity, curve.at_threshold(20)).caution is None  # the weight is with the positives
    assert "weights are very uneven" in br.estimate(br.precision, curve.at_threshold(20)).caution
    assert br.estimate(br.recall, curve.at_threshold(20), method="wilson").caution != found.caution


def test_box_and_support_go_by_the_weights():
    curve, _ = weighted_set(np.random.default_rng(1))
    point = curve.at_threshold(3.0)
    box, melded = (br.estimate(br.precision, point, method=method) for method in ("box", "melded"))
    assert box.low < melded.low < melded.high < box.high
    (support,) = br.design.supports(point, prevalences=[0.01]).points
    fpr = br.estimate(br.specificity, point)
    assert support.fpr_interval == pytest.approx((1 - fpr.high, 1 - fpr.low))
    there = br.estimate(br.precision, point.at_prevalence(0.01))
    assert (support.precision[0].low, support.precision[0].high) == pytest.approx((there.low, there.high))
