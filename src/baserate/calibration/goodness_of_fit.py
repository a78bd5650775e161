"""Two tests of calibration: whether scores can be the probabilities of what was counted."""

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

# The chi-squared law is trusted where no expected count is below the first, and few are below the second (Cochran).
_TOO_SMALL = 1.0
_SMALL = 5.0
_FEW = 0.2

_DECILES = equal_frequency(10)


@checks.declared
def hosmer_lemeshow(curve: Curve, *, in_sample: bool, bins: BinsLike = _DECILES) -> HosmerLemeshow:
    r"""The test of Hosmer and Lemeshow: counts against expectations, by bins.

    .. math:: H = \sum_{m=1}^{M} \frac{(O^+_m - E^+_m)^2}{E^+_m} + \frac{(O^-_m - E^-_m)^2}{E^-_m}

    From 0 up; calibrated scores have about as much as there are degrees of freedom. Expected positives are the sum of
    the scores in the bin, expected negatives the rest.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1 and whole numbers of cases, read at its own prevalence. It is a test on counted
        cases; a curve read elsewhere is refused, and so is a weighted one.
    in_sample : bool
        Whether the scores come from a model fitted on these very rows. Then there are M - 2 degrees of freedom,
        otherwise M; no one but you can know.
    bins : int, Bins, list of edges or text
        How to cut the scores: ten bins of equal frequency unless told. Equal scores stay together, so there may be
        fewer; the result says how many there are.

    Returns
    -------
    HosmerLemeshow
        With statistic, bins, degrees of freedom and p-value. Infinite, with a p-value of 0, where a bin expects none of
        what it has. A caution says where expected counts are small: one below 1, or more than a fifth below 5.

    Notes
    -----
    Of a bucketed curve, scores are taken in the middle of their buckets; `low` and `high` hold whatever they were, as
    long as bins hold the same rows.

    References
    ----------
    Hosmer & Lemeshow, Goodness of fit tests for the multiple logistic regression model, Communications in Statistics
    1980. doi:10.1080/03610928008827941.
    Cochran, Some methods for strengthening the common χ² tests, Biometrics 1954. doi:10.2307/3001616.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([1, 1, 0, 0], [0.9, 0.9, 0.7, 0.7])
    >>> found = br.hosmer_lemeshow(curve, in_sample=False)
    >>> round(found.statistic, 4), found.n_bins, found.df, round(found.p_value, 4)
    (4.8889, 2, 2, 0.0868)
    """
    _check(curve, "the Hosmer–Lemeshow test")
    found = binned(curve, bins)
    n_bins = len(found.pos)
    df = max(n_bins - 2, 0) if in_sample else n_bins
    reason = Reason.NO_ROWS if n_bins == 0 else Reason.TOO_FEW_BINS if df == 0 else None
    lowest, expected, highest = (
        calibration_tests.expected_in_bins(score, curve.pos, curve.neg, found.place)
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
        bins=str(found.bins),
        n_pos=int(curve.n_pos),
        n_neg=int(curve.n_neg),
        reason=reason,
        caution=_caution(expected),
    )


@checks.declared
def spiegelhalter(curve: Curve) -> Spiegelhalter:
    r"""Spiegelhalter's test: whether the Brier score is what calibrated scores would have.

    .. math:: z = \frac{\sum (y - p)(1 - 2p)}{\sqrt{\sum (1 - 2p)^2\, p (1 - p)}}

    Standard normal for calibrated scores; above 0 where scores are too extreme, below 0 where they are too timid. It
    needs no bins, and does not see what leaves the Brier score as expected.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1 and whole numbers of cases, read at its own prevalence. It is a test on counted
        cases; a curve read elsewhere is refused, and so is a weighted one.

    Returns
    -------
    Spiegelhalter
        With z and the p-value of both tails; nan with a reason where every score is 0, 0.5 or 1, so that the variance
        is 0. Of a bucketed curve, scores are taken in the middle of their buckets; z lies between `low` and `high`
        whatever they were.

    References
    ----------
    Spiegelhalter, Probabilistic prediction in patient management and clinical trials, Statistics in Medicine 1986.
    doi:10.1002/sim.4780050506.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.9], pos=[20, 80], neg=[80, 20])
    >>> print(br.spiegelhalter(curve))
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
            f"{test} counts cases and needs a curve read at its own prevalence, got one read at "
            f"{curve.given_prevalence:.4g}; read it at its own prevalence, or shift the scores with adjust."
        )
    check_probabilities(curve, test)


def _caution(expected: Expected) -> str | None:
    counts = np.concatenate([expected.pos, expected.neg])
    if len(counts) == 0 or (counts.min() >= _TOO_SMALL and np.mean(counts < _SMALL) <= _FEW):
        return None
    return f"expected counts go down to {counts.min():.2g}, too small for the p-value to be trusted; take fewer bins"
