"""Moving probabilities to another prevalence."""

from numbers import Real
from typing import overload

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray, Prevalence
from baserate.formulas.prior_shift import shifted


@overload
def adjust(scores: float, from_prevalence: Prevalence, to_prevalence: Prevalence) -> float: ...


@overload
def adjust(scores: ArrayLike, from_prevalence: Prevalence, to_prevalence: Prevalence) -> FloatArray: ...


@checks.declared
def adjust(scores: ArrayLike, from_prevalence: Prevalence, to_prevalence: Prevalence) -> float | FloatArray:
    r"""Adjust probabilities that are calibrated at one prevalence to another prevalence.

    .. math::

        \operatorname{logit} p' = \operatorname{logit} p
            + \operatorname{logit} \eta_\text{to} - \operatorname{logit} \eta_\text{from}

    This is exact under prior shift: the features within each class stay as they are, and only the mix of the classes
    changes. The ranking does not change, and calibrated probabilities stay calibrated. Miscalibrated ones stay
    miscalibrated.

    ``adjust(threshold, …)`` is the threshold that selects the same rows. A threshold that follows from costs, such as
    0.5 for equal costs, does not move, and then selects other rows.

    Parameters
    ----------
    scores : column or float
        Probabilities between 0 and 1; 0 and 1 stay as they are.
    from_prevalence : float or str
        The prevalence at which they are calibrated: the share of positives in the data that the model was trained or
        recalibrated on, after resampling, sample weights and class weights; 0.5 for balanced classes.
    to_prevalence : float or str
        The prevalence to adjust to.

    Returns
    -------
    array of float64, or float
        A float for a float.

    Notes
    -----
    The order is kept exactly. Different scores may become equal where floats are too coarse, such as near 1.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446. Elkan (2001), "The
    foundations of cost-sensitive learning", IJCAI, theorem 2.

    Examples
    --------
    >>> import baserate as br
    >>> br.adjust([0.0, 0.1, 0.5, 0.9, 1.0], from_prevalence=0.5, to_prevalence=0.01).round(4)
    array([0.    , 0.0011, 0.01  , 0.0833, 1.    ])
    >>> round(br.adjust(0.5, "1 in 2", "1:999"), 4)
    0.001
    """
    before = checks.prevalence(from_prevalence, "from_prevalence")
    after = checks.prevalence(to_prevalence, "to_prevalence")
    if isinstance(scores, Real):
        score = checks.share(scores, "scores")
        return float(adjust([score], before, after)[0])
    probabilities = checks.probabilities(scores, "scores")
    return shifted(probabilities, 1 - probabilities, before, after).share
