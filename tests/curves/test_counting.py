"""The one primitive that sorts, against a dictionary."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.curves.counting import Counted, count_rows, count_weighted_rows, merge_counts, merge_counts_by_group


def counted_by_hand(scores, positive, weight=None):
    table = defaultdict(lambda: [0, 0])
    for k, (score, is_positive) in enumerate(zip(scores, positive, strict=True)):
        table[float(score) + 0.0][0 if is_positive else 1] += 1 if weight is None else weight[k]
    return sorted(((s, p, n) for s, (p, n) in table.items() if p or n), reverse=True)


def as_rows(counted):
    return list(zip(counted.score.tolist(), counted.pos.tolist(), counted.neg.tolist(), strict=True))


rows = st.lists(
    st.tuples(
        st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1e-300, 0.5, np.inf]) | st.floats(allow_nan=False), st.booleans()
    ),
    max_size=60,
)


@pytest.mark.slow
@settings(max_examples=200)
@given(rows=rows)
def test_counts_equal_a_dictionary(rows):
    scores, positive = np.array([s for s, _ in rows], float), np.array([y for _, y in rows], bool)
    assert as_rows(count_rows(scores, positive)) == counted_by_hand(scores, positive)


@pytest.mark.slow
@settings(max_examples=100)
@given(rows=rows, seed=st.integers(0, 9))
def test_weighted_counts_equal_a_dictionary(rows, seed):
    scores, positive = np.array([s for s, _ in rows], float), np.array([y for _, y in rows], bool)
    weight = np.random.default_rng(seed).integers(0, 4, len(rows)).astype(float)
    counted = count_weighted_rows(scores, positive, weight)
    assert as_rows(counted) == counted_by_hand(scores, positive, weight)
    assert counted.pos_squares.sum() + counted.neg_squares.sum() == (weight**2).sum()


def test_many_ties_need_wide_counts():
    """Counts beyond one and two bytes, in both classes."""
    scores = np.repeat([2.0, 1.0], [300, 70_000])
    positive = np.arange(len(scores)) % 3 == 0
    assert as_rows(count_rows(scores, positive)) == counted_by_hand(scores, positive)


def test_minus_zero_is_written_as_zero():
    for curve in (br.Curve.from_scores([0, 1], [-0.0, 0.0]), br.Curve.from_counts([-0.0], [1], [1])):
        assert curve.score.tolist() == [0.0]
        assert not np.signbit(curve.score).any()


def test_input_is_left_alone():
    scores, labels = np.array([0.3, -0.0, 0.9]), np.array([0, 1, 1])
    before = scores.copy(), labels.copy()
    br.Curve.from_scores(labels, scores)
    assert np.array_equal(scores, before[0])
    assert np.signbit(scores[1])
    assert np.array_equal(labels, before[1])


def test_counts_seen_from_outside_do_not_overflow():
    curve = br.Curve.from_scores([1, 0, 1], [3, 2, 1])
    assert curve.pos.dtype == np.int64
    assert (curve.pos * 1000).tolist() == [1000, 0, 1000]


SCORES = st.sampled_from([-np.inf, -3.5, -0.0, 0.0, 0.1, 0.2, 0.30000000000000004, 1.0, 4.0, np.inf])
CELLS = st.tuples(st.integers(0, 4), SCORES, SCORES, st.integers(0, 300), st.integers(0, 70_000))


@given(cells=st.lists(CELLS), ends=st.booleans())
def test_groups_merged_together_are_as_each_merged_alone(cells, ends):
    cells = [cell for cell in cells if cell[3] or cell[4]]
    group = np.array([cell[0] for cell in cells], np.intp)
    low, high = (np.array([end(cell[1:3]) for cell in cells], np.float64) for end in (min, max))
    pos, neg = (np.array([cell[k] for cell in cells], np.int64) for k in (3, 4))
    top = high if ends else None
    merged = merge_counts_by_group(Counted(low, pos, neg, top=top), group, 5)
    for k, found in enumerate(merged):
        at = group == k
        alone = merge_counts(Counted(low[at], pos[at], neg[at], top=None if top is None else top[at]))
        for ours, theirs in zip(found, alone, strict=True):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                assert ours.dtype == theirs.dtype
                assert ours.base is None  # else one curve would keep the rows of all
                np.testing.assert_array_equal(ours, theirs)
