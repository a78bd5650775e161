"""Probabilities moved to another prevalence: laws, fifty digits, containers, bad input."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.formulas.prior_shift import shifted
from helpers.oracle import exact

pytestmark = pytest.mark.slow  # together, these take long

tried = settings(max_examples=200)

LARGEST_BELOW_1 = 1 - 2.0**-53
etas = st.floats(-30, 30).map(lambda z: float(scipy.special.expit(z)))
extreme_etas = st.one_of(etas, st.sampled_from([1e-300, 1e-100, 1e-9, 0.5, 1 - 1e-9, LARGEST_BELOW_1]))
extreme_scores = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 5e-324, 1e-310, 1e-300, 1e-17, 0.5, 1 - 1e-9, LARGEST_BELOW_1, 1.0])
)
usual = st.floats(-9, 9).map(lambda z: float(scipy.special.expit(z)))


def pair(score):
    return np.array([score]), np.array([1 - score])


# --- values ---------------------------------------------------------------------------------------


def test_the_textbook_case():
    """A test with sensitivity 99 % and specificity 95 %, and one ill person in a hundred: 1/6 of alarms are true."""
    balanced = Fraction(99, 99 + 5)
    assert br.adjust(float(balanced), 0.5, 0.01) == pytest.approx(1 / 6, rel=1e-15)
    assert br.adjust(1 / 6, "1:99", "1:1") == pytest.approx(float(balanced), rel=1e-15)


@tried
@given(score=extreme_scores, before=extreme_etas, after=extreme_etas)
@example(1.5e-323, 0.7, LARGEST_BELOW_1)
@example(1e-320, 0.3, LARGEST_BELOW_1)
@example(LARGEST_BELOW_1, LARGEST_BELOW_1, 1e-300)
@example(1e-310, 1e-300, LARGEST_BELOW_1)
def test_fifty_digits_agree_on_the_probability_and_on_the_rest(score, before, after):
    p, pi, eta = exact(score), exact(before), exact(after)
    mass, other = p * eta * (1 - pi), (1 - p) * (1 - eta) * pi
    moved = shifted(*pair(score), before, after)
    for found, expected in zip(moved, (mass / (mass + other), other / (mass + other)), strict=True):
        if expected < 2.3e-308:  # floats this small have fewer digits
            assert found[0] == pytest.approx(float(expected), rel=1e-14, abs=1e-323)
        else:
            assert abs(exact(found[0]) - expected) <= mpmath.mpf("1e-14") * expected
    assert br.adjust(score, before, after) == moved.share[0]


def test_certainty_stays():
    for after in (1e-300, 0.3, LARGEST_BELOW_1):
        assert br.adjust([0, 1], 0.4, after).tolist() == [0, 1]


# --- laws -----------------------------------------------------------------------------------------


@tried
@given(score=extreme_scores, eta=extreme_etas)
def test_the_same_prevalence_changes_no_bit(score, eta):
    assert br.adjust(score, eta, eta) == score


@tried
@given(score=usual, before=usual, after=usual)
def test_there_and_back(score, before, after):
    assert br.adjust(br.adjust(score, before, after), after, before) == pytest.approx(score, rel=1e-7)
    moved = shifted(*shifted(*pair(score), before, after), after, before)
    assert moved.share[0] == pytest.approx(score, rel=1e-14)
    assert moved.rest[0] == pytest.approx(1 - score, rel=1e-14)


@tried
@given(score=extreme_scores, first=etas, second=etas, third=etas)
def test_two_moves_are_one(score, first, second, third):
    twice = shifted(*shifted(*pair(score), first, second), second, third)
    once = shifted(*pair(score), first, third)
    np.testing.assert_allclose(twice, once, rtol=1e-14, atol=1e-300)


@tried
@given(start=usual, before=usual, after=usual)
@example(0.8878809843799368, 0.8860514047483202, 0.988267846764505)
@example(0.00582916022621811, 0.002709389583395185, 0.9201836632527397)
def test_order_is_kept_between_neighbouring_floats(start, before, after):
    """The plain formula swaps some of them."""
    neighbours = start + np.spacing(start) * np.arange(2000)
    assert (np.diff(br.adjust(neighbours[neighbours <= 1], before, after)) >= 0).all()


@tried
@given(scores=st.lists(extreme_scores, max_size=20), before=extreme_etas, after=extreme_etas)
def test_order_is_kept_from_end_to_end(scores, before, after):
    scores = np.sort(np.append(scores, 2.0 ** -np.arange(40, 70)))  # also where small odds are probabilities
    assert (np.diff(br.adjust(scores, before, after)) >= 0).all()


@tried
@given(score=usual, before=usual, low=usual, high=usual)
def test_a_higher_prevalence_means_higher_probabilities(score, before, low, high):
    low, high = sorted((low, high))
    assert br.adjust(score, before, low) <= br.adjust(score, before, high)


@tried
@given(score=st.integers(0, 2**20), before=st.integers(1, 2**20 - 1), after=st.integers(1, 2**20 - 1))
def test_the_other_class_mirrors_it(score, before, after):
    p, pi, eta = (k / 2**20 for k in (score, before, after))  # their complements are exact
    assert br.adjust(1 - p, 1 - pi, 1 - eta) == shifted(*pair(p), pi, eta).rest[0]
    assert br.adjust(1 - p, 1 - pi, 1 - eta) == pytest.approx(1 - br.adjust(p, pi, eta), rel=1e-12, abs=1e-15)


@tried
@given(
    classes=st.lists(st.tuples(st.floats(0.001, 1), st.floats(0.001, 1)), min_size=1, max_size=20),
    before=usual,
    after=usual,
)
def test_the_mean_of_bayes_posteriors_is_the_prevalence(classes, before, after):
    """In a population whose features are known, also where it moves to."""
    positives, negatives = (np.array(column) / sum(column) for column in zip(*classes, strict=True))
    posterior = before * positives / (before * positives + (1 - before) * negatives)
    moved = br.adjust(posterior, before, after)
    assert np.sum(moved * (after * positives + (1 - after) * negatives)) == pytest.approx(after, rel=1e-9)


@tried
@given(scores=st.lists(usual, min_size=1, max_size=20), threshold=usual, before=usual, after=usual)
def test_a_moved_threshold_picks_the_same_rows(scores, threshold, before, after):
    scores = np.array([*scores, threshold])
    moved, moved_threshold = br.adjust(scores, before, after), br.adjust(threshold, before, after)
    picked = scores >= threshold
    assert (moved[picked] >= moved_threshold).all()
    assert (moved[~picked] <= moved_threshold).all()
    far = np.abs(scores - threshold) > 1e-6  # nearer ones may become equal
    assert (moved >= moved_threshold)[far].tolist() == picked[far].tolist()


# --- what comes in and out ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, np.float32),
        lambda v: np.array(v, object),
        pd.Series,
        lambda v: pd.Series(v, dtype="Float64"),
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]]),
    ],
)
def test_any_column_gives_an_array(wrap):
    moved = br.adjust(wrap([0.25, 0.5, 1.0]), 0.5, 0.1)
    assert type(moved) is np.ndarray
    assert moved.dtype == np.float64
    assert moved == pytest.approx([1 / 28, 0.1, 1], rel=1e-15)


@pytest.mark.parametrize("score", [0.25, np.float64(0.25), np.float32(0.25), Fraction(1, 4), 1])
def test_a_number_gives_a_float(score):
    moved = br.adjust(score, 0.5, 0.1)
    assert type(moved) is float
    assert moved == br.adjust([float(score)], 0.5, 0.1)[0]


def test_what_comes_out_is_new_and_what_came_in_is_untouched():
    scores = np.array([0.25, 0.5])
    for after in (0.5, 0.1):
        moved = br.adjust(scores, 0.5, after)
        assert not np.shares_memory(moved, scores)
    assert scores.tolist() == [0.25, 0.5]


def test_no_scores_are_no_scores():
    assert br.adjust(np.zeros(0), 0.5, 0.1).shape == (0,)


@pytest.mark.parametrize(
    ("scores", "before", "after", "sentence"),
    [
        ([0.1, 1.2], 0.5, 0.1, r"^scores must be probabilities between 0 and 1, got 1.2; turn .*Calibrated.*\.$"),
        ([-1e-9], 0.5, 0.1, "scores must be probabilities between 0 and 1, got -1e-09"),
        ([np.inf], 0.5, 0.1, "scores must be probabilities between 0 and 1, got inf"),
        ([0.1, np.nan], 0.5, 0.1, "scores must have no missing values, got 1 missing"),
        ([0.1, None], 0.5, 0.1, "scores must have no missing values, got 1 missing"),
        ([[0.1], [0.2]], 0.5, 0.1, "scores must be one-dimensional"),
        (["high"], 0.5, 0.1, "scores must be real numbers"),
        ("0.3", 0.5, 0.1, "scores must be a column of values"),
        ([Decimal("0.1")], 0.5, 0.1, "scores must be real numbers"),
        (1.5, 0.5, 0.1, "scores must be between 0 and 1, got 1.5"),
        (float("nan"), 0.5, 0.1, "scores must be a number, got nan"),
        (True, 0.5, 0.1, "scores must be a number, got True"),
        (None, 0.5, 0.1, "scores must be a column of values"),
        ([0.1], 0, 0.1, "from_prevalence must be strictly between 0 and 1, got 0"),
        ([0.1], 0.5, 1, "to_prevalence must be strictly between 0 and 1, got 1"),
        ([0.1], 0.5, "often", "to_prevalence must be strictly between 0 and 1, got 'often'"),
        ([0.1], None, 0.1, "from_prevalence must be a number, got None"),
    ],
)
def test_bad_input(scores, before, after, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.adjust(scores, before, after)
