"""Results about sample sizes of test sets, and about what a test set can show."""

import math
from dataclasses import dataclass
from typing import ClassVar

from baserate.results.base import Result, Row, Said
from baserate.results.intervals import Estimate, MaxWidth
from baserate.results.words import percent, with_ends
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class TestSetPlan(Result):
    """How many positives and negatives to label, as returned by `design.test_set` and `design.test_set_like`.

    A list of them makes a table: ``pd.DataFrame(plans)``.

    Attributes
    ----------
    n_pos, n_neg : int
        Cases of each class.
    cost : float
        Their total cost.
    metric : str
        The metric: "precision" or "average_precision".
    tpr, fpr : float or None
        The rates that were expected; None if an example was given instead.
    prevalence : float or None
        The prevalence of the metric; None for all prevalences at once.
    value : float or None
        The expected value of the metric there.
    wanted_width : float
        The largest width of its interval, from end to end.
    expected_width : float
        Its expected width; a missing interval counts as 1.
    assured_width : float
        The quantile of the width at `assurance`.
    assurance : float
        The wanted share of test sets.
    chance : float
        The share of such test sets whose interval is narrow enough.
    confidence_level : float
        The level of the interval; for all prevalences at once, that of each rate.
    method : str
        The method of the interval.
    interval : str
        The name of that interval in `estimate`.
    of_a_point : bool
        Whether it is a metric of an operating point, and not of the whole curve.

    Examples
    --------
    >>> import baserate as br
    >>> plan = br.design.test_set(0.6, 0.001, half_width=0.1, prevalence=0.001, cost_neg=0.01)
    >>> print(plan)
    90 positives and 43,421 negatives: precision at prevalence 1 in 1,000 known to ±0.1 (95 %, melded) in 96.0 % of \
test sets; about 54 true and 43.42 false positives, width 0.17 on average, cost 524.21
    """

    __test__: ClassVar[bool] = False  # pytest takes what begins with Test for tests

    n_pos: int
    n_neg: int
    cost: float
    metric: str
    tpr: float | None
    fpr: float | None
    prevalence: float | None
    value: float | None
    wanted_width: float
    expected_width: float
    assured_width: float
    assurance: float
    chance: float
    confidence_level: float
    method: str
    interval: str
    of_a_point: bool

    @property
    def expected_tp(self) -> float | None:
        """The expected number of true positives at the given point; None without a point."""
        return None if self.tpr is None else self.tpr * self.n_pos

    @property
    def expected_fp(self) -> float | None:
        """The expected number of false positives at the given point; None without a point."""
        return None if self.fpr is None else self.fpr * self.n_neg

    def _said(self) -> Said:
        of = "each rate " if self.prevalence is None else ""
        return Said(
            f"{self.n_pos:,} positives and {self.n_neg:,} negatives: {self._what()} "
            f"({of}{percent(self.confidence_level)}, {self.interval}) in {100 * self.chance:.1f} % of test "
            f"sets; {self._about()}width {self.expected_width:.4g} on average, cost {self.cost:,.6g}"
        )

    def _what(self) -> str:
        if self.prevalence is None:
            return f"band of {self.metric} at most {self.wanted_width:.4g} wide at every prevalence"
        where = f"{self.metric} at prevalence {one_in(self.prevalence)}"
        if self.of_a_point:
            return f"{where} known to ±{self.wanted_width / 2:.4g}"
        return f"interval of {where} at most {self.wanted_width:.4g} wide"  # it is not even: it reaches further down

    def _about(self) -> str:
        if not self.of_a_point or self.expected_tp is None or self.expected_fp is None:
            return f"about {self.value:.4g}, "
        return f"about {self.expected_tp:,.4g} true and {self.expected_fp:,.4g} false positives, "


