"""``baserate plan``: how many labels a test set needs."""

from dataclasses import asdict
from typing import Any

import click

from baserate.cli.arguments import curves_of, written_as
from baserate.cli.notes import quiet_option
from baserate.cli.output import Row, in_a_format, show, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.design import test_set, test_set_like
from baserate.design.ap_planning import check_method
from baserate.design.planning import Method
from baserate.design.widths import OF_A_RATE
from baserate.results import TestSetPlan

_EXAMPLES = """\b
Examples:
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence 1:1000 --cost-pos 1 --cost-neg 0.01
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence 1:1000 --positives 500
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1 --method exact --method hoeffding --json
  baserate plan --tpr 0.6 --fpr 0.001 --ap-width 0.05 --prevalence 1:1000
  baserate plan --like pilot.parquet --label y --score p --ap-width 0.05 --prevalence 1:1000 --cost-neg 0.01
"""

# What people are shown; programs get everything.
_SHOWN = ("metric", "method", "n_pos", "n_neg", "cost", "prevalence", "wanted_width", "expected_width", "chance")


@click.command(epilog=_EXAMPLES)
@click.option("--tpr", type=float, help="The true positive rate (recall) that is expected.")
@click.option("--fpr", type=float, help="The false positive rate that is expected.")
@click.option("--delta", type=float, help="The widest that precision's band may be at any prevalence.")
@click.option("--half-width", type=float, help="Or: half the width of precision's interval at --prevalence.")
@click.option("--ap-width", type=float, help="Or: the width of average precision's interval at --prevalence.")
@click.option("--prevalence", help="Where it is read: 0.001 or 1:1000; with --half-width or --ap-width.")
@click.option("--like", metavar="FILE", type=click.Path(), help="Scores to be like, instead of --tpr and --fpr.")
@click.option("--label", metavar="COLUMN", help="Its column of labels, unless only one can be meant.")
@click.option("--score", metavar="COLUMN", multiple=True, help="Its column of scores, likewise.")
@click.option("--positive", metavar="LABEL", help="Which label is the positive one, if not 1 or true.")
@written_as
@click.option("--cost-pos", type=float, default=1.0, show_default=True, help="What a positive costs.")
@click.option("--cost-neg", type=float, default=1.0, show_default=True, help="What a negative costs.")
@click.option("--positives", "n_pos", type=click.IntRange(1), help="Positives, if their number is settled.")
@click.option("--negatives", "n_neg", type=click.IntRange(1), help="Negatives, if their number is settled.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(list(OF_A_RATE)),
    default=("exact",),
    help="How the interval will be made; repeat.  [default: exact, what evaluate does]",
)
@click.option("--confidence-level", type=float, default=0.95, show_default=True, help="The level of the interval.")
@click.option(
    "--assurance",
    type=float,
    default=0.95,
    show_default=True,
    help="In which share of test sets it is to be that narrow.",
)
@in_a_format
@quiet_option
def plan(*, methods: tuple[Method, ...], prevalence: str | None, form: str | None, **asked: Any) -> None:
    """How many positives and negatives a test set needs.

    The cheapest numbers for which an interval comes out as narrow as wanted: that of precision at a prevalence
    (--half-width and --prevalence), or wherever it is widest (--delta), with a threshold that is fixed beforehand; or
    that of average precision (--ap-width and --prevalence). For the latter --tpr and --fpr are a point of a binormal
    ROC curve, or --like names scores whose curve is followed, read at --prevalence or as they are.
    """
    at = None if prevalence is None else prevalence_from(prevalence)
    example = {name: asked.pop(name) for name in ("like", "label", "score", "positive", "delimiter", "decimal")}
    if example["like"] is None:
        _check_rates(asked, example)
        plans = [test_set(prevalence=at, method=method, **asked) for method in methods]
    else:
        plans = [_plan_like(example, at, methods, asked)]
    rows: list[Row] = [asdict(one) for one in plans]
    if form is None:
        show_table([{name: row[name] for name in _SHOWN} for row in rows])
    else:
        show(rows, form)


def _check_rates(asked: dict[str, Any], example: dict[str, Any]) -> None:
    for name in ("tpr", "fpr"):
        if asked[name] is None:
            raise click.UsageError(f"Missing option '--{name}'.")
    for name, value in example.items():
        if value:
            raise click.UsageError(f"--{name} goes with --like.")


def _plan_like(
    example: dict[str, Any], at: float | None, methods: tuple[Method, ...], asked: dict[str, Any]
) -> TestSetPlan:
    for name in ("tpr", "fpr", "delta", "half_width"):
        if asked.pop(name) is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with --like.")
    if asked["ap_width"] is None:
        raise click.UsageError("Missing option '--ap-width'.")
    if len(example["score"]) > 1:
        raise click.UsageError("A plan is like one model: name one --score.")
    for method in methods:
        check_method(method)
    found = curves_of(
        (example["like"],),
        label=example["label"],
        scores=example["score"],
        weight=None,
        keys=(),
        period=None,
        tz=None,
        positive=example["positive"],
        tolerance=None,
        delimiter=example["delimiter"],
        decimal=example["decimal"],
    )
    (curve,) = found.values()
    return test_set_like(curve if at is None else curve.at_prevalence(at), **asked)
