"""What goes into a page: numbers of the library, condensed, and sentences about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.formulas.proportions import clopper_pearson
from baserate.metrics.areas import auc_pr, average_precision, best_f1, roc_auc
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import crossings
from baserate.progress import progress
from baserate.report import condensed
from baserate.results import Crossing, Estimate
from baserate.uncertainty.bands import sweep_estimates
from baserate.uncertainty.estimate import estimate, sizes_behind

# Where the slider goes.
RANGE = (1e-6, 0.9)

# Prevalences at which interval ends are worked out; in between they are interpolated.
_GRID = 41

# A point of both rates within 95 % is one of each within the root of that.
_LEVEL_OF_EACH = 0.95**0.5

_BANDS = (average_precision, auc_pr, best_f1)
_RECALL = 0.5

# Groups are many, and their numbers have fewer digits: less than 2e-5 off.
_WIDTH_OF_GROUPS = 0.03

Groups = Mapping[object, Curve]
Json = dict[str, object]


@dataclass(frozen=True)
class Model:
    """One model as the page shows it."""

    name: str
    curve: Curve
    json: Json
    error: float
    area: Estimate


@dataclass(frozen=True)
class Content:
    """What the page says and shows."""

    title: str
    prevalence: float
    asked: tuple[float, ...]
    models: list[Model]
    crossings: list[Crossing]
    groups: list[Json] = field(default_factory=list)


def content(
    title: str,
    models: Mapping[str, Curve],
    prevalences: Sequence[float],
    groups: Mapping[str, Mapping[str, Groups]],
    *,
    n_resamples: int,
) -> Content:
    """Work everything out; what takes long says how far it is."""
    if not models:
        raise InputError("a page needs a model, got none; pass at least one curve.")
    for name, curve in models.items():
        if curve.missing_class or not curve.has_scores:
            lack = curve.missing_class.sentence if curve.missing_class else "it has rates and no scores"
            raise InputError(f"a page needs models with positives, negatives and scores, got {name!r}: {lack}.")
    first = next(iter(models.values()))
    start = float(np.clip(prevalences[0] if prevalences else first.prevalence, *RANGE))
    made = [
        _model(name, curve, start, n_resamples)
        for name, curve in progress(models.items(), len(models), "Drawing populations")
    ]
    swaps = [
        swap
        for (name, curve), (other_name, other) in pairwise(models.items())
        for swap in crossings(average_precision, curve, other, low=RANGE[0], high=RANGE[1], names=(name, other_name))
    ]
    tables = [_groups(name, by_model) for name, by_model in groups.items()]
    return Content(title, start, tuple(prevalences), made, swaps, tables)


def grid() -> FloatArray:
    """The log-odds at which interval ends are worked out."""
    low, high = (np.log(end) - np.log1p(-end) for end in RANGE)
    return np.linspace(low, high, _GRID)


def _model(name: str, curve: Curve, start: float, n_resamples: int) -> Model:
    kept = condensed.condensed(curve, *RANGE)
    prevalences = 1 / (1 + np.exp(-grid()))
    bands = {}
    for metric in _BANDS:
        band = sweep_estimates(metric, curve, prevalences, n_resamples=n_resamples, rng=0)
        bands[band.metric] = {"low": numbers(band.low), "high": numbers(band.high)}
    of_roc = estimate(roc_auc, curve, n_resamples=n_resamples, rng=0)
    json: Json = {
        "name": name,
        "average_precision": _mixture(kept.average_precision),
        "auc_pr": _mixture(kept.auc_pr),
        "gains": {key: numbers(column) for key, column in kept.gains._asdict().items()},
        "points": _points(curve, kept.rows),
        "bands": bands,
        "roc_auc": {"value": of_roc.value, "low": of_roc.low, "high": of_roc.high},
    }
    area = estimate(average_precision, curve.at_prevalence(start), n_resamples=n_resamples, rng=0)
    return Model(name, curve, json, kept.error, area)


def _points(curve: Curve, rows: Indices) -> Json:
    tpr, fpr = curve.tpr[rows], curve.fpr[rows]
    n_pos, n_neg = sizes_behind(curve)
    of_tpr, of_fpr = (clopper_pearson(rate * n, n, _LEVEL_OF_EACH) for rate, n in ((tpr, n_pos), (fpr, n_neg)))
    columns = {
        "threshold": curve.score[rows],
        "tpr": tpr,
        "fpr": fpr,
        "tpr_low": of_tpr.low,
        "tpr_high": of_tpr.high,
        "fpr_low": of_fpr.low,
        "fpr_high": of_fpr.high,
    }
    return {name: numbers(column) for name, column in columns.items()}


def _mixture(mixture: condensed.Mixture) -> Json:
    return {"weight": numbers(mixture.weight), "ratio": numbers(mixture.ratio)}


def numbers(column: FloatArray) -> list[float | None]:
    """Nine digits of each; JSON knows no infinity and no nan."""
    return [float(f"{value:.9g}") if np.isfinite(value) else None for value in column.tolist()]


def _groups(name: str, by_model: Mapping[str, Groups]) -> Json:
    """A row for each key, with a cell for each model."""
    keys = list(dict.fromkeys(key for curves in by_model.values() for key in curves))
    rows = [_group_row(key, [curves[key] for curves in by_model.values() if key in curves]) for key in keys]
    ordered = all(isinstance(key, str) and key[:2].isdigit() for key in keys)  # periods have an order, slices have none
    return {"name": name, "models": list(by_model), "rows": rows, "ordered": ordered}


def _group_row(key: object, curves: list[Curve]) -> Json:
    parts = key if isinstance(key, tuple) else (key,)
    shown = " · ".join("(none)" if part is None else str(part) for part in parts)
    cases = curves[0].n_pos + curves[0].n_neg
    size = f"{curves[0].n_pos:,.6g} positives of {cases:,.6g}"
    return {"key": shown, "size": size, "models": [_group_cell(curve) for curve in curves]}


def _group_cell(curve: Curve) -> Json:
    value, reason = evaluate(average_precision, curve)
    if reason:
        return {"reason": reason.sentence}
    return {"own": float(value)} | _mixture(condensed.average_precision(curve, _WIDTH_OF_GROUPS))


# --- sentences ------------------------------------------------------------------------------------


def verdict(made: Content) -> list[str]:
    """The answer in a sentence, and who leads where in another."""
    best = max(made.models, key=lambda model: model.area.value)
    where = one_in(made.prevalence)
    point = best.curve.at_recall(_RECALL).at_prevalence(made.prevalence)
    alerts = point.confusion_as_read
    precision = alerts.tp / (alerts.tp + alerts.fp)
    lead = f"{best.name} is the best of {len(made.models)} models" if len(made.models) > 1 else best.name
    first = (
        f"At a prevalence of {where}, {lead}{':' if len(made.models) > 1 else ' has'} average precision "
        f"{best.area.value:.2f} (95 % sure: {best.area.low:.2f} to {best.area.high:.2f}). To find half of the "
        f"positives, it raises alerts of which {100 * precision:.3g} % are right."
    )
    swaps = [
        f"{swap.leads_below} leads {swap.leads_above} below {one_in(swap.prevalence)}, and trails above."
        for swap in made.crossings
    ]
    return [first, *swaps]


def one_in(prevalence: float) -> str:
    """A prevalence as people say it."""
    return f"1 in {float(f'{1 / prevalence:.3g}'):,.0f}" if prevalence <= 0.5 else f"{100 * prevalence:.3g} %"


def facts(made: Content) -> list[tuple[str, str]]:
    """What the numbers rest on, by model where they differ."""
    found = []
    for model in made.models:
        curve = model.curve
        said = [f"{curve.n_pos:,.6g} positives, {curve.n_neg:,.6g} negatives, prevalence {one_in(curve.prevalence)}"]
        said.append(f"{curve.unlabelled:,} rows without a label, not counted")
        said.append(f"{len(curve):,} thresholds, scores from {curve.score[-1]:.4g} to {curve.top[0]:.4g}")
        said += ["rows have weights"] * curve.weighted
        if curve.bucketed:
            width = bounds(average_precision, curve.at_prevalence(made.prevalence)).width
            said.append(f"some scores are not told apart: average precision is certain within {width:.1g}")
        tied = 1 - len(curve) / (curve.n_pos + curve.n_neg)
        said += [f"{100 * tied:.3g} % of the rows share their score with another"] * (tied > 0 and not curve.bucketed)
        said.append(f"areas on this page are within {max(model.error, 1e-9):.1g} of the whole curve's")
        found.append((model.name, "; ".join(said) + "."))
    return found
