"""``baserate evaluate``: metrics of the scores in a file, at the prevalences that matter."""

from typing import Any

import click

from baserate.answers.evaluating import evaluated
from baserate.answers.questions import EVALUATED
from baserate.cli.arguments import curves_of, of_a_file
from baserate.cli.notes import quiet_option
from baserate.cli.output import answered, in_a_format, show
from baserate.cli.prevalences import PREVALENCE_HELP, prevalence_from
from baserate.cli.questions import asked_by_options, level_from, questions_from, with_intervals
from baserate.uncertainty.estimate import About

# The sign \b keeps lines as they are.
_EXAMPLES = """\b
Examples:
  baserate evaluate scores.parquet --label fraud --score p --prevalence "1 in 10,000"
  baserate evaluate scores.csv.gz --label y --score old --score new --metric average_precision
  baserate evaluate scores.csv --at recall=0.6 --metric precision --metric f_beta:beta=2
  baserate evaluate scores.csv --at best=f1 --metric precision --metric recall --confidence-level 0.9
  baserate evaluate logs/ --label y --score p --by country --period ts:month --tz UTC --csv
"""


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option("--prevalence", "prevalences", multiple=True, metavar="PREVALENCE", help=PREVALENCE_HELP)
@asked_by_options
@with_intervals
@in_a_format
@quiet_option
def evaluate(
    *,
    prevalences: tuple[str, ...],
    names: tuple[str, ...],
    rule: str | None,
    about: About,
    intervals: bool,
    confidence_level: float,
    form: str | None,
    **data: Any,
) -> None:
    """Compute metrics of scores at any prevalence.

    FILE is Parquet, CSV or JSON lines, also compressed with gzip; several files, folders and patterns are allowed.
    Metrics are computed at the prevalence of the data and at each --prevalence. Without --metric these are areas under
    curves or, with --at, metrics at a threshold.
    """
    level = level_from(intervals, confidence_level)
    questions = questions_from(names, rule, about, usual=EVALUATED)
    elsewhere = [prevalence_from(text) for text in prevalences]
    show(answered(evaluated(curves_of(**data), questions, elsewhere, level)), form)
