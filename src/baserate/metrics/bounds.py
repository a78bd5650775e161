"""Bounds of a metric if some scores are grouped into buckets."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.extremes import WorstOrder, best_order
from baserate.curves.point import Point
from baserate.curves.table import CountTable
from baserate.errors import InputError, Reason
from baserate.formulas.choosing import ROUNDING
from baserate.metrics.boxes import all_boxes, boxes_of_choice, range_within
from baserate.metrics.definition import evaluate
from baserate.metrics.over_odds import WHOLE
from baserate.registry import Family, Metric, bound_parameters, describe, row_of
from baserate.results import Bounds

# Bounds are moved apart by this much, relatively, so that the rounding of a metric cannot step over them.
_SLACK = 1e-12

# Differences of numbers up to 1 are known to the rounding of these, which does not shrink with them.
_SLACK_OF_DIFFERENCES = 1e-14


@checks.declared
def bounds(metric: Callable[..., object], at: Curve | Point) -> Bounds:
    """Guaranteed lower and upper bounds of a metric on a curve with bucketed scores.

    The metric of the original scores lies between them. Bounds of areas are those of the best and the worst order
    within the buckets; bounds of metrics of probabilities are those of the lowest and the highest scores that the
    buckets allow. For a pointwise metric of a Curve, they are the range over all thresholds within each bucket; of a
    Point, the range over all points that its rule could choose on the original scores. Without buckets, both bounds are
    the value.

    Parameters
    ----------
    metric : function
        A metric of this library, with parameters bound by ``functools.partial``.
    at : Curve or Point
        The curve, or a point chosen on it.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts(score=[0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50])
    >>> print(br.bounds(br.roc_auc, curve))
    roc_auc 0.8737 in [0.7789, 0.9684] (prevalence 1 in 20)
    >>> print(br.bounds(br.recall, curve.at_threshold(0.5)))
    recall 0.8 in [0.8, 1] (prevalence 1 in 20)
    """
    curve_of = at if isinstance(at, Curve) else at.curve
    if curve_of is not None:
        curve_of._check_not_sampled("bounds")
    row = row_of(metric)
    if row is None:
        raise InputError(
            f"bounds needs a metric of this library, got {describe(metric)}; pass one such as br.average_precision."
        )
    value, reason = evaluate(metric, at)
    low, high = _low_and_high(metric, row, at, value)
    prevalence = None if at.own_prevalence is None and at.given_prevalence is None else at.prevalence
    return Bounds(describe(metric), value, low, high, prevalence, reason)


def _low_and_high(
    metric: Callable[..., object], row: Metric, at: Curve | Point, value: float | FloatArray
) -> tuple[float | FloatArray, float | FloatArray]:
    curve = at if isinstance(at, Curve) else at.curve
    if curve is None or not curve.bucketed or (curve.missing_class and not row.of_one_class):
        return value, value
    low: float | FloatArray
    high: float | FloatArray
    if row.within_buckets is not None:
        low, high = row.within_buckets(curve, **bound_parameters(metric))
    elif row.family is not Family.POINTWISE:
        low, high = _of_extremes(metric, row, curve)
    elif isinstance(at, Point):
        low, high = _of_choice(metric, at, curve)
    else:
        low, high = range_within(metric, all_boxes(curve), curve, at.odds_against)
    low, high = np.fmin(low, value), np.fmax(high, value)
    low, high = low - _slack(low, row), high + _slack(high, row)
    return (low, high) if isinstance(value, np.ndarray) else (float(low), float(high))


def _slack(end: FloatArray, row: Metric) -> FloatArray:
    least = _SLACK_OF_DIFFERENCES if row.lowest < 0 or row.traits.difference else 0.0
    return np.where(np.isfinite(end), _SLACK * np.abs(end) + least, 0.0)


def _of_extremes(metric: Callable[..., object], row: Metric, curve: Curve) -> tuple[FloatArray, FloatArray]:
    """A metric for the worst and for the best order within buckets."""
    table = curve.table
    assert isinstance(table, CountTable)
    if row.undefined is Reason.EMPTY_RANGE:
        return _of_best_threshold(metric, row, curve, table)
    return _on(metric, curve, WorstOrder(table)), _on(metric, curve, best_order(table))


def _of_best_threshold(
    metric: Callable[..., object], row: Metric, curve: Curve, table: CountTable
) -> tuple[FloatArray, FloatArray]:
    """Bounds of the metric at the best threshold in a range of recalls, which may contain no threshold."""
    recalls = bound_parameters(metric).get("recall_range", WHOLE)
    assert isinstance(recalls, tuple | list)  # the metric has checked it
    first, last = float(recalls[0]), float(recalls[1])
    rounding = ROUNDING if curve.weighted else 0.0  # sums of weights may be just inside the range, or just outside
    wider = first * (1 - rounding), min(last * (1 + rounding), 1.0)
    narrower = first * (1 + rounding), last * (1 - rounding) if last < 1 else last
    high = _on(partial(metric, recall_range=wider), curve, best_order(table, high=last))
    low = np.asarray(np.nan)
    if narrower[0] < narrower[1]:
        low = _on(partial(metric, recall_range=narrower), curve, WorstOrder(table))
    return np.where(np.isnan(low) & ~np.isnan(high), row.lowest, low), high


def _on(metric: Callable[..., object], curve: Curve, table: CountTable) -> FloatArray:
    return np.asarray(evaluate(metric, replace(curve, table=table))[0])


def _of_choice(metric: Callable[..., object], point: Point, curve: Curve) -> tuple[FloatArray, FloatArray]:
    """The range of a pointwise metric over all points that the rule could choose."""
    lows, highs = range_within(metric, boxes_of_choice(point, curve), curve, point.odds_against)
    return np.fmin.reduce(lows), np.fmax.reduce(highs)
