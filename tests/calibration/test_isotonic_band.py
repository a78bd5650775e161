"""Isotonic reliability: the curve against scikit-learn, the band against its own level."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import baserate as br
from helpers.calibration_sets import NAMES, rows

BANDS = ("consistency", "confidence")


def calibrated(rng, n, *, balanced=False):
    """Scores that are right at prevalence 1/4; `balanced` draws as many positives as negatives."""
    score = rng.beta(1, 3, 12 * n)
    label = rng.random(12 * n) < score
    if not balanced:
        return br.Curve.from_scores(label[:n], score[:n])
    score = np.concatenate([score[label][: n // 2], score[~label][: n // 2]])
    return br.Curve.from_scores(np.repeat([1, 0], n // 2), score).at_prevalence(0.25)


# --- the curve -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_agrees_on_the_rates(name):
    score, label = rows(name)
    found = br.calibration.isotonic_reliability(br.Curve.from_scores(label, score), n_resamples=2, rng=0)
    order = np.argsort(score)
    wanted = IsotonicRegression().fit_transform(score[order], label[order])
    np.testing.assert_allclose(found.rate[np.searchsorted(found.score, score[order])], wanted, atol=1e-12)
    assert (np.diff(found.score) > 0).all()
    assert found.n.sum() == len(score)


def test_at_another_prevalence_the_rates_are_those_of_weighted_negatives():
    score, label = rows("simulated")
    curve = br.Curve.from_scores(label, score)
    found = br.calibration.isotonic_reliability(curve.at_prevalence(0.01), n_resamples=2, rng=0)
    weight = np.where(label == 1, 1.0, 99 * curve.n_pos / curve.n_neg)
    order = np.argsort(score)
    wanted = IsotonicRegression().fit_transform(score[order], label[order], sample_weight=weight[order])
    np.testing.assert_allclose(found.rate[np.searchsorted(found.score, score[order])], wanted, atol=1e-10)
    assert found.prevalence == 0.01


# --- the band --------------------------------------------------------------------------------------


@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_manners_of_a_band(band, prevalence):
    score, label = rows("simulated")
    curve = br.Curve.from_scores(label, score)
    curve = curve if prevalence is None else curve.at_prevalence(prevalence)
    found = br.calibration.isotonic_reliability(curve, band=band, n_resamples=200, rng=1)
    again = br.calibration.isotonic_reliability(curve, band=band, n_resamples=200, rng=1)
    wider = br.calibration.isotonic_reliability(curve, band=band, n_resamples=200, rng=1, confidence_level=0.99)
    np.testing.assert_array_equal(found.low, again.low)
    assert ((found.low >= 0) & (found.low <= found.high) & (found.high <= 1)).all()
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) >= 0).all()
    assert (wider.low <= found.low).all()
    assert (wider.high >= found.high).all()
    around = found.rate if band == "confidence" else found.score
    held = (found.low - 1e-12 <= around) & (around <= found.high + 1e-12)
    assert held.all() if band == "confidence" else held[found.n > 20].all()


@pytest.mark.parametrize("prevalence", [None, 0.2, 0.001])
def test_a_consistency_band_is_around_the_scores_however_wrong_they_are(prevalence):
    score = np.array([0.1, 0.3, 0.5, 0.8])
    curve = br.Curve.from_counts(score, pos=[900, 1100, 1500, 1900], neg=[4000, 3000, 2000, 2500])
    curve = curve if prevalence is None else curve.at_prevalence(prevalence)
    found = br.calibration.isotonic_reliability(curve, n_resamples=400, rng=0)
    np.testing.assert_allclose((found.low + found.high) / 2, score, rtol=0.04)
    if prevalence is None:  # each score has its own binomial, as rates this far apart are never pooled
        rows_there = (curve.pos + curve.neg)[::-1]
        half = 1.96 * np.sqrt(score * (1 - score) / rows_there)
        np.testing.assert_allclose((found.high - found.low) / 2, half, rtol=0.15)
    assert found.off.all() if prevalence == 0.001 else found.off.any()


def test_within_classes_the_scatter_is_that_of_two_shares():
    pos, neg = np.array([100, 300, 600]), np.array([5000, 3000, 2000])
    curve = br.Curve.from_counts([0.1, 0.4, 0.9], pos, neg).at_prevalence(0.5)
    found = br.calibration.isotonic_reliability(curve, band="confidence", n_resamples=2000, rng=0)
    spread = np.sqrt(1 / pos - 1 / pos.sum() + 1 / neg - 1 / neg.sum())
    width = np.log(found.high / (1 - found.high)) - np.log(found.low / (1 - found.low))
    np.testing.assert_allclose(width / (2 * 1.96), spread, rtol=0.08)


def test_a_confidence_band_has_width_where_no_label_varies():
    curve = br.Curve.from_counts([0.1, 0.2, 0.9], pos=[0, 0, 30], neg=[20, 20, 0])
    found = br.calibration.isotonic_reliability(curve, band="confidence", rng=0)
    # The largest rate that shows no positive in 40 rows one time in 40; nearer to the positives, in 20 rows.
    assert found.high[:2] == pytest.approx([1 - 0.025 ** (1 / 40), 1 - 0.025 ** (1 / 20)])
    assert found.low[2] == pytest.approx(0.025 ** (1 / 30))
    weighted = br.calibration.isotonic_reliability(curve.at_prevalence(0.1), band="confidence", rng=0)
    odds = found.high[:2] / (1 - found.high[:2]) / (9 * 30 / 40)
    assert weighted.high[:2] == pytest.approx(odds / (1 + odds))


def test_what_is_known_of_higher_scores_holds_for_lower_ones():
    counts = {"pos": [0, 0, 50], "neg": [1000, 1, 950]}
    found = br.calibration.isotonic_reliability(
        br.Curve.from_counts([0.1, 0.2, 0.3], **counts), band="confidence", rng=0
    )
    assert found.high[1] == found.high[2] < 0.1  # though one row by itself says next to nothing
    mirrored = br.Curve.from_counts([0.9, 0.8, 0.7], pos=counts["neg"], neg=counts["pos"])
    found = br.calibration.isotonic_reliability(mirrored, band="confidence", rng=0)
    assert found.low[1] == found.low[0] > 0.9


def test_many_scores_are_pooled_without_harm():
    rng = np.random.default_rng(2)
    curve = calibrated(rng, 20_000)
    found = br.calibration.isotonic_reliability(curve, n_resamples=100, rng=0)
    assert len(found.score) == 20_000
    assert len(np.unique(found.low)) < 2001
    few = br.Curve.from_scores(*_rounded(curve))
    coarse = br.calibration.isotonic_reliability(few, n_resamples=100, rng=0)
    place = np.searchsorted(coarse.score, [0.1, 0.3, 0.5])
    width, coarse_width = (f.high - f.low for f in (found, coarse))
    np.testing.assert_allclose(width[np.searchsorted(found.score, [0.1, 0.3, 0.5])], coarse_width[place], rtol=0.35)


def _rounded(curve):
    score = np.repeat(curve.score, curve.pos + curve.neg)
    return np.repeat(curve.pos > 0, curve.pos + curve.neg), np.round(score, 3)


def test_all_scores_zero_expect_no_positive():
    curve = br.Curve.from_counts([0.0], pos=[3], neg=[97])
    for at in (curve, curve.at_prevalence(0.5)):
        found = br.calibration.isotonic_reliability(at, n_resamples=20, rng=0)
        assert (found.low, found.high) == (0, 0)
        assert found.off.all()


PROBES = np.array([0.05, 0.1, 0.2, 0.3, 0.5, 0.7])


def _at_probes(found, column):
    return column[np.maximum(np.searchsorted(found.score, PROBES, side="right") - 1, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("balanced", [False, True])
def test_how_often_bands_hold_at_a_score(balanced):
    rng = np.random.default_rng(7)
    agreed, covered = [], []
    for _ in range(120):
        curve = calibrated(rng, 600, balanced=balanced)
        found = br.calibration.isotonic_reliability(curve, n_resamples=200, rng=rng)
        agreed.append(~_at_probes(found, found.off))
        found = br.calibration.isotonic_reliability(curve, band="confidence", n_resamples=200, rng=rng)
        covered.append((_at_probes(found, found.low) <= PROBES) & (_at_probes(found, found.high) >= PROBES))
    # Measured on more: 0.94 and 0.95 on average; the confidence band 0.85 to 0.93 towards the ends, 0.98 in between.
    assert 0.92 < np.mean(agreed) < 0.975
    assert np.mean(agreed, axis=0).min() > 0.87
    assert 0.92 < np.mean(covered) < 0.99
    assert np.mean(covered, axis=0).min() > 0.78


# --- what is refused, and how it looks ----------------------------------------------------------------


def test_what_is_refused():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[90, 50])
    with pytest.raises(br.errors.InputError, match="band must be one of 'consistency', 'confidence', got 'both'"):
        br.calibration.isotonic_reliability(curve, band="both")
    with pytest.raises(br.errors.InputError, match="n_resamples"):
        br.calibration.isotonic_reliability(curve, n_resamples=0)
    with pytest.raises(br.errors.InputError, match="probabilities between 0 and 1"):
        br.calibration.isotonic_reliability(br.Curve.from_scores([0, 1], [-1.0, 2.0]))
    with pytest.raises(br.errors.MissingInformationError, match="weighted rows"):
        br.calibration.isotonic_reliability(br.Curve.from_scores([0, 1], [0.1, 0.2], weight=[1.5, 2]))
    with pytest.raises(br.errors.MissingInformationError, match="there are no positives"):
        br.calibration.isotonic_reliability(br.Curve.from_scores([0, 0], [0.1, 0.2]))
    with pytest.raises(br.errors.InputError, match="curve must be a Curve, got"):
        br.calibration.isotonic_reliability(curve.at_threshold(0.5))


def test_table_and_text():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
    found = br.calibration.isotonic_reliability(curve, rng=0)
    assert list(found.rows()[0]) == ["prevalence", "score", "rate", "low", "high", "n"]
    assert str(found).endswith("no score is outside the band")
    confident = br.calibration.isotonic_reliability(curve.at_prevalence(0.01), band="confidence", rng=0)
    assert "confidence band, prevalence 1 in 100" in str(confident)
    assert "outside the band: 2 of 2 scores, with 100 % of the rows" in str(confident)


def test_a_bucketed_curve_is_read_in_the_middle():
    curve = br.Curve.from_counts([0.2, 0.7], pos=[10, 40], neg=[60, 10], top=[0.4, 0.9])
    np.testing.assert_allclose(br.calibration.isotonic_reliability(curve, rng=0).score, [0.3, 0.8])


def test_buckets_say_how_far_scores_may_be_off():
    curve = br.Curve.from_counts([0.2, 0.5], pos=[10, 40], neg=[90, 60], top=[0.3, 0.5])
    found = br.calibration.isotonic_reliability(curve, rng=0)
    assert found.score_error == pytest.approx(0.05)
    assert "scores exact to 0.05" in str(found)
