"""Metrics of scores as probabilities: Brier score and log loss."""

import math

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.row_bins import are_many, sums_of_squares
from baserate.curves.table import RowTable
from baserate.errors import InputError
from baserate.formulas import scoring
from baserate.metrics.definition import metric
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, Losses, MetricLaw, Traits, bound_parameters

# Scores are read by their values, not only by their order.
READS_VALUES = frozenset({MetricLaw.MONOTONE})


def clip_of(metric: MetricFunction) -> float:
    """The parameter `clip` of a log loss; 0 for other metrics."""
    return checks.share(bound_parameters(metric).get("clip", 0.0), "clip")


def _squared() -> Losses:
    return Losses(lambda score: (1 - score) ** 2, lambda score: score**2, 1.0)


def _logarithmic(*, clip: float = 0.0) -> Losses:
    nearest = checks.share(clip, "clip")
    with np.errstate(divide="ignore"):
        worst = float(-np.log(nearest))
    return Losses(
        lambda score: scoring.log_costs(score, nearest).positives,
        lambda score: scoring.log_costs(score, nearest).negatives,
        worst,
    )


def _brier_within_buckets(curve: Curve) -> tuple[float, float]:
    neg = curve.neg_as_read
    weight = curve.pos.sum() + neg.sum()
    low = np.sum(curve.pos * (1 - curve.top) ** 2) + np.sum(neg * curve.score**2)
    high = np.sum(curve.pos * (1 - curve.score) ** 2) + np.sum(neg * curve.top**2)
    return float(low / weight), float(high / weight)


def _log_loss_within_buckets(curve: Curve, *, clip: float = 0.0) -> tuple[float, float]:
    neg = curve.neg_as_read
    n_pos, n_neg = float(curve.pos.sum()), float(neg.sum())
    of_pos, of_neg = n_pos / (n_pos + n_neg), n_neg / (n_pos + n_neg)
    of_low, of_top = (scoring.log_loss_by_class(end, curve.pos, curve.neg, clip) for end in (curve.score, curve.top))
    low = of_pos * of_top.positives + of_neg * of_low.negatives
    return low, of_pos * of_low.positives + of_neg * of_top.negatives


@metric(
    label="Brier score",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=READS_VALUES,
    within_buckets=_brier_within_buckets,
    traits=Traits(losses=_squared, parts=scoring.brier_parts),
)
def brier_score(curve: Curve, /) -> float:
    r"""Mean squared distance between score and label.

    .. math:: \eta\,\overline{(1 - p)^2}_+ + (1 - \eta)\,\overline{p^2}_-

    with means over positives and negatives. From 0 to 1, lower is better. At a low prevalence it is small for all small
    scores; `decompose` gives the part that is miscalibration.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1. They are read as they are; `Curve.shift_scores` moves them to another prevalence.

    References
    ----------
    Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 1950.
    doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.

    Examples
    --------
    >>> import baserate as br
    >>> br.brier_score(br.Curve.from_scores([0, 1], [0.5, 0.5]))
    0.25
    """
    if isinstance(curve.table, RowTable) and are_many(curve.table.rows):
        lacks, squares = sums_of_squares(curve.table.rows)
        means = scoring.ClassMeans(scoring.mean_of(lacks, curve.n_pos), scoring.mean_of(squares, curve.n_neg))
        return scoring.mixed(means, curve.n_pos, curve.negative_weight * curve.n_neg)
    return scoring.brier(curve.middle, curve.pos, curve.neg_as_read)


@metric(
    label="log loss",
    family=Family.PROBABILITY,
    bounds=(0.0, math.inf),
    higher_is_better=False,
    breaks=READS_VALUES,
    examples=({}, {"clip": 1e-9}),
    within_buckets=_log_loss_within_buckets,
    traits=Traits(losses=_logarithmic, parts=scoring.log_loss_parts),
)
def log_loss(curve: Curve, /, *, clip: float = 0.0) -> float:
    r"""Mean of minus the logarithm of the predicted probability of the outcome.

    .. math:: -\eta\,\overline{\ln p}_+ - (1 - \eta)\,\overline{\ln(1 - p)}_-

    with means over positives and negatives. From 0 to infinity, lower is better. One positive with the score 0, or one
    negative with the score 1, makes it infinite, unless scores are clipped.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    clip : float
        Scores are clipped to [clip, 1 - clip]; by default they are not. Other tools always clip: scikit-learn at
        2**-52.

    References
    ----------
    Good, Rational decisions, Journal of the Royal Statistical Society B 1952. doi:10.1111/j.2517-6161.1952.tb00104.x.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.log_loss(br.Curve.from_scores([0, 1], [0.5, 0.5])), 4)
    0.6931
    """
    nearest = checks.share(clip, "clip")
    if nearest > 0.5:
        raise InputError(f"clip must be at most 0.5, got {clip!r}; pass a small number such as 1e-15.")
    return scoring.log_loss(curve.middle, curve.pos, curve.neg_as_read, nearest)
