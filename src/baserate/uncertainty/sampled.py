"""Rows of which only some were sampled for labelling: one more sampler.

In each stratum the labelled rows follow the law of all rows of a curve. The rows without a label follow the drawn
labelled ones: together they have a mass of as many rows as there are, so that draws contain both samplings, that of the
rows and that of the labels. If all rows are labelled, this is the law of a curve.

An unseen row of a class may be in any of the strata, where it stands for as many rows as a labelled one. So there is an
observer for each pair of strata, one for the unseen positive and one for the unseen negative. This is Fay and Feuer's
interval of a weighted sum of counts (doi:10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#), with the
unseen row where it matters.

The share of positives is as uncertain as the labels are few. Read at its own prevalence, each population has its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.strata import Stratum
from baserate.uncertainty.cells import Cells, Part, cell_of
from baserate.uncertainty.laws import gamma_quantile, gammas
from baserate.uncertainty.samplers import NOBODY, Drawn, Masses, Observer, Placed, Sampler, Streams


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
