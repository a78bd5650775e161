"""Ways in which engines give wrong numbers without a word, each of which did so once.

Two more belong to files and are tested with them; number 10 is tested once more in `test_engines`, beside the Spark
that is running there.
"""

import datetime as dt
import warnings

import dask.dataframe as dd
import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import baserate as br
import baserate.ingest.request
from baserate.ingest.bucket_expressions import with_bucket
from baserate.ingest.groups import EACH_ROW, EXACT, GroupReader
from baserate.ingest.request import Columns, request
from helpers.engine_buckets import engine_bucket
from helpers.frames import IN_PROCESS

pytestmark = pytest.mark.slow  # together, these take long

NAN = np.nan
WITH_NAN = pa.table({"y": [0, 1, 1, 0, 1], "p": [0.1, NAN, 0.9, NAN, 7.0]})


def test_trap_1_statistics_of_a_file_do_not_hide_a_nan(tmp_path):
    pyarrow.parquet.write_table(WITH_NAN, tmp_path / "p.parquet")
    table = duckdb.connect().read_parquet(str(tmp_path / "p.parquet"))
    for tolerance in (0, 1e-4):
        with pytest.raises(br.errors.InputError, match="got 2 rows with a label and without a score"):
            br.curve(table, label="y", score="p", tolerance=tolerance)


@pytest.mark.parametrize("kind", IN_PROCESS)
def test_trap_2_a_nan_is_above_a_threshold_nowhere(kind):
    """A row with a nan is in no range of scores and in no bucket, though some engines say nan >= 0.5."""
    asked = request(IN_PROCESS[kind](WITH_NAN), Columns("y", ("p",)))
    assert GroupReader(asked).read(EXACT, [(0.5, np.inf)]).rows.sum() == 2
    with pytest.raises(br.errors.InputError, match="got 2 rows"):
        GroupReader(asked).read(12)


def test_trap_3_objects_that_dask_makes_text_of_are_counted_rightly_or_refused():
    objects = pd.DataFrame({"y": pd.Series([True, None, False, True], dtype=object), "p": [0.1, 0.2, 0.3, 0.4]})
    with pytest.warns(br.errors.UnlabelledWarning):
        curve = br.curve(objects, label="y", score="p", missing="later")
    assert (curve.n_pos, curve.n_neg, curve.unlabelled) == (2, 1, 1)
    with pytest.raises(br.errors.InputError, match=r"got text labels: 'False', 'True'"):
        br.curve(dd.from_pandas(objects, npartitions=2), label="y", score="p")


@pytest.mark.parametrize("kind", IN_PROCESS)
def test_trap_4_a_nan_that_an_engine_lets_through_is_noticed(kind):
    reader = GroupReader(request(IN_PROCESS[kind](WITH_NAN), Columns("y", ("p",))))
    for bits in (EACH_ROW, EXACT, 12):
        with pytest.raises(br.errors.InputError, match="must have no missing values, got 2 rows"):
            reader.read(bits)


@pytest.mark.parametrize("length", ["week", "month"])
def test_trap_5_no_engine_is_asked_to_truncate_a_time(length):
    days = [dt.datetime(2026, 1, 1), dt.datetime(2025, 12, 28, 23), dt.datetime(2025, 12, 29), dt.datetime(2026, 2, 1)]
    table = pa.table({"y": [0, 1, 1, 0], "p": [0.1, 0.2, 0.3, 0.4], "t": days})
    names = {"week": ["2025-W52", "2026-W01", "2026-W05"], "month": ["2025-12", "2026-01", "2026-02"]}
    for kind in ("dask", "pyarrow", "duckdb", "pandas"):
        found = br.curves_by(IN_PROCESS[kind](table), label="y", score="p", period=("t", length))
        assert list(found) == names[length]
        assert sum(found.values()) == br.curve(table, label="y", score="p")


