"""Alarms that a model has become worse, whatever the prevalence does."""

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
from baserate.monitoring.change import Key, check_curve, check_curves, reading
from baserate.monitoring.groups import common_prevalence
from baserate.registry import describe, lower_is_better
from baserate.results.changes import Alarms
from baserate.uncertainty.looks import SEED, Look, Question, badness
from baserate.uncertainty.looks import looks as looks_at
from baserate.uncertainty.readers import has_interval, losses_of

WINDOWS = (1, 2, 3, 6)

_NO_LOOK = Look(math.nan, math.nan, math.nan)


@checks.declared
def model_alarms(
    metric: MetricFunction,
    curves: Mapping[Key, Curve],
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
    n_resamples : int
        How many times the rows are dealt again at each look, at least; more where that decides a verdict. With more of
        them the limits far from an alarm are known better.
    rng : Generator or seed, optional
        If not given, the same stream has the same verdicts.

    Returns
    -------
    Alarms
        For each period the difference from the reference, in standard errors at the window that says most, and the
        limit.

    Notes
    -----
    If the model has not changed, it is chance which rows of a class are in the reference and which in a period. So the
    rows of each class are dealt again, many times, among the reference and the periods so far. A deviation is the
    metric of a window, its periods pooled, less that of the reference, in standard errors of such deals, and its limit
    is what the worst window passes in as small a share of deals as a look may spend. By itself a look spends no more
    than that, for any metric, at any prevalence, however few the cases are; a verdict uses no later period.

    Each look spends ``false_alarm / looks`` if there was no alarm before. Looks share the reference and windows share
    periods, so a look by itself may spend more; how much more is read off simulated noise for periods of these sizes.
    This is the part that is not exact (see `docs/monitoring-study.md` for the rates that were measured).

    Rows are in the cells of the curve that pools them all: some hundred for areas and means, some four hundred for
    rules that choose a threshold and your own functions. They are dealt in some hundreds of bundles: the statistic is
    a little blunter for it, and no less fair. Buckets that overlap become one for all periods. Rows with weights are
    dealt as so many equal rows as they are worth in each cell, which is exact where a cell has one weight and an
    approximation otherwise.

    Deals stop where it is clear that there is no alarm. The limit that is shown is a smooth one: the tail of the deals
    is taken to be that of a normal law but for its scale. With 300 deals its standard error is some 0.16; where there
    may be an alarm there are more. Verdicts do not rest on that: they count deals.

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
            f"metric must have a spread that is known, got {describe(metric)}; brier_score has one, and log_loss with "
            f"a clip such as 1e-6."
        )
    rate = checks.probability(false_alarm, "false_alarm")
    lengths = sorted({checks.whole_number(length, "windows") for length in windows})
    place = None if at is None else rule_from(at, or_threshold=True)
    floors = checks.not_negative(min_pos, "min_pos"), checks.not_negative(min_neg, "min_neg")
    direction = _direction(metric, side)
    before, later, common = _split(named, reference, prevalence)
    base = _found(metric, before.at_prevalence(common), place, floors)
    if base.reason is not None:
        raise InputError(f"the reference must have a value, got {before!r}, where {base.reason.sentence}; pool more.")
    read = {key: curve.at_prevalence(common) for key, curve in later.items()}
    found = [_found(metric, curve, place, floors) for curve in read.values()]
    how = _place_of(place, {one.chosen for one in (base, *found) if one.chosen is not None})
    asked = Question(metric, how, lengths, direction, checks.repeats(n_resamples, "n_resamples"), _seed(rng))
    planned = max(len(later), 1) if looks is None else checks.whole_number(looks, "looks")
    large = [curve for curve in read.values() if _too_few(curve, floors) is None]
    made = looks_at(large, before.at_prevalence(common), asked, rate / planned)
    each = [_NO_LOOK if _too_few(curve, floors) else next(made) for curve in read.values()]
    shown = [_NO_LOOK if one.reason else look for one, look in zip(found, each, strict=True)]
    statistic, window, limit = np.array(shown, np.float64).reshape(-1, 3).T
    with np.errstate(invalid="ignore"):
        alarm = badness(statistic, direction) > limit
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


class _Found(NamedTuple):
    """What is said of one period by itself."""

    value: float
    reason: Reason | None
    chosen: Rule | None = None  # how the point was chosen, if there is one


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


def _found(metric: MetricFunction, curve: Curve, at: Rule | None, floors: tuple[float, float]) -> _Found:
    too_few = _too_few(curve, floors)
    if too_few is not None:
        return _Found(math.nan, too_few)
    try:
        place = reading(metric, curve, at)
    except NoSuchPointError:
        return _Found(math.nan, Reason.NO_SUCH_POINT)
    value, reason = evaluate(metric, place)
    return _Found(float(value), reason, place.chosen if isinstance(place, Point) else None)


def _place_of(at: Rule | None, chosen: set[Rule]) -> Rule | None:
    """A function by the rule that it chose by, if that was one and the same."""
    return at if at is None or len(chosen) != 1 else next(iter(chosen))


def _too_few(curve: Curve, floors: tuple[float, float]) -> Reason | None:
    if curve.missing_class:
        return curve.missing_class
    return Reason.TOO_FEW_CASES if curve.n_pos < floors[0] or curve.n_neg < floors[1] else None


def _seed(rng: np.random.Generator | int | None) -> int:
    return SEED if rng is None else int(checks.generator(rng).integers(2**62))
