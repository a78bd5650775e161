"""Thresholds that the data have chosen themselves: what they will do from now on, and what the rule would do again.

A threshold that had to keep a limit is judged as if it had been given: exact intervals of both rates allow for that
(docs/coverage.md has what was measured). One that was searched for is better on the rows that found it than elsewhere.
By how much is seen on drawn curves, which are searched in the same way and judged on the rows: Efron's optimism.

References
----------
Efron, Estimating the error rate of a prediction rule: improvement on cross-validation, Journal of the American
Statistical Association 1983. doi:10.1080/01621459.1983.10477973.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.formulas.proportions import Interval
from baserate.formulas.steps import Steps
from baserate.metrics.over_prevalence import MetricFunction
from baserate.uncertainty import ends, points
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.draws import Reader
from baserate.uncertainty.readers import reading_of
from baserate.uncertainty.samplers import NOBODY, Drawn, is_uneven

# Thresholds looked at among those that drawn curves choose.
_CANDIDATES = 12


def optimism(metric: MetricFunction, at: Point, x: FloatArray) -> Reader:
    """How much better a metric is on each drawn curve, where the rule chooses on it, than on the rows, for each x."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        corner = _corners(at, drawn)
        here = [_rate(column, corner) for column in (drawn.steps.tp, drawn.steps.fp)]
        there = [rate[corner] for rate in _rates_of_rows(drawn.cells)]
        found, seen = (points.values(metric, t[:, np.newaxis], f[:, np.newaxis], x) for t, f in (here, there))
        return found - seen

    return Reader(read, (NOBODY,), of_curves=False)


def less_optimism(interval: Interval, drawn: FloatArray) -> Interval:
    """An interval as if the threshold had been given, with an end let down by what a search makes of it."""
    gain = [np.nan_to_num(middle(drawn[0], axis=0)) for middle in (np.nanmean, np.nanmedian)]
    most, least = np.maximum(*gain), np.minimum(*gain)
    return Interval(interval.low - np.maximum(most, 0.0), interval.high + np.maximum(-least, 0.0))


# --- the best of all thresholds -------------------------------------------------------------------


def searched(metric: MetricFunction, at: Curve | Point, x: FloatArray, sign: float) -> list[Reader]:
    """A metric that the rows were searched for, as they are drawn, and where it is best on them; for each x.

    Heavy rows beyond that threshold may be few, so that of uneven ones a whole row is free, as at given thresholds.
    """
    read, curve = reading_of(metric, at), at if isinstance(at, Curve) else at.curve
    whole, of_curves = curve is not None and is_uneven(curve), isinstance(at, Curve)
    return [
        Reader(lambda models: read(models[0], x), (NOBODY,), of_curves),
        Reader(_where_best(metric, at, x, sign), of_curves=of_curves, whole_row=whole),
    ]


def let_down(
    found: Interval, value: FloatArray, confidence_level: float, sign: float, read: Sequence[FloatArray]
) -> Interval:
    """An interval of the best of many values, with the end that the search flatters let down.

    The best of a population is at least what the threshold does there that was best on the rows, as a pessimist sees
    it. The search flatters the rows as it flatters what is drawn from them.
    """
    drawn, there = sign * read[0][0], sign * read[1][0]
    gain = np.maximum(np.nanmean(drawn, axis=0), np.nanmedian(drawn, axis=0)) - sign * value
    least = sign * (ends.percentile(there, confidence_level).low - np.maximum(gain, 0.0))
    return (
        Interval(np.fmin(found.low, least), found.high) if sign > 0 else Interval(found.low, np.fmax(found.high, least))
    )


def _where_best(
    metric: MetricFunction, at: Curve | Point, x: FloatArray, sign: float
) -> Callable[[tuple[Drawn, ...]], FloatArray]:
    known: dict[int, Indices] = {}
    chosen_at = x if isinstance(at, Curve) else np.array([at.odds_against])

    def alone(drawn: Drawn, tpr: FloatArray, fpr: FloatArray, x: FloatArray) -> FloatArray:
        if isinstance(at, Point):
            return points.values(metric, tpr[:, np.newaxis], fpr[:, np.newaxis], x, sizes=at._n)
        return reading_of(metric, at)(_with_one_threshold(drawn, tpr, fpr), x)

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        cells = drawn.cells
        if id(cells) not in known:
            gains = sign * alone(drawn, *_rates_of_rows(cells), chosen_at)
            known[id(cells)] = np.argmax(np.where(np.isnan(gains), -np.inf, gains), axis=0)
        above = 1 + (len(drawn.score) - len(cells.score)) // 2  # corners without rows, and no alerts at all
        tpr, fpr = (np.pad(rates, ((0, 0), (1, 0))) for rates in (drawn.steps.tp, drawn.steps.fp))
        best = np.broadcast_to(known[id(cells)], len(x))
        places = np.where(best > 0, best + above - 1, 0)
        return np.concatenate([alone(drawn, tpr[:, k], fpr[:, k], x[j : j + 1]) for j, k in enumerate(places)], axis=1)

    return read


def _with_one_threshold(drawn: Drawn, tpr: FloatArray, fpr: FloatArray) -> Drawn:
    """Curves of rows that are above a threshold or below it, and no more is known of them."""
    tp, fp = (np.stack([rate, np.ones_like(rate)], axis=1) for rate in (tpr, fpr))
    steps = Steps(tp, fp, np.diff(tp, prepend=0.0), np.diff(fp, prepend=0.0), 1.0, 1.0)
    return replace(drawn, steps=steps, atoms=np.ones(2, np.bool_), score=np.array([1.0, 0.0]))


def _rates_of_rows(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """TPR and FPR of the rows at no alerts and at each corner."""
    held = (part.rows * part.weight for part in (cells.pos, cells.neg))
    pos, neg = (np.append(0.0, np.cumsum(amounts) / amounts.sum()) for amounts in held)
    return pos, neg[::2]


# --- the rule, for another metric -----------------------------------------------------------------


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
