"""Weighted rows are sorted by score and weight, by whichever way is quicker."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from baserate.curves.counting import _by_key_and_weight

FEW = st.sampled_from([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, 5e-324])


@given(st.lists(st.tuples(FEW | st.floats(allow_nan=False), st.sampled_from([0.0, 0.1, 1.0, 2.0])), max_size=40))
def test_rows_come_by_score_and_then_by_weight(rows):
    keys, weight = np.array(rows, np.float64).reshape(-1, 2).T
    order, expected = _by_key_and_weight(keys, weight), np.lexsort((weight, keys))
    np.testing.assert_array_equal(keys[order], keys[expected])
    np.testing.assert_array_equal(weight[order], weight[expected])
    assert sorted(order) == list(range(len(keys)))
