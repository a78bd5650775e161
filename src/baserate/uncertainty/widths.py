"""How far precision is known before a prevalence is: the widest place of its band over all of them."""

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
    """The worst and the best of a pointwise metric over prevalences when each rate lies in an interval.

    Brabec's lower and upper bound. The level is not known here: if the two intervals hold independently of each other,
    it is at least the product of their levels; `box_level` says how much more. For an interval from counts use
    `estimate` or `sweep_estimates`.

    Parameters
    ----------
    metric : callable
        A pointwise metric; F1's band lets recall vary with the rest.
    prevalences : column
        Where to read it: shares strictly between 0 and 1, or odds such as "1:1000".
    tpr, fpr : (float, float)
        An interval of each rate, such as ``(estimate - sigma, estimate + sigma)``; an end outside [0, 1] is cut there.
        The value in the band is that of the middles.

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
        raise InputError(
            f"a box of rates gives the band of a pointwise metric, got {metric!r}; pass br.f1 for example."
        )
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
        An interval of each rate, such as ``(estimate - sigma, estimate + sigma)``, or the ends of an `Estimate`. An end
        outside [0, 1] is cut there, as a rate cannot be.

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
    r"""The same width from the coefficients of variation of the two rates.

    .. math:: \left(\frac{1 - \Delta}{1 + \Delta}\right)^2
              = \frac{1 - CV_T}{1 + CV_T} \cdot \frac{1 - CV_F}{1 + CV_F}, \qquad \Delta \le \max(CV_T, CV_F)

    A coefficient of variation is half the width of an interval over its middle: ``sigma / estimate``. It is never
    larger than the larger of the two, and equal to it if they are equal.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.papers.max_width_from_cvs(0.1, 0.5), 10)
    0.3138593384
    """
    return float(box.width_from_cvs(checks.not_negative(cv_tpr, "cv_tpr"), checks.not_negative(cv_fpr, "cv_fpr")))


@checks.declared
def affordable_cv(width: float, other_cv: float) -> float:
    """The coefficient of variation one rate may have so that precision is known to `width` everywhere.

    Parameters
    ----------
    width : float
        The wanted largest width of the band of precision.
    other_cv : float
        The coefficient of variation of the other rate.

    Returns
    -------
    float
        nan where the other rate alone makes the band wider than wanted.

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
    """How often a band of precision, drawn around normal estimates, holds the true precision, by simulation.

    Both rates inside their intervals is sufficient, not necessary: a box of two 68 % intervals holds both rates in 47 %
    of cases, and the true precision in more. The answer is the same at every prevalence.

    Parameters
    ----------
    tpr, fpr : (float, float)
        A true rate and the margin of its interval, both as ``(rate, sigma)``: the estimate is normal around the rate
        with this standard deviation, and the interval reaches one of it to either side.
    n_samples : int
        How many estimates to draw; the standard error is at most ``0.5 / sqrt(n_samples)``.
    rng : Generator or int, optional
        Where random numbers come from.

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
        raise InputError(f"{name} must run from low to high and touch [0, 1], got {ends!r}; swap or check its ends.")
    return Interval(np.asarray(max(low, 0.0)), np.asarray(min(high, 1.0)))


def _rate_and_margin(given: object, name: str) -> tuple[float, float]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"{name} must be a rate and its margin such as (0.6, 0.06), got {given!r}; pass both.")
    rate, margin = checks.share(given[0], name, above=True), checks.positive_number(given[1], f"the margin of {name}")
    return rate, margin
