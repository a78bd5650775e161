"""Intervals where only some rows were sampled for labelling: the methods of all curves, with another sampler.

At the prevalence of the rows, which is an estimate, each drawn population is read at its own, and rules choose there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.strata import SampledTable, Stratum
from baserate.formulas.proportions import Interval
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, is_constant, row_of, traits_of
from baserate.uncertainty import ends
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cells, Cut, between, cells_of
from baserate.uncertainty.draws import Reader, Seeds, drawn
from baserate.uncertainty.methods import AtGiven, Estimand, FromDraws, HowRowsCame, Method, made, methods
from baserate.uncertainty.readers import cut_for, has_interval, losses_of, reading_of
from baserate.uncertainty.sampled import OfSampled
from baserate.uncertainty.samplers import Drawn, Sampler

WHY = "labels were sampled: populations of each stratum are drawn, with unseen rows as heavy as its labelled ones"

_FIRST = 3  # drawn curves that are read one by one


def how_labels_came(at: Curve | Point, n_draws: int, seeds: Seeds) -> HowRowsCame:
    """Rows of which only some were labelled."""
    strata = known_strata(at)

    def sampler(curve: Curve, cells: Cells, again: bool) -> Sampler:
        return OfSampled(curve, strata, cells)

    def at_given(estimand: Estimand, place: Point, confidence_level: float) -> Interval:
        given = estimand._replace(at=_given(place), again=False)
        return made([(given, _MELDED)], rows, confidence_level, n_draws, seeds)[0]

    rows = HowRowsCame(_methods, sampler, at_given)
    return rows


def sampled_readings(metric: MetricFunction, at: Sequence[Curve | Point], n_draws: int, seeds: Seeds) -> FloatArray:
    """A metric at given prevalences, at places of one curve, for each observer, population and place."""
    labelled = [on_labelled(place) for place in at]
    estimands = [Estimand(metric, one, np.array([one.odds_against])) for one in labelled]
    cells = cut_for(metric, labelled[0])(estimands[0].curve, RUNS_PER_LOGIT)
    sampler = OfSampled(estimands[0].curve, known_strata(at[0]), cells)
    readers = [_at_x(one) for one in estimands]
    return np.concatenate(drawn(sampler, readers, n_draws, seeds), axis=2)


def sampler_of(curve: Curve, cut: Cut = cells_of) -> OfSampled:
    """The sampler of a curve of sampled labels."""
    labelled = on_labelled(curve)
    assert isinstance(labelled, Curve)
    return OfSampled(labelled, known_strata(curve), cut(labelled, RUNS_PER_LOGIT))


def rates_drawn(curve: Curve, falling: FloatArray, n_draws: int, seeds: Seeds) -> tuple[FloatArray, FloatArray]:
    """TPR and FPR at falling thresholds, for each observer and population."""
    sampler = sampler_of(curve, lambda labelled, _: between(labelled, falling))

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        (one,) = models
        corner = np.searchsorted(-one.score, -falling, side="right") - 1
        return np.concatenate([one.steps.tp[:, corner], one.steps.fp[:, corner]], axis=1)

    (rates,) = drawn(sampler, [Reader(read, of_curves=False, whole_row=True)], n_draws, seeds)
    tpr, fpr = np.split(rates, 2, axis=2)
    return tpr, fpr


def _at_x(estimand: Estimand) -> Reader:
    """The metric at the prevalences of an estimand; a rule chooses again in each population."""
    read = reading_of(estimand.metric, estimand.at)

    def values(models: tuple[Drawn, ...]) -> FloatArray:
        return read(replace(models[0], odds=None), estimand.x)

    return Reader(values, of_curves=isinstance(estimand.at, Curve), whole_row=True)


def is_sampled(at: Curve | Point) -> bool:
    """Whether only some rows of the curve, or of that of the point, were sampled for labelling."""
    curve = at if isinstance(at, Curve) else at.curve
    return curve is not None and curve.sampled


def known_strata(at: Curve | Point) -> list[Stratum]:
    """The strata of a curve or point that have labels; nothing can be said of others."""
    curve = at if isinstance(at, Curve) else at.curve
    assert curve is not None
    return [one for one in curve.strata if not one.missing]


def on_labelled(at: Curve | Point) -> Curve | Point:
    """A curve or point of sampled labels with the labelled rows as weighted ones."""
    whole = at if isinstance(at, Curve) else at.curve
    assert whole is not None
    table = whole.table
    assert isinstance(table, SampledTable)
    counted = table.labelled()
    curve = Curve(counted, (counted.total_pos, counted.total_neg), at.given_prevalence)
    if isinstance(at, Curve) or at.threshold is None:
        return curve
    place = curve.at_threshold(at.threshold)
    return replace(place, chosen=at.chosen) if at.chosen is not None else place


def _methods(estimand: Estimand) -> Mapping[str, Method]:
    """The methods for an estimand: melded over the strata and, where the rows were searched, those of searches."""
    metric, at = estimand.metric, estimand.at
    if not has_interval(metric) or (is_constant(metric) and not _at_own(estimand)):
        return methods(estimand)
    searched = isinstance(at, Point) and at.chosen is not None and at.chosen.searches
    if not (estimand.again or searched or traits_of(metric).best_over_thresholds):
        return {"melded": _MELDED}
    name, method = next(iter(methods(estimand).items()))
    assert isinstance(method, FromDraws)
    return {name: replace(method, readers=lambda one: [_as_asked(one, each) for each in method.readers(one)])}


def _as_asked(estimand: Estimand, reader: Reader) -> Reader:
    """A reader at the prevalence that is asked for, with whole rows as unseen ones."""

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        return reader.read(tuple(at_asked(estimand, one) for one in models))

    return reader._replace(read=read, whole_row=True)


def at_asked(estimand: Estimand, drawn: Drawn) -> Drawn:
    """Drawn curves that know their own odds only if they are to be read there.

    The best F-beta of a curve depends on the odds times FPR alone.
    """
    if drawn.odds is None or not _at_own(estimand):
        return replace(drawn, odds=None)
    if isinstance(estimand.at, Point):
        return drawn
    return replace(_with_negatives(drawn, drawn.odds / float(estimand.x[0])), odds=None)


def _at_own(estimand: Estimand) -> bool:
    """Whether it is read at the prevalence of the rows, which is uncertain where labels were sampled."""
    own = estimand.at.given_prevalence is None and not estimand.mixed
    return own and len(estimand.x) == 1 and bool(estimand.x[0] == estimand.at.odds_against)


def _readers(estimand: Estimand) -> Sequence[Reader]:
    return [Reader(reading(estimand), of_curves=isinstance(estimand.at, Curve), whole_row=True)]


def reading(estimand: Estimand) -> Callable[[tuple[Drawn, ...]], FloatArray]:
    """A function that reads the metric off drawn curves; at their own prevalence, each at its own."""
    read, row, own = reading_of(estimand.metric, _given(estimand.at)), row_of(estimand.metric), _at_own(estimand)

    def values(models: tuple[Drawn, ...]) -> FloatArray:
        (drawn,) = models
        if not own or drawn.odds is None:
            return read(replace(drawn, odds=None), estimand.x)
        if row is not None and row.family is Family.POINTWISE:
            return read(drawn, estimand.x)
        if losses_of(estimand.metric) is not None:
            return _mixed(read(drawn, np.zeros(1)), read(drawn, np.ones(1)), drawn.odds[:, np.newaxis])
        return _at_own_odds(read, replace(drawn, odds=None), drawn.odds, float(estimand.x[0]))

    return values


def _mixed(of_pos: FloatArray, of_both: FloatArray, odds: FloatArray) -> FloatArray:
    """Mean losses at their own odds, from those of positives alone, and of as many negatives."""
    with np.errstate(invalid="ignore"):  # losses may be infinite
        mean = (of_pos + odds * (2 * of_both - of_pos)) / (1 + odds)
    return np.where(np.isinf(of_both), np.inf, mean)


def _at_own_odds(
    read: Callable[[Drawn, FloatArray], FloatArray], drawn: Drawn, odds: FloatArray, x: float
) -> FloatArray:
    """The metric of each drawn curve at its own odds.

    Most metrics depend on x times FPR alone, or on no x at all. Then all curves can be read at one x at once; the first
    few are read one by one, to see whether that is so.
    """
    each = [read(_only(drawn, slice(i, i + 1)), odds[i : i + 1]) for i in range(min(_FIRST, len(odds)))]
    first = slice(0, len(each))
    for alike in (drawn, _with_negatives(drawn, odds / x)):
        if np.allclose(
            np.concatenate(each), read(_only(alike, first), np.array([x])), rtol=1e-9, atol=0, equal_nan=True
        ):
            return read(alike, np.array([x]))
    rest = (read(_only(drawn, slice(i, i + 1)), odds[i : i + 1]) for i in range(len(each), len(odds)))
    return np.concatenate([*each, *rest])


def _with_negatives(drawn: Drawn, times: FloatArray) -> Drawn:
    """Drawn curves whose FPR is multiplied by a number each."""
    steps, by = drawn.steps, times[:, np.newaxis]
    return replace(drawn, steps=steps._replace(fp=steps.fp * by, neg=steps.neg * by))


def _given(at: Curve | Point) -> Curve | Point:
    """A chosen point as a given threshold."""
    if isinstance(at, Curve) or at.curve is None or at.threshold is None:
        return at
    return at.curve.at_threshold(at.threshold)


def _only(drawn: Drawn, some: slice) -> Drawn:
    """Some of the drawn curves."""
    return replace(drawn, steps=drawn.steps.each(lambda column: column[some]))


def _melded(estimand: Estimand, confidence_level: float, read: Sequence[FloatArray], _: AtGiven) -> Interval:
    """From the lowest percentile of all observers to the highest."""
    drawn, value = read[0], np.array([estimand.read(x_j) for x_j in estimand.x])
    if estimand.mixed:
        drawn, value = drawn.reshape(len(drawn), -1, 1), np.median(value, keepdims=True)
    return ends.melded(drawn, value, confidence_level)


_MELDED = FromDraws(_readers, _melded, WHY)
