"""The prevalence of unlabelled rows: what must hold whatever the rows are."""

import dataclasses
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.formulas.prior_shift import shifted
from helpers.simulated import normal_rows

METHODS = ("mixture", "em", "adjusted_count")
OWN = 1 / 11


def probability(z, distance=2.0):
    """Right at the prevalence OWN, where positives are higher by the distance."""
    return 1 / (1 + np.exp(-(distance * z - distance**2 / 2 + np.log(OWN / (1 - OWN)))))


def rows(seed, n_pos, n_neg, distance=2.0):
    return probability(normal_rows(n_pos, n_neg, distance, rng=seed)[1], distance)


LABELS = np.repeat([1, 0], [200, 2000])
SCORES = rows(1, 200, 2000)
CURVE = br.Curve.from_scores(LABELS, SCORES)
NOW = rows(2, 300, 9700)


# --- what it finds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n_pos", "n_neg"), [(0, 5000), (50, 4950), (1500, 3500), (5000, 0)])
def test_it_finds_the_prevalence(method, n_pos, n_neg):
    found = br.prior.estimate_prevalence(CURVE, rows(7, n_pos, n_neg), method=method)
    assert found.low <= n_pos / 5000 <= found.high
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx(n_pos / 5000, abs=0.04)
    assert found.fits
    assert found.caution is None


@pytest.mark.parametrize("method", METHODS)
def test_only_negatives_and_only_positives(method):
    assert br.prior.estimate_prevalence(CURVE, SCORES[LABELS == 0], method=method).value == pytest.approx(0, abs=0.01)
    assert br.prior.estimate_prevalence(CURVE, SCORES[LABELS == 1], method=method).value == pytest.approx(1, abs=0.07)
    assert br.prior.estimate_prevalence(CURVE, SCORES, method=method).value == pytest.approx(OWN, abs=0.01)


def test_adjusted_count_is_the_textbook_formula():
    found = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=0.2)
    point = CURVE.at_threshold(0.2)
    assert found.value == pytest.approx((np.mean(NOW >= 0.2) - point.fpr) / (point.tpr - point.fpr), rel=1e-8)
    assert found.threshold == 0.2
    # A score at the threshold is above it.
    at = float(np.sort(NOW)[-100])
    found = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=at)
    point = CURVE.at_threshold(at)
    assert found.value == pytest.approx((0.01 - point.fpr) / (point.tpr - point.fpr), rel=1e-8)


def test_the_threshold_that_is_chosen_has_equal_rates_of_mistakes():
    found = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count")
    point = CURVE.at_threshold(found.threshold)
    assert point.fpr == pytest.approx(1 - point.tpr, abs=0.006)
    again = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=found.threshold)
    assert again == found


def test_em_is_the_limit_of_its_steps():
    eta = OWN
    for _ in range(600):
        eta = float(np.mean(shifted(NOW, 1 - NOW, OWN, eta).share))
    found = br.prior.estimate_prevalence(CURVE, NOW, method="em")
    assert found.value == pytest.approx(eta, abs=1e-9)
    assert found.scores_prevalence == pytest.approx(OWN)
    # Scores that were made where positives were as frequent as negatives would say that there are hardly any now.
    assert br.prior.estimate_prevalence(CURVE, NOW, method="em", scores_prevalence="1:1").high < found.low


def test_more_trust_is_a_narrower_interval():
    mixture, em, adjusted = (br.prior.estimate_prevalence(CURVE, NOW, method=method) for method in METHODS)
    assert em.width < mixture.width < adjusted.width


# --- laws -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_does_not_matter(method):
    order = np.random.default_rng(0).permutation(len(SCORES))
    shuffled = br.Curve.from_scores(LABELS[order], SCORES[order])
    now = NOW[np.random.default_rng(1).permutation(len(NOW))]
    found = br.prior.estimate_prevalence(shuffled, now, method=method)
    assert found == br.prior.estimate_prevalence(CURVE, NOW, method=method)


@pytest.mark.parametrize("method", ["mixture", "adjusted_count"])
@pytest.mark.parametrize("transform", [lambda p: np.log(p / (1 - p)), lambda p: p**3 * 1e6])
def test_only_the_order_of_scores_matters(method, transform):
    curve = br.Curve.from_scores(LABELS, transform(SCORES))
    moved = br.prior.estimate_prevalence(curve, transform(NOW), method=method)
    found = br.prior.estimate_prevalence(CURVE, NOW, method=method)
    assert dataclasses.replace(moved, threshold=found.threshold) == found


