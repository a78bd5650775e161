"""The isotonic reliability curve with its band: rows redrawn many times, and the curve fitted again to each draw."""

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import MissingInformationError
from baserate.formulas.isotonic import isotonic_rates
from baserate.formulas.proportions import Interval
from baserate.progress import progress
from baserate.results import IsotonicReliability
from baserate.uncertainty.picks import check_cases

# Neighbouring scores are pooled, before rows are redrawn, into some so many groups with equal parts of the classes.
_GROUPS = 2000


class _Population(NamedTuple):
    """Where rows are redrawn from, along groups of neighbouring scores, lowest first."""

    rows: Indices
    pos: FloatArray  # positives expected in each
    neg: FloatArray  # negatives expected in each


@checks.declared
def isotonic_reliability(
    curve: Curve,
    *,
    band: Literal["consistency", "confidence"] = "consistency",
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> IsotonicReliability:
    r"""Recalibrated event rates along the scores, without bins to choose, with a band (CORP).

    The rates are the increasing step function nearest to the labels, by pooling adjacent violators. Between two scores
    the curve stays at the lower one's rate.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1 and whole cases, not weights. Rates are read where the curve is; scores are read as
        they are, and of a bucketed curve in the middles of its buckets.
    band : {"consistency", "confidence"}
        "consistency": where the rates would be if the scores were right where the curve is read: labels are redrawn
        from the scores. A rate outside shows miscalibration. "confidence": where the true rates may be: labels are
        redrawn from the rates. How often either holds is in the notes.
    confidence_level : float
        How often the band is to hold at a score, not everywhere at once.
    n_resamples : int
        How many times to redraw.
    rng : Generator or int, optional
        Where random numbers come from; the same seed gives the same band.

    Notes
    -----
    At the data's own prevalence the scores stay and their labels are redrawn. At another one the numbers of positives
    and negatives say nothing about it, so these stay and the scores of each class are redrawn. From where follows from
    Bayes' rule: if p is right at the prevalence :math:`\eta`, then in the data, where positives have the share
    :math:`\pi`, the odds at the score p are :math:`\frac{p}{1 - p} \frac{\pi}{1 - \pi} \frac{1 - \eta}{\eta}`, which
    splits the rows at each score into the two classes.

    More than some 2,000 scores are pooled, before rows are redrawn, into groups of neighbours with equal parts of the
    positives and the negatives. The rates are not touched; the band is constant on a group, and knows nothing of steps
    shorter than that, such as those of the few highest scores.

    In simulations of scores that were right, with 800 to 10,000 rows, the rate at a score was within the 95 %
    consistency band in 94 to 97 % of cases on average, and in 89 to 100 % at single scores. The confidence band held
    the true rate in 93 to 100 % of cases in the middle of the scores, and with some 1,000 rows in as few as 88 %
    towards their ends: it is drawn from steps that the truth does not have.
    Where the lowest scores have no positives, or the highest no negatives, there is no label to redraw, and the band
    ends at the rate that so many rows would hide with no more than the probability of its tail.

    References
    ----------
    Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 2021.
    doi:10.1073/pnas.2016191118.
    Sen, Banerjee & Woodroofe, Inconsistency of bootstrap: the Grenander estimator, Annals of Statistics 2010, on what
    redrawing from steps does. doi:10.1214/09-AOS777.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> found = br.calibration.isotonic_reliability(curve, rng=0)
    >>> bool(found.off.any())
    True
    """
    wanted = checks.one_of(band, ("consistency", "confidence"), "band")
    level, n, generator = (
        checks.confidence_level(confidence_level),
        checks.repeats(n_resamples, "n_resamples"),
        checks.generator(rng),
    )
    check_cases(curve, "isotonic_reliability")
    check_probabilities(curve, "isotonic_reliability")
    if curve.missing_class:
        raise MissingInformationError(
            f"isotonic_reliability needs rows of both classes, and {curve.missing_class.sentence}."
        )
    score, pos, neg = curve.middle[::-1], curve.pos[::-1], curve.neg[::-1]
    weight = curve.negative_weight
    rate = isotonic_rates(pos, np.asarray(weight * neg, np.float64))
    place = _groups(pos, neg)
    population = _population(score if wanted == "consistency" else rate, pos + neg, weight, place)
    fits = (
        _redrawn_at_own(population, n, generator)
        if curve.given_prevalence is None
        else _redrawn_within_classes(population, (int(curve.n_pos), int(curve.n_neg)), weight, n, generator)
    )
    drawn = np.array(list(progress(fits, n, "Redrawing rows")))
    ends = Interval(*np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)[:, place])
    if wanted == "confidence":
        ends = _around(rate, ends, pos + neg, weight, (1 - level) / 2)
    score_error = float(np.max(curve.top - curve.score)) / 2
    return IsotonicReliability(score, rate, *ends, pos + neg, wanted, level, curve.prevalence, score_error)


