"""Brier score and log loss, from the mass of each class by score.

`score` holds probabilities, `pos` and `neg` the mass of each class at each of them, in any scale: whole counts, sums of
weights, or negatives weighted to a prevalence. The order of the entries does not matter.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import CountArray, FloatArray
from baserate.formulas.isotonic import isotonic_blocks


class ClassMeans(NamedTuple):
    """The mean loss of each class by itself; nan for a class without mass."""

    positives: float
    negatives: float


class Costs(NamedTuple):
    """The loss of each score, for a positive and for a negative."""

    positives: FloatArray
    negatives: FloatArray


class Parts(NamedTuple):
    """A decomposed mean loss: ``loss = miscalibration - discrimination + uncertainty``."""

    loss: float
    miscalibration: float  # what recalibration would gain
    discrimination: float  # what the recalibrated scores gain over the event rate
    uncertainty: float  # the loss of the event rate, given to everyone


class _Recalibrated(NamedTuple):
    """Entries along ascending scores, with the isotonic fit."""

    score: FloatArray
    mass: FloatArray
    rate: FloatArray
    rest: FloatArray  # 1 - rate, from the counts
    lead: FloatArray  # positives seen at this score or below in its block, beyond those the rate expects; at least 0
    total: float
    event_rate: float
    non_event_rate: float


def brier(score: FloatArray, pos: CountArray, neg: CountArray) -> float:
    """Mean squared distance between score and label; nan without mass."""
    return mixed(brier_by_class(score, pos, neg), float(np.sum(pos)), float(np.sum(neg)))


def log_loss(score: FloatArray, pos: CountArray, neg: CountArray, clip: float = 0.0) -> float:
    """Mean of minus the log of the predicted probability of the outcome; nan without mass.

    Unless clipped, it is infinite if a positive has the score 0 or a negative the score 1.
    """
    return mixed(log_loss_by_class(score, pos, neg, clip), float(np.sum(pos)), float(np.sum(neg)))


def brier_by_class(score: FloatArray, pos: CountArray, neg: CountArray) -> ClassMeans:
    """The Brier score of the positives and of the negatives."""
    return ClassMeans(_mean(pos * (1 - score) ** 2, pos), _mean(neg * score**2, neg))


def log_loss_by_class(score: FloatArray, pos: CountArray, neg: CountArray, clip: float = 0.0) -> ClassMeans:
    """The log loss of the positives and of the negatives.

    A score without mass adds 0, even if its logarithm is infinite.
    """
    costs = log_costs(score, clip)
    return ClassMeans(_mean(_charged(pos, costs.positives), pos), _mean(_charged(neg, costs.negatives), neg))


def log_costs(score: FloatArray, clip: float = 0.0) -> Costs:
    """Minus the log of the probability of the outcome, with scores clipped to [clip, 1 - clip].

    A clipped score costs ``-log(clip)`` exactly, not the log of 1 minus the rounded ``1 - clip``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = Costs(-np.log(score), -np.log1p(-score))
        most, least = -np.log(clip), -np.log1p(-clip)
    if clip:
        low, high = score < clip, 1 - score < clip
        np.copyto(costs.positives, most, where=low)
        np.copyto(costs.negatives, least, where=low)
        np.copyto(costs.positives, least, where=high)
        np.copyto(costs.negatives, most, where=high)
    return costs


def _charged(mass: CountArray, cost: FloatArray) -> FloatArray:
    return np.multiply(mass, cost, out=np.zeros_like(cost), where=mass > 0)


def _mean(losses: FloatArray, mass: CountArray) -> float:
    return mean_of(float(np.sum(losses)), float(np.sum(mass)))


def mean_of(total: float, n: float) -> float:
    """A sum divided by a count; nan if the count is 0."""
    return total / n if n else math.nan


def mixed(means: ClassMeans, n_pos: float, n_neg: float) -> float:
    """The mean over both classes: the class means, weighted by their shares of the mass."""
    if not n_pos or not n_neg:
        return means.negatives if n_neg else means.positives
    return means.positives * (n_pos / (n_pos + n_neg)) + means.negatives * (n_neg / (n_pos + n_neg))


