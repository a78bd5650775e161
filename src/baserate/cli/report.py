"""``baserate report``: writes an interactive HTML page."""

from pathlib import Path
from typing import Any

import click

from baserate.answers.curves import Key
from baserate.cli.arguments import OutputPath, check_clock, check_outputs, curves_of, of_a_file, whole_curves
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import say, until_nobody_reads
from baserate.cli.prevalences import grid_from
from baserate.curves.curve import Curve
from baserate.page.content import content, verdict
from baserate.page.page import write

_EXAMPLES = """\b
Examples:
  baserate report scores.parquet --label fraud --score p --prevalence "1 in 10,000"
  baserate report scores.csv --score old --score new --prevalence 1e-4:1e-2 -o models.html
  baserate report logs/ --label y --score p --by country --period ts:month --tz UTC
"""


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option(
    "--prevalence",
    "prevalences",
    multiple=True,
    metavar="PREVALENCE",
    help='Prevalence or range that matters: 0.001, "1 in 1,000", 1e-4:1e-2; repeatable.',
)
@click.option("-o", "--output", type=OutputPath(), default="report.html", show_default=True, help="File to write.")
@click.option("--title", help="Heading of the page.  [default: name of the file]")
@click.option("--resamples", type=click.IntRange(100), default=2000, show_default=True, help="Resamples for intervals.")
@click.option("--min-cases", type=click.IntRange(1), help="Pool groups with fewer positives or negatives, for privacy.")
@quiet_option
def report(
    *,
    file: tuple[str, ...],
    prevalences: tuple[str, ...],
    output: str,
    title: str | None,
    resamples: int,
    min_cases: int | None,
    by: tuple[str, ...],
    period: str | None,
    tz: str | None,
    **data: Any,
) -> None:
    """Write an interactive HTML page about scores.

    The page is one file that works offline and holds curves, not rows. A slider sets the prevalence; it starts at the
    first --prevalence. Each --by and the --period get a section.
    """
    check_clock(tz, period)
    check_outputs([output], file)
    wanted = [prevalence for text in prevalences for prevalence in grid_from([text], 2)]
    models = {score: curve for (score, _), curve in whole_curves(file, data, by=by, period=period).items()}
    groups = {key: _by_model(curves_of(file, by=(key,), period=None, tz=None, **data)) for key in by}
    if period is not None:
        groups[period.rpartition(":")[2]] = _by_model(curves_of(file, by=(), period=period, tz=tz, **data))
    names = [Path(name).name or str(name) for name in file]
    heading = title or ", ".join(names[:3]) + ", …" * (len(names) > 3)
    made = content(heading, models, wanted, groups, n_resamples=resamples, min_cases=min_cases)
    for sentence in made.revealing:
        note(f"{sentence}{'; --min-cases 10 pools such groups' * (' by ' in sentence)}")
    with until_nobody_reads():
        write(output, made)
    say(*verdict(made), f"The page: {output}")


def _by_model(curves: dict[tuple[str, Key], Curve]) -> dict[str, dict[object, Curve]]:
    by_model: dict[str, dict[object, Curve]] = {}
    for (score, (key,)), curve in curves.items():
        by_model.setdefault(score, {})[key] = curve
    return by_model
