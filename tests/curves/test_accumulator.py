"""Batches: the same as all rows at once, in bounded memory, and safe to interrupt."""

import copy
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.curves import accumulator
from baserate.curves.buckets import MOST_BITS, bucket_of

pytestmark = pytest.mark.slow  # together, these take long

SCORES = (
    st.sampled_from([-np.inf, -3.0, -0.0, 0.0, 1e-300, 0.5, 1 - 2.0**-40, 1.0, 1 + 2.0**-50, np.inf])
    | st.integers(0, 40).map(lambda k: k / 40)
    | st.floats(0.25, 0.26)
    | st.floats(allow_nan=False)
)
ROWS = st.lists(st.tuples(SCORES, st.booleans(), st.integers(0, 3).map(float)), min_size=1, max_size=50)
LIMITS = st.integers(1, 40)


def columns(rows):
    scores, positive, weight = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(positive, bool), np.array(scores, float), np.array(weight, float)


def counted(rows, max_scores, weighted=False):
    y, s, w = columns(rows)
    result = br.Accumulator(max_scores=max_scores)
    result.update(y, s, weight=w if weighted else None)
    return result


def has_weight(rows, weighted):
    return not weighted or any(weight for _, _, weight in rows)


# --- the same in any order ------------------------------------------------------------------------


@settings(max_examples=200)
@given(rows=ROWS, max_scores=LIMITS, data=st.data())
def test_any_split_order_and_tree_of_merges_gives_the_same_curve(rows, max_scores, data, tmp_path_factory):
    mixed = data.draw(st.booleans())
    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=8)))
    pool, pooled_rows, any_weighted = [], [], False
    for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        y, s, w = columns(shuffled[start:end])
        weighted = mixed and data.draw(st.booleans())
        any_weighted |= weighted
        pooled_rows += zip(s, y, w if weighted else np.ones(len(s)), strict=True)
        if not pool or data.draw(st.booleans()):
            pool.append(br.Accumulator(max_scores=max_scores))
        which = data.draw(st.integers(0, len(pool) - 1))
        pool[which].update(y, s, weight=w if weighted else None)
        if data.draw(st.integers(0, 3)) == 0:
            path = tmp_path_factory.getbasetemp() / "any moment"
            pool[which].save(path)
            pool[which] = br.Accumulator.load(path)
    while len(pool) > 1:
        other = pool.pop(data.draw(st.integers(0, len(pool) - 1)))
        pool[data.draw(st.integers(0, len(pool) - 1))].merge(other)
    if not has_weight(pooled_rows, any_weighted):
        with pytest.raises(br.errors.InputError, match="zero for every row"):
            pool[0].curve()
        return
    at_once = counted(pooled_rows, max_scores, any_weighted)
    assert pool[0].curve() == at_once.curve()
    assert repr(pool[0]) == repr(at_once)
    assert pool[0].n_rows == len(rows)


def test_levels_are_left_one_by_one():
    """Each score lies twice as far from 0.25 as the one before, so each takes a bit; at once they take all."""
    s = 0.25 * (1 + 2.0 ** -np.arange(52.0, 0, -1))
    y = np.arange(52) % 3 == 0
    going, levels = br.Accumulator(max_scores=5), []
    for end in range(1, 53):
        going.update(y[end - 1 : end], s[end - 1 : end])
        at_once = br.Accumulator(max_scores=5)
        at_once.update(y[:end], s[:end])
        assert repr(going) == repr(at_once)
        assert going.curve() == at_once.curve()
        levels.append(going._state.parts[0].bits)
    assert sorted(set(levels), reverse=True) == list(range(MOST_BITS + 1, 3, -1))


def by_hand(rows, max_scores):
    """From sets and dictionaries: the finest level that fits, and the range of each class in each of its buckets."""
    used = [(score + 0.0, positive, weight) for score, positive, weight in rows if weight]
    scores = np.array([score for score, _, _ in used])

    def groups(bits):
        return scores.tolist() if bits > MOST_BITS else bucket_of(scores, bits).tolist()

    level = next((bits for bits in range(MOST_BITS + 1, 0, -1) if len(set(groups(bits))) <= max_scores), 0)
    cells = {}
    for group, (score, positive, weight) in zip(groups(level), used, strict=True):
        low, high, pos, neg = cells.get((group, positive), (np.inf, -np.inf, 0, 0))
        pos, neg = (pos + weight, neg) if positive else (pos, neg + weight)
        cells[group, positive] = min(low, score), max(high, score), pos, neg
    low, high, pos, neg = zip(*cells.values(), strict=True)
    return level, br.Curve.from_counts(low, pos, neg, top=high)


