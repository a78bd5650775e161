"""``baserate monitor``: stores the curve of each period, and tests whether model or prevalence have changed."""

import datetime
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import click

from baserate import checks
from baserate.answers.curves import group_name
from baserate.cli.arguments import OutputPath, check_outputs, curves_of, of_columns
from baserate.cli.monitor_files import write_parquet, write_prometheus
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import OutputRow, in_a_format, say, show_csv, show_json, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.cli.questions import questions_from
from baserate.curves.curve import Curve
from baserate.curves.rules import Threshold
from baserate.errors import InputError
from baserate.ingest.periods import name_of, period_from
from baserate.monitoring.judging import judge_periods
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_rows import CurveKey
from baserate.progress import progress
from baserate.results.verdicts import SeriesVerdict

# Exit codes, beside those that all commands have.
NOTHING_CHANGED, MODEL_CHANGED, PREVALENCE_MOVED = 0, 3, 4

_EXAMPLES = """\b
Examples:
  baserate monitor may.parquet --store monitor.db --label fraud --score p --period ts:month
  baserate monitor logs/ --store monitor.db --label y --score p --period ts:week --by country --prevalence 0.001
  baserate monitor --store monitor.db --last 3
  baserate monitor log.csv --store monitor.db --period ts:day --export monitor.parquet --prometheus monitor.prom

\b
Exit codes:
  0    no change detected, or too few periods
  1    invalid data or arguments; one sentence on stderr says why
  2    invalid command or option
  3    the model changed: alarm in the latest period of a model or slice
  4    the prevalence moved, no change of a model detected
  130  interrupted by Ctrl-C
"""


@click.command(epilog=_EXAMPLES)
@click.argument("file", nargs=-1, type=click.Path())
@of_columns
@click.option("--store", required=True, type=OutputPath(), help="File that stores past curves; created if missing.")
@click.option(
    "--metric", "name", default="average_precision", show_default=True, metavar="NAME", help="Metric to monitor."
)
@click.option(
    "--at", "rule", metavar="RULE", help="Rule that chooses the threshold, such as recall=0.6; see evaluate --help."
)
@click.option(
    "--prevalence",
    metavar="PREVALENCE",
    help="Prevalence at which periods are compared.  [default: mean of the reference]",
)
@click.option(
    "--reference",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Number of first periods used as reference.",
)
@click.option(
    "--false-alarm", type=float, default=0.05, show_default=True, help="Probability of any false alarm in 24 periods."
)
@click.option(
    "--tolerated",
    type=click.FloatRange(1),
    default=1.5,
    show_default=True,
    help="Largest ratio of prevalences without exit code 4.",
)
@click.option("--until", metavar="DATE", help="Ignore periods that end after this date.  [default: today]")
@click.option("--replace", is_flag=True, help="Overwrite stored periods whose rows have changed.")
@click.option("--last", type=click.IntRange(1), default=12, show_default=True, help="Number of latest periods to show.")
@click.option("--export", type=OutputPath(), help="Write all periods to a Parquet file.")
@click.option("--prometheus", type=OutputPath(), help="Write gauges of the latest period to a Prometheus text file.")
@in_a_format
@quiet_option
def monitor(
    *,
    store: str,
    name: str,
    rule: str | None,
    prevalence: str | None,
    reference: int,
    false_alarm: float,
    tolerated: float,
    until: str | None,
    replace: bool,
    last: int,
    export: str | None,
    prometheus: str | None,
    form: str | None,
    **data: Any,
) -> None:
    """Store a curve per period, and detect changes of the model.

    A change of a metric has two parts: one from the prevalence, one from the model. Each complete period of FILE is
    compared with the first ones (--reference) at one common prevalence, where only the model matters. --false-alarm is
    the probability of any false alarm, over all models and slices together. Running it twice changes nothing. Without
    FILE, all that is stored is judged again.
    """
    check_outputs([export, prometheus], [store, *data["file"]])
    (question,) = questions_from([name], rule, usual=((), ()))
    rate = checks.probability(false_alarm, "false_alarm")
    common = None if prevalence is None else prevalence_from(prevalence)
    watch = [question.rule.target] if isinstance(question.rule, Threshold) else []
    past, status = _updated(store, watch, until, replace, **data) if data["file"] else (_stored(store), {})
    series = [
        Series(
            *one,
            judge_periods(
                question.metric,
                curves,
                at=question.rule,
                reference=reference,
                prevalence=common,
                false_alarm=rate / len(past),
                tolerated=tolerated,
                last=last,
            ),
        )
        for one, curves in progress(past.items(), len(past), "Comparing")
    ]
    sources = _sources(store, past)
    every = [one.rows(status, sources) for one in series]
    if export is not None:
        write_parquet(export, [row for rows in every for row in rows])
    if prometheus is not None:
        write_prometheus(prometheus, [(rows[-1], one.verdict) for one, rows in zip(series, every, strict=True)])
    _note_errors(series)
    _show(series, [row for rows in every for row in rows[-last:]], form)
    if sys.stdout is not None:
        sys.stdout.flush()  # here, where somebody can say what is wrong with it
    verdicts = {one.verdict.verdict for one in series}
    click.get_current_context().exit(
        MODEL_CHANGED if "model" in verdicts else PREVALENCE_MOVED if "prevalence" in verdicts else NOTHING_CHANGED
    )


# --- keeping --------------------------------------------------------------------------------------

# Curves by period, of each model and slice.
Past = dict[tuple[str, str | None], dict[str, Curve]]


