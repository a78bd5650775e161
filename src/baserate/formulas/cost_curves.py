"""Expected costs at the best thresholds of a ROC curve, over all ratios of costs.

Points of the upper convex hull are the only ones that are best for some ratio. They are given by their false and true
positive rates, from (0, 0), no alerts, to (1, 1).
"""

from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import Counts, FloatArray, Indices
from baserate.formulas.hull import upper_hull


class HullRates(NamedTuple):
    """The rates on the hull, and the threshold behind each; -1 is the point without alerts."""

    fpr: FloatArray
    tpr: FloatArray
    place: Indices


def hull_rates(fp: Counts, tp: Counts) -> HullRates:
    """The hull of cumulative counts, from the highest threshold down."""
    across, up = (np.concatenate([[0], counts]).astype(np.float64) for counts in (fp, tp))
    kept = upper_hull(across, up)
    fpr, tpr = across[kept] / across[-1], up[kept] / up[-1]
    # Drawn curves have thresholds with next to no rows, whose rates are those of the one before.
    moved = np.append(True, np.diff(fpr) + np.diff(tpr) > 0)
    return HullRates(fpr[moved], tpr[moved], kept[moved] - 1)


def losses(hull: HullRates, at: FloatArray) -> FloatArray:
    """The lowest loss at each share of cost: ``share * (1 - tpr) + (1 - share) * fpr``."""
    share = at[:, np.newaxis]
    return np.asarray((share * (1 - hull.tpr) + (1 - share) * hull.fpr).min(1), np.float64)


def switches(hull: HullRates) -> FloatArray:
    """The shares of cost at which the next point of the hull becomes the best one."""
    run, rise = np.diff(hull.fpr), np.diff(hull.tpr)
    return np.maximum.accumulate(run / (run + rise))  # of points on one line, rounding may swap two


def h_measure(hull: HullRates, prevalence: float, severity: float) -> float:
    """Hand's H: the mean loss over costs, beside the one without a model.

    The relative cost c of a false positive has the density Beta(2, 1 + 1 / severity).
    """
    trivial = HullRates(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([-1, 0]))
    return 1 - _mean_loss(hull, prevalence, severity) / _mean_loss(trivial, prevalence, severity)


def _mean_loss(hull: HullRates, prevalence: float, severity: float) -> float:
    a, b = 2.0, 1 + 1 / severity
    rise, run = prevalence * np.diff(hull.tpr), (1 - prevalence) * np.diff(hull.fpr)
    ends = np.concatenate([[1.0], rise / (rise + run), [0.0]])  # of the costs at which each point is best
    of_false = a / (a + b) * -np.diff(scipy.special.betainc(a + 1, b, ends))
    of_missed = b / (a + b) * -np.diff(scipy.special.betainc(a, b + 1, ends))
    terms = (1 - prevalence) * hull.fpr * of_false + prevalence * (1 - hull.tpr) * of_missed
    return float(terms.sum())
