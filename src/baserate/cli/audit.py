"""``baserate audit``: whether published numbers can be true together."""

import click

from baserate.cli.notes import quiet_option
from baserate.cli.output import in_a_format, say, show_csv, show_json
from baserate.cli.prevalences import prevalence_from
from baserate.published.auditing import audit as audited

IMPOSSIBLE = 3

_EXAMPLES = """\b
Examples:
  baserate audit precision=0.90 recall=0.80 prevalence=0.10 --at "1 in 1,000"
  baserate audit sensitivity=47% specificity=97% ppv=10%
  baserate audit auc_pr=0.25 prevalence=0.50
  baserate audit recall=0.85 precision=0.60 n_pos=120 n_neg=9880 --at 0.001 --json

\b
Exit codes:
  0    the numbers are possible
  1    invalid arguments; one sentence on stderr says why
  2    invalid command or option
  3    the numbers are not possible
"""


@click.command(epilog=_EXAMPLES)
@click.argument("printed", nargs=-1, required=True, metavar="NAME=NUMBER...")
@click.option(
    "--at",
    metavar="PREVALENCE",
    multiple=True,
    help='Prevalence at which to say what follows, such as 0.001 or "1 in 1,000"; repeatable.',
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="Metric to say it of; repeatable.  [default: the rates, precision and f1]",
)
@in_a_format
@quiet_option
def audit(*, printed: tuple[str, ...], at: tuple[str, ...], metrics: tuple[str, ...], form: str | None) -> None:
    """Check whether published numbers can be true together.

    Also prints the ranges that they imply, at their own prevalence and at another one. NAME is a metric of one
    threshold (precision, recall, fpr, specificity, npv, f1, accuracy, …), an area (roc_auc, auc_pr, average_precision),
    or one of prevalence, n_pos and n_neg. Write NUMBER as it is printed: 0.90 stands for 0.895 to 0.905, and 0.9 for
    0.85 to 0.95. A range is written 0.85:0.95.
    """
    found = audited(_named(printed), at=[prevalence_from(text) for text in at], metrics=metrics or None)
    if form == "json":
        show_json({"possible": found.possible, "why": found.why, "implied": found.rows() if found.possible else []})
    elif form == "csv":
        show_csv(found.rows())
    else:
        say(*str(found).split("\n"))
    if not found:
        click.get_current_context().exit(IMPOSSIBLE)


def _named(printed: tuple[str, ...]) -> dict[str, object]:
    numbers: dict[str, object] = {}
    for text in printed:
        name, equals, number = text.rpartition("=")
        if not equals or not name:
            raise click.UsageError(f"Numbers are written NAME=NUMBER, such as precision=0.90, got {text!r}.")
        if name in numbers:
            raise click.UsageError(f"{name} is given twice; give each number once.")
        numbers[name] = number
    return numbers
