"""Timestamps of every unit, with and without a zone, in every engine and file; and dates that stand for never."""

import datetime as dt

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from helpers import frames

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
        br.errors.InputError, match=r"at most 1,000 periods, got 2026-01-01 to 9999-12-31 .* remove placeholder dates"
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
        with pytest.raises(br.errors.InputError, match=r"the years 1 to 9999|at most 1,000 periods"):
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
