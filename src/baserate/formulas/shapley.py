"""A change with several causes, shared out among them without a rest."""

from functools import cache
from itertools import product
from math import factorial

import numpy as np

from baserate.arrays import FloatArray


@cache
def shares(n: int) -> FloatArray:
    """How much each of n causes has changed a value, as sums over the values before, after and half way.

    Entry ``[i, a, b, …]`` is what the value with cause 1 as before (``a = 0``) or as after (``a = 1``), cause 2
    likewise and so on, counts for in the part of cause i. A part is the mean, over all orders in which the causes may
    have come, of what the value did when this one came: Shapley's. The parts add up to the whole change.
    """
    coefficients = np.zeros((n, *(2,) * n))
    for i, others in product(range(n), product((0, 1), repeat=n - 1)):
        come = sum(others)
        orders = factorial(come) * factorial(n - 1 - come) / factorial(n)
        for after, sign in ((1, 1.0), (0, -1.0)):
            coefficients[(i, *others[:i], after, *others[i:])] = sign * orders
    coefficients.flags.writeable = False
    return coefficients
