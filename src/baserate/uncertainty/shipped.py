"""Thresholds that the data have chosen themselves: what they will do from now on, and what the rule would do again.

A threshold that had to keep a limit is judged as if it had been given: exact intervals of both rates allow for that
(docs/coverage.md has what was measured). One that was searched for is better on the rows that found it than elsewhere.
By how much is seen on drawn curves, which are searched in the same way and judged on the rows: Efron's optimism.

References
----------
Efron, Estimating the error rate of a prediction rule: improvement on cross-validation, Journal of the American
Statistical Association 1983. doi:10.1080/01621459.1983.10477973.
"""

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.point import Point
from baserate.formulas.proportions import Interval
from baserate.metrics.over_prevalence import MetricFunction
from baserate.uncertainty import ends, points
from baserate.uncertainty.draws import Reader
from baserate.uncertainty.samplers import NOBODY, Drawn

# Thresholds looked at among those that drawn curves choose.
_CANDIDATES = 12


def optimism(metric: MetricFunction, at: Point, x: FloatArray) -> Reader:
    """How much better a metric is on each drawn curve, where the rule chooses on it, than on the rows, for each x."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        corner = _corners(at, drawn)
        here = [_rate(column, corner) for column in (drawn.steps.tp, drawn.steps.fp)]
        held = (part.rows * part.weight for part in (drawn.cells.pos, drawn.cells.neg))
        pos, neg = (np.cumsum(amounts) / amounts.sum() for amounts in held)
        there = [np.append(0.0, rate)[corner] for rate in (pos, neg[1::2])]
        found, seen = (points.values(metric, t[:, np.newaxis], f[:, np.newaxis], x) for t, f in (here, there))
        return found - seen

    return Reader(read, (NOBODY,), of_curves=False)


def less_optimism(interval: Interval, drawn: FloatArray) -> Interval:
    """An interval as if the threshold had been given, with an end let down by what a search makes of it."""
    gain = [np.nan_to_num(middle(drawn[0], axis=0)) for middle in (np.nanmean, np.nanmedian)]
    most, least = np.maximum(*gain), np.minimum(*gain)
    return Interval(interval.low - np.maximum(most, 0.0), interval.high + np.maximum(-least, 0.0))


def chosen_scores(at: Point) -> Reader:
    """The threshold that the rule chooses on each drawn curve."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        scores: FloatArray = np.append(np.inf, drawn.score)[_corners(at, drawn)]
        return scores[:, np.newaxis]

    return Reader(read, (NOBODY,), of_curves=False)


def over_candidates(
    metric: MetricFunction, at: Point, x: FloatArray, confidence_level: float, chosen: FloatArray
) -> Interval:
    """An interval that holds at every threshold that may be the population's choice."""
    assert at.curve is not None
    ordered = np.sort(chosen[0, :, 0])
    tail = (1 - confidence_level) / 2
    places = np.linspace(tail, 1 - tail, _CANDIDATES) * (len(ordered) - 1)
    thresholds = np.unique(ordered[np.rint(places).astype(np.intp)])
    found = [points.melded(metric, points.cases(at.curve.at_threshold(t)), x, confidence_level) for t in thresholds]
    return ends.holding(found[0], found[1:])


def _corners(at: Point, drawn: Drawn) -> Indices:
    assert at.chosen is not None
    assert at.curve is not None
    return at.chosen.corner_on_draws(at.curve, drawn.steps, drawn.score)


def _rate(rates: FloatArray, corner: Indices) -> FloatArray:
    return np.take_along_axis(np.pad(rates, ((0, 0), (1, 0))), corner[:, np.newaxis], 1)[:, 0]
