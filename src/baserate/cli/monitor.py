"""``baserate monitor``: stores the curve of each period, and tests whether model or prevalence have changed."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from baserate import checks
from baserate.cli.arguments import OutputPath, check_outputs, of_columns
from baserate.cli.monitor_files import write_parquet, write_prometheus
from baserate.cli.monitor_store import Late, day_from, sources_of, stored, updated
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import OutputRow, in_a_format, say, show_csv, show_json, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.cli.questions import questions_from
from baserate.curves.curve import Curve
from baserate.curves.rules import Rule, Threshold
from baserate.errors import InputError
from baserate.monitoring.advice import advise
from baserate.monitoring.judging import judge_periods
from baserate.monitoring.label_forecast import expected_labels
from baserate.monitoring.maturing import Offered
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_rows import CurveKey
from baserate.progress import progress
from baserate.results.labels import LabelForecast
from baserate.results.verdicts import Advice, SeriesVerdict

# Exit codes, beside those that all commands have.
NOTHING_CHANGED, MODEL_CHANGED, PREVALENCE_MOVED = 0, 3, 4

_EXAMPLES = """\b
Examples:
  baserate monitor may.parquet --store monitor.db --label fraud --score p --period ts:month
  baserate monitor logs/ --store monitor.db --label y --score p --period ts:week --by country --prevalence 0.001
  baserate monitor --store monitor.db --last 3
  baserate monitor logs/ --store monitor.db --period ts:month --matures 60d --agreed "recall >= 0.6" --threshold 0.3
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
    "--false-alarm",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability of any false alarm of a model, and of any of a slice, however long the series become.",
)
@click.option(
    "--looks",
    type=click.IntRange(1),
    help="Planned number of periods after the reference, if it is known.  [default: any number]",
)
@click.option(
    "--tolerated",
    type=click.FloatRange(1),
    default=1.5,
    show_default=True,
    help="Largest ratio of prevalences without exit code 4.",
)
@click.option("--until", metavar="DATE", help="Ignore periods that end after this date.  [default: today]")
@click.option(
    "--matures",
    metavar="DAYS",
    help="How long labels may still come in after a period, such as 60d; until then it may change and is not judged.",
)
@click.option(
    "--rows",
    type=click.Choice(["all", "new"]),
    default="all",
    show_default=True,
    help="With --matures, whether FILE has all rows of its periods or only new ones.",
)
@click.option(
    "--agreed",
    metavar="RULE",
    help='What was agreed, such as "recall >= 0.6": how to restore it is proposed after a change.',
)
@click.option("--threshold", type=float, help="Threshold in use, for --agreed.  [default: that of --at threshold=…]")
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
    looks: int | None,
    tolerated: float,
    until: str | None,
    matures: str | None,
    rows: Offered,
    agreed: str | None,
    threshold: float | None,
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
    the probability of any false alarm over all models, and over all slices. Running it twice changes nothing. Without
    FILE, all that is stored is judged again. After a change, --agreed says what to do: keep the threshold, move it, or
    retrain.
    """
    check_outputs([export, prometheus], [store, *data["file"]])
    (question,) = questions_from([name], rule, usual=((), ()))
    rate = checks.probability(false_alarm, "false_alarm")
    common = None if prevalence is None else prevalence_from(prevalence)
    agreement = _agreement(agreed, threshold, question.rule)
    watch = [one.target for one in (question.rule, agreement and agreement.threshold) if isinstance(one, Threshold)]
    late = Late(matures, None if matures is None else day_from(until, data["tz"]), rows)
    if late.matures is not None and data["missing"] is None:
        data["missing"] = "later"
    if data["file"]:
        past, status = updated(store, watch, until, replace, late, **data)
    else:
        past, status = stored(store), {}
    series, sharing = [], Counter(of is None for _, of in past)
    for one, curves in progress(past.items(), len(past), "Comparing"):
        verdict = judge_periods(
            question.metric,
            curves,
            at=question.rule,
            reference=reference,
            prevalence=common,
            false_alarm=rate / sharing[one[1] is None],  # slices take nothing from the models
            looks=looks,
            tolerated=tolerated,
            last=last,
            matures=late.matures,
            today=late.today,
        )
        advice = _advice(agreement, verdict, curves)
        series.append(Series(*one, verdict, advice, _forecast(store, *one, late, verdict)))
    sources = sources_of(store, past)
    every = [one.rows(status, sources) for one in series]
    if export is not None:
        write_parquet(export, [row for rows in every for row in rows])
    if prometheus is not None:
        write_prometheus(prometheus, [(_judged(rows), one.verdict) for one, rows in zip(series, every, strict=True)])
    _note_errors(series)
    _show(series, [row for rows in every for row in rows[-last:]], form)
    if sys.stdout is not None:
        sys.stdout.flush()  # here, where somebody can say what is wrong with it
    verdicts = {one.verdict.verdict for one in series}
    click.get_current_context().exit(
        MODEL_CHANGED if "model" in verdicts else PREVALENCE_MOVED if "prevalence" in verdicts else NOTHING_CHANGED
    )


# --- judging --------------------------------------------------------------------------------------


class Agreement(NamedTuple):
    """What was agreed, and the threshold in use."""

    rule: Rule
    threshold: Threshold


def _agreement(agreed: str | None, threshold: float | None, at: Rule | None) -> Agreement | None:
    if agreed is None:
        if threshold is not None:
            raise InputError(f'--threshold needs --agreed, got {threshold:g} alone; add --agreed "recall >= 0.6".')
        return None
    used = Threshold(checks.number(threshold, "threshold")) if threshold is not None else at
    if not isinstance(used, Threshold):
        raise InputError(f"--agreed needs the threshold in use, got {agreed!r} alone; add --threshold 0.3.")
    return Agreement(Rule.parse(agreed, "--agreed"), used)


def _advice(agreement: Agreement | None, verdict: SeriesVerdict, curves: Mapping[str, Curve]) -> Advice | None:
    """What to do after a change, by the latest period that was judged."""
    if agreement is None or verdict.verdict is None:
        return None
    latest = curves[next(str(one.key) for one in reversed(verdict.periods) if not one.provisional)]
    if latest.missing_class:
        note("no advice: the latest period has only one class")
        return None
    return advise(latest, threshold=agreement.threshold.target, agreed=agreement.rule, rng=0)


def _forecast(store: str, model: str, part: str | None, late: Late, verdict: SeriesVerdict) -> LabelForecast | None:
    """What the youngest period will become, if it is provisional and the day of its rows is known."""
    if late.matures is None or not verdict.periods[-1].provisional:
        return None
    with CurveStore(store, read_only=True) as opened:
        if not any(opened.versions(model=model, slice=part)["on"]):
            return None
        return expected_labels(opened, model=model, slice=part, matures=late.matures, today=late.today)


def _judged(rows: list[OutputRow]) -> OutputRow:
    """The latest period that is not provisional; the latest one if all are."""
    return next((row for row in reversed(rows) if not row["provisional"]), rows[-1])


class Series(NamedTuple):
    """A model on all rows, or on a slice, with its verdict, and what follows from it."""

    model: str
    slice: str | None
    verdict: SeriesVerdict
    advice: Advice | None = None
    forecast: LabelForecast | None = None

    @property
    def about(self) -> str:
        """What the verdict is about."""
        return f"{self.model}, {self.slice}" if self.slice is not None else self.model

    @property
    def sentence(self) -> str:
        """The verdict, and what it is about."""
        return f"{self.about}: {self.verdict.sentence}"

    @property
    def said(self) -> list[str]:
        """The verdict, the action, and what is expected."""
        more = [str(one) for one in (self.advice, self.forecast) if one is not None]
        return [self.sentence, *(line for text in more for line in f"{self.about}: {text}".split("\n"))]

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
        show_json({"periods": rows, "verdicts": [_as_json(one) for one in series]})
    elif form == "csv":
        show_csv(rows)
    else:
        people = [row | {"alarm": "provisional" if row["provisional"] else row["alarm"]} for row in rows]
        show_table([{name: row[name] for name in _FOR_PEOPLE} for row in people])
        say("", *(line for one in series for line in one.said))


_OF_ADVICE = ("action", "agreed", "threshold", "proposed", "prevalence", "sentence")


def _as_json(one: Series) -> dict[str, object]:
    advice, verdict = one.advice, one.verdict
    return {
        "model": one.model,
        "slice": one.slice,
        "period": str(verdict.periods[-1].key),
        "verdict": verdict.verdict,
        "prevalence_moved": verdict.prevalence_moved,
        "sentence": one.sentence,
        "advice": advice and {name: getattr(advice, name) for name in _OF_ADVICE} | {"estimates": advice.rows()},
        "expected": one.forecast and one.forecast.rows()[0],
    }
