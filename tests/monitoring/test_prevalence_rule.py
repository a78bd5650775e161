"""How often ``baserate monitor`` says that the prevalence has moved when it has not, and when it has."""

import numpy as np
import pytest

import baserate as br
from baserate.monitoring.judging import has_moved


def curve(n_pos, n_rows):
    return br.Curve.from_counts([1.0], pos=[int(n_pos)], neg=[int(n_rows - n_pos)])


def shares(n_pos, ratio, series, looks, n_rows=20_000):
    """In how many of the series one of the looks says so; the first three periods are the reference."""
    rng = np.random.default_rng(7)
    said = 0
    for _ in range(series):
        before = curve(rng.binomial(3 * n_rows, n_pos / n_rows), 3 * n_rows)
        later = rng.binomial(n_rows, ratio * n_pos / n_rows, looks)
        said += any(has_moved(before, curve(k, n_rows), 1.5) for k in later)
    return said / series


@pytest.mark.slow
@pytest.mark.parametrize("n_pos", [200, 20])
def test_a_prevalence_that_stays_is_seldom_said_to_have_moved(n_pos):
    """In 9 looks after a reference of 3 periods, fewer than 5 % of series."""
    assert shares(n_pos, 1, series=1000, looks=9) < 0.04


@pytest.mark.slow
def test_a_doubling_is_seen():
    assert shares(200, 2, series=300, looks=1) == 1
    assert 0.55 < shares(20, 2, series=500, looks=1) < 0.75
