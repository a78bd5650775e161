"""Bad input gets one sentence: the rule, what came, what to do."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br

Y, S = [0, 1, 1], [0.1, 0.2, 0.3]


def scores(value):
    return lambda: br.Curve.from_scores(Y, value)


def labels(value, **options):
    return lambda: br.Curve.from_scores(value, S, **options)


def merged_again_and_again(times):
    counted = br.Accumulator()
    counted.update(Y, S)
    for _ in range(times):
        counted.merge(counted)


BAD = {
    "nan score": (scores([0.1, np.nan, 0.3]), "y_score must have no missing values, got 1 missing"),
    "None score": (scores([0.1, None, 0.3]), "got 1 missing"),
    "null in polars": (scores(pl.Series([0.1, None, 0.3])), "got 1 missing"),
    "NA in pandas": (scores(pd.Series([1, None, 3], dtype="Int64")), "got 1 missing"),
    "null in pyarrow": (scores(pa.array([0.1, None, 0.3])), "got 1 missing"),
    "masked score": (scores(np.ma.MaskedArray(S, [0, 1, 0])), "got 1 missing"),
    "text score": (scores(["0.1", "0.2", "high"]), "must be real numbers, got text values such as '0.1'"),
    "Decimal score": (scores([Decimal("0.1")] * 3), "got Decimal values such as Decimal('0.1')"),
    "Fraction score": (scores([Fraction(1, 3)] * 3), "got Fraction"),
    "complex score": (scores(np.array([1j, 2, 3])), "must be real numbers, got complex128"),
    "date score": (scores(np.array(["2026-01-01"] * 3, "datetime64[D]")), "must be real numbers, got datetime64[D]"),
    "category score": (scores(pd.Series(["a", "b", "c"], dtype="category")), "must be real numbers, got text"),
    "huge integer score": (scores(np.array([2**60, 2**60 + 1, 3])), "without new ties"),
    "wide float score": (scores(np.array([1, 1 + np.finfo(np.longdouble).eps, 2], np.longdouble)), "without new ties"),
    "matrix of scores": (scores(np.ones((3, 2))), "must be one-dimensional, got shape (3, 2)"),
    "column of scores": (scores(np.ones((3, 1))), "must be one-dimensional, got shape (3, 1)"),
    "frame of scores": (scores(pd.DataFrame({"p": S})), "must be one-dimensional, got shape (3, 1)"),
    "ragged scores": (scores([[1], [1, 2], 3]), "must be one column of values"),
    "a single score": (scores(0.5), "must be a column of values, got a float"),
    "one string of scores": (scores("abc"), "must be a column of values, got a str"),
    "generator": (scores(s for s in S), "must be a column of values, got a generator"),
    "a bound of too many digits": (
        lambda: br.Claim(br.roc_auc, at_least=10**5000),
        "at_least must be a number, got int of too many digits to be shown",
    ),
    "lengths": (scores([0.1, 0.2]), "must have the same length, got 3 and 2"),
    "three classes": (labels([0, 1, 2]), "got 3 different labels: 0, 1, 2; use one_vs_rest"),
    "scores as labels": (labels(S), "got 3 different labels: 0.1, 0.2, 0.3; these look like scores: y_true comes first"),
    "odd pair of labels": (labels([1, 2, 1]), "got 2 different labels: 1, 2; say which one is positive, positive=1 or positive=2"),
    "odd single label": (labels([3, 3, 3]), "got 1 different label: 3"),
    "missing label": (labels([0, 1, np.nan]), "y_true must have no missing values, got 1 missing"),
    "None label": (labels([0, None, 1]), "got 1 missing"),
    "NA label": (labels(pd.Series([True, None, False], dtype="boolean")), "got 1 missing"),
    "NaT label": (labels(np.array([1, pd.NaT, 0], object)), "got 1 missing"),
    "text labels": (labels(["ok", "bad", "ok"]), "got text labels: 'bad', 'ok'; pass positive='bad'"),
    "typo in positive": (labels(["ok", "fraud", "ok"], positive="fruad"), "got 'fruad' .* did you mean 'fraud'"),
    "number for text": (labels(["ok", "bad", "ok"], positive=1), "got 1 where the labels are 'bad', 'ok'"),
    "number beyond the labels": (labels(np.array([0, 1, 1], np.int8), positive=10**30), "got 10+ where the labels are 0, 1"),
    "text for number": (labels([0, 1, 1], positive="1"), "got '1' where the labels are 0, 1"),
    "three text labels": (labels(["ok", "bad", "?"], positive="bad"), "got 3 different labels: '?', 'bad', 'ok'"),
    "nan among text labels": (labels(["a", np.nan, "a"], positive="a"), "y_true must have no missing values, got 1 missing"),
    "text and numbers": (labels([1, "1", "0"], positive="1"), "got 3 different labels: '0', '1', 1"),
    "list for positive": (labels([0, 1, 1], positive=[0, 1, 1]), "positive= must be one label"),
    "huge whole objects": (scores([2**70, 2**70 + 1, 0]), "without new ties, got int"),
    "beyond all floats": (scores([10**400, 1, 0]), "without new ties, got int"),
    "signalling nan": (labels([Decimal("snan"), 0, 1]), "got 1 missing"),
    "labels that are tables": (labels([{}, {}, {}]), "must hold two classes"),
    "negative weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, -1, 1]), "must not be negative, got -1.0"),
    "no weight at all": (lambda: br.Curve.from_scores(Y, S, weight=[0, 0, 0]), "must not be zero for every row"),
    "infinite weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, np.inf, 1]), "weight must be finite, got inf"),
    "missing weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, np.nan, 1]), "weight must have no missing"),
    "huge weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, 1e300, 1]), "so that squares fit in float64, got 1e+300"),
    "tiny weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, 1e-300, 1]), "so that squares fit in float64, got 1e-300"),
    "short weight": (lambda: br.Curve.from_scores(Y, S, weight=[1, 1]), "one value per row, got 2 for 3 rows"),
    "fractional count": (lambda: br.Curve.from_counts([1], [0.5], [1]), "pos must be whole numbers of cases, got 0.5"),
    "negative count": (lambda: br.Curve.from_counts([1], [1], [-2]), "neg must not be negative, got -2"),
    "count beyond integers": (lambda: br.Curve.from_counts([0.1, 0.2], [1e19, 1], [1, 1]), r"pos must add up to at most 2\*\*62 cases, .* got 1e\+19"),
    "whole count beyond integers": (lambda: br.Curve.from_counts([0.1], np.array([2**63], np.uint64), [1]), "pos must add up to at most"),
    "counts that add up to too many": (lambda: br.Curve.from_counts([0.1, 0.2] * 4, [2**61] * 8, [1] * 8), "got 1.845e+19"),
    "curves that add up to too many": (lambda: br.Curve.pool([br.Curve.from_counts([0.1], [1], [2**61])] * 3), "neg must add up to at most"),
    "a point beyond integers": (lambda: br.Point.from_counts(tp=1e19, fp=1, fn=1, tn=1), "tp must add up to at most"),
    "batches that add up to too many": (lambda: merged_again_and_again(70), "pos must add up to at most"),
    "weights that add up to too much": (lambda: br.Curve.from_scores(Y, S, weight=[1, 9e99, 9e99]), "pos must add up to at most 1e\\+100"),
    "weights pooled to too much": (lambda: br.Curve.pool([br.Curve.from_scores(Y, S, weight=[1, 9e99, 1])] * 2), "pos must add up to at most 1e\\+100"),
    "short count": (lambda: br.Curve.from_counts([1, 2], [1], [1, 1]), "score and pos must have the same length"),
    "half of the squares": (lambda: br.Curve.from_counts([1], [1], [1], pos_squares=[1]), "must come together"),
    "rate in percent": (lambda: br.Curve.from_rates([50], [0.1]), "tpr must be between 0 and 1, got 50"),
    "falling rates": (lambda: br.Curve.from_rates([0.5, 0.4], [0.1, 0.2]), "tpr must not decrease, got 0.5 followed by 0.4"),
    "half of the sizes": (lambda: br.Curve.from_rates([0.5], [0.1], n_pos=3), "n_pos and n_neg must come together"),
    "rate of a point": (lambda: br.Point.from_rates(1.2, 0.1), "tpr must be between 0 and 1, got 1.2"),
    "count of a point": (lambda: br.Point.from_counts(1, 2, -3, 4), "fn must not be negative"),
}  # fmt: skip

CURVE = br.Curve.from_scores(Y, S)
POINT = br.Point.from_rates(0.5, 0.1, prevalence=0.1)
BAD |= {
    "prevalence 0": (lambda: CURVE.at_prevalence(0), "prevalence must be strictly between 0 and 1, got 0"),
    "prevalence 1": (lambda: CURVE.at_prevalence(1.0), "strictly between 0 and 1, got 1.0"),
    "prevalence nan": (lambda: CURVE.at_prevalence(np.nan), "prevalence must be a number, got nan"),
    "prevalence in percent": (lambda: CURVE.at_prevalence(5), "strictly between 0 and 1, got 5"),
    "prevalence of truth": (lambda: CURVE.at_prevalence(True), "must be a number, got True"),
    "prevalence of none": (lambda: CURVE.at_prevalence(None), "must be a number, got None"),
    "prevalence in words": (lambda: CURVE.at_prevalence("rare"), "strictly between 0 and 1, got 'rare'; pass a share such as 0.001"),
    "odds with zero": (lambda: CURVE.at_prevalence("0:10"), "got '0:10'"),
    "odds of three": (lambda: CURVE.at_prevalence("1:2:3"), "got '1:2:3'"),
    "odds beyond rounding": (lambda: CURVE.at_prevalence("1e17:1"), "strictly between 0 and 1, got '1e17:1'"),
    "prevalence without odds": (lambda: CURVE.at_prevalence(1e-320), "strictly between 0 and 1, got 1e-320"),
    "threshold beyond floats": (lambda: CURVE.at_threshold(10**400), "threshold must be a number"),
    "beta beyond squares": (lambda: br.f_beta(POINT, beta=1e160), "beta must be between 1e-100 and 1e+100"),
    "sweep of a list": (lambda: br.sweep(br.auc_pr, [1], [0.1]), "at must be a Curve or a Point, got a list"),
    "negative density": (
        lambda: br.mean_over_prevalence(br.f1, POINT, low=0.1, high=0.2, density=lambda p: -p),
        "density must return a finite number, not negative",
    ),
    "pointwise scores": (lambda: br.scorer(br.f1, response="scores"), "f1 needs predicted labels"),
    "scorer of nothing": (lambda: br.scorer(3), "metric must be a function"),
    "undefined in words": (lambda: br.scorer(br.f1, undefined="x"), "undefined must be a number or nan"),
    "mixed classes": (lambda: br.one_vs_rest([1, "a"], np.eye(2)), "labels of one kind"),
    "classes twice": (lambda: br.one_vs_rest(["a", "b"], np.eye(2), classes=["a", "a"]), "must name each class once"),
    "half-named frame": (
        lambda: br.one_vs_rest(["a", "b"], pd.DataFrame({"a": [1, 2], "x": [2, 1]})),
        "must be named like all classes or like none",
    ),
    "threshold nan": (lambda: CURVE.at_threshold(np.nan), "threshold must be a number, got nan"),
    "recall 0": (lambda: CURVE.at_recall(0), "recall must be above 0 and at most 1, got 0"),
    "recall in percent": (lambda: CURVE.at_recall(60), "got 60; write 0.6 for 60 %"),
    "k 0": (lambda: CURVE.at_top_k(0), "k must be finite and above 0, got 0"),
    "beta 0": (lambda: br.f_beta(POINT, beta=0), "beta must be finite and above 0, got 0"),
    "negative cost": (lambda: br.expected_cost(POINT, cost_fn=-1, cost_fp=1), "cost_fn must be finite and not negative"),
    "certain threshold": (lambda: br.net_benefit(POINT, threshold_probability=1), "threshold_probability must be strictly"),
    "recall range reversed": (lambda: br.auc_pr(CURVE, recall_range=(1, 0.5)), "must run from low to high"),
    "recall range of one": (lambda: br.auc_pr(CURVE, recall_range=0.5), "must be a pair such as (0.5, 1.0), got 0.5"),
    "max_fpr 0": (lambda: br.roc_auc(CURVE, max_fpr=0), "max_fpr must be above 0"),
    "area of a point": (lambda: br.auc_pr(POINT), "auc_pr reads a whole Curve, got a Point"),
    "area of an array": (lambda: br.auc_pr(np.ones(3)), "auc_pr reads a Curve, got ndarray"),
    "metric of an array": (lambda: br.precision(np.ones(3)), "precision reads a Curve or a Point, got ndarray"),
    "sweep outside": (lambda: br.sweep(br.f1, POINT, [0.1, 1.0]), "prevalences must be strictly between 0 and 1, got 1.0"),
    "sweep of a curve": (lambda: br.sweep(br.f1, CURVE, [0.1]), "needs one operating point, got a Curve"),
    "range reversed": (lambda: br.crossings(br.f1, POINT, POINT, low=0.5, high=0.1), "low must be below high"),
    "frequencies of a curve": (lambda: br.natural_frequencies(CURVE), "point must be a Point, got a Curve; choose one"),
    "half a row": (lambda: CURVE.at_top_k(2.5), "k must be a whole number, got 2.5"),
    "odds as a probability": (lambda: br.net_benefit(POINT, threshold_probability="1:9"), "must be a number, got '1:9'"),
    "text threshold": (lambda: CURVE.at_threshold(np.str_("a")), "threshold must be a number"),
    "date threshold": (lambda: CURVE.at_threshold(np.datetime64("2026-01-01")), "threshold must be a number"),
    "ragged matrix": (lambda: br.one_vs_rest([0, 1], [[1, 2], [3]]), "y_score must be one column of values"),
    "cases 0": (lambda: br.natural_frequencies(POINT, cases=0), "cases must be finite and above 0"),
    "matrix missing": (lambda: br.one_vs_rest([0, 1, 2], [1, 2, 3]), "must be a matrix with one row per label"),
    "classes short": (lambda: br.one_vs_rest([0, 1], np.ones((2, 3))), "got 2 classes for 3 columns"),
    "class unknown": (lambda: br.one_vs_rest(["a", "bb"], np.ones((2, 2)), classes=["a", "b"]), "got 'bb' too"),
    "prevalence of a stranger": (
        lambda: br.one_vs_rest(["cat", "dog"], np.ones((2, 2)), prevalences={"dgo": 0.1}),
        "prevalences must hold only the classes .*; did you mean 'dog'",
    ),
    "clip": (lambda: br.log_loss(CURVE, clip=0.7), "clip must be at most 0.5, got 0.7"),
    "response": (lambda: br.scorer(br.f1, response="label"), "response must be one of 'scores', 'labels', got 'label'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(name):
    attempt, expected = BAD[name]
    with pytest.raises(br.errors.InputError) as caught:
        attempt()
    message = str(caught.value)
    assert expected in message or re.search(expected, message), message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("missing", ["scores", "counts"])
def test_rates_have_no_scores_or_counts(missing):
    rates = br.Curve.from_rates([0.5], [0.1])
    with pytest.raises(br.errors.MissingInformationError, match=f"has no {missing}; build it with"):
        _ = rates.score if missing == "scores" else rates.pos


def test_rates_without_prevalence_answer_what_they_can():
    rates = br.Curve.from_rates([0.5], [0.1])
    assert br.roc_auc(rates) == 0.7
    assert br.recall(rates).tolist() == [0.5, 1]
    assert br.precision_gain(rates).tolist() == [0.8, 0]
    assert br.sweep(br.auc_pr, rates, [0.1]).value > 0
    for metric in (br.auc_pr, br.precision, br.min_auc_pr, br.mcc):
        with pytest.raises(br.errors.MissingInformationError, match="has no prevalence"):
            metric(rates)
    for metric in (br.min_average_precision, br.normalized_average_precision, br.chance_average_precision):
        with pytest.raises(br.errors.MissingInformationError, match="has no numbers of cases; pass n_pos="):
            metric(rates.at_prevalence(0.1))


def test_a_call_that_fits_does_not_excuse_the_next_one():
    """How a function was called rightly is remembered; another way is looked at again."""
    br.Curve.from_scores(Y, S)
    br.Curve.from_scores(Y, y_score=S)
    for args, options in (((Y, S, S), {}), ((Y,), {}), ((Y, S), {"sample_weight": S}), ((Y,), {"scores": S})):
        with pytest.raises(br.errors.InputError):
            br.Curve.from_scores(*args, **options)
