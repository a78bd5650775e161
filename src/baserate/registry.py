"""The list of metrics: one row each, read by sweeps, the scorer, the documentation and the law tests.

A row is written where the metric is defined, by the decorator in ``baserate.metrics.definition``.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from baserate.arrays import FloatArray
from baserate.errors import InputError, Reason


class Law(Enum):
    """What must leave a metric unchanged. The tests hold every metric to the laws in its row."""

    REWEIGHTING = "reading at a prevalence equals giving every negative the matching weight"
    REPLICATION = "more copies of the rows of a class equal reading at the prevalence they make"
    MONOTONE = "an increasing transformation of the scores changes nothing"


class Family(Enum):
    """What a metric tells the worth of."""

    POINTWISE = "of one operating point, or along the thresholds of a curve"
    AREA = "of the whole curve"
    BASELINE = "of the worst or a clueless classifier on the same data"
    PROBABILITY = "of the scores as probabilities"


@dataclass(frozen=True)
class Metric:
    """One registered metric.

    Attributes
    ----------
    name, label : str
        As in code and as in a table.
    function, compute : callable
        The public function, and the same without input check and warning.
    family : Family
        Whether it reads one point or the whole curve.
    lowest, highest : float
        Its range.
    higher_is_better : bool or None
        Its direction; None where it has none.
    laws : frozenset of Law
        What must leave it unchanged.
    undefined : Reason
        Why it is nan where both classes are there.
    examples : tuple of mappings
        Parameter settings for the tests to try; an empty mapping for the defaults.
    of_one_class : bool
        Whether it reads one class only, and exists where the other has no rows.
    over_odds : callable or None
        ``(curve, x, **parameters) -> values`` for many x at once, where that is faster.
    within_buckets : callable or None
        ``(curve, **parameters) -> (low, high)``: what is certain on a bucketed curve, where that does not follow from
        the order of the rows.

    Examples
    --------
    >>> import baserate as br
    >>> br.METRICS["f1"].label, br.METRICS["f1"].higher_is_better
    ('F1', True)
    """

    name: str
    label: str
    function: Callable[..., object]
    compute: Callable[..., object]
    family: Family
    lowest: float
    highest: float
    higher_is_better: bool | None
    undefined: Reason
    laws: frozenset[Law] = frozenset(Law)
    examples: tuple[Mapping[str, object], ...] = field(default=({},))
    of_one_class: bool = False
    over_odds: Callable[..., FloatArray] | None = None
    within_buckets: Callable[..., tuple[float, float]] | None = None


_rows: dict[str, Metric] = {}
METRICS: Mapping[str, Metric] = MappingProxyType(_rows)


def register(row: Metric) -> None:
    """Add a row; a name is given once."""
    if row.name in _rows:
        raise ValueError(f"metric {row.name!r} is registered already")
    _rows[row.name] = row


def row_of(metric: Callable[..., object]) -> Metric | None:
    """The row of a metric, also through ``functools.partial``; None for a user's own function."""
    function = metric.func if isinstance(metric, functools.partial) else metric
    row = METRICS.get(getattr(function, "__name__", ""))
    return row if row is not None and row.function is function else None


def describe(metric: Callable[..., object]) -> str:
    """Name of a metric with the parameters bound to it, such as ``f_beta:beta=2``."""
    function = metric.func if isinstance(metric, functools.partial) else metric
    name = str(getattr(function, "__name__", type(function).__name__))
    return name + "".join(f":{key}={value}" for key, value in bound_parameters(metric).items())


def bound_parameters(metric: Callable[..., object]) -> Mapping[str, object]:
    """The parameters that ``functools.partial`` has bound."""
    return metric.keywords if isinstance(metric, functools.partial) else {}


def lower_is_better(metric: Callable[..., object]) -> bool:
    """True for costs and error ratios; a user's own function counts as a gain."""
    row = row_of(metric)
    if row is not None and row.higher_is_better is None:
        raise InputError(
            f"a metric to be made best must have a direction, got {row.name}, which has none; use one such as br.f1."
        )
    return row is not None and row.higher_is_better is False
