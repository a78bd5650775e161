"""Every registered metric against its definition in fifty digits, also where floats are at their end."""

import functools

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.registry import Family
from helpers import oracle

CASES = [
    pytest.param(row, dict(parameters), id=f"{row.name}{dict(parameters) or ''}")
    for row in br.METRICS.values()
    for parameters in row.examples
    # The first depends on the class sizes only, the other is an integral: they have tests of their own.
    if row.name not in ("chance_average_precision", "smooth_ece")
]

ETAS = [1e-9, 1e-4, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9]

TABLES = {
    "plain": [(1, 0), (0, 2), (3, 1), (2, 0), (1, 0), (0, 5), (2, 4), (1, 9)],
    "positives first": [(5, 0), (3, 1), (0, 40)],
    "negatives first": [(0, 7), (1, 3), (4, 0)],
    "one tie": [(3, 8)],
    "one positive in ten million, near the top": [(0, 3), (1, 0), (0, 9_999_996)],
    "one positive in ten million, tied": [(0, 17), (1, 1000), (0, 9_998_982)],
    "ten million ties": [(10_000, 9_990_000)],
    "huge and lopsided": [(999_999, 1), (1, 0), (0, 2**40), (5, 3)],
    "almost all positive": [(10**7, 1), (10**7 - 3, 0), (3, 1), (0, 1)],
    "next to chance": [(3_441_847_977, 55_557_794_382), (5_932_091_929, 95_754_939_163)],
    "next to chance, three times": [(735_430_646, 725_817_454_347), (2920, 2_881_832), (799_656_952, 789_204_225_317)],
    "just above chance": [(3395, 4_287_718_689), (1283, 1_620_366_150)],
    "next to the floor": [(0, 467_853_131_895), (1, 0), (1, 10)],
    "next to the floor, tied": [(0, 10**9), (3000, 0), (200, 1), (1, 0), (70, 0)],
    "next to the floor, but for one": [(1, 0), (0, 893_111_413_614), (332_193, 1)],
}


def as_curve(table):
    pos, neg = zip(*table, strict=True)
    return br.Curve.from_counts(np.arange(len(table), 0, -1), pos, neg)


def close(value, reference, absolute=0.0):
    """To 1e-12 of the value, however small; what fifty digits leave of a difference that is 0 counts as 0."""
    if mpmath.isinf(reference):
        return value == float(reference)
    if abs(reference) < 1e-40:
        return abs(value) <= max(1e-30, absolute)
    return abs(oracle.mpf(value) - reference) <= max(oracle.mpf("1e-12") * abs(reference), absolute)


@functools.cache
def both_ways(table, eta):
    """A table as a curve, and in fifty digits."""
    return as_curve(TABLES[table]).at_prevalence(eta), oracle.confusion(oracle.weighted_table(TABLES[table], eta))


@pytest.mark.filterwarnings("ignore::baserate.errors.UndefinedMetricWarning")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("row", "parameters"), CASES)
def test_metric_meets_its_definition(row, parameters, table):
    define = functools.partial(getattr(oracle, row.name), **parameters)
    for eta in ETAS:
        if row.family is Family.PROBABILITY:
            assert_meets_on_probabilities(row, parameters, define, TABLES[table], eta)
        else:
            assert_meets(functools.partial(row.function, **parameters), define, table, eta, row.family)


def assert_meets(function, define, table, eta, family):
    curve, rows = both_ways(table, eta)
    if family is not Family.POINTWISE:
        value, reference = function(curve), define(rows)
        assert (np.isnan(value) and mpmath.isnan(reference)) or close(value, reference), (value, reference, eta)
        return
    for value, counts in zip(function(curve), rows, strict=True):
        try:
            reference = define(*counts)
        except ZeroDivisionError:
            assert np.isnan(value), (counts, eta)
            continue
        assert close(float(value), reference), (value, reference, counts, eta)


SCORES = [0.998, 0.9, 0.75, 0.5, 0.3, 0.1, 1e-5, 1e-12]


def assert_meets_on_probabilities(row, parameters, define, table, eta):
    scores = SCORES[-len(table) :]
    pos, neg = zip(*table, strict=True)
    curve = br.Curve.from_counts(scores, pos, neg).at_prevalence(eta)
    cells = [(oracle.exact(p), *counts) for p, counts in zip(scores, table, strict=True)]
    reference = define(cells, oracle.negative_weight(table, eta))
    # Gaps are differences of numbers up to 1. The square root of a difference has half its digits next to 0.
    near_zero = {"brier_score": 0.0, "log_loss": 0.0, "debiased_rms_calibration_error": 1e-8}.get(row.name, 1e-15)
    value = row.function(curve, **parameters)
    assert close(value, reference, near_zero), (value, reference)


small_tables = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8).filter(
    lambda rows: all(sum(pair) for pair in rows) and all(sum(row[k] for row in rows) for k in (0, 1))
)
etas = st.floats(-15, 15).map(lambda z: 1 / (1 + np.exp(-z)))


