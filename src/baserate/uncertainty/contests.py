"""How two models on the same rows are compared: one function per method, and which of them a contest may use."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.pair import Pair
from baserate.curves.point import Point
from baserate.errors import Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction, sweep
from baserate.registry import traits_of
from baserate.uncertainty import ends, intervals
from baserate.uncertainty.cells import Cells, between, cell_of, corners
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import Asked
from baserate.uncertainty.levels import at_level, is_chosen, levels_of, likely_levels
from baserate.uncertainty.readers import cut_for, has_interval, losses_of, reading_of
from baserate.uncertainty.samplers import NOBODY, OFFSET, TOP, Drawn, Observer, OfPair, Placed, check_draws

# How much of a negative may be unseen above all others, for each tenth part of the own prevalence that is read at.
_UNSEEN = 0.06
_FEW = 20  # rows of a class
_HIGHEST = 3  # negatives of one model whose places in the other tell where such a one would be


class Contest(NamedTuple):
    """Two models, read where they are compared."""

    metric: MetricFunction
    pair: Pair
    a: Curve | Point
    b: Curve | Point
    x: FloatArray

    def read(self) -> tuple[float, float, Reason | None]:
        """What each model is worth, or why that is undefined."""
        if self.pair.a.missing_class:
            return math.nan, math.nan, self.pair.a.missing_class
        (first, reason_a), (second, reason_b) = (evaluate(self.metric, model) for model in (self.a, self.b))
        return float(first), float(second), reason_a or reason_b

    def values(self) -> FloatArray:
        """First less second at each x."""
        prevalences = 1 / (1 + self.x)
        with np.errstate(invalid="ignore"):  # both may be infinite
            return sweep(self.metric, self.a, prevalences).value - sweep(self.metric, self.b, prevalences).value

    def sampler(self, *, again: bool = False) -> OfPair:
        """Where populations come from."""
        places = {id(self.pair.a): self.a, id(self.pair.b): self.b}

        def cut(curve: Curve, runs: int) -> Cells:
            place = places[id(curve)]
            if isinstance(place, Point) and not is_chosen(place) and place.threshold is not None:
                return between(curve, np.array([place.threshold]))
            return cut_for(self.metric, place)(curve, runs)

        return OfPair(self.pair, cut, again=again)

    @property
    def of_curves(self) -> bool:
        """Whether whole curves are compared, or points on them."""
        return isinstance(self.a, Curve)

    def read_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """First less second in drawn populations."""
        (a, b), of_a, of_b = models, reading_of(self.metric, self.a), reading_of(self.metric, self.b)
        with np.errstate(invalid="ignore"):
            return of_a(a, self.x) - of_b(b, self.x)

    def levels_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """What both rules choose in drawn populations."""
        return levels_of([self.a, self.b], models)

    def at_likely_levels(self, chosen: FloatArray, level: float) -> Iterator["Contest"]:
        """The same at each pair of thresholds that may be the population's choice."""
        for of_a, of_b in likely_levels(chosen, (1 - level) / 2):
            yield self._replace(a=at_level(self.a, of_a), b=at_level(self.b, of_b))


class Verdict(NamedTuple):
    """What a method says of a difference, at each x."""

    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    leading: FloatArray  # the probability that the difference is above 0

    @classmethod
    def none(cls, n: int) -> "Verdict":
        """Nothing, at so many x."""
        return cls(*(np.full(n, np.nan) for _ in range(4)))


Method = Callable[[Contest, Asked], Verdict]


def methods_of(contest: Contest) -> dict[str, Method]:
    """The methods there are, the default first."""
    if not has_interval(contest.metric):
        return {"none": _none}
    if losses_of(contest.metric) is not None:
        return {"melded": _melded}
    found: dict[str, Method] = {"expanded": _expanded, "melded": _melded, "percentile": _percentile}
    if min(contest.pair.a.n_pos, contest.pair.a.n_neg) < _FEW:  # percentiles of so few rows were seen to fall short
        found = {"melded": _melded} | found
    if isinstance(contest.a, Curve) and intervals.has_influence(contest.metric):
        found["influence"] = _by_influence
        if traits_of(contest.metric).share_of_pairs:
            found = {"delong_t": _delong_t} | found | {"delong": _delong}
    return found


def _none(contest: Contest, _: Asked) -> Verdict:
    return Verdict.none(len(contest.x))


