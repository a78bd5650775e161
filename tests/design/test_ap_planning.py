"""Plans by the width of average precision."""

import functools
import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import baserate as br
from baserate.design.ap_widths import Seen, Widths, ap_widths, spread_of
from baserate.design.drawn_sets import ranks
from baserate.design.roc_models import RocLevels, SmoothRoc, ap_moments, like, through
from baserate.uncertainty.intervals import variance
from helpers.simulated import normal_curve

QUICK = {"ap_width": 0.4, "prevalence": 0.1}


@functools.cache
def quick_plan():
    """The plan that others are compared with."""
    return br.design.test_set(0.6, 0.05, **QUICK)


# --- models ---------------------------------------------------------------------------------------


def test_a_point_is_on_the_curve_of_two_normal_laws():
    model = through(0.6, 0.001)
    distance = ndtri(0.6) - ndtri(0.001)
    tpr = np.array([1e-6, 0.2, 0.6, 0.99])
    np.testing.assert_allclose(model.fpr_at(tpr), ndtr(ndtri(tpr) - distance), rtol=1e-9)


def test_moments_are_those_of_a_large_sample():
    rng, x = np.random.default_rng(1), 50.0
    curve = normal_curve(40_000, 400_000, 2.0, rng=rng).at_prevalence(1 / (1 + x))
    found = ap_moments(through(ndtr(0.5), ndtr(-1.5)), x)
    assert found.value == pytest.approx(br.average_precision(curve), rel=0.02)
    wanted = float(variance(br.average_precision, curve.table.steps, x))
    assert found.of_pos / 40_000 + found.of_neg / 400_000 == pytest.approx(wanted, rel=0.05)


def test_a_large_example_is_followed():
    """Also where no line would do: positives of two kinds."""
    rng, n = np.random.default_rng(2), 20_000
    y = np.arange(2 * n) < n
    middle = np.where(y, np.where(rng.random(2 * n) < 0.5, 3.0, 0.5), 0.0)
    model = like(br.Curve.from_scores(y, rng.normal(middle)))
    cut = np.array([-0.5, 0.5, 1.0, 2.0, 2.5])
    tpr = (ndtr(3 - cut) + ndtr(0.5 - cut)) / 2
    np.testing.assert_allclose(ndtri(model.fpr_at(tpr)), ndtri(ndtr(-cut)), atol=0.06)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (2, 5), (20, 200), (500, 3)])
def test_any_example_gives_a_curve_that_rises(n_pos, n_neg):
    model = like(normal_curve(n_pos, n_neg, 2.0, rng=3))
    fpr = model.fpr_at(ndtr(np.linspace(-8, 6, 200)))
    assert (np.diff(fpr) >= 0).all()
    assert 0 < fpr[0] < fpr[-1] < 1
    separated = like(br.Curve.from_counts([1, 0], [n_pos, 0], [0, n_neg]))
    assert 0 < ap_moments(separated, 1.0).value < 1


def test_pieces_at_one_fpr_are_level_to_the_last_digit():
    y = np.repeat([1, 0, 1, 0], [700, 1, 1300, 5])
    weight = np.random.default_rng(13).uniform(1, 2, len(y))
    model = like(br.Curve.from_scores(y, -np.arange(len(y)), weight=weight))
    assert len(model.fpr) > 100
    assert (np.diff(model.fpr) >= 0).all()


def test_a_single_negative_on_top_is_no_rule():
    """It may be anywhere among the few that are expected up there."""
    rng, y = np.random.default_rng(15), np.arange(3000) < 1000
    score = rng.normal(np.where(y, 2.0, 0.0))
    lucky = np.where(np.arange(3000) == 2999, 9.0, score)
    usual, changed = (like(br.Curve.from_scores(y, one)).fpr_at(np.array([0.001, 0.01])) for one in (score, lucky))
    assert (changed < 3 * usual).all()


@pytest.mark.parametrize(("spread", "slope"), [(0.1, 0.5), (1.0, 1.0), (10.0, 2.0)])
def test_beyond_the_pieces_goes_a_line_that_is_not_too_steep(spread, slope):
    model = like(normal_curve(2000, 2000, spread=spread, rng=14))
    assert model.slope == pytest.approx(slope, rel=0.1)


