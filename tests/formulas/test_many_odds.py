"""Sums over many ratios for many x are what summing them one by one gives, to the last digits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.formulas import areas, many_odds

X = np.geomspace(1e-6, 1e6, 41)


@given(st.lists(st.floats(1e-30, 1e30) | st.just(0.0) | st.floats(0.99, 1.01), min_size=1, max_size=30))
def test_sums_are_exact_to_the_last_digits(ratios):
    ratio = np.array(ratios)
    weight = np.linspace(0.5, 1, len(ratio))
    found = many_odds.summed(weight, ratio, X)
    for x, value in zip(X[::10], found[::10], strict=True):
        terms = zip(weight.tolist(), ratio.tolist(), strict=True)
        exact = sum(Fraction(w) / (1 + Fraction(float(x)) * Fraction(r)) for w, r in terms)
        assert value == pytest.approx(float(exact), rel=4e-15)


def test_ratios_that_spread_too_far_for_cells():
    ratio, weight = np.array([1e-200, 0.5, 1e200]), np.ones(3)
    np.testing.assert_allclose(many_odds.summed(weight, ratio, X), [np.sum(1 / (1 + x * ratio)) for x in X], rtol=1e-15)


def corners(share, decimals):
    random = np.random.default_rng(5)
    positive = random.random(60_000) < share
    score = (random.normal(size=60_000) + 1.5 * positive).round(decimals)
    return br.Curve.from_scores(positive, score).table


@pytest.mark.parametrize("recalls", [(0.0, 1.0), (0.2, 0.9)])
@pytest.mark.parametrize(("share", "decimals"), [(0.1, 12), (0.5, 12), (0.5, 4), (0.9, 12)])
def test_areas_of_many_corners_are_those_of_one_x_at_a_time(share, decimals, recalls):
    table = corners(share, decimals)
    for area, steps in ((areas.average_precision, table.steps), (areas.auc_pr, table.merged_steps)):
        assert many_odds.is_worth_it(len(X), len(steps.tp)) or len(steps.tp) < 4096
        one_by_one = [area(steps, X[j : j + 1], *recalls)[0] for j in range(len(X))]
        np.testing.assert_allclose(area(steps, X, *recalls), one_by_one, rtol=1e-14)


def test_pieces_that_are_not_short_are_told():
    tpr, fpr = np.array([0.0, 0.0, 0.5, 0.5, 0.5, 0.5]), np.array([0.0, 0.0, 0.0, 0.1, 0.1, 0.1])
    rise, run = np.array([0.1, 0.1, 0.1, 0.001, 0.1, 0.001]), np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.01])
    found = many_odds.short_pieces(areas.Segments(tpr, fpr, rise, run))
    assert found.tolist() == [True, False, True, True, False, False]


def test_long_pieces_of_many_odds_are_done_a_part_at_a_time(monkeypatch):
    steps = corners(0.1, 12).steps
    at_once = areas.auc_pr(steps, X, 0.0, 1.0)
    monkeypatch.setattr(areas, "_AT_ONCE", 100)
    np.testing.assert_allclose(areas.auc_pr(steps, X, 0.0, 1.0), at_once, rtol=1e-15)