# --- from draws -----------------------------------------------------------------------------------


def _expanded(contest: Contest, asked: Asked) -> Verdict:
    """Percentiles of the paired bootstrap, as far out as Student's law has them for the smaller class.

    Read below the own prevalence, a difference hangs on negatives above the highest positives, of which few or none
    were seen. Part of one more is placed above all others of one model, where it is in the other one as the highest
    were. Where rows drawn again never differ, as at a threshold above all of them, they say nothing about rows to come,
    and what melding says is said.
    """
    level = asked.confidence_level
    check_draws(asked.n_draws, level)
    differences, chosen = differences_of(contest, asked)
    fewer = min(contest.pair.a.n_pos, contest.pair.a.n_neg)
    verdict = Verdict(*ends.expanded(differences, contest.values(), level, fewer))
    same = (differences == differences[:1, :1]).all(axis=(0, 1))
    if same.any():
        both = zip(_melded(contest, asked), verdict, strict=True)
        verdict = Verdict(*(np.where(same, of_melded, expanded) for of_melded, expanded in both))
    there = (_expanded(one, asked) for one in contest.at_likely_levels(chosen, level))
    return _holding(verdict, there)


def differences_of(contest: Contest, asked: Asked) -> tuple[FloatArray, FloatArray]:
    """First less second in resampled pairs, and the levels that both rules choose there."""
    sampler = contest.sampler(again=True)
    groups = list(_with_unseen(contest, sampler))
    readers = [
        Reader(contest._replace(x=contest.x[where]).read_off, observers, contest.of_curves)
        for where, observers in groups
    ]
    levels = Reader(contest.levels_off, of_curves=False)
    *read, chosen = drawn(sampler, [*readers, levels], asked.n_draws, asked.seeds, what="Resampling")
    differences = np.empty((2, asked.n_draws, len(contest.x)))
    for (where, _), found in zip(groups, read, strict=True):
        differences[..., where] = found  # where nobody places anything, both see the same
    return differences, chosen


def _with_unseen(contest: Contest, sampler: OfPair) -> Iterator[tuple[Indices, tuple[Observer, ...]]]:
    """Which of the x have the same observers, and who they are."""
    below = contest.x * (contest.pair.a.n_pos / contest.pair.a.n_neg)  # how many times below the own odds
    near = np.flatnonzero(below <= 1)
    if len(near):
        yield near, (NOBODY,)
    places = _unseen_places(contest.pair, sampler) if len(near) < len(below) else ()
    for j in np.flatnonzero(below > 1):
        rows = _UNSEEN * math.log10(below[j])
        yield np.array([j]), tuple(Observer(models, 0.0, rows) for models in places)


def _unseen_places(pair: Pair, sampler: OfPair) -> tuple[tuple[Placed, Placed], ...]:
    """Where one more negative lies that is above all others of the first model, and of the second."""
    a, b = (score[~pair.positive] for score in pair.scores)
    cells_a, cells_b = sampler.cells
    return (TOP, _as_the_highest(a, b, cells_b)), (_as_the_highest(b, a, cells_a), TOP)


def _as_the_highest(score: FloatArray, other: FloatArray, cells: Cells) -> Placed:
    """Where the other model has a negative that is the highest of one: half as far down as the lowest of the next."""
    highest = np.argsort(-score, kind="stable")[:_HIGHEST]
    ranks = np.array([1 + np.count_nonzero(other > other[row]) for row in highest])
    rank = int(np.max(ranks / np.arange(1, len(ranks) + 1)) / 2)
    if rank < 1:
        return TOP
    place = np.partition(other, len(other) - rank)[len(other) - rank]
    return Placed(TOP.pos, int(cell_of(np.array([place]), cells)[0]) + OFFSET)


def _melded(contest: Contest, asked: Asked) -> Verdict:
    """What is free lies where it harms the first model most and helps the second most, or the reverse."""
    check_draws(asked.n_draws, asked.confidence_level)
    sampler = contest.sampler()
    (low_a, low_b), (high_a, high_b) = sampler.pessimist.models, sampler.optimist.models
    observers = Observer((low_a, high_b)), Observer((high_a, low_b))
    readers = [Reader(contest.read_off, observers, contest.of_curves), Reader(contest.levels_off, observers, False)]
    differences, chosen = drawn(sampler, readers, asked.n_draws, asked.seeds)
    low, high = ends.melded(differences, contest.values(), asked.confidence_level)
    known = ~(np.isnan(low) | np.isnan(high))
    found = (np.where(known, part, np.nan) for part in (ends.p_value(differences), ends.leading(differences)))
    there = (_melded(one, asked) for one in contest.at_likely_levels(chosen, asked.confidence_level))
    return _holding(Verdict(low, high, *found), there)


