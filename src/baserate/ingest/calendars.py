"""The number of the period that a time falls into, worked out by the engine.

Engines disagree on truncation, on weeks and on whose time zone counts. They agree on the year, the month and the day
of the year that a clock without a zone shows, on the seconds since 1970 of an instant, and on arithmetic with whole
numbers below 2**53: sums, products, and floors of quotients. So the plan is as long for a thousand periods as for one.
A time zone adds a comparison for each time its clocks were changed between the first row and the last.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import narwhals.stable.v2 as nw

from baserate.errors import InputError
from baserate.ingest.collecting import AnyFrame
from baserate.ingest.periods import Period, first_day, number_of

# In place of the number of a period, which is whole: there is no time, or one that no calendar has.
NO_TIME, BEYOND = 0.25, 0.75

# More periods than this make a plan that engines take long to work on, where it has to name them all.
_MOST_NAMED = 1000

_DAY = datetime.timedelta(days=1)
_SECOND = datetime.timedelta(seconds=1)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

# The first and the last instant.
FirstAndLast = tuple[datetime.datetime, datetime.datetime]


def with_number(
    frame: AnyFrame, period: Period, dtype: nw.dtypes.DType, ends: Callable[[], FirstAndLast | None]
) -> AnyFrame:
    """Have ``time`` replaced by ``period``; `ends` are known for those who need them, None if there is no time."""
    zone = dtype.time_zone if isinstance(dtype, nw.Datetime) else None
    if zone is None:
        frame = frame.with_columns(_by_clock(period.length).alias("period"))
    else:
        found = ends()
        if found is None:
            frame = frame.with_columns(nw.lit(NO_TIME).alias("period"))
        elif frame.implementation.is_ibis():
            frame = frame.with_columns(_by_name(period, found, zone).alias("period"))
        else:
            frame = _with_seconds(frame)
            frame = frame.with_columns(_day(found, period.zone).alias("day")).drop("seconds")
            frame = _with_number_of_day(frame, period.length).drop("day")
    known = nw.when(nw.col("period").is_null()).then(nw.lit(BEYOND)).otherwise(nw.col("period"))
    number = nw.when(nw.col("time").is_null()).then(nw.lit(NO_TIME)).otherwise(known)
    return frame.with_columns(number.alias("period")).drop("time")


# --- clocks without a zone ------------------------------------------------------------------------


def _by_clock(length: str) -> nw.Expr:
    clock = nw.col("time").dt
    year = clock.year().cast(nw.Float64)
    if length in ("day", "week"):
        past = year - 1
        leap_days = _quotient(past, 4) - _quotient(past, 100) + _quotient(past, 400)
        return _of_days(past * 365 + leap_days + clock.ordinal_day().cast(nw.Float64), length)
    return _of_months(year * 12 + clock.month().cast(nw.Float64) - 1, length)


def _quotient(number: nw.Expr, divisor: int) -> nw.Expr:
    """Rounded down; the half keeps away from whole quotients, should an engine round these."""
    return ((number + 0.5) / divisor).floor()


def _of_days(day: nw.Expr, length: str) -> nw.Expr:
    """From days as Python counts them; the first one was a Monday."""
    return day if length == "day" else _quotient(day - 1, 7)


def _of_months(month: nw.Expr, length: str) -> nw.Expr:
    """From months since the year 0."""
    return month if length == "month" else _quotient(month, 3 if length == "quarter" else 12)


# --- instants, and a zone whose clock counts ------------------------------------------------------


def _with_seconds(frame: AnyFrame) -> AnyFrame:
    """Add whole seconds since 1970; what narwhals has not, the engine is asked for."""
    engine, native = frame.implementation, nw.to_native(frame)
    if engine.is_duckdb() or engine.is_spark_like():
        n = "epoch_us(time)"
        rounded_down = f"({n} - ({n} % 1000000 + 1000000) % 1000000) // 1000000"
        duckdb, spark = (f"CAST({whole} AS DOUBLE) AS seconds" for whole in (rounded_down, "unix_seconds(time)"))
        asked = native.project(f"*, {duckdb}") if engine.is_duckdb() else native.selectExpr("*", spark)
        with_seconds: AnyFrame = nw.from_native(asked)
        return with_seconds
    seconds = nw.col("time").dt.timestamp("us") // 1_000_000
    return frame.with_columns(seconds.cast(nw.Float64).alias("seconds"))


def _day(ends: FirstAndLast, zone: ZoneInfo | None) -> nw.Expr:
    """The day that the clock shows."""
    changes = clock_changes(*ends, zone)
    begins = [float((change.instant - _EPOCH) // _SECOND) for change in changes[1:]]
    ahead = _chosen(nw.col("seconds"), begins, [change.ahead for change in changes])
    return _quotient(nw.col("seconds") + ahead, 86_400) + _EPOCH.toordinal()


def _with_number_of_day(frame: AnyFrame, length: str) -> AnyFrame:
    """Add ``period`` from ``day``.

    Years are taken to begin in March, so that a leap day is the last of one: then lengths of months repeat. Each step
    is a column, because Spark takes minutes to plan one expression that repeats its parts.
    """
    if length in ("day", "week"):
        return frame.with_columns(_of_days(nw.col("day"), length).alias("period"))
    since, era, of_era, year, of_year = map(nw.col, ("since", "era", "of_era", "year", "of_year"))
    in_leaps = of_era - _quotient(of_era, 1_460) + _quotient(of_era, 36_524) - _quotient(of_era, 146_096)
    steps = {
        "since": nw.col("day") + 305,  # the first of March of the year 0
        "era": _quotient(since, 146_097),  # of 400 years
        "of_era": since - era * 146_097,
        "year": _quotient(in_leaps, 365),
        "of_year": of_era - (year * 365 + _quotient(year, 4) - _quotient(year, 100)),
        "period": _of_months((era * 400 + year) * 12 + _quotient(of_year * 5 + 2, 153) + 2, length),
    }
    for name, step in steps.items():
        frame = frame.with_columns(step.alias(name))
    return frame.drop("since", "era", "of_era", "year", "of_year")


class ClockChange(NamedTuple):
    """From this instant on, a clock is so many seconds ahead of UTC."""

    instant: datetime.datetime
    ahead: float


def clock_changes(first: datetime.datetime, last: datetime.datetime, zone: ZoneInfo | None) -> list[ClockChange]:
    """How far ahead the clock is at first, and each change of that until last."""

    def ahead(instant: datetime.datetime) -> float:
        shown = instant.astimezone(zone).utcoffset()
        assert shown is not None
        return shown.total_seconds()

    found = [ClockChange(first, ahead(first))]
    while first < last:
        following = min(first + _DAY, last)  # no zone has changed its clocks twice a day
        if ahead(following) != found[-1].ahead:
            change = _between(first, following, lambda instant: ahead(instant) != found[-1].ahead)
            found.append(ClockChange(change, ahead(change)))
        first = following
    return found


def _between(
    before: datetime.datetime, after: datetime.datetime, changed: Callable[[datetime.datetime], bool]
) -> datetime.datetime:
    """The second at which something changed."""
    low, high = (before - _EPOCH) // _SECOND, -((_EPOCH - after) // _SECOND)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(_EPOCH + middle * _SECOND) else (middle, high)
    return _EPOCH + high * _SECOND


def _chosen(place: nw.Expr, begins: Sequence[Any], values: Sequence[float]) -> nw.Expr:
    """The value of the stretch that a row is in: a balanced tree of comparisons, so that a row meets few of them."""
    if not begins:
        return nw.lit(values[0])
    middle = len(begins) // 2
    before = _chosen(place, begins[:middle], values[: middle + 1])
    after = _chosen(place, begins[middle + 1 :], values[middle + 1 :])
    return nw.when(place < nw.lit(begins[middle])).then(before).otherwise(after)


def _by_name(period: Period, ends: FirstAndLast, zone: str) -> nw.Expr:
    """Ibis, whose engines know instants in ways of their own, is only asked between which two of ours a row falls."""
    first, last = (number_of(end.astimezone(period.zone).date(), period.length) for end in ends)
    if last - first >= _MOST_NAMED:
        raise InputError(
            f"a table of Ibis must have at most {_MOST_NAMED:,} periods if its times have a time zone, got "
            f"{last - first + 1:,} by the {period.length}; choose longer periods, or convert the times."
        )
    numbers = range(first, last + 1)
    midnights = (
        datetime.datetime.combine(first_day(number, period.length), datetime.time(), period.zone)
        for number in numbers[1:]
    )
    return _chosen(nw.col("time"), [begin.astimezone(_clock(zone)) for begin in midnights], [float(n) for n in numbers])


def _clock(zone: str) -> datetime.tzinfo:
    """The zone of a column: the name of one, or a fixed offset such as "+05:30"."""
    offset = re.fullmatch(r"(?:UTC)?([+-])(\d\d):?(\d\d)", zone)
    if offset is None:
        return ZoneInfo(zone)
    sign, hours, minutes = offset.groups()
    return datetime.timezone(datetime.timedelta(hours=int(sign + hours), minutes=int(sign + minutes)))