@dataclass(frozen=True, eq=False)
class PointSupport(Result):
    """What a test set shows about one operating point, as listed by a `Support`.

    Attributes
    ----------
    point : str
        The point as text.
    tp, fn, fp, tn : float
        The rows behind its rates; for weighted rows, effective numbers.
    tpr_interval, fpr_interval : (float, float)
        Clopper and Pearson's interval of each rate.
    max_width : MaxWidth
        The widest place of the band of precision over all prevalences, from the two intervals.
    wanted_width : float
        The largest width of the interval of precision.
    not_known_between : (float, float) or None
        The range of prevalences in which the interval of precision is wider; None if it is nowhere.
    precision : tuple of Estimate
        Precision at the given prevalences.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)
    >>> found = br.design.supports(point, width=0.2).points[0]
    >>> round(found.cv_fpr, 3), round(found.rarest_prevalence, 4)
    (0.316, 0.0077)
    """

    point: str
    tp: float
    fn: float
    fp: float
    tn: float
    tpr_interval: tuple[float, float]
    fpr_interval: tuple[float, float]
    max_width: MaxWidth
    wanted_width: float
    not_known_between: tuple[float, float] | None
    precision: tuple[Estimate, ...]

    @property
    def tpr(self) -> float:
        """Share of the positives predicted positive."""
        return self.tp / (self.tp + self.fn)

    @property
    def fpr(self) -> float:
        """Share of the negatives predicted positive."""
        return self.fp / (self.fp + self.tn)

    @property
    def cv_tpr(self) -> float:
        """The coefficient of variation of TPR: its standard error over itself; nan where it is 0."""
        return _variation(self.tp, self.fn)

    @property
    def cv_fpr(self) -> float:
        """The coefficient of variation of FPR; nan where it is 0."""
        return _variation(self.fp, self.tn)

    @property
    def rarest_prevalence(self) -> float:
        """The prevalence above which the interval of precision is narrow enough: 0 if everywhere, 1 if never."""
        return 0.0 if self.not_known_between is None else self.not_known_between[1]

    def _rows(self) -> list[Row]:
        names = ("point", "tp", "fn", "fp", "tn", "tpr", "fpr", "cv_tpr", "cv_fpr")
        width = {"max_width": self.max_width.width, "max_width_prevalence": self.max_width.prevalence}
        return [{name: getattr(self, name) for name in names} | width | {"rarest_prevalence": self.rarest_prevalence}]

    def _said(self) -> Said:
        rests = ", ".join(
            f"{name} {with_ends(rate, *ends)} rests on {k:,.6g} of {n:,.6g} {rows}"
            for name, rate, ends, k, n, rows in (
                ("TPR", self.tpr, self.tpr_interval, self.tp, self.tp + self.fn, "positives"),
                ("FPR", self.fpr, self.fpr_interval, self.fp, self.fp + self.tn, "negatives"),
            )
        )
        if self.not_known_between is None:
            known = f"at most {self.wanted_width:.4g} wide at every prevalence"
        else:
            low, high = self.not_known_between
            known = f"at most {self.wanted_width:.4g} wide from prevalence {one_in(high)} up"
            if high >= 1:
                above = f" above {one_in(low)}" if low else ""
                known = f"wider than {self.wanted_width:.4g} at every prevalence{above}"
        return Said(f"{self.point}: {rests}; the interval of precision is {known}")


def _variation(k: float, rest: float) -> float:
    return math.sqrt(rest / (k + rest) / k) if k > 0 else math.nan


@dataclass(frozen=True, eq=False)
class Support(Result):
    """What a test set can show, as returned by `design.supports`.

    Attributes
    ----------
    points : tuple of PointSupport
        What is known at each operating point.
    n_pos, n_neg : float
        Cases of each class.
    confidence_level : float
        The level of all intervals.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.design.supports(br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)))
    100 positives, 10,000 negatives (95 %)
    the point: TPR 0.6 [0.4972, 0.6967] rests on 60 of 100 positives, FPR 0.001 [0.0004796, 0.001838] rests on 10 of \
10,000 negatives; the interval of precision is at most 0.1 wide from prevalence 1 in 51 up
    """

    points: tuple[PointSupport, ...]
    n_pos: float
    n_neg: float
    confidence_level: float

    def _rows(self) -> list[Row]:
        return [point.row() for point in self.points]

    def _said(self) -> Said:
        head = f"{self.n_pos:,.6g} positives, {self.n_neg:,.6g} negatives ({percent(self.confidence_level)})"
        return Said("\n".join([head, *map(str, self.points)]))