@pytest.mark.parametrize("session", ["Pacific/Apia", "America/Los_Angeles", "UTC"])
def test_trap_6_the_zone_of_a_session_does_not_cut_periods(session):
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{session}'")
    table = connection.sql(
        "SELECT * FROM (VALUES (1, 0.2::DOUBLE, TIMESTAMPTZ '2026-03-31 21:59:59+00'),"
        " (0, 0.1::DOUBLE, TIMESTAMPTZ '2026-03-31 22:00:00+00')) rows(y, p, t)"
    )
    with pytest.raises(br.errors.InputError, match="pass for example tz='UTC'"):
        br.curves_by(table, label="y", score="p", period=("t", "month"))
    found = br.curves_by(table, label="y", score="p", period=("t", "month"), tz="Europe/Prague")
    assert {name: (curve.n_pos, curve.n_neg) for name, curve in found.items()} == {"2026-03": (1, 0), "2026-04": (0, 1)}


def test_trap_7_sums_of_weights_that_differ_in_the_last_bit_are_no_change_of_the_table():
    rng = np.random.default_rng(1)
    rows = {"y": rng.integers(0, 2, 3000), "p": rng.random(3000), "w": rng.random(3000)}
    curve = br.curve(pl.LazyFrame(rows), label="y", score="p", weight="w", tolerance=0.01, max_scores=1000)
    assert curve.bucketed
    assert curve.n_pos == pytest.approx(rows["w"][rows["y"] == 1].sum(), rel=1e-12)
    assert curve.n_neg == pytest.approx(rows["w"][rows["y"] == 0].sum(), rel=1e-12)


@pytest.mark.parametrize("kind", IN_PROCESS)
def test_trap_8_minus_zero_is_zero_and_whole_sums_are_numbers(kind):
    table = pa.table({"y": [0, 1, 1], "p": [0.0, -0.0, 0.0], "w": [1, 2, 2**40]})
    curve = br.curve(IN_PROCESS[kind](table), label="y", score="p", weight="w", tolerance=0)
    assert (curve.score.tolist(), curve.pos.tolist(), curve.neg.tolist()) == ([0.0], [2.0**40 + 2], [1.0])
    assert not np.signbit(curve.score).any()


def test_trap_8_decimals_are_not_rounded_to_scores():
    decimals = pl.DataFrame({"y": [0, 1], "p": ["0.1", "0.3"]}).with_columns(pl.col("p").cast(pl.Decimal(20, 17)))
    with pytest.raises(br.errors.InputError, match="got decimals in 'p'; cast them to float first"):
        br.curve(decimals, label="y", score="p")


def test_trap_9_infinity_stays_what_it_is_in_masked_columns():
    scores = [np.inf, -np.inf, 0.25, None]
    table = pd.DataFrame({"y": [1, 0, 1, None], "p": scores}).convert_dtypes()
    assert str(table["p"].dtype) == "Float64"
    cells = GroupReader(request(table, Columns("y", ("p",)))).read(12)
    assert sorted(cells.bucket.tolist()) == sorted(engine_bucket(score, 12) for score in scores[:3])
    assert sorted(cells.low.tolist()) == [-np.inf, 0.25, np.inf]


def test_trap_10_expressions_are_staged_as_columns():
    """One expression that holds all steps doubles with each of them, to megabytes."""
    frame = with_bucket(nw.from_native(duckdb.sql("SELECT 0.1::DOUBLE AS score")), 12)
    assert len(nw.to_native(frame).sql_query()) < 20_000


@pytest.mark.parametrize("kind", ["pandas", "pandas nullable", "pandas arrow", "pyarrow", "dask"])
def test_trap_13_every_sum_is_one_that_an_engine_knows(kind):
    """A sum of an expression is done row by row in Python by some, with a warning, and refused by others."""
    table = pa.table({"y": [0, 1, 1], "p": [0.5, 0.5, 0.5], "w": [1.0, 2.0, 0.5]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = br.curve(IN_PROCESS[kind](table), label="y", score="p", weight="w", tolerance=0)
    assert (curve.pos.tolist(), curve.pos_squares.tolist(), curve.neg.tolist()) == ([2.5], [4.25], [1.0])
