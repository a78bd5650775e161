"""The reliability diagram: event rate over score."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import BoolArray, FloatArray
from baserate.calibration.decomposition import decompose
from baserate.calibration.isotonic_band import isotonic_reliability
from baserate.calibration.reliability import reliability
from baserate.curves.bins import BinsLike, place_of
from baserate.curves.curve import Curve
from baserate.metrics.probabilities import brier_score
from baserate.plots import drawing, words
from baserate.plots.display import CurveDisplay, Plotted
from baserate.results import IsotonicReliability, Reliability
from baserate.results.base import columns_of
from baserate.results.reliability import AGREES
from baserate.results.words import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import StepPatch

AxisScale = Literal["linear", "log-odds"]

_AXIS_SCALES: dict[AxisScale, str] = {"linear": "linear", "log-odds": "logit"}  # matplotlib's names
_BARS = 20  # of a histogram
_NEAREST = 1e-9  # the ends of a log-odds scale, from 0 and 1
_HEIGHTS = (3.5, 1.0)  # heights of diagram and histogram, relatively
_HISTOGRAM = 0.7  # inches added by a histogram
_MOST_TICKS = 6
_ROOM = 0.3  # margin in log-odds
_SHOWN = (
    "mean_score",
    "event_rate",
    "rate_low",
    "rate_high",
    "score",
    "rate",
)  # columns that must be inside the limits
_TICKS = (*(10.0**power for power in range(-9, 0)), 0.5, *(1 - 10.0**power for power in range(-1, -10, -1)))


class Histogram(NamedTuple):
    """The share of rows, at the prevalence of the reading, with scores between two edges."""

    edges: FloatArray
    share: FloatArray


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(CurveDisplay):
    """The reliability diagram at a prevalence, with the distribution of the scores below.

    Make one with `from_curve`, `from_predictions` or `from_estimator` and draw it with `plot`. Points on the diagonal
    are calibrated; below it scores are too high, above it too low. Scores are not adjusted: draw
    ``curve.shift_scores(prevalence)`` to see what adjusting them would do.

    Attributes
    ----------
    result : Reliability or IsotonicReliability
        The drawn result: event rates by bin with intervals, or isotonic rates with a band.
    measure_name, measure : str, float
        The measure in the legend: ECE for bins, or the miscalibration part of the Brier score.
    histograms : dict of scale to Histogram
        The distribution of the scores at the prevalence, in bars of equal width on each scale.
    own_prevalence : float or None
        The prevalence of the data.
    name : str or None
        The name in the legend.
    line_, band_, intervals_, off_, diagonal_, histogram_, histogram_ax_, ax_, figure_
        What `plot` has drawn; None for what was not requested or does not apply.

    References
    ----------
    Bröcker & Smith, Increasing the reliability of reliability diagrams, Weather and Forecasting 2007.
    doi:10.1175/WAF993.1.
    Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 2021.
    doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> display = plots.ReliabilityDisplay.from_curve(curve, name="new model").plot()
    >>> print(display.line_.get_label())
    new model: ECE 0.00956
    at prevalence 1 in 40
    >>> isotonic = plots.ReliabilityDisplay.from_curve(curve, kind="isotonic", rng=0).plot(scale="log-odds")
    >>> list(isotonic.frame("pandas"))
    ['prevalence', 'score', 'rate', 'low', 'high', 'n']
    """

    result: Reliability | IsotonicReliability
    measure_name: str
    measure: float
    histograms: dict[AxisScale, Histogram]
    own_prevalence: float | None = None
    name: str | None = None

    line_: "Line2D" = field(init=False)
    band_: "PolyCollection | None" = field(init=False)
    intervals_: "LineCollection | None" = field(init=False)
    off_: "Line2D | None" = field(init=False)
    diagonal_: "Line2D | None" = field(init=False)
    histogram_: "StepPatch | None" = field(init=False)
    histogram_ax_: "Axes | None" = field(init=False)

    @classmethod
    @checks.declared
    def from_curve(
        cls,
        curve: Curve,
        *,
        name: str | None = None,
        kind: Literal["bins", "isotonic"] = "bins",
        bins: BinsLike = 10,
        band: Literal["consistency", "confidence"] = "consistency",
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of a curve at its prevalence.

        Parameters
        ----------
        curve : Curve
            With scores between 0 and 1.
        name : str, optional
            The name in the legend.
        kind : {"bins", "isotonic"}
            Event rates by bin, from `reliability`, or isotonic rates, from `isotonic_reliability`.
        bins
            For "bins", as for `reliability`.
        band, n_resamples, rng
            For "isotonic", as for `isotonic_reliability`.
        confidence_level : float
            The level of the intervals, or of the band.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> display = plots.ReliabilityDisplay.from_curve(curve.at_prevalence(0.5))
        >>> display.result.event_rate.round(3), [row["judgement"] for row in display.rows()]
        (array([0.117, 0.574, 0.964]), ['agrees', 'agrees', 'too low'])
        """
        result: Reliability | IsotonicReliability
        if checks.one_of(kind, ("bins", "isotonic"), "kind") == "bins":
            result = reliability(curve, bins=bins, confidence_level=confidence_level)
            measure_name, measure = "ECE", result.ece
        else:
            drawn: dict[str, Any] = {"confidence_level": confidence_level, "n_resamples": n_resamples, "rng": rng}
            result = isotonic_reliability(curve, band=band, **drawn)
            measure_name, measure = "miscalibration", decompose(brier_score, curve).miscalibration
        return cls(
            result=result,
            measure_name=measure_name,
            measure=measure,
            own_prevalence=curve.own_prevalence,
            histograms=_histograms(curve),
            name=name,
        )

    def _plotted(self) -> Plotted:
        """The drawn numbers as a table: a row for each bin, or for each score."""
        return columns_of(self.result.rows())

    @property
    def label(self) -> str:
        """Name, measure and prevalence for the legend."""
        read_at = (self.result.prevalence, self.own_prevalence)
        return words.area_label(self.name, self.measure_name, self.measure, None, read_at)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        scale: AxisScale | None = None,
        histogram: "bool | Axes" = True,
        off: bool = True,
        diagonal: bool = True,
        legend: drawing.Legend = "above",
        **line_kwargs: Any,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes, which may have models already; by default a new figure.
        scale : {"linear", "log-odds"}, optional
            The scale of both axes; by default that of models drawn before, or else linear. Log-odds separate small
            probabilities.
        histogram : bool or Axes
            Whether to show the distribution of the scores below the diagram. It is left out in axes of your own,
            unless you pass other Axes for it.
        off : bool
            Whether to mark bins that are significantly miscalibrated.
        diagonal : bool
            Whether to show the diagonal of calibrated scores.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **line_kwargs
            For the line, as for ``Axes.plot``.
        """
        if scale is not None:
            checks.one_of(scale, ("linear", "log-odds"), "scale")
        drawing.check_switches(off=off, diagonal=diagonal)
        made = ax is None
        ax, below = _axes(ax, histogram)
        looks = drawing.line_looks(ax, line_kwargs)
        scale = _scale_of(ax) if scale is None else scale
        limits = self._limits(ax, scale)
        if scale != _scale_of(ax):
            ax.set_xscale(_AXIS_SCALES[scale])
            ax.set_yscale(_AXIS_SCALES[scale])
        self.band_ = self.intervals_ = self.off_ = None
        if isinstance(self.result, Reliability):
            self._draw_bins(ax, self.result, looks, off=off)
        else:
            self._draw_steps(ax, self.result, looks)
        drawing.mark(self.line_, "curve")
        self.diagonal_ = _diagonal(ax) if diagonal else None
        self.histogram_ax_, self.histogram_ = below, None if below is None else self._draw_histogram(below, scale)
        _set_axes(ax, below, limits, scale)
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self

    def _draw_bins(self, ax: "Axes", table: Reliability, looks: Mapping[str, Any], *, off: bool) -> None:
        marker = drawing.look(len(drawing.marked(ax, "curve"))).marker
        own: dict[str, Any] = {"label": self.label, "marker": marker, "markersize": 4.5}
        score, rate = (_finite(ax, part) for part in (table.mean_score, table.event_rate))
        (self.line_,) = ax.plot(score, rate, **(own | dict(looks)))
        self.intervals_ = ax.vlines(
            score,
            _finite(ax, table.rate_low),
            _finite(ax, table.rate_high),
            colors=self.line_.get_color(),
            linewidth=1.1,
            zorder=drawing.CURVE,
            label=f"{percent(table.confidence_level)} intervals",
        )
        known = table.judgement != AGREES
        if off and known.any():
            self.off_ = drawing.rings(ax, score[known], rate[known], "miscalibrated")

    def _draw_steps(self, ax: "Axes", steps: IsotonicReliability, looks: Mapping[str, Any]) -> None:
        score, rate, low, high = (_finite(ax, part) for part in (steps.score, steps.rate, steps.low, steps.high))
        corners = _corners(rate)
        own: dict[str, Any] = {"label": self.label, "drawstyle": "steps-post"}
        (self.line_,) = ax.plot(score[corners], rate[corners], **(own | dict(looks)))
        corners = _corners(low, high)
        self.band_ = ax.fill_between(
            score[corners],
            low[corners],
            high[corners],
            step="post",
            color=self.line_.get_color(),
            alpha=0.2,
            linewidth=0,
            zorder=drawing.BAND,
            label=f"{percent(steps.confidence_level)} {steps.band} band, pointwise",
        )

    def _draw_histogram(self, below: "Axes", scale: AxisScale) -> "StepPatch":
        edges, share = self.histograms[scale]
        looks: dict[str, Any] = {"color": self.line_.get_color(), "linestyle": self.line_.get_linestyle()}
        return below.stairs(share, edges, linewidth=1.2, **looks)

    def _limits(self, ax: "Axes", scale: AxisScale) -> tuple[float, float]:
        """The limits of both axes: 0 to 1, or the range of the data here and in models drawn before."""
        if scale == "linear":
            return -0.02, 1.02
        every = np.concatenate([getattr(self.result, name) for name in _SHOWN if hasattr(self.result, name)])
        inner = every[(every >= _NEAREST) & (every <= 1 - _NEAREST)]
        inner = inner if len(inner) else self.histograms[scale].edges
        ends = scipy.special.expit(scipy.special.logit([inner.min(), inner.max()]) + np.array([-_ROOM, _ROOM]))
        earlier = ax.get_xlim() if _scale_of(ax) == scale else ends  # set by a model drawn before
        return min(float(ends[0]), earlier[0]), max(float(ends[1]), earlier[1])


def _scale_of(ax: "Axes") -> AxisScale:
    return "log-odds" if ax.get_xscale() == _AXIS_SCALES["log-odds"] else "linear"


def _finite(ax: "Axes", values: FloatArray) -> FloatArray:
    """Values that can be drawn: on a log-odds scale, 0 and 1 are moved to finite places outside of the axis."""
    return values if _scale_of(ax) == "linear" else np.clip(values, _NEAREST, 1 - _NEAREST)


def _axes(ax: object, histogram: object) -> "tuple[Axes, Axes | None]":
    """The axes of the diagram, and of the histogram if there is one."""
    if ax is None and histogram is True:
        figure = drawing.new_figure(drawing.COLUMN, drawing.SQUARE + _HISTOGRAM)
        diagram, below = figure.subplots(2, 1, sharex=True, height_ratios=_HEIGHTS)
        drawing.mark(below, "histogram")
        drawing.dress(diagram)
        drawing.dress(below)
        return diagram, below
    diagram = drawing.axes_or_new(ax)
    if histogram is False:
        return diagram, None
    if histogram is not True:
        return diagram, drawing.checked_axes(histogram)
    ours = [axes for axes in _histograms_in(diagram) if diagram.get_shared_x_axes().joined(diagram, axes)]
    return diagram, ours[0] if ours else None


def _histograms_in(ax: "Axes") -> "list[Any]":
    figure: Any = ax.figure
    return drawing.marked(figure, "histogram")


def _set_axes(ax: "Axes", below: "Axes | None", limits: tuple[float, float], scale: AxisScale) -> None:
    """Set limits, ticks and labels; with a histogram below, only that has the label of the scores."""
    shared = below is not None and ax.get_shared_x_axes().joined(ax, below)
    ax.set(xlim=limits, ylim=limits, xlabel="" if shared else "Score", ylabel="Event rate")
    if scale == "log-odds":
        _round_ticks(ax.yaxis, limits)
        _round_ticks(ax.xaxis, limits)
    if below is not None:
        if below.get_xscale() != ax.get_xscale():
            below.set_xscale(ax.get_xscale())
        below.set(xlim=limits, xlabel="Score", ylabel="Share")
        below.set_ylim(bottom=0)


def _round_ticks(axis: Any, limits: tuple[float, float]) -> None:
    """Set ticks at round probabilities, since matplotlib's own labels are 1/2 and 1 - 0.1."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    ticks = [tick for tick in _TICKS if limits[0] <= tick <= limits[1]]
    shown = ticks[:: 1 + (len(ticks) - 1) // _MOST_TICKS]
    axis.set_major_locator(FixedLocator(shown))
    axis.set_major_formatter(FixedFormatter([words.share(tick) for tick in shown]))
    axis.set_minor_locator(NullLocator())


def _diagonal(ax: "Axes") -> "Line2D | None":
    """Draw the diagonal of calibrated scores, once for all models."""
    if drawing.marked(ax, "diagonal"):
        return None
    ends = (0.0, 1.0) if _scale_of(ax) == "linear" else (_NEAREST, 1 - _NEAREST)
    looks: dict[str, Any] = {"color": drawing.GREY, "linestyle": ":", "linewidth": 1, "zorder": drawing.GUIDE}
    (line,) = ax.plot(ends, ends, label="calibrated", **looks)
    drawing.mark(line, "diagonal")
    return line


def _corners(*heights: FloatArray) -> BoolArray:
    """The points at which a step function changes, and its ends."""
    begins = np.ones(len(heights[0]), np.bool_)
    begins[1:-1] = np.any([height[1:-1] != height[:-2] for height in heights], axis=0)
    return begins


def _histograms(curve: Curve) -> dict[AxisScale, Histogram]:
    """Histograms of the scores, in probability and in log-odds."""
    ends = np.clip([curve.score[-1], curve.top[0]], _NEAREST, 1 - _NEAREST)
    low, high = scipy.special.logit(ends)
    room = 0.0 if low < high else 1.0
    log_odds = scipy.special.expit(np.linspace(low - room, high + room, _BARS + 1))
    return {"linear": _histogram(curve, np.arange(_BARS + 1) / _BARS), "log-odds": _histogram(curve, log_odds)}


def _histogram(curve: Curve, edges: FloatArray) -> Histogram:
    """The share of rows between edges; the first and the last bar include what lies beyond."""
    bars = place_of(curve.middle, edges[1:-1], "right")
    mass = np.bincount(bars, weights=curve.pos + curve.neg_as_read, minlength=_BARS)
    return Histogram(edges, mass / mass.sum())
