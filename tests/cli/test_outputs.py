"""What a command writes never replaces what it reads, and that is known before any work is done."""

import contextlib
import os
import shlex
import shutil
import stat
import subprocess
import threading

import pytest

import baserate as br
from helpers.programs import PROGRAM

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


@pytest.mark.slow
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
    assert f"output '{written}' would overwrite an input; name another file." in done.err


def test_a_folder_that_is_not_there_is_named(files, ask, monkeypatch):
    monkeypatch.chdir(files)
    done = ask("report", "scores.csv", *COLUMNS, "--output", "later/page.html")
    assert done.code == 1
    assert "folder not found for output 'later/page.html'; create it first." in done.err


def test_one_column_is_not_two(payments, ask):
    done = ask("evaluate", payments, "--label", "fraud", "--score", "fraud")
    assert (done.code, "label and score must be two columns, got 'fraud' for both." in done.err) == (1, True)


def test_words_are_no_scores(payments, ask):
    done = ask("evaluate", payments, "--label", "fraud", "--score", "channel")
    assert done.code == 1
    assert "scores and weights must be numbers, got 'web' in column 'channel' of " in done.err


# --- where outputs go -----------------------------------------------------------------------------


CHECK = ("check", "claims.toml", "scores.csv", *COLUMNS, "-q", "--junit")
MONITOR = ("monitor", "year.csv", "--period", "day:quarter", "--store", "store.db", "-q", *COLUMNS)
MONITOR += ("--reference", "1", "--until", "2026-01-02")


@pytest.fixture
def folder(payments, monkeypatch):
    (payments.parent / "claims.toml").write_text(CLAIM, encoding="utf-8")
    year = br.examples.year()
    lines = [",".join(map(str, row)) for row in zip(year["day"], year["fraud"] * 1, year["new_model"], strict=True)]
    (payments.parent / "year.csv").write_text("\n".join(["day,fraud,new_model", *lines]) + "\n")
    monkeypatch.chdir(payments.parent)
    return payments.parent


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--output", "--junit", "--export", "--prometheus", "--store"])
def test_an_output_without_a_name_is_not_understood(folder, ask, option):
    commands = {
        "--output": ("report", "scores.csv", *COLUMNS),
        "--junit": CHECK[:-1],
        "--export": MONITOR,
        "--prometheus": MONITOR,
        "--store": ("monitor", "scores.csv", "--period", "month:month", *COLUMNS),
    }
    done = ask(*commands[option], option, "")
    assert (done.code, "the name of an output file is empty." in done.err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("second", ["both.txt", "parts/../both.txt", "link.txt"])
def test_two_outputs_on_one_path_are_refused(folder, ask, second):
    (folder / "parts").mkdir()
    (folder / "link.txt").symlink_to("both.txt")
    done = ask(*MONITOR, "--export", "both.txt", "--prometheus", second)
    assert done.code == 1
    assert f"two outputs have the same file: '{second}'; name another file." in done.err
    assert not (folder / "both.txt").exists()


@pytest.mark.slow
def test_a_link_stays_a_link_and_what_it_points_at_is_written(folder, ask):
    (folder / "there").mkdir()
    (folder / "claims.xml").symlink_to("there/real.xml")
    assert ask(*CHECK, "claims.xml").code == 0
    assert (folder / "claims.xml").is_symlink()
    assert (folder / "there" / "real.xml").read_text().startswith("<?xml")
    assert [name.name for name in (folder / "there").iterdir()] == ["real.xml"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640])
def test_permissions_of_a_file_that_is_there_are_kept(folder, ask, mode):
    (folder / "claims.xml").write_text("old")
    (folder / "claims.xml").chmod(mode)
    assert ask(*CHECK, "claims.xml").code == 0
    assert (folder / "claims.xml").read_text().startswith("<?xml")
    assert stat.S_IMODE((folder / "claims.xml").stat().st_mode) == mode


@pytest.mark.slow
def test_other_names_of_a_file_stay_its_names(folder, ask):
    (folder / "claims.xml").write_text("old")
    os.link(folder / "claims.xml", folder / "other.xml")
    assert ask(*CHECK, "claims.xml").code == 0
    assert (folder / "other.xml").read_text().startswith("<?xml")


