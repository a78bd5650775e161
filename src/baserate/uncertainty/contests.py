"""How models on the same rows are compared: one function per method, and which of them a contest may use."""

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
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
from baserate.uncertainty.samplers import NOBODY, OFFSET, TOP, Drawn, Observer, OfModels, Placed, check_draws

# How much of a negative may be unseen above all others, for each tenth part of the own prevalence that is read at.
_UNSEEN = 0.06
_FEW = 20  # rows of a class
_FEWEST = 5  # with fewer, draws hardly ever come as far out as Student's law has the ends
_HIGHEST = 3  # negatives of one model whose places in the other tell where such a one would be


class Contest(NamedTuple):
    """Models on the same rows, read where they are compared."""

    metric: MetricFunction
    models: SameRows
    places: tuple[Curve | Point, ...]
    x: FloatArray
    sign: float = 1.0  # -1 where the lowest leads

    def read(self) -> tuple[list[float], Reason | None]:
        """What each model is worth, or why that is undefined."""
        missing = self.models.curves[0].missing_class
        if missing:
            return [math.nan for _ in self.places], missing
        found = [evaluate(self.metric, place) for place in self.places]
        return [float(value) for value, _ in found], next((reason for _, reason in found if reason), None)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each model with each one behind it."""
        return list(combinations(range(len(self.places)), 2))

    def values(self) -> FloatArray:
        """First less second, for each pair of models and each x."""
        worth = np.array([sweep(self.metric, place, 1 / (1 + self.x)).value for place in self.places])
        return self.apart(worth, worth)

    def apart(self, worth: FloatArray, of_second: FloatArray) -> FloatArray:
        """First less second for each pair of models, from what they are worth on the last axis but one."""
        with np.errstate(invalid="ignore"):  # both may be infinite
            return np.stack([worth[..., i, :] - of_second[..., j, :] for i, j in self.pairs], axis=-2)

    def sampler(self, *, again: bool = False) -> OfModels:
        """Where populations come from."""
        places = {id(curve): place for curve, place in zip(self.models.curves, self.places, strict=True)}

        def cut(curve: Curve, runs: int) -> Cells:
            place = places[id(curve)]
            if isinstance(place, Point) and not is_chosen(place) and place.threshold is not None:
                return between(curve, np.array([place.threshold]))
            return cut_for(self.metric, place)(curve, runs)

        return OfModels(self.models, cut, again=again)

    @property
    def of_curves(self) -> bool:
        """Whether whole curves are compared, or points on them."""
        return isinstance(self.places[0], Curve)

    def read_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """What each model is worth in drawn populations: populations, models, and each x."""
        both = zip(self.places, models, strict=True)
        return np.stack([reading_of(self.metric, place)(model, self.x) for place, model in both], axis=1)

    def levels_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """What all rules choose in drawn populations."""
        return levels_of(self.places, models)

    def at_likely_levels(self, chosen: FloatArray, level: float) -> Iterator[tuple[int, "Contest"]]:
        """Each pair of models, by number, at each pair of thresholds that may be the population's choice."""
        for number, (i, j) in enumerate(self.pairs):
            sides = np.stack([chosen[:, :, i], chosen[::-1, :, j]], axis=-1)
            for levels in likely_levels(sides, (1 - level) / 2):
                places = tuple(at_level(self.places[k], one) for k, one in zip((i, j), levels, strict=True))
                yield number, self._replace(models=self.models._only(i, j), places=places)


class Verdict(NamedTuple):
    """What a method says of the difference in each pair of models, at each x."""

    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    leading: FloatArray  # the probability that a model leads all others, for each model and each x

    @classmethod
    def none(cls, contest: Contest) -> "Verdict":
        """Nothing."""
        of_pairs, of_models = ((len(of), len(contest.x)) for of in (contest.pairs, contest.places))
        return cls(*(np.full(shape, np.nan) for shape in (of_pairs, of_pairs, of_pairs, of_models)))


Method = Callable[[Contest, Asked], Verdict]


