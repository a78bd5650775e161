"""The calibration line: golden numbers, the law of the prior, what is undefined, and how often intervals hold."""

import math
import time

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

import baserate as br
from baserate.errors import Reason
from baserate.formulas import logistic

SCORE = np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
POS = np.array([2, 3, 9, 8, 12, 15, 14, 25, 19])
NEG = np.array([40, 30, 35, 20, 14, 12, 9, 6, 3])
CURVE = br.Curve.from_counts(SCORE, POS, NEG)
Z = 1.959963984540054


def three(found):
    return found.in_the_large, found.intercept, found.slope


def values(found):
    return [estimate.value for estimate in three(found)]


def test_statsmodels_gives_the_same_line_and_intervals():
    """GLM(Binomial) of statsmodels 0.15.0: estimates and standard errors."""
    found = br.calibration.cox_calibration(CURVE)
    assert values(found) == pytest.approx([-0.264044530435438, -0.29627052434255197, 0.7774337824649257], abs=1e-12)
    for estimate, error in ((found.intercept, 0.15190375783721413), (found.slope, 0.09592806858129467)):
        assert estimate.method == "wald"
        assert (estimate.low, estimate.high) == pytest.approx(
            (estimate.value - Z * error, estimate.value + Z * error), rel=1e-9
        )
    # The slope is below 1, so the scatter of rows (statsmodels' HC0, rows written out) is the larger error.
    assert found.in_the_large.method == "robust_wald"
    assert found.in_the_large.width == pytest.approx(2 * Z * 0.17955753031886598, rel=1e-9)


def test_in_the_large_keeps_the_error_of_the_likelihood_where_that_is_larger():
    timid = br.Curve.from_counts([0.3, 0.7], pos=[5, 95], neg=[95, 5])
    found = br.calibration.cox_calibration(timid).in_the_large
    assert found.width == pytest.approx(2 * Z / math.sqrt(200 * 0.21), rel=1e-9)


def test_what_it_says_of_itself():
    found = br.calibration.cox_calibration(CURVE, confidence_level=0.9)
    assert [estimate.metric for estimate in three(found)] == [
        "calibration_in_the_large",
        "calibration_intercept",
        "calibration_slope",
    ]
    assert found.slope.confidence_level == 0.9
    assert found.slope.width < br.calibration.cox_calibration(CURVE).slope.width
    assert (found.slope.n_pos, found.slope.n_neg) == (POS.sum(), NEG.sum())
    assert found.slope.prevalence == CURVE.prevalence
    assert str(found).count("\n") == 2
    assert [row["value"] for row in found.rows()] == values(found)


def moved(curve, shift):
    return br.Curve.from_counts(expit(logit(curve.score) + shift), curve.pos, curve.neg)


@pytest.mark.parametrize("shift", [-3.0, 0.25, 2.0])
@pytest.mark.parametrize("prevalence", [None, 0.001, 0.5])
def test_shifted_scores_move_it_by_the_shift_exactly(shift, prevalence):
    """in_the_large falls by the shift; the slope stays, and the line is the same line."""

    def read(curve):
        return br.calibration.cox_calibration(curve if prevalence is None else curve.at_prevalence(prevalence))

    before, after = read(CURVE), read(moved(CURVE, shift))
    assert after.in_the_large.value == pytest.approx(before.in_the_large.value - shift, abs=1e-10)
    assert after.in_the_large.width == pytest.approx(before.in_the_large.width, rel=1e-9)
    assert after.slope.value == pytest.approx(before.slope.value, abs=1e-10)
    assert after.slope.width == pytest.approx(before.slope.width, rel=1e-8)
    assert after.intercept.value == pytest.approx(before.intercept.value - shift * before.slope.value, abs=1e-10)


@pytest.mark.parametrize("prevalence", [1e-9, 0.001, 0.2, 0.9, 1 - 1e-9])
def test_calibrated_scores_read_elsewhere_are_off_by_the_log_odds_of_the_prevalences(prevalence):
    """A population: at each score as many positives, per row, as the score says."""
    score = np.array([0.01, 0.04, 0.1, 0.3, 0.5, 0.8, 0.95])
    rows = np.array([4000, 2500, 1000, 500, 200, 100, 40])
    population = br.Curve.from_counts(
        score, rows * score, rows * (1 - score), pos_squares=rows * score, neg_squares=rows * (1 - score)
    )
    assert values(br.calibration.cox_calibration(population)) == pytest.approx([0, 0, 1], abs=1e-11)
    read = population.at_prevalence(prevalence)
    shift = logit(prevalence) - logit(population.own_prevalence)
    assert values(br.calibration.cox_calibration(read)) == pytest.approx([shift, shift, 1], abs=1e-7)


