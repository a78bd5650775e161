"""``baserate report`` writes the page and says what it says."""

import re

import polars as pl
import pytest

import baserate as br
from baserate.cli.app import run

pytestmark = pytest.mark.slow  # together, these take long


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = br.examples.payments()
    pl.DataFrame(data).with_columns(day=pl.col("month") + "-15").with_columns(
        pl.col("day").str.to_date()
    ).write_parquet(tmp_path / "<b>pay</b>.parquet".replace("/", ""))
    return next(tmp_path.glob("*.parquet"))


COLUMNS = ("--label=fraud", "--score=old_model", "--score=new_model", "--resamples=100", "--quiet")


def test_the_page_is_written_and_the_verdict_said(path, capsys):
    options = ("--prevalence=1:1000", "--by=channel", "--period=day:month", "-o", "page.html")
    assert run(["report", str(path), *COLUMNS, *options]) == 0
    said = capsys.readouterr().out
    moved, leads, *_ = said.splitlines()
    assert moved.startswith("The prevalence has grown from 1 in 67 in 2026-01 to 1 in 25 in 2026-06.")
    assert leads.startswith(
        "At a prevalence of 1 in 1,000, new_model leads old_model (more than 99 % sure): average precision 0.49"
    )
    assert said.endswith("The page: page.html\n")
    text = path.with_name("page.html").read_text("utf-8")
    assert len(text) < 400_000
    assert "<h1>&lt;b&gt;pay&lt;b&gt;.parquet</h1>" in text
    assert re.findall(r'<h2 id="group-\d-head">(.*?)</h2>', text) == ["By channel", "By month"]
    assert '"2026-03"' in text


def test_defaults_are_enough(path, capsys):
    assert run(["report", str(path), "--label=fraud", "--score=new_model", "--resamples=100"]) == 0
    assert "The page: report.html" in capsys.readouterr().out
    assert path.with_name("report.html").exists()


def test_a_key_of_zeros_and_ones_is_not_taken_for_the_label(path):
    table = pl.read_parquet(path).with_columns(web=(pl.col("channel") == "web").cast(pl.Int8))
    table.select("fraud", "new_model", "web").write_parquet("rows.parquet")
    assert run(["report", "rows.parquet", "--by=web", "--resamples=100", "--quiet"]) == 0


def test_a_range_of_prevalences_is_marked(path):
    assert run(["report", str(path), *COLUMNS, "--prevalence=1e-4:1e-2"]) == 0
    text = path.with_name("report.html").read_text("utf-8")
    assert "asked for: 1 in 10,000, 1 in 100." in text
    assert '"prevalence":0.0001' in text


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--tz=UTC"], 2, "--tz needs --period."),
        (["--by=contry"], 1, "--by must be a column of the table, got 'contry'"),
        (["--prevalence=often"], 1, "got 'often'; pass a share such as 0.001"),
        (["-o", "no/such/folder/page.html"], 1, "no/such/folder"),
    ],
)
def test_wrong_input_is_a_sentence(path, capsys, options, code, sentence):
    assert run(["report", str(path), *COLUMNS, *options]) == code
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert "Traceback" not in captured.err
    assert not list(path.parent.glob("*.html"))


def test_small_groups_are_noted_and_folded(ask, tmp_path):
    lines = [f"{k % 2},{k * 37 % 100 / 100},{'cz' if k < 8 else 'de'}" for k in range(16)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,country", *lines]) + "\n")
    asked = (
        "report",
        tmp_path / "rows.csv",
        "--label",
        "y",
        "--score",
        "p",
        "--by",
        "country",
        "--resamples",
        "100",
        "-o",
    )
    done = ask(*asked, tmp_path / "page.html")
    assert "2 groups by country have fewer than 10 positives or fewer than 10 negatives" in done.err
    assert "--min-cases 10 pools such groups" in done.err
    assert ask(*asked, tmp_path / "page.html", "-q").err == ""
    done = ask(*asked, tmp_path / "folded.html", "--min-cases", "5")
    assert '"key":"other"' in (tmp_path / "folded.html").read_text("utf-8")
    assert '"key":"cz"' not in (tmp_path / "folded.html").read_text("utf-8")
    assert ask(*asked, tmp_path / "page.html", "--min-cases", "0").code == 2


@pytest.fixture
def year(tmp_path):
    path = tmp_path / "year.parquet"
    pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date()).write_parquet(path)
    return path


def test_the_page_says_the_sentences_of_monitor_for_files_and_for_a_store(ask, year, tmp_path):
    asked = ("--label=fraud", "--score=old_model", "--score=new_model", "--period=day:month")
    done = ask("monitor", year, "--store", tmp_path / "m.db", *asked, "--by=channel", "--prevalence=0.001")
    said = [line for line in done.out.splitlines() if line.startswith(("old_model: ", "new_model: "))]
    quick = ("--prevalence=0.001", "--quick", "-q")
    pages = [
        ask("report", year, *asked, "--by=channel", *quick, "-o", tmp_path / "files.html"),
        ask("report", "--store", tmp_path / "m.db", *quick, "-o", tmp_path / "store.html"),
    ]
    assert len(said) == 2
    for page, name in zip(pages, ("files.html", "store.html"), strict=True):
        assert page.out.startswith("new_model has become worse: first alarm in 2025-12.")
        text = (tmp_path / name).read_text("utf-8")
        assert "Is it the model or the base rate?" in " ".join(text.split())
        for model in ("old_model", "new_model"):
            (verdict,) = (line for line in said if line.startswith(f"{model}: "))
            assert verdict.partition("(")[0] in text, name
        assert '"channel"' in text
    assert '"multiples":[{"name":"channel","prevalence":0.001,"models":["new_model","old_model"]' in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [((), "Missing argument 'FILE...'"), (("--by=channel",), "--store has all models, periods and slices")],
)
def test_files_or_a_store_are_needed_and_not_both(ask, year, tmp_path, words, sentence):
    if words:
        ask("monitor", year, "--store", tmp_path / "m.db", "--label=fraud", "--score=new_model", "--period=day:month")
        words = (*words, "--store", tmp_path / "m.db")
    done = ask("report", *words)
    assert done.code == 2
    assert sentence in done.err
