"""What a metric says of many drawn curves at once."""

import math
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.curves.counting import Counted, merge_counts
from baserate.curves.curve import Curve
from baserate.curves.point import Choice, Point, Points
from baserate.curves.table import CountTable, Table
from baserate.curves.thresholds import ROUNDING
from baserate.errors import UndefinedMetricWarning
from baserate.formulas import areas, pointwise
from baserate.formulas.pointwise import Confusion
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, bound_parameters, lower_is_better, row_of
from baserate.uncertainty import cells
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.draws import Drawn

# Rules that choose among the corners; the others choose a threshold in the gap between two of them.
_CORNER_RULES = ("recall", "precision", "best")


def cells_for(metric: MetricFunction, at: Curve | Point, *, every_corner: bool = False) -> Cells:
    """The coarsest cells that the question cannot look into, or not so far that it would matter.

    A rule that may choose a threshold within a gap sees every threshold where scores are mostly tied, and otherwise
    takes the scores within a gap as continuous.
    """
    if isinstance(at, Curve):
        if row_of(metric) is None:
            return cells.thresholds(at)
        return cells.corners(at) if every_corner else cells.corners_for_areas(at)
    curve = at.curve
    assert curve is not None  # a point that was chosen knows its curve
    if at.chosen.rule == "threshold" and at.threshold is not None:
        return cells.either_side(curve, at.threshold)
    every_threshold = cells.is_mostly_tied(curve) and at.chosen.rule not in _CORNER_RULES
    return cells.thresholds(curve) if every_threshold else cells.corners(curve)


