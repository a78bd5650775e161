"""``baserate evaluate``: metrics of the scores in a file, at the prevalences that matter."""

import math

import click

from baserate.cli import arguments
from baserate.cli.output import Row, show
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate as value_of
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.uncertainty.estimate import estimate

_METRICS = ("average_precision", "auc_pr", "normalized_auc_pr", "auc_prg", "best_f1", "roc_auc")

# The sign \b keeps lines as they are.
_EXAMPLES = """\b
Examples:
  baserate evaluate scores.parquet --label fraud --score p --prevalence 1:10000
  baserate evaluate scores.csv.gz --label y --score old --score new --metric average_precision
  baserate evaluate logs/ --label y --score p --by country --period ts:month --tz UTC --csv
"""


@click.command(epilog=_EXAMPLES)
@arguments.of_a_file
@click.option("--prevalence", "prevalences", multiple=True, help="Where to read: 0.001 or 1:1000; repeat.")
@click.option("--metric", "names", multiple=True, metavar="NAME", help="Such as f_beta:beta=2; repeat.")
@click.option("--intervals/--no-intervals", default=True, help="With 95 % intervals, or quickly.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="As CSV.")
def evaluate(
    prevalences: tuple[str, ...],
    names: tuple[str, ...],
    intervals: bool,
    as_json: bool,
    as_csv: bool,
    **data: object,
) -> None:
    """Metrics of the scores in FILE, at the file's own prevalence and at others.

    FILE is Parquet, CSV or JSON lines (.gz welcome); several, folders and patterns too.
    """
    metrics = [_area(name) for name in names or _METRICS]
    wanted = [None, *map(arguments.prevalence_from, prevalences)]
    rows = []
    for (score, key), curve in arguments.curves_of(**data).items():  # type: ignore[arg-type]
        for prevalence in wanted:
            at = curve if prevalence is None else curve.at_prevalence(prevalence)
            rows += [_row(score, key, metric, at, intervals) for metric in metrics]
    show(rows, as_json=as_json, as_csv=as_csv)


def _area(name: str) -> MetricFunction:
    metric = arguments.metric_from(name)
    row = row_of(metric)
    if row is not None and row.family is Family.POINTWISE:
        raise InputError(f"evaluate shows metrics of the whole curve, got {name}, which needs a threshold.")
    return metric


def _row(score: str, key: tuple[object, ...], metric: MetricFunction, at: Curve, intervals: bool) -> Row:
    value, reason = value_of(metric, at)
    row: Row = {"score": score}
    row |= {"group": " ".join("(none)" if part is None else str(part) for part in key)} if key else {}
    row |= {"prevalence": at.prevalence, "metric": describe(metric), "value": float(value)}
    if intervals:
        found = estimate(metric, at, rng=0) if reason is None else None
        row |= {"low": found.low, "high": found.high} if found else {"low": math.nan, "high": math.nan}
    if at.bucketed:
        certain = bounds(metric, at)
        row |= {"at least": certain.low, "at most": certain.high}
    row |= {"pos": at.n_pos, "neg": at.n_neg, "unlabelled": at.unlabelled}
    return row | {"note": None if reason is None else reason.sentence}