@pytest.mark.slow
@settings(max_examples=60)
@given(table=small_tables, eta=etas, ends=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_areas_over_any_recall_range(table, eta, ends):
    low, high = sorted(ends)
    if high - low < 1e-3:
        low, high = 0.0, 1.0
    rows = oracle.confusion(oracle.weighted_table(table, eta))
    curve = as_curve(table).at_prevalence(eta)
    for metric in (br.average_precision, br.auc_pr, br.auc_prg):
        reference = getattr(oracle, metric.__name__)(rows, recall_range=(low, high))
        # A recall range cuts the curve at a float, which costs a few units in the last place of recall 1.
        assert close(metric(curve, recall_range=(low, high)), reference, 1e-14 if metric is br.auc_prg else 4e-16)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [None, *ETAS])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (1, 30), (3, 497), (30, 1), (12, 40)])
def test_chance_average_precision(n_pos, n_neg, eta):
    curve = br.Curve.from_counts([0.0], [n_pos], [n_neg])
    curve = curve if eta is None else curve.at_prevalence(eta)
    reference = oracle.chance_average_precision(n_pos, n_neg, eta or n_pos / (n_pos + n_neg))
    assert close(br.chance_average_precision(curve), reference)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(3, 497), (10_000, 10**6), (10**6, 10), (10**8, 10**9)])
def test_chance_average_precision_at_own_prevalence_has_a_closed_form(n_pos, n_neg):
    n = n_pos + n_neg
    harmonic = mpmath.harmonic(n)
    reference = (harmonic + (n_pos - 1) * (n - harmonic) / (n - 1)) / n
    curve = br.Curve.from_counts([0.0], [n_pos], [n_neg])
    assert close(br.chance_average_precision(curve), reference)


def test_min_average_precision_of_many_positives():
    for eta in ETAS:
        curve = br.Curve.from_counts([0.0], [10**9], [5]).at_prevalence(eta)
        a = 10**9 * (1 - oracle.exact(eta)) / oracle.exact(eta)
        reference = 1 - a / 10**9 * (mpmath.digamma(10**9 + a + 1) - mpmath.digamma(a + 1))
        assert close(br.min_average_precision(curve), reference)


CLOSE_CALLS = {  # tables and prevalences at which recall and prevalence are all but the same
    "a millionth": ([(1, 0), (0, 918_279_963), (600_185, 10)], 1.6661501601170304e-06),
    "two thirds": ([(4_159_175, 1_643_594_251), (2_207_659, 872_407_543)], 0.6532563908529734),
    "nearly all": ([(38, 1), (1, 3_924_725)], 0.9743589743589743),
}


@pytest.mark.parametrize(("table", "eta"), CLOSE_CALLS.values(), ids=CLOSE_CALLS)
def test_gain_and_benefit_next_to_zero(table, eta):
    rows = oracle.confusion(oracle.weighted_table(table, eta))
    curve = as_curve(table).at_prevalence(eta)
    p = float(oracle.precision(*rows[-2]))
    for k, counts in enumerate(rows):
        point = curve.at_threshold(len(table) - k)
        for metric, parameters in ((br.recall_gain, {}), (br.net_benefit, {"threshold_probability": p})):
            if p == 1 and parameters:
                continue
            reference = getattr(oracle, metric.__name__)(*counts, **parameters)
            swept = br.sweep(functools.partial(metric, **parameters), point, [eta]).value[0]
            for value in (metric(curve, **parameters)[k], metric(point, **parameters), swept):
                assert close(float(value), reference), (metric.__name__, value, reference)


@pytest.mark.parametrize("clip", [1e-3, 1e-9, 1e-12, 1e-15])
def test_clipped_scores_cost_what_the_clip_says(clip):
    scores, table = [1.0, 0.9999999999999, 0.5, 1e-14, 0.0], [(10**9, 1), (5, 3), (0, 2), (1, 7), (3, 10**9)]
    curve = br.Curve.from_counts(scores, *zip(*table, strict=True))
    cells = [(oracle.exact(p), *counts) for p, counts in zip(scores, table, strict=True)]
    for eta in (1e-9, 0.3, 1 - 1e-9):
        reference = oracle.log_loss(cells, oracle.negative_weight(table, eta), clip=clip)
        assert close(br.log_loss(curve.at_prevalence(eta), clip=clip), reference)


@pytest.mark.parametrize(("tpr", "fpr"), [(0.1, 0.1 + 2**-56), (0.3 + 2**-54, 0.3), (1e-12, 1e-12 * (1 + 2**-52))])
def test_rates_next_to_chance(tpr, fpr):
    assert br.youden_j(br.Point.from_rates(tpr, fpr)) == tpr - fpr != 0


def test_bins_that_are_worth_hardly_more_than_one_row():
    scores, table, eta = [0.8, 0.2, 0.005], [(0, 467_853_131_895), (1, 0), (1, 10)], 1 - 1e-9
    curve = br.Curve.from_counts(scores, *zip(*table, strict=True)).at_prevalence(eta)
    cells = [(oracle.exact(p), *counts) for p, counts in zip(scores, table, strict=True)]
    weight = oracle.negative_weight(table, eta)
    for metric in (br.debiased_ece, br.debiased_rms_calibration_error):
        assert close(metric(curve), getattr(oracle, metric.__name__)(cells, weight))
