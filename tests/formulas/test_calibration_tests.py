"""Statistics of tests of calibration, by hand, row by row, and between limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from baserate.formulas import calibration_tests
from baserate.formulas.calibration_tests import expected_in_bins, pearson, pearson_range


def hl(score, pos, neg, place):
    score, pos, neg, place = (np.asarray(column) for column in (score, pos, neg, place))
    return float(pearson(expected_in_bins(score, pos, neg, place)).sum())


def test_the_lecture_example():
    """Two bins; LMU, Introduction to Machine Learning: calibration."""
    assert hl([0.9, 0.1], [2, 0], [0, 2], [1, 0]) == pytest.approx(4 / 9, abs=1e-12)
    assert hl([0.9, 0.7], [2, 0], [0, 2], [1, 0]) == pytest.approx(44 / 9, abs=1e-12)


def test_a_bin_is_the_textbook_sum():
    """Three scores in one bin: 10 rows expect 2.5 positives, 14 expect 7, 6 expect 5.1."""
    score, pos, neg = np.array([0.25, 0.5, 0.85]), np.array([4, 6, 5]), np.array([6, 8, 1])
    observed, expected, n = 15, 2.5 + 7 + 5.1, 30
    by_hand = (observed - expected) ** 2 / expected + (n - observed - (n - expected)) ** 2 / (n - expected)
    assert hl(score, pos, neg, [0, 0, 0]) == pytest.approx(by_hand, rel=1e-12)


def test_the_impossible_is_infinite_and_the_certain_is_nothing():
    assert hl([0.0], [1], [5], [0]) == np.inf
    assert hl([1.0], [5], [1], [0]) == np.inf
    assert hl([0.0], [0], [5], [0]) == 0
    assert hl([1.0], [5], [0], [0]) == 0


def test_next_to_one_nothing_cancels():
    """One negative among a million rows at 1 - 1e-9: 0.001 expected, one counted."""
    rest = 1 - (1 - 1e-9)
    found = hl([1 - 1e-9], [999_999], [1], [0])
    assert found == pytest.approx((1 - 1e6 * rest) ** 2 / (1e6 * rest), rel=1e-6)


SCORES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 20), st.integers(0, 20), st.integers(0, 2)),
    min_size=1,
    max_size=6,
)


def limits(entries):
    one, other, pos, neg, place = (np.array(column) for column in zip(*entries, strict=True))
    return np.minimum(one, other), np.maximum(one, other), pos, neg, place


@pytest.mark.slow
@settings(max_examples=100)
@given(SCORES, st.floats(0, 1), st.data())
def test_statistics_stay_within_their_range(entries, along, data):
    """Wherever each row's score lies within its limits, rows of one entry together or apart."""
    low, high, pos, neg, place = limits(entries)
    low, high = np.clip(low, 1e-6, 1 - 1e-6), np.clip(high, 1e-6, 1 - 1e-6)
    found = pearson_range(expected_in_bins(low, pos, neg, place), expected_in_bins(high, pos, neg, place))
    z = calibration_tests.spiegelhalter_range(low, high, pos, neg)
    turns = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(low), max_size=len(low))))
    for share_of_pos, share_of_neg in ((along, along), (turns, along), (turns, turns[::-1])):
        at_pos, at_neg = (low + share * (high - low) for share in (share_of_pos, share_of_neg))
        score = np.clip(np.append(at_pos, at_neg), np.append(low, low), np.append(high, high))
        apart = np.append(pos, 0 * pos), np.append(0 * neg, neg)
        value = hl(score, *apart, np.append(place, place))
        assert found.low * (1 - 1e-9) - 1e-9 <= value <= found.high * (1 + 1e-9) + 1e-9
        value = calibration_tests.spiegelhalter(score, *apart)
        if not np.isnan(value):
            assert z.low - 1e-9 * (1 + abs(z.low)) <= value <= z.high + 1e-9 * (1 + abs(z.high))


