"""The past that ``baserate monitor`` judges: the periods of a file, kept in a store, or all that is stored."""

import datetime
from typing import Any, NamedTuple

import click

from baserate.answers.curves import group_name
from baserate.cli.arguments import curves_of
from baserate.cli.notes import note
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.ingest.periods import name_of, period_from, zone_from
from baserate.monitoring.maturing import Offered
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_rows import CurveKey


class Late(NamedTuple):
    """Labels that come late: how long they take, today, and which rows a file has."""

    matures: str | None
    today: datetime.date | None
    rows: Offered


# Curves by period, of each model and slice.
Past = dict[tuple[str, str | None], dict[str, Curve]]


def stored(store: str) -> Past:
    """All that a store has."""
    with CurveStore(store, read_only=True) as opened:
        names = dict.fromkeys((key.model, key.slice) for key in opened.keys())  # noqa: SIM118  # a store is no mapping
        past = {one: opened.curves(model=one[0], slice=one[1]) for one in names}
    if not past:
        raise InputError(f"a store must have curves, got {store!r}, which is empty; add some with a FILE.")
    return past


def updated(
    store: str, watch: list[float], until: str | None, replace: bool, late: Late, **data: Any
) -> tuple[Past, dict[CurveKey, str]]:
    """The past of the models and slices of a file, with what was done to keep each of its periods."""
    if data["period"] is None:
        raise click.UsageError("Missing option '--period', such as --period ts:month.", click.get_current_context())
    day = day_from(until, data["tz"])
    curves = _complete(_by_key(**data), data["period"], day, running=late.rows == "new")
    with CurveStore(store) as opened:
        how: dict[str, Any] = {"matures": late.matures, "today": late.today, "rows": late.rows}
        receipts = opened.append_many(curves, watch=watch, replace=replace, **how)
        status: dict[CurveKey, str] = {receipt.key: receipt.status for receipt in receipts}
        names = dict.fromkeys((key.model, key.slice) for key in curves)
        return {one: opened.curves(model=one[0], slice=one[1]) for one in names}, status


def _by_key(by: tuple[str, ...], **data: Any) -> dict[CurveKey, Curve]:
    """Curves of all rows and of each slice, by model, period and slice."""
    curves: dict[CurveKey, Curve] = {}
    for column in (None, *by):
        for (score, (*value, period)), curve in curves_of(by=() if column is None else (column,), **data).items():
            if period is None:
                note("rows without a time are ignored")
                continue
            part = None if column is None else f"{column}={group_name(tuple(value))}"
            curves[CurveKey(score, str(period), part)] = curve
    return curves


def day_from(until: str | None, tz: str | None) -> datetime.date:
    """Today, or the day that was given instead."""
    zone = zone_from(tz)
    try:
        return datetime.datetime.now(zone).date() if until is None else datetime.date.fromisoformat(until)
    except ValueError:
        raise InputError(f"--until must be a date such as 2026-06-01, got {until!r}.") from None


def _complete(
    curves: dict[CurveKey, Curve], period: str, day: datetime.date, *, running: bool
) -> dict[CurveKey, Curve]:
    """Curves of complete periods, or also of the running one; names of one length sort in the order of time."""
    meant = period_from(tuple(period.rsplit(":", 1)), None)
    assert meant is not None
    latest = name_of(day, meant.length)
    kept = {key: curve for key, curve in curves.items() if key.period < latest or (running and key.period == latest)}
    left_out = sorted({key.period for key in curves.keys() - kept.keys()})
    if left_out:
        note(f"ignoring {', '.join(left_out)}: not complete on {day}; --until sets a later date")
    if not kept:
        raise InputError(f"no complete period: no rows before {latest}; wait, or set a later date with --until.")
    return kept


def sources_of(store: str, past: Past) -> dict[CurveKey, str]:
    """Which files the rows of each period came from, where that is known."""
    sources: dict[CurveKey, str] = {}
    with CurveStore(store, read_only=True) as opened:
        for model, part in past:
            history = opened.history(model=model, slice=part)
            for period, source in zip(history["period"].tolist(), history["source"].tolist(), strict=True):
                sources |= {CurveKey(model, period, part): source} if source else {}
    return sources
