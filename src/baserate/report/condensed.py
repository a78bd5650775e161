r"""A curve in a few kilobytes, from which a page reads any prevalence.

Average precision and AUC-PR are means of precision over recall, and precision is ``1 / (1 + x r)`` with
``r = FPR / TPR``: at every prevalence they are ``sum(w / (1 + x r))`` over the same weights and ratios. Recalls whose
ratios nearly agree can share one, so a thousand pairs stand for a million thresholds. AUC-PRG is known at some points
of the curve and continued between them; the best F-beta lies on the convex hull, whose points are all kept. How far
these are from the whole curve is measured over the range of the page, and stated on it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.formulas.hull import upper_hull
from baserate.formulas.steps import Segments, segments
from baserate.metrics import over_odds

# Ratios within this factor, in logarithms, share a pair. That moves an area by less than 4/27 * width² / 12 = 1.3e-6.
_WIDTH = 0.01

# Points that a curve is drawn through and whose thresholds can be chosen, about.
_POINTS = 600

# Recalls at which AUC-PRG is kept, and how near it is to be between them; a curve that is hardly better than chance is
# uneven and needs many.
_POINTS_OF_GAINS = (600, 2400, 9600)
_WANTED = 2e-5

# Pieces of the curve along which the recall grows by more than this factor are cut for the integral over them.
_PIECE = 1.02

# Cuts of a piece that begins at an axis, where precision may fall at once: ever closer to where it begins.
_CUTS = 2.0 ** -np.arange(0, 60, 0.25)[::-1]

# Places and weights of Gauss's rule with two points, on [0, 1].
_GAUSS = (0.5 - 0.75**0.5 / 3, 0.5 + 0.75**0.5 / 3)

# Prevalences at which the condensed curve is compared with the whole one.
_COMPARED = 200


class Mixture(NamedTuple):
    """``sum(weight / (1 + x ratio))`` for any x."""

    weight: FloatArray
    ratio: FloatArray

    def at(self, x: FloatArray) -> FloatArray:
        """The value for each x, as a page works it out."""
        return np.array([np.sum(self.weight / (1 + x_j * self.ratio)) for x_j in x])


class Gains(NamedTuple):
    """AUC-PRG at some recalls, and what is needed to continue it to the recalls before each of them.

    In ``u = 1 / recall`` the area grows by precision gain. Between two of the recalls the curve is taken to be
    straight, and what that leaves to the one before, which is known too, is made up for evenly in u.
    """

    tpr: FloatArray
    fpr: FloatArray
    fpr_before: FloatArray  # where the straight piece that ends there begins, or nearly
    area: FloatArray  # of precision gain over u, from there to recall 1
    left_over: FloatArray

    def at(self, x: FloatArray) -> FloatArray:
        """AUC-PRG for each x, as a page works it out."""
        prevalence = 1 / (1 + x)
        k = np.minimum(np.searchsorted(self.tpr, prevalence), len(self.tpr) - 1)
        return self._up_to(prevalence, k) / x

    def _up_to(self, recall: FloatArray, k: Indices) -> FloatArray:
        before, tpr, fpr = np.append(0.0, self.tpr)[k], self.tpr[k], self.fpr[k]
        here = self.fpr_before[k] + (fpr - self.fpr_before[k]) * (recall - before) / (tpr - before)
        gain = 1 - (here / recall + fpr / tpr) / 2
        share = before * (tpr - recall) / (recall * (tpr - before))
        area: FloatArray = (tpr - recall) / (recall * tpr) * gain + self.area[k] + share * self.left_over[k]
        return area


@dataclass(frozen=True)
class Condensed:
    """What a page keeps of a curve.

    Attributes
    ----------
    average_precision, auc_pr : Mixture
        Two areas at any prevalence.
    gains : Gains
        A third one.
    rows : indices
        Thresholds of the curve that are kept, among them all that can be the best by F-beta.
    error : float
        The largest difference to the areas of the whole curve that was found.
    """

    average_precision: Mixture
    auc_pr: Mixture
    gains: Gains
    rows: Indices
    error: float


def condensed(curve: Curve, low: float, high: float) -> Condensed:
    """Few enough numbers to mail; the areas are compared with those of the curve from one prevalence to the other."""
    precision, interpolated = average_precision(curve), auc_pr(curve)
    log_odds = np.linspace(np.log(low) - np.log1p(-low), np.log(high) - np.log1p(-high), _COMPARED)
    x = np.exp(-log_odds)
    whole = over_odds.auc_prg(curve, x)
    for points in _POINTS_OF_GAINS:
        gains = _gains(curve, points)
        # The area has no lower end: far below 0 its error is relative.
        off = float(np.max(np.abs(gains.at(x) - whole) / np.maximum(np.abs(whole), 1)))
        if off < _WANTED:
            break
    for mixture, area in ((precision, over_odds.average_precision), (interpolated, over_odds.auc_pr)):
        off = max(off, float(np.max(np.abs(mixture.at(x) - area(curve, x)))))
    return Condensed(precision, interpolated, gains, _kept(curve), off)


def average_precision(curve: Curve, width: float = _WIDTH) -> Mixture:
    """Each rise in recall at the ratio where it ends."""
    steps = curve.table.steps
    return _shared(steps.pos / steps.n_pos, (steps.fp / steps.n_neg) / (steps.tp / steps.n_pos), width)


def auc_pr(curve: Curve, width: float = _WIDTH) -> Mixture:
    """The integral along the straight pieces of the ROC curve, by Gauss's rule on short parts of them."""
    whole = segments(curve.table.merged_steps, 0.0, 1.0)
    at_axis = (whole.tpr == 0) | ((whole.fpr == 0) & (whole.run > 0))
    weight, ratio = [], []
    for pieces, cuts in ((_some(whole, at_axis), _from_the_axis), (_some(whole, ~at_axis), _by_recall)):
        which, start, end = cuts(pieces)
        for node in _GAUSS:
            share = start + (end - start) * node
            tpr = pieces.tpr[which] + share * pieces.rise[which]
            weight.append((end - start) * pieces.rise[which] / 2)
            ratio.append((pieces.fpr[which] + share * pieces.run[which]) / tpr)
    return _shared(np.concatenate(weight), np.concatenate(ratio), width)