def methods_of(contest: Contest) -> dict[str, Method]:
    """The methods there are, the default first; those in closed form are for two models."""
    if not has_interval(contest.metric):
        return {"none": _none}
    if losses_of(contest.metric) is not None:
        return {"melded": _melded}
    found: dict[str, Method] = {"melded": _melded, "percentile": _percentile}
    if _fewer(contest) >= _FEW:
        found = {"expanded": _expanded} | found
    elif _fewer(contest) >= _FEWEST:  # percentiles of so few rows were seen to fall short
        found["expanded"] = _expanded
    if contest.of_curves and len(contest.places) == 2 and intervals.has_influence(contest.metric):
        found["influence"] = _by_influence
        if traits_of(contest.metric).share_of_pairs:
            found = {"delong_t": _delong_t} | found | {"delong": _delong}
    return found


def _fewer(contest: Contest) -> float:
    """How many rows the smaller class has."""
    curve = contest.models.curves[0]
    return float(min(curve.n_pos, curve.n_neg))


def _none(contest: Contest, _: Asked) -> Verdict:
    return Verdict.none(contest)


# --- from draws -----------------------------------------------------------------------------------


def _expanded(contest: Contest, asked: Asked) -> Verdict:
    """Percentiles of the paired bootstrap, as far out as Student's law has them for the smaller class.

    Read below the own prevalence, a difference hangs on negatives above the highest positives, of which few or none
    were seen. Part of one more is placed above all others of one model, where it is in the other one as the highest
    were. Where rows drawn again never differ, as at a threshold above all of them, they say nothing about rows to come,
    and what melding says is said.
    """
    level = asked.confidence_level
    check_draws(asked.n_draws, level, ends.expanded_tail(level, _fewer(contest)))
    worth, chosen = resampled(contest, asked)
    differences = differences_in(contest, worth)
    found = ends.expanded(differences, contest.values(), level, _fewer(contest))
    verdict = Verdict(*found, _leading(contest, worth, worth, found[2]))
    same = (differences == differences[:1, :1]).all(axis=(0, 1))
    if same.any():
        masks = (same, same, same, same.all(axis=0))
        both = zip(masks, _melded(contest, asked), verdict, strict=True)
        verdict = Verdict(*(np.where(mask, of_melded, expanded) for mask, of_melded, expanded in both))
    return _holding(verdict, contest, chosen, asked, _expanded)


def resampled(contest: Contest, asked: Asked) -> tuple[FloatArray, FloatArray]:
    """What each model is worth in resampled rows, seen with part of one more negative above all of each; and levels."""
    sampler = contest.sampler(again=True)
    groups = list(_with_unseen(contest, sampler))
    readers = [
        Reader(contest._replace(x=contest.x[where]).read_off, observers, contest.of_curves)
        for where, observers in groups
    ]
    levels = Reader(contest.levels_off, of_curves=False)
    *read, chosen = drawn(sampler, [*readers, levels], asked.n_draws, asked.seeds, what="Resampling")
    n_models = len(contest.places)
    worth = np.empty((n_models, asked.n_draws, n_models, len(contest.x)))
    for (where, _), found in zip(groups, read, strict=True):
        worth[..., where] = found  # where nobody places anything, all see the same
    return worth, chosen


def differences_in(contest: Contest, worth: FloatArray) -> FloatArray:
    """First less second for each pair of models, as these two see them."""
    with np.errstate(invalid="ignore"):
        return np.stack([worth[[i, j], :, i] - worth[[i, j], :, j] for i, j in contest.pairs], axis=-2)


def _with_unseen(contest: Contest, sampler: OfModels) -> Iterator[tuple[Indices, tuple[Observer, ...]]]:
    """Which of the x have the same observers, and who they are."""
    curve = contest.models.curves[0]
    below = contest.x * (curve.n_pos / curve.n_neg)  # how many times below the own odds
    near = np.flatnonzero(below <= 1)
    if len(near):
        yield near, (NOBODY,)
    places = _unseen_places(contest.models, sampler) if len(near) < len(below) else ()
    for j in np.flatnonzero(below > 1):
        rows = _UNSEEN * math.log10(below[j])
        yield np.array([j]), tuple(Observer(placed, 0.0, rows) for placed in places)


