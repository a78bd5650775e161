"""A number with an interval, many of them as a band, and how wide a band can be."""

from dataclasses import dataclass

import numpy as np

from baserate.arrays import FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Row, Said
from baserate.results.readings import from_to
from baserate.results.words import cases, percent, plural, with_ends, with_notes


@dataclass(frozen=True, eq=False)
class Estimate(Result):
    """A metric with an interval, as returned by `estimate`. A list of them makes a table: ``pd.DataFrame(estimates)``.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value, low, high : float
        What the data show, and the interval around it.
    confidence_level : float
        How often such an interval is to hold what is true.
    prevalence : float
        Where the metric was read; of an uncertain prevalence, its middle.
    method : str
        How the interval was made.
    n_pos, n_neg : float
        Cases behind it; of weighted rows, the number of equal ones that are worth as much.
    chosen : str or None
        How the operating point was chosen, if it was chosen on the same data.
    about : str or None
        What the interval is then about: "threshold", this threshold, shipped as it is, or "rule", the rule, applied
        again in the population.
    uncertain_prevalence : str or None
        What was known of the prevalence, if it was not one number.
    reason : Reason or None
        Why the value or the interval is nan, if it is.
    caution : str or None
        A sentence where the interval may hold less often than it says.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900).at_prevalence("1:10000")
    >>> found = br.estimate(br.precision, point)
    >>> print(found)
    precision 0.0566 [0.04359, 0.07215] (95 %, melded, prevalence 9.999e-05, 100 pos, 100,000 neg)
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

    @property
    def width(self) -> float:
        """From the lower to the upper end."""
        return self.high - self.low

    def _said(self) -> Said:
        facts = [percent(self.confidence_level), self.method]
        facts.append(f"prevalence {self.uncertain_prevalence or format(self.prevalence, '.4g')}")
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
        What the values are, and what they run along.
    place, value, low, high : array of float
        Where, what the data show, and the interval around it; nan where it is undefined.
    confidence_level : float
        How often the interval at a place is to hold, or all of them at once if the band is simultaneous.
    simultaneous : bool
        Whether the level is that of the whole band.
    method : str
        How it was made.
    prevalence : float or None
        Where it was read; None for a band along prevalences and for one that does not depend on it.
    n_pos, n_neg : float
        Cases behind it.
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
        where = "" if self.prevalence is None else f", prevalence {self.prevalence:.4g}"
        facts = f"{plural(len(self.place), 'place')}, {level}, {self.method}{where}, {cases(self.n_pos, self.n_neg)}"
        text = f"{self.metric} along {self.along}{from_to(self.place, self.value)} ({facts})"
        return Said(with_notes(text, self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class Bounds(Result):
    """What a metric can be, given that some scores are no longer told apart, as returned by `bounds`.

    Not a matter of chance: whatever the order of the rows within the buckets was, the metric lies between `low` and
    `high`. Along the thresholds of a curve, `value`, `low` and `high` are arrays.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value, low, high : float or array
        The metric with every bucket read as a tie, and its certain bounds.
    prevalence : float or None
        Where the metric was read.
    reason : Reason or None
        Why the value is nan, if it is.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts(score=[0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50])
    >>> print(br.bounds(br.average_precision, curve))
    average_precision 0.3656 in [0.3647, 0.4556] (prevalence 0.05)
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
        where = "" if self.prevalence is None else f" (prevalence {self.prevalence:.4g})"
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
    precision is known to 0.3139 at worst, at prevalence 0.001449
    """

    width: float
    prevalence: float

    def _said(self) -> Said:
        return Said(f"precision is known to {self.width:.4g} at worst, at prevalence {self.prevalence:.4g}")
