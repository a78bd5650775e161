"""The list of metrics: one row each, read by sweeps, the scorer, the documentation and the law tests.

A row is written where the metric is defined, by the decorator in ``baserate.metrics.definition``.
"""

import ast
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter, signature
from types import MappingProxyType
from typing import NamedTuple

from baserate import checks
from baserate.arrays import FloatArray
from baserate.errors import InputError, Reason


class MetricLaw(Enum):
    """Laws that a metric may obey. The tests check every metric against the laws in its row."""

    REWEIGHTING = "reading at a prevalence equals weighting every negative accordingly"
    REPLICATION = "repeating the rows of a class equals reading at the resulting prevalence"
    MONOTONE = "an increasing transformation of the scores changes nothing"


class Family(Enum):
    """The kind of a metric, by what it reads."""

    POINTWISE = "of one operating point, or along the thresholds of a curve"
    AREA = "of the whole curve"
    BASELINE = "of the worst or a clueless classifier on the same data"
    PROBABILITY = "of the scores as probabilities"


class DependsOn(Enum):
    """The only quantity that a metric depends on at a given prevalence, if it needs less than its family may read."""

    NOTHING = "a constant"
    TPR = "the true positive rate"
    FPR = "the false positive rate"
    LR_POSITIVE = "TPR / FPR"
    LR_NEGATIVE = "(1 - TPR) / (1 - FPR)"
    F_BETA = "both rates, and it is F-beta: of its parameter beta, or of 1 if it has none"


class Losses(NamedTuple):
    """The loss of a score for a positive and for a negative, and the largest possible loss."""

    of_positive: Callable[[FloatArray], FloatArray]
    of_negative: Callable[[FloatArray], FloatArray]
    worst: float


class CellRatio(NamedTuple):
    """A metric as a ratio of two weighted sums of tp, fn, fp and tn: the weights of its numerator and denominator."""

    numerator: tuple[float, float, float, float]
    denominator: tuple[float, float, float, float]


# The parameter that says what an area under the PR curve counts for where a class is missing.
UNDEFINED = "undefined"


@dataclass(frozen=True)
class Traits:
    """Known properties of a metric, which the tests check.

    Functions among them get the parameters of the metric as keywords. If a function does not accept a parameter, such
    as a range of recalls, the property is unknown when that parameter is set.

    Attributes
    ----------
    depends_on : DependsOn or None
        What its value depends on; None for everything that its family reads.
    one_way : bool
        Whether it is monotone in the prevalence for every classifier.
    difference : bool
        Whether it is a difference of numbers up to 1, which near zero is accurate only to their rounding. A metric that
        can be negative is treated as one anyway.
    influence : callable or None
        ``(steps, x, **parameters) -> Influence``: its influence function.
    share_of_pairs : bool
        Whether it is, without parameters, the share of pairs of a positive and a negative that are in the right order:
        then Mann and Whitney's distribution and DeLong's variance apply.
    best_over_thresholds : bool
        Whether it is the best value of a pointwise metric over all thresholds, or over those in its ``recall_range``;
        then it is optimistic on the data that were searched.
    normalizes : callable or None
        The area that it is the normalized version of.
    losses : callable or None
        ``(**parameters) -> Losses``: the losses that it is the mean of.
    cells : callable or None
        ``(**parameters) -> CellRatio``: a pointwise metric as a ratio of sums of the cells of a confusion matrix, whose
        negatives carry the weight of the prevalence.
    parts : callable or None
        ``(score, pos, neg, **parameters) -> (loss, miscalibration, discrimination, uncertainty)``, of clipped scores.
    """

    depends_on: DependsOn | None = None
    one_way: bool = False
    difference: bool = False
    influence: Callable[..., tuple[FloatArray, FloatArray, FloatArray]] | None = None
    share_of_pairs: bool = False
    best_over_thresholds: bool = False
    normalizes: Callable[..., object] | None = None
    losses: Callable[..., Losses] | None = None
    cells: Callable[..., CellRatio] | None = None
    parts: Callable[..., tuple[float, float, float, float]] | None = None


@dataclass(frozen=True)
class Metric:
    """One registered metric.

    Attributes
    ----------
    name, label : str
        Its name in code and in tables.
    function, compute : callable
        The public function, and the function without input checks and warnings.
    family : Family
        Whether it reads one point or the whole curve.
    lowest, highest : float
        Its range.
    higher_is_better : bool or None
        Its direction; None if it has none.
    laws : frozenset of Law
        The laws that hold for it.
    undefined : Reason
        Why it is nan although both classes have rows.
    examples : tuple of mappings
        Parameter settings for the tests to try; an empty mapping for the defaults.
    of_one_class : bool
        Whether it reads one class only, and is defined if the other has no rows.
    over_odds : callable or None
        ``(curve, x, **parameters) -> values`` for many x at once, where that is faster.
    within_buckets : callable or None
        ``(curve, **parameters) -> (low, high)``: bounds on a bucketed curve, if they do not follow from the order of
        the rows.
    traits : Traits
        Other known properties, which enable more methods.

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
    laws: frozenset[MetricLaw] = frozenset(MetricLaw)
    examples: tuple[Mapping[str, object], ...] = field(default=({},))
    of_one_class: bool = False
    over_odds: Callable[..., FloatArray] | None = None
    within_buckets: Callable[..., tuple[float, float]] | None = None
    traits: Traits = field(default=Traits())

    @property
    def constant(self) -> bool:
        """Whether it depends only on the prevalence and on the numbers of cases."""
        return self.family is Family.BASELINE or self.traits.depends_on is DependsOn.NOTHING


_rows: dict[str, Metric] = {}
METRICS: Mapping[str, Metric] = MappingProxyType(_rows)


def register(row: Metric) -> None:
    """Add a row; names must be unique."""
    if row.name in _rows:
        raise ValueError(f"a metric needs a name of its own, got {row.name!r} twice; rename one.")
    _rows[row.name] = row


def row_of(metric: Callable[..., object]) -> Metric | None:
    """The row of a metric, also through ``functools.partial``; None for a user's own function."""
    function = metric.func if isinstance(metric, functools.partial) else metric
    row = METRICS.get(getattr(function, "__name__", ""))
    return row if row is not None and row.function is function else None


