"""The change of a metric, decomposed into the parts of prevalence, model and threshold."""

import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Rule, Threshold
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.formulas.shapley import shares
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import describe
from baserate.results.changes import Change, ChangePart, Changes
from baserate.uncertainty.estimate import IntervalSettings, check_counted, check_estimable
from baserate.uncertainty.independent import added_up, caution_of, readings
from baserate.uncertainty.readers import why_no_ends
from baserate.uncertainty.samplers import check_draws

# Operating points: a rule that chooses on each curve, a threshold, or one threshold before and one after.
Where = Chooser | float | tuple[float, float]

NO_PART = ChangePart(math.nan, math.nan, math.nan)

GroupKey = TypeVar("GroupKey", bound=Hashable)


@checks.declared
def explain_change(
    metric: MetricFunction,
    before: Curve,
    after: Curve,
    *,
    at: Where | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Change:
    r"""Decompose the change of a metric into a part due to the prevalence and a part due to the model.

    With :math:`M(A, \pi)` for the metric of curve A at prevalence :math:`\pi`,

    .. math:: \text{prior} = \tfrac12 [M(A, \pi_B) - M(A, \pi_A) + M(B, \pi_B) - M(B, \pi_A)], \quad
        \text{model} = \tfrac12 [M(B, \pi_A) - M(A, \pi_A) + M(B, \pi_B) - M(A, \pi_B)].

    They add up to the change exactly. If the threshold has changed as well, there are three parts, each the mean over
    the six orders of the three changes (Shapley values).

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    before, after : Curve
        Two curves of different rows, each at its own prevalence or at a given one.
    at : Rule, str, function, float or pair of floats, optional
        For pointwise metrics, the operating point. A rule such as "recall >= 0.6" chooses on each curve, and its choice
        is part of the model part. A threshold is the same for both curves. A pair of thresholds, in use before and
        after, makes a third part; thresholds are treated as known.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Change
        With total, prior, model and threshold, each with an interval.

    Notes
    -----
    The prevalences are treated as known. Intervals are melded from populations drawn independently for each curve, so
    the two must have different rows. If the model is the same on both sides, the interval of the model part contains 0
    at its level. The prevalence part may be near its largest possible value, which no drawn population exceeds; there
    the interval ends at this extremum.

    References
    ----------
    Shapley, A value for n-person games, 1953. doi:10.1515/9781400881970-018.
    Siblini, Fréry, He-Guelton, Oblé & Wang, Master your metrics with calibration, IDA 2020.
    doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> quarters = br.curves_by(year, label="fraud", score="new_model", period=("day", "quarter"))
    >>> found = br.explain_change(br.average_precision, quarters["2025-Q1"], quarters["2025-Q4"], rng=0)
    >>> round(found.total.value, 3), round(found.prior.value, 3), round(found.model.value, 3)
    (-0.215, 0.066, -0.281)
    >>> found.model.high < 0  # more fraud hides some of what the model has lost
    True
    """
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    check_draws(settings.n_draws, settings.confidence_level)
    for curve in (before, after):
        check_counted_curve(curve, "explain_change needs two Curves")
    places = _places(at)
    reason = before.missing_class or after.missing_class
    sides: list[_Side] = []
    if reason is None:
        prevalences = (before.prevalence, after.prevalence)
        sides = [_side(metric, curve, prevalences, places) for curve in (before, after)]
        reason = sides[0].reason or sides[1].reason
    total, prior, model, threshold = [NO_PART] * 4
    if reason is None:
        total, prior, model, threshold = _parts(metric, sides, settings)
        ends = [end for part in (total, prior, model, threshold) for end in (part.low, part.high)]
        reason = why_no_ends(metric) if any(math.isnan(end) for end in ends) else None
    return Change(
        metric=describe(metric),
        before=float(sides[0].value[0, 0]) if sides else math.nan,
        after=float(sides[1].value[-1, -1]) if sides else math.nan,
        total=total,
        prior=prior,
        model=model,
        threshold=threshold,
        prevalence_before=before.prevalence,
        prevalence_after=after.prevalence,
        confidence_level=settings.confidence_level,
        reason=reason,
        caution=caution_of(metric, sides[0].at[0]) if sides else None,
    )


class _Side(NamedTuple):
    """One of the two curves at both prevalences and both thresholds."""

    at: list[Curve | Point]
    value: FloatArray  # by prevalence, before and after, and by threshold if there are two
    reason: Reason | None


def _places(at: object) -> tuple[Rule | None, ...]:
    """The rules before and after, or one if they are the same."""
    if isinstance(at, tuple):
        if len(at) != 2:
            raise InputError(f"at must be one threshold or a pair of them, got {len(at)}; pass (before, after).")
        return tuple(dict.fromkeys(Threshold(checks.number(threshold, "at")) for threshold in at))
    return (None if at is None else rule_from(at, or_threshold=True),)


def reading(metric: MetricFunction, curve: Curve, at: object) -> Curve | Point:
    """The curve itself, or the point that a rule chooses on it."""
    place = curve if at is None else rule_from(at, or_threshold=True).on(curve)
    check_estimable(metric, place)
    return place


def _side(
    metric: MetricFunction, curve: Curve, prevalences: tuple[float, float], places: tuple[Rule | None, ...]
) -> _Side:
    at = [reading(metric, curve.at_prevalence(eta), place) for eta in prevalences for place in places]
    evaluated = [evaluate(metric, one) for one in at]
    value = np.array([value for value, _ in evaluated], np.float64).reshape(2, -1)
    return _Side(at, value, next((reason for _, reason in evaluated if reason), None))


def _parts(metric: MetricFunction, sides: list[_Side], settings: IntervalSettings) -> list[ChangePart]:
    """The total, and the parts of prevalence, model and threshold."""
    known = [readings(metric, side.at, side.value.ravel(), settings.apart(k)) for k, side in enumerate(sides)]
    causes = 2 if sides[0].value.shape[1] == 1 else 3
    of_model, of_prevalence, *of_threshold = shares(causes)
    total = np.zeros((2,) * causes)
    total.flat[0], total.flat[-1] = -1.0, 1.0
    parts = []
    for coefficients in (total, of_prevalence, of_model, *of_threshold):
        part = [(one, coefficients[k].ravel()) for k, one in enumerate(known)]
        total_of = added_up(metric, part, settings.confidence_level)
        parts.append(ChangePart(total_of.value, float(total_of.ends.low), float(total_of.ends.high)))
    return parts if of_threshold else [*parts, ChangePart(0.0, 0.0, 0.0)]


@checks.declared
def explain_changes(
    metric: MetricFunction,
    curves: Mapping[GroupKey, Curve],
    *,
    against: str | Curve = "first",
    at: Chooser | float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Changes:
    """The changes over a series of periods, each decomposed by `explain_change`.

    Parameters
    ----------
    metric, at, confidence_level, n_resamples, rng
        As for `explain_change`. The level is that of each single interval.
    curves : mapping to Curve
        The periods by key, in time order, such as `curves_by` returns them.
    against : {"first", "previous"} or Curve
        What each period is compared with.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> quarters = br.curves_by(year, label="fraud", score="new_model", period=("day", "quarter"))
    >>> found = br.monitoring.explain_changes(br.average_precision, quarters, rng=0)
    >>> [(row["period"], round(row["model"], 2)) for row in found.rows()]
    [('2025-Q2', -0.02), ('2025-Q3', -0.11), ('2025-Q4', -0.28)]
    """
    named = check_curves(curves)
    generator = checks.generator(rng)
    keys = list(named)
    if isinstance(against, Curve):
        pairs = [(against, key) for key in keys]
    else:
        checks.one_of(against, ("first", "previous"), "against")
        before = [keys[0]] * (len(keys) - 1) if against == "first" else keys[:-1]
        pairs = [(named[first], key) for first, key in zip(before, keys[1:], strict=True)]
    options: dict[str, object] = {"at": at, "confidence_level": confidence_level, "n_resamples": n_resamples}
    rows = [_explained(metric, first, named[key], generator, options) for first, key in pairs]
    word = "reference" if isinstance(against, Curve) else against
    return Changes(describe(metric), tuple(key for _, key in pairs), tuple(rows), word)


def _explained(
    metric: MetricFunction, before: Curve, after: Curve, rng: np.random.Generator, options: dict[str, object]
) -> Change:
    """A change, or one of nan if no threshold satisfies the rule."""
    try:
        return explain_change(metric, before, after, rng=rng, **options)  # type: ignore[arg-type]
    except NoSuchPointError:
        level = checks.confidence_level(options["confidence_level"])
        where = (before.prevalence, after.prevalence, level, Reason.NO_SUCH_POINT)
        return Change(describe(metric), math.nan, math.nan, NO_PART, NO_PART, NO_PART, NO_PART, *where)


def check_counted_curve(curve: object, rule: str, *, sampled: bool = False) -> None:
    """Refuse anything but a Curve with counts of cases; and sampled labels, where they are not known to be right."""
    if not isinstance(curve, Curve):
        raise InputError(f"{rule}, got {type(curve).__name__}; build them with Curve.from_scores or curves_by.")
    check_counted(curve)
    if not sampled:
        curve._check_not_sampled("monitoring")


def check_curves(curves: Mapping[Any, Curve], *, sampled: bool = False) -> dict[Hashable, Curve]:
    """A checked mapping of keys to Curves, which is not empty."""
    if not curves:
        raise InputError("curves must hold at least one Curve, got none; pass what br.curves_by returns.")
    for curve in curves.values():
        check_counted_curve(curve, "every group must be a Curve", sampled=sampled)
    return dict(curves)
