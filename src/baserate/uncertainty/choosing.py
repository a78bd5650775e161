"""Thresholds chosen on the data: how they perform on new data, and what the rule would choose in the population.

A threshold that meets a limit, such as a recall, is evaluated like a given one: exact intervals of both rates cover the
choice, too (docs/coverage.md has the measurements). A threshold that optimises a metric looks better on the rows that
it was chosen on. This optimism is estimated as Efron does: search drawn curves in the same way, and evaluate the choice
on the rows.

References
----------
Efron, Estimating the error rate of a prediction rule: improvement on cross-validation, Journal of the American
Statistical Association 1983. doi:10.1080/01621459.1983.10477973.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
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
from baserate.uncertainty.readers import chosen_levels, corners_on_draws, is_chosen, reading_of
from baserate.uncertainty.samplers import NOBODY, Drawn, is_uneven

# Thresholds tried, out of those that drawn curves choose.
_CANDIDATES = 12


def optimism(metric: MetricFunction, at: Point, x: FloatArray) -> Reader:
    """The metric at the rule's choice on each drawn curve, minus that of the same threshold on the rows, for each x."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        corner = corners_on_draws(at, drawn)
        here = [_rate(column, corner) for column in (drawn.steps.tp, drawn.steps.fp)]
        there = [rate[corner] for rate in _rates_of_rows(drawn.cells)]
        on_draws, seen = (
            points.values(metric, t[:, np.newaxis], f[:, np.newaxis], odds)
            for (t, f), odds in ((here, drawn.odds_or(x)), (there, x))
        )
        return on_draws - seen

    return Reader(read, (NOBODY,), of_curves=False)


def less_optimism(interval: Interval, drawn: FloatArray) -> Interval:
    """The interval of a given threshold, widened by the optimism of the search."""
    gain = [np.nan_to_num(middle(drawn[0], axis=0)) for middle in (np.nanmean, np.nanmedian)]
    most, least = np.maximum(*gain), np.minimum(*gain)
    return Interval(interval.low - np.maximum(most, 0.0), interval.high + np.maximum(-least, 0.0))


# --- the best of all thresholds -------------------------------------------------------------------


def searched(metric: MetricFunction, at: Curve | Point, x: FloatArray, sign: float) -> list[Reader]:
    """Readers of an optimised metric: of its optimum on drawn curves, and at the threshold that is best on the rows.

    With uneven weights a whole row is free, as at given thresholds, because few heavy rows may lie beyond that one.
    """
    read, curve = reading_of(metric, at), at if isinstance(at, Curve) else at.curve
    whole, of_curves = curve is not None and is_uneven(curve), isinstance(at, Curve)
    return [
        Reader(lambda models: read(models[0], x), (NOBODY,), of_curves),
        Reader(_where_best(metric, at, x, sign), of_curves=of_curves, whole_row=whole),
    ]


def let_down(
    interval: Interval, value: FloatArray, confidence_level: float, sign: float, read: Sequence[FloatArray]
) -> Interval:
    """The interval of an optimum over thresholds, with its optimistic end corrected.

    The optimum of a population is at least the value there of the threshold that was best on the rows; the pessimist's
    percentile bounds it. The optimism of the rows is estimated by that of curves drawn from them.
    """
    drawn, there = sign * read[0][0], [ends.percentile(sign * side, confidence_level).low for side in read[1]]
    gain = np.maximum(np.nanmean(drawn, axis=0), np.nanmedian(drawn, axis=0)) - sign * value
    least = sign * (np.fmin.reduce(there) - np.maximum(gain, 0.0))
    return (
        Interval(np.fmin(interval.low, least), interval.high)
        if sign > 0
        else Interval(interval.low, np.fmax(interval.high, least))
    )


def _where_best(
    metric: MetricFunction, at: Curve | Point, x: FloatArray, sign: float
) -> Callable[[tuple[Drawn, ...]], FloatArray]:
    known: dict[int, Indices] = {}
    chosen_at = x if isinstance(at, Curve) else np.array([at.odds_against])

    def alone(drawn: Drawn, tpr: FloatArray, fpr: FloatArray, x: FloatArray) -> FloatArray:
        if isinstance(at, Point):
            return points.values(metric, tpr[:, np.newaxis], fpr[:, np.newaxis], drawn.odds_or(x), sizes=at._n)
        return reading_of(metric, at)(_with_one_threshold(drawn, tpr, fpr), x)

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        cells = drawn.cells
        if id(cells) not in known:
            gains = sign * alone(replace(drawn, odds=None), *_rates_of_rows(cells), chosen_at)
            known[id(cells)] = np.argmax(np.where(np.isnan(gains), -np.inf, gains), axis=0)
        above = 1 + (len(drawn.score) - len(cells.score)) // 2  # the point without alerts, and the corner of free mass
        tpr, fpr = (np.pad(rates, ((0, 0), (1, 0))) for rates in (drawn.steps.tp, drawn.steps.fp))
        best = np.broadcast_to(known[id(cells)], len(x))
        places = np.where(best > 0, best + above - 1, 0)
        return np.concatenate([alone(drawn, tpr[:, k], fpr[:, k], x[j : j + 1]) for j, k in enumerate(places)], axis=1)

    return read


