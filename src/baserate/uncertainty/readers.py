"""Metrics of drawn populations, many at once."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.counting import Counted, merge_counts
from baserate.curves.curve import Curve
from baserate.curves.point import Point, Points
from baserate.curves.rules import Chosen, Rule
from baserate.curves.table import CountTable
from baserate.errors import NoSuchPointError, Reason
from baserate.formulas.pointwise import Confusion
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, Losses, bound_parameters, row_of, takes, traits_of
from baserate.uncertainty.cells import Cells, Cut, between, cell_of, cells_of, every_score, scores_in_runs
from baserate.uncertainty.samplers import Drawn


def reading_of(metric: MetricFunction, at: Curve | Point) -> Callable[[Drawn, FloatArray], FloatArray]:
    """A function that reads a metric off drawn curves, for each x: one row per curve."""
    losses = losses_of(metric)
    if losses is not None and isinstance(at, Curve):
        return mean_losses(losses, at)
    return partial(values, metric, at)


def cut_for(metric: MetricFunction, at: Curve | Point) -> Cut:
    """How to cut a curve into cells for a metric; a user's own function may read every score."""
    if isinstance(at, Point) and not is_chosen(at) and at.threshold is not None:
        threshold = np.array([at.threshold])
        return lambda curve, _: between(curve, threshold)
    if losses_of(metric) is not None and isinstance(at, Curve):
        return scores_in_runs
    row = row_of(metric)
    return cells_of if isinstance(at, Point) or (row is not None and row.over_odds is not None) else every_score


def is_chosen(at: Curve | Point) -> bool:
    """Whether a point was chosen on the data it is evaluated on."""
    return isinstance(at, Point) and at.chosen is not None and not at.chosen.is_given and at.curve is not None


def losses_of(metric: MetricFunction) -> Losses | None:
    """The losses that a metric is the mean of, if it is one."""
    losses, parameters = traits_of(metric).losses, bound_parameters(metric)
    return losses(**parameters) if losses is not None and takes(losses, parameters) else None


def has_interval(metric: MetricFunction) -> bool:
    """False for calibration errors: they have plug-in bias, and resampling adds to it."""
    row = row_of(metric)
    return row is None or row.family is not Family.PROBABILITY or losses_of(metric) is not None


def why_no_ends(metric: MetricFunction) -> Reason:
    """The reason where an interval from drawn populations is nan."""
    return Reason.UNDEFINED_IN_DRAWS if has_interval(metric) else Reason.NO_INTERVAL


