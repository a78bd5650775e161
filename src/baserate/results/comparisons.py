"""Two models beside each other, and many of them."""

from dataclasses import dataclass

from baserate.arrays import FloatArray
from baserate.errors import Reason


@dataclass(frozen=True)
class Difference:
    """How much better one model is than another on the same rows, as returned by `difference`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    names : pair of str
        The two models, first and second.
    first, second : float
        What each is worth.
    value, low, high : float
        First less second, and the interval around it.
    p_value : float
        How likely so large a difference, either way, would be if there were none.
    confidence_level, prevalence, method, n_pos, n_neg, reason, caution
        As in an `Estimate`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> print(br.difference(br.roc_auc, pair, rng=0))
    roc_auc: old 0.9461, new 0.8352, difference 0.1108 [0.07885, 0.1428], p = 1.2e-10 \
(95 %, delong_t, prevalence 0.025, 300 pos, 11,700 neg)
    """

    metric: str
    names: tuple[str, str]
    first: float
    second: float
    value: float
    low: float
    high: float
    p_value: float
    confidence_level: float
    prevalence: float
    method: str
    n_pos: float
    n_neg: float
    reason: Reason | None = None
    caution: str | None = None

    def __str__(self) -> str:
        a, b = self.names
        facts = (
            f"{100 * self.confidence_level:.4g} %, {self.method}, prevalence {self.prevalence:.4g}, "
            f"{self.n_pos:,.6g} pos, {self.n_neg:,.6g} neg"
        )
        text = (
            f"{self.metric}: {a} {self.first:.4g}, {b} {self.second:.4g}, difference {self.value:.4g} "
            f"[{self.low:.4g}, {self.high:.4g}], p = {self.p_value:.2g} ({facts})"
        )
        notes = (self.reason.sentence if self.reason else None, self.caution)
        return "; ".join([text, *(note for note in notes if note)])


@dataclass(frozen=True, eq=False)
class Lead:
    """Which of two models leads at each prevalence, and how surely, as returned by `lead`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    names : pair of str
        The two models, first and second.
    prevalence, value, low, high : array of float
        Where, first less second there, and the interval around it.
    probability : array of float
        How probable it is that the first one leads, half of a tie counted to each.
    confidence_level : float
        How often the interval at each prevalence is to hold.
    reason : Reason or None
        Why entries are nan, if any are.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> found = br.lead(br.average_precision, pair, [0.5, 0.001], rng=0)
    >>> found.probability.round(2)
    array([1., 0.])
    """

    metric: str
    names: tuple[str, str]
    prevalence: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    probability: FloatArray
    confidence_level: float
    reason: Reason | None = None

    def columns(self) -> dict[str, FloatArray]:
        """The comparison as a table, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        return {
            "prevalence": self.prevalence,
            self.metric: self.value,
            "low": self.low,
            "high": self.high,
            f"probability that {self.names[0]} leads": self.probability,
        }


@dataclass(frozen=True)
class CrossingEstimate:
    """A prevalence at which two models swap places, with an interval, as returned by `crossing_estimates`.

    Attributes
    ----------
    metric, prevalence, value, leads_below, leads_above
        As in a `Crossing`.
    low, high : float
        The interval around the prevalence. An end of the range that was searched says that the models may not swap
        on that side at all.
    confidence_level : float
        How often the interval is to hold.
    found_again : float
        In which share of the drawn curves the two swap this way at all.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> [swap] = br.crossing_estimates(br.average_precision, pair, n_resamples=200, rng=0)
    >>> swap.leads_below, round(swap.prevalence, 3)
    ('new', 0.047)
    """

    metric: str
    prevalence: float
    low: float
    high: float
    value: float
    leads_below: str
    leads_above: str
    confidence_level: float
    found_again: float

    def __str__(self) -> str:
        return (
            f"{self.metric}: {self.leads_below} leads below prevalence {self.prevalence:.4g} "
            f"[{self.low:.4g}, {self.high:.4g}] ({100 * self.confidence_level:.4g} %), {self.leads_above} leads above"
        )


@dataclass(frozen=True)
class Region:
    """A range of prevalences in which one model is the best of all, as listed by a `Ranking`.

    Examples
    --------
    >>> import baserate as br
    >>> models = {"sensitive": br.Point.from_rates(0.9, 0.01), "specific": br.Point.from_rates(0.6, 0.001)}
    >>> print(br.ranking(br.f1, models, [0.01, 0.1]).regions[0])
    specific from 1e-06 to 0.01672
    """

    winner: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.winner} from {self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True, eq=False)
class Ranking:
    """Many models at many prevalences, as returned by `ranking`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence : array of float
        Where they were read.
    values : dict of str to array
        What each model is worth there.
    regions : tuple of Region
        Which model is best where, over the whole range that was searched.

    Examples
    --------
    >>> import baserate as br
    >>> models = {"sensitive": br.Point.from_rates(0.9, 0.01), "specific": br.Point.from_rates(0.6, 0.001)}
    >>> print(br.ranking(br.f1, models, [0.01, 0.1]))
    f1          0.01    0.1
    sensitive  0.623  0.905  best from 0.01672 to 1
    specific   0.706  0.746  best from 1e-06 to 0.01672
    """

    metric: str
    prevalence: FloatArray
    values: dict[str, FloatArray]
    regions: tuple[Region, ...]

    def columns(self) -> dict[str, FloatArray]:
        """The table, ready for ``pandas.DataFrame`` or ``polars.DataFrame``: one column per model."""
        return {"prevalence": self.prevalence} | self.values

    def __str__(self) -> str:
        heads = [f"{prevalence:.4g}" for prevalence in self.prevalence]
        widths = [max(len(head), 5) for head in heads]
        first = max(len(name) for name in (self.metric, *self.values))
        lines = [f"{self.metric:<{first}}  " + "  ".join(h.rjust(w) for h, w in zip(heads, widths, strict=True))]
        for name, values in self.values.items():
            cells = "  ".join(f"{value:{width}.3f}" for value, width in zip(values, widths, strict=True))
            best = " and ".join(f"from {r.low:.4g} to {r.high:.4g}" for r in self.regions if r.winner == name)
            lines.append(f"{name:<{first}}  {cells}" + (f"  best {best}" if best else ""))
        return "\n".join(lines)
