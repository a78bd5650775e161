"""Whether scores within the classes have changed, given labels before and after."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import baserate as br


def curve(seed, n_pos, n_neg, pos=2.0, neg=0.0):
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(pos, 1, n_pos), rng.normal(neg, 1, n_neg)])
    return br.Curve.from_scores(np.repeat([1, 0], [n_pos, n_neg]), scores)


def test_the_statistic_is_pearsons():
    may = br.Curve.from_counts([1, 2, 3, 4], pos=[10, 30, 60, 40], neg=[800, 150, 50, 20])
    june = br.Curve.from_counts([1, 2, 3, 4], pos=[5, 11, 26, 30], neg=[1500, 420, 80, 60])
    found = br.prior.prior_shift_check(may, june)
    expected = [
        chi2_contingency(np.array([of_may, of_june]), correction=False)
        for of_may, of_june in ((may.pos, june.pos), (may.neg, june.neg))
    ]
    assert (found.statistic_pos, found.p_value_pos) == pytest.approx((expected[0].statistic, expected[0].pvalue))
    assert found.df_pos == expected[0].dof == 3
    # Most negatives have one of two scores, so that they fall into fewer bins; these are still exact counts.
    assert found.df_neg == 2
    by_bins = np.array([np.append(curve.neg[:2].sum(), curve.neg[2:]) for curve in (may, june)])
    assert found.statistic_neg == pytest.approx(chi2_contingency(by_bins, correction=False).statistic)
    assert found.statistic == pytest.approx(found.statistic_pos + found.statistic_neg)
    assert found.df == 5


def test_bins_have_five_expected_rows():
    """A rare score between long ties is not a bin of its own."""
    before = br.Curve.from_counts([1, 2, 3, 4], pos=[50, 1, 49, 2], neg=[500, 500, 500, 500])
    after = br.Curve.from_counts([1, 2, 3, 4], pos=[50, 3, 47, 2], neg=[500, 500, 500, 500])
    found = br.prior.prior_shift_check(before, after)
    table = np.array([[51, 51], [53, 49]])
    assert found.df_pos == 1
    assert found.statistic_pos == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_a_check_is_true_only_if_it_was_made_and_passed():
    before = curve(1, 200, 2000)
    assert br.prior.prior_shift_check(before, curve(2, 1000, 1000))
    assert not br.prior.prior_shift_check(before, curve(2, 1000, 1000, neg=1.0))
    assert not br.prior.prior_shift_check(before, curve(2, 1, 1))  # too few rows


def test_only_the_prevalence_has_changed():
    found = br.prior.prior_shift_check(curve(1, 200, 2000), curve(2, 1000, 1000))
    assert found.fits
    assert found.reason is None
    assert str(found).startswith("no change of scores within the classes detected (positives p = ")
    assert (found.df_pos, found.df_neg, found.df) == (9, 9, 18)


@pytest.mark.parametrize(
    ("pos", "neg", "changed"),
    [(2.5, 0.0, "the positives, not"), (2.0, 0.3, "the negatives, not"), (2.6, 0.3, "the positives and the negatives")],
)
def test_it_says_which_class_has_changed(pos, neg, changed):
    found = br.prior.prior_shift_check(curve(1, 300, 3000), curve(2, 300, 3000, pos, neg))
    assert found.fits is False
    assert changed in found.verdict


def test_it_is_the_same_the_other_way_round_and_by_any_monotone_scores():
    before, after = curve(1, 100, 500), curve(2, 80, 700, neg=0.1)
    found = br.prior.prior_shift_check(before, after)
    assert br.prior.prior_shift_check(after, before).p_value == pytest.approx(found.p_value, rel=1e-9)
    moved = [br.Curve.from_counts(np.exp(c.score), c.pos, c.neg).at_prevalence(0.2) for c in (before, after)]
    assert br.prior.prior_shift_check(*moved) == found


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_they_should_be():
    for n_pos, n_neg in ((20, 60), (200, 1000)):
        p_values = [
            br.prior.prior_shift_check(curve(2 * k, n_pos, n_neg), curve(2 * k + 1, 2 * n_pos, n_neg)).p_value
            for k in range(600)
        ]
        assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.022)


def test_few_rows_are_left_out_with_a_reason():
    found = br.prior.prior_shift_check(curve(1, 9, 500), curve(2, 400, 500))
    assert (found.df_pos, found.df_neg) == (0, 9)
    assert np.isnan(found.p_value_pos)
    assert found.p_value == found.p_value_neg
    assert found.reason is br.Reason.TOO_FEW_BINS
    nothing = br.prior.prior_shift_check(curve(1, 4, 4), curve(2, 4, 4))
    assert nothing.fits is None
    assert np.isnan([nothing.statistic, nothing.p_value]).all()
    assert "not known" in str(nothing)


def test_a_missing_class_and_no_rows():
    found = br.prior.prior_shift_check(curve(1, 0, 500), curve(2, 400, 500))
    assert found.reason is br.Reason.NO_POSITIVES
    assert found.fits is not None
    assert br.prior.prior_shift_check(br.Curve.from_scores([], []), curve(2, 4, 4)).reason is br.Reason.NO_ROWS
    constant = br.Curve.from_counts([0.5], [100], [100])
    assert br.prior.prior_shift_check(constant, constant).fits is None


def test_buckets_are_never_split():
    exact, other = curve(1, 300, 3000), curve(2, 300, 3000)
    starts = np.arange(0, len(exact), 11)
    ends = np.append(starts[1:], len(exact)) - 1
    pos, neg = (np.add.reduceat(column, starts) for column in (exact.pos, exact.neg))
    bucketed = br.Curve.from_counts(exact.score[ends], pos, neg, top=exact.score[starts])
    found = br.prior.prior_shift_check(bucketed, other)
    assert found.fits
    assert found.statistic == pytest.approx(br.prior.prior_shift_check(exact, other).statistic, rel=0.6)


@pytest.mark.parametrize("place", ["before", "after"])
def test_bad_input(place):
    good = {"before": curve(1, 30, 30), "after": curve(2, 30, 30)}
    with pytest.raises(br.errors.InputError, match=f"{place} must be a Curve, got a list; build one with"):
        br.prior.prior_shift_check(**good | {place: [1, 2]})
    weighted = br.Curve.from_scores([0, 1], [0.1, 0.2], weight=[1.0, 2.0])
    with pytest.raises(br.errors.InputError, match=f"{place} must be unweighted, got a weighted curve"):
        br.prior.prior_shift_check(**good | {place: weighted})


def test_checks_make_a_table():
    table = pd.DataFrame([br.prior.prior_shift_check(curve(k, 50, 500), curve(k + 9, 50, 500)) for k in range(2)])
    assert {"p_value", "p_value_pos", "p_value_neg"} <= set(table.columns)
