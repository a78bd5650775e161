"""``baserate plan``: how many labels a test set needs."""

from dataclasses import asdict
from typing import Any

import click

from baserate.cli.arguments import curves_of, written_as
from baserate.cli.draw import draw, fill
from baserate.cli.notes import quiet_option
from baserate.cli.output import OutputRow, in_a_format, show, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.design import test_set, test_set_like
from baserate.design.ap_planning import check_method
from baserate.design.planning import PlanMethod
from baserate.design.widths import OF_A_RATE
from baserate.results import TestSetPlan

_EXAMPLES = """\b
Examples:
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence "1 in 1,000" --cost-pos 1 --cost-neg 0.01
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence "1 in 1,000" --positives 500
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1 --method exact --method hoeffding --json
  baserate plan --tpr 0.6 --fpr 0.001 --ap-width 0.05 --prevalence "1 in 1,000"
  baserate plan scores.csv --score p --threshold 0.5 --draw 2000 -o to_label.csv
  baserate plan scores.csv --known to_label.csv -o labelled.csv
  baserate plan --like pilot.parquet --label y --score p --ap-width 0.05 --prevalence "1 in 1,000" --cost-neg 0.01
"""

# What people are shown; programs get everything.
_SHOWN = ("metric", "method", "n_pos", "n_neg", "cost", "prevalence", "wanted_width", "expected_width", "chance")

_OF_PILOT_DATA = ("like", "label", "score", "positive", "missing", "delimiter", "decimal")


