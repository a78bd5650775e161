"""What goes wrong in an engine is said as such, with the engine's own error as the cause."""

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.ingest import files
from baserate.ingest.groups import GroupReader

ROWS = {"y": [0, 1], "p": [0.1, 0.2]}


def failing_polars():
    def fail(_):
        raise RuntimeError("a disk is gone")

    return pl.LazyFrame(ROWS).map_batches(fail, schema={"y": pl.Int64, "p": pl.Float64})


def failing_dask():
    def fail(part):
        if len(part):
            raise RuntimeError("a disk is gone")
        return part

    return dd.from_pandas(pd.DataFrame(ROWS), npartitions=1).map_partitions(fail, meta=pd.DataFrame(ROWS).iloc[:0])


def failing_duckdb():
    return duckdb.connect().sql(
        "SELECT 1 AS y, CASE WHEN range > 5 THEN error('a disk is gone')::DOUBLE END AS p FROM range(9)"
    )


@pytest.mark.slow
@pytest.mark.parametrize("make", [failing_polars, failing_dask, failing_duckdb])
def test_an_engine_that_fails_is_the_cause(make):
    with pytest.raises(br.BaserateError, match=r"(polars|dask|duckdb) failed with \w+ \(.*a disk is gone") as refused:
        br.curve(make().select("y", "p") if make is failing_polars else make(), label="y", score="p")
    assert "a disk is gone" in str(refused.value.__cause__)
    assert not isinstance(refused.value, ValueError)  # nobody's input was wrong


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_spark_that_fails_is_the_cause(spark_sessions, kind):
    from pyspark.errors import PySparkException

    score = "CASE WHEN id > 5 THEN CAST(raise_error('a disk is gone') AS double) ELSE 0.5D END"
    frame = getattr(spark_sessions, kind).sql(f"SELECT 1 AS y, {score} AS p FROM range(9)")
    with pytest.raises(br.BaserateError, match=r"pyspark(_connect)? failed with \w+ \(.*a disk is gone") as refused:
        br.curve(frame, label="y", score="p")
    assert isinstance(refused.value.__cause__, PySparkException)


def scores(path, n):
    duckdb.sql(f"COPY (SELECT CAST(range AS DOUBLE) / {n} AS p, range % 2 AS y FROM range({n})) TO '{path}'")
    return path


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_every_score_fits_into_the_memory_or_is_refused_before(tmp_path, form, monkeypatch):
    path = scores(tmp_path / f"rows.{form}", 60_000)
    options = {"label": "y", "score": "p", "tolerance": 0, "max_scores": 1_000}
    monkeypatch.setattr(files, "_SCORE", 5_000)  # or the files would have to be large
    assert len(br.curve(path, **options, memory_limit="400MB")) == 60_000
    monkeypatch.setattr(GroupReader, "read", None)  # nothing may have begun
    with pytest.raises(br.errors.InputError, match=r"about \d\d,\d{3} scores need 0\.\d+ GB, more than memory_limit"):
        br.curve(path, **options, memory_limit="200MB")


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_given_memory_limit_bounds_the_scores(tmp_path, form, monkeypatch):
    """Whatever max_scores allows: every score is refused, else they are grouped."""
    path = scores(tmp_path / f"rows.{form}", 60_000)
    monkeypatch.setattr(files, "_SCORE", 5_000)
    assert len(br.curve(path, label="y", score="p")) == 60_000  # nobody gave a limit
    assert 2 < len(br.curve(path, label="y", score="p", memory_limit="200MB")) <= 40_000
    with pytest.raises(br.errors.InputError, match="more than memory_limit"):
        br.curve(path, label="y", score="p", tolerance=0, memory_limit="200MB")


def test_few_scores_of_many_rows_fit(tmp_path):
    duckdb.sql(
        f"COPY (SELECT CAST(range % 7 AS DOUBLE) AS p, range % 2 AS y FROM range(60_000)) TO '{tmp_path}/a.parquet'"
    )
    options = {"label": "y", "score": "p", "tolerance": 0, "max_scores": 1_000, "memory_limit": "10MB"}
    assert len(br.curve(tmp_path / "a.parquet", **options)) == 7


def test_too_little_memory_is_no_broken_file(tmp_path, monkeypatch):
    path = scores(tmp_path / "rows.parquet", 500_000)
    monkeypatch.setattr(files.Files, "check_room", lambda *_: None)
    with pytest.raises(br.BaserateError, match="memory_limit 1MB is too small for these files") as refused:
        br.curve(path, label="y", score="p", tolerance=0, max_scores=1_000, memory_limit="1MB")
    assert not isinstance(refused.value, br.errors.DataFileError)
    assert isinstance(refused.value.__cause__, duckdb.OutOfMemoryException)
