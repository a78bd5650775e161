"""The verdict on a series of periods: has the model become worse, or has only the prevalence moved?"""

import datetime
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Rule
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.metrics.bounds import bounds
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import GroupKey, check_curves, explain_changes
from baserate.monitoring.maturing import maturity_from
from baserate.registry import describe, row_of
from baserate.results.changes import Alarms, Change
from baserate.results.intervals import Estimate
from baserate.results.verdicts import PeriodReading, SeriesVerdict
from baserate.uncertainty.estimate import check_estimable, estimate_all
from baserate.written import one_in

# How many standard errors a prevalence has to move for its move to be more than chance.
_BEYOND_CHANCE = 3.0

# A value whose error is larger, because scores share buckets, is given as an interval alone.
_WELL_KNOWN = 0.02
_ROUNDING = 1e-9


class _Judging(NamedTuple):
    """How a series is judged."""

    metric: MetricFunction
    rule: Rule | None
    prevalence: float | None
    reference: int
    false_alarm: float
    looks: int | None
    tolerated: float
    confidence_level: float
    n_resamples: int
    rng: np.random.Generator | int | None

    def place(self, curve: Curve) -> Curve | Point:
        """Where to read the metric."""
        return curve if self.rule is None else self.rule.on(curve)


@checks.declared
def judge_periods(
    metric: MetricFunction,
    curves: Mapping[GroupKey, Curve],
    *,
    at: Chooser | float | None = None,
    reference: int = 3,
    prevalence: float | str | None = None,
    false_alarm: float = 0.05,
    looks: int | None = None,
    tolerated: float = 1.5,
    last: int | None = None,
    matures: str | int | None = None,
    today: datetime.date | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    rng: np.random.Generator | int | None = 0,
) -> SeriesVerdict:
    """Judge a series of periods: whether the model is worse than it was, or only the prevalence has moved.

    ``baserate monitor`` prints what this returns.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float, where higher is better.
    curves : mapping to Curve
        The periods by key, in time order, such as `curves_by` or `CurveStore.curves` return them.
    at : Rule, str, function or float, optional
        For pointwise metrics, a rule that chooses a point on each curve, or one threshold for all.
    reference : int
        The number of first periods that the others are compared with.
    prevalence : float or str, optional
        The common prevalence; by default the mean of the reference periods' own ones.
    false_alarm : float
        The probability of any false alarm, however long the series becomes.
    looks : int, optional
        The planned number of periods after the reference, if it is known; else any number may follow.
    tolerated : float
        The largest ratio of prevalences that does not count as a move.
    last : int, optional
        The number of latest periods with intervals and with their change explained; by default all.
    matures : str or int, optional
        How long after the end of a period its labels may still come in, such as "60d". A younger period is provisional:
        it is read, but not judged, and not part of the reference. Keys must then be names such as "2026-05".
    today : date, optional
        The day that ages are counted to; by default today.
    confidence_level, n_resamples, rng
        As for `estimate`; the seed is 0 by default, so that a verdict can be repeated.

    Notes
    -----
    The model is judged by `model_alarms`, at the common prevalence. The prevalence of the latest period has moved if it
    differs from that of the reference by more than the factor `tolerated`, and by more than three standard errors of
    the difference of two shares. docs/monitoring.md has how often each of these is wrong.

    A compact curve from a store may not know a value exactly. Intervals allow for that. A value whose error may be
    above 0.02 is nan with a reason, and only its interval is given.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> months = br.curves_by(year, label="fraud", score="old_model", period=("day", "month"))
    >>> found = br.monitoring.judge_periods(br.average_precision, months, prevalence=0.01, last=1)
    >>> found.verdict
    'prevalence'
    >>> found.sentence[:58]
    'the prevalence has moved, no change of the model detected '
    """
    check_curves(curves)
    judging = _Judging(
        metric,
        None if at is None else rule_from(at, or_threshold=True),
        None if prevalence is None else checks.prevalence(prevalence),
        checks.whole_number(reference, "reference"),
        checks.probability(false_alarm, "false_alarm"),
        None if looks is None else checks.whole_number(looks, "looks"),
        checks.positive_number(tolerated, "tolerated"),
        checks.confidence_level(confidence_level),
        n_resamples,
        rng,
    )
    if judging.rule is None:
        check_estimable(metric, next(iter(curves.values())))
    maturity = maturity_from(matures, today)
    open_ = {key for key in curves if maturity is not None and maturity.is_open(key)}
    settled = {key: curve for key, curve in curves.items() if key not in open_}
    keys, first = list(settled), list(settled)[: judging.reference]
    looked_at = list(curves) if last is None else list(curves)[-checks.whole_number(last, "last") :]
    past = _looks(judging, settled, len(open_))
    common = judging.prevalence if past.alarms is None else past.alarms.prevalence
    before = Curve.pool(settled[key] for key in first) if first else None
    changes = _changes(judging, {key: settled[key] for key in looked_at if key in settled and key not in first}, before)
    periods = tuple(
        PeriodReading(
            key,
            *_readings(judging, curve, common, with_interval=key in looked_at),
            changes.get(key),
            *past.at(key),
            provisional=key in open_,
        )
        for key, curve in curves.items()
    )
    moved = before is not None and len(keys) > len(first) and has_moved(before, settled[keys[-1]], judging.tolerated)
    verdict: Literal["model", "prevalence"] | None = "prevalence" if moved else None
    if past.latest is not None and past.at(past.latest).alarm:
        verdict = "model"
    latest = next((one for one in reversed(periods) if not one.provisional), None)
    return SeriesVerdict(
        metric=describe(metric),
        verdict=verdict,
        prevalence_moved=moved,
        sentence=_sentence(verdict, latest, past, first, before),
        prevalence=common,
        reference=tuple(first),
        first_alarm=None if past.alarms is None else past.alarms.first,
        periods=periods,
    )