def _with_one_threshold(drawn: Drawn, tpr: FloatArray, fpr: FloatArray) -> Drawn:
    """Drawn curves reduced to one threshold."""
    tp, fp = (np.stack([rate, np.ones_like(rate)], axis=1) for rate in (tpr, fpr))
    steps = Steps(tp, fp, np.diff(tp, prepend=0.0), np.diff(fp, prepend=0.0), 1.0, 1.0)
    return replace(drawn, steps=steps, atoms=np.ones(2, np.bool_), score=np.array([1.0, 0.0]))


def _rates_of_rows(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """TPR and FPR of the rows, at the point without alerts and at each corner."""
    held = (part.rows * part.weight for part in (cells.pos, cells.neg))
    pos, neg = (np.append(0.0, np.cumsum(amounts) / amounts.sum()) for amounts in held)
    return pos, neg[::2]


# --- the rule, for another metric -----------------------------------------------------------------


def chosen_scores(at: Point) -> list[Reader]:
    """The threshold that the rule chooses on each drawn curve: without free mass, for a pessimist, for an optimist."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        scores: FloatArray = np.append(np.inf, drawn.score)[corners_on_draws(at, drawn)]
        return scores[:, np.newaxis]

    return [Reader(read, (NOBODY,), of_curves=False), Reader(read, of_curves=False)]


def candidates(chosen: FloatArray, confidence_level: float) -> FloatArray:
    """Thresholds that the rule may choose in the population, out of those that it chooses on drawn curves."""
    ordered, tail = np.sort(chosen), (1 - confidence_level) / 2
    places = np.linspace(tail, 1 - tail, _CANDIDATES) * (len(ordered) - 1)
    return np.unique(ordered[np.rint(places).astype(np.intp)])


def beyond(
    metric: MetricFunction, curve: Curve, x: FloatArray, confidence_level: float, chosen: FloatArray
) -> Iterator[Interval]:
    """What the metric may be where one of the classes was not observed, if an observer often chooses such thresholds.

    Above all negatives, or below all positives, the data do not tell one threshold from another. The population may
    have its best one anywhere there, with rates between those of the first such threshold and 0 or 1. `chosen` has a
    row per observer.
    """
    tail, positives, negatives = (1 - confidence_level) / 2, curve.score[curve.pos > 0], curve.score[curve.neg > 0]
    above, below = (chosen > negatives[0]) | (chosen >= positives[0]), chosen <= positives[-1]
    for there, first, end in (
        (above, float(np.min(chosen[above], initial=positives[0])), 0.0),
        (below, float(positives[-1]), 1.0),
    ):
        if (there.mean(axis=1) > tail).any():
            rates = points.rate_intervals(points.cases(curve.at_threshold(first)), confidence_level)
            tpr, fpr = (Interval(np.minimum(rate.low, end), np.maximum(rate.high, end)) for rate in rates)
            yield points.through(metric, tpr, fpr, x)


def _rate(rates: FloatArray, corner: Indices) -> FloatArray:
    return np.take_along_axis(np.pad(rates, ((0, 0), (1, 0))), corner[:, np.newaxis], 1)[:, 0]


# --- the rule, where scores are discrete ----------------------------------------------------------

# There the rule jumps from one level to another. Draws are a mixture over levels, and quantiles of the mixture cover
# none of them well. So an interval must contain the interval at every level that the rule may choose.


def levels_of(at: Sequence[Curve | Point], drawn: Sequence[Drawn]) -> FloatArray:
    """The level that a rule chooses on each drawn curve of each model; nan without a rule, or for continuous scores."""
    return np.stack([_of_one(*one) for one in zip(at, drawn, strict=True)], axis=1)


def _of_one(at: Curve | Point, drawn: Drawn) -> FloatArray:
    if isinstance(at, Point) and is_chosen(at) and drawn.cells.atoms.any():
        return chosen_levels(at, drawn)
    return np.full(len(drawn.steps.tp), np.nan)


def likely_levels(sides: FloatArray, tail: float) -> list[tuple[float, ...]]:
    """Combinations of levels, one per model, each chosen in a larger share of an observer's draws than `tail`.

    Each of `sides` has a row per draw and a column per model. If models have several such levels, all combinations
    count, even those that were rarely drawn together: the draws share the luck of the rows. A combination that is nan
    for all models is left out.
    """
    likely: dict[tuple[float, ...], None] = {}
    for side in sides:
        for levels in itertools.product(*(_likely(column, tail) for column in side.T)):
            if not np.isnan(levels).all():
                likely[levels] = None
    return list(likely)


def _likely(chosen: FloatArray, tail: float) -> list[float]:
    levels, counts = np.unique(chosen, return_counts=True)
    likely: list[float] = levels[counts > tail * len(chosen)].tolist()
    return likely


def at_level(at: Curve | Point, level: float) -> Curve | Point:
    """The point at a level, as a given threshold; `at` itself if there is no level."""
    if np.isnan(level) or not isinstance(at, Point) or at.curve is None:
        return at
    return at.curve.at_threshold(level)
