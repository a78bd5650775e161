"""Two tests of calibration: Hosmer and Lemeshow's, and Spiegelhalter's."""

import math

import numpy as np

from baserate import checks
from baserate.curves.bins import BinsLike, binned, check_probabilities, equal_frequency
from baserate.curves.curve import Curve
from baserate.errors import InputError, Reason
from baserate.formulas import calibration_tests
from baserate.formulas.calibration_tests import Expected, Range
from baserate.results import HosmerLemeshow, Spiegelhalter
from baserate.uncertainty.picks import check_cases
from baserate.written import one_in

# Cochran's rule for the chi-squared approximation: no expected count below the first, few below the second.
_TOO_SMALL = 1.0
_SMALL = 5.0
_FEW = 0.2

_DECILES = equal_frequency(10)


@checks.declared
def hosmer_lemeshow(curve: Curve, *, in_sample: bool, bins: BinsLike = _DECILES) -> HosmerLemeshow:
    r"""The test of Hosmer and Lemeshow: observed against expected counts by bin.

    .. math:: H = \sum_{m=1}^{M} \frac{(O^+_m - E^+_m)^2}{E^+_m} + \frac{(O^-_m - E^-_m)^2}{E^-_m}

    At least 0; for calibrated scores its mean is about the number of degrees of freedom. Expected positives are the sum
    of the scores in the bin, expected negatives the rest.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1 and counts, at its own prevalence. The test needs counted cases, so weighted curves
        and curves at another prevalence are refused.
    in_sample : bool
        Whether the model was fitted on these rows. Then there are M - 2 degrees of freedom, otherwise M.
    bins : int, Bins, list of edges or text
        The bins; by default ten of equal frequency. Equal scores stay together, so there may be fewer; the result has
        their number.

    Returns
    -------
    HosmerLemeshow
        With statistic, bins, degrees of freedom and p-value. The statistic is infinite, and the p-value 0, if a bin has
        cases of a class and expects none. There is a caution if expected counts are small: one below 1, or more than a
        fifth below 5.

    Notes
    -----
    The scores of a bucket are its middle. `low` and `high` bound the statistic for all scores that they may have been,
    as long as bins have the same rows.

    References
    ----------
    Hosmer & Lemeshow, Goodness of fit tests for the multiple logistic regression model, Communications in Statistics
    1980. doi:10.1080/03610928008827941.
    Cochran, Some methods for strengthening the common χ² tests, Biometrics 1954. doi:10.2307/3001616.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([1, 1, 0, 0], [0.9, 0.9, 0.7, 0.7])
    >>> found = br.calibration.hosmer_lemeshow(curve, in_sample=False)
    >>> round(found.statistic, 4), found.n_bins, found.df, round(found.p_value, 4)
    (4.8889, 2, 2, 0.0868)
    """
    _check(curve, "the Hosmer–Lemeshow test")
    table = binned(curve, bins)
    n_bins = len(table.pos)
    df = max(n_bins - 2, 0) if in_sample else n_bins
    reason = Reason.NO_ROWS if n_bins == 0 else Reason.TOO_FEW_BINS if df == 0 else None
    lowest, expected, highest = (
        calibration_tests.expected_in_bins(score, curve.pos, curve.neg, table.place)
        for score in (curve.score, curve.middle, curve.top)
    )
    statistic = float(calibration_tests.pearson(expected).sum()) if n_bins else math.nan
    limits = calibration_tests.pearson_range(lowest, highest) if curve.bucketed else Range(statistic, statistic)
    return HosmerLemeshow(
        statistic=statistic,
        n_bins=n_bins,
        df=df,
        p_value=calibration_tests.chi2_tail(statistic, df) if reason is None else math.nan,
        in_sample=bool(in_sample),
        min_expected=float(min(expected.pos.min(), expected.neg.min())) if n_bins else math.nan,
        low=limits.low,
        high=limits.high,
        bins=str(table.bins),
        n_pos=int(curve.n_pos),
        n_neg=int(curve.n_neg),
        reason=reason,
        caution=_caution(expected),
    )


@checks.declared
def spiegelhalter(curve: Curve) -> Spiegelhalter:
    r"""Spiegelhalter's test: is the Brier score that of calibrated scores?

    .. math:: z = \frac{\sum (y - p)(1 - 2p)}{\sqrt{\sum (1 - 2p)^2\, p (1 - p)}}

    Standard normal for calibrated scores; positive if scores are too extreme, negative if they are too moderate. It
    needs no bins. It has no power against miscalibration that leaves the Brier score at its expectation.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1 and counts, at its own prevalence. The test needs counted cases, so weighted curves
        and curves at another prevalence are refused.

    Returns
    -------
    Spiegelhalter
        With z and its two-sided p-value; nan with a reason if every score is 0, 0.5 or 1, so that the variance is 0.
        The scores of a bucket are its middle; `low` and `high` bound z for all scores that they may have been.

    References
    ----------
    Spiegelhalter, Probabilistic prediction in patient management and clinical trials, Statistics in Medicine 1986.
    doi:10.1002/sim.4780050506.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.9], pos=[20, 80], neg=[80, 20])
    >>> print(br.calibration.spiegelhalter(curve))
    Spiegelhalter's z 4.714: p = 2.43e-06 (100 pos, 100 neg)
    """
    _check(curve, "Spiegelhalter's test")
    z = calibration_tests.spiegelhalter(curve.middle, curve.pos, curve.neg)
    limits = Range(z, z)
    if curve.bucketed and not math.isnan(z):
        limits = calibration_tests.spiegelhalter_range(curve.score, curve.top, curve.pos, curve.neg)
    reason = Reason.NO_ROWS if len(curve) == 0 else Reason.NOTHING_TO_TEST if math.isnan(z) else None
    return Spiegelhalter(
        z=z,
        p_value=calibration_tests.normal_tails(z),
        low=limits.low,
        high=limits.high,
        n_pos=int(curve.n_pos),
        n_neg=int(curve.n_neg),
        reason=reason,
    )


def _check(curve: Curve, test: str) -> None:
    check_cases(curve, test)
    if curve.given_prevalence is not None:
        raise InputError(
            f"{test} needs a curve at its own prevalence, got one at prevalence {one_in(curve.given_prevalence)}; "
            f"leave out at_prevalence, or adjust the scores with br.adjust."
        )
    check_probabilities(curve, test)


def _caution(expected: Expected) -> str | None:
    counts = np.concatenate([expected.pos, expected.neg])
    if len(counts) == 0 or (counts.min() >= _TOO_SMALL and np.mean(counts < _SMALL) <= _FEW):
        return None
    return f"the smallest expected count is {counts.min():.2g}, too small for a chi-squared test; use fewer bins"
