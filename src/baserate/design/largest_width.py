"""The band of precision over all prevalences, and its largest width."""

import math

import numpy as np

from baserate import checks
from baserate.arrays import Prevalences
from baserate.errors import InputError
from baserate.formulas import box
from baserate.formulas.proportions import Interval
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.results import Band, MaxWidth
from baserate.uncertainty.points import through, values


@checks.declared
def box_band(
    metric: MetricFunction, prevalences: Prevalences, *, tpr: tuple[float, float], fpr: tuple[float, float]
) -> Band:
    """The extremes of a pointwise metric at each prevalence, when each rate lies in an interval.

    These are Brabec's lower and upper bound. Their level is unknown here: if the two intervals are independent, it is
    at least the product of their levels; `box_level` computes it. For an interval from counts use `estimate` or
    `sweep_estimates`.

    Parameters
    ----------
    metric : callable
        A pointwise metric; the band of F1 includes the uncertainty of recall.
    prevalences : column
        Shares strictly between 0 and 1, or texts such as "1 in 1,000" and "1:999".
    tpr, fpr : (float, float)
        An interval of each rate, such as ``(estimate - sigma, estimate + sigma)``; it is clipped to [0, 1]. The value
        of the band is that at the midpoints.

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> band = br.papers.box_band(br.precision, [0.01], tpr=(0.4, 0.6), fpr=(0.009, 0.011))
    >>> band.low.round(4), band.value.round(4), band.high.round(4)
    (array([0.2686]), array([0.3356]), array([0.4024]))
    """
    row = row_of(metric)
    if row is None or row.family is not Family.POINTWISE:
        raise InputError(f"box_band needs a pointwise metric, got {metric!r}; pass one such as br.f1.")
    grid = checks.prevalences(prevalences)
    x = (1 - grid) / grid
    t, f = _rates(tpr, "tpr"), _rates(fpr, "fpr")
    low, high = through(metric, t, f, x)
    return Band(
        metric=describe(metric),
        along="prevalence",
        place=grid,
        value=values(metric, (t.low + t.high) / 2, (f.low + f.high) / 2, x),
        low=low,
        high=high,
        confidence_level=math.nan,
        simultaneous=True,
        method="box",
        prevalence=None,
        n_pos=math.nan,
        n_neg=math.nan,
    )


@checks.declared
def max_width(*, tpr: tuple[float, float], fpr: tuple[float, float]) -> MaxWidth:
    r"""The largest width of the band of precision over all prevalences, and where it is.

    .. math:: \Delta = \frac{1 - q}{1 + q}, \qquad q = \sqrt{r_1 / r_2}, \qquad
              \frac{1 - \eta}{\eta} = \frac{1}{\sqrt{r_1 r_2}}

    where :math:`r_1` and :math:`r_2` are the smallest and the largest FPR/TPR within the two intervals.

    Parameters
    ----------
    tpr, fpr : (float, float)
        An interval of each rate, such as ``(estimate - sigma, estimate + sigma)``, or the ends of an `Estimate`. It is
        clipped to [0, 1].

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0009, 0.0011))
    >>> round(found.width, 10)
    0.1
    """
    widest = box.widest(_rates(tpr, "tpr"), _rates(fpr, "fpr"))
    return MaxWidth(float(widest.width), float(1 / (1 + widest.x)))


def max_width_from_cvs(cv_tpr: float, cv_fpr: float) -> float:
    r"""The largest width of the band of precision, from the coefficients of variation of the two rates.

    .. math:: \left(\frac{1 - \Delta}{1 + \Delta}\right)^2
              = \frac{1 - CV_T}{1 + CV_T} \cdot \frac{1 - CV_F}{1 + CV_F}, \qquad \Delta \le \max(CV_T, CV_F)

    A coefficient of variation is half the width of an interval divided by its midpoint: ``sigma / estimate``. The width
    is at most the larger of the two, and equal to it if they are equal.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.papers.max_width_from_cvs(0.1, 0.5), 10)
    0.3138593384
    """
    return float(box.width_from_cvs(checks.not_negative(cv_tpr, "cv_tpr"), checks.not_negative(cv_fpr, "cv_fpr")))


@checks.declared
def affordable_cv(width: float, other_cv: float) -> float:
    """The largest coefficient of variation of one rate for which the band of precision is at most `width` wide.

    Parameters
    ----------
    width : float
        The largest width of the band of precision over all prevalences.
    other_cv : float
        The coefficient of variation of the other rate.

    Returns
    -------
    float
        nan if the other rate alone makes the band wider.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.design.affordable_cv(0.1, 0.1), 10), round(br.design.affordable_cv(0.1, 0.05), 4)
    (0.1, 0.1495)
    """
    return float(box.affordable_cv(checks.share(width, "width", above=True), checks.not_negative(other_cv, "other_cv")))


def box_level(
    *,
    tpr: tuple[float, float],
    fpr: tuple[float, float],
    n_samples: int = 1_000_000,
    rng: np.random.Generator | int | None = None,
) -> float:
    """The coverage of the band of precision that `box_band` makes of normal estimates, by simulation.

    That both rates are in their intervals is sufficient, not necessary: a box of two 68 % intervals contains both rates
    in 47 % of cases, and the band contains the true precision more often. Coverage is the same at every prevalence.

    Parameters
    ----------
    tpr, fpr : (float, float)
        A true rate and the standard deviation of its estimate, as ``(rate, sigma)``. Estimates are normal, and the
        interval is the estimate plus or minus sigma.
    n_samples : int
        The number of simulated estimates; the standard error is at most ``0.5 / sqrt(n_samples)``.
    rng : Generator or int, optional
        The random generator, or its seed.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.papers.box_level(tpr=(0.6, 0.06), fpr=(0.001, 0.0005), rng=0), 2)
    0.76
    """
    (true_tpr, tpr_margin), (true_fpr, fpr_margin) = _rate_and_margin(tpr, "tpr"), _rate_and_margin(fpr, "fpr")
    n, generator = checks.repeats(n_samples, "n_samples"), checks.generator(rng)
    seen_tpr = true_tpr + tpr_margin * generator.standard_normal(n)
    seen_fpr = true_fpr + fpr_margin * generator.standard_normal(n)
    # Precision depends on FPR/TPR only, so the true ratio is to lie between those of the two corners; no division,
    # because an estimate may come out as zero.
    worst = true_fpr * (seen_tpr - tpr_margin) <= true_tpr * (seen_fpr + fpr_margin)
    best = true_fpr * (seen_tpr + tpr_margin) >= true_tpr * (seen_fpr - fpr_margin)
    return float(np.mean(worst & best))


def _rates(ends: object, name: str) -> Interval:
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise InputError(f"{name} must be a pair such as (0.5, 0.7), got {ends!r}; pass both ends of its interval.")
    low, high = (checks.number(end, name) for end in ends)
    if not low <= high or high < 0 or low > 1:
        raise InputError(f"{name} must go from low to high and overlap [0, 1], got {ends!r}; swap or check its ends.")
    return Interval(np.asarray(max(low, 0.0)), np.asarray(min(high, 1.0)))


def _rate_and_margin(given: object, name: str) -> tuple[float, float]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"{name} must be a rate and its margin such as (0.6, 0.06), got {given!r}; pass both.")
    rate, margin = checks.share(given[0], name, above=True), checks.positive_number(given[1], f"the margin of {name}")
    return rate, margin
