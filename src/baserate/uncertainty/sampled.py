"""Rows of which only some were sampled for labelling: one more sampler, and the intervals that it gives.

In each stratum the labelled rows follow the law of all rows of a curve. The rows without a label follow the drawn
labelled ones: together they have a mass of as many rows as there are, so that draws contain both samplings, that of the
rows and that of the labels. If all rows are labelled, this is the law of a curve.

An unseen row of a class may be in any of the strata, where it stands for as many rows as a labelled one. So there is an
observer for each pair of strata, one for the unseen positive and one for the unseen negative. This is Fay and Feuer's
interval of a weighted sum of counts (doi:10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#), with the
unseen row where it matters.

The share of positives is as uncertain as the labels are few. Read at its own prevalence, each population has its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.strata import SampledTable, Stratum
from baserate.errors import MissingInformationError
from baserate.formulas.proportions import Interval
from baserate.registry import Family, describe, is_constant, row_of, traits_of
from baserate.uncertainty import ends
from baserate.uncertainty.cells import Cells, Part, cell_of
from baserate.uncertainty.draws import Reader
from baserate.uncertainty.laws import gamma_quantile, gammas
from baserate.uncertainty.methods import AtGiven, Estimand, FromDraws, HowRowsCame, Method, methods
from baserate.uncertainty.readers import reading_of
from baserate.uncertainty.samplers import NOBODY, Drawn, Masses, Observer, Placed, Sampler, Streams

WHY = "labels were sampled: populations of each stratum are drawn, with unseen rows as heavy as its labelled ones"


_FIRST = 3  # drawn curves that are read one by one


# --- the sampler ----------------------------------------------------------------------------------


class OfStrata(Sampler):
    """Groups of strata, of each of which some rows are labelled, scored by one model or by several.

    The cells have further corners next to the ends of groups, as places of unseen rows.
    """

    singles: bool = True  # whether some observers place an unseen row of one class alone

    def placed_among(self, models: Sequence[Sequence[Sequence[Stratum]]], cells: Sequence[Cells]) -> None:
        """Find the cell of each labelled row, and places for unseen ones; each model has its groups and cells."""
        self._rest = np.array([sum(one.n_unlabelled for one in group) for group in models[0]], np.float64)
        self._ends = [
            [(min(one.ends[0] for one in group), max(one.ends[1] for one in group)) for group in groups]
            for groups in models
        ]
        outlines = [
            _with_corners(one, [beyond for low_high in ends_of for beyond in _beyond(low_high)])
            for one, ends_of in zip(cells, self._ends, strict=True)
        ]
        self._rows = [_rows_by_cell(*one) for one in zip(models, outlines, strict=True)]
        pos, neg = self._rows[0]
        weight = 1 + self._rest / (pos.sum(axis=1) + neg.sum(axis=1))
        self.cells = tuple(
            outline._replace(pos=_summed(pos, weight), neg=_summed(neg, weight), mostly_tied=False)
            for outline, (pos, neg) in zip(outlines, self._rows, strict=True)
        )
        self.numbers = sum(pos.size + neg.size for pos, neg in self._rows)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """For each two groups, who places an unseen positive in one and an unseen negative in the other.

        First those who place the positive low and the negative high, then, in reverse order, those who do the opposite.
        Some of the former place a negative alone and some of the latter a positive alone, because at their own
        prevalence populations with fewer positives are worse.
        """
        groups = range(len(self._rest))
        pairs = [(i, j) for i in groups for j in groups]
        alone = [(k, k) for k in groups] if self.singles else []
        low = [self._observer(*pair) for pair in pairs] + [self._observer(*pair, worth=(0.0, 1.0)) for pair in alone]
        high = [self._observer(*pair, high=True) for pair in pairs]
        high += [self._observer(*pair, high=True, worth=(1.0, 0.0)) for pair in alone]
        return (*low, *reversed(high))

    def _observer(self, i: int, j: int, *, high: bool = False, worth: tuple[float, float] = (1.0, 1.0)) -> Observer:
        """For each model, the group and corner of an unseen positive, then the group and cell of an unseen negative."""
        places = []
        for cells, ends_of in zip(self.cells, self._ends, strict=True):
            corner = _corner(cells.score, _beyond(ends_of[i])[high])
            # The negative is in the gap above the corner above its group, or in the gap below the corner below it.
            other = _corner(cells.score, _beyond(ends_of[j])[not high])
            places += [Placed(i, (int(corner),)), Placed(j, (2 * int(other + high),))]
        return Observer(tuple(places), worth=worth)

    def seen_by(self, observer: Observer, masses: Masses) -> tuple[Drawn, ...]:
        """The curve of each model in populations whose unseen rows an observer has placed."""
        *models, (rest, _) = masses.models
        sides = zip((observer.pos, observer.neg), observer.worth, masses.free.T, strict=True)
        unseen = [] if observer is NOBODY else [worth * gamma_quantile(rows, free) for rows, worth, free in sides]
        return tuple(
            _population(
                cells, held, rest, list(zip(observer.models[2 * k : 2 * k + 2], unseen, strict=False)), self._read
            )
            for k, (cells, held) in enumerate(zip(self.cells, models, strict=True))
        )


def _population(
    cells: Cells,
    held: tuple[FloatArray, FloatArray],
    rest: FloatArray,
    unseen: Sequence[tuple[Placed, FloatArray]],
    read: Callable[[Cells, tuple[FloatArray, FloatArray]], Drawn],
) -> Drawn:
    """Drawn curves: the labelled and the unseen rows of each group, times what they stand for."""
    by_class = [one.reshape(*rest.shape, -1) for one in held]
    drawn = by_class[0].sum(axis=2) + by_class[1].sum(axis=2)
    for (group, _), amount in unseen:
        drawn[:, group] += amount
    factor = 1 + rest / drawn
    whole = [np.einsum("ngc,ng->nc", one, factor) for one in by_class]
    for k, ((group, (cell,)), amount) in enumerate(unseen):
        whole[k][:, cell] += factor[:, group] * amount
    odds = whole[1].sum(axis=1) / whole[0].sum(axis=1)
    return replace(read(cells, (whole[0], whole[1])), odds=odds)


class OfSampled(OfStrata):
    """Rows of one model, of which some in each stratum are labelled."""

    def __init__(self, curve: Curve, strata: Sequence[Stratum], cells: Cells) -> None:
        self.placed_among([groups_of(strata)], [cells])
        self.curves = (curve,)
        pos, neg = self._rows[0]
        self._pos, self._neg = (gammas(of_weight_1(rows)) for rows in (pos.ravel(), np.append(neg, self._rest)))

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses of the labelled rows by group and cell, and last those of the rows without a label by group."""
        pos, neg = self._pos(n_draws, streams.pos), self._neg(n_draws, streams.neg)
        neg, rest = np.split(neg, [-len(self._rest)], axis=1)
        return [(pos, neg), (rest, rest)]


