"""Logistic regression on one variable, from counts: the likelihood, its maximum and variances.

The log-odds are ``intercept + slope * x``, with both fitted or the intercept alone. Information and gradient are about
the weighted mean of x, so that they are accurate even if x is far from 0 and varies little.
"""

from typing import Literal, NamedTuple

import numpy as np
import scipy

from baserate.arrays import CountArray, FloatArray

# No log-odds move further in one step, nor are steps checked where none moves further than this.
_LONGEST_MOVE = 10.0
_SHORT_MOVE = 0.1

# Newton's method doubles the digits: after a move this small there are no more to find.
_CLOSE = 1e-7
_STEPS = 500

# Rows worked on at a time: few enough that the work on them stays in the processor's cache.
_PIECE = 2**14

# More rows than these begin with so many means of them.
_MANY = 2**16
_MEANS = 2**12

# In place of information that is too small for a float; the step it leads to is cut anyway.
_TINY = 1e-300

Parameter = Literal["intercept", "slope"]
Free = Literal["both", "intercept"]


class LogisticRows(NamedTuple):
    """Positives and negatives, or their weights, at each x."""

    x: FloatArray
    pos: FloatArray
    neg: FloatArray


class ClassSums(NamedTuple):
    """The weight of the rows of one class at each x, and the sums of squared weights."""

    weight: CountArray
    squares: CountArray

    @property
    def rows(self) -> FloatArray:
        """The effective sample size at each x."""
        return np.divide(self.weight**2, self.squares, out=np.zeros(len(self.weight)), where=self.squares > 0)

    def spread_as(self, rows: FloatArray) -> "ClassSums":
        """The class with the given number of rows at each x, of the mean squared weight of its rows."""
        return ClassSums(rows, rows * (float(self.squares.sum()) / float(self.rows.sum())))


class LogOddsLine(NamedTuple):
    """Log-odds along x."""

    intercept: float
    slope: float

    def at(self, x: FloatArray) -> FloatArray:
        """The log-odds at each x."""
        return self.intercept + self.slope * x

    def plus(self, step: "LogOddsLine", times: float) -> "LogOddsLine":
        """The line after a step."""
        return LogOddsLine(self.intercept + times * step.intercept, self.slope + times * step.slope)


class Scatter(NamedTuple):
    """Sums of squares and products of the two gradient components: the level at the mean of x, and the slope."""

    level: float
    both: float
    slope: float


class LogisticFit(NamedTuple):
    """The likelihood at a line, and its first two derivatives about the mean of x."""

    line: LogOddsLine
    log_likelihood: float
    gradient: LogOddsLine  # of a line written as level + slope * (x - mean)
    mean: float
    information: LogOddsLine  # of the level and of the slope, which do not mix there

    def variance(self, of: Parameter, free: Free) -> float:
        """The variance of a parameter, from the information of the likelihood."""
        level, slope = _weights(self, of, free)
        return level * level * self.information.intercept + slope * slope * self.information.slope


def is_separated(rows: LogisticRows) -> bool:
    """Whether a threshold separates the classes, rows at the threshold aside; then the maximum is not finite."""
    pos, neg = rows.x[rows.pos > 0], rows.x[rows.neg > 0]
    return bool(pos.min() >= neg.max() or neg.min() >= pos.max())


def likelihood(rows: LogisticRows, line: LogOddsLine, about: float) -> LogisticFit:
    """The log-likelihood with its derivatives; `about` is an x near the mean."""
    pieces = (slice(first, first + _PIECE) for first in range(0, len(rows.x), _PIECE))
    sums = np.sum([_sums(LogisticRows(*(column[piece] for column in rows)), line, about) for piece in pieces], axis=0)
    log_likelihood, level, slope, weight, product, square = (float(part) for part in sums)
    mean = product / weight if weight > 0 else 0.0
    return LogisticFit(
        line,
        log_likelihood,
        LogOddsLine(level, slope - mean * level),
        about + mean,
        LogOddsLine(weight, square - mean * product),
    )


def _sums(rows: LogisticRows, line: LogOddsLine, about: float) -> FloatArray:
    x, pos, neg = rows
    log_odds = line.at(x)
    distance = np.abs(log_odds)
    rarer = np.exp(-distance)
    above = log_odds >= 0
    common = 1 / (1 + rarer)
    rare = rarer * common
    n = pos + neg
    # Terms of one sign, so that next to 0 and 1 nothing cancels.
    miss = np.where(above, neg, pos)
    log_likelihood = _dot(n, np.log(common)) - _dot(miss, distance)
    residual = np.where(above, 1.0, -1.0) * ((n - miss) * rare - miss * common)
    weight = n * (rare * common)
    away = x - about
    weighted = weight * away
    return np.array(
        [log_likelihood, residual.sum(), _dot(residual, away), weight.sum(), weighted.sum(), _dot(weighted, away)]
    )


