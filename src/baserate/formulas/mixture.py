r"""The share of positives in a mixture: maximum likelihood, and the likelihood-ratio interval.

Positives, negatives and unlabelled rows are counted in the same bins. The bins of unlabelled rows have the shares ``eta
f1 + (1 - eta) f0``. The shares f1 and f0 of the classes are unknown, as is eta. For a given eta, at the best shares, r
of the unlabelled rows in a bin are expected to be positive, where

.. math::

    (a + r)(u - r) = \rho \, r \, (b + u - r), \qquad
    \rho = \frac{1 - \eta}{\eta} \, \frac{n_1 + \sum r}{n_0 + m - \sum r}

with a positives, b negatives and u unlabelled rows in the bin, and n1, n0 and m in all. Given rho, every r is the root
of a quadratic equation. Then eta follows, and falls as rho rises. So the profile likelihood is computed point by point,
without iteration.

Counts may have axes in front, for many fits at once; bins are along the last one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import BoolArray, FloatArray, Indices

# Prevalences looked at lie at least so far from 0 and from 1; what is nearer is 0 or 1 itself.
_NEAREST = 1e-12

# Places to look at first: a likelihood with two peaks shows both.
_PLACES = 256

# Deviances that differ by less are the same: the sums over large counts round.
_ROUNDING = 1e-6

# A bracket is cut into so many parts, so many times: the log-odds of an end are found to nine digits.
_PARTS = 32
_ROUNDS = 6

# How well the log-odds of an end are found where scores are trusted.
_CLOSE = 1e-10


class Histograms(NamedTuple):
    """Counts in the same bins, each with at least one labelled row; for weighted rows, effective counts."""

    pos: FloatArray
    neg: FloatArray
    unlabelled: FloatArray


class Profile(NamedTuple):
    """The profile likelihood at a prevalence: the best over the shares of the classes."""

    prevalence: FloatArray
    deviance: FloatArray  # twice what the log-likelihood lacks to that of the counts themselves
    pull: FloatArray  # above 0 where the likelihood rises with the prevalence


class MixtureFit(NamedTuple):
    """The most likely prevalence, the ends of its interval, and the deviance of the fit."""

    prevalence: FloatArray
    low: FloatArray
    high: FloatArray
    deviance: FloatArray


def profile(counts: Histograms, log_tilt: FloatArray) -> Profile:
    """The profile likelihood along the logarithm of rho, which falls as the prevalence rises.

    The last axis of `log_tilt` has the points; the axes before it are those of the fits.
    """
    counts = Histograms(*(column[..., np.newaxis, :] for column in counts))
    pos, neg, unlabelled = counts
    n_pos, n_neg, n_unlabelled = (column.sum(axis=-1) for column in counts)
    tilt = np.exp(log_tilt)
    expected = expected_positives(counts, tilt[..., np.newaxis])
    rest = unlabelled - expected
    positives = expected.sum(axis=-1)
    all_pos, all_neg = n_pos + positives, n_neg + rest.sum(axis=-1)
    odds = all_pos / all_neg / tilt
    prevalence, against = odds / (1 + odds), 1 / (1 + odds)
    pos_shares, neg_shares = (pos + expected) / all_pos[..., np.newaxis], (neg + rest) / all_neg[..., np.newaxis]
    mixed = prevalence[..., np.newaxis] * pos_shares + against[..., np.newaxis] * neg_shares
    misfit = deviance(pos, pos_shares) + deviance(neg, neg_shares) + deviance(unlabelled, mixed)
    return Profile(prevalence, misfit, positives * against - (n_unlabelled - positives) * prevalence)


def expected_positives(counts: Histograms, tilt: FloatArray) -> FloatArray:
    """The expected number of positives among the unlabelled rows of each bin, given rho."""
    pos, neg, unlabelled = counts
    square, linear, constant = tilt - 1, (unlabelled - pos) - tilt * (neg + unlabelled), pos * unlabelled
    root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the two ways to write a root, the one that does not subtract near numbers. The first needs rho < 1, which
        # is so wherever it is used.
        solution = np.where(linear > 0, (linear + root) / (-2 * square), 2 * constant / (root - linear))
    return np.clip(np.where((constant > 0) | (linear > 0), solution, 0.0), 0.0, unlabelled)


def deviance(counts: FloatArray, shares: FloatArray) -> FloatArray:
    """Twice the difference from the largest possible log-likelihood, as a sum of non-negative terms."""
    expected = counts.sum(axis=-1, keepdims=True) * shares
    return np.asarray(2 * scipy.special.kl_div(counts, expected).sum(axis=-1))


def fit_mixture(counts: Histograms, largest_rise: float) -> MixtureFit:
    """The best prevalence, and the range in which the deviance exceeds its minimum by at most `largest_rise`."""
    n_pos, n_neg, n_unlabelled = (column.sum(axis=-1) for column in counts)
    start = np.log((n_pos + n_unlabelled) / n_neg) - np.log(_NEAREST)
    end = np.log(n_pos / (n_neg + n_unlabelled)) + np.log(_NEAREST)
    places = np.linspace(start, end, _PLACES, axis=-1)
    seen = profile(counts, places).deviance
    none, everything = _at_ends(counts)
    best = np.argmin(seen, axis=-1)
    beside = _taken(places, np.maximum(best - 1, 0)), _taken(places, np.minimum(best + 1, _PLACES - 1))
    peak = _crossing(lambda at: profile(counts, at).pull > 0, *(side[..., np.newaxis] for side in beside))
    top = profile(counts, peak)
    misfit = np.minimum(np.minimum(top.deviance[..., 0], none), everything)
    at_none = (best == 0) | (none <= misfit + _ROUNDING)
    at_all = ~at_none & ((best == _PLACES - 1) | (everything <= misfit + _ROUNDING))
    value = np.where(at_none, 0.0, np.where(at_all, 1.0, top.prevalence[..., 0]))
    highest = misfit + largest_rise
    inside = seen <= highest[..., np.newaxis]
    low, high = _ends(counts, places, inside, (beside, peak[..., 0]), highest)
    low = np.where((none <= highest) | inside[..., 0], 0.0, low)
    return MixtureFit(value, low, np.where((everything <= highest) | inside[..., -1], 1.0, high), misfit)


def _at_ends(counts: Histograms) -> tuple[FloatArray, FloatArray]:
    """The deviance if no unlabelled row is positive, and if all are."""
    pos, neg, unlabelled = counts
    deviances = []
    for own in (neg, pos):
        shares = (own + unlabelled) / (own + unlabelled).sum(axis=-1, keepdims=True)
        deviances.append(deviance(own, shares) + deviance(unlabelled, shares))
    return deviances[0], deviances[1]


def _ends(
    counts: Histograms,
    places: FloatArray,
    inside: BoolArray,
    around: tuple[tuple[FloatArray, FloatArray], FloatArray],
    highest: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest prevalence with at most this deviance, which may be 0 and 1."""
    beside, peak = around
    some = inside.any(axis=-1)  # a narrow peak may lie between two places
    first = np.argmax(inside, axis=-1)
    last = inside.shape[-1] - 1 - np.argmax(inside[..., ::-1], axis=-1)
    outside = (
        np.where(some, _taken(places, np.maximum(first - 1, 0)), beside[0]),
        np.where(some, _taken(places, np.minimum(last + 1, inside.shape[-1] - 1)), beside[1]),
    )
    within = np.where(some, _taken(places, first), peak), np.where(some, _taken(places, last), peak)
    at = _crossing(
        lambda at: profile(counts, at).deviance > highest[..., np.newaxis],
        np.stack(outside, axis=-1),
        np.stack(within, axis=-1),
    )
    prevalence = profile(counts, at).prevalence
    return prevalence[..., 0], prevalence[..., 1]


