"""The content of a page: condensed numbers of the library, and sentences about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.arrays import Indices
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.curves.point import shortest
from baserate.errors import InputError, shown
from baserate.metrics.areas import auc_pr, average_precision, best_f1, roc_auc
from baserate.metrics.over_prevalence import MetricFunction, crossings
from baserate.metrics.predictive import precision
from baserate.page import condensed, looks, rates
from baserate.page.calibration import Calibration, calibration
from baserate.page.condensed import LogOddsRange
from baserate.page.groups import MOST_ASKED, OF_GROUP, RECALL, OfGroups, are_periods, band, grid, group_table
from baserate.page.judged import JudgedSeries, breaks, judged
from baserate.page.multiples import OverTime, multiples
from baserate.page.small import POOLED, Groups, folded, small_groups, small_models
from baserate.page.unlabelled import where_labels_are_missing
from baserate.page.verdicts import headline, pair_of, who_leads_where
from baserate.page.versus import DRAWS_OF_PAIRS, MOST_COMPARED, PairsCompared, compared
from baserate.page.words import Json, numbers
from baserate.progress import Stages
from baserate.registry import describe
from baserate.results import Crossing, CrossingEstimate, Estimate
from baserate.uncertainty.estimate import IntervalSettings, estimates
from baserate.uncertainty.methods import Estimand

# The range of the slider, which is extended to the given prevalences.
RANGE = (1e-6, 0.9)

# Populations drawn for each slice and period.
DRAWS_OF_GROUPS = 200

# Fewer draws than this leave nothing beyond the ends of an interval. A quick page has so many times fewer.
_FEWEST_DRAWS = 100
_QUICKER = 10

_BANDS = (average_precision, auc_pr, best_f1)


@dataclass(frozen=True)
class PageModel:
    """One model as the page shows it."""

    name: str
    curve: Curve
    json: Json
    error: float
    area: Estimate
    area_over: list[Estimate]  # over the grid
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
    compared: PairsCompared
    lead_changes: list[Crossing | CrossingEstimate]
    groups: list[Json] = field(default_factory=list)
    multiples: list[Json] = field(default_factory=list)  # slices over their periods
    series: list[JudgedSeries] = field(default_factory=list)  # each model over its periods
    quick_draws: int | None = None  # populations drawn, if they are fewer than usual
    revealing: tuple[str, ...] = ()  # sentences about groups so small that single rows can be inferred
    unlabelled: tuple[str, ...] = ()  # sentences about where labels are missing

    @property
    def crossings(self) -> list[Crossing | CrossingEstimate]:
        """The prevalences at which two models cross, with intervals where rows are known."""
        return self.compared.crossings

    @property
    def broken(self) -> bool:
        """Whether a model has changed, so that numbers of all periods average over the break."""
        return any(one.broken for one in self.series)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest prevalence of the slider."""
        low, high = (1 / (1 + np.exp(-end)) for end in self.span)
        return float(low), float(high)


