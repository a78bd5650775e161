"""The points through which a curve is drawn."""

from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.metrics.definition import evaluate
from baserate.metrics.gains import min_precision, precision_gain, recall_gain
from baserate.metrics.predictive import precision

# The ratio of neighbouring points on a curved piece; the error of straight lines between them is then 1e-4.
_GROWTH = 1.03
_FLOOR_POINTS = 201


class RocPath(NamedTuple):
    """Points of a ROC curve from (0, 0) to (1, 1), straight in between."""

    tpr: FloatArray
    fpr: FloatArray


class Line(NamedTuple):
    """The points of a line in a plot."""

    x: FloatArray
    y: FloatArray


NOTHING = Line(np.zeros(0), np.zeros(0))


def roc_path(curve: Curve) -> RocPath:
    """The ROC curve without points inside a vertical or horizontal stretch."""
    rates = curve.rates
    tpr, fpr = np.append(0.0, rates.tpr), np.append(0.0, rates.fpr)
    rise, run = np.diff(tpr), np.diff(fpr)
    upright, level = run == 0, rise == 0
    inside = (upright[1:] & upright[:-1]) | (level[1:] & level[:-1])
    kept = np.concatenate([[True], ~inside, [True]])
    return RocPath(tpr[kept], fpr[kept])


def bent(path: RocPath, along: FloatArray, smallest: float) -> RocPath:
    """The path with more points on its rising pieces, for axes on which these are curved.

    Points are spaced in `along`, which is linear on each piece; below `smallest` nothing is visible.
    """
    rising = np.diff(path.tpr) > 0
    seen = np.maximum(along, smallest)
    growth = np.log(seen[1:] / seen[:-1])
    pieces = np.where(rising, np.maximum(np.ceil(growth / np.log(_GROWTH)), 1), 1).astype(np.intp)
    piece = np.repeat(np.arange(len(pieces)), pieces)
    step = np.arange(len(piece)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    reached = seen[piece] * np.exp(growth[piece] * step / pieces[piece])
    length = np.diff(along)[piece]
    share = np.divide(reached - along[piece], length, out=np.zeros(len(piece)), where=(step > 0) & (length > 0))
    inner = [column[piece] + share * np.diff(column)[piece] for column in path]
    tpr, fpr = (np.append(part, 1.0) for part in inner)
    return RocPath(np.minimum(np.maximum.accumulate(tpr), 1.0), np.minimum(np.maximum.accumulate(fpr), 1.0))


def precision_steps(curve: Curve) -> Line:
    """Recall and precision at each rise of recall: the steps whose area is average precision."""
    recall = curve.rates.tpr
    rises = np.diff(recall, prepend=0.0) > 0
    reached, _ = evaluate(precision, curve)
    heights = np.asarray(reached)[rises]
    return Line(np.append(0.0, recall[rises]), np.append(heights[:1], heights))


def precision_exactly(curve: Curve) -> Line:
    """Recall and precision along the straight pieces of the ROC curve: the line whose area is AUC-PR."""
    path = roc_path(curve)
    along = path.tpr + curve.odds_against * path.fpr
    read = _read(bent(path, along, smallest=along[1]), curve.prevalence)
    heights, _ = evaluate(precision, read)
    line = Line(read.tpr, np.asarray(heights))
    if line.x[0] == 0:  # negatives come first
        return line
    return Line(np.append(0.0, line.x), np.append(line.y[:1], line.y))


def gains(curve: Curve) -> Line:
    """Recall gain and precision gain, from recall gain 0; straight pieces of the ROC curve stay straight."""
    path = roc_path(curve)
    start = int(np.searchsorted(path.tpr, curve.prevalence))  # the first point whose recall reaches the prevalence
    share = (curve.prevalence - path.tpr[start - 1]) / (path.tpr[start] - path.tpr[start - 1])
    first = (column[start - 1] + share * (column[start] - column[start - 1]) for column in path)
    tpr, fpr = (np.append(value, column[start:]) for value, column in zip(first, path, strict=True))
    read = _read(RocPath(tpr, fpr), curve.prevalence)
    along, gained = (np.asarray(evaluate(gain, read)[0]) for gain in (recall_gain, precision_gain))
    return Line(np.maximum(along, 0.0), gained)  # rounding may have made the first one negative


def lowest_precision(prevalence: float) -> Line:
    """The boundary of the unachievable region: recall and precision if all negatives are ranked first."""
    recall = np.linspace(0.0, 1.0, _FLOOR_POINTS)
    lowest, _ = evaluate(min_precision, _read(RocPath(recall, np.ones(_FLOOR_POINTS)), prevalence))
    return Line(recall, np.asarray(lowest))


def _read(path: RocPath, prevalence: float) -> Curve:
    return Curve.from_rates(path.tpr, path.fpr, prevalence=prevalence)
