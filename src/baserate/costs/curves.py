"""Cost curves, Brier curves and the H-measure, at the curve's prevalence."""

import numpy as np

from baserate import checks
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import InputError, MissingInformationError
from baserate.formulas import cost_curves
from baserate.metrics.probabilities import brier_score
from baserate.results.costs import CostCurve


@checks.declared
def cost_curve(curve: Curve) -> CostCurve:
    r"""The lowest expected cost over all ratios of costs and prevalences (Drummond and Holte).

    .. math:: \min_t\; s\,(1 - T_t) + (1 - s)\,F_t, \qquad
              s = \frac{\eta\,c_{FN}}{\eta\,c_{FN} + (1 - \eta)\,c_{FP}}

    The share :math:`s` has costs and prevalence in it, so one curve is for all of both. It is straight between the
    shares that are returned, and never above ``min(s, 1 - s)``, which alerts on no rows or on all have.

    References
    ----------
    Drummond & Holte, Cost curves: an improved method for visualizing classifier performance, Machine Learning 65
    (2006). doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.costs.cost_curve(br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]))
    >>> found.share.round(4), found.loss.round(4), found.threshold
    (array([0.    , 0.0617, 0.8257, 1.    ]), array([0.    , 0.0617, 0.1743, 0.    ]), array([inf, 0.9, 0.2, 0.2]))
    """
    hull = _hull(curve, "cost_curve")
    share = np.concatenate([[0.0], cost_curves.switches(hull), [1.0]])
    loss = cost_curves.losses(hull, share)
    thresholds = np.append(np.inf, curve.score)[hull.place + 1] if curve.has_scores else np.full(len(hull.fpr), np.nan)
    area = float(np.sum(np.diff(share) * (loss[1:] + loss[:-1]) / 2))
    return CostCurve(share, loss, np.append(thresholds, thresholds[-1]), area, curve.prevalence)


@checks.declared
def brier_curve(curve: Curve) -> CostCurve:
    r"""The expected cost if scores are believed: a row is an alert if its probability pays for one.

    .. math:: 2\,\bigl(s\,\eta\,(1 - T_{1-s}) + (1 - s)\,(1 - \eta)\,F_{1-s}\bigr)

    where :math:`s` is the cost of a miss over that of both mistakes, so that the threshold is :math:`1 - s`. The area
    below is the Brier score. Between the lowest cost and this one is what miscalibration costs.

    References
    ----------
    Hernández-Orallo, Flach & Ferri, Brier curves: a new cost-based visualisation of classifier performance, ICML 2011.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> round(br.costs.brier_curve(curve).area, 6), round(br.brier_score(curve), 6)
    (0.0833, 0.0833)
    """
    _check(curve, "brier_curve")
    check_probabilities(curve, "brier_curve")
    rates = curve.rates
    # From the threshold 1 down: each score is the first at which its rows are alerts.
    threshold = np.concatenate([[1.0], np.repeat(curve.middle, 2), [0.0]])
    missed, false = (
        np.repeat(np.concatenate([[start], along]), 2) for start, along in ((1.0, rates.fnr), (0.0, rates.fpr))
    )
    share, eta = 1 - threshold, curve.prevalence
    loss = 2 * (share * eta * missed + threshold * (1 - eta) * false)
    return CostCurve(share, loss, threshold, brier_score(curve), eta)


@checks.declared
def h_measure(curve: Curve, *, severity: float | None = None) -> float:
    r"""Hand's H-measure at the curve's prevalence.

    .. math:: H = 1 - \frac{\int L(c)\,u(c)\,dc}{\int L_0(c)\,u(c)\,dc}, \qquad
              L(c) = \min_t\; c\,(1 - \eta)\,F_t + (1 - c)\,\eta\,(1 - T_t)

    where :math:`L_0` is the lowest cost without a model and :math:`u` the density Beta(2, 1 + 1/severity) of the
    relative cost of a false positive. 0 for chance, 1 for a perfect model; unlike AUC-ROC it weighs costs in the same
    way for every model. The best thresholds of a sample are optimistic, so H is a little too high; it has no interval
    yet, because drawn populations are more so: `estimate` puts the value at the lower end of its interval.

    Parameters
    ----------
    curve : Curve
        At its prevalence.
    severity : float, optional
        The cost of a false positive over that of a miss that is most likely; by default the odds of the prevalence, as
        Hand and Anagnostopoulos advise.

    References
    ----------
    Hand, Measuring classifier performance, Machine Learning 77 (2009). doi:10.1007/s10994-009-5119-5. Hand &
    Anagnostopoulos, A better Beta for the H measure, Pattern Recognition Letters 40 (2014).
    doi:10.1016/j.patrec.2013.12.011.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> round(br.costs.h_measure(curve), 4), round(br.costs.h_measure(curve.at_prevalence(0.5)), 4)
    (0.6604, 0.6142)
    """
    hull = _hull(curve, "h_measure")
    eta = curve.prevalence
    likely = eta / (1 - eta) if severity is None else checks.positive_number(severity, "severity")
    return cost_curves.h_measure(hull, eta, likely)


def _hull(curve: Curve, asker: str) -> cost_curves.HullRates:
    _check(curve, asker)
    matrix = curve.confusion
    return cost_curves.hull_rates(matrix.fp, matrix.tp)


def _check(curve: Curve, asker: str) -> None:
    if curve.missing_class:
        raise MissingInformationError(
            f"{asker} needs rows of both classes, but {curve.missing_class.sentence}; add rows of the other class."
        )
    if not len(curve):
        raise InputError(f"{asker} needs thresholds, got none; add rows.")
