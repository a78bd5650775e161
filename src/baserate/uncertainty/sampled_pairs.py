"""The difference of two models on the same rows, of which only some were sampled for labelling.

Populations are drawn as for one model. The labelled rows of a stratum are drawn in groups that share their cells under
both models, so that luck is shared, too. Unseen rows are placed against the first model and for the second, and the
reverse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import Pair
from baserate.curves.point import Point
from baserate.curves.strata import SampledTable
from baserate.errors import MissingInformationError, Reason
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction, sweep
from baserate.registry import describe, traits_of
from baserate.uncertainty import ends
from baserate.uncertainty.cells import RUNS_PER_LOGIT, Cells, cell_of
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings, check_estimable
from baserate.uncertainty.laws import gammas
from baserate.uncertainty.methods import Estimand
from baserate.uncertainty.readers import cut_for, has_interval, is_chosen
from baserate.uncertainty.sampled import OfStrata, groups_of, of_weight_1
from baserate.uncertainty.sampled_methods import on_labelled, reading
from baserate.uncertainty.samplers import Drawn, Streams


class Compared(NamedTuple):
    """The metric of both models at each x, interval and p-value of the difference, and how likely the first leads."""

    first: FloatArray
    second: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    leads: FloatArray
    reason: Reason | None


def compared(
    metric: MetricFunction,
    pair: Pair,
    at: Chooser | tuple[Chooser, ...] | None,
    settings: IntervalSettings,
    *,
    x: FloatArray | None = None,
    sign: float = 1.0,
) -> Compared:
    """Two models of sampled labels, by the melded interval: at the prevalence of the pair, or at each x.

    `sign` is -1 where the lowest leads.
    """
    rules = at if isinstance(at, tuple) else (at,) * 2
    places = [
        curve if rule is None or curve.missing_class else rule_from(rule).on(curve)
        for rule, curve in zip(rules, pair.curves, strict=True)
    ]
    (first, reason), (second, other) = (_values(metric, place, x) for place in places)
    reason = reason or other
    if reason is not None:
        return Compared(first, second, *(np.full(len(first), np.nan),) * 4, reason)
    estimands = [_estimand(metric, place, x) for place in places]
    cells = [cut_for(metric, one.at)(one.curve, RUNS_PER_LOGIT) for one in estimands]
    sampler = _OfPair(pair, [one.curve for one in estimands], cells)
    readings = [reading(one) for one in estimands]

    def both(models: tuple[Drawn, ...]) -> FloatArray:
        return np.stack([read((model,)) for read, model in zip(readings, models, strict=True)], axis=1)

    reader = Reader(both, of_curves=isinstance(places[0], Curve), whole_row=True)
    (worth,) = drawn(sampler, [reader], settings.n_draws, settings.seeds)
    # Of two observers at mirrored places, one is against the first model and the other for the second.
    mirrored = worth[::-1]
    differences, value = worth[:, :, 0] - mirrored[:, :, 1], first - second
    low, high = ends.melded(differences, value, settings.confidence_level)
    p_value = ends.p_value(differences, value)
    return Compared(first, second, low, high, p_value, ends.leading(sign * worth, sign * mirrored)[0], None)


def _values(metric: MetricFunction, place: Curve | Point, x: FloatArray | None) -> tuple[FloatArray, Reason | None]:
    if x is not None:
        swept = sweep(metric, place, 1 / (1 + x))
        return swept.value, swept.reason
    value, reason = evaluate(metric, place)
    return np.array([float(value)]), reason


def _estimand(metric: MetricFunction, place: Curve | Point, x: FloatArray | None) -> Estimand:
    check_estimable(metric, place)
    rule = place.chosen if isinstance(place, Point) and is_chosen(place) else None
    if rule is not None and (rule.depends_on_prevalence or rule.within_gaps):
        raise MissingInformationError(
            f"a difference at {rule} is not available yet where only some rows were sampled for labelling; choose by "
            f"recall, or give a threshold."
        )
    if traits_of(metric).best_over_thresholds or not has_interval(metric):
        raise MissingInformationError(
            f"a difference of {describe(metric)} is not available yet where only some rows were sampled for labelling; "
            f"compare a metric such as average_precision."
        )
    curve = place if isinstance(place, Curve) else place.curve
    assert curve is not None
    assert isinstance(curve.table, SampledTable)
    return Estimand(metric, on_labelled(place), np.array([place.odds_against]) if x is None else x)


class _OfPair(OfStrata):
    """Rows of two models, of which some in each stratum are labelled."""

    singles = False

    def __init__(self, pair: Pair, curves: Sequence[Curve], cells: Sequence[Cells]) -> None:
        assert pair._strata is not None
        models = [groups_of(curve.strata) for curve in pair.curves]
        self.placed_among(models, cells)
        self.curves = tuple(curves)
        group_of = {one.name: k for k, group in enumerate(models[0]) for one in group}
        group = np.array([group_of[name] for name in pair._strata], np.intp)
        positive, sizes = pair._positive, [len(one.score) for one in self.cells]
        of_pos = [
            group[positive] * n + np.searchsorted(-one.score, -score[positive])
            for one, score, n in zip(self.cells, pair._scores, sizes, strict=True)
        ]
        of_neg = [
            group[~positive] * (2 * n + 1) + cell_of(score[~positive], one)
            for one, score, n in zip(self.cells, pair._scores, sizes, strict=True)
        ]
        n_groups = len(models[0])
        self._of_pos = _Together(np.stack(of_pos), [n_groups * n for n in sizes])
        self._of_neg = _Together(np.stack(of_neg), [n_groups * (2 * n + 1) for n in sizes])
        self._pos = gammas(of_weight_1(self._of_pos.rows))
        self._neg = gammas(of_weight_1(np.append(self._of_neg.rows, self._rest)))
        self.numbers += len(self._of_pos.rows) + len(self._of_neg.rows)

    def held(self, n_draws: int, streams: Streams) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Masses by model, group and cell, and last those of the rows without a label by group."""
        pos, neg = self._pos(n_draws, streams.pos), self._neg(n_draws, streams.neg)
        neg, rest = np.split(neg, [-len(self._rest)], axis=1)
        return [*zip(self._of_pos.by_model(pos), self._of_neg.by_model(neg), strict=True), (rest, rest)]


class _Together:
    """Rows of one class that share their cells under both models."""

    def __init__(self, cells: FloatArray, sizes: Sequence[int]) -> None:
        from scipy.sparse import csr_array  # slow to import, seldom needed

        together, counts = np.unique(cells, axis=1, return_counts=True)
        self.rows = counts.astype(np.float64)
        each = np.arange(len(self.rows))
        self._into = [
            csr_array((np.ones(len(each)), (cell, each)), shape=(size, len(each)))
            for cell, size in zip(together, sizes, strict=True)
        ]

    def by_model(self, mass: FloatArray) -> list[FloatArray]:
        """The masses summed by cell of each model."""
        return [np.asarray((into @ mass.T).T, np.float64) for into in self._into]
