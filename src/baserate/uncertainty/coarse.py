"""What a metric says of many samples whose rows are sorted into the same cells."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from baserate.arrays import Counts, FloatArray, Indices
from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.point import Points
from baserate.curves.rules import Rule, Threshold
from baserate.curves.table import CountTable
from baserate.errors import NoSuchPointError
from baserate.formulas.areas import Corners
from baserate.formulas.pointwise import Confusion
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, Losses, bound_parameters, row_of
from baserate.uncertainty.dealing import Cells, cells
from baserate.uncertainty.readers import losses_of

# Cells to all of a class, and to e times as many rows above: some hundred for means over a curve, and four times as
# many where one point decides.
_COARSE = 16.0, 3.0
_FINE = 64.0, 12.0

Read = Callable[[FloatArray, FloatArray], FloatArray]  # positives and negatives by sample and cell, to values


def reader(metric: MetricFunction, at: Rule | None, pooled: Curve) -> tuple[Cells, Read]:
    """Cells for the samples that a curve pools, and the metric of samples given by cell, read where the curve is."""
    row, losses = row_of(metric), losses_of(metric)
    x = pooled.odds_against
    if row is not None and row.family is Family.POINTWISE and isinstance(at, Threshold):
        return Cells(np.array([at.target, -np.inf]), merged=True), lambda pos, neg: _at_edge(metric, pos, neg, x)
    if row is not None and row.family is Family.POINTWISE and at is not None and at.follows_draws:
        cut = cells(pooled, *_FINE)
        return cut, lambda pos, neg: _at_chosen(metric, at, pooled, cut.edges, _steps(pos, neg))
    if losses is not None:
        cut = cells(pooled, *_COARSE)
        costs = _costs(pooled, losses, cut)
        return cut, lambda pos, neg: _mean_loss(costs, pos, neg, x)
    if row is not None and row.over_odds is not None and at is None:
        cut, area = cells(pooled, *_COARSE), partial(row.over_odds, **bound_parameters(metric))
        n_pos, n_neg = float(pooled.n_pos), float(pooled.n_neg)
        return cut, lambda pos, neg: _area(area, _outline(pos, neg, cut.merged, (n_pos, n_neg)), x)
    cut = cells(pooled, *_FINE)
    value = partial(_value, metric, at)
    return cut, lambda pos, neg: np.array([value(curve) for curve in _curves(cut, pos, neg, pooled.prevalence)])


def place_of(at: Rule | None, chosen: set[Rule]) -> Rule | None:
    """A function by the rule that it chose by, if that was one and the same."""
    return at if at is None or len(chosen) != 1 else next(iter(chosen))


def unending(metric: MetricFunction, value: FloatArray) -> FloatArray:
    """A metric where its noise is more nearly the same everywhere: without the squeeze at the ends of its range."""
    row = row_of(metric)
    if row is None or not (np.isfinite(row.lowest) or np.isfinite(row.highest)):
        return value
    low, high = row.lowest, row.highest
    if np.isfinite(low) and np.isfinite(high):
        return np.arcsin(np.sqrt(np.clip((value - low) / (high - low), 0.0, 1.0)))
    return np.sqrt(np.maximum(value - low, 0.0)) if np.isfinite(low) else -np.sqrt(np.maximum(high - value, 0.0))


# --- areas ----------------------------------------------------------------------------------------


def _steps(pos: FloatArray, neg: FloatArray) -> Steps:
    """Samples with the same cells, each of which is a corner, in shares of their rows."""
    tp, fp = np.cumsum(pos, axis=-1), np.cumsum(neg, axis=-1)
    n_pos, n_neg = tp[:, -1:], fp[:, -1:]
    return Steps(tp / n_pos, fp / n_neg, pos / n_pos, neg / n_neg, 1.0, 1.0)


def _outline(pos: FloatArray, neg: FloatArray, merged: bool, sizes: tuple[float, float]) -> Corners:
    """Samples as areas see them; average precision goes along the ROC curve where cells stand for many steps."""
    steps = _steps(pos, neg)
    return Corners(steps, np.zeros(steps.tp.shape[-1], np.bool_) if merged else None, *sizes)


def _area(area: Callable[..., FloatArray], samples: Corners, x: float) -> FloatArray:
    found = area(samples, np.array([x]))
    return np.broadcast_to(found, (len(samples.steps.tp), 1))[:, 0]


# --- points and means -----------------------------------------------------------------------------


def _at_chosen(metric: MetricFunction, rule: Rule, pooled: Curve, edges: FloatArray, steps: Steps) -> FloatArray:
    """A metric of the point that the rule chooses on each sample."""
    corner = rule.corner_on_draws(pooled, steps, edges)[:, np.newaxis]
    tpr, fpr = (
        np.take_along_axis(np.pad(rows / n, ((0, 0), (1, 0))), corner, 1)[:, 0]
        for rows, n in ((steps.tp, steps.n_pos), (steps.fp, steps.n_neg))
    )
    shares = Confusion(tpr, 1 - tpr, fpr, 1 - fpr)
    return np.asarray(evaluate(metric, Points(shares, pooled.odds_against))[0], np.float64)


def _at_edge(metric: MetricFunction, pos: FloatArray, neg: FloatArray, x: float) -> FloatArray:
    """A metric of the point between the first cell and the second."""
    matrices = Confusion(pos[:, 0], pos[:, 1], neg[:, 0], neg[:, 1])
    return np.asarray(evaluate(metric, Points(matrices, x))[0])


def _costs(pooled: Curve, losses: Losses, cut: Cells) -> tuple[FloatArray, FloatArray]:
    """The mean loss of the rows of each class in each cell, over all samples."""
    place = len(cut.edges) - np.searchsorted(cut.edges[::-1], pooled.score, side="right")
    cost = losses.of_positive(pooled.middle), losses.of_negative(pooled.middle)
    return _mean_by_cell(cost[0], pooled.pos, place, cut), _mean_by_cell(cost[1], pooled.neg, place, cut)


def _mean_by_cell(cost: FloatArray, count: Counts, place: Indices, cut: Cells) -> FloatArray:
    total, rows = (np.bincount(place, column, len(cut.edges)) for column in (cost * count, count))
    return np.divide(total, rows, out=np.zeros(len(rows)), where=rows > 0)


def _mean_loss(costs: tuple[FloatArray, FloatArray], pos: FloatArray, neg: FloatArray, x: float) -> FloatArray:
    of_pos, of_neg = (rows @ cost / rows.sum(axis=1) for rows, cost in zip((pos, neg), costs, strict=True))
    return np.asarray((of_pos + x * of_neg) / (1 + x))


# --- anything -------------------------------------------------------------------------------------


def _curves(cut: Cells, pos: FloatArray, neg: FloatArray, prevalence: float) -> Iterator[Curve]:
    """Each sample as a curve of its own."""
    for of_pos, of_neg in zip(pos.astype(np.int64), neg.astype(np.int64), strict=True):
        used = of_pos + of_neg > 0
        table = CountTable(Counted(cut.edges[used], of_pos[used], of_neg[used]))
        yield Curve(table, (table.total_pos, table.total_neg), prevalence)


def _value(metric: MetricFunction, at: Rule | None, curve: Curve) -> float:
    """The metric, or nan where the rule finds no point or there is no number."""
    try:
        place = curve if at is None else at.on(curve)
    except NoSuchPointError:
        return np.nan
    return float(evaluate(metric, place)[0])
