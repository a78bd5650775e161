"""What the prevalence is now, from scores without labels."""

import numpy as np

from baserate import checks
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.prior.methods import by_adjusted_count, by_em, by_mixture, examined
from baserate.prior.rows import Rows, side_by_side
from baserate.results.priors import PrevalenceEstimate

METHODS = ("mixture", "em", "adjusted_count")


@checks.declared
def estimate_prevalence(
    curve: Curve,
    unlabelled: object,
    *,
    method: str = "mixture",
    confidence_level: float = 0.95,
    threshold: float | None = None,
    scores_prevalence: float | str | None = None,
) -> PrevalenceEstimate:
    r"""The share of positives among rows that have scores and no labels, with an interval and a check.

    .. math::

        f(\text{score}) = \eta \, f_1(\text{score}) + (1 - \eta) \, f_0(\text{score})

    Labelled rows show how positives and negatives score, :math:`f_1` and :math:`f_0`; unlabelled rows show the mix. The
    assumption is that only the mix has changed: scores within each class are distributed as they were. The check says
    whether any mix fits at all. It cannot see a change that looks like more, or fewer, positives.

    Parameters
    ----------
    curve : Curve
        Labelled rows, with the share of positives they happen to have. Where it is read does not matter.
    unlabelled : column or Curve
        Scores of the unlabelled rows, by the same model; or a curve of them, such as ``br.curve(table, label=None,
        score="p")`` or an `Accumulator` makes. Labels in that curve are not looked at.
    method : str
        - "mixture": maximum likelihood over bins of the scores, with the shares of both classes in each bin as
          uncertain as the labelled rows leave them. Any scores will do, calibrated or not.
        - "em": the scores are trusted to be probabilities that are right at `scores_prevalence`. Narrower, and wrong if
          they are not; a caution says when the labelled rows contradict it.
        - "adjusted_count": the share at or above a threshold, corrected for the rates of true and false positives
          there, ``(q - FPR) / (TPR - FPR)``. It is "mixture" with two bins.
    confidence_level : float
        How often the interval is to hold what is true.
    threshold : float, optional
        Where "adjusted_count" counts. Unless told, where false positives and false negatives are equally frequent
        within their classes in the labelled rows.
    scores_prevalence : float or odds, optional
        Where the scores are right, for "em": the share of positives the model was trained on. Unless told, that of
        the labelled rows.

    Returns
    -------
    PrevalenceEstimate
        nan with a reason without rows of a class, without unlabelled rows, and where all scores are one.

    Notes
    -----
    The interval holds the prevalences that a likelihood ratio does not reject, all else being as likely as it can be.
    What is estimated along the way, K - 1 shares of each class, costs degrees of freedom: with n rows in the smaller
    class the ratio is taken down by (n - K + 1) / n and compared with the square of a t-quantile with n - K + 1 of
    them. The same factor is in the check, which has K - 2 degrees of freedom, or K - 1 if the prevalence comes out as
    0 or 1. "em" has no bins and uses chi². How often the intervals hold, and what the check sees and does not see, was
    measured: docs/prevalence-study.md.

    Bins hold about equal shares of both classes, at least two labelled rows of each, and never split equal scores.
    There are ten at most, and no more than one for ten unlabelled rows. Curves with buckets are cut only where no
    bucket of either is split, so all counts are exact; for "em" the unlabelled scores are taken in the middle of their
    buckets, and the interval reaches from where it would begin with the lowest of them to where it would end with the
    highest. Rows with weights count as an effective number of equal ones.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446, for "em", of which this is the limit, found
    directly. Forman (2008), doi:10.1007/s10618-008-0097-y, for "adjusted_count".

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
    rows = side_by_side(curve, _scores(unlabelled))
    if method == "em":
        _check_probabilities(rows)
        return by_em(examined(rows, level), trusted or rows.curve.own_prevalence or np.nan)
    found = examined(rows, level)
    return by_adjusted_count(found, wanted) if method == "adjusted_count" else by_mixture(found)


def _scores(unlabelled: object) -> Curve:
    if isinstance(unlabelled, Curve):
        return unlabelled
    scores = checks.numbers(unlabelled, "unlabelled")
    return Curve.from_scores(np.zeros(len(scores), np.bool_), scores)


def _trusted(method: str, scores_prevalence: float | str | None) -> float | None:
    """Where scores are said to be right."""
    if scores_prevalence is None:
        return None
    if method != "em":
        raise InputError(
            f'scores_prevalence is for method="em", got it with method={method!r}; leave it out, or choose "em".'
        )
    return checks.prevalence(scores_prevalence, "scores_prevalence")


def _wanted_threshold(method: str, threshold: float | None) -> float | None:
    if threshold is None:
        return None
    if method != "adjusted_count":
        raise InputError(
            f'threshold is for method="adjusted_count", got it with method={method!r}; leave it out, or choose '
            f'"adjusted_count".'
        )
    return checks.number(threshold, "threshold")


def _check_probabilities(rows: Rows) -> None:
    for given in (rows.curve, rows.now):
        check_probabilities(given, 'method "em"')
