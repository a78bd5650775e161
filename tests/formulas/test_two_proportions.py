"""Ratios and F_beta of two proportions: published limits, a likelihood searched in forty digits, and laws."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from baserate.formulas.proportions import wilson
from baserate.formulas.two_proportions import f_beta_by_delta, f_beta_by_score, ratio_by_delta, ratio_by_score

pytestmark = pytest.mark.slow  # together, these take long

INF = float("inf")
levels = st.sampled_from([0.5, 0.9, 0.95, 0.999])
odds = st.sampled_from([1e-3, 0.5, 1.0, 9.0, 999.0, 1e6])
betas = st.sampled_from([0.1, 0.5, 1.0, 2.0])


@st.composite
def tables(draw, most=60):
    """tp, n_pos, fp, n_neg."""
    n_pos, n_neg = draw(st.integers(1, most)), draw(st.integers(1, most))
    return draw(st.integers(0, n_pos)), n_pos, draw(st.integers(0, n_neg)), n_neg


# --- the oracle: a score test from its definition -------------------------------------------------


def score_statistic(tp, n_pos, fp, n_neg, a, b, c):
    """Of the hypothesis a T - b F = c: the squared departure by its variance where the likelihood is largest."""
    t_hat, f_hat = mp.mpf(tp) / n_pos, mp.mpf(fp) / n_neg
    below, above = max(mp.mpf(0), c / a), min(mp.mpf(1), (b + c) / a)
    for _ in range(130):
        t = (below + above) / 2
        f = (a * t - c) / b
        slope = n_pos * (t_hat - t) * b * f * (1 - f) + n_neg * (f_hat - f) * a * t * (1 - t)
        below, above = (t, above) if slope > 0 else (below, t)
    return (a * t_hat - b * f_hat - c) ** 2 / (a**2 * t * (1 - t) / n_pos + b**2 * f * (1 - f) / n_neg)


def statistic_of_ratio(table, r):
    return score_statistic(*table, mp.mpf(1), mp.mpf(r), mp.mpf(0))


def statistic_of_f_beta(table, x, beta, f):
    square = mp.mpf(beta) ** 2
    return score_statistic(*table, (1 + square) / mp.mpf(f) - 1, mp.mpf(x), square)


def critical(level):
    return 2 * mp.erfinv(mp.mpf(level)) ** 2


def crosses(statistic, level, end, within):
    """Whether the test changes its mind at `end`, to a relative `within`."""
    with mp.workdps(40):
        end, limit = mp.mpf(float(end)), critical(level)
        return (statistic(end * (1 - within)) > limit) != (statistic(end * (1 + within)) > limit)


# --- published -----------------------------------------------------------------------------------


def test_koopman():
    """Koopman, Biometrics 40 (1984), in the digits of Nam, Biometrical Journal 37 (1995)."""
    assert ratio_by_score(36, 40, 16, 80, 0.95) == pytest.approx((2.940, 7.152), abs=5.001e-4)


def test_aspirin():
    """Agresti, Categorical Data Analysis: heart attacks of 11034 with placebo and 11037 with aspirin."""
    assert ratio_by_delta(189, 11034, 104, 11037, 0.95) == pytest.approx((1.43, 2.31), abs=5.001e-3)


def test_katz_log():
    """Fagerland, Lydersen & Laake, Statistical Methods in Medical Research 24 (2015)."""
    low, high = ratio_by_delta(7, 34, 1, 34, 0.95)
    assert low == pytest.approx(0.91, abs=5.001e-3)
    assert high == pytest.approx(54, abs=0.5001)


# --- the score interval is what the score test does not reject -----------------------------------

LARGE = [
    (1, 10**9, 1, 10**9),
    (10**9 - 1, 10**9, 1, 10**9),
    (1, 10**9, 10**9 - 1, 10**9),
    (5 * 10**8, 10**9, 3, 10**9),
    (3, 7, 1, 10**9),
    (0, 10**9, 2, 3),
    (10**6, 10**6, 0, 10**9),
    (10**6, 10**6, 17, 10**9),
    (12345, 54321, 678, 9 * 10**8),
]
SMALL = [(0, 5, 0, 9), (5, 5, 0, 9), (0, 5, 9, 9), (5, 5, 9, 9), (3, 5, 0, 9), (3, 5, 9, 9), (0, 5, 4, 9), (5, 5, 4, 9)]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
@pytest.mark.parametrize("table", LARGE + SMALL, ids=str)
def test_ends_of_a_ratio(table, level):
    low, high = ratio_by_score(*table, level)
    assert (low == 0) == (table[0] == 0)
    assert (high == INF) == (table[2] == 0)
    for end in (low, high):
        assert end in (0, INF) or crosses(lambda r: statistic_of_ratio(table, r), level, end, 1e-13)


@pytest.mark.parametrize(("x", "beta"), [(1.0, 1.0), (1e-3, 2.0), (1e3, 0.5), (1e9, 1.0), (30.0, 1e-3), (30.0, 1e2)])
@pytest.mark.parametrize("table", LARGE + SMALL, ids=str)
def test_ends_of_f_beta(table, x, beta):
    low, high = f_beta_by_score(*table, x=x, beta=beta, confidence_level=0.95)
    assert (low == 0) == (table[0] == 0)
    assert (high == 1) == (table[0] == table[1] and table[2] == 0)
    for end in (low, high):
        assert end in (0, 1) or crosses(lambda f: statistic_of_f_beta(table, x, beta, f), 0.95, end, 1e-13)


@settings(max_examples=150)
@given(table=tables(), level=levels, log_r=st.floats(-12, 12))
def test_a_ratio_is_inside_iff_the_test_accepts_it(table, level, log_r):
    """Anywhere, so the accepted values have no gaps and no islands."""
    low, high = ratio_by_score(*table, level)
    r = np.exp(log_r)
    with mp.workdps(40):
        distance = statistic_of_ratio(table, r) - critical(level)
    assume(abs(distance) > 1e-12)
    assert (low <= r <= high) == (distance < 0)


@settings(max_examples=150)
@given(table=tables(), level=levels, x=odds, beta=betas, logit=st.floats(-16, 8))
def test_f_beta_is_inside_iff_the_test_accepts_it(table, level, x, beta, logit):
    low, high = f_beta_by_score(*table, x=x, beta=beta, confidence_level=level)
    f = 1 / (1 + np.exp(-logit))
    with mp.workdps(40):
        distance = statistic_of_f_beta(table, x, beta, f) - critical(level)
    assume(abs(distance) > 1e-12)
    assert (low <= f <= high) == (distance < 0)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_ratio_of_one_is_inside_iff_pearsons_chi_square_accepts_it(level):
    tp, fp = np.meshgrid(np.arange(13), np.arange(21))
    low, high = ratio_by_score(tp, 12, fp, 20, level)
    pooled = (tp + fp) / 32
    with np.errstate(invalid="ignore"):
        chi_square = (tp / 12 - fp / 20) ** 2 / (pooled * (1 - pooled) * (1 / 12 + 1 / 20))
    accepted = ~(chi_square > float(critical(level)))
    np.testing.assert_array_equal((low <= 1) & (high >= 1), accepted)
    assert accepted.any()
    assert not accepted.all()


# --- zero and full counts ------------------------------------------------------------------------


def test_ratios_at_zero_counts():
    assert ratio_by_score(0, 10, 0, 20, 0.95) == (0, INF)
    low, high = ratio_by_score([0, 3], 10, [3, 0], 20, 0.95)
    assert low[0] == 0
    assert high[1] == INF
    assert 0 < low[1] < INF
    assert 0 < high[0] < INF
    assert np.isnan(ratio_by_delta([0, 3, 0], 10, [3, 0, 0], 20, 0.95)).all()


def test_next_to_no_alert_a_ratio_may_be_anything():
    assert ratio_by_delta(1e-6, 10, 3, 20, 0.95) == (0, INF)


def test_a_full_count_is_at_its_limit_and_leaves_the_other_to_wilson():
    """T must be 1 for the ratio to be so large: only F is in doubt."""
    few, all_10, all_20 = (float(wilson(*counts, 0.95).low) for counts in [(3, 20), (10, 10), (20, 20)])
    assert ratio_by_score(10, 10, 3, 20, 0.95).high == pytest.approx(1 / few, rel=1e-14)
    assert ratio_by_score(3, 20, 10, 10, 0.95).low == pytest.approx(few, rel=1e-14)
    assert ratio_by_score(10, 10, 20, 20, 0.95) == pytest.approx((all_10, 1 / all_20), rel=1e-14)


def test_f_beta_at_zero_counts():
    options = {"x": 9.0, "beta": 1.0, "confidence_level": 0.95}
    low, high = f_beta_by_score([0, 10, 0], 10, [0, 0, 20], 20, **options)
    assert low[0] == low[2] == 0
    assert high[1] == 1
    t = float(wilson(0, 10, 0.95).high)  # without false alerts nothing speaks against F = 0
    assert high[0] == pytest.approx(2 * t / (t + 1), rel=1e-14)
    assert np.isnan(f_beta_by_delta([0, 10, 0], 10, [0, 0, 20], 20, **options)).all()
    assert np.isfinite(f_beta_by_delta(4, 10, 0, 20, **options)).all()


@pytest.mark.parametrize("interval", [ratio_by_delta, ratio_by_score])
def test_a_class_without_cases_tells_nothing(interval):
    assert np.isnan(interval([0, 1], [0, 2], [1, 0], [2, 0], 0.95)).all()


@pytest.mark.parametrize("interval", [f_beta_by_delta, f_beta_by_score])
def test_f_beta_without_cases_tells_nothing(interval):
    assert np.isnan(interval([0, 1], [0, 2], [1, 0], [2, 0], x=1.0, beta=1.0, confidence_level=0.95)).all()


# --- laws ----------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(table=tables(10**6), level=levels)
@pytest.mark.parametrize("interval", [ratio_by_delta, ratio_by_score])
def test_swapping_the_classes_inverts_the_ratio(interval, table, level):
    tp, n_pos, fp, n_neg = table
    with np.errstate(divide="ignore"):
        swapped = [1 / end for end in interval(fp, n_neg, tp, n_pos, level)[::-1]]
    np.testing.assert_allclose(interval(tp, n_pos, fp, n_neg, level), swapped, rtol=1e-13)


@settings(max_examples=100)
@given(table=tables(10**6), level=levels, x=odds)
def test_f_beta_without_recall_is_precision(table, level, x):
    """Mercaldo's interval for precision is that of the ratio, seen through logit = log(T/F) - log(x)."""
    for f_beta, ratio in [(f_beta_by_delta, ratio_by_delta), (f_beta_by_score, ratio_by_score)]:
        precision = f_beta(*table, x=x, beta=0.0, confidence_level=level)
        with np.errstate(divide="ignore"):
            expected = [1 / (1 + x / end) for end in ratio(*table, level)]
        np.testing.assert_allclose(precision, expected, rtol=1e-13)


