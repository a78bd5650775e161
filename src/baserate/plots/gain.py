"""The precision-recall-gain curve."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.metrics.areas import auc_prg
from baserate.metrics.definition import evaluate
from baserate.plots import drawing, shape, words
from baserate.plots.display import CurveDisplay, Plotted, fill_band
from baserate.results import Band
from baserate.uncertainty.bands import prg_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


@dataclass(eq=False, repr=False)
class PrecisionRecallGainDisplay(CurveDisplay):
    """The precision-recall-gain curve at a prevalence: precision and recall measured from chance.

    The curve and its area begin where recall equals the prevalence. Straight pieces of the ROC curve are straight here,
    too. The plot shows gains from 0 to 1; if the curve goes below chance, the legend says so.

    Make one with `from_curve`, `from_predictions` or `from_estimator` and draw it with `plot`.

    Attributes
    ----------
    recall_gain, precision_gain : array of float
        The points of the line, including those below the plot.
    area : float
        The area under it.
    prevalence : float
        The prevalence of the reading.
    own_prevalence : float or None
        The prevalence of the data.
    band : Band or None
        Intervals of precision gain along the curve.
    name : str or None
        The name in the legend.
    reason : Reason or None
        Why there is no curve, if there is none.
    line_, band_, ax_, figure_
        What `plot` has drawn; None for what was not requested.

    References
    ----------
    Flach & Kull, Precision-Recall-Gain Curves, NeurIPS 2015.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate import plots
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"]).at_prevalence(0.5)
    >>> display = plots.PrecisionRecallGainDisplay.from_curve(curve, name="new model").plot()
    >>> print(display.line_.get_label())
    new model: AUC-PRG 0.729
    at prevalence 1 in 2 (own 1 in 40)
    >>> display.leaves_view
    False
    """

    recall_gain: FloatArray
    precision_gain: FloatArray
    area: float
    prevalence: float
    own_prevalence: float | None = None
    band: Band | None = None
    name: str | None = None
    reason: Reason | None = None

    line_: "Line2D" = field(init=False)
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
        """The Display of a curve at its prevalence.

        Parameters
        ----------
        curve : Curve
            The curve.
        name : str, optional
            The name in the legend.
        band : bool
            Whether to add a band of precision gain.
        simultaneous, confidence_level, n_resamples, rng
            For the band, as for `prg_band`.

        Examples
        --------
        >>> import baserate as br
        >>> from baserate import plots
        >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
        >>> display = plots.PrecisionRecallGainDisplay.from_curve(curve)
        >>> display.recall_gain.round(3), display.precision_gain.round(3)
        (array([0.   , 0.926, 0.988, 1.   ]), array([0.963, 0.963, 0.728, 0.   ]))
        """
        value, reason = evaluate(auc_prg, curve)
        line, gain_band = shape.NOTHING, None
        if reason is None:
            line = shape.gains(curve)
            if band:
                settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "simultaneous": simultaneous}
                gain_band = prg_band(curve, confidence_level=confidence_level, **settings)
        return cls(
            *line,
            area=float(value),
            prevalence=curve.prevalence,
            own_prevalence=curve.own_prevalence,
            band=gain_band,
            name=name,
            reason=reason,
        )

    @property
    def leaves_view(self) -> bool:
        """Whether the curve goes below chance, outside of the plot."""
        return bool((self.precision_gain < 0).any())

    def _plotted(self) -> Plotted:
        return {"recall_gain": self.recall_gain, "precision_gain": self.precision_gain}

    @property
    def label(self) -> str:
        """Name, area and prevalence for the legend, and the lowest value if it is below the plot."""
        text = words.area_label(self.name, "AUC-PRG", self.area, self.reason, (self.prevalence, self.own_prevalence))
        if not self.leaves_view:
            return text
        return f"{text}\n(down to {words.short(float(self.precision_gain.min()))}, below the plot)"

    def plot(self, ax: "Axes | None" = None, *, legend: drawing.Legend = "above", **line_kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            The axes, which may have curves already; by default a new figure.
        legend : {"above", "inside", "none"}
            The place of the legend.
        **line_kwargs
            For the line of the curve, as for ``Axes.plot``.
        """
        made = ax is None
        ax = drawing.axes_or_new(ax)
        looks = drawing.line_looks(ax, line_kwargs)
        (self.line_,) = ax.plot(self.recall_gain, self.precision_gain, **({"label": self.label} | looks))
        drawing.mark(self.line_, "curve")
        self.band_ = fill_band(ax, self.band, self.line_)
        ax.set(
            xlabel="Recall gain (0 where recall = prevalence)",
            ylabel="Precision gain (0 at chance)",
            xlim=(0, 1.01),
            ylim=(0, 1.02),
        )
        drawing.legend(ax, legend)
        self._drawn_on(ax, made=made)
        return self
