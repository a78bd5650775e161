"""A metric over time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate.errors import InputError
from baserate.plots import drawing
from baserate.plots.cells import READ_AT, GroupsDisplay, whiskers
from baserate.results.words import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

_APART = 0.09  # periods between the two readings of a period
_MOST_TICKS = 7  # labels of periods that fit into a column width
_WIDE = 10  # prevalences with a larger ratio get a logarithmic axis


@dataclass(eq=False, repr=False)
class TimelineDisplay(GroupsDisplay):
    """A metric for each period, at its own prevalence and at a common one, above the prevalences themselves.

    A change that shows at the own prevalence but not at the common one is due to the prevalence, not to the model. Make
    one with `from_curves`, from curves in time order such as `curves_by` returns them, and draw it with `plot`.

    Attributes
    ----------
    metric, metric_label : str
        The name of the metric in code, with its parameters, and on an axis.
    cells : list of Cell
        Value, interval, prevalence, class sizes and reason, for each period at the common and at its own prevalence.
    common_prevalence : float
        The common prevalence of all periods.
    own_prevalences : dict of str to float
        Prevalence of each period.
    confidence_level : float or None
        The level of the intervals; None without them.
    bounds : (float, float)
        The range of the metric.
    common_, own_, gaps_, prevalence_, ax_, prevalence_ax_, figure_
        What `plot` has drawn; `gaps_` marks periods with undefined values.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> table = pl.DataFrame({"y": data["fraud"], "p": data["new_model"], "month": ["2026-04", "2026-05"] * 6_000})
    >>> curves = br.curves_by(table, "month", label="y", score="p")
    >>> display = plots.TimelineDisplay.from_curves(curves, metric=br.roc_auc, rng=0).plot()
    >>> [text.get_text() for text in display.prevalence_ax_.get_xticklabels()]
    ['2026-04', '2026-05']
    """

    common_: "ErrorbarContainer" = field(init=False)
    own_: "ErrorbarContainer" = field(init=False)
    gaps_: "Line2D | None" = field(init=False)
    prevalence_: "Line2D | None" = field(init=False)
    prevalence_ax_: "Axes | None" = field(init=False)

    _group = "period"

    def plot(
        self,
        ax: "Axes | Sequence[Axes] | None" = None,
        *,
        legend: drawing.Legend = "above",
        **marker_kwargs: Any,
    ) -> Self:
        """Draw it: dots and whiskers over time, and the own prevalences below.

        Parameters
        ----------
        ax : Axes or two of them, optional
            The axes of the metric and, if there are two, of the prevalences; by default a new figure.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **marker_kwargs
            For dots and whiskers, as for ``Axes.errorbar``.
        """
        upper, lower = _two_axes(ax)
        places = np.arange(len(self.groups))
        for read_at, offset in zip(READ_AT, (-_APART, _APART), strict=True):
            cells = self._read(read_at)
            looks = drawing.reading_looks(read_at) | {"label": self._label(read_at)}
            reach = whiskers(cells) if self.confidence_level else None
            values = [cell.value for cell in cells]
            setattr(self, f"{read_at}_", upper.errorbar(places + offset, values, yerr=reach, **(looks | marker_kwargs)))
        self.gaps_ = self._mark_gaps(upper)
        upper.set_ylim(*drawing.limits(self.bounds, self._heights()))
        upper.set_ylabel(self.metric_label)
        self.prevalence_ = None if lower is None else self._draw_prevalences(lower)
        lowest = upper if lower is None else lower
        label_periods(lowest, self.groups)
        if lower is not None:
            upper.tick_params(axis="x", labelbottom=False)
        drawing.legend(upper, legend)
        self.prevalence_ax_ = lower
        self._drawn_on(upper, made=ax is None)
        return self

    def _label(self, read_at: Any) -> str:
        level = f", {percent(self.confidence_level)} intervals" if self.confidence_level else ""
        return super()._label(read_at) + level

    def _mark_gaps(self, ax: "Axes") -> "Line2D | None":
        """A cross below each period with an undefined value; the table says why."""
        undefined = {cell.group for cell in self.cells if np.isnan(cell.value)}
        missing = [number for number, name in enumerate(self.groups) if name in undefined]
        if not missing:
            return None
        (marks,) = ax.plot(
            missing,
            [0.03] * len(missing),
            marker="x",
            markersize=4,
            color=drawing.GREY,
            linestyle="none",
            transform=ax.get_xaxis_transform(),
            label="undefined",
        )
        return marks

    def _draw_prevalences(self, ax: "Axes") -> "Line2D":
        prevalences = np.array(list(self.own_prevalences.values()))
        (line,) = ax.plot(prevalences, color=drawing.GREY, marker="o", markersize=2.5, linewidth=1)
        positive = prevalences[prevalences > 0]
        if len(positive) and positive.max() > _WIDE * positive.min():
            ax.set_yscale("log", nonpositive="mask")
        else:
            ax.set_ylim(bottom=0)
        ax.set_ylabel("Own\nprevalence")
        return line


def _two_axes(ax: Any) -> "tuple[Axes, Axes | None]":
    if ax is None:
        figure = drawing.new_figure(drawing.COLUMN, 3.0)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        drawing.dress(upper)
        drawing.dress(lower)
        figure.align_ylabels([upper, lower])
        return upper, lower
    given = list(np.ravel(ax))
    if len(given) not in (1, 2):
        raise InputError(f"ax must be Axes or a pair of them, got {len(given)}; leave it out for a new figure.")
    checked = [drawing.checked_axes(one) for one in given]
    return checked[0], checked[1] if len(checked) == 2 else None


def label_periods(ax: "Axes", names: list[str]) -> None:
    """Label as many periods as fit, evenly spaced, with short ticks for the others."""
    every = -(-len(names) // _MOST_TICKS)
    ax.set_xticks(range(0, len(names), every), names[::every])
    ax.set_xticks(range(len(names)), minor=True)
    ax.set_xlim(-0.5, len(names) - 0.5)
    if max(map(len, names[::every])) * len(names[::every]) > 45:
        ax.tick_params(axis="x", labelrotation=30)
        for text in ax.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