# --- the model ------------------------------------------------------------------------------------


class _Look(NamedTuple):
    """A look at one period; nan and None if there was none."""

    statistic: float = math.nan
    limit: float = math.nan
    alarm: bool | None = None


class _Looks(NamedTuple):
    """What the past says about the model, or why it says nothing."""

    alarms: Alarms | None
    why: str

    def at(self, key: Hashable) -> _Look:
        """The look at a period."""
        alarms = self.alarms
        if alarms is None or key not in alarms.keys or alarms.reasons[k := alarms.keys.index(key)] is not None:
            return _Look()
        return _Look(float(alarms.statistic[k]), float(alarms.limit[k]), bool(alarms.alarm[k]))

    @property
    def latest(self) -> Hashable | None:
        """The latest period that could be looked at."""
        keys = () if self.alarms is None else self.alarms.keys
        return next((key for key in reversed(keys) if self.at(key).alarm is not None), None)


def _looks(judging: _Judging, curves: Mapping[GroupKey, Curve], n_open: int) -> _Looks:
    missing = judging.reference + 1 - len(curves)
    if missing > 0:
        why = f"{missing} more period{'s' * (missing > 1)} needed to compare with the first {judging.reference}"
        return _Looks(None, why + (f"; {n_open} provisional" if n_open else ""))
    try:
        alarms = model_alarms(
            judging.metric,
            curves,
            at=judging.rule,
            reference=judging.reference,
            prevalence="mean" if judging.prevalence is None else judging.prevalence,
            false_alarm=judging.false_alarm,
            looks=judging.looks,
            rng=judging.rng,
        )
    except InputError as error:
        return _Looks(None, str(error).rstrip("."))
    return _Looks(alarms, "no period has enough cases to be judged")


# --- the prevalence -------------------------------------------------------------------------------


def has_moved(before: Curve, after: Curve, tolerated: float) -> bool:
    """Whether the share of positives has changed by more than the tolerated ratio, and by more than chance."""
    sizes = [float(curve.n_pos + curve.n_neg) for curve in (before, after)]
    if not all(sizes):
        return False
    shares = [float(curve.n_pos) / size for curve, size in zip((before, after), sizes, strict=True)]
    pooled = float(before.n_pos + after.n_pos) / sum(sizes)
    error = math.sqrt(pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1]))
    return max(shares) > tolerated * min(shares) and abs(shares[1] - shares[0]) > _BEYOND_CHANCE * error


# --- one period -----------------------------------------------------------------------------------


