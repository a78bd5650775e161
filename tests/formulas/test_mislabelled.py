"""Corrections for wrong labels, against fractions and against every place where wrong labels could be."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from baserate.formulas.mislabelled import ErrorRates, at_an_end, corrected, lang_reiczigel, rates_of

CASES = [
    (60, 40, 10, 890, "9/10", "99/100"),
    (3, 2, 5, 200, "3/4", "49/50"),
    (500, 1, 100, 2000, "1", "9/10"),
    (7, 0, 0, 12, "3/5", "4/5"),
]


@pytest.mark.parametrize(("tp", "fn", "fp", "tn", "sensitivity", "specificity"), CASES)
def test_corrected_counts_solve_what_errors_do_to_true_ones(tp, fn, fp, tn, sensitivity, specificity):
    """Above the threshold and below it: labelled positive = Se * P + (1 - Sp) * N, in fractions."""
    se, sp = Fraction(sensitivity), Fraction(specificity)
    wanted = []
    for pos, neg in ((tp, fp), (fn, tn)):
        true_pos = (pos - (1 - sp) * (pos + neg)) / (se + sp - 1)
        true_neg = pos + neg - true_pos
        assert se * true_pos + (1 - sp) * true_neg == pos
        wanted += [true_pos, true_neg]
    rates = ErrorRates(np.array([float(se)]), np.array([float(sp)]))
    found = corrected(np.array([[tp, fn]], float), np.array([[fp, tn]], float), rates)
    np.testing.assert_allclose(
        [found.tp, found.fp, found.fn, found.tn], [float(one) for one in wanted], rtol=1e-12, atol=1e-11
    )


def test_corrected_rates_agree_with_the_closed_forms():
    """Recall has no sensitivity in it, the false positive rate no specificity; the others are Rogan and Gladen's."""
    tp, fn, fp, tn, se, sp = 300, 200, 100, 9_400, 0.9, 0.995
    n, alerts, labelled = tp + fn + fp + tn, tp + fp, tp + fn
    rates = ErrorRates(np.array([se]), np.array([sp]))
    true = corrected(np.array([[tp, fn]], float), np.array([[fp, tn]], float), rates)
    found = rates_of(true, None)
    recall = (tp - (1 - sp) * alerts) / (labelled - (1 - sp) * n)
    fpr = (fp - (1 - se) * alerts) / (fp + tn - (1 - se) * n)
    wanted = [(labelled / n + sp - 1) / (se + sp - 1), recall, fpr, (tp / alerts + sp - 1) / (se + sp - 1)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert rates_of(true, 999.0).precision == pytest.approx(recall / (recall + 999 * fpr), rel=1e-12)


def _possible(tp, fn, fp, tn, se, sp):
    """True positives above the threshold, for every place where the wrong labels of whole rows could be."""
    total, pos = tp + fn + fp + tn, tp + fn
    true_pos = (pos - (1 - sp) * total) / (se + sp - 1)
    missed, false = (1 - se) * true_pos, (1 - sp) * (total - true_pos)
    assert {missed.denominator, false.denominator} == {1}
    missed, false = int(missed), int(false)
    for missed_above, false_above in itertools.product(range(missed + 1), range(false + 1)):
        if missed_above <= fp and missed - missed_above <= tn and false_above <= tp and false - false_above <= fn:
            yield tp - false_above + missed_above


@pytest.mark.parametrize(
    ("tp", "fn", "fp", "tn", "se", "sp"),
    [
        (18, 12, 5, 85, Fraction(1, 2), Fraction(7, 8)),
        (2, 28, 1, 89, Fraction(1, 2), Fraction(7, 8)),
        (25, 5, 60, 30, Fraction(1, 2), Fraction(7, 8)),
        (9, 11, 3, 17, Fraction(3, 4), Fraction(3, 4)),
        (20, 0, 1, 19, Fraction(3, 4), Fraction(3, 4)),
    ],
)
def test_bounds_are_the_ends_of_every_place_of_wrong_labels(tp, fn, fp, tn, se, sp):
    possible = list(_possible(tp, fn, fp, tn, se, sp))
    rates = ErrorRates(np.array([float(se)]), np.array([float(sp)]))
    cells = np.array([[tp, fn]], float), np.array([[fp, tn]], float)
    least, most = (at_an_end(*cells, rates, end) for end in ("least", "most"))
    assert len(set(possible)) > 1
    assert (least.tp, most.tp) == pytest.approx((min(possible), max(possible)), abs=1e-9)
    assert least.tp + least.fn == pytest.approx(most.tp + most.fn)
    assert least.tp + least.fp == tp + fp


@pytest.mark.parametrize(("k", "n", "n_pos", "n_neg"), [(30, 500, 80, 120), (0, 50, 20, 20), (498, 500, 40, 300)])
def test_lang_and_reiczigels_interval_is_theirs(k, n, n_pos, n_neg):
    """Their equations, one after the other."""
    se, sp, z = 0.9, 0.95, stats.norm.ppf(0.975)
    ap = (n * (k / n) + z**2 / 2) / (n + z**2)
    se_, sp_ = (n_pos * se + 1) / (n_pos + 2), (n_neg * sp + 1) / (n_neg + 2)
    p = (ap + sp_ - 1) / (se_ + sp_ - 1)
    shift = 2 * z**2 * (p * se_ * (1 - se_) / (n_pos + 2) - (1 - p) * sp_ * (1 - sp_) / (n_neg + 2))
    parts = (
        ap * (1 - ap) / (n + z**2),
        p**2 * se_ * (1 - se_) / (n_pos + 2),
        (1 - p) ** 2 * sp_ * (1 - sp_) / (n_neg + 2),
    )
    margin = z * math.sqrt(sum(parts) / (se_ + sp_ - 1) ** 2)
    wanted = [min(max(end, 0), 1) for end in (p + shift - margin, p + shift + margin)]
    found = lang_reiczigel(k, n, ErrorRates(np.array(se), np.array(sp)), (n_pos, n_neg), 0.95)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
