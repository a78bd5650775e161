"""Weighted rows are sorted by score and weight, by whichever way is quicker."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.curves.counting import _by_key_and_weight

FEW = st.sampled_from([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, 5e-324])


@given(st.lists(st.tuples(FEW | st.floats(allow_nan=False), st.sampled_from([0.0, 0.1, 1.0, 2.0])), max_size=40))
def test_rows_come_by_score_and_then_by_weight(rows):
    keys, weight = np.array(rows, np.float64).reshape(-1, 2).T
    order, expected = _by_key_and_weight(keys, weight), np.lexsort((weight, keys))
    np.testing.assert_array_equal(keys[order], keys[expected])
    np.testing.assert_array_equal(weight[order], weight[expected])
    assert sorted(order) == list(range(len(keys)))


@pytest.mark.parametrize("weight", [0.01, 0.5, 1.0, 3.0])
def test_average_precision_does_not_depend_on_the_unit_of_weights(weight):
    """Nor whether weights are below 1, at 1, or above it."""
    random = np.random.default_rng(0)
    positive, score = random.random(500) < 0.3, random.random(500)
    weighted = br.Curve.from_scores(positive, score, weight=np.full(500, weight))
    expected = br.average_precision(br.Curve.from_scores(positive, score))
    assert br.average_precision(weighted) == pytest.approx(expected, rel=1e-14)
    rates = br.Curve.from_rates(weighted.tpr, weighted.fpr, prevalence=weighted.prevalence)
    assert br.average_precision(rates) == pytest.approx(expected, rel=1e-12)