def values(metric: MetricFunction, at: Curve | Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    """The metric of each drawn curve, or of the point chosen on it, for each x: one row per curve."""
    if isinstance(at, Point):
        return _of_chosen_points(metric, at, drawn, x)
    row = row_of(metric)
    if row is not None and row.over_odds is not None:
        found = row.over_odds(Curve(_DrawnTable(drawn), at._n), x, **bound_parameters(metric))
        return np.broadcast_to(found, (len(drawn.steps.tp), len(x)))
    curves = [_as_curve(drawn, i, at) for i in range(len(drawn.steps.tp))]
    return np.array([[_value(metric, curve.at_prevalence(1 / (1 + x_j))) for x_j in x] for curve in curves])


def average_precision_of(drawn: Drawn, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
    """The step sum where scores are discrete; elsewhere a positive's weight is spread along its rise.

    A drawn curve stands for a population, which has no steps where scores are continuous.
    """
    steps, atoms = drawn.steps, drawn.atoms
    if atoms.all():
        return areas.average_precision(steps, x, low, high, deficit=deficit)
    if not atoms.any():
        return areas.auc_pr(steps, x, low, high, deficit=deficit)
    stepped = areas.average_precision(steps.each(lambda column: column[..., atoms]), x, low, high, deficit=deficit)
    spread = areas.auc_pr(steps.each(lambda column: column[..., ~atoms]), x, low, high, deficit=deficit)
    return stepped + spread


class _DrawnTable(Table):
    """Drawn curves as a table that areas can read, all at once."""

    score = None
    total_pos = total_neg = 1.0

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn

    def steps_from(self) -> Steps:
        return self.drawn.steps

    @property
    def merged_steps(self) -> Steps:
        return self.drawn.steps  # where pieces are vertical differs from curve to curve

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        return average_precision_of(self.drawn, x, low, high, deficit=deficit)

    def cumulative(self) -> tuple[Counts, Counts]:
        return self.drawn.steps.tp, self.drawn.steps.fp

    def remaining(self) -> tuple[Counts, Counts]:
        return 1 - self.drawn.steps.tp, 1 - self.drawn.steps.fp

    def __len__(self) -> int:
        return int(self.drawn.steps.tp.shape[-1])

    def confusion_at(self, row: int) -> Confusion[float]:
        raise NotImplementedError("these are many curves; each has its own")


def _as_curve(drawn: Drawn, i: int, at: Curve) -> Curve:
    """One of the drawn curves as a Curve of its own, as large as the one it stands for."""
    _, fp, pos, tied, n_pos, n_neg = drawn.steps.each(lambda column: column[i])
    gap = np.maximum(np.append(fp - tied, n_neg) - np.append(0.0, fp), 0.0)
    with np.errstate(invalid="ignore"):  # halfway between two infinities is nowhere, and nothing is there
        between = np.concatenate([[np.inf], drawn.score[1:] / 2 + drawn.score[:-1] / 2, [-np.inf]])
    score = np.concatenate([between, drawn.score])
    counts = Counted(
        score, np.append(np.zeros(len(gap)), pos) * (at.n_pos / n_pos), np.append(gap, tied) * (at.n_neg / n_neg)
    )
    table = CountTable(merge_counts(counts))
    return Curve(table, (table.total_pos, table.total_neg))


def _value(metric: MetricFunction, at: Curve | Point) -> float:
    return float(evaluate(metric, at)[0])


# --- points that are chosen anew ------------------------------------------------------------------


def _of_chosen_points(metric: MetricFunction, at: Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    tpr, fpr, _ = _choose(at, drawn)
    row = row_of(metric)
    if row is not None and row.family is Family.POINTWISE:
        shares = Confusion(*(share[:, np.newaxis] for share in (tpr, 1 - tpr, fpr, 1 - fpr)))
        return np.asarray(evaluate(metric, Points(shares, x))[0])
    n_pos, n_neg = at._n
    rates = zip(tpr.tolist(), np.minimum(fpr, 1).tolist(), strict=True)
    points = [Point.from_rates(t, f, n_pos=n_pos, n_neg=n_neg) for t, f in rates]
    return np.array([[_value(metric, point.at_prevalence(1 / (1 + x_j))) for x_j in x] for point in points])


class Chosen(NamedTuple):
    """The point that a rule chooses on each drawn curve."""

    tpr: FloatArray
    fpr: FloatArray
    corner: Indices  # counted from 1; at 0 nothing is predicted positive


def _choose(at: Point, drawn: Drawn) -> Chosen:
    steps, choice = drawn.steps, at.chosen
    limit = math.nan if choice.target is None else choice.target
    tpr, fpr = steps.tp / steps.n_pos, steps.fp / steps.n_neg
    if choice.rule == "threshold":
        corner = np.full(len(tpr), np.count_nonzero(drawn.score >= limit))
        return Chosen(_at(corner, tpr), _at(corner, fpr), corner)
    if choice.rule in _CORNER_RULES:
        corner = _best_corner(choice, tpr, fpr) + 1
        reached = _at(corner, tpr)
        if choice.rule == "recall":
            # Where scores are continuous, the wanted recall is reached on the way to the corner.
            reached = np.where(drawn.atoms[corner - 1], reached, np.minimum(reached, limit))
        return Chosen(reached, _at(corner, fpr), corner)
    # These rules limit a mean of both rates. FPR goes on in the gap behind the last corner within the limit.
    eta = math.nan if choice.prevalence is None else choice.prevalence
    for_tpr, for_fpr = {"fpr": (0.0, 1.0), "alert_rate": (eta, 1 - eta), "top_k": (at.n_pos, at.n_neg)}[choice.rule]
    corner = _how_many(for_tpr * tpr + for_fpr * fpr <= limit * (1 + ROUNDING))
    gap_ends = np.append(fpr - steps.neg / steps.n_neg, np.ones((len(fpr), 1)), 1)
    reached = _at(corner, tpr)
    within = np.take_along_axis(gap_ends, corner[:, np.newaxis], 1)[:, 0]
    return Chosen(reached, np.minimum((limit - for_tpr * reached) / for_fpr, within), corner)


def chosen_levels(at: Point, drawn: Drawn) -> FloatArray:
    """The scores that were chosen as thresholds, one for each drawn curve; nan where scores are continuous."""
    levels = np.append(np.nan, np.where(drawn.atoms, drawn.score, np.nan))
    return levels[_choose(at, drawn).corner]


def _at(chosen: Indices, rate: FloatArray) -> FloatArray:
    """A rate at the chosen corner of each curve, counted from 1; at 0 nothing is predicted positive."""
    with_silence = np.append(np.zeros((len(rate), 1)), rate, 1)
    return np.take_along_axis(with_silence, chosen[:, np.newaxis], 1)[:, 0]


def _best_corner(choice: Choice, tpr: FloatArray, fpr: FloatArray) -> Indices:
    target = choice.target if choice.target is not None else math.nan
    if choice.rule == "recall":
        return np.minimum(_how_many(tpr < target * (1 - ROUNDING)), np.intp(tpr.shape[1] - 1))
    assert choice.prevalence is not None
    shares, x = Confusion(tpr, 1 - tpr, fpr, 1 - fpr), (1 - choice.prevalence) / choice.prevalence
    if choice.rule == "precision":
        reached = np.nan_to_num(pointwise.precision(Points(shares, x).confusion_as_read)) >= target * (1 - ROUNDING)
        return _largest_recall(reached, tpr)
    assert choice.metric is not None
    return _best(choice.metric, shares, x)


def _how_many(there: BoolArray) -> Indices:
    counted: Indices = there.sum(axis=1, dtype=np.intp)
    return counted


def _largest_recall(reached: BoolArray, tpr: FloatArray) -> Indices:
    """The first corner that has the largest recall of those that reach the target; silence where none does."""
    largest = np.max(tpr, axis=1, keepdims=True, where=reached, initial=0.0)
    first = np.argmax(reached & (tpr >= largest), axis=1)
    return np.asarray(np.where(reached.any(axis=1), first, -1), np.intp)


def _along(metric: Callable[..., object], points: Points) -> FloatArray:
    """One value per point, also of a user's own function, which must work on arrays to be made best."""
    if row_of(metric) is not None:
        return np.asarray(evaluate(metric, points)[0], np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return np.asarray(metric(points), np.float64)


def _best(metric: Callable[..., object], shares: Confusion[FloatArray], x: float) -> Indices:
    """The column where a metric is best; the one before the first alerts on nothing."""
    silence = np.zeros((len(shares.tp), 1))
    begin = Confusion(silence, silence + 1, silence, silence + 1)
    with_silence = Confusion(*(np.append(first, rest, 1) for first, rest in zip(begin, shares, strict=True)))
    found = _along(metric, Points(with_silence, x))
    gains = np.where(np.isnan(found), -np.inf, -found if lower_is_better(metric) else found)
    return np.asarray(np.argmax(gains, axis=1) - 1, np.intp)
