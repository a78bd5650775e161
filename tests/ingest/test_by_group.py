"""Many groups of a file or a relation: their scores come as lists, and what is kept of them gives exact areas."""

import duckdb
import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.ingest import by_group
from baserate.ingest.bucket_expressions import bucket_of
from baserate.ingest.groups import GroupReader
from baserate.ingest.tables import curves_by_score

METRICS = (br.average_precision, br.roc_auc, br.auc_pr, br.auc_prg, br.best_f1)


def payments(n=30_000, seed=0, prevalence=0.03):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    z = rng.normal(size=n) + 1.5 * y
    score = 1 / (1 + np.exp(4 - 2 * z))
    key = rng.choice([f"k{j}" for j in range(40)] + [None], n)
    return pl.DataFrame({"y": y.astype(np.int8), "p": score, "q": np.round(4 * z, 1), "k": key})


def exact(table, score="p"):
    return {
        key: br.Curve.from_scores(part["y"], part[score])
        for (key,), part in table.partition_by("k", as_dict=True).items()
    }


@pytest.fixture
def parts(monkeypatch):
    """Which parts are fetched."""
    seen, listed = [], GroupReader.listed

    def noted(self, part):
        seen.append(part)
        return listed(self, part)

    monkeypatch.setattr(GroupReader, "listed", noted)
    return seen


def from_file(table, folder):
    table.write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def test_every_score_is_kept_where_there_is_room(tmp_path, parts):
    table = payments()
    path = from_file(table, tmp_path)
    assert br.curves_by(path, "k", label="y", score="p") == exact(table)
    assert br.curves_by(duckdb.read_parquet(str(path)), "k", label="y", score="p") == exact(table)
    assert parts == [((0,), 0, 1)] * 2


@pytest.mark.parametrize("room", [60_000, 40_000])
def test_several_scores_come_together_if_they_fit(tmp_path, parts, room, monkeypatch):
    monkeypatch.setattr(by_group, "_AT_ONCE", room)
    table = payments()
    found = curves_by_score(from_file(table, tmp_path), ("p", "q"), ["k"], label="y")
    for score in ("p", "q"):
        of_score = {key: curve for (name, (key,)), curve in found.items() if name == score}
        assert of_score == exact(table, score)
    assert parts == [((0, 1), 0, 1)] if room == 60_000 else [((0,), 0, 1), ((1,), 0, 1)]


@pytest.mark.parametrize("score", ["p", "q"])
def test_areas_are_exact_where_there_is_less_room(tmp_path, parts, score):
    table = payments()
    curves = br.curves_by(from_file(table, tmp_path), "k", label="y", score=score, max_scores=15_000)
    truth = exact(table, score)
    assert len(parts) > 1
    assert {part.n for part in parts} == {len(parts)}
    assert sum(map(len, curves.values())) <= 15_000
    assert set(curves) == set(truth)
    for key, curve in list(curves.items())[::8]:
        assert (curve.n_pos, curve.n_neg) == (truth[key].n_pos, truth[key].n_neg)
        for prevalence in (1e-6, 1e-3, 0.5):
            at, wanted = (one.at_prevalence(prevalence) for one in (curve, truth[key]))
            for metric in METRICS:
                certain = br.bounds(metric, at)
                assert certain.low == pytest.approx(metric(wanted), rel=1e-9)
                assert certain.high == pytest.approx(metric(wanted), rel=1e-9)
        # Every threshold that is left is one of the data, and its counts are exact.
        for threshold in curve.score[::30].tolist():
            assert curve.at_threshold(threshold).confusion == truth[key].at_threshold(threshold).confusion


def test_entries_do_not_leave_their_bucket(tmp_path):
    table = payments()
    curves = br.curves_by(from_file(table, tmp_path), "k", label="y", score="p", max_scores=15_000)
    bits = by_group.bits_for(len(curves), 15_000)
    assert any((curve.top > curve.score).any() for curve in curves.values())
    for curve in curves.values():
        assert np.array_equal(bucket_of(curve.score, bits), bucket_of(curve.top, bits))


def test_classes_that_alternate_need_buckets(tmp_path, parts):
    table = payments(prevalence=0.5)
    curves = br.curves_by(from_file(table, tmp_path), "k", label="y", score="p", max_scores=15_000, tolerance=0.05)
    assert len(parts) == 1  # by which there is not enough room
    assert sum(map(len, curves.values())) <= 15_000
    for key, curve in list(exact(table).items())[::8]:
        certain = br.bounds(br.average_precision, curves[key])
        assert certain.low <= br.average_precision(curve) <= certain.high
        assert certain.width <= 0.05


def test_a_group_that_is_too_large_needs_buckets(tmp_path, parts):
    table = payments().with_columns(k=pl.when(pl.int_range(pl.len()) < 20_000).then(pl.lit("k0")).otherwise("k"))
    br.curves_by(from_file(table, tmp_path), "k", label="y", score="p", max_scores=15_000, tolerance=0.1)
    assert parts == []


def test_few_groups_of_many_rows_need_buckets(tmp_path, parts, monkeypatch):
    monkeypatch.setattr(by_group, "_FINE", 3)
    br.curves_by(from_file(payments(), tmp_path), "k", label="y", score="p", max_scores=15_000, tolerance=0.1)
    assert parts == []


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_scores_are_refused(tmp_path, missing):
    table = payments(100).with_row_index("id").with_columns(k=pl.lit("a"))
    table = table.with_columns(p=pl.when(pl.col("id") < 3).then(missing).otherwise("p"))
    with pytest.raises(br.errors.InputError, match=r"'p' must have no missing values, got [123] rows? with a label"):
        br.curves_by(from_file(table, tmp_path), "k", label="y", score="p")
    unlabelled = table.with_columns(y=pl.when(pl.col("id") < 3).then(None).otherwise("y"))
    with pytest.warns(br.errors.UnlabelledWarning):
        (curve,) = br.curves_by(from_file(unlabelled, tmp_path), "k", label="y", score="p", missing="later").values()
    assert (curve.n_pos + curve.n_neg, curve.unlabelled) == (97, 3)


def test_a_group_without_labels_is_an_empty_curve(tmp_path):
    table = payments().with_columns(y=pl.when(pl.col("k") == "k3").then(None).otherwise("y"))
    with pytest.warns(br.errors.UnlabelledWarning):
        curves = br.curves_by(from_file(table, tmp_path), "k", label="y", score="p", missing="later")
    assert len(curves["k3"]) == 0
    assert curves["k3"].unlabelled == table.filter(k="k3").height


def test_labels_that_came_up_between_two_looks_are_told():
    rows = pl.DataFrame({"y": [0, 1, 2], "p": [0.1, 0.2, 0.3], "k": ["a", "a", "a"]})
    with pytest.raises(br.errors.InputError, match="label"):
        br.curves_by(duckdb.from_arrow(rows.to_arrow()), "k", label="y", score="p")
