"""Two models on the same rows: how much better is one, and is it better at all?"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import Pair
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.formulas.influence import Influence
from baserate.formulas.proportions import Interval, z_score
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import Family, describe, row_of
from baserate.results import Difference
from baserate.uncertainty import intervals
from baserate.uncertainty.cells import corners
from baserate.uncertainty.draws import check_draws
from baserate.uncertainty.estimate import CAUTION, FELL_SHORT, check_estimable
from baserate.uncertainty.levels import at_level, holding, levels_of, likely_levels
from baserate.uncertainty.means import drawn_mean_differences, has_interval, losses_of, why_no_ends
from baserate.uncertainty.pairing import PairCells, pair_cells, paired_melds, paired_resamples
from baserate.uncertainty.replicates import cells_for, values
from baserate.uncertainty.rules import Rule, chosen_on


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

    def cells(self) -> PairCells:
        """Both curves cut into the coarsest cells that the metric cannot look into."""
        a, b = (cells_for(self.metric, model, every_corner=True) for model in (self.a, self.b))
        return pair_cells(self.pair, a, b)


class Verdict(NamedTuple):
    """What a method says of a difference."""

    ends: Interval
    p_value: float


def difference(
    metric: MetricFunction,
    pair: Pair,
    *,
    at: Rule | tuple[Rule, Rule] | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Difference:
    """How much better the first model is than the second, at the prevalence the pair is read at.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    pair : Pair
        Two models on the same rows.
    at : callable or pair of callables, optional
        For pointwise metrics, how to choose the operating point on a curve, for each model if they differ:
        ``lambda curve: curve.at_recall(0.6)``. A threshold chosen on the data is chosen again in every draw, one that
        was given, by ``curve.at_threshold``, is not. The curve comes as the pair is read; to read it elsewhere, use
        ``pair.at_prevalence``.
    method : str, optional
        "melded", the default, as for `estimate`; "percentile", the paired bootstrap; for areas "influence", in closed
        form; for AUC-ROC "delong". Calibration errors such as `ece` have no interval, and neither have their
        differences.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Difference
        First less second, with an interval and a two-sided p-value. For a cost, a negative difference is a lead.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under two or more correlated ROC curves, Biometrics 1988.
    doi:10.2307/2531595.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> found = br.difference(br.average_precision, pair.at_prevalence(0.001), rng=0)
    >>> found.high < 0  # the new one is better there
    True
    >>> found = br.difference(br.precision, pair, at=lambda curve: curve.at_recall(0.5), rng=0)
    >>> round(found.first, 2), round(found.second, 2)
    (0.55, 0.96)
    """
    level = checks.confidence_level(confidence_level)
    n_draws, generator = checks.whole_number(n_resamples, "n_resamples"), checks.generator(rng)
    contest = contest_of(metric, pair, at)
    available = _methods(contest)
    name = next(iter(available)) if method is None else checks.one_of(method, list(available), "method")
    first, second, reason = contest.read()
    verdict = Verdict(Interval(np.asarray(math.nan), np.asarray(math.nan)), math.nan)
    if reason is None:
        verdict = available[name](contest, level, n_draws, generator)
        if np.isnan(verdict.ends).any():
            from_draws = name in ("none", "melded", "percentile")
            reason = why_no_ends(metric) if from_draws else Reason.NO_VARIATION
    return Difference(
        metric=describe(metric),
        names=pair.names,
        first=first,
        second=second,
        value=first - second,
        low=float(verdict.ends.low),
        high=float(verdict.ends.high),
        p_value=float(verdict.p_value),
        confidence_level=level,
        prevalence=pair.a.prevalence,
        method=name,
        n_pos=float(pair.a.n_pos),
        n_neg=float(pair.a.n_neg),
        reason=reason,
        caution=CAUTION if name in FELL_SHORT else None,
    )


def contest_of(metric: MetricFunction, pair: Pair, at: Rule | tuple[Rule, Rule] | None) -> Contest:
    """Both models, at the operating points that the rule chooses if there is one."""
    if not isinstance(pair, Pair):
        raise InputError(
            f"two models are compared as a Pair, got {type(pair).__name__}; build one with Pair.from_scores."
        )
    x = np.array([pair.a.odds_against])
    if at is None or pair.a.missing_class:
        for curve in (pair.a, pair.b) if at is None else ():
            check_estimable(metric, curve)
        return Contest(metric, pair, pair.a, pair.b, x)
    rules = at if isinstance(at, tuple) else (at, at)
    if len(rules) != 2:
        raise InputError(f"at must be one rule or a pair of them, got {len(rules)}; pass one for each model.")
    a, b = (chosen_on(curve, rule) for rule, curve in zip(rules, (pair.a, pair.b), strict=True))
    check_estimable(metric, a)
    return Contest(metric, pair, a, b, x)


Method = Callable[[Contest, float, int, np.random.Generator], Verdict]


def _methods(contest: Contest) -> dict[str, Method]:
    if not has_interval(contest.metric):
        return {"none": _none}
    if losses_of(contest.metric) is not None:
        return {"melded": _melded}
    found: dict[str, Method] = {"melded": _melded, "percentile": _percentile}
    if isinstance(contest.a, Curve) and intervals.has_influence(contest.metric):
        found["influence"] = _by_influence
        row = row_of(contest.metric)
        if row is not None and row.name == "roc_auc":
            found["delong"] = _delong
    return found


def _none(*_: object) -> Verdict:
    return Verdict(Interval(np.asarray(math.nan), np.asarray(math.nan)), math.nan)


def _melded(contest: Contest, level: float, n_draws: int, rng: np.random.Generator) -> Verdict:
    check_draws(n_draws, level)
    drawn = melded_differences(contest, n_draws, rng)
    found = [_judged(one, draws, level) for one, draws in at_likely_levels(contest, drawn, level, rng)]
    ends = holding(found[0].ends, (verdict.ends for verdict in found[1:]))
    return Verdict(ends, max(verdict.p_value for verdict in found))


def _judged(contest: Contest, drawn: "Differences", level: float) -> Verdict:
    pessimist, optimist = drawn.pessimist[:, 0], drawn.optimist[:, 0]
    first, second, _ = contest.read()
    ends = intervals.melded(pessimist, optimist, np.asarray(first - second), level)
    if np.isnan(ends).any():
        return Verdict(ends, math.nan)
    # Against the first model speaks the pessimist, for it the optimist, or the reverse for a cost.
    sides = (pessimist, optimist) if np.median(pessimist) <= np.median(optimist) else (optimist, pessimist)
    less, more = (np.count_nonzero(side) for side in (sides[0] <= 0, sides[1] >= 0))
    return Verdict(ends, min(1.0, 2 * (1 + min(less, more)) / (1 + len(pessimist))))


class Differences(NamedTuple):
    """First less second for each x in drawn populations, as a pessimist and as an optimist about the first sees it."""

    pessimist: FloatArray
    optimist: FloatArray
    levels: tuple[FloatArray, ...] = ()  # what each of them saw both rules choose, where scores are discrete


def melded_differences(contest: Contest, n_draws: int, rng: np.random.Generator) -> Differences:
    """Draw populations and compare both models in them."""
    metric, pair, a, b, x = contest
    losses = losses_of(metric)
    if losses is not None:
        least, most = drawn_mean_differences(pair, losses, x, n_draws, rng)
        return Differences(least.T, most.T)
    cells = contest.cells()
    sizes = cells.chunks(n_draws)
    found: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    levels: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for both in progress(paired_melds(cells, sizes, rng), len(sizes), "Drawing populations"):
        for side, chosen, (of_a, of_b) in zip(found, levels, both, strict=True):
            side.append(values(metric, a, of_a, x) - values(metric, b, of_b, x))
            chosen.append(np.stack([levels_of(a, of_a), levels_of(b, of_b)], axis=1))
    seen = tuple(np.concatenate(chosen) for chosen in levels)
    return Differences(np.concatenate(found[0]), np.concatenate(found[1]), seen)


def at_likely_levels(
    contest: Contest, drawn: Differences, level: float, rng: np.random.Generator
) -> Iterator[tuple[Contest, Differences]]:
    """What was drawn, and then the same at each pair of thresholds that may be the population's choice."""
    yield contest, drawn
    for of_a, of_b in likely_levels(drawn.levels, (1 - level) / 2):
        there = contest._replace(a=at_level(contest.a, of_a), b=at_level(contest.b, of_b))
        yield there, melded_differences(there, len(drawn.pessimist), rng)


