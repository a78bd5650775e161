"""TrueRates at a threshold, corrected for labels that are sometimes wrong, with intervals.

Every number of the interval is drawn: labelled rows as gamma variables, as in populations that a curve is drawn from,
and error rates as Beta variables. As in melding, unseen rows are placed where they lower a rate most, for the lower
end, and where they raise it most, for the upper end: one labelled positive, one labelled negative, and one right or
wrong label in each class of those that error rates come from.
"""

from collections.abc import Mapping

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.point import Point
from baserate.errors import MissingInformationError, Reason
from baserate.formulas.mislabelled import for_and_against, rates_of
from baserate.labels.errors import LabelErrors, by_score
from baserate.labels.seen import SeenLabels
from baserate.labels.tables import rows_around
from baserate.labels.unseen import with_unseen
from baserate.results.mislabelled import CorrectedRate, CorrectedRates

# Labels and error rates contradict each other if a count is negative with this part of the chance outside an interval.
_CONTRADICTED = 0.25


@checks.declared
def corrected(
    point: Point,
    errors: LabelErrors | Mapping[float, LabelErrors],
    *,
    may_follow_score: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> CorrectedRates:
    r"""Prevalence, recall, false positive rate and precision of a threshold, corrected for wrong labels.

    .. math::

        P = \frac{\text{Sp} \, p - (1 - \text{Sp}) \, n}{\text{Se} + \text{Sp} - 1}

    Of p rows labelled positive and n labelled negative, P are positive, if labels have the sensitivity Se and the
    specificity Sp (Rogan and Gladen). The rows above the threshold and those below it are corrected each.

    Parameters
    ----------
    point : Point
        A threshold, read at a prevalence. The corrected prevalence is that of the rows; precision is read at the
        prevalence given by `at_prevalence`, or else at the corrected one.
    errors : LabelErrors or mapping
        The error rates. If they depend on the score, the lowest score of each range with its rates:
        ``{0.5: LabelErrors(0.95, 0.9), -math.inf: LabelErrors(0.7, 0.99)}``.
    may_follow_score : bool
        Whether errors may be more frequent at some scores than at others, within a range and a class. Then there are
        bounds instead of values, and the interval contains both.
    confidence_level : float
        The nominal coverage of the intervals.
    n_resamples : int
        The number of draws.
    rng : Generator or int, optional
        The random generator, or its seed.

    Returns
    -------
    CorrectedRates
        The four rates. A rate is nan with a reason if these labels and these error rates cannot both be true, or if it
        is undefined.

    Notes
    -----
    Recall depends on the specificity only, and the false positive rate on the sensitivity only, if there are no ranges
    of scores. Errors are taken to be independent of the score within each class and range. A judge that sees the score,
    or sees what the model sees, makes errors that follow it: then set `may_follow_score`.

    With known error rates, the intervals of the prevalence and of precision at it are Clopper and Pearson's,
    corrected. With labels that are never wrong, those of recall and the false positive rate are Clopper and Pearson's,
    too. ``make label-errors-study`` measures how often the intervals hold.

    References
    ----------
    Rogan & Gladen, Estimating prevalence from the results of a screening test, American Journal of Epidemiology 1978.
    doi:10.1093/oxfordjournals.aje.a112510.
    Lang & Reiczigel, Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity,
    Preventive Veterinary Medicine 2014. doi:10.1016/j.prevetmed.2013.09.015.
    Fay, Proschan & Brittain, Combining one-sample confidence procedures for inference in the two-sample case,
    Biometrics 2015. doi:10.1111/biom.12231.

    Examples
    --------
    >>> import baserate as br
    >>> judge = br.labels.LabelErrors.from_double_labelled(tp=90, fn=10, fp=4, tn=396)
    >>> point = br.Point.from_counts(tp=300, fp=100, fn=200, tn=9_400)
    >>> found = br.labels.corrected(point, judge, rng=0)
    >>> round(found.recall.value, 3), round(found.precision.value, 3)
    (0.74, 0.831)
    """
    _check_given(point)
    level, n_draws = checks.confidence_level(confidence_level), checks.repeats(n_resamples, "n_resamples")
    ranges = by_score(errors)
    rows = rows_around(point, [lowest for lowest, _ in ranges])
    given = None if point.given_prevalence is None else point.odds_against
    seen = SeenLabels.of(rows, [one for _, one in ranges], may_follow_score=may_follow_score, odds_against=given)
    random = checks.generator(rng)
    draws = seen.drawn(n_draws, random), random.standard_gamma(1.0, (n_draws, 4))
    labelled = rates_of(seen.as_labelled(), given)._asdict()
    found = [_rate(name, seen, draws, level, float(value)) for name, value in labelled.items()]
    if any(one.reason is Reason.LABELS_CONTRADICTED for one in found):
        found = [CorrectedRate(one.rate, labelled=one.labelled, reason=Reason.LABELS_CONTRADICTED) for one in found]
    return CorrectedRates(
        tuple(found),
        errors="; ".join(f"{one} from {low:.6g} up" if np.isfinite(low) else str(one) for low, one in ranges),
        read_at=point.given_prevalence,
        n_labelled=int(rows.pos.sum() + rows.neg.sum()),
        confidence_level=level,
    )


def _check_given(point: Point) -> None:
    """Refuse a threshold that was searched for: it is better on these rows than on others."""
    if point.chosen is not None and point.chosen.searches:
        raise MissingInformationError(
            "correcting for wrong labels is not available at a threshold that was searched for on the same rows; "
            "choose the threshold by recall, or give it."
        )


def _rate(
    name: str, seen: SeenLabels, draws: tuple[SeenLabels, FloatArray], level: float, labelled: float
) -> CorrectedRate:
    """One corrected rate with its interval."""
    reason = _undefined(name, seen)
    if reason is not None:
        return CorrectedRate(name, labelled=labelled, reason=reason)
    exact = [seen.true_counts(name, high=high) for high in (False, True)]
    least, most = (float(seen.read(name, true)) for true in exact)
    ends, tail = [], (1 - level) / 2
    for high in (False, True):
        true = with_unseen(name, seen, *draws, high=high).true_counts(name, high=high)
        if (for_and_against(name, true)[not high] < 0).mean() > 1 - _CONTRADICTED * tail:
            return CorrectedRate(name, labelled=labelled, reason=Reason.LABELS_CONTRADICTED)
        drawn = seen.read(name, true)
        drawn = np.where(np.isnan(drawn), float(high), drawn)  # it may be anything
        ends.append(float(np.quantile(drawn, 1 - tail if high else tail)))
    low, high_end = float(np.fmin(ends[0], least)), float(np.fmax(ends[1], most))
    if np.isnan(least) or np.isnan(most):
        return CorrectedRate(name, low=low, high=high_end, labelled=labelled, reason=Reason.NOTHING_LEFT)
    cut = any(min(for_and_against(name, true)) < 0 for true in exact)
    one_number = bool(np.isclose(least, most, rtol=1e-9, atol=0))  # such as the prevalence, wherever errors are
    value, reason = (least, None) if one_number else (float("nan"), Reason.ERRORS_MAY_FOLLOW_SCORE)
    return CorrectedRate(name, value, least, most, low, high_end, labelled, cut, reason)


def _undefined(name: str, seen: SeenLabels) -> Reason | None:
    """Why a rate is undefined whatever the errors, if it is."""
    above, below = seen.rows.not_known
    of_alerts = name == "precision" and seen.odds_against is None
    if above or (below and not of_alerts):
        return Reason.NOT_LABELLED
    labelled = seen.rows.pos + seen.rows.neg
    if not labelled.sum():
        return Reason.NO_ROWS
    return Reason.NO_ALERTS if name == "precision" and not labelled[..., 0].sum() else None
