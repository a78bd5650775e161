"""``baserate evaluate``."""

import csv
import io
import json
import re
import sys
from functools import partial

import pytest

import baserate as br

pytestmark = pytest.mark.slow  # together, these take long

FIELDS = ["score", "group", "prevalence", "metric", "threshold", "value", "low", "high", "at_least", "at_most"]
FIELDS += ["pos", "neg", "unlabelled", "note"]


def test_the_command_is_installed():
    from importlib.metadata import entry_points

    (command,) = entry_points(group="console_scripts", name="baserate")
    assert command.value == "baserate_command:main"


def test_values_are_those_of_the_library(path, rows, program):
    done = program("evaluate", path, "--label", "y", "--score", "p", "--score", "q", "--prevalence", "1:1000", "--json")
    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)
    assert len(answer) == 2 * 2 * 6
    assert list(answer[0]) == [*FIELDS, "source"]
    curve = br.Curve.from_scores(rows["y"], rows["q"]).at_prevalence("1:1000")
    (found,) = (r for r in answer if r["score"] == "q" and r["prevalence"] < 0.1 and r["metric"] == "average_precision")
    estimate = br.estimate(br.average_precision, curve, rng=0)
    assert (found["value"], found["low"], found["high"]) == (estimate.value, estimate.low, estimate.high)


RULES = [
    ("threshold=0.5", lambda curve: curve.at_threshold(0.5)),
    ("recall=0.6", lambda curve: curve.at_recall(0.6)),
    ("fpr=0.25", lambda curve: curve.at_fpr(0.25)),
    ("precision=0.01", lambda curve: curve.at_precision(0.01)),
    ("top_k=3", lambda curve: curve.at_top_k(3)),
    ("alert_rate=0.3", lambda curve: curve.at_alert_rate(0.3)),
    ("best=f1", lambda curve: curve.best(br.f1)),
    ("best=f_beta:beta=0.5", lambda curve: curve.best(partial(br.f_beta, beta=0.5))),
    (
        "best=expected_cost:cost_fp=1:cost_fn=30",
        lambda curve: curve.best(partial(br.expected_cost, cost_fp=1, cost_fn=30)),
    ),
]


@pytest.mark.parametrize(("text", "rule"), RULES, ids=[text for text, _ in RULES])
def test_pointwise_metrics_at_a_rule(path, rows, ask, text, rule):
    done = ask(
        "evaluate", path, "--label", "y", "--score", "q", "--at", text, "--metric", "f_beta:beta=2",
        "--metric", "roc_auc", "--prevalence", "0.05", "--json",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    *_, found, area = json.loads(done.out)
    point = rule(br.Curve.from_scores(rows["y"], rows["q"]).at_prevalence(0.05))
    estimate = br.estimate(partial(br.f_beta, beta=2), point, rng=0)
    assert (found["metric"], found["threshold"]) == ("f_beta:beta=2", point.threshold)
    assert (found["value"], found["low"], found["high"]) == (estimate.value, estimate.low, estimate.high)
    assert (area["metric"], area["threshold"]) == ("roc_auc", None)


def test_the_best_threshold_is_that_of_each_prevalence(payments, ask):
    asked = ("evaluate", payments, "--label", "fraud", "--score", "new_model", "--at", "best=f1", "--metric", "recall")
    rows = json.loads(ask(*asked, "--prevalence", "1:1000", "--no-intervals", "--json").out)
    curve = br.curve(payments, label="fraud", score="new_model")
    points = [at.best(br.f1) for at in (curve, curve.at_prevalence("1:1000"))]
    assert [row["threshold"] for row in rows] == [point.threshold for point in points]
    assert points[0].threshold != points[1].threshold
    swept = json.loads(ask("sweep", *asked[1:], "--prevalence", "1:1000", "--no-intervals", "--json").out)
    assert [row["threshold"] for row in swept] == [points[1].threshold]


@pytest.mark.parametrize("command", ["evaluate", "compare", "sweep"])
def test_intervals_at_another_level(path, rows, ask, command):
    asked = (command, path, "--label", "y", "--score", "p", "--score", "q", "--metric", "roc_auc", "--json")
    asked += () if command == "compare" else ("--prevalence", "0.1")
    answer = json.loads(ask(*asked, "--confidence-level", "0.6").out)
    row = (answer["values"] if command == "compare" else answer)[-1]
    curve = br.Curve.from_scores(rows["y"], rows["q"])
    read = curve if command == "compare" else curve.at_prevalence(0.1)
    found = br.estimate(br.roc_auc, read, confidence_level=0.6, rng=0)
    assert (row["low"], row["high"]) == (found.low, found.high)
    wider = json.loads(ask(*asked).out)
    assert (wider["values"] if command == "compare" else wider)[-1]["low"] < row["low"]
    done = ask(*asked, "--confidence-level", "1", "--no-intervals")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: --confidence-level must be at least 0.5 and below 1, got 1.0")


def test_a_threshold_that_is_not_there_is_a_note(path, ask):
    done = ask(
        "evaluate", path, "--label", "y", "--score", "q", "--at", "precision=0.9", "--metric", "recall",
        "--prevalence", "0.001", "--json",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    for row in json.loads(done.out):
        assert (row["value"], row["low"], row["threshold"]) == (None, None, None)
        assert row["note"].startswith("no threshold has precision >= 0.9 at prevalence")


def test_an_infinite_number_is_a_word_in_json(path, ask):
    done = ask("evaluate", path, "--label", "y", "--score", "q", "--at", "fpr=0.0", "--metric", "recall", "--json")
    (row,) = json.loads(done.out)
    assert (row["threshold"], row["value"]) == ("inf", 0.0)


def test_csv_by_group_and_period(path, ask):
    done = ask(
        "evaluate", path, "--label", "y", "--score", "p", "--by", "country", "--period", "ts:month", "--csv",
        "--metric", "best_f_beta:beta=2", "--no-intervals",
    )  # fmt: skip
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0]) == FIELDS
    assert [row["group"] for row in rows] == ["cz 2026-01", "cz 2026-02", "de 2026-01", "de 2026-02"]
    assert rows[0]["metric"] == "best_f_beta:beta=2"
    assert rows[0]["note"] == "there are no positives"
    assert {row["note"] for row in rows[1:3]} == {"there are no negatives", ""}


