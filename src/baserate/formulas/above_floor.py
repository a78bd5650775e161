"""An area minus its floor, accurate also if the two are nearly equal.

The floor is the area if all negatives are ranked first. The excess is a sum of terms of one sign: at recall T,
precision exceeds the floor by ``x T (1 - F) / ((T + x F)(T + x))``.
"""

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.areas import log_weights, segment_area
from baserate.formulas.steps import Segments, Steps, blocks, per_rise, segments

# Nodes of Gauss's rule on a part of a piece along which T + x grows by no more than a factor e.
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(20)

# Terms of a sum that are added one by one before the Euler-Maclaurin formula takes over.
_HEAD = 64


def auc_pr_above_floor(steps: Steps, x: float, low: float, high: float) -> float:
    """AUC-PR of one curve minus its floor."""
    return sum(_of_block(block, x, low, high) for block in blocks(steps))


def _of_block(block: Steps, x: float, low: float, high: float) -> float:
    pieces = segments(block, low, high)
    slope = per_rise(pieces.run, pieces.rise)
    cut_off = np.maximum(block.tp / block.n_pos - (pieces.tpr + pieces.rise), 0.0)
    spared = (block.n_neg - block.fp) / block.n_neg + slope * cut_off  # 1 - FPR where a piece ends
    kept = np.flatnonzero(pieces.rise > 0)
    parts, spared = _in_parts(Segments(*(column[kept] for column in pieces)), spared[kept], x)
    # Where precision is at least twice the floor, a difference is as good.
    steep = x * (spared + parts.run) >= (parts.tpr + x) / 2
    flat = Segments(*(column[~steep] for column in parts))
    parts = Segments(*(column[steep] for column in parts))
    floor = Segments(parts.tpr, np.ones_like(parts.fpr), parts.rise, np.zeros_like(parts.run))
    return float(segment_area(parts, x) - segment_area(floor, x)) + _by_quadrature(flat, spared[~steep], x)


def _in_parts(pieces: Segments, spared: FloatArray, x: float) -> tuple[Segments, FloatArray]:
    """Cut pieces along which ``T + x`` grows by more than a factor e; returns them with 1 - FPR at the end of each."""
    base = pieces.tpr + x
    length = np.log1p(pieces.rise / base)
    count = np.maximum(np.ceil(length), 1).astype(np.intp)
    if (count == 1).all():
        return pieces, spared
    of = np.repeat(np.arange(len(count)), count)
    which = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    begins, ends = (base[of] * np.expm1(length[of] * (which + k) / count[of]) for k in (0, 1))
    slope = per_rise(pieces.run, pieces.rise)[of]
    parts = Segments(pieces.tpr[of] + begins, pieces.fpr[of] + slope * begins, ends - begins, slope * (ends - begins))
    return parts, spared[of] + slope * np.maximum(pieces.rise[of] - ends, 0.0)


def _by_quadrature(pieces: Segments, spared: FloatArray, x: float) -> float:
    """Gauss's rule in ``log(T + x)``, in which the integrand is smooth."""
    length = np.log1p(pieces.rise / (pieces.tpr + x))
    slope, total = per_rise(pieces.run, pieces.rise), 0.0
    for place, weight in zip(_PLACES, _WEIGHTS, strict=True):
        risen = (pieces.tpr + x) * np.expm1(length * (1 + place) / 2)
        tpr, fpr = pieces.tpr + risen, pieces.fpr + slope * risen
        negatives = spared + slope * (pieces.rise - risen)
        total += weight / 2 * float(np.vecdot(length, tpr * negatives / (tpr + x * fpr)))
    return x * total


def average_precision_above_floor(steps: Steps, x: float) -> float:
    """Average precision of one curve minus its floor; corners must hold whole numbers of positives.

    A corner with m positives, the last of which is the i-th, adds m times its precision minus the sum of ``j / (j +
    a)`` for j from ``i - m + 1`` to i, with ``a = x n_pos``. It has one part for the negatives below it, and one for
    its ties.
    """
    total, a = 0.0, x * steps.n_pos
    for tp, fp, pos, _, _, n_neg in blocks(steps):
        false_alerts, spared = a * (fp / n_neg), a * ((n_neg - fp) / n_neg)
        above = pos * (tp * spared / ((tp + false_alerts) * (tp + a)))
        total += float(np.sum(above)) + float(np.sum(a / (tp + a) * _of_ties(tp, pos, a)))
    return total / steps.n_pos


def _of_ties(last: FloatArray, size: FloatArray, a: float) -> FloatArray:
    """The sum of ``(last - j) / (j + a)`` over the `size` whole numbers j up to `last`."""
    total = np.zeros_like(last)
    tied = np.flatnonzero(size > 1)
    last, size = last[tied], size[tied]
    for k in range(1, _HEAD + 1):
        j = np.minimum(last - size + k, last)  # beyond the last one, terms are 0
        total[tied] += (last - j) / (j + a)
    far = size > _HEAD
    total[tied[far]] += _euler_maclaurin(last[far], last[far] - size[far] + _HEAD, a)
    return total


def _euler_maclaurin(last: FloatArray, first: FloatArray, a: float) -> FloatArray:
    """The sum of ``(last - j) / (j + a)`` over the whole numbers j above `first`: the integral, and corrections."""
    start, end = first + a, last + a
    z = (last - first) / start
    _, rest = log_weights(z)
    integral = (last - first) * (z - rest * (1 + z))
    bend = end / start**2 - end / end**2
    curl = end / start**4 - end / end**4
    return integral - (last - first) / start / 2 + bend / 12 - curl / 120
