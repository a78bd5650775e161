"""Differences of few rows, by few draws: nothing but numbers that make sense."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.uncertainty import ends
from helpers.simulated import normal_pair

QUESTIONS = (
    (br.average_precision, None),
    (br.roc_auc, None),
    (br.best_f1, None),
    (br.precision, "recall >= 0.5"),
    (br.lr_positive, "fpr <= 0.2"),
    (br.precision, "threshold=2"),
    (br.mcc, "best=f1"),
)


@st.composite
def few_rows(draw):
    n_pos, n_neg = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    scores = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 40]))), min_size=n_pos + n_neg, max_size=n_pos + n_neg)
    return br.Pair.from_scores(np.repeat([1, 0], [n_pos, n_neg]), draw(scores), draw(scores))


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    few_rows(),
    st.sampled_from(QUESTIONS),
    st.sampled_from(["expanded", "melded", None]),
    st.sampled_from([(0.5, 12), (0.9, 150), (0.95, 400)]),
    st.sampled_from([None, 1e-6, 0.999]),
)
def test_ends_are_ordered_and_p_values_agree(pair, question, method, asked, prevalence):
    (metric, at), (level, n_draws) = question, asked
    read = pair if prevalence is None else pair.at_prevalence(prevalence)
    settings = {"at": at, "method": method, "confidence_level": level, "n_resamples": n_draws, "rng": 1}
    try:
        found = br.difference(metric, read, **settings)
    except br.errors.InputError:
        assert method == "expanded"  # which needs rows and draws: see below
        return
    numbers = found.low, found.high, found.p_value
    if any(map(math.isnan, numbers)):
        assert all(map(math.isnan, numbers))
        assert found.reason is not None
        return
    assert found.low <= found.value <= found.high
    assert 0 < found.p_value <= 1
    if found.value == 0:
        assert found.p_value == 1 or found.method == "delong_t"
    one_draw = 2 / n_draws
    if found.low <= 0 <= found.high:
        assert found.p_value >= 1 - level - 2 * one_draw
    else:
        assert found.p_value <= 1 - level + 2 * one_draw


def test_so_few_rows_that_no_draw_comes_as_far_out_are_melded():
    with pytest.raises(br.errors.InputError, match="method must be one of 'melded', 'percentile'"):
        br.difference(br.average_precision, normal_pair(4, 50), method="expanded")
    assert br.difference(br.average_precision, normal_pair(4, 50), rng=0).method == "melded"


def test_so_few_draws_that_none_comes_as_far_out_are_refused():
    """At 99 %, Student's law for 20 rows leaves 0.0021 beyond an end; 200 draws do not say where that is."""
    assert ends.expanded_tail(0.99, 20) == pytest.approx(0.00211, rel=0.01)
    with pytest.raises(
        br.errors.InputError, match=r"n_resamples must be at least 474 for a confidence level of 0\.99, got 200"
    ):
        br.difference(br.average_precision, normal_pair(20, 60), confidence_level=0.99, n_resamples=200)
    found = br.difference(br.average_precision, normal_pair(20, 60), confidence_level=0.99, n_resamples=474, rng=0)
    assert found.method == "expanded"


def test_two_infinite_models_have_no_interval_by_any_method():
    """Their difference is not a number, and neither is what is said of it."""
    label = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    pair = br.Pair.from_scores(label, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0], [9, 7, 8, 6, 5, 4, 3, 2, 1, 0, 0])
    for method in ("percentile", "melded", "expanded"):
        found = br.difference(br.lr_positive, pair, at="fpr <= 0.1", method=method, n_resamples=400, rng=0)
        assert math.isnan(found.value)
        assert all(map(math.isnan, (found.low, found.high, found.p_value)))
        assert found.reason is not None


@pytest.mark.parametrize("method", ["delong_t", "delong", "influence"])
def test_a_p_value_is_never_0(method):
    label = np.repeat([1, 0], [200, 200])
    noise = np.random.default_rng(0).normal(size=400)
    found = br.difference(br.roc_auc, br.Pair.from_scores(label, noise + label, -noise - label), method=method)
    assert 0 < found.p_value < 1e-16


def test_draws_on_the_other_side_of_the_value_are_no_proof():
    """The value is inside of the interval, and so is 0 if the draws are beyond it."""
    drawn = np.linspace(0.1, 1, 400).reshape(1, 400, 1)
    low, high, p = ends.expanded(drawn, np.array([-0.2]), 0.95, 100)
    assert low[0] == -0.2
    assert high[0] > 0
    assert p[0] == 1
    assert ends.p_value(drawn, np.array([-0.2]))[0] == 1
    assert ends.p_value(drawn, np.array([0.2]))[0] == pytest.approx(2 / 401)
