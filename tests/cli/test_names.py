"""Names are somebody else's: what a terminal would obey is escaped, and what is no text does no harm."""

import csv
import io
import json
import os
import sys

import pytest

import baserate as br
from baserate import progress
from baserate.errors import BaserateError, printable
from baserate.monitoring.store_rows import CurveKey

COLUMN, GROUP = "\x1b[2Jp", "\x1b[31mred\x9b\u202eg\x7f"
SHOWN_COLUMN, SHOWN_GROUP = r"\x1b[2Jp", r"\x1b[31mred\x9b\u202eg\x7f"


@pytest.fixture
def named(tmp_path):
    lines = [f'{k % 2},{k * 37 % 100 / 100},"{GROUP if k % 3 else "a"}"' for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join([f"y,{COLUMN},g", *lines]) + "\n", encoding="utf-8")
    return tmp_path / "rows.csv"


def test_what_is_escaped():
    assert printable("žluťoučký kůň, नमस्ते, 👩\u200d💻, a\xa0b") == "žluťoučký kůň, नमस्ते, 👩\u200d💻, a\xa0b"
    assert printable("a\r\nb\x1b\udcff\u2028") == r"a\r\nb\x1b\udcff\u2028"
    assert str(BaserateError("\x1b]0;title\x07")) == r"\x1b]0;title\x07"


ASK = ("--label", "y", "--score", COLUMN, "--by", "g", "--metric", "roc_auc", "--no-intervals")


def harmless(text):
    return all(line.isprintable() for line in text.split("\n"))


def test_tables(named, ask):
    done = ask("evaluate", named, *ASK)
    assert done.code == 0
    assert harmless(done.out)
    assert SHOWN_COLUMN in done.out
    assert SHOWN_GROUP in done.out


def test_errors(named, ask):
    for arguments in (
        ("evaluate", named, "--label", "y", "--score", "\x1b[2Jq"),
        ("evaluate", named, "--\x1b[2J"),
        ("\x1b[2J",),
        ("evaluate", "no\x1b[2Jwhere.csv"),
    ):
        done = ask(*arguments)
        assert done.code in (1, 2)
        assert harmless(done.err), done.err
        assert r"\x1b[2J" in done.err


def test_json_is_the_same_and_harmless(named, ask):
    done = ask("evaluate", named, *ASK, "--json")
    assert harmless(done.out)
    assert [(row["score"], row["group"]) for row in json.loads(done.out)] == [(COLUMN, GROUP), (COLUMN, "a")]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "calibration", "report", "monitor"])
def test_sentences(named, ask, command, monkeypatch):
    monkeypatch.chdir(named.parent)
    (named.parent / "claims.toml").write_text('[[claim]]\nmetric = "roc_auc"\nat_least = 0.99\nname = "a\\u001bb"\n')
    days = "\n".join(f"{k % 2},{k * 37 % 100 / 100},{GROUP},2026-0{1 + k % 5}-01" for k in range(200))
    (named.parent / "days.csv").write_text(f"y,{COLUMN},g,day\n{days}\n", encoding="utf-8")
    asked = {
        "check": ("check", "claims.toml", named),
        "calibration": ("calibration", named),
        "report": ("report", named, "--resamples", "100", "-o", "a\x1b.html"),
        "monitor": ("monitor", "days.csv", "--period", "day:month", "--store", "s.db", "--until", "2026-09-01"),
    }
    done = ask(*asked[command], "--label", "y", "--score", COLUMN, *["--by", "g"] * (command != "report"))
    assert done.code in (0, 3, 4)
    assert harmless(done.out + done.err)
    assert r"\x1b" in done.out


@pytest.mark.slow
def test_the_store(tmp_path, ask, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, copy = "s\x1b[2J.db", "c\x1b[2J.db"
    with br.monitoring.CurveStore(path) as store:
        for period in ("1\x1b[2J", "2", "3"):
            store.append(CURVE, model=COLUMN, period=period, slice=f"g={GROUP}\n")
    for arguments in (
        ("verify", path),
        ("backup", path, copy),
        ("prune", path, "--keep", "2", "--dry-run"),
        ("prune", path, "--keep", "2"),
        ("delete", path, "--model", COLUMN),
        ("list", copy),
        ("show", copy, "--model", COLUMN, "--slice", "nothing\x1b[2J"),
    ):
        done = ask("store", *arguments)
        assert harmless(done.out + done.err), arguments
        assert r"\x1b[2J" in done.out + done.err, arguments


CURVE = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])


