"""Results of `sweep`, `crossings` and `natural_frequencies`."""

from collections.abc import Callable
from dataclasses import dataclass

from baserate.arrays import FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Said
from baserate.results.words import plural, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class Sweep(Result):
    """A metric over a range of prevalences, as returned by `sweep`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence, value : array of float
        One entry per given prevalence.
    reason : Reason or None
        Why entries of `value` are nan, if any are.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.5, fpr=0.01)
    >>> swept = br.sweep(br.precision, point, [0.01, 0.001])
    >>> swept.value.round(4)
    array([0.3356, 0.0477])
    >>> print(swept)
    precision at 2 prevalences: 0.3356 at 1 in 100 to 0.04766 at 1 in 1,000
    """

    _drawn = ("prevalence", "value")

    metric: str
    prevalence: FloatArray
    value: FloatArray
    reason: Reason | None = None

    def _said(self) -> Said:
        text = f"{self.metric} at {plural(len(self.value), 'prevalence')}"
        return Said(with_notes(f"{text}{from_to(self.prevalence, self.value, one_in)}", self.reason))


def from_to(places: FloatArray, values: FloatArray, text: Callable[[float], str] | None = None) -> str:
    """The first and the last value, with their places along the axis, as text."""
    written = "{:.4g}".format if text is None else text
    ends = [f"{values[k]:.4g} at {written(float(places[k]))}" for k in (0, -1)[: len(values)]]
    return f": {' to '.join(ends)}" if ends else ""


@dataclass(frozen=True, eq=False)
class Crossing(Result):
    """A prevalence at which two classifiers cross, as returned by `crossings`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence : float
        The prevalence at which they are equal.
    value : float
        The value of both there.
    leads_below, leads_above : str
        The name of the better one below and above.

    Examples
    --------
    >>> import baserate as br
    >>> sensitive, specific = br.Point.from_rates(0.9, 0.01), br.Point.from_rates(0.6, 0.001)
    >>> [swap] = br.crossings(br.f1, sensitive, specific, names=("sensitive", "specific"))
    >>> print(swap)
    f1: specific leads below prevalence 1 in 60, sensitive leads above (both 0.7234 there)
    """

    metric: str
    prevalence: float
    value: float
    leads_below: str
    leads_above: str

    def _said(self) -> Said:
        return Said(
            f"{self._of_what}: {self.leads_below} leads below prevalence {one_in(self.prevalence)}, "
            f"{self.leads_above} leads above (both {self.value:.4g} there)"
        )

    @property
    def _of_what(self) -> str:
        return self.metric


@dataclass(frozen=True, eq=False)
class NaturalFrequencies(Result):
    """An operating point in numbers of cases, as returned by `natural_frequencies`.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001, prevalence=0.0001)
    >>> print(br.natural_frequencies(point, cases=1_000_000))
    Of 1,000,000 cases, 100 are positive and 999,900 negative.
                  positive   negative         all
    alert               60        999.9   1,059.9
    no alert            40    998,900.1   998,940.1
    Of 1,059.9 alerts, 60 are right (5.66 %).
    """

    prevalence: float
    cases: float
    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float

    @property
    def positives(self) -> float:
        """Cases that are positive."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> float:
        """Cases that are negative."""
        return self.false_positives + self.true_negatives

    @property
    def alerts(self) -> float:
        """Cases that are predicted positive."""
        return self.true_positives + self.false_positives

    def _said(self) -> Said:
        alerts = (self.true_positives, self.false_positives, self.alerts)
        others = (self.false_negatives, self.true_negatives, self.cases - self.alerts)
        classes = f"{_cases(self.positives)} are positive and {_cases(self.negatives)} negative"
        foot = "There are no alerts."
        if self.alerts > 0:
            share = 100 * self.true_positives / self.alerts
            foot = f"Of {_cases(self.alerts)} alerts, {_cases(self.true_positives)} are right ({share:.3g} %)."
        return Said(
            f"Of {_cases(self.cases)} cases, {classes}.",
            ["", "positive", "negative", "all", ""],
            [["alert", *map(_cases, alerts), ""], ["no alert", *map(_cases, others), ""]],
            [foot],
        )


def _cases(number: float) -> str:
    """A number of cases with one decimal, or two digits below one, or whole where it is large."""
    if 0 < number < 0.95:
        return f"{number:.2g}"
    return (f"{number:,.1f}" if number < 1e7 else f"{number:,.0f}").removesuffix(".0")
