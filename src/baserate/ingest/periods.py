"""Periods of time as keys: which are valid, and their names. The engine computes their numbers (`calendars`)."""

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import narwhals.stable.v2 as nw

from baserate import checks
from baserate.errors import InputError, shown
from baserate.ingest.texts import bad_time

LENGTHS = ("day", "week", "month", "quarter", "year")

# Times that are farther apart than this are not all meant.
_MOST_YEARS = 1000

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
    if not isinstance(period, tuple | list) or len(period) != 2 or not isinstance(period[0], str):
        raise InputError(f"period must be a column and a length such as ('timestamp', 'month'), got {shown(period)}.")
    return Period(period[0], checks.one_of(period[1], LENGTHS, "the length of a period"), zone_from(tz))


def zone_from(tz: object) -> ZoneInfo | None:
    """Check a time zone, which may be given by its name."""
    if tz is None or isinstance(tz, ZoneInfo):
        return tz
    try:
        return ZoneInfo(str(tz))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"tz must be the name of a time zone such as 'Europe/Prague', got {shown(tz)}; where the system has no "
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


# --- numbers and names ----------------------------------------------------------------------------

_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def number_of(day: datetime.date, length: str) -> int:
    """Which period a day is in: days and weeks are counted from the first of the calendar, others from the year 0."""
    if length in _MONTHS:
        return (12 * day.year + day.month - 1) // _MONTHS[length]
    return day.toordinal() if length == "day" else (day.toordinal() - 1) // 7


def first_day(number: int, length: str) -> datetime.date:
    """The first day of a period."""
    if length in _MONTHS:
        year, month = divmod(number * _MONTHS[length], 12)
        return datetime.date(year, month + 1, 1)
    return datetime.date.fromordinal(number if length == "day" else 7 * number + 1)


def names(numbers: Sequence[int], period: Period) -> list[str]:
    """What periods are called."""
    if not numbers:
        return []
    try:
        days = [first_day(number, period.length) for number in numbers]
    except (ValueError, OverflowError):
        raise beyond(period) from None
    check_span(min(days), max(days), period)
    return [name_of(day, period.length) for day in days]


def check_span(first: datetime.date, last: datetime.date, period: Period) -> None:
    """Refuse dates that stand for never."""
    if last.year - first.year >= _MOST_YEARS:
        raise InputError(
            f"times must lie within {_MOST_YEARS:,} years, got {first} to {last} in {period.column!r}; remove "
            f"placeholder dates."
        )


def instant(time: object) -> datetime.datetime:
    """A time with a zone, in UTC, as Python has it."""
    if not isinstance(time, datetime.datetime):  # engines have their own words for infinity
        raise OverflowError("a time lies outside the years 1 to 9999")
    # Some engines hand an instant out as UTC without saying so.
    return time.astimezone(datetime.UTC) if time.tzinfo else time.replace(tzinfo=datetime.UTC)


def name_of(day: datetime.date, length: str) -> str:
    """What the period of a day is called."""
    match length:
        case "day":
            return day.isoformat()
        case "week":
            year, week, _ = day.isocalendar()
            return f"{year}-W{week:02}"
        case "month":
            return f"{day:%Y-%m}"
        case "quarter":
            return f"{day:%Y}-Q{(day.month + 2) // 3}"
        case _:
            return f"{day:%Y}"
