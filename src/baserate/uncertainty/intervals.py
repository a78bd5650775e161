"""Intervals: in closed form from influence functions, and from what a metric says of drawn curves."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.formulas import baselines, influence
from baserate.formulas.influence import Influence
from baserate.formulas.proportions import Interval, z_score
from baserate.formulas.steps import Steps
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import bound_parameters, row_of


class Scale(NamedTuple):
    """Where an estimate is more nearly normal, and the way back."""

    to: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


def _identity(value: FloatArray) -> FloatArray:
    return value


def _logit(value: FloatArray) -> FloatArray:
    return scipy.special.logit(value)


def _expit(value: FloatArray) -> FloatArray:
    return scipy.special.expit(value)


LOGIT = Scale(_logit, _expit, lambda value: 1 / (value * (1 - value)))
BELOW_ONE = Scale(lambda value: -np.log1p(-value), lambda value: -np.expm1(-value), lambda value: 1 / (1 - value))
PLAIN = Scale(_identity, _identity, np.ones_like)


def scale_of(metric: MetricFunction) -> Scale:
    """The scale on which the range of a metric has no ends."""
    row = row_of(metric)
    assert row is not None
    if (row.lowest, row.highest) == (0, 1):
        return LOGIT
    return BELOW_ONE if row.highest == 1 else PLAIN


# --- influence functions --------------------------------------------------------------------------

_Answers = Callable[[Steps, float, Mapping[str, object]], Influence]


def _of_auc_pr_between_floor_and_one(steps: Steps, x: float, _: Mapping[str, object]) -> Influence:
    room = baselines.min_auc_pr(x, 0.0, 1.0, deficit=True)
    return Influence(*(part / room for part in influence.auc_pr(steps, x)))


def _of_average_precision_between_floor_and_one(steps: Steps, x: float, _: Mapping[str, object]) -> Influence:
    room = baselines.min_average_precision(steps.n_pos, x, deficit=True)
    return Influence(*(part / room for part in influence.average_precision(steps, x)))


def _of_best_f_beta(steps: Steps, x: float, parameters: Mapping[str, object]) -> Influence:
    return influence.best_f_beta(steps, x, checks.positive_number(parameters.get("beta", 1.0), "beta"))


_INFLUENCES: Mapping[str, _Answers] = MappingProxyType(
    {
        "roc_auc": lambda steps, x, _: influence.roc_auc(steps),
        "average_precision": lambda steps, x, _: influence.average_precision(steps, x),
        "auc_pr": lambda steps, x, _: influence.auc_pr(steps, x),
        "auc_prg": lambda steps, x, _: influence.auc_prg(steps, x),
        "best_f_beta": _of_best_f_beta,
        "best_f1": _of_best_f_beta,
        "normalized_auc_pr": _of_auc_pr_between_floor_and_one,
        "normalized_average_precision": _of_average_precision_between_floor_and_one,
    }
)


def has_influence(metric: MetricFunction) -> bool:
    """True for areas over the whole range of recalls."""
    row = row_of(metric)
    partial = {"recall_range", "max_fpr"} & bound_parameters(metric).keys()
    return row is not None and row.name in _INFLUENCES and not partial


def influence_of(metric: MetricFunction, steps: Steps, x: float) -> Influence:
    """How the metric answers to a little more weight on a case."""
    row = row_of(metric)
    assert row is not None
    return _INFLUENCES[row.name](steps, x, bound_parameters(metric))


def variance(metric: MetricFunction, steps: Steps, x: float) -> FloatArray:
    """The variance of the metric by its influence function."""
    return influence.variance(influence_of(metric, steps, x), steps)


def delong(curve: Curve, value: float, confidence_level: float) -> Interval:
    """DeLong's variance on the logit scale, which never leaves [0, 1]."""
    return normal(LOGIT, value, influence.delong_variance(curve.table.steps), confidence_level)


def delong_wald(curve: Curve, value: float, confidence_level: float) -> Interval:
    """DeLong's variance on the plain scale, cut at 0 and 1: what most tools print."""
    plain = normal(PLAIN, value, influence.delong_variance(curve.table.steps), confidence_level)
    return Interval(np.maximum(plain.low, 0.0), np.minimum(plain.high, 1.0))


