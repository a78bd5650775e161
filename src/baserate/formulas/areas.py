"""Areas under a curve for many ``x`` at once.

Each function takes the corners of a curve and an array of ``x`` and returns one area per ``x``, in the last axis;
axes in front of the corners stay in front. Sums have terms of one sign, so that no digits are lost at ``x = 1e9`` or
``x = 1e-9``. `deficit` gives 1 minus the area, the area above the curve, without subtraction.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.formulas import many_odds
from baserate.formulas.exact import Twofold, difference
from baserate.formulas.hull import upper_hull
from baserate.formulas.steps import Segments, Steps, as_floats, blocks, parts, per_rise, segments

# Terms of the series of artanh for arguments up to 0.2: the last one is below 1e-17.
_SERIES_TERMS = 12
_SERIES_REACH = 0.2

# What the way from a prevalence to x and back costs at most, relatively.
_ROUNDING = 4 * np.finfo(np.float64).eps

# Numbers in a table of thresholds and x that are worked on together.
_AT_ONCE = 1 << 16

# Less than any share of rows.
_LEAST = 1e-200

# Beyond this the start of a piece no longer matters; its logarithm still has a float.
_LARGEST = 1e300


@dataclass(frozen=True)
class Corners:
    """Many curves at once, with one row of corners each."""

    steps: Steps
    atoms: BoolArray | None  # corners where the score is discrete; None for data as they are, with steps everywhere
    n_pos: float
    n_neg: float
    quick: ClassVar[bool] = False  # whether ten digits will do
    _areas: dict[tuple[bytes, float, float, bool], FloatArray] = field(default_factory=dict, init=False, repr=False)

    @property
    def table(self) -> "Corners":
        """The curves themselves."""
        return self

    @property
    def merged_steps(self) -> Steps:
        """All corners, because vertical pieces differ from curve to curve."""
        return self.steps

    @property
    def whole_steps(self) -> Steps | None:
        """None: drawn curves do not need the extra accuracy."""
        return None

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """Average precision for each x, in the last axis."""
        if self.atoms is not None and not self.atoms.any():  # without steps the two areas are one
            return self.auc_pr(x, low, high, deficit=deficit)
        return average_precision(self.steps, x, low, high, atoms=self.atoms, deficit=deficit, quick=self.quick)

    def auc_pr(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        """Area under the PR curve for each x, in the last axis; cached, because several metrics use it."""
        asked = x.tobytes(), low, high, deficit
        if asked not in self._areas:
            self._areas[asked] = auc_pr(self.steps, x, low, high, deficit=deficit, quick=self.quick)
        return self._areas[asked]


def roc_auc(steps: Steps, max_fpr: float) -> FloatArray:
    """Area under the ROC curve up to `max_fpr`, as the mean of ``max_fpr - FPR`` over TPR."""
    total = np.zeros(steps.tp.shape[:-1])
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
        total += np.vecdot(s.rise, inside)
    return total


def average_precision(
    steps: Steps,
    x: FloatArray,
    low: float,
    high: float,
    *,
    atoms: BoolArray | None = None,
    deficit: bool = False,
    quick: bool = False,
) -> FloatArray:
    """Average precision: each rise in recall times the precision at its end, summed over corners with recall in [low,
    high].

    Where `atoms` is False the score is continuous, so a population has no steps there; the rise is then spread along
    the straight piece that ends at the corner.
    """
    if atoms is None or atoms.all():
        return _stepped(steps, x, low, high, deficit=deficit)
    if not atoms.any():
        return auc_pr(steps, x, low, high, deficit=deficit, quick=quick)
    stepped = _stepped(steps.each(lambda column: column[..., atoms]), x, low, high, deficit=deficit)
    spread = steps.each(lambda column: column[..., ~atoms])
    return stepped + auc_pr(spread, x, low, high, deficit=deficit, quick=quick)


def _stepped(steps: Steps, x: FloatArray, low: float, high: float, *, deficit: bool) -> FloatArray:
    if steps.tp.ndim == 1 and not deficit and many_odds.is_worth_it(len(x), len(steps.tp)):
        rises, ratios = zip(*(_rise_and_ratio(block, low, high) for block in blocks(steps)), strict=True)
        return many_odds.summed(np.concatenate(rises), np.concatenate(ratios), x)
    if steps.tp.ndim == 1 and not deficit and (low, high) == (0.0, 1.0):
        return _stepped_by_counts(steps, x)
    total = np.zeros((*steps.tp.shape[:-1], len(x)))
    for block in blocks(steps):
        rise, false_per_true = _rise_and_ratio(block, low, high)
        for j, x_j in enumerate(x):
            scaled = x_j * false_per_true
            total[..., j] += np.vecdot(rise, scaled / (1 + scaled) if deficit else 1 / (1 + scaled))
    return total


def _stepped_by_counts(steps: Steps, x: FloatArray) -> FloatArray:
    """Average precision of one curve over all recalls, with one division for each corner."""
    per_negative = x * (steps.n_pos / steps.n_neg)
    total = np.zeros(len(x))
    alone = bool(np.all(steps.pos == 1))  # then there is nothing to multiply by
    for rows in parts(steps):
        tp, fp = as_floats(steps.tp, rows), as_floats(steps.fp, rows)
        for j, weight in enumerate(per_negative):
            alerts = weight * fp
            alerts += tp
            precision = np.divide(tp, alerts, out=alerts)
            total[j] += precision.sum() if alone else np.vecdot(as_floats(steps.pos, rows), precision)
    return total / steps.n_pos


def _rise_and_ratio(block: Steps, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """The rise in recall within [low, high] that ends at each corner, and FPR / TPR there."""
    tp, fp, pos, _, n_pos, n_neg = block
    rise = pos / n_pos
    if (low, high) != (0.0, 1.0):
        rise = np.maximum(np.minimum(tp / n_pos, high) - np.maximum((tp - pos) / n_pos, low), 0.0)
    return rise, per_rise(fp / n_neg, tp / n_pos)


def auc_pr(
    steps: Steps, x: FloatArray, low: float, high: float, *, deficit: bool = False, quick: bool = False
) -> FloatArray:
    """Area under the PR curve; the ROC curve is straight between its points. With `quick`, to ten digits."""
    if steps.tp.ndim == 1 and not deficit and many_odds.is_worth_it(len(x), len(steps.tp)):
        return _auc_pr_of_many_odds(steps, x, low, high)
    total = np.zeros((*steps.tp.shape[:-1], len(x)))
    for block in blocks(steps):
        pieces = segments(block, low, high)
        if quick and not deficit:
            total += _areas_of_many(pieces, x)
            continue
        for j, x_j in enumerate(x):
            total[..., j] += segment_area(pieces, x_j, deficit=deficit)
    return total


def _auc_pr_of_many_odds(steps: Steps, x: FloatArray, low: float, high: float) -> FloatArray:
    """Area under one PR curve for many x: short pieces are summed together, the few long ones each by itself."""
    short, long = [], []
    for block in blocks(steps):
        pieces = segments(block, low, high)
        is_short = many_odds.short_pieces(pieces)
        short.append([column[is_short] for column in pieces])
        long.append([column[~is_short] for column in pieces])
    short_pieces, long_pieces = (Segments(*map(np.concatenate, zip(*parts, strict=True))) for parts in (short, long))
    at_once = max(1, _AT_ONCE // max(len(long_pieces.rise), 1))
    some = (x[start : start + at_once, np.newaxis] for start in range(0, len(x), at_once))
    of_long = np.concatenate([segment_area(long_pieces, x_j) for x_j in some])
    return many_odds.area_of_short_pieces(short_pieces, x) + np.asarray(of_long, np.float64)


def _areas_of_many(s: Segments, x: FloatArray) -> FloatArray:
    """The areas of `segment_area` for many curves at once, faster but to ten digits only, which is enough for draws.

    A piece has the area ``rise/c + x log1p(z) (T0 slope - F0)/c²``. The bracket is its curvature, positive if the piece
    has more negatives per positive than all before it.
    """
    slope = per_rise(s.run, s.rise)
    bend = s.tpr * slope - s.fpr
    start = np.maximum(s.tpr, _LEAST)  # a piece from the origin has no bend, and divides by nothing
    areas = np.empty((*s.rise.shape[:-1], len(x)))
    for j, x_j in enumerate(x):
        over_c = x_j * slope
        over_c += 1
        np.reciprocal(over_c, out=over_c)
        z = x_j * s.fpr
        z += start
        z *= over_c
        np.divide(s.rise, z, out=z)
        np.log1p(z, out=z)
        z *= over_c
        z *= over_c
        areas[..., j] = np.vecdot(s.rise, over_c) + x_j * np.vecdot(bend, z)
    return areas


def segment_area(s: Segments, x: float | FloatArray, *, deficit: bool = False) -> FloatArray:
    r"""Area under precision over recall along straight pieces of a ROC curve; for a column of x, one of each.

    On a piece, precision is ``(T0 + t) / (D0 + c t)`` with ``D0 = T0 + x F0`` and ``c = 1 + x run/rise``. Its
    mean over ``0 <= t <= rise`` is ``g T0/D0 + (1 - g)/c`` with ``g = log1p(z)/z, z = c rise/D0``: a weighted mean of
    the precision at the start of the piece and of its limit, without any difference.
    """
    scaled_slope = x * per_rise(s.run, s.rise)
    scaled_start = x * s.fpr
    base = s.tpr + scaled_start
    c = 1 + scaled_slope
    from_origin = base == 0  # such a piece has the precision it tends to all along
    base[from_origin] = 1.0
    with np.errstate(over="ignore"):
        z = np.minimum(c * s.rise / base, _LARGEST)
    g, rest = log_weights(z)
    g[from_origin], rest[from_origin] = 0.0, 1.0
    begins, tends_to = (scaled_start / base, scaled_slope / c) if deficit else (s.tpr / base, 1 / c)
    return np.asarray(np.vecdot(s.rise, g * begins + rest * tends_to), np.float64)


def log_weights(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``log1p(z)/z`` and ``1 - log1p(z)/z``, both to full relative precision.

    With ``r = z/(2 + z)`` and ``s = r²/3 + r⁴/5 + …`` they are ``(1 - r)(1 + s)`` and ``r - s + r s``.
    """
    r = z / (2 + z)
    if r.max(initial=0.0) <= _SERIES_REACH:
        return _log_weights_by_series(r)
    small = r <= _SERIES_REACH
    g = np.log1p(z) / np.where(small, 1.0, z)
    rest = 1 - g
    g[small], rest[small] = _log_weights_by_series(r[small])
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

    In ``u = 1/recall`` the recall gain is linear and the precision gain piecewise linear, so the area is an integral in
    u whose integrand does not depend on the prevalence, up to ``u = 1/prevalence``, divided by x.
    """
    prevalence, complement = 1 / (1 + x), x / (1 + x)
    start = np.maximum(prevalence, low)
    rest = np.where(prevalence < low, 1 - low, complement)
    ends = np.append(start, high), np.append(rest, 1 - high)
    gain_area = _precision_gain_area(steps, *ends)
    return np.where(start < high * (1 - _ROUNDING), (gain_area[..., :-1] - gain_area[..., -1:]) / x, 0.0)


def _precision_gain_area(steps: Steps, recall: FloatArray, complement: FloatArray) -> FloatArray:
    """The integral of precision gain over u from each recall up to recall 1."""
    whole = np.concatenate([_precision_gain_of_pieces(block) for block in blocks(steps)], axis=-1)
    # after[k] is the area of all pieces behind piece k; long doubles keep a million terms exact enough.
    behind = np.cumsum(whole[..., :0:-1], axis=-1, dtype=np.longdouble)[..., ::-1].astype(np.float64)
    after = np.concatenate([behind, np.zeros_like(whole[..., :1])], axis=-1)

    k = np.minimum(_first_reaching(recall, steps.tp / steps.n_pos), whole.shape[-1] - 1)
    tp, fp, pos, neg, n_pos, n_neg = steps.each(lambda column: np.take_along_axis(column, k, -1).astype(np.float64))
    # Two small complements differ exactly where two recalls next to 1 would not.
    high = recall > 0.5
    risen = np.where(high, (n_pos - (tp - pos)) / n_pos - complement, recall - (tp - pos) / n_pos)
    rise = np.where(high, complement - (n_pos - tp) / n_pos, tp / n_pos - recall)
    # Along a piece TPR - FPR is straight, and the share of it that is behind and before adds up.
    begins, ends = _tpr_less_fpr(tp - pos, fp - neg, n_pos, n_neg), _tpr_less_fpr(tp, fp, n_pos, n_neg)
    here, end_tpr = per_rise(begins * rise + ends * risen, pos / n_pos), tp / n_pos
    gain = (here / recall + ends / end_tpr) / 2
    rest: FloatArray = np.take_along_axis(after, k, -1)
    return rise / (recall * end_tpr) * gain + rest


def _tpr_less_fpr(tp: FloatArray, fp: FloatArray, n_pos: float, n_neg: float) -> FloatArray:
    """TPR - FPR, accurate near chance."""
    return difference(tp, Twofold(float(n_neg)), fp, Twofold(float(n_pos))) / (float(n_pos) * float(n_neg))


def _first_reaching(recall: FloatArray, tpr: FloatArray) -> Indices:
    """The first corner of each curve whose TPR reaches each recall."""
    if tpr.ndim == 1:
        return np.searchsorted(tpr, recall).astype(np.intp, copy=False)
    firsts: list[Indices] = [(tpr < wanted).sum(axis=-1) for wanted in recall]
    return np.stack(firsts, axis=-1)


def _precision_gain_of_pieces(block: Steps) -> FloatArray:
    """The integral of precision gain over u along each piece; infinite or nan for a piece that begins at recall 0."""
    tp, fp, pos, neg, n_pos, n_neg = block
    begins, ends = _tpr_less_fpr(tp - pos, fp - neg, n_pos, n_neg), _tpr_less_fpr(tp, fp, n_pos, n_neg)
    tpr, end, rise = (tp - pos) / n_pos, tp / n_pos, pos / n_pos
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = (begins / tpr + ends / end) / 2
        return rise / (tpr * end) * gain


def best_f_beta(steps: Steps, x: FloatArray, beta: float, low: float, high: float) -> FloatArray:
    """The highest F_beta of any threshold with recall in [low, high]; nan if there is none.

    F_beta is a ratio of linear functions of (FPR, TPR), so its maximum lies on the convex hull of the ROC
    curve; many x share one hull.
    """
    if steps.tp.ndim == 1 and len(x) > 1:
        tpr = steps.tp / steps.n_pos
        allowed = np.flatnonzero((tpr >= low) & (tpr <= high))
        vertices = allowed[upper_hull(steps.fp[allowed], steps.tp[allowed])]
        steps = steps.each(lambda column: column[vertices])
    square = beta * beta
    if steps.tp.ndim > 1 and (low, high) == (0.0, 1.0):
        return _best_of_many(steps, x, square)
    best = np.full((*steps.tp.shape[:-1], len(x)), np.nan)
    for tp, fp, _, _, n_pos, n_neg in blocks(steps):
        tpr, fpr = tp / n_pos, fp / n_neg
        reached = np.where((tpr >= low) & (tpr <= high), (1 + square) * tpr, np.nan)
        at_once = max(1, _AT_ONCE // max(tpr.size, 1))
        for start in range(0, len(x), at_once):
            some = slice(start, start + at_once)
            values = reached[..., np.newaxis, :] / (
                (tpr + square)[..., np.newaxis, :] + x[some, np.newaxis] * fpr[..., np.newaxis, :]
            )
            best[..., some] = np.fmax(best[..., some], np.fmax.reduce(values, axis=-1))
    return best


def _best_of_many(steps: Steps, x: FloatArray, square: float) -> FloatArray:
    """The highest F_beta of each of many curves, from the lowest ``(beta² + x FPR)/TPR``."""
    tpr = steps.tp / steps.n_pos
    false_per_true = per_rise(steps.fp / steps.n_neg, tpr)
    with np.errstate(divide="ignore"):
        missed_per_true = square / tpr
    lowest = np.empty((*tpr.shape[:-1], len(x)))
    for j, x_j in enumerate(x):
        per_true = x_j * false_per_true
        per_true += missed_per_true
        lowest[..., j] = per_true.min(axis=-1)
    return (1 + square) / (1 + lowest)