@pytest.mark.parametrize("method", METHODS)
def test_more_rows_of_the_same_are_a_narrower_interval(method):
    once, twice = (br.prior.estimate_prevalence(CURVE, now, method=method) for now in (NOW[::4], np.tile(NOW[::4], 4)))
    assert twice.width < once.width
    assert twice.value == pytest.approx(once.value, abs=0.005)
    assert twice.low > once.low
    assert twice.high < once.high


def test_labelled_rows_are_uncertain_too():
    """Endless unlabelled rows do not make an interval of width 0, and more labelled ones narrow it."""
    endless = br.Curve.from_counts(NOW, np.zeros(len(NOW), int), np.full(len(NOW), 10_000))
    found = br.prior.estimate_prevalence(CURVE, endless)
    more = br.Curve.from_scores(np.repeat([1, 0], [2000, 20_000]), rows(5, 2000, 20_000))
    assert found.width > 0.01
    assert br.prior.estimate_prevalence(more, endless).width < 0.6 * found.width


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_is_a_wider_interval(method):
    low, middle, high = (
        br.prior.estimate_prevalence(CURVE, NOW, method=method, confidence_level=level) for level in (0.5, 0.95, 0.999)
    )
    assert low.width < middle.width < high.width
    assert low.value == middle.value == high.value
    assert low.fit_p_value == high.fit_p_value


def test_classes_may_change_places():
    """Scores turned around and positives called negatives: one minus the prevalence."""
    turned = br.Curve.from_scores(1 - LABELS, 1 - SCORES)
    found, mirrored = br.prior.estimate_prevalence(CURVE, NOW), br.prior.estimate_prevalence(turned, 1 - NOW)
    assert mirrored.value == pytest.approx(1 - found.value, abs=0.005)
    assert mirrored.low == pytest.approx(1 - found.high, abs=0.005)


def test_where_the_curve_is_read_does_not_matter():
    for method in METHODS:
        read = br.prior.estimate_prevalence(CURVE.at_prevalence(0.4), NOW, method=method)
        assert read == br.prior.estimate_prevalence(CURVE, NOW, method=method)


# --- how unlabelled rows may come -------------------------------------------------------------------


def test_unlabelled_rows_come_in_many_ways():
    found = br.prior.estimate_prevalence(CURVE, NOW)
    labels = np.arange(len(NOW)) % 2  # not looked at
    accumulator = br.Accumulator()
    accumulator.update(np.zeros(len(NOW)), NOW)
    ways = [
        NOW.tolist(),
        pd.Series(NOW),
        pl.Series(NOW),
        br.Curve.from_scores(labels, NOW),
        br.curve(pl.DataFrame({"p": NOW}), label=None, score="p"),
        accumulator.curve(),
    ]
    for way in ways:
        assert br.prior.estimate_prevalence(CURVE, way) == found


def bucketed(curve, width):
    """Neighbouring scores put together."""
    group = np.arange(len(curve)) // width
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    pos, neg = (np.add.reduceat(column, starts) for column in (curve.pos, curve.neg))
    ends = np.append(starts[1:], len(curve)) - 1
    return br.Curve.from_counts(curve.score[ends], pos, neg, top=curve.score[starts])


