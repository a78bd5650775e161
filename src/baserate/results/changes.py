"""Results about groups, changes and alarms."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

from baserate.arrays import BoolArray, FloatArray
from baserate.errors import InputError, Reason
from baserate.results.base import Result, Row, Said, cell, with_key
from baserate.results.intervals import Estimate
from baserate.results.words import cases, counted, key_text, percent, with_ends, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class GroupDifference(Result):
    """The difference of a group from others at the common prevalence, as listed by a `GroupTable`.

    Attributes
    ----------
    against : str
        "others", "previous" or "first".
    value, low, high : float
        The group minus what it is compared with, with its interval.
    p_value : float
        The two-sided p-value of this comparison alone.
    simultaneous_low, simultaneous_high, adjusted_p_value : float
        Interval and p-value adjusted for all comparisons of this kind in the table (Bonferroni). The interval excludes
        0 exactly if the p-value is at or below one minus the level.
    reason : Reason or None
        Why the difference is nan, if it is.
    """

    against: str
    value: float
    low: float
    high: float
    p_value: float
    simultaneous_low: float
    simultaneous_high: float
    adjusted_p_value: float
    reason: Reason | None = None

    def _said(self) -> Said:
        return Said(with_notes(f"minus {self._what}: {self._text}", self.reason))

    @property
    def _what(self) -> str:
        return self.against if self.against == "others" else f"the {self.against}"

    @property
    def _text(self) -> str:
        if math.isnan(self.value):
            return "-"
        ends = with_ends(self.value, self.simultaneous_low, self.simultaneous_high, "+")
        return f"{ends} p={self.adjusted_p_value:.2g}"


@dataclass(frozen=True, eq=False)
class GroupRow(Result):
    """A metric of one group, at its own and at the common prevalence, as listed by a `GroupTable`."""

    key: Hashable
    own: Estimate
    common: Estimate
    differences: tuple[GroupDifference, ...]

    @property
    def reason(self) -> Reason | None:
        """Why the value is undefined at the common prevalence, or at its own, if it is."""
        return self.common.reason or self.own.reason

    def _rows(self) -> list[Row]:
        return [with_key("group", self.key, self.cells())]

    def cells(self) -> Row:
        """The cells of the group, without its key."""
        row: Row = {"metric": self.own.metric}
        row |= {name: getattr(self.own, name) for name in ("n_pos", "n_neg", "prevalence")}
        row |= _with_ends("own", self.own) | _with_ends("common", self.common)
        for one in self.differences:
            row |= _with_ends(f"from_{one.against}", one)
            for name in ("p_value", "simultaneous_low", "simultaneous_high", "adjusted_p_value"):
                row[f"from_{one.against}_{name}"] = getattr(one, name)
        return row | {"reason": cell(self.reason)}

    def _said(self) -> Said:
        own, common = (
            with_ends(estimated.value, estimated.low, estimated.high) for estimated in (self.own, self.common)
        )
        where = f"{own} at its own prevalence, {common} at {one_in(self.common.prevalence)}"
        size = cases(self.own.n_pos, self.own.n_neg)
        return Said(with_notes(f"{self.own.metric} of {key_text(self.key)}: {where} ({size})", self.reason))


def _with_ends(name: str, estimated: "Estimate | GroupDifference | ChangePart") -> Row:
    """A value and its interval as three cells."""
    return {name: estimated.value, f"{name}_low": estimated.low, f"{name}_high": estimated.high}


@dataclass(frozen=True, eq=False)
class GroupTable(Result):
    """A metric for each of many groups, as returned by `by_slice` and `by_period`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    kind : str
        "slice" or "period".
    groups : tuple of GroupRow
        For each group its `key`, the estimate at its `own` prevalence and at the `common` one, and its `differences`
        from others at the common one.
    common_prevalence : float
        The common prevalence of all groups.
    confidence_level : float
        The nominal coverage of each interval.
    caution : str or None
        A caution, if coverage of differences may be below the confidence level.

    Examples
    --------
    >>> import baserate as br
    >>> groups = {
    ...     "shop": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680]),
    ...     "web": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[20, 15, 5], neg=[90, 800, 2100]),
    ... }
    >>> table = br.by_slice(br.roc_auc, groups, rng=0)
    >>> len(table.groups), list(table.rows()[0])[:5]
    (2, ['slice', 'metric', 'n_pos', 'n_neg', 'prevalence'])
    """

    metric: str
    kind: str
    groups: tuple[GroupRow, ...]
    common_prevalence: float
    confidence_level: float
    caution: str | None = None

    def _rows(self) -> list[Row]:
        return [with_key(self.kind, group.key, group.cells()) for group in self.groups]

    @property
    def against(self) -> tuple[str, ...]:
        """What each group is compared with."""
        return tuple(one.against for one in self.groups[0].differences) if self.groups else ()

    def _said(self) -> Said:
        heads = [self.kind, "pos", "neg", "own prevalence", "there", f"at {one_in(self.common_prevalence)}"]
        heads += [f"minus {'the ' * (name != 'others')}{name}" for name in self.against]
        cells = []
        for row in self.groups:
            facts = [key_text(row.key), counted(row.own.n_pos), counted(row.own.n_neg), one_in(row.own.prevalence)]
            facts += [with_ends(estimated.value, estimated.low, estimated.high) for estimated in (row.own, row.common)]
            facts += [one._text for one in row.differences]
            cells.append([*facts, row.reason.sentence if row.reason else ""])
        level = f"{self.metric}, {percent(self.confidence_level)} intervals; differences simultaneous in each column"
        return Said(level, [*heads, ""], cells, [self.caution] if self.caution else [])


@dataclass(frozen=True, eq=False)
class ChangePart(Result):
    """A part of a change with its interval, as listed by a `Change`."""

    value: float
    low: float
    high: float

    def _said(self) -> Said:
        return Said(with_ends(self.value, self.low, self.high, "+"))


@dataclass(frozen=True, eq=False)
class Change(Result):
    """The change of a metric and its parts, as returned by `explain_change`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    before, after : float
        The metric, each read at its own prevalence.
    total, prior, model, threshold : ChangePart
        The change, and its parts due to the prevalence, the model and the threshold, each with `value`, `low` and
        `high`. The parts add up to the total.
    prevalence_before, prevalence_after : float
        The prevalence of each, treated as known.
    confidence_level : float
        The nominal coverage of each interval.
    reason, caution
        As in an `Estimate`.

    Examples
    --------
    >>> import baserate as br
    >>> may = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> june = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 15, 5], neg=[40, 400, 1360])
    >>> found = br.explain_change(br.average_precision, may, june, rng=0)
    >>> round(found.total.value, 4), round(found.prior.value, 4), abs(found.model.value) < 1e-12
    (-0.2594, -0.2594, True)
    """

    metric: str
    before: float
    after: float
    total: ChangePart
    prior: ChangePart
    model: ChangePart
    threshold: ChangePart
    prevalence_before: float
    prevalence_after: float
    confidence_level: float
    reason: Reason | None = None
    caution: str | None = None

    @property
    def threshold_counts(self) -> bool:
        """Whether the threshold has a part in the change."""
        return abs(self.threshold.value) > 0

    def _rows(self) -> list[Row]:
        row: Row = {"metric": self.metric, "before": self.before, "after": self.after}
        row |= {"prevalence_before": self.prevalence_before, "prevalence": self.prevalence_after}
        for name in ("total", "prior", "model", "threshold"):
            row |= _with_ends(name, getattr(self, name))
        return [row | {"reason": cell(self.reason)}]

    def _said(self) -> Said:
        text = (
            f"{self.metric} {self.before:.4g} -> {self.after:.4g}, change {self.total} = prevalence {self.prior} + "
            f"model {self.model}"
        )
        text += f" + threshold {self.threshold}" if self.threshold_counts else ""
        where = f"prevalence {one_in(self.prevalence_before)} -> {one_in(self.prevalence_after)}"
        return Said(with_notes(f"{text} ({percent(self.confidence_level)}, {where})", self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class Changes(Result):
    """Changes over a series of periods, as returned by `explain_changes`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    keys : tuple
        The periods that have changes, in order.
    changes : tuple of Change
        The change up to each of them.
    against : str
        What each is compared with: "first", "previous" or "reference".

    Examples
    --------
    >>> import baserate as br
    >>> may = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> june = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 15, 5], neg=[40, 400, 1360])
    >>> found = br.monitoring.explain_changes(br.roc_auc, {"May": may, "June": june}, rng=0)
    >>> [row] = found.rows()
    >>> row["period"], row["prior"]
    ('June', 0.0)
    """

    metric: str
    keys: tuple[Hashable, ...]
    changes: tuple[Change, ...]
    against: str

    def _rows(self) -> list[Row]:
        return [with_key("period", key, one.row()) for key, one in zip(self.keys, self.changes, strict=True)]

    def _said(self) -> Said:
        moved = any(one.threshold_counts for one in self.changes)
        heads = ["period", "prevalence", "after", "change", "prevalence part", "model part"]
        cells = []
        for key, one in zip(self.keys, self.changes, strict=True):
            facts = [key_text(key), one_in(one.prevalence_after), f"{one.after:.4g}", str(one.total)]
            facts += [str(one.prior), str(one.model), *[str(one.threshold)] * moved]
            cells.append([*facts, one.reason.sentence if one.reason else ""])
        title = f"{self.metric} against the {self.against}" + " period" * (self.against != "reference")
        return Said(title, [*heads, *["threshold part"] * moved, ""], cells)


@dataclass(frozen=True, eq=False)
class Alarms(Result):
    """Whether a model has become worse, period by period, as returned by `model_alarms`.

    It is neither true nor false: ask for `alarm`, or for `first`, which is None if there is no alarm.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    keys : tuple
        The periods after the reference, in order.
    value, difference : array of float
        The metric at the common prevalence, and its difference from the reference.
    statistic, limit : array of float
        The largest standardised difference from the reference, over windows, and the limit of an alarm. Far from an
        alarm the limit has a Monte Carlo error of about 0.16.
    window : array of float
        The length of this window in periods, back from this one.
    alarm : array of bool
        Whether the statistic is beyond the limit.
    reference : float
        The metric of the reference at the common prevalence.
    prevalence : float
        The common prevalence.
    false_alarm : float
        The probability of any false alarm.
    looks : int or None
        The planned number of looks; None if any number may follow.
    side : str
        "worse", or "both" if there are also alarms for a better model.
    reasons : tuple of Reason or None
        Why a period was skipped, if it was.

    Examples
    --------
    >>> import baserate as br
    >>> good = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> bad = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[20, 200, 680])
    >>> found = br.monitoring.model_alarms(br.average_precision, {"May": good, "June": bad}, reference=good)
    >>> found.first, found.alarm.tolist()
    ('June', [False, True])
    """

    metric: str
    keys: tuple[Hashable, ...]
    value: FloatArray
    difference: FloatArray
    statistic: FloatArray
    limit: FloatArray
    window: FloatArray
    alarm: BoolArray
    reference: float
    prevalence: float
    false_alarm: float
    looks: int | None
    side: str
    reasons: tuple[Reason | None, ...]

    def __bool__(self) -> bool:
        raise InputError(
            "alarms are neither true nor false, got them as a condition; compare first, which is None if there is no "
            "alarm."
        )

    @property
    def first(self) -> Hashable | None:
        """The period of the first alarm; None if there is none."""
        return next((key for key, alarm in zip(self.keys, self.alarm, strict=True) if alarm), None)

    def _rows(self) -> list[Row]:
        rows = zip(self.keys, super()._rows(), self.reasons, strict=True)
        return [with_key("period", key, row) | {"reason": cell(reason)} for key, row, reason in rows]

    def _said(self) -> Said:
        heads = ["period", self.metric, "difference", "standard errors", "limit", ""]
        cells = []
        for k, key in enumerate(self.keys):
            reason = self.reasons[k]
            note = reason.sentence if reason else self._note(k)
            facts = [key_text(key), f"{self.value[k]:.4g}", f"{self.difference[k]:+.4g}", f"{self.statistic[k]:+.2f}"]
            cells.append([*facts, f"{self.limit[k]:.2f}", note])
        title = (
            f"reference {self.reference:.4g} at prevalence {one_in(self.prevalence)}; a false alarm in "
            f"{percent(self.false_alarm)} of series"
            f"{', however long' if self.looks is None else f' of {self.looks} looks'}"
        )
        return Said(title, heads, cells)

    def _note(self, k: int) -> str:
        if not self.alarm[k]:
            return ""
        return "ALARM" if self.window[k] == 1 else f"ALARM over {self.window[k]:.0f} periods"