def test_weights_that_are_all_alike_change_nothing():
    rng = np.random.default_rng(4)
    y, score = rng.random(400) < 0.3, rng.normal(size=400)
    plain = like(br.Curve.from_scores(y, score + y))
    weighted = like(br.Curve.from_scores(y, score + y, weight=np.full(400, 2.5)))
    np.testing.assert_allclose(weighted.fpr, plain.fpr, rtol=1e-9)


def scorecard(rng, n_pos, n_neg, n_levels=6):
    """Points from 0 up, of two normal laws that are cut at even distances."""
    y = np.arange(n_pos + n_neg) < n_pos
    points = np.digitize(rng.normal(np.where(y, 2.0, 0.0)), np.linspace(-0.5, 3.0, n_levels - 1))
    return br.Curve.from_scores(y, points.astype(float))


def test_few_levels_are_followed_as_they_are():
    curve, x = scorecard(np.random.default_rng(10), 1000, 20_000), 50.0
    model = like(curve)
    np.testing.assert_allclose(model.pos, curve.pos / 1000, atol=1e-3)
    np.testing.assert_allclose(model.neg, curve.neg / 20_000, atol=1e-4)
    assert model.pos.sum() == pytest.approx(1)
    found = ap_moments(model, x)
    assert found.value == pytest.approx(br.average_precision(curve.at_prevalence(1 / (1 + x))), rel=2e-3)
    wanted = float(variance(br.average_precision, curve.table.steps, x))
    assert found.of_pos / 1000 + found.of_neg / 20_000 == pytest.approx(wanted, rel=5e-3)
    y, score = np.repeat([0, 1], [40, 20]), np.tile([1, 1, 2, 3], 15)
    plain = like(br.Curve.from_scores(y, score))
    weighted = like(br.Curve.from_scores(y, score, weight=np.full(60, 2.5)))
    np.testing.assert_allclose(weighted, plain, rtol=1e-12)


def test_a_level_without_negatives_may_still_get_some():
    model = like(br.Curve.from_counts([3, 2, 1], [5, 5, 0], [0, 40, 50]))
    np.testing.assert_allclose(model.neg, np.array([0 + 1 / 3, 40 + 1 / 3, 50 + 1 / 3]) / 91)
    np.testing.assert_allclose(model.pos, np.array([5 + 1 / 3, 5 + 1 / 3, 0 + 1 / 3]) / 11)


@pytest.mark.parametrize(("n_pos", "n_levels"), [(17, 6), (5000, 300)])
def test_too_many_levels_for_its_positives_are_smoothed(n_pos, n_levels):
    assert isinstance(like(scorecard(np.random.default_rng(11), n_pos, 20_000, n_levels)), SmoothRoc)
    assert isinstance(like(scorecard(np.random.default_rng(11), 20, 20_000)), RocLevels)


# --- widths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_pos", [1, 5, 16, 17, 100, 100_000])
def test_ranks_end_with_the_last_positive(n_pos):
    found = ranks(n_pos)
    assert found[-1] == n_pos
    assert (np.diff(found, prepend=0) >= 1).all()
    assert len(found) < 150


def test_the_law_of_widths():
    found = Widths(math.log(0.2), 0.1)
    assert found.quantile(0.5) == pytest.approx(0.2)
    assert found.chance_within(found.quantile(0.95)) == pytest.approx(0.95)
    assert found.mean() == pytest.approx(0.2 * math.exp(0.005))
    assert spread_of([Seen(0, 0.03, 0.01, 100), Seen(0, -0.01, 0.01, 100)]) == pytest.approx(math.sqrt(0.02))


