"""Periods of time as keys: assigned in the engine, named here.

Engines differ in truncation, in weeks and in time zones, but not in comparing timestamps. So the beginnings of periods
are computed here, and the engine only compares each row with them.
"""

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import narwhals.stable.v2 as nw

from baserate import checks
from baserate.errors import InputError
from baserate.ingest.texts import bad_time

LENGTHS = ("day", "week", "month", "quarter", "year")

# More periods than this make an expression that engines are slow to plan.
_MOST_PERIODS = 1000


# What libraries say of a time that Python does not have.
_BEYOND = re.compile(r"out of (range|bounds)|overflow|\(-?infinity\)", re.IGNORECASE)


class Period(NamedTuple):
    """The column of times, the length of periods, and their time zone."""

    column: str
    length: str
    zone: ZoneInfo | None


def period_from(period: object, tz: object) -> Period | None:
    """Check the arguments `period` and `tz`."""
    if period is None:
        if tz is not None:
            raise InputError(f"tz= needs a period, got tz={tz!r} alone; pass period=(column, 'month').")
        return None
    if not isinstance(period, tuple | list) or len(period) != 2:
        raise InputError(f"period must be a column and a length such as ('timestamp', 'month'), got {period!r}.")
    return Period(period[0], checks.one_of(period[1], LENGTHS, "the length of a period"), _zone(tz))


def _zone(tz: object) -> ZoneInfo | None:
    if tz is None or isinstance(tz, ZoneInfo):
        return tz
    try:
        return ZoneInfo(str(tz))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"tz must be the name of a time zone such as 'Europe/Prague', got {tz!r}; where the system has no "
            f"time zones, install the package tzdata."
        ) from None


def check_time(period: Period, dtype: nw.dtypes.DType) -> None:
    """Require a time zone for timestamps with a zone, and refuse it for others."""
    if not isinstance(dtype, nw.Datetime | nw.Date):
        raise InputError(
            f"the column of a period must hold timestamps or dates, got {period.column!r} of type {dtype}; convert "
            f"it first."
        )
    aware = isinstance(dtype, nw.Datetime) and dtype.time_zone is not None
    if aware and period.zone is None:
        raise InputError(
            f"timestamps with a time zone need tz= to be split into periods, got {period.column!r} in "
            f"{dtype.time_zone} and no tz=; pass for example tz='UTC'."  # type: ignore[union-attr]
        )
    if not aware and period.zone is not None:
        raise InputError(
            f"tz= applies to timestamps with a time zone, got {period.column!r} of type {dtype}; leave tz= out; "
            f"local times are split as they are."
        )


class Calendar(NamedTuple):
    """The periods from the first to the last row: their names, and the beginnings of all but the first."""

    names: list[str]
    begins: list[datetime.date]

    def name(self, place: int) -> str | None:
        """The name of the period at an index; None for a missing time."""
        return self.names[place] if place >= 0 else None

    def place(self, engine: nw.Implementation) -> nw.Expr:
        """The index of the period of each row of the column ``time``, from 0; -1 for a missing time."""
        time = nw.col("time")
        begins = [_literal(begin, engine) for begin in self.begins]
        return nw.when(time.is_null()).then(nw.lit(-1.0)).otherwise(_branch(time, begins, 0, len(begins)))


def _literal(begin: datetime.date, engine: nw.Implementation) -> nw.Expr:
    if engine.is_spark_like() and isinstance(begin, datetime.datetime) and begin.tzinfo is None:
        # Spark takes a timestamp without a zone for one of this machine's clock, but not if it comes as text.
        return nw.lit(begin.isoformat(" ")).cast(nw.Datetime("us"))
    return nw.lit(begin)


def _branch(time: nw.Expr, begins: Sequence[nw.Expr], low: int, high: int) -> nw.Expr:
    """A balanced tree of comparisons, so that each row needs few of them."""
    if low == high:
        return nw.lit(float(low))
    middle = (low + high) // 2
    before = _branch(time, begins, low, middle)
    return nw.when(time < begins[middle]).then(before).otherwise(_branch(time, begins, middle + 1, high))


def calendar(first: object, last: object, period: Period, dtype: nw.dtypes.DType) -> Calendar:
    """All periods from the first time to the last."""
    if first is None and last is None:
        return Calendar([], [])
    day, end = _day(first, period.zone), _day(last, period.zone)
    starts = [_start(day, period.length)]
    while (following := _next(starts[-1], period.length)) is not None and following <= end:
        starts.append(following)
        if len(starts) > _MOST_PERIODS:
            raise InputError(
                f"a table must have at most {_MOST_PERIODS:,} periods, got {day} to {end} by the {period.length}; "
                f"choose longer periods, or remove placeholder dates."
            )
    names = [_name(start, period.length) for start in starts]
    if isinstance(dtype, nw.Date):
        return Calendar(names, list(starts[1:]))
    midnight = datetime.time()
    begins = [datetime.datetime.combine(start, midnight, period.zone) for start in starts[1:]]
    zone = dtype.time_zone if isinstance(dtype, nw.Datetime) else None
    # Engines want an instant in the zone of the column, whichever clock it comes from.
    return Calendar(names, [begin.astimezone(_clock(zone)) for begin in begins] if zone else list(begins))


def _clock(zone: str) -> datetime.tzinfo:
    """The zone of a column: the name of one, or a fixed offset such as "+05:30"."""
    offset = re.fullmatch(r"(?:UTC)?([+-])(\d\d):?(\d\d)", zone)
    if offset is None:
        return ZoneInfo(zone)
    sign, hours, minutes = offset.groups()
    return datetime.timezone(datetime.timedelta(hours=int(sign + hours), minutes=int(sign + minutes)))


def _day(time: object, zone: ZoneInfo | None) -> datetime.date:
    if isinstance(time, datetime.datetime):
        if zone is None:
            return time.date()
        # Some engines hand an instant out as UTC without saying so.
        return (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).astimezone(zone).date()
    if not isinstance(time, datetime.date):  # engines have their own words for infinity
        raise OverflowError("a time lies outside the years 1 to 9999")
    return time


def is_beyond(error: Exception) -> bool:
    """Whether an error of a library means that a time is outside of Python's range."""
    own = error.__cause__ or error
    said = str(own)
    return isinstance(own, OverflowError) or (bad_time(said) is None and _BEYOND.search(said) is not None)


def beyond(period: Period) -> InputError:
    """The error for times outside of Python's range."""
    return InputError(
        f"times must lie in the years 1 to 9999, in every time zone, got others in {period.column!r}; remove "
        f"placeholder dates."
    )


def _start(day: datetime.date, length: str) -> datetime.date:
    match length:
        case "day":
            return day
        case "week":
            return day - datetime.timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case _:
            return day.replace(month=1, day=1)


def _next(start: datetime.date, length: str) -> datetime.date | None:
    """The beginning of the next period; None at the end of Python's range."""
    long_enough = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[length]
    try:
        return _start(start + datetime.timedelta(days=long_enough), length)
    except OverflowError:
        return None


def _name(start: datetime.date, length: str) -> str:
    match length:
        case "day":
            return start.isoformat()
        case "week":
            year, week, _ = start.isocalendar()
            return f"{year}-W{week:02}"
        case "month":
            return f"{start:%Y-%m}"
        case "quarter":
            return f"{start:%Y}-Q{(start.month + 2) // 3}"
        case _:
            return f"{start:%Y}"
