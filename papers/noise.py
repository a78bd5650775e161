"""How far a mean over runs may be from what is expected of it."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]


def standard_errors_away(values: Floats, expected: Floats | float) -> Floats:
    """Distances of means over runs (rows) from what is expected, in standard errors; 0 where all runs are the same."""
    spread = values.std(0, ddof=1)
    off = np.abs(values.mean(0) - expected) * np.sqrt(len(values))
    same = spread < 1e-9
    found: Floats = np.where(same, 0, off / np.where(same, 1, spread))
    return found


def limit(n_runs: int) -> float:
    """So many standard errors a mean over few runs may be off: by chance 2 of 100,000 are."""
    return float(stdtrit(n_runs - 1, 1 - 1e-5))
