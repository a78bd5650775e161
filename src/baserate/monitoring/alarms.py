"""Sequential alarms for a model that has become worse, whatever the prevalence does."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Rule
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitoring.change import GroupKey, check_counted_curve, check_curves, reading
from baserate.monitoring.groups import common_prevalence
from baserate.monitoring.looks import SEED, Look, LookSettings, badness, levels_of, look_at, spending
from baserate.registry import describe, lower_is_better
from baserate.results.changes import Alarms
from baserate.uncertainty.readers import has_interval, losses_of

WINDOWS = (1, 2, 3, 6)

_NO_LOOK = Look(math.nan, math.nan, math.nan)


@checks.declared
def model_alarms(
    metric: MetricFunction,
    curves: Mapping[GroupKey, Curve],
    *,
    reference: int | Curve = 3,
    at: Chooser | float | None = None,
    prevalence: Hashable = "mean",
    false_alarm: float = 0.05,
    looks: int | None = None,
    side: str = "worse",
    windows: Sequence[int] = WINDOWS,
    min_pos: float = 10,
    min_neg: float = 10,
    n_resamples: int = 300,
    rng: np.random.Generator | int | None = None,
) -> Alarms:
    """Detect whether and since when a model is worse than it was, with few false alarms over the whole series.

    Every period is compared with the reference at one common prevalence, so a change of the prevalence raises no alarm.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float, where higher is better.
    curves : mapping to Curve
        The periods by key, in time order, such as `curves_by` returns them.
    reference : int or Curve
        The number of first periods to pool as reference, which are then not tested themselves; or a curve of other
        rows.
    at : callable or float, optional
        For pointwise metrics, a rule that chooses a point on each curve, or one threshold for all.
    prevalence : key, float, str or "mean"
        The common prevalence: the key of a period whose prevalence to use, a given prevalence, or the mean of the
        reference periods' own ones (that of the reference, if it is a curve).
    false_alarm : float
        The probability of any false alarm, over all looks together.
    looks : int, optional
        The planned number of looks. By default any number may follow, and you may stop at any time.
    side : {"worse", "both"}
        Whether to alarm only if the model is worse, or also if it is better.
    windows : sequence of int
        Lengths of the windows that end at each period; short ones detect sudden changes, long ones slow changes.
    min_pos, min_neg : float
        Periods with fewer cases are skipped.
    n_resamples : int
        The smallest number of permutations at each look; more are made if they decide an alarm. A larger number makes
        limits far from an alarm more precise.
    rng : Generator or seed, optional
        By default a fixed seed, so that the same data have the same alarms.

    Returns
    -------
    Alarms
        For each period the largest standardised difference from the reference, over windows, and its limit.

    Notes
    -----
    If the model has not changed, rows of a class are exchangeable between the reference and the periods. So each look
    is a permutation test: the rows of each class are dealt again, many times, among the reference and the periods of
    the longest window. The statistic is the metric of a window, its periods pooled, minus that of the reference, in
    standard errors of such deals. Its limit is the quantile of the worst window at the level of the look. A single look
    has this level exactly, for any metric, at any prevalence, however few the cases; it uses no later period.

    Each look may spend a share of `false_alarm`: it has so large a probability of a false alarm, given none before.
    The shares add up to `false_alarm`, however many looks there are: after t looks, ``t / (t + 12)`` of it is spent.
    So you may stop whenever you like, and past alarms stay as they are when periods are added. With `looks`, all have
    the same share, and looks beyond the planned ones continue with it. Looks share the reference and windows share
    periods, so the level of a look may be higher than its share; how much is computed from simulated noise for periods
    of these sizes. This part is not exact: `docs/monitoring-study.md` has the measured rates.

    At most 20,000 deals are made at a look. Levels below 1 in 20,000 (by default from look 99 on) need data beyond all
    of them, and beyond a limit from a normal tail fitted to the deals.

    Rows are kept in cells of the pooled curve: about a hundred for areas and means, about four hundred for rules that
    choose a threshold and for your own functions. They are dealt in a few hundred bundles, which costs some power and
    no validity. Overlapping buckets become one for all periods. Weighted rows count by their effective number in each
    cell, which is exact if a cell has one weight, and approximate otherwise.

    Permutations stop as soon as an alarm is ruled out. The limit shown is smoothed, by a normal tail fitted to the
    deals. With 300 deals its standard error is about 0.16; near an alarm there are more deals. Alarms do not depend on
    the smoothing: they count deals.

    References
    ----------
    Besag & Clifford, Sequential Monte Carlo p-values, Biometrika 1991. doi:10.1093/biomet/78.2.301.
    Phipson & Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics and Molecular
    Biology 2010. doi:10.2202/1544-6115.1585.
    Lan & DeMets, Discrete sequential boundaries for clinical trials, Biometrika 1983. doi:10.1093/biomet/70.3.659.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> months = br.curves_by(year, label="fraud", score="new_model", period=("day", "month"))
    >>> br.monitoring.model_alarms(br.average_precision, months, prevalence=0.01).first
    '2025-11'
    """
    named = check_curves(curves)
    losses = losses_of(metric)
    if not has_interval(metric) or (losses is not None and math.isinf(losses.worst)):
        raise InputError(
            f"model_alarms needs a metric without plug-in bias or infinite losses, got {describe(metric)}; use "
            f"brier_score, or log_loss with a clip such as 1e-6."
        )
    rate = checks.probability(false_alarm, "false_alarm")
    lengths = sorted({checks.whole_number(length, "windows") for length in windows})
    place = None if at is None else rule_from(at, or_threshold=True)
    floors = checks.not_negative(min_pos, "min_pos"), checks.not_negative(min_neg, "min_neg")
    direction = _direction(metric, side)
    before, later, common = _split(named, reference, prevalence)
    base = _period_value(metric, before.at_prevalence(common), place, floors)
    if base.reason is not None:
        raise InputError(
            f"the metric must be defined on the reference, got {before!r}, where {base.reason.sentence}; pool more "
            f"periods."
        )
    read = {key: curve.at_prevalence(common) for key, curve in later.items()}
    values = [_period_value(metric, curve, place, floors) for curve in read.values()]
    how = _place_of(place, {one.chosen for one in (base, *values) if one.chosen is not None})
    settings = LookSettings(metric, how, lengths, direction, checks.repeats(n_resamples, "n_resamples"), _seed(rng))
    planned = None if looks is None else checks.whole_number(looks, "looks")
    large, first = [curve for curve in read.values() if _too_few(curve, floors) is None], before.at_prevalence(common)
    level = levels_of(large, first, settings, spending(len(large), rate, planned))
    made = (look_at(large, first, settings, float(level[t]), t) for t in range(len(large)))
    each = [_NO_LOOK if _too_few(curve, floors) else next(made) for curve in read.values()]
    shown = [_NO_LOOK if one.reason else look for one, look in zip(values, each, strict=True)]
    statistic, window, limit = np.array(shown, np.float64).reshape(-1, 3).T
    with np.errstate(invalid="ignore"):
        alarm = badness(statistic, direction) > limit
    value = np.array([one.value for one in values], np.float64)
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
        reasons=tuple(one.reason for one in values),
    )


class _PeriodValue(NamedTuple):
    """The metric of one period by itself."""

    value: float
    reason: Reason | None
    chosen: Rule | None = None  # how the point was chosen, if there is one


def _split(
    curves: dict[Hashable, Curve], reference: int | Curve, prevalence: Hashable
) -> tuple[Curve, dict[Hashable, Curve], float]:
    """The reference, the periods to compare with it, and the common prevalence."""
    if isinstance(reference, Curve):
        check_counted_curve(reference, "reference must be a Curve")
        wanted = reference.prevalence if prevalence == "mean" and "mean" not in curves else prevalence
        return reference, curves, common_prevalence(curves, wanted)
    first = checks.whole_number(reference, "reference")
    keys = list(curves)
    if first >= len(keys):
        raise InputError(
            f"reference must be fewer than all periods, got {first} of {len(keys)}; take fewer, or pass a Curve."
        )
    past = {key: curves[key] for key in keys[:first]}
    common = common_prevalence(curves if prevalence in curves else past, prevalence)
    pooled = Curve.pool([curve.at_prevalence(common) for curve in past.values()])
    return pooled, {key: curves[key] for key in keys[first:]}, common


def _direction(metric: MetricFunction, side: str) -> int:
    """1 if low values are bad, -1 if high ones are, 0 if both."""
    checks.one_of(side, ("worse", "both"), "side")
    if side == "both":
        return 0
    return -1 if lower_is_better(metric) else 1


def _period_value(metric: MetricFunction, curve: Curve, at: Rule | None, floors: tuple[float, float]) -> _PeriodValue:
    too_few = _too_few(curve, floors)
    if too_few is not None:
        return _PeriodValue(math.nan, too_few)
    try:
        place = reading(metric, curve, at)
    except NoSuchPointError:
        return _PeriodValue(math.nan, Reason.NO_SUCH_POINT)
    value, reason = evaluate(metric, place)
    return _PeriodValue(float(value), reason, place.chosen if isinstance(place, Point) else None)


def _place_of(at: Rule | None, chosen: set[Rule]) -> Rule | None:
    """The rule that a function chose by, if it was the same on all curves."""
    return at if at is None or len(chosen) != 1 else next(iter(chosen))


def _too_few(curve: Curve, floors: tuple[float, float]) -> Reason | None:
    if curve.missing_class:
        return curve.missing_class
    return Reason.TOO_FEW_CASES if curve.n_pos < floors[0] or curve.n_neg < floors[1] else None


def _seed(rng: np.random.Generator | int | None) -> int:
    return SEED if rng is None else int(checks.generator(rng).integers(2**62))