def groups_of(strata: Sequence[Stratum]) -> list[list[Stratum]]:
    """Strata that were sampled, each alone, by name; those whose rows are all labelled are one group, the first."""
    in_order = sorted(strata, key=lambda one: one.name)
    whole = [one for one in in_order if not one.n_unlabelled]
    return [*([whole] if whole else []), *([one] for one in in_order if one.n_unlabelled)]


def _beyond(low_high: tuple[float, float]) -> tuple[float, float]:
    """The numbers next to the ends of a range."""
    low, high = low_high
    return float(np.nextafter(low, -np.inf)), float(np.nextafter(high, np.inf))


def _with_corners(cells: Cells, scores: Sequence[float]) -> Cells:
    """Cells with further corners, where they are not within others."""
    new = np.setdiff1d(np.array(scores), cells.score)
    new = new[cell_of(new, cells) % 2 == 0]
    score, top = np.append(cells.score, new), np.append(cells.top, new)
    order = np.argsort(-score)
    return cells._replace(score=score[order], top=top[order])


def _corner(falling: FloatArray, score: FloatArray | float) -> Indices:
    """The index of the first corner at or below a score."""
    return np.asarray(np.searchsorted(-falling, -np.asarray(score)), np.intp)


def _rows_by_cell(groups: Sequence[Sequence[Stratum]], cells: Cells) -> tuple[FloatArray, FloatArray]:
    """The labelled rows of each class, by group and cell."""
    n_corners = len(cells.score)
    pos, neg = np.zeros((len(groups), n_corners)), np.zeros((len(groups), 2 * n_corners + 1))
    for k, group in enumerate(groups):
        for one in group:
            counted = one.labelled
            there = counted.pos > 0
            pos[k] += np.bincount(_corner(cells.score, counted.score[there]), counted.pos[there], n_corners)
            neg[k] += np.bincount(cell_of(counted.score, cells), counted.neg, 2 * n_corners + 1)
    return pos, neg


def of_weight_1(rows: FloatArray) -> Part:
    """Cells with this many rows each."""
    return Part(rows, np.ones(len(rows)))


def _summed(rows: FloatArray, weight: FloatArray) -> Part:
    """The rows of all groups in each cell, and their mean weight."""
    total = rows.sum(axis=0)
    return Part(total, np.divide(weight @ rows, total, out=np.ones(len(total)), where=total > 0))


# --- intervals ------------------------------------------------------------------------------------


def how_labels_came(table: SampledTable) -> HowRowsCame:
    """Rows of which only some were labelled; strata without labels are left out, as nothing can be said of them."""
    strata = [one for one in table.strata if not one.missing]

    def sampler(curve: Curve, cells: Cells, again: bool) -> Sampler:
        return OfSampled(curve, strata, cells)

    return HowRowsCame(_methods, sampler, _no_other_threshold)


def _methods(estimand: Estimand) -> Mapping[str, Method]:
    """The methods for an estimand: melded over the strata."""
    if is_constant(estimand.metric) and not _at_own(estimand):
        return methods(estimand)
    check_known_to_hold(estimand)
    return {"melded": FromDraws(_readers, _melded, WHY)}


def check_known_to_hold(estimand: Estimand) -> None:
    """Refuse what no study has tried for sampled labels."""
    metric, at, row = estimand.metric, estimand.at, row_of(estimand.metric)
    searched = isinstance(at, Point) and at.chosen is not None and at.chosen.searches
    if estimand.again or searched or traits_of(metric).best_over_thresholds:
        what = "about='rule'" if estimand.again else "a threshold that was searched for"
        raise MissingInformationError(
            f"an interval for {what} is not available yet where only some rows were sampled for labelling, got "
            f"{describe(metric)}; choose the threshold by recall, or give it."
        )
    if row is not None and row.family is Family.PROBABILITY:
        raise MissingInformationError(
            f"an interval of a metric of probabilities is not available yet where only some rows were sampled for "
            f"labelling, got {row.name}; estimate a metric of ranks such as average_precision."
        )


def _no_other_threshold(estimand: Estimand, place: Point, confidence_level: float) -> Interval:
    raise NotImplementedError("no method here needs another threshold")


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
            return read(drawn, estimand.x)
        if row is not None and row.family is Family.POINTWISE:
            return read(drawn, drawn.odds[:, np.newaxis])
        return _at_own_odds(read, drawn, drawn.odds, float(estimand.x[0]))

    return values


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
