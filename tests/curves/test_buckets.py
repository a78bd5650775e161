"""Buckets: which one a score belongs to, how they join, and what curves of them keep."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.curves.buckets import HIGHEST_OCTAVE, MOST_BITS, OCTAVES, bucket_of, upper_end
from baserate.curves.counting import Counted, merge_counts

pytestmark = pytest.mark.slow  # together, these take long

tried = settings(max_examples=150)

SMALLEST, TINIEST_NORMAL, LARGEST = 5e-324, np.finfo(float).tiny, np.finfo(float).max
LANDMARKS = [0.0, SMALLEST, TINIEST_NORMAL, 2.0**-193, 2.0**-192, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0]
LANDMARKS += [2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64, 2.0**65, LARGEST, math.inf]
NEIGHBOURS = [
    sign * math.nextafter(x, towards) for x in LANDMARKS for towards in (-math.inf, x, math.inf) for sign in (1, -1)
]
scores = st.sampled_from(NEIGHBOURS) | st.floats(allow_nan=False) | st.floats(-2, 2)
bit_counts = st.integers(0, 8) | st.just(MOST_BITS)


def bucket_by_hand(score, bits):
    """The same by looking for the octave, and in it for the part, one after the other."""
    upper = score > 0.5
    distance = 1 - score if upper else score
    size = abs(distance)
    first = HIGHEST_OCTAVE - OCTAVES
    if size < 2.0**first:
        rank = 0
    elif size >= 2.0**HIGHEST_OCTAVE:
        rank = OCTAVES * 2**bits
    else:
        octave = first
        while size >= 2.0 ** (octave + 1):
            octave += 1
        begin = Fraction(2) ** octave
        rank = 1 + (octave - first) * 2**bits + int((Fraction(size) - begin) / begin * 2**bits)
    signed = -1 - rank if distance < 0 else rank
    return 4 * OCTAVES * 2**bits - signed if upper else signed


@tried
@given(score=scores, bits=bit_counts)
def test_buckets_are_parts_of_octaves(score, bits):
    assert bucket_of(np.array([score]), bits).tolist() == [bucket_by_hand(score, bits)]


@pytest.mark.parametrize("bits", [0, 1, 5, MOST_BITS])
def test_buckets_of_landmarks_and_their_neighbours(bits):
    assert bucket_of(np.array(NEIGHBOURS), bits).tolist() == [bucket_by_hand(score, bits) for score in NEIGHBOURS]


@tried
@given(some=st.lists(scores, min_size=2, max_size=30), bits=bit_counts)
def test_a_higher_score_is_never_in_a_lower_bucket(some, bits):
    in_order = np.sort(np.array([*some, *NEIGHBOURS]))
    assert (np.diff(bucket_of(in_order, bits)) >= 0).all()


@tried
@given(some=st.lists(scores, min_size=2, max_size=30), bits=st.integers(1, MOST_BITS))
def test_fewer_bits_join_buckets_and_split_none(some, bits):
    points = np.array([*some, *NEIGHBOURS])
    coarse_of = {}
    for fine, coarse in zip(bucket_of(points, bits), bucket_of(points, bits - 1), strict=True):
        assert coarse_of.setdefault(fine, coarse) == coarse


def test_scores_of_both_zeros_share_a_bucket_and_one_has_its_own():
    for bits in (0, 3, MOST_BITS):
        zeros = bucket_of(np.array([0.0, -0.0, SMALLEST]), bits)
        assert zeros.tolist() == [0, 0, 0]
        assert bucket_of(np.array([-SMALLEST, 1.0]), bits).tolist() == [-1, upper_end(bits)]


def test_ids_fit_in_a_float_and_the_two_sides_do_not_meet():
    ends = bucket_of(np.array([-math.inf, 0.5, np.nextafter(0.5, 1), math.inf]), MOST_BITS)
    assert np.abs(ends).max() < 2**53
    assert ends[1] < ends[2]


def test_buckets_narrow_towards_zero_and_one():
    """Relative to the distance: as many buckets from 0.1 to 0.2 as from 1e-9 to 2e-9, and as below 1."""
    for low in (0.1, 1e-9, 1e-30):
        ids = bucket_of(np.linspace(low, 2 * low, 10_000), 4)
        assert 16 <= len(np.unique(ids)) <= 17
    assert len(np.unique(bucket_of(1 - np.linspace(1e-9, 2e-9, 10_000), 4))) in (16, 17)


# --- joining --------------------------------------------------------------------------------------

ends = st.integers(-6, 6).map(float) | st.sampled_from([-math.inf, -0.0, math.inf])
entries = st.lists(
    st.tuples(ends, ends, st.integers(0, 3), st.integers(0, 300)).map(lambda e: (*sorted(e[:2]), *e[2:])), max_size=8
)


def counted(some):
    low, top, pos, neg = (np.array(column) for column in zip(*some, strict=True)) if some else np.zeros((4, 0))
    return Counted(low.astype(float), pos.astype(int), neg.astype(int), top=top.astype(float))


def joined_by_hand(some):
    """Join any two that have a score in common until there are none."""
    some = [entry for entry in some if entry[2] or entry[3]]
    for i, a in enumerate(some):
        for j, b in enumerate(some[:i]):
            if a[0] <= b[1] and b[0] <= a[1]:
                one = (min(a[0], b[0]), max(a[1], b[1]), a[2] + b[2], a[3] + b[3])
                return joined_by_hand([*some[:j], *some[j + 1 : i], *some[i + 1 :], one])
    return sorted(some, reverse=True)


def as_entries(merged):
    top = merged.score if merged.top is None else merged.top
    return list(zip(merged.score.tolist(), top.tolist(), merged.pos.tolist(), merged.neg.tolist(), strict=True))


@tried
@given(some=entries)
def test_joining_equals_the_union_of_closed_ranges(some):
    merged = merge_counts(counted(some))
    assert as_entries(merged) == joined_by_hand(some)
    assert (merged.top is None) == all(low == top for low, top, _, _ in joined_by_hand(some))
    for column in (merged.score, merged.top):
        assert column is None or not np.signbit(column[column == 0]).any()


@tried
@given(some=entries, order=st.randoms(use_true_random=False), cut=st.integers(0, 8))
def test_what_is_joined_first_does_not_matter(some, order, cut):
    shuffled = list(some)
    order.shuffle(shuffled)
    parts = [merge_counts(counted(part)) for part in (shuffled[:cut], shuffled[cut:])]
    again = merge_counts(counted([entry for part in parts for entry in as_entries(part)]))
    assert as_entries(again) == as_entries(merge_counts(counted(some)))


def test_an_empty_bucket_joins_nothing_and_leaves_no_trace():
    apart = br.Curve.from_counts([0, 4, 1], pos=[1, 1, 0], neg=[2, 2, 0], top=[2, 6, 5])
    assert (apart.score.tolist(), apart.top.tolist()) == ([4, 0], [6, 2])
    exact = br.Curve.from_counts([0, 4, 1], pos=[1, 1, 0], neg=[2, 2, 0], top=[0, 4, 5])
    assert not exact.bucketed
    assert exact == br.Curve.from_counts([0, 4], pos=[1, 1], neg=[2, 2])


def test_weights_and_their_squares_are_joined_too():
    curve = br.Curve.from_counts(
        [0, 1, 5], pos=[0.5, 1, 0], neg=[0, 0.25, 2], top=[2, 3, 5], pos_squares=[0.25, 1, 0], neg_squares=[0, 0.1, 4]
    )
    assert (curve.score.tolist(), curve.top.tolist()) == ([5, 0], [5, 3])
    assert (curve.pos.tolist(), curve.neg.tolist()) == ([0, 1.5], [2, 0.25])
    assert (curve.pos_squares.tolist(), curve.neg_squares.tolist()) == ([0, 1.25], [4, 0.1])


def test_a_top_below_its_score_is_refused():
    with pytest.raises(br.errors.InputError, match=r"top must not be below score, got 1.0 below 2.0; swap them\."):
        br.Curve.from_counts([1, 2], [1, 1], [1, 1], top=[1, 1])
    with pytest.raises(br.errors.InputError, match="same length"):
        br.Curve.from_counts([1, 2], [1, 1], [1, 1], top=[1])
    with pytest.raises(br.errors.InputError, match="missing"):
        br.Curve.from_counts([1], [1], [1], top=[np.nan])


# --- curves ---------------------------------------------------------------------------------------

EXACT = br.Curve.from_scores([0, 1, 1], [0.5, 2.5, 7.0])
BUCKETS = br.Curve.from_counts([0, 4], pos=[1, 2], neg=[8, 0], top=[2, 6])
WEIGHTED = br.Curve.from_scores([0, 1], [3.0, 5.0], weight=[0.5, 2.0])


def with_unlabelled(curve, rows):
    return replace(curve, unlabelled=rows)


def test_a_bucketed_curve_says_so():
    assert BUCKETS.bucketed
    assert repr(BUCKETS) == "Curve(3 pos, 8 neg, prevalence 1 in 3.667, 2 buckets)"
    assert (BUCKETS.score.tolist(), BUCKETS.top.tolist()) == ([4, 0], [6, 2])
    assert not EXACT.bucketed
    assert EXACT.top.tolist() == EXACT.score.tolist()
    assert "0 to 6" in BUCKETS._repr_html_()
    assert repr(with_unlabelled(EXACT, 1200)) == "Curve(2 pos, 1 neg, prevalence 66.7 %, 1,200 rows unlabelled)"
    rates = br.Curve.from_rates([0.5], [0.1])
    assert not rates.bucketed
    with pytest.raises(br.errors.MissingInformationError):
        _ = rates.top


def test_pooling_joins_buckets_of_different_curves():
    pooled = br.Curve.pool([with_unlabelled(EXACT, 2), BUCKETS, with_unlabelled(EXACT, 3)])
    assert (pooled.score.tolist(), pooled.top.tolist()) == ([7, 4, 2.5, 0], [7, 6, 2.5, 2])
    assert (pooled.pos.tolist(), pooled.neg.tolist()) == ([2, 2, 2, 1], [0, 0, 0, 10])
    assert pooled.unlabelled == 5
    weighted = BUCKETS + WEIGHTED
    assert weighted.weighted
    assert (weighted.score.tolist(), weighted.top.tolist()) == ([4, 3, 0], [6, 3, 2])
    assert weighted.pos_squares.tolist() == [6, 0, 1]
    assert sum([BUCKETS, BUCKETS]) == BUCKETS + BUCKETS
    assert (BUCKETS + EXACT).at_prevalence(0.1) == BUCKETS.at_prevalence(0.1) + EXACT.at_prevalence(0.1)


def test_metrics_read_a_bucket_as_a_tie():
    tied = br.Curve.from_counts([0, 4], pos=[1, 2], neg=[8, 0])
    assert br.average_precision(BUCKETS) == br.average_precision(tied)
    assert br.precision(BUCKETS).tolist() == br.precision(tied).tolist()
    assert tied != BUCKETS


KEPT = {
    "buckets": BUCKETS,
    "buckets read at a prevalence": BUCKETS.at_prevalence(0.01),
    "weighted buckets": BUCKETS + WEIGHTED,
    "infinite buckets": br.Curve.from_counts([-np.inf, 4], pos=[1, 2], neg=[8, 0], top=[2, np.inf]),
    "unlabelled rows": with_unlabelled(BUCKETS, 17),
}


@pytest.mark.parametrize("name", KEPT)
def test_buckets_come_back_from_a_file(name, tmp_path):
    KEPT[name].save(tmp_path / "curve")
    back = br.Curve.load(tmp_path / "curve")
    assert back == KEPT[name]
    assert repr(back) == repr(KEPT[name])
    assert (back.top.tolist(), back.unlabelled) == (KEPT[name].top.tolist(), KEPT[name].unlabelled)


def test_curves_that_differ_in_buckets_or_missing_labels_are_not_equal():
    assert br.Curve.from_counts([0, 4], pos=[1, 2], neg=[8, 0], top=[2, 5]) != BUCKETS
    assert with_unlabelled(BUCKETS, 1) != BUCKETS
    assert with_unlabelled(BUCKETS, 1) == with_unlabelled(BUCKETS, 1)


def test_a_file_with_a_top_below_its_score_is_refused(tmp_path):
    path = tmp_path / "curve.npz"
    header = json.dumps({"format": "baserate curve", "version": 1, "facts": {"prevalence": None}})
    np.savez(path, header=np.array(header), score=[2.0], top=[1.0], pos=[1], neg=[1])
    with pytest.raises(br.errors.CurveFileError, match="top must not be below score"):
        br.Curve.load(path)


@pytest.mark.parametrize("rows", ["many", 1e400, -3])
def test_a_file_with_an_impossible_number_of_unlabelled_rows_is_refused(rows, tmp_path):
    path = tmp_path / "curve.npz"
    facts = {"prevalence": None, "unlabelled": rows}
    header = json.dumps({"format": "baserate curve", "version": 1, "facts": facts})
    np.savez(path, header=np.array(header), score=[2.0], pos=[1], neg=[1])
    with pytest.raises(br.errors.CurveFileError, match="columns of a curve"):
        br.Curve.load(path)


def test_an_undefined_metric_keeps_its_reason():
    found = br.bounds(br.f1, br.Curve.from_counts([0], pos=[0], neg=[3], top=[1]).at_threshold(0.5))
    assert (math.isnan(found.low), found.reason) == (True, br.Reason.NO_POSITIVES)