def test_adjusted_scores_are_right_again():
    rng = np.random.default_rng(0)
    score = expit(rng.normal(-2, 1.5, 50_000))
    y = rng.random(len(score)) < score
    there = br.Curve.from_scores(y, br.adjust(score, y.mean(), 0.01)).at_prevalence(0.01)
    for estimate, right in zip(three(br.calibration.cox_calibration(there)), (0, 0, 1), strict=True):
        assert estimate.low < right < estimate.high
    off = br.calibration.cox_calibration(br.Curve.from_scores(y, score).at_prevalence(0.01))
    assert off.in_the_large.value == pytest.approx(logit(0.01) - logit(y.mean()), abs=0.04)
    assert off.slope.low < 1 < off.slope.high


def test_a_prevalence_given_is_weights_on_negatives():
    """The value; weights of rows say the same, and the interval of given class sizes is another one."""
    weight = (0.9 / 0.1) * POS.sum() / NEG.sum()
    weighted = br.Curve.from_counts(SCORE, POS, weight * NEG, pos_squares=POS, neg_squares=weight**2 * NEG)
    read, own = br.calibration.cox_calibration(CURVE.at_prevalence(0.1)), br.calibration.cox_calibration(weighted)
    assert values(read) == pytest.approx(values(own), abs=1e-10)
    assert {estimate.method for estimate in (*three(read), *three(own))} == {"sandwich"}
    assert (own.slope.n_pos, own.slope.n_neg) == pytest.approx((POS.sum(), NEG.sum()))
    assert read.in_the_large.width < own.in_the_large.width
    again = br.calibration.cox_calibration(weighted.at_prevalence(0.1))
    assert [estimate.width for estimate in three(again)] == pytest.approx([e.width for e in three(read)], rel=1e-9)


@pytest.mark.slow
def test_the_interval_at_a_given_prevalence_is_the_spread_of_resampled_classes():
    rng = np.random.default_rng(3)
    many = br.Curve.from_counts(SCORE, POS * 20, NEG * 20)
    found = br.calibration.cox_calibration(many.at_prevalence(0.05))
    drawn = []
    for _ in range(400):
        pos, neg = (rng.multinomial(n.sum(), n / n.sum()) for n in (many.pos, many.neg))
        again = br.Curve.from_counts(many.score, pos, neg).at_prevalence(0.05)
        drawn.append(values(br.calibration.cox_calibration(again)))
    for estimate, spread in zip(three(found), np.std(drawn, axis=0), strict=True):
        assert estimate.width / (2 * Z) == pytest.approx(spread, rel=0.12)


def test_rows_that_were_not_seen_are_expected():
    """No negative is at the top score; read at 0.001 a few there would decide, and the width allows for them."""
    score = np.array([0.05, 0.2, 0.5, 0.8, 0.95])
    pos, neg = np.array([0, 2, 10, 40, 60]), np.array([60, 40, 10, 2, 0])
    found = br.calibration.cox_calibration(br.Curve.from_counts(score, pos, neg).at_prevalence(0.001)).slope
    x = logit(score)
    rows = logistic.LogisticRows(x, pos * 1.0, neg * 999 * pos.sum() / neg.sum())
    best = logistic.maximum(rows, logistic.start(rows, 0.0), "both")
    own = logistic.maximum(rows._replace(neg=neg * 1.0), logistic.LogOddsLine(0.0, 0.0), "both").line
    at = 1 / (1 + np.exp(-best.line.at(x)))
    pull_of_pos, pull_of_neg = (1 - at) * (x - best.mean), -999 * at * (x - best.mean)
    total = pos + neg
    variances = []
    for pull, seen, share in ((pull_of_pos, pos, expit(own.at(x))), (pull_of_neg, neg, expit(-own.at(x)))):
        n = seen.sum()
        both_ways = [n / (n - 1) * np.cov(pull, aweights=w, ddof=0) * n for w in (seen, total * share)]
        variances.append(max(both_ways) / best.information.slope**2)
    df = sum(variances) ** 2 / sum(v**2 / (pos.sum() - 1) for v in variances)
    assert found.width == pytest.approx(2 * student.ppf(0.975, df) * math.sqrt(sum(variances)), rel=1e-9)
    only_seen = 999**2 * neg.sum() * np.cov(pull_of_neg / 999, aweights=neg, ddof=0) / best.information.slope**2
    assert variances[1] > 1.05 * only_seen