def _percentile(contest: Contest, level: float, n_draws: int, rng: np.random.Generator) -> Verdict:
    check_draws(n_draws, level)
    metric, _, a, b, x = contest
    cells = contest.cells()
    sizes = cells.chunks(n_draws)
    drawn = progress(paired_resamples(cells, sizes, rng), len(sizes), "Resampling")
    found = np.concatenate([values(metric, a, of_a, x) - values(metric, b, of_b, x) for of_a, of_b in drawn])[:, 0]
    less, more = np.count_nonzero(found <= 0), np.count_nonzero(found >= 0)
    return Verdict(intervals.percentile(found, level), min(1.0, 2 * (1 + min(less, more)) / (1 + n_draws)))


def _by_influence(contest: Contest, level: float, *_: object) -> Verdict:
    return _normal(contest, level, lambda n: n * n)


def _delong(contest: Contest, level: float, *_: object) -> Verdict:
    return _normal(contest, level, lambda n: n * (n - 1))


def _normal(contest: Contest, level: float, divisor: Callable[[float], float]) -> Verdict:
    """The difference in influence, row by row, gives the variance of the difference."""
    pair = contest.pair
    cells = pair_cells(pair, corners(pair.a), corners(pair.b))
    of_a, of_b = (
        intervals.influence_of(contest.metric, curve.table.steps, float(contest.x[0])) for curve in (pair.a, pair.b)
    )
    pos = of_a.at_corner[cells.pos.of_a] - of_b.at_corner[cells.pos.of_b]
    neg = _by_cell(of_a)[cells.neg.of_a] - _by_cell(of_b)[cells.neg.of_b]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.divide(cells.pos.part.rows @ pos**2, divisor(float(pair.a.n_pos)))
        variance += np.divide(cells.neg.part.rows @ neg**2, divisor(float(pair.a.n_neg)))
    if not variance > 0:
        return Verdict(Interval(np.asarray(math.nan), np.asarray(math.nan)), math.nan)
    first, second, _ = contest.read()
    value = first - second
    margin = z_score(level) * math.sqrt(variance)
    ends = Interval(np.asarray(value - margin), np.asarray(value + margin))
    return Verdict(ends, float(2 * scipy.special.ndtr(-abs(value) / math.sqrt(variance))))


