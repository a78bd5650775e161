"""``baserate report``: writes an interactive HTML page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from baserate.cli.arguments import (
    OutputPath,
    check_clock,
    check_outputs,
    label_meant,
    of_columns,
    period_meant,
    reading,
)
from baserate.cli.columns import columns_meant
from baserate.cli.direction import note_direction
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import say, until_nobody_reads
from baserate.cli.prevalences import grid_from
from baserate.monitoring.store import CurveStore
from baserate.page.reporting import Report, title_of
from baserate.page.reporting import report as make_report

_EXAMPLES = """\b
Examples:
  baserate report scores.parquet --label fraud --score p --prevalence "1 in 10,000"
  baserate report scores.csv --score old --score new --prevalence 1e-4:1e-2 -o models.html
  baserate report logs/ --label y --score p --by country --period ts:month --tz UTC
  baserate report --store monitor.db --prevalence 0.001 -o history.html
"""


@click.command(epilog=_EXAMPLES)
@click.argument("file", nargs=-1, type=click.Path())
@of_columns
@click.option(
    "--store",
    type=click.Path(exists=True, dir_okay=False),
    help="Store written by `baserate monitor`, to report on instead of files.",
)
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
@click.option("--quick", is_flag=True, help="Draw a tenth as many resamples; the page says so.")
@quiet_option
def report(
    *,
    file: tuple[str, ...],
    prevalences: tuple[str, ...],
    output: str,
    title: str | None,
    resamples: int,
    min_cases: int | None,
    quick: bool,
    store: str | None,
    by: tuple[str, ...],
    period: str | None,
    tz: str | None,
    **data: Any,
) -> None:
    """Write an interactive HTML page about scores.

    With --store it is about the history in a store of monitor. The page is one file that works offline and holds
    curves, not rows. A slider sets the prevalence; it starts at the first --prevalence. Each --by and the --period get
    a section.
    """
    options: dict[str, Any] = {"title": title, "n_resamples": resamples, "quick": quick, "min_cases": min_cases}
    check_clock(tz, period)
    if store is not None:
        _check_alone(file, data, by, period)
        check_outputs([output], [store])
        options["title"] = title or f"{Path(store).name}: the history of its models"
        with CurveStore(store, read_only=True) as opened:
            made = make_report(opened, prevalence=_prevalences(prevalences), **options)
    else:
        if not file:
            raise click.UsageError("Missing argument 'FILE...'; or name a store with --store.")
        check_outputs([output], file)
        made = _of_files(
            file, by, period_meant(period), tz, data=data, wanted=_prevalences(prevalences), options=options
        )
    for sentence in made.revealing:
        note(f"{sentence}{'; --min-cases 10 pools such groups' * (' by ' in sentence)}")
    with until_nobody_reads():
        made.save(output)
    say(*made.verdict.split("\n"), f"The page: {output}")


def _prevalences(texts: tuple[str, ...]) -> list[float]:
    return [prevalence for text in texts for prevalence in grid_from([text], 2)]


def _check_alone(file: tuple[str, ...], data: Mapping[str, Any], by: tuple[str, ...], period: str | None) -> None:
    """Refuse what belongs to files beside a store."""
    given = [name for name, value in data.items() if value not in (None, ())]
    if file or by or period is not None or given:
        raise click.UsageError("--store has all models, periods and slices; leave out FILE and its columns.")


def _of_files(
    file: tuple[str, ...],
    by: tuple[str, ...],
    period: tuple[str, str] | None,
    tz: str | None,
    *,
    data: dict[str, Any],
    wanted: list[float],
    options: dict[str, Any],
) -> Report:
    written = reading(data)
    others = (data["weight"], data["stratum"], data["inclusion"], *by, period and period[0])
    label, scores = columns_meant(file, data["label"], data["scores"], others=others, n_scores=1, reading=written)
    columns: dict[str, Any] = {"label": label, "score": list(scores), "by": list(by), "period": period, "tz": tz}
    columns |= {"weight": data["weight"], "positive": label_meant(data["positive"]), "tolerance": data["tolerance"]}
    columns |= {name: data[name] for name in ("sampled", "stratum", "inclusion", "missing")}
    made = make_report(
        list(file), prevalence=wanted, **columns, **written, **options | {"title": options["title"] or title_of(file)}
    )
    for name, curve in made.models.items():
        note_direction(name, [curve])
    return made
