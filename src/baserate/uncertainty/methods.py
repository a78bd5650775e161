"""How intervals are made: one function per method, and which of them a question may use."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import Reason
from baserate.formulas import influence
from baserate.formulas.proportions import Interval
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import Family, bound_parameters, lower_is_better, row_of
from baserate.uncertainty import intervals, points
from baserate.uncertainty.draws import Drawn, check_draws, chunks, melds, resamples
from baserate.uncertainty.levels import at_level, holding, is_chosen, levels_of, likely_levels
from baserate.uncertainty.means import drawn_means, has_interval, losses_of
from baserate.uncertainty.replicates import cells_for, values


class Question(NamedTuple):
    """All that a method needs to know."""

    metric: MetricFunction
    at: Curve | Point
    x: FloatArray  # negatives per positive, at each prevalence asked for
    confidence_level: float
    n_resamples: int
    rng: np.random.Generator
    mixed: bool = False  # whether these prevalences are one uncertain one, each of them equally likely

    def evaluate(self, x: float) -> tuple[float, Reason | None]:
        """The metric itself at one of the prevalences, or why it is undefined."""
        stays = self.at.missing_class is not None or x == self.at.odds_against
        value, reason = evaluate(self.metric, self.at if stays else self.at.at_prevalence(1 / (1 + float(x))))
        return float(value), reason

    def read(self, x: float) -> float:
        """The metric itself at one of the prevalences."""
        return self.evaluate(x)[0]


Method = Callable[[Question], Interval]


def methods(question: Question) -> Mapping[str, Method]:
    """The methods there are for a question, the default first."""
    metric, at = question.metric, question.at
    row = row_of(metric)
    if row is not None and (row.family is Family.BASELINE or row.name == "chance_precision"):
        return {"constant": _constant}
    if not has_interval(metric):
        return {"none": _none}
    if losses_of(metric) is not None:
        return {"melded": _melded_mean}
    if isinstance(at, Point) and not is_chosen(at):
        known = points.methods(metric)
        return {"melded": _melded_point} if question.mixed else {n: _at_fixed_point(known[n]) for n in known}
    curve = at if isinstance(at, Curve) else at.curve
    if question.mixed or (curve is not None and curve.weighted):
        return {"melded": _melded}
    found: dict[str, Method] = {"melded": _melded, "percentile": _percentile}
    if isinstance(at, Curve) and intervals.has_influence(metric):
        found |= {"bca": _bca, "logit_studentised": _studentised, "influence": _influence}
        if row is not None and row.name == "roc_auc":
            found |= {"delong": _delong, "delong_wald": _delong_wald}
    return found


def _constant(question: Question) -> Interval:
    """What does not depend on the data is known, up to the prevalence."""
    value = np.array([question.read(x_j) for x_j in question.x])
    return intervals.percentile(value, question.confidence_level) if question.mixed else Interval(value, value)


def _none(question: Question) -> Interval:
    """No interval, where none is known to hold."""
    nothing = np.full(1 if question.mixed else len(question.x), np.nan)
    return Interval(nothing, nothing)


def _melded_mean(question: Question) -> Interval:
    """The lower end as an optimist sees a loss and the upper one as a pessimist does."""
    assert isinstance(question.at, Curve)
    check_draws(question.n_resamples, question.confidence_level)
    losses = losses_of(question.metric)
    assert losses is not None
    drawn = drawn_means(question.at, losses, question.x, question.n_resamples, question.rng)
    optimist, pessimist = (side.reshape(1, -1) if question.mixed else side for side in drawn)
    # Draws themselves rather than places between them, because losses may be infinite.
    beyond = int((1 - question.confidence_level) / 2 * (optimist.shape[1] - 1))
    return Interval(np.sort(optimist, axis=1)[:, beyond], np.sort(pessimist, axis=1)[:, -1 - beyond])


# --- points ---------------------------------------------------------------------------------------


def _at_fixed_point(interval: points.PointInterval) -> Method:
    def method(question: Question) -> Interval:
        assert isinstance(question.at, Point)
        return interval(question.metric, points.cases(question.at), question.x, question.confidence_level)

    return method


def _melded_point(question: Question) -> Interval:
    assert isinstance(question.at, Point)
    return points.melded_over(question.metric, points.cases(question.at), question.x, question.confidence_level)


# --- from draws -----------------------------------------------------------------------------------


def _melded(question: Question) -> Interval:
    """The lower end as a pessimist sees it and the upper one as an optimist does, or the reverse for a cost."""
    metric, at, x = question.metric, question.at, question.x
    check_draws(question.n_resamples, question.confidence_level)
    cells = cells_for(metric, at)
    if question.mixed:  # of an uncertain prevalence each part gets its share of the draws
        sizes = chunks(cells, math.ceil(question.n_resamples / len(x)))
        asked = [x_j[np.newaxis] for x_j in x for _ in sizes]
        sizes = sizes * len(x)
    else:
        sizes = chunks(cells, question.n_resamples)
        asked = [x] * len(sizes)
    drawn = progress(melds(cells, sizes, question.rng), len(sizes), "Drawing populations")
    found: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    levels: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for pair, x_i in zip(drawn, asked, strict=True):
        for i, side in enumerate(pair):
            found[i].append(values(metric, at, side, x_i))
            levels[i].append(levels_of(at, side))
    pessimist, optimist = (np.concatenate(side) for side in found)
    value = np.array([question.read(x_j) for x_j in x])
    if question.mixed:
        value = np.median(value, keepdims=True)
    sign = searched_for(metric, at)
    ends = intervals.melded(pessimist, optimist, value, question.confidence_level, searched_for=sign)
    return _with_levels(question, ends, [np.concatenate(side) for side in levels])


def _with_levels(question: Question, ends: Interval, levels: list[FloatArray]) -> Interval:
    """An interval that also holds those of the thresholds that may be the population's choice."""
    melded = points.melded_over if question.mixed else points.melded
    at_levels = []
    for (level,) in likely_levels([side[:, np.newaxis] for side in levels], (1 - question.confidence_level) / 2):
        place = at_level(question.at, level)
        assert isinstance(place, Point)
        at_levels.append(melded(question.metric, points.cases(place), question.x, question.confidence_level))
    return holding(ends, at_levels)


