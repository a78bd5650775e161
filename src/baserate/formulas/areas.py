"""Areas under a curve for many ``x`` at once.

Each function takes the corners of a curve and an array of ``x`` and returns one area per ``x``. The sums run
over terms of one sign, so that neither ``x = 1e9`` nor ``x = 1e-9`` costs a digit; where a value next to 1 is
to be subtracted from 1, ask for the `deficit` (the area above the curve) instead.
"""

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.hull import upper_hull
from baserate.formulas.steps import Segments, Steps, blocks, segments

# Terms of the series of artanh for arguments up to 0.2: the last one is below 1e-17.
_SERIES_TERMS = 12
_SERIES_REACH = 0.2


def roc_auc(steps: Steps, max_fpr: float) -> float:
    """Area under the ROC curve up to `max_fpr`: seen from the TPR axis, the mean of ``max_fpr - FPR``."""
    total = 0.0
    for block in blocks(steps):
        s = segments(block, 0.0, 1.0)
        left, right = max_fpr - s.fpr, max_fpr - (s.fpr + s.run)
        if max_fpr == 1.0:
            right = (steps.n_neg - block.fp) / steps.n_neg
            left = right + s.run
        trapezoid = (left + right) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            triangle = left * left / (2 * s.run)
        inside = np.where(right >= 0, trapezoid, np.where(left > 0, triangle, 0.0))
        total += float(s.rise @ inside)
    return total


