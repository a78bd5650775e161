"""The width of the interval of precision, for each possible outcome of a test set."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.design import melded_ratio
from baserate.design.outcomes import Outcomes, outcomes
from baserate.formulas import two_proportions
from baserate.formulas.proportions import PROPORTIONS, Interval, hoeffding

# The intervals behind the name of a method: of one rate, and of precision by the name that `estimate` uses.
OF_A_RATE = MappingProxyType(
    {"exact": "clopper_pearson", "wilson": "wilson", "normal": "normal", "hoeffding": "hoeffding"}
)
OF_PRECISION = MappingProxyType(
    {"exact": "melded", "wilson": "score", "normal": "logit_delta", "hoeffding": "box of Hoeffding's intervals"}
)


class Goal(NamedTuple):
    """The expected rates, and the interval that is wanted."""

    tpr: float
    fpr: float
    width: float
    x: float | None  # negatives per positive at the prevalence; None for the widest place of the band
    confidence_level: float
    method: str


class WidthSpread(NamedTuple):
    """Widths and their probabilities."""

    width: FloatArray
    chance: FloatArray

    def chance_within(self, width: float) -> float:
        """The probability of at most this width."""
        return float(self.chance[self.width <= width].sum())

    def mean(self) -> float:
        """The expected width."""
        return float((self.width * self.chance).sum())

    def quantile(self, share: float) -> float:
        """The quantile of the width."""
        order = np.argsort(self.width, axis=None)
        reached = np.cumsum(self.chance.ravel()[order])
        return float(self.width.ravel()[order][min(int(np.searchsorted(reached, share)), len(reached) - 1)])


def widths(goal: Goal, n_pos: int, n_neg: int) -> WidthSpread:
    """The widths for test sets of this size; 1, the widest possible, if there is no interval."""
    pos, neg = outcomes(n_pos, goal.tpr), outcomes(n_neg, goal.fpr)
    width = _at_worst(goal, pos, neg) if goal.x is None else _at_prevalence(goal, pos, neg, goal.x)
    return WidthSpread(width, np.outer(pos.chance, neg.chance))


# --- the widest place of the band -----------------------------------------------------------------


def _at_worst(goal: Goal, pos: Outcomes, neg: Outcomes) -> FloatArray:
    """The largest width over all prevalences, which depends on the sum of the log-widths of both rates."""
    of_rate = PROPORTIONS[OF_A_RATE[goal.method]]
    tpr, fpr = (_log_width(of_rate(side.successes, side.n, goal.confidence_level)) for side in (pos, neg))
    return np.tanh((tpr[:, np.newaxis] + fpr) / 4)


def _log_width(rate: Interval) -> FloatArray:
    """The logarithm of the upper end over the lower; inf if the interval has width 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rate.low < rate.high, np.log(rate.high / rate.low), np.inf)


# --- at a prevalence ------------------------------------------------------------------------------


def _at_prevalence(goal: Goal, pos: Outcomes, neg: Outcomes, x: float) -> FloatArray:
    ends, smooth = _LOG_RATIO[goal.method]
    tp, fp = (side.nodes if smooth else side.successes for side in (pos, neg))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        low, high = ends(tp[:, np.newaxis], pos.n, fp, neg.n, goal.confidence_level)
        width = scipy.special.expit(high - np.log(x)) - scipy.special.expit(low - np.log(x))
    width = np.where(np.isnan(width), 1.0, width)
    return np.asarray(pos.spread @ width @ neg.spread.T) if smooth else width


def _score(tp: FloatArray, n_pos: float, fp: FloatArray, n_neg: float, confidence_level: float) -> Interval:
    ratio = two_proportions.ratio_by_score(tp, n_pos, fp, n_neg, confidence_level)
    return Interval(np.log(ratio.low), np.log(ratio.high))


def _delta(tp: FloatArray, n_pos: float, fp: FloatArray, n_neg: float, confidence_level: float) -> Interval:
    """The delta method; nan if a rate is 0 or 1, for which it gives width 0."""
    ratio = two_proportions.ratio_by_delta(tp, n_pos, fp, n_neg, confidence_level)
    known = (tp == n_pos) | (fp == n_neg)
    return Interval(*(np.where(known, np.nan, np.log(end)) for end in ratio))


def _hoeffding(tp: FloatArray, n_pos: float, fp: FloatArray, n_neg: float, confidence_level: float) -> Interval:
    """The interval by Hoeffding's inequality: extremes over two intervals, each at the square root of the level."""
    each = float(np.sqrt(confidence_level))
    t, f = hoeffding(tp, n_pos, each), hoeffding(fp, n_neg, each)
    return Interval(np.log(t.low) - np.log(f.high), np.log(t.high) - np.log(f.low))


LogRatio = Callable[[FloatArray, float, FloatArray, float, float], Interval]

# The interval of log(T/F), and whether it is computed at nodes only; not so if it has kinks, or is quick.
_LOG_RATIO: Mapping[str, tuple[LogRatio, bool]] = MappingProxyType(
    {
        "exact": (melded_ratio.log_ratio, True),
        "wilson": (_score, True),
        "normal": (_delta, False),
        "hoeffding": (_hoeffding, False),
    }
)
