"""Influence functions of areas: the derivative of an area with respect to the weight of a case.

An area depends on the recall of each corner and on the FPR at both ends of each piece of the ROC curve. More weight on
a case moves all corners after it, so its influence is a cumulative sum of derivatives, from the end of the curve. The
last recall is always 1, so the derivative with respect to it is 0.

Moving a corner along a straight piece changes only the range of the piece. So the derivative of an integral with
respect to the recall of a corner is the drop of the integrand across the gap after it plus, for each of the two pieces
that meet there, the derivative with respect to FPR times the slope. In this form all terms of a sum have the same sign,
and no digits are lost with a million short pieces, or at ``x = 1e9`` or ``x = 1e-9``.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import Counts, FloatArray
from baserate.formulas.steps import Steps

# Terms of the series of artanh for arguments up to 0.2: the last one is below 1e-16.
_SERIES_TERMS = 12
_SERIES_REACH = 0.2


class Influence(NamedTuple):
    """The influence of each case on an area, centred within each class.

    Corners are along the last axis; other axes are for many curves at once. If a curve has no positives at a corner,
    the value there is meaningless and is not used in any sum.
    """

    at_corner: FloatArray  # of a positive at each corner
    in_gap: FloatArray  # of a negative in the gap above each corner and, last, below all of them
    tied: FloatArray  # of a negative tied with each corner


class _Pieces(NamedTuple):
    """The corners as rates: the piece that leads to each, and the gap above it."""

    tpr: FloatArray  # where the piece ends
    fpr: FloatArray
    start_tpr: FloatArray  # where it begins
    start_fpr: FloatArray
    rise: FloatArray
    run: FloatArray
    gap: FloatArray  # share of the negatives in the gap above each corner, and below the last


class _Slopes(NamedTuple):
    """Derivatives of an area, with signs that make most of them positive."""

    by_tpr: FloatArray  # gain by recall of each corner but the last
    by_start: FloatArray  # loss by FPR where each piece begins
    by_end: FloatArray  # loss by FPR where each piece ends


def roc_auc(steps: Steps) -> Influence:
    """Influence function of the area under the ROC curve; ties count half."""
    pieces = _pieces(steps)
    half = np.full_like(pieces.rise, 0.5)
    return _influence(_of_integral(pieces, pieces.gap[..., 1:-1], half, half), pieces)


def average_precision(steps: Steps, x: float) -> Influence:
    """Influence function of average precision."""
    pieces = _pieces(steps)
    scaled = x * pieces.fpr
    alerts = pieces.tpr + scaled
    precision = _ratio(pieces.tpr, alerts)
    loss = x * pieces.rise * _ratio(precision, alerts)
    # The precision of the next corner is lower by what comes on in FPR and higher by what comes on in recall.
    false_per_alert = _ratio(scaled, alerts)
    onwards = x * precision[..., :-1] * (pieces.gap[..., 1:-1] + pieces.run[..., 1:])
    drop = _ratio(onwards - pieces.rise[..., 1:] * false_per_alert[..., :-1], alerts[..., 1:])
    own = pieces.rise * _ratio(false_per_alert, alerts)
    return _influence(_Slopes(drop + own[..., :-1], np.zeros_like(loss), loss), pieces)


def auc_pr(steps: Steps, x: float) -> Influence:
    """Influence function of the area under the PR curve, with a ROC curve that is straight between points.

    There is no case above a first piece that begins at (0, 0). There the influence would be infinite: negatives of
    weight ε reduce the area by the order of ``ε log(1/ε)``.
    """
    pieces = _pieces(steps)
    start, end = _precision_slopes(pieces, x)
    alerts = pieces.tpr + x * pieces.fpr
    precision = _ratio(pieces.tpr, alerts)
    behind_gap = pieces.start_tpr + x * pieces.start_fpr
    drop = _ratio(x * precision[..., :-1] * pieces.gap[..., 1:-1], behind_gap[..., 1:])
    return _influence(_of_integral(pieces, drop, start, end), pieces)


def auc_prg(steps: Steps, x: float) -> Influence:
    """Influence function of the area under precision gain over recall gain, from recall = prevalence on.

    It is the integral of ``(1 - FPR/TPR) / (x TPR²)`` over TPR. At a corner with recall equal to the prevalence the
    derivatives on both sides differ; their mean is used.
    """
    pieces = _pieces(steps)
    prevalence = 1 / (1 + x)
    outside, inside, counted = _around_prevalence(steps, pieces, x)
    low, high = np.maximum(pieces.start_tpr, prevalence), np.maximum(pieces.tpr, prevalence)
    start = inside * inside / (2 * x * low * low * high)
    end = inside * (1 / high + outside / low) / (2 * x * low * high)
    drop = counted[..., :-1] * pieces.gap[..., 1:-1] / (x * high[..., :-1] ** 3)
    return _influence(_of_integral(pieces, drop, start, end), pieces)


def best_f_beta(steps: Steps, x: float, beta: float) -> Influence:
    """Influence function of the highest F_beta: that of F_beta at the best corner."""
    pieces = _pieces(steps)
    square = beta * beta
    total = pieces.tpr + square + x * pieces.fpr
    best = np.argmax(pieces.tpr / total, axis=-1, keepdims=True)
    chosen = np.arange(pieces.tpr.shape[-1]) == best
    gain = np.where(chosen, (1 + square) * (square + x * pieces.fpr) / total**2, 0.0)
    loss = np.where(chosen, (1 + square) * x * pieces.tpr / total**2, 0.0)
    return _influence(_Slopes(gain[..., :-1], np.zeros_like(loss), loss), pieces)


def variance(influence: Influence, steps: Steps) -> FloatArray:
    """The variance of the area: the sum over classes of the mean squared influence divided by the class size."""
    squares = _mean_squares(influence, steps)
    return squares[0] / steps.n_pos + squares[1] / steps.n_neg


def delong_variance(steps: Steps) -> FloatArray:
    """DeLong's variance of the area under the ROC curve; nan where a class has one case."""
    squares = _mean_squares(roc_auc(steps), steps)
    freedom = [n - 1 if n > 1 else np.nan for n in (steps.n_pos, steps.n_neg)]
    return squares[0] / freedom[0] + squares[1] / freedom[1]


