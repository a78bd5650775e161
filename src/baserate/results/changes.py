"""Groups beside each other, a change taken apart, and alarms."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from baserate.arrays import BoolArray, FloatArray
from baserate.errors import Reason
from baserate.results.intervals import Estimate

# A table as columns, ready for pandas.DataFrame or polars.DataFrame.
Columns = dict[str, FloatArray | BoolArray | list[str] | list[str | None]]


@dataclass(frozen=True)
class GroupDifference:
    """How far a group is from others at the common prevalence, as listed by a `GroupTable`.

    Attributes
    ----------
    against : str
        "others", "previous" or "first".
    value, low, high : float
        The group less what it is compared with, and the interval around it.
    p_value : float
        Two-sided, of no difference, for this comparison alone.
    simultaneous_low, simultaneous_high, adjusted_p_value : float
        The same for all of the table's comparisons of this kind at once. The interval leaves 0 out exactly where the
        p-value is at or below what the level leaves.
    reason : Reason or None
        Why it is nan, if it is.
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


@dataclass(frozen=True)
class GroupRow:
    """One group: a metric where the group is read and at the common prevalence, as listed by a `GroupTable`."""

    key: Hashable
    own: Estimate
    common: Estimate
    differences: tuple[GroupDifference, ...]


@dataclass(frozen=True)
class GroupTable:
    """A metric for each of many groups, as returned by `by_slice` and `by_period`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    kind : str
        "slice" or "period".
    rows : tuple of GroupRow
        For each group its `key`, the estimate at its `own` prevalence and at the `common` one, and its `differences`
        from others at the common one.
    common_prevalence : float
        Where all groups are read.
    confidence_level : float
        How often each interval is to hold.
    caution : str or None
        A sentence where intervals of differences may hold less often than they say.

    Examples
    --------
    >>> import baserate as br
    >>> groups = {
    ...     "shop": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680]),
    ...     "web": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[20, 15, 5], neg=[90, 800, 2100]),
    ... }
    >>> table = br.by_slice(br.roc_auc, groups, rng=0)
    >>> len(table.rows), list(table.columns())[:4]
    (2, ['slice', 'n_pos', 'n_neg', 'prevalence'])
    """

    metric: str
    kind: str
    rows: tuple[GroupRow, ...]
    common_prevalence: float
    confidence_level: float
    caution: str | None = None

    def columns(self) -> Columns:
        """One row per group, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        table: Columns = {self.kind: [key_text(row.key) for row in self.rows]}
        own, common = [row.own for row in self.rows], [row.common for row in self.rows]
        for name in ("n_pos", "n_neg", "prevalence"):
            table[name] = _floats([getattr(found, name) for found in own])
        for where, found in (("own", own), ("common", common)):
            table[f"{where}_{self.metric}"] = _floats([one.value for one in found])
            for end in ("low", "high"):
                table[f"{where}_{end}"] = _floats([getattr(one, end) for one in found])
        for k, against in enumerate(self.against):
            differences = [row.differences[k] for row in self.rows]
            table[f"from_{against}"] = _floats([one.value for one in differences])
            for name in ("low", "high", "p_value", "simultaneous_low", "simultaneous_high", "adjusted_p_value"):
                table[f"from_{against}_{name}"] = _floats([getattr(one, name) for one in differences])
        table["reason"] = [_code(row.common.reason or row.own.reason) for row in self.rows]
        return table

    @property
    def against(self) -> tuple[str, ...]:
        """What each group is compared with."""
        return tuple(one.against for one in self.rows[0].differences) if self.rows else ()

    def __str__(self) -> str:
        heads = [self.kind, "pos", "neg", "own prevalence", "there", f"at {self.common_prevalence:.4g}"]
        heads += [f"less {'the ' * (name != 'others')}{name}" for name in self.against]
        lines = []
        for row in self.rows:
            cells = [key_text(row.key), f"{row.own.n_pos:,.6g}", f"{row.own.n_neg:,.6g}", f"{row.own.prevalence:.4g}"]
            cells += [_with_ends(found.value, found.low, found.high) for found in (row.own, row.common)]
            cells += [_difference_text(one) for one in row.differences]
            reason = row.common.reason or row.own.reason
            lines.append([*cells, reason.sentence if reason else ""])
        level = f"{self.metric}, {100 * self.confidence_level:.4g} % intervals; differences for all of a column at once"
        return "\n".join([level, *aligned([[*heads, ""], *lines]), *([self.caution] if self.caution else [])])


@dataclass(frozen=True)
class ChangePart:
    """A part of a change with its interval, as listed by a `Change`."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.4g} [{self.low:+.4g}, {self.high:+.4g}]"


