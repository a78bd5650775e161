"""Exact while it fits; else buckets, looked at again until average precision is known as well as wanted."""

from functools import partial

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.ingest import stretches
from baserate.ingest.bucket_expressions import bucket_of
from baserate.ingest.groups import EACH_ROW, EXACT, GroupReader
from baserate.ingest.request import Columns, request
from helpers.engine_buckets import engine_bucket
from helpers.ingest_cases import EDGES

PREVALENCES = (None, 1e-6, 1e-4, 1e-2, 0.5)


def rows(n=60_000, seed=0, kind="probability"):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.03
    z = rng.normal(size=n) + 1.5 * y
    score = {
        "probability": 1 / (1 + np.exp(4 - 2 * z)),
        "margin": 5 * z,
        "far margin": 1e6 + z,
        "narrow": 0.5 + z * 1e-6,
        "saturated": np.clip(1 / (1 + np.exp(-6 * z)), 0.0, 1.0),
        "levels": np.round(1 / (1 + np.exp(-z)), 2),
        "atom and dust": np.where(rng.random(n) < 0.5, 0.3, 0.3 + z * 1e-9),
    }[kind]
    return pl.DataFrame({"y": y, "p": score, "group": rng.choice(["a", "b", "c"], n)})


KINDS = ("probability", "margin", "far margin", "narrow", "saturated", "levels", "atom and dust")


