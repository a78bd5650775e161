"""Intervals of Brier score and log loss: of one model, of two, over clusters; calibration errors have none."""

from functools import partial

import numpy as np
import pytest
import scipy

import baserate as br
from baserate.uncertainty.cells import cells_of, every_score, scores_in_runs
from baserate.uncertainty.readers import losses_of, mean_losses
from baserate.uncertainty.samplers import OfCells
from helpers.drawn_rows import drawn_from

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


@pytest.mark.slow
def test_with_many_rows_the_interval_is_that_of_a_mean():
    rng = np.random.default_rng(2)
    y, s = rows(rng, 20_000, 30_000)
    found = br.estimate(br.brier_score, br.Curve.from_scores(y, s).at_prevalence(0.1), n_resamples=4_000, rng=1)
    error = np.sqrt(0.01 * np.var((1 - s[y]) ** 2) / y.sum() + 0.81 * np.var(s[~y] ** 2) / (~y).sum())
    assert found.width == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("n_pos", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 2000))])
def test_negatives_between_two_positives_do_not_all_cost_the_same(n_pos):
    """However few positives there are, the interval is that of a mean over the negatives where they are all."""
    y, s = rows(np.random.default_rng(3), n_pos, 2000)
    found = br.estimate(br.brier_score, br.Curve.from_scores(y, s).at_prevalence(1e-6), n_resamples=8_000, rng=1)
    error = np.std(s[~y] ** 2) / np.sqrt(2000)
    assert found.width == pytest.approx(2 * 1.96 * error, rel=0.06)  # half a row may cost all or nothing
    paired = br.difference(
        br.brier_score, br.Pair.from_scores(y, s, s / 2).at_prevalence(1e-6), n_resamples=8_000, rng=1
    )
    assert paired.high - paired.low == pytest.approx(2 * 1.96 * 0.75 * error, rel=0.12)


def in_gap(drawn, corner):
    return drawn.steps.fp[:, corner] - drawn.steps.neg[:, corner] - drawn.steps.fp[:, corner - 1]


def test_drawn_losses_are_means_of_losses():
    """Of rows drawn again, on few scores: the mean over each class, read by hand."""
    score = np.array([0.9, 0.6, 0.5, 0.2, 0.1])
    curve = br.Curve.from_counts(score, [20, 10, 0, 5, 1], [1, 0, 1, 30, 50])
    for cut in (cells_of, scores_in_runs, every_score):
        cells = cut(curve)
        drawn = drawn_from(cells, 30, again=True)
        found = mean_losses(losses_of(br.brier_score), curve)(drawn, np.array([4.0]))[:, 0]
        # Where there are no positives at 0.5, its negatives are in a gap, or at a corner of their own.
        neg = drawn.steps.neg if cut is not cells_of else np.insert(drawn.steps.neg, 2, in_gap(drawn, 2), axis=1)
        pos = drawn.steps.pos if cut is not cells_of else np.insert(drawn.steps.pos, 2, 0, axis=1)
        expected = 0.2 * pos @ (1 - score) ** 2 + 0.8 * neg @ score**2
        assert found == pytest.approx(expected, rel=1e-12)


def test_losses_of_the_rows_themselves_are_exact_however_they_are_cut():
    y, s = rows(np.random.default_rng(3), 3000, 2000)
    curve = br.Curve.from_scores(y, s)
    for metric in (br.brier_score, CLIPPED):
        for cut in (cells_of, scores_in_runs, every_score):
            [seen] = OfCells(cut(curve)).seen()
            [[found]] = mean_losses(losses_of(metric), curve)(seen, np.array([curve.odds_against]))
            assert found == pytest.approx(metric(curve), rel=1e-12)


def test_without_clipping_one_more_row_may_cost_anything():
    y, s = rows(np.random.default_rng(4), 40, 40)
    curve = br.Curve.from_scores(y, s)
    found = br.estimate(br.log_loss, curve, rng=0)
    assert found.low < found.value
    assert found.high == np.inf
    assert br.estimate(CLIPPED, curve, rng=0).high < 2
    infinite = br.estimate(br.log_loss, br.Curve.from_scores([0, 1, 0], [0.1, 0.0, 0.2]), rng=0)
    assert (infinite.value, infinite.low, infinite.high) == (np.inf, np.inf, np.inf)


