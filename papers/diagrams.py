"""Reliability diagrams as the lecture draws them: points, and the gap of each to the diagonal."""

import drawing
from matplotlib.axes import Axes

import baserate as br


def reliability_diagram(axes: Axes, found: br.results.Reliability, title: str, colour: str = drawing.BLUE) -> None:
    """Mean score against event rate of each bin, with the gap between the two as a bar."""
    axes.plot([0, 1], [0, 1], color=drawing.GREY, linewidth=1, linestyle=":", zorder=1)
    axes.vlines(found.mean_score, found.event_rate, found.mean_score, color=drawing.ORANGE, linewidth=5, alpha=0.45)
    axes.plot(found.mean_score, found.event_rate, "o-", color=colour, markersize=6, linewidth=1.4, zorder=3)
    drawing.unit_square(axes)
    drawing.describe(axes, title, "mean score", "event rate")
