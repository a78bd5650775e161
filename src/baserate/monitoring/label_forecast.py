"""How many positives a period will have, from how labels of past periods came in."""

import datetime
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.errors import InputError, Reason
from baserate.monitoring.maturing import Maturity, end_of, maturity_from
from baserate.monitoring.store import CurveStore
from baserate.results.labels import LabelForecast

_FEWEST = 3  # past periods


class _AtAge(NamedTuple):
    """What was known of a period at some age."""

    age: int  # days since its end
    n_pos: float
    n_rows: float


@checks.declared
def expected_labels(
    store: CurveStore,
    *,
    model: str,
    slice: str | None = None,
    matures: str | int,
    today: datetime.date | None = None,
    confidence_level: float = 0.95,
) -> LabelForecast:
    """How many positives the youngest provisional period will have, from how labels came in before.

    Parameters
    ----------
    store : CurveStore
        A store to which periods were appended with `matures`, more than once while their labels came in.
    model, slice : str
        The names of model and slice, by default all rows.
    matures : str or int
        How long after the end of a period its labels may still come in, such as "60d".
    today : date, optional
        By default today.
    confidence_level : float
        The nominal coverage of the interval.

    Notes
    -----
    Each mature period whose rows were also stored at the same age says how its positives grew from then on. The
    expected number is the known one times the ratio of their sums (the chain-ladder method). The interval is that of a
    gamma distribution; its variance is what the growth of past periods shows, and at least that of labels that come
    independently of each other. It uses Student's t for the number of periods, three at least. The number of rows grows
    by its own ratio, whose error is ignored.

    References
    ----------
    Mack, Distribution-free calculation of the standard error of chain ladder reserve estimates, ASTIN Bulletin 1993.
    doi:10.2143/AST.23.2.2005092.

    Examples
    --------
    >>> import baserate as br, datetime, tempfile, pathlib
    >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
    >>> def seen(month, pos, after):
    ...     day = datetime.date(2026, month, 1) + datetime.timedelta(31 + after)
    ...     curve = br.Curve.from_counts([0.2, 0.9], pos=[pos, pos], neg=[900 - pos, 100 - pos])
    ...     name = f"2026-{month:02}"
    ...     return store.append(curve, model="m", period=name, matures="30d", today=day).status
    >>> [seen(month, pos, 5) + " " + seen(month, 2 * pos, 40) for month, pos in ((1, 11), (3, 14), (5, 12))]
    ['added grown', 'added grown', 'added grown']
    >>> seen(7, 10, 5)
    'added'
    >>> found = br.monitoring.expected_labels(store, model="m", matures="30d", today=datetime.date(2026, 8, 6))
    >>> found.period, found.known, found.expected
    ('2026-07', 0.5, 40.0)
    >>> store.close()
    """
    maturity = maturity_from(matures, today)
    if maturity is None:
        raise InputError("matures must be a number of days or weeks, got None; pass for example matures='60d'.")
    level = checks.confidence_level(confidence_level)
    growth = _growth(store, model, slice, maturity.today)
    period = next((name for name in reversed(growth) if maturity.is_open(name)), None)
    if period is None:
        raise InputError(
            f"there must be a provisional period, got none of {model!r} on {maturity.today} in {str(store.path)!r}; "
            f"see CurveStore.versions."
        )
    return forecast(growth, period, maturity, level)


def _growth(store: CurveStore, model: str, part: str | None, today: datetime.date) -> dict[str, list[_AtAge]]:
    """What was known of each period in the course of time, until today."""
    known = store.versions(model=model, slice=part)
    growth: dict[str, list[_AtAge]] = {}
    for period, on, n_pos, n_neg in zip(
        *(known[name].tolist() for name in ("period", "on", "n_pos", "n_neg")), strict=True
    ):
        if on and (day := datetime.date.fromisoformat(on)) <= today:
            age = (day - end_of(period)).days
            growth.setdefault(period, []).append(_AtAge(age, n_pos, n_pos + n_neg))
    return growth


def forecast(growth: dict[str, list[_AtAge]], period: str, maturity: Maturity, level: float) -> LabelForecast:
    """What a period will become, by what became of mature ones that were known at the same age."""
    now = growth[period][-1]
    past = []
    for versions in growth.values():
        then = [one for one in versions if one.age <= now.age]
        if versions[-1].age >= maturity.days and then:
            past.append((then[-1], versions[-1]))
    facts = period, now.age, now.n_pos, now.n_rows - now.n_pos, len(past), level
    early = [sum(column) for column in zip(*(then for then, _ in past), strict=True)]
    late = [sum(column) for column in zip(*(last for _, last in past), strict=True)]
    if len(past) < _FEWEST or not early[1]:
        return LabelForecast(*facts, reason=Reason.TOO_FEW_PERIODS)
    n_rows = now.n_rows * late[2] / early[2]
    expected, low, high = _grown(now.n_pos, past, level)
    share, least, most = (min(1.0, one / n_rows) for one in (expected, low, high))
    known = early[1] / late[1] if late[1] else math.nan
    return LabelForecast(*facts, known, expected, low, high, share, least, most)


def _grown(n_pos: float, past: Sequence[tuple[_AtAge, _AtAge]], level: float) -> tuple[float, float, float]:
    """The number of positives that will be there, with the ends of its interval."""
    then, late = (np.array([pair[which].n_pos for pair in past]) for which in (0, 1))
    ratio = float(late.sum() / then.sum())
    scatter = float(np.sum((late - ratio * then) ** 2 / np.maximum(then, 1.0)) / (len(past) - 1))
    known = n_pos + 0.5  # if none is known, some may still come
    variance = known * max(scatter, ratio * abs(ratio - 1)) * (1 + known / then.sum())
    if not variance:
        return n_pos * ratio, n_pos * ratio, n_pos * ratio
    tails = np.array([1 - level, 1 + level]) / 2
    wider = scipy.special.stdtrit(len(past) - 1, tails[1]) / scipy.special.ndtri(tails[1])
    shape = (known * ratio) ** 2 / (variance * wider**2)
    low, high = (scipy.special.gammaincinv(shape, tails) * known * ratio / shape).tolist()
    least = n_pos if ratio > 1 else 0.0
    return n_pos * ratio, max(low, least), max(high, least)
