"""How commands end, and what they look like where: exit codes, signals, pipes, terminals, help, completion."""

import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time

import pytest

import baserate.demo
from baserate import progress
from helpers.terminals import Terminal

pty = pytest.importorskip("pty", reason="no terminals to be had here")
pytestmark = pytest.mark.slow  # together, these take long

COMMANDS = ("evaluate", "compare", "sweep", "demo")
# A program that says when it can be interrupted; one that a shell started in the background would not be otherwise.
READY = [
    sys.executable,
    "-c",
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "import baserate_command, baserate.cli.app; "
    "print('ready', file=sys.stderr, flush=True); baserate_command.main()",
]


def test_exit_codes_are_documented(ask):
    done = ask("--help")
    assert done.code == 0
    codes = re.findall(r"^    (\d+)  ", done.out, flags=re.MULTILINE)
    assert codes == ["0", "1", "2", "3", "4", "130"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(ask, command):
    done = ask(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"\n    baserate {command}" in done.out


def test_examples_in_help_are_understood(ask, tmp_path, monkeypatch):
    """Each example parses: it fails, if at all, because its file is not there."""
    monkeypatch.chdir(tmp_path)
    for command in ("evaluate", "compare", "sweep"):
        for example in re.findall(r"^    baserate (.*)$", ask(command, "--help").out, flags=re.MULTILINE):
            done = ask(*shlex.split(example))
            assert done.code == 1, done.err
            assert done.err.startswith("Error: file not found: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["evalute"], "No such command 'evalute'; did you mean 'evaluate'."),
        (["swep", "x.csv"], "No such command 'swep'; did you mean 'sweep'."),
        (["demo", "--quite"], "No such option '--quite'"),
        (["evaluate"], "Missing argument 'FILE...'"),
        ([], "Usage: baserate"),
    ],
)
def test_what_is_not_understood_is_two(ask, arguments, sentence):
    done = ask(*arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


def test_the_version(ask):
    assert ask("--version") == (0, f"baserate, version {baserate.__version__}\n", "")


def test_the_demo(program):
    done = program("demo")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Card payments (simulated)")


def test_the_demo_is_that_of_the_library(ask, monkeypatch):
    monkeypatch.setattr(baserate.demo, "main", lambda: print("the demo"))
    assert ask("demo") == (0, "the demo\n", "")


def interrupted(program, payments, seconds):
    """How a program that says when it is ready ends, interrupted so long after."""
    asked = ["sweep", payments, "--label", "fraud", "--score", "new_model", "--at", "precision=0.1", "--points", "9999"]
    work = subprocess.Popen([*program, *map(str, asked)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert work.stderr.readline() == "ready\n"
        time.sleep(seconds)
        work.send_signal(signal.SIGINT)
        out, err = work.communicate(timeout=30)
    finally:
        work.kill()
    return work.returncode, out, err


@pytest.mark.parametrize("seconds", [0.2, 1.2], ids=["while the file is opened", "while it works"])
def test_an_interrupt_is_130(payments, seconds):
    assert interrupted(READY, payments, seconds) == (130, "", "Stopped.\n")


# A program that says when its first line has run. Loading takes a second or so, from there on.
LOADING = [
    sys.executable,
    "-c",
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); import baserate_command; "
    "print('ready', file=sys.stderr, flush=True); baserate_command.main()",
]


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0])
def test_an_interrupt_while_modules_load_is_130(payments, seconds):
    assert interrupted(LOADING, payments, seconds) == (130, "", "Stopped.\n")


def test_an_interrupt_is_heard_when_a_module_that_swallows_it_has_loaded(tmp_path):
    """As numpy's and scipy's do that are written in C, and that load when they are first needed."""
    (tmp_path / "deaf.py").write_text("import time\ntry:\n    time.sleep(1)\nexcept BaseException:\n    pass\n")
    work = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"import time, baserate.cli, baserate_command; sys.path.insert(0, {str(tmp_path)!r})\n"
        "def carry_out():\n    print('ready', file=sys.stderr, flush=True)\n    import deaf\n    time.sleep(60)\n"
        "baserate.cli.main = carry_out; baserate_command.main()"
    )
    assert interrupted([sys.executable, "-c", work], "", 0.3) == (130, "", "Stopped.\n")


