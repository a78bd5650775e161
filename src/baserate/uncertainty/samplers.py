"""Samplers: they draw populations that the rows may have come from.

A sampler draws the mass of each cell of each model's curve. By default the distribution function at each corner follows
the law of uniform order statistics. This law leaves some mass of each class free: one row for coverage that is
guaranteed, half a row for coverage on average (mid-P). An observer places the free mass: a pessimist where it lowers a
metric most, an optimist where it raises it most. For a single rate and one whole row, the two together give Clopper and
Pearson's interval. The other law is the bootstrap: rows drawn with replacement within each class, without free mass.

Each class and the free mass have a random stream of their own. So a draw does not depend on how many are made at once.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.errors import InputError
from baserate.formulas.areas import Corners
from baserate.formulas.steps import Steps
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cells, Part, cell_of, every_corner
from baserate.uncertainty.laws import HALF_A_ROW, CellLaw, gamma_quantile, gammas, multinomial

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Numbers per chunk: few enough to stay in the processor's cache.
_CHUNK = 2**17

# Rows in the same cells under all models are a group; with more groups than this, cells become coarser.
_MANY_GROUPS = 2**15

_KNOWN = 5  # rows at the outermost level, from which on no unseen level is assumed beyond it

_NEXT = 3  # outermost weighted rows; an unseen row beyond them is given their largest weight
_ALIKE = 1e-9  # relative difference up to which weights are equal


@dataclass(frozen=True)
class Drawn(Corners):
    """Many drawn curves with the same corners.

    If free mass is placed, there is one more corner above all others, and one below them.
    """

    atoms: BoolArray  # corners that are steps: where the score is discrete, and all corners of the bootstrap
    score: FloatArray  # of each corner
    cells: Cells  # that the corners stand for
    odds: FloatArray | None = None  # negatives per positive in each population, where the sampling leaves them open
    quick: ClassVar[bool] = True

    @property
    def levels(self) -> FloatArray:
        """The score of each corner where it is discrete, else nan."""
        beyond = (len(self.score) - len(self.cells.score)) // 2
        return np.where(np.pad(self.cells.atoms, beyond), self.score, np.nan)

    def odds_or(self, x: FloatArray) -> FloatArray:
        """The odds of each population as a column, or x where they are given."""
        return x if self.odds is None else self.odds[:, np.newaxis]


class Placed(NamedTuple):
    """The place of the free mass on a model's curve: the index of a corner for positives, of a cell for negatives.

    The indices count the additional corners above and below all others. Of several cells, each population takes one at
    random, the same one under all models.
    """

    pos: int
    neg: tuple[int, ...]


# Above all cells and below them; a cell of negatives has this number and the offset.
TOP, BOTTOM = Placed(0, (1,)), Placed(-1, (-2,))
OFFSET = 2


class Observer(NamedTuple):
    """Places the free mass on each model's curve, and says how many rows it is worth."""

    models: tuple[Placed, ...]
    pos: float = HALF_A_ROW
    neg: float = HALF_A_ROW
    worth: tuple[float, float] = (1.0, 1.0)  # of a free row of each class


# No free mass: for the bootstrap, and to read the rows alone.
NOBODY = Observer((), 0.0, 0.0)


class Masses(NamedTuple):
    """Masses of drawn populations by cell and model, and random numbers for the free mass of each class."""

    models: Sequence[tuple[FloatArray, FloatArray]]  # positives and negatives
    free: FloatArray  # between 0 and 1: a quantile of the free mass