@settings(max_examples=200)
@given(rows=ROWS, max_scores=LIMITS)
def test_the_curve_is_that_of_class_ranges_at_the_finest_level_that_fits(rows, max_scores):
    if not has_weight(rows, True):
        return
    level, expected = by_hand(rows, max_scores)
    got = counted(rows, max_scores, weighted=True)
    assert ("exact" if level > MOST_BITS else f"buckets of {level} bits") in repr(got)
    for name in ("score", "top", "pos", "neg"):
        assert np.array_equal(getattr(got.curve(), name), getattr(expected, name))
    squares = got.curve().pos_squares.sum(), got.curve().neg_squares.sum()
    assert squares == tuple(sum(w * w for _, y, w in rows if y == wanted) for wanted in (True, False))


@settings(max_examples=100)
@given(rows=ROWS)
def test_few_scores_are_exact(rows):
    y, s, w = columns(rows)
    assert counted(rows, 50).curve() == br.Curve.from_scores(y, s)
    if has_weight(rows, True):
        assert counted(rows, 50, weighted=True).curve() == br.Curve.from_scores(y, s, weight=w)


def test_the_limit_itself_is_exact():
    y, s = [0, 1, 0], [1, 2, 3]
    for max_scores, level in (3, "exact, 3 scores"), (2, "bits"):
        limited = br.Accumulator(max_scores=max_scores)
        limited.update(y, s)
        assert level in repr(limited)


def test_scores_of_one_class_only_stay_apart_from_the_other():
    """0.30 and 0.31 share a bucket in the end, and their classes are still told apart."""
    limited = br.Accumulator(max_scores=3)
    limited.update([1, 1, 0, 0, 0], [0.31, 0.311, 0.3, 0.8, 5])
    assert "4 entries" in repr(limited)
    assert limited.curve().score.tolist() == [5, 0.8, 0.31, 0.3]
    found = br.bounds(br.roc_auc, limited.curve())
    assert [found.low, found.high] == pytest.approx([1 / 3, 1 / 3], rel=1e-11)


@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc, br.auc_pr])
@pytest.mark.parametrize("max_scores", [30, 300, 3000])
def test_bounds_contain_the_exact_value(metric, max_scores):
    rng = np.random.default_rng(1)
    y = rng.random(4000) < 0.1
    s = rng.normal(size=4000) + 1.5 * y
    limited = br.Accumulator(max_scores=max_scores)
    for batch in np.array_split(np.arange(4000), 7):
        limited.update(y[batch], s[batch])
    for eta in (0.1, 1e-4):
        found = br.bounds(metric, limited.curve().at_prevalence(eta))
        assert found.low < metric(br.Curve.from_scores(y, s).at_prevalence(eta)) < found.high
        assert found.high - found.low < 200 / max_scores


def test_sums_of_fractions_agree_up_to_rounding():
    rng = np.random.default_rng(2)
    y, s, w = rng.random(500) < 0.3, rng.integers(0, 5, 500), rng.random(500)
    split = br.Accumulator()
    for batch in np.array_split(np.arange(500), 9):
        split.update(y[batch], s[batch], weight=w[batch])
    whole = br.Curve.from_scores(y, s, weight=w)
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        assert getattr(split.curve(), name) == pytest.approx(getattr(whole, name), rel=1e-14)


def test_a_batch_may_have_no_weight_if_all_rows_together_have_some():
    going = br.Accumulator()
    going.update([0, 1], [1, 2], weight=[0, 0])
    with pytest.raises(br.errors.InputError, match="weight must not be zero for every row"):
        going.curve()
    assert repr(going) == "Accumulator(0 pos, 0 neg, weighted, exact, 0 scores)"
    going.update([0, 1], [2, 3], weight=[0, 5])
    assert going.curve() == br.Curve.from_scores([0, 1, 0, 1], [1, 2, 2, 3], weight=[0, 0, 0, 5])


