"""The content of a page: condensed numbers of the library, and sentences about them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.curves.point import shortest
from baserate.errors import InputError, Reason, shown
from baserate.formulas.proportions import clopper_pearson
from baserate.metrics.areas import auc_pr, average_precision, best_f1, roc_auc
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction, crossings
from baserate.metrics.predictive import precision
from baserate.page import condensed, looks
from baserate.page.calibration import Calibration, calibration
from baserate.page.condensed import LogOddsRange
from baserate.page.periods import p_values
from baserate.page.small import Groups, folded, small_groups, small_models
from baserate.page.words import (
    FEW_DIGITS,
    SHOWN_DIGITS,
    Json,
    amount,
    counted,
    isolated,
    numbers,
    rounded_p,
    short,
)
from baserate.progress import progress
from baserate.registry import describe
from baserate.results import Crossing, Estimate
from baserate.uncertainty.estimate import IntervalSettings, estimates, sizes_behind
from baserate.uncertainty.methods import Estimand
from baserate.written import one_in, percent

# The range of the slider, which is extended to the given prevalences.
RANGE = (1e-6, 0.9)

# Prevalences at which intervals are computed; in between they are interpolated.
_GRID = 41

# For slices and periods: every so many of these prevalences, and fewer draws.
_EVERY = 4
DRAWS_OF_GROUPS = 200

# The level of each of two rates, for 95 % of both together.
_LEVEL_OF_EACH = 0.95**0.5

_BANDS = (average_precision, auc_pr, best_f1)

# The recall that the page opens with.
RECALL = 0.5

# Periods have an order, slices have none.
_PERIOD = re.compile(r"\d{4}(-(\d\d|W\d\d|Q\d))?(-\d\d)?")


@dataclass(frozen=True)
class PageModel:
    """One model as the page shows it."""

    name: str
    curve: Curve
    json: Json
    error: float
    area: Estimate
    right: Estimate  # precision at the recall of the verdict, at a threshold chosen on the data
    calibration: Calibration


@dataclass(frozen=True)
class Content:
    """All that the page shows."""

    title: str
    prevalence: float
    asked: tuple[float, ...]
    span: LogOddsRange
    models: list[PageModel]
    crossings: list[Crossing]
    lead_changes: list[Crossing]
    groups: list[Json] = field(default_factory=list)
    revealing: tuple[str, ...] = ()  # sentences about groups so small that single rows can be inferred


def content(
    title: str,
    models: Mapping[str, Curve],
    prevalences: Sequence[float],
    groups: Mapping[str, Mapping[str, Groups]],
    *,
    n_resamples: int,
    min_cases: int | None = None,
) -> Content:
    """Compute all content, with a progress line."""
    _check(models, groups)
    if min_cases is not None:
        groups = {name: folded(by_model, min_cases) for name, by_model in groups.items()}
    wanted = list(prevalences) or [next(iter(models.values())).prevalence]
    low, high = min(RANGE[0], *wanted), max(RANGE[1], *wanted)
    span = LogOddsRange.of(low, high)
    made = [
        _model(name, curve, wanted[0], span, n_resamples)
        for name, curve in progress(models.items(), len(models), "Drawing populations")
    ]
    swaps = [
        swap
        for (name, curve), (other_name, other) in combinations(models.items(), 2)
        for swap in crossings(average_precision, curve, other, low=low, high=high, names=(name, other_name))
    ]
    draws = min(n_resamples, DRAWS_OF_GROUPS)
    how = _OfGroups(span, wanted[0], draws)
    tables = [_groups(name, by_model, models, how) for name, by_model in groups.items()]
    said = [small_models(models), *(small_groups(name, by_model) for name, by_model in groups.items())]
    return Content(
        title=title,
        prevalence=wanted[0],
        asked=tuple(prevalences),
        span=span,
        models=made,
        crossings=swaps,
        lead_changes=_at_the_top(swaps, models),
        groups=tables,
        revealing=tuple(sentence for sentence in said if sentence is not None),
    )


def _at_the_top(swaps: list[Crossing], models: Mapping[str, Curve]) -> list[Crossing]:
    """The crossings at which the best of all models changes."""
    leading = []
    for swap in swaps:
        others = [curve for name, curve in models.items() if name not in _pair(swap)]
        if all(average_precision(curve.at_prevalence(swap.prevalence)) < swap.value for curve in others):
            leading.append(swap)
    return leading


def _check(models: Mapping[str, Curve], groups: Mapping[str, Mapping[str, Groups]]) -> None:
    if not models:
        raise InputError("a page needs a model, got none; pass at least one curve.")
    for name, curve in models.items():
        if not isinstance(name, str):
            raise InputError(f"names of models must be text, got {shown(name)}; pass {{'name': curve}}.")
        if curve.missing_class or not curve.has_scores:
            lack = curve.missing_class.sentence if curve.missing_class else "it was made from rates"
            raise InputError(
                f"a model must have positives, negatives and scores, got {shown(name)}: {lack}; build it with "
                f"from_scores."
            )
    for heading, by_model in groups.items():
        for name, curves in by_model.items():
            if name not in models:
                raise InputError(
                    f"groups must belong to models of the page, got {shown(name)} in {heading!r}; add the model."
                )
            for key, curve in curves.items():
                if not curve.has_scores:
                    raise InputError(
                        f"groups must have scores, got {key!r} in {heading!r} from rates; build it with from_scores."
                    )


def grid(span: LogOddsRange) -> FloatArray:
    """The log-odds at which intervals are computed."""
    return np.linspace(*span, _GRID)


def group_grid(span: LogOddsRange, asked: float) -> FloatArray:
    """The log-odds at which intervals of slices and periods are computed: fewer, with the given prevalence."""
    return np.union1d(grid(span)[::_EVERY], np.log(asked) - np.log1p(-asked))


def _model(name: str, curve: Curve, start: float, span: LogOddsRange, n_resamples: int) -> PageModel:
    kept = condensed.condensed(curve, span)
    known = _known(curve, start, span, n_resamples)
    json: Json = {
        "name": name,
        "average_precision": numbers(kept.average_precision.values),
        "auc_pr": numbers(kept.auc_pr.values),
        "gains": {key: numbers(getattr(kept.gains, key)) for key in ("tpr", "fpr", "fpr_before", "area")},
        "points": _points(curve, kept.rows),
        "bands": {describe(metric): _band(known.bands[metric]) for metric in _BANDS},
        "roc_auc": dict(zip(("value", "low", "high"), numbers(_ends_of(known.of_roc)), strict=True)),
        "all_thresholds": len(curve),
    }
    json["histogram"] = looks.histogram(curve)
    json["right"] = _likelihood_ratios(known.right)
    probabilities = calibration(name, curve, start)
    json["calibration"] = probabilities.json
    return PageModel(name, curve, json, kept.error, known.area, known.right, probabilities)


class _Known(NamedTuple):
    """All estimates of a model, from the same draws."""

    bands: dict[MetricFunction, list[Estimate]]
    of_roc: Estimate
    area: Estimate
    right: Estimate


def _known(curve: Curve, start: float, span: LogOddsRange, n_resamples: int) -> _Known:
    x = np.exp(-grid(span))
    here = curve.at_prevalence(start)
    point = curve.at_recall(RECALL).at_prevalence(start)
    estimands = [
        *(Estimand(metric, curve, x) for metric in _BANDS),
        *(
            Estimand(metric, at, np.array([at.odds_against]))
            for metric, at in ((roc_auc, here), (average_precision, here))
        ),
        Estimand(precision, point, np.array([point.odds_against])),
    ]
    *bands, (of_roc,), (area,), (right,) = estimates(estimands, IntervalSettings.of(0.95, n_resamples, 0))
    return _Known(dict(zip(_BANDS, bands, strict=True)), of_roc, area, right)


def _band(estimated: list[Estimate], digits: int | None = None) -> Json:
    """Interval ends as multiples of the value, which vary little with the prevalence."""
    rounding = () if digits is None else (digits,)
    value = np.array([one.value for one in estimated])
    ends = {"low": [one.low for one in estimated], "high": [one.high for one in estimated]}
    return {name: numbers(np.array(end) / value, *rounding) for name, end in ends.items()}


def _ends_of(one: Estimate) -> list[float]:
    return [one.value, one.low, one.high]


def _likelihood_ratios(right: Estimate) -> list[float | None] | None:
    """TPR/FPR at both ends of an interval of precision, which do not depend on the prevalence.

    An infinite end is None; without an interval the result is None.
    """
    if not (np.isfinite(right.low) and np.isfinite(right.high)):
        return None
    against = (1 - right.prevalence) / right.prevalence
    return [None if end == 1 else end / (1 - end) * against for end in (right.low, right.high)]


def _points(curve: Curve, rows: Indices) -> Json:
    totals = curve.table.total_pos, curve.table.total_neg
    tpr, fpr = (column[rows] / total for column, total in zip(curve.table.cumulative(), totals, strict=True))
    n_pos, n_neg = sizes_behind(curve)
    of_tpr, of_fpr = (clopper_pearson(rate * n, n, _LEVEL_OF_EACH) for rate, n in ((tpr, n_pos), (fpr, n_neg)))
    return {
        "threshold": [_threshold(curve, row) for row in rows.tolist()],
        "tpr": numbers(tpr),
        "fpr": numbers(fpr),
        "tpr_low": numbers(of_tpr.low, FEW_DIGITS),
        "tpr_high": numbers(of_tpr.high, FEW_DIGITS),
        "fpr_low": numbers(of_fpr.low, FEW_DIGITS),
        "fpr_high": numbers(of_fpr.high, FEW_DIGITS),
    }


def _threshold(curve: Curve, row: int) -> float | str:
    """A score in as few digits as distinguish it from the next lower one; infinity as text, since JSON has none."""
    score = float(curve.score[row])
    if not np.isfinite(score):
        return "Infinity" if score > 0 else "-Infinity"
    return shortest(score, float(curve.top[row + 1]) if row + 1 < len(curve) else -np.inf)


class _OfGroups(NamedTuple):
    """How slices and periods are read."""

    span: LogOddsRange
    asked: float
    n_resamples: int


def _groups(name: str, by_model: Mapping[str, Groups], models: Mapping[str, Curve], how: _OfGroups) -> Json:
    """A table with a row for each key and a cell for each model."""
    keys = list(dict.fromkeys(key for curves in by_model.values() for key in curves))
    ordered = all(isinstance(key, str) and _PERIOD.fullmatch(key) for key in keys)
    if ordered:
        keys.sort(key=str)
    prevalences = 1 / (1 + np.exp(-group_grid(how.span, how.asked)))
    overall = {model: _Overall.of(models[model], how.asked) for model in by_model}
    rows: list[Json] = []
    for key in progress(keys, len(keys), f"Drawing populations by {name}"):
        of_models = {model: curves.get(key) for model, curves in by_model.items()}
        cells = [_group_cell(curve, overall[m], how, prevalences) for m, curve in of_models.items()]
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
        f"{counted(curve.n_pos, 'positive')} of {amount(curve.n_pos + curve.n_neg)}"
        for curve in curves
        if curve is not None
    ]
    return " or ".join(dict.fromkeys(sizes))


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


def _group_cell(curve: Curve | None, overall: _Overall, how: _OfGroups, prevalences: FloatArray) -> _Cell:
    if curve is None:
        return _Cell({"reason": Reason.NO_ROWS.sentence}, 0.0)
    value, reason = evaluate(average_precision, curve)
    if reason:
        return _Cell({"reason": reason.sentence}, 0.0)
    estimand = Estimand(average_precision, curve, (1 - prevalences) / prevalences)
    (estimated,) = estimates([estimand], IntervalSettings.of(0.95, how.n_resamples, 0))
    logs = numbers(condensed.average_precision(curve, how.span).values, FEW_DIGITS)
    json = {"own": float(value), "logs": logs} | _band(estimated, SHOWN_DIGITS)
    here = estimated[int(np.argmin(np.abs(prevalences - overall.asked)))]
    return _Cell(
        json | looks.menu(curve, how.span, overall.threshold),
        looks.difference(here.value, here.low, here.high, overall.area),
    )


# --- sentences ------------------------------------------------------------------------------------


def verdict(made: Content) -> list[str]:
    """The main sentence, and sentences about which model leads where."""
    best = max(made.models, key=lambda model: model.area.value)
    where = one_in(made.prevalence)
    right = best.right
    name = isolated(best.name)
    lead = f"{name} is the best of {len(made.models)} models" if len(made.models) > 1 else name
    first = (
        f"At a prevalence of {where}, {lead}{':' if len(made.models) > 1 else ' has'} average precision "
        f"{short(best.area.value)}{_sure(best.area.low, best.area.high, short)}. To find half of the positives, it "
        f"raises alerts of which {percent(right.value)} are right{_sure(right.low, right.high, percent)}."
    )
    leaders = {_pair(swap) for swap in made.lead_changes}
    return [first, *who_leads_where([swap for swap in made.crossings if _pair(swap) in leaders])]


def _sure(low: float, high: float, text: Callable[[float], str]) -> str:
    return f" (95 % sure: {text(low)} to {text(high)})" if np.isfinite(low) and np.isfinite(high) else ""


def who_leads_where(swaps: list[Crossing]) -> list[str]:
    """A sentence for each pair of models that cross."""
    by_pair: dict[frozenset[str], list[Crossing]] = {}
    for swap in swaps:
        by_pair.setdefault(_pair(swap), []).append(swap)
    said = []
    for first, *others in by_pair.values():
        parts = [f"leads {isolated(first.leads_above)} below {one_in(first.prevalence)}"]
        for k, swap in enumerate(others):
            parts.append(f"{('trails', 'leads')[k % 2]} from there to {one_in(swap.prevalence)}")
        last = f"{('trails', 'leads')[len(others) % 2]} above"
        said.append(f"{isolated(first.leads_below)} {', '.join(parts)}, and {last}.")
    return said


def _pair(swap: Crossing) -> frozenset[str]:
    return frozenset((swap.leads_below, swap.leads_above))


def own_prevalence(curve: Curve) -> float:
    """The prevalence of the rows of a curve."""
    return curve.n_pos / (curve.n_pos + curve.n_neg)


def facts(made: Content) -> list[tuple[str, str]]:
    """Facts about the data, by model."""
    by_model = []
    for model in made.models:
        curve = model.curve
        said = [f"{counted(curve.n_pos, 'positive')}, {counted(curve.n_neg, 'negative')}"]
        said[0] += f", prevalence {one_in(own_prevalence(curve))}"
        said.append(f"{counted(curve.unlabelled, 'row')} without a label, not counted")
        said.append(f"{counted(len(curve), 'threshold')}, scores from {curve.score[-1]:.4g} to {curve.top[0]:.4g}")
        said += ["rows are weighted"] * curve.weighted
        said += [f"read from {isolated(str(curve.source))}"] * (curve.source is not None)
        if curve.bucketed:
            width = bounds(average_precision, curve.at_prevalence(made.prevalence)).width
            said.append(f"scores are in buckets: average precision is exact to {width:.1g}")
        elif not curve.weighted:
            rows = curve.pos + curve.neg
            tied = float(rows[rows > 1].sum() / rows.sum())
            said += [f"{percent(tied)} of the rows share their score with another"] * (tied > 0)
        said.append(f"areas on this page have an error of at most {max(model.error, 1e-9):.1g}")
        by_model.append((model.name, "; ".join(said) + "."))
    return [*by_model, ("What this page reveals", _revealed(made))]


def _revealed(made: Content) -> str:
    """What a reader of the file can infer about single rows."""
    said = "This file has no rows, but its thresholds are scores of rows, and it has counts and a curve of each group"
    return ". ".join([said, *(sentence[0].upper() + sentence[1:] for sentence in made.revealing)]) + "."
