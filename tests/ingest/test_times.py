"""Timestamps of every unit, with and without a zone, in every engine and file; and dates that stand for never."""

import bisect
import datetime as dt
from collections import Counter
from zoneinfo import ZoneInfo

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.ingest.calendars import clock_changes
from baserate.ingest.groups import EXACT, GroupReader
from baserate.ingest.periods import period_from
from baserate.ingest.request import Columns, request
from helpers import frames
from helpers.ingest_cases import CENTURIES, CLOCKS, name_of

UNITS = ["s", "ms", "us", "ns"]
# The last instant of January that a unit can tell, the first one of February, none at all, and March.
LAST = {"s": 1_769_903_999, "ms": 1_769_903_999_999}
LAST |= {"us": 1_769_903_999_999_999, "ns": 1_769_903_999_999_999_999}
MARCH = 28 * 86_400
EXPECTED = {"2026-01": (0, 1), "2026-02": (1, 0), "2026-03": (1, 0), None: (0, 1)}


def table_of(unit, zone):
    first = LAST[unit] + 1
    times = pa.array([first - 1, first, None, first + MARCH * (first // 1_769_904_000)], pa.int64())
    columns = {"y": [0, 1, 0, 1], "p": [0.1, 0.2, 0.3, 0.4], "at": times.cast(pa.timestamp(unit, zone))}
    return pa.table(columns)


def by_month(table, zone=None, **options):
    tz = None if zone is None else "UTC"
    curves = br.curves_by(table, label="y", score="p", period=("at", "month"), tz=tz, **options)
    return {month: (curve.n_pos, curve.n_neg) for month, curve in curves.items()}


@pytest.mark.parametrize(("unit", "zone"), [(unit, zone) for unit in UNITS for zone in (None, "Asia/Kolkata")])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind in frames.QUICK else [pytest.mark.slow]) for kind in frames.IN_PROCESS]
)
def test_every_unit_in_every_engine(kind, unit, zone):
    assert by_month(frames.IN_PROCESS[kind](table_of(unit, zone)), zone) == EXPECTED


def parquet_by_pyarrow(table, path):
    pq.write_table(table, path)


def parquet_by_pandas(table, path):
    table.to_pandas().to_parquet(path)


def parquet_by_polars(table, path):
    pl.from_arrow(table).write_parquet(path)


def old_parquet(table, path):
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)


def csv_by_polars(table, path):
    pl.from_arrow(table).with_columns(pl.col("at").dt.to_string("iso:strict")).write_csv(path)


def json_by_polars(table, path):
    pl.from_arrow(table).with_columns(pl.col("at").dt.to_string("iso:strict")).write_ndjson(path)


WRITERS = {
    "pyarrow.parquet": parquet_by_pyarrow,
    "pandas.parquet": parquet_by_pandas,
    "polars.parquet": parquet_by_polars,
    "int96.parquet": old_parquet,
    "polars.csv": csv_by_polars,
    "polars.jsonl": json_by_polars,
}


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "zone"), [(unit, zone) for unit in UNITS for zone in (None, "UTC")])
@pytest.mark.parametrize("name", WRITERS)
def test_every_unit_in_every_file(tmp_path, name, unit, zone):
    table = table_of(unit, zone)
    if name == "int96.parquet":
        zone = None  # which it forgets
    WRITERS[name](table, tmp_path / name)
    assert by_month(tmp_path / name, zone) == EXPECTED


def test_files_of_different_units(tmp_path):
    for unit in UNITS:
        pq.write_table(table_of(unit, None), tmp_path / f"{unit}.parquet")
    assert by_month(tmp_path) == {month: (4 * pos, 4 * neg) for month, (pos, neg) in EXPECTED.items()}


# --- the plan, and what it finds --------------------------------------------------------------------