@pytest.mark.parametrize("width", [2, 7, 40])
def test_buckets_are_never_split(width):
    exact = br.prior.estimate_prevalence(CURVE, NOW)
    now = br.Curve.from_scores(np.zeros(len(NOW)), NOW)
    for curve, unlabelled in [(bucketed(CURVE, width), now), (CURVE, bucketed(now, width))]:
        found = br.prior.estimate_prevalence(curve, unlabelled)
        assert found.value == pytest.approx(exact.value, abs=0.004)
        assert found.width == pytest.approx(exact.width, rel=0.25)
        assert found.fits
        # With a threshold where both are exact, nothing is lost at all.
        at = float(unlabelled.score[len(unlabelled) // 10])
        split = ((curve.score < at) & (at <= curve.top)).any()
        if not split:
            pair = [br.prior.estimate_prevalence(c, u, method="adjusted_count", threshold=at) for c, u in
                    [(curve, unlabelled), (CURVE, now)]]  # fmt: skip
            assert pair[0].value == pytest.approx(pair[1].value, rel=1e-9)


def test_coarse_buckets_leave_fewer_bins():
    now = br.Curve.from_scores(np.zeros(len(NOW)), NOW)
    found = br.prior.estimate_prevalence(CURVE, bucketed(now, 4000))
    assert found.n_bins < br.prior.estimate_prevalence(CURVE, NOW).n_bins
    assert found.low < 0.03 < found.high


def test_a_threshold_within_a_bucket_is_refused():
    now = br.Curve.from_counts([0.1, 0.5], [0, 0], [10, 10], top=[0.3, 0.9])
    for curve, unlabelled in ((CURVE, now), (br.Curve.from_counts([0.1, 0.5], [1, 9], [9, 1], top=[0.3, 0.9]), NOW)):
        with pytest.raises(
            br.errors.InputError, match=r"within a bucket, got 0.2 within the bucket from 0.1 to 0.3; use 0.1\."
        ):
            br.prior.estimate_prevalence(curve, unlabelled, method="adjusted_count", threshold=0.2)
    assert br.prior.estimate_prevalence(CURVE, now, method="adjusted_count", threshold=0.4).value > 0


def test_ties_are_never_split():
    rounded = br.Curve.from_scores(LABELS, np.round(SCORES, 1))
    found = br.prior.estimate_prevalence(rounded, np.round(NOW, 1))
    assert found.low < 0.03 < found.high
    assert found.n_bins <= 11


# --- weights ----------------------------------------------------------------------------------------


def test_equal_weights_are_rows():
    weighted = br.Curve.from_scores(LABELS, SCORES, weight=np.where(LABELS == 1, 3.0, 0.5))
    now = br.Curve.from_scores(np.zeros(len(NOW)), NOW, weight=np.full(len(NOW), 7.0))
    for curve, unlabelled in [(weighted, NOW), (CURVE, now), (weighted, now)]:
        found = br.prior.estimate_prevalence(curve, unlabelled)
        exact = br.prior.estimate_prevalence(CURVE, NOW)
        assert (found.value, found.low, found.high) == pytest.approx((exact.value, exact.low, exact.high), rel=1e-9)
        assert (found.n_unlabelled, found.n_pos, found.n_neg) == pytest.approx((10_000, 200, 2000))
        assert "weighted" in found.caution
        assert "weighted" in str(found)


def test_unequal_weights_are_worth_fewer_rows():
    weight = np.random.default_rng(4).lognormal(0, 1, len(NOW))
    now = br.Curve.from_scores(np.zeros(len(NOW)), NOW, weight=weight)
    found = br.prior.estimate_prevalence(CURVE, now, method="em")
    assert found.n_unlabelled == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert found.width > 1.2 * br.prior.estimate_prevalence(CURVE, NOW, method="em").width


# --- the check --------------------------------------------------------------------------------------


def test_the_check_sees_negatives_that_moved():
    rng = np.random.default_rng(3)
    moved = probability(np.concatenate([rng.normal(2, 1, 300), rng.normal(-0.5, 1, 9700)]))
    for method in METHODS:
        found = br.prior.estimate_prevalence(CURVE, moved, method=method)
        assert found.fits is False
        assert found.fit_p_value < 1e-6
        assert "more than the prevalence has changed" in str(found)


def test_the_check_is_the_same_whatever_the_method():
    checks = {
        (found.fit_statistic, found.fit_df, found.fit_p_value, found.n_bins)
        for found in (br.prior.estimate_prevalence(CURVE, NOW, method=method) for method in METHODS)
    }
    assert len(checks) == 1


def test_degrees_of_freedom():
    """Three bins, three samples of two free shares each, five unknowns: one is left, or two at an end."""
    curve = br.Curve.from_counts([1, 2, 3], pos=[10, 30, 60], neg=[800, 150, 50])
    inside = br.prior.estimate_prevalence(curve, br.Curve.from_counts([1, 2, 3], [0, 0, 0], [690, 190, 120]))
    at_end = br.prior.estimate_prevalence(curve, br.Curve.from_counts([1, 2, 3], [0, 0, 0], [900, 70, 30]))
    assert (inside.n_bins, inside.fit_df) == (3, 1)
    assert (at_end.value, at_end.fit_df) == (0, 2)
    # A hundred positives of which two shares are estimated, against chi².
    pooled = np.array([1700, 220, 80]) / 2000
    seen = np.array([[800, 150, 50], [900, 70, 30]])
    deviance = 2 * (seen * np.log(seen / (seen.sum(axis=1, keepdims=True) * pooled))).sum()
    assert at_end.fit_statistic == pytest.approx(0.98 * deviance, rel=1e-6)
    assert at_end.fit_p_value == pytest.approx(np.exp(-at_end.fit_statistic / 2), rel=1e-9)


def test_few_unlabelled_rows_are_put_into_few_bins():
    assert br.prior.estimate_prevalence(CURVE, NOW[:35]).n_bins == 3
    few = br.prior.estimate_prevalence(CURVE, NOW[:25])
    assert (few.n_bins, few.fits, few.fit_reason) == (2, None, br.Reason.TOO_FEW_BINS)
    assert "not checked" in few.verdict
    assert few.reason is None


# --- cautions ---------------------------------------------------------------------------------------


def test_em_says_when_the_labelled_rows_contradict_the_scores():
    for spoiled in (SCORES**2, np.sqrt(SCORES)):
        found = br.prior.estimate_prevalence(br.Curve.from_scores(LABELS, spoiled), NOW, method="em")
        assert "the labelled rows contradict it" in found.caution
    other = br.prior.estimate_prevalence(CURVE, NOW, method="em", scores_prevalence=0.3)
    assert "calibrated at prevalence 1 in 3.33" in other.caution
    # Right at another prevalence than that of the labelled rows is right.
    fewer = np.concatenate([np.arange(200), 200 + np.arange(200)])
    balanced = br.Curve.from_scores(LABELS[fewer], SCORES[fewer])
    assert br.prior.estimate_prevalence(balanced, NOW, method="em", scores_prevalence=OWN).caution is None
    assert br.prior.estimate_prevalence(balanced, NOW, method="em").caution is not None


def test_em_gives_buckets_of_labelled_rows_the_benefit_of_the_doubt():
    assert br.prior.estimate_prevalence(bucketed(CURVE, 20), NOW, method="em").caution is None


def test_a_threshold_with_few_labelled_rows_beyond_it_has_a_caution():
    found = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=0.97)
    assert re.search("only [0-4] labelled negatives lie at or above the threshold", found.caution)
    low = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=0.0005)
    assert re.search("only [0-4] labelled positives lie below the threshold", low.caution)