def _around(rate: FloatArray, drawn: Interval, rows: CountArray, weight: float, tail: float) -> Interval:
    """A band that holds the rates, and does not end at 0 or 1 because there are no labels to redraw."""
    low, high = np.minimum(drawn.low, rate), np.maximum(drawn.high, rate)
    first, last = int(np.searchsorted(rate, 0.0, side="right")), int(np.searchsorted(rate, 1.0))
    # The lowest scores have no positives. The true rate at one of them is at most that of the scores above it, so if it
    # were higher than this, so many rows from it upwards without a positive would be rarer than the tail.
    unseen = _unseen(np.cumsum(rows[:first][::-1], dtype=np.float64)[::-1], tail)
    most = unseen / (unseen + weight * (1 - unseen))
    high[:first] = np.maximum(high[:first], np.minimum(most, high[first]) if first < len(rate) else most)
    # The same for the highest scores, if they have no negatives, downwards.
    unseen = _unseen(np.cumsum(rows[last:], dtype=np.float64), tail)
    least = (1 - unseen) / (1 - unseen + weight * unseen)
    low[last:] = np.minimum(low[last:], np.maximum(least, low[last - 1]) if last > 0 else least)
    return Interval(low, high)


def _unseen(rows: FloatArray, tail: float) -> FloatArray:
    """The share of cases that are not among so many rows with no more than this probability."""
    return np.asarray(-np.expm1(math.log(tail) / rows), np.float64)


def _groups(pos: CountArray, neg: CountArray) -> Indices:
    """The group of each score: by rank where there are few, else by the parts of both classes below."""
    if len(pos) <= _GROUPS:
        return np.arange(len(pos))
    part = pos / pos.sum() + neg / neg.sum()
    middle = np.cumsum(part) - part / 2
    return np.unique((middle * (_GROUPS / 2)).astype(np.intp), return_inverse=True)[1]


def _population(rate: FloatArray, rows: CountArray, weight: float, place: Indices) -> _Population:
    """Rows whose labels have these rates where a negative counts as `weight`, in groups."""
    with np.errstate(divide="ignore"):
        share = 1 / (1 + (1 - rate) / (weight * rate))  # of positives in the data
    pos, neg = (np.bincount(place, rows * part).astype(np.float64, copy=False) for part in (share, 1 - share))
    return _Population(np.bincount(place, rows).astype(np.intp), pos, neg)


def _redrawn_at_own(population: _Population, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Isotonic rates with the labels of each group redrawn."""
    share = np.minimum(population.pos / population.rows, 1.0)
    for _ in range(n):
        pos = rng.binomial(population.rows, share)
        yield isotonic_rates(pos, population.rows - pos)


def _redrawn_within_classes(
    population: _Population, sizes: tuple[int, int], weight: float, n: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Isotonic rates with the scores of each class redrawn.

    Rates that are not those of the data may expect other numbers of positives and negatives than there are. Then what
    is drawn counts for what was expected, so that the draws scatter around these rates.
    """
    expected = float(population.pos.sum()), float(population.neg.sum())
    shares = [part / total if total else part for part, total in zip(population[1:], expected, strict=True)]
    worth = expected[0] / sizes[0], weight * expected[1] / sizes[1]
    for _ in range(n):
        pos, neg = (
            np.asarray(each * (rng.multinomial(size, share) if each else share), np.float64)
            for each, size, share in zip(worth, sizes, shares, strict=True)
        )
        yield isotonic_rates(pos, neg)