@dataclass(frozen=True)
class Change:
    """A change of a metric and what it is due to, as returned by `explain_change`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    before, after : float
        The metric, each read at its own prevalence.
    total, prior, model, threshold : ChangePart
        The whole change and the parts that the prevalence, the model and the threshold have in it, each with `value`,
        `low` and `high`. The values of the parts add up to the total.
    prevalence_before, prevalence_after : float
        Where each is read; taken as known.
    confidence_level : float
        How often each interval is to hold.
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

    def __str__(self) -> str:
        text = (
            f"{self.metric} {self.before:.4g} -> {self.after:.4g}, change {self.total} = prevalence {self.prior} + "
            f"model {self.model}"
        )
        text += f" + threshold {self.threshold}" if self.threshold_counts else ""
        facts = (
            f"{100 * self.confidence_level:.4g} %, prevalence {self.prevalence_before:.4g} -> "
            f"{self.prevalence_after:.4g}"
        )
        notes = (self.reason.sentence if self.reason else None, self.caution)
        return "; ".join([f"{text} ({facts})", *(note for note in notes if note)])


_PARTS = ("total", "prior", "model", "threshold")


@dataclass(frozen=True)
class Changes:
    """Changes over a series of periods, as returned by `explain_changes`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    keys : tuple
        The periods that have changes, in order.
    rows : tuple of Change
        The change up to each of them.
    against : str
        What each is compared with: "first", "previous" or "reference".

    Examples
    --------
    >>> import baserate as br
    >>> may = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> june = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 15, 5], neg=[40, 400, 1360])
    >>> found = br.explain_changes(br.roc_auc, {"May": may, "June": june}, rng=0)
    >>> found.columns()["period"], found.columns()["prior"]
    (['June'], array([0.]))
    """

    metric: str
    keys: tuple[Hashable, ...]
    rows: tuple[Change, ...]
    against: str

    def columns(self) -> Columns:
        """One row per period, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        table: Columns = {"period": [key_text(key) for key in self.keys]}
        for name in ("before", "after"):
            table[name] = _floats([getattr(row, name) for row in self.rows])
        table["prevalence"] = _floats([row.prevalence_after for row in self.rows])
        for name in _PARTS:
            parts: list[ChangePart] = [getattr(row, name) for row in self.rows]
            table[name] = _floats([part.value for part in parts])
            table[f"{name}_low"] = _floats([part.low for part in parts])
            table[f"{name}_high"] = _floats([part.high for part in parts])
        table["reason"] = [_code(row.reason) for row in self.rows]
        return table

    def __str__(self) -> str:
        moved = any(row.threshold_counts for row in self.rows)
        heads = ["period", "prevalence", "after", "change", "prevalence part", "model part"]
        lines = []
        for key, row in zip(self.keys, self.rows, strict=True):
            cells = [key_text(key), f"{row.prevalence_after:.4g}", f"{row.after:.4g}", str(row.total)]
            cells += [str(row.prior), str(row.model), *[str(row.threshold)] * moved]
            lines.append([*cells, row.reason.sentence if row.reason else ""])
        title = f"{self.metric} against the {self.against}" + " period" * (self.against != "reference")
        return "\n".join([title, *aligned([[*heads, *["threshold part"] * moved, ""], *lines])])