def _pieces(steps: Steps) -> _Pieces:
    tp, fp, pos, neg = (_floats(column) for column in steps[:4])
    n_pos, n_neg = steps.n_pos, steps.n_neg
    return _Pieces(
        tp / n_pos, fp / n_neg, (tp - pos) / n_pos, (fp - neg) / n_neg, pos / n_pos, neg / n_neg, _gaps(steps) / n_neg
    )


def _gaps(steps: Steps) -> FloatArray:
    """Negatives in the gap above each corner and, as the last entry, below all corners."""
    fp, neg = _floats(steps.fp), _floats(steps.neg)
    none, everything = np.zeros_like(fp[..., :1]), np.full_like(fp[..., :1], steps.n_neg)
    before, after = np.concatenate([none, fp], axis=-1), np.concatenate([fp - neg, everything], axis=-1)
    between: FloatArray = after - before
    return between


def _of_integral(pieces: _Pieces, drop: FloatArray, start: FloatArray, end: FloatArray) -> _Slopes:
    """The derivatives of an integral over recall.

    `drop` is the drop of the integrand across the gap after each corner but the last. `start` and `end` are minus the
    derivatives with respect to FPR at both ends of each piece, per rise of the piece.
    """
    by_tpr = drop + _product(pieces.run[..., :-1], end[..., :-1]) + _product(pieces.run[..., 1:], start[..., 1:])
    return _Slopes(by_tpr, _product(pieces.rise, start), _product(pieces.rise, end))


def _precision_slopes(pieces: _Pieces, x: float) -> tuple[FloatArray, FloatArray]:
    r"""Minus the derivatives of the area under precision with respect to FPR at both ends of each piece, per rise.

    With ``T`` and ``D = T + x F`` going straight from start to end, ``s`` from 0 to 1, these are the integrals
    of ``x (1 - s) T/D²`` and of ``x s T/D²``. With ``r = (D1 - D0)/(D1 + D0)`` and ``q = (artanh(r)/r - 1)/r²``
    the integrals of ``(1 - s)², s (1 - s), s²`` over ``D²`` are ``(1 + r)(p - q), q, (1 - r)(p - q)`` over
    ``(D0 + D1)²/2``, where ``p = 1/(1 - r²)``.
    """
    begin, growth = pieces.start_tpr + x * pieces.start_fpr, pieces.rise + x * pieces.run
    twice_mean = 2 * begin + growth
    r, rest = _ratio(growth, twice_mean), _ratio(2 * begin, twice_mean)
    q = _atanh_excess(r, rest)
    early = pieces.start_tpr * (_ratio(np.ones_like(r), rest) - (1 + r) * q)
    late = pieces.tpr * (1 / (1 + r) - rest * q)
    start = _ratio(_ratio(2 * x * (early + pieces.tpr * q), twice_mean), twice_mean)
    end = _ratio(_ratio(2 * x * (late + pieces.start_tpr * q), twice_mean), twice_mean)
    return np.where(begin > 0, start, np.inf), end


