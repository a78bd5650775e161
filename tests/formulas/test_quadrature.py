"""Integrals over the quantiles of a distribution."""

import numpy as np
import pytest
from scipy import stats

from baserate.formulas.quadrature import beta_at_nodes, weighted_quantiles
from baserate.formulas.weighted_means import Law

SIZES = (8, 16, 64, 16, 8)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 40.5), (3, 300), (200, 7)])
def test_means_and_quantiles_are_those_of_the_law(a, b):
    nodes, weights = beta_at_nodes(Law(a, b), SIZES)
    law = stats.beta(a, b)
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    assert weights @ nodes == pytest.approx(law.mean(), rel=1e-5)
    assert weights @ nodes**2 == pytest.approx(law.var() + law.mean() ** 2, rel=1e-4)
    tails = 0.025, 0.975
    assert weighted_quantiles(nodes, weights, tails) == pytest.approx(law.ppf(tails), rel=5e-3)


def test_a_rate_that_is_certain_is_one_node():
    assert [beta_at_nodes(Law(*law), SIZES)[0].tolist() for law in ((0, 3), (3, 0))] == [[0.0], [1.0]]


def test_infinite_values_are_not_interpolated():
    numbers, weights = np.array([1.0, np.inf, 2.0]), np.full(3, 1 / 3)
    assert weighted_quantiles(numbers, weights, (0.3, 0.99)).tolist() == [pytest.approx(1.4), np.inf]