@settings(max_examples=50)
@given(table=tables(10**6), level=levels, beta=betas)
def test_f_beta_among_positives_alone_is_wilsons_interval_of_recall(table, level, beta):
    f_beta = f_beta_by_score(*table, x=0.0, beta=beta, confidence_level=level)
    square = beta**2
    expected = [(1 + square) * t / (t + square) for t in wilson(table[0], table[1], level)]
    np.testing.assert_allclose(f_beta, expected, rtol=1e-13)


@settings(max_examples=100)
@given(table=tables(1000), level=levels, x=odds, beta=betas)
@pytest.mark.parametrize("interval", [f_beta_by_delta, f_beta_by_score])
def test_f_beta_is_inside_its_interval_which_grows_with_the_level(interval, table, level, x, beta):
    tp, n_pos, fp, n_neg = table
    assume(interval is f_beta_by_score or (tp > 0 and tp / n_pos - fp / n_neg < 1))
    low, high = interval(*table, x=x, beta=beta, confidence_level=level)
    estimate = (1 + beta**2) * tp / n_pos / (tp / n_pos + beta**2 + x * fp / n_neg)
    assert 0 <= low <= estimate * (1 + 1e-14)
    assert estimate * (1 - 1e-14) <= high <= 1
    wider = interval(*table, x=x, beta=beta, confidence_level=(1 + level) / 2)
    assert wider.low <= low
    assert high <= wider.high


