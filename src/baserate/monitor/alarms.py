"""Alarms that a model has become worse, whatever the prevalence does."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitor.change import Key, check_curve, check_curves, reading
from baserate.monitor.groups import common_prevalence
from baserate.registry import describe, lower_is_better, row_of
from baserate.results.changes import Alarms
from baserate.uncertainty import intervals
from baserate.uncertainty.estimate import is_bucketed
from baserate.uncertainty.independent import drawn
from baserate.uncertainty.looks import Look, Seen, badness, looks
from baserate.uncertainty.means import has_interval, losses_of
from baserate.uncertainty.rules import Rule

WINDOWS = (1, 2, 3, 6)


def model_alarms(
    metric: MetricFunction,
    curves: Mapping[Key, Curve],
    *,
    reference: int | Curve = 3,
    at: Rule | float | None = None,
    prevalence: Hashable = "mean",
    false_alarm: float = 0.05,
    looks: int | None = None,
    side: str = "worse",
    windows: Sequence[int] = WINDOWS,
    min_pos: float = 10,
    min_neg: float = 10,
    n_resamples: int = 500,
    rng: np.random.Generator | int | None = None,
) -> Alarms:
    """Whether and since when a model is worse than it was, with few false alarms over the whole series.

    Every period is read at one common prevalence and compared with the reference there. A prevalence that moves raises
    no alarm, because it does not move what is compared.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float, more being better.
    curves : mapping to Curve
        The periods by key, in the order of time, such as `curves_by` returns them.
    reference : int or Curve
        How the model was: the first so many periods, pooled, which are then not looked at themselves; or a curve of
        other rows.
    at : callable or float, optional
        For pointwise metrics, where to look: a rule that chooses on each curve, or a threshold for all.
    prevalence : key, float, odds or "mean"
        The common prevalence: that of one period, by its key, a given one, or the mean of the reference periods' own
        (that of the reference, if it is a curve).
    false_alarm : float
        How likely any false alarm may be, over `looks` looks together.
    looks : int, optional
        Over how many looks; as many as there are periods to look at if not given. Say how many are planned where
        periods are still to come, so that verdicts on past periods stay as they are. Later looks go on at the same
        rate.
    side : {"worse", "both"}
        Whether an alarm is also raised when the model has become better.
    windows : sequence of int
        Over how many periods, back from each, to look for a difference; short windows find a sudden change, long ones
        a slow one.
    min_pos, min_neg : float
        Periods with fewer cases are not looked at.
    n_resamples, rng
        For metrics whose standard error has no closed form.

    Returns
    -------
    Alarms
        For each period the difference from the reference, in standard errors at the window that says most, and the
        limit.

    Notes
    -----
    The standard errors are those of influence functions, for areas of precision and of the ROC curve, or else of drawn
    populations, on a scale where the range of the metric has no ends. Each look spends ``false_alarm / looks``, and its
    limit takes into account that all looks share the reference and that windows share periods: it is read off
    simulated noise (see `docs/monitoring-study.md` for the rates that were measured).

    References
    ----------
    Lan & DeMets, Discrete sequential boundaries for clinical trials, Biometrika 1983. doi:10.1093/biomet/70.3.659.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> months = br.curves_by(year, label="fraud", score="new_model", period=("day", "month"))
    >>> br.model_alarms(br.average_precision, months, prevalence=0.01).first
    '2025-11'
    """
    named = check_curves(curves)
    losses = losses_of(metric)
    if not has_interval(metric) or (losses is not None and math.isinf(losses.worst)):
        raise InputError(
            f"metric must have a spread that is known, got {describe(metric)}; brier_score has one, and log_loss with "
            f"a clip such as 1e-6."
        )
    rate = checks.probability(false_alarm, "false_alarm")
    lengths = sorted({checks.whole_number(length, "windows") for length in windows})
    before, later, common = _split(named, reference, prevalence)
    ask = _Asked(
        metric, at, (checks.not_negative(min_pos, "min_pos"), checks.not_negative(min_neg, "min_neg")),
        checks.whole_number(n_resamples, "n_resamples"), checks.generator(rng),
    )  # fmt: skip
    base = _found(before.at_prevalence(common), ask)
    if base.reason is not None:
        raise InputError(f"the reference must have a value, got {before!r}, where {base.reason.sentence}; pool more.")
    found = [_found(curve.at_prevalence(common), ask) for curve in later.values()]
    planned = max(len(later), 1) if looks is None else checks.whole_number(looks, "looks")
    made = _looks(found, base, lengths, rate / planned, _direction(metric, side))
    statistic, window, limit = np.array(made, np.float64).reshape(-1, 3).T
    with np.errstate(invalid="ignore"):
        alarm = badness(statistic, _direction(metric, side)) > limit
    value = np.array([one.value for one in found], np.float64)
    return Alarms(
        metric=describe(metric),
        keys=tuple(later),
        value=value,
        difference=value - base.value,
        statistic=statistic,
        limit=limit,
        window=window,
        alarm=alarm,
        reference=base.value,
        prevalence=common,
        false_alarm=rate,
        looks=planned,
        side=side,
        reasons=tuple(one.reason for one in found),
    )


class _Asked(NamedTuple):
    metric: MetricFunction
    at: Rule | float | None
    floors: tuple[float, float]
    n_draws: int
    rng: np.random.Generator


class _Found(NamedTuple):
    """One curve, on a scale where the range of the metric has no ends."""

    estimate: float
    variance: float
    weight: float
    slack: float
    value: float
    reason: Reason | None


def _split(
    curves: dict[Hashable, Curve], reference: int | Curve, prevalence: Hashable
) -> tuple[Curve, dict[Hashable, Curve], float]:
    """The reference, what is compared with it, and at which prevalence."""
    if isinstance(reference, Curve):
        check_curve(reference, "reference must be a Curve")
        wanted = reference.prevalence if prevalence == "mean" and "mean" not in curves else prevalence
        return reference, curves, common_prevalence(curves, wanted)
    first = checks.whole_number(reference, "reference")
    keys = list(curves)
    if first >= len(keys):
        raise InputError(
            f"reference must leave periods to look at, got {first} of {len(keys)}; take fewer, or pass a Curve."
        )
    past = {key: curves[key] for key in keys[:first]}
    common = common_prevalence(curves if prevalence in curves else past, prevalence)
    pooled = Curve.pool([curve.at_prevalence(common) for curve in past.values()])
    return pooled, {key: curves[key] for key in keys[first:]}, common


def _direction(metric: MetricFunction, side: str) -> int:
    """What is bad: 1 for low values, -1 for high ones, 0 for both."""
    checks.one_of(side, ("worse", "both"), "side")
    if side == "both":
        return 0
    return -1 if lower_is_better(metric) else 1


def _found(curve: Curve, ask: _Asked) -> _Found:
    reason = curve.missing_class
    if reason is None and (curve.n_pos < ask.floors[0] or curve.n_neg < ask.floors[1]):
        reason = Reason.TOO_FEW_CASES
    if reason is None:
        try:
            place = reading(ask.metric, curve, ask.at)
        except NoSuchPointError:
            reason = Reason.NO_SUCH_POINT
    if reason is not None:
        return _Found(np.nan, np.nan, np.nan, np.nan, np.nan, reason)
    value, reason = evaluate(ask.metric, place)
    if reason is not None:
        return _Found(np.nan, np.nan, np.nan, np.nan, np.nan, reason)
    weight = 1 / (1 / float(curve.n_pos) + 1 / float(curve.n_neg))
    return _Found(*_on_scale(place, float(value), ask), weight, _slack(place, float(value), ask), float(value), None)


def _scale(metric: MetricFunction) -> intervals.Scale:
    return intervals.PLAIN if row_of(metric) is None else intervals.scale_of(metric)


def _on_scale(place: Curve | Point, value: float, ask: _Asked) -> tuple[float, float]:
    """The estimate and its variance; from draws where there is no closed form, or where it claims to know all."""
    scale = _scale(ask.metric)
    if isinstance(place, Curve) and not place.weighted and intervals.has_influence(ask.metric):
        spread = float(intervals.variance(ask.metric, place.table.steps, place.odds_against))
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(spread) * float(scale.slope(np.asarray(value)))
        if spread > 0 and np.isfinite(error):
            return float(scale.to(np.asarray(value))), float(error**2)
    middle = drawn(ask.metric, [place], ask.n_draws, ask.rng).mean(axis=0)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        moved, centre = scale.to(middle), float(scale.to(np.asarray(value)))
    moved = moved[np.isfinite(moved)]
    return centre if np.isfinite(centre) else float(np.median(moved)), float(np.var(moved))


def _slack(place: Curve | Point, value: float, ask: _Asked) -> float:
    """How far off an estimate may be, because buckets are read as ties."""
    if row_of(ask.metric) is None or not is_bucketed(place):
        return 0.0
    certain, scale = bounds(ask.metric, place), _scale(ask.metric)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = scale.to(np.array([certain.low, value, certain.high], np.float64))
    return float(np.max(np.abs(np.diff(ends)))) if np.isfinite(ends).all() else 0.0


def _looks(found: list[_Found], base: _Found, windows: list[int], spend: float, side: int) -> list[Look]:
    """A look at each period, and nothing where there is no number."""
    known = [one for one in found if one.reason is None]
    seen = Seen(*(np.array([one[k] for one in known], np.float64) for k in range(4)))
    made = iter(looks(seen, (base.estimate, base.variance, base.slack), windows, spend, side=side))
    return [Look(np.nan, np.nan, np.nan) if one.reason else next(made) for one in found]
