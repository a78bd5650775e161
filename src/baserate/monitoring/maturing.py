"""Labels that come late: until when a period is open, and the versions of it that were known before."""

import datetime
import json
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.errors import CurveFileError, InputError, shown
from baserate.ingest.periods import first_day, number_of

# How periods of each length are named, and what makes a date of the name.
_FIRST_DAYS = {
    "day": (r"\d{4}-\d\d-\d\d", ""),
    "week": (r"\d{4}-W\d\d", "-1"),
    "month": (r"\d{4}-\d\d", "-01"),
    "quarter": (r"\d{4}-Q[1-4]", ""),
    "year": (r"\d{4}", "-01-01"),
}
_DAYS = {"d": 1, "w": 7}
_MOST_DAYS = 36_500

# Which rows of a period are offered: all so far, or only those that are not stored yet.
Offered = Literal["all", "new"]


def length_of(period: str) -> str | None:
    """The length of a period with such a name; None if it has another kind of name."""
    return next((length for length, (form, _) in _FIRST_DAYS.items() if re.fullmatch(form, period, re.ASCII)), None)


def end_of(period: object) -> datetime.date:
    """The first day after a period, by its name."""
    name = str(period)
    for length, (form, rest) in _FIRST_DAYS.items():
        if re.fullmatch(form, name, re.ASCII):
            try:
                quarter = f"{name[:4]}-{3 * int(name[-1]) - 2:02}-01" if length == "quarter" else name + rest
                return first_day(number_of(datetime.date.fromisoformat(quarter), length) + 1, length)
            except (ValueError, OverflowError):
                break
    raise InputError(
        f"with matures=, periods must have names such as 2026-05-03, 2026-W18, 2026-05, 2026-Q2 or 2026, got "
        f"{shown(period)}; rename it."
    )


class Maturity(NamedTuple):
    """How many days after the end of a period its labels are complete, and what day it is."""

    days: int
    today: datetime.date

    def is_open(self, period: object, on: datetime.date | None = None) -> bool:
        """Whether labels of a period may still be missing, today or on another day."""
        return ((on or self.today) - end_of(period)).days < self.days


def maturity_from(matures: object, today: object) -> Maturity | None:
    """Check the arguments `matures` and `today`."""
    if matures is None:
        if today is not None:
            raise InputError(f"today= needs matures=, got today={shown(today)} alone; pass matures='60d', too.")
        return None
    written = re.fullmatch(r"(\d{1,5}) ?([dw])", matures) if isinstance(matures, str) else None
    if isinstance(matures, str) and written is None:
        raise InputError(
            f"matures must be a number of days or weeks, got {shown(matures)}; pass for example matures='60d'."
        )
    days = checks.whole_number(int(written[1]) * _DAYS[written[2]] if written else matures, "matures", most=_MOST_DAYS)
    if today is not None and (not isinstance(today, datetime.date) or isinstance(today, datetime.datetime)):
        raise InputError(f"today must be a datetime.date, got {shown(today)}; pass datetime.date(2026, 6, 1).")
    return Maturity(days, datetime.date.today() if today is None else today)


# --- versions -------------------------------------------------------------------------------------


class Version(NamedTuple):
    """What was known of a period on a day."""

    on: str  # the date; empty if it was not noted
    n_pos: float
    n_neg: float
    digest: str  # of the rows that were offered
    source: str

    @property
    def day(self) -> datetime.date | None:
        """The date, if it was noted."""
        return datetime.date.fromisoformat(self.on) if self.on else None


_BEGIN = '{"versions": '


def written(versions: Sequence[Version]) -> str:
    """Versions as they stand in the column of sources."""
    return json.dumps({"versions": versions})


def read(source: str) -> list[Version]:
    """The versions of a row; none if the days were not noted."""
    if not source.startswith(_BEGIN):
        return []
    try:
        return [Version(*one) for one in json.loads(source)["versions"]]
    except (ValueError, TypeError, KeyError):
        raise CurveFileError(
            "a store must have versions of a period as it wrote them, got others; restore a backup."
        ) from None


# --- rows that came -------------------------------------------------------------------------------


def missing_rows(stored: Curve, offered: Curve) -> float:
    """How many of the stored rows cannot be among the offered ones, whatever has become of their labels."""
    before, now = (curve.pos.astype(np.float64) + curve.neg for curve in (stored, offered))
    if offered.bucketed:  # counts are comparable between thresholds that both have
        shared = np.intersect1d(stored.score, offered.score)
        sums = [
            np.bincount(np.searchsorted(shared, curve.score, side="right"), rows, len(shared) + 1)
            for curve, rows in ((stored, before), (offered, now))
        ]
        return float(np.maximum(sums[0] - sums[1], 0.0).sum())
    order = np.argsort(offered.score)
    total = np.append(0.0, np.cumsum(now[order]))
    low = np.searchsorted(offered.score[order], stored.score, side="left")
    high = np.searchsorted(offered.score[order], stored.top, side="right")
    gone = np.maximum(before - (total[high] - total[low]), 0.0)
    return float(gone[gone > 1e-9 * before].sum())
