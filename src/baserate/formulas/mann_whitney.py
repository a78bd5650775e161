"""The exact distribution of AUC-ROC if labels and scores are independent, without ties."""

import numpy as np


def mann_whitney_tail(n_pos: int, n_neg: int, n_reached: int) -> float:
    """The probability that at least `n_reached` pairs of a positive and a negative are in the right order."""
    n_missed = n_pos * n_neg - n_reached
    if n_missed <= n_reached:
        return _mann_whitney_below(n_pos, n_neg, n_missed)  # the law is symmetric
    return 1 - _mann_whitney_below(n_pos, n_neg, n_reached - 1)


def _mann_whitney_below(n_pos: int, n_neg: int, most: int) -> float:
    r"""The probability of at most `most` pairs in the right order, if that is at most half of all pairs.

    The orders with u such pairs are counted by the coefficient of :math:`q^u` in
    :math:`\prod_{i \le m} (1 - q^{n+i}) / (1 - q^i)`. Up to half of the pairs, coefficients rise, and the differences
    do not cancel.
    """
    if most < 0:
        return 0.0
    few, many = sorted((n_pos, n_neg))
    law = np.zeros(most + 1, np.longdouble)
    law[0] = 1
    for i in range(1, few + 1):
        law[many + i :] -= law[: -(many + i)].copy()
        in_steps = np.append(law, np.zeros(-len(law) % i, np.longdouble)).reshape(-1, i)
        # Scaled by one of the factors of n choose m at a time, coefficients are probabilities throughout.
        law = np.cumsum(in_steps, axis=0).ravel()[: most + 1] * (np.longdouble(i) / (many + i))
    return float(law.sum())