@pytest.mark.slow
def test_a_device_is_written_to(folder, ask):
    """A terminal: nothing can take its place, so a command that tried would do no harm to the machine."""
    main, other = os.openpty()
    try:
        terminal = os.ttyname(other)
        assert ask(*CHECK, terminal).code == 0
        assert os.read(main, 5) == b"<?xml"
        reader = threading.Thread(target=_read_all, args=(main,), daemon=True)
        reader.start()
        done = ask(*MONITOR, "--export", terminal, "--prometheus", terminal)  # as much as one likes
        assert (done.code, done.err) == (3, "")
        assert stat.S_ISCHR(os.stat(terminal).st_mode)
    finally:
        os.close(other)
        reader.join(timeout=30)
        os.close(main)


def _read_all(descriptor):
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while os.read(descriptor, 2**16):
            pass


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("command", [CHECK, (*MONITOR, "--export"), (*MONITOR, "--prometheus")])
def test_a_named_pipe_is_written_to(folder, ask, command):
    os.mkfifo(folder / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()), daemon=True)
    reader.start()
    assert ask(*command, "pipe").code in (0, 3, 4)
    reader.join(timeout=30)
    assert read[0][:5] in (b"<?xml", b"PAR1\x15", b"# HEL")
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


# --- who reads ------------------------------------------------------------------------------------

BROKEN_CLAIM = '[[claim]]\nmetric = "roc_auc"\nat_least = 0.9999\n'


def ended(folder, how, command):
    """The exit code of a command in a shell, and what it says on stderr."""
    line = f"{{ {shlex.join([*PROGRAM, *command])}; echo $? >&3; }} {how}"
    done = subprocess.run(
        ["bash", "-c", f"({line}) 3>code 2>err"], cwd=folder, check=False, timeout=120, stdout=subprocess.DEVNULL
    )
    assert done.returncode in (0, 141)
    return int((folder / "code").read_text()), (folder / "err").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["", "| true", ">&-", "<&- >&-", ">/dev/null"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_who_reads_does_not_change_how_it_ends(folder, how, form):
    (folder / "claims.toml").write_text(BROKEN_CLAIM, encoding="utf-8")
    command = ["check", "claims.toml", "scores.csv", *COLUMNS, "-q", *form]
    assert ended(folder, how, command) == (3, "")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["| true", ">&-"])
def test_an_alarm_is_one_though_nobody_reads_it(folder, how):
    assert ended(folder, how, MONITOR) == ended(folder, ">/dev/null", MONITOR) == (3, "")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["| true", "| head -c 5"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["check", "claims.toml", "scores.csv", *COLUMNS, "-q", "--junit", "/dev/stdout"], 3),
        (["report", "scores.csv", *COLUMNS, "-q", "--resamples", "100", "-o", "/dev/stdout"], 0),
        ([*MONITOR, "--prometheus", "/dev/stdout"], 3),
        ([*MONITOR, "--export", "/dev/stdout"], 3),
    ],
)
def test_a_device_that_nobody_reads_does_not_change_how_it_ends(folder, how, command, code):
    (folder / "claims.toml").write_text(BROKEN_CLAIM, encoding="utf-8")
    assert ended(folder, how, command) == (code, "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_whose_reader_leaves_does_not_change_how_it_ends(folder, ask):
    os.mkfifo(folder / "pipe")
    reader = threading.Thread(target=lambda: open(folder / "pipe", "rb").close(), daemon=True)
    reader.start()
    done = ask("report", "scores.csv", *COLUMNS, "-q", "--resamples", "100", "-o", "pipe")
    reader.join(timeout=30)
    assert (done.code, done.err) == (0, "")


@pytest.mark.slow
def test_an_error_that_nobody_reads_is_still_one(folder):
    for how in ("2>&-", "2>&1 | true", ">&- 2>&-"):
        assert ended(folder, how, ["evaluate", "nowhere.csv"])[0] == 1
        assert ended(folder, how, ["evaluate", "--nonsense"])[0] == 2
