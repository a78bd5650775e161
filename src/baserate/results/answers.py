"""Results of `evaluate` and `compare`: metrics by score, group and prevalence, and the best models."""

from collections.abc import Sequence
from dataclasses import dataclass

from baserate.results.base import Result, Row, Said
from baserate.results.changes import GroupTable
from baserate.results.readings import Crossing
from baserate.results.words import percent, plural
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class Answer(Result):
    """A metric of a score at a prevalence, with interval, bounds and notes, as listed by an `Evaluation`.

    Attributes
    ----------
    score, group : str or None
        Name of the score and of the group; None for a curve without a name, and for all rows.
    prevalence : float
        The prevalence that the metric was read at.
    metric : str
        Name of the metric, with its parameters.
    threshold : float or None
        The threshold of a pointwise metric; None for a metric of the whole curve.
    value, low, high : float
        The value on the data, and its interval; None without an interval.
    at_least, at_most : float or None
        Guaranteed bounds of the value if scores are in buckets.
    pos, neg : float
        Cases of each class; where only some rows were sampled for labelling, the labelled ones.
    unlabelled : int
        Rows that had no label.
    note : str or None
        Why there is no number, or no interval.
    source : str or None
        The files that the rows came from.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> found = br.evaluate(curve, metrics=br.roc_auc, confidence_level=None)
    >>> found.answers[0].metric, round(found.answers[0].value, 4)
    ('roc_auc', 0.8737)
    """

    score: str | None
    group: str | None
    prevalence: float | None
    metric: str
    threshold: float | None
    value: float
    low: float | None
    high: float | None
    at_least: float | None
    at_most: float | None
    pos: float
    neg: float
    unlabelled: int
    note: str | None
    source: str | None

    def _said(self) -> Said:
        whose = " of ".join([self.metric, *(name for name in (self.score, self.group) if name)])
        where = "" if self.prevalence is None else f" at prevalence {one_in(self.prevalence)}"
        why = f"; {self.note}" if self.note else ""
        return Said(f"{whose}{where}: {self.value:.4g}{self._ends}{why}")

    @property
    def _ends(self) -> str:
        return "" if self.low is None or self.high is None else f" [{self.low:.4g}, {self.high:.4g}]"

    def cells(self) -> list[str]:
        """The cells of a table for people."""
        prevalence = "" if self.prevalence is None else one_in(self.prevalence)
        threshold = "" if self.threshold is None else f"{self.threshold:.4g}"
        facts = [self.score or "", self.group or "", prevalence, self.metric, threshold]
        return [*facts, f"{self.value:.4g}{self._ends}", self.note or ""]


_HEADS = ("score", "group", "prevalence", "metric", "threshold", "value", "note")


def _table(head: str, rows: Sequence[Sequence[str]], heads: Sequence[str], foot: Sequence[str] = ()) -> Said:
    """Column heads and cells, without columns that are all None."""
    there = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    shown = [[row[k] for k in there] + [""] for row in rows]
    return Said(head, [*(heads[k] for k in there), ""], shown, foot)


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Metrics of scores at prevalences, as returned by `evaluate`.

    Attributes
    ----------
    answers : tuple of Answer
        One for each score, group, prevalence and metric.
    confidence_level : float or None
        The nominal coverage of each interval; None without intervals.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> found = br.evaluate(curve, metrics=br.roc_auc, confidence_level=None)
    >>> [row["metric"] for row in found.rows()]
    ['roc_auc']
    """

    answers: tuple[Answer, ...]
    confidence_level: float | None

    def _rows(self) -> list[Row]:
        return [answer.row() for answer in self.answers]

    def _said(self) -> Said:
        return _table(_head(self.answers, self.confidence_level), [one.cells() for one in self.answers], _HEADS)


def _head(answers: Sequence[Answer], confidence_level: float | None) -> str:
    level = "without intervals" if confidence_level is None else f"{percent(confidence_level)} intervals"
    return f"{plural(len(answers), 'answer')}, {level}"


@dataclass(frozen=True, eq=False)
class BestRange(Result):
    """A range of prevalences in which one model is best, or several are equally good, as listed by a `Comparison`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    >>> found = br.compare(models, metrics=br.average_precision, confidence_level=None)
    >>> [one.best for one in found.best]
    ['new_model', 'old_model']
    """

    group: str | None
    metric: str
    low: float
    high: float
    best: str

    def _rows(self) -> list[Row]:
        about: Row = {"group": self.group, "metric": self.metric}
        return [about | {"from": self.low, "to": self.high, "best": self.best}]

    def _said(self) -> Said:
        whose = f"{self.metric} of {self.group}" if self.group else self.metric
        return Said(f"{whose}: {self.best} is best from prevalence {one_in(self.low)} to {one_in(self.high)}")


@dataclass(frozen=True, eq=False)
class GroupCrossing(Crossing):
    """A prevalence at which two models cross within a group, as listed by a `Comparison`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    >>> found = br.compare(models, metrics=br.average_precision, confidence_level=None)
    >>> [(one.leads_below, one.leads_above) for one in found.crossings]
    [('new_model', 'old_model')]
    """

    group: str | None

    def _rows(self) -> list[Row]:
        first: Row = {"group": self.group}
        return [first | row for row in super()._rows()]

    @property
    def _of_what(self) -> str:
        return f"{self.metric} of {self.group}" if self.group else self.metric


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """A comparison of models, as returned by `compare`. Its rows are the answers, with a column for the best models.

    Attributes
    ----------
    answers : tuple of Answer
        One for each model, group, prevalence and metric.
    leads : tuple of bool
        For each answer, whether no other model is better there.
    best : tuple of BestRange
        Ranges of prevalence with the best model of each.
    crossings : tuple of GroupCrossing
        Prevalences at which two models cross; without intervals, which need both scores of each row.
    span : (float, float)
        The range of prevalences that was searched.
    notes : tuple of str
        Notes on what could not be computed.
    confidence_level : float or None
        The nominal coverage of each interval; None without intervals.
    groups : tuple of GroupTable
        For one model, a table of its slices or periods for each metric and prevalence. Then there are no answers, and
        the rows are those of these tables.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    >>> found = br.compare(models, metrics=br.average_precision, confidence_level=None)
    >>> found.leads
    (False, True)
    """

    answers: tuple[Answer, ...]
    leads: tuple[bool, ...]
    best: tuple[BestRange, ...]
    crossings: tuple[GroupCrossing, ...]
    span: tuple[float, float]
    notes: tuple[str, ...]
    confidence_level: float | None
    groups: tuple[GroupTable, ...] = ()

    def _rows(self) -> list[Row]:
        if self.groups:
            return [
                row | {"common_prevalence": table.common_prevalence} for table in self.groups for row in table.rows()
            ]
        return [answer.row() | {"leads": leads} for answer, leads in zip(self.answers, self.leads, strict=True)]

    def _said(self) -> Said:
        if self.groups:
            return Said("\n\n".join(map(str, self.groups)))
        rows = [[*answer.cells(), "leads" * leads] for answer, leads in zip(self.answers, self.leads, strict=True)]
        sentences = [*map(str, self.best), *map(str, self.crossings), *self.notes]
        return _table(_head(self.answers, self.confidence_level), rows, [*_HEADS, "leads"], sentences)
