"""Bands along prevalences and along curves, and how wide a band of precision can be."""

import itertools

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import baserate as br
from baserate.uncertainty import ends
from helpers.simulated import normal_curve

# --- along prevalences ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["melded", "score", "logit_delta", "box"])
@pytest.mark.parametrize("metric", [br.precision, br.f1])
def test_a_sweep_of_estimates_is_estimates_one_by_one(metric, method):
    point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    prevalences = [0.3, 0.01, 1e-5]
    band = br.sweep_estimates(metric, point, prevalences, method=method)
    for i, prevalence in enumerate(prevalences):
        one = br.estimate(metric, point.at_prevalence(prevalence), method=method)
        assert (band.value[i], band.low[i], band.high[i]) == pytest.approx((one.value, one.low, one.high), rel=1e-9)
    assert (band.along, band.method, band.prevalence) == ("prevalence", method, None)


def test_a_sweep_of_areas_shares_its_draws():
    curve = normal_curve(40, 200, rng=0)
    prevalences = np.geomspace(1e-5, 0.9, 40)
    band = br.sweep_estimates(br.auc_pr, curve, prevalences, rng=0, n_resamples=400)
    few = br.sweep_estimates(br.auc_pr, curve, prevalences[[3, 30]], rng=0, n_resamples=400)
    assert band.low[[3, 30]] == pytest.approx(few.low, rel=1e-9)
    assert band.high[[3, 30]] == pytest.approx(few.high, rel=1e-9)
    assert (np.diff(band.low) > 0).all()  # precision grows with the prevalence, so its area does
    assert (np.diff(band.high) > 0).all()
    empty = br.sweep_estimates(br.auc_pr, curve, [], rng=0)
    assert len(empty.low) == 0


def test_f1_lets_recall_vary():
    """A published band keeps recall at its estimate and is half as wide as it should be."""
    point = br.Point.from_rates(0.6, 0.0004, prevalence=0.001, n_pos=100, n_neg=100_000)
    band = br.sweep_estimates(br.f1, point, [0.001], method="box")
    tpr = br.estimate(br.recall, point, confidence_level=0.95**0.5)
    fpr = br.estimate(br.specificity, point, confidence_level=0.95**0.5)
    worst = br.Point.from_rates(tpr.low, 1 - fpr.low, prevalence=0.001)
    best = br.Point.from_rates(tpr.high, 1 - fpr.high, prevalence=0.001)
    assert (band.low[0], band.high[0]) == pytest.approx((br.f1(worst), br.f1(best)), rel=1e-12)


# --- along a curve --------------------------------------------------------------------------------


def test_values_lie_on_the_curve():
    curve = br.Curve.from_scores([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.4, 0.1]).at_prevalence(0.2)
    pr = br.pr_band(curve, curve.tpr, rng=0, n_resamples=50)
    at_corners = np.unique(curve.tpr, return_index=True)[1]
    assert pr.value[at_corners] == pytest.approx(br.precision(curve)[at_corners])
    roc = br.roc_band(curve, [0.0, 0.125, 0.25, 0.5, 0.6, 1.0], rng=0, n_resamples=50)
    assert roc.value == pytest.approx([0.25, 0.375, 0.75, 0.75, 0.85, 1.0])
    prg = br.prg_band(curve, [0.5, 1.0], rng=0, n_resamples=50)
    # Recall gain 0.5 at prevalence 0.2 is recall 1/3, on the straight piece from (0, 1/4) to (1/4, 1/2).
    assert prg.value == pytest.approx([1 - (1 / 12) / (1 / 3), 1 - 0.75])


def test_bands_are_estimates_at_each_place():
    curve = normal_curve(40, 200, rng=1).at_prevalence(0.01)
    band = br.pr_band(curve, [0.6], rng=3)
    one = br.estimate(br.precision, curve.at_recall(0.6), about="rule", rng=3)
    assert (band.low[0], band.high[0]) == pytest.approx((one.low, one.high), rel=1e-9)


@pytest.mark.parametrize("name", ["pr_band", "roc_band", "prg_band"])
def test_a_simultaneous_band_is_wider_and_both_hold_the_curve(name):
    curve = normal_curve(40, 200, rng=2).at_prevalence(0.3)
    function = getattr(br, name)
    pointwise = function(curve, rng=0)
    joint = function(curve, rng=0, simultaneous=True)
    assert not pointwise.simultaneous
    assert joint.simultaneous
    assert (joint.low <= pointwise.low).all()
    assert (joint.high >= pointwise.high).all()
    assert (joint.high - joint.low).mean() > 1.1 * (pointwise.high - pointwise.low).mean()
    assert ((pointwise.low <= pointwise.value) & (pointwise.value <= pointwise.high)).all()