def traits_of(metric: Callable[..., object]) -> Traits:
    """The traits of a metric; none for a user's own function."""
    row = row_of(metric)
    return Traits() if row is None else row.traits


def is_pointwise(metric: Callable[..., object]) -> bool:
    """Whether a metric is known to be pointwise; False for a user's own function, which may be either."""
    row = row_of(metric)
    return row is not None and row.family is Family.POINTWISE


def is_constant(metric: Callable[..., object]) -> bool:
    """Whether a metric does not depend on the classifier."""
    row = row_of(metric)
    return row is not None and row.constant


def normalized(row: Metric) -> Metric | None:
    """The registry row of the normalized version of an area, whose lowest value is 0; None if there is none."""
    return next((other for other in METRICS.values() if other.traits.normalizes is row.function), None)


def takes(function: Callable[..., object], parameters: Mapping[str, object]) -> bool:
    """Whether a function has all of these parameters."""
    return parameters.keys() <= inspect.signature(function).parameters.keys()


def describe(metric: Callable[..., object]) -> str:
    """Name of a metric with the parameters bound to it, such as ``f_beta:beta=2``."""
    function = metric.func if isinstance(metric, functools.partial) else metric
    name = str(getattr(function, "__name__", type(function).__name__))
    return name + "".join(f":{key}={value}" for key, value in all_parameters(metric).items())


def all_parameters(metric: Callable[..., object]) -> Mapping[str, object]:
    """The parameters that ``functools.partial`` has bound."""
    return metric.keywords if isinstance(metric, functools.partial) else {}


def bound_parameters(metric: Callable[..., object]) -> Mapping[str, object]:
    """The bound parameters without `undefined`, which does not affect defined values."""
    return {name: value for name, value in all_parameters(metric).items() if name != UNDEFINED}


def lower_is_better(metric: Callable[..., object]) -> bool:
    """True for costs and error ratios; a user's own function counts as a gain."""
    row = row_of(metric)
    if row is not None and row.higher_is_better is None:
        raise InputError(
            f"a metric must have a direction to be optimised, got {row.name}, which has none; use one such as br.f1."
        )
    return row is not None and row.higher_is_better is False


def named(text: str) -> Callable[..., object]:
    """A metric by its name, with its parameters: ``f_beta:beta=2``, ``auc_pr:recall_range=(0.5,1)``."""
    importlib.import_module("baserate.metrics")  # where rows come from, if nobody has needed any so far
    name, *settings = text.split(":")
    if name not in METRICS:
        hint = checks.did_you_mean(name, METRICS) or f"the metrics are {', '.join(METRICS)}"
        raise InputError(f"unknown metric {name!r}; {hint}.")
    try:
        parameters = {key: _parameter(value) for key, value in (setting.split("=") for setting in settings)}
    except ValueError:
        raise InputError(f"parameters of a metric are written as f_beta:beta=2, got {text!r}.") from None
    _check_parameters(name, parameters)
    row = METRICS[name]
    return functools.partial(row.function, **parameters) if parameters else row.function


def _parameter(text: str) -> object:
    """The value of a parameter: a number, a pair or a list; anything else is text, such as ``equal_frequency(10)``."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # the last two where signs are nested
        return text


def _check_parameters(name: str, given: dict[str, object]) -> None:
    known = {p.name: p for p in signature(METRICS[name].compute).parameters.values() if p.kind is p.KEYWORD_ONLY}
    for parameter in given.keys() - known.keys():
        hint = checks.did_you_mean(parameter, list(known)) or f"it has {', '.join(known) or 'none'}"
        raise InputError(f"{name} has no parameter {parameter!r}; {hint}.")
    needed = [parameter for parameter, p in known.items() if p.default is Parameter.empty]
    missing = [parameter for parameter in needed if parameter not in given]
    if missing:
        settings = (f":{parameter}={METRICS[name].examples[-1][parameter]:g}" for parameter in needed)
        said = f"its parameter{'s' * (len(missing) > 1)} {' and '.join(missing)}"
        raise InputError(f"{name} needs {said}; write for example {name}{''.join(settings)}.")
