"""Intervals of Brier score and log loss: they hold, also with few positives and far from the data's prevalence."""

from functools import partial

import numpy as np
import pytest
import scipy

import baserate as br

CLIPPED = partial(br.log_loss, clip=1e-6)


def rows(rng, n_pos, n_neg):
    logits = np.append(rng.normal(0.5, 1.3, n_pos), rng.normal(-2.0, 1.3, n_neg))
    return np.arange(n_pos + n_neg) < n_pos, scipy.special.expit(logits)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [0.3, 0.001])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 100), (50, 500)])
@pytest.mark.parametrize("metric", [br.brier_score, CLIPPED], ids=["brier", "log_loss"])
def test_intervals_hold(metric, n_pos, n_neg, eta):
    rng = np.random.default_rng(8)
    truth = metric(br.Curve.from_scores(*rows(rng, 10**6, 10**6)).at_prevalence(eta))
    held = 0
    for _ in range(400):
        curve = br.Curve.from_scores(*rows(rng, n_pos, n_neg)).at_prevalence(eta)
        found = br.estimate(metric, curve, n_resamples=300, rng=rng)
        held += found.low <= truth <= found.high
    assert held / 400 >= 0.93


def test_with_many_rows_the_interval_is_that_of_a_mean():
    rng = np.random.default_rng(2)
    y, s = rows(rng, 20_000, 30_000)
    found = br.estimate(br.brier_score, br.Curve.from_scores(y, s).at_prevalence(0.1), n_resamples=4_000, rng=1)
    error = np.sqrt(0.01 * np.var((1 - s[y]) ** 2) / y.sum() + 0.81 * np.var(s[~y] ** 2) / (~y).sum())
    assert found.width == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert found.low < found.value < found.high


def test_without_clipping_one_more_row_may_cost_anything():
    curve = br.Curve.from_scores([0, 1, 0, 1] * 20, [0.1, 0.9, 0.2, 0.6] * 20)
    found = br.estimate(br.log_loss, curve, rng=0)
    assert found.low < found.value
    assert found.high == np.inf
    assert br.estimate(CLIPPED, curve, rng=0).high < 2
    infinite = br.estimate(br.log_loss, br.Curve.from_scores([0, 1, 0], [0.1, 0.0, 0.2]), rng=0)
    assert (infinite.value, infinite.low, infinite.high) == (np.inf, np.inf, np.inf)


def test_weights_widen_the_interval():
    y, s = rows(np.random.default_rng(1), 100, 100)
    plain = br.estimate(br.brier_score, br.Curve.from_scores(y, s), rng=0)
    alike = br.estimate(br.brier_score, br.Curve.from_scores(y, s, weight=np.full(200, 3.0)), rng=0)
    uneven = br.estimate(br.brier_score, br.Curve.from_scores(y, s, weight=np.tile([0.1, 5.0], 100)), rng=0)
    assert alike.width == pytest.approx(plain.width, rel=0.15)
    assert uneven.width > 1.2 * plain.width


def test_uncertain_prevalences_and_sweeps():
    y, s = rows(np.random.default_rng(1), 300, 300)
    curve = br.Curve.from_scores(y, s)
    alone = br.estimate(br.brier_score, curve.at_prevalence(0.2), rng=0)
    ranged = br.estimate(br.brier_score, curve, prevalence=(0.1, 0.3), rng=0)
    assert ranged.low < alone.low < alone.high < ranged.high
    mixed = br.estimate(br.brier_score, curve, prevalence=br.Beta(20, 80), rng=0)
    assert mixed.width > alone.width
    band = br.sweep_estimates(br.brier_score, curve, [0.05, 0.2, 0.6], rng=0)
    assert (band.low < band.value).all()
    assert (band.value < band.high).all()


def test_calibration_errors_have_no_interval_and_say_so():
    found = br.estimate(br.ece, br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.6]))
    assert found.value == pytest.approx(0.2)
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert found.reason is br.Reason.NO_INTERVAL