@pytest.mark.slow
@pytest.mark.parametrize(("x", "n_pos", "n_neg", "level"), [(1.0, 30, 40, 0.95), (99.0, 90, 8000, 0.9)])
def test_widths_are_those_of_estimate(x, n_pos, n_neg, level):
    rng, distance = np.random.default_rng(5), 2.5
    seen = ap_widths(
        through(ndtr(distance), 0.5), x, n_pos, n_neg, confidence_level=level, populations=80_000, beyond=10
    )
    real = np.log(
        [
            br.estimate(
                br.average_precision,
                normal_curve(n_pos, n_neg, distance, rng=rng).at_prevalence(1 / (1 + x)),
                confidence_level=level,
                rng=rng,
            ).width
            for _ in range(150)
        ]
    )
    assert seen.middle == pytest.approx(real.mean(), abs=0.012 + 3 * real.std() / math.sqrt(150))
    assert spread_of([seen]) == pytest.approx(real.std(), rel=0.35)


@pytest.mark.slow
def test_widths_on_levels_are_those_of_estimate():
    rng, x, n_pos, n_neg = np.random.default_rng(12), 19.0, 60, 300
    model = like(scorecard(rng, 400_000, 400_000))
    seen = ap_widths(model, x, n_pos, n_neg, confidence_level=0.95, populations=160_000, beyond=10)
    drawn = (scorecard(rng, n_pos, n_neg).at_prevalence(1 / (1 + x)) for _ in range(300))
    real = np.log([br.estimate(br.average_precision, curve, rng=rng).width for curve in drawn])
    assert seen.middle == pytest.approx(real.mean(), abs=0.012 + 3 * real.std() / math.sqrt(300))
    assert spread_of([seen]) == pytest.approx(real.std(), rel=0.35)


# --- plans ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_plan_is_always_the_same_and_says_what_it_is_for():
    plan = quick_plan()
    assert plan == br.design.test_set(0.6, 0.05, **QUICK)
    assert (plan.metric, plan.method, plan.interval) == ("average_precision", "exact", "melded")
    assert plan.value == pytest.approx(ap_moments(through(0.6, 0.05), 9.0).value)
    assert plan.expected_width < plan.assured_width <= plan.wanted_width == 0.4
    assert 0.963 <= plan.chance < 0.975  # some test sets are kept in reserve
    assert plan.cost == plan.n_pos + plan.n_neg
    assert "interval of average_precision at prevalence 1 in 10 at most 0.4 wide (95 %, melded) in 9" in str(plan)
    assert f"about {plan.value:.4g}, width" in str(plan)


@pytest.mark.slow
def test_a_plan_is_enough_in_simulated_test_sets():
    plan = quick_plan()
    rng, distance = np.random.default_rng(6), ndtri(0.6) - ndtri(0.05)
    drawn = (normal_curve(plan.n_pos, plan.n_neg, distance, rng=rng).at_prevalence(0.1) for _ in range(40))
    found = np.array([br.estimate(br.average_precision, curve, rng=rng).width for curve in drawn])
    assert np.mean(found <= 0.4) >= 0.87
    assert found.mean() == pytest.approx(plan.expected_width, rel=0.03)


@pytest.mark.slow
def test_more_takes_more_and_dearer_ones_are_fewer():
    plan = quick_plan()
    assert br.design.test_set(0.6, 0.05, ap_width=0.2, prevalence=0.1).cost > 2.5 * plan.cost
    assert br.design.test_set(0.6, 0.05, **QUICK, confidence_level=0.99).cost > 1.2 * plan.cost
    assert br.design.test_set(0.6, 0.05, **QUICK, assurance=0.5).cost < plan.cost
    dear = br.design.test_set(0.6, 0.05, **QUICK, cost_pos=100)
    assert dear.n_pos < plan.n_pos
    assert dear.n_neg > plan.n_neg
    assert dear.cost == 100 * dear.n_pos + dear.n_neg


@pytest.mark.slow
def test_one_class_may_be_settled():
    free = quick_plan()
    more = br.design.test_set(0.6, 0.05, **QUICK, n_pos=2 * free.n_pos)
    assert more.n_pos == 2 * free.n_pos
    assert more.n_neg < free.n_neg
    fewer = br.design.test_set(0.6, 0.05, **QUICK, n_neg=2 * free.n_neg)
    assert fewer.n_neg == 2 * free.n_neg
    assert fewer.n_pos < free.n_pos
    for settled in ({"n_pos": 3}, {"n_neg": 3}):
        with pytest.raises(br.errors.InputError, match=f"got {next(iter(settled))}=3, which needs more"):
            br.design.test_set(0.6, 0.05, **QUICK, **settled)


