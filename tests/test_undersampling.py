"""Test sets thinned out to another prevalence: what they keep, what they cost, and what they are an estimate of."""

import functools
import math

import numpy as np
import pytest

import baserate as br
from baserate.papers.undersampling import undersampled
from helpers.simulated import normal_curve

pytestmark = pytest.mark.slow  # together, these take long


def tied(n_pos, n_neg, decimals=9):
    return normal_curve(n_pos, n_neg, 1.2, rng=4, decimals=decimals)


def recall(curve):
    return br.recall(curve.at_threshold(1.0))


def fpr(curve):
    return 1 - br.specificity(curve.at_threshold(1.0))


def seen_test_sets(curve, prevalence, n_samples=20):
    seen = []

    def keep(test_set):
        seen.append(test_set)
        return 0.0

    found = undersampled(keep, curve, prevalence, n_samples=n_samples, rng=0)
    return found, seen[1:]  # the first is the curve itself, for the closed form


def counts_by_score(curve, name):
    return {score: count for score, count in zip(curve.score, getattr(curve, name), strict=True) if count}


@pytest.mark.parametrize("decimals", [9, 0], ids=["untied", "tied"])
@pytest.mark.parametrize(
    ("prevalence", "n_pos", "n_neg"),
    [(0.5, 100, 100), (0.2, 100, 400), ("1:9", 100, 900), (0.02, 18, 900), (0.003, 3, 900)],
)
def test_one_class_stays_whole_and_the_other_is_thinned_out(prevalence, n_pos, n_neg, decimals):
    curve = tied(100, 900, decimals)
    found, test_sets = seen_test_sets(curve, prevalence)
    assert (found.n_pos, found.n_neg) == (n_pos, n_neg)
    assert len(test_sets) == 20
    for test_set in test_sets:
        assert (test_set.n_pos, test_set.n_neg) == (n_pos, n_neg)
        assert test_set.given_prevalence is None
        for name in ("pos", "neg"):
            all_of_them, left = counts_by_score(curve, name), counts_by_score(test_set, name)
            assert all(left[score] <= all_of_them[score] for score in left)
            if getattr(curve, f"n_{name}") == getattr(test_set, f"n_{name}"):
                assert left == all_of_them


@pytest.mark.parametrize("prevalence", [0.9, 0.31, 0.077, 0.011])
def test_test_sets_have_the_prevalence_asked_for(prevalence):
    found, test_sets = seen_test_sets(tied(1000, 9000), prevalence)
    smaller = min(found.n_pos, found.n_neg)
    assert found.prevalence == prevalence
    assert all(t.prevalence == pytest.approx(prevalence, rel=0.5 / smaller + 1e-12) for t in test_sets)


def test_each_case_is_as_likely_to_stay():
    """Also where cases are tied, and where some scores have none of the class."""
    curve = br.Curve.from_counts([5, 4, 3, 2, 1], pos=[0, 1, 0, 3, 4], neg=[30, 0, 20, 50, 300])
    _, test_sets = seen_test_sets(curve, 2 / 402, n_samples=4000)
    mean = np.mean([[counts_by_score(t, "pos").get(score, 0) for score in curve.score] for t in test_sets], axis=0)
    np.testing.assert_allclose(mean, 2 / 8 * curve.pos, atol=0.05)


@pytest.mark.parametrize("metric", [br.average_precision, br.auc_pr, functools.partial(br.best_f_beta, beta=2), recall])
def test_the_value_is_the_closed_form(metric):
    curve = tied(50, 500)
    found = undersampled(metric, curve.at_prevalence(1e-6), 0.3, n_samples=2, rng=0)
    assert found.value == metric(curve.at_prevalence(0.3))
    assert found.metric == {br.average_precision: "average_precision", br.auc_pr: "auc_pr", recall: "recall"}.get(
        metric, "best_f_beta:beta=2"
    )


@pytest.mark.parametrize("decimals", [9, 1], ids=["untied", "tied"])
@pytest.mark.parametrize(("metric", "prevalence"), [(recall, 0.02), (fpr, 0.5)])
def test_rates_at_a_threshold_are_estimated_without_bias(metric, prevalence, decimals):
    found = undersampled(metric, tied(200, 1800, decimals), prevalence, n_samples=1000, rng=1)
    assert found.value == metric(tied(200, 1800, decimals))
    assert abs(found.bias) < 4 * found.spread / math.sqrt(1000)
    assert found.bias == found.mean - found.value


def test_the_spread_of_a_rate_is_that_of_drawing_without_replacement():
    found = undersampled(recall, tied(200, 1800), 0.02, n_samples=2000, rng=2)
    k, n, rate = found.n_pos, 200, found.value
    expected = math.sqrt(rate * (1 - rate) / k * (n - k) / (n - 1))
    assert found.spread == pytest.approx(expected, rel=0.08)


