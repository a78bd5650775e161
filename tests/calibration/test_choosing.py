"""Recalibration judged on rows that it was not fitted to, and the choice of a method."""

import numpy as np
import pytest
import scipy

import baserate as br
from baserate.calibration import choose_recalibration, cross_fitted, recalibrate
from baserate.calibration.cross_fitting import folds_of
from helpers.calibration_sets import curve
from helpers.calibration_sets import inside as rows


@pytest.mark.parametrize("eta", [None, 0.001])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_fitted_rows_are_all_there_and_the_loss_is_theirs(eta, weighted):
    score, label = rows("payments")
    weight = np.random.default_rng(2).uniform(0.5, 2, len(score)) if weighted else None
    one = br.Curve.from_scores(label, score, weight=weight)
    one = one if eta is None else one.at_prevalence(eta)
    found = choose_recalibration(one, ["none", "beta", "isotonic"], rng=3)
    for method, loss, error in zip(found.method, found.log_loss, found.ece, strict=True):
        after = cross_fitted(one, str(method), rng=3)
        assert (after.n_pos, after.n_neg) == pytest.approx((one.n_pos, one.n_neg))
        assert after.given_prevalence == eta
        assert br.log_loss(after) == pytest.approx(loss, rel=1e-9)
        assert br.ece(after) == pytest.approx(error, rel=1e-9)
    assert found.log_loss[found.method == "none"] == pytest.approx(br.log_loss(one), rel=1e-9)
    assert found.difference == pytest.approx(found.log_loss - found.log_loss[0], abs=1e-12)
    assert found.chosen == recalibrate(one, str(found.method[0]))


def test_no_row_is_judged_by_a_map_that_saw_it():
    """Scores without any information: in-sample isotonic rates look good, cross-fitted ones do not."""
    rng = np.random.default_rng(4)
    one = br.Curve.from_scores(rng.integers(0, 2, 400), rng.random(400))
    in_sample = recalibrate(one, "isotonic", smoothing=0).curve(one)
    assert br.log_loss(in_sample) < 0.693
    assert br.log_loss(cross_fitted(one, "isotonic", rng=0)) > 0.693


@pytest.mark.parametrize("eta", [None, 0.01])
def test_the_interval_of_a_difference_is_that_of_a_mean_over_rows(eta):
    """Row by row: the paired t interval, and at a given prevalence Welch's of the two classes."""
    one = curve("breast_cancer")
    one = one if eta is None else one.at_prevalence(eta)
    found = choose_recalibration(one, ["none", "temperature"], rng=5)
    better, worse = (str(method) for method in found.method)
    more = ([], [])
    for fold in folds_of(one, 5, 5):
        maps = [recalibrate(fold.fitted, method) for method in (worse, better)]
        share, other = (np.clip(fitted.map(fold.judged.score), 1e-300, 1) for fitted in maps)
        more[0].extend(np.repeat(np.log(other) - np.log(share), fold.judged.pos))
        more[1].extend(np.repeat(np.log1p(-other) - np.log1p(-share), fold.judged.neg))
    if eta is None:
        wanted = scipy.stats.ttest_1samp(more[0] + more[1], 0).confidence_interval()
    else:
        shares = (eta, 1 - eta)
        mean = sum(share * np.mean(side) for share, side in zip(shares, more, strict=True))
        parts = [share**2 * np.var(side, ddof=1) / len(side) for share, side in zip(shares, more, strict=True)]
        df = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, more, strict=True))
        reach = scipy.stats.t.ppf(0.975, df) * np.sqrt(sum(parts))
        wanted = mean - reach, mean + reach
    assert (found.low[1], found.high[1]) == pytest.approx(tuple(wanted), rel=1e-7)


def test_rows_are_dealt_evenly_and_too_few_are_refused():
    one = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[3, 4, 5], neg=[40, 20, 3])
    dealt = folds_of(one, 5, 0)
    assert sorted(fold.judged.n_pos for fold in dealt) == [2, 2, 2, 3, 3]
    assert sorted(fold.judged.n_neg for fold in dealt) == [12, 12, 13, 13, 13]
    assert all(fold.fitted + fold.judged == one for fold in dealt)
    few = br.Curve.from_counts([0.1, 0.9], pos=[0, 1], neg=[5, 5])
    with pytest.raises(br.errors.MissingInformationError, match="rows of both classes"):
        cross_fitted(few)
    with pytest.raises(br.errors.InputError, match="folds must be 2 or more"):
        cross_fitted(one, folds=1)


def test_methods_that_cannot_read_the_scores_are_named():
    raw = br.Curve.from_counts([-2.0, 0.0, 2.0], pos=[5, 20, 50], neg=[50, 20, 5])
    found = choose_recalibration(raw, rng=0)
    assert sorted(found.unread) == ["beta", "logistic", "none", "temperature"]
    assert "use 'platt'" in found.unread["beta"]
    assert "not read by beta" in str(found)
    assert not found.sure
    with pytest.raises(br.errors.InputError, match="the method 'beta' reads scores as probabilities"):
        choose_recalibration(raw, ["beta", "platt"])


def test_infinite_losses_come_last():
    certain = br.Curve.from_counts([0.0, 0.5, 1.0], pos=[1, 20, 50], neg=[50, 20, 1])
    found = choose_recalibration(certain, rng=0)
    assert found.method[-1] == "none"
    assert found.log_loss[-1] == found.low[-1] == np.inf
    assert found.sure
    assert "logistic" in found.unread