def test_a_group_without_positives_has_no_threshold(path, ask):
    done = ask(
        "evaluate", path, "--label", "y", "--score", "p", "--by", "country", "--period", "ts:month",
        "--at", "recall=0.5", "--metric", "precision", "--csv",
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0
    assert rows[0]["note"] == "a threshold cannot be chosen on this curve: there are no positives."


def test_a_bucketed_curve_says_what_is_certain(payments, ask, monkeypatch):
    from baserate.answers import curves

    curve = br.curve(str(payments), label="fraud", score="new_model", max_scores=3000)
    assert curve.bucketed
    monkeypatch.setattr(curves.tables, "curves_by_score", lambda *_, **__: {("new_model", ()): curve})
    done = ask("evaluate", payments, "--label", "fraud", "--score", "new_model", "--metric", "roc_auc", "--json", "-q")
    (row,) = json.loads(done.out)
    certain = br.bounds(br.roc_auc, curve)
    assert (row["at_least"], row["at_most"]) == (certain.low, certain.high)
    assert row["at_least"] < row["at_most"]


def test_a_table_in_a_pipe_is_plain(path, program):
    done = program("evaluate", path, "--label", "y", "--score", "p", "--metric", "roc_auc")
    head, row = done.out.splitlines()
    assert head.split() == ["score", "prevalence", "metric", "value", "low", "high", "pos", "neg"]
    assert row.split()[:4] == ["p", "1", "in", "2"]
    assert "\x1b" not in done.out


WRONG = [
    ({"--label": "yy"}, 1, "Error: label must be a column of the table, got 'yy'; did you mean 'y'."),
    ({"--score": "country"}, 1, "Error: score must be numbers, got 'country' of type String"),
    ({"--label": "ts"}, 1, "Error: label must hold two classes, got 'ts' of type Date"),
    ({"--label": "q"}, 1, "Error: the label 'q' must hold two classes"),
    ({"--label": "p"}, 1, "Error: label and score must be two columns, got 'p' for both."),
    (
        {"--prevalence": "often"},
        1,
        "Error: prevalence must be strictly between 0 and 1, got 'often'; pass a share such as 0.001",
    ),
    ({"--prevalence": "5/3"}, 1, "strictly between 0 and 1, got '5/3'; pass a share"),
    ({"--prevalence": "1/0"}, 1, "strictly between 0 and 1, got '1/0'; pass a share"),
    ({"--prevalence": "2"}, 1, "Error: prevalence must be strictly between 0 and 1"),
    (
        {"--prevalence": "1e-4:1e-2"},
        1,
        "Error: one prevalence is needed here, got the range '1e-4:1e-2'; baserate sweep",
    ),
    ({"--metric": "avg_precision"}, 1, "unknown metric 'avg_precision'; did you mean 'average_precision'"),
    ({"--metric": "hokum"}, 1, "Error: unknown metric 'hokum'; the metrics are roc_auc, average_precision, "),
    ({"--metric": "f1"}, 1, "Error: f1 needs a threshold; choose one, for example with --at recall=0.6."),
    ({"--metric": "best_f_beta:beta"}, 1, "Error: parameters of a metric are written as f_beta:beta=2"),
    ({"--metric": "best_f_beta:beta={[]:1}"}, 1, "Error: parameters of a metric are written as f_beta:beta=2"),
    ({"--metric": "best_f_beta:gamma=2"}, 1, "Error: best_f_beta has no parameter 'gamma'; it has beta, recall_range."),
    ({"--metric": "best_f_beta:bete=2"}, 1, "Error: best_f_beta has no parameter 'bete'; did you mean 'beta'."),
    ({"--metric": "best_f_beta:beta=-2"}, 1, "Error: beta must be finite and above 0"),
    ({"--metric": "best_f_beta"}, 1, "Error: best_f_beta needs its parameter beta"),
    ({"--at": "recal=0.6"}, 1, "did you mean 'recall'"),
    ({"--at": "recall"}, 1, "Error: --at must be a rule and a number such as recall=0.6, got 'recall'."),
    ({"--at": "best"}, 1, "Error: best needs a metric such as best=f1, got 'best'."),
    ({"--at": "best="}, 1, "Error: best needs a metric such as best=f1, got 'best='."),
    ({"--at": "best=f2"}, 1, "Error: unknown metric 'f2'; did you mean 'f_beta', with beta=2."),
    ({"--at": "best=roc_auc"}, 1, "Error: best needs a pointwise metric such as best=f1, got 'roc_auc'"),
    ({"--at": "best=alert_rate"}, 1, "alert_rate"),
    ({"--at": "best=f_beta"}, 1, "Error: f_beta needs its parameter beta"),
    ({"--confidence-level": "95"}, 1, "Error: --confidence-level must be at least 0.5 and below 1, got 95.0"),
    ({"--confidence-level": "much"}, 2, "Error: Invalid value for '--confidence-level'"),
    ({"--at": "recall=most"}, 1, "Error: --at must be a rule and a number such as recall=0.6, got 'recall=most'."),
    ({"--at": "recall=60"}, 1, "Error: recall must be above 0 and at most 1, got 60.0"),
    ({"--at": "top_k=2.5"}, 1, "Error: k must be a whole number"),
    (
        {"--at": "recall=0.6", "--metric": "roc_auc"},
        1,
        "Error: --at recall >= 0.6 has no effect: none of the metrics needs a threshold",
    ),
    ({"--period": "ts"}, 1, "Error: --period must be a column and a length, got 'ts'; write for example ts:month"),
    ({"--period": "ts:moon"}, 1, "did you mean 'month'"),
    ({"--tz": "UTC"}, 2, "Error: --tz needs --period."),
    ({"--positive": "si"}, 1, "Error: --positive must be one of the labels in the label 'y', got 'si'"),
    ({"--label": "country"}, 1, "unless --positive names the positive label, got"),
    ({"--memory-limit": "lots"}, 1, "Error: --memory-limit must be a size"),
    ({"--tolerance": "little"}, 2, "Error: Invalid value for '--tolerance'"),
    ({"--lable": "y"}, 2, "Error: No such option '--lable'; did you mean --label."),
]


@pytest.mark.parametrize(
    ("changed", "code", "sentence"), WRONG, ids=[" ".join(map("".join, c[0].items())) for c in WRONG]
)
def test_wrong_input_is_a_sentence_and_an_exit_code(path, ask, changed, code, sentence):
    options = {"--label": "y", "--score": "p"} | changed
    done = ask("evaluate", path, *(text for option in options.items() for text in option))
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err


def test_wrong_input_to_the_program_is_no_traceback(path, program):
    done = program("evaluate", path, "--label", "y", "--score", "p", "--metric", "avg_precision")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: unknown metric ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("named", [True, False], ids=["columns named", "columns found"])
@pytest.mark.parametrize("name", ["absent.parquet", "empty.csv", "torn.parquet", "torn.csv.gz", "three.csv", "folder"])
def test_a_bad_file_is_a_sentence_and_an_exit_code(path, ask, name, named):
    bad = path.with_name(name)
    content = {
        "empty.csv": b"",
        "torn.parquet": path.read_bytes()[:-100],
        "torn.csv.gz": b"\x1f\x8b\x08\x00torn",
        "three.csv": b"y,p\n0,.1\n1,.2\n2,.3\n",
    }
    if name in content:
        bad.write_bytes(content[name])
    if name == "folder":
        bad.mkdir()
    done = ask("evaluate", bad, *(("--label", "y", "--score", "p") if named else ("--quiet",)))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


def test_rows_without_a_label_are_mentioned_once(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("y,p,q\n1,.5,.1\n0,.4,.2\n,.3,.3\n")
    asked = ("evaluate", tmp_path / "rows.csv", "--label", "y", "--score", "p", "--score", "q", "--metric", "roc_auc")
    done = ask(*asked, "--missing", "later")
    assert (done.code, done.err) == (0, "Note: 1 row has no label yet and will be ignored\n")
    assert "unlabelled" in done.out.splitlines()[0]
    at_random = ask(*asked, "--missing", "random")
    assert at_random == (0, done.out, "")
    unsaid = ask(*asked)
    assert (unsaid.code, unsaid.out) == (1, "")
    assert "why rows have no label must be said, got 1 of 3 rows without one" in unsaid.err


def test_no_row_has_a_label(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("y,p\n,.3\n,.4\n")
    asked = ("--label", "y", "--score", "p", "--missing", "later", "--metric", "roc_auc", "--csv")
    done = ask("evaluate", tmp_path / "rows.csv", *asked)
    assert done.code == 0
    assert done.out.splitlines()[1].endswith("there are no rows")


def test_a_positive_label_by_name(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("class,p\nok,.3\nfraud,.4\n")
    done = ask("evaluate", tmp_path / "rows.csv", "--positive", "fraud", "--metric", "roc_auc", "--json", "-q")
    assert (done.code, json.loads(done.out)[0]["value"]) == (0, 1.0)


def test_what_is_missing_is_named(monkeypatch):
    from baserate import cli

    monkeypatch.setitem(sys.modules, "click", None)
    for name in [name for name in sys.modules if name.startswith("baserate.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit, match=r"the command line needs click, which is not installed; pip install click$"):
        cli.main()


_SOURCE = r"[\w.]+: [\d,]+ rows, [\d,]+ labelled and [\d,]+ unlabelled counted; \w+.*; [\d,]+ bytes, [0-9a-f]{16}"


def test_json_says_what_was_read(path, ask):
    rows = json.loads(ask("evaluate", path, "--metric", "roc_auc", "--label", "y", "--score", "p", "--json").out)
    assert {row["source"] for row in rows} == {str(br.curve(path, label="y", score="p").source)}
    assert re.fullmatch(_SOURCE, rows[0]["source"])
    for form in ([], ["--csv"]):
        assert "source" not in ask("evaluate", path, "--metric", "roc_auc", "--label", "y", "--score", "p", *form).out


def test_a_printed_threshold_can_be_pasted_back(ask, tmp_path):
    scores = [0.99997, 0.999965, 0.99996, 0.99995, 0.5, 0.4]
    lines = [f"{y},{p}" for y, p in zip([1, 0, 1, 0, 1, 0], scores, strict=True)]
    (tmp_path / "rows.csv").write_text("y,p\n" + "\n".join(lines), encoding="utf-8")
    asked = ("evaluate", tmp_path / "rows.csv", "--metric", "precision", "--metric", "recall", "--no-intervals", "-q")
    for recall in ("0.3", "0.6", "1"):
        shown = ask(*asked, "--at", f"recall={recall}").out
        threshold = shown.splitlines()[1].split()[5]
        again = ask(*asked, "--at", f"threshold={threshold}").out
        assert again == shown


def test_rows_that_were_sampled_for_labelling(tmp_path, ask):
    rows = [f"{k % 3 == 0:d},{k / 100},alert,1" if k >= 80 else f",{k / 100},rest,.25" for k in range(100)]
    rows[:80:4] = [f"{k == 20:d},{k / 100},rest,.25" for k in range(0, 80, 4)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,how,chance", *rows]))
    asked = ("evaluate", tmp_path / "rows.csv", "--label", "y", "--score", "p", "--at", "threshold=0.8", "--csv")
    asked += ("--metric", "recall", "--metric", "precision")
    told = {ask(*asked, *how) for how in (("--sampled", "all >= 0.8, else 25 %"), ("--stratum", "how"))}
    assert len(told) == 1
    (code, out, _), *_ = told
    assert code == 0
    assert [float(line.split(",")[5]) for line in out.splitlines()[1:]] == [
        pytest.approx(7 / 11),
        pytest.approx(7 / 20),
    ]
    wrong = ask(*asked, "--sampled", "all >= 0.8, else 0.1 %")
    assert (wrong.code, wrong.out) == (1, "")
    assert "the share of labelled rows must be as declared, 0.1 % in '0.1 % of the rest', got 20 of 80" in wrong.err
    unsaid = ask(*asked)
    assert "with --sampled, --stratum or --inclusion, or pass --missing random if" in unsaid.err
    assert "or --missing later (to monitor, --matures 60d) if" in unsaid.err
    assert unsaid.err.count("\n") == 1
