"""Adjusts calibrated probabilities from one prevalence to another.

By Bayes' rule the log-odds change by the difference of the log-odds of the prevalences.
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

    Both are passed and returned, because near 1 one cannot be computed accurately from the other. Each step is
    monotone, so rounding may make scores equal but never swaps them.
    """
    if from_prevalence == to_prevalence:
        return Share(share.copy(), rest.copy())
    positives, negatives = _class_weights(from_prevalence, to_prevalence)
    return Share(_normalized(share * positives, rest * negatives), _normalized(rest * negatives, share * positives))


def _class_weights(from_prevalence: float, to_prevalence: float) -> tuple[float, float]:
    """The weight of a row of each class, up to a factor that avoids overflow."""
    positives, negatives = to_prevalence / from_prevalence, (1 - to_prevalence) / (1 - from_prevalence)
    _, exponent = math.frexp(max(positives, negatives))
    factor = 2.0 ** (_EXPONENT - exponent)
    return positives * factor, negatives * factor


def _normalized(mass: FloatArray, other: FloatArray) -> FloatArray:
    """``mass / (mass + other)``, rounded so that it is monotone in both."""
    with np.errstate(divide="ignore", over="ignore"):
        odds = mass / other
        return np.where(odds < _TINY_ODDS, odds, 1 / (1 + other / mass))
