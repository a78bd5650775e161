"""Several scores of a table: the curves that each has alone, from as many looks at the table as one takes."""

import datetime as dt
import re
import warnings

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.ingest import engine
from baserate.ingest.tables import curves_by_score
from helpers import frames

SCORES = ["p", "margin", "whole"]


def table_of(n, seed=0):
    random = np.random.default_rng(seed)
    label = random.random(n) < 0.2
    z = random.normal(size=n) + 1.5 * label
    return pa.table(
        {
            "label": pa.array([None if k % 40 == 0 else int(y) for k, y in enumerate(label)], pa.int64()),
            "p": 1 / (1 + np.exp(2 - z)),
            "margin": 5 * z + random.normal(size=n),
            "whole": np.round(3 * z).astype(np.int64),
            "weight": random.integers(1, 4, n).astype(float),
            "slice": [f"slice {k}" if k else None for k in random.integers(0, 20, n)],
            "at": [dt.datetime(2026, 1, 1) + dt.timedelta(hours=int(h)) for h in random.integers(0, 8760, n)],
        }
    )


FEW = table_of(400)
KEYS = {"whole table": {}, "groups": {"by": ["slice"]}, "both": {"by": ["slice"], "period": ("at", "quarter")}}
READING = {
    "exact": {"tolerance": 0},
    "in buckets": {"tolerance": 0.05, "max_scores": 300},
    "usual": {},
    "weighted": {"weight": "weight"},
}


def made(kind, table, sessions):
    if kind in frames.IN_PROCESS:
        return frames.IN_PROCESS[kind](table)
    return frames.spark_frame(getattr(sessions(), kind.removeprefix("spark ")), table)


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("kind", [pytest.param(k, marks=frames.marks(k)) for k in (*frames.IN_PROCESS, *frames.SPARK)])
@pytest.mark.filterwarnings("ignore::baserate.errors.PrecisionWarning")
def test_each_score_has_the_curves_that_it_has_alone(kind, reading, keys, request):
    if kind in frames.SLOW and (keys, reading) not in {("both", "exact"), ("whole table", "usual")}:
        return
    frame = made(kind, FEW, lambda: request.getfixturevalue("spark_sessions"))
    options = {"label": "label", "missing": "random", **KEYS[keys], **READING[reading]}
    together = curves_by_score(frame, SCORES, **options)
    alone = {k: v for score in SCORES for k, v in curves_by_score(frame, [score], **options).items()}
    assert list(together) == list(alone)
    for key, curve in together.items():
        if reading == "in buckets":  # which share their room, so that they may be others
            totals = ("n_pos", "n_neg", "unlabelled")
            assert [getattr(curve, name) for name in totals] == [getattr(alone[key], name) for name in totals]
        else:
            assert curve == alone[key]


def _times(word, query):
    """How often a query has a word, where the parts that DuckDB 2 names stand in place of their names."""
    *parts, whole = re.split(r"\n\)(?:,\n|\n(?=SELECT))", query)
    named = dict(re.match(r'(?:WITH )?("\w+") AS NOT MATERIALIZED \((.*)', part, re.DOTALL).groups() for part in parts)

    def times(text):
        return text.count(word) + sum(times(named[one]) for one in re.findall(r'"__\w+"', text))

    return times(whole) if named else query.count(word)


def looks(monkeypatch, path, scores):
    """How often DuckDB is asked for an answer, and how often it reads the rows for it."""
    scans = []
    watched = engine.watched

    def noted(connection, relation):
        asked = relation.sql_query()
        scans.append(_times("read_parquet", asked) - len(re.findall(r"LIMIT 1\b", asked)))  # one row is no look
        return watched(connection, relation)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "watched", noted)
        options = {"by": ["slice"], "period": ("at", "month"), "max_scores": 40_000, "tolerance": 0.5}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.errors.UnlabelledWarning)
            found = curves_by_score(path, scores, label="label", missing="later", **options)
    assert len(found) == len(scores) * 20 * 12
    return scans


def test_three_scores_by_month_and_slice_take_as_many_looks_as_one(tmp_path, monkeypatch):
    pl.from_arrow(table_of(40_000)).write_parquet(tmp_path / "rows.parquet")
    one, three = (looks(monkeypatch, tmp_path / "rows.parquet", scores) for scores in (["p"], SCORES))
    assert one == three
    assert one == [1, 1]  # the rows of each group, then their scores


def test_engines_that_read_a_table_once_do_so(monkeypatch):
    read = []

    def noted(frame):
        read.append(len(frame))
        return frame

    table = pl.from_arrow(FEW)
    lazy = table.lazy().map_batches(noted, schema=table.schema)
    with pytest.warns(br.errors.UnlabelledWarning):
        curves_by_score(lazy, SCORES, label="label", missing="later", tolerance=0)
    assert read == [400]


def test_unlabelled_rows_are_told_once_and_a_receipt_counts_rows_once(tmp_path):
    pl.from_arrow(FEW).write_parquet(tmp_path / "rows.parquet")
    with pytest.warns(br.errors.UnlabelledWarning) as caught:
        curves = curves_by_score(tmp_path / "rows.parquet", SCORES, ["slice"], label="label", missing="later")
    assert [warning.message.rows for warning in caught] == [10]
    assert {curve.source.tables[0].n_rows for curve in curves.values()} == {400}


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
@pytest.mark.parametrize("tolerance", [0, 1e-4])
def test_the_score_that_lacks_values_is_named(kind, tolerance):
    bad = FEW.set_column(2, "margin", pa.array([None if k in (1, 2) else 0.5 for k in range(400)], pa.float64()))
    with pytest.raises(br.errors.InputError, match="the score 'margin' must have no missing values, got 2 rows"):
        curves_by_score(frames.IN_PROCESS[kind](bad), SCORES, label="label", tolerance=tolerance)


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_a_score_that_float64_does_not_hold_is_refused(kind):
    bad = FEW.set_column(3, "whole", pa.array([2**53 + k for k in range(400)], pa.int64()))
    with pytest.raises(br.errors.InputError, match="must fit in float64 without new ties"):
        curves_by_score(frames.IN_PROCESS[kind](bad), SCORES, label="label", tolerance=0)


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_the_first_whole_number_that_float64_does_not_hold_is_refused(kind):
    table = pa.table({"label": [0, 1], "whole": pa.array([2**53, 2**53 + 1], pa.int64())})
    with pytest.raises(br.errors.InputError, match="must fit in float64 without new ties"):
        br.curve(frames.IN_PROCESS[kind](table), label="label", score="whole")
    fits = table.set_column(1, "whole", pa.array([2**53 - 2, 2**53 - 1], pa.int64()))
    assert len(br.curve(frames.IN_PROCESS[kind](fits), label="label", score="whole")) == 2


def test_an_empty_table_has_a_curve_for_each_score():
    empty = duckdb.connect().sql("SELECT 1 AS label, 0.5::DOUBLE AS p, 0.5::DOUBLE AS q WHERE 1 = 0")
    found = curves_by_score(empty, ["p", "q"], label="label")
    assert [(key, len(curve)) for key, curve in found.items()] == [(("p", ()), 0), (("q", ()), 0)]