def content(
    title: str,
    models: Mapping[str, Curve],
    prevalences: Sequence[float],
    groups: Mapping[str, Mapping[str, Groups]],
    *,
    rows: SameRows | None = None,
    over_time: Mapping[str, OverTime] | None = None,
    n_resamples: int,
    min_cases: int | None = None,
    quick: bool = False,
) -> Content:
    """Compute all content, with one progress line.

    `rows` has the models with the scores of each row, and `over_time` the slices by period, if these are known.
    """
    _check(models, groups)
    if min_cases is not None:
        groups = {name: folded(by_model, min_cases) for name, by_model in groups.items()}
    wanted = list(prevalences) or [next(iter(models.values())).prevalence]
    low, high = min(RANGE[0], *wanted), max(RANGE[1], *wanted)
    span = LogOddsRange.of(low, high)
    draws = max(n_resamples // _QUICKER, min(n_resamples, _FEWEST_DRAWS)) if quick else n_resamples
    by_period = _periods(groups)
    with Stages("Making the page") as stages:
        stages.plan(_work(models, groups, by_period))
        how: dict[str, Any] = {"n_models": len(models), "n_resamples": draws, "stages": stages}
        made = [_model(name, curve, wanted, span, **how) for name, curve in models.items()]
        swaps = [
            swap
            for (name, curve), (other_name, other) in combinations(models.items(), 2)
            for swap in crossings(average_precision, curve, other, low=low, high=high, names=(name, other_name))
        ]
        both = _compared(models, rows, made, span=span, asked=wanted, swaps=swaps, n_resamples=draws, stages=stages)
        of_groups = max(min(draws, DRAWS_OF_GROUPS), _FEWEST_DRAWS)
        asked = wanted[0] if prevalences else None
        series = judged(by_period, asked, of_groups, lambda name: stages.at(f"{name}, period by period"))
        of_slices = OfGroups(span, wanted[0], tuple(wanted[:MOST_ASKED]), of_groups, stages)
        tables = [group_table(name, by_model, models, of_slices) for name, by_model in groups.items()]
    said = [small_models(models), *(small_groups(name, by_model) for name, by_model in groups.items())]
    return Content(
        title=title,
        prevalence=wanted[0],
        asked=tuple(prevalences),
        span=span,
        models=made,
        compared=both,
        lead_changes=_at_the_top(both.crossings, models),
        groups=tables,
        multiples=[multiples(name, slices, wanted[0]) for name, slices in (over_time or {}).items()],
        series=series,
        quick_draws=draws if quick else None,
        revealing=tuple(sentence for sentence in said if sentence is not None),
        unlabelled=tuple(
            one for heading, by_model in groups.items() if (one := where_labels_are_missing(heading, by_model))
        ),
    )


def _work(
    models: Mapping[str, Curve], groups: Mapping[str, Mapping[str, Groups]], by_period: Mapping[str, Groups]
) -> float:
    """The steps of the whole job, each about as long as one model."""
    n_groups = sum(len(curves) for by_model in groups.values() for curves in by_model.values())
    return len(models) + (len(models) > 1) * min(len(models), MOST_COMPARED) + len(by_period) + n_groups * OF_GROUP


def _periods(groups: Mapping[str, Mapping[str, Groups]]) -> dict[str, dict[str, Curve]]:
    """The periods of each model in order, of the first table of periods; rows without a time are in none."""
    for by_model in groups.values():
        keys = {key for curves in by_model.values() for key in curves} - {None, *POOLED}
        sampled = any(curve.sampled for curves in by_model.values() for curve in curves.values())
        if len(keys) > 1 and are_periods(keys) and not sampled:
            series = {
                name: {key: curves[key] for key in sorted(keys & curves.keys())} for name, curves in by_model.items()
            }
            return {name: curves for name, curves in series.items() if len(curves) > 1}
    return {}


def _compared(
    models: Mapping[str, Curve],
    rows: SameRows | None,
    made: Sequence[PageModel],
    *,
    span: LogOddsRange,
    asked: Sequence[float],
    swaps: list[Crossing],
    n_resamples: int,
    stages: Stages,
) -> PairsCompared:
    """The models compared at every second place of the slider, and at the first prevalence asked for."""
    if len(models) > 1:
        stages.at("which model leads where", min(len(models), MOST_COMPARED))
    nodes = grid(span, asked[:1], every=2)
    places = grid(span, asked).tolist()
    own = {
        model.name: [one for place, one in zip(places, model.area_over, strict=True) if place in nodes]
        for model in made
    }
    draws = max(min(n_resamples, DRAWS_OF_PAIRS), _FEWEST_DRAWS)
    return compared(models, rows, nodes, own, swaps=swaps, settings=IntervalSettings.of(0.95, draws, 0))


def _at_the_top(
    swaps: Sequence[Crossing | CrossingEstimate], models: Mapping[str, Curve]
) -> list[Crossing | CrossingEstimate]:
    """The crossings at which the best of all models changes."""
    leading = []
    for swap in swaps:
        others = [curve for name, curve in models.items() if name not in pair_of(swap)]
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
            what = "label a random sample of them" if curve.not_labelled else "build it with from_scores"
            raise InputError(f"a model must have positives, negatives and scores, got {shown(name)}: {lack}; {what}.")
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


def _model(
    name: str,
    curve: Curve,
    asked: Sequence[float],
    span: LogOddsRange,
    *,
    n_models: int,
    n_resamples: int,
    stages: Stages,
) -> PageModel:
    stages.at(name)
    kept = condensed.condensed(curve, span)
    known = _known(curve, asked, span, n_resamples)
    json: Json = {
        "name": name,
        "average_precision": numbers(kept.average_precision.values),
        "auc_pr": numbers(kept.auc_pr.values),
        "gains": {key: numbers(getattr(kept.gains, key)) for key in ("tpr", "fpr", "fpr_before", "area")},
        "points": _points(curve, kept.rows, n_models),
        "bands": {describe(metric): band(known.bands[metric]) for metric in _BANDS},
        "roc_auc": dict(zip(("value", "low", "high"), numbers(_ends_of(known.of_roc)), strict=True)),
        "all_thresholds": len(curve),
    }
    json["histogram"] = looks.histogram(curve)
    json["right"] = _likelihood_ratios(known.right)
    probabilities = calibration(name, curve, asked[0])
    json["calibration"] = probabilities.json
    over = known.bands[average_precision]
    return PageModel(name, curve, json, kept.error, known.area, over, known.right, probabilities)


class _Known(NamedTuple):
    """All estimates of a model, from the same draws."""

    bands: dict[MetricFunction, list[Estimate]]
    of_roc: Estimate
    area: Estimate
    right: Estimate


def _known(curve: Curve, asked: Sequence[float], span: LogOddsRange, n_resamples: int) -> _Known:
    x = np.exp(-grid(span, asked))
    here = curve.at_prevalence(asked[0])
    point = curve.at_recall(RECALL).at_prevalence(asked[0])
    at = {
        metric: Estimand(metric, one, np.array([one.odds_against]))
        for metric, one in ((roc_auc, here), (average_precision, here), (precision, point))
    }
    estimands = [*(Estimand(metric, curve, x) for metric in _BANDS), *at.values()]
    *bands, (of_roc,), (area,), (right,) = estimates(estimands, IntervalSettings.of(0.95, n_resamples, 0))
    return _Known(dict(zip(_BANDS, bands, strict=True)), of_roc, area, right)


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


def _points(curve: Curve, rows: Indices, n_models: int) -> Json:
    totals = curve.table.total_pos, curve.table.total_neg
    tpr, fpr = (column[rows] / total for column, total in zip(curve.table.cumulative(), totals, strict=True))
    kept: Json = {
        "threshold": [_threshold(curve, row) for row in rows.tolist()],
        "tpr": numbers(tpr),
        "fpr": numbers(fpr),
    }
    return kept | rates.intervals(curve, rows, n_models)


def _threshold(curve: Curve, row: int) -> float | str:
    """A score in as few digits as distinguish it from the next lower one; infinity as text, since JSON has none."""
    score = float(curve.score[row])
    if not np.isfinite(score):
        return "Infinity" if score > 0 else "-Infinity"
    return shortest(score, float(curve.top[row + 1]) if row + 1 < len(curve) else -np.inf)


# --- sentences ------------------------------------------------------------------------------------


def verdict(made: Content) -> list[str]:
    """What has changed, the main sentence, and sentences about which model leads where."""
    said = breaks(made.series)
    leaders = {pair_of(swap) for swap in made.lead_changes}
    swaps = [swap for swap in made.crossings if pair_of(swap) in leaders]
    return [*said, main_sentence(made, together=made.broken), *who_leads_where(swaps, made.ends)]


def main_sentence(made: Content, *, together: bool = False) -> str:
    """The leader at the first prevalence; `together` if the models have changed meanwhile."""
    log_odds = float(np.log(made.prevalence) - np.log1p(-made.prevalence))
    standing = made.compared.versus.at(log_odds, [model.area.value for model in made.models])
    said = headline(
        made.prevalence,
        [model.name for model in made.models],
        standing,
        [model.area for model in made.models],
        [model.right for model in made.models],
    )
    return f"All periods together: {said[0].lower()}{said[1:]}" if together else said
