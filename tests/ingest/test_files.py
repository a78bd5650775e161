"""Files of every kind give the curve of their rows; whatever is wrong with one is said in a sentence."""

import gzip
import io
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate import progress
from baserate.ingest import engine, files, relations
from baserate.ingest.request import Columns

ROWS = {
    "y": [0, 1, 1, 0, None, 1],
    "p": [0.1, 0.4, 0.8, 0.8, 0.9, 0.25],
    "w": [1.0, 2.0, 1.0, 3.0, 1.0, 1.0],
    "segment": ["a", "b", "a", "b", "a", None],
}
LABELLED = [row for row in zip(*ROWS.values(), strict=True) if row[0] is not None]


def expected(rows=LABELLED, times=1):
    return br.Curve.from_scores([y for y, *_ in rows] * times, [p for _, p, *_ in rows] * times)


def compress(path):
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


@pytest.fixture
def folder(tmp_path):
    table = pl.DataFrame(ROWS)
    table.write_parquet(tmp_path / "rows.parquet")
    table.write_csv(tmp_path / "rows.csv")
    table.write_csv(tmp_path / "rows.tsv", separator="\t")
    table.write_ndjson(tmp_path / "rows.jsonl")
    compress(tmp_path / "rows.csv")
    compress(tmp_path / "rows.jsonl")
    for country in ("cz", "de"):
        part = tmp_path / "parts" / f"country={country}"
        part.mkdir(parents=True)
        table.write_parquet(part / "0.parquet")
    return tmp_path


def read(path, **options):
    return br.curve(path, **({"label": "y", "score": "p", "missing": "random"} | options))


def same_counts(one, other):
    return (one.score.tolist(), one.pos.tolist(), one.neg.tolist()) == (
        other.score.tolist(),
        other.pos.tolist(),
        other.neg.tolist(),
    )


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.tsv", "rows.jsonl", "rows.csv.gz", "rows.jsonl.gz"])
def test_every_format_gives_the_curve_of_its_rows(folder, name):
    curve = read(folder / name)
    assert same_counts(curve, expected())
    assert curve.unlabelled == 1
    weighted = read(str(folder / name), weight="w")
    assert (weighted.n_pos, weighted.n_neg) == (4, 4)


def test_many_files_are_one_table(folder):
    twice = expected(times=2)
    assert same_counts(read(folder / "parts"), twice)
    assert same_counts(read(f"{folder}/parts/*/*.parquet"), twice)
    assert same_counts(read([folder / "rows.parquet", folder / "parts" / "country=cz"]), twice)


def test_parts_of_a_path_are_columns(folder):
    with pytest.warns(br.errors.UnlabelledWarning, match="2 rows have no label"):
        curves = br.curves_by(folder / "parts", "country", "segment", label="y", score="p", missing="later")
    assert list(curves) == [(c, s) for c in ("cz", "de") for s in ("a", "b", None)]
    of_a = [row for row in LABELLED if row[3] == "a"]
    assert same_counts(curves["cz", "a"], expected(of_a))
    assert curves["cz", "a"].unlabelled == 1


@pytest.mark.slow
def test_a_missing_word_does_not_make_a_csv_score_text(tmp_path):
    # The word stands far behind what is looked at to guess the types of columns.
    lines = ["y,p", *(f"{k % 2},{k / 100_000}" for k in range(60_000)), ",NA"]
    (tmp_path / "late.csv").write_text("\n".join(lines))
    curve = read(tmp_path / "late.csv")
    assert (curve.n_pos, curve.n_neg, curve.unlabelled) == (30_000, 30_000, 1)
    (tmp_path / "late.csv").write_text("\n".join([*lines, "1,NA"]))
    with pytest.raises(br.errors.InputError, match="got 1 row with a label and without a score"):
        read(tmp_path / "late.csv")


