r"""Smooth calibration error: gaps between label and score, smoothed along the scores.

.. math:: \operatorname{smECE}_\sigma = \int_0^1 \Bigl| \sum_i w_i (y_i - f_i) K_\sigma(t, f_i) \Bigr| \, dt,
          \qquad \operatorname{smECE}_{\sigma^*} = \sigma^*

where :math:`K_\sigma` is the Gaussian kernel reflected at 0 and 1; a score of 0 or 1 counts like one next to it.
Błasiok & Nakkiran, Smooth ECE: Principled reliability diagrams via kernel smoothing, 2023. arXiv:2309.12236.

The reflected kernel damps the cosine of frequency k by :math:`\exp(-(\pi k \sigma)^2 / 2)`, so about :math:`3 / \sigma`
frequencies suffice at a bandwidth. They are computed once, after moving the gaps to a grid.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import CountArray, FloatArray

# Nodes of the grids that gaps are moved to; one serves down to the bandwidth at which it is this many nodes wide.
_GRIDS = (1 << 12, 1 << 15, 1 << 18, 1 << 21)
_NODES_PER_BANDWIDTH = 16
_NEIGHBOURS = range(-2, 4)  # a gap is moved to six nodes so that polynomials up to degree five do not notice
_BLOCK = 1 << 20  # gaps moved at a time, to bound the memory it takes

_DAMPED = 8.0  # standard deviations of the kernel's spectrum that are kept; exp(-32) is left out
_CLOSE = 1e-10  # relative tolerance of the bandwidth


class SmoothEce(NamedTuple):
    """The error and its bandwidth, which are equal except for rounding and the limit of the finest grid."""

    value: float
    bandwidth: float


def smooth_ece(score: FloatArray, pos: CountArray, neg: CountArray) -> SmoothEce:
    """The smooth calibration error at the bandwidth that equals it; nan without mass.

    Exact to a relative 5e-7 down to 8e-6, where the finest grid ends. Below, the value is at that bandwidth: at most
    8e-6 too small, and exact where all scores that differ do so by 1e-4 or more.

    Parameters
    ----------
    score : array
        Probabilities, in any order.
    pos, neg : array
        Masses of each class at each of them, in any scale.
    """
    gap = gaps(score, pos, neg)
    most = float(np.sum(np.abs(gap)))  # of bandwidth 0, and never less than of any other
    if not most > 0:
        nothing = most if len(gap) else math.nan
        return SmoothEce(nothing, nothing)
    for nodes in _GRIDS:
        spectrum = gap_spectrum(score, gap, nodes)
        finest = _NODES_PER_BANDWIDTH / nodes
        at_finest = smoothed(spectrum, finest)
        if at_finest >= finest:
            bandwidth = _fixed_point(spectrum, finest, at_finest)
            return SmoothEce(smoothed(spectrum, bandwidth), bandwidth)
    return SmoothEce(min(at_finest, most), finest)


def gaps(score: FloatArray, pos: CountArray, neg: CountArray) -> FloatArray:
    """Labels minus scores, summed at each score, as a share of all mass."""
    total = float(np.sum(pos) + np.sum(neg))
    return (pos * (1 - score) - neg * score) / (total or math.nan)


def gap_spectrum(score: FloatArray, gap: FloatArray, nodes: int) -> FloatArray:
    """The sums of ``gap * cos(pi * k * score)``, for k from 0 to `nodes`, by way of a grid."""
    grid = np.zeros(nodes + 1)
    for start in range(0, len(score), _BLOCK):
        place = score[start : start + _BLOCK] * nodes
        left = np.minimum(place.astype(np.intp), nodes - 1)
        for step in _NEIGHBOURS:
            node = np.abs(left + step)  # a cosine goes on evenly beyond 0 …
            node = nodes - np.abs(nodes - node)  # … and beyond 1
            share = _lagrange(place - left, step) * gap[start : start + _BLOCK]
            grid += np.bincount(node, share, minlength=nodes + 1)
    grid[1:-1] /= 2  # the transform counts the inner nodes twice
    return np.asarray(scipy.fft.dct(grid, type=1))


def smoothed(spectrum: FloatArray, bandwidth: float) -> float:
    """The error at a bandwidth.

    The integral of an absolute value is the total variation of the antiderivative. The antiderivative and the function
    are computed from the spectrum at nodes so close that cubic interpolation between them is accurate.
    """
    kept = min(len(spectrum), 1 + math.ceil(_DAMPED / (math.pi * bandwidth)))
    cells = int(scipy.fft.next_fast_len(max(math.ceil(_NODES_PER_BANDWIDTH / bandwidth), kept)))
    frequency = math.pi * np.arange(kept)
    damped = np.zeros(cells + 1)
    damped[:kept] = spectrum[:kept] * np.exp(-((frequency * bandwidth) ** 2) / 2)
    slope = np.asarray(scipy.fft.dct(damped, type=1)) / cells
    damped[1:kept] /= frequency[1:]
    waves = np.asarray(scipy.fft.dst(damped[1:-1], type=1))
    rise = damped[0] / cells + np.diff(waves, prepend=0.0, append=0.0)
    turns = np.flatnonzero(slope[:-1] * slope[1:] < 0)
    straight = float(np.sum(np.abs(rise))) - float(np.sum(np.abs(rise[turns])))
    return straight + float(np.sum(_up_and_down(rise[turns], slope[turns], slope[turns + 1])))


def _up_and_down(rise: FloatArray, first: FloatArray, last: FloatArray) -> FloatArray:
    """The total variation of cubics with one extremum, from their rise and their slopes at both ends of [0, 1]."""
    square, linear = 3 * (first + last - 2 * rise), 2 * (3 * rise - 2 * first - last)
    sign = np.sign(first)
    root = sign * np.sqrt(np.maximum(linear**2 - 4 * square * first, 0.0))
    # Of the two places where the slope vanishes, the one where it leaves its first sign; of the two ways to write it,
    # the one that adds numbers of the same sign.
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(sign * linear >= 0, (linear + root) / (-2 * square), 2 * first / (root - linear))
    peak = turn * (first + turn * (linear / 2 + turn * square / 3))
    return np.abs(peak) + np.abs(rise - peak)


def _fixed_point(spectrum: FloatArray, finest: float, at_finest: float) -> float:
    """The bandwidth that equals its error, which falls as the bandwidth grows."""
    from scipy.optimize import brentq

    low, high = max(finest, abs(float(spectrum[0]))), min(at_finest, 1.0)
    if low >= high or smoothed(spectrum, low) <= low:
        return low
    if smoothed(spectrum, high) >= high:
        return high
    return float(brentq(lambda bandwidth: smoothed(spectrum, bandwidth) - bandwidth, low, high, rtol=_CLOSE))


def _lagrange(place: FloatArray, node: int) -> FloatArray:
    """The share of a gap at `place`, between node 0 and node 1, that is assigned to `node`."""
    others = [other for other in _NEIGHBOURS if other != node]
    weight = np.full_like(place, 1 / math.prod(node - other for other in others))
    for other in others:
        weight *= place - other
    return weight
