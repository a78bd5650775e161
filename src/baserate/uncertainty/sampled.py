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

_WHY = "labels were sampled: populations of each stratum are drawn, with unseen rows as heavy as its labelled ones"


_FIRST = 3  # drawn curves that are read one by one


# --- the sampler ----------------------------------------------------------------------------------


class OfStrata(Sampler):
    """Rows of one model, of which some in each stratum are labelled.

    The cells have further corners next to the ends of strata, as places of unseen rows.
    """

    def __init__(self, curve: Curve, strata: Sequence[Stratum], cells: Cells) -> None:
        groups = _groups(strata)
        self._ends = [
            (min(one.ends[0] for one in group), max(one.ends[1] for one in group)) for group in groups
        ]
        self._rest = np.array([sum(one.n_unlabelled for one in group) for group in groups], np.float64)
        outline = _with_corners(cells, [beyond for low_high in self._ends for beyond in _beyond(low_high)])
        pos, neg = _rows_by_cell(groups, outline)
        self._pos, self._neg = (gammas(_of_weight_1(rows)) for rows in (pos.ravel(), np.append(neg, self._rest)))
        weight = 1 + self._rest / (pos.sum(axis=1) + neg.sum(axis=1))
        self.curves = (curve,)
        self.cells = (outline._replace(pos=_summed(pos, weight), neg=_summed(neg, weight)),)
        self.numbers = pos.size + neg.size + len(groups)

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses of the labelled rows by stratum and cell; with those of negatives, last, the mass of other rows."""
        return [(self._pos(n_draws, streams.pos), self._neg(n_draws, streams.neg))]

    @property
    def observers(self) -> tuple[Observer, ...]:
        """For each two strata, who places an unseen positive in one and an unseen negative in the other.

        First those who place the positive low and the negative high, then, in reverse order, those who do the opposite.
        Some of the former place a negative alone and some of the latter a positive alone, because at their own
        prevalence populations with fewer positives are worse.
        """
        strata = range(len(self._ends))
        pairs = [(i, j) for i in strata for j in strata]
        low = [*(self._observer(i, j) for i, j in pairs), *(self._observer(k, k, worth=(0.0, 1.0)) for k in strata)]
        high = [
            *(self._observer(i, j, high=True) for i, j in pairs),
            *(self._observer(k, k, high=True, worth=(1.0, 0.0)) for k in strata),
        ]
        return (*low, *reversed(high))

    def _observer(self, i: int, j: int, *, high: bool = False, worth: tuple[float, float] = (1.0, 1.0)) -> Observer:
        """The stratum and the corner of an unseen positive, and the stratum and the cell of an unseen negative."""
        score = self.cells[0].score
        corner_of_pos = _corner(score, _beyond(self._ends[i])[high])
        corner_of_neg = _corner(score, _beyond(self._ends[j])[not high])
        # The negative is in the gap above the corner above its stratum, or in the gap below the corner below it.
        places = Placed(i, (int(corner_of_pos),)), Placed(j, (2 * int(corner_of_neg + high),))
        return Observer(places, worth=worth)

    def seen_by(self, observer: Observer, masses: Masses) -> tuple[Drawn, ...]:
        """The curve in populations whose unseen rows an observer has placed."""
        (cells,), n_strata = self.cells, len(self._rest)
        pos, neg = masses.models[0]
        rest, neg = neg[:, -n_strata:], neg[:, :-n_strata]
        by_class = [one.reshape(len(one), n_strata, -1) for one in (pos, neg)]
        labelled = by_class[0].sum(axis=2) + by_class[1].sum(axis=2)
        unseen = [] if observer is NOBODY else _unseen(observer, masses)
        for (stratum, _), amount in unseen:
            labelled[:, stratum] += amount
        factor = 1 + rest / labelled
        whole = [np.einsum("nsc,ns->nc", one, factor) for one in by_class]
        for k, ((stratum, (cell,)), amount) in enumerate(unseen):
            whole[k][:, cell] += factor[:, stratum] * amount
        odds = whole[1].sum(axis=1) / whole[0].sum(axis=1)
        return (replace(self._read(cells, (whole[0], whole[1])), odds=odds),)


def _groups(strata: Sequence[Stratum]) -> list[list[Stratum]]:
    """Strata that were sampled, each alone; those whose rows are all labelled are one."""
    whole = [one for one in strata if not one.n_unlabelled]
    return [*([whole] if whole else []), *([one] for one in strata if one.n_unlabelled)]


def _unseen(observer: Observer, masses: Masses) -> list[tuple[Placed, FloatArray]]:
    """The place of the unseen row of each class, and its mass."""
    of_class = zip(observer.models, (observer.pos, observer.neg), observer.worth, masses.free.T, strict=True)
    return [(place, worth * gamma_quantile(rows, free)) for place, rows, worth, free in of_class]


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
    return cells._replace(score=score[order], top=top[order], mostly_tied=False)


def _corner(falling: FloatArray, score: FloatArray | float) -> Indices:
    """The index of the first corner at or below a score."""
    return np.asarray(np.searchsorted(-falling, -np.asarray(score)), np.intp)


def _rows_by_cell(groups: Sequence[Sequence[Stratum]], cells: Cells) -> tuple[FloatArray, FloatArray]:
    """The labelled rows of each class, by group of strata and cell."""
    n_corners = len(cells.score)
    pos, neg = np.zeros((len(groups), n_corners)), np.zeros((len(groups), 2 * n_corners + 1))
    for k, group in enumerate(groups):
        for one in group:
            counted = one.labelled
            there = counted.pos > 0
            pos[k] += np.bincount(_corner(cells.score, counted.score[there]), counted.pos[there], n_corners)
            neg[k] += np.bincount(cell_of(counted.score, cells), counted.neg, 2 * n_corners + 1)
    return pos, neg


def _of_weight_1(rows: FloatArray) -> Part:
    return Part(rows, np.ones(len(rows)))


def _summed(rows: FloatArray, weight: FloatArray) -> Part:
    """The rows of all strata in each cell, and their mean weight."""
    total = rows.sum(axis=0)
    return Part(total, np.divide(weight @ rows, total, out=np.ones(len(total)), where=total > 0))


# --- intervals ------------------------------------------------------------------------------------


def how_labels_came(table: SampledTable) -> HowRowsCame:
    """Rows of which only some were labelled; strata without labels are left out, as nothing can be said of them."""
    strata = [one for one in table.strata if not one.missing]

    def sampler(curve: Curve, cells: Cells, again: bool) -> Sampler:
        return OfStrata(curve, strata, cells)

    return HowRowsCame(_methods, sampler, _no_other_threshold)


def _methods(estimand: Estimand) -> Mapping[str, Method]:
    """The methods for an estimand: melded over the strata, where that is known to hold."""
    metric, at, row = estimand.metric, estimand.at, row_of(estimand.metric)
    if is_constant(metric) and not _at_own(estimand):
        return methods(estimand)
    searched = isinstance(at, Point) and at.chosen is not None and at.chosen.searches
    if estimand.again or searched or traits_of(metric).best_over_thresholds:
        what = "a threshold that was searched for" if not estimand.again else "about='rule'"
        raise MissingInformationError(
            f"an interval for {what} is not available yet where only some rows were sampled for labelling, got "
            f"{describe(metric)}; choose the threshold by recall, or give it."
        )
    if row is not None and row.family is Family.PROBABILITY:
        raise MissingInformationError(
            f"an interval of a metric of probabilities is not available yet where only some rows were sampled for "
            f"labelling, got {row.name}; estimate a metric of ranks such as average_precision."
        )
    return {"melded": FromDraws(_readers, _melded, _WHY)}


def _no_other_threshold(estimand: Estimand, place: Point, confidence_level: float) -> Interval:
    raise NotImplementedError("no method here needs another threshold")


def _at_own(estimand: Estimand) -> bool:
    """Whether it is read at the prevalence of the rows, which is uncertain where labels were sampled."""
    own = estimand.at.given_prevalence is None and not estimand.mixed
    return own and len(estimand.x) == 1 and bool(estimand.x[0] == estimand.at.odds_against)


def _readers(estimand: Estimand) -> Sequence[Reader]:
    return [Reader(_reading(estimand), of_curves=isinstance(estimand.at, Curve), whole_row=True)]


def _reading(estimand: Estimand) -> Callable[[tuple[Drawn, ...]], FloatArray]:
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
        if np.allclose(np.concatenate(each), read(_only(alike, first), np.array([x])), rtol=1e-9, atol=0, equal_nan=True):
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
