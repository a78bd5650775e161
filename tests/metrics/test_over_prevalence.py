"""Sweeps, crossings and means over prevalence."""

import functools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import baserate as br

RNG = np.random.default_rng(5)
Y = RNG.random(2000) < 0.3
CURVE = br.Curve.from_scores(Y, RNG.normal(size=2000) + Y)
GRID = np.geomspace(1e-7, 1 - 1e-7, 500)


@pytest.mark.parametrize("metric", [br.average_precision, br.auc_pr, br.auc_prg, br.best_f1, br.normalized_auc_pr])
def test_five_hundred_prevalences_equal_one_by_one(metric):
    one_by_one = [metric(CURVE.at_prevalence(eta)) for eta in GRID]
    np.testing.assert_allclose(br.sweep(metric, CURVE, GRID).value, one_by_one, rtol=2e-13)


def test_sweeps_do_not_mind_order_or_repetition():
    grid = np.tile(GRID[::-1], 2)
    swept = br.sweep(br.auc_pr, CURVE, grid).value
    np.testing.assert_array_equal(swept[:500], swept[500:])
    np.testing.assert_allclose(swept[:500][::-1], br.sweep(br.auc_pr, CURVE, GRID).value, rtol=1e-14)
    np.testing.assert_array_equal(br.sweep(br.auc_pr, CURVE, [0.1] * 300).value, br.auc_pr(CURVE.at_prevalence(0.1)))
    assert len(br.sweep(br.auc_pr, CURVE, []).value) == 0


def test_a_sweep_names_its_metric_and_makes_a_table():
    swept = br.sweep(functools.partial(br.f_beta, beta=2), br.Point.from_rates(0.5, 0.1), ["1:1", 0.1])
    assert swept.metric == "f_beta:beta=2"
    assert list(swept.rows()[0]) == ["metric", "prevalence", "value"]
    assert swept.prevalence.tolist() == [0.5, 0.1]


# --- crossings --------------------------------------------------------------------------------------

rates = st.tuples(st.floats(0.05, 1), st.floats(0.0001, 1))


