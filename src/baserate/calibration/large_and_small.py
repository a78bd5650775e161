"""Calibration in the large and in the small: mean score and event rate, of all rows and within subsets."""

import math
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from baserate import checks
from baserate.arrays import CountArray, FloatArray
from baserate.calibration.line import FEW_CASES, FEW_CASES_CAUTION, effective_size, welch_margin
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import InputError, Reason
from baserate.formulas.proportions import Interval, clopper_pearson
from baserate.results import InTheLarge, InTheSmall

SubsetKey = TypeVar("SubsetKey", bound=Hashable)


@checks.declared
def in_the_large(curve: Curve, *, confidence_level: float = 0.95) -> InTheLarge:
    r"""Calibration in the large: the mean score compared with the event rate.

    .. math:: \bar p - \bar y, \qquad \bar p = \eta\, \bar p_+ + (1 - \eta)\, \bar p_-, \qquad \bar y = \eta

    From -1 to 1: above 0 scores are too high, below 0 too low. Both means are at the curve's prevalence, so the event
    rate is the prevalence.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1. Scores are not adjusted to the curve's prevalence.
    confidence_level : float
        The nominal coverage of the interval of the difference.

    Returns
    -------
    InTheLarge
        With both means, the interval of their difference, and a verdict: "agrees" if the interval contains 0. nan with
        a reason if there are no rows or, at a given prevalence, a class is missing.

    Notes
    -----
    At the prevalence of the data the event rate is uncertain, and has Clopper and Pearson's interval. The number of
    events among cases of different probabilities has a smaller variance than a binomial one (Hoeffding), so the
    interval is conservative, the more so the better scores discriminate; `cox_calibration` tests the same on the scale
    of log-odds, with more power. Weighted rows count by their effective sample size.

    At a given prevalence the event rate is known. What is uncertain is the mean score of each class: the interval is
    Welch's, from the variance within classes. It needs two cases of each class, and is approximate with few.

    The scores of a bucket are its middle, and the interval is widened by the error that this may cause.

    References
    ----------
    Hoeffding, On the distribution of the number of successes in independent trials, Annals of Mathematical Statistics
    1956. doi:10.1214/aoms/1177728178.
    Welch, The generalization of Student's problem when several different population variances are involved, Biometrika
    1947. doi:10.1093/biomet/34.1-2.28.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.8], pos=[10, 40], neg=[240, 60])
    >>> print(br.calibration.in_the_large(curve))
    mean score 0.3714, event rate 0.1429: scores are too high; difference 0.2286 [0.1875, 0.2635] (95 %,
    clopper_pearson, 350 rows)
    >>> br.calibration.in_the_large(curve.at_prevalence(0.5)).verdict
    'agrees'
    """
    curve._check_not_sampled("calibration in the large")
    check_probabilities(curve, "calibration in the large")
    level = checks.confidence_level(confidence_level)
    given, rate = curve.given_prevalence is not None, curve.prevalence
    pos, neg = _class(curve, curve.pos, curve.pos_squares), _class(curve, curve.neg, curve.neg_squares)
    n = effective_size(curve.pos + curve.neg, curve.pos_squares + curve.neg_squares)
    if n == 0 or (given and curve.missing_class):
        return InTheLarge(n, math.nan, rate, math.nan, math.nan, level, rate, "none", curve.missing_class)
    mean_score = rate * pos.mean + (1 - rate) * neg.mean
    if given:
        margin = _margin(rate, pos, neg, level)
        limits = Interval(np.asarray(mean_score - rate - margin), np.asarray(mean_score - rate + margin))
    else:
        of_rate = clopper_pearson(float(curve.n_pos) * (n / float(curve.n_pos + curve.n_neg)), n, level)
        limits = Interval(mean_score - of_rate.high, mean_score - of_rate.low)
    slack = rate * pos.slack + (1 - rate) * neg.slack
    return InTheLarge(
        n=n,
        mean_score=mean_score,
        event_rate=rate,
        low=float(limits.low) - slack,
        high=float(limits.high) + slack,
        confidence_level=level,
        prevalence=rate,
        method="welch" if given else "clopper_pearson",
        reason=Reason.ONE_CASE if math.isnan(limits.low) else None,
        caution=_caution(slack, few=given and 1 < min(pos.size, neg.size) < FEW_CASES),
    )


@checks.declared
def in_the_small(curves: Mapping[SubsetKey, Curve], *, confidence_level: float = 0.95) -> InTheSmall:
    """Calibration in the small: the mean score compared with the event rate within subsets.

    Scores may be calibrated in the large and miscalibrated in every subset, too high in one and too low in another.

    Parameters
    ----------
    curves : mapping of key to Curve
        The curve of each subset, such as `curves_by` returns them.
    confidence_level : float
        The simultaneous coverage of the intervals of all k subsets: each has the level ``1 - (1 - level) / k``
        (Bonferroni).

    Returns
    -------
    InTheSmall
        With an `InTheLarge` for each subset, and a table of them when printed.

    Examples
    --------
    >>> import baserate as br
    >>> male = br.Curve.from_counts([0.2], pos=[100], neg=[200])
    >>> female = br.Curve.from_counts([0.8], pos=[200], neg=[100])
    >>> print(br.calibration.in_the_large(male + female).verdict)
    agrees
    >>> found = br.calibration.in_the_small({"male": male, "female": female})
    >>> {sex: subset.verdict for sex, subset in found.subsets.items()}
    {'male': 'scores are too low', 'female': 'scores are too high'}
    """
    if not curves:
        raise InputError("curves must hold at least one Curve, got none; pass what br.curves_by returns.")
    level = checks.confidence_level(confidence_level)
    each = 1 - (1 - level) / len(curves)
    subsets: dict[Hashable, InTheLarge] = {
        key: in_the_large(curve, confidence_level=each) for key, curve in curves.items()
    }
    return InTheSmall(subsets, level)


class _Class(NamedTuple):
    """The mean score of one class, its variance, the effective sample size, and the error from buckets."""

    mean: float
    variance: float
    size: float
    slack: float


def _class(curve: Curve, weight: CountArray, squares: CountArray) -> _Class:
    total, size = float(weight.sum()), effective_size(weight, squares)
    if total == 0:
        return _Class(0.0, 0.0, 0.0, 0.0)
    middle: FloatArray = curve.middle
    mean = float(np.sum(weight * middle)) / total
    spread = float(np.sum(squares * (middle - mean) ** 2)) / total**2
    variance = spread * size / (size - 1) if size > 1 else math.nan
    return _Class(mean, variance, size, float(np.sum(weight * (curve.top - middle))) / total)


def _margin(rate: float, pos: _Class, neg: _Class, level: float) -> float:
    if min(pos.size, neg.size) <= 1:
        return math.nan
    return welch_margin((rate**2 * pos.variance, (1 - rate) ** 2 * neg.variance), (pos.size, neg.size), level)


def _caution(slack: float, *, few: bool) -> str | None:
    of_buckets = f"scores are in buckets, which widens the interval by {slack:.2g} on either side" if slack > 0 else ""
    return "; ".join(filter(None, [FEW_CASES_CAUTION if few else "", of_buckets])) or None
