"""The door to matplotlib, and looks that work in print: in grey, at column width, without touching global settings.

matplotlib is imported when something is drawn and not before. Figures are made without pyplot, so that nothing
global knows of them; sizes are set on what is drawn, never in ``rcParams``.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from baserate import checks
from baserate.arrays import FloatArray
from baserate.errors import BaserateError, InputError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Legend = Literal["above", "inside", "none"]

COLUMN = 3.5  # inches: the width of one column of a journal
SQUARE = 3.35  # the height that leaves about as much for the axes upwards as sideways
LABEL_SIZE, TEXT_SIZE = 9, 8
_LINE = 0.17  # inches: a line of a legend
GREY, PALE = "#595959", "#d9d9d9"

# What lies above what.
REGION, GUIDE, BAND, CURVE, MARK = 0.5, 1.0, 2.0, 3.0, 4.0

# Artists are marked as ours, so that a second curve in the same axes looks different and shares what can be shared.
_MINE = "baserate "


class Look(NamedTuple):
    """How one of several things looks; in grey, dashes and markers still tell them apart."""

    colour: str
    dashes: Any
    marker: str


# The colours of Okabe and Ito but for yellow, which is too pale for a line.
LOOKS = (
    Look("#0072B2", "-", "o"),
    Look("#D55E00", (0, (5, 1.6)), "s"),
    Look("#009E73", (0, (5, 1.5, 1, 1.5)), "^"),
    Look("#CC79A7", (0, (1.5, 1)), "D"),
    Look("#E69F00", (0, (9, 2)), "v"),
    Look("#56B4E9", (0, (4, 1, 1, 1, 1, 1)), "P"),
    Look("#000000", (0, (2.5, 2.5)), "X"),
)


def look(number: int) -> Look:
    """The look of the first, second, … thing."""
    return LOOKS[number % len(LOOKS)]


def new_figure(width: float, height: float) -> "Figure":
    """A figure that pyplot does not know."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BaserateError("pictures need matplotlib, which is not installed; pip install matplotlib.") from None
    made = Figure(figsize=(width, height), dpi=200, layout="constrained")
    mark(made, f"figure {height}")
    return made


def axes_or_new(ax: object, *, width: float = COLUMN, height: float = SQUARE) -> "Axes":
    """The caller's axes, whose sizes stay as they are, or new ones alone in a figure."""
    if ax is not None:
        return checked_axes(ax)
    made = new_figure(width, height).add_subplot()
    dress(made)
    return made


def checked_axes(ax: Any) -> "Axes":
    """Axes, or a sentence."""
    if not hasattr(ax, "add_line") or not hasattr(ax, "figure"):
        raise InputError(f"ax must be matplotlib Axes, got {type(ax).__name__}; leave it out for a new figure.")
    axes: Axes = ax
    return axes


def dress(ax: "Axes") -> None:
    """Sizes and frame of axes that we have made ourselves."""
    ax.tick_params(labelsize=TEXT_SIZE, which="both")
    ax.xaxis.label.set_fontsize(LABEL_SIZE)
    ax.yaxis.label.set_fontsize(LABEL_SIZE)
    ax.spines[["top", "right"]].set_visible(False)


# --- what is there already ------------------------------------------------------------------------


def mark(artist: "Artist", what: str) -> None:
    """Remember what an artist stands for."""
    artist.set_gid(_MINE + what)


def marked(ax: "Axes", what: str) -> list["Artist"]:
    """What stands for this in the axes already."""
    return [artist for artist in ax.get_children() if artist.get_gid() == _MINE + what]


def line_looks(ax: "Axes", given: Mapping[str, Any]) -> dict[str, Any]:
    """Looks of the next curve in these axes, unless the caller says otherwise."""
    following = look(len(marked(ax, "curve")))
    own: dict[str, Any] = {"linewidth": 1.6, "zorder": CURVE}
    if not {"color", "c"} & given.keys():
        own["color"] = following.colour
    if not {"linestyle", "ls"} & given.keys():
        own["linestyle"] = following.dashes
    if "lw" in given:
        del own["linewidth"]
    return own | dict(given)


def reading_looks(read_at: Literal["common", "own"]) -> dict[str, Any]:
    """Looks of what is read at one prevalence for all, full, and at its own, hollow and grey."""
    if read_at == "common":
        looks = {"color": LOOKS[0].colour, "fmt": "o", "linestyle": "-", "zorder": CURVE}
    else:
        looks = {"color": GREY, "fmt": "s", "linestyle": ":", "zorder": BAND, "markerfacecolor": "white"}
    return looks | {"markersize": 4.5, "elinewidth": 1.1, "linewidth": 1, "capsize": 2}


def limits(
    bounds: tuple[float, float], values: FloatArray, *, below: bool = False
) -> tuple[float | None, float | None]:
    """The ends of an axis: the range of the metric, but from 0 where nothing is negative; None to fit the data.

    A little room is left above, and `below` too where dots at the end would be cut in half.
    """
    lowest, highest = bounds
    if not math.isfinite(lowest):
        return None, None
    lowest = lowest if (values < 0).any() else max(lowest, 0.0)
    if not math.isfinite(highest):
        return lowest, None
    room = 0.02 * (highest - lowest)
    return lowest - room * below, highest + room


# --- legends --------------------------------------------------------------------------------------


def legend(ax: "Axes", where: Legend) -> None:
    """A legend above the axes, where it covers no data, or inside where there is most room.

    Curves come first, then what lies on top of others; what is called the same is listed once, unless it is a curve.
    """
    checks.one_of(where, ("above", "inside", "none"), "legend")
    if where == "none":
        return
    listed: dict[tuple[str, int], Any] = {}
    for number, (handle, label) in enumerate(zip(*ax.get_legend_handles_labels(), strict=True)):
        listed.setdefault((label, number if _place_in_legend(handle) == 0 else -1), handle)
    handles = sorted(listed.values(), key=_place_in_legend)
    places: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.02), "borderaxespad": 0.0}
    shown = ax.legend(
        handles=handles,
        **(places if where == "above" else {"loc": "best"}),
        frameon=False,
        fontsize=TEXT_SIZE,
        handlelength=2.4,
        labelspacing=0.35,
        borderpad=0.1,
    )
    if where == "above":
        _make_room(ax, [text.get_text() for text in shown.get_texts()])


def _place_in_legend(handle: Any) -> float:
    """0 for curves, and for dots with whiskers, which are no single artist; after them by how high a thing lies."""
    if not hasattr(handle, "get_gid") or handle.get_gid() == _MINE + "curve":
        return 0.0
    return 1 / float(handle.get_zorder())


def _make_room(ax: "Axes", labels: list[str]) -> None:
    """Let a figure of ours grow by the height of the legend, so that the axes keep their size."""
    figure: Any = ax.figure
    kind, _, height = (figure.get_gid() or "").rpartition(" ")
    if kind == _MINE + "figure":
        lines = sum(label.count("\n") + 1 for label in labels)
        figure.set_size_inches(figure.get_figwidth(), float(height) + _LINE * lines)