def _stored(store: str) -> Past:
    """All that a store has."""
    with CurveStore(store, read_only=True) as opened:
        names = dict.fromkeys((key.model, key.slice) for key in opened.keys())  # noqa: SIM118  # a store is no mapping
        past = {one: opened.curves(model=one[0], slice=one[1]) for one in names}
    if not past:
        raise InputError(f"a store must have curves, got {store!r}, which is empty; add some with a FILE.")
    return past


def _updated(
    store: str, watch: list[float], until: str | None, replace: bool, **data: Any
) -> tuple[Past, dict[CurveKey, str]]:
    """The past of the models and slices of a file, with what was done to keep each of its periods."""
    if data["period"] is None:
        raise click.UsageError("Missing option '--period', such as --period ts:month.", click.get_current_context())
    curves = _complete(_by_key(**data), data["period"], data["tz"], until)
    with CurveStore(store) as opened:
        status = _kept(opened, curves, watch, replace)
        names = dict.fromkeys((key.model, key.slice) for key in curves)
        return {one: opened.curves(model=one[0], slice=one[1]) for one in names}, status


def _by_key(keys: tuple[str, ...], **data: Any) -> dict[CurveKey, Curve]:
    """Curves of all rows and of each slice, by model, period and slice."""
    curves: dict[CurveKey, Curve] = {}
    for column in (None, *keys):
        for (score, (*value, period)), curve in curves_of(keys=() if column is None else (column,), **data).items():
            if period is None:
                note("rows without a time are ignored")
                continue
            part = None if column is None else f"{column}={group_name(tuple(value))}"
            curves[CurveKey(score, str(period), part)] = curve
    return curves


def _complete(curves: dict[CurveKey, Curve], period: str, tz: str | None, until: str | None) -> dict[CurveKey, Curve]:
    """Curves of complete periods; names of periods of one length sort in the order of time."""
    try:
        zone = None if tz is None else ZoneInfo(tz)
        day = datetime.datetime.now(zone).date() if until is None else datetime.date.fromisoformat(until)
    except ValueError:
        raise InputError(f"--until must be a date such as 2026-06-01, got {until!r}.") from None
    meant = period_from(tuple(period.rsplit(":", 1)), None)
    assert meant is not None
    running = name_of(day, meant.length)
    left_out = sorted({key.period for key in curves if key.period >= running})
    if left_out:
        note(f"ignoring {', '.join(left_out)}: not complete on {day}; --until sets a later date")
    kept = {key: curve for key, curve in curves.items() if key.period < running}
    if not kept:
        raise InputError(f"no complete period: no rows before {running}; wait, or set a later date with --until.")
    return kept


def _kept(store: CurveStore, curves: dict[CurveKey, Curve], watch: list[float], replace: bool) -> dict[CurveKey, str]:
    """Store the curves, and return the status of each."""
    return {receipt.key: receipt.status for receipt in store.append_many(curves, watch=watch, replace=replace)}


def _sources(store: str, past: Past) -> dict[CurveKey, str]:
    """Which files the rows of each period came from, where that is known."""
    sources: dict[CurveKey, str] = {}
    with CurveStore(store, read_only=True) as opened:
        for model, part in past:
            history = opened.history(model=model, slice=part)
            for period, source in zip(history["period"].tolist(), history["source"].tolist(), strict=True):
                sources |= {CurveKey(model, period, part): source} if source else {}
    return sources


# --- judging --------------------------------------------------------------------------------------


class Series(NamedTuple):
    """A model on all rows, or on a slice, with its verdict."""

    model: str
    slice: str | None
    verdict: SeriesVerdict

    @property
    def sentence(self) -> str:
        """The verdict, and what it is about."""
        about = f"{self.model}, {self.slice}" if self.slice is not None else self.model
        return f"{about}: {self.verdict.sentence}"

    def rows(self, status: Mapping[CurveKey, str], sources: Mapping[CurveKey, str]) -> list[OutputRow]:
        """A row for each period."""
        named = [(one, str(one["period"])) for one in self.verdict.rows()]
        return [
            {
                "model": self.model,
                "slice": self.slice,
                "period": period,
                "kept": status.get(CurveKey(self.model, period, self.slice)),
                **{name: value for name, value in one.items() if name != "period"},
                "source": sources.get(CurveKey(self.model, period, self.slice)),
            }
            for one, period in named
        ]


def _note_errors(series: Sequence[Series]) -> None:
    """How well stored curves know the metric, if they do not know it exactly."""
    periods = [period for one in series for period in one.verdict.periods]
    widest = max(max(period.own_error, period.common_error) for period in periods)
    if widest:
        metric = series[0].verdict.metric
        note(f"curves are stored in 4 KiB each: {metric} is exact to {widest:.2g}; intervals allow for that")


# --- showing --------------------------------------------------------------------------------------

_FOR_PEOPLE = (
    "model", "slice", "period", "kept", "pos", "neg", "prevalence", "own", "common", "common_low", "common_high",
    "change", "prior_part", "model_part", "alarm",
)  # fmt: skip


def _show(series: list[Series], rows: list[OutputRow], form: str | None) -> None:
    if form == "json":
        verdicts = [
            {"model": one.model, "slice": one.slice, "period": str(one.verdict.periods[-1].key)}
            | {"verdict": one.verdict.verdict, "prevalence_moved": one.verdict.prevalence_moved}
            | {"sentence": one.sentence}
            for one in series
        ]
        show_json({"periods": rows, "verdicts": verdicts})
    elif form == "csv":
        show_csv(rows)
    else:
        show_table([{name: row[name] for name in _FOR_PEOPLE} for row in rows])
        say("", *(one.sentence for one in series))
