"""Possible counts at thresholds within a bucket, and the range of a pointwise metric over them."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import Point, Points
from baserate.curves.rules import Best, Fpr, Precision, Recall, Threshold
from baserate.curves.table import CountTable
from baserate.errors import InputError
from baserate.formulas.choosing import ROUNDING
from baserate.formulas.pointwise import Confusion
from baserate.metrics.definition import evaluate
from baserate.metrics.predictive import precision
from baserate.registry import lower_is_better, row_of

# What a metric loses to rounding, relatively, at most: values that near may be chosen for one another.
_NEARLY = 1e-12


class Boxes(NamedTuple):
    """Ranges of the confusion matrix: for each class, the fewest and the most rows that may be predicted positive.

    Each end has both counts of its class, so that a small one is not computed by subtraction.
    """

    least_tp: FloatArray
    most_tp: FloatArray
    least_fp: FloatArray
    most_fp: FloatArray
    most_fn: FloatArray
    least_fn: FloatArray
    most_tn: FloatArray
    least_tn: FloatArray


def all_boxes(curve: Curve) -> Boxes:
    """For each threshold of the curve, the possible counts at any threshold in its bucket."""
    return _boxes(curve, np.arange(len(curve)))


def _boxes(curve: Curve, rows: Indices) -> Boxes:
    table = curve.table
    tp, fp = (np.append(0.0, column) for column in table.cumulative())
    totals = table.total_pos, table.total_neg
    fn, tn = (np.append(total, column) for total, column in zip(totals, table.remaining(), strict=True))
    above, here = rows + 1 - _is_bucket(curve)[rows], rows + 1
    return Boxes(*(column[end] for column in (tp, fp, fn, tn) for end in (above, here)))


def _is_bucket(curve: Curve) -> BoolArray:
    table = curve.table
    assert isinstance(table, CountTable)
    return table.buckets


def range_within(
    metric: Callable[..., object], boxes: Boxes, curve: Curve, odds_against: float
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest value of a metric within each box.

    Every pointwise metric of this library is monotone in the true positives and in the false positives, so its extremes
    are at corners of the box. If it is undefined at a corner, the neighbours one row away are used instead. With
    weights there are no such neighbours, and the bounds are the limits of the metric.
    """
    tp0, tp1, fp0, fp1, fn0, fn1, tn0, tn1 = boxes
    pos, neg = [(tp0, fn0), (tp1, fn1)], [(fp0, tn0), (fp1, tn1)]
    corners = [(*some_pos, *some_neg) for some_pos in pos for some_neg in neg]
    if not curve.weighted:
        one_pos, one_neg = np.minimum(tp1 - tp0, 1), np.minimum(fp1 - fp0, 1)
        corners += [(tp0 + one_pos, fn0 - one_pos, fp0, tn0), (tp0, fn0, fp0 + one_neg, tn0 - one_neg)]
        corners += [(tp1 - one_pos, fn1 + one_pos, fp1, tn1), (tp1, fn1, fp1 - one_neg, tn1 + one_neg)]
    cells = Confusion(*(np.stack(cell) for cell in zip(*corners, strict=True)))
    values = np.asarray(evaluate(metric, Points(cells, odds_against))[0])
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    if curve.weighted and (row := row_of(metric)) is not None:
        unknown = np.isnan(values).any(axis=0) & ((tp1 > tp0) | (fp1 > fp0))
        low, high = np.where(unknown, row.lowest, low), np.where(unknown, row.highest, high)
    return low, high


def boxes_of_choice(point: Point, curve: Curve) -> Boxes:
    """The possible counts of all points that the rule of a point could choose on the original scores."""
    rule = point.chosen
    threshold = float(point.threshold or 0.0)
    row = int(np.searchsorted(-curve.score, -threshold, side="right")) - 1  # -1: nothing is predicted positive
    buckets = np.flatnonzero(_is_bucket(curve))
    n_pos, n_neg = curve.table.total_pos, curve.table.total_neg

    if isinstance(rule, Recall):
        boxes = _boxes(curve, buckets[buckets == row])
        least = rule.target * n_pos * (1 - ROUNDING)
        most_fn = np.minimum(boxes.most_fn, n_pos - least * (1 - ROUNDING))
        boxes = boxes._replace(least_tp=np.maximum(boxes.least_tp, least), most_fn=most_fn)
    elif isinstance(rule, Threshold):
        boxes = _boxes(curve, buckets[(buckets == row + 1) & (curve.top[buckets] >= threshold)])
    elif isinstance(rule, Fpr):
        boxes = _boxes(curve, buckets[buckets == row + 1])
        most = rule.target * n_neg * (1 + ROUNDING)
        least_tn = np.maximum(boxes.least_tn, n_neg - most * (1 + ROUNDING))
        boxes = boxes._replace(most_fp=np.minimum(boxes.most_fp, most), least_tn=least_tn)
    elif isinstance(rule, Precision):
        boxes = _as_good_as(precision, rule.target, curve, buckets[buckets >= row])
    elif isinstance(rule, Best):
        if row_of(rule.metric) is None:
            raise InputError(
                f"bounds needs a point that was not chosen by your own function, got {point.chosen_by}; choose it by a "
                f"metric of this library such as br.f1."
            )
        as_chosen = replace(point, _given=curve.given_prevalence)
        reached = float(evaluate(rule.metric, as_chosen)[0])
        boxes = _as_good_as(rule.metric, reached, curve, buckets)
    else:  # a number of alerts
        boxes = _boxes(curve, buckets[buckets == row + 1])
    tp, fn, fp, tn = point.confusion
    return Boxes(*(np.append(ends, here) for ends, here in zip(boxes, (tp, tp, fp, fp, fn, fn, tn, tn), strict=True)))


def _as_good_as(metric: Callable[..., object], reached: float, curve: Curve, buckets: Indices) -> Boxes:
    """The buckets in which a threshold may be at least as good as the best known one."""
    boxes = _boxes(curve, buckets)
    low, high = range_within(metric, boxes, curve, curve.odds_against)
    best = -low if lower_is_better(metric) else high
    wanted = -reached if lower_is_better(metric) else reached
    # Near 0 a metric may be the difference of larger terms, and rounds as these do.
    size = np.maximum(np.abs(low), np.abs(high))
    rounding = _NEARLY * np.maximum(np.where(np.isfinite(size), size, 0.0), abs(reached))
    good_enough = best >= wanted - np.where(np.isfinite(rounding), rounding, 0.0)
    return Boxes(*(ends[good_enough] for ends in boxes))
