"""Intervals for a proportion against tables, scipy and fifty digits, and the laws they obey."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from baserate.formulas.proportions import PROPORTIONS, clopper_pearson, hoeffding, jeffreys, normal, wilson

pytestmark = pytest.mark.slow  # together, these take long

every_method = pytest.mark.parametrize("method", PROPORTIONS.values(), ids=PROPORTIONS)
levels = st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999999])


@st.composite
def counts(draw):
    n = draw(st.integers(1, 2000))
    return draw(st.integers(0, n)), n


# Newcombe, Statistics in Medicine 17 (1998), table I; the normal interval there is not clipped.
@pytest.mark.parametrize(
    ("method", "k", "n", "low", "high"),
    [
        (wilson, 81, 263, 0.2553, 0.3662),
        (wilson, 15, 148, 0.0624, 0.1605),
        (wilson, 0, 20, 0.0000, 0.1611),
        (wilson, 1, 29, 0.0061, 0.1718),
        (clopper_pearson, 81, 263, 0.2527, 0.3676),
        (clopper_pearson, 15, 148, 0.0578, 0.1617),
        (clopper_pearson, 0, 20, 0.0000, 0.1684),
        (clopper_pearson, 1, 29, 0.0009, 0.1776),
        (normal, 81, 263, 0.2522, 0.3638),
        (normal, 15, 148, 0.0527, 0.1500),
        (normal, 0, 20, 0.0000, 0.0000),
        (normal, 1, 29, 0.0000, 0.1009),
    ],
)
def test_newcombe(method, k, n, low, high):
    assert method(k, n, 0.95) == pytest.approx((low, high), abs=5.001e-5)


# BinomCI of the R package DescTools.
@pytest.mark.parametrize(
    ("method", "low", "high"),
    [
        (jeffreys, 0.4311217, 0.5688783),
        (wilson, 0.4313609, 0.5686391),
        (clopper_pearson, 0.4286584, 0.5713416),
        (normal, 0.4307048, 0.5692952),
    ],
)
def test_desctools(method, low, high):
    assert method(100, 200, 0.95) == pytest.approx((low, high), abs=5.001e-8)


def test_738_cases_are_within_5_points_by_hoeffding():
    def half_width(n):
        return float(np.ptp(hoeffding(n / 2, n, 0.95))) / 2

    assert half_width(738) < 0.05 < half_width(737)


@settings(max_examples=200)
@given(case=counts(), level=levels)
def test_scipy(case, level):
    k, n = case
    test = binomtest(k, n)
    assert wilson(k, n, level) == pytest.approx(tuple(test.proportion_ci(level, "wilson")), rel=1e-10, abs=1e-15)
    # scipy's search for the exact one stops at a tolerance of its own.
    exact = test.proportion_ci(level, "exact")
    assert clopper_pearson(k, n, level) == pytest.approx(tuple(exact), rel=1e-8, abs=1e-11)
    low, high = beta.ppf([(1 - level) / 2, (1 + level) / 2], k + 0.5, n - k + 0.5)
    assert jeffreys(k, n, level) == pytest.approx((low * (k > 0), high if k < n else 1), rel=1e-10)


# In the last one, scipy's inverse of the beta distribution is far off.
@pytest.mark.parametrize(
    ("k", "n"), [(0, 10), (7, 10), (1, 10**5), (0, 10**9), (1, 10**9), (2, 10**9), (7, 10**9), (1000, 333906324)]
)
def test_rare_successes_keep_their_digits(k, n):
    """The tails of the binomial at the ends of the exact interval, and the square of the score at Wilson's."""
    with mp.workdps(50):
        tail = (1 - mp.mpf(0.95)) / 2

        def at_most(successes, p):
            return mp.fsum(mp.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(successes + 1))

        low, high = (mp.mpf(float(end)) for end in clopper_pearson(k, n, 0.95))
        assert at_most(k, high) == pytest.approx(tail, rel=1e-10)
        assert low == 0 if k == 0 else 1 - at_most(k - 1, low) == pytest.approx(tail, rel=1e-10)

        squared_z = 2 * mp.erfinv(mp.mpf(0.95)) ** 2
        for end in (mp.mpf(float(end)) for end in wilson(k, n, 0.95)):
            if end > 0:
                assert (k - n * end) ** 2 / (n * end * (1 - end)) == pytest.approx(squared_z, rel=1e-12)


@pytest.mark.parametrize("n", [1000, 10**9])
def test_rare_failures_mirror_rare_successes(n):
    k = np.array([0, 1, 5, 100])
    for method in PROPORTIONS.values():
        few, many = method(k, n, 0.95), method(n - k, n, 0.95)
        np.testing.assert_allclose((1 - many.high, 1 - many.low), few, atol=2e-16)


def test_next_to_no_success():
    """Quantiles that no float can hold are 0."""
    low, high = clopper_pearson([1e-12, 1e-3, 0.01], 50, 0.95)
    assert low[0] == low[1] == 0
    assert 0 < low[2] < 1e-100
    np.testing.assert_allclose(high, clopper_pearson(0, 50, 0.95).high, rtol=0.01)


@every_method
def test_no_success_and_no_failure(method):
    low, high = method([0, 12], 12, 0.95)
    assert low[0] == 0
    assert high[1] == 1
    assert method(12, 12, 0.95) == pytest.approx((1 - high[0], 1))


@every_method
@settings(max_examples=50)
@given(case=counts(), level=levels)
def test_laws(method, case, level):
    k, n = case
    low, high = method(k, n, level)
    assert 0 <= low <= k / n + 1e-15
    assert k / n - 1e-15 <= high <= 1
    mirrored = method(n - k, n, level)
    np.testing.assert_allclose((1 - mirrored.high, 1 - mirrored.low), (low, high), atol=1e-13)
    wider = method(k, n, (1 + level) / 2)
    assert wider.low <= low
    assert high <= wider.high


@every_method
def test_more_successes_move_both_ends_up(method):
    """Also between whole numbers, which effective sizes need not be."""
    low, high = method(np.linspace(0, 40, 161), 40, 0.9)
    middle = slice(1, -1) if method is normal else slice(None)  # without a failure, its width is zero
    assert (np.diff(low[middle]) >= 0).all()
    assert (np.diff(high[middle]) >= 0).all()
    assert np.ptp(low) > 0.5


def test_hoeffding_holds_the_exact_interval():
    k = np.arange(61)
    wide, exact = hoeffding(k, 60, 0.95), clopper_pearson(k, 60, 0.95)
    assert (wide.low <= exact.low).all()
    assert (exact.high <= wide.high).all()


@every_method
def test_shapes(method):
    single = method(3, 10, 0.95)
    assert single.low.shape == single.high.shape == ()
    table = method(np.array([[1], [3]]), np.array([10, 20, 30]), 0.95)
    assert table.low.shape == table.high.shape == (2, 3)
    assert (table.low[1, 0], table.high[1, 0]) == single


@every_method
def test_no_cases_tell_nothing(method):
    low, high = method([0, 1], [0, 2], 0.95)
    np.testing.assert_array_equal(np.isnan(low), [True, False])
    np.testing.assert_array_equal(np.isnan(high), [True, False])
