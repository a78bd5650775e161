"""``baserate compare``: several models of one file, and who leads where."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, cast

import click

from baserate.cli.arguments import Key, curves_of, group_name, of_a_file
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import Row, in_a_format, show_csv, show_json, show_table
from baserate.cli.prevalences import PREVALENCE_HELP, Range, prevalence_from, range_from
from baserate.cli.questions import About, Question, asked_by_options, level_from, questions_from, with_intervals
from baserate.cli.reading import row_at
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError
from baserate.metrics.over_prevalence import best_regions, crossings, sweep
from baserate.progress import progress
from baserate.registry import describe, lower_is_better
from baserate.written import one_in

_EXAMPLES = """\b
Examples:
  baserate compare scores.parquet --label fraud --score old --score new --prevalence 1:1000
  baserate compare scores.csv --label y --score a --score b --score c --metric best_f1 --range 1e-4:0.1
  baserate compare scores.csv --label y --score a --score b --at recall=0.6 --metric precision --json
"""

_EQUAL = 1e-13  # relatively; a difference of this size is rounding
_NO_INTERVALS = "without intervals: these need both scores of each row, see baserate.Pair"


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option("--prevalence", "prevalences", multiple=True, metavar="PREVALENCE", help=PREVALENCE_HELP)
@click.option(
    "--range",
    "span",
    default="1e-6:0.999999",
    show_default=True,
    metavar="LOW:HIGH",
    help="Range of prevalences to search for crossings.",
)
@asked_by_options
@with_intervals
@in_a_format
@quiet_option
def compare(
    *,
    prevalences: tuple[str, ...],
    span: str,
    names: tuple[str, ...],
    rule: str | None,
    about: About,
    intervals: bool,
    confidence_level: float,
    form: str | None,
    **data: Any,
) -> None:
    """Compare models, and find where one overtakes another.

    Each --score is a model. The default metric is average precision or, with --at, F1. Intervals are marginal, one per
    model: they may overlap although one model is significantly better on the same rows. Crossings have no intervals
    here, because a file is read as counts by score: in Python, baserate.Pair keeps the rows and
    baserate.crossing_estimates has these intervals. --csv holds the values only, --json everything.
    """
    level = level_from(intervals, confidence_level)
    questions = questions_from(names, rule, about, areas=("average_precision",), pointwise=("f1",))
    for question in questions:
        lower_is_better(question.metric)  # says no to a metric without a direction
    elsewhere, between = [prevalence_from(text) for text in prevalences], range_from(span)
    found = curves_of(**data, n_scores=2)
    groups: dict[Key, dict[str, Curve]] = {}
    for (score, key), curve in found.items():
        groups.setdefault(key, {})[score] = curve
    if len(found) < 2 * len(groups):
        raise InputError(f"compare needs at least two scores, got only {next(iter(found))[0]!r}; add another --score.")
    values = _values(questions, groups, elsewhere, level)
    best, swaps = _over_range(questions, groups, between)
    if form == "json":
        show_json({"values": values, "best": best, "crossings": swaps})
    elif form == "csv":
        show_csv(values)
    else:
        _show(values, best, swaps, between)


def _values(
    questions: Sequence[Question],
    groups: Mapping[Key, Mapping[str, Curve]],
    elsewhere: list[float],
    level: float | None,
) -> list[Row]:
    """Each model at each prevalence, and whether it leads there."""
    wanted = [
        (question, key, {name: curve if p is None else curve.at_prevalence(p) for name, curve in models.items()})
        for key, models in groups.items()
        for p in (None, *elsewhere)
        for question in questions
    ]
    rows: list[Row] = []
    for question, key, models in progress(wanted, len(wanted), "Comparing"):
        answers = [row_at(question, name, key, curve, level) for name, curve in models.items()]
        leads = _leads(question, [cast(float, answer["value"]) for answer in answers])
        rows += [answer | {"leads": lead} for answer, lead in zip(answers, leads, strict=True)]
    return rows


def _leads(question: Question, values: Sequence[float]) -> list[bool]:
    """Which of the values is the best one; several, where they are equal."""
    sign = -1.0 if lower_is_better(question.metric) else 1.0
    most = max((sign * value for value in values if not math.isnan(value)), default=math.nan)
    return [math.isclose(sign * value, most, rel_tol=_EQUAL) for value in values]


def _over_range(
    questions: Sequence[Question], groups: Mapping[Key, Mapping[str, Curve]], between: Range
) -> tuple[list[Row], list[Row]]:
    """Which model is best from where to where, and each swap of two models."""
    best: list[Row] = []
    swaps: list[Row] = []
    low, high = between
    for key, models in groups.items():
        for question in questions:
            if question.rule is not None and question.rule.depends_on_prevalence:
                note(f"no crossings of {describe(question.metric)}: {question.rule} depends on the prevalence")
                continue
            if any(curve.missing_class for curve in models.values()):
                continue  # the values say why
            try:
                places = {name: question.place(curve) for name, curve in models.items()}
            except NoSuchPointError:
                continue  # again
            about: Row = {"group": group_name(key), "metric": describe(question.metric)}
            best += [about | region for region in _regions(question, places, between)]
            for a, b in combinations(places, 2):
                for swap in crossings(question.metric, places[a], places[b], low=low, high=high, names=(a, b)):
                    where = {"prevalence": swap.prevalence, "value": swap.value}
                    swaps.append(about | where | {"leads_below": swap.leads_below, "leads_above": swap.leads_above})
    return best, swaps


def _regions(question: Question, places: Mapping[str, Curve | Point], between: Range) -> list[Row]:
    """From where to where which models are best: one or, where they are equal, several."""
    found: list[Row] = []
    for region in best_regions(question.metric, places, *between):
        within = 1 / (1 + math.sqrt((1 / region.low - 1) * (1 / region.high - 1)))  # midway in log-odds
        values = [float(sweep(question.metric, place, [within]).value[0]) for place in places.values()]
        leading = [name for name, leads in zip(places, _leads(question, values), strict=True) if leads]
        found.append({"from": region.low, "to": region.high, "best": " and ".join(leading)})
    return found


def _show(values: Sequence[Row], best: Sequence[Row], swaps: Sequence[Row], between: Range) -> None:
    show_table(values)
    if best:
        low, high = between
        click.echo(f"\nBest from prevalence {one_in(low)} to {one_in(high)}:")
        show_table(best)
        click.echo(f"\nCrossings ({_NO_INTERVALS}):" if swaps else "\nNo crossings.")
        if swaps:
            show_table(swaps)
