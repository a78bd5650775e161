"""Slices and periods: a table with a cell for each model, of which those that differ most follow the slider."""

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.metrics.areas import average_precision
from baserate.metrics.definition import evaluate
from baserate.page import condensed, looks
from baserate.page.condensed import LogOddsRange
from baserate.page.periods import p_values
from baserate.page.small import Groups
from baserate.page.unlabelled import share_unlabelled
from baserate.page.words import FEW_DIGITS, SHOWN_DIGITS, Json, amount, counted, numbers, rounded_p
from baserate.progress import Stages
from baserate.results import Estimate
from baserate.uncertainty.estimate import IntervalSettings, estimates
from baserate.uncertainty.intervals import variance
from baserate.uncertainty.methods import Estimand
from baserate.written import percent

# So many cells all follow the slider, with intervals. Of more, as many as this do: those that differ most.
_FEW = 600
LIVE = 100

# The recall that the page opens with.
RECALL = 0.5

# How long a slice takes, as a part of the time for a model.
OF_GROUP = 0.1

# Prevalences at which intervals are computed; in between they are interpolated. For slices and periods every so many.
_GRID = 41
_EVERY = 4

# Prevalences asked for, at which every number has its interval, at most.
MOST_ASKED = 3

# Periods have an order, slices have none.
_PERIOD = re.compile(r"\d{4}(-(\d\d|W\d\d|Q\d))?(-\d\d)?")


def are_periods(keys: Iterable[object]) -> bool:
    """Whether all keys are names of periods."""
    return all(isinstance(key, str) and _PERIOD.fullmatch(key) for key in keys)


def grid(span: LogOddsRange, asked: Sequence[float], every: int = 1) -> FloatArray:
    """The log-odds at which intervals are computed: evenly over the slider, or every so many of them, and as asked."""
    at = np.array(asked[:MOST_ASKED])
    return np.union1d(np.linspace(*span, _GRID)[::every], np.log(at) - np.log1p(-at))


def group_grid(span: LogOddsRange, asked: float) -> FloatArray:
    """The log-odds at which intervals of slices and periods are computed, which are fewer."""
    return grid(span, [asked], every=_EVERY)


def band(estimated: list[Estimate], digits: int | None = None) -> Json:
    """Interval ends as multiples of the value, which vary little with the prevalence."""
    rounding = () if digits is None else (digits,)
    value = np.array([one.value for one in estimated])
    ends = {"low": [one.low for one in estimated], "high": [one.high for one in estimated]}
    return {name: numbers(np.array(end) / value, *rounding) for name, end in ends.items()}


class OfGroups(NamedTuple):
    """How slices and periods are read."""

    span: LogOddsRange
    asked: float
    every: tuple[float, ...]  # prevalence asked for
    n_resamples: int
    stages: Stages


def group_table(name: str, by_model: Mapping[str, Groups], models: Mapping[str, Curve], how: OfGroups) -> Json:
    """A table with a row for each key and a cell for each model."""
    keys = list(dict.fromkeys(key for curves in by_model.values() for key in curves))
    ordered = are_periods(keys)
    if ordered:
        keys.sort(key=str)
    prevalences = 1 / (1 + np.exp(-group_grid(how.span, how.asked)))
    overall = {model: _Overall.of(models[model], how.asked) for model in by_model}
    live = _most_different(keys, by_model, overall, how.asked)
    rows: list[Json] = []
    for key in keys:
        how.stages.at(f"{name}: {_key(key)}", len(by_model) * OF_GROUP)
        of_models = {model: curves.get(key) for model, curves in by_model.items()}
        cells = [
            _live(curve, overall[model], how, prevalences)
            if live is None or (key, model) in live
            else _as_asked(curve, how.every)
            for model, curve in of_models.items()
        ]
        differs = max((cell.difference for cell in cells), default=0.0)
        row = {"key": _key(key), "size": _sizes(list(of_models.values())), "models": [cell.json for cell in cells]}
        rows.append(row | {"differs": round(differs, 3)})
    checks = [p_values([curves.get(key) for key in keys]) for curves in by_model.values()] if ordered else []
    shown = [[rounded_p(p_value) for p_value in column] for column in checks]
    wider = looks.widening(len(rows) * len(by_model))
    return {
        "name": name,
        "models": list(by_model),
        "rows": rows,
        "ordered": ordered,
        "checks": shown,
        "widening": wider,
    }


