"""Results about two models, or several."""

import math
from dataclasses import dataclass

import numpy as np

from baserate.arrays import FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Row, Said
from baserate.results.readings import from_to
from baserate.results.words import cases, percent, plural, prevalence_with_ends, with_ends, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class Difference(Result):
    """The difference of two models on the same rows, as returned by `difference`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    names : pair of str
        The two models, first and second.
    first, second : float
        The metric of each model.
    value, low, high : float
        First minus second, with its interval.
    p_value : float
        The two-sided p-value for no difference.
    confidence_level, prevalence, method, why, n_pos, n_neg, reason, caution
        As in an `Estimate`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> print(br.difference(br.roc_auc, pair, rng=0))
    roc_auc: old 0.9461, new 0.8352, difference 0.1108 [0.07885, 0.1428], p = 1.2e-10 \
(95 %, delong_t, prevalence 1 in 40, 300 pos, 11,700 neg)
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
    why: str | None = None

    def _rows(self) -> list[Row]:
        return [_with_models(row, self.names) for row in super()._rows()]

    def _said(self) -> Said:
        a, b = self.names
        level, size = percent(self.confidence_level), cases(self.n_pos, self.n_neg)
        text = (
            f"{self.metric}: {a} {self.first:.4g}, {b} {self.second:.4g}, difference "
            f"{with_ends(self.value, self.low, self.high)}, p = {self.p_value:.2g} "
            f"({level}, {self.method}, prevalence {one_in(self.prevalence)}, {size})"
        )
        return Said(with_notes(text, self.reason, self.caution))


def _with_models(row: Row, names: tuple[str, str]) -> Row:
    """A row about two models, with a column for the name of each."""
    others = {name: value for name, value in row.items() if name not in ("metric", "names")}
    return {"metric": row["metric"], "model": names[0], "against": names[1]} | others


@dataclass(frozen=True, eq=False)
class Lead(Result):
    """The difference of two models at each prevalence, as returned by `lead`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    names : pair of str
        The two models, first and second.
    prevalence, value, low, high : array of float
        The prevalences, first minus second at each, and its interval.
    probability : array of float
        The probability that the first one is better; ties count half.
    confidence_level : float
        The nominal coverage of the interval at each prevalence.
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
    >>> list(found.rows()[0])
    ['metric', 'model', 'against', 'prevalence', 'value', 'low', 'high', 'probability']
    """

    _drawn = ("prevalence", "value", "low", "high")

    metric: str
    names: tuple[str, str]
    prevalence: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    probability: FloatArray
    confidence_level: float
    reason: Reason | None = None

    def _rows(self) -> list[Row]:
        return [_with_models(row, self.names) for row in super()._rows()]

    def _said(self) -> Said:
        a, b = self.names
        values = from_to(self.prevalence, self.value, one_in)
        chances = from_to(self.prevalence, self.probability, one_in)
        where = f"{plural(len(self.prevalence), 'prevalence')}, {percent(self.confidence_level)}"
        text = f"{self.metric}, {a} minus {b}{values}; probability that {a} leads{chances} ({where})"
        return Said(with_notes(text, self.reason))


@dataclass(frozen=True, eq=False)
class CrossingEstimate(Result):
    """A prevalence at which two models cross, with an interval, as returned by `crossing_estimates`.

    Attributes
    ----------
    metric, prevalence, value, leads_below, leads_above
        As in a `Crossing`.
    low, high : float
        The interval of the prevalence. If it reaches an end of the searched range, the models may not cross on that
        side.
    confidence_level : float
        The nominal coverage of the interval.
    found_again : float
        The share of bootstrap samples in which the two cross in this direction.

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

    def _said(self) -> Said:
        where = f"{prevalence_with_ends(self.prevalence, self.low, self.high)} ({percent(self.confidence_level)})"
        below = f"{self.leads_below} leads below prevalence {where}"
        return Said(f"{self.metric}: {below}, {self.leads_above} leads above")


@dataclass(frozen=True, eq=False)
class Region(Result):
    """A range of prevalences in which one model is the best of all, as listed by a `Ranking`.

    Examples
    --------
    >>> import baserate as br
    >>> models = {"sensitive": br.Point.from_rates(0.9, 0.01), "specific": br.Point.from_rates(0.6, 0.001)}
    >>> print(br.ranking(br.f1, models, [0.01, 0.1]).regions[0])
    specific from 1 in 1,000,000 to 1 in 60
    """

    winner: str
    low: float
    high: float

    def _said(self) -> Said:
        return Said(f"{self.winner} {self._range}")

    @property
    def _range(self) -> str:
        return f"from {one_in(self.low)} to {one_in(self.high)}"


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """The ranking of several models at several prevalences, as returned by `ranking`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    names : tuple of str
        The models.
    prevalence : array of float
        The prevalences.
    value, low, high : array of float
        The metric of each model (rows) at each prevalence (columns), with its interval, as from `estimate`.
    rank : array of float
        1 for the best; models that are equal share the better rank.
    rank_low, rank_high : array of float
        The plausible ranks.
    leads : array of float
        The probability that a model is better than all others; ties are shared.
    regions : tuple of Region
        Which model is best where, over the whole range that was searched.
    confidence_level : float
        The nominal coverage of each interval, of a value or of a rank.
    reason : Reason or None
        Why entries are nan, if any are.

    Examples
    --------
    >>> import baserate as br
    >>> models = {"sensitive": br.Point.from_rates(0.9, 0.01), "specific": br.Point.from_rates(0.6, 0.001)}
    >>> print(br.ranking(br.f1, models, [0.01, 0.1]))
    f1         1 in 100  1 in 10
    sensitive     0.623    0.905  best from 1 in 60 to 99.9999 %
    specific      0.706    0.746  best from 1 in 1,000,000 to 1 in 60
    """

    metric: str
    names: tuple[str, ...]
    prevalence: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    rank: FloatArray
    rank_low: FloatArray
    rank_high: FloatArray
    leads: FloatArray
    regions: tuple[Region, ...]
    confidence_level: float
    reason: Reason | None = None

    @property
    def values(self) -> dict[str, FloatArray]:
        """The metric of each model at each prevalence, by name."""
        return dict(zip(self.names, self.value, strict=True))

    def _rows(self) -> list[Row]:
        names = ("value", "low", "high", "rank", "rank_low", "rank_high", "leads")
        numbers = np.stack([getattr(self, name) for name in names], axis=-1).tolist()
        return [
            {"metric": self.metric, "model": model, "prevalence": prevalence} | dict(zip(names, entries, strict=True))
            for model, of_model in zip(self.names, numbers, strict=True)
            for prevalence, entries in zip(self.prevalence.tolist(), of_model, strict=True)
        ]

    def _said(self) -> Said:
        heads = [self.metric, *map(one_in, self.prevalence), ""]
        cells = []
        for name, *of_model in zip(self.names, self.value, self.rank_low, self.rank_high, strict=True):
            numbers = [f"{value:.3f}{_ranks(*ends)}" for value, *ends in zip(*of_model, strict=True)]
            best = " and ".join(region._range for region in self.regions if region.winner == name)
            cells.append([name, *numbers, f"best {best}" if best else ""])
        note = f"in brackets the ranks that are plausible ({percent(self.confidence_level)})"
        return Said("", heads, cells, [] if np.isnan(self.rank_low).all() else [note])


def _ranks(low: float, high: float) -> str:
    if math.isnan(low):
        return ""
    return f" ({low:g})" if low == high else f" ({low:g}-{high:g})"
