"""What the compiled kernel finds is what numpy finds, to the last count."""

import os
import pickle
import subprocess
import sys
import threading

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import baserate as br
from baserate import native
from baserate.curves import rows
from baserate.curves.counting import count_rows
from baserate.curves.rows import ScoredRows
from baserate.curves.table import CountTable, RowTable
from helpers.compiling import POSSIBLE

needs_kernel = pytest.mark.skipif(native.kernel is None, reason="the kernel is not built here, or turned off")

SPECIAL = [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 2.2e-308, 1e-300, 0.5, 1.0, np.nextafter(0.5, 1), 1e300]
SCORES = st.one_of(st.sampled_from(SPECIAL), st.floats(allow_nan=False), st.floats(0, 1))
LABEL_TYPES = [np.bool_, *(np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8))]


@st.composite
def labelled(draw, scores=SCORES):
    """Labels and scores, few or many, in all mixes of the classes."""
    n = draw(st.integers(0, 60)) * draw(st.sampled_from([1, 40]))
    chosen = draw(st.lists(scores, min_size=1, max_size=12))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    score = random.choice(np.array(chosen), n)
    if draw(st.booleans()):
        score = np.where(random.random(n) < 0.7, random.normal(size=n), score)
    return random.random(n) < draw(st.sampled_from([0, 0.01, 0.5, 1])), score