def _readings(
    judging: _Judging, curve: Curve, common: float | None, *, with_interval: bool
) -> tuple[Estimate, float, Estimate | None, float]:
    """The metric at a period's own prevalence and at the common one, each with the error that buckets allow."""
    wanted = [curve] if common is None else [curve, curve.at_prevalence(common)]
    own, *there = _read(judging, wanted, with_interval=with_interval)
    return *own, *(there[0] if there else (None, 0.0))


def _read(judging: _Judging, curves: Sequence[Curve], *, with_interval: bool) -> list[tuple[Estimate, float]]:
    """The metric at each prevalence, with the largest error that buckets allow."""
    try:
        places = [judging.place(curve) for curve in curves]
    except NoSuchPointError:
        return [(_nothing(judging, curve, Reason.NO_SUCH_POINT), 0.0) for curve in curves]
    if with_interval and not curves[0].missing_class:
        wanted = [(judging.metric, place, "threshold") for place in places]
        estimated = estimate_all(
            wanted,  # type: ignore[arg-type]  # a list of literals
            confidence_level=judging.confidence_level,
            n_resamples=judging.n_resamples,
            rng=judging.rng,
        )
    else:
        read = [evaluate(judging.metric, place) for place in places]
        estimated = [
            replace(_nothing(judging, curve, reason), value=float(value))
            for curve, (value, reason) in zip(curves, read, strict=True)
        ]
    return [_as_known(judging, *one) for one in zip(estimated, places, strict=True)]


def _as_known(judging: _Judging, estimated: Estimate, place: Curve | Point) -> tuple[Estimate, float]:
    """The estimate without its value if buckets leave too much open, and how much they do."""
    row = row_of(judging.metric)
    if math.isnan(estimated.value) or row is None:
        return estimated, 0.0
    certain = bounds(judging.metric, place)
    error = float(max(certain.value - certain.low, certain.high - certain.value))
    if error <= _WELL_KNOWN:
        return estimated, error if error > _ROUNDING else 0.0
    ends = np.fmin(estimated.low, certain.low), np.fmax(estimated.high, certain.high)
    low, high = (float(np.clip(end, row.lowest, row.highest)) for end in ends)
    return replace(estimated, value=math.nan, low=low, high=high, reason=Reason.TOO_COARSE), error


def _nothing(judging: _Judging, curve: Curve, reason: Reason | None) -> Estimate:
    """An estimate without an interval."""
    prevalence = math.nan if curve.missing_class and curve.given_prevalence is None else curve.prevalence
    facts = judging.confidence_level, prevalence, "none", float(curve.n_pos), float(curve.n_neg)
    return Estimate(describe(judging.metric), math.nan, math.nan, math.nan, *facts, reason=reason)


def _changes(judging: _Judging, curves: Mapping[GroupKey, Curve], before: Curve | None) -> dict[GroupKey, Change]:
    """The change of each period against the reference, in its parts."""
    if not curves or before is None or before.missing_class:
        return {}
    changes = explain_changes(
        judging.metric,
        curves,
        against=before,
        at=judging.rule,
        confidence_level=judging.confidence_level,
        n_resamples=judging.n_resamples,
        rng=judging.rng,
    )
    return dict(zip(curves, changes.changes, strict=True))


# --- in words -------------------------------------------------------------------------------------


def _sentence(
    verdict: str | None, latest: PeriodReading | None, looks: _Looks, first: Sequence[object], before: Curve | None
) -> str:
    if latest is None or before is None:
        return f"too early to say ({looks.why})"
    since = f"{first[0]} to {first[-1]}" if len(first) > 1 else f"{first[0]}"
    now, then = one_in(latest.own.prevalence), one_in(before.prevalence)
    prevalence = f"{latest.key}: prevalence {now}; {since}: {then}"
    alarms, looked = looks.alarms, looks.latest
    if alarms is None or looked is None:
        moved = f"; the prevalence has moved ({prevalence})" if verdict is not None else ""
        return f"too early to say ({looks.why}){moved}"
    value = alarms.value[alarms.keys.index(looked)]
    values = f"{alarms.metric} {value:.4g} in {looked}, {alarms.reference:.4g} in {since}"
    values += f", at prevalence {one_in(alarms.prevalence)}"
    if verdict == "model":
        return f"the model is worse than it was ({values}; first alarm in {alarms.first})"
    if verdict == "prevalence":
        return f"the prevalence has moved, no change of the model detected ({prevalence}; {values})"
    return f"no change detected ({values})"
