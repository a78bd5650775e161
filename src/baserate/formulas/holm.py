"""Several tests at once."""

import numpy as np

from baserate.arrays import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """P-values that hold for all of several tests at once, by Holm's step-down method; nan are no tests."""
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted
