"""Where a threshold can lie when the rows of a bucket are not told apart, and what a pointwise metric can be there."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import Point, Points
from baserate.curves.table import CountTable
from baserate.curves.thresholds import ROUNDING
from baserate.formulas.pointwise import Confusion
from baserate.metrics.definition import evaluate
from baserate.metrics.predictive import precision
from baserate.registry import lower_is_better, row_of


class Boxes(NamedTuple):
    """The true and false positives that thresholds may have, from the least to the most, each pair on its own."""

    least_tp: FloatArray
    most_tp: FloatArray
    least_fp: FloatArray
    most_fp: FloatArray


def all_boxes(curve: Curve) -> Boxes:
    """For each threshold of the curve, what any threshold in its bucket may have; without a bucket, what it has."""
    return _boxes(curve, np.arange(len(curve)))


def _boxes(curve: Curve, rows: Indices) -> Boxes:
    tp, fp = (np.append(0.0, column) for column in curve.table.cumulative())
    above = rows + 1 - _is_bucket(curve)[rows]
    return Boxes(tp[above], tp[rows + 1], fp[above], fp[rows + 1])


def _is_bucket(curve: Curve) -> BoolArray:
    table = curve.table
    assert isinstance(table, CountTable)
    return table.buckets


def range_within(
    metric: Callable[..., object], boxes: Boxes, curve: Curve, odds_against: float
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest that a metric can be within each box.

    Every pointwise metric of this library rises or falls with the true positives, and with the false ones, so its
    extremes are at corners. Where it is undefined in a corner, the neighbours one row away stand in for it; of
    weights there is no such neighbour, and nothing is known.
    """
    n_pos, n_neg = curve.table.total_pos, curve.table.total_neg
    tp0, tp1, fp0, fp1 = boxes
    corners = [(tp0, fp0), (tp0, fp1), (tp1, fp0), (tp1, fp1)]
    if not curve.weighted:
        corners += [(np.minimum(tp0 + 1, tp1), fp0), (tp0, np.minimum(fp0 + 1, fp1))]
        corners += [(np.maximum(tp1 - 1, tp0), fp1), (tp1, np.maximum(fp1 - 1, fp0))]
    tp, fp = (np.stack(cells) for cells in zip(*corners, strict=True))
    values = np.asarray(evaluate(metric, Points(Confusion(tp, n_pos - tp, fp, n_neg - fp), odds_against))[0])
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    if curve.weighted and (row := row_of(metric)) is not None:
        unknown = np.isnan(values).any(axis=0) & ((tp1 > tp0) | (fp1 > fp0))
        low, high = np.where(unknown, row.lowest, low), np.where(unknown, row.highest, high)
    return low, high


def boxes_of_choice(point: Point, curve: Curve) -> Boxes:
    """Wherever the rule that chose the point could choose if the rows of each bucket were told apart."""
    chosen, target = point.chosen, point.chosen.target or 0.0
    threshold = float(point.threshold or 0.0)
    row = int(np.searchsorted(-curve.score, -threshold, side="right")) - 1  # -1: nothing is predicted positive
    buckets = np.flatnonzero(_is_bucket(curve))
    n_pos, n_neg = curve.table.total_pos, curve.table.total_neg

    if chosen.rule == "recall":
        found = _boxes(curve, buckets[buckets == row])
        found = found._replace(least_tp=np.maximum(found.least_tp, target * n_pos * (1 - ROUNDING)))
    elif chosen.rule == "threshold":
        found = _boxes(curve, buckets[(buckets == row + 1) & (curve.top[buckets] >= threshold)])
    elif chosen.rule == "fpr":
        found = _boxes(curve, buckets[buckets == row + 1])
        limit = np.maximum(found.least_fp, target * n_neg * (1 + ROUNDING))
        found = found._replace(most_fp=np.minimum(found.most_fp, limit))
    elif chosen.rule in {"top_k", "alert_rate"}:
        found = _boxes(curve, buckets[buckets == row + 1])
    elif chosen.rule == "precision":
        found = _as_good_as(precision, target, curve, buckets[buckets >= row])
    else:
        assert chosen.metric is not None
        reached = float(evaluate(chosen.metric, _as_chosen(point, curve))[0])
        found = _as_good_as(chosen.metric, reached, curve, buckets)
    tp, fp = point.confusion.tp, point.confusion.fp
    return Boxes(*(np.append(ends, here) for ends, here in zip(found, (tp, tp, fp, fp), strict=True)))


def _as_chosen(point: Point, curve: Curve) -> Point:
    """The point at the prevalence it was chosen at."""
    return point if curve.given_prevalence is None else point.at_prevalence(curve.given_prevalence)


def _as_good_as(metric: Callable[..., object], reached: float, curve: Curve, buckets: Indices) -> Boxes:
    """The buckets in which a threshold may be as good as what was reached, or better."""
    boxes = _boxes(curve, buckets)
    low, high = range_within(metric, boxes, curve, curve.odds_against)
    sign = -1.0 if lower_is_better(metric) else 1.0
    best = np.maximum(sign * low, sign * high)
    good_enough = best >= sign * reached - ROUNDING * abs(reached)
    return Boxes(*(ends[good_enough] for ends in boxes))
