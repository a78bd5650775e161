"""Rows that come in clusters, such as several of one patient: whole clusters are drawn, not rows."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import describe
from baserate.results import Estimate
from baserate.uncertainty import intervals
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.draws import Drawn, Masses, check_draws, chunks, optimist, pessimist
from baserate.uncertainty.estimate import check_estimable
from baserate.uncertainty.levels import at_level, holding, is_chosen, levels_of, likely_levels
from baserate.uncertainty.means import drawn_cluster_means, has_interval, losses_of, why_no_ends
from baserate.uncertainty.methods import searched_for
from baserate.uncertainty.pairing import cell_of
from baserate.uncertainty.replicates import cells_for, values
from baserate.uncertainty.rules import Rule, chosen_on

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# With fewer clusters than this nothing can be said about the next one.
_FEWEST = 5


def cluster_estimate(
    metric: MetricFunction,
    clusters: Mapping[object, Curve],
    *,
    at: Rule | None = None,
    prevalence: float | str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Estimate:
    """A metric of the pooled rows with an interval that knows they come in clusters.

    Rows of one patient, account or day resemble each other, and an interval that takes them for independent is too
    narrow. Here populations are drawn as for `estimate`, but a cluster gets one weight for all its rows, and what is
    not placed is one more cluster.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    clusters : mapping of id to Curve
        The rows of each cluster.
    at : callable, optional
        For pointwise metrics, how to choose the operating point on the pooled curve, such as
        ``lambda curve: curve.at_threshold(0.5)``; a threshold chosen on the data is chosen again in every draw.
    prevalence : float or odds, optional
        Where to read the pooled curve; without it, at the share of positives among all rows.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Estimate
        Its `n_pos` and `n_neg` are the numbers of clusters that each class is worth, as clusters are the cases here.
        With fewer than five clusters that have positives, or negatives, the interval is nan with a reason.

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
        raise InputError(f"clusters must be a mapping of ids to Curves, got {type(clusters).__name__}; pass one.")
    pooled = Curve.pool(clusters.values())
    if prevalence is not None:
        pooled = pooled.at_prevalence(prevalence)
    model: Curve | Point = pooled
    if at is not None and not pooled.missing_class:
        model = chosen_on(pooled, at)
    if not pooled.missing_class:
        check_estimable(metric, model)
    level, generator = checks.confidence_level(confidence_level), checks.generator(rng)
    n_draws = checks.whole_number(n_resamples, "n_resamples")
    check_draws(n_draws, level)
    value, reason = (math.nan, pooled.missing_class) if pooled.missing_class else evaluate(metric, model)
    n_pos, n_neg = (_worth([float(part) for part in sizes]) for sizes in zip(*_sizes(clusters), strict=True))
    if reason is None and not _enough(clusters):
        reason = Reason.TOO_FEW_CLUSTERS
    ends = Interval(np.full(1, math.nan), np.full(1, math.nan))
    if reason is None:
        if has_interval(metric):
            asked = _Asked(metric, clusters, level, n_draws, generator)
            ends = _melded(asked, model, _values(asked, model))
        if np.isnan(ends).any():
            reason = why_no_ends(metric)
    return Estimate(
        metric=describe(metric),
        value=float(value),
        low=float(ends.low[0]),
        high=float(ends.high[0]),
        confidence_level=level,
        prevalence=pooled.prevalence,
        method=f"melded over {len(clusters):,} clusters" if has_interval(metric) else "none",
        n_pos=n_pos,
        n_neg=n_neg,
        chosen=str(model.chosen) if isinstance(model, Point) and is_chosen(model) else None,
        reason=reason,
    )


class _Asked(NamedTuple):
    """The question, checked."""

    metric: MetricFunction
    clusters: Mapping[object, Curve]
    confidence_level: float
    n_draws: int
    rng: np.random.Generator


class _Sides(NamedTuple):
    """The metric in drawn populations, as a pessimist and as an optimist sees it, or the reverse for a loss."""

    values: tuple[FloatArray, FloatArray]
    levels: list[FloatArray]  # that a rule has chosen, where scores are discrete


