"""The base of all Displays, which follow scikit-learn's convention."""

import io
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate.arrays import ArrayLike, Classifier, Features, FloatArray, Prevalence
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.errors import InputError, shown
from baserate.plots import drawing
from baserate.results import Band
from baserate.results.base import Backend, Cell, Row, cell, frame_of
from baserate.results.words import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# What is drawn, by column.
Plotted = Mapping[str, FloatArray | list[Any]]


class Display(ABC):
    """A plot: computed without matplotlib, drawn by `plot`, which sets `ax_` and `figure_`."""

    ax_: "Axes"
    figure_: "Figure"
    _made_figure = False

    @abstractmethod
    def _plotted(self) -> Plotted:
        """The drawn numbers."""

    def rows(self) -> list[Row]:
        """The drawn numbers as rows of a table, like those of a result; the band of a line has ``band.rows()``."""
        columns = self._columns()
        return [dict(zip(columns, entries, strict=True)) for entries in zip(*columns.values(), strict=True)]

    def frame(self, backend: Backend | None = None) -> Any:
        """The rows as a dataframe.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            As for the frame of a result.
        """
        return frame_of(self._columns(), backend)

    def _columns(self) -> dict[str, list[Cell]]:
        return {name: [cell(one) for one in column] for name, column in self._plotted().items()}

    def _drawn_on(self, ax: "Axes", *, made: bool) -> None:
        from matplotlib.figure import Figure

        root = ax.figure
        self.ax_, self._made_figure = ax, made
        self.figure_ = root if isinstance(root, Figure) else root.figure

    def _repr_png_(self) -> bytes | None:
        """The picture for a notebook; None for the caller's own figure, which the caller shows."""
        if not self._made_figure:
            return None
        buffer = io.BytesIO()
        self.figure_.savefig(buffer, format="png")
        return buffer.getvalue()


class CurveDisplay(Display):
    """A Display of one curve, from a Curve, from labels and scores, or from an estimator."""

    line_: "Line2D"
    band_: "PolyCollection | None"

    # The options differ between Displays, so they are not declared here.
    from_curve: Any

    @property
    @abstractmethod
    def label(self) -> str:
        """The entry of the legend."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(self.label.split())})"

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        prevalence: Prevalence | None = None,
        weight: ArrayLike | None = None,
        positive: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """The Display of labelled, scored rows.

        Parameters
        ----------
        y_true, y_score, weight, positive
            As for `Curve.from_scores`.
        prevalence : float or str, optional
            The prevalence; by default that of the data.
        name : str, optional
            The name in the legend.
        **options
            As for `from_curve`.

        Examples
        --------
        >>> from baserate import plots
        >>> display = plots.RocDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
        >>> display.area
        1.0
        """
        curve = Curve.from_scores(y_true, y_score, weight=weight, positive=positive)
        if prevalence is not None:
            curve = curve.at_prevalence(prevalence)
        made: Self = cls.from_curve(curve, name=name, **options)
        return made

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Features,
        y: ArrayLike,
        *,
        prevalence: Prevalence | None = None,
        weight: ArrayLike | None = None,
        positive: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """The Display of a fitted classifier on test data.

        Parameters
        ----------
        estimator : classifier
            A fitted binary classifier, with ``predict_proba`` or else ``decision_function``.
        X, y : table and column
            Features and labels.
        positive : label, optional
            The positive class; by default the second of ``estimator.classes_``.
        prevalence, weight, name, **options
            As for `from_predictions`; the default name is that of the estimator's class.

        Examples
        --------
        >>> from baserate import plots
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = [[0.1], [0.4], [0.35], [0.8]], ["ok", "fraud", "fraud", "ok"]
        >>> model = LogisticRegression().fit(X, y)
        >>> plots.RocDisplay.from_estimator(model, X, y, positive="fraud").name
        'LogisticRegression'
        """
        scores, label = _scores(estimator, X, positive)
        called = type(estimator).__name__ if name is None else name
        return cls.from_predictions(
            y, scores, prevalence=prevalence, weight=weight, positive=label, name=called, **options
        )


def _scores(estimator: Any, X: Features, positive: Label | None) -> tuple[FloatArray, Label]:
    """The scores of a classifier, higher for the positive class, and the label of that class."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or np.shape(classes) != (2,):
        lack = "no classes_" if classes is None else f"classes_ of shape {np.shape(classes)}"
        raise InputError(
            f"estimator must be a fitted binary classifier, got a {type(estimator).__name__} with {lack}; "
            f"fit it first, or pass scores to from_predictions."
        )
    known: list[Label] = np.asarray(classes).tolist()
    label = known[1] if positive is None else positive
    if label not in known:
        raise InputError(
            f"positive must be one of the estimator's classes, {known}, got {shown(label)}; pass one of them."
        )
    which = known.index(label)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))[:, which], label
    if hasattr(estimator, "decision_function"):
        decided = np.asarray(estimator.decision_function(X))
        return decided if which == 1 else -decided, label
    raise InputError(
        f"estimator must have predict_proba or decision_function, got a {type(estimator).__name__} with neither; pass "
        f"scores to from_predictions."
    )


def fill_band(ax: "Axes", band: Band | None, line: "Line2D") -> "PolyCollection | None":
    """Draw the band around a line, in its colour; None without a band."""
    if band is None:
        return None
    words = f"{percent(band.confidence_level)} band, {'whole curve' if band.simultaneous else 'pointwise'}"
    looks: dict[str, Any] = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0, "zorder": drawing.BAND}
    return ax.fill_between(band.place, band.low, band.high, label=words, **looks)