def searched_for(metric: MetricFunction, at: Curve | Point) -> float | None:
    """Whether the data were searched for the highest value (1) or for the lowest (-1), which then flatters."""
    row = row_of(metric)
    if row is not None and row.name in ("best_f_beta", "best_f1"):
        return 1.0
    if isinstance(at, Point) and at.chosen.metric is not None and _same(metric, at.chosen.metric):
        return -1.0 if lower_is_better(metric) else 1.0
    return None


def _same(metric: Callable[..., object], other: Callable[..., object]) -> bool:
    """Whether two metrics are one; partials of one function with the same parameters are."""
    if metric is other:
        return True
    alike = row_of(metric) is not None and row_of(metric) is row_of(other)
    return alike and bound_parameters(metric) == bound_parameters(other)


def _resampled(question: Question) -> Iterator[Drawn]:
    check_draws(question.n_resamples, question.confidence_level)
    cells = cells_for(question.metric, question.at)
    sizes = chunks(cells, question.n_resamples)
    return progress(resamples(cells, sizes, question.rng), len(sizes), "Resampling")


def _replicates(question: Question) -> FloatArray:
    return np.concatenate([values(question.metric, question.at, drawn, question.x) for drawn in _resampled(question)])


def _percentile(question: Question) -> Interval:
    return intervals.percentile(_replicates(question), question.confidence_level)


def _bca(question: Question) -> Interval:
    replicates = _replicates(question)

    def one(curve: Curve, j: int, x: float, value: float) -> Interval:
        steps = curve.table.steps
        skew = float(influence.acceleration(intervals.influence_of(question.metric, steps, x), steps))
        return intervals.bca(replicates[:, j], value, skew, question.confidence_level)

    return _for_each_x(question, one)


def _studentised(question: Question) -> Interval:
    found, spreads = [], []
    for drawn in _resampled(question):
        found.append(values(question.metric, question.at, drawn, question.x))
        variances = [intervals.variance(question.metric, drawn.steps, float(x_j)) for x_j in question.x]
        spreads.append(np.stack(variances, axis=-1))
    replicates, variance = np.concatenate(found), np.concatenate(spreads)

    def one(curve: Curve, j: int, x: float, value: float) -> Interval:
        seen = float(intervals.variance(question.metric, curve.table.steps, x))
        scale = intervals.scale_of(question.metric)
        return intervals.studentised(
            replicates[:, j],
            variance[:, j],
            value=value,
            variance=seen,
            scale=scale,
            confidence_level=question.confidence_level,
        )

    return _for_each_x(question, one)


# --- in closed form -------------------------------------------------------------------------------


def _influence(question: Question) -> Interval:
    return _for_each_x(
        question,
        lambda curve, _, x, value: intervals.normal(
            intervals.scale_of(question.metric),
            value,
            intervals.variance(question.metric, curve.table.steps, x),
            question.confidence_level,
        ),
    )


def _delong(question: Question) -> Interval:
    return _for_each_x(question, lambda curve, _, x, value: intervals.delong(curve, value, question.confidence_level))


def _delong_wald(question: Question) -> Interval:
    return _for_each_x(
        question, lambda curve, _, x, value: intervals.delong_wald(curve, value, question.confidence_level)
    )


def _for_each_x(question: Question, interval: Callable[[Curve, int, float, float], Interval]) -> Interval:
    curve = question.at
    assert isinstance(curve, Curve)
    found = [interval(curve, j, float(x_j), question.read(x_j)) for j, x_j in enumerate(question.x)]
    return Interval(np.array([float(one.low) for one in found]), np.array([float(one.high) for one in found]))
