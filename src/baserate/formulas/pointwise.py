"""Metrics of one operating point, from a confusion matrix whose negatives carry the prevalence.

Reading at a prevalence is weighting the negatives, so these are the textbook formulas: at the data's own
prevalence the weight is 1 and the cells are whole numbers. A cell is never computed from its neighbour,
because ``1 - tpr`` of a float has lost what a count still knew.
"""

from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np

from baserate.arrays import FloatArray

N = TypeVar("N", float, FloatArray)

_ROUNDING = 2 * np.finfo(np.float64).eps


class Confusion(NamedTuple, Generic[N]):
    """Positives and negatives on either side of a threshold."""

    tp: N
    fn: N
    fp: N
    tn: N


class Rates(NamedTuple, Generic[N]):
    """The same as shares of each class."""

    tpr: N
    fnr: N
    fpr: N
    tnr: N


def ratio(numerator: N, denominator: N) -> N:
    """Division by numpy's rules: 0/0 is nan, a/0 is inf, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.divide(numerator, denominator)
    return cast(N, quotient if np.ndim(quotient) else float(quotient))


def rates(c: Confusion[N]) -> Rates[N]:
    """Shares of each class; nan for a class that has no rows."""
    n_pos, n_neg = c.tp + c.fn, c.fp + c.tn
    return Rates(ratio(c.tp, n_pos), ratio(c.fn, n_pos), ratio(c.fp, n_neg), ratio(c.tn, n_neg))


def with_negatives_weighted(c: Confusion[N], weight: N | float) -> Confusion[N]:
    """Every negative counted `weight` times."""
    return Confusion(c.tp, c.fn, weight * c.fp, weight * c.tn)


# --- whatever the prevalence ----------------------------------------------------------------------


def youden_j(c: Confusion[N]) -> N:
    """TPR - FPR."""
    return ratio(_excess(c), (c.tp + c.fn) * (c.fp + c.tn))


def lr_positive(r: Rates[N]) -> N:
    """TPR / FPR."""
    return ratio(r.tpr, r.fpr)


def lr_negative(r: Rates[N]) -> N:
    """FNR / TNR."""
    return ratio(r.fnr, r.tnr)


def precision_gain(c: Confusion[N]) -> N:
    """1 - FPR/TPR: precision on the harmonic scale from chance to perfect."""
    return ratio(_excess(c), c.tp * (c.fp + c.tn))


# --- at the prevalence the negatives carry --------------------------------------------------------


def precision(c: Confusion[N]) -> N:
    """Share of the alerts that are right."""
    return ratio(c.tp, c.tp + c.fp)


def npv(c: Confusion[N]) -> N:
    """Share of the rejections that are right."""
    return ratio(c.tn, c.tn + c.fn)


def f_beta(c: Confusion[N], beta: float) -> N:
    """Weighted harmonic mean of precision and recall; 0 where nothing is found."""
    square = beta * beta
    found = (1 + square) * c.tp
    return ratio(found, found + square * c.fn + c.fp)


def accuracy(c: Confusion[N]) -> N:
    """Share of the cases predicted rightly."""
    return ratio(c.tp + c.tn, _total(c))


def mcc(c: Confusion[N]) -> N:
    """Correlation of label and prediction."""
    spread = np.sqrt(c.tp + c.fp) * np.sqrt(c.fn + c.tn) * np.sqrt(c.tp + c.fn) * np.sqrt(c.fp + c.tn)
    return ratio(_excess(c), cast(N, spread))


def kappa(c: Confusion[N]) -> N:
    """Agreement of label and prediction beyond what chance gives."""
    disagreement = (c.tp + c.fp) * (c.fp + c.tn) + (c.fn + c.tn) * (c.tp + c.fn)
    return ratio(2 * _excess(c), disagreement)


def alert_rate(c: Confusion[N]) -> N:
    """Share of the cases that are predicted positive."""
    return ratio(c.tp + c.fp, _total(c))


def lift(c: Confusion[N]) -> N:
    """Precision as a multiple of the prevalence."""
    return ratio(ratio(c.tp, c.tp + c.fp) * _total(c), c.tp + c.fn)


def recall_gain(c: Confusion[N]) -> N:
    """Recall on the harmonic scale from the prevalence to 1."""
    return 1 - ratio(c.fn * ratio(c.tp + c.fn, c.fp + c.tn), c.tp)


def modified_f_beta(c: Confusion[N], beta: float) -> N:
    """F_beta of recall and of the precision in excess of chance; 0 at chance and below."""
    recall = ratio(c.tp, c.tp + c.fn)
    excess = cast(N, np.maximum(ratio(_excess(c), (c.tp + c.fp) * (c.fp + c.tn)), 0.0))
    square = beta * beta
    mean = ratio((1 + square) * excess * recall, square * excess + recall)
    return cast(N, np.where(np.equal(excess, 0), excess, mean))


def min_precision(c: Confusion[N]) -> N:
    """The lowest precision any classifier can have at this recall: every negative is an alert."""
    return ratio(c.tp, c.tp + (c.fp + c.tn))


def chance_precision(c: Confusion[N]) -> N:
    """Share of the cases that are positive."""
    return ratio(c.tp + c.fn, _total(c))


def expected_cost(c: Confusion[N], cost_fn: float, cost_fp: float) -> N:
    """Mean cost of a case."""
    return ratio(cost_fn * c.fn + cost_fp * c.fp, _total(c))


def net_benefit(c: Confusion[N], threshold_probability: float) -> N:
    """True alerts per case, less false ones at the exchange rate of the threshold probability."""
    exchange_rate = threshold_probability / (1 - threshold_probability)
    return ratio(c.tp - exchange_rate * c.fp, _total(c))


def _total(c: Confusion[N]) -> N:
    return (c.tp + c.fn) + (c.fp + c.tn)


def _excess(c: Confusion[N]) -> N:
    """What label and prediction have in common beyond chance, times the number of cases squared.

    A difference within rounding is zero: a point on the chance line is exactly there.
    """
    right, wrong = c.tp * c.tn, c.fp * c.fn
    excess = right - wrong
    return cast(N, np.where(np.abs(excess) <= _ROUNDING * (right + wrong), 0.0, excess))
