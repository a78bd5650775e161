"""The ROC curve."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.metrics.areas import roc_auc
from baserate.metrics.definition import evaluate
from baserate.plots import drawing, shape, words
from baserate.plots.display import CurveDisplay, Plotted, fill_band
from baserate.results import Band
from baserate.uncertainty.bands import roc_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_PLACES = 101  # of a band, on a linear and on a logarithmic axis
_WIDEST = 0.01  # the lower end of a logarithmic axis, unless the data have smaller rates


@dataclass(eq=False, repr=False)
class RocDisplay(CurveDisplay):
    """The ROC curve, which does not depend on the prevalence; optionally with a logarithmic axis.

    Make one with `from_curve`, `from_predictions` or `from_estimator` and draw it with `plot`.

    Attributes
    ----------
    fpr, recall : array of float
        The points of the line, joined by straight lines.
    area : float
        The area under it.
    smallest_fpr : float
        The smallest positive FPR of the data: the lower end of a logarithmic axis, if it is below 0.01.
    band : Band or None
        Intervals of recall along the curve.
    name : str or None
        The name in the legend.
    reason : Reason or None
        Why there is no curve, if there is none.
    line_, chance_, band_, ax_, figure_
        What `plot` has drawn; None for what was not requested.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> display = plots.RocDisplay.from_curve(curve, name="new model").plot(log_x=True)
    >>> print(display.line_.get_label())
    new model: AUC-ROC 0.835
    >>> display.ax_.get_xlabel()
    'False positive rate (log scale)'
    """

    fpr: FloatArray
    recall: FloatArray
    area: float
    smallest_fpr: float = _WIDEST
    band: Band | None = None
    name: str | None = None
    reason: Reason | None = None

    line_: "Line2D" = field(init=False)
    chance_: "Line2D | None" = field(init=False)
    band_: "PolyCollection | None" = field(init=False)

    @classmethod
    @checks.declared
    def from_curve(
        cls,
        curve: Curve,
        *,
        name: str | None = None,
        band: bool = False,
        simultaneous: bool = False,
        confidence_level: float = 0.95,
        n_resamples: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """The Display of a curve.

        Parameters
        ----------
        curve : Curve
            The curve; its prevalence does not matter.
        name : str, optional
            The name in the legend.
        band : bool
            Whether to add a band of recall.
        simultaneous, confidence_level, n_resamples, rng
            For the band, as for `roc_band`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> display = plots.RocDisplay.from_curve(curve)
        >>> display.recall, display.fpr.round(3)
        (array([0. , 0.6, 0.9, 1. ]), array([0.   , 0.022, 0.244, 1.   ]))
        """
        value, reason = evaluate(roc_auc, curve)
        path, smallest, recall_band = shape.RocPath(*shape.NOTHING), _WIDEST, None
        if reason is None:
            path, smallest = shape.roc_path(curve), float(curve.fpr[curve.fpr > 0][0])
            if band:
                settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "simultaneous": simultaneous}
                recall_band = roc_band(curve, _places(smallest), confidence_level=confidence_level, **settings)
        return cls(path.fpr, path.tpr, float(value), smallest, band=recall_band, name=name, reason=reason)

    def _plotted(self) -> Plotted:
        return {"fpr": self.fpr, "recall": self.recall}

    @property
    def label(self) -> str:
        """Name and area for the legend."""
        return words.area_label(self.name, "AUC-ROC", self.area, self.reason)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        log_x: bool = False,
        chance: bool = True,
        legend: drawing.Legend = "above",
        **line_kwargs: Any,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes, which may have curves already; by default a new figure.
        log_x : bool
            Whether the FPR axis is logarithmic, from the smallest observed rate. For rare positives, low rates matter
            most.
        chance : bool
            Whether to show the chance line.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **line_kwargs
            For the line of the curve, as for ``Axes.plot``.
        """
        drawing.check_switches(log_x=log_x, chance=chance)
        made = ax is None
        ax = drawing.axes_or_new(ax)
        start = min(self.smallest_fpr, _WIDEST) if log_x else 0.0
        if log_x and drawing.marked(ax, "curve"):
            start = min(start, ax.get_xlim()[0])
        path = shape.RocPath(self.recall, self.fpr)
        if log_x and len(self.fpr):  # straight pieces are curved on a logarithmic axis
            path = shape.bent(path, self.fpr, smallest=start)
        looks = drawing.line_looks(ax, line_kwargs)
        (self.line_,) = ax.plot(path.fpr, path.tpr, **({"label": self.label} | looks))
        drawing.mark(self.line_, "curve")
        self.band_ = fill_band(ax, self.band, self.line_)
        self.chance_ = _chance(ax, start) if chance and not drawing.marked(ax, "chance") else None
        scale = " (log scale)" if log_x else ""
        ax.set(xlabel=f"False positive rate{scale}", ylabel="Recall (true positive rate)", ylim=(0, 1.02))
        ax.set_xscale("log" if log_x else "linear")
        ax.set_xlim(start if log_x else -0.01, 1.01)  # do not clip a vertical start
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self


def _places(smallest: float) -> FloatArray:
    """False positive rates for a band that is fine enough on either axis."""
    log = np.geomspace(min(smallest, _WIDEST), 1.0, _PLACES)
    return np.unique(np.concatenate([np.linspace(0.0, 1.0, _PLACES), log]))


def _chance(ax: "Axes", start: float) -> "Line2D":
    """Draw recall = FPR: a diagonal, which is curved on a logarithmic axis."""
    places = np.geomspace(start, 1.0, 200) if start > 0 else np.array([0.0, 1.0])
    (line,) = ax.plot(
        places, places, color=drawing.GREY, linestyle=":", linewidth=1, zorder=drawing.GUIDE, label="chance"
    )
    drawing.mark(line, "chance")
    return line
