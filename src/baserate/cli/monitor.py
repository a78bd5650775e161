"""``baserate monitor``: keep each period's curve, and say what has changed: the model, or the prevalence."""

import datetime
import math
import sys
from collections.abc import Hashable
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

import click

from baserate import checks
from baserate.answers.curves import group_name
from baserate.answers.questions import Question
from baserate.cli.arguments import OutputPath, check_outputs, curves_of, of_a_file
from baserate.cli.monitor_files import write_parquet, write_prometheus
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import Row, in_a_format, say, show_csv, show_json, show_table
from baserate.cli.prevalences import prevalence_from
from baserate.cli.questions import questions_from
from baserate.curves.curve import Curve
from baserate.errors import InputError, NoSuchPointError
from baserate.ingest.periods import name_of, period_from
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import explain_changes
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_rows import CurveKey
from baserate.progress import progress
from baserate.registry import describe
from baserate.results.changes import Alarms
from baserate.written import one_in

# Exit codes, beside those that all commands have.
NOTHING_CHANGED, MODEL_CHANGED, PREVALENCE_MOVED = 0, 3, 4

# How many standard errors a prevalence has to move for its move to be more than chance.
_BEYOND_CHANCE = 3.0

# Looks that false alarms are counted over: verdicts on past periods stay as they are for so many periods.
_LOOKS = 24

# Bounds that are no further apart are those of a metric that is known.
_ROUNDING = 1e-9

_EXAMPLES = """\b
Examples:
  baserate monitor may.parquet --store monitor.db --label fraud --score p --period ts:month
  baserate monitor logs/ --store monitor.db --label y --score p --period ts:week --by country --prevalence 0.001
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
@of_a_file
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
    the probability of any false alarm, over all models and slices together. Running it twice changes nothing.
    """
    if data["period"] is None:
        raise click.UsageError("Missing option '--period', such as --period ts:month.", click.get_current_context())
    check_outputs([export, prometheus], [store, *data["file"]])
    (question,) = questions_from([name], rule, usual=((), ()))
    rate = checks.probability(false_alarm, "false_alarm")
    common = None if prevalence is None else prevalence_from(prevalence)
    curves = _complete(_by_key(**data), data["period"], data["tz"], until)
    with CurveStore(store) as opened:
        status = _kept(opened, curves, replace)
        names = list(dict.fromkeys((key.model, key.slice) for key in curves))
        past = {one: opened.curves(model=one[0], slice=one[1]) for one in names}
    settings = SeriesSettings(question, common, reference, rate / len(names), tolerated, last)
    series = [judged(*one, past[one], settings, status) for one in progress(names, len(names), "Comparing")]
    if export is not None:
        write_parquet(export, [row for one in series for row in one.rows])
    if prometheus is not None:
        write_prometheus(prometheus, [one.latest for one in series])
    _show(series, last, form)
    if sys.stdout is not None:
        sys.stdout.flush()  # here, where somebody can say what is wrong with it
    verdicts = {one.latest["verdict"] for one in series}
    click.get_current_context().exit(
        MODEL_CHANGED if "model" in verdicts else PREVALENCE_MOVED if "prevalence" in verdicts else NOTHING_CHANGED
    )


# --- keeping --------------------------------------------------------------------------------------


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
    """Those of periods that are over; names of periods of one length are in the order of time."""
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


def _kept(store: CurveStore, curves: dict[CurveKey, Curve], replace: bool) -> dict[CurveKey, str]:
    """What was done with each, once it is on the disk."""
    receipts = store.append_many(curves, replace=replace)
    widest = max(receipt.width for receipt in receipts)
    if widest > _ROUNDING:
        note(f"curves are stored in 4 KiB each: average precision is exact to {widest:.2g}, see at_least and at_most")
    return {receipt.key: receipt.status for receipt in receipts}


# --- judging --------------------------------------------------------------------------------------


class SeriesSettings(NamedTuple):
    """How a series is monitored."""

    question: Question
    prevalence: float | None
    reference: int
    false_alarm: float
    tolerated: float
    last: int


class Series(NamedTuple):
    """A model on all rows, or on a slice: a row for each period, and for the latest with a verdict."""

    rows: list[Row]
    latest: Row
    sentence: str


def judged(
    model: str, part: str | None, curves: dict[str, Curve], settings: SeriesSettings, status: dict[CurveKey, str]
) -> Series:
    """All periods of a series beside the reference, and what that says about the latest."""
    periods = list(curves)
    first = periods[: settings.reference]
    alarms, why = _alarms(curves, settings)
    common = settings.prevalence if alarms is None else alarms.prevalence
    rows = [
        {
            "model": model,
            "slice": part,
            "period": period,
            "kept": status.get(CurveKey(model, period, part)),
            **_read(curve, settings.question, common),
            **_change_of(None),
            **_look(alarms, period),
        }
        for period, curve in curves.items()
    ]
    before = Curve.pool(curves[period] for period in first)
    shown = {period: curves[period] for period in periods[-settings.last :] if period not in first}
    if shown and not before.missing_class:
        _explain(rows[-len(shown) :], shown, before, settings.question)
    moved = len(periods) > len(first) and _has_moved(before, curves[periods[-1]], settings.tolerated)
    standing = _latest_look(alarms)
    verdict = "model" if standing is not None and standing[1] else "prevalence" if moved else None
    latest = {**rows[-1], "verdict": verdict, "prevalence_moved": moved}
    about = f"{model}, {part}" if part is not None else model
    since = f"{first[0]} to {first[-1]}" if len(first) > 1 else first[0]
    return Series(rows, latest, f"{about}: {_sentence(latest, alarms, since, before, why)}")