def test_where_scores_are_levels_one_more_row_has_one_of_them():
    """The worst for a positive is the lowest level, that for a negative the highest; by hand, with half a row each."""
    curve = br.Curve.from_scores([0, 1, 0, 1] * 20, [0.1, 0.9, 0.2, 0.6] * 20)
    found = br.estimate(br.log_loss, curve, n_resamples=20_000, rng=0)
    rng = np.random.default_rng(0)

    def mean(losses, other):
        shares = rng.dirichlet([20, 20, 0.5], 40_000)
        return shares @ -np.log([*losses, other])

    low = np.quantile((mean((0.9, 0.6), 0.9) + mean((0.9, 0.8), 0.9)) / 2, 0.025)
    high = np.quantile((mean((0.9, 0.6), 0.1) + mean((0.9, 0.8), 0.1)) / 2, 0.975)
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.01)


def test_weights_widen_the_interval():
    y, s = rows(np.random.default_rng(1), 100, 100)
    plain = br.estimate(br.brier_score, br.Curve.from_scores(y, s), rng=0)
    alike = br.estimate(br.brier_score, br.Curve.from_scores(y, s, weight=np.full(200, 3.0)), rng=0)
    uneven = br.estimate(br.brier_score, br.Curve.from_scores(y, s, weight=np.tile([0.1, 5.0], 100)), rng=0)
    assert alike.width == pytest.approx(plain.width, rel=0.15)
    assert uneven.width > 1.2 * plain.width


@pytest.mark.slow
def test_uncertain_prevalences_and_sweeps():
    y, s = rows(np.random.default_rng(1), 300, 300)
    curve = br.Curve.from_scores(y, s)
    alone = br.estimate(br.brier_score, curve.at_prevalence(0.2), rng=0)
    ranged = br.estimate(br.brier_score, curve, prevalence=(0.1, 0.3), rng=0)
    assert ranged.low < alone.low < alone.high < ranged.high
    mixed = br.estimate(br.brier_score, curve, prevalence=br.prior.Beta(20, 80), rng=0)
    assert mixed.width > alone.width
    band = br.sweep_estimates(br.brier_score, curve, [0.05, 0.2, 0.6], rng=0)
    assert (band.low < band.value).all()
    assert (band.value < band.high).all()


ERRORS = [br.ece, br.mce, br.rms_calibration_error, br.debiased_ece, br.debiased_rms_calibration_error, br.smooth_ece]


@pytest.mark.parametrize("metric", ERRORS)
def test_calibration_errors_have_no_interval_and_say_so(metric):
    """Alone, in a difference of any kind, and over clusters; the values are there."""
    y, a, b = two_models(np.random.default_rng(0), 50, 200)
    pair = br.Pair.from_scores(y, a, b)
    groups = {"a": pair.a, "b": pair.b}
    alone = br.estimate(metric, pair.a)
    paired = br.difference(metric, pair)
    tables = [table(metric, groups).groups[1].differences[0] for table in (br.by_slice, br.by_period)]
    change = br.explain_change(metric, pair.a, pair.b)
    ahead = br.lead(metric, pair, [0.1, 0.4])
    clustered = br.cluster_estimate(metric, {i: br.Curve.from_scores(y[i::10], a[i::10]) for i in range(10)})
    for found in (alone, paired, *tables, change, ahead, clustered):
        assert found.reason is br.Reason.NO_INTERVAL
    for found in (alone, paired, *tables, change.total, change.prior, change.model, clustered):
        assert np.isfinite(found.value)
        assert np.isnan([found.low, found.high]).all()
    worth = metric(pair.a), metric(pair.b)
    assert (alone.value, paired.value, change.total.value) == pytest.approx(
        (worth[0], worth[0] - worth[1], worth[1] - worth[0])
    )
    assert [alone.method, paired.method, clustered.method] == ["none"] * 3
    assert np.isfinite(ahead.value).all()
    assert np.isnan([ahead.low, ahead.high, ahead.probability]).all()
    with pytest.raises(br.errors.InputError, match="method must be one of 'none'"):
        br.difference(metric, pair, method="percentile")


