"""Intervals for a ratio of two proportions and for F_beta, from two independent binomials.

``tp`` of ``n_pos`` estimates T and ``fp`` of ``n_neg`` estimates F; all of them broadcast. The delta method is
undefined if a count is zero. The score interval contains every value that a score test does not reject, and works with
counts of zero.

T/F = r is the line T - r F = 0, and F_beta = f is the line ((1+b²)/f - 1) T - x F = b². The score statistic of
such a hypothesis is Pearson's sum of two squares at the most likely (T, F) on the line, and is z² at an end of
the interval. If the two parts are (z cos a)² and (z sin a)², T and F are ends of Wilson's intervals at z cos a
and z sin a, which have a closed form, and what makes them the most likely on their line (Lagrange's condition)
is one equation for tan a. So one search finds both the most likely point and the end of the interval, without
subtractions.
"""

from typing import Literal

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.formulas.pointwise import ClassRates, Confusion, f_beta, rates, ratio
from baserate.formulas.proportions import Interval, Numbers, wilson_lower, z_score

End = Literal["low", "high"]

# log(tan a) is looked for up to 64 on either side, beyond which a part has vanished, and to its last digits.
_FARTHEST = 64.0
_HALVINGS = 56


def ratio_by_delta(tp: Numbers, n_pos: Numbers, fp: Numbers, n_neg: Numbers, confidence_level: float) -> Interval:
    """The interval of T/F, normal on the log scale; nan if `tp` or `fp` is 0."""
    cells = _cells(tp, n_pos, fp, n_neg)
    seen = rates(cells)
    variance = ratio(seen.fnr, cells.tp) + ratio(seen.tnr, cells.fp)
    estimate = np.where(np.isfinite(variance), ratio(seen.tpr, seen.fpr), np.nan)
    with np.errstate(over="ignore"):
        factor = np.exp(z_score(confidence_level) * np.sqrt(variance))
        return Interval(np.asarray(estimate / factor), np.asarray(estimate * factor))


def ratio_by_score(tp: Numbers, n_pos: Numbers, fp: Numbers, n_neg: Numbers, confidence_level: float) -> Interval:
    """The interval of T/F by Koopman's score test: from 0 if `tp` is 0, to inf if `fp` is 0."""
    cells = _cells(tp, n_pos, fp, n_neg)
    x, square = np.ones(()), np.zeros(())
    low = _most_likely(cells, x, square, confidence_level, "low")
    high = _most_likely(cells, x, square, confidence_level, "high")
    return Interval(np.asarray(ratio(low.tpr, low.fpr)), np.asarray(ratio(high.tpr, high.fpr)))


def f_beta_by_delta(
    tp: Numbers, n_pos: Numbers, fp: Numbers, n_neg: Numbers, *, x: Numbers, beta: float, confidence_level: float
) -> Interval:
    """The interval of F_beta at x negatives per positive, normal on the logit scale; nan if F_beta is 0 or 1."""
    cells = _cells(tp, n_pos, fp, n_neg)
    x, square = np.asarray(x, np.float64), beta * beta
    seen = rates(cells)
    wrong = square * seen.fnr + x * seen.fpr
    wrong = np.where((wrong > 0) & (cells.tp > 0), wrong, np.nan)
    by_t = ratio(square + x * seen.fpr, wrong) ** 2 * ratio(seen.fnr, cells.tp)
    by_f = ratio(x, wrong) ** 2 * ratio(seen.fpr * seen.tnr, cells.fp + cells.tn)
    logit = np.log((1 + square) * seen.tpr / wrong)
    margin = z_score(confidence_level) * np.sqrt(by_t + by_f)
    return Interval(np.asarray(scipy.special.expit(logit - margin)), np.asarray(scipy.special.expit(logit + margin)))


def f_beta_by_score(
    tp: Numbers, n_pos: Numbers, fp: Numbers, n_neg: Numbers, *, x: Numbers, beta: float, confidence_level: float
) -> Interval:
    """The interval of F_beta at x negatives per positive, by the score test."""
    cells = _cells(tp, n_pos, fp, n_neg)
    x, square = np.asarray(x, np.float64), np.asarray(beta * beta)
    low = _most_likely(cells, x, square, confidence_level, "low")
    high = _most_likely(cells, x, square, confidence_level, "high")
    return Interval(_f_beta(low, x, beta), _f_beta(high, x, beta))


def _cells(tp: Numbers, n_pos: Numbers, fp: Numbers, n_neg: Numbers) -> Confusion[FloatArray]:
    tp, n_pos, fp, n_neg = (np.asarray(count, np.float64) for count in (tp, n_pos, fp, n_neg))
    return Confusion(tp, n_pos - tp, fp, n_neg - fp)


def _f_beta(r: ClassRates[FloatArray], x: FloatArray, beta: float) -> FloatArray:
    return np.asarray(f_beta(Confusion(r.tpr, r.fnr, x * r.fpr, x * r.tnr), beta))


def _most_likely(
    cells: Confusion[FloatArray], x: FloatArray, square: FloatArray, confidence_level: float, end: End
) -> ClassRates[FloatArray]:
    """The most likely T and F under the hypothesis that is the end of the interval.

    If T or F reaches 0 or 1 before Lagrange's condition is met, the search ends where that rate has no part in the
    statistic, which is then the most likely point.
    """
    n_pos, n_neg = cells.tp + cells.fn, cells.fp + cells.tn
    squared_z = z_score(confidence_level) ** 2
    shape = np.broadcast_shapes(n_pos.shape, n_neg.shape, x.shape)
    below, above = np.full(shape, -_FARTHEST), np.full(shape, _FARTHEST)
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        squared_tangent = np.exp(2 * middle)
        r = _split(cells, squared_z, squared_tangent, end)
        # Lagrange's condition makes these two equal.
        wanted = n_pos * r.tpr * (r.fpr * r.tnr) * x**2
        reached = n_neg * r.fnr * (x * r.fpr + square) ** 2 * squared_tangent
        below, above = np.where(reached < wanted, middle, below), np.where(reached < wanted, above, middle)
    return _split(cells, squared_z, np.exp(below + above), end)


def _split(
    cells: Confusion[FloatArray], squared_z: float, squared_tangent: FloatArray, end: End
) -> ClassRates[FloatArray]:
    """T and F moved from their estimates in opposite directions, by the two parts of z²."""
    n_pos, n_neg = cells.tp + cells.fn, cells.fp + cells.tn
    for_t, for_f = squared_z / (1 + squared_tangent), squared_z / (1 + 1 / squared_tangent)
    if end == "low":
        t, not_f = wilson_lower(cells.tp, n_pos, for_t), wilson_lower(cells.tn, n_neg, for_f)
        return ClassRates(t.share, t.rest, not_f.rest, not_f.share)
    not_t, f = wilson_lower(cells.fn, n_pos, for_t), wilson_lower(cells.fp, n_neg, for_f)
    return ClassRates(not_t.rest, not_t.share, f.share, f.rest)
