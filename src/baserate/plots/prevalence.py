"""A metric over prevalence, for one or several models."""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalences
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, UndefinedMetricWarning
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction, crossings, sweep
from baserate.plots import drawing, words
from baserate.plots.display import Display, Plotted
from baserate.registry import describe, row_of
from baserate.results import Band, Crossing, Sweep
from baserate.results.words import key_text, percent
from baserate.uncertainty.bands import sweep_estimates
from baserate.written import one_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_RAREST, _COMMONEST, _PLACES = 1e-5, 0.5, 121
_TICKS = (*(10.0**power for power in range(-12, 0)), 0.5, *(1 - 10.0**power for power in range(-1, -7, -1)))


class OwnPrevalence(NamedTuple):
    """The prevalence of a model's data, and the metric at it."""

    prevalence: float
    value: float


@dataclass(eq=False, repr=False)
class PrevalenceDisplay(Display):
    """A metric over prevalence, for one or several models, with bands, crossings and the prevalence of the data.

    For precision at an operating point this is Brabec's P3 curve; F1 and areas work, too. Make one with `from_curves`
    and draw it with `plot`.

    Attributes
    ----------
    metric, metric_label : str
        The name of the metric in code, with its parameters, and on an axis.
    lines : dict of str to Sweep or Band
        The metric of each model over prevalence, as returned by `sweep` or `sweep_estimates`.
    own : dict of str to OwnPrevalence
        The prevalence of each model's data, if known, and the metric at it.
    crossings : list of Crossing
        The crossings of two models.
    bounds : (float, float)
        The range of the metric.
    lines_, bands_, own_, ax_, figure_
        What `plot` has drawn, by model.
    crossings_
        The marks of the crossings; None without crossings.

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[f"{name}_model"]) for name in ("old", "new")}
    >>> display = plots.PrevalenceDisplay.from_curves(models, metric=br.average_precision).plot()
    >>> print(*display.crossings)
    average_precision: new leads below prevalence 1 in 21, old leads above (both 0.6317 there)
    >>> display.ax_.get_ylabel()
    'Average precision'
    """

    metric: str
    metric_label: str
    lines: dict[str, Sweep | Band]
    own: dict[str, OwnPrevalence] = field(default_factory=dict)
    crossings: list[Crossing] = field(default_factory=list)
    bounds: tuple[float, float] = (-np.inf, np.inf)

    lines_: "dict[str, Line2D]" = field(init=False)
    bands_: "dict[str, PolyCollection]" = field(init=False)
    own_: "dict[str, Line2D]" = field(init=False)
    crossings_: "Line2D | None" = field(init=False)

    @classmethod
    @checks.declared
    def from_curves(
        cls,
        curves: Mapping[str, Curve | Point],
        *,
        metric: MetricFunction,
        prevalences: Prevalences | None = None,
        estimates: bool = False,
        method: str | None = None,
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of models by name.

        Parameters
        ----------
        curves : mapping of str to Curve or Point
            The models; a pointwise metric such as precision needs Points. Their prevalence does not matter.
        metric : callable
            A metric, or your own function of a Curve or Point that returns a float.
        prevalences : column, optional
            As for `sweep`; by default from 1e-5 to 0.5, extended to the models' own prevalences.
        estimates : bool
            Whether to add bands, by `sweep_estimates`.
        method, confidence_level, n_resamples, rng
            For the bands, as for `sweep_estimates`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
        >>> display = plots.PrevalenceDisplay.from_curves(
        ...     {"rule": point}, metric=br.precision, prevalences=[0.01, 0.001], estimates=True
        ... )
        >>> list(display.rows()[0]), [round(row["precision"], 3) for row in display.rows()]
        (['name', 'prevalence', 'precision', 'low', 'high', 'reason'], [0.375, 0.858])
        """
        models = named_models(curves)
        grid = np.unique(_default_grid(models) if prevalences is None else checks.prevalences(prevalences))
        if len(grid) == 0:
            raise InputError("prevalences must not be empty, got none; leave them out for a wide range.")
        lines: dict[str, Sweep | Band] = {}
        generator = checks.generator(rng)
        for name, model in models.items():
            if estimates:
                settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": generator, "method": method}
                lines[name] = sweep_estimates(metric, model, grid, confidence_level=confidence_level, **settings)
            else:
                lines[name] = sweep(metric, model, grid)
        row = row_of(metric)
        return cls(
            metric=describe(metric),
            metric_label=words.metric_label(metric),
            lines=lines,
            own={name: at_own for name, model in models.items() if (at_own := _at_own(metric, model))},
            crossings=_crossings(metric, models, grid),
            bounds=(-np.inf, np.inf) if row is None else (row.lowest, row.highest),
        )

    def _plotted(self) -> Plotted:
        """A row for each model and prevalence; `low` and `high` with bands, `reason` why a value is missing."""
        names, reasons = [], []
        for name, line in self.lines.items():
            undefined = np.isnan(line.value).tolist()
            names += [name] * len(undefined)
            reasons += [str(line.reason) if missing and line.reason else None for missing in undefined]
        table: dict[str, FloatArray | list[Any]] = {"name": names}
        every = [_columns(line) for line in self.lines.values()]
        table |= {column: np.concatenate([part[column] for part in every]) for column in every[0]}
        return table | {"reason": reasons}

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        scale: Literal["log-odds", "log"] = "log-odds",
        own: bool = True,
        crossings: bool = True,
        legend: drawing.Legend = "above",
        **line_kwargs: Any,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes; by default a new figure.
        scale : {"log-odds", "log"}
            The scale of the prevalence axis.
        own, crossings : bool
            Whether to mark the prevalence of each model's data, and the crossings of two models.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **line_kwargs
            For the lines, as for ``Axes.plot``.
        """
        checks.one_of(scale, ("log-odds", "log"), "scale")
        made = ax is None
        drawing.check_switches(own=own, crossings=crossings)
        ax = drawing.axes_or_new(ax, height=2.6)
        places = np.concatenate([_places(line) for line in self.lines.values()])
        ax.set_xscale("logit" if scale == "log-odds" else "log")
        self.lines_, self.bands_, self.own_ = {}, {}, {}
        for name, line in self.lines.items():
            self._draw(ax, name, line, own=own, given=line_kwargs)
        self.crossings_ = self._mark_crossings(ax) if crossings and self.crossings else None
        _ticks(ax, places.min(), places.max())
        ax.set(xlabel="Prevalence (share of positives)", ylabel=self.metric_label)
        heights = [line.low if isinstance(line, Band) else line.value for line in self.lines.values()]
        ax.set_ylim(*drawing.limits(self.bounds, np.concatenate(heights)))
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self

    def _draw(self, ax: "Axes", name: str, line: Sweep | Band, *, own: bool, given: Mapping[str, Any]) -> None:
        """Draw one model: its line, its band and the prevalence of its data."""
        marker = drawing.look(len(drawing.marked(ax, "curve"))).marker
        places = _places(line)
        label = name if not np.isnan(line.value).all() or line.reason is None else f"{name}: {line.reason.sentence}"
        (drawn,) = ax.plot(places, line.value, **({"label": label} | drawing.line_looks(ax, given)))
        drawing.mark(drawn, "curve")
        self.lines_[name] = drawn
        looks: dict[str, Any] = {"color": drawn.get_color()}
        if isinstance(line, Band):
            words_for_band = f"{percent(line.confidence_level)} intervals"
            self.bands_[name] = ax.fill_between(
                places, line.low, line.high, alpha=0.2, linewidth=0, zorder=drawing.BAND, label=words_for_band, **looks
            )
        data = self.own.get(name)
        if own and data and places.min() <= data.prevalence <= places.max():
            (self.own_[name],) = ax.plot(
                *data, marker=marker, markersize=5, linestyle="none", zorder=drawing.MARK, **looks
            )
            drawn.set(marker=marker, markevery=[], markersize=5)  # the legend entry of the line shows the mark
            drawn.set_label(words.two_lines(label, f"(own prevalence {one_in(data.prevalence)})"))

    def _mark_crossings(self, ax: "Axes") -> "Line2D":
        places = [swap.prevalence for swap in self.crossings], [swap.value for swap in self.crossings]
        return drawing.rings(ax, *places, _crossings_label(self.crossings))


def named_models(
    curves: Mapping[Any, Curve | Point] | Mapping[Any, Curve] | Mapping[Any, Point],
) -> dict[str, Curve | Point]:
    """Models by name, or an error."""
    if not curves:
        raise InputError("curves must have at least one Curve or Point, got none; pass the models by name.")
    named = {key_text(name): model for name, model in curves.items()}
    if len(named) < len(curves):
        raise InputError(f"curves must have different names, got {list(curves)}; rename one.")
    return named


def _default_grid(models: Mapping[str, Curve | Point]) -> FloatArray:
    """A grid that is even in log-odds, with the models' own prevalences added."""
    own = [model.own_prevalence for model in models.values()]
    known = [prevalence for prevalence in own if prevalence is not None and 0 < prevalence < 1]
    low, high = min([_RAREST, *known]), max([_COMMONEST, *known])
    log_odds = np.linspace(np.log(low / (1 - low)), np.log(high / (1 - high)), _PLACES)
    return np.concatenate([1 / (1 + np.exp(-log_odds)), known])


def _at_own(metric: MetricFunction, model: Curve | Point) -> OwnPrevalence | None:
    prevalence = model.own_prevalence
    if prevalence is None or not 0 < prevalence < 1:
        return None
    value, reason = evaluate(metric, model.at_prevalence(prevalence))
    return None if reason else OwnPrevalence(prevalence, float(value))


def _crossings(metric: MetricFunction, models: Mapping[str, Curve | Point], grid: FloatArray) -> list[Crossing]:
    """All crossings within the range; none for a metric without a better direction."""
    row = row_of(metric)
    if (row is not None and row.higher_is_better is None) or len(grid) < 2:
        return []
    swaps: list[Crossing] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # the table says where and why
        for pair in itertools.combinations(models, 2):
            a, b = (models[name] for name in pair)
            swaps += crossings(metric, a, b, low=float(grid[0]), high=float(grid[-1]), names=pair)
    return sorted(swaps, key=lambda swap: swap.prevalence)


def _crossings_label(swaps: list[Crossing]) -> str:
    if len(swaps) > 1:
        return "lead changes"
    (swap,) = swaps
    return words.two_lines(f"{swap.leads_below} leads below {one_in(swap.prevalence)},", f"{swap.leads_above} above")


def _ticks(ax: "Axes", low: float, high: float) -> None:
    """Set ticks at round prevalences, since matplotlib's own labels are 1/2 and 1 - 0.1."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter

    shown = [tick for tick in _TICKS if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
    if low < high:
        ax.set_xlim(low, high)
    if len(shown) >= 2:
        ax.xaxis.set_major_locator(FixedLocator(shown))
        ax.xaxis.set_major_formatter(FixedFormatter([words.share(tick) for tick in shown]))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _places(line: Sweep | Band) -> FloatArray:
    """The prevalences of a line."""
    return line.place if isinstance(line, Band) else line.prevalence


def _columns(line: Sweep | Band) -> dict[str, FloatArray]:
    """The drawn numbers of a model."""
    band = {"low": line.low, "high": line.high} if isinstance(line, Band) else {}
    return {"prevalence": _places(line), line.metric: line.value} | band