@pytest.mark.parametrize(
    ("labels", "positive", "n_pos"),
    [
        (["1", "0", "1.0"], None, 2),
        (["-1", "1", "-1"], None, 1),
        (["True", "false", "TRUE"], None, 2),
        (["fraud", "ok", "ok"], "fraud", 1),
        (["1", "2", "2"], 2, 2),
        (["1", "2", "2"], "2", 2),
    ],
)
def test_labels_of_a_csv_are_what_they_look_like(tmp_path, labels, positive, n_pos):
    rows = [f"{label},{k}" for k, label in enumerate(labels)]
    (tmp_path / "labels.csv").write_text("\n".join(["y,p", *rows]))
    assert read(tmp_path / "labels.csv", positive=positive).n_pos == n_pos


def test_periods_of_a_csv(tmp_path):
    (tmp_path / "time.csv").write_text("y,p,ts\n1,.5,2026-01-31 23:59:59\n0,.4,2026-02-01 00:00:00\n1,.3,\n")
    curves = br.curves_by(tmp_path / "time.csv", label="y", score="p", period=("ts", "month"))
    assert {key: (curve.n_pos, curve.n_neg) for key, curve in curves.items()} == {
        "2026-01": (1, 0),
        "2026-02": (0, 1),
        None: (1, 0),
    }


# --- what is wrong with a file ----------------------------------------------------------------------


def broken(folder, name):
    """A file that will not do, made from one that does."""
    path = folder / name
    match name:
        case "truncated.parquet":
            path.write_bytes((folder / "rows.parquet").read_bytes()[:-200])
        case "foreign.parquet":
            path.write_text("this is not Parquet, but long enough to be looked at")
        case "empty.csv" | "empty.parquet":
            path.write_bytes(b"")
        case "header.csv":
            path.write_text("y,p\n")
        case "text.csv":
            path.write_text("y,p\n1,0.5\n0,high\n")
        case "three.csv":
            path.write_text("y,p\n1,.5\n0,.1\n2,.7\n")
        case "broken.jsonl":
            path.write_text('{"y": 1, "p": 0.5}\n{"y": \n')
        case "notes.txt":
            path.write_text("hello")
        case "nothing":
            path.mkdir()
        case "plain.csv.gz":
            path.write_text("y,p\n1,0.5\n")
        case "torn.csv.gz":
            path.write_bytes(gzip.compress(b"y,p\n" + b"1,0.5\n0,0.25\n" * 10_000)[:-40])
    return path


BROKEN = [
    ("truncated.parquet", br.errors.DataFileError, "as Parquet ("),
    ("foreign.parquet", br.errors.DataFileError, "as Parquet ("),
    ("empty.csv", br.errors.DataFileError, "is empty; check"),
    ("empty.parquet", br.errors.DataFileError, "is empty; check"),
    ("header.csv", br.errors.DataFileError, "has no rows"),
    ("text.csv", br.errors.DataFileError, "numbers, got 'high' in column 'p'"),
    ("three.csv", br.errors.InputError, "'y' must hold two classes, 0/1 or -1/1, got 3 different labels"),
    ("broken.jsonl", br.errors.DataFileError, "as JSON lines ("),
    ("notes.txt", br.errors.DataFileError, "convert it to one of .parquet"),
    ("nothing", br.errors.DataFileError, "the folder '"),
    ("torn.csv.gz", br.errors.DataFileError, "the compressed file"),
    ("plain.csv.gz", br.errors.DataFileError, "the compressed file"),
    ("absent.parquet", br.errors.DataFileError, "file not found: "),
    ("absent*.parquet", br.errors.DataFileError, "file not found: "),
]


