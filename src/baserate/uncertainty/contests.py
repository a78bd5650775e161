"""Methods that compare models on the same rows: one function each, and which of them a comparison may use."""

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.curves.point import Point
from baserate.errors import Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction, sweep
from baserate.registry import traits_of
from baserate.uncertainty import ends, intervals
from baserate.uncertainty.cells import Cells, cell_of, corners
from baserate.uncertainty.choosing import at_level, levels_of, likely_levels
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings
from baserate.uncertainty.readers import cut_for, has_interval, losses_of, reading_of
from baserate.uncertainty.samplers import NOBODY, OFFSET, TOP, Drawn, Observer, OfModels, Placed, check_draws

# The part of an unseen negative above all others, by the square root of the number of positives. More positives make
# intervals narrower, and those that never saw a negative there miss more often.
_UNSEEN, _MOST_UNSEEN = 0.0045, 0.5

# A difference of areas is biased by about twice as much as its draws are; this fades between these odds of the data
# over those that it is read at.
_BIASES, _NO_BIAS_FROM = 3.0, (10.0, 30.0)
_FEW = 20  # rows of a class
_FEWEST = 5  # with fewer, draws rarely reach as far as Student's quantile
_HIGHEST = 3  # highest negatives of one model, whose ranks under the other place an unseen one there