class Sampler(ABC):
    """Draws the mass that a population may have in each cell."""

    curves: tuple[Curve, ...]  # of each model
    cells: tuple[Cells, ...]
    numbers: int  # per draw, to choose the size of chunks
    worth: tuple[tuple[float, float], ...] = ((1.0, 1.0),) * 2  # weight of a free row by class, at the top and bottom
    again: bool = False  # True for the bootstrap, whose curves are read like the data

    @abstractmethod
    def held(self, n_draws: int, streams: "Streams") -> Sequence[tuple[FloatArray, FloatArray]]:
        """The masses of drawn populations in the cells of each model."""

    def masses(self, n_draws: int, streams: "Streams") -> Masses:
        """Draw populations."""
        return Masses(self.held(n_draws, streams), streams.free.random((n_draws, 2)))

    def chunks(self, n_draws: int) -> list[int]:
        """The sizes of the chunks in which populations are drawn."""
        size = max(1, min(n_draws, _CHUNK // self.numbers))
        return [size] * (n_draws // size) + [n_draws % size] * (n_draws % size > 0)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Those who place the free mass: first those who lower a metric, then those who raise it."""
        return self.pessimist, self.optimist

    @property
    def pessimist(self) -> Observer:
        """Places free positives below all others, free negatives above them."""
        return self._placing(pos=1, neg=0)

    @property
    def optimist(self) -> Observer:
        """Places free positives above all others, free negatives below them."""
        return self._placing(pos=0, neg=1)

    def _placing(self, *, pos: int, neg: int) -> Observer:
        """Place the free mass of each class at the highest place (0) or at the lowest (1)."""
        ends = map(_ends, self.cells)
        models = tuple(Placed(places[pos].pos, places[neg].neg) for places in ends)
        return Observer(models, worth=(self.worth[0][pos], self.worth[1][neg]))

    def seen_by(self, observer: Observer, masses: Masses) -> tuple[Drawn, ...]:
        """The curve of each model in populations whose free mass an observer has placed."""
        models = zip(self.cells, masses.models, strict=True)
        if observer is NOBODY:
            return tuple(self._read(*one) for one in models)
        free = [
            worth * gamma_quantile(rows, masses.free[:, k])
            for k, (worth, rows) in enumerate(zip(observer.worth, observer[1:3], strict=True))
        ]
        placed = zip(models, observer.models, strict=True)
        # Who has a choice of places has no free positives, so their random numbers are not used yet.
        chance = masses.free[:, 0]
        return tuple(self._with_free(cells, held, free, where, chance) for (cells, held), where in placed)

    def seen(self) -> tuple[Drawn, ...]:
        """The curve of each model in the rows themselves, with the same cells."""
        return tuple(self._as_seen(cells) for cells in self.cells)

    def seen_closely(self) -> tuple[Drawn, ...] | None:
        """The curve of each model in the rows themselves, with no corners merged; None if none are."""
        if not self.curves or not any(cells.straight.any() for cells in self.cells):
            return None
        return tuple(self._as_seen(every_corner(curve)) for curve in self.curves)

    def _as_seen(self, cells: Cells) -> Drawn:
        pos, neg = ((part.rows * part.weight)[np.newaxis] for part in (cells.pos, cells.neg))
        return self._read(cells, (pos, neg))

    def _read(self, cells: Cells, held: tuple[FloatArray, FloatArray], beyond: int = 0) -> Drawn:
        """Curves with so many corners beyond each end of the cells; resampled rows are read like the data."""
        atoms = np.pad(~cells.straight if self.again else cells.atoms, beyond)
        score = np.concatenate([[np.inf] * beyond, cells.score, [-np.inf] * beyond])
        return Drawn(_shares(*held), atoms, cells.pos.total, cells.neg.total, score, cells)

    def _with_free(
        self,
        cells: Cells,
        held: tuple[FloatArray, FloatArray],
        free: Sequence[FloatArray],
        where: Placed,
        chance: FloatArray,
    ) -> Drawn:
        """Curves with the free mass at its places, among corners of which one is added above and one below."""
        pos, neg = (np.pad(amounts, ((0, 0), (width, width))) for amounts, width in zip(held, (1, 2), strict=True))
        pos[:, where.pos] += free[0]
        neg[np.arange(len(neg)), np.take(where.neg, (len(where.neg) * chance).astype(np.intp))] += free[1]
        return self._read(cells, (pos, neg), beyond=1)


def _ends(cells: Cells) -> tuple[Placed, Placed]:
    """The highest and the lowest place of free mass: beyond all corners or, if it is known, at the outermost level.

    If scores are mostly tied, an outermost level with several rows is taken as the end of the scale. Beyond a level
    with a row or two there may be others that were not observed.
    """
    if not cells.mostly_tied:
        return TOP, BOTTOM
    pos, neg = cells.pos.rows, cells.neg.rows[1::2]
    # Mass that lowers the metric goes to the outermost level of all, mass that raises it to that of its own class.
    top, bottom = 0, len(pos) - 1
    best_pos, best_neg = int(np.flatnonzero(pos)[0]), int(np.flatnonzero(neg)[-1]) if neg.any() else bottom
    high = Placed(
        best_pos + 1 if pos[best_pos] >= _KNOWN else TOP.pos,
        (2 * top + 1 + OFFSET,) if pos[top] + neg[top] >= _KNOWN else TOP.neg,
    )
    low = Placed(
        bottom + 1 if pos[bottom] + neg[bottom] >= _KNOWN else BOTTOM.pos,
        (2 * best_neg + 1 + OFFSET,) if neg[best_neg] >= _KNOWN else BOTTOM.neg,
    )
    return high, low


@dataclass(frozen=True)
class Streams:
    """Random streams for positives, for negatives, and for the free mass."""

    pos: np.random.Generator
    neg: np.random.Generator
    free: np.random.Generator

    @classmethod
    def of(cls, seeds: Sequence[int]) -> "Streams":
        """One stream for each of three seeds."""
        return cls(*(np.random.Generator(np.random.SFC64(seed)) for seed in seeds))


def _shares(pos: FloatArray, neg: FloatArray) -> Steps:
    """Corners in shares of each class, from the mass of each cell."""
    tp, fp = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)
    # Divided by its own last entry a running sum ends at exactly 1.
    n_pos, n_neg = tp[:, -1:], fp[:, -1:]
    return Steps(tp / n_pos, fp[:, 1::2] / n_neg, pos / n_pos, neg[:, 1::2] / n_neg, 1.0, 1.0)


# --- samplers -------------------------------------------------------------------------------------


class OfCells(Sampler):
    """Independent rows of one model, given their cells."""

    curves: tuple[Curve, ...] = ()

    def __init__(self, cells: Cells, *, again: bool = False) -> None:
        self.cells, self.again = (cells,), again
        self.numbers = 3 * len(cells.score) + 1
        law: CellLaw = multinomial if again else gammas
        self._pos, self._neg = law(cells.pos), law(cells.neg)
        self.worth = (cells.pos.typical_weight,) * 2, (cells.neg.typical_weight,) * 2

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses drawn cell by cell."""
        return [(self._pos(n_draws, streams.pos), self._neg(n_draws, streams.neg))]


class OfCurve(OfCells):
    """Independent rows of one model.

    If they are weighted, a free row weighs as much as the heaviest of the few rows next to its place.
    """

    def __init__(self, curve: Curve, cells: Cells, *, again: bool = False) -> None:
        super().__init__(cells, again=again)
        self.curves = (curve,)
        if curve.weighted:
            self.worth = tuple((float(each[:_NEXT].max()), float(each[-_NEXT:].max())) for each in _weights(curve))


def is_uneven(curve: Curve) -> bool:
    """Whether rows of a class differ in weight."""
    return curve.weighted and any(np.ptp(each) > _ALIKE * each.max() for each in _weights(curve))


def _weights(curve: Curve) -> list[FloatArray]:
    """The weights of the rows of each class, from the highest score down."""
    columns = (curve.pos, curve.pos_squares), (curve.neg, curve.neg_squares)
    return [np.asarray(squares[weight > 0] / weight[weight > 0], np.float64) for weight, squares in columns]


class OfModels(Sampler):
    """Independent rows scored by several models, each of which has its own cells."""

    def __init__(self, models: SameRows, cut: Callable[[Curve, int], Cells], *, again: bool = False) -> None:
        self.curves, self.again = models.curves, again
        runs = RUNS_PER_LOGIT
        self._cut_into(models, cut, runs)
        while runs > 1 and len(self.pos.part.rows) + len(self.neg.part.rows) > _MANY_GROUPS:
            runs //= 2
            self._cut_into(models, cut, runs)
        groups = len(self.pos.part.rows) + len(self.neg.part.rows)
        self.numbers = groups + sum(3 * len(one.score) for one in self.cells)
        law: CellLaw = multinomial if again else gammas
        self._pos, self._neg = law(self.pos.part), law(self.neg.part)

    def _cut_into(self, models: SameRows, cut: Callable[[Curve, int], Cells], runs: int) -> None:
        self.cells = tuple(cut(curve, runs) for curve in models.curves)
        cell = np.stack([cell_of(score, one) for score, one in zip(models.scores, self.cells, strict=True)])
        # A positive is always at a corner; corners are counted without the gaps between them.
        self.pos, self.neg = _shared(cell[:, models.positive] // 2), _shared(cell[:, ~models.positive])

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses drawn by groups of rows that share their cells under all models, summed by cell."""
        pos, neg = self._pos(n_draws, streams.pos), self._neg(n_draws, streams.neg)
        models = []
        for k, cells in enumerate(self.cells):
            corners = len(cells.score)
            models.append((self.pos.into(pos, k, corners), self.neg.into(neg, k, 2 * corners + 1)))
        return models


class OfClusters(Sampler):
    """Rows that come in clusters, such as several of one patient: a cluster gets one weight for all its rows."""

    def __init__(self, clusters: Mapping[object, Curve], pooled: Curve, cells: Cells) -> None:
        self.curves, self.cells = (pooled,), (cells,)
        self.numbers = 3 * len(cells.score) + len(clusters) + 1
        self._spread, self._n = _spread(cells, clusters), len(clusters)
        # The free mass is one more cluster, which may be large.
        of_class = zip(*((curve.n_pos, curve.n_neg) for curve in clusters.values()), strict=True)
        pos, neg = (np.array(sizes, np.float64) for sizes in of_class)
        self.worth = (float(pos @ pos / pos.sum()),) * 2, (float(neg @ neg / neg.sum()),) * 2

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses drawn cluster by cluster."""
        weight = streams.pos.standard_exponential((n_draws, self._n))
        pos, neg = (np.asarray((part.T @ weight.T).T, np.float64) for part in self._spread)
        return [(pos, neg)]


class _Shared(NamedTuple):
    """Rows of one class, grouped by their cells under all models."""

    part: Part  # the number of rows of each group
    cell: Indices  # of each group, by model; groups are in the order of the first one

    def into(self, drawn: FloatArray, model: int, n_cells: int) -> FloatArray:
        """The masses drawn for groups, summed by cell of a model."""
        cell_of = self.cell[model]
        if model:
            order = np.argsort(cell_of, kind="stable")
            cell_of, drawn = cell_of[order], drawn[:, order]
        first = np.flatnonzero(np.diff(cell_of, prepend=-1))
        summed = np.zeros((len(drawn), n_cells))
        summed[:, cell_of[first]] = np.add.reduceat(drawn, first, axis=1)
        return summed


def _shared(cell: Indices) -> _Shared:
    """Group rows by their cells; `cell` has a row for each model."""
    ordered = cell[:, np.lexsort(cell[::-1])]
    first = np.flatnonzero(np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    rows = np.diff(np.append(first, cell.shape[1])).astype(np.float64)
    return _Shared(Part(rows, np.ones(len(rows))), ordered[:, first])


def _spread(cells: Cells, clusters: Mapping[object, Curve]) -> tuple["csr_array", "csr_array"]:
    """Counts of each cluster in each cell of the pooled curve: one row per cluster."""
    from scipy.sparse import csr_array  # slow to import, seldom needed

    cluster = np.repeat(np.arange(len(clusters)), [len(curve) for curve in clusters.values()])
    score, pos, neg = (
        np.concatenate([getattr(curve, name) for curve in clusters.values()]) for name in ("score", "pos", "neg")
    )
    cell = cell_of(score, cells)
    there, corners = pos > 0, len(cells.score)
    return (
        csr_array((pos[there].astype(np.float64), (cluster[there], cell[there] // 2)), (len(clusters), corners)),
        csr_array((neg.astype(np.float64), (cluster, cell)), (len(clusters), 2 * corners + 1)),
    )


def check_draws(n_draws: int, confidence_level: float, tail: float | None = None) -> None:
    """Refuse so few draws that none lies beyond an end of the interval."""
    fewest = math.ceil(2 / (1 - confidence_level) if tail is None else 1 / tail)
    if n_draws < fewest:
        raise InputError(
            f"n_resamples must be at least {fewest:,} for a confidence level of {confidence_level:.6g}, got "
            f"{n_draws:,}; raise n_resamples, or lower the confidence level."
        )