def _unseen_places(models: SameRows, sampler: OfModels) -> tuple[tuple[Placed, ...], ...]:
    """Where one more negative lies that is above all others of the first model, of the second, and so on."""
    negatives = list(zip([score[~models.positive] for score in models.scores], sampler.cells, strict=True))
    return tuple(
        tuple(TOP if other is score else _as_the_highest(score, other, cells) for other, cells in negatives)
        for score, _ in negatives
    )


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
    readers = [Reader(contest.read_off, None, contest.of_curves), Reader(contest.levels_off, None, False)]
    worth, chosen = drawn(contest.sampler(), readers, asked.n_draws, asked.seeds)
    differences = contest.apart(worth, worth[::-1])
    low, high = ends.melded(differences, contest.values(), asked.confidence_level)
    p = np.where(np.isnan(low) | np.isnan(high), np.nan, ends.p_value(differences, contest.values()))
    verdict = Verdict(low, high, p, _leading(contest, worth, worth[::-1], p))
    return _holding(verdict, contest, chosen, asked, _melded)


def _leading(contest: Contest, worth: FloatArray, of_others: FloatArray, known: FloatArray) -> FloatArray:
    """Who leads all others, where differences are known."""
    found = ends.leading(contest.sign * worth, contest.sign * of_others)
    return np.where(np.isnan(known).any(axis=0), np.nan, found)


def _holding(verdict: Verdict, contest: Contest, chosen: FloatArray, asked: Asked, method: Method) -> Verdict:
    """What also holds at thresholds that may be the population's choice."""
    for number, there in contest.at_likely_levels(chosen, asked.confidence_level):
        other = method(there, asked)
        low, high = ends.holding(
            Interval(verdict.low[number], verdict.high[number]), [Interval(other.low[0], other.high[0])]
        )
        p = np.where(np.isnan(low) | np.isnan(high), np.nan, np.fmax(verdict.p_value[number], other.p_value[0]))
        for part, of_pair in zip(verdict, (low, high, p), strict=False):
            part[number] = of_pair
    return verdict


def _percentile(contest: Contest, asked: Asked) -> Verdict:
    check_draws(asked.n_draws, asked.confidence_level)
    reader = Reader(contest.read_off, of_curves=contest.of_curves)
    (worth,) = drawn(contest.sampler(again=True), [reader], asked.n_draws, asked.seeds, what="Resampling")
    differences = contest.apart(worth, worth)
    known = ~np.isnan(contest.values())  # not where both models are infinite
    low, high = (np.where(known, end, np.nan) for end in ends.percentile(differences[0], asked.confidence_level))
    p = np.where(np.isnan(low) | np.isnan(high), np.nan, ends.p_value(differences, contest.values()))
    return Verdict(low, high, p, _leading(contest, worth, worth, p))


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
    values = contest.values()[0]
    found = [
        _of_one(contest, float(x), float(value), level, divisor, student=student)
        for x, value in zip(contest.x, values, strict=True)
    ]
    low, high, p, beyond = np.array(found).T[:, np.newaxis]
    leading = beyond if contest.sign > 0 else 1 - beyond
    return Verdict(low, high, p, np.concatenate([leading, 1 - leading]))


def _of_one(
    contest: Contest, x: float, value: float, level: float, divisor: Callable[[float], float], *, student: bool
) -> tuple[float, float, float, float]:
    models, positive = contest.models, contest.models.positive
    of_a, of_b = (_influences(contest, x, *one) for one in zip(models.curves, models.scores, strict=True))
    of_classes = [(of_a - of_b)[rows] for rows in (positive, ~positive)]
    variances = [float(one @ one) / divisor(len(one)) if len(one) > 1 else math.nan for one in of_classes]
    error = math.sqrt(sum(variances))
    if not error > 0:
        return (math.nan,) * 4
    freedom = _freedom(of_classes, variances) if student else math.inf
    margin = float(scipy.special.stdtrit(freedom, (1 + level) / 2)) * error
    beyond = float(scipy.special.stdtr(freedom, value / error))
    p_value = 2 * float(scipy.special.stdtr(freedom, -abs(value / error)))  # never 0, as 1 less what rounds to 1 is
    return value - margin, value + margin, p_value, beyond


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
    return np.where(contest.models.positive, answers.at_corner[corner], by_cell[cell])
