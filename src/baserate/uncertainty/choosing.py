"""Thresholds chosen again on drawn curves, by the rule that chose one on the curve itself."""

import math
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import Choice, Point, Points
from baserate.curves.thresholds import ROUNDING
from baserate.errors import UndefinedMetricWarning
from baserate.formulas import pointwise
from baserate.formulas.pointwise import Confusion
from baserate.metrics.definition import evaluate
from baserate.registry import lower_is_better, row_of
from baserate.uncertainty import cells
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.draws import Drawn

# Rules that choose among the corners; the others choose a threshold in the gap between two of them.
_CORNER_RULES = ("recall", "precision", "best")

# Standard deviations that no draw is away from what was seen: it happens once in 10^15 times.
_NEVER = 8.0


def cells_to_choose_from(at: Point, *, every_corner: bool = False) -> Cells:
    """The coarsest cells that the rule cannot look into, or not so far that it would matter.

    A rule that may choose a threshold within a gap sees every threshold where scores are mostly tied, and otherwise
    takes the scores within a gap as continuous.
    """
    curve, rule = at.curve, at.chosen.rule
    assert curve is not None  # a point that was chosen knows its curve
    if rule == "threshold" and at.threshold is not None:
        return cells.either_side(curve, at.threshold)
    if rule == "best" and not every_corner:
        return cells.corners_for_the_best(curve, at.threshold)
    # Of weighted rows a few may be worth as much as all others, and do what chance never does.
    sides = None if every_corner or curve.weighted else _sides_of_the_limit(at, curve)
    every_threshold = cells.is_mostly_tied(curve) and rule not in _CORNER_RULES
    return cells.thresholds(curve, sides) if every_threshold else cells.corners(curve, sides)


def _sides_of_the_limit(at: Point, curve: Curve) -> Indices:
    """Of each score, whether what a rule limits is below its limit on all drawn curves (-1), or above it (1).

    A rule chooses the first or the last on a side, or one of those that chance may take to either side (0).
    """
    for_tpr, for_fpr, limit = _limited(at)
    tpr, fpr = curve.tpr, curve.fpr
    above = for_tpr * tpr + for_fpr * fpr - limit
    chance = abs(for_tpr) * _chance(tpr, curve.n_pos) + abs(for_fpr) * _chance(fpr, curve.n_neg)
    return np.where(np.abs(above) <= chance, 0, np.sign(above)).astype(np.intp)


def _chance(rate: FloatArray, n_rows: float) -> FloatArray:
    """How far a drawn rate is from the one that was seen, at most: Bernstein's bound, with some to spare."""
    return _NEVER * np.sqrt(rate * (1 - rate) / n_rows) + _NEVER**2 / n_rows


def _limited(at: Point) -> tuple[float, float, float]:
    """What a rule limits, as a sum of multiples of TPR and FPR: the multiples, and the limit."""
    choice = at.chosen
    eta = math.nan if choice.prevalence is None else choice.prevalence
    limit = _target(choice)
    for_tpr, for_fpr = {
        "recall": (1.0, 0.0),
        "fpr": (0.0, 1.0),
        "alert_rate": (eta, 1 - eta),
        "top_k": (at.n_pos, at.n_neg),
        "precision": ((1 - limit) * eta, -limit * (1 - eta)),
    }[choice.rule]
    return for_tpr, for_fpr, 0.0 if choice.rule == "precision" else limit


def _target(choice: Choice) -> float:
    return math.nan if choice.target is None else choice.target


class Chosen(NamedTuple):
    """The point that a rule chooses on each drawn curve."""

    tpr: FloatArray
    fpr: FloatArray
    corner: Indices  # counted from 1; at 0 nothing is predicted positive


def choose(at: Point, drawn: Drawn) -> Chosen:
    """Have the rule of a point choose again."""
    steps, choice = drawn.steps, at.chosen
    tpr, fpr = steps.tp / steps.n_pos, steps.fp / steps.n_neg
    if choice.rule == "threshold":
        corner = np.full(len(tpr), np.count_nonzero(drawn.score >= _target(choice)))
        return Chosen(_at(corner, tpr), _at(corner, fpr), corner)
    if choice.rule in _CORNER_RULES:
        corner = _best_corner(choice, tpr, fpr) + 1
        reached = _at(corner, tpr)
        if choice.rule == "recall":
            # Where scores are continuous, the wanted recall is reached on the way to the corner.
            reached = np.where(drawn.atoms[corner - 1], reached, np.minimum(reached, _target(choice)))
        return Chosen(reached, _at(corner, fpr), corner)
    # FPR goes on in the gap behind the last corner within the limit.
    for_tpr, for_fpr, limit = _limited(at)
    corner = _how_many(for_tpr * tpr + for_fpr * fpr <= limit * (1 + ROUNDING))
    gap_ends = np.append(fpr - steps.neg / steps.n_neg, np.ones((len(fpr), 1)), 1)
    reached = _at(corner, tpr)
    within = np.take_along_axis(gap_ends, corner[:, np.newaxis], 1)[:, 0]
    return Chosen(reached, np.minimum((limit - for_tpr * reached) / for_fpr, within), corner)


def chosen_levels(at: Point, drawn: Drawn) -> FloatArray:
    """The scores that were chosen as thresholds, one for each drawn curve; nan where scores are continuous."""
    levels = np.append(np.nan, np.where(drawn.atoms, drawn.score, np.nan))
    return levels[choose(at, drawn).corner]


def _at(chosen: Indices, rate: FloatArray) -> FloatArray:
    """A rate at the chosen corner of each curve, counted from 1; at 0 nothing is predicted positive."""
    with_silence = np.append(np.zeros((len(rate), 1)), rate, 1)
    return np.take_along_axis(with_silence, chosen[:, np.newaxis], 1)[:, 0]


def _best_corner(choice: Choice, tpr: FloatArray, fpr: FloatArray) -> Indices:
    target = _target(choice)
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
