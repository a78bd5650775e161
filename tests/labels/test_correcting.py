"""Rates corrected for wrong labels: published and closed forms, laws, coverage, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.labels import LabelErrors, corrected

NAMES = ("prevalence", "recall", "fpr", "precision")
POINT = br.Point.from_counts(tp=300, fp=100, fn=200, tn=9_400)
JUDGE = LabelErrors.from_double_labelled(tp=90, fn=10, fp=4, tn=996)


def clopper_pearson(k, n):
    """Both ends, by the definition with Beta quantiles."""
    low, high = stats.beta.ppf([0.025, 0.975], [k, k + 1], [n - k + 1, n - k])
    return np.nan_to_num(low), 1.0 if k == n else high


def test_a_published_prevalence():
    """Reiczigel, Foldi and Ozsvari (2010), by Clopper and Pearson: 6 of 151 is 0, with an upper end of 1.3 %."""
    point = br.Point.from_counts(tp=6, fp=145, fn=0, tn=0)
    found = corrected(point, LabelErrors(0.964, 0.927), n_resamples=200_000, rng=0).prevalence
    assert (found.value, found.low, found.cut) == (0.0, 0.0, True)
    assert found.high == pytest.approx(0.013, abs=5e-4)


@pytest.mark.parametrize("errors", [LabelErrors(1, 1), LabelErrors(0.8, 0.995), LabelErrors(0.95, 0.999)])
def test_known_errors_transform_clopper_and_pearsons_interval(errors):
    found = corrected(POINT, errors, n_resamples=100_000, rng=0)
    for rate, k, n in ((found.prevalence, 500, 10_000), (found.precision, 300, 400)):
        ends = [
            (end + errors.specificity - 1) / (errors.sensitivity + errors.specificity - 1)
            for end in clopper_pearson(k, n)
        ]
        assert (rate.low, rate.high) == pytest.approx(np.clip(ends, 0, 1), abs=0.01 * (ends[1] - ends[0]))


def test_labels_without_errors_are_corrected_by_nothing():
    found = corrected(POINT, LabelErrors(1, 1), n_resamples=100_000, rng=0)
    point = POINT.at_prevalence(0.001)
    assert [one.value for one in found.rates] == [one.labelled for one in found.rates]
    assert (found.recall.value, found.fpr.value) == (0.6, 100 / 9500)
    for one, k, n in ((found.recall, 300, 500), (found.fpr, 100, 9500)):
        assert (one.low, one.high) == pytest.approx(clopper_pearson(k, n), abs=0.002 * (one.high + one.low))
    other = br.estimate(br.precision, point, rng=0, n_resamples=100_000)
    precision = corrected(point, LabelErrors(1, 1), n_resamples=100_000, rng=0).precision
    assert precision.value == pytest.approx(other.value, rel=1e-12)
    assert (precision.low, precision.high) == pytest.approx(
        (other.low, other.high), abs=0.05 * (other.high - other.low)
    )


def test_classes_can_change_places():
    """Recall and the false positive rate become specificity and miss rate; so do the errors."""
    found = corrected(POINT, JUDGE, rng=0)
    turned = br.Point.from_counts(tp=9_400, fp=200, fn=100, tn=300)
    other = corrected(turned, LabelErrors(JUDGE.specificity, JUDGE.sensitivity, JUDGE.n_neg, JUDGE.n_pos), rng=0)
    assert other.recall.value == pytest.approx(1 - found.fpr.value, rel=1e-12)
    assert other.recall.low == pytest.approx(1 - found.fpr.high, rel=1e-3)
    assert other.prevalence.high == pytest.approx(1 - found.prevalence.low, rel=1e-3)


def test_uncertain_errors_widen_intervals_and_the_more_the_fewer_rows_they_come_from():
    widths = []
    for n in (math.inf, 5_000, 200):
        found = corrected(POINT, LabelErrors(0.9, 0.995, n, n), rng=0)
        widths.append([one.high - one.low for one in found.rates])
    assert (np.diff(widths, axis=0) > 0).all()


def test_bounds_contain_the_value_and_are_within_the_interval():
    value = corrected(POINT, JUDGE, rng=0)
    bounds = corrected(POINT, JUDGE, may_follow_score=True, rng=0)
    for one, other in zip(value.rates[1:], bounds.rates[1:], strict=True):
        assert math.isnan(other.value)
        assert other.reason is br.Reason.ERRORS_MAY_FOLLOW_SCORE
        assert other.low < other.least < one.value < other.most < other.high
    assert bounds.prevalence.value == pytest.approx(value.prevalence.value, rel=1e-12)


# --- curves ---------------------------------------------------------------------------------------

CURVE = br.Curve.from_counts([0.9, 0.6, 0.3, 0.1], pos=[200, 100, 100, 100], neg=[20, 80, 400, 9_000])


def test_ranges_of_scores_with_the_same_errors_are_one():
    point, known = CURVE.at_threshold(0.6), LabelErrors(0.9, 0.999)
    whole, parts = corrected(point, known, rng=0), corrected(point, {0.3: known, -math.inf: known}, rng=0)
    assert [one.value for one in parts.rates] == pytest.approx([one.value for one in whole.rates], rel=1e-12)


def test_errors_by_score_correct_each_range_by_its_own():
    point = CURVE.at_threshold(0.6)
    above, below = LabelErrors(0.95, 0.9), LabelErrors(0.7, 0.999)
    found = corrected(point, {0.6: above, -math.inf: below}, rng=0)
    tp = (300 - 0.1 * 400) / 0.85
    fn = (200 - 0.001 * 9600) / 0.699
    assert found.recall.value == pytest.approx(tp / (tp + fn), rel=1e-12)
    assert found.precision.value == pytest.approx(tp / 400, rel=1e-12)
    assert found.prevalence.value == pytest.approx((tp + fn) / 10_000, rel=1e-12)


def _sampled(share):
    rng = np.random.default_rng(3)
    label = np.repeat([1.0, 1, 0, 0], [300, 200, 100, 9_400])
    score = np.repeat([0.9, 0.2, 0.9, 0.2], [300, 200, 100, 9_400])
    known = (score > 0.5) | (rng.random(len(score)) < share)
    return br.Curve.from_sampled(np.where(known, label, np.nan), score, stratum=np.where(score > 0.5, "high", "low"))


def test_sampled_labels_stand_for_their_stratum():
    curve = _sampled(0.2)
    point, rest = curve.at_threshold(0.9), curve.strata[1]
    found = corrected(point, JUDGE, rng=0)
    share = (rest.n_pos / rest.n_labelled + JUDGE.specificity - 1) / (JUDGE.sensitivity + JUDGE.specificity - 1)
    tp = (300 - (1 - JUDGE.specificity) * 400) / (JUDGE.sensitivity + JUDGE.specificity - 1)
    assert found.recall.value == pytest.approx(tp / (tp + share * 9_600), rel=1e-12)
    assert found.n_labelled == 400 + rest.n_labelled
    whole = corrected(_sampled(1.1).at_threshold(0.9), JUDGE, rng=0)
    assert found.recall.high - found.recall.low > whole.recall.high - whole.recall.low
    assert found.precision.value == pytest.approx(whole.precision.value, rel=1e-12)


def test_labels_for_alerts_only_leave_precision():
    found = corrected(_sampled(-1).at_threshold(0.9), JUDGE, rng=0)
    assert [one.reason for one in found.rates] == [br.Reason.NOT_LABELLED] * 3 + [None]
    elsewhere = corrected(_sampled(-1).at_threshold(0.9).at_prevalence(0.01), JUDGE, rng=0)
    assert elsewhere.precision.reason is br.Reason.NOT_LABELLED


# --- how often intervals hold ---------------------------------------------------------------------


@pytest.mark.parametrize(("prevalence", "checked"), [(0.3, 50), (0.03, 400)])
def test_intervals_hold(prevalence, checked):
    """The true rates are within in at least 93 %, less two standard errors of 150 test sets."""
    rng, n, errors = np.random.default_rng(5), 4_000, (0.85, 0.99)
    true = np.array([prevalence * 0.6, prevalence * 0.4, (1 - prevalence) * 0.01, (1 - prevalence) * 0.99])
    wanted = (prevalence, 0.6, 0.01, true[0] / (true[0] + true[2]))
    held = []
    for seed in range(150):
        cells = rng.multinomial(n, true)
        right = rng.binomial(cells, [errors[0], errors[0], errors[1], errors[1]])
        tp, fn, fp, tn = right + (cells - right)[[2, 3, 0, 1]]
        se, sp = rng.binomial(checked, errors)
        judge = LabelErrors.from_double_labelled(tp=int(se), fn=checked - int(se), fp=checked - int(sp), tn=int(sp))
        point = br.Point.from_counts(tp=int(tp), fp=int(fp), fn=int(fn), tn=int(tn))
        found = corrected(point, judge, n_resamples=1000, rng=seed)
        held.append([one.low <= value <= one.high for one, value in zip(found.rates, wanted, strict=True)])
    assert np.mean(held, axis=0).min() >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 150)


def test_uncorrected_rates_would_not_hold():
    """The test above can fail: with these errors, the labelled prevalence is far from the true one."""
    found = corrected(POINT, LabelErrors(0.85, 0.96), rng=0)
    assert not found.prevalence.low <= found.prevalence.labelled <= found.prevalence.high


# --- what is impossible, and refused --------------------------------------------------------------


def test_errors_that_the_labels_contradict_leave_nothing():
    found = corrected(POINT, LabelErrors(0.9, 0.9), rng=0)  # 10 % of the negatives would be labelled positive, 5 % are
    assert {one.reason for one in found.rates} == {br.Reason.LABELS_CONTRADICTED}
    assert all(math.isnan(one.value) and math.isnan(one.low) for one in found.rates)
    assert "such error rates" in str(found)


def test_a_negative_count_that_chance_explains_is_zero_with_a_sentence():
    point = br.Point.from_counts(tp=5, fp=45, fn=4, tn=946)
    found = corrected(point, LabelErrors(0.9, 0.99), rng=0)
    assert (found.recall.value, found.recall.cut, found.recall.reason) == (1.0, True, None)
    assert "set to 0" in str(found.recall)


def test_no_rows_that_are_left_is_undefined_with_an_interval():
    found = corrected(br.Point.from_counts(tp=0, fp=50, fn=4, tn=946), LabelErrors(0.9, 0.99), rng=0)
    assert found.recall.reason is br.Reason.NOTHING_LEFT
    assert (found.recall.low, found.recall.high) == (0.0, 1.0)
    assert found.prevalence.value == 0.0


def test_without_alerts_precision_is_undefined_and_without_rows_everything():
    found = corrected(br.Point.from_counts(tp=0, fp=0, fn=40, tn=900), LabelErrors(0.9, 0.99), rng=0)
    assert found.precision.reason is br.Reason.NO_ALERTS
    assert found.recall.value == 0.0
    nothing = corrected(br.Point.from_counts(tp=0, fp=0, fn=0, tn=0), LabelErrors(0.9, 0.99), rng=0)
    assert {one.reason for one in nothing.rates} == {br.Reason.NO_ROWS}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LabelErrors(0.5, 0.5), "better than chance"),
        (lambda: LabelErrors(1.2, 0.5), "sensitivity must be between 0 and 1"),
        (lambda: LabelErrors(0.9, 0.9, n_pos=0), "n_pos must be above 0"),
        (lambda: LabelErrors.from_double_labelled(tp=0, fn=0, fp=1, tn=9), "tp \\+ fn must be above 0"),
        (lambda: LabelErrors.from_double_labelled(tp=1, fn=9, fp=9, tn=1), "better than chance"),
        (lambda: LabelErrors.from_double_labelled(tp=1, fn=9, fp=0.5, tn=1), "fp must be .* 0.5; pass a whole number"),
        (lambda: LabelErrors.from_double_labelled(tp=1, fn=9, fp=1, tn=-5), "tn must be .* -5; pass a whole number"),
        (
            lambda: LabelErrors.from_double_labelled(tp=math.inf, fn=9, fp=1, tn=5),
            "tp must be a number of rows, got inf",
        ),
        (
            lambda: corrected(POINT, {"high": JUDGE, -math.inf: JUDGE}),
            "the lowest score of a range, a number, got 'high'",
        ),
        (lambda: corrected(POINT, {0.5: JUDGE, -math.inf: JUDGE}), "errors by score need scores"),
        (lambda: corrected(CURVE.at_threshold(0.6), {0.5: JUDGE}), "down to -inf"),
        (lambda: corrected(CURVE.at_threshold(0.6), {}), "down to -inf"),
        (lambda: corrected(CURVE.at_threshold(0.6), {-math.inf: 0.9}), "errors must be LabelErrors"),
        (lambda: corrected(br.Point.from_rates(0.6, 0.01), JUDGE), "needs counts"),
        (lambda: corrected(CURVE.best(br.f1), JUDGE), "searched for"),
        (lambda: corrected(CURVE, JUDGE), "point must be a Point"),
        (lambda: corrected(POINT, 0.9), "errors must be"),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(br.BaserateError, match=said):
        make()


def test_weighted_rows_are_refused():
    curve = br.Curve.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], weight=[1, 2, 3, 1])
    with pytest.raises(br.BaserateError, match="weighted"):
        corrected(curve.at_threshold(0.8), JUDGE)


def test_a_change_of_errors_within_a_bucket_is_refused():
    curve = br.Curve.from_counts([0.1, 0.5], pos=[3, 9], neg=[90, 10], top=[0.4, 0.9])
    errors = {0.3: JUDGE, -math.inf: JUDGE}
    with pytest.raises(br.BaserateError, match="within a bucket"):
        corrected(curve.at_threshold(0.5), errors)
    assert corrected(curve.at_threshold(0.5), {0.5: JUDGE, -math.inf: JUDGE}, rng=0).n_labelled == 112
