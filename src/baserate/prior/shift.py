"""A test for prior shift between two sets of labelled rows: has only the prevalence changed?"""

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.errors import InputError, Reason
from baserate.prior.bins import MOST_BINS, in_bins, merged, places, quantile_cuts, summed
from baserate.results.priors import PriorShiftCheck

# Expected rows of the smaller set per bin, by the usual rule for Pearson's chi-squared test.
_ROWS_PER_BIN = 5


@checks.declared
def prior_shift_check(before: Curve, after: Curve) -> PriorShiftCheck:
    """Test whether scores within each class have the same distribution in two sets of labelled rows (prior shift).

    Every reading at another prevalence assumes this: only the mix of the classes changes. If both sets of rows have
    labels, the assumption can be tested.

    Parameters
    ----------
    before, after : Curve
        Two sets of labelled rows. Their prevalences do not matter.

    Returns
    -------
    PriorShiftCheck
        A class with fewer than ten rows in either set is not tested, with a reason.

    Notes
    -----
    Each class is cut into at most ten bins of about equal size, with at least five expected rows of either set, and
    tested by Pearson's chi-squared. Equal scores and buckets are never split. Weighted rows are refused, because the
    test needs counts.

    References
    ----------
    Moreno-Torres et al. (2012), doi:10.1016/j.patcog.2011.06.019, on kinds of dataset shift.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> web = data["channel"] == "web"
    >>> on_web, elsewhere = (br.Curve.from_scores(data["fraud"][k], data["new_model"][k]) for k in (web, ~web))
    >>> print(br.prior.prior_shift_check(on_web, elsewhere))
    scores have changed within the negatives, not only the prevalence (positives p = 0.49, negatives p = 0.0067, \
together p = 0.027)
    """
    for name, given in (("before", before), ("after", after)):
        if given.weighted:
            raise InputError(f"{name} must be unweighted, got a weighted curve; build it without weights.")
    starts, (place_before, place_after) = places(before, after)
    tests = []
    for of_before, of_after in ((before.pos, after.pos), (before.neg, after.neg)):
        sides = summed(place_before, of_before, len(starts)), summed(place_after, of_after, len(starts))
        tests.append(_pearson(*sides))
    (statistic_pos, df_pos), (statistic_neg, df_neg) = tests
    statistic, df = sum(s for s, d in tests if d), df_pos + df_neg
    return PriorShiftCheck(
        statistic=statistic if df else np.nan,
        df=df,
        p_value=_p_value(statistic, df),
        statistic_pos=statistic_pos,
        df_pos=df_pos,
        p_value_pos=_p_value(statistic_pos, df_pos),
        statistic_neg=statistic_neg,
        df_neg=df_neg,
        p_value_neg=_p_value(statistic_neg, df_neg),
        reason=before.missing_class or after.missing_class or (Reason.TOO_FEW_BINS if 0 in (df_pos, df_neg) else None),
    )


def _pearson(before: FloatArray, after: FloatArray) -> tuple[float, int]:
    """Pearson's statistic of one class and its degrees of freedom, 0 if there are too few rows."""
    fewest, both = min(before.sum(), after.sum()), before + after
    n_bins = min(MOST_BINS, int(fewest // _ROWS_PER_BIN))
    if n_bins < 2:
        return np.nan, 0
    cuts = merged(quantile_cuts(both, n_bins), [both * (fewest / both.sum())], _ROWS_PER_BIN)
    if not len(cuts):
        return np.nan, 0
    sides = in_bins(before, cuts), in_bins(after, cuts)
    share = in_bins(both, cuts) / both.sum()
    expected = share * before.sum(), share * after.sum()
    return float(sum(((o - e) ** 2 / e).sum() for o, e in zip(sides, expected, strict=True))), len(cuts)


def _p_value(statistic: float, df: int) -> float:
    return float(scipy.special.chdtrc(df, statistic)) if df else np.nan
