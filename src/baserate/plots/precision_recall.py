"""The precision-recall curve at a prevalence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.errors import InputError, Reason, shown
from baserate.metrics.areas import auc_pr, average_precision
from baserate.metrics.definition import evaluate
from baserate.plots import drawing, shape, words
from baserate.plots.display import CurveDisplay, Plotted, fill_band
from baserate.results import Band
from baserate.uncertainty.bands import pr_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

F1_LINES = (0.2, 0.4, 0.6, 0.8)


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurveDisplay):
    """The precision-recall curve at a prevalence, with chance level and unachievable region.

    Make one with `from_curve`, `from_predictions` or `from_estimator` and draw it with `plot`.

    Attributes
    ----------
    recall, precision : array of float
        The points of the line.
    steps : bool
        Whether the line is drawn in steps, as for average precision, or straight from point to point.
    area : float
        The area under the line.
    area_name : str
        The name of the area: "AP" or "AUC-PR".
    prevalence : float
        The prevalence of the reading, which is the precision of a random order.
    own_prevalence : float or None
        The prevalence of the data.
    lowest_recall, lowest_precision : array of float
        The lowest achievable curve.
    band : Band or None
        Intervals of precision along the curve.
    name : str or None
        The name in the legend.
    reason : Reason or None
        Why there is no curve, if there is none.
    line_, chance_, lowest_, region_, band_, f1_lines_, ax_, figure_
        What `plot` has drawn; None for what was not requested.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> display = plots.PrecisionRecallDisplay.from_curve(curve.at_prevalence(0.001), name="new model")
    >>> display = display.plot()
    >>> print(display.line_.get_label())
    new model: AP 0.486
    at prevalence 1 in 1,000 (own 1 in 40)
    >>> list(display.frame("pandas"))
    ['recall', 'precision']
    """

    recall: FloatArray
    precision: FloatArray
    steps: bool
    area: float
    area_name: str
    prevalence: float
    own_prevalence: float | None = None
    lowest_recall: FloatArray = field(default_factory=lambda: shape.NOTHING.x)
    lowest_precision: FloatArray = field(default_factory=lambda: shape.NOTHING.y)
    band: Band | None = None
    name: str | None = None
    reason: Reason | None = None

    line_: "Line2D" = field(init=False)
    chance_: "Line2D | None" = field(init=False)
    lowest_: "Line2D | None" = field(init=False)
    region_: "PolyCollection | None" = field(init=False)
    band_: "PolyCollection | None" = field(init=False)
    f1_lines_: "list[Line2D]" = field(init=False)

    @classmethod
    @checks.declared
    def from_curve(
        cls,
        curve: Curve,
        *,
        name: str | None = None,
        area: Callable[..., float] = average_precision,
        band: bool = False,
        simultaneous: bool = False,
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of a curve at its prevalence.

        Parameters
        ----------
        curve : Curve
            The curve.
        name : str, optional
            The name in the legend.
        area : average_precision or auc_pr
            The area to show, by the steps of average precision, or by exact interpolation, which is curved where rows
            are tied. The area under the drawn line is this area.
        band : bool
            Whether to add a band of precision.
        simultaneous, confidence_level, n_resamples, rng
            For the band, as for `pr_band`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> display = plots.PrecisionRecallDisplay.from_curve(curve)
        >>> display.recall, display.precision.round(3)
        (array([0. , 0.6, 0.9, 1. ]), array([0.75, 0.75, 0.29, 0.1 ]))
        """
        if area not in (average_precision, auc_pr):
            raise InputError(f"area must be br.average_precision or br.auc_pr, got {shown(area)}; pass one of them.")
        value, reason = evaluate(area, curve)
        steps = area is average_precision
        line, lowest, precision_band = shape.NOTHING, shape.NOTHING, None
        if reason is None:
            line = shape.precision_steps(curve) if steps else shape.precision_exactly(curve)
            lowest = shape.lowest_precision(curve.prevalence)
            if band:
                settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "simultaneous": simultaneous}
                precision_band = pr_band(curve, confidence_level=confidence_level, **settings)
        return cls(
            *line,
            steps=steps,
            area=float(value),
            area_name="AP" if steps else "AUC-PR",
            prevalence=curve.prevalence,
            own_prevalence=curve.own_prevalence,
            lowest_recall=lowest.x,
            lowest_precision=lowest.y,
            band=precision_band,
            name=name,
            reason=reason,
        )

    def _plotted(self) -> Plotted:
        return {"recall": self.recall, "precision": self.precision}

    @property
    def label(self) -> str:
        """Name, area and prevalence for the legend."""
        return words.area_label(
            self.name, self.area_name, self.area, self.reason, (self.prevalence, self.own_prevalence)
        )

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        chance: bool = True,
        lowest: bool = True,
        f1_lines: bool | Sequence[float] = False,
        legend: drawing.Legend = "above",
        **line_kwargs: Any,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes, which may have curves already; by default a new figure.
        chance, lowest : bool
            Whether to show the precision of a random order, and the region below the lowest achievable curve.
        f1_lines : bool or values
            Lines of equal F1: none, those at 0.2, 0.4, 0.6 and 0.8, or your own.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **line_kwargs
            For the line of the curve, as for ``Axes.plot``.
        """
        made = ax is None
        drawing.check_switches(chance=chance, lowest=lowest)
        if not isinstance(f1_lines, Sequence):
            drawing.check_switches(f1_lines=f1_lines)
        ax = drawing.axes_or_new(ax)
        looks = drawing.line_looks(ax, {"drawstyle": "steps-pre" if self.steps else "default", **line_kwargs})
        (self.line_,) = ax.plot(self.recall, self.precision, **({"label": self.label} | looks))
        drawing.mark(self.line_, "curve")
        self.band_ = fill_band(ax, self.band, self.line_)
        self.chance_ = self._chance(ax) if chance else None
        self.region_, self.lowest_ = self._lowest(ax) if lowest else (None, None)
        values = f1_lines if isinstance(f1_lines, Sequence) else F1_LINES if f1_lines else ()
        self.f1_lines_ = [_f1_line(ax, checks.probability(value, "f1_lines")) for value in values]
        ax.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1.01), ylim=(0, 1.02))
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self

    def _chance(self, ax: "Axes") -> "Line2D | None":
        what = f"chance {self.prevalence}"
        if drawing.marked(ax, what) or self.reason:
            return None
        text = f"chance: precision {words.share(self.prevalence)}"
        line = ax.axhline(
            self.prevalence, color=drawing.GREY, linestyle=":", linewidth=1, zorder=drawing.GUIDE, label=text
        )
        drawing.mark(line, what)
        return line

    def _lowest(self, ax: "Axes") -> "tuple[PolyCollection | None, Line2D | None]":
        what = f"lowest {self.prevalence}"
        if drawing.marked(ax, what) or self.reason:
            return None, None
        (line,) = ax.plot(
            self.lowest_recall, self.lowest_precision, color=drawing.GREY, linewidth=0.6, zorder=drawing.GUIDE
        )
        drawing.mark(line, what)
        region = ax.fill_between(
            self.lowest_recall,
            0,
            self.lowest_precision,
            color=drawing.PALE,
            linewidth=0,
            zorder=drawing.REGION,
            label="unachievable",
        )
        return region, line


def _f1_line(ax: "Axes", f1: float) -> "Line2D":
    """Draw the line of points with this F1, labelled at the right end."""
    recall = np.linspace(f1 / (2 - f1), 1.0, 200)
    (line,) = ax.plot(recall, f1 * recall / (2 * recall - f1), color="#a6a6a6", linewidth=0.6, zorder=drawing.REGION)
    end = f1 / (2 - f1)
    ax.annotate(
        f"F1 {f1:g}",
        (1, end),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        fontsize=drawing.TEXT_SIZE - 1,
        color=drawing.GREY,
        annotation_clip=False,
    )
    return line
