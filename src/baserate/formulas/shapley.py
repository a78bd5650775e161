"""Shapley values: a change split among its causes."""

from functools import cache
from itertools import product
from math import factorial

import numpy as np

from baserate.arrays import FloatArray


@cache
def shares(n: int) -> FloatArray:
    """Coefficients by which values before, after and in between give the part of each of n causes.

    Entry ``[i, a, b, …]`` is the coefficient, in the part of cause i, of the value with cause 1 as before (``a = 0``)
    or after (``a = 1``), cause 2 as before (``b = 0``) or after (``b = 1``), and so on. A part is the change of the
    value when its cause changes, averaged over all orders of the causes. The parts add up to the whole change.
    """
    coefficients = np.zeros((n, *(2,) * n))
    for i, others in product(range(n), product((0, 1), repeat=n - 1)):
        come = sum(others)
        orders = factorial(come) * factorial(n - 1 - come) / factorial(n)
        for after, sign in ((1, 1.0), (0, -1.0)):
            coefficients[(i, *others[:i], after, *others[i:])] = sign * orders
    coefficients.flags.writeable = False
    return coefficients
