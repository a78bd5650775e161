"""Every command answers a small question; what they say is for the tests of each, most of which take long."""

import pytest

from baserate.cli.hints import COMMANDS

COLUMNS = ("--label", "y", "--score", "p", "--quiet")
CLAIM = '[[claim]]\nname = "ranks"\nmetric = "roc_auc"\nat_least = 0.1\n'
# What is typed after the command, and a word of the answer.
ASKED = {
    "audit": (("precision=0.90", "recall=0.80"), "prevalence"),
    "calibration": (("rows.parquet", *COLUMNS, "--bins", "2", "--prevalence", "0.1"), "slope"),
    "check": (("claims.toml", "rows.parquet", *COLUMNS), "met"),
    "compare": (("rows.parquet", *COLUMNS, "--score", "q", "--at", "threshold=0.5"), "leads"),
    "evaluate": (("rows.parquet", *COLUMNS, "--by", "country"), "average_precision"),
    "monitor": (("rows.parquet", *COLUMNS, "--store", "monitor.db", "--period", "ts:month"), "2026-02"),
    "plan": (("--tpr", "0.6", "--fpr", "0.01", "--delta", "0.3"), "n_neg"),
    "report": (("rows.parquet", *COLUMNS, "--resamples", "100", "--by", "country"), "report.html"),
    "store": (("list", "monitor.db"), "2026-02"),
    "sweep": (("rows.parquet", *COLUMNS, "--points", "2"), "prevalence"),
}


def test_no_command_is_forgotten():
    assert sorted({*ASKED, "demo"}) == sorted(COMMANDS)  # which takes long, and is tried where commands end


@pytest.mark.parametrize("command", ASKED)
def test_it_answers(command, path, ask, monkeypatch):
    monkeypatch.chdir(path.parent)
    path.with_name("claims.toml").write_text(CLAIM)
    if command == "store":
        ask("monitor", *ASKED["monitor"][0])
    arguments, word = ASKED[command]
    done = ask(command, *arguments)
    assert (done.code, done.err) == (0, "")
    assert word in done.out