def average_precision(steps: Steps, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
    """Rise in recall times the precision at its end, summed over the corners with recall in [low, high]."""
    total = np.zeros(len(x))
    for tp, fp, pos, _, n_pos, n_neg in blocks(steps):
        rise = pos / n_pos
        if (low, high) != (0.0, 1.0):
            rise = np.maximum(np.minimum(tp / n_pos, high) - np.maximum((tp - pos) / n_pos, low), 0.0)
        false_per_true = (fp / n_neg) / (tp / n_pos)
        for j, x_j in enumerate(x):
            scaled = x_j * false_per_true
            total[j] += rise @ (scaled / (1 + scaled) if deficit else 1 / (1 + scaled))
    return total


def auc_pr(steps: Steps, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
    """Area under the PR curve, exact for a ROC curve that is straight between its points."""
    total = np.zeros(len(x))
    for block in blocks(steps):
        pieces = segments(block, low, high)
        if len(pieces.rise) == 0:
            continue
        for j, x_j in enumerate(x):
            total[j] += segment_area(pieces, x_j, deficit=deficit)
    return total


def segment_area(s: Segments, x: float, *, deficit: bool = False) -> float:
    r"""Area under precision over recall along straight pieces of a ROC curve.

    On a piece, precision is ``(T0 + t) / (D0 + c t)`` with ``D0 = T0 + x F0`` and ``c = 1 + x run/rise``. Its
    mean over ``0 <= t <= rise`` is ``g T0/D0 + (1 - g)/c`` with ``g = log1p(z)/z, z = c rise/D0``: a weighted
    mean of the precision where the piece begins and of the precision it tends to, never a difference.
    """
    if s.tpr[0] == 0 and s.fpr[0] == 0:
        return _area_from_origin(s, x, deficit=deficit)
    scaled_slope = x * (s.run / s.rise)
    scaled_start = x * s.fpr
    base = s.tpr + scaled_start
    c = 1 + scaled_slope
    g, rest = _log_weights(c * s.rise / base)
    begins, tends_to = (scaled_start / base, scaled_slope / c) if deficit else (s.tpr / base, 1 / c)
    return float(s.rise @ (g * begins + rest * tends_to))


def _area_from_origin(s: Segments, x: float, *, deficit: bool) -> float:
    """The piece that begins at (0, 0) has one precision all along; the others as usual."""
    false_per_true = x * float(s.run[0] / s.rise[0])
    share = false_per_true / (1 + false_per_true) if deficit else 1 / (1 + false_per_true)
    first = float(s.rise[0]) * share
    others = Segments(*(column[1:] for column in s))
    return first + (segment_area(others, x, deficit=deficit) if len(others.rise) else 0.0)


def _log_weights(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``log1p(z)/z`` and 1 minus that, both to full relative precision.

    With ``r = z/(2 + z)`` and ``s = r²/3 + r⁴/5 + …`` they are ``(1 - r)(1 + s)`` and ``r - s + r s``.
    """
    r = z / (2 + z)
    if r.max() <= _SERIES_REACH:
        return _log_weights_by_series(r)
    g = np.log1p(z) / z
    rest = 1 - g
    small = r <= _SERIES_REACH
    rest[small] = _log_weights_by_series(r[small])[1]
    return g, rest


def _log_weights_by_series(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    square = r * r
    largest = float(square.max(initial=0.0))
    terms = _SERIES_TERMS if largest > 1e-4 else 4  # 1e-4**4/11 is below 1e-17 too
    s = np.full_like(r, 1 / (2 * terms + 1))
    for k in range(terms - 1, 0, -1):
        s *= square
        s += 1 / (2 * k + 1)
    s *= square
    return (1 - r) * (1 + s), r - s + r * s


def auc_prg(steps: Steps, x: FloatArray, low: float, high: float) -> FloatArray:
    """Area under precision gain over recall gain, from recall gain 0 (recall = prevalence) on.

    In ``u = 1/recall`` the recall gain is linear and the precision gain piecewise linear, so the area is an
    integral in u that does not know the prevalence, cut at ``u = 1/prevalence`` and divided by x.
    """
    prevalence, complement = 1 / (1 + x), x / (1 + x)
    curve = _PrecisionGainArea(steps)
    start_above_range = prevalence < low
    start = np.where(start_above_range, low, prevalence)
    rest = np.where(start_above_range, 1 - low, complement)
    area = (curve.from_recall(start, rest) - curve.from_recall(np.array([high]), np.array([1 - high]))) / x
    return np.where(start < high, area, 0.0)


class _PrecisionGainArea:
    """The integral of precision gain over u from a recall up to recall 1, for any number of recalls."""

    def __init__(self, steps: Steps) -> None:
        tp, fp, pos, neg = (np.asarray(column, np.float64) for column in steps[:4])
        self.tpr, self.fnr = tp / steps.n_pos, (steps.n_pos - tp) / steps.n_pos
        self.fpr = fp / steps.n_neg
        self.slope = (neg / steps.n_neg) / (pos / steps.n_pos)
        self.start_tpr, self.start_fnr = (tp - pos) / steps.n_pos, (steps.n_pos - (tp - pos)) / steps.n_pos
        self.start_fpr = (fp - neg) / steps.n_neg
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = 1 - (self.start_fpr / self.start_tpr + self.fpr / self.tpr) / 2
            area = (pos / steps.n_pos) / (self.start_tpr * self.tpr) * gain
        # after[k] is the area of all pieces behind piece k; long doubles keep a million terms exact enough.
        behind = np.cumsum(area[:0:-1], dtype=np.longdouble).astype(np.float64)
        self.after = np.concatenate([behind[::-1], [0.0]])

    def from_recall(self, recall: FloatArray, complement: FloatArray) -> FloatArray:
        k = np.minimum(np.searchsorted(self.tpr, recall), len(self.tpr) - 1)
        end = self.tpr[k]
        # Two small complements differ exactly where two recalls next to 1 would not.
        high = recall > 0.5
        risen = np.where(high, self.start_fnr[k] - complement, recall - self.start_tpr[k])
        rise = np.where(high, complement - self.fnr[k], end - recall)
        fpr = self.start_fpr[k] + self.slope[k] * risen
        gain = 1 - (fpr / recall + self.fpr[k] / end) / 2
        partial: FloatArray = rise / (recall * end) * gain + self.after[k]
        return partial


def best_f_beta(steps: Steps, x: FloatArray, beta: float, low: float, high: float) -> FloatArray:
    """The highest F_beta of any threshold with recall in [low, high]; nan if there is none.

    F_beta is a ratio of linear functions of (FPR, TPR), so its maximum lies on the convex hull of the ROC
    curve; many x share one hull.
    """
    tpr, fpr = steps.tp / steps.n_pos, steps.fp / steps.n_neg
    inside = (tpr >= low) & (tpr <= high)
    if not inside.any():
        return np.full(len(x), np.nan)
    if not inside.all():
        steps = steps.each(lambda column: column[inside])
        tpr, fpr = tpr[inside], fpr[inside]
    if len(x) > 1:
        vertices = upper_hull(steps.fp, steps.tp)
        tpr, fpr = tpr[vertices], fpr[vertices]
    square = beta * beta
    return np.array([np.max((1 + square) * tpr / (tpr + square + x_j * fpr)) for x_j in x])
