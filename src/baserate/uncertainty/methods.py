"""Methods for intervals: one function each, and which of them an estimand may use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Best
from baserate.errors import Reason
from baserate.formulas.proportions import Interval
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.one_class import is_convention
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import bound_parameters, is_constant, lower_is_better, row_of, traits_of
from baserate.uncertainty import choosing, ends, intervals, points
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cells, Cut
from baserate.uncertainty.choosing import at_level, levels_of, likely_levels
from baserate.uncertainty.draws import Reader, Seeds, drawn
from baserate.uncertainty.readers import cut_for, has_interval, is_chosen, losses_of, reading_of
from baserate.uncertainty.samplers import OfCurve, Sampler, check_draws, is_uneven


class Estimand(NamedTuple):
    """What an interval is for: a metric of a curve or point, at one or more prevalences."""

    metric: MetricFunction
    at: Curve | Point
    x: FloatArray  # negatives per positive, at each of the prevalences
    mixed: bool = False  # True if they stand for one uncertain prevalence, each equally likely
    again: bool = False  # True if it is about the rule, which chooses again in the population

    def evaluate(self, x: float) -> tuple[float, Reason | None]:
        """The value of the metric at one of the prevalences, or why it is undefined."""
        stays = self.at.missing_class is not None or x == self.at.odds_against
        value, reason = evaluate(self.metric, self.at if stays else self.at.at_prevalence(1 / (1 + float(x))))
        return float(value), reason

    def read(self, x: float) -> float:
        """The value of the metric at one of the prevalences."""
        return self.evaluate(x)[0]

    @property
    def curve(self) -> Curve:
        """The curve, or the curve that the point lies on."""
        curve = self.at if isinstance(self.at, Curve) else self.at.curve
        assert curve is not None
        return curve

    @property
    def point(self) -> Point:
        """The point, of an estimand that is about one."""
        assert isinstance(self.at, Point)
        return self.at

    @property
    def at_sampled(self) -> bool:
        """Whether only some rows of the curve were sampled for labelling."""
        curve = self.at if isinstance(self.at, Curve) else self.at.curve
        return curve is not None and curve.sampled


# The interval at a threshold that is given, instead of the point of an estimand.
AtGiven = Callable[[Estimand, Point, float], Interval]


@dataclass(frozen=True)
class InClosedForm:
    """A method that needs no draws."""

    interval: Callable[[Estimand, float], Interval]
    why: str = ""  # it is the default, where it is


@dataclass(frozen=True)
class FromDraws:
    """A method that reads drawn populations, and turns the readings into an interval."""

    readers: Callable[[Estimand], Sequence[Reader]]
    interval: Callable[[Estimand, float, Sequence[FloatArray], AtGiven], Interval]
    why: str = ""  # it is the default, where it is
    again: bool = False  # True for the bootstrap, False for drawn populations


Method = InClosedForm | FromDraws


class HowRowsCame(NamedTuple):
    """What intervals need to know about the sampling of rows."""

    methods: Callable[[Estimand], Mapping[str, Method]]  # the default first
    sampler: Callable[[Curve, Cells, bool], Sampler]
    at_given: AtGiven


def methods(estimand: Estimand) -> Mapping[str, Method]:
    """The methods for an estimand, the default first."""
    metric, at = estimand.metric, estimand.at
    if is_constant(metric):
        return {"constant": InClosedForm(_constant, "the metric does not depend on the data")}
    if not has_interval(metric) or is_convention(metric, at):
        return {"none": InClosedForm(_none, "no method is known whose intervals contain the true value often enough")}
    if isinstance(at, Point) and not estimand.again:
        return _of_a_threshold(estimand, at)
    found_by_another = isinstance(at, Point) and _found_by_another(metric, at)
    available: dict[str, Method] = {"melded": _OVER_CANDIDATES if found_by_another else MELDED}
    if estimand.mixed or losses_of(metric) is not None or estimand.curve.weighted:
        return available
    available["percentile"] = _PERCENTILE
    if isinstance(at, Curve) and intervals.has_influence(metric):
        available["influence"] = _for_each_x(intervals.by_influence)
        if traits_of(metric).share_of_pairs:
            available |= {"delong": _for_each_x(intervals.delong), "delong_wald": _for_each_x(intervals.delong_wald)}
    return available


def _of_a_threshold(estimand: Estimand, at: Point) -> Mapping[str, Method]:
    """The methods for a threshold that was given, or is taken as it is."""
    if at.chosen is not None and at.chosen.searches and at.curve is not None:
        return {"corrected": CORRECTED}
    known = {"melded": points.melded_over} if estimand.mixed else points.methods(estimand.metric)
    one_rate = "clopper_pearson" in known
    why = (
        "one rate at a threshold: exact limits" if one_rate else "two rates at a threshold: their exact limits, melded"
    )
    return {name: InClosedForm(_at_fixed_point(known[name]), why) for name in known}


def made(
    wanted: Sequence[tuple[Estimand, Method]], rows: HowRowsCame, confidence_level: float, n_draws: int, seeds: Seeds
) -> list[Interval]:
    """The intervals of many estimands; those about one curve are read off the same populations."""
    results: dict[int, Interval] = {}
    together: dict[tuple[int, Cut, bool], list[tuple[int, Estimand, FromDraws]]] = {}
    for i, (estimand, method) in enumerate(wanted):
        if isinstance(method, InClosedForm):
            results[i] = method.interval(estimand, confidence_level)
        else:
            key = id(estimand.curve.table), cut_for(estimand.metric, estimand.at), method.again
            together.setdefault(key, []).append((i, estimand, method))
    for (_, cut, again), of_curve in together.items():
        check_draws(n_draws, confidence_level)
        curve = of_curve[0][1].curve
        readers = [method.readers(estimand) for _, estimand, method in of_curve]
        sampler = rows.sampler(curve, cut(curve, RUNS_PER_LOGIT), again)
        read = iter(drawn(sampler, [one for some in readers for one in some], n_draws, seeds))
        for (i, estimand, method), some in zip(of_curve, readers, strict=True):
            results[i] = method.interval(estimand, confidence_level, [next(read) for _ in some], rows.at_given)
    return [results[i] for i in range(len(wanted))]


# --- in closed form -------------------------------------------------------------------------------


def _constant(estimand: Estimand, confidence_level: float) -> Interval:
    """The interval of a metric that does not depend on the data: only the prevalence may be uncertain."""
    value = np.array([estimand.read(x_j) for x_j in estimand.x])
    return ends.percentile(value, confidence_level) if estimand.mixed else Interval(value, value)


def _none(estimand: Estimand, _: float) -> Interval:
    """No interval, because none is known to have its coverage."""
    nothing = np.full(1 if estimand.mixed else len(estimand.x), np.nan)
    return Interval(nothing, nothing)


def _at_fixed_point(interval: points.PointInterval) -> Callable[[Estimand, float], Interval]:
    def method(estimand: Estimand, confidence_level: float) -> Interval:
        return interval(estimand.metric, points.cases(estimand.point), estimand.x, confidence_level)

    return method


def _at_given(estimand: Estimand, place: Point, confidence_level: float) -> Interval:
    """The default interval at a given threshold, for independent rows."""
    interval = points.melded_over if estimand.mixed else next(iter(points.methods(estimand.metric).values()))
    return interval(estimand.metric, points.cases(place), estimand.x, confidence_level)


def _for_each_x(interval: Callable[[MetricFunction, Steps, float, float, float], Interval]) -> InClosedForm:
    """A method for areas, one x after another."""

    def method(estimand: Estimand, confidence_level: float) -> Interval:
        metric, steps = estimand.metric, estimand.curve.table.steps
        at_each = [interval(metric, steps, float(x_j), estimand.read(x_j), confidence_level) for x_j in estimand.x]
        return Interval(np.array([float(one.low) for one in at_each]), np.array([float(one.high) for one in at_each]))

    return InClosedForm(method)


# --- from draws -----------------------------------------------------------------------------------


def _values(estimand: Estimand) -> list[Reader]:
    read, of_curves = reading_of(estimand.metric, estimand.at), isinstance(estimand.at, Curve)
    whole = not of_curves and is_uneven(estimand.curve)
    return [Reader(lambda models: read(models[0], estimand.x), of_curves=of_curves, whole_row=whole)]


def _values_levels_and_search(estimand: Estimand) -> list[Reader]:
    readers, sign = _values(estimand), searched_for(estimand.metric, estimand.at)
    if is_chosen(estimand.at):
        readers.append(Reader(lambda models: levels_of([estimand.at], models), of_curves=False))
    return readers if sign is None else [*readers, *choosing.searched(estimand.metric, estimand.at, estimand.x, sign)]


def _melded(estimand: Estimand, confidence_level: float, read: Sequence[FloatArray], at_given: AtGiven) -> Interval:
    """From the pessimist's lower percentile to the optimist's upper one, or the reverse for a cost.

    It contains the intervals at all thresholds that the rule may choose in the population.
    """
    levels, rest = read[1 : 1 + is_chosen(estimand.at)], read[1 + is_chosen(estimand.at) :]
    value = np.array([estimand.read(x_j) for x_j in estimand.x])
    drawn, *search = (one.reshape(len(one), -1, 1) if estimand.mixed else one for one in (read[0], *rest))
    if estimand.mixed:
        value = np.median(value, keepdims=True)
    melded_interval, sign = ends.melded(drawn, value, confidence_level), searched_for(estimand.metric, estimand.at)
    if sign is not None:
        melded_interval = choosing.let_down(melded_interval, value, confidence_level, sign, search)
    likely = likely_levels(levels[0], (1 - confidence_level) / 2) if levels else ()
    places = (at_level(estimand.at, level) for (level,) in likely)
    at_levels = [at_given(estimand, place, confidence_level) for place in places if isinstance(place, Point)]
    return ends.holding(melded_interval, at_levels)


def _corrected(estimand: Estimand, confidence_level: float, read: Sequence[FloatArray], at_given: AtGiven) -> Interval:
    """The interval at a given threshold, corrected for the optimism of the search."""
    gains = read[0].mean(axis=2, keepdims=True) if estimand.mixed else read[0]
    return choosing.less_optimism(at_given(estimand, estimand.point, confidence_level), gains)


def _over_candidates(
    estimand: Estimand, confidence_level: float, read: Sequence[FloatArray], at_given: AtGiven
) -> Interval:
    """An interval that contains those at all thresholds that the rule may choose in the population."""
    chosen = np.concatenate(list(read))[..., 0]
    thresholds = choosing.candidates(chosen[0], confidence_level)
    places = [estimand.curve.at_threshold(threshold) for threshold in thresholds]
    at_thresholds = [at_given(estimand, place, confidence_level) for place in places]
    beyond = choosing.beyond(estimand.metric, estimand.curve, estimand.x, confidence_level, chosen)
    if estimand.mixed:
        beyond = (Interval(low.min(keepdims=True), high.max(keepdims=True)) for low, high in beyond)
    return ends.holding(at_thresholds[0], [*at_thresholds[1:], *beyond])


def _found_by_another(metric: MetricFunction, at: Point) -> bool:
    """Whether the threshold was chosen to optimise another metric."""
    return isinstance(at.chosen, Best) and not _same(metric, at.chosen.metric)


def searched_for(metric: MetricFunction, at: Curve | Point) -> float | None:
    """1 if the data were searched for the highest value of the metric, -1 if for the lowest, None if not searched.

    A searched value is optimistic.
    """
    chosen = at.chosen.metric if isinstance(at, Point) and isinstance(at.chosen, Best) else None
    if traits_of(metric).best_over_thresholds or (chosen is not None and _same(metric, chosen)):
        return -1.0 if lower_is_better(metric) else 1.0
    return None


def _same(metric: Callable[..., object], other: Callable[..., object]) -> bool:
    """Whether two metrics are the same function with the same parameters."""
    if metric is other:
        return True
    alike = row_of(metric) is not None and row_of(metric) is row_of(other)
    return alike and bound_parameters(metric) == bound_parameters(other)


def _percentile(_: Estimand, confidence_level: float, read: Sequence[FloatArray], __: AtGiven) -> Interval:
    return ends.percentile(read[0][0], confidence_level)


CORRECTED = FromDraws(
    lambda estimand: [choosing.optimism(estimand.metric, estimand.point, estimand.x)],
    _corrected,
    "the threshold was searched for on the same rows: less the optimism of such searches",
)
_OVER_CANDIDATES = FromDraws(
    lambda estimand: choosing.chosen_scores(estimand.point),
    _over_candidates,
    "the rule optimises another metric: over all thresholds that it may choose",
)
MELDED = FromDraws(
    _values_levels_and_search, _melded, "depends on all scores: populations are drawn that allow for unseen rows"
)
_PERCENTILE = FromDraws(_values, _percentile, again=True)

# If the value is undefined, so is its interval.
NOTHING = InClosedForm(_none)

INDEPENDENT = HowRowsCame(methods, lambda curve, cells, again: OfCurve(curve, cells, again=again), _at_given)
