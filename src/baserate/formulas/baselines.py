"""The floor and the chance level of areas: those of the worst and of a random order."""

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.areas import segment_area
from baserate.formulas.steps import Segments

# Terms of a sum that are added one by one before the Euler-Maclaurin formula takes over.
_HEAD = 64


def min_auc_pr(x: float, low: float, high: float, *, deficit: bool = False) -> float:
    """The lowest possible area under the PR curve: all negatives are ranked first, so FPR is 1 throughout."""
    floor = Segments(np.array([low]), np.ones(1), np.array([high - low]), np.zeros(1))
    return float(segment_area(floor, x, deficit=deficit))


def min_average_precision(n_pos: float, x: float, *, deficit: bool = False) -> float:
    """The lowest possible average precision: the mean of ``i / (i + a)`` over i = 1..n_pos with ``a = x n_pos``."""
    a = x * n_pos
    head = np.arange(1, min(n_pos, _HEAD) + 1)
    total = float(np.sum((a if deficit else head) / (head + a)))
    if n_pos > _HEAD:
        piece = Segments(np.array([_HEAD / n_pos]), np.ones(1), np.array([1 - _HEAD / n_pos]), np.zeros(1))
        total += n_pos * float(segment_area(piece, x, deficit=deficit))
        total += _euler_maclaurin(n_pos, a, deficit) - _euler_maclaurin(_HEAD, a, deficit)
    return total / n_pos


def _euler_maclaurin(i: float, a: float, deficit: bool) -> float:
    """The correction of Euler and Maclaurin at the end i of a sum: half the last term, and odd derivatives."""
    end = i + a
    half = (a if deficit else i) / end / 2
    bend = a / end**2 / 12 - a / end**4 / 120 + a / end**6 / 252
    return half - bend if deficit else half + bend


def chance_average_precision(n_pos: float, n_neg: float, x: float) -> float:
    r"""Expected average precision of a random order without ties.

    Let the scores be uniform. The share u above the i-th best of P positives follows Beta(i, P + 1 - i), and the
    number m of negatives above it Binomial(N, u). The precision there, ``i/(i + w m)``, is the integral of
    ``i t^(i-1+w m)`` over t. Summed over i this is

        ∫∫ [(1-uA)^(P-1) + (P-1) u t (1-uA)^(P-2)] (1-uB)^N dt du,   A = 1-t, B = 1-t^w,

    whose integrand is smooth and falls off exponentially in ``log(-log t)`` and ``logit u``, where the
    trapezoid rule is exact to rounding.
    """
    w = x * n_pos / n_neg
    least = -40.0 - np.log1p(x)  # below this, a node adds less than rounding to the smallest result there is
    step = 0.25  # a binary fraction: the nodes are exact
    s = np.exp(np.arange(np.floor(least - np.log(n_pos)), 5.0, step))
    logit_u = np.arange(np.floor(least), 40.0, step)[:, np.newaxis]
    u, complement = 1 / (1 + np.exp(-logit_u)), 1 / (1 + np.exp(logit_u))
    log_pos, log_neg = _log_mixture(u, complement, s), _log_mixture(u, complement, w * s)
    common = np.exp((n_pos - 2) * log_pos + n_neg * log_neg - s)
    terms = common * (np.exp(log_pos) + (n_pos - 1) * u * np.exp(-s)) * s * u * complement
    return float(terms.sum() * step * step)


def _log_mixture(u: FloatArray, complement: FloatArray, s: FloatArray) -> FloatArray:
    """``log(1 - u + u exp(-s))``, accurate next to 0 and next to minus infinity."""
    loss = u * -np.expm1(-s)
    return np.where(loss < 0.5, np.log1p(-np.minimum(loss, 0.5)), np.log(complement + u * np.exp(-s)))