def test_a_heavy_weight_is_not_many_cases():
    heavy = br.Curve.from_counts(SCORE, 3 * POS, 3 * NEG, pos_squares=9 * POS, neg_squares=9 * NEG)
    light = br.Curve.from_counts(SCORE, POS, NEG, pos_squares=POS, neg_squares=NEG)
    one, three_times = br.calibration.cox_calibration(light), br.calibration.cox_calibration(heavy)
    assert three_times.slope.value == pytest.approx(one.slope.value, abs=1e-12)
    assert three_times.slope.width == pytest.approx(one.slope.width, rel=1e-9)
    assert three_times.slope.n_pos == pytest.approx(POS.sum())


UNDEFINED = [
    (br.Curve.from_scores([1, 1], [0.2, 0.3]), Reason.NO_NEGATIVES, Reason.NO_NEGATIVES),
    (br.Curve.from_scores([0, 0], [0.2, 0.3]), Reason.NO_POSITIVES, Reason.NO_POSITIVES),
    (br.Curve.from_counts([], [], []), Reason.NO_ROWS, Reason.NO_ROWS),
    (br.Curve.from_scores([0, 1, 0, 1], [0.0, 0.3, 0.4, 0.5]), Reason.INFINITE_LOG_ODDS, Reason.INFINITE_LOG_ODDS),
    (br.Curve.from_scores([0, 1, 0, 1], [0.2, 0.3, 0.4, 1.0]), Reason.INFINITE_LOG_ODDS, Reason.INFINITE_LOG_ODDS),
    (br.Curve.from_scores([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]), None, Reason.SEPARATED),
    (br.Curve.from_scores([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4]), None, Reason.SEPARATED),
    (br.Curve.from_scores([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4]), None, Reason.SEPARATED),
    (br.Curve.from_scores([1, 0, 0, 0], [0.3, 0.3, 0.3, 0.3]), None, Reason.ONE_SCORE),
]


@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize(("curve", "large", "line"), UNDEFINED)
def test_what_is_undefined_says_why(curve, large, line, prevalence):
    found = br.calibration.cox_calibration(curve if prevalence is None else curve.at_prevalence(prevalence))
    for estimate, reason in zip(three(found), (large, line, line), strict=True):
        assert math.isnan(estimate.value) == (reason is not None)
        if reason is not None:
            assert estimate.reason is reason
            assert math.isnan(estimate.low)
            assert math.isnan(estimate.high)
            assert estimate.method == "none"
            assert reason.sentence in str(estimate)


def test_constant_scores_are_in_the_large_what_odds_say():
    found = br.calibration.cox_calibration(br.Curve.from_counts([0.3], pos=[20], neg=[80])).in_the_large
    assert found.value == pytest.approx(logit(0.2) - logit(0.3), abs=1e-12)
    assert found.width == pytest.approx(2 * Z / math.sqrt(100 * 0.2 * 0.8), rel=1e-9)


def test_one_positive_has_a_value_and_at_a_given_prevalence_no_interval():
    curve = br.Curve.from_counts([0.1, 0.2, 0.3], pos=[0, 1, 0], neg=[5, 5, 5])
    assert br.calibration.cox_calibration(curve).in_the_large.low < 0
    found = br.calibration.cox_calibration(curve.at_prevalence(0.1)).in_the_large
    assert found.value == pytest.approx(
        br.calibration.cox_calibration(curve).in_the_large.value + logit(0.1) - logit(1 / 16), abs=0.05
    )
    assert (math.isnan(found.low), found.reason) == (True, Reason.ONE_CASE)


