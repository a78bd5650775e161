"""Intervals on curves some of whose scores are no longer told apart."""

import numpy as np
import pytest

import baserate as br


@pytest.fixture(scope="module")
def curves():
    """The same rows, told apart and in coarse buckets."""
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.1
    score = rng.normal(size=4_000) + 1.5 * y
    bucket = np.floor(score * 8)
    buckets = np.unique(bucket)
    low, high = ([end(score[bucket == b]) for b in buckets] for end in (min, max))
    pos, neg = ([int((y[bucket == b] == label).sum()) for b in buckets] for label in (1, 0))
    return br.Curve.from_scores(y, score), br.Curve.from_counts(low, pos, neg, top=high)


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.001, 0.1, 0.5])
@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc, br.best_f1], ids=lambda metric: metric.__name__)
def test_an_interval_of_an_area_holds_that_of_the_rows(curves, metric, prevalence):
    exact, bucketed = (br.estimate(metric, curve.at_prevalence(prevalence), rng=0) for curve in curves)
    room = 0.1 * exact.width  # draws from other cells are other draws
    assert bucketed.low < exact.low + room
    assert bucketed.high > exact.high - room
    certain = br.bounds(metric, curves[1].at_prevalence(prevalence))
    assert bucketed.low < certain.low
    assert certain.high < bucketed.high
    assert bucketed.width > certain.width
    assert bucketed.caution is None


def test_an_interval_at_a_chosen_point_is_widened_too(curves):
    exact, bucketed = (br.estimate(br.precision, curve.at_recall(0.6), rng=0) for curve in curves)
    certain = br.bounds(br.precision, curves[1].at_recall(0.6))
    assert certain.width > 0
    assert bucketed.low < min(exact.low, certain.low)
    assert bucketed.high > max(exact.high, certain.high)


def test_what_is_not_certain_is_said(curves):
    def twice(curve):
        return 2 * br.roc_auc(curve)

    exact, bucketed = curves
    assert "error this causes in the metric is unknown" in br.estimate(twice, bucketed, n_resamples=50, rng=0).caution
    assert br.estimate(twice, exact, n_resamples=50, rng=0).caution is None
    assert "unknown" in br.roc_band(bucketed, [0.1, 0.5], rng=0).caution
    assert br.roc_band(exact, [0.1, 0.5], rng=0).caution is None
