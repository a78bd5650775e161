"""``baserate compare``: several models of one file, and who leads where."""

from collections.abc import Sequence
from typing import Any

import click

from baserate.answers.comparing import compared
from baserate.answers.questions import COMPARED, About
from baserate.cli.arguments import curves_of, of_a_file
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import Rows, answered, in_a_format, show_csv, show_json, show_table
from baserate.cli.prevalences import PREVALENCE_HELP, Range, prevalence_from, range_from
from baserate.cli.questions import asked_by_options, level_from, questions_from, with_intervals
from baserate.registry import lower_is_better
from baserate.results.base import Result
from baserate.results.base import Row as ResultRow
from baserate.written import one_in

_EXAMPLES = """\b
Examples:
  baserate compare scores.parquet --label fraud --score old --score new --prevalence 1:1000
  baserate compare scores.csv --label y --score a --score b --score c --metric best_f1 --range 1e-4:0.1
  baserate compare scores.csv --label y --score a --score b --at recall=0.6 --metric precision --json
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
    """
    level = level_from(intervals, confidence_level)
    questions = questions_from(names, rule, about, usual=COMPARED)
    for question in questions:
        lower_is_better(question.metric)  # says no to a metric without a direction, before a file is read
    elsewhere, between = [prevalence_from(text) for text in prevalences], range_from(span)
    curves = curves_of(**data, n_scores=2)
    found = compared(curves, questions, elsewhere, between, level, how="add another --score")
    for text in found.notes:
        note(text)
    tables = {"values": answered(found), "best": _rows(found.best), "crossings": _rows(found.crossings)}
    if form == "json":
        show_json(tables)
    elif form == "csv":
        show_csv(tables["values"])
    else:
        _show(**tables, between=between)


def _rows(results: Sequence[Result]) -> list[ResultRow]:
    return [row for result in results for row in result.rows()]


def _show(values: Rows, best: Rows, crossings: Rows, between: Range) -> None:
    show_table(values)
    if best:
        low, high = between
        click.echo(f"\nBest from prevalence {one_in(low)} to {one_in(high)}:")
        show_table(best)
        click.echo(f"\nCrossings ({_NO_INTERVALS}):" if crossings else "\nNo crossings.")
        if crossings:
            show_table(crossings)
