"""Prints rows: as a ruled table in a terminal, as lists if it is too narrow, plain in a pipe, or as JSON or CSV."""

import contextlib
import json
import math
import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from baserate.errors import printable
from baserate.written import PREVALENCES, Shown, one_in

if TYPE_CHECKING:
    from rich.table import Table

    from baserate.results import Comparison, Evaluation

OutputRow = dict[str, object]
OutputRows = Sequence[Mapping[str, object]]
F = TypeVar("F", bound=Callable[..., object])

_UNLIMITED = 10_000  # columns of a terminal, when asking how many a table needs

# A column that is shown to people only if it has something to say.
_SAYS_NOTHING = {"unlabelled": 0, "leads": False}

# What is worth keeping with a number, and too long to be shown.
_ONLY_IN_JSON = {"source"}


def answered(answers: "Evaluation | Comparison") -> OutputRows:
    """The rows of answers; the text of a threshold chooses the same point if it is pasted back."""
    return [row | {"threshold": answer.threshold} for row, answer in zip(answers.rows(), answers.answers, strict=True)]


def in_a_format(command: F) -> F:
    """Options for the output format."""
    for option in (
        click.option("--csv", "form", flag_value="csv", default=None, help="Print CSV with all digits."),
        click.option("--json", "form", flag_value="json", default=None, help="Print JSON with all digits."),
    ):
        command = option(command)
    return command


def show(rows: OutputRows, form: str | None) -> None:
    """Print rows that have the same fields."""
    if form == "json":
        show_json(rows)
    elif form == "csv":
        show_csv(rows)
    else:
        show_table(rows)


def say(*lines: str) -> None:
    """Print sentences, with control characters escaped, because names in them come from the user's files."""
    click.echo("\n".join(map(printable, lines)))


def show_json(answer: object) -> None:
    """Print rows, or several lists of them, as JSON; control characters that JSON allows are escaped."""
    lines = json.dumps(_json(answer), indent=2, ensure_ascii=False).split("\n")
    click.echo("\n".join(line if line.isprintable() else _as_json(line) for line in lines))


def _as_json(line: str) -> str:
    return "".join(c if printable(c) == c else json.dumps(c)[1:-1] for c in line)


def show_csv(rows: OutputRows) -> None:
    """Print rows as CSV."""
    names = [name for name in rows[0] if name not in _ONLY_IN_JSON]
    lines: list[list[object]] = [[*names], *([row[name] for name in names] for row in rows)]
    click.echo("\n".join(",".join(map(_csv, line)) for line in lines))


def _csv(value: object) -> str:
    """A cell of CSV, quoted if necessary; Python's own writer does not quote a lone carriage return."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


def show_table(rows: OutputRows) -> None:
    """Print rows for people, without empty columns."""
    names = [name for name in rows[0] if name not in _ONLY_IN_JSON]
    kept = [name for name in names if any(row[name] not in (None, _SAYS_NOTHING.get(name)) for row in rows)]
    shown = [{name: row[name] for name in kept} for row in rows]
    click.echo(_ruled(shown) if sys.stdout.isatty() else _plain(shown))


def drop_output() -> None:
    """Discard the remaining output after the reader has closed; otherwise Python reports an error at exit."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there is no such output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def until_nobody_reads() -> "contextlib.suppress":
    """Whoever reads a pipe that is an output may stop; like a closed stdout, this is no failure of the command."""
    return contextlib.suppress(BrokenPipeError)


def _ruled(rows: OutputRows) -> str:
    """A table for a terminal; if it is too wide, constant columns are moved above it, or it becomes a list."""
    from rich.console import Console

    console = Console()
    console = Console(width=console.width, color_system=None if console.no_color else "auto")
    shared = _shared(rows)
    own = [{name: value for name, value in row.items() if name not in shared} for row in rows]
    for above, shown in (({}, rows), (shared, own)):
        table = _table(shown)
        if shown[0] and Console(width=_UNLIMITED).measure(table).minimum <= console.width:
            with console.capture() as captured:
                console.print(table)
            said = ", ".join(f"{name} {text}" for name, text in above.items())
            return "\n".join(filter(None, (said, captured.get().strip("\n"))))
    return _listed(rows, console.width)


def _shared(rows: OutputRows) -> dict[str, str]:
    """Columns with the same value in every row, and their values."""
    texts = {name: {_text(name, row[name]) for row in rows} for name in rows[0]}
    return {name: values.pop() for name, values in texts.items() if len(values) == 1 < len(rows)}


def _table(rows: OutputRows) -> "Table":
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False, collapse_padding=True)
    for name, numeric in _is_numeric(rows).items():
        # Words may be folded in a narrow terminal, numbers may not.
        table.add_column(name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
    for row in rows:
        table.add_row(*(escape(_text(*cell)) for cell in row.items()), style="green" if row.get("leads") else None)
    return table


def _listed(rows: OutputRows, width: int) -> str:
    """A block of lines for each row, where a table would be wider than the terminal."""
    indent = max(map(len, rows[0])) + 2
    blocks = []
    for row in rows:
        cells = ((name, _text(name, value)) for name, value in row.items())
        lines = [_wrapped(f"{name:<{indent}}{text}", width, " " * indent) for name, text in cells]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _wrapped(line: str, width: int, indent: str) -> str:
    """A line within a width; words that are longer than it stay whole."""
    return textwrap.fill(
        line, width, subsequent_indent=indent, drop_whitespace=True, break_long_words=False, break_on_hyphens=False
    )


def _plain(rows: OutputRows) -> str:
    lines = [list(rows[0]), *([_text(*cell) for cell in row.items()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = _is_numeric(rows).values()
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _is_numeric(rows: OutputRows) -> Mapping[str, bool]:
    """Whether all non-empty cells of a column are numbers."""
    columns = {name: [row[name] for row in rows if row[name] is not None] for name in rows[0]}
    return {
        name: bool(values) and all(isinstance(value, float | int) and not isinstance(value, bool) for value in values)
        for name, values in columns.items()
    }


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if value is None:
        return "–"
    if isinstance(value, Shown):
        return value.text
    if isinstance(value, float):
        return one_in(value) if name in PREVALENCES else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _json(value: object) -> Any:
    """A value for JSON, which has no nan and no infinity: nan becomes null, infinity a text."""
    if isinstance(value, Mapping):
        return {name: _json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