def same(found, expected):
    """Equal tables, in equal types."""
    for mine, numpys in zip(found[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(mine, numpys)
        assert mine.dtype == numpys.dtype
    assert not np.signbit(found.score[found.score == 0]).any()


# As if any rows were many, or none; the ways that the kernel takes differ.
FEW_ROWS = [0, 10**9]


@needs_kernel
@given(labelled(), st.sampled_from(FEW_ROWS))
@example((np.array([True]), np.array([0.0])), 0)
@example((np.zeros(9, bool), np.full(9, -0.0)), 0)
@example((np.zeros(9, bool), np.full(9, -0.0)), 10**9)
def test_counts_are_those_of_numpy(rows_given, few):
    positive, score = rows_given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_FEW_ROWS", few)
        same(rows.tabulate(score, positive), count_rows(score, positive))


@needs_kernel
@given(labelled())
def test_splitting_and_counting_are_those_of_numpy(rows_given):
    """Also where the kernel would rather not sort."""
    positive, score = rows_given
    split = rows._split(score, positive)
    np.testing.assert_array_equal(np.sort(split.pos), np.sort(score[positive]))
    np.testing.assert_array_equal(np.sort(split.neg), np.sort(score[~positive]))
    same(rows.count_split(split), count_rows(score, positive))


@needs_kernel
@given(labelled(), st.booleans())
def test_corners_are_those_of_numpy(rows_given, rare):
    positive, score = rows_given
    if not positive.any():
        return
    expected = CountTable(count_rows(score, positive)).steps
    split = rows._split(score, positive)
    found = rows.corners_of_rare(split) if rare else rows.corners_of_sorted(rows.sort(split))
    for mine, numpys in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, numpys)


@needs_kernel
@pytest.mark.parametrize("n_pos", [1, 7, 300])
def test_rare_positives_far_apart_and_close_together(n_pos):
    """Scores over hundreds of orders of magnitude, and many in one cell of the kernel."""
    random = np.random.default_rng(n_pos)
    neg = np.concatenate([random.random(9000), 10.0 ** random.uniform(-300, 300, 9000), -random.random(500)])
    close = 1 + np.arange(n_pos) * 2**-52
    for pos in (close, 10.0 ** random.uniform(-300, 300, n_pos), random.random(n_pos)):
        for others in (neg, np.append(neg, [*pos, np.inf, -np.inf, 0.0])):
            split = ScoredRows(pos, others)
            score, positive = np.append(pos, others), np.arange(n_pos + len(others)) < n_pos
            expected = CountTable(count_rows(score, positive)).steps
            for mine, numpys in zip(rows.corners_of_rare(split), expected, strict=True):
                np.testing.assert_array_equal(mine, numpys)


@needs_kernel
@pytest.mark.parametrize("label_type", LABEL_TYPES, ids=str)
@pytest.mark.parametrize("score_type", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("few", FEW_ROWS)
def test_labels_and_scores_of_every_width(monkeypatch, label_type, score_type, decimals, few):
    monkeypatch.setattr(rows, "_FEW_ROWS", few)
    random = np.random.default_rng(3)
    positive, score = random.random(3000) < 0.2, random.normal(size=3000).round(decimals).astype(score_type)
    assert rows.read(positive.astype(label_type), score) is not None
    curve = br.Curve.from_scores(positive.astype(label_type), score)
    same(curve.table.counted, count_rows(score.astype(np.float64), positive))
    if np.issubdtype(label_type, np.signedinteger):
        assert br.Curve.from_scores(np.where(positive, 1, -1).astype(label_type), score) == curve


@needs_kernel
def test_arrays_that_are_not_in_one_piece():
    random = np.random.default_rng(4)
    table = random.normal(size=(5000, 3))
    positive = random.random(10000) < 0.3
    same(br.Curve.from_scores(positive[::2], table[:, 1]).table.counted, count_rows(table[:, 1], positive[::2]))
    same(br.Curve.from_scores(positive[::-2], table[::-1, 2]).table.counted, count_rows(table[::-1, 2], positive[::-2]))


def at_an_odd_address(array):
    """The same values, as a file with a header of one byte has them."""
    odd = np.frombuffer(b"-" + array.tobytes(), array.dtype, offset=1)
    assert not odd.flags.aligned or array.itemsize == 1
    return odd


@pytest.mark.parametrize("label_type", LABEL_TYPES, ids=str)
@pytest.mark.parametrize("score_type", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [1, 9])
def test_arrays_at_odd_addresses(label_type, score_type, decimals):
    random = np.random.default_rng(10)
    label, score = (random.random(3000) < 0.2).astype(label_type), random.random(3000).round(decimals)
    expected = br.Curve.from_scores(label, score.astype(score_type))
    assert br.Curve.from_scores(at_an_odd_address(label), at_an_odd_address(score.astype(score_type))) == expected
    assert br.Curve.from_scores(at_an_odd_address(label), score.astype(score_type)) == expected


def test_a_float_is_judged_by_its_type_and_not_by_its_width():
    """Where a long double has eight bytes, it is still none of the kernel's."""
    assert [kind for kind in "efdg" if rows._plain(np.zeros(3, kind), rows.SCORES)] == ["f", "d"]


@pytest.mark.parametrize("change", [lambda a: a.astype(">f8"), lambda a: a.astype(np.longdouble), np.ma.array, list])
def test_what_the_kernel_does_not_take_is_counted_all_the_same(change):
    random = np.random.default_rng(5)
    positive, score = random.random(500) < 0.3, random.random(500)
    given_score = change(score)
    assert rows.read(positive, given_score) is None
    assert br.Curve.from_scores(positive, given_score) == br.Curve.from_scores(positive, score)
    assert br.Curve.from_scores(positive.astype(">i4"), score) == br.Curve.from_scores(positive, score)


@pytest.mark.parametrize("label_type", ["i1", "u1", "i8", "u8", "?"])
@pytest.mark.parametrize("wrong", [2, 255, -3, "nan", "both", "shorter"])
@pytest.mark.parametrize("place", [0, 1500, 2999])
def test_what_must_be_refused_is_refused_in_the_same_words(monkeypatch, label_type, wrong, place):
    monkeypatch.setattr(rows, "_FEW_ROWS", 0)
    random = np.random.default_rng(6)
    label, score = (random.random(3000) < 0.3).astype(label_type), random.random(3000)
    if wrong == "nan":
        score[place] = np.nan
    elif wrong == "shorter":
        score = score[:place]
    elif label_type == "?" or (label_type in "u1u8" and wrong in (-3, "both")) or (label_type == "i1" and wrong == 255):
        return
    elif wrong == "both":
        label[place], label[place - 1], label[place - 2] = -1, 0, 1
    else:
        label[place] = wrong

    def said():
        with pytest.raises(br.errors.InputError) as refused:
            br.Curve.from_scores(label, score)
        return str(refused.value)

    compiled = said()
    monkeypatch.setattr(native, "kernel", None)
    assert said() == compiled


@needs_kernel
def test_two_threads_find_the_same(monkeypatch):
    monkeypatch.setattr(rows, "_FEW_ROWS", 0)
    random = np.random.default_rng(7)
    for share, decimals in ((0.002, 9), (0.4, 9), (0.4, 2)):
        positive, score = random.random(20001) < share, random.random(20001).round(decimals)
        alone = br.Curve.from_scores(positive, score)
        steps = alone.table.steps
        with monkeypatch.context() as threads:
            threads.setattr(native, "_MANY", 100)
            threads.setattr(native, "_processors", lambda: 2)
            assert len(native.parts(20001)) == 2
            both = br.Curve.from_scores(positive, score)
            for mine, other in zip(both.table.steps, steps, strict=True):
                np.testing.assert_array_equal(mine, other)
            same(both.table.counted, count_rows(score, positive))
        with monkeypatch.context() as mixed:  # zeros in one half and minus ones in the other
            mixed.setattr(native, "_MANY", 100)
            mixed.setattr(native, "_processors", lambda: 2)
            label = np.where(positive, 1, np.where(np.arange(20001) < 10000, 0, -1))
            assert rows.read(label, score) is None


@needs_kernel
def test_rows_that_begin_with_different_scores_are_counted_all_the_same():
    """Which is why they are not tallied."""
    positive, score = np.arange(40_000) % 3 == 0, np.tile(np.arange(4000) / 4000, 10)
    assert rows._tallied(score, positive) is None
    same(rows.tabulate(score, positive), count_rows(score, positive))
    same(rows.tabulate(score[::-1], positive), count_rows(score[::-1], positive))


@needs_kernel
@pytest.mark.parametrize("ends", [(0, 1), (1, 0)])
def test_classes_that_do_not_overlap(ends):
    """All walks down both classes but one have nothing to compare."""
    random = np.random.default_rng(12)
    for n_pos, n_neg in ((1, 1), (5, 0), (400, 3), (3, 400), (250, 250)):
        pos, neg = (end + random.random(n) for end, n in zip(ends, (n_pos, n_neg), strict=True))
        positive = np.arange(n_pos + n_neg) < n_pos
        expected = CountTable(count_rows(np.append(pos, neg), positive)).steps
        found = rows.corners_of_sorted(rows.sort(ScoredRows(pos, neg)))
        for mine, numpys in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, numpys)


def test_work_is_done_where_no_thread_can_be_had(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert native.at_once(lambda: 1, lambda: 2) == [1, 2]


def test_a_curve_never_changes_when_the_arrays_do():
    random = np.random.default_rng(8)
    for share in (0.01, 0.5):
        positive, score = random.random(4000) < share, random.random(4000)
        kept, curve = count_rows(score, positive), br.Curve.from_scores(positive, score)
        score[:] = 0.5
        positive[:] = True
        same(curve.table.counted, kept)


def held(array):
    """The bytes that stay in memory as long as this array does."""
    while array.base is not None:
        array = array.base
    return array.nbytes


@needs_kernel
def test_what_is_kept_is_no_larger_than_what_was_found():
    """More scores than are tallied, and still few of many rows."""
    random = np.random.default_rng(11)
    score, positive = random.integers(0, 20_000, 200_000) / 20_000, random.random(200_000) < 0.5
    table = br.Curve.from_scores(positive, score).table
    assert isinstance(table, RowTable)
    for found in (*table.steps[:4], *table.counted[:3]):
        assert held(found) <= 2 * found.nbytes


@needs_kernel
@given(labelled())
def test_asking_in_another_order_gives_the_same(rows_given):
    positive, score = rows_given
    score = np.minimum(np.abs(score), 1)
    if not positive.any() or positive.all():
        return
    first, second = br.Curve.from_scores(positive, score), br.Curve.from_scores(positive, score)
    first.score  # noqa: B018  # which counts the rows
    for metric in (br.average_precision, br.brier_score, br.ece, br.roc_auc):
        assert metric(first) == metric(second), metric
    assert first == second


# --- bare calls: wrong sizes and types raise, and nothing is written where it must not be -----------------


def empty(n, kind=np.float64):
    return np.empty(n, kind)


def one_law(uniform=(0.2, 0.9, 0.3), law=(0,), guide=(0, 1)):
    whole = np.array(law), np.array([5]), np.array([0.4, 1.0]), np.array(guide)
    return np.array(uniform), *whole


BAD_CALLS = {
    "ones of floats": lambda k: k.ones(empty(3)),
    "ones of a big-endian array": lambda k: k.ones(empty(3, ">i4")),
    "ones of a list": lambda k: k.ones([1, 0]),
    "ones of every other label": lambda k: k.ones(empty(6, np.int64)[::2]),
    "split with other lengths": lambda k: k.split(empty(3), empty(4, np.int8), empty(1), empty(2)),
    "split with too little room": lambda k: k.split(empty(3), empty(3, np.int8), empty(1), empty(1)),
    "split into one room that is too small": lambda k: k.split(empty(3), empty(3, np.int8), *[empty(2)] * 2),
    "split with too few arrays": lambda k: k.split(empty(3), empty(3, np.int8), empty(3)),
    "split into what is not to be written": lambda k: k.split(empty(1), empty(1, np.int8), b"12345678", empty(0)),
    "tally with narrow counts": lambda k: k.tally(empty(3), empty(3, np.int8), empty(3), empty(6, np.int32)),
    "tally with few counts": lambda k: k.tally(empty(3), empty(3, np.int8), empty(3), empty(5, np.int64)),
    "tally with other lengths": lambda k: k.tally(empty(3), empty(4, np.int8), empty(3), empty(6, np.int64)),
    "tally of too many": lambda k: k.tally(empty(0), empty(0, np.int8), empty(65535), empty(131070, np.int64)),
    "corners with little room": lambda k: k.corners(
        empty(3), empty(3), empty(3, np.uint32), empty(2, np.uint32), empty(3, np.uint32)
    ),
    "count with little room": lambda k: k.count(empty(3), empty(3), empty(6), empty(5, np.uint32), empty(6, np.uint32)),
    "place between nothing": lambda k: k.place(empty(0), empty(3), empty(2, np.uint32)),
    "place with little room": lambda k: k.place(empty(3), empty(3), empty(7, np.uint32)),
    "invert with too little room": lambda k: k.invert(*one_law(), empty(2, np.int64)),
    "invert by no law": lambda k: k.invert(*one_law(law=[1]), empty(3, np.int64)),
    "invert what is not below 1": lambda k: k.invert(*one_law(uniform=[0.2, 1.0, 0.3]), empty(3, np.int64)),
    "invert nan": lambda k: k.invert(*one_law(uniform=[0.2, np.nan, 0.3]), empty(3, np.int64)),
    "invert by a guide beyond the table": lambda k: k.invert(*one_law(guide=[0, 2]), empty(3, np.int64)),
    "invert by a guide before the table": lambda k: k.invert(*one_law(guide=[-1, 0]), empty(3, np.int64)),
    "place with wide counts": lambda k: k.place(empty(3), empty(3), empty(8, np.uint64)),
}


@needs_kernel
def test_numbers_are_inverted_to_values():
    found = empty(3, np.int64)
    native.kernel.invert(*one_law(), found)
    assert found.tolist() == [5, 6, 5]


@needs_kernel
@pytest.mark.parametrize("call", BAD_CALLS)
def test_the_kernel_refuses_what_does_not_fit(call):
    with pytest.raises((TypeError, ValueError, BufferError)):
        BAD_CALLS[call](native.kernel)


@needs_kernel
@given(arrays.arrays(np.float64, st.integers(1, 50)), arrays.arrays(np.float64, st.integers(0, 50)))
def test_scores_in_no_order_are_counted_somehow(score, others):
    """Nobody passes them, and still nothing breaks: nan, -0.0, any order."""
    n, m = len(score), len(others)
    native.kernel.place(score, others, np.zeros(2 * n + 2, np.uint32))
    native.kernel.corners(score, others, empty(n, np.uint32), empty(n, np.uint32), empty(n, np.uint32))
    native.kernel.count(score, others, empty(n + m), empty(n + m, np.uint32), empty(n + m, np.uint32))


@needs_kernel
def test_labels_that_change_while_they_are_read_are_noticed():
    label, score = np.array([1, 0, 0], np.int8), np.array([0.1, 0.2, 0.3])
    room = np.empty(3)
    assert native.kernel.split(score, label, room, room) == (1, 1)
    assert sorted(room) == [0.1, 0.2, 0.3]
    pos, neg = np.empty(2), np.empty(1)  # as if two had been positive when they were counted
    assert native.kernel.split(score, label, pos, neg)[1] & 4


# --- which one runs ---------------------------------------------------------------------------------


def told(code, **settings):
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **settings}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_it_says_which_one_runs():
    asked = "import baserate as br; print(br.native.status())"
    assert told(asked, BASERATE_NATIVE="0") == "numpy: turned off by BASERATE_NATIVE=0"
    missing = "import sys; sys.modules['baserate.native._kernel'] = None; "
    assert told(missing + asked, BASERATE_NATIVE="") == "numpy: the kernel was not built"
    if native.kernel is not None:
        assert told(asked, BASERATE_NATIVE="1") == "compiled"


@pytest.mark.skipif(not POSSIBLE, reason="no compiler, or no headers of Python")
def test_it_was_built_where_it_can_be():
    """Else the tests that need it would be skipped, and nobody would know."""
    off = os.environ.get("BASERATE_NATIVE") == "0"
    assert native.status() == ("numpy: turned off by BASERATE_NATIVE=0" if off else "compiled")


def test_a_curve_can_travel_to_a_machine_without_the_kernel(monkeypatch):
    random = np.random.default_rng(9)
    positive, score = random.random(900) < 0.02, random.random(900)
    packed = pickle.dumps(br.Curve.from_scores(positive, score))
    value = br.average_precision(br.Curve.from_scores(positive, score))
    monkeypatch.setattr(native, "kernel", None)
    arrived = pickle.loads(packed)
    assert br.average_precision(arrived) == value
    same(arrived.table.counted, count_rows(score, positive))
