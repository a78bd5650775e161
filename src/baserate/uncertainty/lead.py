"""Which of two models leads at which prevalence, and where they swap: with intervals."""

import math

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.pair import Pair
from baserate.metrics.over_prevalence import MetricFunction, crossings, sweep
from baserate.registry import describe, lower_is_better
from baserate.results import Crossing, CrossingEstimate, Lead
from baserate.uncertainty import intervals
from baserate.uncertainty.difference import at_likely_levels, contest_of, melded_differences
from baserate.uncertainty.draws import check_draws
from baserate.uncertainty.levels import holding
from baserate.uncertainty.means import has_interval, why_no_ends
from baserate.uncertainty.rules import Rule

_CELLS = 128  # of the grid of log-odds on which drawn curves are compared


def lead(
    metric: MetricFunction,
    pair: Pair,
    prevalences: object,
    *,
    at: Rule | tuple[Rule, Rule] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Lead:
    """The difference of two models at each prevalence, with intervals and the probability that the first one leads.

    Parameters
    ----------
    metric, pair, at, confidence_level, n_resamples, rng
        As for `difference`, whose default method this is.
    prevalences : column
        Where to compare: shares strictly between 0 and 1, or odds such as "1:1000".

    Returns
    -------
    Lead
        The probability is the mean of a pessimist's and an optimist's view of the first model; for a cost, the lower
        one leads. Of calibration errors only the value is known, for which there is a reason.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> found = br.lead(br.average_precision, pair, [0.5, 0.05, 0.001], rng=0)
    >>> found.value.round(2)
    array([ 0.07,  0.01, -0.39])
    """
    grid = checks.prevalences(prevalences)
    level, n_draws = checks.confidence_level(confidence_level), checks.whole_number(n_resamples, "n_resamples")
    check_draws(n_draws, level)
    sign = -1.0 if lower_is_better(metric) else 1.0
    contest = contest_of(metric, pair, at)._replace(x=(1 - grid) / grid)
    if pair.a.missing_class:
        nothing = np.full(len(grid), np.nan)
        return Lead(describe(metric), pair.names, grid, nothing, nothing, nothing, nothing, level, pair.a.missing_class)
    first, second = (sweep(metric, model, grid) for model in (contest.a, contest.b))
    with np.errstate(invalid="ignore"):  # both may be infinite
        value = first.value - second.value
    if not has_interval(metric):
        nothing = np.full(len(grid), np.nan)
        why = first.reason or second.reason or why_no_ends(metric)
        return Lead(describe(metric), pair.names, grid, value, nothing, nothing, nothing, level, why)
    generator = checks.generator(rng)
    drawn = melded_differences(contest, n_draws, generator)
    found = []
    for one, (pessimist, optimist, _) in at_likely_levels(contest, drawn, level, generator):
        with np.errstate(invalid="ignore"):
            there = sweep(metric, one.a, grid).value - sweep(metric, one.b, grid).value
        found.append(intervals.melded(pessimist, optimist, there, level))
    ends = holding(found[0], found[1:])
    leading = [(np.mean(sign * side > 0, axis=0) + np.mean(sign * side >= 0, axis=0)) / 2 for side in drawn[:2]]
    known = ~(np.isnan(ends.low) | np.isnan(ends.high))
    probability = np.where(known, (leading[0] + leading[1]) / 2, np.nan)
    reason = first.reason or second.reason or (why_no_ends(metric) if np.isnan(ends).any() else None)
    return Lead(describe(metric), pair.names, grid, value, ends.low, ends.high, probability, level, reason)


def crossing_estimates(
    metric: MetricFunction,
    pair: Pair,
    *,
    low: float | str = 1e-6,
    high: float | str = 1 - 1e-6,
    at: Rule | tuple[Rule, Rule] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> list[CrossingEstimate]:
    """Prevalences where two models swap places, as `crossings`, each with an interval.

    Parameters
    ----------
    metric, pair, at, confidence_level, rng
        As for `difference`.
    low, high : float or odds
        The range to search.
    n_resamples : int
        How many pairs of curves to draw.

    Returns
    -------
    list of CrossingEstimate
        In order of prevalence. In each drawn pair the nearest swap in the same direction counts. Where there is none,
        because one model leads throughout, the swap counts as lying beyond the range: above it if the model that
        should lead below leads everywhere, else below it. Swaps of calibration errors have no interval: nan.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> [swap] = br.crossing_estimates(br.average_precision, pair, n_resamples=200, rng=0)
    >>> swap.low < swap.prevalence < swap.high
    True
    """
    ends = checks.prevalence_range(low, high)
    level, n_draws = checks.confidence_level(confidence_level), checks.whole_number(n_resamples, "n_resamples")
    check_draws(n_draws, level)
    contest = contest_of(metric, pair, at)
    if pair.a.missing_class:
        return []
    seen = crossings(metric, contest.a, contest.b, low=ends[0], high=ends[1], names=pair.names)
    if not seen:
        return []
    if not has_interval(metric):
        return [_with_interval(one, (math.nan, math.nan), math.nan, level) for one in seen]
    grid = np.linspace(float(scipy.special.logit(ends[0])), float(scipy.special.logit(ends[1])), _CELLS + 1)
    sign = -1.0 if lower_is_better(metric) else 1.0
    sides = melded_differences(contest._replace(x=np.exp(-grid)), n_draws, checks.generator(rng))[:2]
    made = []
    for one in seen:
        lost_by_first = sign if one.leads_below == pair.names[0] else -sign
        pessimist, optimist = (_swaps(lost_by_first * side, grid, one.prevalence) for side in sides)
        found = intervals.melded(pessimist, optimist, np.asarray(scipy.special.logit(one.prevalence)), level)
        low, high = (float(scipy.special.expit(end)) for end in found)
        again = float(np.mean(np.isfinite(np.append(pessimist, optimist))))
        made.append(_with_interval(one, (max(ends[0], low), min(ends[1], high)), again, level))
    return made


def _with_interval(one: Crossing, ends: tuple[float, float], found_again: float, level: float) -> CrossingEstimate:
    return CrossingEstimate(
        metric=one.metric,
        prevalence=one.prevalence,
        low=ends[0],
        high=ends[1],
        value=one.value,
        leads_below=one.leads_below,
        leads_above=one.leads_above,
        confidence_level=level,
        found_again=found_again,
    )


def _swaps(differences: FloatArray, grid: FloatArray, seen: float) -> FloatArray:
    middle = float(scipy.special.logit(seen))
    return np.array([_nearest_swap(row, grid, middle) for row in differences])


def _nearest_swap(difference: FloatArray, grid: FloatArray, middle: float) -> float:
    """Where a lead is lost nearest to the middle, in log-odds; infinite where it is not lost within the grid."""
    lost = np.flatnonzero((difference[:-1] > 0) & (difference[1:] <= 0))
    if len(lost) == 0:
        # Who never leads has lost the lead before the range began; who always leads has yet to lose it.
        return np.inf if difference[-1] > 0 else -np.inf
    before, after = difference[lost], difference[lost + 1]
    places = grid[lost] + (grid[lost + 1] - grid[lost]) * before / (before - after)
    return float(places[np.argmin(np.abs(places - middle))])
