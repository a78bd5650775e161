"""``baserate sweep``: a metric over a range of prevalences, with a band."""

from typing import Any

import click

from baserate.answers.questions import About
from baserate.answers.reading import answers_over
from baserate.cli.arguments import curves_of, of_a_file
from baserate.cli.notes import quiet_option
from baserate.cli.output import Row, in_a_format, show
from baserate.cli.prevalences import grid_from
from baserate.cli.questions import asked_by_options, level_from, questions_from, with_intervals
from baserate.progress import progress

_EXAMPLES = """\b
Examples:
  baserate sweep scores.parquet --label fraud --score p --prevalence 1e-4:1e-2
  baserate sweep scores.csv --at recall=0.6 --metric precision --metric f1 --points 50 --csv
  baserate sweep scores.csv --at threshold=0.5 --prevalence 1:100 --prevalence 1:1000 --prevalence 1:10000
"""


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option(
    "--prevalence",
    "prevalences",
    multiple=True,
    default=("1e-4:0.5",),
    metavar="PREVALENCE",
    help='Range such as 1e-4:1e-2, or one such as 0.001 or "1 in 1000"; repeatable.  [default: 1e-4:0.5]',
)
@click.option(
    "--points",
    type=click.IntRange(2, 10_000),
    default=13,
    show_default=True,
    help="Number of prevalences in a range, evenly spaced in log-odds.",
)
@asked_by_options
@with_intervals
@in_a_format
@quiet_option
def sweep(
    *,
    prevalences: tuple[str, ...],
    points: int,
    names: tuple[str, ...],
    rule: str | None,
    about: About,
    intervals: bool,
    confidence_level: float,
    form: str | None,
    **data: Any,
) -> None:
    """Compute a metric over a range of prevalences.

    The default metric is average precision or, with --at, precision.
    """
    level = level_from(intervals, confidence_level)
    questions = questions_from(names, rule, about, usual=(("average_precision",), ("precision",)))
    grid = grid_from(prevalences, points)
    wanted = [
        (question, score, key, curve) for (score, key), curve in curves_of(**data).items() for question in questions
    ]
    rows: list[Row] = []
    for one in progress(wanted, len(wanted), "Sweeping"):
        rows += [
            {**answer.row(), "threshold": answer.threshold}
            for answer in answers_over(*one, prevalences=grid, confidence_level=level)
        ]
    show(rows, form)
