"""The convex hull of a ROC curve: the thresholds that are best for some cost and prevalence."""

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices

# A point is dropped only if it lies below its neighbours by more than rounding.
_ROUNDING = 1 + 1e-15


def upper_hull(right: Counts, up: Counts) -> Indices:
    """Indices of the points on the upper convex hull; both coordinates must be non-decreasing.

    First all points below the line between their two neighbours are removed at once, repeatedly while that removes
    many; then the rest is scanned. Points within rounding of the hull may stay.
    """
    across, height = right.astype(np.float64), up.astype(np.float64)
    kept = np.arange(len(across))
    while len(kept) > 2:
        below = _below_neighbours(across[kept], height[kept])
        if not below.any():
            return kept
        progress = np.count_nonzero(below) > len(kept) // 16
        kept = np.delete(kept, np.flatnonzero(below) + 1)
        if not progress:
            return kept[_scan(across[kept].tolist(), height[kept].tolist())]
    return kept


def _below_neighbours(across: FloatArray, height: FloatArray) -> BoolArray:
    run, rise = np.diff(across), np.diff(height)
    return rise[1:] * run[:-1] > rise[:-1] * run[1:] * _ROUNDING


def _scan(across: list[float], height: list[float]) -> list[int]:
    """The monotone chain algorithm: drop the last point while it is below the line to the next one."""
    chain: list[int] = []
    for i in range(len(across)):
        while len(chain) > 1:
            a, b = chain[-2], chain[-1]
            steeper = (height[i] - height[b]) * (across[b] - across[a])
            if steeper <= (height[b] - height[a]) * (across[i] - across[b]) * _ROUNDING:
                break
            chain.pop()
        chain.append(i)
    return chain
