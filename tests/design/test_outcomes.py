"""How a test set may turn out."""

import numpy as np
import pytest
from scipy import stats

from baserate.design.outcomes import outcomes


@pytest.mark.parametrize(("n", "rate"), [(1, 0.3), (10, 0.5), (40, 0.95), (3000, 0.001), (300, 0.9999), (5, 1.0)])
def test_few_counts_have_the_chances_of_the_binomial(n, rate):
    found = outcomes(n, rate)
    np.testing.assert_allclose(found.chance, stats.binom.pmf(found.successes, n, rate), atol=3e-6)
    assert found.chance.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("n", "rate"), [(10**6, 0.3), (10**6, 0.7), (10**9, 1e-4), (10**12, 1e-5)])
def test_many_counts_share_cells_that_keep_the_law(n, rate):
    found = outcomes(n, rate)
    assert len(found.successes) <= 400
    mean = (found.successes * found.chance).sum()
    spread = np.sqrt(((found.successes - mean) ** 2 * found.chance).sum())
    assert mean == pytest.approx(n * rate, abs=1e-3 * np.sqrt(n * rate))
    assert spread == pytest.approx(np.sqrt(n * rate * (1 - rate)), rel=2e-3)
    middle = len(found.successes) // 2
    below = found.chance[:middle].sum()
    last = (found.successes[middle - 1] + found.successes[middle]) / 2
    assert below == pytest.approx(stats.binom.cdf(np.floor(last), n, rate), abs=2e-3)


@pytest.mark.parametrize(("n", "rate"), [(7, 0.4), (40, 0.5), (30_000, 0.001), (100, 0.9), (10**5, 0.999), (60, 0.93)])
def test_what_is_smooth_is_carried_from_nodes_to_counts(n, rate):
    found = outcomes(n, rate)
    assert found.spread.shape == (len(found.successes), len(found.nodes))
    for smooth in (lambda k: 1 / (2 + k), lambda k: np.log(3 + n - k), lambda k: k / (k + n * rate)):
        exact = smooth(found.successes)
        np.testing.assert_allclose(found.spread @ smooth(found.nodes), exact, rtol=0, atol=3e-4 * np.ptp(exact))


def test_no_success_and_no_failure_stand_apart():
    for n, rate, alone in ((12_000, 0.001, 0), (400, 0.98, 400)):
        found = outcomes(n, rate)
        assert len(found.nodes) < len(found.successes)
        assert alone in found.successes
        jump = found.spread @ np.where(found.nodes == alone, 1.0, 0.0)
        np.testing.assert_array_equal(jump, np.where(found.successes == alone, 1.0, 0.0))