def with_names():
    """What carries somebody's names, and the text of each."""
    claim = br.Claim(br.roc_auc, at_least=0.99, name=f"{GROUP}\n")
    groups = {GROUP: CURVE, "b": CURVE}
    pair = br.Pair.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.4, 0.3], names=(GROUP, "b"))
    yield br.check(claim, CURVE, n_resamples=100, rng=0)
    yield br.by_slice(br.average_precision, groups, n_resamples=100, rng=0)
    yield br.evaluate(groups, confidence_level=None)
    yield br.compare(groups, prevalence=[0.01])
    yield pair
    yield CurveKey(GROUP, "2026-05", f"g={GROUP}\n")


def test_texts_of_results():
    for named in with_names():
        for text in (str(named), repr(named)):
            assert harmless(text), text
            assert r"\x1b[31mred" in text
        assert "\x1b" not in getattr(named, "_repr_html_", str)()


def test_texts_of_a_source(tmp_path):
    path = tmp_path / "ro\x1b[31mred\nws.csv"
    path.write_text("y,p\n1,.5\n0,.4\n")
    source = br.curve(path, label="y", score="p").source
    for text in (str(source), repr(source), str(source.tables[0].files[0])):
        assert text.isprintable()
        assert r"ro\x1b[31mred" in text
    with br.monitoring.CurveStore(tmp_path / "s.db") as store:
        receipt = store.append(CURVE, model=GROUP, period="1")
    assert str(receipt).isprintable()
    assert SHOWN_GROUP in str(receipt)


def test_progress(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    terminal = Terminal()
    with progress.ProgressLine("reading \x1b[2J", to=terminal) as line:
        line.show(0.5)
    assert r"reading \x1b[2J [" in terminal.getvalue()
    assert "\x1b[2J" not in terminal.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("group", ["a\rb", "a,b", 'a"b', "=cmd|calc", "@sum", " a "])
def test_csv_quotes_what_must_be_quoted_and_changes_nothing(ask, tmp_path, group):
    import polars as pl

    rows = {"y": [0, 1, 0, 1], "p": [0.1, 0.4, 0.5, 0.8], "g": [group] * 4}
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    out = ask("evaluate", tmp_path / "rows.parquet", "--label", "y", "--score", "p", "--by", "g", "--csv").out
    # A program that takes a lone carriage return for the end of a line would not, where it is in quotes.
    assert {row["group"] for row in csv.DictReader(io.StringIO(out, newline=""))} == {group}
    assert ("\r" in group) == ('"a\rb"' in out)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
@pytest.mark.parametrize("name", [b"na\xffme.csv", b"na\xffme.csv.gz", b"na\xff\x1b.parquet"])
def test_names_of_files_need_not_be_text(tmp_path, payments, program, name):
    import gzip

    import polars as pl

    file = os.fsencode(tmp_path) + b"/" + name
    with open(file, "wb") as packed:
        if name.endswith(b".parquet"):
            pl.read_csv(payments).write_parquet(packed)
        else:
            packed.write(gzip.compress(payments.read_bytes()) if name.endswith(b"gz") else payments.read_bytes())
    asked = ["--label", "fraud", "--score", "new_model"]
    done = program("evaluate", os.fsdecode(file), *asked, "--metric", "roc_auc", "--no-intervals", "--csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == program("evaluate", payments, *asked, "--metric", "roc_auc", "--no-intervals", "--csv").out
    page = tmp_path / os.fsdecode(b"pa\xffge.html")
    done = program("report", os.fsdecode(file), *asked, "--resamples", "100", "-o", page)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("pa\\udcffge.html\n")
    assert page.exists()