def _alarms(curves: dict[str, Curve], settings: SeriesSettings) -> tuple[Alarms | None, str]:
    """What the past says about the model, or why it says nothing."""
    missing = settings.reference + 1 - len(curves)
    if missing > 0:
        return None, f"{missing} more period{'s' * (missing > 1)} needed to compare with the first {settings.reference}"
    try:
        alarms = model_alarms(
            settings.question.metric,
            curves,
            at=settings.question.rule,
            reference=settings.reference,
            prevalence="mean" if settings.prevalence is None else settings.prevalence,
            false_alarm=settings.false_alarm,
            looks=max(_LOOKS, len(curves) - settings.reference),
            rng=0,
        )
    except InputError as error:
        return None, str(error).rstrip(".")
    return alarms, "no period has enough cases to be looked at"


def _latest_look(alarms: Alarms | None) -> tuple[Hashable, bool] | None:
    """The latest period that could be looked at, and whether an alarm stands in it."""
    if alarms is None:
        return None
    looked = [k for k, reason in enumerate(alarms.reasons) if reason is None]
    return (alarms.keys[looked[-1]], bool(alarms.alarm[looked[-1]])) if looked else None


def _read(curve: Curve, question: Question, common: float | None) -> Row:
    """The metric of one period, at its own and at the common prevalence."""
    row: Row = {"pos": curve.n_pos, "neg": curve.n_neg, "prevalence": float(curve.prevalence)}
    row |= {"metric": describe(question.metric), "own": _value(curve, question)[0], "common_prevalence": common}
    value, low, high = (None, None, None) if common is None else _value(curve.at_prevalence(common), question)
    return row | {"common": value, "at_least": low, "at_most": high}


def _value(curve: Curve, question: Question) -> tuple[float, float | None, float | None]:
    """A metric, and its certain bounds where scores share buckets."""
    try:
        place = question.place(curve)
    except NoSuchPointError:
        return math.nan, None, None
    value = float(evaluate(question.metric, place)[0])
    if not curve.bucketed or math.isnan(value):
        return value, None, None
    certain = bounds(question.metric, place)
    low, high = float(certain.low), float(certain.high)
    return (value, low, high) if high - low > _ROUNDING else (value, None, None)


def _explain(rows: list[Row], curves: dict[str, Curve], before: Curve, question: Question) -> None:
    """Take the change of each period against the reference apart."""
    changes = explain_changes(question.metric, curves, against=before, at=question.rule, n_resamples=500, rng=0)
    for row, change in zip(rows, changes.changes, strict=True):
        row.update(_change_of(change))


def _change_of(change: Any) -> Row:
    if change is None:
        return dict.fromkeys(("change", "prior_part", "model_part", "model_low", "model_high"))
    parts = {"change": change.total.value, "prior_part": change.prior.value, "model_part": change.model.value}
    return {**parts, "model_low": change.model.low, "model_high": change.model.high}


def _look(alarms: Alarms | None, period: str) -> Row:
    if alarms is None or period not in alarms.keys:
        return {"statistic": None, "limit": None, "alarm": None}
    k = alarms.keys.index(period)
    if alarms.reasons[k] is not None:
        return {"statistic": None, "limit": None, "alarm": None}
    return {"statistic": float(alarms.statistic[k]), "limit": float(alarms.limit[k]), "alarm": bool(alarms.alarm[k])}


def _has_moved(before: Curve, after: Curve, tolerated: float) -> bool:
    """Whether the share of positives has changed by more than the tolerated ratio, and by more than chance."""
    sizes = [float(curve.n_pos + curve.n_neg) for curve in (before, after)]
    if not all(sizes):
        return False
    shares = [float(curve.n_pos) / size for curve, size in zip((before, after), sizes, strict=True)]
    pooled = float(before.n_pos + after.n_pos) / sum(sizes)
    error = math.sqrt(pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1]))
    return max(shares) > tolerated * min(shares) and abs(shares[1] - shares[0]) > _BEYOND_CHANCE * error


def _sentence(latest: Row, alarms: Alarms | None, since: str, before: Curve, why: str) -> str:
    """The verdict on the latest period, for people."""
    standing = _latest_look(alarms)
    now, then = one_in(cast(float, latest["prevalence"])), one_in(before.prevalence)
    prevalence = f"{latest['period']}: prevalence {now}; {since}: {then}"
    if alarms is None or standing is None:
        return f"too early to say ({why})" + (f"; the prevalence has moved ({prevalence})" * bool(latest["verdict"]))
    k = alarms.keys.index(standing[0])
    values = f"{alarms.metric} {alarms.value[k]:.4g} in {standing[0]}, {alarms.reference:.4g} in {since}"
    values += f", at prevalence {one_in(alarms.prevalence)}"
    if standing[1]:
        return f"the model is worse than it was ({values}; first alarm in {alarms.first})"
    if latest["verdict"] == "prevalence":
        return f"the prevalence has moved, no change of the model detected ({prevalence}; {values})"
    return f"no change detected ({values})"


# --- showing --------------------------------------------------------------------------------------

_FOR_PEOPLE = (
    "model", "slice", "period", "kept", "pos", "neg", "prevalence", "own", "common", "at_least", "at_most", "change",
    "prior_part", "model_part", "alarm",
)  # fmt: skip


def _show(series: list[Series], last: int, form: str | None) -> None:
    rows = [row for one in series for row in one.rows[-last:]]
    if form == "json":
        verdicts = [
            {name: one.latest[name] for name in ("model", "slice", "period", "verdict", "prevalence_moved")}
            | {"sentence": one.sentence}
            for one in series
        ]
        show_json({"periods": rows, "verdicts": verdicts})
    elif form == "csv":
        show_csv(rows)
    else:
        show_table([{name: row[name] for name in _FOR_PEOPLE} for row in rows])
        say("", *(one.sentence for one in series))