def test_buckets_are_read_in_the_middle_and_the_caution_holds():
    rng = np.random.default_rng(4)
    score = expit(rng.normal(-1, 1.5, 3000))
    y = rng.random(len(score)) < score
    exact = br.Curve.from_scores(y, score)
    number = np.floor(score * 200)
    columns = {"score": [], "top": [], "pos": [], "neg": []}
    for k in np.unique(number):
        here = number == k
        for name, value in zip(
            columns, (score[here].min(), score[here].max(), y[here].sum(), (~y[here]).sum()), strict=True
        ):
            columns[name].append(value)
    rough = br.calibration.cox_calibration(br.Curve.from_counts(**columns))
    for estimate, truth in zip(three(rough), three(br.calibration.cox_calibration(exact)), strict=True):
        off = float(estimate.caution.split("up to ")[1].split()[0])
        assert 0 < abs(estimate.value - truth.value) < off < 0.5
    assert br.calibration.cox_calibration(exact).slope.caution is None


def test_of_one_bucket_the_caution_is_its_reach():
    curve = br.Curve.from_counts([0.2], pos=[30], neg=[70], top=[0.4])
    reach = logit(0.3) - logit(0.2)  # farther than to the top
    assert f"an error of up to {reach:.2g} to" in br.calibration.cox_calibration(curve).in_the_large.caution


@pytest.mark.parametrize("bad", [[-0.1, 0.5, 0.7], [0.2, 0.5, 1.7]])
def test_scores_must_be_probabilities(bad):
    with pytest.raises(
        br.errors.InputError, match="the calibration line reads scores as probabilities between 0 and 1, got"
    ):
        br.calibration.cox_calibration(br.Curve.from_scores([0, 1, 0], bad))


def test_rates_have_no_scores():
    with pytest.raises(br.errors.MissingInformationError):
        br.calibration.cox_calibration(br.Curve.from_rates([0.5], [0.1], n_pos=10, n_neg=10))


@pytest.mark.slow
def test_a_million_scores_take_some_ten_times_as_long_as_counting_them():
    rng = np.random.default_rng(5)
    score = expit(rng.normal(-2, 1.5, 1_000_000))
    y = rng.random(len(score)) < score
    began = time.process_time()
    curve = br.Curve.from_scores(y, score)
    assert len(curve) > 900_000  # counted now
    counted = time.process_time()
    found = br.calibration.cox_calibration(curve)
    fitted = time.process_time()
    assert fitted - counted < 30 * (counted - began)
    assert found.slope.low < 1 < found.slope.high


def falls_short(draw, truth, n_draws):
    """By the rule of docs/coverage.md: below 93 % by more than two standard errors of the simulation."""
    held = coverage(draw, truth, n_draws)
    return held.min() < 0.93 - 2 * math.sqrt(0.93 * 0.07 / n_draws)


def coverage(draw, truth, n_draws):
    held, made = np.zeros(3), np.zeros(3)
    for _ in range(n_draws):
        for k, (estimate, true) in enumerate(zip(three(br.calibration.cox_calibration(draw())), truth, strict=True)):
            if not math.isnan(estimate.low):
                made[k] += 1
                held[k] += estimate.low <= true <= estimate.high
    return held / made


@pytest.mark.slow
@pytest.mark.parametrize(("centre", "spread", "rows"), [(-3, 1, 100), (0, 2, 40), (-5, 2, 1000), (0, 1, 400)])
def test_intervals_hold_for_calibrated_scores(centre, spread, rows):
    rng = np.random.default_rng(6)

    def draw():
        score = expit(rng.normal(centre, spread, rows))
        return br.Curve.from_scores(rng.random(rows) < score, score)

    assert not falls_short(draw, (0, 0, 1), 600)


@pytest.mark.slow
@pytest.mark.parametrize("distance", [1.0, 2.5])
@pytest.mark.parametrize(("n_pos", "n_neg", "prevalence"), [(30, 300, 0.01), (100, 100, 0.001), (100, 1000, 0.5)])
def test_intervals_hold_at_a_given_prevalence(distance, n_pos, n_neg, prevalence):
    """Normal scores some distance apart, right at 0.1: everywhere else the intercept is the shift."""
    rng = np.random.default_rng(7)
    labels = np.repeat([1, 0], [n_pos, n_neg])

    def draw():
        x = rng.normal(distance * (labels - 0.5))
        return br.Curve.from_scores(labels, expit(distance * x + logit(0.1))).at_prevalence(prevalence)

    shift = logit(prevalence) - logit(0.1)
    assert not falls_short(draw, (shift, shift, 1), 400)
