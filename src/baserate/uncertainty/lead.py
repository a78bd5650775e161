"""Which model is better at which prevalence, and where two of them cross: with intervals."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray, Prevalences
from baserate.curves.curve import Curve
from baserate.curves.pair import Models, Pair, SameRows
from baserate.curves.point import Point
from baserate.errors import InputError, Reason, shown
from baserate.formulas.holm import holm
from baserate.metrics.by_name import Chooser
from baserate.metrics.over_prevalence import MetricFunction, best_regions, crossings, sweep
from baserate.registry import describe, lower_is_better
from baserate.results import Crossing, CrossingEstimate, Lead, Ranking
from baserate.uncertainty import ends
from baserate.uncertainty.contests import Contest, Verdict, differences_in, methods_of, resampled
from baserate.uncertainty.difference import contest_among, contest_of
from baserate.uncertainty.estimate import IntervalSettings, estimates
from baserate.uncertainty.methods import Estimand
from baserate.uncertainty.readers import has_interval, is_chosen, why_no_ends
from baserate.uncertainty.sampled_pairs import compared
from baserate.uncertainty.samplers import check_draws

_CELLS = 128  # of the grid of log-odds on which drawn curves are compared
_EQUAL = 1e-13  # relatively; a difference of this size is rounding


@checks.declared
def lead(
    metric: MetricFunction,
    pair: Pair,
    prevalences: Prevalences,
    *,
    at: Chooser | tuple[Chooser, Chooser] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Lead:
    """The difference of two models at each prevalence, with intervals and the probability that the first is better.

    Parameters
    ----------
    metric, pair, at, confidence_level, n_resamples, rng
        As for `difference`, whose default method this is.
    prevalences : column
        Shares strictly between 0 and 1, or texts such as "1 in 1,000" and "1:999".

    Returns
    -------
    Lead
        The probability is the share of draws in which the first model is better; for a cost, lower is better.
        Calibration errors have values only, with a reason.

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
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    check_draws(settings.n_draws, settings.confidence_level)
    if isinstance(pair, Pair) and pair.a.sampled:
        found = compared(metric, pair, at, settings, x=(1 - grid) / grid, sign=_sign(metric))
        value, (low, high, _, leading, reason) = found.first - found.second, found[2:]
        return Lead(describe(metric), pair.names, grid, value, low, high, leading, settings.confidence_level, reason)
    contest = contest_of(metric, pair, at)._replace(x=(1 - grid) / grid, sign=_sign(metric))
    verdict, value, reason = Verdict.none(contest), np.full((1, len(grid)), np.nan), pair.a.missing_class
    if reason is None:
        reason = next((why for place in contest.places if (why := sweep(metric, place, grid).reason)), None)
        value = contest.values()
        name, method = next(iter(methods_of(contest).items()))
        verdict = method(contest, settings)
        if np.isnan(verdict.low).any() or np.isnan(verdict.high).any():
            reason = reason or (Reason.NO_VARIATION if name == "delong_t" else why_no_ends(metric))
    low, high, _, leading = (part[0] for part in verdict)
    return Lead(describe(metric), pair.names, grid, value[0], low, high, leading, settings.confidence_level, reason)


def _sign(metric: MetricFunction) -> float:
    return -1.0 if lower_is_better(metric) else 1.0


