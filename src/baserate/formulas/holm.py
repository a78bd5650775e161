"""P-values adjusted for several tests."""

import numpy as np

from baserate.arrays import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values of several tests by Holm's step-down method; nan entries are not counted as tests."""
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted
