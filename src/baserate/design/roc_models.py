"""ROC curves that test sets are imagined to come from: straight pieces in normal deviates, or levels.

On a scale where both rates are replaced by their normal deviates, the curve of two normal laws is a straight line. An
example is followed by as many pieces as it has tens of positives, and beyond them by one line. Where its scores have
few levels, such as the points of a scorecard, test sets have the same levels.
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

# Where areas of a model are added up, in deviates of TPR.
_GRID = np.linspace(-8.0, 6.0, 2801)
# Positives to a piece of an example, and the most pieces.
_TO_A_PIECE = 10
_PIECES = 200
# With fewer negatives above, an FPR that was seen says little about its logarithm.
_FEW = 4.0
# How far the slope beyond the pieces may be from that of two laws of equal variance.
_STEEPEST = 2.0
# With as many positives to a level, on average, an example shows what the levels are; more levels are hardly any.
_TO_A_LEVEL = 3
_LEVELS = 200


class SmoothRoc(NamedTuple):
    """Places on the curve, as normal deviates of both rates, and the slope of FPR in TPR beyond them."""

    tpr: FloatArray
    fpr: FloatArray
    slope: float

    def fpr_at(self, tpr: FloatArray) -> FloatArray:
        """The FPR where the TPR is this."""
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
        """The curve itself."""
        return Steps(np.cumsum(self.pos), np.cumsum(self.neg), self.pos, self.neg, 1.0, 1.0)


RocModel = SmoothRoc | RocLevels


class ApMoments(NamedTuple):
    """The average precision of a model, and what one case of each class adds to its variance."""

    value: float
    of_pos: float
    of_neg: float


def through(tpr: float, fpr: float) -> SmoothRoc:
    """The curve of two normal laws of equal variance through a point."""
    ends = scipy.special.ndtri(np.array([[tpr], [fpr]]))
    return SmoothRoc(ends[0], ends[1], 1.0)


def like(curve: Curve) -> RocModel:
    """What was seen, as it may be again: a smooth curve along it or, where scores have few levels, these."""
    cells = every_score(curve)
    if len(cells.score) > min(_LEVELS, cells.pos.effective_size / _TO_A_LEVEL):
        return _smooth(curve)
    tied = Part(cells.neg.rows[1::2], cells.neg.weight[1::2])
    return RocLevels(_shares(cells.pos), _shares(tied))


def _shares(part: Part) -> FloatArray:
    """As if there had been another row with a bit of it in each level, so that what was not seen may still come."""
    worth = part.rows * part.weight / part.typical_weight
    return (worth + 1 / len(worth)) / (float(worth.sum()) + 1)


def _smooth(curve: Curve) -> SmoothRoc:
    """A smooth curve along the one that was seen; above the first few negatives it is a guess, namely a line."""
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
    """That of the line of least squares, drawn towards 1 as if that had been seen on as many rows as make a piece."""
    away = deviates - (deviates @ rows / rows.sum())[:, np.newaxis]
    spread, together = (rows * away[0]) @ away[0], (rows * away[0]) @ away[1]
    return float(np.clip((together + _TO_A_PIECE) / (spread + _TO_A_PIECE), 1 / _STEEPEST, _STEEPEST))


def ap_moments(model: RocModel, x: float) -> ApMoments:
    """By the influence function."""
    steps = model.steps()
    between = np.append(steps.fp - steps.neg, 1.0) - np.append(0.0, steps.fp)
    found = influence.average_precision(steps, x)
    value = float(areas.average_precision(steps, np.array([x]), 0.0, 1.0)[0])
    of_neg = math.fsum(between * found.in_gap**2) + math.fsum(steps.neg * found.tied**2)
    return ApMoments(value, math.fsum(steps.pos * found.at_corner**2), of_neg)
