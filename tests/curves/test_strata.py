"""Curves of rows of which only some were sampled for labelling: published estimates, laws, and what is refused."""

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br

NONE = None


def hepatic_scans():
    """Liver scans of 650 patients, 344 of them verified (Drum & Christacopoulos 1972), as in Begg & Greenes."""
    groups = [(1, 1, 231), (1, 0, 32), (1, NONE, 166), (0, 1, 27), (0, 0, 54), (0, NONE, 140)]
    rows = [(scan, label) for scan, label, n in groups for _ in range(n)]
    return [label for _, label in rows], [scan for scan, _ in rows]


def test_the_published_example_of_verification_bias():
    """Begg & Greenes, Biometrics 1983; Zhou, Obuchowski & McClish 2011, 10.3: 0.84 and 0.74, not 0.90 and 0.63."""
    label, scan = hepatic_scans()
    point = br.Curve.from_sampled(label, scan, stratum=scan).at_threshold(1)
    assert round(br.recall(point), 2) == 0.84
    assert round(br.specificity(point), 2) == 0.74
    ill = 429 * 231 / 263, 221 * 27 / 81
    well = 429 * 32 / 263, 221 * 54 / 81
    assert br.recall(point) == pytest.approx(ill[0] / sum(ill), rel=1e-12)
    assert br.specificity(point) == pytest.approx(well[1] / sum(well), rel=1e-12)
    assert point.prevalence == pytest.approx(sum(ill) / 650, rel=1e-12)


def some_rows(seed, n=400, strata=3):
    rng = np.random.default_rng(seed)
    y, score = rng.random(n) < 0.3, np.round(rng.normal(size=n), 1)
    stratum = rng.integers(strata, size=n)
    rate = np.array([1.0, 0.5, 0.2])[stratum]
    known = rng.random(n) < rate
    for k in range(strata):  # no stratum without a label
        known[np.flatnonzero(stratum == k)[:2]] = True
    return np.where(known, y.astype(float), np.nan), score, stratum


def horvitz_thompson(label, score, stratum, threshold):
    """The confusion matrix, each labelled row weighted by one over its chance to be labelled."""
    known = ~np.isnan(label)
    weight = np.array([np.sum(stratum == k) / np.sum(known & (stratum == k)) for k in stratum])
    above = score >= threshold
    cells = [
        math.fsum(weight[known & (label == of) & (above == up)]) for of, up in itertools.product((1, 0), (True, False))
    ]
    return np.array(cells)  # tp, fn, fp, tn


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_horvitz_and_thompson(seed):
    label, score, stratum = some_rows(seed)
    curve = br.Curve.from_sampled(label, score, stratum=stratum)
    for threshold in (-1.0, 0.0, 0.7, 5.0):
        found = np.array(curve.at_threshold(threshold).confusion)
        assert found == pytest.approx(horvitz_thompson(label, score, stratum, threshold), rel=1e-12)
    known = ~np.isnan(label)
    weight = np.array([one.weight for one in curve.strata])[
        [[s.name for s in curve.strata].index(str(k)) for k in stratum]
    ]
    weighted = br.Curve.from_scores(label[known], score[known], weight=weight[known])
    for metric in (br.average_precision, br.roc_auc, br.auc_pr):
        assert metric(curve.at_prevalence(0.01)) == pytest.approx(metric(weighted.at_prevalence(0.01)), rel=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3), st.sampled_from("abc")), max_size=30))
def test_all_labelled_is_a_plain_curve(rows):
    y, score, stratum = [list(column) for column in zip(*rows, strict=True)] if rows else ([], [], [])
    plain = br.Curve.from_scores(np.array(y, bool), np.array(score, float))
    assert br.Curve.from_sampled(np.array(y, bool), score, inclusion=np.ones(len(y))) == plain
    if rows:
        assert br.Curve.from_sampled(y, score, stratum=stratum) == plain
    assert br.Curve.from_sampled(np.array(y, bool), score, rule="all") == plain


