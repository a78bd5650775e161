"""Makes a function a metric: with a registry row, input checks, and nan with a reason."""

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.reading import Reading
from baserate.errors import InputError, Reason, UndefinedMetricWarning, shown
from baserate.metrics.one_class import check_undefined, value_of_one_class
from baserate.registry import UNDEFINED, Family, Metric, MetricLaw, Traits, all_parameters, describe, register, row_of

# Most metrics have none.
_NO_TRAITS = Traits()

F = TypeVar("F", bound=Callable[..., object])


def metric(
    *,
    label: str,
    family: Family,
    bounds: tuple[float, float],
    higher_is_better: bool | None,
    undefined: Reason = Reason.NOT_A_NUMBER,
    breaks: frozenset[MetricLaw] = frozenset(),
    examples: tuple[Mapping[str, object], ...] = ({},),
    of_one_class: bool = False,
    over_odds: Callable[..., FloatArray] | None = None,
    within_buckets: Callable[..., tuple[float, float]] | None = None,
    traits: Traits = _NO_TRAITS,
) -> Callable[[F], F]:
    """Register a function as a metric; `breaks` names the laws that do not hold for it."""

    def decorate(compute: F) -> F:
        @functools.wraps(compute)
        def function(*given: Reading[float] | Reading[FloatArray], **parameters: object) -> object:
            value, reason = _evaluate(row, _the_one(row, given), parameters)
            if reason is not None:
                warnings.warn(UndefinedMetricWarning(row.name, reason), stacklevel=2)
            return value

        row = Metric(
            name=compute.__name__,
            label=label,
            function=function,
            compute=compute,
            family=family,
            lowest=bounds[0],
            highest=bounds[1],
            higher_is_better=higher_is_better,
            undefined=undefined,
            laws=frozenset(MetricLaw) - breaks,
            examples=examples,
            of_one_class=of_one_class,
            over_odds=over_odds,
            within_buckets=within_buckets,
            traits=traits,
        )
        register(row)
        return cast(F, function)

    return decorate


def evaluate(
    wanted: Callable[..., object], at: Reading[float] | Reading[FloatArray]
) -> tuple[float | FloatArray, Reason | None]:
    """The value of a metric or of a user's own function and, if it is nan, the reason; without a warning."""
    row = row_of(wanted)
    if row is not None:
        return _evaluate(row, at, all_parameters(wanted))
    reasons: list[Reason] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        returned = wanted(at)
    try:
        value = np.asarray(returned, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"a metric must return a number, got {shown(returned)} from {describe(wanted)}; fix it."
        ) from None
    for item in caught:
        if isinstance(item.message, UndefinedMetricWarning):
            reasons.append(item.message.reason)
        else:
            warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)
    if value.ndim:
        raise InputError(
            f"a metric must return one number here, got an array of shape {value.shape} from {describe(wanted)}; "
            f"choose an operating point first, for example curve.at_recall(0.6)."
        )
    return float(value), (reasons or [Reason.NOT_A_NUMBER])[0] if np.isnan(value) else None


def _evaluate(
    row: Metric, at: Reading[float] | Reading[FloatArray], parameters: Mapping[str, object]
) -> tuple[float | FloatArray, Reason | None]:
    _check_input(row, at)
    check_parameters(row, parameters)
    if at.missing_class and not row.of_one_class:
        if row.family is Family.POINTWISE and isinstance(at, Curve):
            return np.full(len(at), np.nan), at.missing_class if len(at) else None
        counted = value_of_one_class(row, at.missing_class, parameters)
        return counted, at.missing_class if math.isnan(counted) else None
    parameters = {name: value for name, value in parameters.items() if name != UNDEFINED}
    with np.errstate(invalid="ignore"):
        computed = row.compute(at, **parameters)
    if type(computed) is float and not math.isnan(computed):
        return computed, None
    value = np.asarray(computed, np.float64)
    reason = (at.missing_class or at.not_labelled or row.undefined) if np.isnan(value).any() else None
    return (float(value) if value.ndim == 0 else value), reason


def check_parameters(row: Metric, given: Mapping[str, object]) -> None:
    """Refuse unknown parameters of a metric, and missing ones."""
    if given:
        checks.known_keywords(row.name, given, _keywords(row.function), otherwise=_said_elsewhere(given))
        check_undefined(given)
    missing = [name for name in _needed(row.function) if name not in given]
    if missing:
        given_so = ", ".join(f"{name}=…" for name in missing)
        raise InputError(
            f"{row.name} needs {' and '.join(missing)}, got none; pass {given_so} or, where a metric is passed, "
            f"functools.partial(br.{row.name}, {given_so})."
        )


# What other libraries tell a metric, and where it is said here.
_ELSEWHERE = {
    "weight": "weights belong to the curve, as in br.Curve.from_scores(y_true, y_score, weight=…)",
    "positive": "labels belong to the curve, as in br.Curve.from_scores(y_true, y_score, positive=…)",
    "prevalence": "read the curve at it first, as in curve.at_prevalence(0.001)",
    "at": "choose a point first, as in curve.at_recall(0.5)",
    "threshold": "choose a point first, as in curve.at_threshold(0.5)",
    "confidence_level": "br.estimate gives intervals",
    "n_resamples": "br.estimate gives intervals",
}


def _said_elsewhere(given: Mapping[str, object]) -> str:
    return next((_ELSEWHERE[checks.name_here(name)] for name in given if checks.name_here(name) in _ELSEWHERE), "")


@functools.cache
def _keywords(metric: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    parameters = inspect.signature(metric).parameters
    return {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}


@functools.cache
def _needed(metric: Callable[..., object]) -> tuple[str, ...]:
    """Parameters without a default."""
    return tuple(name for name, p in _keywords(metric).items() if p.default is p.empty)


def _the_one(
    row: Metric, given: tuple[Reading[float] | Reading[FloatArray], ...]
) -> Reading[float] | Reading[FloatArray]:
    """The Curve or Point among the arguments; refuses labels and scores, as other libraries take them."""
    if len(given) != 1:
        raise InputError(
            f"{row.name} reads one Curve, got {len(given) or 'no'} positional arguments; pass it as "
            f"br.{row.name}(br.Curve.from_scores(y_true, y_score))."
        )
    return given[0]


def check_reading(asker: str, at: object) -> None:
    """Refuse what is neither a Curve nor a Point."""
    if not isinstance(at, Reading):
        raise InputError(
            f"{asker} reads a Curve or a Point, got {type(at).__name__}; "
            f"build one with Curve.from_scores(y_true, y_score)."
        )


def _check_input(row: Metric, at: object) -> None:
    if row.family is Family.POINTWISE:
        check_reading(row.name, at)
    elif isinstance(at, Point):
        raise InputError(f"{row.name} reads a whole Curve, got a Point; pass the curve it was chosen on.")
    elif not isinstance(at, Curve):
        raise InputError(
            f"{row.name} reads a Curve, got {type(at).__name__}; build one with Curve.from_scores(y_true, y_score)."
        )
    elif row.family is Family.PROBABILITY:
        check_probabilities(at, row.name)