@pytest.mark.parametrize(
    "interval",
    [
        lambda *table: ratio_by_score(*table, 0.95),
        lambda *table: f_beta_by_score(*table, x=9.0, beta=1.0, confidence_level=0.95),
    ],
    ids=["ratio", "f_beta"],
)
def test_more_right_and_fewer_wrong_move_both_ends_up(interval):
    """Also between whole numbers, which effective sizes need not be."""
    tp, fp = np.meshgrid(np.linspace(0, 12, 49), np.linspace(0, 20, 41), indexing="ij")
    for ends in interval(tp, 12, fp, 20):
        bounded = 1 / (1 + 1 / np.maximum(ends, 1e-300))  # inf is 1
        assert (np.diff(bounded, axis=0) >= -1e-14).all()
        assert (np.diff(bounded, axis=1) <= 1e-14).all()
        assert np.ptp(bounded) > 0.1


def test_delta_and_score_agree_on_many_cases():
    table = (6 * 10**7, 10**8, 10**6, 10**9)
    np.testing.assert_allclose(ratio_by_delta(*table, 0.95), ratio_by_score(*table, 0.95), rtol=1e-6)
    options = {"x": 99.0, "beta": 2.0, "confidence_level": 0.95}
    by_delta, by_score = f_beta_by_delta(*table, **options), f_beta_by_score(*table, **options)
    np.testing.assert_allclose(by_delta, by_score, rtol=1e-8)
    assert float(np.ptp(by_delta)) > 1e-4


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_the_delta_method_has_the_slopes_of_the_logit(beta):
    tp, n_pos, fp, n_neg, x, square = 70, 100, 30, 1000, 9.0, beta**2
    t, f = tp / n_pos, fp / n_neg

    def logit(t, f):
        return mp.log((1 + square) * t) - mp.log(square * (1 - t) + x * f)

    by_t, by_f = mp.diff(logit, (t, f), (1, 0)), mp.diff(logit, (t, f), (0, 1))
    error = mp.sqrt(by_t**2 * t * (1 - t) / n_pos + by_f**2 * f * (1 - f) / n_neg)
    margin = mp.sqrt(critical(0.9)) * error
    expected = [float(1 / (1 + mp.exp(-(logit(t, f) + sign * margin)))) for sign in (-1, 1)]
    assert f_beta_by_delta(tp, n_pos, fp, n_neg, x=x, beta=beta, confidence_level=0.9) == pytest.approx(expected)


@pytest.mark.parametrize("interval", [f_beta_by_delta, f_beta_by_score])
def test_shapes(interval):
    options = {"beta": 1.0, "confidence_level": 0.95}
    single = interval(7, 10, 3, 100, x=9.0, **options)
    assert single.low.shape == single.high.shape == ()
    sweep = interval(np.array([[7], [8]]), 10, 3, 100, x=np.array([1.0, 9.0, 99.0]), **options)
    assert sweep.low.shape == sweep.high.shape == (2, 3)
    assert (sweep.low[0, 1], sweep.high[0, 1]) == single
