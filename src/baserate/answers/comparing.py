"""Compare models: which one leads at which prevalence, and where they cross."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from baserate import checks
from baserate.answers.curves import CurvesByScore, Key, curves_of, group_name, names_of
from baserate.answers.evaluating import Rng
from baserate.answers.groups import KindOfGroups, compared_groups, kind_of_groups
from baserate.answers.questions import COMPARED, Metrics, Question, query
from baserate.answers.reading import Wanted, answers
from baserate.arrays import Prevalence, PrevalenceRange, Table
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError, shown
from baserate.ingest.labelling import Missing
from baserate.metrics.by_name import Chooser
from baserate.metrics.over_prevalence import best_regions, crossings, sweep
from baserate.progress import progress
from baserate.registry import describe, lower_is_better
from baserate.results.answers import Answer, BestRange, Comparison, GroupCrossing

_EQUAL = 1e-13  # relatively; a difference of this size is rounding

CurvesByName = Mapping[str, Curve]


@checks.declared
def compare(
    data: Table | Mapping[Any, Curve],
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    metrics: Metrics | None = None,
    prevalence: Prevalence | Sequence[Prevalence] | None = None,
    span: tuple[Prevalence, Prevalence] = (1e-6, 0.999999),
    at: Chooser | float | None = None,
    about: Literal["threshold", "rule"] = "threshold",
    by: str | Sequence[str] = (),
    period: tuple[str, str] | None = None,
    tz: str | None = None,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    tolerance: float | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    confidence_level: float | None = 0.95,
    rng: Rng = 0,
) -> Comparison:
    """Compare models or, for one model, its slices or periods.

    ``baserate compare`` prints the same. Two or more scores are models, which are compared within each group. With one
    score and `by`, each slice is compared with the others. With one score and `period`, each period is compared with
    the previous and with the first one. All are read at the same prevalence, as in `by_slice` and `by_period`, and
    `groups` of the result has these tables.

    Each interval is for one model alone. Two intervals may overlap although one model is significantly better on the
    same rows; `difference` and `ranking` test that.

    Parameters
    ----------
    data : dataframe, path or mapping to Curve
        A table or files as for `curve`, or curves by name.
    label, score : str
        Columns of a table; `score` is a list of two or more, or a single one with `by` or `period`.
    metrics : metric, str, or a list of these, optional
        By default average precision or, with `at`, F1.
    span : pair of float or str
        The range of prevalences in which to search for the best model and for crossings.
    prevalence
        As for `evaluate`. Groups are read at each of them; by default at the mean of their own prevalences.
    at, about, by, period, tz, weight, positive, confidence_level, rng
        As for `evaluate`.
    sampled, stratum, inclusion, missing, tolerance, memory_limit, delimiter, decimal
        As for `curve`.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> table = pl.DataFrame(br.examples.payments())
    >>> found = br.compare(table, label="fraud", score=["old_model", "new_model"], prevalence=0.5)
    >>> [row["score"] for row in found.rows() if row["leads"]]
    ['new_model', 'old_model']
    >>> print(found.crossings[0])
    average_precision: new_model leads below prevalence 1 in 21, old_model leads above (both 0.6317 there)
    >>> found = br.compare(table, label="fraud", score="new_model", by="channel", prevalence=0.001)
    >>> [(row["slice"], round(row["from_others_adjusted_p_value"], 1)) for row in found.rows()]
    [('shop', 0.7), ('web', 0.7)]
    """
    asked, elsewhere, level = query(metrics, at, about, prevalence, confidence_level, usual=COMPARED)
    between = _span(span)
    columns: dict[str, Any] = {"label": label, "score": score, "by": by, "period": period, "tz": tz}
    columns |= {"weight": weight, "positive": positive, "tolerance": tolerance}
    columns |= {"sampled": sampled, "stratum": stratum, "inclusion": inclusion, "missing": missing}
    columns |= {"memory_limit": memory_limit, "delimiter": delimiter, "decimal": decimal}
    kind = kind_of_groups(by=bool(names_of(by, "by")), period=period is not None)
    return compared(curves_of(data, **columns), asked, elsewhere, between, level, kind=kind, rng=rng)


def _span(given: object) -> PrevalenceRange:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"span must be two prevalences such as (1e-4, 0.1), got {shown(given)}; pass a pair.")
    return checks.prevalence_range(*(checks.prevalence(end, "span") for end in given))


def compared(
    curves: CurvesByScore,
    asked: Sequence[Question],
    elsewhere: Sequence[float],
    span: PrevalenceRange,
    level: float | None,
    *,
    kind: KindOfGroups | None = None,
    rng: Rng = 0,
    how: str = "pass another",
) -> Comparison:
    """Compare the models of each group or, for one model, its groups; `how` says how callers name another score."""
    for question in asked:
        lower_is_better(question.metric)  # says no to a metric without a direction
    if kind is not None and len({score for score, _ in curves}) == 1:
        tables = compared_groups(curves, asked, elsewhere, level, kind=kind, rng=rng)
        return Comparison((), (), (), (), span, (), level, tables)
    groups: dict[Key, dict[str, Curve]] = {}
    for (score, key), curve in curves.items():
        groups.setdefault(key, {})[score] = curve
    if len(curves) < 2 * len(groups) or not curves:
        first = next(iter(curves), ("", ()))[0]
        one_or_none = "one curve or none; pass several by name, as {'old': old, 'new': new}"
        got = f"only {first!r}; {how}" if first else one_or_none
        raise InputError(f"compare needs at least two scores, got {got}.")
    all_answers, leads = _answers(asked, groups, elsewhere, level, rng)
    best, swaps, notes = _over_span(asked, groups, span)
    return Comparison(tuple(all_answers), tuple(leads), tuple(best), tuple(swaps), span, tuple(notes), level)


def _answers(
    asked: Sequence[Question],
    groups: Mapping[Key, CurvesByName],
    elsewhere: Sequence[float],
    level: float | None,
    rng: Rng,
) -> tuple[list[Answer], list[bool]]:
    """The metrics of each model at each prevalence, and whether it leads there."""
    wanted = [
        (question, key, {name: curve if p is None else curve.at_prevalence(p) for name, curve in models.items()})
        for key, models in groups.items()
        for p in (None, *elsewhere)
        for question in asked
    ]
    all_answers: list[Answer] = []
    leads: list[bool] = []
    for question, key, models in progress(wanted, len(wanted), "Comparing"):
        here = [answers([Wanted(question, name, key, curve)], level, rng)[0] for name, curve in models.items()]
        all_answers += here
        leads += _leads(question, [answer.value for answer in here])
    return all_answers, leads


def _leads(question: Question, values: Sequence[float]) -> list[bool]:
    """Which values are the best; several if they are equal."""
    sign = -1.0 if lower_is_better(question.metric) else 1.0
    most = max((sign * value for value in values if not math.isnan(value)), default=math.nan)
    return [math.isclose(sign * value, most, rel_tol=_EQUAL) for value in values]


def _over_span(
    asked: Sequence[Question], groups: Mapping[Key, CurvesByName], span: PrevalenceRange
) -> tuple[list[BestRange], list[GroupCrossing], list[str]]:
    """The ranges of prevalence in which each model is best, all crossings, and notes on what could not be computed."""
    best: list[BestRange] = []
    swaps: list[GroupCrossing] = []
    notes: dict[str, None] = {}
    for key, models in groups.items():
        for question in asked:
            if question.rule is not None and question.rule.depends_on_prevalence:
                notes[f"no crossings of {describe(question.metric)}: {question.rule} depends on the prevalence"] = None
                continue
            if any(curve.missing_class for curve in models.values()):
                continue  # the answers say why
            try:
                places = {name: question.place(curve) for name, curve in models.items()}
            except NoSuchPointError:
                continue  # again
            best += _ranges(question, group_name(key), places, span)
            swaps += _swaps(question, group_name(key), places, span)
    return best, swaps, list(notes)


def _swaps(
    question: Question, group: str | None, places: Mapping[str, Curve | Point], span: PrevalenceRange
) -> list[GroupCrossing]:
    metric, (low, high) = question.metric, span
    return [
        GroupCrossing(**vars(swap), group=group)
        for a, b in combinations(places, 2)
        for swap in crossings(metric, places[a], places[b], low=low, high=high, names=(a, b))
    ]


def _ranges(
    question: Question, group: str | None, places: Mapping[str, Curve | Point], span: PrevalenceRange
) -> list[BestRange]:
    """Ranges of prevalence with their best models; several models if they are equal."""
    ranges = []
    for region in best_regions(question.metric, places, *span):
        within = 1 / (1 + math.sqrt((1 / region.low - 1) * (1 / region.high - 1)))  # midway in log-odds
        values = [float(sweep(question.metric, place, [within]).value[0]) for place in places.values()]
        leading = [name for name, leads in zip(places, _leads(question, values), strict=True) if leads]
        ranges.append(BestRange(group, describe(question.metric), region.low, region.high, " and ".join(leading)))
    return ranges