def test_counting_goes_on_after_a_curve_was_made():
    going = br.Accumulator()
    going.update([0, 1], [1, 2])
    first = going.curve()
    going.update([1, 1], [2, 3])
    assert first == br.Curve.from_scores([0, 1], [1, 2])
    assert going.curve() == br.Curve.from_scores([0, 1, 1, 1], [1, 2, 2, 3])


def test_nothing_counted_is_an_empty_curve():
    empty = br.Accumulator()
    assert empty.curve() == br.Curve.from_scores([], [])
    empty.update([], [])
    empty.merge(br.Accumulator())
    assert empty.curve() == br.Curve.from_scores([], [])
    assert repr(empty) == "Accumulator(0 pos, 0 neg, exact, 0 scores)"


def test_the_repr_of_weighted_rows_says_so():
    weighted = br.Accumulator()
    weighted.update([0, 1], [1, 2], weight=[0.25, 1234567])
    assert repr(weighted) == "Accumulator(1.23457e+06 pos, 0.25 neg, weighted, exact, 2 scores)"


def test_merging_leaves_the_other_alone():
    here, there = counted([(0.1, True, 1)], 9), counted([(k / 9, False, 1) for k in range(9)], 9)
    there.update([1], [7])
    before = copy.copy(there)
    here.merge(there)
    assert there._state == before._state
    here.update([0], [8])
    assert there.curve() == before.curve()
    here.merge(here)
    assert here.n_rows == 24
    assert here.curve().n_neg == 20


# --- bounded --------------------------------------------------------------------------------------


def entries(limited):
    return [part.size for part in limited._state.parts]


def test_memory_is_bounded_at_all_times():
    rng = np.random.default_rng(3)
    limited = br.Accumulator(max_scores=1000)
    largest = 0
    for size in [*rng.integers(1, 400, 100), 5000, 1, 1]:
        limited.update(rng.random(size) < 0.5, rng.standard_cauchy(size))
        largest = max(largest, sum(entries(limited)))
        assert all(2 * after < before for before, after in zip(entries(limited), entries(limited)[1:], strict=False))
    assert 1000 < largest <= 4000
    assert 500 < len(limited.curve()) <= 2000


def test_no_limit_asks_for_less_than_the_coarsest_buckets():
    scores = np.concatenate([sign * np.exp2(np.arange(-1070.0, 1024)) for sign in (-1, 1)])
    limited = br.Accumulator(max_scores=1)
    limited.update(np.arange(len(scores)) % 2, scores)
    limited.update([0, 1, 1], [1 - 2.0**-53, 1 + 2.0**-52, np.inf])
    assert "buckets of 0 bits" in repr(limited)
    assert len(limited.curve()) < 620


def test_many_small_batches_are_sorted_in_a_few_times_only(monkeypatch):
    sorted_in = 0
    plain = accumulator.merge_counts

    def watched(table):
        nonlocal sorted_in
        sorted_in += len(table.score)
        return plain(table)

    monkeypatch.setattr(accumulator, "merge_counts", watched)
    going = br.Accumulator()
    for k in range(2000):
        going.update([k % 2 == 0], [k])
        assert len(entries(going)) <= 11
    assert sorted_in < 2000 * 20


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        ([0, 1], [-1, 1], None),
        ([-1], [0], None),
        ([False], [-1.0], None),
        (["ok", "ok"], ["fine"], "fraud"),
        (["ok", "fraud"], ["fraud", "fine"], "fraud"),
        ([0], [2], 1),
        ([0], ["no"], None),
        (["ok"], [1], "fraud"),
    ],
)
def test_three_classes_over_all_batches_are_refused_as_they_are_pooled(first, second, positive):
    with pytest.raises(br.errors.InputError):
        br.Curve.from_scores(first + second, range(len(first + second)), positive=positive)
    going = br.Accumulator(positive=positive)
    going.update(first, range(len(first)))
    before = going.curve()
    with pytest.raises(br.errors.InputError):
        going.update(second, range(len(second)))
    assert going.curve() == before
    if type(first[0]) is type(second[0]):
        other = br.Accumulator(positive=positive)
        other.update(second, range(len(second)))
        with pytest.raises(br.errors.InputError, match=r"same two classes in all batches, got the negative label"):
            going.merge(other)
        assert going.curve() == before


