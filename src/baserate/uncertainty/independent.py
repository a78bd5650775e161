"""Sums of metrics of independent curves: a difference between two groups, or the parts of a change.

Each curve is drawn by itself, as a pessimist and as an optimist sees it. The lower end of a sum adds up what is least
for each curve and the upper end what is most, which is how melding combines intervals of independent samples.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.formulas.proportions import Interval
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, row_of
from baserate.uncertainty import intervals, points
from baserate.uncertainty.draws import chunks, melds
from baserate.uncertainty.estimate import is_bucketed
from baserate.uncertainty.levels import is_chosen
from baserate.uncertainty.means import drawn_means, losses_of
from baserate.uncertainty.methods import searched_for
from baserate.uncertainty.replicates import cells_for, values

FLATTERED = "the best of many thresholds flatters small samples more, and a difference of two does not correct for that"


class Readings(NamedTuple):
    """A metric at several places of one curve: at prevalences, or at thresholds and prevalences."""

    at: Sequence[Curve | Point]
    value: FloatArray
    drawn: FloatArray  # observers, draws, places; nan where there is no interval


class Sum(NamedTuple):
    """A sum of readings with what is known of it."""

    value: float
    ends: Interval
    p_value: float  # two-sided, of no difference from 0


def drawn(metric: MetricFunction, at: Sequence[Curve | Point], n_draws: int, rng: np.random.Generator) -> FloatArray:
    """The metric at places of one curve in drawn populations, as different observers see them."""
    first, row = at[0], row_of(metric)
    x = np.array([place.odds_against for place in at])
    if row is not None and (row.family is Family.BASELINE or row.name == "chance_precision"):
        constant = np.array([evaluate(metric, place)[0] for place in at], np.float64)
        return np.broadcast_to(constant, (1, n_draws, len(at)))
    if row is not None and row.family is Family.PROBABILITY:
        losses = losses_of(metric)
        if losses is None or not isinstance(first, Curve):  # `why_no_ends` says why
            return np.full((1, n_draws, len(at)), np.nan)
        return np.stack(drawn_means(first, losses, x, n_draws, rng)).transpose(0, 2, 1)
    if isinstance(first, Point) and not is_chosen(first):
        return _at_thresholds(metric, [place for place in at if isinstance(place, Point)], n_draws, rng)
    return _on_curves(metric, at, n_draws, rng)


def _on_curves(
    metric: MetricFunction, at: Sequence[Curve | Point], n_draws: int, rng: np.random.Generator
) -> FloatArray:
    first = at[0]
    x = np.array([place.odds_against for place in at])
    alike = all(isinstance(p, Curve) or (isinstance(first, Point) and p.chosen == first.chosen) for p in at)
    cells = cells_for(metric, first)
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for pair in melds(cells, chunks(cells, n_draws), rng):
        for side, population in zip(sides, pair, strict=True):
            if alike:
                side.append(values(metric, first, population, x))
            else:  # the rule chooses another point at another prevalence
                found = [values(metric, place, population, x_j[np.newaxis]) for place, x_j in zip(at, x, strict=True)]
                side.append(np.concatenate(found, axis=1))
    return np.stack([np.concatenate(side) for side in sides])


def _at_thresholds(metric: MetricFunction, at: Sequence[Point], n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Both rates at thresholds that were given, each at its lower and at its upper law."""
    strictest_first = sorted({_threshold(point) for point in at}, reverse=True)
    place = [strictest_first.index(_threshold(point)) for point in at]
    seen = [points.cases(at[place.index(k)]) for k in range(len(strictest_first))]
    tpr = _rates(np.array([cases.tp for cases in seen]), seen[0].n_pos, n_draws, rng)[..., place]
    fpr = _rates(np.array([cases.fp for cases in seen]), seen[0].n_neg, n_draws, rng)[..., place]
    x = np.array([point.odds_against for point in at])
    return np.stack([points.values(metric, t, f, x) for t in tpr for f in fpr])


def _threshold(point: Point) -> float:
    return math.nan if point.threshold is None else point.threshold


def _rates(above: FloatArray, n: float, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Rates at falling thresholds: one case's worth lies below all of them, or above all."""
    cells = np.maximum(np.diff(np.concatenate([[0.0], above, [n]])), 0.0)
    masses = rng.standard_gamma(cells, (n_draws, len(cells)))
    free = rng.standard_exponential((n_draws, 1))
    total, running = masses.sum(axis=1, keepdims=True) + free, np.cumsum(masses, axis=1)[:, :-1]
    rates: FloatArray = np.minimum(np.stack([running / total, (running + free) / total]), 1.0)
    return rates


def added_up(metric: MetricFunction, parts: Sequence[tuple[Readings, FloatArray]], confidence_level: float) -> Sum:
    """A sum over independent curves of readings times coefficients."""
    with np.errstate(invalid="ignore"):
        value = float(sum(float(coefficients @ readings.value) for readings, coefficients in parts))
    low = high = np.zeros(1)
    below = above = 0.0
    with np.errstate(invalid="ignore"):
        for readings, coefficients in parts:
            counts = coefficients != 0  # what does not count may be infinite
            each = readings.drawn[..., counts] @ coefficients[counts]
            low, high = low + each.min(axis=0), high + each.max(axis=0)
            slack = _slack(metric, readings.at, coefficients)
            below, above = below + slack[0], above + slack[1]
    ends = Interval(
        np.minimum(intervals.percentile(low, confidence_level).low, value) - below,
        np.maximum(intervals.percentile(high, confidence_level).high, value) + above,
    )
    if np.isnan(ends).any() or math.isnan(value):
        return Sum(value, Interval(np.asarray(np.nan), np.asarray(np.nan)), math.nan)
    less, more = np.count_nonzero(~(low - below > 0)), np.count_nonzero(~(high + above < 0))
    return Sum(value, ends, min(1.0, 2 * (1 + min(less, more)) / (1 + len(low))))


def _slack(metric: MetricFunction, at: Sequence[Curve | Point], coefficients: FloatArray) -> tuple[float, float]:
    """How far below and above its value a sum may be, because buckets are read as ties."""
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
    """A sentence where a sum of readings may hold less often than it says."""
    return FLATTERED if searched_for(metric, at) is not None else None