def test_the_range_ends_at_zero_where_the_sum_does():
    """At a score of one half neither the sum nor its variance is anything but zero."""
    low, high, pos, neg = np.array([1e-6]), np.array([0.5]), np.array([0]), np.array([1])
    assert calibration_tests.spiegelhalter_range(low, high, pos, neg).high == 0


def test_ranges_are_not_wider_than_they_must_be():
    """One entry: both ends of the Hosmer–Lemeshow range are reached, and zero where the counts are in between."""
    low, high, pos, neg, place = np.array([0.3]), np.array([0.4]), np.array([7]), np.array([3]), np.array([0])
    found = pearson_range(expected_in_bins(low, pos, neg, place), expected_in_bins(high, pos, neg, place))
    assert found == pytest.approx((hl(high, pos, neg, place), hl(low, pos, neg, place)), rel=1e-12)
    wide = pearson_range(
        expected_in_bins(np.array([0.3]), pos, neg, place), expected_in_bins(np.array([0.8]), pos, neg, place)
    )
    assert wide.low == 0
    same = calibration_tests.spiegelhalter_range(low, low, pos, neg)
    assert same == pytest.approx([calibration_tests.spiegelhalter(low, pos, neg)] * 2, rel=1e-12)


def test_parts_of_spiegelhalter_turn_within_the_limits():
    """A positive pulls least at 3/4, a negative at 1/4, by 1/8 each; the variance is 1/16 at most and 0 at 1/2."""

    def range_of(low, high, pos, neg):
        return calibration_tests.spiegelhalter_range(
            np.array([low]), np.array([high]), np.array([pos]), np.array([neg])
        )

    root = 1 / np.sqrt(0.4**2 * 0.21)
    assert range_of(0.7, 0.8, 1, 0).low == pytest.approx(-0.125 * root, rel=1e-12)
    assert range_of(0.2, 0.3, 0, 1).low == pytest.approx(-0.125 * root, rel=1e-12)
    assert range_of(0.1, 0.2, 1, 0).low == pytest.approx(0.8 * 0.6 / 0.25, rel=1e-12)
    assert range_of(0.8, 0.9, 0, 1).low == pytest.approx(0.8 * 0.6 / 0.25, rel=1e-12)
    assert range_of(0.4, 0.6, 1, 0) == (-np.inf, np.inf)


def test_spiegelhalter_is_the_sum_over_rows():
    rng = np.random.default_rng(0)
    p, y = rng.random(50), rng.integers(0, 2, 50)
    by_hand = np.sum((y - p) * (1 - 2 * p)) / np.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p)))
    assert calibration_tests.spiegelhalter(p, y, 1 - y) == pytest.approx(by_hand, rel=1e-12)


def test_spiegelhalter_is_the_brier_score_in_standard_errors():
    """The sum of (y - p)² less that of p (1 - p), over its standard deviation."""
    rng = np.random.default_rng(1)
    p, y = rng.random(50), rng.integers(0, 2, 50)
    excess = np.sum((y - p) ** 2) - np.sum(p * (1 - p))
    z = calibration_tests.spiegelhalter(p, y, 1 - y)
    assert z * np.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p))) == pytest.approx(excess, rel=1e-10)


@pytest.mark.parametrize("score", [[0.5, 0.5], [0.0, 1.0], [0.0, 0.5]])
def test_spiegelhalter_without_variance_is_undefined(score):
    assert np.isnan(calibration_tests.spiegelhalter(np.array(score), np.array([1, 2]), np.array([2, 1])))


def test_tails_are_those_of_survival_functions():
    assert calibration_tests.chi2_tail(234.6, 5) == pytest.approx(chi2.sf(234.6, 5), rel=1e-12)
    assert calibration_tests.chi2_tail(np.inf, 5) == 0
    assert calibration_tests.normal_tails(-9.0) == pytest.approx(2 * norm.sf(9.0), rel=1e-12)
    assert calibration_tests.normal_tails(0.0) == 1