def test_the_spread_grows_as_less_is_kept():
    curve = tied(200, 1800)
    for prevalences in ((0.05, 0.02, 0.005, 0.001), (0.2, 0.5, 0.9, 0.98)):
        spreads = [undersampled(br.roc_auc, curve, p, n_samples=200, rng=3).spread for p in prevalences]
        assert spreads == sorted(spreads)
        assert spreads[-1] > 3 * spreads[0] > 0


def test_the_closed_form_has_no_noise_and_throwing_positives_away_flatters_average_precision():
    """The heuristic is biased where the metric bends: with five positives AP is far too high."""
    found = undersampled(br.average_precision, tied(200, 1800), "1:360", n_samples=500, rng=5)
    assert found.n_pos == 5
    assert found.bias > 5 * found.spread / math.sqrt(500)


def test_nothing_is_removed_at_the_prevalence_of_the_data():
    curve = tied(30, 70)
    found = undersampled(br.average_precision, curve, 0.3, n_samples=5, rng=0)
    assert found.samples.tolist() == [br.average_precision(curve)] * 5
    assert (found.spread, found.bias) == pytest.approx((0, 0), abs=1e-15)


def test_the_same_seed_gives_the_same_result_and_numpys_own_random_state_is_left_alone():
    curve = tied(20, 300)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other, generator = (
        undersampled(br.auc_pr, curve, 0.4, n_samples=30, rng=rng).samples.tolist()
        for rng in (3, 3, 4, np.random.default_rng(3))
    )
    assert first == again == generator != other
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_one_sentence():
    curve = br.Curve.from_counts([2, 1], pos=[10, 0], neg=[0, 90])
    assert str(undersampled(br.average_precision, curve, 0.5, rng=0)) == (
        "average_precision at prevalence 1 in 2: 1 in closed form, 1 ± 0 over 1,000 test sets thinned out to "
        "10 pos, 10 neg"
    )


def test_test_sets_without_a_value_are_nan_and_say_why():
    curve = br.Curve.from_counts([3, 2, 1], pos=[1, 5, 4], neg=[0, 45, 45])
    found = undersampled(lambda c: br.precision(c.at_threshold(3)), curve, 0.05, n_samples=50, rng=0)
    assert found.value == 1
    assert np.isnan(found.samples).any()
    assert set(found.samples[~np.isnan(found.samples)]) == {1.0}
    assert found.reason is br.Reason.NO_ALERTS
    assert math.isnan(found.mean)
    assert str(found).endswith("; nothing is predicted positive")


CURVE = br.Curve.from_counts([2, 1], pos=[2, 1], neg=[3, 9])
WEIGHTED = br.Curve.from_counts([2, 1], pos=[2, 1], neg=[3, 9], pos_squares=[1, 1], neg_squares=[1, 1])


@pytest.mark.parametrize(
    ("metric", "at", "prevalence", "words"),
    [
        (br.auc_pr, WEIGHTED, 0.1, "counts of cases by score, got a curve made from weighted rows"),
        (br.auc_pr, br.Curve.from_rates([0.5], [0.1], n_pos=10, n_neg=90), 0.1, "made from rates"),
        (br.f1, CURVE, 0.1, r"got f1; pass a function .* br.f1\(curve.at_threshold"),
        (br.auc_pr, CURVE.at_threshold(2), 0.1, "curve must be a Curve, got a Point"),
        (br.auc_pr, CURVE, 0.01, "needs positives and negatives, got 0 and 12 at prevalence 1 in 100 out of 3 and 12"),
        (br.auc_pr, CURVE, 0.99, "got 3 and 0"),
        (br.auc_pr, br.Curve.from_scores([1, 1], [1, 2]), 0.5, "got 0 and 0"),
        (br.auc_pr, br.Curve.from_scores([], []), 0.5, "got 0 and 0"),
        (br.auc_pr, CURVE, 1.5, "prevalence must be strictly between 0 and 1"),
        (br.auc_pr, br.Curve.from_counts([2, 1], pos=[9, 9], neg=[10**9] * 2), 0.5, "fewer than 1,000,000,000"),
    ],
)
def test_refusals(metric, at, prevalence, words):
    with pytest.raises(br.BaserateError, match=words):
        undersampled(metric, at, prevalence)


@pytest.mark.parametrize("wrong", [{"n_samples": 0}, {"n_samples": 1.5}, {"rng": "seed"}])
def test_wrong_settings(wrong):
    with pytest.raises(br.errors.InputError, match=next(iter(wrong))):
        undersampled(br.auc_pr, CURVE, 0.5, **wrong)