@dataclass(frozen=True, eq=False)
class Alarms:
    """Whether a model has become worse, period by period, as returned by `model_alarms`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    keys : tuple
        The periods that were looked at, in order.
    value, difference : array of float
        The metric at the common prevalence, and how far it is from the reference.
    statistic, limit : array of float
        How far the model is from the reference, at the window that says most, in standard errors of rows dealt again
        among them, and where an alarm begins. Far from an alarm few deals say where that is, to some 0.16.
    window : array of float
        How many periods, back from this one, that window holds.
    alarm : array of bool
        Whether the statistic is beyond the limit.
    reference : float
        The metric of the reference at the common prevalence.
    prevalence : float
        The common prevalence.
    false_alarm : float
        How likely any false alarm is in `looks` looks.
    looks : int
        Over how many looks that is.
    side : str
        "worse", or "both" where an alarm also says that the model has become better.
    reasons : tuple of Reason or None
        Why a period was not looked at, if it was not.

    Examples
    --------
    >>> import baserate as br
    >>> good = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> bad = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[20, 200, 680])
    >>> found = br.model_alarms(br.average_precision, {"May": good, "June": bad}, reference=good)
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
    looks: int
    side: str
    reasons: tuple[Reason | None, ...]

    @property
    def first(self) -> Hashable | None:
        """The period of the first alarm; None if there is none."""
        return next((key for key, alarm in zip(self.keys, self.alarm, strict=True) if alarm), None)

    def columns(self) -> Columns:
        """One row per period, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        table: Columns = {"period": [key_text(key) for key in self.keys], self.metric: self.value}
        for name in ("difference", "statistic", "limit", "window"):
            table[name] = getattr(self, name)
        table["alarm"] = self.alarm
        table["reason"] = [_code(reason) for reason in self.reasons]
        return table

    def __str__(self) -> str:
        heads = ["period", self.metric, "difference", "standard errors", "limit", ""]
        lines = []
        for k, key in enumerate(self.keys):
            reason = self.reasons[k]
            note = reason.sentence if reason else self._note(k)
            cells = [key_text(key), f"{self.value[k]:.4g}", f"{self.difference[k]:+.4g}", f"{self.statistic[k]:+.2f}"]
            lines.append([*cells, f"{self.limit[k]:.2f}", note])
        title = (
            f"reference {self.reference:.4g} at prevalence {self.prevalence:.4g}; a false alarm in "
            f"{100 * self.false_alarm:.4g} % of series of {self.looks} looks"
        )
        return "\n".join([title, *aligned([heads, *lines])])

    def _note(self, k: int) -> str:
        if not self.alarm[k]:
            return ""
        return "ALARM" if self.window[k] == 1 else f"ALARM over {self.window[k]:.0f} periods"


def key_text(key: Hashable) -> str:
    """The key of a group: parts of a tuple side by side, and a word for None."""
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join("missing" if part is None else str(part) for part in parts)


def aligned(lines: list[list[str]]) -> list[str]:
    """Rows of cells as lines of text, the first and the last column to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    texts = []
    for first, *middle, last in lines:
        cells = [first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(middle, widths[1:-1], strict=True)), last]
        texts.append("  ".join(cells).rstrip())
    return texts


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{value:.4g} [{low:.4g}, {high:.4g}]"


def _difference_text(found: GroupDifference) -> str:
    if math.isnan(found.value):
        return "-"
    low, high = found.simultaneous_low, found.simultaneous_high
    return f"{found.value:+.4g} [{low:+.4g}, {high:+.4g}] p={found.adjusted_p_value:.2g}"


def _floats(column: list[float]) -> FloatArray:
    return np.array(column, np.float64)


def _code(reason: Reason | None) -> str | None:
    return None if reason is None else str(reason)
