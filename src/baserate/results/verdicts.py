"""The verdict on a series of periods: the model, or the prevalence."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from baserate.errors import InputError
from baserate.results.base import Result, Row, Said, cell, with_key
from baserate.results.changes import Change
from baserate.results.intervals import Estimate
from baserate.results.words import counted, key_text, with_ends
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class PeriodReading(Result):
    """One period of a series beside its reference, as listed by a `SeriesVerdict`.

    Attributes
    ----------
    key : hashable
        The period.
    own, common : Estimate
        The metric at the period's own prevalence, and at the common one. Its value is nan with a reason if the stored
        curve does not know it well enough; the interval then still holds it.
    own_error, common_error : float
        The largest error of these values that a compact curve allows; 0 for a curve with all its scores.
    change : Change or None
        The change since the reference in its parts, if it was asked for.
    statistic, limit : float
        The standardised difference from the reference, and the limit of an alarm; nan if there was no look.
    alarm : bool or None
        Whether there is an alarm; None if there was no look.
    provisional : bool
        Whether labels may still come in; such a period is not judged.

    Examples
    --------
    >>> import baserate as br
    >>> good = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> bad = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[20, 200, 680])
    >>> found = br.monitoring.judge_periods(br.average_precision, {"May": good, "June": bad}, reference=1)
    >>> june = found.periods[-1]
    >>> june.key, june.alarm, round(june.own.value, 3)
    ('June', True, 0.284)
    """

    key: Hashable
    own: Estimate
    own_error: float
    common: Estimate | None
    common_error: float
    change: Change | None
    statistic: float
    limit: float
    alarm: bool | None
    provisional: bool = False

    def cells(self) -> Row:
        """What a row says of the period, without its key."""
        pos, neg = (int(n) if float(n).is_integer() else n for n in (self.own.n_pos, self.own.n_neg))
        row: Row = {"metric": self.own.metric, "pos": pos, "neg": neg}
        row |= {"prevalence": self.own.prevalence, **_estimated("own", self.own), "own_error": self.own_error}
        row |= {"common_prevalence": None if self.common is None else self.common.prevalence}
        row |= {**_estimated("common", self.common), "common_error": self.common_error}
        parts = (
            {} if self.change is None else {name: getattr(self.change, name) for name in ("total", "prior", "model")}
        )
        row["change"] = parts["total"].value if parts else None
        for name in ("prior", "model"):
            part = parts.get(name)
            row |= (
                {f"{name}_part": part.value, f"{name}_low": part.low, f"{name}_high": part.high}
                if part
                else (dict.fromkeys((f"{name}_part", f"{name}_low", f"{name}_high")))
            )
        row["threshold_part"] = None if self.change is None else self.change.threshold.value
        looked = self.alarm is not None
        return row | {
            "statistic": self.statistic if looked else None,
            "limit": self.limit if looked else None,
            "alarm": self.alarm,
            "provisional": self.provisional,
            "reason": cell(self.own.reason or (self.common.reason if self.common else None)),
        }

    def _rows(self) -> list[Row]:
        return [with_key("period", self.key, self.cells())]

    def _said(self) -> Said:
        where = "" if self.common is None else f", {_text(self.common)} at {one_in(self.common.prevalence)}"
        alarm = ", ALARM" if self.alarm else ", provisional" if self.provisional else ""
        return Said(f"{self.own.metric} in {key_text(self.key)}: {_text(self.own)} at its own prevalence{where}{alarm}")


def _estimated(name: str, estimated: Estimate | None) -> Row:
    if estimated is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    values = (estimated.value, estimated.low, estimated.high)
    value, low, high = (None if math.isnan(one) else one for one in values)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _text(estimated: Estimate) -> str:
    """A value with its interval, or one of the two if the other is not known."""
    if math.isnan(estimated.value) and not math.isnan(estimated.low):
        return f"{estimated.low:.4g} to {estimated.high:.4g}"
    if math.isnan(estimated.low):
        return f"{estimated.value:.4g}"
    return with_ends(estimated.value, estimated.low, estimated.high)


@dataclass(frozen=True, eq=False)
class SeriesVerdict(Result):
    """What has changed in a series of periods, as returned by `judge_periods`.

    It is neither true nor false: ask for its `verdict`, which is None if nothing has changed.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    verdict : {"model", "prevalence", None}
        "model" if the latest look at the model is an alarm, else "prevalence" if the prevalence of the latest period
        has moved, else None. Provisional periods do not count.
    prevalence_moved : bool
        Whether the prevalence of the latest period that is not provisional has moved.
    sentence : str
        The verdict in words.
    prevalence : float or None
        The common prevalence; None if there are too few periods to choose one.
    reference : tuple
        The periods of the reference.
    first_alarm : hashable or None
        The first period with an alarm.
    periods : tuple of PeriodReading
        All periods in order.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> months = br.curves_by(year, label="fraud", score="new_model", period=("day", "month"))
    >>> found = br.monitoring.judge_periods(br.average_precision, months, prevalence=0.01, last=2)
    >>> found.verdict, found.first_alarm
    ('model', '2025-11')
    >>> found.rows()[-1]["alarm"]
    True
    """

    metric: str
    verdict: Literal["model", "prevalence"] | None
    prevalence_moved: bool
    sentence: str
    prevalence: float | None
    reference: tuple[Hashable, ...]
    first_alarm: Hashable | None
    periods: tuple[PeriodReading, ...]

    def __bool__(self) -> bool:
        raise InputError(
            "a verdict on periods is neither true nor false, got it as a condition; compare its verdict, which is None "
            "if nothing has changed."
        )

    def _rows(self) -> list[Row]:
        return [with_key("period", one.key, one.cells()) for one in self.periods]

    def _said(self) -> Said:
        common = "at a common prevalence" if self.prevalence is None else f"at {one_in(self.prevalence)}"
        heads = ["period", "pos", "neg", "prevalence", "at its own", common, "model part", ""]
        cells = [
            [
                *(key_text(one.key), counted(one.own.n_pos), counted(one.own.n_neg), one_in(one.own.prevalence)),
                *(_text(one.own), "-" if one.common is None else _text(one.common)),
                *(
                    "-" if one.change is None else str(one.change.model),
                    "ALARM" if one.alarm else "provisional" if one.provisional else "",
                ),
            ]
            for one in self.periods
        ]
        return Said(f"{self.metric}: {self.sentence}", heads, cells)


@dataclass(frozen=True, eq=False)
class Advice(Result):
    """What to do with a threshold in use, as returned by `advise`.

    Attributes
    ----------
    action : {"keep", "move", "retrain"}
        "keep" if the data do not exclude that the threshold still does what was agreed; else "move" to another
        threshold that does; "retrain" if none does.
    agreed : str
        What was agreed, as a rule.
    threshold, proposed : float or None
        The threshold in use, and the proposed one if the advice is to move.
    prevalence : float
        Today's prevalence; the middle of an uncertain one.
    uncertain_prevalence : str or None
        The uncertain prevalence as text, if it was given.
    now, then : tuple of Estimate
        What the threshold in use does today, and what the proposed one will do: what was agreed first, then precision,
        recall and alert rate. `then` is empty unless the advice is to move.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.9], pos=[20, 30, 50], neg=[9_500, 400, 100])
    >>> found = br.monitoring.advise(curve, threshold=0.5, agreed="alert_rate <= 0.03", prevalence=0.005)
    >>> found.action, found.proposed
    ('move', 0.9)
    >>> found.sentence[:61]
    'move the threshold from 0.5 to 0.9: alert_rate is 0.05375 [0.'
    """

    action: Literal["keep", "move", "retrain"]
    agreed: str
    threshold: float
    proposed: float | None
    prevalence: float
    now: tuple[Estimate, ...]
    then: tuple[Estimate, ...]
    uncertain_prevalence: str | None = None

    @property
    def sentence(self) -> str:
        """The advice in words."""
        first = self.now[0]
        fact = f"{first.metric} is {_text(first)} now, and {self.agreed} was agreed"
        if self.action == "keep":
            return f"keep the threshold {self.threshold:g}: {fact}"
        if self.action == "move":
            return (
                f"move the threshold from {self.threshold:g} to {self.proposed:g}: {fact}; {_text(self.then[0])} there"
            )
        return f"retrain the model, no threshold restores what was agreed: {fact}"

    def _rows(self) -> list[Row]:
        named = [("now", self.threshold, one) for one in self.now] + [("then", self.proposed, one) for one in self.then]
        return [
            {"action": self.action, "when": when, "threshold": threshold, "metric": one.metric}
            | {"prevalence": self.prevalence, "value": one.value, "low": one.low, "high": one.high}
            for when, threshold, one in named
        ]

    def _said(self) -> Said:
        then = {one.metric: _text(one) for one in self.then}
        cells = [[one.metric, _text(one), *([then[one.metric]] if then else [])] for one in self.now]
        return Said(self.sentence, ["", "now", *["then"] * bool(then)], cells)
