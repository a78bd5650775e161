"""Changes of a metric over time, and their causes."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray
from baserate.curves.curve import Curve
from baserate.metrics.by_name import Chooser
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import GroupKey, check_curves, explain_changes
from baserate.plots import drawing, words
from baserate.plots.display import Display, Plotted
from baserate.plots.timeline import label_periods
from baserate.registry import METRICS
from baserate.results.base import columns_of
from baserate.results.changes import Alarms, ChangePart, Changes
from baserate.results.words import key_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_ROOM = 0.8  # of a period for its bars


@dataclass(eq=False, repr=False)
class ChangeDisplay(Display):
    """For each period the change of a metric, due to the prevalence and due to the model.

    Bars show the parts of each change, with intervals, a diamond the whole change, and triangles the periods with an
    alarm. Make one with `from_curves`, or with `from_changes` from the results of `explain_changes` and
    `model_alarms`, and draw it with `plot`.

    Attributes
    ----------
    metric, metric_label : str
        The name of the metric in code, with its parameters, and on an axis.
    changes : Changes
        The changes and their parts.
    alarm : array of bool
        Whether there is an alarm in each period.
    bars_ : dict of str to BarContainer
        The bars of each part, by name: "prior", "model" and, if thresholds have changed, "threshold".
    total_, alarms_, ax_, figure_
        The other things that `plot` has drawn; `alarms_` is None without alarms.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> from baserate import plots
    >>> year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    >>> months = br.curves_by(year, label="fraud", score="new_model", period=("day", "month"))
    >>> display = plots.ChangeDisplay.from_curves(months, metric=br.roc_auc, n_resamples=100, rng=0).plot()
    >>> [text.get_text() for text in display.ax_.get_xticklabels()][:2]
    ['2025-04', '2025-06']
    """

    metric: str
    metric_label: str
    changes: Changes
    alarm: BoolArray

    bars_: "dict[str, BarContainer]" = field(init=False)
    total_: "Line2D" = field(init=False)
    alarms_: "Line2D | None" = field(init=False)

    @classmethod
    @checks.declared
    def from_curves(
        cls,
        curves: Mapping[GroupKey, Curve],
        *,
        metric: MetricFunction,
        reference: int | Curve = 3,
        at: Chooser | float | None = None,
        prevalence: Hashable = "mean",
        false_alarm: float = 0.05,
        looks: int | None = None,
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of a series of periods, each compared with the reference.

        Parameters
        ----------
        curves, metric, reference, at, prevalence, false_alarm, looks
            As for `model_alarms`. The changes are against the reference, too.
        confidence_level, n_resamples, rng
            For the intervals, as for `explain_changes`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> good = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> bad = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[40, 400, 1360])
        >>> display = plots.ChangeDisplay.from_curves(
        ...     {"May": good, "June": bad}, metric=br.average_precision, reference=1, rng=0
        ... )
        >>> [row["alarm"] for row in display.rows()]
        [True]
        """
        named = check_curves(curves)
        generator = checks.generator(rng)
        asked: dict[str, Any] = {"at": at, "n_resamples": n_resamples, "rng": generator}
        alarms = model_alarms(
            metric, named, reference=reference, prevalence=prevalence, false_alarm=false_alarm, looks=looks, **asked
        )
        before = reference
        if not isinstance(before, Curve):
            before = Curve.pool([curve for key, curve in named.items() if key not in alarms.keys])
        later = {key: named[key] for key in alarms.keys}
        changes = explain_changes(metric, later, against=before, confidence_level=confidence_level, **asked)
        made = cls.from_changes(changes, alarms)
        made.metric_label = words.metric_label(metric)
        return made

    @classmethod
    @checks.declared
    def from_changes(cls, changes: Changes, alarms: Alarms | None = None) -> Self:
        """The Display of the results of `explain_changes`, with those of `model_alarms` if given.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> may = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> june = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 15, 5], neg=[40, 400, 1360])
        >>> changes = br.monitoring.explain_changes(br.average_precision, {"May": may, "June": june}, rng=0)
        >>> [round(row["prior"], 3) for row in plots.ChangeDisplay.from_changes(changes).rows()]
        [-0.259]
        """
        raised = set() if alarms is None else {k for k, on in zip(alarms.keys, alarms.alarm, strict=True) if on}
        label = METRICS[changes.metric].label if changes.metric in METRICS else changes.metric
        return cls(changes.metric, label, changes, np.array([key in raised for key in changes.keys], bool))

    def _plotted(self) -> Plotted:
        """One row for each period: the change, its parts with their intervals, and whether there is an alarm."""
        return {**columns_of(self.changes.rows()), "alarm": self.alarm.tolist()}

    def __repr__(self) -> str:
        return f"ChangeDisplay({self.metric}, {len(self.alarm)} periods, {int(self.alarm.sum())} alarms)"

    def plot(self, ax: "Axes | None" = None, *, legend: drawing.Legend = "above", **bar_kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes; by default a new figure.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **bar_kwargs
            For the bars, as for ``Axes.bar``.
        """
        made = ax is None
        ax = drawing.axes_or_new(ax, height=2.6)
        rows = self.changes.changes
        places = np.arange(len(rows))
        names = ["prior", "model", *["threshold"] * any(row.threshold_counts for row in rows)]
        width = _ROOM / len(names)
        ax.axhline(0, color=drawing.GREY, linewidth=0.8, zorder=drawing.GUIDE)
        self.bars_ = {}
        for number, name in enumerate(names):
            parts: list[ChangePart] = [getattr(row, name) for row in rows]
            middle = places + (number - (len(names) - 1) / 2) * width
            self.bars_[name] = _bars(ax, middle, parts, 0.9 * width, _LOOKS[name] | bar_kwargs)
        (self.total_,) = ax.plot(
            places, [row.total.value for row in rows], "D", color="black", markersize=3.5, zorder=drawing.MARK,
            label="change",
        )  # fmt: skip
        ax.margins(y=0.12)  # room for alarms below the bars
        self.alarms_ = self._mark_alarms(ax)
        label_periods(ax, [key_text(key) for key in self.changes.keys])
        ax.set_ylabel(f"Change of\n{self.metric_label}")
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self

    def _mark_alarms(self, ax: "Axes") -> "Line2D | None":
        """A triangle below each period with an alarm."""
        there = np.flatnonzero(self.alarm)
        if not len(there):
            return None
        (marks,) = ax.plot(
            there, [0.035] * len(there), "^", color=drawing.LOOKS[1].colour, markersize=5, zorder=drawing.MARK,
            transform=ax.get_xaxis_transform(), label="alarm: the model has changed",
        )  # fmt: skip
        return marks


_LOOKS: dict[str, dict[str, Any]] = {
    "prior": {"color": drawing.PALE, "edgecolor": drawing.GREY, "label": "due to the prevalence"},
    "model": {"color": drawing.LOOKS[0].colour, "edgecolor": drawing.LOOKS[0].colour, "label": "due to the model"},
    "threshold": {"color": "white", "edgecolor": drawing.GREY, "hatch": "////", "label": "due to the threshold"},
}


def _bars(ax: "Axes", places: Any, parts: list[ChangePart], width: float, looks: dict[str, Any]) -> "BarContainer":
    """A bar for each part with its interval as a whisker; no bar for an undefined part."""
    reach = np.array([(part.value - part.low, part.high - part.value) for part in parts], np.float64).T
    whisker = {"elinewidth": 0.8, "ecolor": "black", "capsize": 1.2}
    own: dict[str, Any] = {"width": width, "linewidth": 0.6, "zorder": drawing.BAND, "error_kw": whisker}
    own["yerr"] = np.maximum(reach, 0.0).reshape(2, -1).tolist()  # Matplotlib 3.9 fails on an array of one bar
    return ax.bar(places, [part.value for part in parts], **(own | looks))