@pytest.mark.parametrize("seed", range(3))
def test_parts_add_up_in_any_order(seed, tmp_path):
    label, score, stratum = some_rows(seed, n=3000)
    whole = br.Curve.from_sampled(label, score, stratum=stratum)
    parts = [br.Curve.from_sampled(label[k::3], score[k::3], stratum=stratum[k::3]) for k in range(3)]
    assert sum(parts) == whole == br.Curve.pool(parts[::-1])
    assert whole != parts[0]
    for curve in (whole, whole.at_prevalence(0.01), parts[1]):
        curve.save(tmp_path / "some.curve")
        assert br.Curve.load(tmp_path / "some.curve") == curve
    assert whole.at_prevalence(0.01) != whole


def test_a_plain_curve_can_be_added():
    sampled = br.Curve.from_sampled([1, 0, None], [3, 2, 1], rule="all >= 2, else none")
    plain = br.Curve.from_scores([1, 0], [5, 4])
    assert [str(one) for one in (plain + sampled).strata] == [
        "all: 2 of 2 rows labelled, 1 positive",
        "all >= 2.0: 2 of 2 rows labelled, 1 positive",
        "none of the rest: 0 of 1 rows labelled, 0 positive",
    ]
    with pytest.raises(br.BaserateError, match="got weighted ones"):
        sampled + br.Curve.from_scores([1, 0], [5, 4], weight=[1, 2])


LABELS = [1, 0, None, None, 0]
SCORES = [0.9, 0.8, 0.3, 0.2, 0.1]


@pytest.mark.parametrize(
    "label",
    [
        LABELS,
        tuple(LABELS),
        np.array([1, 0, np.nan, np.nan, 0]),
        np.array(LABELS, object),
        np.ma.array([1, 0, 1, 1, 0], mask=[0, 0, 1, 1, 0]),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype="Int64"),
        pd.Series([True, False, None, None, False], dtype="boolean"),
        pl.Series(LABELS),
        pl.Series([1.0, 0.0, None, math.nan, 0.0]),
    ],
)
def test_missing_labels_of_every_kind(label):
    curve = br.Curve.from_sampled(label, SCORES, rule="all >= 0.5, else 1 in 3")
    assert [str(one) for one in curve.strata] == [
        "all >= 0.5: 2 of 2 rows labelled, 1 positive",
        "33.3 % of the rest: 1 of 3 rows labelled, 0 positive",
    ]


def test_labels_of_words():
    curve = br.Curve.from_sampled(["ok", "fraud", None], [1, 2, 0], rule="50 %", positive="fraud")
    assert repr(curve) == "Curve(1.5 pos, 1.5 neg, prevalence 1 in 2, 2 of 3 rows labelled in 1 stratum)"


def test_one_rule_said_in_three_ways():
    label, score = [1, 0, None, None, 0, 1], [0.9, 0.8, 0.3, 0.2, 0.1, 0.1]
    curves = [
        br.Curve.from_sampled(label, score, rule="all >= 0.5, else 50 %"),
        br.Curve.from_sampled(label, score, inclusion=[1, 1, 0.5, 0.5, 0.5, 0.5]),
        br.Curve.from_sampled(label, score, stratum=["alert"] * 2 + ["rest"] * 4),
    ]
    assert len({tuple(curve.pos) + tuple(curve.neg) + tuple(curve.score) for curve in curves}) == 1


# --- alerts only ----------------------------------------------------------------------------------