def start(rows: LogisticRows, slope: float) -> LogOddsLine:
    """A starting line with this slope, which expects about as many positives as there are."""
    pos, neg = float(rows.pos.sum()), float(rows.neg.sum())
    middle = _dot(rows.pos + rows.neg, rows.x) / (pos + neg)
    return LogOddsLine(float(np.log(pos) - np.log(neg)) - slope * middle, slope)


def maximum(rows: LogisticRows, begin: LogOddsLine, free: Free) -> LogisticFit:
    """The maximum-likelihood line, by Newton's method with steps that never decrease the likelihood.

    The log-likelihood is concave, so there is one maximum, if it is finite. With many rows, the search starts from a
    fit to a few thousand means.
    """
    if len(rows.x) > _MANY and not is_separated(means := _means(rows)):
        begin = maximum(means, begin, free).line
    ends = np.array([rows.x.min(), rows.x.max()])
    here = likelihood(rows, begin, float(rows.x.mean()))
    for _ in range(_STEPS):
        step = _newton_step(here, free)
        move = float(np.abs(step.at(ends)).max())
        shorter = min(1.0, _LONGEST_MOVE / move) if move > 0 else 1.0
        there = likelihood(rows, here.line.plus(step, shorter), here.mean)
        while there.log_likelihood < here.log_likelihood and shorter * move > _SHORT_MOVE:
            shorter /= 2
            there = likelihood(rows, here.line.plus(step, shorter), here.mean)
        here = there
        if shorter * move <= _CLOSE:
            break
    return here


def _means(rows: LogisticRows) -> LogisticRows:
    """Fewer rows: neighbouring entries merged into their means."""
    first = np.arange(0, len(rows.x), len(rows.x) // _MEANS + 1)
    pos, neg, sums = (np.add.reduceat(column, first) for column in (rows.pos, rows.neg, (rows.pos + rows.neg) * rows.x))
    return LogisticRows(sums / (pos + neg), pos, neg)


def sandwich(best: LogisticFit, of: Parameter, free: Free, spread: Scatter) -> float:
    """The sandwich variance of a parameter, from the spread of the gradient."""
    level, slope = _weights(best, of, free)
    return level * level * spread.level + 2 * level * slope * spread.both + slope * slope * spread.slope


def spread_of_class(
    x: FloatArray, best: LogisticFit, sums: ClassSums, *, positive: bool, given_size: float | None
) -> Scatter:
    """The spread of the gradient over the rows of one class.

    If the class size is given, it is about the mean, with one degree of freedom less. Otherwise the number of rows is
    random, too, and it is about zero.
    """
    log_odds = best.line.at(x)
    level = scipy.special.expit(-log_odds) if positive else -scipy.special.expit(log_odds)
    slope = level * (x - best.mean)
    squares, scale = sums.squares, 1.0
    if given_size is not None:
        level = level - _dot(sums.weight, level) / float(sums.weight.sum())
        slope = slope - _dot(sums.weight, slope) / float(sums.weight.sum())
        scale = given_size / (given_size - 1)
    return Scatter(
        scale * _dot(squares, level * level),
        scale * _dot(squares, level * slope),
        scale * _dot(squares, slope * slope),
    )


def sensitivity(rows: LogisticRows, best: LogisticFit, of: Parameter, free: Free, slack: FloatArray) -> float:
    """The largest change of a parameter, to first order, if the x of each row may move by up to its `slack`."""
    log_odds = best.line.at(rows.x)
    share, rest = scipy.special.expit(log_odds), scipy.special.expit(-log_odds)
    level, slope = _weights(best, of, free)
    # A row pulls with its miss times its lever; x changes both.
    change_of_miss = -best.line.slope * share * rest * (level + slope * (rows.x - best.mean))
    moved_by_pos, moved_by_neg = np.abs(change_of_miss + slope * rest), np.abs(change_of_miss - slope * share)
    return _dot(slack, rows.pos * moved_by_pos + rows.neg * moved_by_neg)


def _weights(best: LogisticFit, of: Parameter, free: Free) -> tuple[float, float]:
    """The change of a parameter per unit of each gradient component, level and slope."""
    level, slope = 1 / best.information.intercept, 1 / max(best.information.slope, _TINY)
    if free == "intercept":
        return level, 0.0
    # The intercept is the level at the mean of x, less the slope times the mean.
    return (0.0, slope) if of == "slope" else (level, -best.mean * slope)


def _newton_step(fit: LogisticFit, free: Free) -> LogOddsLine:
    level = fit.gradient.intercept / max(fit.information.intercept, _TINY)
    if free == "intercept":
        return LogOddsLine(level, 0.0)
    slope = fit.gradient.slope / max(fit.information.slope, _TINY)
    return LogOddsLine(level - slope * fit.mean, slope)


def _dot(a: CountArray, b: FloatArray) -> float:
    """The sum of products, in one thread; with several, so little work is slower on a busy machine."""
    return float(np.sum(a * b))
