"""``baserate compare``: compares several models in one file."""

from collections.abc import Sequence
from typing import Any

import click

from baserate.answers.comparing import compared
from baserate.answers.groups import kind_of_groups
from baserate.answers.questions import COMPARED
from baserate.arrays import PrevalenceRange
from baserate.cli.arguments import curves_of, of_a_file
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import OutputRow, OutputRows, answered, in_a_format, show, show_csv, show_json, show_table
from baserate.cli.prevalences import PREVALENCE_HELP, prevalence_from, range_from
from baserate.cli.questions import asked_by_options, level_from, questions_from, with_intervals
from baserate.registry import lower_is_better
from baserate.results.base import Result, Row
from baserate.results.changes import GroupTable
from baserate.uncertainty.estimate import About
from baserate.written import one_in

_EXAMPLES = """\b
Examples:
  baserate compare scores.parquet --label fraud --score old --score new --prevalence "1 in 1,000"
  baserate compare scores.csv --label y --score a --score b --score c --metric best_f1 --range 1e-4:0.1
  baserate compare scores.csv --label y --score a --score b --at recall=0.6 --metric precision --json
  baserate compare scores.csv --label y --score a --by region --prevalence "1 in 1,000"
"""

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

    With one --score, --by compares each slice with all others, and --period each period with the one before and the
    first, all read at the same --prevalence (default: the mean of their own). Intervals and p-values of differences are
    adjusted for their number (Bonferroni).
    """
    level = level_from(intervals, confidence_level)
    questions = questions_from(names, rule, about, usual=COMPARED)
    for question in questions:
        lower_is_better(question.metric)  # says no to a metric without a direction, before a file is read
    elsewhere, between = [prevalence_from(text) for text in prevalences], range_from(span)
    kind = kind_of_groups(by=bool(data["by"]), period=data["period"] is not None)
    curves = curves_of(**data, n_scores=2)
    comparison = compared(curves, questions, elsewhere, between, level, kind=kind, how="add another --score")
    if comparison.groups:
        show(comparison.rows() if form else [row for table in comparison.groups for row in _differences(table)], form)
        return
    for text in comparison.notes:
        note(text)
    tables = {"values": answered(comparison), "best": _rows(comparison.best), "crossings": _rows(comparison.crossings)}
    if form == "json":
        show_json(tables)
    elif form == "csv":
        show_csv(tables["values"])
    else:
        _show(**tables, between=between)


def _differences(table: GroupTable) -> list[OutputRow]:
    """The table for people: each group at the common prevalence, and its difference from others."""
    rows: list[OutputRow] = []
    for row, group in zip(table.rows(), table.groups, strict=True):
        shown: OutputRow = {name: row[name] for name in row if name not in group.cells()}
        shown |= {"metric": table.metric, "prevalence": table.common_prevalence}
        shown |= {"value": group.common.value, "pos": _cases(group.own.n_pos), "neg": _cases(group.own.n_neg)}
        for one in group.differences:
            ends = {"low": one.simultaneous_low, "high": one.simultaneous_high, "p_value": one.adjusted_p_value}
            shown |= {f"minus_{one.against}": one.value} | {f"{name}_{one.against}": end for name, end in ends.items()}
        rows.append(shown | {"note": group.reason.sentence if group.reason else None})
    return rows


def _cases(n: float) -> float | int:
    """A number of cases, whole unless rows have weights."""
    return int(n) if n.is_integer() else n


def _rows(results: Sequence[Result]) -> list[Row]:
    return [row for result in results for row in result.rows()]


def _show(values: OutputRows, best: OutputRows, crossings: OutputRows, between: PrevalenceRange) -> None:
    show_table(values)
    if best:
        low, high = between
        click.echo(f"\nBest from prevalence {one_in(low)} to {one_in(high)}:")
        show_table(best)
        click.echo(f"\nCrossings ({_NO_INTERVALS}):" if crossings else "\nNo crossings.")
        if crossings:
            show_table(crossings)
