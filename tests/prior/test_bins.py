"""Bins that two curves share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.prior.bins import fine_cuts, in_bins, middle_cut, places, quantile_cuts

BUCKETS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 6)), min_size=1, max_size=12)


def bucketed(buckets):
    low = np.array([start for start, _ in buckets], float)
    top = np.array([start + width for start, width in buckets], float)
    return br.Curve.from_counts(low, np.ones(len(low), int), np.ones(len(low), int), top=top)


@pytest.mark.slow
@given(BUCKETS, BUCKETS)
def test_no_stretch_begins_within_an_entry(one, other):
    curves = bucketed(one), bucketed(other)
    starts, found = places(*curves)
    assert (np.diff(starts) > 0).all()
    for curve, place in zip(curves, found, strict=True):
        assert (starts[place] <= curve.score).all()
        following = np.append(starts, np.inf)[place + 1]
        assert (curve.top < following).all()
    # No stretch is longer than it must be: every one begins at a score.
    assert set(starts) <= {*curves[0].score, *curves[1].score}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_every_bin_has_rows_of_both_classes(pos, neg):
    length = max(len(pos), len(neg))
    pos, neg = (np.pad(np.array(column, float), (0, length - len(column))) for column in (pos, neg))
    if not (pos.any() and neg.any()):
        return
    cuts = fine_cuts(pos, neg, 10)
    assert len(cuts) <= 9
    if len(cuts):
        assert in_bins(pos, cuts).min() >= 2
        assert in_bins(neg, cuts).min() >= 2
        assert in_bins(pos, cuts).sum() == pos.sum()
        assert (np.diff(cuts) > 0).all()


def test_bins_hold_equal_shares_of_both_classes():
    rng = np.random.default_rng(0)
    pos, neg = np.zeros(10_000), np.zeros(10_000)
    pos[rng.integers(3000, 10_000, 500)] += 1
    neg[rng.integers(0, 7000, 5000)] += 1
    cuts = fine_cuts(pos, neg, 8)
    shares = in_bins(pos, cuts) / pos.sum() + in_bins(neg, cuts) / neg.sum()
    # The ends are merged with their neighbours, because one class is not there.
    assert shares[1:-1] == pytest.approx(0.25, abs=0.01)
    assert shares.sum() == pytest.approx(2)


def test_a_cut_lies_in_the_middle_of_where_nothing_was_looked_at():
    amounts = np.array([1, 0, 0, 0, 0, 1, 1], float)
    assert quantile_cuts(amounts, 3).tolist() == [3, 6]
    assert middle_cut(np.array([0, 0, 0, 0, 0, 9.0]), np.array([9.0, 0, 0, 0, 0, 0])).tolist() == [3]


def test_ties_are_longer_than_bins():
    assert quantile_cuts(np.array([1.0, 98.0, 1.0]), 10).tolist() == [1, 2]
    assert quantile_cuts(np.array([100.0]), 10).tolist() == []
    assert middle_cut(np.array([5.0]), np.array([5.0])).tolist() == []
