"""The reliability table: mean score and event rate by bin."""

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
    """The reliability table: mean score and event rate in bins of scores, with intervals and a verdict.

    At the prevalence of the data the interval of an event rate is Clopper and Pearson's. At another prevalence the rate
    follows from the shares of the positives and of the negatives in the bin, and has the interval of a precision in
    `estimate`. The verdict of a bin also allows for the uncertainty of its mean score: it rests on an interval for the
    ratio of the residuals of positives, 1 - score, to those of negatives, their scores.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1. Event rates are at the curve's prevalence. Scores are not adjusted to it; see
        `Curve.shift_scores` and `prior_effect`. The scores of a bucket are its middle, and ``score_error`` is the
        largest error of a mean score from that.
    bins : int, Bins, list of edges or text
        The bins, by default ten of equal width: `equal_width`, `equal_frequency`, or edges.
    confidence_level : float
        The nominal coverage of each interval.

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
    curve._check_not_sampled("reliability")
    check_calibration_curve(curve, "reliability")
    table = binned(curve, bins)
    rate_low, rate_high = _event_rate_interval(table, curve, level)
    # Šidák's correction, for the level of all bins together.
    low_odds, high_odds = agreeing_odds(curve, table, level ** (1 / max(len(table.n), 1)))
    high, low = curve.odds_against > high_odds, curve.odds_against < low_odds
    off_by = _score_error(curve, table)
    return Reliability(
        low=table.low,
        high=table.high,
        n=table.n,
        pos=table.pos,
        neg=table.neg,
        share=table.share,
        mean_score=table.mean_score,
        event_rate=table.event_rate,
        rate_low=rate_low,
        rate_high=rate_high,
        judgement=np.where(high, TOO_HIGH, np.where(low, TOO_LOW, AGREES)),
        confidence_level=level,
        prevalence=curve.prevalence,
        bins=str(table.bins),
        asked=table.bins.n,
        score_error=float(np.max(off_by, initial=0.0)),
        ece=table.mean_distance,
    )


def check_calibration_curve(curve: Curve, asker: str) -> None:
    """Refuse a curve without probabilities, or without rows of both classes."""
    check_probabilities(curve, asker)
    if curve.missing_class:
        raise MissingInformationError(
            f"{asker} needs rows of both classes, but {curve.missing_class.sentence}; add rows of the other class."
        )


def _score_error(curve: Curve, table: Binned) -> FloatArray:
    """The largest error of the mean score of each bin from buckets."""
    if not curve.bucketed:
        return np.zeros(len(table.n))
    reach = (curve.top - curve.score) / 2
    summed = np.bincount(table.place, weights=reach * (curve.pos + table.odds * curve.neg), minlength=len(table.n))
    return np.asarray(summed / table.mass, np.float64)


def _event_rate_interval(table: Binned, curve: Curve, confidence_level: float) -> Interval:
    """The interval of each event rate: exact at the curve's own prevalence, melded at another one."""
    if curve.given_prevalence is None:
        if not curve.weighted:
            return clopper_pearson(table.pos, table.n, confidence_level)
        return _joined([between(*_in_bin(curve, here).laws, confidence_level) for here in _each(table)])
    low, high = likelihood_ratios(table, curve, confidence_level)
    with np.errstate(invalid="ignore"):  # an infinite ratio is a rate of 1
        return Interval(*(np.where(np.isinf(end), 1.0, end / (end + curve.odds_against)) for end in (low, high)))


def likelihood_ratios(table: Binned, curve: Curve, confidence_level: float) -> Interval:
    """The interval of each bin's likelihood ratio: its share of the positives over its share of the negatives.

    The odds of an event in a bin are this ratio times the odds of the prevalence, so one interval serves all
    prevalences. It is the interval of precision at one half, with the bin as alert.
    """
    known = [
        over_laws(precision, pos.laws, neg.laws, np.ones(1), confidence_level) for pos, neg in _alerts(table, curve)
    ]
    low, high = _joined(known)
    with np.errstate(divide="ignore"):
        return Interval(low / (1 - low), high / (1 - high))


def _alerts(table: Binned, curve: Curve) -> Iterator[tuple[Sides, Sides]]:
    """Positives and negatives in each bin and outside, as if the bin were an alert."""
    if not curve.weighted:
        for pos, neg in zip(table.pos.tolist(), table.neg.tolist(), strict=True):
            yield equal_sides(pos, curve.n_pos - pos), equal_sides(neg, curve.n_neg - neg)
        return
    for here in _each(table):
        yield sides_of(curve.pos, curve.pos_squares, here), sides_of(curve.neg, curve.neg_squares, here)


def _each(table: Binned) -> Iterator[BoolArray]:
    """A mask of the entries of each bin."""
    return (table.place == k for k in range(len(table.n)))


def _in_bin(curve: Curve, here: BoolArray) -> Sides:
    """The rows of a bin, with positives as one side and negatives as the other."""
    return Sides(
        rows_of(curve.pos[here], curve.pos_squares[here]),
        rows_of(curve.neg[here], curve.neg_squares[here]),
    )


def _joined(ends: list[Interval]) -> Interval:
    return Interval(*np.array(ends, np.float64).reshape(-1, 2).T)
