"""Integrals over the quantiles of a distribution: nodes, their weights, and quantiles of what is computed at them."""

from functools import lru_cache

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.formulas.weighted_means import Law

_PANELS = (0.0, 1e-4, 0.02, 0.98, 1 - 1e-4, 1.0)  # of probability


@lru_cache(maxsize=16)  # each law meets two others
def beta_at_nodes(law: Law, sizes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Quantiles of a distribution at the quadrature nodes, and their weights."""
    if 0 in law:
        return np.array([0.0 if law.a == 0 else 1.0]), np.ones(1)
    nodes, weights = _quantile_nodes(sizes)
    return scipy.special.betaincinv(law.a, law.b, nodes), weights


@lru_cache(maxsize=4)
def _quantile_nodes(sizes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights in each panel of probability, so that the tails have nodes, too."""
    nodes, weights = [], []
    for start, end, n in zip(_PANELS, _PANELS[1:], sizes, strict=False):
        places, sizes_of = np.polynomial.legendre.leggauss(n)
        nodes.append(start + (end - start) * (places + 1) / 2)
        weights.append((end - start) * sizes_of / 2)
    return np.concatenate(nodes), np.concatenate(weights)


def weighted_quantiles(numbers: FloatArray, weights: FloatArray, tails: tuple[float, float]) -> FloatArray:
    """Weighted quantiles, interpolated between finite values."""
    order = np.argsort(numbers)
    ordered, middle = numbers[order], np.cumsum(weights[order]) - weights[order] / 2
    if len(ordered) == 1:
        return np.repeat(ordered, 2)
    after = np.clip(np.searchsorted(middle, tails), 1, len(order) - 1)
    low, high = ordered[after - 1], ordered[after]
    share = np.clip((tails - middle[after - 1]) / (middle[after] - middle[after - 1]), 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        between = low + share * (high - low)
    return np.where(np.isfinite(low) & np.isfinite(high), between, np.where(share < 0.5, low, high))