def _holding(verdict: Verdict, others: Iterator[Verdict]) -> Verdict:
    """What also holds at thresholds that may be the population's choice."""
    for other in others:
        low, high = ends.holding(Interval(*verdict[:2]), [Interval(*other[:2])])
        verdict = Verdict(low, high, np.fmax(verdict.p_value, other.p_value), verdict.leading)
    return verdict


def _percentile(contest: Contest, asked: Asked) -> Verdict:
    check_draws(asked.n_draws, asked.confidence_level)
    reader = Reader(contest.read_off, of_curves=contest.of_curves)
    (found,) = drawn(contest.sampler(again=True), [reader], asked.n_draws, asked.seeds, what="Resampling")
    low, high = ends.percentile(found[0], asked.confidence_level)
    return Verdict(low, high, ends.p_value(found), ends.leading(found))


# --- in closed form -------------------------------------------------------------------------------


def _by_influence(contest: Contest, asked: Asked) -> Verdict:
    return _normal(contest, asked.confidence_level, lambda n: n * n)


def _delong(contest: Contest, asked: Asked) -> Verdict:
    return _normal(contest, asked.confidence_level, lambda n: n * (n - 1))


def _delong_t(contest: Contest, asked: Asked) -> Verdict:
    """DeLong's variance, with as many degrees of freedom as Satterthwaite's approximation has for it."""
    return _normal(contest, asked.confidence_level, lambda n: n * (n - 1), student=True)


def _normal(contest: Contest, level: float, divisor: Callable[[float], float], *, student: bool = False) -> Verdict:
    """The difference in influence, row by row, gives the variance of the difference."""
    found = [_of_one(contest, j, level, divisor, student=student) for j in range(len(contest.x))]
    return Verdict(*np.array(found).T)


def _of_one(
    contest: Contest, j: int, level: float, divisor: Callable[[float], float], *, student: bool
) -> tuple[float, float, float, float]:
    pair, x = contest.pair, float(contest.x[j])
    of_a, of_b = (_influences(contest, x, *one) for one in zip((pair.a, pair.b), pair.scores, strict=True))
    of_classes = [(of_a - of_b)[rows] for rows in (pair.positive, ~pair.positive)]
    variances = [float(one @ one) / divisor(len(one)) if len(one) > 1 else math.nan for one in of_classes]
    error = math.sqrt(sum(variances))
    if not error > 0:
        return (math.nan,) * 4
    freedom = _freedom(of_classes, variances) if student else math.inf
    value = float(contest.values()[j])
    margin = float(scipy.special.stdtrit(freedom, (1 + level) / 2)) * error
    beyond = float(scipy.special.stdtr(freedom, value / error))
    return value - margin, value + margin, 2 * min(beyond, 1 - beyond), beyond


def _freedom(of_classes: list[FloatArray], variances: list[float]) -> float:
    """By the kurtosis of the influences in each class; one of two values at the least."""
    spread = 0.0
    for one, variance in zip(of_classes, variances, strict=True):
        squares = one**2
        if squares.any():
            excess = max(float(np.mean(squares**2) / np.mean(squares) ** 2) - 1, 0.5)
            spread += variance**2 * excess / len(one)
    return 2 * sum(variances) ** 2 / spread


def _influences(contest: Contest, x: float, curve: Curve, score: FloatArray) -> FloatArray:
    """How the metric answers to each row."""
    answers = intervals.influence_of(contest.metric, curve.table.steps, x)
    by_cell = np.empty(2 * len(answers.tied) + 1)
    by_cell[0::2], by_cell[1::2] = answers.in_gap, answers.tied
    cell = cell_of(score, corners(curve))
    corner = np.minimum(cell // 2, len(answers.tied) - 1)  # a positive is at one; of others it does not matter
    return np.where(contest.pair.positive, answers.at_corner[corner], by_cell[cell])