@pytest.mark.slow
@settings(max_examples=200)
@given(a=rates, b=rates, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_f_beta_of_two_points_swaps_where_the_closed_form_says(a, b, beta):
    (t1, f1), (t2, f2) = a, b
    denominator = t2 * f1 - t1 * f2
    x = beta**2 * (t1 - t2) / denominator if denominator else -1
    eta = 1 / (1 + x) if x > 0 else 0
    found = br.crossings(functools.partial(br.f_beta, beta=beta), br.Point.from_rates(*a), br.Point.from_rates(*b))
    near_tie = abs(denominator) < 1e-6 or abs(t1 - t2) < 1e-6
    if not near_tie:
        if 2e-6 < eta < 1 - 2e-6:
            assert [swap.prevalence for swap in found] == [pytest.approx(eta, rel=1e-6)]
        elif not 1e-7 < eta < 1 - 1e-7:
            assert found == []


def test_two_crossings_inside_one_cell_of_the_grid_are_found():
    """A metric whose difference touches zero between two grid points, and dips 1e-9 below it."""
    centre, depth = 0.0101234, 1e-9

    def a(curve):
        z = np.log(curve.prevalence / (1 - curve.prevalence))
        z0 = np.log(centre / (1 - centre))
        return (z - z0) ** 2 - depth if curve is not None else 0.0

    difference = functools.partial(lambda at: a(at) if at.tpr > 0.5 else 0.0)
    found = br.crossings(difference, br.Point.from_rates(0.9, 0.1), br.Point.from_rates(0.1, 0.1))
    width = np.sqrt(depth)
    logits = [np.log(swap.prevalence / (1 - swap.prevalence)) for swap in found]
    middle = np.log(centre / (1 - centre))
    assert logits == [pytest.approx(middle - width, abs=1e-9), pytest.approx(middle + width, abs=1e-9)]
    assert [swap.leads_below for swap in found] == ["a", "b"]


def test_curves_that_differ_by_rounding_never_cross():
    """The same rows with weights of 0.1 differ in the last place, here and there in either direction."""
    weighted = br.Curve.from_counts(
        CURVE.score, CURVE.pos * 0.1, CURVE.neg * 0.1, pos_squares=CURVE.pos * 0.01, neg_squares=CURVE.neg * 0.01
    )
    difference = (
        br.sweep(br.average_precision, CURVE, GRID).value - br.sweep(br.average_precision, weighted, GRID).value
    )
    assert len(set(np.sign(difference))) > 1
    assert br.crossings(br.average_precision, CURVE, weighted) == []


@pytest.mark.parametrize("metric", [br.mcc, br.kappa, br.modified_f1, br.auc_prg])
def test_points_on_the_chance_line_never_cross(metric):
    a, b = br.Point.from_rates(0.3, 0.3), br.Point.from_rates(0.7, 0.7)
    if metric is br.auc_prg:
        a, b = br.Curve.from_rates([0.3], [0.3]), br.Curve.from_rates([0.7], [0.7])
    assert br.crossings(metric, a, b) == []


def test_infinite_ratios_never_cross():
    assert br.crossings(br.lr_positive, br.Point.from_rates(0.5, 0), br.Point.from_rates(0.6, 0)) == []


def test_undefined_crossings_are_said():
    empty = br.Curve.from_scores([0, 0], [1, 2])
    with pytest.warns(br.errors.UndefinedMetricWarning, match="there are no positives"):
        assert br.crossings(br.average_precision, empty, CURVE) == []


def test_a_users_own_warnings_come_through():
    def noisy(curve):
        warnings.warn("mind the gap", stacklevel=1)
        return 0.5

    with pytest.warns(UserWarning, match="mind the gap"):
        br.sweep(noisy, CURVE, [0.1])


def test_a_users_own_metric_returns_one_number():
    with pytest.raises(br.errors.InputError, match="must return one number here, got an array of shape"):
        br.sweep(lambda curve: 2 * br.precision(curve), CURVE, [0.1])


def test_a_cost_is_led_by_the_lower():
    cheap, careful = br.Point.from_rates(0.9, 0.1), br.Point.from_rates(0.5, 0.001)
    [swap] = br.crossings(functools.partial(br.expected_cost, cost_fn=10, cost_fp=1), cheap, careful)
    assert swap.leads_below == "b"
    # 10 eta (0.9 - 0.5) = (1 - eta)(0.1 - 0.001)
    assert swap.prevalence == pytest.approx(0.099 / (4 + 0.099), rel=1e-10)


def test_crossings_stay_in_their_range():
    a, b = br.Point.from_rates(0.9, 0.01), br.Point.from_rates(0.6, 0.001)
    assert br.crossings(br.f1, a, b, low=0.02, high=0.5) == []
    assert len(br.crossings(br.f1, a, b, low="1:1000", high="1:10")) == 1


# --- means ------------------------------------------------------------------------------------------


def test_mean_in_log_odds_equals_adaptive_quadrature():
    def in_log_odds(z):
        return br.auc_pr(CURVE.at_prevalence(1 / (1 + np.exp(-z))))

    low, high = np.log(0.001 / 0.999), np.log(0.2 / 0.8)
    expected = integrate.quad(in_log_odds, low, high, epsabs=1e-12)[0] / (high - low)
    assert br.mean_over_prevalence(br.auc_pr, CURVE, low=0.001, high=0.2) == pytest.approx(expected, rel=1e-9)


def test_mean_under_a_density():
    point = br.Point.from_rates(0.6, 0.01)
    density = stats.beta(2, 50).pdf
    expected = integrate.quad(lambda p: br.precision(point.at_prevalence(p)) * density(p), 0.001, 0.5)[0]
    expected /= integrate.quad(density, 0.001, 0.5)[0]
    mean = br.mean_over_prevalence(br.precision, point, low=0.001, high=0.5, density=density)
    assert mean == pytest.approx(expected, rel=1e-7)


@pytest.mark.filterwarnings("ignore::baserate.errors.PrecisionWarning")
def test_a_narrow_peak_of_the_density_is_seen():
    point = br.Point.from_rates(0.7, 0.2)
    peak = stats.beta(1e6, 1e6 / 0.0123)

    def density(p):
        return 0.5 * peak.pdf(p) + 0.5

    centre = peak.mean()
    mean = br.mean_over_prevalence(br.precision, point, low=1e-4, high=0.9, density=density)
    value = integrate.quad(lambda p: br.precision(point.at_prevalence(p)), 1e-4, 0.9)[0]
    expected = (0.5 * br.precision(point.at_prevalence(centre)) + 0.5 * value) / (0.5 + 0.5 * 0.8999)
    assert mean == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("density", [repr, lambda p: p * 1j, lambda p: [p, p[1:]], lambda p: {}, lambda p: None])
def test_a_density_returns_numbers(density):
    with pytest.raises(br.errors.InputError, match=r"density must return a finite number.*, got "):
        br.mean_over_prevalence(br.precision, br.Point.from_rates(0.5, 0.1), low=0.1, high=0.2, density=density)


def test_mean_of_a_constant_is_the_constant():
    assert br.mean_over_prevalence(br.roc_auc, CURVE, low=0.01, high=0.1) == pytest.approx(br.roc_auc(CURVE), rel=1e-14)


def test_mean_of_something_undefined_is_nan_with_a_reason():
    with pytest.warns(br.errors.UndefinedMetricWarning, match="nothing is predicted positive"):
        assert np.isnan(br.mean_over_prevalence(br.precision, br.Point.from_rates(0, 0), low=0.1, high=0.2))


@pytest.mark.slow
def test_a_mean_that_does_not_settle_says_so():
    def jagged(point):
        return float(int(point.prevalence * 1e7) % 2)

    with pytest.warns(br.errors.PrecisionWarning, match="is accurate to about"):
        br.mean_over_prevalence(jagged, br.Point.from_rates(0.5, 0.1), low=0.1, high=0.8)


@pytest.mark.parametrize("row", [row for row in br.METRICS.values() if row.undefined is br.Reason.FRACTIONAL_COUNTS])
def test_metrics_that_count_cases_do_not_pretend_with_fractions(row):
    curve = br.Curve.from_scores([0, 1, 1], [1, 2, 3], weight=[0.7, 1.5, 0.2])
    with pytest.warns(br.errors.UndefinedMetricWarning, match="whole cases"):
        assert np.isnan(row.function(curve))
    swept = br.sweep(row.function, curve, [0.1, 0.2])
    assert np.isnan(swept.value).all()
    assert swept.reason is br.Reason.FRACTIONAL_COUNTS


# --- natural frequencies ----------------------------------------------------------------------------


def test_natural_frequencies_add_up():
    told = br.natural_frequencies(br.Point.from_rates(0.6, 0.001, prevalence=1e-4), cases=1e6)
    assert told.prevalence == 1e-4
    assert told.positives == pytest.approx(100)
    assert told.positives + told.negatives == pytest.approx(1e6)
    assert told.true_positives / told.alerts == pytest.approx(0.0566, abs=1e-4)
    assert "Of 1,059.9 alerts, 60 are right (5.66 %)." in str(told)
    assert "There are no alerts." in str(br.natural_frequencies(br.Point.from_rates(0, 0, prevalence=0.5)))
    assert "0.06" in str(br.natural_frequencies(br.Point.from_rates(0.6, 0.5, prevalence=1e-5)))
