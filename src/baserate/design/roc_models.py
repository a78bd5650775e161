"""Models of the ROC curve that test sets are simulated from: line segments in normal deviates, or discrete levels.

In normal deviates of both rates, a binormal ROC curve is a straight line. The curve of an example is followed by line
segments, one for every ten positives, and by one line beyond them. If its scores have few levels, such as the points of
a scorecard, simulated test sets have the same levels.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.formulas import areas, influence
from baserate.formulas.steps import Steps
from baserate.uncertainty.cells import Part, corners, every_score

# Grid for areas of a model, in normal deviates of TPR.
_GRID = np.linspace(-8.0, 6.0, 2801)
# Positives per segment, and the largest number of segments.
_TO_A_PIECE = 10
_PIECES = 200
# With fewer negatives above, the logarithm of an observed FPR is too uncertain.
_FEW = 4.0
# The largest slope beyond the segments, and one over the smallest; equal variances have slope 1.
_STEEPEST = 2.0
# Scores are discrete if there are at least so many positives per level, and at most so many levels.
_TO_A_LEVEL = 3
_LEVELS = 200


class SmoothRoc(NamedTuple):
    """Points of the curve in normal deviates of both rates, and the slope of FPR against TPR beyond them."""

    tpr: FloatArray
    fpr: FloatArray
    slope: float

    def fpr_at(self, tpr: FloatArray) -> FloatArray:
        """The FPR at each TPR."""
        return scipy.special.ndtr(self._deviate(scipy.special.ndtri(tpr)))

    def steps(self) -> Steps:
        """The curve on a fine grid of thresholds."""
        tpr = scipy.special.ndtr(_GRID)
        fpr = self.fpr_at(tpr)
        return Steps(tpr / tpr[-1], fpr, np.diff(tpr, prepend=0.0) / tpr[-1], np.zeros_like(fpr), 1.0, 1.0)

    def _deviate(self, z: FloatArray) -> FloatArray:
        beyond = z - np.clip(z, self.tpr[0], self.tpr[-1])
        return np.interp(z, self.tpr, self.fpr) + self.slope * beyond


class RocLevels(NamedTuple):
    """The share of each class at each level of the scores, from the highest down."""

    pos: FloatArray
    neg: FloatArray

    def steps(self) -> Steps:
        """The steps of the curve."""
        return Steps(np.cumsum(self.pos), np.cumsum(self.neg), self.pos, self.neg, 1.0, 1.0)


RocModel = SmoothRoc | RocLevels


class ApMoments(NamedTuple):
    """The average precision of a model, and the variance of the influence of one case of each class."""

    value: float
    of_pos: float
    of_neg: float


def through(tpr: float, fpr: float) -> SmoothRoc:
    """The binormal curve with equal variances through a point."""
    ends = scipy.special.ndtri(np.array([[tpr], [fpr]]))
    return SmoothRoc(ends[0], ends[1], 1.0)


def like(curve: Curve) -> RocModel:
    """A model of the curve of an example: smooth or, if its scores have few levels, discrete."""
    cells = every_score(curve)
    if len(cells.score) > min(_LEVELS, cells.pos.effective_size / _TO_A_LEVEL):
        return _smooth(curve)
    tied = Part(cells.neg.rows[1::2], cells.neg.weight[1::2])
    return RocLevels(_shares(cells.pos), _shares(tied))


def _shares(part: Part) -> FloatArray:
    """Shares of the levels, smoothed by one more row spread evenly, so that no level has probability 0."""
    worth = part.rows * part.weight / part.typical_weight
    return (worth + 1 / len(worth)) / (float(worth.sum()) + 1)


def _smooth(curve: Curve) -> SmoothRoc:
    """A smooth curve along the observed one; above the first few negatives it is extrapolated by a line."""
    cells = corners(curve)
    n_pos, n_neg = cells.pos.effective_size, cells.neg.effective_size
    pos = cells.pos.rows * cells.pos.weight / cells.pos.total
    neg = cells.neg.rows * cells.neg.weight / cells.neg.total
    tpr = np.cumsum(pos) - pos / 2
    above = (np.cumsum(neg)[1::2] - neg[1::2] / 2) * n_neg
    seen = above >= min(_FEW, above[-1])
    fpr = (above + 0.5) / (n_neg + 1)
    deviates = scipy.special.ndtri(np.stack([np.clip(tpr, 0.5 / (n_pos + 1), 1 - 0.5 / (n_pos + 1)), fpr]))
    pieces = int(np.clip(n_pos / _TO_A_PIECE, 1, _PIECES))
    piece = np.minimum((tpr * pieces).astype(np.intp), pieces - 1)[seen]
    pos, deviates = pos[seen], deviates[:, seen]
    share = np.bincount(piece, pos, pieces)
    there = share > 0
    at = np.stack([np.bincount(piece, pos * one, pieces)[there] / share[there] for one in deviates])
    return SmoothRoc(at[0], np.maximum.accumulate(at[1]), _slope(deviates, pos * n_pos))


def _slope(deviates: FloatArray, rows: FloatArray) -> float:
    """The slope by least squares, shrunk towards 1 with the weight of one segment."""
    away = deviates - (deviates @ rows / rows.sum())[:, np.newaxis]
    spread, together = (rows * away[0]) @ away[0], (rows * away[0]) @ away[1]
    return float(np.clip((together + _TO_A_PIECE) / (spread + _TO_A_PIECE), 1 / _STEEPEST, _STEEPEST))


def ap_moments(model: RocModel, x: float) -> ApMoments:
    """Average precision and its variances, by the influence function."""
    steps = model.steps()
    between = np.append(steps.fp - steps.neg, 1.0) - np.append(0.0, steps.fp)
    influences = influence.average_precision(steps, x)
    value = float(areas.average_precision(steps, np.array([x]), 0.0, 1.0)[0])
    of_neg = math.fsum(between * influences.in_gap**2) + math.fsum(steps.neg * influences.tied**2)
    return ApMoments(value, math.fsum(steps.pos * influences.at_corner**2), of_neg)
