"""Do metrics agree on models? Rank correlations between metrics, and who wins by which."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalence
from baserate.curves.curve import Curve
from baserate.curves.pair import Models
from baserate.errors import InputError
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import describe, lower_is_better
from baserate.results.metric_agreements import MetricAgreement
from baserate.written import one_in

# Values nearer than this, relatively, are equal but for rounding.
_DIGITS = 12


class _Column(NamedTuple):
    """A metric at a prevalence; None is each curve's own."""

    name: str
    metric: MetricFunction
    prevalence: Prevalence | None


@checks.declared
def agreement(
    models: Models | Mapping[str, Curve],
    metrics: Sequence[MetricFunction],
    prevalences: Sequence[Prevalence | None] = (None,),
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 200,
    rng: np.random.Generator | int | None = None,
) -> MetricAgreement:
    """Rank correlations of metrics over models, and the winner by each, with resampled test sets behind them.

    Parameters
    ----------
    models : Models, or mapping of str to Curve
        Three models or more. Of `Models`, rows are resampled within each class, and all models read the same ones;
        curves have no common rows, and no intervals.
    metrics : sequence of callable
        Metrics of whole curves.
    prevalences : sequence of float, str or None
        Where to read each of them; None is the prevalence of the data. A metric with the same values at two
        prevalences for every model is there once.
    confidence_level : float
        The nominal coverage of the intervals, which are percentiles.
    n_resamples : int
        The number of resampled test sets.
    rng : Generator or int, optional
        For resampling.

    References
    ----------
    Siblini et al., Master Your Metrics with Calibration, IDA 2020, section 4.2. doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> import baserate as br, numpy as np
    >>> data = br.examples.payments()
    >>> scores = {"old": data["old_model"], "new": data["new_model"]}
    >>> scores["both"] = scores["old"] + scores["new"]
    >>> models = br.Models.from_scores(data["fraud"], scores)
    >>> found = br.papers.agreement(models, [br.average_precision, br.roc_auc], [0.001, 0.5], n_resamples=40, rng=0)
    >>> found.winners["average_precision at 1 in 1,000"], round(found.support["average_precision at 1 in 1,000"], 2)
    ('both', 0.9)
    """
    level, n = checks.confidence_level(confidence_level), checks.repeats(n_resamples, "n_resamples")
    curves = dict(zip(models.names, models.curves, strict=True)) if isinstance(models, Models) else dict(models)
    checks.all_are(curves.values(), Curve, "models")
    if len(curves) < 3 or not metrics or not prevalences:
        raise InputError(
            f"agreement needs three models, a metric and a prevalence or more, got {len(curves)}, {len(metrics)} and "
            f"{len(prevalences)}; pass more."
        )
    columns = [_column(metric, eta) for eta in prevalences for metric in metrics]
    values = _values(curves.values(), columns)
    kept = _distinct(values)
    columns, values = [columns[k] for k in kept], values[:, kept]
    if len(columns) < 2:
        raise InputError(
            "agreement needs two metrics with different values, got one; pass more metrics or prevalences."
        )
    again = _resampled(models, columns, n, checks.generator(rng)) if isinstance(models, Models) else []
    rows = [_compared(values, *pair) for pair in combinations(range(len(columns)), 2)]
    ends = _ends(again, len(columns), level)
    names, winner = [column.name for column in columns], values.argmax(0)
    support = [
        float(np.mean([one[:, k].argmax() == best for one in again])) if again else np.nan
        for k, best in enumerate(winner)
    ]
    places = list(combinations(range(len(columns)), 2))
    spearman, kendall = np.array(rows).T
    return MetricAgreement(
        first=np.array([names[a] for a, _ in places]),
        second=np.array([names[b] for _, b in places]),
        spearman=spearman,
        spearman_low=ends[0, 0],
        spearman_high=ends[1, 0],
        kendall=kendall,
        kendall_low=ends[0, 1],
        kendall_high=ends[1, 1],
        same_winner=np.array([bool(winner[a] == winner[b]) for a, b in places]),
        winners={name: list(curves)[k] for name, k in zip(names, winner.tolist(), strict=True)},
        support=dict(zip(names, support, strict=True)),
        models=tuple(curves),
        confidence_level=level,
    )


def _column(metric: MetricFunction, prevalence: Prevalence | None) -> _Column:
    where = "" if prevalence is None else f" at {one_in(checks.prevalence(prevalence))}"
    return _Column(f"{describe(metric)}{where}", metric, prevalence)


def _values(curves: Iterable[Curve], columns: Sequence[_Column]) -> FloatArray:
    """Higher is better: models along the first axis, metrics along the second."""
    found = []
    for curve in curves:
        row = []
        for column in columns:
            read = curve if column.prevalence is None else curve.at_prevalence(column.prevalence)
            value, _ = evaluate(column.metric, read)
            if np.ndim(value):
                raise InputError(
                    f"agreement needs metrics of whole curves, got {describe(column.metric)}; pass an area, or a "
                    f"function such as lambda curve: br.f1(curve.at_recall(0.6))."
                )
            row.append(-float(value) if lower_is_better(column.metric) else float(value))
        found.append(row)
    with np.errstate(invalid="ignore"):
        return np.round(np.array(found), _DIGITS)


def _distinct(values: FloatArray) -> list[int]:
    """The first of each group of columns that are equal."""
    return sorted(np.unique(values, axis=1, return_index=True)[1].tolist())


def _compared(values: FloatArray, a: int, b: int) -> tuple[float, float]:
    """Spearman's and Kendall's correlation of two columns; nan if one of them is constant or undefined."""
    from scipy.stats import kendalltau, spearmanr

    first, second = values[:, a], values[:, b]
    if np.isnan(first + second).any() or np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.nan, np.nan
    return float(spearmanr(first, second).statistic), float(kendalltau(first, second).statistic)


def _resampled(
    models: Models, columns: Sequence[_Column], n_resamples: int, rng: np.random.Generator
) -> list[FloatArray]:
    """The values on resampled test sets: rows drawn within each class, the same for all models."""
    given = models.curves[0].given_prevalence
    classes = [np.flatnonzero(mask) for mask in (models.positive, ~models.positive)]
    found = []
    for _ in range(n_resamples):
        rows = np.concatenate([rng.choice(places, len(places)) for places in classes])
        curves = [Curve.from_scores(models.positive[rows], score[rows]) for score in models.scores]
        found.append(_values([one if given is None else one.at_prevalence(given) for one in curves], columns))
    return found


def _ends(again: Sequence[FloatArray], n_columns: int, level: float) -> FloatArray:
    """The ends of both correlations of each pair: end, kind, pair."""
    pairs = list(combinations(range(n_columns), 2))
    if not again:
        return np.full((2, 2, len(pairs)), np.nan)
    drawn = np.array([[_compared(values, *pair) for pair in pairs] for values in again])
    tail = (1 - level) / 2
    ends = np.full((2, 2, len(pairs)), np.nan)
    defined = np.isfinite(drawn[:, :, 0])
    for k in np.flatnonzero(defined.any(0)):
        there = drawn[defined[:, k], k]
        ends[:, :, k] = np.quantile(there, [tail, 1 - tail], axis=0)
    return ends
