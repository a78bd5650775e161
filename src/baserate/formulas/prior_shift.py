"""Probabilities that are right at one prevalence, as they should be at another.

Bayes' rule with other priors: the log-odds move by those of the prevalences.
"""

import math

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.proportions import Share

# Odds below this are their own probability: adding 1 to them changes nothing.
_TINY_ODDS = 2.0**-54

# The larger of the two class weights is brought to this power of two, far from where floats lose digits.
_EXPONENT = 1000


def shifted(share: FloatArray, rest: FloatArray, from_prevalence: float, to_prevalence: float) -> Share:
    """Probabilities of the positive class and of the other, moved from one prevalence to another.

    They come as a pair and go as a pair, because next to 1 the one cannot be told from the other. Each step of the
    arithmetic keeps the order of its numbers, so rounding may join scores and never swaps them.
    """
    if from_prevalence == to_prevalence:
        return Share(share.copy(), rest.copy())
    positives, negatives = _class_weights(from_prevalence, to_prevalence)
    return Share(_normalized(share * positives, rest * negatives), _normalized(rest * negatives, share * positives))


def _class_weights(from_prevalence: float, to_prevalence: float) -> tuple[float, float]:
    """What one row of each class counts as, up to a factor that keeps products within the floats."""
    positives, negatives = to_prevalence / from_prevalence, (1 - to_prevalence) / (1 - from_prevalence)
    _, exponent = math.frexp(max(positives, negatives))
    factor = 2.0 ** (_EXPONENT - exponent)
    return positives * factor, negatives * factor


def _normalized(mass: FloatArray, other: FloatArray) -> FloatArray:
    """``mass / (mass + other)``, never falling in `mass` nor rising in `other`."""
    with np.errstate(divide="ignore", over="ignore"):
        odds = mass / other
        return np.where(odds < _TINY_ODDS, odds, 1 / (1 + other / mass))
