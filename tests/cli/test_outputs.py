"""What a command writes never replaces what it reads, and that is known before any work is done."""

import shutil

import pytest

COLUMNS = ("--label", "fraud", "--score", "new_model")
CLAIM = '[[claim]]\nmetric = "roc_auc"\nat_least = 0.5\n'


@pytest.fixture
def files(payments):
    """Scores, the same in a folder, and claims; what is in them afterwards is what was in them before."""
    folder = payments.parent
    (folder / "parts").mkdir()
    shutil.copy(payments, folder / "parts" / "one.csv")
    (folder / "claims.toml").write_text(CLAIM, encoding="utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield folder
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "command",
    [
        "report scores.csv --output scores.csv",
        "report scores.csv --output parts/../scores.csv",
        "report parts --output parts/one.csv",
        "report par*/*.csv --output parts/one.csv",
        "check claims.toml scores.csv --junit scores.csv",
        "check claims.toml scores.csv --junit claims.toml",
        "monitor scores.csv --period month:month --store store.db --export scores.csv",
        "monitor scores.csv --period month:month --store store.db --prometheus store.db",
    ],
)
def test_what_is_read_is_not_written(files, ask, monkeypatch, command):
    monkeypatch.chdir(files)
    done = ask(*command.split(), *COLUMNS)
    written = command.split()[-1]
    assert done.code == 1
    assert f"an output must not replace what is read, got '{written}'; name another file." in done.err


def test_a_folder_that_is_not_there_is_named(files, ask, monkeypatch):
    monkeypatch.chdir(files)
    done = ask("report", "scores.csv", *COLUMNS, "--output", "later/page.html")
    assert done.code == 1
    assert "must go into a folder that is there, got 'later/page.html'; make that folder first." in done.err


def test_one_column_is_not_two(payments, ask):
    done = ask("evaluate", payments, "--label", "fraud", "--score", "fraud")
    assert (done.code, "label and score must be two columns, got 'fraud' for both." in done.err) == (1, True)


def test_words_are_no_scores(payments, ask):
    done = ask("evaluate", payments, "--label", "fraud", "--score", "channel")
    assert done.code == 1
    assert "scores and weights must be numbers, got 'web' in column 'channel' of " in done.err
