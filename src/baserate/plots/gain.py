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
from baserate.plots.display import CurveDisplay, Frame, fill_band
from baserate.results import Band
from baserate.uncertainty.bands import prg_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


@dataclass(eq=False, repr=False)
class PrecisionRecallGainDisplay(CurveDisplay):
    """Precision gain over recall gain at the prevalence read at: precision and recall measured from chance.

    The curve begins where recall equals the prevalence, as its area does, and straight pieces of the ROC curve are
    straight here, too. The picture shows gains from 0 to 1; where the curve goes below chance, the legend says so.

    Make one with `from_curve`, `from_predictions` or `from_estimator` and draw it with `plot`.

    Attributes
    ----------
    recall_gain, precision_gain : array of float
        The points of the line, also those below the picture.
    area : float
        The area under it.
    prevalence : float
        Where the curve was read.
    own_prevalence : float or None
        The prevalence of the data.
    band : Band or None
        Intervals of precision gain along the curve.
    name : str or None
        What to call it in the legend.
    reason : Reason or None
        Why there is no curve, if so.
    line_, band_, ax_, figure_
        What `plot` has drawn; None for what was not asked for.

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
    at prevalence 0.5 (own 0.025)
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
        """The Display of a curve, read at the prevalence it says.

        Parameters
        ----------
        curve : Curve
            The curve.
        name : str, optional
            What to call it in the legend.
        band : bool
            Whether to add a band of precision gains.
        simultaneous, confidence_level, n_resamples, rng
            Of the band, as for `prg_band`.

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
        line, found = shape.NOTHING, None
        if reason is None:
            line = shape.gains(curve)
            if band:
                settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "simultaneous": simultaneous}
                found = prg_band(curve, confidence_level=confidence_level, **settings)
        return cls(
            *line,
            area=float(value),
            prevalence=curve.prevalence,
            own_prevalence=curve.own_prevalence,
            band=found,
            name=name,
            reason=reason,
        )

    @property
    def leaves_view(self) -> bool:
        """Whether the curve goes below chance, where the picture does not show it."""
        return bool((self.precision_gain < 0).any())

    def frame(self) -> Frame:
        """The points of the line as a table; the band has ``display.band.rows()``."""
        return {"recall_gain": self.recall_gain, "precision_gain": self.precision_gain}

    @property
    def label(self) -> str:
        """Name, area and prevalence, as the legend shows them, and how far the curve goes below the picture."""
        text = words.area_label(self.name, "AUC-PRG", self.area, self.reason, (self.prevalence, self.own_prevalence))
        if not self.leaves_view:
            return text
        return f"{text}\n(down to {words.short(float(self.precision_gain.min()))}, below the picture)"

    def plot(self, ax: "Axes | None" = None, *, legend: drawing.Legend = "above", **line_kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, also beside curves that are there already; in a new figure if not given.
        legend : {"above", "inside", "none"}
            Where the legend goes.
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
