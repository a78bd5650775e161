"""Differences of nearly equal products, to more digits than a float has.

A number is represented as the sum of two floats, of which the second is the rounding error of the first. Dekker, A
floating-point technique for extending the available precision, Numerische Mathematik 18, 1971.
doi:10.1007/BF01397083.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray

Number = FloatArray | float

# Multiplied by this, a float falls apart into two halves whose products are exact.
_SPLITTER = 2.0**27 + 1

# Nearer to each other than this share of themselves, two products are worked out to twice the digits.
_NEAR = 2.0**-7

# Up to here a float holds every whole number.
_WHOLE = 2.0**53


class Twofold(NamedTuple):
    """The sum of a float and its rounding error."""

    high: Number
    low: Number = 0.0


def complement(share: Number) -> Twofold:
    """1 minus a share between 0 and 1, exactly."""
    high = 1 - share
    return Twofold(high, (1 - high) - share)


def quotient(numerator: Twofold, denominator: Number) -> Twofold:
    """A division, to twice the digits of a float."""
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.divide(numerator.high, denominator)
        back = _product(high, denominator)
        return Twofold(high, ((numerator.high - back.high) - back.low + numerator.low) / denominator)


def times(factor: Twofold, number: Number) -> Twofold:
    """A product, to twice the digits of a float."""
    high, low = _product(factor.high, number)
    return Twofold(high, low + factor.low * number)


def odds_against(prevalence: Number) -> Twofold:
    """Negatives per positive at a prevalence."""
    return quotient(complement(prevalence), prevalence)


def difference(a: Number, b: Twofold, c: Number, d: Twofold) -> FloatArray:
    """``a b - c d``, accurate also if the two products are nearly equal.

    The exact method is used only for such entries, so that long columns are fast.
    """
    left = np.asarray(a * b.high, np.float64)
    result = np.asarray(left - c * d.high)
    near = np.abs(result) <= _NEAR * np.abs(left)
    if near.any() and not (_whole(b) and _whole(d) and np.max(np.abs(left[near])) <= _WHOLE):
        a, b_high, b_low, c, d_high, d_low = (
            np.broadcast_to(number, result.shape)[near] for number in (a, b.high, b.low, c, d.high, d.low)
        )
        one, other = times(Twofold(b_high, b_low), a), times(Twofold(d_high, d_low), c)
        result[near] = (one.high - other.high) + (one.low - other.low)
    return result


def _whole(factor: Twofold) -> bool:
    """Whether small products with the factor are exact: counts times counts, or a rate times 1.

    A sum of weights times a whole number may not be exact, but has been rounded before anyway.
    """
    return not np.any(factor.low) and bool(np.all(np.floor(factor.high) == factor.high))


def _product(a: Number, b: Number) -> Twofold:
    high = np.multiply(a, b)
    (a_top, a_rest), (b_top, b_rest) = _halves(a), _halves(b)
    return Twofold(high, ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest)


def _halves(number: Number) -> tuple[Number, Number]:
    large = _SPLITTER * number
    top = large - (large - number)
    return top, number - top
