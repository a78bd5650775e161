"""Metrics of one operating point, from a confusion matrix with negatives weighted to the prevalence.

Reading at a prevalence is weighting the negatives, so these are the textbook formulas: at the data's own
prevalence the weight is 1 and the cells are whole numbers. A cell is never computed from its neighbour, because ``1 -
tpr`` loses digits that the counts have. Differences are taken between counts, before weights round them, so that values
near 0 are accurate.
"""

from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.exact import Twofold, complement, difference, times

N = TypeVar("N", float, FloatArray)


class Confusion(NamedTuple, Generic[N]):
    """Positives and negatives on either side of a threshold."""

    tp: N
    fn: N
    fp: N
    tn: N


class ClassRates(NamedTuple, Generic[N]):
    """A confusion matrix as shares of each class."""

    tpr: N
    fnr: N
    fpr: N
    tnr: N


def ratio(numerator: N, denominator: N) -> N:
    """Division without warnings: 0/0 is nan, a/0 is inf."""
    if type(numerator) is float and type(denominator) is float and denominator:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.divide(numerator, denominator)
    return cast(N, quotient if np.ndim(quotient) else float(quotient))


def rates(c: Confusion[N]) -> ClassRates[N]:
    """Shares of each class; nan for a class that has no rows."""
    n_pos, n_neg = c.tp + c.fn, c.fp + c.tn
    return ClassRates(ratio(c.tp, n_pos), ratio(c.fn, n_pos), ratio(c.fp, n_neg), ratio(c.tn, n_neg))


def with_negatives_weighted(c: Confusion[N], weight: N | float) -> Confusion[N]:
    """Every negative counted `weight` times."""
    return Confusion(c.tp, c.fn, weight * c.fp, weight * c.tn)


# --- whatever the prevalence ----------------------------------------------------------------------


def youden_j(c: Confusion[N]) -> N:
    """TPR - FPR."""
    n_pos, n_neg = c.tp + c.fn, c.fp + c.tn
    return ratio(_excess(c), n_pos * n_neg)


def lr_positive(r: ClassRates[N]) -> N:
    """TPR / FPR."""
    return ratio(r.tpr, r.fpr)


def lr_negative(r: ClassRates[N]) -> N:
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
    numerator = (1 + square) * c.tp
    return ratio(numerator, numerator + square * c.fn + c.fp)


def accuracy(c: Confusion[N]) -> N:
    """Share of the cases predicted rightly."""
    return ratio(c.tp + c.tn, _total(c))


def mcc(c: Confusion[N], j: N) -> N:
    """Correlation of label and prediction, from Youden's J as counted."""
    of_labels, of_predictions = np.sqrt(c.tp + c.fn) * np.sqrt(c.fp + c.tn), np.sqrt(c.tp + c.fp) * np.sqrt(c.fn + c.tn)
    return ratio(cast(N, j * of_labels), cast(N, of_predictions))


def kappa(c: Confusion[N], j: N) -> N:
    """Cohen's kappa: agreement of label and prediction beyond chance, from Youden's J as counted."""
    n_pos, n_neg = c.tp + c.fn, c.fp + c.tn
    return ratio(2 * j * (n_pos * n_neg), (c.tp + c.fp) * n_neg + (c.fn + c.tn) * n_pos)


def alert_rate(c: Confusion[N]) -> N:
    """Share of the cases that are predicted positive."""
    return ratio(c.tp + c.fp, _total(c))


def lift(c: Confusion[N]) -> N:
    """Precision as a multiple of the prevalence."""
    return ratio(ratio(c.tp, c.tp + c.fp) * _total(c), c.tp + c.fn)


def recall_gain(c: Confusion[N], weight: Twofold) -> N:
    """Recall on the harmonic scale from the prevalence to 1, from cells as counted and the weight of a negative."""
    weighted_negatives = times(weight, c.fp + c.tn)
    gained: Any = difference(c.tp, weighted_negatives, c.fn, Twofold(c.tp + c.fn))
    return cast(N, ratio(gained, c.tp * weighted_negatives.high))


def modified_f_beta(c: Confusion[N], j: N, beta: float) -> N:
    """F_beta of recall and of the precision in excess of chance, from Youden's J as counted; 0 at chance and below."""
    recall = ratio(c.tp, c.tp + c.fn)
    excess = cast(N, np.maximum(ratio(j * (c.tp + c.fn), c.tp + c.fp), 0.0))
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


def net_benefit(c: Confusion[N], weight: Twofold, threshold_probability: float) -> N:
    """True alerts per case, minus false ones at the exchange rate of the threshold probability.

    It is computed from counts and the weight of a negative.
    """
    rest = complement(threshold_probability)
    price = times(weight, threshold_probability)  # of a false alert, where a true one is worth the rest
    worth: Any = difference(c.tp, rest, c.fp, price)
    cases = (c.tp + c.fn) + weight.high * (c.fp + c.tn)
    return cast(N, ratio(worth, cases * rest.high))


def _total(c: Confusion[N]) -> N:
    return (c.tp + c.fn) + (c.fp + c.tn)


def _excess(c: Confusion[N]) -> N:
    """The covariance of label and prediction, times the number of cases squared.

    It is exact for whole numbers and for rates, whose cells add up to 1, so a point on the chance line has exactly 0.
    """
    excess: Any = difference(c.tp, Twofold(c.fp + c.tn), c.fp, Twofold(c.tp + c.fn))
    return cast(N, excess)
