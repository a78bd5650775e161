"""How the pictures of the experiments look: one palette, quiet axes, lines that are labelled where they are."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
SKY, AMBER, GREY, INK = "#56b4e9", "#e69f00", "#8a8a8a", "#333333"
PALETTE = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY)


def panels(columns: int = 1, rows: int = 1, *, width: float = 4.6, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, row by row; `width` and `height` are those of one panel, in inches."""
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1, wspace=0.04, hspace=0.06)
    figure = Figure(figsize=(columns * width, rows * height), layout=layout)
    grid = figure.subplots(rows, columns, squeeze=False)
    found: list[Axes] = list(np.ravel(grid))
    for axes in found:
        quiet(axes)
    return figure, found


def quiet(axes: Axes) -> None:
    """No frame, a faint grid below, small grey ticks."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#bbbbbb")
    axes.grid(color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors="#555555", labelsize=9, length=3)


def describe(axes: Axes, title: str, x: str = "", y: str = "") -> None:
    """A title at the left, and what the axes show."""
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold", color=INK)
    axes.set_xlabel(x, fontsize=9.5, color="#444444")
    axes.set_ylabel(y, fontsize=9.5, color="#444444")


Side = Literal["right", "left", "above"]
_PLACES = {"right": (5, 0, "left"), "left": (-5, 0, "right"), "above": (0, 9, "center")}


def label(axes: Axes, x: float, y: float, words: str, colour: str, *, side: Side = "right", rise: float = 0) -> None:
    """Words beside a point of a line; `rise` moves them up by so many points."""
    across, up, alignment = _PLACES[side]
    axes.annotate(
        words, (x, y), xytext=(across, up + rise), textcoords="offset points", color=colour, fontsize=9, ha=alignment,
        va="center",
    )  # fmt: skip


def legend(axes: Axes, where: str = "best", **options: object) -> None:
    """A legend without a frame, for lines that are too close to be labelled one by one."""
    axes.legend(loc=where, frameon=False, fontsize=9, labelcolor=INK, **options)  # type: ignore[call-overload]


def one_in(prevalence: float) -> str:
    """A prevalence as people say it: 0.001 is 1 in 1,000."""
    return f"1 in {round(1 / prevalence):,}"


def prevalence_axis(axes: Axes, ticks: Sequence[float] = (0.001, 0.01, 0.1, 0.5), *, name: str = "prevalence") -> None:
    """A horizontal axis of prevalences on a log scale, marked at the given ones."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: one_in(value)))
    axes.set_xlabel(name, fontsize=9.5, color="#444444")


def unit_square(axes: Axes) -> None:
    """Both axes from 0 to 1, with a little room so that lines on the edge are seen whole."""
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)


def say(axes: Axes, words: str, x: float, y: float, colour: str = INK) -> None:
    """Words that start at a place in the units of the axes."""
    axes.text(x, y, words, fontsize=9, color=colour, va="center", linespacing=1.3)
