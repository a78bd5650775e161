"""Many models: who is best where."""

from collections.abc import Mapping

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError
from baserate.metrics.over_prevalence import MetricFunction, crossings, sweep
from baserate.registry import describe, lower_is_better
from baserate.results import Ranking, Region


def ranking(
    metric: MetricFunction,
    models: Mapping[str, Curve | Point],
    prevalences: object,
    *,
    low: float | str = 1e-6,
    high: float | str = 1 - 1e-6,
) -> Ranking:
    """Many models at many prevalences, and the range of prevalences in which each of them is best.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    models : mapping of str to Curve or Point
        The models by name.
    prevalences : column
        Where to read them for the table.
    low, high : float or odds
        The range in which to look for the best one.

    Returns
    -------
    Ranking
        Its regions come from all prevalences at which any two models swap, exactly.

    Examples
    --------
    >>> import baserate as br
    >>> models = {
    ...     "sensitive": br.Point.from_rates(0.9, 0.01),
    ...     "specific": br.Point.from_rates(0.6, 0.001),
    ...     "poor": br.Point.from_rates(0.5, 0.1),
    ... }
    >>> for region in br.ranking(br.f1, models, [0.01]).regions:
    ...     print(region)
    specific from 1e-06 to 0.01672
    sensitive from 0.01672 to 1
    """
    if not isinstance(models, Mapping) or not models:
        raise InputError(f"models must be a mapping of names to Curves or Points, got {models!r}; pass one.")
    grid = checks.prevalences(prevalences)
    ends = checks.prevalence_range(low, high)
    named = {str(name): model for name, model in models.items()}
    if len(named) < len(models):
        raise InputError(f"models must have different names, got {list(models)}; rename one.")
    values = {name: sweep(metric, model, grid).value for name, model in named.items()}
    return Ranking(describe(metric), grid, values, tuple(_regions(metric, named, *ends)))


def _regions(metric: MetricFunction, models: Mapping[str, Curve | Point], low: float, high: float) -> list[Region]:
    names = list(models)
    swaps = {
        swap.prevalence
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for swap in crossings(metric, models[a], models[b], low=low, high=high)
    }
    borders = np.array([low, *sorted(swaps), high])
    log_odds = np.log(borders) - np.log1p(-borders)
    middles: FloatArray = 1 / (1 + np.exp(-(log_odds[1:] + log_odds[:-1]) / 2))
    sign = -1.0 if lower_is_better(metric) else 1.0
    values = np.array([sign * sweep(metric, model, middles).value for model in models.values()])
    regions: list[Region] = []
    for column, start, end in zip(values.T, borders[:-1], borders[1:], strict=True):
        if np.isnan(column).all():
            continue
        winner = names[int(np.nanargmax(column))]
        if regions and regions[-1].winner == winner and regions[-1].high == start:
            regions[-1] = Region(winner, regions[-1].low, float(end))
        else:
            regions.append(Region(winner, float(start), float(end)))
    return regions
