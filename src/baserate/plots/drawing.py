"""Drawing with matplotlib, in styles that work in print: in grey, at column width, without global settings.

matplotlib is imported only when something is drawn. Figures are made without pyplot, so they are not in its global
list; sizes are set on the artists, never in ``rcParams``.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray
from baserate.errors import BaserateError, InputError, shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Legend = Literal["above", "inside", "none"]

COLUMN = 3.5  # inches: the width of a journal column
SQUARE = 3.35  # the height at which axes are about square
LABEL_SIZE, TEXT_SIZE = 9, 8
_LINE = 0.17  # inches per line of a legend
GREY, PALE = "#595959", "#d9d9d9"

# The drawing order, from below.
REGION, GUIDE, BAND, CURVE, MARK = 0.5, 1.0, 2.0, 3.0, 4.0

# Our artists are marked, so that a second curve in the same axes gets another style and shares common elements.
_MINE = "baserate "


class Style(NamedTuple):
    """The style of one of several curves; dashes and markers differ, so that it works in grey."""

    colour: str
    dashes: Any
    marker: str


# The colours of Okabe and Ito but for yellow, which is too pale for a line.
LOOKS = (
    Style("#0072B2", "-", "o"),
    Style("#D55E00", (0, (5, 1.6)), "s"),
    Style("#009E73", (0, (5, 1.5, 1, 1.5)), "^"),
    Style("#CC79A7", (0, (1.5, 1)), "D"),
    Style("#E69F00", (0, (9, 2)), "v"),
    Style("#56B4E9", (0, (4, 1, 1, 1, 1, 1)), "P"),
    Style("#000000", (0, (2.5, 2.5)), "X"),
)


def look(number: int) -> Style:
    """The style of the first, second, … curve."""
    return LOOKS[number % len(LOOKS)]


def new_figure(width: float, height: float) -> "Figure":
    """A figure that is not registered with pyplot."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BaserateError("plots need matplotlib, which is not installed; pip install matplotlib.") from None
    made = Figure(figsize=(width, height), dpi=200, layout="constrained")
    mark(made, f"figure {height}")
    return made


def axes_or_new(ax: object, *, width: float = COLUMN, height: float = SQUARE) -> "Axes":
    """The caller's axes, unchanged, or axes in a new figure."""
    if ax is not None:
        return checked_axes(ax)
    made = new_figure(width, height).add_subplot()
    dress(made)
    return made


def check_switches(**switches: object) -> None:
    """Refuse what is neither True nor False."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise InputError(f"{name} must be True or False, got {shown(value)}; pass one of them.")


def checked_axes(ax: Any) -> "Axes":
    """Axes, or an error."""
    if not hasattr(ax, "add_line") or not hasattr(ax, "figure"):
        raise InputError(f"ax must be matplotlib Axes, got {type(ax).__name__}; leave it out for a new figure.")
    axes: Axes = ax
    return axes


def dress(ax: "Axes") -> None:
    """Set the font sizes and the frame of our own axes."""
    ax.tick_params(labelsize=TEXT_SIZE, which="both")
    ax.xaxis.label.set_fontsize(LABEL_SIZE)
    ax.yaxis.label.set_fontsize(LABEL_SIZE)
    ax.spines[["top", "right"]].set_visible(False)


# --- artists drawn before -------------------------------------------------------------------------


def mark(artist: "Artist", what: str) -> None:
    """Mark an artist with what it represents."""
    artist.set_gid(_MINE + what)


def marked(ax: "Axes", what: str) -> list["Artist"]:
    """The artists in the axes that represent something, drawn before."""
    return [artist for artist in ax.get_children() if artist.get_gid() == _MINE + what]


def rings(ax: "Axes", x: ArrayLike, y: ArrayLike, label: str) -> "Line2D":
    """Draw rings around points that matter."""
    (drawn,) = ax.plot(
        x,
        y,
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor="black",
        markeredgewidth=1,
        linestyle="none",
        zorder=MARK,
        label=label,
    )
    return drawn


def line_looks(ax: "Axes", given: Mapping[str, Any]) -> dict[str, Any]:
    """The style of the next curve in these axes, unless the caller sets it."""
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
    """The style of values at the common prevalence (filled), and at the own prevalence (hollow and grey)."""
    if read_at == "common":
        looks = {"color": LOOKS[0].colour, "fmt": "o", "linestyle": "-", "zorder": CURVE}
    else:
        looks = {"color": GREY, "fmt": "s", "linestyle": ":", "zorder": BAND, "markerfacecolor": "white"}
    return looks | {"markersize": 4.5, "elinewidth": 1.1, "linewidth": 1, "capsize": 2}


def limits(
    bounds: tuple[float, float], values: FloatArray, *, below: bool = False
) -> tuple[float | None, float | None]:
    """The limits of an axis: the range of the metric, but from 0 if no value is negative; None to fit the data.

    There is a small margin above, and `below` as well, so that markers at the end are not clipped.
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
    """Add a legend above the axes, or inside where there is most room.

    Curves come first, then other artists by drawing order; equal labels are listed once, unless they are curves.
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
    """The sort key in the legend: 0 for curves and error bars, then by drawing order."""
    if not hasattr(handle, "get_gid") or handle.get_gid() == _MINE + "curve":
        return 0.0
    return 1 / float(handle.get_zorder())


def _make_room(ax: "Axes", labels: list[str]) -> None:
    """Enlarge our own figure by the height of the legend, so that the axes keep their size."""
    figure: Any = ax.figure
    kind, _, height = (figure.get_gid() or "").rpartition(" ")
    if kind == _MINE + "figure":
        lines = sum(label.count("\n") + 1 for label in labels)
        figure.set_size_inches(figure.get_figwidth(), float(height) + _LINE * lines)
