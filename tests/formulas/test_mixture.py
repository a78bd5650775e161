"""The mixture of positives and negatives, against optimisers that know nothing of its algebra."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import xlogy

from baserate.formulas.mixture import Histograms, MixtureFit, fit_mixture, fit_posteriors, profile

pytestmark = pytest.mark.slow  # together, these take long

RISE = 3.8415

TABLES = {
    "three bins": ([10, 30, 60], [800, 150, 50], [690, 190, 120]),
    "four bins": ([5, 10, 20, 40], [300, 120, 50, 10], [900, 600, 700, 800]),
    "empty cells": ([0, 7, 20], [90, 30, 0], [40, 30, 25]),
    "a bin without positives and one without negatives": ([3, 0, 30], [50, 7, 0], [20, 6, 10]),
    "two bins": ([12, 28], [180, 20], [300, 100]),
    "no positives to be seen": ([5, 45], [450, 50], [920, 80]),
    "only positives to be seen": ([5, 45], [450, 50], [2, 98]),
    "fractions": ([1.5, 7.25, 11.0], [40.5, 8.25, 2.5], [33.3, 12.1, 9.7]),
}


def histograms(table):
    return Histograms(*(np.array(column, float) for column in TABLES[table]))


def deviance_by_em(counts, prevalence, steps=4000):
    """Twice the log-likelihood that is lacking at each prevalence: shares by expectation and maximisation."""
    pos, neg, unlabelled = counts
    eta = prevalence[:, np.newaxis]
    f1 = f0 = np.full((len(eta), len(pos)), 1 / len(pos))
    for _ in range(steps):
        r = unlabelled * eta * f1 / (eta * f1 + (1 - eta) * f0)
        f1, f0 = pos + r, neg + unlabelled - r
        f1, f0 = (f / f.sum(axis=1, keepdims=True) for f in (f1, f0))
    reached = xlogy(pos, f1) + xlogy(neg, f0) + xlogy(unlabelled, eta * f1 + (1 - eta) * f0)
    best = sum(float(xlogy(column, column / column.sum()).sum()) for column in counts)
    return 2 * (best - reached.sum(axis=1))


@pytest.mark.parametrize("table", TABLES)
def test_the_profile_is_the_best_there_is(table):
    counts = histograms(table)
    found = profile(counts, np.linspace(-4, 6, 41))
    assert found.deviance == pytest.approx(deviance_by_em(counts, found.prevalence), abs=1e-5)


def test_em_finds_what_a_general_optimiser_does():
    counts = histograms("three bins")
    best = sum(float(xlogy(column, column / column.sum()).sum()) for column in counts)

    def lacking(x):
        f1, f0 = (np.append(half, 1 - half.sum()) for half in (x[:2], x[2:]))
        if min(f1.min(), f0.min()) <= 0:
            return 1e9
        return 2 * (best - sum((xlogy(c, f)).sum() for c, f in zip(counts, (f1, f0, 0.3 * f1 + 0.7 * f0), strict=True)))

    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 1e-9, "fatol": 1e-10}
    found = minimize(lacking, [0.3, 0.3, 0.6, 0.3], method="Nelder-Mead", options=options)
    assert found.fun == pytest.approx(float(deviance_by_em(counts, np.array([0.3]))[0]), abs=1e-6)


@pytest.mark.parametrize("table", TABLES)
def test_value_and_ends_against_a_grid(table):
    counts = histograms(table)
    found = fit_mixture(counts, RISE)
    grid = np.concatenate([[1e-9], np.linspace(0, 1, 1001)[1:-1], [1 - 1e-9]])
    deviance = deviance_by_em(counts, grid, 2500)
    assert found.deviance == pytest.approx(deviance.min(), abs=0.01)
    assert found.prevalence == pytest.approx(grid[np.argmin(deviance)], abs=0.001)
    inside = grid[deviance <= found.deviance + RISE]
    assert found.low == pytest.approx(inside[0], abs=0.001)
    assert found.high == pytest.approx(inside[-1], abs=0.001)
    assert (found.low == 0) == (inside[0] == grid[0])
    assert (found.high == 1) == (inside[-1] == grid[-1])


@pytest.mark.parametrize("table", TABLES)
def test_the_pull_is_the_slope_of_the_likelihood(table):
    counts = histograms(table)
    tilt = np.linspace(-3, 5, 9)
    step = 1e-5
    left, right, middle = (profile(counts, tilt + shift) for shift in (-step, step, 0.0))
    slope = -(right.deviance - left.deviance) / (right.prevalence - left.prevalence) / 2
    assert middle.pull / (middle.prevalence * (1 - middle.prevalence)) == pytest.approx(slope, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize(("pos", "neg", "now"), [((12, 28), (180, 20), (300, 100)), ((30, 10), (20, 180), (60, 140))])
def test_two_bins_are_the_adjusted_count(pos, neg, now):
    found = fit_mixture(Histograms(*(np.array(c, float) for c in (pos, neg, now))), RISE)
    tpr, fpr, q = (column[1] / sum(column) for column in (pos, neg, now))
    assert found.prevalence == pytest.approx((q - fpr) / (tpr - fpr), rel=1e-8)
    assert found.deviance == pytest.approx(0, abs=1e-10)


def test_many_fits_at_once_are_single_fits():
    rng = np.random.default_rng(1)
    many = Histograms(*(rng.integers(1, 60, (3, 4, 5)).astype(float) for _ in range(3)))
    found = fit_mixture(many, RISE)
    for place in np.ndindex(3, 4):
        one = fit_mixture(Histograms(*(column[place] for column in many)), RISE)
        assert [float(column[place]) for column in found] == pytest.approx([float(x) for x in one], abs=1e-9)


def test_ends_are_reached_exactly():
    none = fit_mixture(histograms("no positives to be seen"), RISE)
    assert (none.prevalence, none.low) == (0, 0)
    assert 0 < none.high < 0.1
    every = fit_mixture(histograms("only positives to be seen"), RISE)
    assert (every.prevalence, every.high) == (1, 1)
    assert 0.7 < every.low < 1


def test_rows_that_are_exactly_the_negatives_have_none():
    neg = np.array([800.0, 150.0, 50.0])
    found = fit_mixture(Histograms(np.array([10.0, 30.0, 60.0]), neg, 3 * neg), RISE)
    assert found.prevalence == 0
    assert found.deviance == pytest.approx(0, abs=1e-9)


def test_a_billion_rows_keep_their_digits():
    """The peak is far narrower than the places that are looked at first."""
    pos, neg = np.array([1e8, 3e8, 6e8]), np.array([8e9, 1.5e9, 5e8])
    mixed = 0.01 * pos / pos.sum() + 0.99 * neg / neg.sum()
    found = fit_mixture(Histograms(pos, neg, 1e9 * mixed), RISE)
    assert found.prevalence == pytest.approx(0.01, rel=1e-7)
    assert 0.00995 < found.low < 0.01 < found.high < 0.01005


def test_a_tiny_prevalence_is_found():
    """One in a million, where no negative ever scores high."""
    pos, neg = np.array([1.0, 999.0]), np.array([1e9, 0.0])
    found = fit_mixture(Histograms(pos, neg, np.array([1e7 - 10, 10.0])), RISE)
    assert found.prevalence == pytest.approx(1e-6, rel=0.01)
    assert 4e-7 < found.low < 1e-6 < found.high < 2.1e-6


def em_steps(share, prevalence, steps):
    """Saerens, Latinne & Decaestecker: posteriors at a prevalence, their mean, and again."""
    eta = prevalence
    for _ in range(steps):
        odds = share / (1 - share) * (1 - prevalence) / prevalence * eta / (1 - eta)
        eta = float(np.mean(odds / (1 + odds)))
    return eta


@pytest.mark.parametrize("prevalence", [0.05, 0.5])
def test_trusted_scores_end_where_em_does(prevalence):
    share = np.random.default_rng(2).beta(0.7, 3, 400)
    found = fit_posteriors(share, np.ones(400), prevalence, RISE)
    assert found.prevalence == pytest.approx(em_steps(share, prevalence, 20_000), abs=1e-8)


def test_the_ends_of_trusted_scores():
    share = np.random.default_rng(2).beta(0.7, 3, 400)

    def log_likelihood(eta):
        return np.log(eta * share / 0.2 + (1 - eta) * (1 - share) / 0.8).sum()

    found = fit_posteriors(share, np.ones(400), 0.2, RISE)
    top = log_likelihood(found.prevalence)
    assert all(2 * (top - log_likelihood(end)) == pytest.approx(RISE, abs=1e-6) for end in (found.low, found.high))
    assert found.low < found.prevalence < found.high
    # Counts are rows.
    twice = fit_posteriors(np.append(share, share), np.ones(800), 0.2, RISE)
    again = fit_posteriors(share, np.full(400, 2.0), 0.2, RISE)
    assert [float(x) for x in again[:3]] == pytest.approx([float(x) for x in twice[:3]])


@pytest.mark.parametrize(
    ("share", "expected"),
    [([0.0, 0.0, 0.0], 0.0), ([1.0, 1.0], 1.0), ([0.01, 0.02], 0.0), ([0.9, 0.99], 1.0), ([0.0, 1.0], 0.5)],
)
def test_certain_scores(share, expected):
    found = fit_posteriors(np.array(share), np.ones(len(share)), 0.5, RISE)
    assert isinstance(found, MixtureFit)
    assert found.prevalence == pytest.approx(expected, abs=1e-9)
    assert found.low <= found.prevalence <= found.high
    assert (found.low == 0) == (expected == 0)
    assert (found.high == 1) == (expected == 1)
