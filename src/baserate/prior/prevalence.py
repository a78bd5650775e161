"""The prevalence of unlabelled rows, estimated from their scores."""

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, Prevalence
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.prior.methods import by_adjusted_count, by_em, by_mixture, examined
from baserate.prior.rows import StretchedRows, side_by_side
from baserate.results.priors import PrevalenceEstimate

METHODS = ("mixture", "em", "adjusted_count")


@checks.declared
def estimate_prevalence(
    curve: Curve,
    unlabelled: ArrayLike | Curve,
    *,
    method: str = "mixture",
    confidence_level: float = 0.95,
    threshold: float | None = None,
    scores_prevalence: Prevalence | None = None,
) -> PrevalenceEstimate:
    r"""Estimate the share of positives among unlabelled rows from their scores, with an interval and a test of fit.

    .. math::

        f(\text{score}) = \eta \, f_1(\text{score}) + (1 - \eta) \, f_0(\text{score})

    Labelled rows give the score distributions of positives and negatives, :math:`f_1` and :math:`f_0`; unlabelled rows
    are a mixture of them. The assumption is prior shift: scores within each class are distributed as before. The test
    of fit rejects if no mixture fits. It cannot detect a change that looks like more, or fewer, positives.

    Parameters
    ----------
    curve : Curve
        The labelled rows, with whatever share of positives. The prevalence that it is read at does not matter.
    unlabelled : column or Curve
        Scores of the unlabelled rows by the same model; or a curve of them, such as from ``br.curve(table, label=None,
        score="p")`` or an `Accumulator`. Labels in that curve are ignored.
    method : str
        - "mixture": maximum likelihood over bins of scores. The shares of both classes in each bin are estimated from
          the labelled rows, with their uncertainty. Scores need not be calibrated.
        - "em": assumes that scores are probabilities calibrated at `scores_prevalence`. The interval is narrower, and
          wrong if they are not; there is a caution if the labelled rows contradict it.
        - "adjusted_count": the share at or above a threshold, corrected for TPR and FPR there,
          ``(q - FPR) / (TPR - FPR)``. It is "mixture" with two bins.
    confidence_level : float
        The nominal coverage of the interval.
    threshold : float, optional
        The threshold of "adjusted_count"; by default the one at which FPR and FNR of the labelled rows are nearest.
    scores_prevalence : float or str, optional
        For "em", the prevalence at which the scores are calibrated: the share of positives that the model was trained
        on. By default that of the labelled rows.

    Returns
    -------
    PrevalenceEstimate
        nan with a reason if a class has no rows, if there are no unlabelled rows, and if all scores are equal.

    Notes
    -----
    The interval is a profile-likelihood interval. The K - 1 shares of each class are nuisance parameters and cost
    degrees of freedom: with n rows in the smaller class, the likelihood ratio is multiplied by (n - K + 1) / n and
    compared with the square of a t-quantile with n - K + 1 degrees of freedom. The test of fit has the same factor and
    K - 2 degrees of freedom, or K - 1 if the estimate is 0 or 1. "em" has no bins and uses chi². Coverage of the
    intervals and power of the test were measured: docs/prevalence-study.md.

    Bins have about equal shares of both classes, at least two labelled rows of each, and never split equal scores.
    There are at most ten, and at most one for every ten unlabelled rows. Buckets of either curve are never split, so
    all counts are exact. For "em" the scores of a bucket are its middle, and the interval covers all scores that they
    may have been. Weighted rows count by their effective sample size.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446, for "em", whose limit is computed directly
    here. Forman (2008), doi:10.1007/s10618-008-0097-y, for "adjusted_count".

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> unlabelled = data["new_model"][data["fraud"] == 0]  # traffic without any fraud
    >>> found = br.prior.estimate_prevalence(curve, unlabelled)
    >>> found.value, found.fits
    (0.0, True)
    """
    checks.one_of(method, METHODS, "method")
    level = checks.confidence_level(confidence_level)
    trusted = _trusted(method, scores_prevalence)
    wanted = _wanted_threshold(method, threshold)
    now = _scores(unlabelled)
    for one in (curve, now):
        one._check_not_sampled("estimate_prevalence")
    rows = side_by_side(curve, now)
    if method == "em":
        _check_probabilities(rows)
        return by_em(examined(rows, level), trusted or rows.curve.own_prevalence or np.nan)
    data = examined(rows, level)
    return by_adjusted_count(data, wanted) if method == "adjusted_count" else by_mixture(data)


def _scores(unlabelled: object) -> Curve:
    if isinstance(unlabelled, Curve):
        return unlabelled
    scores = checks.numbers(unlabelled, "unlabelled")
    return Curve.from_scores(np.zeros(len(scores), np.bool_), scores)


def _trusted(method: str, scores_prevalence: Prevalence | None) -> float | None:
    """The checked prevalence at which scores are calibrated."""
    if scores_prevalence is None:
        return None
    if method != "em":
        raise InputError(
            f'scores_prevalence needs method="em", got method={method!r}; leave it out, or pass method="em".'
        )
    return checks.prevalence(scores_prevalence, "scores_prevalence")


def _wanted_threshold(method: str, threshold: float | None) -> float | None:
    if threshold is None:
        return None
    if method != "adjusted_count":
        raise InputError(
            f'threshold needs method="adjusted_count", got method={method!r}; leave it out, or pass '
            f'method="adjusted_count".'
        )
    return checks.number(threshold, "threshold")


def _check_probabilities(rows: StretchedRows) -> None:
    for given in (rows.curve, rows.now):
        check_probabilities(given, 'method "em"')
