"""Results about which rows to label."""

import math
from dataclasses import dataclass

from baserate.arrays import Array, FloatArray, Indices
from baserate.results.base import Result, Row, Said
from baserate.results.words import percent
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class PlannedStratum(Result):
    """Rows of a `LabellingPlan` that are sampled for labelling at one rate.

    Attributes
    ----------
    lowest : float
        Their lowest score; -infinity for all that is left.
    n_rows : int
        Rows.
    n_labels : int
        How many of them to label, those that are labelled already included.
    n_known : int
        How many are labelled already.
    expected_pos : float
        How many positives the labels are expected to find; nan if nothing is known of these rows.

    Examples
    --------
    >>> import baserate as br
    >>> plan = br.design.labelling(br.examples.payments()["new_model"], threshold=0.3, budget=1000)
    >>> print(plan.strata[0])
    169 of 169 rows, all >= 0.3
    """

    lowest: float
    n_rows: int
    n_labels: int
    n_known: int
    expected_pos: float

    @property
    def share(self) -> float:
        """The share of its rows to label."""
        return self.n_labels / self.n_rows

    @property
    def clause(self) -> str:
        """Its part of the rule that `Curve.from_sampled` takes."""
        share = "all" if self.n_labels == self.n_rows else f"{100 * self.share:.6g} %"
        return f"else {share}" if math.isinf(self.lowest) else f"{share} >= {self.lowest!r}"

    def _said(self) -> Said:
        found = "" if math.isnan(self.expected_pos) else f", about {self.expected_pos:.3g} positives"
        known = f", {self.n_known:,} of them known" if self.n_known else ""
        return Said(f"{self.n_labels:,} of {self.n_rows:,} rows{known}, {self.clause}{found}")


@dataclass(frozen=True, eq=False)
class LabellingPlan(Result):
    """Which rows to label, as returned by `design.labelling`.

    Attributes
    ----------
    strata : tuple of PlannedStratum
        The strata, from the highest scores down.
    metric : str
        The metric.
    threshold, prevalence : float or None
        Where it is read.
    value : float
        Its expected value; nan if nothing is known of the rows.
    wanted_width : float or None
        The largest width of its interval; None for a plan from a budget.
    expected_width, assured_width : float
        The median width in simulated test sets, and its quantile at `assurance`; nan without a simulation.
    assurance : float
        The wanted share of test sets with an interval that is narrow enough.
    random_labels : float
        How many labels a random sample of all rows would need for intervals of the same median width, or, without a
        simulation, for the same standard error; all rows if no fewer do, nan if nothing is known.
    confidence_level : float
        The level of the interval.

    Examples
    --------
    >>> import baserate as br
    >>> plan = br.design.labelling(br.examples.payments()["new_model"], threshold=0.3, budget=1000)
    >>> plan.rule
    'all >= 0.3, 27.3325 % >= 0.008903, else 4.02561 %'
    """

    strata: tuple[PlannedStratum, ...]
    metric: str
    threshold: float | None
    prevalence: float | None
    value: float
    wanted_width: float | None
    expected_width: float
    assured_width: float
    assurance: float
    random_labels: float
    confidence_level: float

    @property
    def n_labels(self) -> int:
        """Rows to label, those that are labelled already included."""
        return sum(one.n_labels for one in self.strata)

    @property
    def rule(self) -> str:
        """The rule that `Curve.from_sampled` takes, once these rows are labelled."""
        return ", ".join(one.clause for one in self.strata)

    @property
    def factor(self) -> float:
        """How many times as many labels a random sample of all rows would need."""
        return self.random_labels / self.n_labels

    def _rows(self) -> list[Row]:
        return [one.row() | {"share": one.share} for one in self.strata]

    def _said(self) -> Said:
        where = "" if self.threshold is None else f" at threshold {self.threshold:.6g}"
        where += "" if self.prevalence is None else f" at prevalence {one_in(self.prevalence)}"
        level = percent(self.confidence_level)
        text = f"{self.n_labels:,} labels for {self.metric}{where}"
        if not math.isnan(self.expected_width):
            text += f", interval ({level}) {self.expected_width:.3g} wide on average, at most "
            text += f"{self.assured_width:.3g} in {percent(self.assurance)} of test sets"
        foot = []
        n_rows = sum(one.n_rows for one in self.strata)
        if self.random_labels > n_rows - 0.5:
            foot = [f"a random sample is as good only if it is all {n_rows:,} rows"]
        elif not math.isnan(self.random_labels):
            foot = [
                f"a random sample of all rows needs {self.random_labels:,.0f} labels for that, {self.factor:.1f} times"
            ]
        return Said("\n".join([f"{text}:", *map(str, self.strata), *foot]))


@dataclass(frozen=True, eq=False)
class RowsToLabel(Result):
    """Rows drawn for labelling, as returned by `design.draw_rows`.

    Attributes
    ----------
    position : array
        Where the rows are in the column of scores, from 0.
    score : array
        Their scores.
    stratum : array
        The clause of the rule that each was drawn by.
    inclusion : array
        The probability that each had to be labelled.
    rule : str
        The whole rule.

    Examples
    --------
    >>> import baserate as br
    >>> score = br.examples.payments()["new_model"]
    >>> plan = br.design.labelling(score, threshold=0.3, budget=1000)
    >>> drawn = br.design.draw_rows(plan, score, rng=0)
    >>> print(drawn)
    1,000 rows to label: all >= 0.3, 27.3325 % >= 0.008903, else 4.02561 %
    """

    position: Indices
    score: FloatArray
    stratum: Array
    inclusion: FloatArray
    rule: str

    def __len__(self) -> int:
        return len(self.position)

    def _rows(self) -> list[Row]:
        names = ("position", "score", "stratum", "inclusion")
        columns = (getattr(self, name).tolist() for name in names)
        return [dict(zip(names, one, strict=True)) for one in zip(*columns, strict=True)]

    def _said(self) -> Said:
        return Said(f"{len(self):,} rows to label: {self.rule}")