def _key(key: object) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    return " · ".join("(none)" if part is None else str(part) for part in parts)


def _sizes(curves: list[Curve | None]) -> str:
    sizes = [
        f"{counted(curve.n_pos, 'positive')} of {amount(curve.n_pos + curve.n_neg)}{_unlabelled(curve)}"
        for curve in curves
        if curve is not None
    ]
    return " or ".join(dict.fromkeys(sizes))


def _unlabelled(curve: Curve) -> str:
    """The share of rows without a label, as text; empty if all have one."""
    share = share_unlabelled(curve)
    return f", {percent(share)} of the rows without a label" if share else ""


class _Overall(NamedTuple):
    """All rows of a model, to which a slice is compared."""

    asked: float
    area: float
    threshold: float | None

    @classmethod
    def of(cls, curve: Curve, asked: float) -> "_Overall":
        return cls(asked, float(average_precision(curve.at_prevalence(asked))), curve.at_recall(RECALL).threshold)


class _Cell(NamedTuple):
    json: Json
    difference: float


def _most_different(
    keys: Sequence[Hashable], by_model: Mapping[str, Groups], overall: Mapping[str, "_Overall"], asked: float
) -> set[tuple[Hashable, str]] | None:
    """The cells that follow the slider: those that differ most from all rows of their model; None if all do."""
    if len(keys) * len(by_model) <= _FEW:
        return None
    sizes = {
        (key, model): _standardised(curves[key], overall[model].area, asked)
        for model, curves in by_model.items()
        for key in keys
        if key in curves
    }
    return set(sorted(sizes, key=lambda one: -sizes[one])[:LIVE])


def _standardised(curve: Curve, overall: float, asked: float) -> float:
    """About how many standard errors a slice is from all rows, by the influence function; 0 if that is unknown."""
    if curve.missing_class or not min(curve.n_pos, curve.n_neg) > 1:
        return 0.0
    value = float(average_precision(curve.at_prevalence(asked)))
    error = math.sqrt(float(variance(average_precision, curve.table.steps, (1 - asked) / asked)))
    return abs(value - overall) / error if error > 0 else 0.0


def _as_asked(curve: Curve | None, asked: Sequence[float]) -> _Cell:
    """A cell that is known at the prevalences asked for, without intervals."""
    if curve is None:
        return _Cell({"reason": Reason.NO_ROWS.sentence}, 0.0)
    value, reason = evaluate(average_precision, curve)
    if reason:
        return _Cell({"reason": reason.sentence}, 0.0)
    at = numbers([float(average_precision(curve.at_prevalence(one))) for one in asked], SHOWN_DIGITS)
    (own,) = numbers([float(value)], SHOWN_DIGITS)
    return _Cell({"own": own, "here": at[0], "asked": [[one, None, None] for one in at]}, 0.0)


def _live(curve: Curve | None, overall: _Overall, how: OfGroups, prevalences: FloatArray) -> _Cell:
    if curve is None:
        return _Cell({"reason": Reason.NO_ROWS.sentence}, 0.0)
    value, reason = evaluate(average_precision, curve)
    if reason:
        return _Cell({"reason": reason.sentence}, 0.0)
    estimand = Estimand(average_precision, curve, (1 - prevalences) / prevalences)
    (estimated,) = estimates([estimand], IntervalSettings.of(0.95, how.n_resamples, 0))
    logs = numbers(condensed.average_precision(curve, how.span).values, FEW_DIGITS)
    here = estimated[int(np.argmin(np.abs(prevalences - overall.asked)))]
    json = {"own": float(value), "here": here.value, "logs": logs} | band(estimated, SHOWN_DIGITS)
    return _Cell(
        json | looks.menu(curve, how.span, overall.threshold),
        looks.difference(here.value, here.low, here.high, overall.area),
    )
