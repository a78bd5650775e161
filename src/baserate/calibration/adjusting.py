"""Moving probabilities to another prevalence."""

from numbers import Real
from typing import overload

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray
from baserate.formulas.prior_shift import shifted


@overload
def adjust(scores: float, from_prevalence: float | str, to_prevalence: float | str) -> float: ...


@overload
def adjust(scores: ArrayLike, from_prevalence: float | str, to_prevalence: float | str) -> FloatArray: ...


@checks.declared
def adjust(scores: ArrayLike, from_prevalence: float | str, to_prevalence: float | str) -> float | FloatArray:
    r"""Probabilities that are right at one prevalence, as they should be at another.

    .. math::

        \operatorname{logit} p' = \operatorname{logit} p
            + \operatorname{logit} \eta_\text{to} - \operatorname{logit} \eta_\text{from}

    Exact if positives and negatives each keep their features and only their mix changes. Then no ranking changes, and
    calibrated probabilities stay calibrated. Probabilities that were wrong before are wrong after.

    A threshold moves as the scores do: ``adjust(threshold, …)`` is the one that picks the same rows. A threshold that
    stands for costs, such as 0.5 where both mistakes cost the same, stays where it is and picks other rows.

    Parameters
    ----------
    scores : column or float
        Probabilities between 0 and 1. Certainty stays: 0 and 1 do not move.
    from_prevalence : float or odds
        Where they are right: the share of positives that the model was trained, or recalibrated, on. If it saw
        weighted rows, resampled rows or class weights, the share with these; 0.5 for balanced classes.
    to_prevalence : float or odds
        Where they are to be right.

    Returns
    -------
    array of float64, or float
        A float for a float.

    Notes
    -----
    The order is kept to the last bit. Different scores can become equal where floats are too coarse to tell them
    apart, such as next to 1.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446. Elkan (2001), "The
    foundations of cost-sensitive learning", IJCAI, theorem 2.

    Examples
    --------
    >>> import baserate as br
    >>> br.adjust([0.0, 0.1, 0.5, 0.9, 1.0], from_prevalence=0.5, to_prevalence=0.01).round(4)
    array([0.    , 0.0011, 0.01  , 0.0833, 1.    ])
    >>> round(br.adjust(0.5, "1:1", "1:999"), 4)
    0.001
    """
    before = checks.prevalence(from_prevalence, "from_prevalence")
    after = checks.prevalence(to_prevalence, "to_prevalence")
    if isinstance(scores, Real):
        score = checks.share(scores, "scores")
        return float(adjust([score], before, after)[0])
    probabilities = checks.probabilities(scores, "scores")
    return shifted(probabilities, 1 - probabilities, before, after).share