def queries(monkeypatch):
    """How finely, and whether everywhere, each pass looks."""
    seen = []
    read = GroupReader.read

    def noted(self, bits, ranges=None, *, most=None):
        seen.append((bits, ranges is None))
        return read(self, bits, ranges, most=most)

    monkeypatch.setattr(GroupReader, "read", noted)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_the_tolerance_holds_and_the_bounds_hold_the_truth(kind, tolerance):
    table = rows(kind=kind)
    exact = br.Curve.from_scores(table["y"], table["p"])
    curve = br.curve(table.lazy(), label="y", score="p", tolerance=tolerance, max_scores=20_000)
    assert (curve.n_pos, curve.n_neg) == (exact.n_pos, exact.n_neg)
    assert len(curve) <= 20_000
    for prevalence in PREVALENCES:
        at, truth = (c if prevalence is None else c.at_prevalence(prevalence) for c in (curve, exact))
        found = br.bounds(br.average_precision, at)
        assert found.width <= tolerance
        assert found.low <= br.average_precision(truth) <= found.high
        for metric in (br.roc_auc, br.auc_pr, br.auc_prg, br.best_f1, partial(br.auc_pr, recall_range=(0.2, 0.7))):
            certain = br.bounds(metric, at)
            assert certain.low <= metric(truth) <= certain.high
    # Every threshold that is left is one of the data, and its counts are exact.
    threshold = float(curve.score[len(curve) // 2])
    assert curve.at_threshold(threshold).confusion == exact.at_threshold(threshold).confusion


def test_few_rows_give_an_exact_curve(monkeypatch):
    table = rows(5_000)
    exact = br.Curve.from_scores(table["y"], table["p"])
    seen = queries(monkeypatch)
    assert br.curve(table, label="y", score="p") == exact
    assert seen == [(EACH_ROW, True)]
    seen.clear()
    assert br.curve(table.lazy(), label="y", score="p") == exact
    assert seen == [(16, True), (EXACT, True)]


def test_few_rows_of_a_parquet_file_are_read_once_and_not_grouped(monkeypatch, tmp_path):
    table, path = rows(5_000).with_columns(w=pl.col("p") * 2), tmp_path / "rows.parquet"
    table.write_parquet(path)
    seen = queries(monkeypatch)
    assert br.curve(path, label="y", score="p") == br.Curve.from_scores(table["y"], table["p"])
    weighted = br.curve(path, label="y", score="p", weight="w")
    assert weighted == br.Curve.from_scores(table["y"], table["p"], weight=table["w"])
    curves = br.curves_by(path, "group", label="y", score="p")
    assert curves == {
        name: br.Curve.from_scores(part["y"], part["p"])
        for (name,), part in sorted(table.partition_by("group", as_dict=True).items())
    }
    assert seen == [(EACH_ROW, True)] * 2  # groups come as lists
    seen.clear()
    br.curve(path, label="y", score="p", max_scores=4_999)
    assert seen[0] == (12, True)


def test_few_levels_are_exact_at_the_first_look(monkeypatch):
    table = rows(kind="levels")
    seen = queries(monkeypatch)
    curve = br.curve(table.lazy(), label="y", score="p", max_scores=1_000)
    assert curve == br.Curve.from_scores(table["y"], table["p"])
    assert seen == [(12, True)]


def test_no_tolerance_keeps_every_score():
    table = rows()
    curve = br.curve(table.lazy(), label="y", score="p", tolerance=0, max_scores=10)
    assert curve == br.Curve.from_scores(table["y"], table["p"])


def test_the_second_look_is_only_where_it_matters(monkeypatch):
    table = rows(kind="margin")
    seen = queries(monkeypatch)
    curve = br.curve(table.lazy(), label="y", score="p", tolerance=1e-5, max_scores=50_000)
    assert br.bounds(br.average_precision, curve).width <= 1e-5
    assert seen[0] == (12, True)
    assert len(seen) > 1
    assert not any(everywhere for _, everywhere in seen[1:])


def test_what_cannot_be_reached_is_said():
    table = rows(200_000)
    with pytest.warns(br.errors.PrecisionWarning, match=r"error .* up to [\d.e-]+, above the tolerance 1e-09"):
        curve = br.curve(table.lazy(), label="y", score="p", tolerance=1e-9, max_scores=5_000)
    assert curve.bucketed
    truth = br.average_precision(br.Curve.from_scores(table["y"], table["p"]))
    found = br.bounds(br.average_precision, curve)
    assert found.low <= truth <= found.high
    # Room that cannot serve the wish still serves: the width is far below that of the first look alone.
    assert found.width < 2e-3


def test_every_group_is_known_well_enough():
    table = rows(90_000, kind="margin")
    curves = br.curves_by(table.lazy(), "group", label="y", score="p", tolerance=1e-4, max_scores=60_000)
    assert list(curves) == ["a", "b", "c"]
    for group, curve in curves.items():
        part = table.filter(pl.col("group") == group)
        truth = br.average_precision(br.Curve.from_scores(part["y"], part["p"]))
        found = br.bounds(br.average_precision, curve)
        assert found.low <= truth <= found.high
        assert found.width <= 1e-4


def test_too_many_groups_are_refused():
    table = rows(5_000).with_row_index("id")
    with pytest.raises(br.errors.InputError, match="at most 100 groups of rows"):
        br.curves_by(table.lazy(), "id", label="y", score="p", max_scores=100)


def test_a_label_of_many_values_is_called_that():
    table = rows(5_000).with_row_index("id")
    with pytest.raises(br.errors.InputError, match="'id' must hold two classes"):
        br.curve(table.lazy(), label="id", score="p", max_scores=100)


def test_a_table_that_changes_between_two_looks_is_noticed(monkeypatch):
    table = rows(kind="margin")
    ask = GroupReader._ask

    def with_rows_lost(self, bits, ranges, most):
        if ranges is not None:
            monkeypatch.setattr(self, "_request", lost)
        return ask(self, bits, ranges, most)

    lost = request(table.lazy().filter(~pl.col("y")), Columns("y", ("p",)))
    monkeypatch.setattr(GroupReader, "_ask", with_rows_lost)
    with pytest.raises(br.errors.InputError, match="the table changed while it was read"):
        br.curve(table.lazy(), label="y", score="p", tolerance=1e-9, max_scores=50_000)


def test_weights_in_buckets():
    table = rows(kind="margin").with_columns(w=pl.lit(2.0))
    curve = br.curve(table.lazy(), label="y", score="p", weight="w", max_scores=30_000)
    exact = br.Curve.from_scores(table["y"], table["p"], weight=table["w"])
    assert curve.bucketed
    assert (curve.n_pos, curve.n_neg) == (exact.n_pos, exact.n_neg)
    assert curve.pos_squares.sum() == exact.pos_squares.sum()
    found = br.bounds(br.average_precision, curve)
    assert found.low <= br.average_precision(exact) <= found.high


def test_the_engine_and_numpy_find_the_buckets_that_python_finds():
    rng = np.random.default_rng(0)
    odd = [0.0, -0.0, 5e-324, -5e-324, 1e-300, 2.0**-192, 0.5, np.nextafter(0.5, 1), 1.0, np.nextafter(1, 2), 2.0**53]
    odd += [2.0**64, -(2.0**64), 1e308, -1e308, np.inf, -np.inf, np.nextafter(1, 0)]
    scores = np.concatenate([odd, rng.random(500), rng.normal(size=500) * 10.0 ** rng.integers(-80, 80, 500), EDGES])
    for bits in (0, 5, 16, 48):
        reader = GroupReader(request(pl.DataFrame({"y": [0] * len(scores), "p": scores}), Columns("y", ("p",))))
        assert bucket_of(scores, bits).tolist() == [engine_bucket(score, bits) for score in scores.tolist()]
        cells = reader.read(bits)
        assert sorted({engine_bucket(score, bits) for score in scores.tolist()}) == sorted(
            cells.bucket.astype(np.int64).tolist()
        )


def test_many_stretches_become_few_by_closing_the_smallest_gaps():
    marked = np.zeros(400, bool)
    marked[::2] = True
    rows_in = np.ones(400)
    rows_in[101] = rows_in[301] = 1000.0  # two gaps that are worth leaving out
    filled = stretches._with_small_gaps_filled(marked, rows_in, 5)
    assert not filled[101]
    assert not filled[301]
    assert len(stretches._runs(filled)[0]) == 5
    assert filled[marked].all()


def test_a_pass_is_one_group_by_of_the_engine(monkeypatch):
    collected = []
    collect = nw.LazyFrame.collect

    def noted(self):
        collected.append(len(found := collect(self)))
        return found

    monkeypatch.setattr(nw.LazyFrame, "collect", noted)
    br.curve(rows().lazy(), label="y", score="p", tolerance=1e-2, max_scores=50_000)
    assert len(collected) == 1
    assert collected[0] < 50_000  # counts, not rows


def test_the_first_look_becomes_coarser_if_it_must(monkeypatch):
    seen = queries(monkeypatch)
    br.curve(rows().lazy(), label="y", score="p", tolerance=0.5, max_scores=3_000)
    br.curves_by(rows().lazy(), "group", label="y", score="p", tolerance=0.5)
    br.curves_by(rows().with_row_index("id").lazy(), "id", label="y", score="p", tolerance=0.5)
    assert [bits for bits, _ in seen] == [12, 9, 16, EXACT, 6]
