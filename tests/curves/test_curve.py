"""Making, reading, adding and showing curves."""

import copy
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br

Y, S = [0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2]


@pytest.fixture
def curve():
    return br.Curve.from_scores(Y, S)


# --- making -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([False, True, False, True, True, False], None),
        ([False, True, False, True, True, False], True),
        ([True, False, True, False, False, True], False),
        ([-1, 1, -1, 1, 1, -1], None),
        ([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], None),
        ([2, 7, 2, 7, 7, 2], 7),
        (["ok", "bad", "ok", "bad", "bad", "ok"], "bad"),
        (np.array(["ok", "bad", "ok", "bad", "bad", "ok"], object), "bad"),
        (pd.Series([0, 1, 0, 1, 1, 0], dtype="Int64"), None),
        (pd.Series([0, 1, 0, 1, 1, 0], dtype="boolean"), None),
        (pd.Series(["ok", "bad", "ok", "bad", "bad", "ok"], dtype="category"), "bad"),
        (pd.Series(["ok", "bad", "ok", "bad", "bad", "ok"], dtype="string"), "bad"),
        (pl.Series(["ok", "bad", "ok", "bad", "bad", "ok"], dtype=pl.Categorical), "bad"),
        (pl.Series([0, 1, 0, 1, 1, 0], dtype=pl.Int8), None),
        (pl.Series(["ok", "bad", "ok", "bad", "bad", "ok"], dtype=pl.Enum(["ok", "bad"])), "bad"),
        (pd.Series([0, 1, 0, 1, 1, 0], dtype="category"), None),
        (pa.chunked_array([pa.array([0, 1, 0, 1, 1, 0]).dictionary_encode()]), None),
        (pa.array(["ok", "bad", "ok", "bad", "bad", "ok"]).dictionary_encode(), "bad"),
        (np.array([b"ok", b"bad", b"ok", b"bad", b"bad", b"ok"]), b"bad"),
        (np.array(["ok", "bad", "ok", "bad", "bad", "ok"], np.dtypes.StringDType()), "bad"),
        ([Decimal(0), Decimal(1), Decimal(0), Decimal(1), Decimal(1), Decimal(0)], None),
        (np.ma.MaskedArray([0, 1, 0, 1, 1, 0]), None),
    ],
    ids=str,
)
def test_labels_of_every_kind(curve, labels, positive):
    assert br.Curve.from_scores(labels, S, positive=positive) == curve


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint64, bool])
def test_scores_of_every_kind(dtype):
    scores = np.array([0, 1, 1, 0, 1, 1]).astype(dtype)
    assert br.Curve.from_scores(Y, scores) == br.Curve.from_scores(Y, [0.0, 1.0, 1.0, 0.0, 1.0, 1.0])


def test_one_label_only_is_no_error(curve):
    assert br.Curve.from_scores([0, 0], [1, 2]).n_pos == 0
    assert br.Curve.from_scores([1, 1], [1, 2]).n_neg == 0
    assert br.Curve.from_scores(["ok", "ok"], [1, 2], positive="fraud").n_pos == 0
    assert sum([curve, br.Curve.from_scores([0, 0], [1, 2])]).n_neg == 5


def test_counts_in_any_order_with_repetitions(curve):
    again = br.Curve.from_counts([0.9, 0.1, 0.2, 0.8, 0.4, 0.5, 0.5], [1, 0, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1, 0])
    assert again == curve
    assert br.Curve.from_counts([1, 2, 3], [1, 0, 1], [0, 0, 1]) == br.Curve.from_counts([1, 3], [1, 1], [0, 1])


def test_sums_of_weights_from_an_engine():
    weighted = br.Curve.from_scores(Y, S, weight=[0.5, 2, 1, 1, 0.25, 3])
    again = br.Curve.from_counts(
        weighted.score, weighted.pos, weighted.neg, pos_squares=weighted.pos_squares, neg_squares=weighted.neg_squares
    )
    assert again == weighted
    assert weighted.weighted
    assert weighted.pos_squares.sum() == 2**2 + 1 + 0.25**2


def test_rates_get_their_ends():
    curve = br.Curve.from_rates([0.5], [0.1])
    assert curve.tpr.tolist() == [0.5, 1.0]
    assert curve.fpr.tolist() == [0.1, 1.0]
    assert br.Curve.from_rates([0, 0.5, 1], [0, 0.1, 1]) == curve
    assert br.roc_auc(br.Curve.from_rates([], [])) == 0.5


def test_rates_with_class_sizes_know_their_prevalence():
    curve = br.Curve.from_rates([0.5], [0.1], n_pos=10, n_neg=990)
    assert curve.prevalence == 0.01
    assert br.precision(curve.at_fpr(0.1)) == pytest.approx(0.005 / (0.005 + 0.099))
    assert br.min_average_precision(curve) > 0


# --- reading ----------------------------------------------------------------------------------------


def test_a_curve_never_changes(curve):
    curve.at_prevalence(0.1)
    assert curve.given_prevalence is None
    with pytest.raises(AttributeError):
        curve._given = 0.1
    with pytest.raises(ValueError, match="read-only"):
        curve.score[0] = 0
    with pytest.raises(TypeError):
        hash(curve)


