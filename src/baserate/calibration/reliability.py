"""Scores against event rates, bin by bin."""

from collections.abc import Iterator

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray, FloatArray
from baserate.calibration.agreement import agreeing_odds
from baserate.curves.bins import Binned, BinsLike, binned, check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import MissingInformationError
from baserate.formulas.proportions import Interval, between, clopper_pearson
from baserate.formulas.weighted_means import Sides, equal_sides
from baserate.metrics.predictive import precision
from baserate.results.reliability import AGREES, TOO_HIGH, TOO_LOW, Reliability
from baserate.uncertainty.points import over_laws, rows_of, sides_of


@checks.declared
def reliability(curve: Curve, *, bins: BinsLike = 10, confidence_level: float = 0.95) -> Reliability:
    """What the scores say and what happens, in bins of scores, with intervals and a verdict.

    At the data's own prevalence the interval of an event rate is Clopper and Pearson's. Elsewhere the rate follows from
    the shares that the bin has of the positives and of the negatives, and the interval is that of `estimate` for a
    precision. The judgement also knows that the mean score is uncertain: it compares by how much positives fall short
    of 1, added up, and negatives exceed 0, and asks where the ratio of these sums is known to be off.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1. Event rates are read where the curve is; scores are never moved here, see
        `Curve.shift_scores` and `prior_effect`. On a bucketed curve scores are taken in the middle of their buckets,
        and ``score_error`` says how far that can be off.
    bins : int, Bins, list of edges or text
        How to cut the scores: ten bins of equal width unless told; `equal_width`, `equal_frequency`, or edges.
    confidence_level : float
        How often each interval is to hold.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> found = br.reliability(curve, bins=br.calibration.equal_frequency(5))
    >>> found.leaning
    'too low'
    """
    level = checks.confidence_level(confidence_level)
    check_curve(curve, "reliability")
    found = binned(curve, bins)
    rate_low, rate_high = _event_rate_interval(found, curve, level)
    # Šidák: intervals at this level hold in all bins together, as often as one is to hold.
    low_odds, high_odds = agreeing_odds(curve, found, level ** (1 / max(len(found.n), 1)))
    high, low = curve.odds_against > high_odds, curve.odds_against < low_odds
    off_by = _score_error(curve, found)
    return Reliability(
        low=found.low,
        high=found.high,
        n=found.n,
        pos=found.pos,
        neg=found.neg,
        share=found.share,
        mean_score=found.mean_score,
        event_rate=found.event_rate,
        rate_low=rate_low,
        rate_high=rate_high,
        judgement=np.where(high, TOO_HIGH, np.where(low, TOO_LOW, AGREES)),
        confidence_level=level,
        prevalence=curve.prevalence,
        bins=str(found.bins),
        asked=found.bins.n,
        score_error=float(np.max(off_by, initial=0.0)),
        ece=found.mean_distance,
    )


def check_curve(curve: Curve, asker: str) -> None:
    """Refuse what has no probabilities, or not both classes."""
    check_probabilities(curve, asker)
    if curve.missing_class:
        raise MissingInformationError(f"{asker} needs rows of both classes, and {curve.missing_class.sentence}.")


def _score_error(curve: Curve, found: Binned) -> FloatArray:
    """How far the mean score of each bin may be off, given which rows are in it."""
    reach = (curve.top - curve.score) / 2
    summed = np.bincount(found.place, weights=reach * (curve.pos + found.odds * curve.neg), minlength=len(found.n))
    return np.asarray(summed / found.mass, np.float64)


def _event_rate_interval(found: Binned, curve: Curve, confidence_level: float) -> Interval:
    """The interval of each event rate: exact at the own prevalence, melded from two shares elsewhere."""
    if curve.given_prevalence is None:
        if not curve.weighted:
            return clopper_pearson(found.pos, found.n, confidence_level)
        return _joined([between(*_in_bin(curve, here).laws, confidence_level) for here in _each(found)])
    low, high = likelihood_ratios(found, curve, confidence_level)
    with np.errstate(invalid="ignore"):  # an infinite ratio is certainty
        return Interval(*(np.where(np.isinf(end), 1.0, end / (end + curve.odds_against)) for end in (low, high)))


def likelihood_ratios(found: Binned, curve: Curve, confidence_level: float) -> Interval:
    """How many times likelier a positive is to be in each bin than a negative: the interval of that.

    The odds of an event in a bin are this ratio times the odds of the prevalence, so one interval serves all
    prevalences. It is that of the precision of alerting on the bin, at one half.
    """
    known = [
        over_laws(precision, pos.laws, neg.laws, np.ones(1), confidence_level) for pos, neg in _alerts(found, curve)
    ]
    low, high = _joined(known)
    with np.errstate(divide="ignore"):
        return Interval(low / (1 - low), high / (1 - high))


def _alerts(found: Binned, curve: Curve) -> Iterator[tuple[Sides, Sides]]:
    """Positives and negatives in each bin and elsewhere: an alert on the bin."""
    if not curve.weighted:
        for pos, neg in zip(found.pos.tolist(), found.neg.tolist(), strict=True):
            yield equal_sides(pos, curve.n_pos - pos), equal_sides(neg, curve.n_neg - neg)
        return
    for here in _each(found):
        yield sides_of(curve.pos, curve.pos_squares, here), sides_of(curve.neg, curve.neg_squares, here)


def _each(found: Binned) -> Iterator[BoolArray]:
    """The entries of each bin."""
    return (found.place == k for k in range(len(found.n)))


def _in_bin(curve: Curve, here: BoolArray) -> Sides:
    """The rows of a bin, positives above and negatives below."""
    return Sides(
        rows_of(curve.pos[here], curve.pos_squares[here]),
        rows_of(curve.neg[here], curve.neg_squares[here]),
    )


def _joined(ends: list[Interval]) -> Interval:
    return Interval(*np.array(ends, np.float64).reshape(-1, 2).T)
