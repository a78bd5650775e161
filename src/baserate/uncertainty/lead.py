"""Which of two models leads at which prevalence, and where they swap: with intervals."""

import math

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.pair import Pair
from baserate.errors import Reason
from baserate.metrics.by_name import Chooser
from baserate.metrics.over_prevalence import MetricFunction, crossings, sweep
from baserate.registry import describe, lower_is_better
from baserate.results import Crossing, CrossingEstimate, Lead
from baserate.uncertainty import ends
from baserate.uncertainty.contests import differences_of, methods_of
from baserate.uncertainty.difference import contest_of
from baserate.uncertainty.estimate import Asked
from baserate.uncertainty.readers import has_interval, why_no_ends
from baserate.uncertainty.samplers import check_draws

_CELLS = 128  # of the grid of log-odds on which drawn curves are compared


def lead(
    metric: MetricFunction,
    pair: Pair,
    prevalences: object,
    *,
    at: Chooser | tuple[Chooser, Chooser] | None = None,
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
    asked = Asked.of(confidence_level, n_resamples, rng)
    check_draws(asked.n_draws, asked.confidence_level)
    contest = contest_of(metric, pair, at)._replace(x=(1 - grid) / grid)
    nothing = np.full(len(grid), np.nan)
    value, low, high, probability = nothing, nothing, nothing, nothing
    reason = pair.a.missing_class
    if reason is None:
        reason = next(
            (found for found in (sweep(metric, m, grid).reason for m in (contest.a, contest.b)) if found), None
        )
        value = contest.values()
        name, method = next(iter(methods_of(contest).items()))
        low, high, _, leading = method(contest, asked)
        probability = 1 - leading if lower_is_better(metric) else leading
        if np.isnan(low).any() or np.isnan(high).any():
            reason = reason or (Reason.NO_VARIATION if name == "delong_t" else why_no_ends(metric))
    return Lead(describe(metric), pair.names, grid, value, low, high, probability, asked.confidence_level, reason)


def crossing_estimates(
    metric: MetricFunction,
    pair: Pair,
    *,
    low: float | str = 1e-6,
    high: float | str = 1 - 1e-6,
    at: Chooser | tuple[Chooser, Chooser] | None = None,
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
    span = checks.prevalence_range(low, high)
    asked = Asked.of(confidence_level, n_resamples, rng)
    level = asked.confidence_level
    check_draws(asked.n_draws, level)
    contest = contest_of(metric, pair, at)
    if pair.a.missing_class:
        return []
    seen = crossings(metric, contest.a, contest.b, low=span[0], high=span[1], names=pair.names)
    if not seen:
        return []
    if not has_interval(metric):
        return [_with_interval(one, (math.nan, math.nan), math.nan, level) for one in seen]
    grid = np.linspace(float(scipy.special.logit(span[0])), float(scipy.special.logit(span[1])), _CELLS + 1)
    sign = -1.0 if lower_is_better(metric) else 1.0
    along = contest._replace(x=np.exp(-grid))
    sides = differences_of(along, asked)[0]
    made = []
    for one in seen:
        lost_by_first = sign if one.leads_below == pair.names[0] else -sign
        swaps = np.stack([_swaps(lost_by_first * side, grid, one.prevalence) for side in sides])
        found = ends.melded(swaps, np.asarray(scipy.special.logit(one.prevalence)), level)
        low, high = (float(scipy.special.expit(end)) for end in found)
        again = float(np.mean(np.isfinite(swaps)))
        made.append(_with_interval(one, (max(span[0], low), min(span[1], high)), again, level))
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