@pytest.mark.slow
def test_crossings_of_calibration_errors_have_no_interval_either():
    pair = br.Pair.from_scores(*two_models(np.random.default_rng(0), 50, 200))
    [seen] = br.crossings(br.ece, pair.a, pair.b, low=0.1, high=0.5)
    [found] = br.crossing_estimates(br.ece, pair, low=0.1, high=0.5)
    assert (found.prevalence, found.value, found.leads_below) == (seen.prevalence, seen.value, seen.leads_below)
    assert np.isnan([found.low, found.high, found.found_again]).all()


# --- two models, and clusters ---------------------------------------------------------------------


def two_models(rng, n_pos, n_neg):
    """The second is the first, with noise of its own and less sure of itself."""
    y = np.arange(n_pos + n_neg) < n_pos
    first = np.where(y, 0.5, -2.0) + rng.normal(0, 1.3, len(y))
    return y, scipy.special.expit(first), scipy.special.expit(0.8 * first + rng.normal(0, 0.5, len(y)))


@pytest.mark.slow
def test_a_difference_of_losses_is_that_of_the_rows():
    """Of many rows, the interval is that of a mean of differences, and narrower than the two models apart."""
    y, a, b = two_models(np.random.default_rng(2), 20_000, 30_000)
    pair = br.Pair.from_scores(y, a, b).at_prevalence(0.1)
    found = br.difference(br.brier_score, pair, n_resamples=4_000, rng=1)
    more_pos, more_neg = (1 - a[y]) ** 2 - (1 - b[y]) ** 2, a[~y] ** 2 - b[~y] ** 2
    error = np.sqrt(0.01 * np.var(more_pos) / 20_000 + 0.81 * np.var(more_neg) / 30_000)
    assert found.value == pytest.approx(0.1 * more_pos.mean() + 0.9 * more_neg.mean(), rel=1e-9)
    assert (found.low, found.high) == pytest.approx((found.value - 1.96 * error, found.value + 1.96 * error), rel=0.01)
    assert found.method == "melded"
    assert found.p_value == 2 / 4001  # as low as the draws can tell
    apart = [br.estimate(br.brier_score, curve, rng=0).width for curve in (pair.a, pair.b)]
    assert found.high - found.low < 0.8 * np.hypot(*apart)


@pytest.mark.slow
def test_the_half_row_that_is_not_placed_may_speak_for_either_model():
    """With few rows each end has half a row more at the most that a row may differ, by hand."""
    y, a, b = two_models(np.random.default_rng(3), 4, 6)
    found = br.difference(br.brier_score, br.Pair.from_scores(y, a, b).at_prevalence(0.3), n_resamples=40_000, rng=0)
    rng = np.random.default_rng(9)

    def mean(more, last):
        return rng.dirichlet(np.append(np.ones(len(more)), 0.5), 40_000) @ np.append(more, last)

    def end(last, tail):
        pos, neg = mean((1 - a[y]) ** 2 - (1 - b[y]) ** 2, last), mean(a[~y] ** 2 - b[~y] ** 2, last)
        return np.quantile(0.3 * pos + 0.7 * neg, tail)

    assert (found.low, found.high) == pytest.approx((end(-1, 0.025), end(1, 0.975)), abs=0.012)


@pytest.mark.slow
def test_a_lead_in_losses_is_the_difference_at_each_prevalence():
    pair = br.Pair.from_scores(*two_models(np.random.default_rng(4), 60, 300))
    found = br.lead(br.brier_score, pair, [0.5, 0.01], rng=0)
    for k, prevalence in enumerate((0.5, 0.01)):
        one = br.difference(br.brier_score, pair.at_prevalence(prevalence), rng=0)
        assert (found.value[k], found.low[k], found.high[k]) == pytest.approx((one.value, one.low, one.high))
    assert found.reason is None