def test_a_perfect_model_still_has_an_answer():
    curve = br.Curve.from_scores([1] * 30 + [0] * 300, [0.9] * 15 + [0.8] * 15 + [0.1] * 150 + [0.2] * 150)
    found = br.prior.estimate_prevalence(curve, [0.9] * 20 + [0.2] * 80)
    assert found.value == pytest.approx(0.2)
    assert found.low < 0.15
    assert found.high > 0.25
    assert "too few to estimate a rate" in found.caution


# --- what does not exist ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("curve", "now", "reason"),
    [
        (br.Curve.from_scores([1, 1], [0.4, 0.6]), [0.5], br.Reason.NO_NEGATIVES),
        (br.Curve.from_scores([0, 0], [0.4, 0.6]), [0.5], br.Reason.NO_POSITIVES),
        (br.Curve.from_scores([], []), [0.5], br.Reason.NO_ROWS),
        (CURVE, [], br.Reason.NO_ROWS),
        (CURVE, br.Curve.from_scores([], []), br.Reason.NO_ROWS),
        (br.Curve.from_scores([0, 1, 0, 1], [0.5] * 4), [0.5] * 30, br.Reason.NOT_TOLD_APART),
    ],
)
def test_undefined_with_a_reason(method, curve, now, reason):
    found = br.prior.estimate_prevalence(curve, now, method=method)
    assert found.reason is reason
    assert np.isnan([found.value, found.low, found.high, found.fit_p_value]).all()
    assert found.fits is None
    assert reason.sentence in str(found)


def test_thresholds_that_tell_nothing():
    for threshold, reason in ((2.0, br.Reason.NO_ALERTS), (-1.0, br.Reason.NO_REJECTIONS)):
        found = br.prior.estimate_prevalence(CURVE, NOW, method="adjusted_count", threshold=threshold)
        assert (found.reason, found.threshold) == (reason, threshold)
        assert np.isnan(found.value)
    same = br.Curve.from_counts([1, 2], pos=[10, 30], neg=[100, 300])
    found = br.prior.estimate_prevalence(same, [1, 2, 2], method="adjusted_count")
    assert found.reason is br.Reason.NOT_TOLD_APART