def _only_one(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """The file, if one is given: a file of a second round has the rows of the first, too."""
    if len(given) > 1:
        raise click.UsageError(f"--{option.name} takes one file, got {len(given)}; the last round has all rows.")
    return given[0] if given else None


@click.command(epilog=_EXAMPLES)
@click.argument("file", required=False, metavar="[FILE]", type=click.Path())
@click.option("--draw", "wanted", type=click.IntRange(1), metavar="N", help="Draw N rows of FILE (CSV) to label.")
@click.option("--output", "-o", metavar="FILE", type=click.Path(), help="Where to write the drawn rows, or the labels.")
@click.option("--threshold", type=float, help="With --draw: alerts have this score or a higher one.")
@click.option("--metric", default="recall", show_default=True, help="With --draw: the metric to know well.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="With --draw: the random seed.")
@click.option(
    "--known",
    metavar="FILE",
    multiple=True,
    callback=_only_one,
    type=click.Path(),
    help="Rows drawn before, with drawn_label filled in: for a second round, or, without --draw, to add them to FILE.",
)
@click.option("--tpr", type=float, help="Expected true positive rate (recall).")
@click.option("--fpr", type=float, help="Expected false positive rate.")
@click.option("--delta", type=float, help="Target: largest width of the precision band over all prevalences.")
@click.option("--half-width", type=float, help="Target: half-width of the precision interval at --prevalence.")
@click.option("--ap-width", type=float, help="Target: width of the average precision interval at --prevalence.")
@click.option("--prevalence", metavar="PREVALENCE", help='Prevalence of the target, such as 0.001 or "1 in 1,000".')
@click.option(
    "--like",
    metavar="FILE",
    type=click.Path(),
    help="Pilot data whose ROC curve is assumed, instead of --tpr and --fpr.",
)
@click.option("--label", metavar="COLUMN", help="Column of labels in the pilot data.  [default: the only candidate]")
@click.option(
    "--score",
    metavar="COLUMN",
    multiple=True,
    help="Column of scores in the pilot data.  [default: the only candidate]",
)
@click.option("--positive", metavar="LABEL", help="Label of the positive class.  [default: 1 or true]")
@click.option("--missing", type=click.Choice(["random", "later"]), help="Why rows of the pilot data have no label.")
@written_as
@click.option("--cost-pos", type=float, default=1.0, show_default=True, help="Cost of a labelled positive.")
@click.option("--cost-neg", type=float, default=1.0, show_default=True, help="Cost of a labelled negative.")
@click.option("--positives", "n_pos", type=click.IntRange(1), help="Fix the number of positives.")
@click.option("--negatives", "n_neg", type=click.IntRange(1), help="Fix the number of negatives.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(list(OF_A_RATE)),
    default=("exact",),
    help="Interval method; repeatable.  [default: exact, as in evaluate]",
)
@click.option(
    "--confidence-level", type=float, default=0.95, show_default=True, help="Confidence level of the interval."
)
@click.option(
    "--assurance",
    type=float,
    default=0.95,
    show_default=True,
    help="Probability that the interval is as narrow as the target.",
)
@in_a_format
@quiet_option
def plan(
    *,
    file: str | None,
    wanted: int | None,
    output: str | None,
    methods: tuple[PlanMethod, ...],
    prevalence: str | None,
    form: str | None,
    **asked: Any,
) -> None:
    """Plan the size of a test set.

    Finds the cheapest numbers of positives and negatives for a target width of an interval. There are three
    targets. Precision at a prevalence: --half-width and --prevalence. Precision at its worst prevalence: --delta. Both
    are for a threshold fixed beforehand, where --tpr and --fpr are expected. Average precision: --ap-width and
    --prevalence. It assumes the binormal ROC curve through --tpr and --fpr, or the curve of pilot data (--like).

    With --draw, it shares N labels among strata of the scores in FILE, and draws the rows to label: those of
    --threshold and above, a band below, and the rest, as is best for --metric by the curve of --like or of --known.
    The file it writes has the columns position, stratum, inclusion and an empty drawn_label.
    """
    drawing = {name: asked.pop(name) for name in ("threshold", "metric", "seed", "known")}
    if file is not None:
        _draw_or_fill(file, wanted, output, asked | drawing | {"prevalence": prevalence})
        return
    if wanted is not None or output is not None or drawing["known"] is not None:
        raise click.UsageError("--draw, --known and --output need FILE.")
    at = None if prevalence is None else prevalence_from(prevalence)
    example = {name: asked.pop(name) for name in _OF_PILOT_DATA}
    if example["like"] is None:
        _check_rates(asked, example)
        plans = [test_set(prevalence=at, method=method, **asked) for method in methods]
    else:
        plans = [_plan_like(example, at, methods, asked)]
    rows: list[OutputRow] = [asdict(one) for one in plans]
    if form is None:
        show_table([{name: row[name] for name in _SHOWN} for row in rows])
    else:
        show(rows, form)


def _draw_or_fill(file: str, wanted: int | None, output: str | None, asked: dict[str, Any]) -> None:
    if wanted is not None:
        draw(file, wanted, output, asked)
    elif asked["known"] is not None:
        fill(file, output, asked)
    else:
        raise click.UsageError("FILE needs --draw, or --known.")


def _check_rates(asked: dict[str, Any], example: dict[str, Any]) -> None:
    for name in ("tpr", "fpr"):
        if asked[name] is None:
            raise click.UsageError(f"Missing option '--{name}'.")
    for name, value in example.items():
        if value:
            raise click.UsageError(f"--{name} needs --like.")


def _plan_like(
    example: dict[str, Any], at: float | None, methods: tuple[PlanMethod, ...], asked: dict[str, Any]
) -> TestSetPlan:
    for name in ("tpr", "fpr", "delta", "half_width"):
        if asked.pop(name) is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} cannot be combined with --like.")
    if asked["ap_width"] is None:
        raise click.UsageError("Missing option '--ap-width'.")
    if len(example["score"]) > 1:
        raise click.UsageError("--like takes one --score.")
    for method in methods:
        check_method(method)
    curves = curves_of(
        (example["like"],),
        label=example["label"],
        scores=example["score"],
        weight=None,
        by=(),
        period=None,
        tz=None,
        positive=example["positive"],
        missing=example["missing"],
        tolerance=None,
        delimiter=example["delimiter"],
        decimal=example["decimal"],
    )
    (curve,) = curves.values()
    return test_set_like(curve if at is None else curve.at_prevalence(at), **asked)
