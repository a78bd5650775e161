"""Notebook views of curves and results: facts, tables and small pictures, as HTML."""

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from baserate.arrays import FloatArray

_SIDE = 120
_MOST_POINTS = 240
_MOST_ROWS, _SHOWN_ROWS = 20, 10  # of a longer table, the first and the last ones
_MOST_COLUMNS = 12  # of a table of one row
_UNBROKEN = 45  # letters
_WIDE, _HIGH = 180, 48


def card(title: str, facts: Sequence[tuple[str, str]], pictures: Sequence[tuple[str, FloatArray, FloatArray]]) -> str:
    """A titled table of facts with a picture for each ``(caption, across, height)`` in the unit square."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts
    )
    drawn = "".join(_picture(caption, across, height) for caption, across, height in pictures)
    return (
        f"<div><b>{escape(title)}</b><div style='display:flex;gap:1em;align-items:flex-start'>"
        f"<table>{rows}</table>{drawn}</div></div>"
    )


def _picture(caption: str, across: FloatArray, height: FloatArray) -> str:
    along = np.append(0.0, np.cumsum(np.abs(np.diff(across)) + np.abs(np.diff(height))))
    chosen = np.unique(np.searchsorted(along, np.linspace(0, along[-1], _MOST_POINTS)))  # evenly along the line
    points = " ".join(f"{_SIDE * across[i]:.1f},{_SIDE * (1 - height[i]):.1f}" for i in chosen)
    return (
        f"<figure style='margin:0'><svg width='{_SIDE + 2}' height='{_SIDE + 2}' "
        f"viewBox='-1 -1 {_SIDE + 2} {_SIDE + 2}' role='img' aria-label='{escape(caption)}'>"
        f"<rect width='{_SIDE}' height='{_SIDE}' fill='none' stroke='currentColor' stroke-opacity='.3'/>"
        f"<polyline points='{points}' fill='none' stroke='#0072b2' stroke-width='2'/></svg>"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def view(head: str, heads: Sequence[str], cells: Sequence[Sequence[str]], foot: Sequence[str], picture: str) -> str:
    """The view of a result: a sentence, a table, sentences below it, and a picture."""
    above, below = ("".join(f"<div>{escape(line)}</div>" for line in lines) for lines in (head.splitlines(), foot))
    return (
        f"<div>{above}<div style='display:flex;gap:1.5em;align-items:flex-start'>"
        f"<div style='overflow-x:auto'>{_table(heads, cells)}</div>{picture}</div>{below}</div>"
    )


def sparkline(across: FloatArray, height: FloatArray, *band: FloatArray) -> str:
    """A small line chart without axes, with a band if both its ends are given, and the range of the values."""
    known = np.isfinite([across, height, *band]).all(axis=0)
    if known.sum() < 2:
        return ""
    x = _scaled(_places(across[known]), _WIDE)
    lines = [line[known] for line in (height, *band)]
    bottom, top = min(line.min() for line in lines), max(line.max() for line in lines)
    line, *ends = (_HIGH - _scaled(line, _HIGH, bottom, top) for line in lines)
    around = _points(np.append(x, x[::-1]), np.append(ends[0], ends[1][::-1])) if ends else ""
    words = f"from {bottom:.4g} to {top:.4g}"
    return (
        f"<figure style='margin:0'><svg width='{_WIDE + 4}' height='{_HIGH + 4}' "
        f"viewBox='-2 -2 {_WIDE + 4} {_HIGH + 4}' role='img' aria-label='{words}'>"
        f"<polygon points='{around}' fill='#0072b2' fill-opacity='.2'/>"
        f"<polyline points='{_points(x, line)}' fill='none' stroke='#0072b2' stroke-width='1.5'/></svg>"
        f"<figcaption style='font-size:80%;opacity:.7'>{words}</figcaption></figure>"
    )


def _places(across: FloatArray) -> FloatArray:
    """Horizontal coordinates: logarithms if values span more than two powers of ten, as prevalences do."""
    return np.log(across) if across.min() > 0 and across.max() > 100 * across.min() else across


def _scaled(values: FloatArray, size: float, low: float | None = None, high: float | None = None) -> FloatArray:
    bottom, top = (values.min(), values.max()) if low is None or high is None else (low, high)
    return size * (values - bottom) / (top - bottom) if top > bottom else np.full(len(values), size / 2)


def _points(across: FloatArray, down: FloatArray) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))


def _table(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """A table; of a long one, the first and last rows; a single wide row becomes a list."""
    if len(cells) == 1 and len(heads) > _MOST_COLUMNS:
        heads, cells = (), list(zip(heads, cells[0], strict=True))
    half = _SHOWN_ROWS // 2
    skipped = len(cells) - _SHOWN_ROWS if len(cells) > _MOST_ROWS else 0
    rows = [*cells[:half], *cells[-half:]] if skipped else [*cells]
    with_heads = [heads or [""] * len(rows[0]), *rows] if rows else []
    columns = [_column(column) for column in zip(*with_heads, strict=True) if any(column)]
    lines = ["".join(line) for line in zip(*columns, strict=True)]
    if skipped:
        lines.insert(half + 1, f"<td colspan='{len(columns)}' style='text-align:center'>… {skipped:,} more rows …</td>")
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines[0 if any(heads) else 1 :])}</table>"


# A number, which may have an interval or a note behind it; an interval alone; or no number.
_NUMBER = re.compile(r"[-+]?((1 in )?[\d.,]+( %|e[-+]?\d+)?|nan|inf)( [\[(p].*)?|\[.*\]|-?")


def _column(texts: Sequence[str]) -> list[str]:
    """The cells of a column, head first: numbers right-aligned, text left-aligned, short text without line breaks."""
    side = "right" if all(_NUMBER.fullmatch(text) for text in texts[1:]) else "left"
    unbroken = ";white-space:nowrap" if max(map(len, texts)) <= _UNBROKEN else ""
    looks = f"style='text-align:{side}{unbroken}'"
    head, *rest = map(escape, texts)
    return [f"<th {looks}>{head}</th>", *(f"<td {looks}>{text}</td>" for text in rest)]
