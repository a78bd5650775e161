"""The largest width of the band of precision over prevalences, if T and F lie in a box.

Brabec's construction: a function that rises with T and falls with F has its extremes at two corners of the box. ``x =
(1 - prevalence) / prevalence`` is the number of negatives per positive.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.pointwise import ratio
from baserate.formulas.proportions import Interval, Numbers

_ROUNDING = 8 * np.finfo(np.float64).eps


class Widest(NamedTuple):
    """The largest width of a band, and the x at which it occurs."""

    width: FloatArray
    x: FloatArray


def widest(t: Interval, f: Interval) -> Widest:
    """The largest width of the precision band over all prevalences, and its x.

    The width grows to 1 as x grows without end if F may be 0, and as x falls to 0 if T may be 0; if both may be 0
    it is 1 at every x, and x is nan. If F/T is known exactly, the width is 0.
    """
    largest, smallest = ratio(f.high, t.low), ratio(f.low, t.high)
    q = np.where(np.equal(smallest, largest), 1.0, np.sqrt(ratio(smallest, largest)))
    x = np.sqrt(ratio(t.low, f.low)) * np.sqrt(ratio(t.high, f.high))
    return Widest(np.asarray((1 - q) / (1 + q)), np.asarray(x))


def width_from_cvs(cv_t: Numbers, cv_f: Numbers) -> FloatArray:
    """The largest width of the precision band, from the two coefficients of variation.

    ``((1 - cv_f) / (1 + cv_f)) ((1 - cv_t) / (1 + cv_t)) = ((1 - width) / (1 + width))²``, so the width is their mean
    on the scale of the inverse hyperbolic tangent. If an interval reaches 0, the width is 1.
    """
    return np.tanh((_stretched(cv_t) + _stretched(cv_f)) / 2)


def affordable_cv(width: Numbers, other_cv: Numbers) -> FloatArray:
    """The coefficient of variation that, together with the other one, makes the largest width of the band `width`.

    nan if the other one alone makes it wider. For a width of 1, any value is possible, and 1 is returned.
    """
    wanted = 2 * _stretched(width)
    left = wanted - np.where(wanted == np.inf, 0.0, _stretched(other_cv))
    return np.where(left >= -_ROUNDING * wanted, np.tanh(np.maximum(left, 0.0)), np.nan)


def _stretched(share: Numbers) -> FloatArray:
    """The inverse hyperbolic tangent, from [0, 1] to [0, inf]; values above 1 count as 1."""
    with np.errstate(divide="ignore"):
        return np.arctanh(np.minimum(np.asarray(share, np.float64), 1.0))
