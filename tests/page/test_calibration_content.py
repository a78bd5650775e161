"""What the page keeps of calibration, and what it says about it."""

import json

import numpy as np
import pytest

import baserate as br
from baserate.page.calibration import calibration

pytestmark = pytest.mark.slow  # together, these take long


@pytest.fixture(scope="module")
def curve():
    data = br.examples.payments()
    return br.Curve.from_scores(data["fraud"], data["new_model"])


def rates(bins, key, prevalence):
    """Ends of event rates, as a page works them out."""
    ratio = np.array([np.inf if end is None else end for end in bins[key]])
    return 1 / (1 + (1 - prevalence) / prevalence / ratio)


@pytest.mark.parametrize("prevalence", [1e-6, 0.02, 0.7])
def test_one_interval_of_a_ratio_gives_those_of_event_rates_at_every_prevalence(curve, prevalence):
    bins = calibration("m", curve, 0.1).json
    found = br.reliability(curve.at_prevalence(prevalence))
    assert rates(bins, "ratio_low", prevalence) == pytest.approx(found.rate_low, rel=1e-5)
    assert rates(bins, "ratio_high", prevalence) == pytest.approx(found.rate_high, rel=1e-5)


@pytest.mark.parametrize("prevalence", [1e-6, 0.02, 0.7])
def test_odds_at_which_scores_agree_give_the_judgement_at_every_prevalence(curve, prevalence):
    bins = calibration("m", curve, 0.1).json
    low, high = (
        np.array([np.inf if end is None else end for end in bins[f"agreeing_odds_{key}"]]) for key in ("low", "high")
    )
    odds = (1 - prevalence) / prevalence
    judged = np.where(odds > high, "too high", np.where(odds < low, "too low", "agrees"))
    assert judged.tolist() == br.reliability(curve.at_prevalence(prevalence)).judgement.tolist()


def test_weights_count_as_the_rows_they_are_worth():
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.3
    score = rng.random(500)
    plain = calibration("m", br.Curve.from_scores(y, score), 0.1).json
    doubled = calibration("m", br.Curve.from_scores(y, score, weight=np.full(500, 2.0)), 0.1).json
    uneven = calibration("m", br.Curve.from_scores(y, score, weight=rng.exponential(size=500)), 0.1).json
    for key in ("ratio_low", "ratio_high", "agreeing_odds_low"):
        assert doubled[key] == pytest.approx(plain[key], rel=1e-6)
    widths = [np.log(np.array(bins["ratio_high"]) / np.array(bins["ratio_low"])).mean() for bins in (plain, uneven)]
    assert widths[1] > 1.2 * widths[0]


def test_bins_are_all_there_is_of_the_data(curve):
    kept = calibration("m", curve, 0.1).json
    assert max(len(column) for column in kept.values()) <= 10
    assert len(json.dumps(kept)) < 5_000
    assert sum(kept["pos"]) + sum(kept["neg"]) == 12_000


def test_the_verdict_is_the_library_s_at_the_own_prevalence(curve):
    (said,) = calibration("new_model", curve, curve.prevalence).said
    assert said == f"new_model, at the data's own prevalence of 1 in 40: {br.reliability(curve).verdict}"
    (elsewhere,) = calibration("new_model", curve.at_prevalence(0.3), curve.prevalence).said
    assert elsewhere == said


def test_what_the_prior_does_is_said_at_the_asked_prevalence(curve):
    (said,) = calibration("new_model", curve, 1e-4).said
    found = br.calibration.prior_effect(curve.at_prevalence(1e-4))
    assert said.endswith(
        f"At 1 in 10,000, without adjusting the scores, ECE is {found.ece:.2g}; adjusting them to this prior with "
        f"br.adjust would remove {found.prior_part:.2g} of it and leave {found.shape:.2g}."
    )


def test_moving_scores_that_were_meant_for_there_is_not_advised():
    """Scores that are right at 0.01, in data where half are positive."""
    there = br.adjust([0.1, 0.5, 0.9], 0.5, 0.01)
    curve = br.Curve.from_counts(there, pos=[100, 500, 900], neg=[900, 500, 100])
    (said,) = calibration("m", curve, 0.01).said
    assert "At 1 in 100, without adjusting the scores, ECE is 0; adjusting them with br.adjust would not low" in said


def test_scores_that_are_no_probabilities_are_said_to_be_none():
    found = calibration("m", br.Curve.from_scores([0, 1, 1], [-3.5, 0.2, 0.4]), 0.1)
    assert found.said == ["Scores of m are not probabilities: they range from -3.5 to 0.4."]
    assert found.json is None
    assert calibration("m", br.Curve.from_scores([0, 1, 1], [0.5, 1.5, 1.0]), 0.1).json is None
    assert calibration("m", br.Curve.from_scores([0, 1, 1], [0.0, 0.2, 1.0]), 0.1).json is not None


def test_buckets_say_how_well_their_scores_are_known():
    bucketed = br.Curve.from_counts([0.2, 0.8], [10, 40], [900, 50], top=[0.3, 0.9])
    (said,) = calibration("m", bucketed, 0.01).said
    assert "Scores are in buckets: mean scores are exact to 0.05, and ECE at 1 in 100 to 0." in said
    exact = br.Curve.from_counts([0.2, 0.8], [10, 40], [900, 50])
    assert "buckets" not in calibration("m", exact, 0.01).said[0]


def test_tests_and_lines_are_the_library_s(curve):
    cells = calibration("m", curve, 0.1).json["own"]
    line = br.calibration.cox_calibration(curve)
    assert cells[1] == [f"{line.slope.value:.4f}", f"{line.slope.low:.3f} – {line.slope.high:.3f}"]
    assert cells[0][0] == "below 0.0001"
    right = br.Curve.from_counts(np.arange(1, 10) / 10, np.arange(10, 100, 10), np.arange(90, 0, -10))
    found = br.calibration.hosmer_lemeshow(right, in_sample=False)
    assert calibration("m", right, 0.1).json["own"][0] == [
        f"{found.p_value:.2g}",
        f"{found.n_bins} bins of equal frequency",
    ]
    for cells in calibration("m", right, 0.1).json["own"][2:]:
        assert cells[0] == "0.0000"
    constant = br.Curve.from_counts([0.5], [10], [10])
    assert calibration("m", constant, 0.1).json["own"][1] == ["–", br.Reason.ONE_SCORE.sentence]