def normal(scale: Scale, value: float, variance: FloatArray, confidence_level: float) -> Interval:
    """Normal on a scale; nan where there is no variance, or where the value is at an end of its range."""
    seen = np.asarray(value, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(variance > 0, np.sqrt(variance), np.nan)
        margin = z_score(confidence_level) * error * scale.slope(seen)
        return Interval(scale.back(scale.to(seen) - margin), scale.back(scale.to(seen) + margin))


# --- from replicates ------------------------------------------------------------------------------


def percentile(replicates: FloatArray, confidence_level: float) -> Interval:
    """The middle part of the replicates, along the first axis.

    The ends are replicates themselves, the outer ones, because between an infinite one and another there is nothing.
    Where more replicates are undefined than may lie beyond an end, both are nan.
    """
    tail = (1 - confidence_level) / 2
    undefined = np.isnan(replicates)
    known = undefined.sum(axis=0) <= int(tail * (len(replicates) - 1))
    low = np.quantile(np.where(undefined, -np.inf, replicates), tail, axis=0, method="lower")
    high = np.quantile(np.where(undefined, np.inf, replicates), 1 - tail, axis=0, method="higher")
    return Interval(np.where(known, low, np.nan), np.where(known, high, np.nan))


def melded(
    pessimist: FloatArray,
    optimist: FloatArray,
    value: FloatArray,
    confidence_level: float,
    *,
    searched_for: float | None = None,
) -> Interval:
    """From the pessimist's lower end to the optimist's upper one, or the reverse for a cost, and never past the value.

    `searched_for` says that the data were searched for the highest value (1) or for the lowest (-1).
    """
    ends = [percentile(side, confidence_level) for side in (pessimist, optimist)]
    low, high = np.minimum(*(end.low for end in ends)), np.maximum(*(end.high for end in ends))
    if searched_for is not None:
        sign = searched_for
        let_down = sign * _without_flattery(sign * pessimist, sign * optimist, sign * value, confidence_level)
        low, high = (np.minimum(low, let_down), high) if sign > 0 else (low, np.maximum(high, let_down))
    # What was seen is inside also where it is the most extreme value there is, which no draw reaches.
    return Interval(np.minimum(low, value), np.maximum(high, value))


def _without_flattery(
    pessimist: FloatArray, optimist: FloatArray, value: FloatArray, confidence_level: float
) -> FloatArray:
    """The lower end of a highest value, let down by as much as the search for the highest flatters.

    The best of many is better than it should be, in the data and once more in curves drawn from them. What the draws
    have gained, the value has gained as well; the end lies as far below as in a pessimist's draws.
    """
    flattery = np.maximum(np.nanmedian(optimist, axis=0) - value, 0.0)
    reach = np.nanmedian(pessimist, axis=0) - percentile(pessimist, confidence_level).low
    return np.asarray(value - 2 * flattery - reach)


def bca(replicates: FloatArray, value: float, acceleration: float, confidence_level: float) -> Interval:
    """Percentiles moved for bias and skewness (Efron 1987); nan where all replicates lie on one side of the value."""
    below = (np.count_nonzero(replicates < value) + np.count_nonzero(replicates == value) / 2) / len(replicates)
    if not 0 < below < 1:
        return Interval(np.asarray(np.nan), np.asarray(np.nan))
    bias = scipy.special.ndtri(below)
    reach = bias + np.array([-1.0, 1.0]) * z_score(confidence_level)
    tails = scipy.special.ndtr(bias + reach / (1 - acceleration * reach))
    low, high = np.quantile(replicates, tails)
    return Interval(low, high)


def studentised(
    replicates: FloatArray,
    variances: FloatArray,
    *,
    value: float,
    variance: float,
    scale: Scale,
    confidence_level: float,
) -> Interval:
    """The replicates' distances from the value in their own standard errors, laid off with that of the value."""
    tail = (1 - confidence_level) / 2
    seen = np.asarray(value, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance) * scale.slope(seen)
        distances = (scale.to(replicates) - scale.to(seen)) / (np.sqrt(variances) * scale.slope(replicates))
    distances = distances[np.isfinite(distances)]
    if len(distances) < len(replicates) / 2 or not np.isfinite(error) or error == 0:
        return Interval(np.asarray(np.nan), np.asarray(np.nan))
    near, far = np.quantile(distances, [tail, 1 - tail])
    return Interval(scale.back(scale.to(seen) - far * error), scale.back(scale.to(seen) - near * error))
