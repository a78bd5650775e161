"""Clustered rows, such as several of one patient: whole clusters are drawn, not rows."""

import math
from collections.abc import Mapping

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import describe
from baserate.results import Estimate
from baserate.uncertainty import ends, shipped
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cells, between
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings, check_estimable
from baserate.uncertainty.levels import at_level, is_chosen, levels_of, likely_levels
from baserate.uncertainty.methods import searched_for
from baserate.uncertainty.readers import cut_for, has_interval, reading_of, why_no_ends
from baserate.uncertainty.samplers import OfClusters, check_draws

# With fewer clusters than this there is no interval.
_FEWEST = 5


@checks.declared
def cluster_estimate(
    metric: MetricFunction,
    clusters: Mapping[object, Curve],
    *,
    at: Chooser | None = None,
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
        A rule that depends on the data is applied again in every draw.
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
    model: Curve | Point = pooled
    if at is not None and not pooled.missing_class:
        model = rule_from(at).on(pooled)
    if not pooled.missing_class:
        check_estimable(metric, model)
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    check_draws(settings.n_draws, settings.confidence_level)
    value, reason = (math.nan, pooled.missing_class) if pooled.missing_class else evaluate(metric, model)
    n_pos, n_neg = (_worth([float(part) for part in sizes]) for sizes in zip(*_sizes(clusters), strict=True))
    if reason is None and not _enough(clusters):
        reason = Reason.TOO_FEW_CLUSTERS
    interval = Interval(np.full(1, math.nan), np.full(1, math.nan))
    if reason is None:
        if has_interval(metric):
            interval = _melded(metric, model, clusters, settings)
        if np.isnan(interval).any():
            reason = why_no_ends(metric)
    return Estimate(
        metric=describe(metric),
        value=float(value),
        low=float(interval.low[0]),
        high=float(interval.high[0]),
        confidence_level=settings.confidence_level,
        prevalence=pooled.prevalence,
        method=f"melded over {len(clusters):,} clusters" if has_interval(metric) else "none",
        n_pos=n_pos,
        n_neg=n_neg,
        chosen=model.chosen_by if isinstance(model, Point) and is_chosen(model) else None,
        reason=reason,
    )


def _melded(
    metric: MetricFunction, model: Curve | Point, clusters: Mapping[object, Curve], settings: IntervalSettings
) -> Interval:
    """The melded interval; it contains those at all thresholds that the rule may choose in the population."""
    read, x = reading_of(metric, model), np.array([model.odds_against])
    readers = [
        Reader(lambda models: read(models[0], x), of_curves=isinstance(model, Curve)),
        Reader(lambda models: levels_of([model], models), of_curves=False),
    ]
    sign = searched_for(metric, model)
    readers += [] if sign is None else shipped.searched(metric, model, x, sign)
    sampler = OfClusters(clusters, *_cells(metric, model))
    values, levels, *search = drawn(sampler, readers, settings.n_draws, settings.seeds, what="Drawing clusters")
    level, value = settings.confidence_level, np.full(1, evaluate(metric, model)[0])
    interval = ends.melded(values, value, level)
    if sign is not None:
        interval = shipped.let_down(interval, value, level, sign, search)
    places = [at_level(model, at) for (at,) in likely_levels(levels, (1 - level) / 2)]
    return ends.holding(interval, (_melded(metric, place, clusters, settings) for place in places))


def _cells(metric: MetricFunction, model: Curve | Point) -> tuple[Curve, Cells]:
    """The pooled curve, and its cells for the metric."""
    curve = model if isinstance(model, Curve) else model.curve
    assert curve is not None
    if isinstance(model, Point) and not is_chosen(model) and model.threshold is not None:
        return curve, between(curve, np.array([model.threshold]))
    return curve, cut_for(metric, model)(curve, RUNS_PER_LOGIT)


def _sizes(clusters: Mapping[object, Curve]) -> list[tuple[float, float]]:
    return [(curve.n_pos, curve.n_neg) for curve in clusters.values()]


def _enough(clusters: Mapping[object, Curve]) -> bool:
    return all(np.count_nonzero(sizes) >= _FEWEST for sizes in zip(*_sizes(clusters), strict=True))


def _worth(sizes: list[float]) -> float:
    """The effective number of clusters, from their sizes."""
    squares = float(np.square(sizes).sum())
    return sum(sizes) ** 2 / squares if squares else 0.0
