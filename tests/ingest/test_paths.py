"""A path means the files that were named, and nothing else; folders are columns only where they were meant to be."""

import os
import tempfile

import polars as pl
import pytest

import baserate as br
from baserate.ingest import paths
from baserate.ingest.files import columns_of

FORMATS = ("csv", "parquet", "jsonl")


def write(path, n_pos, n_neg=1, **columns):
    """A file with so many rows of each class; others would have been read if the numbers differ."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = n_pos + n_neg
    table = pl.DataFrame({"y": [1] * n_pos + [0] * n_neg, "p": [k / 10 for k in range(rows)]} | columns)
    form = path.suffix.lower().removeprefix(".")
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[form](path)
    return path


def positives(path, **options):
    return br.curve(path, **({"label": "y", "score": "p"} | options)).n_pos


@pytest.fixture(params=["linked", "without links"])
def links(request, monkeypatch):
    """Whether the system lets us make links."""
    if request.param == "without links":

        def refused(*_):
            raise OSError("no links here")

        monkeypatch.setattr(os, "symlink", refused)


# --- names with signs of patterns -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("named", "others"),
    [("x[1]", ["x1"]), ("a*", ["ab", "a"]), ("a?", ["ab"]), ("a[!b]", ["ac"]), ("it's", []), ("a[[]b", ["a[b"])],
)
def test_a_name_is_no_pattern(tmp_path, form, named, others):
    for k, name in enumerate(others, start=2):
        write(tmp_path / f"{name}.{form}", k)
    assert positives(write(tmp_path / f"{named}.{form}", 1)) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_is_no_pattern(tmp_path, form):
    write(tmp_path / "d1" / f"rows.{form}", 5)
    write(tmp_path / "d[1]" / f"rows.{form}", 1)
    write(tmp_path / "d[1]" / f"x*.{form}", 2)
    assert positives(tmp_path / "d[1]") == 3
    assert positives(str(tmp_path / "d1")) == 5


@pytest.mark.usefixtures("links")
def test_a_pattern_is_read_once(tmp_path):
    for k, name in enumerate(("x[1]", "x1", "xy"), start=1):
        write(tmp_path / f"{name}.csv", k)
    assert positives(f"{tmp_path}/x*.csv") == 6
    assert positives(f"{tmp_path}/x[[]1].csv") == 1
    assert positives(f"{tmp_path}/x?.csv") == 5


def test_a_name_that_is_no_utf8(tmp_path):
    try:
        path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
        with open(path, "w") as file:
            file.write("y,p\n1,.5\n0,.4\n")
    except OSError:
        pytest.skip("this system has no such names")
    assert positives(os.fsdecode(path)) == 1
    assert positives(tmp_path) == 1


@pytest.mark.parametrize("named", ["Rows.CSV", "Rows.Csv.GZ"])
def test_capitals_do_not_matter(tmp_path, named):
    import gzip

    text = b"y,p\n1,.5\n0,.4\n"
    (tmp_path / named).write_bytes(gzip.compress(text) if named.endswith("GZ") else text)
    assert positives(tmp_path / named) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_errors_name_the_file_that_was_given(tmp_path, form):
    good, bad = write(tmp_path / f"good.{form}", 1), tmp_path / f"bad[1].{form}"
    bad.write_text('y,p\n1,"half\n0' if form == "csv" else "not at all")
    with pytest.raises(br.errors.DataFileError) as refused:
        positives([good, bad])
    assert f"cannot read '{bad}' as " in str(refused.value)
    assert "links" not in str(refused.value)


def test_hidden_files_of_a_folder_are_not_meant(tmp_path):
    write(tmp_path / ".here" / "d" / "a.csv", 1)
    write(tmp_path / ".here" / "d" / ".ipynb_checkpoints" / "a-checkpoint.csv", 2)
    hidden = write(tmp_path / ".here" / "d" / ".a.csv", 4)
    assert positives(tmp_path / ".here") == positives(tmp_path / ".here" / "d") == 1
    assert positives(f"{tmp_path}/.here/**/*.csv") == 1
    assert positives(hidden) == 4
    assert positives(hidden.parent / ".ipynb_checkpoints") == 2
    with pytest.raises(br.errors.DataFileError, match=r"the folder .* has no \.parquet"):
        positives(write(tmp_path / "only" / ".b.csv", 1).parent)


def test_a_file_counts_once(tmp_path):
    path = write(tmp_path / "rows.csv", 1)
    with pytest.raises(br.errors.DataFileError, match=r"rows\.csv' are the same file; leave one out"):
        positives([path, tmp_path])
    with pytest.raises(br.errors.DataFileError, match="are the same file"):
        positives([path, path])


# --- folders as columns ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_does_not_override_a_column(tmp_path, form):
    path = write(tmp_path / "p=2" / "y=1" / f"a.{form}", 1)
    for given in (path, path.parent, f"{path.parent}/*.{form}", [path]):
        curve = br.curve(given, label="y", score="p")
        assert (curve.n_pos, curve.n_neg, curve.score.tolist()) == (1, 1, [0.1, 0.0])
    for given in (tmp_path, f"{tmp_path}/*/*/*.{form}"):
        with pytest.raises(br.errors.DataFileError, match=r"got 'p' in both \(p=2\); name the files one by one"):
            positives(given)
    # What nobody asks for is not in the way.
    write(tmp_path / "q" / "z=1" / f"b.{form}", 1, z=[3, 4])
    assert positives(tmp_path / "q") == 1


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("value", ["cz", "a b", "100%", "é;'*[1]", "x=y", "1.5", "__x__", "true", "a/b"])
def test_values_of_folders_are_text(tmp_path, form, value):
    from urllib.parse import quote

    write(tmp_path / f"k={quote(value, safe='')}" / f"0.{form}", 1)
    write(tmp_path / "k=other" / f"0.{form}", 2)
    curves = br.curves_by(tmp_path, "k", label="y", score="p")
    assert {key: curve.n_pos for key, curve in curves.items()} == {value: 1, "other": 2}


@pytest.mark.parametrize("form", FORMATS)
def test_whole_numbers_and_missing_values_of_folders(tmp_path, form):
    for k, value in enumerate(["2", "10", "__HIVE_DEFAULT_PARTITION__"], start=1):
        write(tmp_path / f"k={value}" / f"0.{form}", k)
    curves = br.curves_by(f"{tmp_path}/k=*/*", "k", label="y", score="p")
    assert [(key, curve.n_pos) for key, curve in curves.items()] == [(2, 1), (10, 2), (None, 3)]
    write(tmp_path / "k=02" / f"0.{form}", 4)
    assert list(br.curves_by(tmp_path, "k", label="y", score="p")) == ["02", "10", "2", None]


@pytest.mark.parametrize("form", FORMATS)
def test_folders_may_be_periods_labels_and_scores(tmp_path, form):
    for day, label in (("2026-04-30", "1"), ("2026-05-01", "0")):
        write(tmp_path / f"day={day}" / f"fraud={label}" / f"0.{form}", 2)
    curves = br.curves_by(tmp_path, label="fraud", score="p", period=("day", "month"))
    assert {month: (curve.n_pos, curve.n_neg) for month, curve in curves.items()} == {
        "2026-04": (3, 0),
        "2026-05": (0, 3),
    }
    assert br.curve(tmp_path, label="y", score="fraud").score.tolist() == [1.0, 0.0]


def test_folders_must_have_the_same_keys(tmp_path):
    write(tmp_path / "k=1" / "a.csv", 1)
    write(tmp_path / "b.csv", 1)
    with pytest.raises(br.errors.DataFileError, match="key=value folders must be the same keys for every file, got"):
        positives(tmp_path)
    assert positives([tmp_path / "b.csv", tmp_path / "k=1" / "a.csv"]) == 2
    write(tmp_path / "c" / "k=1" / "k=2" / "a.csv", 1)
    with pytest.raises(br.errors.DataFileError, match="must be the same keys"):
        positives(tmp_path / "c")


@pytest.mark.parametrize("form", FORMATS)
def test_folders_above_are_no_columns_even_those_of_the_temporary_folder(tmp_path, monkeypatch, form):
    room = tmp_path / "y=1" / "p=7" / "k=[2]"
    room.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(room))
    write(tmp_path / "h" / "k=1" / f"a.{form}", 1, 2)
    curves = br.curves_by(tmp_path / "h", "k", label="y", score="p")
    assert {key: (curve.n_pos, curve.n_neg, curve.score.tolist()) for key, curve in curves.items()} == {
        1: (1, 2, [0.2, 0.1, 0.0])
    }


def test_each_of_many_folders_has_its_value(tmp_path):
    for k in range(150):
        write(tmp_path / f"k={k}" / f"day={k % 7}" / "0.csv", 1 + k % 5)
    curves = br.curves_by(tmp_path, "k", "day", label="y", score="p")
    assert {key: curve.n_pos for key, curve in curves.items()} == {(k, k % 7): 1 + k % 5 for k in range(150)}


def test_a_folder_whose_value_is_no_utf8_is_refused(tmp_path):
    try:
        os.mkdir(os.path.join(os.fsencode(tmp_path), b"k=caf\xe9"))
    except OSError:
        pytest.skip("this system has no such names")
    (tmp_path / os.fsdecode(b"k=caf\xe9") / "a.csv").write_text("y,p\n1,.5\n0,.4\n")
    assert positives(tmp_path) == 1
    with pytest.raises(br.errors.DataFileError, match=r"folders must be UTF-8, got 'caf\\udce9' for 'k'"):
        br.curves_by(tmp_path, "k", label="y", score="p")


def test_without_links_folders_are_no_columns(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "symlink", refused)
    write(tmp_path / "k=1" / "a.csv", 1)
    assert positives(tmp_path) == 1
    with pytest.raises(
        br.errors.DataFileError, match="symbolic links, which this system refuses; store 'k' as a column"
    ):
        br.curves_by(tmp_path, "k", label="y", score="p")


def test_folders_are_among_the_columns(tmp_path):
    write(tmp_path / "country=cz" / "a.parquet", 1)
    assert [(column.name, column.kind) for column in columns_of(tmp_path)] == [
        ("y", "whole"),
        ("p", "float"),
        ("country", "other"),
    ]
    with pytest.raises(br.errors.InputError, match="got 'land'; its columns are y, p, country"):
        br.curves_by(tmp_path, "land", label="y", score="p")


def test_files_of_one_call_are_in_order(tmp_path):
    for name in ("b", "a"):
        write(tmp_path / f"{name}.csv", 1)
    assert [os.path.basename(file.path) for file in paths.found(tmp_path)] == ["a.csv", "b.csv"]


# --- files that differ ----------------------------------------------------------------------------


def test_columns_are_found_by_name_in_every_file(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,.5\n")
    (tmp_path / "b.csv").write_text("p;note;y\n.25;x;0\n")
    curve = br.curve(tmp_path, label="y", score="p")
    assert (curve.score.tolist(), curve.pos.tolist()) == ([0.5, 0.25], [1, 0])
    pl.DataFrame({"y": [1], "p": [0.5]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"p": [0.25], "y": [0]}).write_parquet(tmp_path / "b.parquet")
    assert br.curve(f"{tmp_path}/*.parquet", label="y", score="p") == curve


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_without_an_asked_column_is_refused(tmp_path, form):
    write(tmp_path / f"a.{form}", 1, w=[1.0, 1.0])
    write(tmp_path / f"b.{form}", 1)
    assert positives(tmp_path) == 2
    with pytest.raises(br.errors.DataFileError, match=r"b\.\w+' has no column 'w'"):
        positives(tmp_path, weight="w")


def test_types_of_all_parquet_files_count(tmp_path):
    pl.DataFrame({"y": [1], "p": [1], "s": [{"y": 3}]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"y": [False], "p": [0.6], "s": [{"y": 3}]}).write_parquet(tmp_path / "b.parquet")
    assert br.curve(tmp_path, label="y", score="p").score.tolist() == [1.0, 0.6]
    pl.DataFrame({"y": ["0"], "p": [0.6], "s": [{"y": 3}]}).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(br.errors.DataFileError, match=r"one type in all files, got 'y' as INT64 in .* BYTE_ARRAY"):
        positives(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        ("link.csv", "which is a broken link; remove or mend it"),
        ("loop.csv", "which is a broken link; remove or mend it"),
        ("pipe.csv", "which is a pipe or a device; write its rows to a file first"),
    ],
)
def test_what_is_no_regular_file_is_not_passed_over(tmp_path, odd, sentence):
    (tmp_path / "rows.csv").write_text("y,p\n1,.5\n0,.2\n")
    if odd == "pipe.csv":
        os.mkfifo(tmp_path / odd)
    else:
        (tmp_path / odd).symlink_to("loop.csv" if odd == "loop.csv" else "nowhere.csv")
    for table in (tmp_path, tmp_path / odd, tmp_path / "*.csv", [tmp_path / "rows.csv", tmp_path / odd]):
        with pytest.raises(br.errors.DataFileError, match=f"must be regular files, got '.*{odd}', {sentence}"):
            br.curve(table, label="y", score="p")
    assert br.curve(tmp_path / "rows.csv", label="y", score="p").n_pos == 1