LENGTHS = ["day", "week", "month", "quarter", "year"]
DAYS_OF = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
TIMES = {
    "date": (pa.date32(), None),
    "clock": (pa.timestamp("us"), None),
    "instant": (pa.timestamp("us", "UTC"), "UTC"),
}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", TIMES)
def test_the_plan_does_not_grow_with_the_periods(kind, length):
    dtype, tz = TIMES[kind]

    def plan(n):
        last = dt.datetime(2026, 1, 1)
        at = pa.array([last - dt.timedelta(days=DAYS_OF[length] * k) for k in range(n)], dtype)
        table = frames.IN_PROCESS["duckdb"](pa.table({"y": [k % 2 for k in range(n)], "p": [0.5] * n, "at": at}))
        asked = request(table, Columns("y", ("p",), period=period_from(("at", length), tz)))
        assert len(GroupReader(asked).read(EXACT).rows) > 0.9 * n
        return nw.to_native(asked.frame).sql_query()

    assert len(plan(900)) == pytest.approx(len(plan(12)), abs=5)


def counts_by_period(frame, column, length, tz=None):
    curves = br.curves_by(frame, label="label", score="score", period=(column, length), tz=tz)
    return {name: curve.n_pos + curve.n_neg for name, curve in curves.items()}


def _zones(kind):
    """Each change of clocks is a comparison; in five centuries Kathmandu has two of them, and Prague hundreds."""
    return [None, "UTC", "Asia/Kathmandu", *(["Europe/Prague"] if kind in frames.QUICK else [])]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    ("kind", "tz"),
    [
        pytest.param(kind, tz, marks=frames.marks(kind))
        for kind in (*frames.IN_PROCESS, *frames.SPARK)
        for tz in _zones(kind)
    ],
)
def test_periods_of_centuries_are_the_same_in_every_engine(kind, length, tz, frame_of):
    frame = frame_of(kind, "centuries")
    times = CENTURIES if tz is None else [at.replace(tzinfo=dt.UTC) for at in CENTURIES]
    expected = Counter(name_of(at, length, tz) for at in times)
    if kind.startswith("ibis") and tz is not None and length != "year":
        with pytest.raises(
            br.errors.InputError, match=r"Ibis must have at most 1,000 periods .* choose longer periods"
        ):
            counts_by_period(frame, "instant", length, tz)
    else:
        assert counts_by_period(frame, "clock" if tz is None else "instant", length, tz) == expected


@pytest.mark.parametrize("zone", [*CLOCKS, "Africa/Casablanca", "Antarctica/Troll", "Asia/Pyongyang"])
def test_changes_of_clocks_are_found(zone):
    first, last = (dt.datetime(year, 3, 5, 7, 8, 9, 10, dt.UTC) for year in (1880, 2040))
    changes = clock_changes(first, last, ZoneInfo(zone))
    instants = [first + k * dt.timedelta(hours=55, seconds=1) for k in range(25_000)]
    ahead = [at.astimezone(ZoneInfo(zone)).utcoffset().total_seconds() for at in instants]
    places = [bisect.bisect(changes, at, key=lambda change: change.instant) - 1 for at in instants]
    assert [changes[place].ahead for place in places] == ahead
    for change in changes[1:]:
        assert (change.instant - dt.timedelta(seconds=1)).astimezone(ZoneInfo(zone)).utcoffset() != dt.timedelta(
            seconds=change.ahead
        )


# --- dates that stand for never ---------------------------------------------------------------------


def dates(*days, unit=None, zone=None):
    at = pa.array(days, pa.date32()) if unit is None else pa.array(days, pa.timestamp(unit, zone))
    return pa.table({"y": [k % 2 for k in range(len(days))], "p": [0.5] * len(days), "at": at})


NEVER = dt.date(9999, 12, 31)
ALWAYS = dt.date(1, 1, 1)


@pytest.mark.parametrize("length", ["day", "quarter"])
@pytest.mark.parametrize("kind", ["polars lazy", "pyarrow", "duckdb"])
def test_a_date_that_stands_for_never_is_refused_in_a_sentence(kind, length):
    frame = frames.IN_PROCESS[kind](dates(dt.date(2026, 1, 1), NEVER))
    with pytest.raises(
        br.errors.InputError,
        match=r"within 1,000 years, got 2026-01-01 to 9999-1\d-\d1 in 'at'; remove placeholder dates",
    ):
        br.curves_by(frame, label="y", score="p", period=("at", length))


