"""Groups beside each other: slices of the data, or periods."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.metrics.by_name import Chooser
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitoring.change import Key, check_curves, reading
from baserate.registry import describe
from baserate.results import Estimate
from baserate.results.changes import GroupDifference, GroupRow, GroupTable
from baserate.uncertainty.estimate import Asked, estimates
from baserate.uncertainty.independent import apart, caution_of, readings
from baserate.uncertainty.methods import Question
from baserate.uncertainty.readers import why_no_ends
from baserate.uncertainty.samplers import check_draws

_DRAWS_BEYOND = 2  # of an end that holds for many comparisons at once, at the least


class _Asked(NamedTuple):
    """The question, checked."""

    metric: MetricFunction
    at: Chooser | float | None
    common: float
    floors: tuple[float, float]
    interval: Asked


@checks.declared
def by_slice(
    metric: MetricFunction,
    curves: Mapping[Key, Curve],
    *,
    at: Chooser | float | None = None,
    prevalence: Hashable = "mean",
    min_pos: float = 10,
    min_neg: float = 10,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> GroupTable:
    """A metric for each slice of the data, at its own prevalence and at a common one, and how slices differ.

    Slices differ in prevalence, and then metrics such as precision differ although the model is equally good. At a
    common prevalence what is left is the model: how well it tells positives from negatives within each slice.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    curves : mapping to Curve
        The slices by key, such as `curves_by` returns them; no row is in two of them.
    at : Rule, str, function or float, optional
        For pointwise metrics, where to look: a rule that chooses on each curve, such as "recall >= 0.6", or a threshold
        for all.
    prevalence : key, float, odds or "mean"
        The common prevalence: that of one slice, by its key, a given one, or the mean of the slices' own.
    min_pos, min_neg : float
        Slices with fewer positives or negatives get no number and no comparison; in the rest that others are compared
        with, their rows count.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    GroupTable
        For each slice both estimates, and its difference from all other slices pooled, at the common prevalence.

    Notes
    -----
    Own prevalences are where the curves are read, and are taken as known. A difference is drawn from both slices,
    seen by a pessimist and by an optimist each; the middle part of all four views together is its interval. It held
    in 93.7 % to 100 % of 1,000 simulated pairs in each of 49 settings, with 15 positives and 300 negatives and
    more, at prevalences from 0.001 to 0.5, and was mostly as wide as the difference is spread (3.92 standard
    deviations). Each interval has the level by itself. For all differences together there are adjusted p-values,
    times the number of comparisons, and simultaneous intervals, with as small a part of the risk for each
    (Bonferroni): all of them hold at once as often as the level says, and one leaves 0 out exactly where its
    adjusted p-value is at or below the risk. Step-down methods such as Holm's find a little more, but have no
    intervals that say how much. Two slices are one comparison, which needs no adjusting. Where comparisons are so
    many that `n_resamples` would not do, more are drawn.

    References
    ----------
    Dunn, Multiple comparisons among means, Journal of the American Statistical Association 1961.
    doi:10.1080/01621459.1961.10482090.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> table = pl.DataFrame(br.examples.payments())
    >>> channels = br.curves_by(table, "channel", label="fraud", score="new_model")
    >>> found = br.by_slice(br.average_precision, channels, prevalence=0.001, rng=0)
    >>> [row.key for row in found.groups] == list(channels)
    True
    >>> all(row.differences[0].adjusted_p_value > 0.05 for row in found.groups)  # no channel stands out
    True
    """
    named = check_curves(curves)
    asked = _asked(
        metric,
        named,
        at=at,
        prevalence=prevalence,
        floors=(min_pos, min_neg),
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    read = {key: curve.at_prevalence(asked.common) for key, curve in named.items()}
    fit = [key for key, curve in named.items() if _unfit(curve, asked) is None]
    if len(fit) == len(named) == 2:  # the same comparison from both sides
        (one,) = _differences([_compared(asked, read[fit[0]], read[fit[1]], "others")], asked)
        return _table("slice", named, asked, [[one, _mirrored(one)]])
    compared = []
    for key in named:
        others = Curve.pool([curve for other, curve in read.items() if other != key])
        compared.append(_compared(asked, read[key], others, "others"))
    return _table("slice", named, asked, [_differences(compared, asked)])


@checks.declared
def by_period(
    metric: MetricFunction,
    curves: Mapping[Key, Curve],
    *,
    at: Chooser | float | None = None,
    prevalence: Hashable = "mean",
    min_pos: float = 10,
    min_neg: float = 10,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> GroupTable:
    """A metric for each period, at its own prevalence and at a common one, and how periods differ.

    What moves at the own prevalence and not at the common one is the prevalence, not the model.

    Parameters
    ----------
    metric, at, prevalence, min_pos, min_neg, confidence_level, n_resamples, rng
        As for `by_slice`.
    curves : mapping to Curve
        The periods by key, in the order of time, such as `curves_by` returns them.

    Returns
    -------
    GroupTable
        For each period both estimates, and its differences from the previous and from the first period that have
        enough cases, at the common prevalence. P-values are adjusted, and intervals simultaneous, among those from the
        previous and among those from the first.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> quarters = br.curves_by(year, label="fraud", score="new_model", period=("day", "quarter"))
    >>> table = br.by_period(br.average_precision, quarters, rng=0).frame("polars")
    >>> table["own"].round(2).to_list()
    [0.67, 0.68, 0.61, 0.46]
    >>> table["common"].round(2).to_list()
    [0.71, 0.7, 0.6, 0.42]
    """
    named = check_curves(curves)
    asked = _asked(
        metric,
        named,
        at=at,
        prevalence=prevalence,
        floors=(min_pos, min_neg),
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    read = {key: curve.at_prevalence(asked.common) for key, curve in named.items()}
    compared: list[list[_Compared]] = [[], []]
    seen: list[Hashable] = []
    for key, curve in named.items():
        for column, word, other in zip(compared, ("previous", "first"), (seen[-1:], seen[:1]), strict=True):
            column.append(_compared(asked, read[key], read[other[0]] if other else None, word))
        if _unfit(curve, asked) is None:
            seen.append(key)
    return _table("period", named, asked, [_differences(column, asked) for column in compared])


def _asked(
    metric: MetricFunction,
    curves: Mapping[Hashable, Curve],
    *,
    at: Chooser | float | None,
    prevalence: Hashable,
    floors: tuple[float, float],
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator | int | None,
) -> _Asked:
    interval = Asked.of(confidence_level, n_resamples, rng)
    check_draws(interval.n_draws, interval.confidence_level)
    least = checks.not_negative(floors[0], "min_pos"), checks.not_negative(floors[1], "min_neg")
    common = common_prevalence(curves, prevalence)
    return _Asked(metric, at, common, least, interval)


def common_prevalence(curves: Mapping[Hashable, Curve], prevalence: Hashable) -> float:
    """One prevalence for all: that of a group, by its key, the mean of all, or a given one."""
    if isinstance(prevalence, Hashable) and prevalence in curves:
        return checks.prevalence(curves[prevalence].prevalence)
    if not isinstance(prevalence, str) or prevalence != "mean":
        if isinstance(prevalence, str) and not any(sign.isdigit() for sign in prevalence):
            known = [str(key) for key in curves] + ["mean"]
            hint = checks.did_you_mean(prevalence, known)
            raise InputError(
                f'prevalence must be the key of a group, "mean", a share or odds such as "1:1000", got {prevalence!r}'
                f"{'; ' + hint if hint else '; pass one of them'}."
            )
        return checks.prevalence(prevalence)
    own = [curve.prevalence for curve in curves.values() if curve.given_prevalence or curve.missing_class is None]
    if not own:
        raise InputError(
            "prevalence must be given where no group has both positives and negatives, got 'mean'; pass "
            "prevalence=0.01 for example."
        )
    return float(np.mean(own))


def _unfit(curve: Curve, asked: _Asked) -> Reason | None:
    """Why a group gets no number."""
    if curve.missing_class is not None:
        return curve.missing_class
    fewest_pos, fewest_neg = asked.floors
    return Reason.TOO_FEW_CASES if curve.n_pos < fewest_pos or curve.n_neg < fewest_neg else None


def _estimates(curve: Curve, asked: _Asked) -> list[Estimate]:
    """At the prevalence of the group and at the common one, from the same draws."""
    at = [curve, curve.at_prevalence(asked.common)]
    reason = _unfit(curve, asked)
    if reason is None:
        try:
            places = [reading(asked.metric, one, asked.at) for one in at]
            questions = [Question(asked.metric, place, np.array([place.odds_against])) for place in places]
            return [one for (one,) in estimates(questions, asked.interval)]
        except NoSuchPointError:
            reason = Reason.NO_SUCH_POINT
    return [_no_estimate(one, asked, reason) for one in at]


def _no_estimate(curve: Curve, asked: _Asked, reason: Reason) -> Estimate:
    return Estimate(
        metric=describe(asked.metric),
        value=math.nan,
        low=math.nan,
        high=math.nan,
        confidence_level=asked.interval.confidence_level,
        prevalence=curve.prevalence,
        method="none",
        n_pos=float(curve.n_pos),
        n_neg=float(curve.n_neg),
        reason=reason,
    )


class _Compared(NamedTuple):
    """One curve beside another of different rows, both at the common prevalence; or why not."""

    against: str
    at: Sequence[Curve | Point] = ()
    value: Sequence[float] = ()
    reason: Reason | None = None


def _compared(asked: _Asked, curve: Curve, other: Curve | None, against: str) -> _Compared:
    if other is None:
        return _Compared(against)
    reason = _unfit(curve, asked) or _unfit(other, asked)
    if reason is not None:
        return _Compared(against, reason=reason)
    try:
        at = [reading(asked.metric, one, asked.at) for one in (curve, other)]
    except NoSuchPointError:
        return _Compared(against, reason=Reason.NO_SUCH_POINT)
    found = [evaluate(asked.metric, place) for place in at]
    reason = found[0][1] or found[1][1]
    return _Compared(against, at if reason is None else (), [float(value) for value, _ in found], reason)


def _differences(column: Sequence[_Compared], asked: _Asked) -> list[GroupDifference]:
    """First less second of each, by itself and for all of them at once."""
    n = max(sum(bool(one.at) for one in column), 1)
    risk = (1 - asked.interval.confidence_level) / n
    enough = math.ceil(2 * _DRAWS_BEYOND / risk) if n > 1 else 0
    interval = asked.interval._replace(n_draws=max(asked.interval.n_draws, enough))
    return [_difference(one, asked.metric, interval, n) for one in column]


def _difference(compared: _Compared, metric: MetricFunction, interval: Asked, n: int) -> GroupDifference:
    """One of so many differences."""
    nan = math.nan
    if not compared.at:
        return GroupDifference(compared.against, nan, nan, nan, nan, nan, nan, nan, compared.reason)
    first, second = (
        readings(metric, [place], np.array([value]), interval.apart(k))
        for k, (place, value) in enumerate(zip(compared.at, compared.value, strict=True))
    )
    level = interval.confidence_level
    alone, at_once = (apart(metric, first, second, 1 - (1 - level) / many) for many in (1, n))
    return GroupDifference(
        against=compared.against,
        value=alone.value,
        low=float(alone.ends.low),
        high=float(alone.ends.high),
        p_value=alone.p_value,
        simultaneous_low=float(at_once.ends.low),
        simultaneous_high=float(at_once.ends.high),
        adjusted_p_value=min(1.0, n * at_once.p_value),
        reason=why_no_ends(metric) if math.isnan(at_once.p_value) else None,
    )


def _mirrored(one: GroupDifference) -> GroupDifference:
    low, high = -one.high, -one.low
    return replace(one, value=-one.value, low=low, high=high, simultaneous_low=low, simultaneous_high=high)


def _table(
    kind: str, curves: Mapping[Hashable, Curve], asked: _Asked, columns: Sequence[Sequence[GroupDifference]]
) -> GroupTable:
    rows = []
    for number, (key, curve) in enumerate(curves.items()):
        own, common = _estimates(curve, asked)
        rows.append(GroupRow(key, own, common, tuple(column[number] for column in columns)))
    level = asked.interval.confidence_level
    first = next((curve for curve in curves.values() if _unfit(curve, asked) is None), None)
    return GroupTable(describe(asked.metric), kind, tuple(rows), asked.common, level, _caution(first, asked))


def _caution(curve: Curve | None, asked: _Asked) -> str | None:
    if curve is None:
        return None
    try:
        place: Curve | Point = reading(asked.metric, curve, asked.at)
    except NoSuchPointError:
        return None
    return caution_of(asked.metric, place)
