"""Names of columns are names: no pattern, no field of another column, no other column that differs only in case."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.ingest import files
from baserate.ingest.tables import curves_by_score
from helpers import frames

ODD = [
    "a.b",
    "*",
    'say "p"',
    '"p"',
    "p(x)",
    "a b",
    "select",
    "1",
    "score_0",
    "label",
    "key_0",
    "rows",
    "é",
    "it's",
    "§",
]
LABELS, SCORES = [0, 1, 1], [0.1, 0.5, 0.9]


def as_parquet(table, folder):
    """The path of the table as a file."""
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def as_csv(table, folder):
    table.to_pandas().to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def as_json(table, folder):
    table.to_pandas().to_json(folder / "rows.jsonl", orient="records", lines=True)
    return folder / "rows.jsonl"


ENGINES = {
    "Parquet": as_parquet,
    "CSV": as_csv,
    "JSON lines": as_json,
    "DuckDB": lambda table, _: duckdb.from_arrow(table),
    "Polars": lambda table, _: pl.from_arrow(table),
    "lazy Polars": lambda table, _: pl.from_arrow(table).lazy(),
    "pandas": lambda table, _: table.to_pandas(),
    "pyarrow": lambda table, _: table,
}


def counts(curve):
    return list(zip(curve.score.tolist(), curve.pos.tolist(), curve.neg.tolist(), strict=True))


@pytest.mark.parametrize("engine", ["Parquet", "CSV", "JSON lines", "DuckDB", "Polars", "lazy Polars"])
def test_a_column_may_have_any_name(tmp_path, engine):
    days = [datetime.date(2026, month, 1).isoformat() for month in (1, 1, 2)]
    roles = {"score": SCORES, "label": LABELS, "by": ["x", "y", "x"], "weight": [1, 2, 1], "time": days}
    for k in range(0, len(ODD), 5):
        names = dict(zip(roles, (ODD + ODD)[k:], strict=False))
        table = pa.table({names[role]: values for role, values in roles.items()})
        if engine not in ("CSV", "JSON lines"):  # which have no times
            table = table.set_column(4, names["time"], table[names["time"]].cast(pa.timestamp("s")))
        found = br.curves_by(
            ENGINES[engine](table, tmp_path),
            names["by"],
            label=names["label"],
            score=names["score"],
            weight=names["weight"],
            period=(names["time"], "month"),
        )
        assert {key: counts(curve) for key, curve in found.items()} == {
            ("x", "2026-01"): [(0.1, 0, 1)],
            ("x", "2026-02"): [(0.9, 1, 0)],
            ("y", "2026-01"): [(0.5, 2, 0)],
        }


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "CSV"])  # which has no fields
def test_a_column_is_no_field_of_another(tmp_path, engine):
    table = pa.table({"y": LABELS, "a": [{"b": 0.9}, {"b": 0.8}, {"b": 0.7}], "a.b": SCORES})
    curve = br.curve(ENGINES[engine](table, tmp_path), label="y", score="a.b")
    assert curve.score.tolist() == SCORES[::-1]


@pytest.mark.parametrize("kind", ["CSV", "JSON lines"])
def test_case_matters(tmp_path, kind):
    table = ENGINES[kind](pa.table({"y": LABELS, "P": [0.3, 0.2, 0.4], "p": SCORES}), tmp_path)
    assert br.curve(table, label="y", score="p").score.tolist() == SCORES[::-1]
    assert br.curve(table, label="y", score="P").score.tolist() == [0.4, 0.3, 0.2]


@pytest.mark.parametrize("n_files", [1, 2])
@pytest.mark.parametrize("names", [("P", "p"), ("p", "p")])
@pytest.mark.parametrize("statistics", [True, False])
def test_parquet_columns_that_differ_in_case_only_are_refused(tmp_path, n_files, names, statistics):
    """DuckDB takes the first of them, whichever is meant."""
    columns = [pa.array(values) for values in (LABELS, [0.3, 0.2, 0.4], SCORES)]
    for k in range(n_files):
        table = pa.Table.from_arrays(columns, names=["y", *names])
        pq.write_table(table, tmp_path / f"{k}.parquet", write_statistics=statistics)
    for score in {*names}:
        with pytest.raises(
            br.errors.DataFileError, match=r"differ by more than case, got '[Pp]' and 'p' in '.*0.parquet'"
        ):
            br.curve(tmp_path, label="y", score=score)


def test_columns_that_nobody_asks_for_may_differ_in_case_only(tmp_path):
    table = pa.table({"y": LABELS, "p": SCORES, "N": LABELS, "n": LABELS, "n_1": LABELS})
    assert br.curve(as_parquet(table, tmp_path), label="y", score="p").score.tolist() == SCORES[::-1]


@pytest.mark.parametrize("kind", ["Parquet", "CSV", "JSON lines"])
def test_requested_columns_of_a_file_differ_by_more_than_case(tmp_path, kind):
    table = ENGINES[kind](pa.table({"y": LABELS, "P": [0.3, 0.2, 0.4], "p": SCORES}), tmp_path)
    with pytest.raises(br.errors.DataFileError, match=r"differ by more than case, got 'P' and 'p'"):
        curves_by_score(table, ["P", "p"], label="y")


@pytest.mark.parametrize("table", ["pandas", "pyarrow"])
def test_a_name_that_stands_twice_is_refused(table):
    columns = [pa.array(values) for values in (LABELS, [0.3, 0.2, 0.4], SCORES)]
    twice = pa.Table.from_arrays(columns, names=["y", "p", "p"])
    if table == "pandas":
        twice = pd.DataFrame(np.array([LABELS, SCORES, SCORES]).T, columns=["y", "p", "p"])
    with pytest.raises(br.errors.InputError, match=r"must have different names, got 'p' 2 times; rename one of them"):
        br.curve(twice, label="y", score="p")


def test_a_matrix_of_scores_has_a_name_for_each_class():
    scores = pd.DataFrame([[0.3, 0.7], [0.8, 0.2]], columns=["a", "a"])
    with pytest.raises(br.errors.InputError, match=r"must have different names, got 'a' 2 times; rename one of them"):
        br.one_vs_rest(["a", "b"], scores)


@pytest.mark.parametrize("kind", ["Parquet", "CSV", "JSON lines"])
def test_columns_of_any_name_are_listed(tmp_path, kind):
    table = ENGINES[kind](pa.table(dict.fromkeys(ODD, SCORES)), tmp_path)
    assert [column.name for column in files.columns_of(table)] == ODD
    assert {column.kind for column in files.columns_of(table)} == {"float"}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=frames.marks(kind)) for kind in frames.SPARK])
def test_a_column_of_spark_is_no_field_of_another(spark_sessions, kind):
    rows = "SELECT {} AS `the y.`, named_struct('b', 0.9D) AS a, {}D AS `a.b`"
    session = getattr(spark_sessions, kind.removeprefix("spark "))
    table = session.sql(" UNION ALL ".join(rows.format(*row) for row in zip(LABELS, SCORES, strict=True)))
    assert br.curve(table, label="the y.", score="a.b").score.tolist() == SCORES[::-1]
    assert len(br.curves_by(table, "a.b", label="the y.", score="a.b")) == 3