def test_labels_for_alerts_only():
    label, score = [1, 1, 0, None, None, 1], [0.95, 0.9, 0.8, 0.4, 0.3, 0.7]
    curve = br.Curve.from_sampled(label, score, rule="all >= 0.5, else none")
    alerts = br.Curve.from_scores(label[:3] + label[5:], score[:3] + score[5:])
    for threshold in (0.95, 0.85, 0.7, 0.41):
        point = curve.at_threshold(threshold)
        assert br.precision(point) == br.precision(alerts.at_threshold(threshold))
    unknown = [
        (br.recall, curve.at_threshold(0.7)),
        (br.specificity, curve.at_threshold(0.7)),
        (br.precision, curve.at_threshold(0.4)),
        (br.precision, curve.at_threshold(0.2)),
        (br.precision, curve.at_prevalence(0.1).at_threshold(0.7)),  # it needs recall and FPR
        (br.roc_auc, curve),
        (br.average_precision, curve.at_prevalence(0.1)),
    ]
    for metric, at in unknown:
        with pytest.warns(br.errors.UndefinedMetricWarning, match="some rows could not be labelled"):
            assert math.isnan(metric(at))
    assert math.isnan(curve.prevalence)
    with pytest.raises(br.errors.NoSuchPointError, match="their stratum has no labels"):
        curve.at_recall(0.5)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "must be said once, got nothing"),
        ({"rule": "all", "inclusion": [1] * 5}, "got rule and inclusion"),
        ({"rule": "all"}, r"got 3 of 5 rows, 60 %"),
        ({"rule": "none"}, r"must be as declared, 0 % in 'none of the rest'"),
        ({"rule": "all >= 0.85, 90 % >= 0.15, else none"}, "got 1 of 1 rows"),
        ({"rule": "all > 0.5, else 1 %"}, "got 'all > 0.5'"),
        ({"rule": "all >= 0.5"}, "down to 'else"),
        ({"rule": "all >= 0.5, all >= 0.8, else 1 %"}, "from the highest scores down"),
        (
            {"rule": "all > 0.9, else 5 %"},
            r"must have >= before a score, got 'all > 0.9' in .*; write such as 'all >= ",
        ),
        ({"rule": "all => 0.9, else 5 %"}, "must have >= before a score, got 'all => 0.9' in"),
        (
            {"rule": "all >= 0.9 else 5%"},
            "must have a comma between its parts, got 'all >= 0.9 else 5%'; write such as",
        ),
        ({"rule": "all >= 0.9 5 % >= 0.5, else none"}, "must have a comma between its parts, got 'all >= 0.9 5 % >= "),
        ({"rule": "some >= 0.9, else 5 %"}, "must have parts such as .*, got 'some >= 0.9' in 'some"),
        ({"rule": "200 %"}, r"must have parts such as .*, got '200 %'\.$"),
        ({"rule": ""}, "must have parts such as"),
        ({"inclusion": [1, 1, 2, 1, 1]}, "between 0 and 1, got 2.0"),
        ({"inclusion": [1, 1]}, "got 2 for 5 rows"),
        ({"stratum": list("ab")}, "got 2 for 5 rows"),
        ({"inclusion": [1, 1, None, 1, 1]}, "no missing values"),
    ],
)
def test_what_cannot_be_is_refused(said, sentence):
    with pytest.raises(br.BaserateError, match=sentence):
        br.Curve.from_sampled(LABELS, SCORES, **said)


def test_a_rate_that_the_counts_contradict():
    label = np.where(np.arange(10_000) < 200, 0.0, np.nan)
    score = np.arange(10_000.0)
    br.Curve.from_sampled(label, score, rule="2.2 %")
    with pytest.raises(br.BaserateError, match=r"must be as declared, 0.5 % .* got 200 of 10,000 rows, 2 %"):
        br.Curve.from_sampled(label, score, rule="0.5 %")
    with pytest.raises(br.BaserateError, match="at most 20 different values, got 10,000"):
        br.Curve.from_sampled(label, score, inclusion=np.linspace(0.1, 0.9, 10_000))


def test_parts_of_a_stratum_with_different_rates():
    rare, often = (np.where(np.arange(10_000) % step == 0, 0.0, np.nan) for step in (100, 10))
    parts = [br.Curve.from_sampled(label, np.arange(10_000), stratum=["rest"] * 10_000) for label in (rare, often)]
    with pytest.raises(br.BaserateError, match="got 'rest' with 1 %, 10 % of its rows labelled"):
        sum(parts)