def _melded(asked: _Asked, model: Curve | Point, sides: _Sides) -> Interval:
    """The interval, which also holds those of the thresholds that may be the population's choice."""
    metric, level = asked.metric, asked.confidence_level
    value = np.full(1, evaluate(metric, model)[0])
    ends = intervals.melded(*sides.values, value, level, searched_for=searched_for(metric, model))
    places = [at_level(model, at) for (at,) in likely_levels(sides.levels, (1 - level) / 2)]
    return holding(ends, (_melded(asked, place, _values(asked, place)) for place in places))


def _values(asked: _Asked, model: Curve | Point) -> _Sides:
    metric, clusters, _, n_draws, rng = asked
    x = np.array([model.odds_against])
    losses = losses_of(metric)
    if losses is not None:
        least, most = drawn_cluster_means(clusters.values(), losses, x, n_draws, rng)
        return _Sides((least.T, most.T), [])
    cells = cells_for(metric, model, every_corner=True)
    sizes = chunks(cells, n_draws)
    drawn = progress(_drawn(cells, clusters, sizes, rng), len(sizes), "Drawing clusters")
    found = [
        [(values(metric, model, side, x), levels_of(model, side)[:, np.newaxis]) for side in pair] for pair in drawn
    ]
    (worst, of_worst), (best, of_best) = (
        [np.concatenate(column) for column in zip(*side, strict=True)] for side in zip(*found, strict=True)
    )
    return _Sides((worst, best), [of_worst, of_best])


def _sizes(clusters: Mapping[object, Curve]) -> list[tuple[float, float]]:
    return [(curve.n_pos, curve.n_neg) for curve in clusters.values()]


def _enough(clusters: Mapping[object, Curve]) -> bool:
    return all(np.count_nonzero(sizes) >= _FEWEST for sizes in zip(*_sizes(clusters), strict=True))


def _worth(sizes: list[float]) -> float:
    """How many clusters of equal size so uneven ones are worth."""
    squares = float(np.square(sizes).sum())
    return sum(sizes) ** 2 / squares if squares else 0.0


class Spread(NamedTuple):
    """What each cluster holds in each cell of the pooled curve: one row per cluster."""

    pos: "csr_array"
    neg: "csr_array"


def _drawn(
    cells: Cells, clusters: Mapping[object, Curve], sizes: list[int], rng: np.random.Generator
) -> Iterator[tuple[Drawn, Drawn]]:
    """Populations as a pessimist and as an optimist sees them, where a cluster is drawn as a whole."""
    spread = _spread(cells, clusters)
    one_more = [_typical(np.array(part)) for part in zip(*_sizes(clusters), strict=True)]
    for size in sizes:
        weight = rng.standard_exponential((size, len(clusters)))
        pos, neg = (np.asarray((part.T @ weight.T).T, np.float64) for part in spread)
        free = (rng.standard_exponential((size, 1)) * typical for typical in one_more)
        masses = Masses(pos, neg, *free)
        yield pessimist(cells, masses), optimist(cells, masses)


def _typical(sizes: FloatArray) -> float:
    """The size of a cluster where large ones count for more, as the free one may be large."""
    return float(np.square(sizes).sum() / sizes.sum())


def _spread(cells: Cells, clusters: Mapping[object, Curve]) -> Spread:
    from scipy.sparse import csr_array  # slow to import, seldom needed

    lengths = [len(curve) for curve in clusters.values()]
    cluster = np.repeat(np.arange(len(clusters)), lengths)
    score, pos, neg = (
        np.concatenate([getattr(curve, name) for curve in clusters.values()]) for name in ("score", "pos", "neg")
    )
    cell = cell_of(score, cells)
    there, corners = pos > 0, len(cells.score)
    return Spread(
        csr_array((pos[there].astype(np.float64), (cluster[there], cell[there] // 2)), (len(clusters), corners)),
        csr_array((neg.astype(np.float64), (cluster, cell)), (len(clusters), 2 * corners + 1)),
    )