@pytest.mark.parametrize(("name", "error", "sentence"), BROKEN, ids=[name for name, *_ in BROKEN])
def test_a_broken_file_is_refused_in_a_sentence(folder, name, error, sentence):
    with pytest.raises(error) as refused:
        read(broken(folder, name))
    said = str(refused.value)
    assert sentence in said
    assert "\n" not in said
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_an_unreadable_path_is_refused(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs the tests may read everything
    with pytest.raises(br.errors.DataFileError, match=r"cannot be read; check its permissions"):
        read(folder / "rows.parquet")


def test_columns_of_a_file_are_checked(folder):
    with pytest.raises(br.errors.InputError, match="score must be a column of the table, got 'pp'; did you mean 'p'"):
        read(folder / "rows.csv", score="pp")
    with pytest.raises(
        br.errors.InputError, match="label must be a column of the table, got 'fraud'; its columns are y, p"
    ):
        read(folder / "rows.csv", label="fraud")
    with pytest.raises(br.errors.InputError, match="score must be numbers, got 'segment' of type String"):
        read(folder / "rows.parquet", score="segment")
    with pytest.raises(br.errors.DataFileError, match="must have one format, got CSV and Parquet"):
        read([folder / "rows.csv", folder / "rows.parquet"])


def test_remote_files_are_left_to_engines():
    with pytest.raises(br.errors.DataFileError, match="for remote files pass a relation of your own engine"):
        read("s3://bucket/scores.parquet")


def test_without_duckdb_the_remedy_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(br.BaserateError, match=r"which is not installed; pip install duckdb\."):
        read(folder / "rows.parquet")


@pytest.mark.parametrize("column", ["y", "p", "w"])
@pytest.mark.parametrize("writer", ["pyarrow", "polars", "duckdb"])
def test_nan_is_seen_whatever_the_statistics_of_a_file_say(tmp_path, writer, column):
    """They leave nan out, and DuckDB 2.0.0 answers isnan() by them: that there is none."""
    rows = {"y": [0.0, 1.0] * 500, "p": [0.1, 0.4] * 500, "w": [1.0, 2.0] * 500}
    rows[column] = [math.nan if k % 10 == 0 else value for k, value in enumerate(rows[column])]
    path, table = tmp_path / "rows.parquet", pa.table(rows)
    if writer == "pyarrow":
        pq.write_table(table, path)
    elif writer == "polars":
        pl.from_arrow(table).write_parquet(path)
    else:
        duckdb.from_arrow(table).write_parquet(str(path))
    if column == "y":
        with pytest.warns(br.errors.UnlabelledWarning, match="100 rows have no label"):
            assert br.curve(path, label="y", score="p", missing="later").n_neg == 400
        return
    with pytest.raises(br.errors.InputError, match=r"(missing|must be finite|must not be)"):
        br.curve(path, label="y", score="p", weight="w")


def test_no_engine_is_asked_whether_a_number_is_nan():
    folder = Path(files.__file__).parent
    assert not [file.name for file in folder.glob("*.py") if re.search(r"is_nan\(|SELECT.*isnan", file.read_text())]


def test_names_that_are_no_utf8_are_refused(tmp_path):
    pl.DataFrame({"y": [0, 1], "p": [0.1, 0.2], "note": ["a", "b"]}).write_parquet(tmp_path / "rows.parquet")
    data = (tmp_path / "rows.parquet").read_bytes()
    (tmp_path / "rows.parquet").write_bytes(data.replace(b"note", b"no\xf4e"))
    with pytest.raises(br.errors.DataFileError, match="names in a file must be UTF-8, got others in"):
        read(tmp_path / "rows.parquet")


# --- memory, progress, interruption -------------------------------------------------------------------


def test_the_memory_limit_is_stated_to_duckdb_and_only_for_files(folder):
    with files.opened(folder / "rows.parquet", Columns("y", ("p",)), files.Options("100MB")) as found:
        (limit,) = found.table.query("t", "SELECT current_setting('memory_limit')").fetchall()[0]
    assert limit == "95.3 MiB"
    assert read(folder / "rows.parquet", memory_limit="99999TB") == read(folder / "rows.parquet")
    for size in ("999999999999999TB", "plenty", "-5GB", "150%", "-1", "", "1e9GB"):
        with pytest.raises(br.errors.InputError, match="memory_limit must be a size such as '512MB'"):
            read(folder / "rows.parquet", memory_limit=size)
    with pytest.raises(br.errors.InputError, match="memory_limit is for files"):
        br.curve(pl.DataFrame(ROWS), label="y", score="p", memory_limit="1GB")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_long_read_shows_how_far_it_is(folder, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    read(folder / "rows.parquet")
    assert "reading [" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


# A program that a shell started in the background ignores interrupts; so do those that it starts.
HEAR_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


@pytest.fixture
def interrupts_heard():
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_behind(tmp_path):
    import duckdb

    path, spill = tmp_path / "large.parquet", tmp_path / "spill"
    spill.mkdir()
    duckdb.sql(f"COPY (SELECT random() AS p, range % 2 AS y FROM range(20_000_000)) TO '{path}'")
    reading = HEAR_INTERRUPTS + (
        "import baserate as br, sys; from baserate.ingest.files import Files; Files.check_room = lambda *_: None; "
        "br.curve(sys.argv[1], label='y', score='p', tolerance=0, memory_limit='150MB')"
    )
    command, surroundings = [sys.executable, "-c", reading, str(path)], os.environ | {"TMPDIR": str(spill)}
    with subprocess.Popen(command, env=surroundings, stderr=subprocess.PIPE) as process:
        try:
            waiting_until = time.monotonic() + 60
            while not list(spill.glob("baserate-*/spill/*")):  # it works, and has begun to write
                assert process.poll() is None
                assert time.monotonic() < waiting_until
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode != 0
    assert said.rstrip().endswith(b"KeyboardInterrupt")  # and nothing after it: the query has ended, too
    assert list(spill.iterdir()) == []


def interrupted(function):
    """The function, with an interrupt that comes when it is done."""

    def called(*arguments, **options):
        done = function(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return done

    return called


@pytest.mark.parametrize(
    ("room", "name"),
    [(tempfile, "mkdtemp"), (engine, "connected"), (relations, "table"), (threading.Thread, "start"), (os, "scandir")],
    ids=["folder made", "connected", "file opened", "query begun", "folder being removed"],
)
@pytest.mark.usefixtures("interrupts_heard")
def test_an_interrupt_leaves_nothing_behind_whenever_it_comes(folder, monkeypatch, tmp_path, room, name):
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    monkeypatch.setattr(room, name, interrupted(getattr(room, name)))
    with pytest.raises(KeyboardInterrupt):
        read(folder / "rows.parquet")
    monkeypatch.undo()
    assert list(spill.iterdir()) == []


def test_an_interrupt_before_a_query_has_begun_is_not_lost(monkeypatch):
    import duckdb

    connection, stopped = duckdb.connect(), []

    class BeginsLate:
        def fetchnumpy(self):
            time.sleep(0.5)
            try:  # for some seconds
                connection.execute("SELECT sum(a.range * b.range) FROM range(8_000) a, range(200_000) b")
            except duckdb.InterruptException:
                stopped.append(True)
                raise

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.ProgressLine, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        engine.watched(connection, BeginsLate())
    assert stopped == [True]
    connection.close()


@pytest.mark.slow
def test_an_interrupt_is_heard_while_pandas_loads(folder):
    reading = (
        HEAR_INTERRUPTS
        + """if True:
        import sys
        import baserate

        class Interrupt:
            def find_spec(self, name, path, target=None):
                if name == "pandas":
                    signal.raise_signal(signal.SIGINT)

        sys.meta_path.insert(0, Interrupt())
        baserate.curve(sys.argv[1], label="y", score="p")
        print("pandas" in sys.modules)
    """
    )
    command = [sys.executable, "-c", reading, str(folder / "rows.parquet")]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.stdout == b"False\n":
        pytest.skip("this version of DuckDB does not load pandas")
    assert done.returncode != 0
    assert done.stderr.strip().endswith(b"KeyboardInterrupt")
