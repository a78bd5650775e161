"""A curve from files has a receipt: which files, how they were read, how many rows."""

import hashlib
import json
import os
import warnings

import polars as pl
import pytest

import baserate as br
from baserate.ingest import tables

ROWS = pl.DataFrame(
    {"y": [0, 1, None, 1], "p": [0.1, 0.4, 0.8, 0.9], "k": ["a", "b", "a", None], "w": [2, 2, 2, 0.5]}, strict=False
)


@pytest.fixture(params=["csv", "parquet", "jsonl"])
def path(tmp_path, request):
    path = tmp_path / f"rows.{request.param}"
    {"csv": ROWS.write_csv, "parquet": ROWS.write_parquet, "jsonl": ROWS.write_ndjson}[request.param](path)
    return path


def read(path, **options):
    return br.curve(path, label="y", score="p", missing="random", **options)


def test_a_receipt_counts_rows_and_names_files(path):
    for options in ({}, {"weight": "w"}, {"tolerance": 0, "max_scores": 1}):
        source = read(path, **options).source
        assert (source.n_rows, source.labelled, source.unlabelled) == (4, 3, 1)
    (table,) = source.tables
    formats = {".csv": "CSV, delimiter ',', decimal '.'", ".parquet": "Parquet", ".jsonl": "JSON lines"}
    assert (table.format, table.n_rows) == (formats[path.suffix], 4)
    (file,) = table.files
    assert (file.path, file.size) == (str(path), os.path.getsize(path))
    assert source.sha256() == {str(path): hashlib.sha256(path.read_bytes()).hexdigest()}


def test_a_receipt_of_buckets_counts_rows(tmp_path):
    pl.DataFrame({"y": [k % 2 for k in range(5_000)], "p": [k / 5_000 for k in range(5_000)]}).write_parquet(
        tmp_path / "rows.parquet"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.PrecisionWarning)
        curve = read(tmp_path / "rows.parquet", max_scores=500)
    assert curve.bucketed
    assert (curve.source.n_rows, curve.source.labelled) == (5_000, 5_000)


def test_slices_and_pools_keep_theirs(path):
    curves = br.curves_by(path, "k", label="y", score="p", missing="random")
    rows = {key: (curve.source.n_rows, curve.source.labelled, curve.source.unlabelled) for key, curve in curves.items()}
    assert rows == {"a": (4, 1, 1), "b": (4, 1, 0), None: (4, 1, 0)}
    whole = read(path)
    assert sum(curves.values()).source == br.Curve.pool(curves.values()).source == whole.source
    assert whole.at_prevalence(0.01).source == whole.shift_scores(0.01).source == whole.source
    assert (whole + br.Curve.from_scores([0, 1], [0.1, 0.2])).source is None


def test_a_pool_of_two_files(tmp_path):
    for name in ("a", "b"):
        ROWS.with_columns(name=pl.lit(name)).write_csv(tmp_path / f"{name}.csv")
    apart = read(tmp_path / "a.csv") + read(tmp_path / "b.csv")
    together = read(tmp_path)
    assert [len(table.files) for table in apart.source.tables] == [1, 1]
    assert (apart.source.n_rows, apart.source.labelled) == (together.source.n_rows, together.source.labelled) == (8, 6)
    assert apart.source.fingerprint == together.source.fingerprint
    assert apart == together


def test_a_saved_curve_keeps_its_receipt(path, tmp_path):
    curve = read(path)
    curve.save(tmp_path / "it.curve")
    assert br.Curve.load(tmp_path / "it.curve").source == curve.source
    assert json.loads(json.dumps(curve.source.to_dict()))["labelled"] == 3
    assert br.curve(ROWS, label="y", score="p", missing="random") == curve
    assert br.curve(ROWS, label="y", score="p", missing="random").source is None


@pytest.mark.parametrize("place", [0, 20_000, -1])
def test_a_fingerprint_tells_files_apart(tmp_path, place):
    one, other = bytearray(b"y,p\n" + b"1,0.5\n" * 10_000), bytearray(b"y,p\n" + b"1,0.5\n" * 10_000)
    other[place] ^= 1
    for name, content in (("one.csv", one), ("other.csv", other)):
        (tmp_path / name).write_bytes(content)
    from baserate.results.sources import SourceFile

    quick = [SourceFile.of(str(tmp_path / name)).fingerprint for name in ("one.csv", "other.csv")]
    # In the middle only the whole hash sees it, which is what is promised.
    assert (quick[0] != quick[1]) == (place != 20_000)


def test_a_file_that_changes_is_refused(path, monkeypatch):
    source = read(path).source
    usual = tables.gather

    def changing(*arguments):
        found = usual(*arguments)
        path.write_bytes(path.read_bytes() + b" ")
        return found

    monkeypatch.setattr(tables, "gather", changing)
    with pytest.raises(br.errors.DataFileError, match=r"the file '.*' has changed since it was first read"):
        read(path)
    with pytest.raises(br.errors.DataFileError, match="has changed since it was first read"):
        source.sha256()
    path.unlink()
    with pytest.raises(br.errors.DataFileError, match="has changed since it was first read"):
        source.sha256()


def test_a_damaged_receipt_is_refused(path, tmp_path):
    from baserate.curves import saving

    read(path).save(tmp_path / "it.curve")
    columns, facts = saving.read(tmp_path / "it.curve")
    saving.write(tmp_path / "it.curve", saving.Saved(columns, facts | {"source": '{"tables": 3}'}))
    with pytest.raises(br.errors.CurveFileError, match="the saved source is damaged"):
        br.Curve.load(tmp_path / "it.curve")


def test_a_line_names_three_files_their_number_and_a_fingerprint_of_all(tmp_path):
    for k in range(5):
        (tmp_path / f"{k}.csv").write_text(f"y,p\n1,.{k}\n")
    source = br.curve(tmp_path, label="y", score="p", missing="random").source
    assert str(source).startswith("5 files, such as 0.csv, 1.csv, 2.csv: 5 rows, ")
    assert str(source).endswith(source.fingerprint)
    three = br.curve([tmp_path / f"{k}.csv" for k in range(3)], label="y", score="p", missing="random").source
    assert str(three).startswith("0.csv, 1.csv, 2.csv: 3 rows, ")
    (tmp_path / "4.csv").write_text("y,p\n0,.4\n")
    assert br.curve(tmp_path, label="y", score="p", missing="random").source.fingerprint != source.fingerprint


def test_of_sampled_labels_rows_of_both_kinds_are_counted(tmp_path):
    ROWS.write_csv(tmp_path / "rows.csv")
    curve = br.curve(tmp_path / "rows.csv", label="y", score="p", sampled="75 %")
    assert (curve.source.labelled, curve.source.unlabelled, curve.source.n_rows) == (3, 1, 4)
    curve.save(tmp_path / "some.curve")
    assert str(br.Curve.load(tmp_path / "some.curve").source) == str(curve.source)
    assert str((curve + curve).source.tables[0]) == str(curve.source.tables[0])
