"""Command lines that nobody should type: each ends with one of the documented exit codes, and without a traceback."""

import contextlib
import io
import random
from pathlib import Path

import click

import baserate as br
from baserate.cli.app import commands, run
from baserate.errors import shown

EXIT_CODES = range(5)

_ROWS = [(k % 3 == 0, k * 37 % 100 / 100, "ab"[k % 2], f"2026-0{1 + k % 5}-01") for k in range(60)]
_FITTING = {
    "file": ["rows.csv", "rows.csv", "rows.csv", "rows.jsonl", "folder", "r*.csv"],
    "claims": ["claims.toml"],
    "path": ["store.db"],
    "copy": ["copy.db"],
    "--label": ["y"],
    "--score": ["p", "q"],
    "--weight": ["w"],
    "--by": ["g"],
    "--period": ["day:month", "day:week"],
    "--store": ["store.db", "new.db"],
    "--metric": ["roc_auc", "average_precision", "precision", "ece"],
    "--at": ["recall=0.6", "threshold=0.5", "best=f1"],
    "--prevalence": ["0.1", "1 in 1000", "1e-4:1e-2"],
    "--resamples": ["100"],
    "--like": ["rows.csv"],
    "--tpr": ["0.6"],
    "--fpr": ["0.01"],
    "--half-width": ["0.1"],
    "--keep": ["2"],
    "--model": ["p"],
    "--positive": ["1"],
    "--tolerance": ["0.01", "0"],
    "--memory-limit": ["200MB"],
    "--delimiter": [","],
    "--decimal": ["."],
    "--confidence-level": ["0.9"],
    "--bins": ["5"],
    "--points": ["3"],
    "--last": ["3"],
    "--reference": ["1"],
    "--until": ["2027-01-01"],
    "--first": ["1"],
    "--min-cases": ["3"],
    "--range": ["1e-4:1e-2"],
    "--output": ["out.html"],
    "--junit": ["out.xml"],
    "--export": ["out.parquet"],
    "--prometheus": ["out.prom"],
    "--about": ["threshold"],
    "--title": ["a title"],
}
_USUAL = {"--label", "--score", "--resamples"}
_NEEDED_BY = {
    "monitor": {*_USUAL, "--period"},
    "plan": {"--prevalence", "--tpr", "--fpr", "--half-width"},
    "sweep": {*_USUAL, "--prevalence"},
}
_HOSTILE = [
    *(
        "",
        " ",
        "-",
        "--",
        "0",
        "1",
        "-1",
        "nan",
        "inf",
        "1e400",
        "0x10",
        "9" * 400,
        "1:0",
        "1 in 0",
        "%",
        "é",
        "\udcff",
    ),
    *(
        "\x1b[2J",
        "x" * 3000,
        "nowhere.csv",
        ".",
        "/",
        "empty.csv",
        "damaged.csv",
        "rows.csv",
        "claims.toml",
        "store.db",
    ),
    *(
        "[",
        "*",
        "**",
        "y",
        "p",
        "g",
        "day",
        "day:",
        ":month",
        "day:century",
        "recall=",
        "recall=2",
        "best=",
        "f_beta:beta=",
    ),
    *(
        "ece:bins=0",
        "f_beta:beta=9e999",
        "1e-4:1e-2",
        "1e-2:1e-4",
        "99999TB",
        "-5GB",
        "Europe/Prague",
        "Mars",
        "9999-99-99",
    ),
    *("/dev/null", "/dev/full", "nowhere/out.html", "lists", "'", ";", "\t", "tab", "true", "None", "=cmd"),
]


def prepare():
    """The files that commands are about, in the folder where they run."""
    lines = [f"{int(y)},{p},{1 - p},{1 + p},{g},{day}" for y, p, g, day in _ROWS]
    text = "\n".join(["y,p,q,w,g,day", *lines]) + "\n"
    Path("rows.csv").write_text(text)
    Path("folder/g=a").mkdir(parents=True, exist_ok=True)
    Path("folder/g=a/rows.csv").write_text(text.replace(",g,", ",h,"))
    Path("rows.jsonl").write_text(
        "".join(f'{{"y": {int(y)}, "p": {p}, "g": [1], "day": "{d}"}}\n' for y, p, _, d in _ROWS)
    )
    Path("empty.csv").write_text("")
    Path("damaged.csv").write_text(text + '1,"half')
    Path("claims.toml").write_text('[[claim]]\nmetric = "roc_auc"\nat_least = 0.5\n')
    Path("store.db").unlink(missing_ok=True)
    with br.monitoring.CurveStore("store.db") as store:
        for period in ("2026-01", "2026-02", "2026-03"):
            store.append(br.Curve.from_scores(*zip(*[row[:2] for row in _ROWS], strict=True)), model="p", period=period)


def line_of(rng):
    """A command with some of its own arguments, each fitting or hostile, and perhaps with one that is not its own."""
    names, command = [], commands
    while isinstance(command, click.Group):
        names.append(rng.choice([name for name in command.list_commands(click.Context(command)) if name != "demo"]))
        command = command.get_command(click.Context(command), names[-1])
    harm = rng.choice([0.02, 0.1, 0.4])
    words = []
    for param in command.params:
        option = next((name for name in param.opts if name.startswith("--")), None)
        needed = param.required or option in _NEEDED_BY.get(names[0], _USUAL)
        if option is not None and not needed and rng.random() < 0.85:
            continue
        fitting = _FITTING.get(option or param.name)
        value = rng.choice(_HOSTILE if fitting is None or rng.random() < harm else fitting)
        words += [option] if getattr(param, "is_flag", False) else [value] if option is None else [option, value]
    if rng.random() < harm:
        words.insert(
            rng.randrange(len(words) + 1), rng.choice([*_HOSTILE, "--nonsense", "--help", "--json", "-q", "-"])
        )
    return [*names, *words]


def command(*, line=()):
    """Run a command line; whatever else is passed is its only word."""
    words = line if isinstance(line, list) and all(isinstance(word, str) for word in line) else [shown(line)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = run(words)
    if code not in EXIT_CODES or "Traceback" in said.getvalue():
        raise AssertionError(f"ended with {code}: {said.getvalue()[:200]}")


LINES = [line_of(random.Random(f"line {k}")) for k in range(5000)]
