"""Whether a claim is kept, what a threshold will do where it is used, and what many folds say together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from baserate.arrays import FloatArray
from baserate.errors import Reason, printable
from baserate.results.base import Result, Row, Said, cell, with_key
from baserate.results.intervals import Estimate
from baserate.results.words import plural, prevalences, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class ClaimVerdict(Result):
    """The verdict on a claim, as returned by `check`. A list of them makes a table by their `row`.

    It is true if the claim is met, and only then: ``assert check(claim, curve)`` fails on a claim that is broken and on
    one that is undecided. A list is true by its length, so of many it is ``assert all(verdicts)``.

    Attributes
    ----------
    claim : str
        The claim as text.
    name : str
        The name of the claim, or the claim itself.
    verdict : {"met", "broken", "undecided"}
        Whether the interval lies on the good side of the bound, on the bad one, or on both. Also undecided if the
        interval may not have its coverage.
    estimate : Estimate
        The metric with its interval. Its ends are one-sided limits at the level of the claim, so that the interval of a
        claim at 95 % has a level of 90 %.
    bound : float
        The bound of the claim.
    margin : float
        From the bound to the value; negative on the bad side.
    more_pos, more_neg : int or None
        Further labels that would probably decide an undecided claim, at the class ratio of the data; None if it is
        decided, or if no number is known. This is an expectation: it assumes that the value stays the same.
    note : str or None
        Why there is no value or no interval, or what to know about it.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[40, 60], neg=[99_900, 100])
    >>> verdict = br.check(br.Claim(br.precision, at_least=0.3, at="threshold=0.9"), curve)
    >>> verdict.verdict, round(verdict.margin, 3)
    ('met', 0.075)
    >>> print(verdict)
    met: precision >= 0.3 at threshold=0.9, 95 % sure: precision is 0.375, at least 0.3223
    """

    claim: str
    name: str
    verdict: Literal["met", "broken", "undecided"]
    estimate: Estimate
    bound: float
    margin: float
    more_pos: int | None = None
    more_neg: int | None = None
    note: str | None = None

    def __bool__(self) -> bool:
        return self.verdict == "met"

    @property
    def sentence(self) -> str:
        """What the data show, and what they leave open."""
        estimated = self.estimate
        if math.isnan(estimated.value):
            return f"{estimated.metric} has no value: {self.note}"
        text = f"{estimated.metric} is {estimated.value:.4g}"
        if math.isnan(estimated.low) or math.isnan(estimated.high):
            return f"{text}, without an interval: {self.note}"
        if self.verdict == "undecided":
            return f"{text}, somewhere from {estimated.low:.4g} to {estimated.high:.4g}; {self._what_would_decide}"
        is_above = estimated.value > self.bound
        return f"{text}, {f'at least {estimated.low:.4g}' if is_above else f'at most {estimated.high:.4g}'}"

    @property
    def _what_would_decide(self) -> str:
        if self.estimate.caution is not None:
            return f"no verdict, because {self.estimate.caution}"
        if self.more_pos is None or self.more_neg is None:
            return "it is too near the bound to say how many labels would decide"
        return (
            f"if it stays there, about {self.more_pos:,} more positives and {self.more_neg:,} more negatives would "
            f"decide"
        )

    def _rows(self) -> list[Row]:
        estimated = self.estimate
        row: Row = {
            "claim": self.name,
            "verdict": self.verdict,
            "metric": estimated.metric,
            "prevalence": estimated.prevalence,
            "value": estimated.value,
            "low": estimated.low,
            "high": estimated.high,
            "bound": self.bound,
            "margin": self.margin,
            "more_pos": self.more_pos,
            "more_neg": self.more_neg,
            "pos": estimated.n_pos,
            "neg": estimated.n_neg,
            "note": self.note,
        }
        return [row]

    def _said(self) -> Said:
        named = self.claim if self.name == self.claim else f"{printable(self.name)} ({self.claim})"
        return Said(f"{self.verdict}: {named}: {self.sentence}")


@dataclass(frozen=True, eq=False)
class Deployment(Result):
    """A threshold chosen on some data and evaluated on others, as returned by `deploy`.

    Attributes
    ----------
    threshold : float
        Scores at or above it raise an alert.
    chosen : str
        How it was chosen.
    prevalence : float
        The prevalence in use.
    precision, recall, fpr, alert_rate : Estimate
        Its metrics on the other data, with intervals.
    traffic : float or None
        Cases per day.

    Examples
    --------
    >>> import baserate as br
    >>> old = br.Curve.from_counts([0.2, 0.5, 0.9], pos=[20, 30, 50], neg=[9_500, 400, 100])
    >>> new = br.Curve.from_counts([0.2, 0.5, 0.9], pos=[25, 35, 60], neg=[9_400, 480, 120])
    >>> plan = br.deploy(old, new, at="recall=0.5", prevalence=0.001, traffic=10_000)
    >>> print(plan)
    threshold 0.9, chosen by recall >= 0.5 on other data, at prevalence 1 in 1,000
    precision       0.04004   [0.03073, 0.05114]
    recall              0.5     [0.4074, 0.5926]
    fpr               0.012  [0.009959, 0.01433]
    alerts per day    124.9       [104.4, 148.2]
    """

    threshold: float
    chosen: str
    prevalence: float
    precision: Estimate
    recall: Estimate
    fpr: Estimate
    alert_rate: Estimate
    traffic: float | None = None

    @property
    def alerts_per_day(self) -> tuple[float, float, float] | None:
        """The expected number of alerts, and the ends of its interval; None where the traffic is not known.

        The interval is that of the mean over many days; single days vary around it.
        """
        if self.traffic is None:
            return None
        rate = self.alert_rate
        return rate.value * self.traffic, rate.low * self.traffic, rate.high * self.traffic

    def _rows(self) -> list[Row]:
        estimates = {"precision": self.precision, "recall": self.recall, "fpr": self.fpr, "alert_rate": self.alert_rate}
        rows = {name: (one.value, one.low, one.high) for name, one in estimates.items()}
        if self.alerts_per_day is not None:
            del rows["alert_rate"]
            rows["alerts per day"] = self.alerts_per_day
        place: Row = {"prevalence": self.prevalence, "threshold": self.threshold}
        return [
            {"metric": name, **place, "value": value, "low": low, "high": high}
            for name, (value, low, high) in rows.items()
        ]

    def _said(self) -> Said:
        cells = [
            [str(row["metric"]), f"{row['value']:.4g}", f"[{row['low']:.4g}, {row['high']:.4g}]", ""]
            for row in self.rows()
        ]
        where = "" if " at prevalence " in self.chosen else f", at prevalence {one_in(self.prevalence)}"
        return Said(
            f"threshold {str(self.threshold).removesuffix('.0')}, chosen by {self.chosen} on other data{where}",
            cells=cells,
        )


@dataclass(frozen=True, eq=False)
class FoldMean(Result):
    """A metric averaged over folds or tasks, as returned by `folds.mean_over_folds`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value, spread : float
        The mean over the folds that count, and their standard deviation.
    normalized : float or None
        For AUC-PR and average precision, the mean of the normalized metric over the same folds.
    each : mapping
        The value of each fold by its key or number; nan where it is undefined.
    reasons : mapping
        Why a fold has no value of its own, by its key or number.
    convention : {"leave out", "boyd"}
        How these were treated.
    n_counted : int
        Folds that are in the mean.
    prevalences : (float, float)
        The lowest and the highest prevalence that a fold was read at.
    caution : str or None
        A caution, if folds differ in prevalence and so in their floors.

    Examples
    --------
    >>> import baserate as br
    >>> folds = [br.Curve.from_counts([0.2, 0.9], [10, 40], [900, n]) for n in (50, 200)]
    >>> print(br.folds.mean_over_folds(br.auc_pr, folds, prevalence=0.05))
    auc_pr 0.273 (sd 0.149, 2 folds, prevalence 1 in 20), normalized 0.254
    """

    metric: str
    value: float
    spread: float
    normalized: float | None
    each: Mapping[object, float]
    reasons: Mapping[object, Reason]
    convention: str
    n_counted: int
    prevalences: tuple[float, float]
    caution: str | None = None

    @property
    def n_undefined(self) -> int:
        """Folds that have no value of their own."""
        return len(self.reasons)

    def _rows(self) -> list[Row]:
        return [
            with_key("fold", key, {"metric": self.metric, "value": value, "reason": cell(self.reasons.get(key))})
            for key, value in self.each.items()
        ]

    def _said(self) -> Said:
        facts = [f"sd {self.spread:.4g}", plural(self.n_counted, "fold"), prevalences(*self.prevalences)]
        if self.n_undefined:
            done = (
                "left out" if self.convention == "leave out" else "by Boyd's convention 0 or 1 where a class is missing"
            )
            facts.append(f"{self.n_undefined} undefined, {done}")
        text = f"{self.metric} {self.value:.4g} ({', '.join(facts)})"
        text += "" if self.normalized is None else f", normalized {self.normalized:.4g}"
        return Said(with_notes(text, self.caution))


@dataclass(frozen=True, eq=False)
class SummaryPRCurve(Result):
    """The vertical average of PR curves at one prevalence, as returned by `folds.summary_pr_curve`.

    Attributes
    ----------
    recall, precision : array of float
        The curve, ready to be drawn: each stretch between two recalls has its first and its last point, and where
        precision jumps a recall is there twice. Between the two points of a stretch it is not quite straight.
    area : float
        The exact area under it, which is the mean of the curves' `auc_pr`; nan if no curve has one.
    prevalence : float
        The common prevalence.
    n_curves : int
        Curves that are in it.
    reasons : mapping
        Why a curve is not, by its key or number.

    Examples
    --------
    >>> import baserate as br
    >>> folds = [br.Curve.from_counts([0.2, 0.9], [10, 40], [900, n]) for n in (50, 200)]
    >>> summary = br.folds.summary_pr_curve(folds, 0.05)
    >>> print(summary)
    mean of 2 PR curves at prevalence 1 in 20, area 0.273
    >>> summary.recall, summary.precision.round(3)
    (array([0. , 0.8, 0.8, 1. ]), array([0.316, 0.316, 0.316, 0.05 ]))
    """

    _drawn = ("recall", "precision")

    recall: FloatArray
    precision: FloatArray
    area: float
    prevalence: float
    n_curves: int
    reasons: Mapping[object, Reason]

    def _said(self) -> Said:
        left_out = f", {len(self.reasons)} left out" if self.reasons else ""
        area = "no area" if np.isnan(self.area) else f"area {self.area:.4g}"
        return Said(f"mean of {self.n_curves} PR curves at prevalence {one_in(self.prevalence)}{left_out}, {area}")
