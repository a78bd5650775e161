"""Rows to a table: ruled in a terminal, plain in a pipe, JSON or CSV on request."""

import csv
import io
import json
import math
import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

Row = dict[str, object]


def show(rows: Sequence[Row], *, as_json: bool, as_csv: bool) -> None:
    """Print rows that have the same columns."""
    if as_json:
        click.echo(json.dumps([{name: _json(value) for name, value in row.items()} for row in rows], indent=2))
    elif as_csv:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(text.getvalue(), nl=False)
    elif sys.stdout.isatty():
        table = Table(header_style="bold")
        for name, value in rows[0].items():
            table.add_column(name, justify="right" if isinstance(value, float | int) else "left", no_wrap=True)
        for row in rows:
            table.add_row(*map(_text, row.values()))
        Console().print(table, markup=False)
    else:
        _show_plain(rows)


def _show_plain(rows: Sequence[Row]) -> None:
    lines = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [isinstance(value, float | int) for value in rows[0].values()]
    for line in lines:
        cells = zip(line, widths, numeric, strict=True)
        click.echo("  ".join(c.rjust(width) if right else c.ljust(width) for c, width, right in cells).rstrip())


def _text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _json(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
