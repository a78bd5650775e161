"""Tables of Poisson laws."""

import numpy as np
import pytest
from scipy import stats

from baserate.formulas.poisson import looked_up, poisson_tables

MEANS = np.array([1.0, 2.0, 37.0, 512.0])


def test_the_tables_are_poisson_laws():
    lowest, cdf, guide = poisson_tables(MEANS)
    value = lowest[:, np.newaxis] + np.arange(cdf.shape[1])
    assert cdf == pytest.approx(stats.poisson(MEANS[:, np.newaxis]).cdf(value), abs=1e-13)
    part = np.arange(guide.shape[1]) / guide.shape[1]
    for shares, first in zip(cdf, guide, strict=True):
        assert np.array_equal(first, np.searchsorted(shares, part, side="right"))


def test_numbers_looked_up_are_quantiles():
    uniform = np.random.default_rng(0).random((6, 1000))
    table_of = np.array([3, 0, 1, 2, 2, 0])
    expected = stats.poisson(MEANS[table_of][:, np.newaxis]).ppf(uniform)
    assert np.array_equal(looked_up(uniform, table_of, poisson_tables(MEANS)), expected)
