"""The calibration error at another prevalence: the part that the prior explains, and the rest."""

from baserate import checks
from baserate.arrays import Prevalence
from baserate.calibration.reliability import check_calibration_curve
from baserate.curves.bins import BinsLike, binned
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.formulas.prior_shift import shifted
from baserate.results.reliability import PriorEffect


@checks.declared
def prior_effect(curve: Curve, *, bins: BinsLike = 10, from_prevalence: Prevalence | None = None) -> PriorEffect:
    """Split the calibration error at another prevalence into the part that `adjust` would remove, and the rest.

    Scores that are calibrated at one prevalence are miscalibrated at another, all in one direction. Under prior shift
    `adjust` calibrates them again. The prior part is the error of the scores minus that of the adjusted scores, over
    the same rows in each bin; the rest is due to the shape of the scores.

    Parameters
    ----------
    curve : Curve
        The curve at the other prevalence, from ``curve.at_prevalence``.
    bins : int, Bins, list of edges or text
        The bins of the scores before adjusting; by default ten of equal width.
    from_prevalence : float or str, optional
        The prevalence at which the scores are calibrated; by default the curve's own.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[10, 50, 90], neg=[90, 50, 10])
    >>> found = br.calibration.prior_effect(curve.at_prevalence(0.1))
    >>> round(found.ece, 4), round(found.prior_part, 4), round(found.shape, 4)
    (0.2293, 0.2293, 0.0)
    >>> found.event_rate.round(4), found.shifted_score.round(4)
    (array([0.0122, 0.1   , 0.5   ]), array([0.0122, 0.1   , 0.5   ]))
    """
    curve._check_not_sampled("prior_effect")
    check_calibration_curve(curve, "prior_effect")
    if curve.given_prevalence is None:
        raise InputError(
            "prior_effect needs a curve at another prevalence, got one at its own; call curve.at_prevalence first."
        )
    origin = curve.own_prevalence if from_prevalence is None else checks.prevalence(from_prevalence, "from_prevalence")
    assert origin is not None  # a curve with scores has counts
    middle = curve.middle
    before = binned(curve.at_prevalence(origin), bins)
    as_they_are = binned(curve, bins)
    moved = binned(curve, bins, scores=shifted(middle, 1 - middle, origin, curve.prevalence).share)
    return PriorEffect(
        ece_before=before.mean_distance,
        ece=as_they_are.mean_distance,
        ece_shifted=moved.mean_distance,
        from_prevalence=origin,
        prevalence=curve.prevalence,
        low=as_they_are.low,
        high=as_they_are.high,
        share=as_they_are.share,
        mean_score=as_they_are.mean_score,
        shifted_score=moved.mean_score,
        event_rate_before=before.event_rate,
        event_rate=as_they_are.event_rate,
        bins=str(as_they_are.bins),
    )
