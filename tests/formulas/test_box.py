"""Brabec's band: the numbers of the paper, the widest place found by search, and what the CVs afford."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import baserate as br
from baserate.formulas.box import affordable_cv, widest, width_from_cvs
from baserate.formulas.proportions import Interval

pytestmark = pytest.mark.slow  # together, these take long

INF = float("inf")
shares = st.floats(1e-6, 1)
cvs = st.floats(0, 0.999)


def around(middle, deviation):
    return Interval(np.asarray(middle - deviation), np.asarray(middle + deviation))


def between(low, high):
    return Interval(np.asarray(low, float), np.asarray(high, float))


def odds(prevalence):
    return (1 - prevalence) / prevalence


def band_of(metric, t, f, x):
    band = br.papers.box_band(metric, 1 / (1 + np.atleast_1d(x)), tpr=tuple(map(float, t)), fpr=tuple(map(float, f)))
    return Interval(band.low, band.high) if np.ndim(x) else Interval(band.low[0], band.high[0])


precision_band = partial(band_of, br.precision)


# --- published -----------------------------------------------------------------------------------


def test_the_band_of_the_paper():
    band = precision_band(around(0.5, 0.1), around(0.01, 0.001), odds(0.01))
    assert band == pytest.approx((0.2686, 0.4024), abs=5.001e-5)
    exact = precision_band(around(0.5, 0.0), around(0.01, 0.0), odds(0.01))
    assert exact == pytest.approx((0.3355704698, 0.3355704698), abs=5.001e-11)


def test_equal_cvs_are_the_width():
    width, x = widest(around(0.6, 0.06), around(0.001, 0.0001))
    assert width == pytest.approx(0.1, abs=1e-15)
    assert x == pytest.approx(600)


def test_the_widest_place_of_the_paper():
    width, x = widest(around(0.6, 0.06), around(0.001, 0.0005))
    assert width == pytest.approx(0.3138593384, abs=5.001e-11)
    assert 1 / (1 + x) == pytest.approx(0.0014485458, abs=5.001e-11)


def test_f1_moves_with_recall_too():
    """With the recall held at .6 it would be [.618, .714]."""
    band = band_of(br.f1, around(0.6, 0.1), around(0.01, 0.005), odds(0.05))
    assert band == pytest.approx((0.560, 0.780), abs=5.001e-4)


# --- the band ------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(ts=st.tuples(shares, shares, shares), fs=st.tuples(shares, shares, shares), log_x=st.floats(-10, 10))
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_every_point_of_the_box_is_in_the_band(ts, fs, log_x, beta):
    (t_low, t, t_high), (f_low, f, f_high), x = sorted(ts), sorted(fs), np.exp(log_x)
    inside = (1 + beta**2) * t / (t + beta**2 + x * f)
    low, high = band_of(partial(br.f_beta, beta=beta), between(t_low, t_high), between(f_low, f_high), x)
    assert low <= inside * (1 + 1e-12)
    assert inside <= high * (1 + 1e-12)


def test_bands_over_prevalences():
    band = precision_band(around(0.5, 0.1), around(0.01, 0.001), odds(np.geomspace(1e-6, 0.9, 7)))
    assert band.low.shape == band.high.shape == (7,)
    assert (np.diff(band.low) > 0).all()
    assert (band.low < band.high).all()


# --- its widest place ----------------------------------------------------------------------------


@settings(max_examples=100)
@given(ts=st.tuples(shares, shares), fs=st.tuples(shares, shares))
def test_no_prevalence_is_wider(ts, fs):
    t, f = between(*sorted(ts)), between(*sorted(fs))

    def width_at(log_x):
        low, high = precision_band(t, f, np.exp(log_x))
        return float(high - low)

    width, x = widest(t, f)
    assert width_at(np.log(x)) == pytest.approx(float(width), abs=1e-14)
    found = minimize_scalar(lambda log_x: -width_at(log_x), bounds=(-20, 20), method="bounded")
    assert -found.fun <= width + 1e-14


@pytest.mark.parametrize(
    ("t", "f", "width", "x"),
    [
        ((0.5, 0.7), (0.0, 0.1), 1, INF),  # F may be 0
        ((0.0, 0.7), (0.1, 0.2), 1, 0),  # T may be 0
        ((0.0, 0.7), (0.0, 0.2), 1, np.nan),  # both: as wide everywhere
        ((0.5, 0.7), (0.0, 0.0), 0, INF),  # F is 0: the precision is 1
        ((0.0, 0.0), (0.1, 0.2), 0, 0),  # T is 0: the precision is 0
        ((0.5, 0.5), (0.1, 0.1), 0, 5),
        ((0.0, 0.5), (0.0, 0.0), np.nan, np.nan),  # there may be no alerts
    ],
)
def test_boxes_at_the_edge(t, f, width, x):
    np.testing.assert_allclose(widest(between(*t), between(*f)), (width, x))


def test_the_limits_are_approached():
    without_false_alerts = precision_band(between(0.5, 0.7), between(0.0, 0.1), 1e12)
    assert np.ptp(without_false_alerts) == pytest.approx(1, abs=1e-10)
    without_true_alerts = precision_band(between(0.0, 0.7), between(0.1, 0.2), 1e-12)
    assert np.ptp(without_true_alerts) == pytest.approx(1, abs=1e-10)


# --- coefficients of variation -------------------------------------------------------------------


@settings(max_examples=200)
@given(cv_t=cvs, cv_f=cvs)
def test_the_width_from_cvs(cv_t, cv_f):
    width = float(width_from_cvs(cv_t, cv_f))
    assert width == pytest.approx(float(widest(around(0.5, 0.5 * cv_t), around(0.1, 0.1 * cv_f)).width), abs=1e-13)
    assert width == width_from_cvs(cv_f, cv_t)
    assert width <= max(cv_t, cv_f) * (1 + 1e-14)
    squared = ((1 - width) / (1 + width)) ** 2
    assert squared == pytest.approx((1 - cv_f) / (1 + cv_f) * (1 - cv_t) / (1 + cv_t), rel=1e-10)


@pytest.mark.parametrize("cv", [0.0, 1e-12, 0.1, 0.5, 1.0])
def test_the_bound_is_met_by_equal_cvs(cv):
    assert width_from_cvs(cv, cv) == pytest.approx(cv, rel=1e-14)


def test_a_side_that_reaches_zero_makes_the_width_one():
    np.testing.assert_array_equal(width_from_cvs([0.1, 1.0, 0.0], [1.0, 3.0, 1.5]), 1)


@settings(max_examples=200)
@given(cv=st.floats(0, 0.99), other=st.floats(0, 0.99))
def test_what_is_afforded_makes_the_width(cv, other):
    assert affordable_cv(width_from_cvs(cv, other), other) == pytest.approx(cv, rel=1e-9, abs=1e-13)


def test_what_the_other_one_leaves():
    """For a band of .1: as much again beside .1, nothing beside what makes .1 alone, and nan beyond."""
    alone = float(np.tanh(2 * np.arctanh(0.1)))
    afforded = affordable_cv(0.1, np.array([0.1, 0.0, alone, alone * 1.001, 0.5, 1.0]))
    np.testing.assert_allclose(afforded, [0.1, alone, 0.0, np.nan, np.nan, np.nan], rtol=1e-14, atol=1e-16)
    assert width_from_cvs(alone, 0.0) == pytest.approx(0.1)


def test_a_width_of_one_affords_anything():
    np.testing.assert_array_equal(affordable_cv(1.0, np.array([0.0, 0.5, 1.0, 2.0])), 1)
