"""Sums of ``weight / (1 + x ratio)`` for many x, in a time that hardly grows with their number.

Ratios with the same leading digits share a cell around a centre c. With ``t = ratio/c - 1``, which is at most 1/128,
and ``q = x c / (1 + x c)`` a term is ``weight / (1 + x c) (1 - q t + q² t² - …)``. Eight terms are accurate to the last
digits of a float, and the sums of ``weight t^k`` over a cell do not depend on x.
"""

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.formulas.steps import Segments

# Binary digits after the first that a cell shares, digits that it does not, and terms of the series.
_SHARED = 6
_LEFT = 52 - _SHARED
_TERMS = 8

# Gauss and Legendre's rule with three nodes has all digits along a piece that adds so little to what is there.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
_SHORT = 1 / 128

# So many x are worth the trouble, if there are so many times as many ratios, and these do not spread too far.
_MANY_X = 16
_MANY_RATIOS = 4096
_MOST_CELLS = 1 << 14

# Numbers in a table of x and cells that are worked on together: so few stay in the processor's cache.
_AT_ONCE = 1 << 15


def is_worth_it(n_x: int, n_ratios: int) -> bool:
    """Whether there are so many terms and x that this is faster than direct summation."""
    return n_x >= _MANY_X and n_ratios >= _MANY_RATIOS


def summed(weight: FloatArray, ratio: FloatArray, x: FloatArray) -> FloatArray:
    """The sum for each x; ratios must not be negative."""
    none = ratio == 0
    certain = float(weight[none].sum())
    if none.any():
        weight, ratio = weight[~none], ratio[~none]
    if not len(ratio):
        return np.full(len(x), certain)
    digits = ratio.view(np.int64) >> _LEFT
    lowest, highest = int(digits.min()), int(digits.max())
    if highest - lowest >= _MOST_CELLS:
        return certain + np.array([np.vecdot(weight, 1 / (1 + x_j * ratio)) for x_j in x])
    centre = ((np.arange(lowest, highest + 1) << _LEFT) + (1 << (_LEFT - 1))).view(np.float64)
    return certain + _over_cells(_moments(weight, ratio, digits - lowest, centre), centre, x)


def _moments(weight: FloatArray, ratio: FloatArray, cell: Indices, centre: FloatArray) -> list[FloatArray]:
    """Sums over each cell of ``weight (-t)^k``."""
    minus_t = 1 - ratio / centre[cell]
    moments: list[FloatArray] = []
    term = weight
    for _ in range(_TERMS):
        moments.append(np.bincount(cell, term, len(centre)).astype(np.float64, copy=False))
        term = term * minus_t
    return moments


def _over_cells(moments: list[FloatArray], centre: FloatArray, x: FloatArray) -> FloatArray:
    used = moments[0] != 0
    centre, moments = centre[used], [moment[used] for moment in moments]
    at_once = max(1, _AT_ONCE // len(centre))
    some = (x[start : start + at_once, np.newaxis] for start in range(0, len(x), at_once))
    return np.concatenate([_over_cells_at(moments, centre, x_j) for x_j in some])


def _over_cells_at(moments: list[FloatArray], centre: FloatArray, x: FloatArray) -> FloatArray:
    """The sums for a column of x."""
    q = x * centre
    beyond = 1 + q
    q /= beyond
    total = np.multiply(q, moments[-1])
    for moment in moments[-2:0:-1]:
        total += moment
        total *= q
    total += moments[0]
    total /= beyond
    return np.asarray(total.sum(axis=-1), np.float64)


def short_pieces(pieces: Segments) -> BoolArray:
    """Which pieces of a ROC curve are short relative to the rates before them, or vertical at FPR 0."""
    adds_little = (pieces.rise <= _SHORT * pieces.tpr) & (pieces.run <= _SHORT * pieces.fpr)
    upright = (pieces.run == 0) & (pieces.fpr == 0)
    return np.asarray((pieces.rise > 0) & (adds_little | upright), np.bool_)


def area_of_short_pieces(pieces: Segments, x: FloatArray) -> FloatArray:
    """The area under precision over recall along short pieces, for each x."""
    weights, ratios = [], []
    for node, weight in zip((_NODES + 1) / 2, _WEIGHTS / 2, strict=True):
        weights.append(weight * pieces.rise)
        ratios.append((pieces.fpr + node * pieces.run) / (pieces.tpr + node * pieces.rise))
    return summed(np.concatenate(weights), np.concatenate(ratios), x)
