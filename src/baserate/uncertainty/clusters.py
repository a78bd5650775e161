"""Clustered rows, such as several of one patient: whole clusters are drawn, not rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import describe
from baserate.results import Estimate
from baserate.uncertainty.estimate import IntervalSettings, check_estimable, estimates, is_again
from baserate.uncertainty.methods import (
    CORRECTED,
    MELDED,
    NOTHING,
    AtGiven,
    Estimand,
    FromDraws,
    HowRowsCame,
    Method,
    made,
    methods,
)
from baserate.uncertainty.samplers import OfClusters

# With fewer clusters than this there is no interval.
_FEWEST = 5


@checks.declared
def cluster_estimate(
    metric: MetricFunction,
    clusters: Mapping[object, Curve],
    *,
    at: Chooser | None = None,
    about: Literal["threshold", "rule"] = "threshold",
    prevalence: float | str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Estimate:
    """A metric of the pooled rows with an interval that accounts for clusters.

    Rows of one patient, account or day are correlated, and an interval that assumes independence is too narrow. Here
    populations are drawn as for `estimate`, but all rows of a cluster share one weight, and the free mass is one more
    cluster.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    clusters : mapping of id to Curve
        The rows of each cluster.
    at : Rule, str or function, optional
        For pointwise metrics, the rule that chooses the operating point on the pooled curve, such as "threshold=0.5".
    about : {"threshold", "rule"}
        What the interval is about, if the rule depends on the data: "threshold", the performance of the chosen
        threshold on new clusters, or "rule", the point that the rule would choose in the population, as in `estimate`.
    prevalence : float or str, optional
        The prevalence to read at, such as 0.001 or "1 in 1,000"; by default the share of positives among all rows.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Estimate
        Its `n_pos` and `n_neg` are effective numbers of clusters, since clusters are the cases here. If fewer than five
        clusters have positives, or negatives, the interval is nan with a reason.

    References
    ----------
    Field & Welsh, Bootstrapping clustered data, Journal of the Royal Statistical Society B 2007.
    doi:10.1111/j.1467-9868.2007.00593.x.

    Examples
    --------
    >>> import baserate as br
    >>> import numpy as np
    >>> data = br.examples.payments()
    >>> fraud, score, month = (np.asarray(data[name]) for name in ("fraud", "new_model", "month"))
    >>> months = {m: br.Curve.from_scores(fraud[month == m], score[month == m]) for m in np.unique(month)}
    >>> found = br.cluster_estimate(br.average_precision, months, rng=0)
    >>> found.low < found.value < found.high
    True
    """
    if not isinstance(clusters, Mapping) or not clusters or not all(isinstance(c, Curve) for c in clusters.values()):
        raise InputError(
            f"clusters must be a non-empty mapping of ids to Curves, got {type(clusters).__name__}; pass one such as "
            f"br.curves_by returns."
        )
    pooled = Curve.pool(clusters.values())
    if prevalence is not None:
        pooled = pooled.at_prevalence(prevalence)
    sizes = np.array([(curve.n_pos, curve.n_neg) for curve in clusters.values()], np.float64).T
    n_pos, n_neg = map(_worth, sizes)
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    if pooled.missing_class:
        facts = confidence_level, pooled.prevalence, "none", n_pos, n_neg
        return Estimate(describe(metric), math.nan, math.nan, math.nan, *facts, reason=pooled.missing_class)
    model = pooled if at is None else rule_from(at).on(pooled)
    check_estimable(metric, model)
    enough = bool((np.count_nonzero(sizes, axis=1) >= _FEWEST).all())
    estimand = Estimand(metric, model, np.array([model.odds_against]), again=is_again(model, about))
    ((estimated,),) = estimates([estimand], settings, rows=_in_clusters(clusters, settings, enough=enough))
    known = estimated.method in ("constant", "none")
    return replace(
        estimated,
        method=estimated.method if known else f"{estimated.method} over {len(clusters):,} clusters",
        n_pos=n_pos,
        n_neg=n_neg,
        reason=estimated.reason if enough or math.isnan(estimated.value) else Reason.TOO_FEW_CLUSTERS,
    )


def _in_clusters(clusters: Mapping[object, Curve], settings: IntervalSettings, *, enough: bool) -> HowRowsCame:
    """Rows that came in clusters: intervals at given thresholds are drawn, too."""

    def available(estimand: Estimand) -> Mapping[str, Method]:
        name = next(iter(methods(estimand)))
        if name in ("constant", "none"):
            return methods(estimand)
        if not enough:
            return {"melded": NOTHING}
        if name == "corrected":
            return {name: CORRECTED}
        at_a_threshold = isinstance(estimand.at, Point) and not estimand.again
        return {"melded": _SHIPPED if at_a_threshold else methods(estimand)["melded"]}

    def at_given(estimand: Estimand, place: Point, confidence_level: float) -> Interval:
        (interval,) = made([(estimand._replace(at=_given(place)), MELDED)], rows, confidence_level, *settings[1:])
        return interval

    rows = HowRowsCame(available, lambda curve, cells, _: OfClusters(clusters, curve, cells), at_given)
    return rows


def _given(place: Point) -> Point:
    """The threshold of a point, as if it had been given."""
    assert place.curve is not None
    assert place.threshold is not None
    return place.curve.at_threshold(place.threshold)


def _as_shipped(estimand: Estimand, confidence_level: float, _: Sequence[FloatArray], at_given: AtGiven) -> Interval:
    """The interval at the threshold of a point, however it was chosen."""
    assert isinstance(estimand.at, Point)
    return at_given(estimand, estimand.at, confidence_level)


_SHIPPED = FromDraws(lambda _: (), _as_shipped)


def _worth(sizes: FloatArray) -> float:
    """The effective number of clusters, from their sizes."""
    return float(sizes.sum() ** 2 / np.square(sizes).sum()) if sizes.any() else 0.0
