"""How intervals are made: one function per method, and which of them a question may use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Best
from baserate.errors import Reason
from baserate.formulas import influence
from baserate.formulas.proportions import Interval
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import bound_parameters, is_constant, lower_is_better, row_of, traits_of
from baserate.uncertainty import ends, intervals, points, shipped
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cut
from baserate.uncertainty.draws import Reader, Seeds, drawn
from baserate.uncertainty.levels import at_level, is_chosen, levels_of, likely_levels
from baserate.uncertainty.readers import cut_for, has_interval, losses_of, reading_of
from baserate.uncertainty.samplers import Drawn, OfCurve, check_draws


class Question(NamedTuple):
    """A metric at a place, at one prevalence or at several."""

    metric: MetricFunction
    at: Curve | Point
    x: FloatArray  # negatives per positive, at each prevalence asked for
    mixed: bool = False  # whether these prevalences are one uncertain one, each of them equally likely
    again: bool = False  # of a chosen threshold: whether it is about the rule, applied again in the population

    def evaluate(self, x: float) -> tuple[float, Reason | None]:
        """The metric itself at one of the prevalences, or why it is undefined."""
        stays = self.at.missing_class is not None or x == self.at.odds_against
        value, reason = evaluate(self.metric, self.at if stays else self.at.at_prevalence(1 / (1 + float(x))))
        return float(value), reason

    def read(self, x: float) -> float:
        """The metric itself at one of the prevalences."""
        return self.evaluate(x)[0]

    @property
    def curve(self) -> Curve:
        """The curve that it is about."""
        curve = self.at if isinstance(self.at, Curve) else self.at.curve
        assert curve is not None
        return curve


@dataclass(frozen=True)
class InClosedForm:
    """A method that needs no draws."""

    interval: Callable[[Question, float], Interval]


@dataclass(frozen=True)
class FromDraws:
    """A method that reads drawn populations, and what it makes of its readings."""

    readers: Callable[[Question], Sequence[Reader]]
    interval: Callable[[Question, float, Sequence[FloatArray]], Interval]
    again: bool = False  # whether rows are drawn again, or populations that they may come from


Method = InClosedForm | FromDraws


def methods(question: Question) -> Mapping[str, Method]:
    """The methods there are for a question, the default first."""
    metric, at = question.metric, question.at
    if is_constant(metric):
        return {"constant": InClosedForm(_constant)}
    if not has_interval(metric):
        return {"none": InClosedForm(_none)}
    if isinstance(at, Point) and not question.again:
        return _of_a_threshold(question, at)
    if question.mixed or losses_of(metric) is not None or question.curve.weighted:
        return {"melded": _MELDED}
    found: dict[str, Method] = {"melded": _MELDED, "percentile": _PERCENTILE}
    if isinstance(at, Point) and _found_by_another(metric, at):
        found["melded"] = _OVER_CANDIDATES
    if isinstance(at, Curve) and intervals.has_influence(metric):
        found |= {"bca": _BCA, "logit_studentised": _STUDENTISED, "influence": InClosedForm(_influence)}
        if traits_of(metric).share_of_pairs:
            found |= {"delong": InClosedForm(_delong), "delong_wald": InClosedForm(_delong_wald)}
    return found


def _of_a_threshold(question: Question, at: Point) -> Mapping[str, Method]:
    """Of one that was given, or is taken as it is."""
    if at.chosen is not None and at.chosen.searches and at.curve is not None:
        return {"corrected": _CORRECTED}
    known = {"melded": points.melded_over} if question.mixed else points.methods(question.metric)
    return {name: InClosedForm(_at_fixed_point(known[name])) for name in known}


def made(
    asked: Sequence[tuple[Question, Method]], confidence_level: float, n_draws: int, seeds: Seeds
) -> list[Interval]:
    """The intervals of many questions; those about one curve are read off the same populations."""
    found: list[Interval | None] = [None] * len(asked)
    together: dict[tuple[int, Cut, bool], list[int]] = {}
    for i, (question, method) in enumerate(asked):
        if isinstance(method, InClosedForm):
            found[i] = method.interval(question, confidence_level)
        else:
            key = id(question.curve.table), cut_for(question.metric, question.at), method.again
            together.setdefault(key, []).append(i)
    for (_, cut, again), of_curve in together.items():
        check_draws(n_draws, confidence_level)
        curve = asked[of_curve[0]][0].curve
        readers = [_readers(*asked[i]) for i in of_curve]
        sampler = OfCurve(curve, cut(curve, RUNS_PER_LOGIT), again=again)
        read = iter(drawn(sampler, [one for some in readers for one in some], n_draws, seeds))
        for i, some in zip(of_curve, readers, strict=True):
            question, method = asked[i]
            assert isinstance(method, FromDraws)
            found[i] = method.interval(question, confidence_level, [next(read) for _ in some])
    return [one for one in found if one is not None]


def _readers(question: Question, method: Method) -> Sequence[Reader]:
    assert isinstance(method, FromDraws)
    return method.readers(question)


# --- in closed form -------------------------------------------------------------------------------


def _constant(question: Question, confidence_level: float) -> Interval:
    """What does not depend on the data is known, up to the prevalence."""
    value = np.array([question.read(x_j) for x_j in question.x])
    return ends.percentile(value, confidence_level) if question.mixed else Interval(value, value)


def _none(question: Question, _: float) -> Interval:
    """No interval, where none is known to hold."""
    nothing = np.full(1 if question.mixed else len(question.x), np.nan)
    return Interval(nothing, nothing)


def _at_fixed_point(interval: points.PointInterval) -> Callable[[Question, float], Interval]:
    def method(question: Question, confidence_level: float) -> Interval:
        assert isinstance(question.at, Point)
        return interval(question.metric, points.cases(question.at), question.x, confidence_level)

    return method


def _influence(question: Question, confidence_level: float) -> Interval:
    def one(curve: Curve, _: int, x: float, value: float) -> Interval:
        variance = intervals.variance(question.metric, curve.table.steps, x)
        return intervals.normal(intervals.scale_of(question.metric), value, variance, confidence_level)

    return _for_each_x(question, one)


def _delong(question: Question, confidence_level: float) -> Interval:
    return _for_each_x(question, lambda curve, _, x, value: intervals.delong(curve, value, confidence_level))


def _delong_wald(question: Question, confidence_level: float) -> Interval:
    return _for_each_x(question, lambda curve, _, x, value: intervals.delong_wald(curve, value, confidence_level))


def _for_each_x(question: Question, interval: Callable[[Curve, int, float, float], Interval]) -> Interval:
    found = [interval(question.curve, j, float(x_j), question.read(x_j)) for j, x_j in enumerate(question.x)]
    return Interval(np.array([float(one.low) for one in found]), np.array([float(one.high) for one in found]))


# --- from draws -----------------------------------------------------------------------------------


def _values(question: Question) -> list[Reader]:
    read = reading_of(question.metric, question.at)
    return [Reader(lambda models: read(models[0], question.x), of_curves=isinstance(question.at, Curve))]


def _values_levels_and_search(question: Question) -> list[Reader]:
    found, sign = _values(question), searched_for(question.metric, question.at)
    if is_chosen(question.at):
        found.append(Reader(lambda models: levels_of([question.at], models), of_curves=False))
    return found if sign is None else [*found, *shipped.searched(question.metric, question.at, question.x, sign)]


def _melded(question: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    """From the lower end as a pessimist sees it to the upper one as an optimist does, or the reverse for a cost.

    It also holds the intervals of the thresholds that may be the population's choice.
    """
    levels, rest = read[1 : 1 + is_chosen(question.at)], read[1 + is_chosen(question.at) :]
    value = np.array([question.read(x_j) for x_j in question.x])
    drawn, *search = (one.reshape(len(one), -1, 1) if question.mixed else one for one in (read[0], *rest))
    if question.mixed:
        value = np.median(value, keepdims=True)
    found, sign = ends.melded(drawn, value, confidence_level), searched_for(question.metric, question.at)
    if sign is not None:
        found = shipped.let_down(found, value, confidence_level, sign, search)
    melded = points.melded_over if question.mixed else points.melded
    at_levels = []
    for (level,) in likely_levels(levels[0], (1 - confidence_level) / 2) if levels else ():
        place = at_level(question.at, level)
        assert isinstance(place, Point)
        at_levels.append(melded(question.metric, points.cases(place), question.x, confidence_level))
    return ends.holding(found, at_levels)


def _corrected(question: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    """As if the threshold had been given, less what a search makes of it."""
    assert isinstance(question.at, Point)
    cases, gains = points.cases(question.at), read[0]
    if question.mixed:
        interval = points.melded_over(question.metric, cases, question.x, confidence_level)
        return shipped.less_optimism(interval, gains.mean(axis=2, keepdims=True))
    default = next(iter(points.methods(question.metric).values()))
    return shipped.less_optimism(default(question.metric, cases, question.x, confidence_level), gains)


def _optimism(question: Question) -> list[Reader]:
    assert isinstance(question.at, Point)
    return [shipped.optimism(question.metric, question.at, question.x)]


def _over_candidates(question: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    assert isinstance(question.at, Point)
    return shipped.over_candidates(question.metric, question.at, question.x, confidence_level, read[0])


def _chosen_scores(question: Question) -> list[Reader]:
    assert isinstance(question.at, Point)
    return [shipped.chosen_scores(question.at)]


def _found_by_another(metric: MetricFunction, at: Point) -> bool:
    """Whether the threshold was searched for what another metric makes of it."""
    return isinstance(at.chosen, Best) and not _same(metric, at.chosen.metric)


def searched_for(metric: MetricFunction, at: Curve | Point) -> float | None:
    """Whether the data were searched for the highest value (1) or for the lowest (-1), which then flatters."""
    chosen = at.chosen.metric if isinstance(at, Point) and isinstance(at.chosen, Best) else None
    if traits_of(metric).best_over_thresholds or (chosen is not None and _same(metric, chosen)):
        return -1.0 if lower_is_better(metric) else 1.0
    return None


def _same(metric: Callable[..., object], other: Callable[..., object]) -> bool:
    """Whether two metrics are one; partials of one function with the same parameters are."""
    if metric is other:
        return True
    alike = row_of(metric) is not None and row_of(metric) is row_of(other)
    return alike and bound_parameters(metric) == bound_parameters(other)


def _percentile(_: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    return ends.percentile(read[0][0], confidence_level)


def _bca(question: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    def one(curve: Curve, j: int, x: float, value: float) -> Interval:
        steps = curve.table.steps
        skew = float(influence.acceleration(intervals.influence_of(question.metric, steps, x), steps))
        return ends.bca(read[0][0, :, j], value, skew, confidence_level)

    return _for_each_x(question, one)


def _values_and_variances(question: Question) -> list[Reader]:
    def variances(models: tuple[Drawn, ...]) -> FloatArray:
        cases = _in_cases(models[0])
        each = [intervals.variance(question.metric, cases, float(x_j)) for x_j in question.x]
        return np.stack(each, axis=-1)

    return [*_values(question), Reader(variances)]


def _in_cases(drawn: Drawn) -> Steps:
    """The corners of drawn curves in cases: a variance hangs on how many there are, and drawn are shares."""
    steps, (n_pos, n_neg) = drawn.steps, (float(drawn.n_pos), float(drawn.n_neg))
    return Steps(steps.tp * n_pos, steps.fp * n_neg, steps.pos * n_pos, steps.neg * n_neg, n_pos, n_neg)


def _studentised(question: Question, confidence_level: float, read: Sequence[FloatArray]) -> Interval:
    (replicates,), (variances,) = read

    def one(curve: Curve, j: int, x: float, value: float) -> Interval:
        return ends.studentised(
            replicates[:, j],
            variances[:, j],
            value=value,
            variance=float(intervals.variance(question.metric, curve.table.steps, x)),
            scale=intervals.scale_of(question.metric),
            confidence_level=confidence_level,
        )

    return _for_each_x(question, one)


_CORRECTED = FromDraws(_optimism, _corrected)
_OVER_CANDIDATES = FromDraws(_chosen_scores, _over_candidates)
_MELDED = FromDraws(_values_levels_and_search, _melded)
_PERCENTILE = FromDraws(_values, _percentile, again=True)
_BCA = FromDraws(_values, _bca, again=True)
_STUDENTISED = FromDraws(_values_and_variances, _studentised, again=True)

# Where the value itself is undefined there is nothing to make an interval of.
NOTHING = InClosedForm(_none)
