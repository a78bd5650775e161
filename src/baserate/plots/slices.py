"""A metric by slice."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate.plots import drawing
from baserate.plots.cells import READ_AT, GroupsDisplay, whiskers
from baserate.results.words import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.text import Text

_ROW = 0.36  # inches for each slice
_APART = 0.14  # rows between the two readings of a slice


@dataclass(eq=False, repr=False)
class SlicesDisplay(GroupsDisplay):
    """A metric for each slice of the data, at its own prevalence and at a common one.

    Slices differ in prevalence, and then metrics such as average precision differ although the model is equally good;
    at a common prevalence they can be compared. Make one with `from_curves` and draw it with `plot`.

    Attributes
    ----------
    metric, metric_label : str
        The name of the metric in code, with its parameters, and on an axis.
    cells : list of Cell
        Value, interval, prevalence, class sizes and reason, for each slice at the common and at its own prevalence.
    common_prevalence : float
        The common prevalence of all slices.
    own_prevalences : dict of str to float
        Prevalence of each slice.
    confidence_level : float or None
        The level of the intervals; None without them.
    bounds : (float, float)
        The range of the metric.
    common_, own_, gaps_, ax_, figure_
        What `plot` has drawn; `gaps_` are the texts in place of undefined values.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> table = pl.DataFrame({"y": data["fraud"], "p": data["new_model"], "shop": ["web", "store"] * 6_000})
    >>> curves = br.curves_by(table, "shop", label="y", score="p")
    >>> display = plots.SlicesDisplay.from_curves(curves, metric=br.roc_auc, rng=0).plot()
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['store', 'web']
    """

    common_: "ErrorbarContainer" = field(init=False)
    own_: "ErrorbarContainer" = field(init=False)
    gaps_: "list[Text]" = field(init=False)

    _group = "slice"

    def plot(self, ax: "Axes | None" = None, *, legend: drawing.Legend = "above", **marker_kwargs: Any) -> Self:
        """Draw it: a dot and a whisker for each slice and prevalence.

        Parameters
        ----------
        ax : Axes, optional
            The axes; by default a new figure of suitable height.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **marker_kwargs
            For dots and whiskers, as for ``Axes.errorbar``.
        """
        made = ax is None
        rows = np.arange(len(self.groups))
        ax = drawing.axes_or_new(ax, height=0.65 + _ROW * max(len(rows), 2))
        for read_at, offset in zip(READ_AT, (-_APART, _APART), strict=True):
            cells = self._read(read_at)
            looks = drawing.reading_looks(read_at) | {"label": self._label(read_at), "linestyle": "none"}
            reach = whiskers(cells) if self.confidence_level else None
            values = [cell.value for cell in cells]
            drawn = ax.errorbar(values, rows + offset, xerr=reach, **(looks | marker_kwargs))
            setattr(self, f"{read_at}_", drawn)
        ax.set_yticks(rows, self.groups)
        ax.set_ylim(len(rows) - 0.5, -0.5)  # the first slice on top
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(*drawing.limits(self.bounds, self._heights(), below=True))
        self.gaps_ = self._name_gaps(ax)
        level = f" ({percent(self.confidence_level)} intervals)" if self.confidence_level else ""
        ax.set_xlabel(f"{self.metric_label}{level}")
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self

    def _name_gaps(self, ax: "Axes") -> "list[Text]":
        """Write in place of a missing dot why it is undefined; once for a slice without any value."""
        texts = []
        for row, name in enumerate(self.groups):
            missing = [cell for cell in self.cells if cell.group == name and np.isnan(cell.value)]
            reasons = dict.fromkeys(cell.reason for cell in missing)
            for number, (reason, cell) in enumerate(zip(reasons, missing, strict=False)):
                words_for_it = reason.sentence if reason else "undefined"
                where = "" if len(missing) == len(READ_AT) and len(reasons) == 1 else f"{self._label(cell.read_at)}: "
                offset = 0.0 if not where else (-_APART, _APART)[number]
                texts.append(_gap(ax, row + offset, f"undefined: {where}{words_for_it}"))
        return texts


def _gap(ax: "Axes", height: float, words_for_it: str) -> "Text":
    return ax.text(
        0.02,
        height,
        words_for_it,
        transform=ax.get_yaxis_transform(),
        va="center",
        fontsize=drawing.TEXT_SIZE - 1,
        color=drawing.GREY,
        style="italic",
    )