@pytest.mark.slow
def test_a_large_example_of_a_normal_curve_gives_the_plan_of_its_point():
    curve = normal_curve(20_000, 200_000, ndtri(0.6) - ndtri(0.05), rng=7)
    plan = quick_plan()
    found = br.design.test_set_like(curve.at_prevalence(0.1), ap_width=0.4)
    assert (found.tpr, found.fpr, found.expected_tp, found.expected_fp) == (None, None, None, None)
    assert found.value == pytest.approx(plan.value, rel=0.03)
    assert found.cost == pytest.approx(plan.cost, rel=0.1)
    assert found.prevalence == pytest.approx(0.1)


@pytest.mark.slow
def test_a_pilot_of_twenty_positives_gives_sizes_of_the_right_order():
    plan = quick_plan()
    rng, distance = np.random.default_rng(8), ndtri(0.6) - ndtri(0.05)
    pilots = [normal_curve(20, 400, distance, rng=rng).at_prevalence(0.1) for _ in range(3)]
    ratio = np.array([br.design.test_set_like(pilot, ap_width=0.4).cost / plan.cost for pilot in pilots])
    assert 0.7 < np.median(ratio) < 1.4
    assert (ratio > 0.3).all()
    assert (ratio < 3).all()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"ap_width": 0}, "ap_width must be strictly between 0 and 1"),
        ({"prevalence": None}, "half_width and ap_width need a prevalence, .* got ap_width=0.4"),
        ({"delta": 0.1}, "one of delta, half_width and ap_width must be given, got delta and ap_width"),
        ({"method": "wilson"}, "method must be 'exact' with ap_width, got 'wilson'"),
        ({"method": "exakt"}, "method must be one of 'exact'"),
        ({"tpr": 1}, "tpr must be strictly between 0 and 1"),
        ({"confidence_level": 0.9999}, "confidence_level must be at most 0.999 for average precision"),
        ({"n_pos": 10, "n_neg": 10}, "at most one of n_pos and n_neg can be given"),
    ],
)
def test_what_is_refused(changed, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.design.test_set(**({"tpr": 0.6, "fpr": 0.05} | QUICK | changed))


def test_what_is_no_example():
    with pytest.raises(br.errors.InputError, match="example must be a Curve, got a list"):
        br.design.test_set_like([1, 2], ap_width=0.1)
    with pytest.raises(br.errors.InputError, match="rows of both classes, but there are no positives"):
        br.design.test_set_like(br.Curve.from_counts([1, 2], [0, 0], [3, 4]), ap_width=0.1)
    with pytest.raises(br.errors.MissingInformationError, match="a curve made from rates"):
        br.design.test_set_like(br.Curve.from_rates([0.5], [0.1], prevalence=0.1), ap_width=0.1)


@pytest.mark.slow
def test_settled_sizes_stay_as_they_are_and_may_not_be_endless():
    with pytest.raises(br.errors.InputError, match=r"n_pos must be at most 10,000,000,000,000, got 1000"):
        br.design.test_set(0.6, 0.05, **QUICK, n_pos=10**30)
    assert br.design.test_set(0.6, 0.05, **QUICK, n_neg=10**8).n_neg == 10**8


@pytest.mark.slow
def test_models_that_are_nearly_perfect_get_a_plan_that_was_tried_out():
    """Where hardly any test set shows an error, nothing can be fitted to widths."""
    plan = br.design.test_set(0.9999, 0.0001, ap_width=0.1, prevalence=0.1, n_pos=200)
    assert plan.n_neg < 3000
    rng, distance = np.random.default_rng(9), ndtri(0.9999) - ndtri(0.0001)
    drawn = (normal_curve(plan.n_pos, plan.n_neg, distance, rng=rng).at_prevalence(0.1) for _ in range(30))
    found = np.array([br.estimate(br.average_precision, curve, rng=rng).width for curve in drawn])
    assert np.mean(found <= 0.1) >= 0.87
    assert found.mean() == pytest.approx(plan.expected_width, rel=0.05)