def test_the_labels_of_a_merged_accumulator_count():
    here, there = br.Accumulator(), br.Accumulator()
    there.update([-1], [0.5])
    here.merge(there)
    with pytest.raises(br.errors.InputError, match="got the negative label 0 after -1; write it the same in all"):
        here.update([0], [0.5])
    here.update([-1.0, 1.0], [0.5, 0.6])


@pytest.mark.parametrize(
    ("batches", "positive"),
    [
        ([[-1, -1], [1], [-1, 1], [1, 1], []], None),
        ([[0], [0, 0], [1], [False], np.array([0.0, 1.0]), [True]], None),
        ([["ok"], ["fraud"], ["ok", "fraud"], np.array(["ok"])], "fraud"),
        ([[0, 0], [1], [False]], 0),
        ([[Decimal(0)], [Decimal(1), Decimal(0)], [0]], None),
        ([[0], [False, True], [1.0]], True),
    ],
)
def test_batches_may_lack_a_class(batches, positive):
    going = br.Accumulator(positive=positive)
    for batch in batches:
        going.update(batch, np.arange(len(batch)))
    pooled = [label for batch in batches for label in list(batch)]
    scores = [k for batch in batches for k in range(len(batch))]
    assert going.curve() == br.Curve.from_scores(pooled, scores, positive=positive)


@pytest.mark.parametrize("positive", [b"fraud", float("nan"), ["fraud"], Decimal(1)])
def test_a_positive_label_that_no_file_can_hold_is_refused(positive):
    with pytest.raises(br.errors.InputError, match=r"positive= must be numbers, text or bool"):
        br.Accumulator(positive=positive)
    with pytest.raises(br.errors.InputError, match=r"y_true must be numbers, text or bool"):
        br.Accumulator(positive=1).update([Decimal(0)], [0.5])


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_score", "weight"),
    [
        ([0, 1], [0.1, np.nan], None),
        ([0, 1, 1], [0.1, 0.2], None),
        ([0, 2], [0.1, 0.2], None),
        ([0, None], [0.1, 0.2], None),
        ([0, 1], [0.1, 0.2], [1.0]),
        ([0, 1], [0.1, 0.2], [1.0, -1.0]),
        ([0, 1], [0.1, 0.2], [1.0, np.nan]),
        ([0, 1], "text", None),
    ],
)
def test_a_refused_batch_leaves_everything_as_it_was(y_true, y_score, weight):
    with pytest.raises(br.errors.InputError):
        br.Curve.from_scores(y_true, y_score, weight=weight)
    going = br.Accumulator()
    going.update([1, 1], [0.5, 0.6])
    before = going._state
    with pytest.raises(br.errors.InputError):
        going.update(y_true, y_score, weight=weight)
    assert going._state is before
    going.update([-1], [0.1])  # the refused labels are not remembered
    assert going.curve() == br.Curve.from_scores([1, 1, -1], [0.5, 0.6, 0.1])


@pytest.mark.parametrize("action", ["update", "merge", "curve"])
def test_an_interrupt_leaves_everything_as_it_was(action, monkeypatch):
    going = counted([(k, k % 2 == 0, 1) for k in range(9)], 6)
    going.update([1], [9])
    before = going._state
    expected = copy.copy(going).curve()
    actions = {
        "update": lambda: going.update([0] * 9, range(9)),
        "merge": lambda: going.merge(copy.copy(going)),
        "curve": going.curve,
    }
    with monkeypatch.context() as patched:
        patched.setattr(np, "argsort", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            actions[action]()
    assert going._state is before
    assert going.curve() == expected


def test_accumulators_that_differ_are_not_merged():
    with pytest.raises(br.errors.InputError, match=r"got 5 and None here, 6 and None there"):
        br.Accumulator(max_scores=5).merge(br.Accumulator(max_scores=6))
    with pytest.raises(br.errors.InputError, match=r"positive are the same, got .* and 'a' here, .* and None there"):
        br.Accumulator(positive="a").merge(br.Accumulator())
    with pytest.raises(br.errors.InputError, match=r"other must be an Accumulator, got a Curve; use update for rows"):
        br.Accumulator().merge(br.Curve.from_scores([0, 1], [1, 2]))
    for max_scores in (0, 2.5, "many", True):
        with pytest.raises(br.errors.InputError, match="max_scores"):
            br.Accumulator(max_scores=max_scores)
