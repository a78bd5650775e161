"""Intervals for a proportion: k successes in n cases; for weighted rows, effective numbers.

All take arrays or numbers, broadcast, and give nan where there are no cases.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import CountArray, FloatArray
from baserate.formulas.weighted_means import Law

Numbers = CountArray | float

# Newton's method doubles the digits: after a step this small there are no more to find.
_CLOSE = 1e-9
_STEPS = 50


class Interval(NamedTuple):
    """Both ends; 0-d arrays if all arguments are numbers."""

    low: FloatArray
    high: FloatArray


class Share(NamedTuple):
    """A proportion and its complement, each to full relative accuracy."""

    share: FloatArray
    rest: FloatArray


ProportionInterval = Callable[[Numbers, Numbers, float], Interval]


def z_score(confidence_level: float) -> float:
    """The normal quantile of a two-sided interval at this level."""
    return -float(scipy.special.ndtri((1 - confidence_level) / 2))


def wilson(k: Numbers, n: Numbers, confidence_level: float) -> Interval:
    """Wilson's interval: the proportions that a score test does not reject."""
    k, n = _floats(k, n)
    squared_z = np.asarray(z_score(confidence_level) ** 2)
    return _where_known(n, wilson_lower(k, n, squared_z).share, wilson_lower(n - k, n, squared_z).rest)


def wilson_lower(k: FloatArray, n: FloatArray, squared_z: FloatArray) -> Share:
    """The lower end of Wilson's interval; the upper end is 1 minus that of n - k.

    Every term is positive, so the end and its complement keep their digits next to 0 and next to 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        half = squared_z / 2
        widening = half + np.sqrt(squared_z * (k * ((n - k) / n)) + half * half)
        return Share(k * (k / n) / (k + widening), ((n - k) + widening) / (n + squared_z))


def clopper_pearson(k: Numbers, n: Numbers, confidence_level: float) -> Interval:
    """Clopper and Pearson's interval: the proportions that neither one-sided exact test rejects."""
    k, n = _floats(k, n)
    tail = (1 - confidence_level) / 2
    low = np.where(k == 0, 0.0, beta_quantile(k, n - k + 1, tail).share)
    high = np.where(k == n, 1.0, beta_quantile(n - k, k + 1, tail).rest)
    return _where_known(n, low, high)


def between(lower: Law, upper: Law, confidence_level: float) -> Interval:
    """The interval from the distributions of its lower and of its upper limit."""
    tail = (1 - confidence_level) / 2
    (a, b), (d, c) = _floats(*lower), _floats(*upper)
    low = np.where(a == 0, 0.0, np.where(b == 0, 1.0, beta_quantile(a, b, tail).share))
    return Interval(low, np.where(c == 0, 1.0, np.where(d == 0, 0.0, beta_quantile(c, d, tail).rest)))


def jeffreys(k: Numbers, n: Numbers, confidence_level: float) -> Interval:
    """Jeffreys' interval: quantiles of Beta(k + 1/2, n - k + 1/2), with end 0 without successes, 1 without failures."""
    k, n = _floats(k, n)
    tail = (1 - confidence_level) / 2
    low = np.where(k == 0, 0.0, beta_quantile(k + 0.5, n - k + 0.5, tail).share)
    high = np.where(k == n, 1.0, beta_quantile(n - k + 0.5, k + 0.5, tail).rest)
    return _where_known(n, low, high)


def hoeffding(k: Numbers, n: Numbers, confidence_level: float) -> Interval:
    """The interval of Hoeffding's inequality: guaranteed for any bounded mean, and wide."""
    k, n = _floats(k, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        margin = np.sqrt(np.log(2 / (1 - confidence_level)) / (2 * n))
        return _around(k, n, margin)


def normal(k: Numbers, n: Numbers, confidence_level: float) -> Interval:
    """Wald's interval, from the estimate and its standard error, which is 0 without successes and without failures."""
    k, n = _floats(k, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _around(k, n, z_score(confidence_level) * np.sqrt(k / n * ((n - k) / n) / n))


PROPORTIONS: Mapping[str, ProportionInterval] = MappingProxyType(
    {
        "wilson": wilson,
        "clopper_pearson": clopper_pearson,
        "jeffreys": jeffreys,
        "hoeffding": hoeffding,
        "normal": normal,
    }
)


def _floats(k: Numbers, n: Numbers) -> tuple[FloatArray, FloatArray]:
    return np.asarray(k, np.float64), np.asarray(n, np.float64)


def beta_quantile(a: FloatArray, b: FloatArray, tail: float) -> Share:
    """The quantile of a Beta(a, b) distribution at the probability `tail`, with its complement.

    scipy's inverse does not give the complement near 1, and beyond 1e8 cases it is sometimes far off. So it is only the
    start of Newton's method, or else the end of Wilson's interval is. The log of the distribution function is concave
    in the log-odds, so the method converges.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        guess = scipy.special.betaincinv(a, b, tail)
        near = np.abs(scipy.special.betainc(a, b, guess) - tail) < tail / 10
        share, rest = wilson_lower(a, a + b, np.asarray(scipy.special.ndtri(tail) ** 2))
        log_odds = np.log(np.where(near, guess / (1 - guess), share / rest))
        for _ in range(_STEPS):
            share, rest = scipy.special.expit(log_odds), scipy.special.expit(-log_odds)
            reached = np.where(share < 0.5, scipy.special.betainc(a, b, share), scipy.special.betaincc(b, a, rest))
            log_share, log_rest = scipy.special.log_expit(log_odds), scipy.special.log_expit(-log_odds)
            density = np.exp(a * log_share + b * log_rest - scipy.special.betaln(a, b))
            # A quantile too small for a float stays 0.
            step = np.where(share > 0, np.log(reached / tail) * reached / density, 0.0)
            log_odds = log_odds - step
            if not (np.abs(step) > _CLOSE).any():
                break
        return Share(scipy.special.expit(log_odds), scipy.special.expit(-log_odds))


def _around(k: FloatArray, n: FloatArray, margin: FloatArray) -> Interval:
    """The estimate with a margin to either side, inside [0, 1]."""
    return _where_known(n, np.maximum(k / n - margin, 0.0), np.minimum(k / n + margin, 1.0))


def _where_known(n: FloatArray, low: FloatArray, high: FloatArray) -> Interval:
    return Interval(np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan))
