"""Normal intervals from influence functions and DeLong's variance, on a scale that suits the metric."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.formulas import influence
from baserate.formulas.influence import Influence
from baserate.formulas.proportions import Interval, z_score
from baserate.formulas.steps import Steps
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import bound_parameters, row_of, takes, traits_of


class Scale(NamedTuple):
    """A transformation under which an estimate is more nearly normal, its inverse and its derivative."""

    to: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


def _logit(value: FloatArray) -> FloatArray:
    return scipy.special.logit(value)


def _expit(value: FloatArray) -> FloatArray:
    return scipy.special.expit(value)


LOGIT = Scale(_logit, _expit, lambda value: 1 / (value * (1 - value)))
BELOW_ONE = Scale(lambda value: -np.log1p(-value), lambda value: -np.expm1(-value), lambda value: 1 / (1 - value))
PLAIN = Scale(lambda value: value, lambda value: value, np.ones_like)


def scale_of(metric: MetricFunction) -> Scale:
    """The scale on which the range of a metric is unbounded."""
    row = row_of(metric)
    assert row is not None
    if (row.lowest, row.highest) == (0, 1):
        return LOGIT
    return BELOW_ONE if row.highest == 1 else PLAIN


# --- influence functions --------------------------------------------------------------------------


def has_influence(metric: MetricFunction) -> bool:
    """True for areas over the whole range of recalls."""
    influence_function = traits_of(metric).influence
    return influence_function is not None and takes(influence_function, bound_parameters(metric))


def influence_of(metric: MetricFunction, steps: Steps, x: float) -> Influence:
    """The influence function of the metric: its derivative by the weight of a case."""
    influence_function = traits_of(metric).influence
    assert influence_function is not None
    return Influence(*influence_function(steps, x, **bound_parameters(metric)))


def variance(metric: MetricFunction, steps: Steps, x: float) -> FloatArray:
    """The variance of the metric by its influence function."""
    return influence.variance(influence_of(metric, steps, x), steps)


def by_influence(metric: MetricFunction, steps: Steps, x: float, value: float, confidence_level: float) -> Interval:
    """The variance of influence functions, on the scale of the metric."""
    return _normal(scale_of(metric), value, variance(metric, steps, x), confidence_level)


def delong(_: MetricFunction, steps: Steps, x: float, value: float, confidence_level: float) -> Interval:
    """DeLong's variance on the logit scale, which never leaves [0, 1]."""
    return _normal(LOGIT, value, influence.delong_variance(steps), confidence_level)


def delong_wald(_: MetricFunction, steps: Steps, x: float, value: float, confidence_level: float) -> Interval:
    """DeLong's variance on the plain scale, clipped to [0, 1]: what most tools print."""
    plain = _normal(PLAIN, value, influence.delong_variance(steps), confidence_level)
    return Interval(np.maximum(plain.low, 0.0), np.minimum(plain.high, 1.0))


def _normal(scale: Scale, value: float, variance: FloatArray, confidence_level: float) -> Interval:
    """The normal interval on a scale; nan if the variance is 0, or the value is at an end of its range."""
    seen = np.asarray(value, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(variance > 0, np.sqrt(variance), np.nan)
        margin = z_score(confidence_level) * error * scale.slope(seen)
        return Interval(scale.back(scale.to(seen) - margin), scale.back(scale.to(seen) + margin))