def values(metric: MetricFunction, at: Curve | Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    """The metric of each drawn curve, or of the point chosen on it, for each x: one row per curve."""
    if isinstance(at, Point):
        return _of_chosen_points(metric, at, drawn, x)
    row = row_of(metric)
    if row is not None and row.over_odds is not None:
        over_x = row.over_odds(drawn, x, **bound_parameters(metric))
        return np.broadcast_to(over_x, (len(drawn.steps.tp), len(x)))
    curves = [_as_curve(drawn, i) for i in range(len(drawn.steps.tp))]
    return np.array([[_value(metric, curve.at_prevalence(1 / (1 + x_j))) for x_j in x] for curve in curves])


def _as_curve(drawn: Drawn, i: int) -> Curve:
    """One of the drawn curves as a Curve, with as many cases as the original."""
    _, fp, pos, tied, n_pos, n_neg = drawn.steps.each(lambda column: column[i])
    gap = np.maximum(np.append(fp - tied, n_neg) - np.append(0.0, fp), 0.0)
    with np.errstate(invalid="ignore"):  # halfway between two infinities is nowhere, and nothing is there
        between = np.concatenate([[np.inf], drawn.score[1:] / 2 + drawn.score[:-1] / 2, [-np.inf]])
    score = np.concatenate([between, drawn.score])
    counts = Counted(
        score, np.append(np.zeros(len(gap)), pos) * (drawn.n_pos / n_pos), np.append(gap, tied) * (drawn.n_neg / n_neg)
    )
    table = CountTable(merge_counts(counts))
    return Curve(table, (table.total_pos, table.total_neg))


def _value(metric: MetricFunction, at: Curve | Point) -> float:
    return float(evaluate(metric, at)[0])


def values_where(metric: MetricFunction, rule: Rule, drawn: Drawn, x: FloatArray) -> FloatArray:
    """The metric of the point that a rule chooses on each drawn curve, read at one x: one row per curve."""
    # Rules need only the size of the curve and its prevalence.
    like = Curve.from_counts([0.0], [round(drawn.n_pos)], [round(drawn.n_neg)]).at_prevalence(1 / (1 + float(x[0])))
    if not rule.follows_draws:
        return values(partial(_value_where, metric, rule), like, drawn, x)
    chosen = rule.on_draws(like, drawn.steps, drawn.atoms, drawn.score)
    return _at_rates(metric, chosen, (drawn.n_pos, drawn.n_neg), x)


def _value_where(metric: MetricFunction, rule: Rule, curve: Curve) -> float:
    try:
        return _value(metric, rule.on(curve))
    except NoSuchPointError:
        return np.nan


def _of_chosen_points(metric: MetricFunction, at: Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    return _at_rates(metric, chosen_on_draws(at, drawn), at._n, x)


def _at_rates(
    metric: MetricFunction, chosen: Chosen, sizes: tuple[float | None, float | None], x: FloatArray
) -> FloatArray:
    """The metric of points, for each x: one row per point."""
    tpr, fpr, _ = chosen
    row = row_of(metric)
    if row is not None and row.family is Family.POINTWISE:
        shares = Confusion(*(share[:, np.newaxis] for share in (tpr, 1 - tpr, fpr, 1 - fpr)))
        return np.asarray(evaluate(metric, Points(shares, x))[0])
    n_pos, n_neg = sizes
    rates = zip(tpr.tolist(), np.minimum(fpr, 1).tolist(), strict=True)
    points = [Point.from_rates(t, f, n_pos=n_pos, n_neg=n_neg) for t, f in rates]
    return np.array([[_value(metric, point.at_prevalence(1 / (1 + x_j))) for x_j in x] for point in points])


def chosen_on_draws(at: Point, drawn: Drawn) -> Chosen:
    """Apply the rule that chose a point to drawn curves."""
    assert at.chosen is not None
    assert at.curve is not None
    return at.chosen.on_draws(at.curve, drawn.steps, drawn.atoms, drawn.score)


def chosen_levels(at: Point, drawn: Drawn) -> FloatArray:
    """The threshold that the rule chooses on each drawn curve; nan where scores are continuous."""
    return np.append(np.nan, drawn.levels)[chosen_on_draws(at, drawn).corner]


# --- means of losses ------------------------------------------------------------------------------


class _CellLosses(NamedTuple):
    """The mean loss of the rows in each cell; at a corner without rows the loss at its score, in an empty gap 0."""

    pos: FloatArray  # of positives at each corner
    tied: FloatArray  # of negatives at each corner
    gap: FloatArray  # and in the gap above each corner, and below all


def mean_losses(losses: Losses, curve: Curve) -> Callable[[Drawn, FloatArray], FloatArray]:
    """A function that reads the mean loss off drawn curves, for each x: one row per curve.

    Free mass has the lowest or the highest possible loss, since its place is above all scores or below them.
    """
    known: dict[int, _CellLosses] = {}

    def read(drawn: Drawn, x: FloatArray) -> FloatArray:
        place = id(drawn.cells.score)  # the same cells, whatever their masses
        if place not in known:
            known[place] = _cell_losses(losses, curve, drawn.cells)
        of_pos, of_neg = _class_means(drawn, known[place], losses.worst)
        with np.errstate(invalid="ignore"):
            return np.asarray((of_pos[:, np.newaxis] + x * of_neg[:, np.newaxis]) / (1 + x), np.float64)

    return read


def _cell_losses(losses: Losses, curve: Curve, cells: Cells) -> _CellLosses:
    cell, n_corners = cell_of(curve.score, cells), len(cells.score)
    with np.errstate(divide="ignore"):
        pos = _means(losses.of_positive(curve.middle), curve.pos, cell // 2, losses.of_positive(cells.score))
        of_next = np.zeros(2 * n_corners + 1)
        of_next[1::2] = losses.of_negative(cells.score)
        neg = _means(losses.of_negative(curve.middle), curve.neg, cell, of_next)
    return _CellLosses(pos, neg[1::2], neg[::2])


def _means(loss: FloatArray, count: CountArray, cell: Indices, of_next: FloatArray) -> FloatArray:
    used = count > 0
    total = np.bincount(cell[used], count[used], len(of_next))
    summed = np.bincount(cell[used], count[used] * loss[used], len(of_next))
    return np.divide(summed, total, out=of_next, where=total > 0)


def _class_means(drawn: Drawn, losses: _CellLosses, worst: float) -> tuple[FloatArray, FloatArray]:
    """The mean loss of each class, one number per curve."""
    steps = drawn.steps
    before = np.concatenate([np.zeros((len(steps.fp), 1)), steps.fp], axis=1)
    gap = np.append(steps.fp - steps.neg, np.ones((len(steps.fp), 1)), axis=1) - before
    if len(drawn.score) == len(drawn.cells.score):
        return _cost(steps.pos, losses.pos), _cost(steps.neg, losses.tied) + _cost(gap, losses.gap)
    pos, tied, gap = (column[:, 1:-1] for column in (steps.pos, steps.neg, gap))
    of_pos, of_neg = (_cost(share[:, np.newaxis], np.array([worst])) for share in (steps.pos[:, -1], steps.neg[:, 0]))
    return of_pos + _cost(pos, losses.pos), of_neg + _cost(tied, losses.tied) + _cost(gap, losses.gap)


def _cost(share: FloatArray, loss: FloatArray) -> FloatArray:
    """The sum of shares times losses; an infinite loss with share 0 counts as 0."""
    endless = np.isinf(loss)
    finite_cost = share @ np.where(endless, 0.0, loss)
    return np.where((share[:, endless] > 0).any(axis=1), np.inf, finite_cost) if endless.any() else finite_cost
