"""A metric for each of many groups, at their own prevalences and at a common one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalence
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, Reason
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.plots import words
from baserate.plots.display import Display, Plotted
from baserate.plots.prevalence import named_models
from baserate.registry import describe, row_of
from baserate.uncertainty.estimate import estimate
from baserate.written import one_in

ReadAt = Literal["common", "own"]
READ_AT: tuple[ReadAt, ...] = ("common", "own")


class GroupCell(NamedTuple):
    """A metric of one group at one prevalence."""

    group: str
    read_at: ReadAt
    prevalence: float
    value: float
    low: float
    high: float
    n_pos: float
    n_neg: float
    reason: Reason | None


@dataclass(eq=False, repr=False)
class GroupsDisplay(Display):
    """A Display of one metric for many groups."""

    metric: str
    metric_label: str
    cells: list[GroupCell]
    common_prevalence: float
    own_prevalences: dict[str, float]
    confidence_level: float | None = None
    bounds: tuple[float, float] = (-math.inf, math.inf)

    _group: ClassVar[str]  # what a group is called in a table

    @classmethod
    @checks.declared
    def from_curves(
        cls,
        curves: Mapping[Any, Curve] | Mapping[Any, Point],
        *,
        metric: MetricFunction,
        prevalence: Prevalence | None = None,
        estimates: bool = True,
        method: str | None = None,
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of a metric for groups, such as `curves_by` returns them.

        Parameters
        ----------
        curves : mapping to Curve or Point
            The groups by key, in the order of the plot.
        metric : callable
            A metric, or your own function of a Curve or Point that returns a float.
        prevalence : float or str, optional
            The common prevalence; by default that of all groups together.
        estimates : bool
            Whether to add intervals, by `estimate`.
        method, confidence_level, n_resamples, rng
            For the intervals, as for `estimate`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> groups = {
        ...     "shop": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680]),
        ...     "web": br.Curve.from_counts([0.9, 0.1], pos=[0, 0], neg=[5, 95]),
        ... }
        >>> display = plots.SlicesDisplay.from_curves(groups, metric=br.average_precision, prevalence=0.01, rng=0)
        >>> [(row["slice"], round(row["average_precision"], 3), row["reason"]) for row in display.rows()]
        [('shop', 0.14, None), ('shop', 0.547, None), ('web', nan, 'no_positives'), ('web', nan, 'no_positives')]
        """
        models = named_models(curves)
        common = _pooled_prevalence(models) if prevalence is None else checks.prevalence(prevalence)
        level = checks.confidence_level(confidence_level)
        asked: dict[str, Any] | None = None
        if estimates:
            asked = {"method": method, "confidence_level": level, "n_resamples": n_resamples}
            asked["rng"] = checks.generator(rng)
        cells = []
        for name, model in models.items():
            readings = {"common": model.at_prevalence(common), "own": _at_own(model)}
            cells += [_cell(name, read_at, metric, readings[read_at], asked) for read_at in READ_AT]
        row = row_of(metric)
        return cls(
            metric=describe(metric),
            metric_label=words.metric_label(metric),
            cells=cells,
            common_prevalence=common,
            own_prevalences={name: _own_prevalence(model) for name, model in models.items()},
            confidence_level=level if estimates else None,
            bounds=(-math.inf, math.inf) if row is None else (row.lowest, row.highest),
        )

    def _plotted(self) -> Plotted:
        """Two rows for each group, at the common and at its own prevalence; `reason` says why a value is missing."""
        table: dict[str, FloatArray | list[Any]] = {self._group: [cell.group for cell in self.cells]}
        table["read_at"] = [cell.read_at for cell in self.cells]
        for name in ("prevalence", "value", "low", "high", "n_pos", "n_neg"):
            column = np.array([getattr(cell, name) for cell in self.cells], np.float64)
            table[self.metric if name == "value" else name] = column
        table["reason"] = [None if cell.reason is None else str(cell.reason) for cell in self.cells]
        return table

    @property
    def groups(self) -> list[str]:
        """Keys of the groups as text, in order."""
        return list(self.own_prevalences)

    def _read(self, read_at: ReadAt) -> list[GroupCell]:
        return [cell for cell in self.cells if cell.read_at == read_at]

    def _heights(self) -> FloatArray:
        """All values and interval ends that are shown."""
        return np.array([(cell.value, cell.low, cell.high) for cell in self.cells], np.float64).ravel()

    def _label(self, read_at: ReadAt) -> str:
        """The entry of the legend for one of the two readings."""
        if read_at == "common":
            return f"at prevalence {one_in(self.common_prevalence)}"
        return "at own prevalence"


def whiskers(cells: list[GroupCell]) -> FloatArray:
    """The distances from the values to the ends of their intervals; 0 without an interval."""
    reach = np.array([(cell.value - cell.low, cell.high - cell.value) for cell in cells], np.float64).T
    return np.maximum(reach, 0.0)


def _cell(
    name: str, read_at: ReadAt, metric: MetricFunction, at: Curve | Point, asked: dict[str, Any] | None
) -> GroupCell:
    sizes = (math.nan, math.nan) if at.own_prevalence is None else (float(at.n_pos), float(at.n_neg))
    if asked is None:
        value, reason = evaluate(metric, at)
        return GroupCell(name, read_at, at.prevalence, float(value), math.nan, math.nan, *sizes, reason)
    estimated = estimate(metric, at, **asked)
    return GroupCell(
        name, read_at, at.prevalence, estimated.value, estimated.low, estimated.high, *sizes, estimated.reason
    )


def _own_prevalence(model: Curve | Point) -> float:
    """The prevalence of the data, or that of the reading if only rates are known."""
    own = model.own_prevalence
    return model.prevalence if own is None else own


def _at_own(model: Curve | Point) -> Curve | Point:
    own = _own_prevalence(model)
    if model.given_prevalence in (None, own) or not 0 < own < 1:
        return model
    return model.at_prevalence(own)


def _pooled_prevalence(models: Mapping[str, Curve | Point]) -> float:
    known = all(model.own_prevalence is not None for model in models.values())
    n_pos = sum(model.n_pos for model in models.values()) if known else 0
    n_neg = sum(model.n_neg for model in models.values()) if known else 0
    if not (n_pos and n_neg):
        missing = "positives and negatives" if known else "counts of cases"
        raise InputError(f"prevalence must be given if groups have no {missing}, got none; pass prevalence=0.01.")
    return float(n_pos / (n_pos + n_neg))