@pytest.mark.parametrize("method", METHODS)
def test_one_row_says_little(method):
    found = br.prior.estimate_prevalence(CURVE, [0.01], method=method)
    assert found.low == 0
    assert found.high > 0.6
    assert found.fits is None


def test_one_labelled_row_of_a_class_says_next_to_nothing():
    curve = br.Curve.from_scores([1] + [0] * 50, [0.9, *np.linspace(0, 0.8, 50)])
    found = br.prior.estimate_prevalence(curve, [0.9] * 5 + [0.1] * 45)
    assert (found.low, found.high) == (0, 1)


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((LABELS, SCORES), {}, "curve must be a Curve, got a ndarray; build one with br.Curve.from_scores"),
        ((CURVE, [0.1, np.nan]), {}, "unlabelled must have no missing values, got 1 missing"),
        ((CURVE, ["a"]), {}, "unlabelled must be real numbers, got text"),
        ((CURVE, 0.5), {}, "unlabelled must be a column of values, got a float"),
        ((CURVE, np.zeros((2, 2))), {}, "unlabelled must be one-dimensional"),
        ((CURVE, NOW), {"method": "mixtures"}, "method must be one of 'mixture', .*did you mean 'mixture'"),
        ((CURVE, NOW), {"confidence_level": 95}, "confidence_level must be at least 0.5 and below 1, got 95"),
        ((CURVE, NOW), {"threshold": 0.5}, "threshold needs method=\"adjusted_count\", got method='mixture'"),
        ((CURVE, NOW), {"scores_prevalence": 0.5}, 'scores_prevalence needs method="em", got method=\'mix'),
        ((CURVE, NOW), {"method": "adjusted_count", "threshold": "0.5"}, "threshold must be a number, got '0.5'"),
        ((CURVE, NOW), {"method": "em", "scores_prevalence": 0}, "scores_prevalence must be strictly between 0 and 1"),
        ((CURVE, NOW * 2), {"method": "em"}, 'method "em" reads scores as probabilities between 0 and 1'),
        ((br.Curve.from_scores([0, 1], [-3, 2]), NOW), {"method": "em"}, 'method "em" reads scores as probabilities'),
    ],
)
def test_bad_input(arguments, options, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.prior.estimate_prevalence(*arguments, **options)


@pytest.mark.parametrize("width", [2, 20, 200])
def test_em_holds_buckets_to_what_their_scores_may_be(width):
    now = br.Curve.from_scores(np.zeros(len(NOW)), NOW)
    coarse = bucketed(now, width)
    exact, found = (br.prior.estimate_prevalence(CURVE, given, method="em") for given in (now, coarse))
    assert found.low <= exact.low
    assert found.high >= exact.high
    assert found.value == pytest.approx(exact.value, abs=0.01)
    rng = np.random.default_rng(0)
    for _ in range(5):  # whatever the scores within the buckets were
        scores = np.repeat(coarse.score + rng.uniform(size=len(coarse)) * (coarse.top - coarse.score), coarse.neg)
        maybe = br.prior.estimate_prevalence(CURVE, scores, method="em")
        assert found.low <= maybe.low
        assert maybe.high <= found.high


def test_a_curve_of_rates_is_refused():
    rates = br.Curve.from_rates([0.5], [0.1])
    for arguments in ((rates, NOW), (CURVE, rates)):
        with pytest.raises(br.errors.MissingInformationError, match="made from rates"):
            br.prior.estimate_prevalence(*arguments)


# --- what comes out ---------------------------------------------------------------------------------


def test_estimates_are_values_and_make_tables():
    many = [br.prior.estimate_prevalence(CURVE, NOW, method=method) for method in METHODS]
    table = pd.DataFrame(many)
    assert table["method"].tolist() == list(METHODS)
    assert {"value", "low", "high", "fit_p_value", "caution"} <= set(table.columns)
    assert not hasattr(many[0], "__iter__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        many[0].value = 1
    assert str(many[1]).startswith("prevalence 1 in ")
    assert "(95 %, em from 1 in 11, 10,000 unlabelled, 200 pos, 2,000 neg)" in str(many[1])


@pytest.mark.slow
def test_both_ends_serve_as_an_uncertain_prevalence():
    point = CURVE.at_threshold(0.5)
    for now in (NOW, SCORES[LABELS == 0], SCORES[LABELS == 1]):
        found = br.prior.estimate_prevalence(CURVE, now)
        assert 0 < found.span[0] < found.span[1] < 1
        br.estimate(br.precision, point, prevalence=found.span)