@pytest.mark.parametrize("length", ["day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize("day", [NEVER, ALWAYS])
def test_the_first_and_the_last_period_of_all(length, day):
    kind = "polars lazy" if length == "day" else "duckdb" if length == "week" else "pyarrow"
    frame = frames.IN_PROCESS[kind](dates(day, day))
    (curve,) = br.curves_by(frame, label="y", score="p", period=("at", length)).values()
    assert (curve.n_pos, curve.n_neg) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("tz", ["Pacific/Kiritimati", "Pacific/Niue"])
@pytest.mark.parametrize("zone", ["Pacific/Niue", "UTC"])
@pytest.mark.parametrize(
    "instants",
    [
        [dt.datetime(9999, 12, 31, 23, 59, 59), dt.datetime(9999, 12, 30)],
        [dt.datetime(1, 1, 1), dt.datetime(1, 1, 2, 12)],
    ],
    ids=["never", "always"],
)
@pytest.mark.parametrize("kind", ["polars lazy", "pyarrow", "duckdb", "parquet"])
def test_the_ends_of_time_by_other_clocks(tmp_path, kind, instants, zone, tz):
    table = dates(*instants, unit="us", zone="UTC").cast(
        pa.schema([("y", pa.int64()), ("p", pa.float64()), ("at", pa.timestamp("us", zone))])
    )
    if kind == "parquet":
        pq.write_table(table, tmp_path / "rows.parquet")
    frame = tmp_path / "rows.parquet" if kind == "parquet" else frames.IN_PROCESS[kind](table)
    said, rows = "", 0
    try:
        curves = br.curves_by(frame, label="y", score="p", period=("at", "day"), tz=tz)
        rows = sum(curve.n_pos + curve.n_neg for curve in curves.values())
    except br.errors.InputError as error:
        said = str(error)
    assert rows == 2 or "the years 1 to 9999" in said


@pytest.mark.slow
@pytest.mark.parametrize("value", ["infinity", "-infinity", "290000-01-01", "4000-01-01 (BC)"])
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMPTZ"])
def test_times_beyond_the_calendar(tmp_path, kind, value):
    rows = f"SELECT 0.5::DOUBLE AS p, 1 AS y, CAST(t AS {kind}) AS t FROM (VALUES ('2026-01-01'), ('{value}')) rows(t)"
    tz = "UTC" if kind == "TIMESTAMPTZ" else None
    connection = duckdb.connect()
    if value.endswith("infinity") and kind == "TIMESTAMP_S":
        pytest.skip("DuckDB has no such value")
    connection.sql(rows).write_parquet(str(tmp_path / "rows.parquet"))
    for table in (connection.sql(rows), tmp_path / "rows.parquet"):
        with pytest.raises(br.errors.InputError, match=r"the years 1 to 9999|within 1,000 years"):
            br.curves_by(table, label="y", score="p", period=("t", "year"), tz=tz)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_a_zone_may_be_an_offset(kind):
    assert by_month(frames.IN_PROCESS[kind](table_of("us", "+05:30")), "+05:30") == EXPECTED


def test_timestamps_may_be_keys(tmp_path):
    pq.write_table(table_of("ns", None), tmp_path / "rows.parquet")
    with pytest.raises(br.errors.InputError, match="keys must be whole microseconds"):
        br.curves_by(tmp_path / "rows.parquet", "at", label="y", score="p")
    pq.write_table(table_of("us", None), tmp_path / "rows.parquet")
    keys = list(br.curves_by(tmp_path / "rows.parquet", "at", label="y", score="p"))
    assert keys[1:] == [dt.datetime(2026, 2, 1), dt.datetime(2026, 3, 1), None]
