"""What comes out when one float is not enough: frozen values that print themselves and make tables."""

from dataclasses import dataclass

from baserate.arrays import FloatArray
from baserate.errors import Reason


@dataclass(frozen=True, eq=False)
class Sweep:
    """A metric over a range of prevalences, as returned by `sweep`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence, value : array of float
        One entry per prevalence asked for.
    reason : Reason or None
        Why entries of `value` are nan, if any are.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.5, fpr=0.01)
    >>> swept = br.sweep(br.precision, point, [0.01, 0.001])
    >>> swept.value.round(4)
    array([0.3356, 0.0477])
    >>> swept.columns()["prevalence"]
    array([0.01 , 0.001])
    """

    metric: str
    prevalence: FloatArray
    value: FloatArray
    reason: Reason | None = None

    def columns(self) -> dict[str, FloatArray]:
        """The sweep as a table, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        return {"prevalence": self.prevalence, self.metric: self.value}


@dataclass(frozen=True)
class Crossing:
    """A prevalence at which two classifiers swap places, as returned by `crossings`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence : float
        Where they are equal.
    value : float
        What both are worth there.
    leads_below, leads_above : str
        The name of the better one at lower and at higher prevalences.

    Examples
    --------
    >>> import baserate as br
    >>> sensitive, specific = br.Point.from_rates(0.9, 0.01), br.Point.from_rates(0.6, 0.001)
    >>> [swap] = br.crossings(br.f1, sensitive, specific, names=("sensitive", "specific"))
    >>> print(swap)
    f1: specific leads below prevalence 0.01672, sensitive leads above (both 0.7234 there)
    """

    metric: str
    prevalence: float
    value: float
    leads_below: str
    leads_above: str

    def __str__(self) -> str:
        return (
            f"{self.metric}: {self.leads_below} leads below prevalence {self.prevalence:.4g}, "
            f"{self.leads_above} leads above (both {self.value:.4g} there)"
        )


@dataclass(frozen=True)
class Estimate:
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
        How the operating point was chosen, if it was chosen on the same data; then the interval chooses again.
    uncertain_prevalence : str or None
        What was known of the prevalence, if it was not one number.
    reason : Reason or None
        Why the value or the interval is nan, if it is.
    caution : str or None
        Where such intervals were seen to hold less often than they say, a sentence about it.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900).at_prevalence("1:10000")
    >>> found = br.estimate(br.precision, point)
    >>> print(found)
    precision 0.0566 [0.0429, 0.0728] (95 %, melded, prevalence 9.999e-05, 100 pos, 100,000 neg)
    >>> round(found.width, 4)
    0.0299
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

    @property
    def width(self) -> float:
        """From the lower to the upper end."""
        return self.high - self.low

    def __str__(self) -> str:
        facts = [f"{100 * self.confidence_level:.4g} %", self.method]
        facts.append(f"prevalence {self.uncertain_prevalence or format(self.prevalence, '.4g')}")
        facts += [f"{size:,.6g} {name}" for size, name in ((self.n_pos, "pos"), (self.n_neg, "neg"))]
        facts += [f"chosen by {self.chosen}"] * (self.chosen is not None)
        text = f"{self.metric} {self.value:.4g} [{self.low:.4g}, {self.high:.4g}] ({', '.join(facts)})"
        notes = (self.reason.sentence if self.reason else None, self.caution)
        return "; ".join([text, *(note for note in notes if note)])


@dataclass(frozen=True, eq=False)
class Band:
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

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> band = br.sweep_estimates(br.precision, point, [0.01, 0.001])
    >>> band.low.round(3), band.high.round(3)
    (array([0.819, 0.309]), array([0.888, 0.44 ]))
    >>> list(band.columns())
    ['prevalence', 'precision', 'low', 'high']
    """

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

    def columns(self) -> dict[str, FloatArray]:
        """The band as a table, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        return {self.along: self.place, self.metric: self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class MaxWidth:
    """Where a band of precision is widest, as returned by `max_width`.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.max_width(tpr=(0.54, 0.66), fpr=(0.0005, 0.0015)))
    precision is known to 0.3139 at worst, at prevalence 0.001449
    """

    width: float
    prevalence: float

    def __str__(self) -> str:
        return f"precision is known to {self.width:.4g} at worst, at prevalence {self.prevalence:.4g}"


@dataclass(frozen=True)
class NaturalFrequencies:
    """An operating point told in cases, as returned by `natural_frequencies`.

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

    def __str__(self) -> str:
        alerts = (self.true_positives, self.false_positives, self.alerts)
        others = (self.false_negatives, self.true_negatives, self.cases - self.alerts)
        cells = [
            ["", "positive", "negative", "all"],
            ["alert", *(_cases(number) for number in alerts)],
            ["no alert", *(_cases(number) for number in others)],
        ]
        widths = [max(len(row[column]) for row in cells) for column in range(4)]
        lines = [
            f"Of {_cases(self.cases)} cases, {_cases(self.positives)} are positive "
            f"and {_cases(self.negatives)} negative."
        ]
        for name, *numbers in cells:
            aligned = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
            lines.append(f"{name:<{widths[0]}}  " + "  ".join(aligned))
        if self.alerts > 0:
            share = 100 * self.true_positives / self.alerts
            lines.append(f"Of {_cases(self.alerts)} alerts, {_cases(self.true_positives)} are right ({share:.3g} %).")
        else:
            lines.append("There are no alerts.")
        return "\n".join(lines)


def _cases(number: float) -> str:
    """A number of cases with one decimal, or two digits below one, or whole where it is large."""
    if 0 < number < 0.95:
        return f"{number:.2g}"
    return (f"{number:,.1f}" if number < 1e7 else f"{number:,.0f}").removesuffix(".0")