def _by_cell(answers: Influence) -> FloatArray:
    """Influences of negatives in the order of cells: gap and tie, alternately, and the last gap."""
    cells = np.empty(2 * len(answers.tied) + 1)
    cells[0::2], cells[1::2] = answers.in_gap, answers.tied
    return cells


def swap_test(
    metric: MetricFunction,
    pair: Pair,
    *,
    at: Rule | tuple[Rule, Rule] | None = None,
    n_permutations: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> float:
    """The p-value of a permutation test that two models are equally good.

    If they are, nothing changes when a row's ranks under the two models are swapped; where scores are read as
    probabilities, the scores themselves are. Each permutation swaps those of a random half of the rows; the p-value is
    the share of permutations, the data among them, with as large a difference in either direction.

    Parameters
    ----------
    metric, pair, at
        As for `difference`.
    n_permutations : int
        How many to draw.
    rng : Generator or int, optional
        Where random numbers come from.

    References
    ----------
    Venkatraman & Begg, A distribution-free procedure for comparing receiver operating characteristic curves from a
    paired experiment, Biometrika 1996. doi:10.1093/biomet/83.4.835.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"])
    >>> br.swap_test(br.roc_auc, pair, n_permutations=99, rng=0)
    0.01
    """
    n, generator = checks.whole_number(n_permutations, "n_permutations"), checks.generator(rng)
    contest = contest_of(metric, pair, at)
    if any(isinstance(model, Point) and model.chosen.rule == "threshold" for model in (contest.a, contest.b)):
        raise InputError(
            "at must choose by recall, FPR or another rule that ranks can follow here, got a threshold; use difference "
            "for thresholds that were given."
        )
    first, second, reason = contest.read()
    if reason is not None:
        return math.nan
    row = row_of(metric)
    as_probabilities = row is not None and row.family is Family.PROBABILITY
    ranks = [score if as_probabilities else _ranks(score) for score in pair.scores]
    as_large = 0
    for _ in progress(range(n), n, "Swapping"):
        swap = generator.random(len(pair.positive)) < 0.5
        swapped = Pair.from_scores(
            pair.positive, np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        ).at_prevalence(pair.a.prevalence)
        # What is undefined once it is swapped speaks against a difference.
        as_large += not _difference_of(metric, swapped, at) < abs(first - second) * (1 - 1e-12)
    return (1 + as_large) / (1 + n)


def _difference_of(metric: MetricFunction, pair: Pair, at: Rule | tuple[Rule, Rule] | None) -> float:
    try:
        first, second, _ = contest_of(metric, pair, at).read()
    except NoSuchPointError:
        return math.nan
    return abs(first - second)


def _ranks(score: FloatArray) -> FloatArray:
    """How many rows lie below, half of those tied included: on the same scale for every model."""
    ordered = np.sort(score)
    return (np.searchsorted(ordered, score) + np.searchsorted(ordered, score, side="right")) / 2
