"""Linear combinations of metrics of independent curves: a difference of two groups, or the parts of a change.

Each curve is drawn independently, and read by a pessimist and an optimist. For a change, the lower end adds up the
smallest reading of each curve and the upper end the largest, which is how melding combines independent samples. A
difference of groups has one reading of each curve and no extrema inside (`turns`): there the draws of all combinations
of observers are pooled. Where labels were sampled, there are more observers, and the extremes of all combinations
count.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.formulas.proportions import Interval
from baserate.formulas.weighted_means import Sides, equal_sides
from baserate.metrics.bounds import bounds
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import is_constant, row_of
from baserate.uncertainty import ends, points, turns
from baserate.uncertainty.cells import RUNS_PER_LOGIT, cells_of
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings, is_bucketed
from baserate.uncertainty.methods import searched_for
from baserate.uncertainty.readers import chosen_on_draws, cut_for, has_interval, is_chosen, reading_of
from baserate.uncertainty.sampled_methods import is_sampled, sampled_readings
from baserate.uncertainty.samplers import Drawn, OfCurve, Streams

FLATTERED = (
    "the optimum over thresholds is optimistic, more so for small samples; the difference is not corrected for it"
)

_ROUNDING = 1e-12  # of a product that may be an integer


class Readings(NamedTuple):
    """A metric at several places of one curve: at prevalences, or at thresholds and prevalences."""

    at: Sequence[Curve | Point]
    value: FloatArray
    drawn: FloatArray  # observers, draws, places; nan where there is no interval
    rates: turns.Rates | None = None  # of points


class Sum(NamedTuple):
    """A linear combination of readings, with interval and p-value."""

    value: float
    ends: Interval
    p_value: float  # two-sided, of no difference from 0


def readings(
    metric: MetricFunction, at: Sequence[Curve | Point], value: FloatArray, settings: IntervalSettings
) -> Readings:
    """The metric at places of one curve, in drawn populations and for each observer."""
    if is_constant(metric):
        return Readings(at, value, np.broadcast_to(value, (1, settings.n_draws, len(at))))
    if not has_interval(metric):  # `why_no_ends` says why
        return Readings(at, value, np.full((1, settings.n_draws, len(at)), np.nan))
    of_points = [place for place in at if isinstance(place, Point)]
    if is_sampled(at[0]):
        return Readings(at, value, sampled_readings(metric, at, settings.n_draws, settings.seeds))
    if of_points:
        rates = (_at_chosen if is_chosen(at[0]) else _at_thresholds)(of_points, settings)
        return Readings(at, value, rates.values(metric), rates)
    (curve, *_) = curves = [place for place in at if isinstance(place, Curve)]
    sampler = OfCurve(curve, cut_for(metric, curve)(curve, RUNS_PER_LOGIT))
    values = drawn(sampler, [_reader(metric, one) for one in curves], settings.n_draws, settings.seeds)
    return Readings(at, value, np.concatenate(values, axis=2))


def _at_chosen(at: Sequence[Point], settings: IntervalSettings) -> turns.Rates:
    """Both rates at the points that a rule chooses in each drawn population."""
    curve = at[0].curve
    assert curve is not None
    readers = [Reader(partial(_chosen_rates, point), of_curves=False) for point in at]
    rates = np.stack(drawn(OfCurve(curve, cells_of(curve)), readers, settings.n_draws, settings.seeds), axis=-1)
    return _rates_of(at, (np.clip(rates[:, :, 0], 0.0, 1.0), np.clip(rates[:, :, 1], 0.0, 1.0)))


def _chosen_rates(point: Point, models: tuple[Drawn, ...]) -> FloatArray:
    tpr, fpr, _ = chosen_on_draws(point, models[0])
    return np.stack([tpr, fpr], axis=1)


def _reader(metric: MetricFunction, curve: Curve) -> Reader:
    read, x = reading_of(metric, curve), np.array([curve.odds_against])
    return Reader(lambda models: read(models[0], x))


def _at_thresholds(at: Sequence[Point], settings: IntervalSettings) -> turns.Rates:
    """Both rates at given thresholds, each from the distribution of its lower and of its upper limit."""
    strictest_first = sorted({_threshold(point) for point in at}, reverse=True)
    place = [strictest_first.index(_threshold(point)) for point in at]
    seen = [points.cases(at[place.index(k)]) for k in range(len(strictest_first))]
    streams = Streams.of(settings.seeds)
    of_pos = [cases.pos or equal_sides(cases.tp, cases.fn) for cases in seen]
    of_neg = [cases.neg or equal_sides(cases.fp, cases.tn) for cases in seen]
    tpr = _rates(of_pos, settings.n_draws, streams.pos)[..., place]
    fpr = _rates(of_neg, settings.n_draws, streams.neg)[..., place]
    return _rates_of(at, (np.repeat(tpr, 2, axis=0), np.tile(fpr, (2, 1, 1))))


def _rates_of(at: Sequence[Point], drawn: tuple[FloatArray, FloatArray]) -> turns.Rates:
    seen = np.array([point.rates.tpr for point in at]), np.array([point.rates.fpr for point in at])
    x, threshold = [point.odds_against for point in at], [str(_threshold(point)) for point in at]
    return turns.Rates(seen, drawn, np.array(x), threshold, (at[0].n_pos, at[0].n_neg))


def _threshold(point: Point) -> float:
    return math.nan if point.threshold is None else point.threshold


def _rates(at: Sequence[Sides], n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Drawn rates at falling thresholds; the free row lies below all of them, or above all."""
    weight, squares = (_between(at, column) for column in (0, 1))
    each = np.divide(squares, weight, out=np.ones(len(weight)), where=weight > 0)
    masses = rng.standard_gamma(weight / each, (n_draws, len(weight))) * each
    free = rng.standard_exponential((n_draws, 1))
    below, above = (free * np.array([sides.one_more(sides[k]) for sides in at]) for k in (1, 0))
    total, running = masses.sum(axis=1, keepdims=True), np.cumsum(masses, axis=1)[:, :-1]
    rates: FloatArray = np.minimum(np.stack([running / (total + below), (running + above) / (total + above)]), 1.0)
    return rates