def test_a_curve_of_rates_never_changes_either():
    tpr, fpr = np.array([0.5, 1.0]), np.array([0.1, 1.0])
    curve = br.Curve.from_rates(tpr, fpr)
    tpr[0] = 0.9
    assert curve.tpr[0] == 0.5
    assert br.roc_auc(curve) == 0.7


@pytest.mark.parametrize("wrong", [lambda: br.Curve([0, 1], [0.1, 0.2]), lambda: br.Point(0.6, 0.001)])
def test_the_obvious_first_guess_is_told_the_way(wrong):
    with pytest.raises(br.errors.InputError, match=r"use (Curve|Point)\.from_"):
        wrong()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_equal(curve, copied):
    assert copied(curve) == curve
    point = curve.at_recall(0.5)
    assert copied(point) == point


def test_rates_of_a_point_are_plain_floats(curve):
    point = curve.at_recall(0.5)
    assert {type(rate) for rate in point.rates} == {float}
    assert type(br.precision(point)) is float


def test_prevalence_as_odds(curve):
    assert curve.at_prevalence("1:1000").prevalence == 1 / 1001
    assert curve.at_prevalence("2:3").prevalence == 0.4
    assert curve.at_prevalence(np.float32(0.5)).prevalence == 0.5


def test_own_prevalence_follows_weights_and_the_positive_label():
    assert br.Curve.from_scores([0, 1], [1, 2], weight=[3, 1]).prevalence == 0.25
    assert br.Curve.from_scores([0, 1, 1], [1, 2, 3], positive=0).prevalence == pytest.approx(1 / 3)


def test_at_own_prevalence_nothing_is_rounded():
    """Cells are whole numbers there, and precision is one division."""
    point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    assert br.precision(point) == 60 / 160
    assert br.f1(point) == 120 / (120 + 40 + 100)


# --- adding -----------------------------------------------------------------------------------------


def test_own_and_own_make_the_pools_own(curve):
    other = br.Curve.from_scores([0, 0], [0.3, 0.4])
    assert (curve + other).prevalence == 3 / 8
    assert (curve + other) == (other + curve)


def test_equal_given_prevalences_stay_and_others_refuse(curve):
    a = curve.at_prevalence(0.1)
    assert (a + a).prevalence == 0.1
    for other in (curve, curve.at_prevalence(0.2)):
        with pytest.raises(br.errors.InputError, match="add them first"):
            a + other


def test_adding_weighted_and_unweighted_keeps_squares(curve):
    weighted = br.Curve.from_scores(Y, S, weight=[2] * 6)
    both = curve + weighted
    assert both.weighted
    assert both.n_pos == 9
    assert both.pos_squares.sum() == 3 + 3 * 4


def test_pooling_many_curves_equals_adding_them(curve):
    parts = [br.Curve.from_scores(Y[k : k + 1], S[k : k + 1]) for k in range(6)]
    assert br.Curve.pool(parts) == sum(parts) == curve
    assert br.Curve.pool([]) == br.Curve.from_scores([], [])
    assert br.Curve.pool(iter([curve])) == curve


def test_rates_cannot_be_added():
    rates = br.Curve.from_rates([0.5], [0.1])
    with pytest.raises(br.errors.MissingInformationError, match="from rates"):
        rates + rates


def test_a_curve_adds_to_curves_only(curve):
    with pytest.raises(TypeError):
        curve + 1
    assert sum([curve]) is curve


# --- showing ----------------------------------------------------------------------------------------


def test_repr_says_what_matters(curve):
    assert repr(curve) == "Curve(3 pos, 3 neg, prevalence 1 in 2)"
    assert repr(curve.at_prevalence(0.001)) == "Curve(3 pos, 3 neg, read at prevalence 1 in 1,000, own 1 in 2)"
    assert repr(br.Curve.from_scores(Y, S, weight=[0.5] * 6)) == "Curve(1.5 pos, 1.5 neg, prevalence 1 in 2, weighted)"
    assert repr(br.Curve.from_rates([0.5], [0.1])) == "Curve(2 points of a ROC curve, no prevalence)"
    assert repr(br.Curve.from_rates([0.5], [0.1], prevalence=0.1)).endswith("read at prevalence 1 in 10)")
    assert repr(br.Curve.from_scores([], [])) == "Curve(0 pos, 0 neg, prevalence unknown)"
    assert repr(br.Curve.from_scores([0], [0.5])) == "Curve(0 pos, 1 neg, prevalence 0)"


def test_notebook_card(curve):
    html = curve._repr_html_()
    assert "ROC" in html
    assert "precision–recall at 1 in 2" in html
    assert html.count("<svg") == 2
    assert "<script" not in html
    assert br.Curve.from_rates([0.5], [0.1])._repr_html_().count("<svg") == 1
    assert "no positives" in br.Curve.from_scores([0], [1])._repr_html_()


def test_equality_is_by_value(curve):
    assert curve == br.Curve.from_scores(np.array(Y), np.array(S))
    assert curve != curve.at_prevalence(0.5)
    assert curve != br.Curve.from_scores(Y, np.array(S) + 1)
    assert curve != br.Curve.from_scores(Y, S, weight=[1] * 6)
    assert curve != "curve"