def test_interrupts_that_are_ignored_stay_ignored(path):
    """As of a program that a shell runs in the background."""
    asked = ["evaluate", path, "-q", "--score", "p", "--metric", "roc_auc", "--no-intervals"]
    ignoring = LOADING[2].replace("signal.default_int_handler", "signal.SIG_IGN")
    work = subprocess.Popen(
        [sys.executable, "-c", ignoring, *map(str, asked)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert work.stderr.readline() == "ready\n"
        for _ in range(5):
            work.send_signal(signal.SIGINT)
            time.sleep(0.1)
        out, err = work.communicate(timeout=60)
    finally:
        work.kill()
    assert (work.returncode, err) == (0, "")
    assert "roc_auc" in out


def test_an_interrupt_while_a_file_is_read_is_130(ask, path, monkeypatch):
    from baserate.ingest import engine

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.ProgressLine, "show", stop)
    assert ask("evaluate", path, "--label", "y", "--score", "p") == (130, "", "Stopped.\n")


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "{path}", "-q", "--score", "p", "--csv"]])
def test_a_closed_pipe_is_no_failure(path, arguments):
    """The reader is gone before the first byte, which is the hardest case of ``| head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    asked = [argument.format(path=path) for argument in arguments]
    done = subprocess.run([*READY, *asked], stdout=writer, stderr=subprocess.PIPE, check=False, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "ready\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@pytest.mark.parametrize("arguments", [["demo"], ["evaluate", "{path}", "-q", "--score", "p", "--metric", "roc_auc"]])
def test_an_output_that_cannot_be_written_is_a_sentence(path, arguments):
    asked = [argument.format(path=path) for argument in arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*READY, *asked], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("ready\nError: [Errno 28] No space left on device")
    assert done.stderr.count("\n") == 2


def test_a_name_that_cannot_be_shown_does_no_harm(tmp_path, program):
    (tmp_path / "rows.csv").write_text("y,š\n1,.5\n0,.4\n", encoding="utf-8")
    asked = ("evaluate", tmp_path / "rows.csv", "--metric", "roc_auc", "--quiet", "--no-intervals")
    done = program(*asked, env=os.environ | {"PYTHONIOENCODING": "latin-1"})
    assert (done.code, done.err) == (0, "")
    assert r"\u0161" in done.out


# --- terminals ------------------------------------------------------------------------------------


def in_a_terminal(*arguments, width=80, **environment):
    """What a command writes to a terminal of a width, and its exit code."""
    main, other = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    settings |= {"TERM": "xterm-256color", "COLUMNS": str(width)} | environment
    work = subprocess.Popen([*READY, *map(str, arguments)], stdout=other, stderr=subprocess.PIPE, env=settings)
    os.close(other)
    written = b""
    while select.select([main], [], [], 60)[0]:
        try:
            part = os.read(main, 2**16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        written += part
    os.close(main)
    with work:
        work.wait(timeout=60)
    return written.decode().replace("\r\n", "\n"), work.returncode


MODELS = ("--label", "y", "--score", "p", "--score", "q", "--no-intervals")


def test_a_table_in_a_terminal_is_ruled_and_coloured(path):
    written, code = in_a_terminal("compare", path, *MODELS)
    assert code == 0
    assert "─" * 20 in written
    assert "\x1b[1m" in written  # the head is bold
    (leader,) = (line for line in written.splitlines() if "yes" in line)
    assert "\x1b[32mp " in leader


def test_no_color_is_respected(path):
    written, code = in_a_terminal("compare", path, *MODELS, NO_COLOR="1")
    assert code == 0
    assert "─" * 20 in written
    assert "\x1b" not in written


def plainly(written):
    return re.sub(r"\x1b\[[0-9;]*m", "", written)


def test_a_narrow_terminal_loses_no_digits(path, ask):
    asked = ("evaluate", path, "--label", "y", "--score", "p", "--prevalence", "1:10000", "--metric", "auc_pr")
    written, _ = in_a_terminal(*asked, width=30)
    names, *rows = (re.split(r"  +", line) for line in ask(*asked).out.splitlines())
    blocks = plainly(written).rstrip().split("\n\n")
    assert [[re.split(r"  +", line) for line in block.splitlines()] for block in blocks] == [
        [list(pair) for pair in zip(names, row, strict=True)] for row in rows
    ]


WIDE = (
    ("evaluate", "--by", "country", "--at", "recall=0.3", "--prevalence", "1:10000"),
    ("evaluate", "--prevalence", "1 in 12345"),
    ("compare", "--score", "q", "--metric", "normalized_average_precision", "--by", "country"),
    ("sweep", "--points", "3"),
    ("calibration", "--bins", "2", "--prevalence", "0.1%"),
)


@pytest.mark.parametrize("asked", WIDE, ids=lambda asked: " ".join(asked[:2]))
@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_the_terminal(path, asked, width):
    command, *options = asked
    written, code = in_a_terminal(command, path, "--label", "y", "--score", "p", *options, width=width)
    assert code == 0
    rows = plainly(written).splitlines()
    tables = [line for line in rows if re.search(r"  |─", line)]  # sentences are wrapped by the terminal
    assert tables
    assert max(map(len, tables)) <= width


def test_json_is_the_same_in_a_terminal(path, ask):
    asked = ("evaluate", path, "--label", "y", "--score", "p", "--metric", "roc_auc", "--json")
    assert in_a_terminal(*asked) == (ask(*asked).out, 0)


def test_progress_is_on_stderr_and_can_be_silenced(path, monkeypatch, capsys):
    from baserate.cli.app import run

    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    asked = ["evaluate", str(path), "--label", "y", "--score", "p", "--metric", "roc_auc"]
    for quiet in ([], ["--quiet"], []):  # the silence ends with the command
        stderr = Terminal()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", stderr)
            assert run([*asked, *quiet]) == 0
        assert ("reading [" in stderr.text) == (not quiet)
        assert ("Evaluating [" in stderr.text) == (not quiet)
        assert "[#" not in capsys.readouterr().out


# --- completion -----------------------------------------------------------------------------------


def completed(words, program):
    environment = {"_BASERATE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = program(env=os.environ | environment)
    assert (done.code, done.err) == (0, "")
    return done.out.split()


def test_completion_of_commands_and_metrics(program):
    assert completed("baserate e", program) == ["plain,evaluate"]
    assert completed("baserate sweep --metric best_", program) == ["plain,best_f_beta", "plain,best_f1"]


def test_completion_of_columns_once_the_file_is_typed(program, payments, tmp_path):
    assert completed(f"baserate evaluate {payments} --label f", program) == ["plain,fraud"]
    assert completed(f"baserate calibration {payments} --label fraud --score ", program) == [
        f"plain,{name}" for name in ("month", "channel", "fraud", "old_model", "new_model")
    ]
    assert completed(f"baserate compare {payments} --by x", program) == []
    (tmp_path / "broken.parquet").write_text("no parquet")
    for file in ("", "nowhere.csv", tmp_path / "broken.parquet"):  # no word, and above all no traceback
        assert completed(f"baserate evaluate {file} --by ", program) == []


def test_completion_of_files_is_left_to_the_shell(program):
    assert completed("baserate evaluate sco", program) == ["file,sco"]


def test_the_script_for_a_shell(program):
    done = program(env=os.environ | {"_BASERATE_COMPLETE": "zsh_source"})
    assert (done.code, done.err) == (0, "")
    assert "_BASERATE_COMPLETE" in done.out


def test_a_command_does_not_wait_for_pandas_to_load(path):
    """DuckDB would load it, where it is installed."""
    asked = ["evaluate", str(path), "-q", "--score", "p", "--metric", "roc_auc"]
    program = "import atexit, sys, baserate.cli; atexit.register(lambda: print(sys.modules['pandas'])); "
    asked = [sys.executable, "-c", f"{program}baserate.cli.main()", *asked]
    done = subprocess.run(asked, stdout=subprocess.PIPE, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "None"
