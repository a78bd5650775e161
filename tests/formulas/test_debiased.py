"""Calibration errors without noise: another tool, and the folded normal by quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad

from baserate.formulas.debiased import debiased_l1, debiased_squares, folded_normal_mean
from helpers.calibration_sets import GOLDEN, NAMES, rows


def in_tenths(name):
    """Gap, event rate, rows of each bin (0, 0.1], …, (0.9, 1]."""
    score, label = rows(name)
    place = np.searchsorted(np.arange(1, 10) / 10, score, side="left")
    n = np.bincount(place)
    rate = np.bincount(place, label) / n
    return rate - np.bincount(place, score) / n, rate, n


@pytest.mark.parametrize("name", NAMES)
def test_uncertainty_calibration_agrees(name):
    gap, rate, n = in_tenths(name)
    share, golden = n / n.sum(), GOLDEN[name]
    squares = debiased_squares(gap, rate * (1 - rate) / (n - 1), share)
    assert squares == pytest.approx(golden["squares"], rel=1e-9)
    mean, error = golden["l1"]  # that tool draws the expectation, and divides by n
    assert debiased_l1(gap, rate * (1 - rate) / n, share) == pytest.approx(mean, abs=4 * error)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (-0.3, 0.04), (2.0, 0.01), (1e-3, 1e-4), (-5.0, 4.0)])
def test_folded_normal_mean_is_the_integral(mean, variance):
    def weighted(x):
        return abs(x) * np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    reach = 12 * np.sqrt(variance)
    wanted, _ = quad(weighted, mean - reach, mean + reach, points=[0.0, mean], epsabs=1e-13, limit=200)
    assert folded_normal_mean(np.array([mean]), np.array([variance]))[0] == pytest.approx(wanted, rel=1e-9)


def test_without_noise_nothing_is_taken_off_and_noise_alone_leaves_nothing():
    gap, share = np.array([0.1, -0.3]), np.array([0.75, 0.25])
    assert debiased_l1(gap, np.zeros(2), share) == pytest.approx(0.15)
    assert debiased_squares(gap, np.zeros(2), share) == pytest.approx(0.03)
    assert debiased_l1(np.zeros(2), np.ones(2), share) == 0
    assert debiased_squares(np.zeros(2), np.ones(2), share) == pytest.approx(-1)