def _some(pieces: Segments, which: BoolArray) -> Segments:
    return Segments(*(column[which] for column in pieces))


def _from_the_axis(pieces: Segments) -> tuple[Indices, FloatArray, FloatArray]:
    """Which piece, from which share of it to which: parts that shrink toward where the piece begins."""
    n = len(pieces.tpr)
    starts = np.append(0.0, _CUTS[:-1])
    return np.repeat(np.arange(n), len(_CUTS)), np.tile(starts, n), np.tile(_CUTS, n)


def _by_recall(pieces: Segments) -> tuple[Indices, FloatArray, FloatArray]:
    """The same by parts along which the recall grows by one small factor."""
    growth = np.log1p(pieces.rise / pieces.tpr)
    count = np.maximum(1, np.ceil(growth / np.log(_PIECE))).astype(np.intp)
    which = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    ends = [np.expm1(growth[which] * k / count[which]) / np.expm1(growth[which]) for k in (number, number + 1)]
    return which, ends[0], ends[1]


def _shared(weight: FloatArray, ratio: FloatArray, width: float) -> Mixture:
    """One pair for all ratios that nearly agree, at their mean."""
    with np.errstate(divide="ignore"):
        place = np.floor(np.log(ratio) / width)
    _, group = np.unique(place, return_inverse=True)
    total = np.bincount(group, weight).astype(np.float64)
    return Mixture(total, np.bincount(group, weight * ratio) / total)


def _gains(curve: Curve, points: int) -> Gains:
    steps = curve.table.merged_steps
    tpr, fpr, run = steps.tp / steps.n_pos, steps.fp / steps.n_neg, steps.neg / steps.n_neg
    kept = _spread_over(points, tpr, np.log(tpr))
    follows = np.diff(kept, prepend=-1) == 1
    before = np.where(follows, fpr[kept] - run[kept], np.append(0.0, fpr[kept][:-1]))
    odds = (1 - tpr[kept]) / tpr[kept]
    area = np.zeros(len(kept))  # from recall 1 on there is none
    area[odds > 0] = odds[odds > 0] * over_odds.auc_prg(curve, odds[odds > 0])
    straight = Gains(tpr[kept], fpr[kept], before, area, np.zeros(len(kept)))
    k = np.arange(1, len(kept))
    return straight._replace(left_over=np.append(0.0, area[:-1] - straight._up_to(straight.tpr[:-1], k)))


def _kept(curve: Curve) -> Indices:
    tp, fp = (column.astype(np.float64) for column in curve.table.cumulative())
    rises = np.flatnonzero(curve.pos > 0)
    corners = rises[np.append(fp[rises][1:] != fp[rises][:-1], True)]
    hull = corners[upper_hull(fp[corners], tp[corners])]
    spread = _spread_over(_POINTS, tp, fp, np.log(np.maximum(tp, 0.5)), np.log(np.maximum(fp, 0.5)))
    return np.union1d(spread, hull)


def _spread_over(points: int, *columns: FloatArray) -> Indices:
    """Some entries, spread evenly over each of the rising columns; the first and the last in any case."""
    each = points // len(columns)
    found = [np.searchsorted(column, np.linspace(column[0], column[-1], each)) for column in columns]
    last = len(columns[0]) - 1
    return np.union1d(np.concatenate(found).clip(0, last), np.array([0, last])).astype(np.intp)