@pytest.mark.slow
def test_simultaneous_bands_hold_whole_curves():
    """Of 150 test sets, nearly 95 in 100 bands must hold the true curve at all places, and not all of them by much."""
    recalls = np.linspace(0.05, 0.95, 19)
    true_fpr = ndtr(ndtri(recalls) - 1.0)
    held = {True: 0, False: 0}
    for seed, simultaneous in itertools.product(range(150), held):
        curve = normal_curve(60, 300, rng=seed).at_prevalence(0.1)
        band = br.pr_band(curve, recalls, simultaneous=simultaneous, rng=seed, n_resamples=500)
        truth = recalls / (recalls + 9 * true_fpr)
        held[simultaneous] += bool(((band.low <= truth) & (truth <= band.high)).all())
    assert held[True] >= 0.93 * 150 - 2 * np.sqrt(150 * 0.93 * 0.07)
    assert held[False] < held[True]


def test_the_envelope_leaves_out_what_the_level_says():
    draws = np.random.default_rng(0).normal(size=(4000, 30)).cumsum(axis=1)
    low, high = ends.envelope(np.stack([draws, draws]), 0.9)
    assert np.mean((draws < low).any(axis=1)) == pytest.approx(0.05, abs=0.01)
    assert np.mean((draws > high).any(axis=1)) == pytest.approx(0.05, abs=0.01)


def test_a_missing_class_gives_a_band_of_nan():
    band = br.pr_band(br.Curve.from_scores([0, 0], [0.1, 0.2]).at_prevalence(0.1), [0.5], rng=0)
    assert np.isnan([band.value[0], band.low[0], band.high[0]]).all()
    with pytest.raises(br.errors.InputError, match="recalls must be above 0"):
        br.pr_band(normal_curve(40, 200, rng=0), [0.0])


# --- widths ---------------------------------------------------------------------------------------


def test_brabecs_widest_bands():
    """T .6 ± .06 with F .001 ± .0001 and ± .0005."""
    assert br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0009, 0.0011)).width == pytest.approx(0.1, rel=1e-12)
    found = br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0005, 0.0015))
    assert found.width == pytest.approx(0.3138593384, abs=5e-11)
    assert found.prevalence == pytest.approx(0.0014485458, abs=5e-11)
    assert br.papers.max_width_from_cvs(0.1, 0.5) == pytest.approx(found.width, rel=1e-12)
    assert br.papers.box_level(tpr=(0.6, 0.06), fpr=(0.001, 0.0005), rng=0) == pytest.approx(0.761, abs=0.0015)


def test_the_widest_place_is_the_widest():
    low, high = br.Point.from_rates(0.54, 0.0015), br.Point.from_rates(0.66, 0.0005)
    found = br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0005, 0.0015))
    for factor in (0.5, 0.9, 1.0, 1.1, 2.0):
        at = found.prevalence * factor
        width = br.precision(high.at_prevalence(at)) - br.precision(low.at_prevalence(at))
        assert width == pytest.approx(found.width, rel=1e-12) if factor == 1 else width < found.width


def test_a_false_positive_rate_that_may_be_zero_leaves_nothing_known():
    found = br.design.max_width(tpr=(0.5, 0.7), fpr=(-0.001, 0.001))
    assert found.width == 1
    assert found.prevalence == 0


def test_affordable_cvs():
    for width, other in ((0.1, 0.05), (0.3, 0.2), (0.5, 0.5)):
        cv = br.design.affordable_cv(width, other)
        assert br.papers.max_width_from_cvs(cv, other) == pytest.approx(width, rel=1e-12)
    assert np.isnan(br.design.affordable_cv(0.1, 0.5))


@pytest.mark.parametrize(
    "call",
    [
        lambda: br.design.max_width(tpr=0.6, fpr=(0, 0.1)),
        lambda: br.design.max_width(tpr=(0.7, 0.6), fpr=(0, 0.1)),
        lambda: br.design.max_width(tpr=(1.7, 1.8), fpr=(0, 0.1)),
        lambda: br.papers.box_level(tpr=0.6, fpr=(0.1, 0.1)),
        lambda: br.papers.box_level(tpr=(0.6, 0), fpr=(0.1, 0.1)),
        lambda: br.papers.max_width_from_cvs(-1, 0.1),
        lambda: br.design.affordable_cv(0, 0.1),
    ],
)
def test_bad_input_gets_a_sentence(call):
    with pytest.raises(br.errors.InputError, match=r"must .*, got .*; "):
        call()
