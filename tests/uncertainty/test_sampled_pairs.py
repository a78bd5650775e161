"""Two models on the same rows, of which only some were sampled for labelling."""

import math

import numpy as np
import pytest

import baserate as br


def pair_of(rng, n=4_000, prevalence=0.05, rate=0.05):
    """Two models with equal scores on average; the first one gives the alerts, all of which are labelled."""
    y = np.arange(n) < rng.binomial(n, prevalence)
    shared = rng.normal(size=n) + 3 * y
    first, second = (shared + rng.normal(size=n) for _ in "ab")
    alert = first >= 3
    known = alert | (rng.random(n) < rate)
    label = np.where(known, y.astype(float), np.nan)
    return br.Pair.from_sampled(label, first, second, stratum=np.where(alert, "alert", "rest"))


@pytest.mark.slow
def test_a_difference_is_covered_where_the_first_model_chose_what_is_labelled():
    """The true difference is 0. Left out, the unlabelled rows would make the first model look far better."""
    found = [
        br.difference(br.recall, pair_of(np.random.default_rng(seed)), at="threshold=3", n_resamples=100, rng=seed)
        for seed in range(40)
    ]
    assert np.mean([one.low <= 0 <= one.high for one in found]) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 40)
    assert {one.method for one in found} == {"melded"}


def test_a_pair_with_all_rows_labelled_is_plain():
    y, first, second = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.7, 0.6]
    pair = br.Pair.from_sampled(y, first, second, inclusion=[1] * 4)
    plain = br.Pair.from_scores(y, first, second)
    assert (pair.a, pair.b) == (plain.a, plain.b)
    assert np.array_equal(pair.positive, plain.positive)


def test_models_of_a_pair_are_those_of_single_curves():
    pair = pair_of(np.random.default_rng(0))
    found = br.difference(br.roc_auc, pair.at_prevalence(0.01), n_resamples=100, rng=0)
    assert found.first == br.roc_auc(pair.a)
    assert found.second == br.roc_auc(pair.b)
    assert found.low < found.value < found.high
    with pytest.raises(br.BaserateError, match="method must be"):
        br.difference(br.roc_auc, pair, method="delong_t")


@pytest.mark.parametrize(
    ("metric", "at"),
    [(br.average_precision, None), (br.precision, "threshold=3"), (br.precision, "recall=0.5"), (br.brier_score, None)],
)
def test_a_lead_is_the_difference_at_each_prevalence(metric, at):
    pair = pair_of(np.random.default_rng(0))
    if metric is br.brier_score:
        rng = np.random.default_rng(1)
        label = np.where(rng.random(500) < 0.5, rng.random(500) < 0.2, np.nan)
        pair = br.Pair.from_sampled(label, rng.random(500), rng.random(500), stratum=["all"] * 500)
    found = br.lead(metric, pair, [0.1, 0.001], at=at, n_resamples=200, rng=0)
    for k, prevalence in enumerate((0.1, 0.001)):
        alone = br.difference(metric, pair.at_prevalence(prevalence), at=at, n_resamples=200, rng=0)
        for name in ("value", "low", "high"):
            assert getattr(found, name)[k] == pytest.approx(getattr(alone, name), rel=1e-9)
    assert ((found.probability > 0) & (found.probability < 1)).all()


def test_a_lead_of_alerts_alone_is_unknown():
    label, first, second = [1, 0, None, None], [0.9, 0.8, 0.2, 0.1], [0.7, 0.8, 0.1, 0.2]
    pair = br.Pair.from_sampled(label, first, second, stratum=list("aabb"))
    found = br.lead(br.roc_auc, pair, [0.1, 0.2], rng=0)
    assert np.isnan(found.value).all()
    assert found.reason == br.Reason.NOT_LABELLED
