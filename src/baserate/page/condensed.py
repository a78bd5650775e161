r"""A curve in a few kilobytes, which a page can read at any prevalence.

The logarithms of average precision and AUC-PR are analytic in the log-odds of the prevalence (`formulas/interpolation`
says why), so they are interpolated from a few dozen Chebyshev nodes, whatever the number of thresholds. AUC-PRG is kept
at some points of the curve and interpolated between them; the best F-beta lies on the convex hull, whose points are all
kept. The error is measured over the range of the page, and stated on it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.formulas.choosing import ROUNDING
from baserate.formulas.hull import upper_hull
from baserate.metrics import over_odds

# Minus the natural logarithm of the relative error of areas: about 1e-8.
_NEARNESS = 18.0

# About how many points of a curve are kept, besides those at these recalls.
_POINTS = 450
RECALLS = np.arange(1, 101) / 100

# The number of recalls at which AUC-PRG is kept: at first, and at most. More are added where its error is above the
# tolerance. Curves near chance are irregular, and need thousands.
_FEWEST_GAINS = 300
_MOST_GAINS = 4000
_WANTED = 1e-5

# Prevalences at which errors are measured: of the smooth areas, and of AUC-PRG, which is not smooth.
_COMPARED = 2000
_COMPARED_GAINS = 10_000


class LogOddsRange(NamedTuple):
    """The range of log-odds of the prevalence that a page can show."""

    low: float
    high: float

    @classmethod
    def of(cls, low: float, high: float) -> "LogOddsRange":
        """From one prevalence to another."""
        return cls(*(math.log(end) - math.log1p(-end) for end in (low, high)))

    @property
    def nodes(self) -> FloatArray:
        """Chebyshev nodes of the first kind, enough for the accuracy of areas."""
        half_width = (self.high - self.low) / 2
        height = math.pi / half_width
        growth = height + math.hypot(1.0, height)  # of the largest ellipse on which areas are analytic
        n = math.ceil(_NEARNESS / math.log(growth))
        return self.low + half_width * (1 + np.cos((2 * np.arange(n) + 1) * np.pi / (2 * n)))


class Smooth(NamedTuple):
    """The logarithm of an area at the nodes of a span."""

    nodes: FloatArray
    values: FloatArray

    def at(self, log_odds: FloatArray) -> FloatArray:
        """The area at each of the log-odds, as computed by the page."""
        n = len(self.nodes)
        weights = np.where(np.arange(n) % 2, -1.0, 1.0) * np.sin((2 * np.arange(n) + 1) * np.pi / (2 * n))
        difference = log_odds[:, np.newaxis] - self.nodes
        terms = weights / np.where(difference == 0, 1e-300, difference)  # at a node it outweighs the others
        logarithm: FloatArray = (terms * self.values).sum(axis=1) / terms.sum(axis=1)
        return np.exp(logarithm)


class Gains(NamedTuple):
    """AUC-PRG at some recalls, and what is needed to interpolate between them.

    In ``u = 1 / recall`` the area grows by precision gain. Between two of the recalls the curve is assumed to be
    straight, and the resulting error at the lower one, which is known, is spread evenly in u.
    """

    tpr: FloatArray
    fpr: FloatArray
    fpr_before: FloatArray  # about where the straight piece that ends there begins
    area: FloatArray  # of precision gain over u, from there to recall 1
    left_over: FloatArray

    def at(self, x: FloatArray) -> FloatArray:
        """AUC-PRG for each x, as computed by the page."""
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
    average_precision, auc_pr : Smooth
        These areas at any prevalence.
    gains : Gains
        AUC-PRG at any prevalence.
    rows : indices
        Thresholds of the curve that are kept, among them all that can be the best by F-beta and those of `RECALLS`.
    error : float
        The largest measured error of the areas.
    """

    average_precision: Smooth
    auc_pr: Smooth
    gains: Gains
    rows: Indices
    error: float


def condensed(curve: Curve, span: LogOddsRange) -> Condensed:
    """The condensed curve, with the error of its areas over the span."""
    precision, interpolated = average_precision(curve, span), smooth(over_odds.auc_pr, curve, span)
    log_odds = np.linspace(span.low, span.high, _COMPARED)
    x = np.exp(-log_odds)
    gains, off = _gains(curve, np.exp(-np.linspace(span.low, span.high, _COMPARED_GAINS)))
    for kept, area in ((precision, over_odds.average_precision), (interpolated, over_odds.auc_pr)):
        off = max(off, float(np.max(np.abs(kept.at(log_odds) - area(curve, x)))))
    return Condensed(precision, interpolated, gains, _kept(curve), off)


def average_precision(curve: Curve, span: LogOddsRange) -> Smooth:
    """Average precision at any prevalence of the span."""
    return smooth(over_odds.average_precision, curve, span)


def smooth(area: Callable[[Curve, FloatArray], FloatArray], curve: Curve, span: LogOddsRange) -> Smooth:
    """An area under precision at any prevalence of the span."""
    nodes = span.nodes
    return Smooth(nodes, np.log(area(curve, np.exp(-nodes))))


def _gains(curve: Curve, x: FloatArray) -> tuple[Gains, float]:
    """AUC-PRG at enough recalls for the tolerance at each x, or at the largest number; and its error."""
    steps = curve.table.merged_steps
    tpr = steps.tp / steps.n_pos
    kept = _spread_over(_FEWEST_GAINS, tpr, np.log(tpr))
    prevalence, whole = 1 / (1 + x), over_odds.auc_prg(curve, x)
    while True:
        gains = _gains_at(curve, kept)
        # The area is unbounded below: far below 0 its error is relative.
        off = np.abs(gains.at(x) - whole) / np.maximum(np.abs(whole), 1)
        piece = np.unique(np.searchsorted(gains.tpr, prevalence[off >= _WANTED]).clip(1, len(kept) - 1))
        more = np.setdiff1d((kept[piece - 1] + kept[piece]) // 2, kept)
        if not len(more) or len(kept) + len(more) > _MOST_GAINS:
            return gains, float(np.max(off))
        kept = np.union1d(kept, more)


def _gains_at(curve: Curve, kept: Indices) -> Gains:
    """AUC-PRG at some of the corners."""
    steps = curve.table.merged_steps
    tpr, fpr, run = steps.tp / steps.n_pos, steps.fp / steps.n_neg, steps.neg / steps.n_neg
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
    spread = _spread_over(_POINTS, fp, np.log(np.maximum(tp, 0.5)), np.log(np.maximum(fp, 0.5)))
    recalls = np.searchsorted(tp, RECALLS * curve.table.total_pos * (1 - ROUNDING))  # as `at_recall` chooses
    return np.union1d(np.union1d(spread, hull), recalls)


def _spread_over(points: int, *columns: FloatArray) -> Indices:
    """Indices spread evenly over the values of each rising column, with the first and the last."""
    each = points // len(columns)
    indices = [np.searchsorted(column, np.linspace(column[0], column[-1], each)) for column in columns]
    last = len(columns[0]) - 1
    return np.union1d(np.concatenate(indices).clip(0, last), np.array([0, last])).astype(np.intp)