@checks.declared
def ranking(
    metric: MetricFunction,
    models: Models | Pair | Mapping[str, Curve | Point],
    prevalences: Prevalences,
    *,
    at: Chooser | tuple[Chooser, ...] | None = None,
    low: float | str = 1e-6,
    high: float | str = 1 - 1e-6,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Ranking:
    """Rank several models at several prevalences, with confidence sets of ranks, and where each is best.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    models : Models, Pair, or mapping of str to Curve or Point
        The models. Intervals and plausible ranks need the scores of the same rows: `Models` or a `Pair`. A mapping of
        curves or points has values, ranks and regions only.
    prevalences : column
        The prevalences of the table.
    at : Rule, str or function, or one of these for each model, optional
        For pointwise metrics of `Models`, the rule that chooses the operating point, as for `difference`.
    low, high : float or str
        The range of prevalences in which the best model is looked for.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Ranking
        For each model and prevalence: the value with its interval, its rank, the plausible ranks, and the probability
        that it is better than all others. Regions follow exactly from all prevalences at which two models cross.

    Notes
    -----
    The interval of a value is that of `estimate`, about the rule if there is one. Differences of two models are those
    of `difference`, from the same draws. For each model, the p-values of its differences from all others are adjusted
    by Holm's method. Its plausible ranks lie behind all models that are significantly better and before all that are
    significantly worse. Equally good models share ranks, and the set is meant to contain all of these. The level is
    that of one model at one prevalence.

    References
    ----------
    Mogstad, Romano, Shaikh & Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and
    academic achievement across countries, Review of Economic Studies 2024. doi:10.1093/restud/rdad006.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> scores = {"old": data["old_model"], "new": data["new_model"], "both": data["old_model"] + data["new_model"]}
    >>> models = br.Models.from_scores(data["fraud"], scores)
    >>> print(br.ranking(br.average_precision, models, [0.2, 0.001], n_resamples=500, rng=0))
    average_precision     1 in 5   1 in 1,000
    old                0.850 (2)    0.093 (3)
    new                0.754 (3)  0.486 (1-2)  best from 1 in 1,000,000 to 1 in 4,240
    both               0.931 (1)  0.533 (1-2)  best from 1 in 4,240 to 99.9999 %
    in brackets the ranks that are plausible (95 %)
    """
    grid, span = checks.prevalences(prevalences), checks.prevalence_range(low, high)
    settings, sign = IntervalSettings.of(confidence_level, n_resamples, rng), _sign(metric)
    contest = missing = None
    if isinstance(models, SameRows):
        contest, missing = contest_among(metric, models, at), models.curves[0].missing_class
    named = _named(models, at) if contest is None else dict(zip(contest.models.names, contest.places, strict=True))
    nothing = value = np.full((len(named), len(grid)), np.nan)
    if missing is None:
        value = np.array([sweep(metric, place, grid).value for place in named.values()])
    ranked = Ranking(
        metric=describe(metric),
        names=tuple(named),
        prevalence=grid,
        value=value,
        low=nothing,
        high=nothing,
        rank=_ranks(sign * value),
        rank_low=nothing,
        rank_high=nothing,
        leads=nothing,
        regions=tuple(best_regions(metric, named, *span)) if missing is None else (),
        confidence_level=settings.confidence_level,
        reason=missing or Reason.ROWS_UNKNOWN,
    )
    if contest is None or missing is not None:
        return ranked
    return _with_intervals(ranked, contest._replace(x=(1 - grid) / grid, sign=sign), settings)


def _named(models: object, at: object) -> dict[str, Curve | Point]:
    if not isinstance(models, Mapping) or not models:
        raise InputError("models must hold at least one Curve or Point, got none; pass the models by name.")
    if at is not None:
        raise InputError(
            f"at needs Models or a Pair, got {shown(at)} with a mapping; leave it out, and pass a mapping of Points."
        )
    named = {str(name): model for name, model in models.items()}
    if len(named) < len(models):
        raise InputError(f"models must have different names, got {list(models)}; rename one.")
    return named


def _with_intervals(ranked: Ranking, contest: Contest, settings: IntervalSettings) -> Ranking:
    """A ranking with intervals, plausible ranks and probabilities filled in."""
    risk = 1 - settings.confidence_level
    check_draws(settings.n_draws, 1 - risk / (len(contest.places) - 1))
    verdict = next(iter(methods_of(contest).values()))(contest, settings)
    estimands = [Estimand(contest.metric, place, contest.x, again=is_chosen(place)) for place in contest.places]
    made = estimates(estimands, settings)
    low, high = (np.array([[getattr(one, end) for one in rows] for rows in made]) for end in ("low", "high"))
    first, last = _plausible_ranks(contest, verdict.p_value, risk)
    reason = next((one.reason for rows in made for one in rows if one.reason), None)
    if reason is None and np.isnan(first).any():
        reason = why_no_ends(contest.metric)
    return replace(ranked, low=low, high=high, rank_low=first, rank_high=last, leads=verdict.leading, reason=reason)


def _ranks(worth: FloatArray) -> FloatArray:
    """Ranks at each place, 1 for the best; models are rows."""
    better = (worth[:, np.newaxis] > worth) & ~np.isclose(worth[:, np.newaxis], worth, rtol=_EQUAL, atol=0)
    return np.where(np.isnan(worth), np.nan, 1.0 + better.sum(axis=0))


def _plausible_ranks(contest: Contest, p_value: FloatArray, risk: float) -> tuple[FloatArray, FloatArray]:
    """The best and the worst plausible rank of each model at each x, from Holm-adjusted p-values."""
    n_models = len(contest.places)
    p, lead = np.full((2, n_models, n_models, len(contest.x)), np.nan)
    for (i, j), of_pair, ahead in zip(contest.pairs, p_value, contest.sign * contest.values(), strict=True):
        p[i, j], p[j, i], lead[i, j], lead[j, i] = of_pair, of_pair, ahead, -ahead
    sure, known = np.apply_along_axis(holm, 1, p) <= risk, ~np.isnan(p).all(axis=1)
    before, behind = (sure & (lead > 0)).sum(axis=1), (sure & (lead < 0)).sum(axis=1)
    return np.where(known, 1.0 + behind, np.nan), np.where(known, float(n_models) - before, np.nan)


@checks.declared
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
    """The prevalences at which two models cross, as from `crossings`, each with an interval.

    Parameters
    ----------
    metric, pair, at, confidence_level, rng
        As for `difference`.
    low, high : float or str
        The range to search.
    n_resamples : int
        The number of bootstrap samples.

    Returns
    -------
    list of CrossingEstimate
        In order of prevalence. In each bootstrap sample the nearest crossing in the same direction counts. If there is
        none, because one model is better everywhere, the crossing counts as beyond the range: above it if the better
        model is the one that should lead below the crossing, else below it. Crossings of calibration errors have nan
        as interval.

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
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    level = settings.confidence_level
    check_draws(settings.n_draws, level)
    contest = contest_of(metric, pair, at)
    if pair.a.missing_class:
        return []
    seen = crossings(metric, *contest.places, low=span[0], high=span[1], names=pair.names)
    if not seen:
        return []
    if not has_interval(metric):
        return [_with_interval(one, (math.nan, math.nan), math.nan, level) for one in seen]
    grid = np.linspace(float(scipy.special.logit(span[0])), float(scipy.special.logit(span[1])), _CELLS + 1)
    along = contest._replace(x=np.exp(-grid))
    sides = differences_in(along, resampled(along, settings)[0])[:, :, 0]
    made = []
    for one in seen:
        sign = _sign(metric)
        lost_by_first = sign if one.leads_below == pair.names[0] else -sign
        made.append(crossings_in(one, lost_by_first * sides, grid, level, span))
    return made


def crossings_in(
    seen: Crossing, drawn: FloatArray, grid: FloatArray, level: float, span: tuple[float, float] | None = None
) -> CrossingEstimate:
    """A crossing with its interval, from what leads below it minus what leads above it, drawn on a grid of log-odds.

    `drawn` has axes for observers, samples and the grid, whose range is searched unless `span` says which.
    """
    middle = float(scipy.special.logit(seen.prevalence))
    swaps = np.array([[_nearest_swap(row, grid, middle) for row in side] for side in drawn])
    interval = ends.melded(swaps, np.asarray(middle), level)
    low, high = (float(scipy.special.expit(end)) for end in interval)
    least, most = span or tuple(scipy.special.expit(grid[[0, -1]]).tolist())
    return _with_interval(seen, (max(least, low), min(most, high)), float(np.mean(np.isfinite(swaps))), level)


def _with_interval(one: Crossing, ends: tuple[float, float], found_again: float, level: float) -> CrossingEstimate:
    return CrossingEstimate(**vars(one), low=ends[0], high=ends[1], confidence_level=level, found_again=found_again)


def _nearest_swap(difference: FloatArray, grid: FloatArray, middle: float) -> float:
    """The log-odds nearest to `middle` at which the lead is lost; infinite if that is nowhere in the grid."""
    lost = np.flatnonzero((difference[:-1] > 0) & (difference[1:] <= 0))
    if len(lost) == 0:
        # A model that never leads lost its lead below the range; one that always leads loses it above.
        return np.inf if difference[-1] > 0 else -np.inf
    before, after = difference[lost], difference[lost + 1]
    places = grid[lost] + (grid[lost + 1] - grid[lost]) * before / (before - after)
    return float(places[np.argmin(np.abs(places - middle))])
