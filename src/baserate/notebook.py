"""How a curve looks in a notebook: its facts and two small pictures, as one piece of HTML."""

from collections.abc import Sequence
from html import escape

import numpy as np

from baserate.arrays import FloatArray

_SIDE = 120
_MOST_POINTS = 240


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
