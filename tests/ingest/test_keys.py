"""Labels and keys are single values: what holds others, or has no order, is refused in a sentence by every engine."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.cli.app import run
from baserate.ingest.collecting import Fetched

NESTED = {"lists": [["a"], ["b"]], "structs": [{"a": 1}, {"a": 2}], "bytes": [b"a", b"b"]}


def in_parquet(columns, folder):
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    return folder / "rows.parquet"


ENGINES = {
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "lazy polars": lambda columns, _: pl.LazyFrame(columns),
    "pyarrow": lambda columns, _: pa.table(columns),
    "Parquet": in_parquet,
}


def by_key(table):
    return br.curves_by(table, "k", label="y", score="p")


def rows(keys):
    return {"y": [0, 1], "p": [0.1, 0.2], "k": keys}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("engine", ENGINES)
def test_keys_and_labels_that_are_no_single_values(tmp_path, engine, kind):
    table = ENGINES[engine](rows(NESTED[kind]), tmp_path)
    with pytest.raises(br.errors.InputError, match=r"(by|keys) must be .*numbers, text, bools or dates.*; choose"):
        by_key(table)
    with pytest.raises(br.errors.InputError, match=r"label.* must"):
        br.curve(table, label="k", score="p")


@pytest.mark.parametrize(
    "keys",
    [
        [object(), object()],
        [{1}, {2}],
        [1j, 2j],
        [("a",), ("b",)],
        [datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)],
    ],
)
def test_objects_without_an_order(keys):
    kind = type(keys[0]).__name__
    with pytest.raises(br.errors.InputError, match=f"labels and keys must be .* got {kind}; choose another column"):
        by_key(pd.DataFrame(rows(pd.Series(keys, dtype=object))))


def test_objects_of_polars():
    table = pl.DataFrame(rows(pl.Series([{1}, {2}], dtype=pl.Object)))
    for engine in (table, table.lazy()):
        with pytest.raises(br.errors.InputError, match=r"by must be .* got 'k' of type Object"):
            by_key(engine)


def test_objects_of_pandas_may_be_plain_values():
    table = pd.DataFrame(rows(pd.Series(["a", 1], dtype=object)))
    assert list(by_key(table)) == [1, "a"]


@pytest.mark.parametrize("kind", NESTED)
def test_by_in_the_command(tmp_path, capsys, kind):
    path = in_parquet(rows(NESTED[kind]), tmp_path)
    assert run(["evaluate", str(path), "--label", "y", "--score", "p", "--by", "k"]) == 1
    assert "Error: --by must be a column of numbers, text, bools or dates, got 'k'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8", "int64", "float32", "float64", "far", "half"])
def test_distinct_numbers_and_their_places(kind):
    values = {
        "far": np.array([2**40, 2**40 + 1] * 300),
        "half": np.array([0.5, -0.0, 0.0, 2.0] * 150),
    }.get(kind)
    if values is None:
        whole = np.arange(600) * 7 % 201 - (0 if kind == "uint8" else 100)
        values = whole.astype(kind)
    for column in (values, np.ma.MaskedArray(values, np.arange(len(values)) % 5 == 0)):
        distinct, place = Fetched({"key": column}).distinct("key")
        assert len(distinct) == len(set(distinct))
        assert [distinct[k] for k in place] == column.tolist()
