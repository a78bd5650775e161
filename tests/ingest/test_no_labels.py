"""Tables without labels: scores of every row, all counted as negatives."""

import numpy as np
import polars as pl
import pytest

import baserate as br

SCORES = np.round(np.random.default_rng(3).beta(1, 20, 3_000), 5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_files_without_labels(tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    table = pl.DataFrame({"p": SCORES, "segment": np.where(SCORES > 0.05, "a", "b")})
    {"parquet": table.write_parquet, "csv": table.write_csv, "jsonl": table.write_ndjson}[kind](path)
    found = br.curve(path, label=None, score="p")
    assert found == br.Curve.from_scores(np.zeros(len(SCORES)), SCORES)
    assert sum(br.curves_by(path, "segment", label=None, score="p").values()) == found


def test_many_scores_are_put_into_buckets_that_hold_every_row():
    # Above max_scores and lazy, so that their number is not known beforehand.
    found = br.curve(pl.LazyFrame({"p": SCORES}), label=None, score="p", max_scores=400)
    assert found.bucketed
    assert (found.n_pos, found.n_neg) == (0, len(SCORES))
    for low, high, rows in zip(found.score, found.top, found.neg, strict=True):
        assert rows == np.count_nonzero((low <= SCORES) & (high >= SCORES))


def test_an_empty_table_is_an_empty_curve():
    found = br.curve(pl.DataFrame({"p": []}, schema={"p": pl.Float64}), label=None, score="p")
    assert (len(found), found.n_neg) == (0, 0)


def test_positive_needs_labels():
    table = pl.DataFrame({"p": SCORES})
    with pytest.raises(br.errors.InputError, match="positive needs a column of labels, got positive=1 and label=None"):
        br.curve(table, label=None, score="p", positive=1)
    with pytest.raises(br.errors.InputError, match="positive needs a column of labels"):
        br.curves_by(table, "p", label=None, score="p", positive="yes")


def test_a_label_that_is_not_there_is_still_said():
    with pytest.raises(br.errors.InputError, match="label must be a column of the table, got 'y'"):
        br.curve(pl.DataFrame({"p": SCORES}), label="y", score="p")