def _between(at: Sequence[Sides], column: int) -> FloatArray:
    """Sums above the first threshold, between each and the next, and below the last."""
    above = [sides.above[column] for sides in at]
    return np.maximum(np.diff(np.array([0.0, *above, at[0].all[column]])), 0.0)


def added_up(metric: MetricFunction, parts: Sequence[tuple[Readings, FloatArray]], confidence_level: float) -> Sum:
    """The sum over independent curves of readings times coefficients."""
    with np.errstate(invalid="ignore"):
        value = float(sum(float(coefficients @ readings.value) for readings, coefficients in parts))
    low = high = np.zeros(1)
    below = above = 0.0
    with np.errstate(invalid="ignore"):
        for readings, coefficients in parts:
            counts = coefficients != 0  # readings with coefficient 0 may be infinite
            each = readings.drawn[..., counts] @ coefficients[counts]
            turned = partial(_past_turns, metric, readings, confidence_level)
            low, high = low + turned(coefficients, each.min(axis=0)), high - turned(-coefficients, -each.max(axis=0))
            slack = _slack(metric, readings.at, coefficients)
            below, above = below + slack[0], above + slack[1]
    return _sum_of(value, np.minimum(low, value) - below, np.maximum(high, value) + above, confidence_level)


def apart(metric: MetricFunction, first: Readings, second: Readings, confidence_level: float) -> Sum:
    """The difference, first minus second, of two independent curves, read at one place each."""
    (at,), (other,) = first.at, second.at
    with np.errstate(invalid="ignore"):
        value = float(first.value[0] - second.value[0])
        of_both = first.drawn[:, np.newaxis, :, 0] - second.drawn[np.newaxis, :, :, 0]
    slack = [_slack(metric, [place], np.array([sign])) for place, sign in ((at, 1.0), (other, -1.0))]
    below, above = (sum(part) for part in zip(*slack, strict=True))
    if is_sampled(at) or is_sampled(other):  # each of many observers tries one place
        return _sum_of(value, of_both.min(axis=(0, 1)), of_both.max(axis=(0, 1)), confidence_level)
    return _sum_of(value, of_both.ravel() - below, of_both.ravel() + above, confidence_level)


def _sum_of(value: float, low: FloatArray, high: FloatArray, confidence_level: float) -> Sum:
    """From the lower percentile of the smallest sums to the upper one of the largest; the value is always inside."""
    level = _as_counted(confidence_level, len(low))
    interval = Interval(
        np.minimum(ends.percentile(low, level).low, value), np.maximum(ends.percentile(high, level).high, value)
    )
    if np.isnan(interval).any() or math.isnan(value):
        return Sum(value, Interval(np.asarray(np.nan), np.asarray(np.nan)), math.nan)
    return Sum(value, interval, float(ends.p_value(np.stack([low, high])[..., np.newaxis], np.array([value]))[0]))


def _as_counted(confidence_level: float, n_draws: int) -> float:
    """The level at which percentiles agree with the p-value, which counts draws: both then agree about 0."""
    beyond = math.floor((1 - confidence_level) / 2 * (1 + n_draws) * (1 + _ROUNDING)) - 1
    return 1 - (2 * max(beyond, 0) + 1) / (n_draws - 1)


def _past_turns(
    metric: MetricFunction, readings: Readings, level: float, coefficients: FloatArray, least: FloatArray
) -> FloatArray:
    if readings.rates is not None:
        return turns.past(metric, readings.rates, coefficients, level, least)
    return turns.past_middling(readings.drawn, readings.value, coefficients, level, least)


def _slack(metric: MetricFunction, at: Sequence[Curve | Point], coefficients: FloatArray) -> tuple[float, float]:
    """The largest error of a sum, downwards and upwards, because buckets are read as ties."""
    if row_of(metric) is None or not is_bucketed(at[0]):
        return 0.0, 0.0
    below = above = 0.0
    for place, coefficient in zip(at, coefficients, strict=True):
        certain = bounds(metric, place)
        down, up = float(certain.value - certain.low), float(certain.high - certain.value)
        below += coefficient * down if coefficient > 0 else -coefficient * up
        above += coefficient * up if coefficient > 0 else -coefficient * down
    return below, above


def caution_of(metric: MetricFunction, at: Curve | Point) -> str | None:
    """A caution if the metric is an optimum over thresholds, which is optimistic."""
    return FLATTERED if searched_for(metric, at) is not None else None
