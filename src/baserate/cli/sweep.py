"""``baserate sweep``: a metric over a range of prevalences, with a band."""

import math
from collections.abc import Sequence
from typing import Any

import click

from baserate.answers.curves import Key, group_name
from baserate.answers.questions import Question
from baserate.answers.reading import answers_over
from baserate.arrays import PrevalenceRange
from baserate.cli.arguments import curves_of, of_a_file
from baserate.cli.notes import quiet_option
from baserate.cli.output import OutputRow, in_a_format, show
from baserate.cli.prevalences import grid_from, range_from
from baserate.cli.questions import asked_by_options, level_from, questions_from, with_intervals
from baserate.curves.curve import Curve
from baserate.errors import InputError, NoSuchPointError
from baserate.metrics.over_prevalence import mean_over_prevalence
from baserate.progress import progress
from baserate.registry import describe
from baserate.uncertainty.estimate import About

_EXAMPLES = """\b
Examples:
  baserate sweep scores.parquet --label fraud --score p --prevalence 1e-4:1e-2
  baserate sweep scores.csv --at recall=0.6 --metric precision --metric f1 --points 50 --csv
  baserate sweep scores.csv --at threshold=0.5 --prevalence "1 in 100" --prevalence "1 in 1,000"
  baserate sweep scores.csv --score old --score new --prevalence 1e-4:1e-2 --mean
"""


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option(
    "--prevalence",
    "prevalences",
    multiple=True,
    default=("1e-4:0.5",),
    metavar="PREVALENCE",
    help='Range such as 1e-4:1e-2, or one such as 0.001 or "1 in 1,000"; repeatable.  [default: 1e-4:0.5]',
)
@click.option(
    "--points",
    type=click.IntRange(2, 10_000),
    default=13,
    show_default=True,
    help="Number of prevalences in a range, evenly spaced in log-odds.",
)
@click.option("--mean", is_flag=True, help="Print the mean over each range, uniform in log-odds, without intervals.")
@asked_by_options
@with_intervals
@in_a_format
@quiet_option
def sweep(
    *,
    prevalences: tuple[str, ...],
    points: int,
    mean: bool,
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
    grid, spans = grid_from(prevalences, points), [range_from(text) for text in prevalences if mean]
    if mean:
        _check_mean(questions)
    wanted = [
        (question, score, key, curve) for (score, key), curve in curves_of(**data).items() for question in questions
    ]
    rows: list[OutputRow] = []
    for one in progress(wanted, len(wanted), "Sweeping"):
        if mean:
            rows += [_mean(*one, span) for span in spans]
            continue
        rows += [
            {**answer.row(), "threshold": answer.threshold}
            for answer in answers_over(*one, prevalences=grid, confidence_level=level)
        ]
    show(rows, form)


def _check_mean(questions: Sequence[Question]) -> None:
    rules = [question.rule for question in questions if question.rule is not None]
    if any(rule.depends_on_prevalence for rule in rules):
        raise InputError(
            f"--mean needs one threshold for all prevalences, got --at {rules[0]}, which depends on the prevalence; "
            f"use for example --at recall=0.6."
        )


def _mean(question: Question, score: str, key: Key, curve: Curve, span: PrevalenceRange) -> OutputRow:
    """A metric averaged over a range of prevalences."""
    low, high = span
    about: OutputRow = {"score": score, "group": group_name(key), "metric": describe(question.metric)}
    try:
        mean, note = mean_over_prevalence(question.metric, question.place(curve), low=low, high=high), None
    except NoSuchPointError as error:
        mean, note = math.nan, str(error)
    return about | {"from": low, "to": high, "mean": mean, "note": note}
