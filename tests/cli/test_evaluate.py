"""``baserate evaluate``, run as a program."""

import csv
import io
import json
import subprocess
import sys

import polars as pl
import pytest

import baserate as br

ROWS = pl.DataFrame(
    {
        "y": [0, 1, 0, 1, 1, 0, 0, 1],
        "p": [0.1, 0.4, 0.5, 0.8, 0.9, 0.2, 0.3, 0.7],
        "q": [0.9, 0.4, 0.5, 0.1, 0.9, 0.2, 0.3, 0.7],
        "country": ["cz", "cz", "cz", "cz", "de", "de", "de", "de"],
        "ts": ["2026-01-03", "2026-02-03"] * 4,
    }
).with_columns(pl.col("ts").str.to_date())


@pytest.fixture
def path(tmp_path):
    ROWS.write_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def baserate(*arguments):
    return subprocess.run(
        [sys.executable, "-c", "from baserate.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


def test_the_command_is_installed():
    from importlib.metadata import entry_points

    (command,) = entry_points(group="console_scripts", name="baserate")
    assert command.value == "baserate.cli:main"


def test_values_are_those_of_the_library(path):
    done = baserate(
        "evaluate", path, "--label", "y", "--score", "p", "--score", "q", "--prevalence", "1:1000", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)
    assert len(rows) == 2 * 2 * 6
    curve = br.Curve.from_scores(ROWS["y"], ROWS["q"]).at_prevalence("1:1000")
    (found,) = (r for r in rows if r["score"] == "q" and r["prevalence"] < 0.1 and r["metric"] == "average_precision")
    estimate = br.estimate(br.average_precision, curve, rng=0)
    assert (found["value"], found["low"], found["high"]) == (estimate.value, estimate.low, estimate.high)


def test_csv_by_group_and_period(path):
    done = baserate(
        "evaluate", path, "--label", "y", "--score", "p", "--by", "country", "--period", "ts:month", "--csv",
        "--metric", "best_f_beta:beta=2", "--no-intervals",
    )  # fmt: skip
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["group"] for row in rows] == ["cz 2026-01", "cz 2026-02", "de 2026-01", "de 2026-02"]
    assert rows[0]["metric"] == "best_f_beta:beta=2"
    assert rows[0]["note"] == "there are no positives"
    assert {row["note"] for row in rows[1:3]} == {"there are no negatives", ""}


def test_a_table_in_a_pipe_is_plain(path):
    done = baserate("evaluate", path, "--label", "y", "--score", "p", "--metric", "roc_auc")
    head, row = done.stdout.splitlines()
    assert head.split() == ["score", "prevalence", "metric", "value", "low", "high", "pos", "neg", "unlabelled", "note"]
    assert row.split()[:4] == ["p", "0.5", "roc_auc", "0.9375"]
    assert "\x1b" not in done.stdout


WRONG = [
    ({"--label": "yy"}, 1, "Error: label must be a column of the table, got 'yy'; did you mean 'y'."),
    ({"--score": "country"}, 1, "Error: score must be numbers, got 'country' of type String"),
    ({"--label": "ts"}, 1, "Error: label must be two classes, got 'ts' of type Date"),
    ({"--label": "p"}, 1, "Error: the label 'p' must hold two classes"),
    ({"--prevalence": "often"}, 1, "Error: a prevalence must be a share such as 0.001 or odds such as 1:1000"),
    ({"--prevalence": "2"}, 1, "Error: prevalence must be strictly between 0 and 1"),
    ({"--metric": "avg_precision"}, 1, "did you mean 'average_precision'"),
    ({"--metric": "f1"}, 1, "Error: evaluate shows metrics of the whole curve, got f1"),
    ({"--metric": "best_f_beta:beta"}, 1, "Error: parameters of a metric are written as f_beta:beta=2"),
    ({"--metric": "best_f_beta:gamma=2"}, 1, "Error: best_f_beta has no parameter 'gamma'; it has beta, recall_range."),
    ({"--metric": "best_f_beta"}, 1, "Error: best_f_beta needs its parameter beta"),
    ({"--period": "ts"}, 1, "Error: a period must be a column and a length such as ts:month"),
    ({"--period": "ts:moon"}, 1, "did you mean 'month'"),
    ({"--memory-limit": "lots"}, 1, "Error: memory_limit must be a size"),
    ({"--lable": "y"}, 2, "No such option"),
]


@pytest.mark.parametrize(("changed", "code", "sentence"), WRONG, ids=[" ".join(*c[0].items()) for c in WRONG])
def test_wrong_input_is_a_sentence_and_an_exit_code(path, changed, code, sentence):
    options = {"--label": "y", "--score": "p"} | changed
    done = baserate("evaluate", path, *(text for option in options.items() for text in option))
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["absent.parquet", "empty.csv", "torn.parquet", "three.csv"])
def test_a_bad_file_is_a_sentence_and_an_exit_code(path, name):
    bad = path.with_name(name)
    content = {"empty.csv": b"", "torn.parquet": path.read_bytes()[:-100], "three.csv": b"y,p\n0,.1\n1,.2\n2,.3\n"}
    if name in content:
        bad.write_bytes(content[name])
    done = baserate("evaluate", bad, "--label", "y", "--score", "p")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_rows_without_a_label_are_mentioned(tmp_path):
    (tmp_path / "rows.csv").write_text("y,p\n1,.5\n0,.4\n,.3\n")
    done = baserate("evaluate", tmp_path / "rows.csv", "--label", "y", "--score", "p", "--metric", "roc_auc")
    assert done.returncode == 0
    assert done.stderr == "Note: 1 row has no label and cannot be counted\n"


def test_help_has_examples():
    done = baserate("evaluate", "--help")
    assert done.returncode == 0
    assert "\n    baserate evaluate scores.parquet --label fraud --score p --prevalence 1:10000\n" in done.stdout


def test_what_is_missing_is_named(monkeypatch, capsys):
    from baserate import cli

    monkeypatch.setitem(sys.modules, "click", None)
    for name in [name for name in sys.modules if name.startswith("baserate.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(
        SystemExit, match=r"the command line needs click, which is missing; pip install 'baserate\[cli\]'"
    ):
        cli.main()
