"""A few dozen nodes are as good as working out each value."""

import numpy as np
import pytest

from baserate.formulas.interpolation import interpolated


def areas_with(ratios, weights):
    """The form all areas under precision have: weight / (1 + x ratio), summed."""
    return lambda x: (weights / (1 + x[:, np.newaxis] * ratios)).sum(axis=1)


@pytest.mark.parametrize("low", [1e-9, 1e-4, 1e-2])
@pytest.mark.parametrize("high", [1e-1, 1e3, 1e9])
@pytest.mark.parametrize("ratio", [1e-9, 1e-4, 0.03, 1.0, 50.0])
def test_a_single_pole_anywhere_is_met_to_the_last_digits(low, high, ratio):
    area = areas_with(np.array([ratio]), np.array([1.0]))
    x = np.geomspace(low, high, 700)
    calls = []

    def counted(nodes):
        calls.append(len(nodes))
        return area(nodes)

    np.testing.assert_allclose(interpolated(counted, x), area(x), rtol=2e-14)
    assert sum(calls) < 400


def test_a_few_are_worked_out_directly():
    area = areas_with(np.array([0.1, 0.2]), np.array([0.5, 0.5]))
    x = np.array([1.0, 10.0, 3.0])
    np.testing.assert_array_equal(interpolated(area, x), area(x))


def test_a_node_itself_is_met_exactly():
    """Interpolation at a node divides zero by zero unless told not to."""
    area = areas_with(np.array([0.1]), np.array([1.0]))
    x = np.exp(np.concatenate([np.linspace(-3, 3, 400), 3 * np.cos((2 * np.arange(60) + 1) * np.pi / 120)]))
    assert np.isfinite(interpolated(area, x)).all()
