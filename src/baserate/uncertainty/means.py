"""Brier score and log loss: means over each class of what its scores cost, drawn."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from baserate.arrays import CountArray, FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import Pair
from baserate.errors import Reason
from baserate.metrics.over_prevalence import MetricFunction
from baserate.metrics.probabilities import clip_of
from baserate.registry import Family, row_of

# Rows of a class with neighbouring losses are drawn together beyond so many groups: a mean over thousands of equal
# groups has lost next to nothing of its spread.
_MOST_GROUPS = 2048
_CHUNK = 2**18


class Losses(NamedTuple):
    """What a score costs a positive and a negative, and the most that it can cost."""

    of_positive: Callable[[FloatArray], FloatArray]
    of_negative: Callable[[FloatArray], FloatArray]
    worst: float


def losses_of(metric: MetricFunction) -> Losses | None:
    """The losses that a metric is the mean of, if it is one."""
    row = row_of(metric)
    if row is not None and row.name == "brier_score":
        return Losses(lambda score: (1 - score) ** 2, lambda score: score**2, 1.0)
    if row is not None and row.name == "log_loss":
        clip = clip_of(metric)
        with np.errstate(divide="ignore"):
            worst = float(-np.log(clip))
        return Losses(
            lambda score: -np.log(np.clip(score, clip, 1 - clip)),
            lambda score: -np.log1p(-np.clip(score, clip, 1 - clip)),
            worst,
        )
    return None


def has_interval(metric: MetricFunction) -> bool:
    """False for calibration errors: chance makes more of them than there is, so that intervals around them fail."""
    row = row_of(metric)
    return row is None or row.family is not Family.PROBABILITY or losses_of(metric) is not None


def why_no_ends(metric: MetricFunction) -> Reason:
    """The reason where an interval from drawn populations is nan."""
    return Reason.UNDEFINED_IN_DRAWS if has_interval(metric) else Reason.NO_INTERVAL


class Sides(NamedTuple):
    """Drawn means with one row's worth of each class at the least loss, and at the worst loss."""

    optimist: FloatArray
    pessimist: FloatArray


def drawn_means(curve: Curve, losses: Losses, x: FloatArray, n_draws: int, rng: np.random.Generator) -> Sides:
    """Mean losses of populations that the rows may come from, one row of draws for each x.

    The shares of the rows in the population are uniform spacings, and one row's worth is unplaced in each class: an
    optimist places it where it costs nothing, a pessimist where it costs most. It is what `melds` are for curves.
    """
    with np.errstate(divide="ignore"):
        cost_pos, cost_neg = losses.of_positive(curve.middle), losses.of_negative(curve.middle)
    extremes = 0.0, losses.worst
    pos = _of_class(_groups(cost_pos, curve.pos, curve.pos_squares), extremes, n_draws, rng)
    neg = _of_class(_groups(cost_neg, curve.neg, curve.neg_squares), extremes, n_draws, rng)
    return read_at(x, pos, neg)


def drawn_mean_differences(pair: Pair, losses: Losses, x: FloatArray, n_draws: int, rng: np.random.Generator) -> Sides:
    """The same of what the first of two models costs more than the second, row by row.

    The row that is not placed may cost one model nothing and the other the most.
    """
    extremes = -losses.worst, losses.worst
    of_classes = []
    for rows, cost in ((pair.positive, losses.of_positive), (~pair.positive, losses.of_negative)):
        with np.errstate(divide="ignore", invalid="ignore"):  # where both are infinite, the difference is undefined
            more = cost(pair.scores[0][rows]) - cost(pair.scores[1][rows])
        alike = np.ones(len(more))
        of_classes.append(_of_class(_groups(more, alike, alike), extremes, n_draws, rng))
    return read_at(x, *of_classes)


def drawn_cluster_means(
    clusters: Iterable[Curve], losses: Losses, x: FloatArray, n_draws: int, rng: np.random.Generator
) -> Sides:
    """The same where a cluster is drawn as a whole, and what is not placed is one more cluster."""
    parts = [
        (
            _sum_and_size(losses.of_positive, curve.middle, curve.pos),
            _sum_and_size(losses.of_negative, curve.middle, curve.neg),
        )
        for curve in clusters
    ]
    weight = rng.standard_exponential((n_draws, len(parts)))
    of_classes = []
    for of_class in zip(*parts, strict=True):
        loss, size = np.array(of_class).T
        free = rng.standard_exponential(n_draws) * float(size @ size / size.sum())
        there = size > 0
        lost, mass = weight[:, there] @ loss[there], weight @ size + free
        of_classes.append(Sides(lost / mass, (lost + free * losses.worst) / mass))
    return read_at(x, *of_classes)


def _sum_and_size(
    cost: Callable[[FloatArray], FloatArray], score: FloatArray, count: CountArray
) -> tuple[float, float]:
    used = count > 0
    with np.errstate(divide="ignore"):
        return float(cost(score[used]) @ count[used]), float(count.sum())


def read_at(x: FloatArray, pos: Sides, neg: Sides) -> Sides:
    """Means of both classes mixed, one row of draws for each x."""
    against = x[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        return Sides(*((of_pos + against * of_neg) / (1 + against) for of_pos, of_neg in zip(pos, neg, strict=True)))


class Groups(NamedTuple):
    """Rows of one class with about the same loss."""

    rows: FloatArray  # how many equal rows they are worth
    weight: FloatArray  # of each of them
    mean: FloatArray  # their mean loss
    typical_weight: float


def _groups(cost: FloatArray, count: CountArray, squares: CountArray) -> Groups:
    used = np.flatnonzero(count)
    order = used[np.argsort(cost[used], kind="stable")]
    cost = cost[order]
    weight, squared = (np.asarray(column[order], np.float64) for column in (count, squares))
    rows = weight * (weight / squared)
    group = np.arange(len(cost))
    if len(cost) > _MOST_GROUPS:
        below = np.cumsum(rows) - rows
        group = np.unique((below * _MOST_GROUPS / rows.sum()).astype(np.intp), return_inverse=True)[1]
    total, size, summed = (np.bincount(group, column).astype(np.float64) for column in (weight, rows, weight * cost))
    return Groups(size, total / size, summed / total, float(squared.sum() / weight.sum()))


def _of_class(groups: Groups, extremes: tuple[float, float], n_draws: int, rng: np.random.Generator) -> Sides:
    """Drawn means of one class, with what is not placed at the least and at the most it may cost."""
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    step = max(1, _CHUNK // len(groups.rows))
    for start in range(0, n_draws, step):
        n = min(step, n_draws - start)
        shares = rng.standard_gamma(groups.rows, (n, len(groups.rows))) * groups.weight
        free = rng.standard_exponential(n) * groups.typical_weight
        with np.errstate(invalid="ignore"):  # infinite losses of both signs have no sum
            mass, loss = shares.sum(axis=1) + free, shares @ groups.mean
            for side, extreme in zip(sides, extremes, strict=True):
                side.append((loss + free * extreme) / mass)
    return Sides(*(np.concatenate(side) for side in sides))
