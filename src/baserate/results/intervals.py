"""Estimates with intervals, bands, bounds, and the largest width of a band."""

from dataclasses import dataclass

import numpy as np

from baserate.arrays import FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Row, Said
from baserate.results.readings import from_to
from baserate.results.words import cases, percent, plural, with_ends, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class Estimate(Result):
    """A metric with an interval, as returned by `estimate`. A list of them makes a table: ``pd.DataFrame(estimates)``.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value, low, high : float
        The value on the data, and its interval.
    confidence_level : float
        The nominal coverage of the interval.
    prevalence : float
        The prevalence that the metric was read at; the middle of an uncertain one.
    method : str
        The method of the interval.
    why : str or None
        Why this method: what it is the default for, or that it was asked for.
    n_pos, n_neg : float
        Cases of each class; for weighted rows, effective sample sizes.
    chosen : str or None
        How the operating point was chosen, if it was chosen on the same data.
    about : str or None
        What the interval refers to if a rule chose the point: "threshold", this fixed threshold, or "rule", the point
        that the rule would choose in the population.
    uncertain_prevalence : str or None
        The uncertain prevalence as text, if it was given.
    reason : Reason or None
        Why the value or the interval is nan, if it is.
    caution : str or None
        A caution, if coverage may be below the confidence level.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900).at_prevalence("1 in 10,000")
    >>> found = br.estimate(br.precision, point)
    >>> print(found)
    precision 0.05661 [0.0436, 0.07216] (95 %, melded, prevalence 1 in 10,000, 100 pos, 100,000 neg)
    >>> round(found.width, 4)
    0.0286
    """

    metric: str
    value: float
    low: float
    high: float
    confidence_level: float
    prevalence: float
    method: str
    n_pos: float
    n_neg: float
    chosen: str | None = None
    uncertain_prevalence: str | None = None
    reason: Reason | None = None
    caution: str | None = None
    about: str | None = None
    why: str | None = None

    @property
    def width(self) -> float:
        """From the lower to the upper end."""
        return self.high - self.low

    def _said(self) -> Said:
        facts = [percent(self.confidence_level), self.method]
        facts.append(f"prevalence {self.uncertain_prevalence or one_in(self.prevalence)}")
        facts.append(cases(self.n_pos, self.n_neg))
        facts += [f"chosen by {self.chosen}"] * (self.chosen is not None)
        facts += ["about the rule"] * (self.about == "rule")
        text = f"{self.metric} {with_ends(self.value, self.low, self.high)} ({', '.join(facts)})"
        return Said(with_notes(text, self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class Band(Result):
    """Values along an axis with an interval at each place, as returned by `sweep_estimates`, `pr_band` and their kin.

    Attributes
    ----------
    metric, along : str
        The metric, and the axis: "prevalence", "recall" and so on.
    place, value, low, high : array of float
        The places, the values on the data, and their intervals; nan where undefined.
    confidence_level : float
        The nominal coverage at each place, or of the whole band if it is simultaneous.
    simultaneous : bool
        Whether the level is that of the whole band.
    method : str
        The method.
    prevalence : float or None
        The prevalence; None for a band along prevalences and for one that does not depend on it.
    n_pos, n_neg : float
        Cases of each class.
    reason, caution
        As in an `Estimate`.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> band = br.sweep_estimates(br.precision, point, [0.01, 0.001])
    >>> band.low.round(3), band.high.round(3)
    (array([0.822, 0.313]), array([0.887, 0.438]))
    >>> list(band.rows()[0])
    ['metric', 'prevalence', 'value', 'low', 'high']
    """

    _drawn = ("place", "value", "low", "high")

    metric: str
    along: str
    place: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float
    simultaneous: bool
    method: str
    prevalence: float | None
    n_pos: float
    n_neg: float
    reason: Reason | None = None
    caution: str | None = None

    def _rows(self) -> list[Row]:
        common = {"metric": self.metric, "prevalence": self.prevalence}
        columns = (column.tolist() for column in (self.place, self.value, self.low, self.high))
        return [
            common | {self.along: place, "value": value, "low": low, "high": high}
            for place, value, low, high in zip(*columns, strict=True)
        ]

    def _said(self) -> Said:
        level = f"{percent(self.confidence_level)} {'simultaneous' if self.simultaneous else 'pointwise'}"
        where = "" if self.prevalence is None else f", prevalence {one_in(self.prevalence)}"
        facts = f"{plural(len(self.place), 'place')}, {level}, {self.method}{where}, {cases(self.n_pos, self.n_neg)}"
        places = from_to(self.place, self.value, one_in if self.along == "prevalence" else None)
        text = f"{self.metric} along {self.along}{places} ({facts})"
        return Said(with_notes(text, self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class Bounds(Result):
    """Bounds of a metric on a curve with buckets, as returned by `bounds`.

    They are certain, not statistical: whatever the order of the rows within the buckets, the metric lies between `low`
    and `high`. Along the thresholds of a curve, `value`, `low` and `high` are arrays.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value, low, high : float or array
        The metric with every bucket read as a tie, and its certain bounds.
    prevalence : float or None
        The prevalence that the metric was read at.
    reason : Reason or None
        Why the value is nan, if it is.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts(score=[0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50])
    >>> print(br.bounds(br.average_precision, curve))
    average_precision 0.3656 in [0.3647, 0.4556] (prevalence 1 in 20)
    """

    metric: str
    value: float | FloatArray
    low: float | FloatArray
    high: float | FloatArray
    prevalence: float | None
    reason: Reason | None = None

    @property
    def width(self) -> float | FloatArray:
        """From the lower to the upper bound."""
        return self.high - self.low

    def _said(self) -> Said:
        where = "" if self.prevalence is None else f" (prevalence {one_in(self.prevalence)})"
        if isinstance(self.value, np.ndarray):
            width = f"width up to {np.max(self.width):.4g}"
            return Said(f"{self.metric} at {plural(len(self.value), 'threshold')}, {width}{where}")
        text = f"{self.metric} {self.value:.4g} in [{self.low:.4g}, {self.high:.4g}]{where}"
        return Said(with_notes(text, self.reason))


@dataclass(frozen=True, eq=False)
class MaxWidth(Result):
    """Where a band of precision is widest, as returned by `max_width`.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0005, 0.0015)))
    the band of precision is widest at prevalence 1 in 690: 0.3139
    """

    width: float
    prevalence: float

    def _said(self) -> Said:
        return Said(f"the band of precision is widest at prevalence {one_in(self.prevalence)}: {self.width:.4g}")
