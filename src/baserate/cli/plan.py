"""``baserate plan``: how many labels a test set needs."""

from dataclasses import asdict
from typing import Any

import click

from baserate.cli.output import Row, in_a_format, show, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.design import test_set
from baserate.design.planning import Method
from baserate.design.widths import OF_A_RATE

_EXAMPLES = """\b
Examples:
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence 1:1000 --cost-pos 1 --cost-neg 0.01
  baserate plan --tpr 0.6 --fpr 0.001 --half-width 0.05 --prevalence 1:1000 --positives 500
  baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1 --method exact --method hoeffding --json
"""

# What people are shown; programs get everything.
_SHOWN = ("method", "n_pos", "n_neg", "cost", "prevalence", "wanted_width", "expected_width", "chance")


@click.command(epilog=_EXAMPLES)
@click.option("--tpr", type=float, required=True, help="The true positive rate (recall) that is expected.")
@click.option("--fpr", type=float, required=True, help="The false positive rate that is expected.")
@click.option("--delta", type=float, help="The widest that precision's band may be at any prevalence.")
@click.option("--half-width", type=float, help="Or: half the width of precision's interval at --prevalence.")
@click.option("--prevalence", help="Where precision is read: 0.001 or 1:1000; with --half-width.")
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
def plan(*, methods: tuple[Method, ...], prevalence: str | None, form: str | None, **asked: Any) -> None:
    """How many positives and negatives a test set needs.

    The cheapest numbers for which the interval of precision comes out as narrow as wanted: at a prevalence
    (--half-width and --prevalence), or wherever it is widest (--delta). The threshold is to be fixed beforehand.
    """
    at = None if prevalence is None else prevalence_from(prevalence)
    plans = [test_set(prevalence=at, method=method, **asked) for method in methods]
    rows: list[Row] = [asdict(one) for one in plans]
    if form is None:
        show_table([{name: row[name] for name in _SHOWN} for row in rows])
    else:
        show(rows, form)