def _around_prevalence(steps: Steps, pieces: _Pieces, x: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The shares of each piece below and above recall = prevalence, and whether its end is above: 0, 1/2 or 1."""
    if x >= 1:
        before, behind = 1 / (1 + x) - pieces.start_tpr, pieces.tpr - 1 / (1 + x)
    else:  # two small complements differ exactly where two recalls next to 1 would not
        missed, rest = (steps.n_pos - _floats(steps.tp)) / steps.n_pos, x / (1 + x)
        before, behind = missed + pieces.rise - rest, rest - missed
    counted = np.heaviside(behind, 0.5)
    rises = pieces.rise > 0
    outside, inside = (_ratio(np.clip(part, 0.0, pieces.rise), pieces.rise) for part in (before, behind))
    return np.where(rises, outside, 1 - counted), np.where(rises, inside, counted), counted


def _atanh_excess(r: FloatArray, rest: FloatArray) -> FloatArray:
    """``(artanh(r)/r - 1)/r² = 1/3 + r²/5 + r⁴/7 + …`` with ``rest = 1 - r``; arbitrary for r = 1."""
    square = np.minimum(r, _SERIES_REACH) ** 2
    excess = np.full_like(r, 1 / (2 * _SERIES_TERMS + 1))
    for k in range(_SERIES_TERMS - 1, 0, -1):
        excess *= square
        excess += 1 / (2 * k + 1)
    far = (r > _SERIES_REACH) & (rest > 0)
    distant = r[far]
    excess[far] = (np.log((1 + distant) / rest[far]) / (2 * distant) - 1) / distant**2
    return excess


def _influence(slopes: _Slopes, pieces: _Pieces) -> Influence:
    """Sum the derivatives after each case, and centre the sums."""
    corners = pieces.rise.shape[-1]
    gain = _sums_from_here(slopes.by_tpr)
    behind = _sums_from_here(slopes.by_start + slopes.by_end)
    losses = np.concatenate([behind, behind[..., 1:] + slopes.by_end], axis=-1)
    answers = -_centred(losses, np.concatenate([pieces.gap, pieces.run], axis=-1))
    return Influence(_centred(gain, pieces.rise), answers[..., : corners + 1], answers[..., corners + 1 :])


def _sums_from_here(slopes: FloatArray) -> FloatArray:
    """The sum of each entry and all after it, with a 0 at the end."""
    sums = np.cumsum(slopes[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([sums, np.zeros_like(sums, shape=(*sums.shape[:-1], 1))], axis=-1)


def _centred(values: FloatArray, share: FloatArray) -> FloatArray:
    """The values minus their mean, computed from their minimum, so that equal values become exactly 0."""
    there = share > 0
    least = np.min(values, axis=-1, keepdims=True, where=there, initial=np.inf)
    above: FloatArray = values - least
    above -= _product(share, above).sum(axis=-1, keepdims=True)
    return above


def _mean_squares(influence: Influence, steps: Steps) -> tuple[FloatArray, FloatArray]:
    """The mean square of the influence over the positives and over the negatives."""
    pos, neg = _floats(steps.pos), _floats(steps.neg)
    of_pos = _product(pos, influence.at_corner**2).sum(axis=-1)
    in_gap = _product(_gaps(steps), influence.in_gap**2).sum(axis=-1)
    tied = _product(neg, influence.tied**2).sum(axis=-1)
    return of_pos / steps.n_pos, (in_gap + tied) / steps.n_neg


def _product(share: FloatArray, values: FloatArray) -> FloatArray:
    """Share times value; 0 if the share is 0, even for an infinite value."""
    return np.multiply(share, values, out=np.zeros_like(values), where=share > 0)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """A quotient; 0 if the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator != 0)


def _floats(column: Counts) -> FloatArray:
    return column.astype(np.float64, copy=False)