class Contest(NamedTuple):
    """A comparison of models on the same rows: a metric, at curves or points, at each x."""

    metric: MetricFunction
    models: SameRows
    places: tuple[Curve | Point, ...]
    x: FloatArray
    sign: float = 1.0  # -1 where the lowest leads

    def read(self) -> tuple[list[float], Reason | None]:
        """The metric of each model, or why it is undefined."""
        missing = self.models.curves[0].missing_class
        if missing:
            return [math.nan for _ in self.places], missing
        evaluated = [evaluate(self.metric, place) for place in self.places]
        return [float(value) for value, _ in evaluated], next((reason for _, reason in evaluated if reason), None)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of models, by index."""
        return list(combinations(range(len(self.places)), 2))

    def values(self) -> FloatArray:
        """The difference, first minus second, of each pair of models at each x."""
        worth = np.array([sweep(self.metric, place, 1 / (1 + self.x)).value for place in self.places])
        return self.apart(worth, worth)

    def apart(self, worth: FloatArray, of_second: FloatArray) -> FloatArray:
        """The difference, first minus second, of each pair of models; models are the last axis but one."""
        with np.errstate(invalid="ignore"):  # both may be infinite
            return np.stack([worth[..., i, :] - of_second[..., j, :] for i, j in self.pairs], axis=-2)

    def sampler(self, *, again: bool = False) -> OfModels:
        """The sampler of populations."""
        places = {id(curve): place for curve, place in zip(self.models.curves, self.places, strict=True)}

        def cut(curve: Curve, runs: int) -> Cells:
            return cut_for(self.metric, places[id(curve)])(curve, runs)

        return OfModels(self.models, cut, again=again)

    @property
    def of_curves(self) -> bool:
        """True if whole curves are compared, False if points on them."""
        return isinstance(self.places[0], Curve)

    def read_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """The metric in drawn populations: an array by population, model and x."""
        both = zip(self.places, models, strict=True)
        return np.stack([reading_of(self.metric, place)(model, self.x) for place, model in both], axis=1)

    def levels_off(self, models: tuple[Drawn, ...]) -> FloatArray:
        """The levels that the rules choose in drawn populations."""
        return levels_of(self.places, models)

    def at_likely_levels(self, chosen: FloatArray, level: float) -> Iterator[tuple[int, "Contest"]]:
        """Each pair of models, by index, at each pair of thresholds that the rules may choose in the population."""
        for number, (i, j) in enumerate(self.pairs):
            sides = np.stack([chosen[:, :, i], chosen[::-1, :, j]], axis=-1)
            for levels in likely_levels(sides, (1 - level) / 2):
                places = tuple(at_level(self.places[k], one) for k, one in zip((i, j), levels, strict=True))
                yield number, self._replace(models=self.models._only(i, j), places=places)


class Verdict(NamedTuple):
    """Interval and p-value of the difference of each pair of models, and who leads, at each x."""

    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    leading: FloatArray  # the probability that a model is better than all others, by model and x

    @classmethod
    def none(cls, contest: Contest) -> "Verdict":
        """A verdict of nan."""
        of_pairs, of_models = ((len(of), len(contest.x)) for of in (contest.pairs, contest.places))
        return cls(*(np.full(shape, np.nan) for shape in (of_pairs, of_pairs, of_pairs, of_models)))


ContestMethod = Callable[[Contest, IntervalSettings], Verdict]


def methods_of(contest: Contest) -> dict[str, ContestMethod]:
    """The methods for a comparison, the default first; those in closed form are for two models."""
    if not has_interval(contest.metric):
        return {"none": _none}
    if losses_of(contest.metric) is not None:
        return {"melded": _melded}
    methods: dict[str, ContestMethod] = {"melded": _melded, "percentile": _percentile}
    if _fewer(contest) >= _FEW:
        methods = {"expanded": _expanded} | methods
    elif _fewer(contest) >= _FEWEST:  # percentiles of so few rows were seen to fall short
        methods["expanded"] = _expanded
    if contest.of_curves and len(contest.places) == 2 and intervals.has_influence(contest.metric):
        methods["influence"] = _by_influence
        if traits_of(contest.metric).share_of_pairs:
            methods = {"delong_t": _delong_t} | methods | {"delong": _delong}
    return methods


def why_default(contest: Contest, name: str) -> str:
    """Why a method is the default for a comparison."""
    if name == "melded":
        few = losses_of(contest.metric) is None
        return f"fewer than {_FEW} rows of a class" if few else "a mean of losses, of which unseen ones may be large"
    return {
        "expanded": f"at least {_FEW} rows of each class: the paired bootstrap, widened by Student's quantile",
        "delong_t": "a share of pairs of rows: its variance has a closed form",
        "none": "no method is known whose intervals contain the true value often enough",
    }[name]


def _fewer(contest: Contest) -> float:
    """The number of rows of the smaller class."""
    curve = contest.models.curves[0]
    return float(min(curve.n_pos, curve.n_neg))


def _none(contest: Contest, _: IntervalSettings) -> Verdict:
    return Verdict.none(contest)


# --- from draws -----------------------------------------------------------------------------------


def _expanded(contest: Contest, settings: IntervalSettings) -> Verdict:
    """The expanded percentile interval of the paired bootstrap, by Student's quantile for the smaller class.

    Below the prevalence of the data, a difference depends on negatives above the highest positives, of which few or
    none were observed. So part of one unseen negative is placed above all others of one model; under the other model
    it has a rank like that of one of the highest observed ones.

    If all bootstrap differences are equal, as at a threshold above all rows, the bootstrap says nothing, and the melded
    interval is returned.
    """
    level = settings.confidence_level
    check_draws(settings.n_draws, level, ends.expanded_tail(level, _fewer(contest)))
    worth, chosen = resampled(contest, settings)
    differences = differences_in(contest, worth)
    interval_and_p = ends.expanded(differences, contest.values(), level, _fewer(contest), of_bias(contest))
    verdict = Verdict(*interval_and_p, _leading(contest, worth, worth, interval_and_p[2]))
    same = (differences == differences[:1, :1]).all(axis=(0, 1))
    if same.any():
        masks = (same, same, same, same.all(axis=0))
        both = zip(masks, _melded(contest, settings), verdict, strict=True)
        verdict = Verdict(*(np.where(mask, of_melded, expanded) for mask, of_melded, expanded in both))
    return _holding(verdict, contest, chosen, settings, _expanded)


def of_bias(contest: Contest) -> FloatArray:
    """How many times the bias of the draws is taken back, at each x: of areas only."""
    if not contest.of_curves:
        return np.zeros(1)
    curve = contest.models.curves[0]
    below = contest.x * curve.n_pos / curve.n_neg  # how far the odds lie below those of the data
    return _BIASES * np.interp(np.log(below), np.log(_NO_BIAS_FROM), [1.0, 0.0])


def resampled(contest: Contest, settings: IntervalSettings) -> tuple[FloatArray, FloatArray]:
    """The metric of each model in bootstrap samples with part of an unseen negative, and the levels chosen.

    There is one observer per model, who places that negative above all others of this model.
    """
    sampler, curve = contest.sampler(again=True), contest.models.curves[0]
    near = contest.x * curve.n_pos <= curve.n_neg  # at or above the prevalence of the data
    groups = [(near, (NOBODY,)), (~near, _with_unseen(contest.models, sampler))]
    groups = [(where, observers) for where, observers in groups if where.any()]
    readers = [
        Reader(contest._replace(x=contest.x[where]).read_off, observers, contest.of_curves)
        for where, observers in groups
    ]
    levels = Reader(contest.levels_off, of_curves=False)
    *read, chosen = drawn(sampler, [*readers, levels], settings.n_draws, settings.seeds, what="Resampling")
    n_models = len(contest.places)
    worth = np.empty((n_models, settings.n_draws, n_models, len(contest.x)))
    for (where, _), values in zip(groups, read, strict=True):
        worth[..., where] = values  # without free mass all observers agree
    return worth, chosen


def differences_in(contest: Contest, worth: FloatArray) -> FloatArray:
    """The difference, first minus second, of each pair of models, for the observers of these two."""
    with np.errstate(invalid="ignore"):
        return np.stack([worth[[i, j], :, i] - worth[[i, j], :, j] for i, j in contest.pairs], axis=-2)


def _with_unseen(models: SameRows, sampler: OfModels) -> tuple[Observer, ...]:
    """For each model, an observer who places part of an unseen negative above all others of this model."""
    rows = min(_UNSEEN * math.sqrt(models.curves[0].n_pos), _MOST_UNSEEN)
    negatives = list(zip([score[~models.positive] for score in models.scores], sampler.cells, strict=True))
    places = (
        tuple(TOP if other is score else _as_the_highest(score, other, cells) for other, cells in negatives)
        for score, _ in negatives
    )
    return tuple(Observer(placed, 0.0, rows) for placed in places)


def _as_the_highest(score: FloatArray, other: FloatArray, cells: Cells) -> Placed:
    """The places, under another model, that a negative may have which is the highest of one model.

    Its ranks there are half of those of the highest negatives, each divided by its rank under the first.
    """
    highest = np.argsort(-score, kind="stable")[:_HIGHEST]
    ranks = [(1 + np.count_nonzero(other > other[row])) / k / 2 for k, row in enumerate(highest, start=1)]
    wanted = [max(int(rank) - 1, 0) for rank in ranks]
    at = cell_of(-np.partition(-other, wanted)[wanted], cells) + OFFSET
    return Placed(TOP.pos, tuple(int(cell) if rank >= 1 else TOP.neg[0] for rank, cell in zip(ranks, at, strict=True)))


def _melded(contest: Contest, settings: IntervalSettings) -> Verdict:
    """The melded interval: free mass is placed against the first model and for the second, and the reverse."""
    check_draws(settings.n_draws, settings.confidence_level)
    readers = [Reader(contest.read_off, None, contest.of_curves), Reader(contest.levels_off, None, False)]
    worth, chosen = drawn(contest.sampler(), readers, settings.n_draws, settings.seeds)
    differences = contest.apart(worth, worth[::-1])
    low, high = ends.melded(differences, contest.values(), settings.confidence_level)
    p = np.where(np.isnan(low) | np.isnan(high), np.nan, ends.p_value(differences, contest.values()))
    verdict = Verdict(low, high, p, _leading(contest, worth, worth[::-1], p))
    return _holding(verdict, contest, chosen, settings, _melded)


def _leading(contest: Contest, worth: FloatArray, of_others: FloatArray, known: FloatArray) -> FloatArray:
    """The probability that each model is better than all others; nan where differences are unknown."""
    probability = ends.leading(contest.sign * worth, contest.sign * of_others)
    return np.where(np.isnan(known).any(axis=0), np.nan, probability)


def _holding(
    verdict: Verdict, contest: Contest, chosen: FloatArray, settings: IntervalSettings, method: ContestMethod
) -> Verdict:
    """A verdict whose intervals contain those at all thresholds that the rules may choose in the population."""
    for number, there in contest.at_likely_levels(chosen, settings.confidence_level):
        other = method(there, settings)
        low, high = ends.holding(
            Interval(verdict.low[number], verdict.high[number]), [Interval(other.low[0], other.high[0])]
        )
        p = np.where(np.isnan(low) | np.isnan(high), np.nan, np.fmax(verdict.p_value[number], other.p_value[0]))
        for part, of_pair in zip(verdict, (low, high, p), strict=False):
            part[number] = of_pair
    return verdict


def _percentile(contest: Contest, settings: IntervalSettings) -> Verdict:
    check_draws(settings.n_draws, settings.confidence_level)
    reader = Reader(contest.read_off, of_curves=contest.of_curves)
    (worth,) = drawn(contest.sampler(again=True), [reader], settings.n_draws, settings.seeds, what="Resampling")
    differences = contest.apart(worth, worth)
    known = ~np.isnan(contest.values())  # not where both models are infinite
    low, high = (np.where(known, end, np.nan) for end in ends.percentile(differences[0], settings.confidence_level))
    p = np.where(np.isnan(low) | np.isnan(high), np.nan, ends.p_value(differences, contest.values()))
    return Verdict(low, high, p, _leading(contest, worth, worth, p))


# --- in closed form -------------------------------------------------------------------------------


def _by_influence(contest: Contest, settings: IntervalSettings) -> Verdict:
    return _normal(contest, settings.confidence_level, lambda n: n * n)


def _delong(contest: Contest, settings: IntervalSettings) -> Verdict:
    return _normal(contest, settings.confidence_level, lambda n: n * (n - 1))


def _delong_t(contest: Contest, settings: IntervalSettings) -> Verdict:
    """DeLong's variance, with as many degrees of freedom as Satterthwaite's approximation has for it."""
    return _normal(contest, settings.confidence_level, lambda n: n * (n - 1), student=True)


def _normal(contest: Contest, level: float, divisor: Callable[[float], float], *, student: bool = False) -> Verdict:
    """The normal interval; the variance is that of the difference of influence functions, row by row."""
    values = contest.values()[0]
    by_x = [
        _of_one(contest, float(x), float(value), level, divisor, student=student)
        for x, value in zip(contest.x, values, strict=True)
    ]
    low, high, p, beyond = np.array(by_x).T[:, np.newaxis]
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
    p_value = 2 * float(scipy.special.stdtr(freedom, -abs(value / error)))  # 1 - stdtr(…) would round to 0
    return value - margin, value + margin, p_value, beyond


def _freedom(of_classes: list[FloatArray], variances: list[float]) -> float:
    """Satterthwaite's degrees of freedom, from the kurtosis of the influences in each class."""
    spread = 0.0
    for one, variance in zip(of_classes, variances, strict=True):
        squares = one**2
        if squares.any():
            excess = max(float(np.mean(squares**2) / np.mean(squares) ** 2) - 1, 0.5)
            spread += variance**2 * excess / len(one)
    return 2 * sum(variances) ** 2 / spread


def _influences(contest: Contest, x: float, curve: Curve, score: FloatArray) -> FloatArray:
    """The influence of each row on the metric."""
    answers = intervals.influence_of(contest.metric, curve.table.steps, x)
    by_cell = np.empty(2 * len(answers.tied) + 1)
    by_cell[0::2], by_cell[1::2] = answers.in_gap, answers.tied
    cell = cell_of(score, corners(curve))
    corner = np.minimum(cell // 2, len(answers.tied) - 1)  # used for positives only, which are at corners
    return np.where(contest.models.positive, answers.at_corner[corner], by_cell[cell])
