"""The laws each registered metric promises, tried on random rows.

The master law: reading at a prevalence is the same as giving every negative the matching weight, and the
same as physically having that many more negatives.
"""

import functools
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.registry import Family, MetricLaw

pytestmark = pytest.mark.slow  # together, these take long

ROWS = list(br.METRICS.values())
tried = settings(max_examples=60)


@st.composite
def samples(draw, max_rows=30):
    """Labels with both classes, scores with ties, infinities and neighbours in the last place."""
    n = draw(st.integers(2, max_rows))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n))
    values = [-np.inf, -3.0, 0.0, -0.0, 0.3, np.nextafter(0.3, 1), 0.7, 5.0, np.inf]
    s = draw(st.lists(st.sampled_from(values) | st.floats(-10, 10), min_size=n, max_size=n))
    return np.array(y), np.array(s)


etas = st.floats(-14, 14).map(lambda z: float(1 / (1 + np.exp(-z))))


def promised(law=None):
    """Every metric with each of its parameter settings, if it promises the law."""
    for row in ROWS:
        if law is None or law in row.laws:
            for parameters in row.examples:
                yield row, dict(parameters)


def scores_for(row, s):
    """The scores, or for a metric of probabilities their order in [0, 1], with 0 and 1 among them."""
    return scipy.special.expit(s) if row.family is Family.PROBABILITY else s


def value(row, curve, parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.UndefinedMetricWarning)
        return row.function(curve, **parameters)


def same(row, a, b, parameters, relative=1e-9):
    """Equal up to `relative`; 0 means to the last bit."""
    left, right = value(row, a, parameters), value(row, b, parameters)
    absolute = 1e-12 if relative else 0
    np.testing.assert_allclose(left, right, rtol=relative, atol=absolute, err_msg=f"{row.name} {parameters}")


@tried
@given(sample=samples(), eta=etas)
def test_reading_at_a_prevalence_equals_weighting_the_negatives(sample, eta):
    y, s = sample
    pi = y.mean()
    weight = np.where(y == 1, 1.0, pi * (1 - eta) / (eta * (1 - pi)))
    for row, parameters in promised(MetricLaw.REWEIGHTING):
        scores = scores_for(row, s)
        read = br.Curve.from_scores(y, scores).at_prevalence(eta)
        same(row, read, br.Curve.from_scores(y, scores, weight=weight), parameters)


@tried
@given(sample=samples(max_rows=12), pos=st.integers(1, 4), neg=st.integers(1, 4))
def test_reading_at_a_prevalence_equals_physical_replication(sample, pos, neg):
    y, s = sample
    times = np.where(y == 1, pos, neg)
    for row, parameters in promised(MetricLaw.REPLICATION):
        scores = scores_for(row, s)
        replicated = br.Curve.from_scores(np.repeat(y, times), np.repeat(scores, times))
        same(row, br.Curve.from_scores(y, scores).at_prevalence(replicated.prevalence), replicated, parameters)


@tried
@given(sample=samples(), shape=st.sampled_from(["cube", "arctan", "rank", "shift"]))
def test_increasing_transformations_change_nothing(sample, shape):
    y, s = sample
    ranks = np.unique(s, return_inverse=True)[1]
    transformed = {"cube": ranks**3.0, "arctan": np.arctan(ranks), "rank": ranks, "shift": ranks / 7 - 100}[shape]
    for row, parameters in promised(MetricLaw.MONOTONE):
        same(row, br.Curve.from_scores(y, s), br.Curve.from_scores(y, transformed), parameters, relative=0)


@tried
@given(sample=samples(), order=st.randoms(use_true_random=False))
def test_row_order_changes_nothing(sample, order):
    y, s = sample
    places = list(range(len(y)))
    order.shuffle(places)
    for row, parameters in promised():
        scores = scores_for(row, s)
        shuffled = br.Curve.from_scores(y[places], scores[places])
        same(row, br.Curve.from_scores(y, scores), shuffled, parameters, relative=0)


@tried
@given(sample=samples(), cut=st.floats(0, 1))
def test_adding_curves_equals_concatenating_rows(sample, cut):
    y, s = sample
    k = int(cut * len(y))
    for row, parameters in promised():
        scores = scores_for(row, s)
        parts = [br.Curve.from_scores(y[:k], scores[:k]), br.Curve.from_scores(y[k:], scores[k:])]
        same(row, sum(parts), br.Curve.from_scores(y, scores), parameters, relative=0)


@tried
@given(sample=samples())
def test_a_weight_of_two_equals_two_rows(sample):
    y, s = sample
    times = 1 + (np.arange(len(y)) % 2)
    for row, parameters in promised():
        if row.name.startswith("debiased"):
            continue  # they take off noise, and one row of weight two is noisier than two rows
        scores = scores_for(row, s)
        twice = br.Curve.from_scores(np.repeat(y, times), np.repeat(scores, times))
        same(row, br.Curve.from_scores(y, scores, weight=times), twice, parameters, relative=1e-13)


def test_container_changes_nothing():
    y, s = [0, 1, 1, 0, 1, 0], [0.5, 0.5, 1.0, 0.0, 0.25, 0.25]
    plain = br.Curve.from_scores(np.array(y), np.array(s))
    for wrap in (list, tuple, pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v[:2], v[2:]])):
        for row, parameters in promised():
            same(row, br.Curve.from_scores(wrap(y), wrap(s)), plain, parameters, relative=0)


@tried
@given(sample=samples(), eta=etas)
def test_values_stay_in_the_registered_range(sample, eta):
    y, s = sample
    for row, parameters in promised():
        curve = br.Curve.from_scores(y, scores_for(row, s)).at_prevalence(eta)
        values = np.atleast_1d(value(row, curve, parameters))
        values = values[~np.isnan(values)]
        assert (values >= row.lowest - 1e-12).all(), row.name
        assert (values <= row.highest + 1e-12).all(), row.name


@settings(max_examples=20)
@given(sample=samples(), eta=etas)
def test_a_sweep_equals_reading_one_by_one(sample, eta):
    """Also with enough prevalences for the fast ways of the areas."""
    y, s = sample
    for row, parameters in promised():
        curve = br.Curve.from_scores(y, scores_for(row, s))
        if row.name not in ("chance_average_precision", "smooth_ece"):  # slow
            assert_sweep_equals_readings(row, curve, parameters, eta)


def test_a_sweep_of_the_chance_level_equals_reading_one_by_one():
    assert_sweep_equals_readings(br.METRICS["chance_average_precision"], br.Curve.from_counts([0], [3], [50]), {}, 0.2)


def test_a_sweep_of_the_smooth_error_equals_reading_one_by_one():
    curve = br.Curve.from_scores([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.7, 0.9])
    assert_sweep_equals_readings(br.METRICS["smooth_ece"], curve, {}, 0.2)


def assert_sweep_equals_readings(row, curve, parameters, eta):
    at = curve.at_recall(0.5) if row.family is Family.POINTWISE else curve
    n = 5 if row.family is Family.PROBABILITY else 150  # the former have no fast way, so that few tell as much
    grid = np.append(np.geomspace(1e-6, 0.999, n), eta)
    some = [0, n // 4, n // 2, 4 * n // 5, n - 1, n]
    swept = br.sweep(functools.partial(row.function, **parameters), at, grid).value[some]
    one_by_one = [value(row, at.at_prevalence(grid[i]), parameters) for i in some]
    signed = row.lowest < 0 or "normalized" in row.name
    np.testing.assert_allclose(swept, one_by_one, rtol=1e-12, atol=1e-14 if signed else 0, err_msg=row.name)