@pytest.mark.slow
def test_log_losses_without_a_bound_may_differ_by_anything():
    y, a, b = two_models(np.random.default_rng(5), 60, 300)
    pair = br.Pair.from_scores(y, a, b)
    found = br.difference(br.log_loss, pair, rng=0)
    assert (found.low, found.high, found.reason) == (-np.inf, np.inf, None)
    bounded = br.difference(CLIPPED, pair, rng=0)
    assert -1 < bounded.low < found.value < bounded.high < 1
    change = br.explain_change(br.log_loss, pair.a, pair.b.at_prevalence(0.1), rng=0)
    assert (change.total.low, change.total.high) == (-np.inf, np.inf)  # also where parts of it are undefined
    both = br.difference(br.log_loss, br.Pair.from_scores([1, 0, 1, 0], [0.0, 0.1, 0.9, 0.2], [0.0, 0.2, 0.8, 0.1]))
    assert both.first == both.second == np.inf
    assert both.reason is br.Reason.UNDEFINED_IN_DRAWS


@pytest.mark.slow
def test_losses_of_clusters_of_one_row_are_those_of_rows():
    y, a, _ = two_models(np.random.default_rng(6), 40, 150)
    single = {i: br.Curve.from_scores(y[i : i + 1], a[i : i + 1]) for i in range(190)}
    for metric in (br.brier_score, CLIPPED):
        clustered = br.cluster_estimate(metric, single, prevalence=0.1, n_resamples=20_000, rng=0)
        by_row = br.estimate(metric, br.Curve.from_scores(y, a).at_prevalence(0.1), n_resamples=20_000, rng=1)
        assert clustered.value == pytest.approx(by_row.value, rel=1e-12)
        assert (clustered.low, clustered.high) == pytest.approx((by_row.low, by_row.high), rel=0.02)
    pooled = {i: br.Curve.from_scores(np.tile(y[i::19], 9), np.tile(a[i::19], 9)) for i in range(19)}
    copied = br.estimate(br.brier_score, br.Curve.pool(pooled.values()), rng=0)
    assert br.cluster_estimate(br.brier_score, pooled, rng=0).width > 2 * copied.width


def test_swapping_probabilities():
    y, a, b = two_models(np.random.default_rng(7), 200, 800)
    worse = np.clip(b + 0.3, 0, 1)
    assert br.swap_test(br.brier_score, br.Pair.from_scores(y, a, worse), n_permutations=99, rng=0) == 0.01
    assert br.swap_test(br.ece, br.Pair.from_scores(y, a, worse), n_permutations=99, rng=0) == 0.01
    assert br.swap_test(br.brier_score, br.Pair.from_scores(y, a, a), n_permutations=19, rng=0) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 100), (50, 500)])
@pytest.mark.parametrize("metric", [br.brier_score, CLIPPED], ids=["brier", "log_loss"])
def test_intervals_of_differences_hold(metric, n_pos, n_neg):
    rng = np.random.default_rng(8)
    large = br.Pair.from_scores(*two_models(rng, 10**6, 10**6)).at_prevalence(0.1)
    truth = metric(large.a) - metric(large.b)
    held = 0
    for _ in range(400):
        pair = br.Pair.from_scores(*two_models(rng, n_pos, n_neg)).at_prevalence(0.1)
        found = br.difference(metric, pair, n_resamples=300, rng=rng)
        held += found.low <= truth <= found.high
    assert held / 400 >= 0.93


def test_where_losses_are_infinite_nothing_is_claimed():
    y, score, other = two_models(np.random.default_rng(1), 20, 20)
    score[0] = 0.0  # a positive that was said to be impossible
    for pair in (br.Pair.from_scores(y, score, score), br.Pair.from_scores(y, score, other)):
        found = br.difference(br.log_loss, pair, n_resamples=200, rng=0)
        assert np.isnan([found.low, found.high, found.p_value]).all()
        lead = br.lead(br.log_loss, pair, [0.5, 0.1], n_resamples=200, rng=0)
        assert np.isnan([lead.low, lead.high, lead.probability]).all()