def _taken(places: FloatArray, which: Indices) -> FloatArray:
    """The value of each fit at one index."""
    return np.take_along_axis(places, which[..., np.newaxis], axis=-1)[..., 0]


def _crossing(holds: Callable[[FloatArray], BoolArray], first: FloatArray, second: FloatArray) -> FloatArray:
    """The point between two ends at which a condition changes from true to false, for many intervals at once."""
    parts = np.linspace(0.0, 1.0, _PARTS + 1)
    for _ in range(_ROUNDS):
        at = first[..., np.newaxis] + (second - first)[..., np.newaxis] * parts
        ceased = ~holds(at.reshape(*at.shape[:-2], -1)).reshape(at.shape)
        ceased[..., 0], ceased[..., -1] = False, True  # so it is, up to rounding
        place = np.argmax(ceased, axis=-1)
        first, second = _taken(at, place - 1), _taken(at, place)
    return (first + second) / 2


# --- probabilities that are trusted ---------------------------------------------------------------


def fit_posteriors(share: FloatArray, count: FloatArray, prevalence: float, largest_rise: float) -> MixtureFit:
    """Fit the prevalence of a mixture whose scores are probabilities calibrated at a known prevalence.

    The log-likelihood is concave, so there is one maximum, with one end of the interval on either side. Without bins
    there is no deviance; it is nan.
    """
    of_pos, of_neg = share / prevalence, (1 - share) / (1 - prevalence)
    gain = of_pos - of_neg

    def pull(value: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.sum(count * (gain / (value * of_pos + (1 - value) * of_neg))))

    def log_likelihood(value: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.sum(count * np.log(value * of_pos + (1 - value) * of_neg)))

    def at(log_odds: float) -> float:
        return float(scipy.special.expit(log_odds))

    farthest = -np.log(_NEAREST)
    if pull(0.0) <= 0:
        peak, value = -farthest, 0.0
    elif pull(1.0) >= 0:
        peak, value = farthest, 1.0
    else:
        peak = _root(lambda x: pull(at(x)), -farthest, farthest)
        value = at(peak)
    lowest = log_likelihood(value) - largest_rise / 2
    ends = []
    for limit in (0.0, 1.0):
        far = farthest if limit else -farthest
        reaches = limit == value or log_likelihood(limit) >= lowest or log_likelihood(at(far)) >= lowest
        ends.append(limit if reaches else at(_root(lambda x: log_likelihood(at(x)) - lowest, peak, far)))
    return MixtureFit(*(np.asarray(number) for number in (value, *ends, np.nan)))


def _root(function: Callable[[float], float], first: float, second: float) -> float:
    """The root of a function, by bracketing."""
    from scipy.optimize import brentq

    ends = function(first), function(second)
    if ends[0] * ends[1] >= 0:  # rounding has eaten the difference: either end will do
        return first if abs(ends[0]) < abs(ends[1]) else second
    return float(brentq(function, first, second, xtol=_CLOSE))