def brier_parts(score: FloatArray, pos: CountArray, neg: CountArray) -> Parts:
    """Decompose the Brier score. Scores must be distinct, and ascending or descending.

    Each part is a sum over terms of one sign, so that a small one keeps its digits.
    """
    fit = _recalibrated(score, pos, neg)
    misfit = fit.mass * (fit.score - fit.rate) ** 2
    wrong_order = 2 * fit.lead[:-1] * np.diff(fit.score)
    spread = fit.mass * (fit.rate - fit.event_rate) ** 2
    return Parts(
        loss=brier(score, pos, neg),
        miscalibration=float(np.sum(misfit) + np.sum(wrong_order)) / fit.total,
        discrimination=float(np.sum(spread)) / fit.total,
        uncertainty=fit.event_rate * fit.non_event_rate,
    )


def log_loss_parts(score: FloatArray, pos: CountArray, neg: CountArray, clip: float = 0.0) -> Parts:
    """Decompose the log loss. Scores must be distinct, and ascending or descending; the complement of ``1 - clip`` is
    `clip`.

    If the log loss is infinite, so is the miscalibration, and no other part.
    """
    fit = _recalibrated(score, pos, neg)
    highest = (fit.score == 1 - clip) & (clip > 0)
    misfit = fit.mass * _divergence(fit.rate, fit.rest, fit.score, np.where(highest, clip, 1 - fit.score))
    logit = np.where(highest, -scipy.special.logit(clip), scipy.special.logit(fit.score))
    leading = np.flatnonzero(fit.lead[:-1])  # elsewhere a step may be infinite: from a score of 0, or to one of 1
    steps = logit[leading + 1] - logit[leading]
    spread = fit.mass * _divergence(fit.rate, fit.rest, fit.event_rate, fit.non_event_rate)
    return Parts(
        loss=log_loss(score, pos, neg, clip),
        miscalibration=float(np.sum(misfit) + np.sum(fit.lead[leading] * steps)) / fit.total,
        discrimination=float(np.sum(spread)) / fit.total,
        uncertainty=float(scipy.special.entr(fit.event_rate) + scipy.special.entr(fit.non_event_rate)),
    )


def _recalibrated(score: FloatArray, pos: CountArray, neg: CountArray) -> _Recalibrated:
    """The quantities that both decompositions are computed from.

    The loss of a score less that of its recalibrated rate has two terms: their divergence, and the rate less the share
    of positives at this score, times the score (or its logit). Within a block the second adds up, by parts, to the lead
    times the step to the next score.
    """
    filled = np.flatnonzero((pos > 0) | (neg > 0))
    if len(filled) > 1 and score[filled[0]] > score[filled[-1]]:
        filled = filled[::-1]
    score, pos, neg = score[filled], np.asarray(pos[filled], np.float64), np.asarray(neg[filled], np.float64)
    blocks = isotonic_blocks(pos, neg)
    lengths = np.diff(np.append(blocks.first, len(pos)))
    rate, rest = np.repeat(blocks.rate, lengths), np.repeat(blocks.neg / (blocks.pos + blocks.neg), lengths)
    lead = np.maximum(np.cumsum(pos - rate * (pos + neg)), 0.0)
    lead[blocks.first + lengths - 1] = 0.0  # the rate of a block is that of its own positives
    total = float(np.sum(pos) + np.sum(neg))
    event_rate, non_event_rate = (float(np.sum(mass)) / total if total else math.nan for mass in (pos, neg))
    return _Recalibrated(score, pos + neg, rate, rest, lead, total or math.nan, event_rate, non_event_rate)


def _divergence(p: FloatArray, q: FloatArray, from_p: FloatArray | float, from_q: FloatArray | float) -> FloatArray:
    """Kullback–Leibler divergence of two Bernoulli distributions, at least 0."""
    divergence = scipy.special.kl_div(p, from_p) + scipy.special.kl_div(q, from_q)
    return np.maximum(np.asarray(divergence, np.float64), 0.0)
