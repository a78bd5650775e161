"""Keep the threshold, move it, or retrain."""

import numpy as np
import pytest

import baserate as br

THRESHOLD = 2.0


def rows(seed, n_pos=400, n_neg=20_000, shift=3.0):
    rng = np.random.default_rng(seed)
    label = np.arange(n_pos + n_neg) < n_pos
    return br.Curve.from_scores(label, rng.normal(size=n_pos + n_neg) + shift * label)


def advised(curve, agreed, **settings):
    return br.monitoring.advise(
        curve, agreed=agreed, **{"threshold": THRESHOLD, "rng": 0, "n_resamples": 200} | settings
    )


@pytest.mark.parametrize(
    ("agreed", "prevalence", "action"),
    [
        ("precision >= 0.5", 0.05, "keep"),
        ("precision >= 0.5", 0.005, "move"),
        ("recall >= 0.8", 0.005, "keep"),
        ("recall >= 0.95", 0.005, "move"),
        ("alert_rate <= 0.03", 0.005, "keep"),
        ("alert_rate <= 0.01", 0.005, "move"),
        ("fpr <= 0.03", 0.005, "keep"),
        ("fpr <= 0.001", 0.005, "move"),
    ],
)
def test_what_restores_what_was_agreed(agreed, prevalence, action):
    found = advised(rows(0), agreed, prevalence=prevalence)
    assert found.action == action
    assert (found.proposed is not None) == (action == "move")
    assert bool(found.then) == (action == "move")
    assert found.sentence.startswith({"keep": "keep the", "move": "move the", "retrain": "retrain the"}[action])


def test_a_decayed_model_cannot_be_saved_by_a_threshold():
    worse = br.Curve.from_counts([1.0, 3.0], pos=[300, 100], neg=[15_000, 5_000])
    assert advised(worse, "precision >= 0.9", prevalence=0.01).action == "retrain"


@pytest.mark.slow
def test_the_proposed_threshold_was_the_right_one():
    """Fraud became rarer: in the population the new threshold keeps the precision, the old one does not."""
    population, eta = rows(99, 400_000, 4_000_000), 0.002
    held = agreed = 0
    for seed in range(40):
        found = advised(rows(seed), "precision >= 0.5", prevalence=eta)
        assert found.action == "move"
        truth = br.precision(population.at_threshold(found.proposed).at_prevalence(eta))
        held += found.then[0].low <= truth <= found.then[0].high
        agreed += truth >= 0.4
    assert br.precision(population.at_threshold(THRESHOLD).at_prevalence(eta)) < 0.1
    assert held >= 34  # 93 % of 40, less two standard errors
    assert agreed >= 36


def test_numbers_are_those_of_estimate():
    curve = rows(1)
    found = advised(curve, "precision >= 0.5", prevalence=0.005)
    place = curve.at_prevalence(0.005)
    assert found.now[0] == br.estimate(br.precision, place.at_threshold(THRESHOLD))
    assert found.proposed == place.at_precision(0.5).threshold
    assert found.then[0] == br.estimate(br.precision, place.at_precision(0.5), n_resamples=200, rng=0)
    assert [one.metric for one in found.then] == ["precision", "recall", "alert_rate"]


def test_an_estimated_prevalence_makes_intervals_wider():
    labelled, unlabelled = rows(2), rows(3, n_pos=40)
    today = br.prior.estimate_prevalence(labelled, unlabelled)
    found = advised(labelled, "recall >= 0.5", prevalence=today)
    plain = advised(labelled, "recall >= 0.5", prevalence=today.value)
    assert found.prevalence == today.value
    assert found.uncertain_prevalence is not None
    precision, narrower = found.now[1], plain.now[1]
    assert precision.low < narrower.low < narrower.high < precision.high


def test_a_cost_has_an_optimum():
    cost = "best=expected_cost:cost_fp=1:cost_fn=100"
    curve = rows(4)
    best = br.Rule.parse(cost).on(curve).threshold
    assert advised(curve, cost, threshold=best).action == "keep"
    found = advised(curve, cost, threshold=best + 3)
    assert (found.action, found.proposed) == ("move", best)


def test_bad_questions_get_a_sentence():
    with pytest.raises(br.errors.InputError, match="agreed must be a limit"):
        advised(rows(0), "threshold=1")
    with pytest.raises(br.errors.InputError, match="threshold must be"):
        advised(rows(0), "recall >= 0.5", threshold=np.nan)
