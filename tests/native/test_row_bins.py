"""Calibration of rows that nobody has sorted: what sorted ones give, whatever the order of rows."""

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate import native
from baserate.curves import row_bins
from baserate.curves.bins import binned
from baserate.curves.counting import count_rows
from baserate.curves.rows import ScoredRows
from baserate.curves.table import RowTable

pytestmark = pytest.mark.skipif(native.kernel is None, reason="the kernel is not built here, or turned off")


@pytest.fixture(autouse=True, scope="module")
def few_rows_are_many():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_bins, "MANY_ROWS", 0)
        yield


BINS = [10, 1, 7, 256, [0, 0.3, 0.7, 1], br.calibration.equal_width(10, closed="left")]
NUMBERS = ("ece", "mce", "rms_calibration_error", "brier_score", "debiased_ece")
EDGES = [0.0, 1.0, 0.1, 0.3, 0.7, 0.5, np.nextafter(0.3, 0), np.nextafter(0.3, 1), 5e-324, 1e-300, 1 - 2**-53]
EDGES += [float(np.float32(edge)) for edge in (0.1, 0.3, 0.7, 0.9)]
SHARES = st.one_of(st.sampled_from(EDGES), st.floats(0, 1), st.floats(0, 1, width=32))


@st.composite
def rows_and_sorted(draw):
    """The same rows twice: as they come, and counted."""
    n = draw(st.integers(2, 40))
    score = np.array(draw(st.lists(SHARES, min_size=n, max_size=n)))
    positive = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    positive[:2] = True, False
    unsorted = br.Curve._of(ScoredRows(score[positive] + 0.0, score[~positive] + 0.0))
    return unsorted, br.Curve._of(count_rows(score, positive))


@given(rows_and_sorted(), st.sampled_from(BINS), st.sampled_from([None, 0.001]))
def test_bins_hold_what_sorted_rows_give(curves, bins, prevalence):
    mine, sorted_ones = (curve if prevalence is None else curve.at_prevalence(prevalence) for curve in curves)
    found, expected = binned(mine, bins), binned(sorted_ones, bins)
    assert found.rows is not None
    for name in ("low", "high", "pos", "neg", "pos_squares", "neg_squares"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name in ("score_pos", "score_neg", "rest_pos"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14)
    np.testing.assert_array_equal(found.place, expected.place)


@settings(max_examples=40)
@given(rows_and_sorted(), st.sampled_from([10, [0, 0.3, 0.7, 1]]), st.sampled_from([None, 0.2]))
def test_reliability_is_that_of_sorted_rows(curves, bins, prevalence):
    mine, expected = (
        br.reliability(curve if prevalence is None else curve.at_prevalence(prevalence), bins=bins) for curve in curves
    )
    np.testing.assert_array_equal(mine.judgement, expected.judgement)
    for name in ("mean_score", "event_rate", "rate_low", "rate_high", "ece"):
        np.testing.assert_allclose(getattr(mine, name), getattr(expected, name), rtol=1e-12, atol=1e-300)


@given(rows_and_sorted())
def test_sums_are_exact_before_they_are_rounded(curves):
    rows = curves[0].table.rows
    found = row_bins.bin_rows(rows, row_bins.BinEdges(np.zeros(0), right=True), np.zeros(0))
    of_pos = sum(map(Fraction, rows.pos.tolist()))
    assert found.score_pos[0] == float(of_pos)
    assert found.rest_pos[0] == float(len(rows.pos) - of_pos)
    assert row_bins.sums_of_squares(rows)[1] == float(sum(Fraction(float(s * s)) for s in rows.neg))


@given(rows_and_sorted(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(curves, random):
    rows = curves[0].table.rows
    shuffled = br.Curve._of(ScoredRows(*(np.array(random.sample(scores.tolist(), len(scores))) for scores in rows[:2])))
    for name in NUMBERS:
        assert getattr(br, name)(shuffled) == getattr(br, name)(curves[0])


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_nothing_is_sorted_for_bins_and_means(share, monkeypatch):
    random = np.random.default_rng(1)
    curve = br.Curve.from_scores(random.random(9000) < share, random.random(9000))
    monkeypatch.setattr(RowTable, "counted", property(lambda self: pytest.fail("rows were sorted")))
    for name in NUMBERS:
        getattr(br, name)(curve)
    br.reliability(curve)
    br.reliability(curve.at_prevalence(0.3), bins=[0, 0.2, 1])
    assert not curve.table.rows.sorted


@pytest.mark.parametrize("metric", [br.ece, br.brier_score, functools.partial(br.reliability)])
def test_margins_are_refused_in_the_same_words(metric, monkeypatch):
    random = np.random.default_rng(2)
    positive, score = random.random(100) < 0.5, random.normal(size=100)

    def said():
        with pytest.raises(br.errors.InputError, match="got scores from -") as refused:
            metric(br.Curve.from_scores(positive, score))
        return str(refused.value)

    compiled = said()
    monkeypatch.setattr(native, "kernel", None)
    assert said() == compiled


def test_bins_that_do_not_cover_all_rows_are_refused():
    curve = br.Curve.from_scores(np.array([0, 1, 0]), np.array([0.1, 0.6, 0.9]))
    assert isinstance(curve.table, RowTable)
    with pytest.raises(br.errors.InputError, match="bins must cover every score, got edges from"):
        br.ece(curve, bins=[0.2, 0.5, 1])


BAD_CALLS = {
    "no shares": lambda k: k.bin_sums(np.array([0.5, 1.5]), *room(1)),
    "nan": lambda k: k.bin_sums(np.array([np.nan]), *room(1)),
    "little room": lambda k: k.bin_sums(np.array([0.5]), np.array([0.5]), *room(1)[1:]),
    "squares of no shares": lambda k: k.bin_squares(
        np.array([0.5]), np.zeros(0), np.array([4.0]), np.zeros(2048, np.uint64), True, False
    ),
    "squares without units": lambda k: k.bin_squares(
        np.array([0.5]), np.zeros(0), np.zeros(0), np.zeros(2048, np.uint64), True, False
    ),
}


def room(n):
    sums, rows = np.zeros(2048 * n, np.uint64), np.zeros(n, np.int64)
    return np.zeros(n - 1), np.zeros(n - 1), sums, rows, np.zeros(2 * n), np.zeros(n - 1, np.uint8), True


@pytest.mark.parametrize("call", BAD_CALLS)
def test_the_kernel_refuses_what_does_not_fit(call):
    with pytest.raises(ValueError, match=r"must"):
        BAD_CALLS[call](native.kernel)


def test_a_zero_below_zero_is_zero():
    around = np.zeros(8 * 2048, np.uint64)  # room for one bin, among what must stay untouched
    arrays = list(room(1))
    arrays[2] = around[2048:4096]
    native.kernel.bin_sums(np.array([-0.0, 0.5]), *arrays)
    written = np.flatnonzero(around)
    assert written.tolist() == [2048 + 2 * 1022 + 1]  # the leading digit of 0.5
