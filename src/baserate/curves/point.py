"""One operating point and how it was chosen; many of them at once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.reading import Reading
from baserate.errors import InputError, Reason
from baserate.formulas.pointwise import Confusion, ratio, with_negatives_weighted
from baserate.registry import describe

if TYPE_CHECKING:
    from baserate.curves.curve import Curve


@dataclass(frozen=True)
class Choice:
    """How a point was chosen, so that an interval can choose again.

    Attributes
    ----------
    rule : str
        "threshold", "recall", "fpr", "precision", "best", "top_k", "alert_rate", or "given" for a point that
        was stated rather than chosen.
    target : float or None
        What was asked for.
    metric : callable or None
        What was made best.
    prevalence : float or None
        The prevalence the curve was read at, where the rule depends on it.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.8, 0.9])
    >>> print(curve.at_recall(0.6).chosen)
    recall >= 0.6
    >>> print(curve.best(br.f1).chosen)
    best f1 at prevalence 0.6
    """

    rule: str
    target: float | None = None
    metric: Callable[..., object] | None = None
    prevalence: float | None = None

    def __str__(self) -> str:
        wording = {
            "given": "given",
            "threshold": f"threshold {self.target}",
            "recall": f"recall >= {self.target}",
            "fpr": f"fpr <= {self.target}",
            "precision": f"precision >= {self.target}",
            "best": f"best {describe(self.metric)}" if self.metric else "best",
            "top_k": f"top {self.target:,.0f} rows" if self.target is not None else "top",
            "alert_rate": f"alert rate <= {self.target}",
        }[self.rule]
        return wording + (f" at prevalence {self.prevalence:.4g}" if self.prevalence is not None else "")


@dataclass(frozen=True, repr=False)
class Point(Reading[float]):
    """One operating point: a TPR and an FPR, read at a prevalence.

    Points come from a Curve (``curve.at_recall(0.6)``), from rates or from a confusion matrix.

    Attributes
    ----------
    tpr, fnr, fpr, tnr : float
        The rates.
    prevalence : float
        Where it is read.
    n_pos, n_neg : number or None
        Class sizes behind the rates.
    threshold : float or None
        Scores at or above it are predicted positive.
    chosen : Choice
        How the point was chosen.
    curve : Curve or None
        The curve it was chosen on.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> point
    Point(tpr=0.6, fpr=0.001, 100 pos, 100,000 neg, prevalence=0.000999)
    >>> br.precision(point)
    0.375
    >>> round(br.precision(point.at_prevalence("1:10000")), 4)
    0.0566
    """

    _confusion: Confusion[float]
    _n: tuple[float | None, float | None]
    threshold: float | None = None
    chosen: Choice = Choice("given")
    curve: "Curve | None" = field(default=None, compare=False)
    _given: float | None = None
    _noun: ClassVar[str] = "point"

    @property
    def confusion(self) -> Confusion[float]:
        """The confusion matrix as counted; of a point made from rates, as shares of each class."""
        return self._confusion

    def __post_init__(self) -> None:
        if not isinstance(self._confusion, Confusion):
            raise InputError(
                f"a Point must be made from rates or counts, got Point({self._confusion!r}, …); use "
                f"Point.from_rates(tpr, fpr) or Point.from_counts(tp, fp, fn, tn)."
            )

    @property
    def _totals(self) -> tuple[float, float]:
        tp, fn, fp, tn = self._confusion
        return tp + fn, fp + tn

    @classmethod
    def from_rates(
        cls,
        tpr: float,
        fpr: float,
        *,
        prevalence: float | str | None = None,
        n_pos: float | None = None,
        n_neg: float | None = None,
    ) -> "Point":
        """A point from its true and false positive rate.

        Examples
        --------
        >>> import baserate as br
        >>> round(br.precision(br.Point.from_rates(0.5, 0.01, prevalence=0.01)), 4)
        0.3356
        """
        tpr, fpr = checks.share(tpr, "tpr"), checks.share(fpr, "fpr")
        given = None if prevalence is None else checks.prevalence(prevalence)
        sizes = checks.class_sizes(n_pos, n_neg)
        shares = Confusion(tp=tpr, fn=1 - tpr, fp=fpr, tn=1 - fpr)
        return cls(shares, sizes, _given=given)

    @classmethod
    def from_counts(cls, tp: int, fp: int, fn: int, tn: int) -> "Point":
        """A point from a confusion matrix, read at the prevalence of that matrix.

        Examples
        --------
        >>> import baserate as br
        >>> br.recall(br.Point.from_counts(tp=3, fp=1, fn=1, tn=5))
        0.75
        """
        named = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        whole = {name: int(checks.counts([value], name)[0]) for name, value in named.items()}
        sizes = whole["tp"] + whole["fn"], whole["fp"] + whole["tn"]
        return cls(Confusion(**{name: float(count) for name, count in whole.items()}), sizes)

    def at_prevalence(self, prevalence: float | str) -> "Point":
        """The same operating point read at another prevalence: a share, or odds such as "1:1000".

        Examples
        --------
        >>> import baserate as br
        >>> br.Point.from_rates(0.6, 0.001).at_prevalence("1:999").prevalence
        0.001
        """
        return replace(self, _given=checks.prevalence(prevalence))

    def __repr__(self) -> str:
        parts = [f"tpr={self.tpr:.4g}", f"fpr={self.fpr:.4g}"]
        if self.threshold is not None:
            parts.append(f"threshold={self.threshold:.6g}")
        parts.append(self._sizes())
        if self.chosen.rule != "given":
            parts.append(f"chosen by {self.chosen}")
        return f"Point({', '.join(parts)})"


class Points(Reading[FloatArray]):
    """Many operating points at once, for metrics that read one confusion matrix: those of a sweep, or of resamples.

    The cells and the odds against a positive are arrays or numbers that broadcast together.
    """

    _noun = "point"

    def __init__(self, confusion: Confusion[FloatArray] | Confusion[float], odds_against: FloatArray | float) -> None:
        *cells, self._odds = np.broadcast_arrays(*confusion, odds_against)
        self._cells = Confusion(*(cell.astype(np.float64) for cell in cells))
        self._n, self._given = (None, None), None

    @property
    def confusion(self) -> Confusion[FloatArray]:
        """The confusion matrices as counted or as shares of each class."""
        return self._cells

    @property
    def confusion_as_read(self) -> Confusion[FloatArray]:
        """The confusion matrices with their negatives weighted to match the odds."""
        tp, fn, fp, tn = self._cells
        return with_negatives_weighted(self._cells, self._odds * ratio(tp + fn, fp + tn))

    @property
    def _totals(self) -> tuple[float, float]:
        raise NotImplementedError("each point has totals of its own")

    @property
    def missing_class(self) -> Reason | None:
        """What is missing for a metric of both classes; None where nothing is."""
        tp, fn, fp, tn = self._cells
        if tp.size == 0:
            return None
        no_positives, no_negatives = not (tp + fn).any(), not (fp + tn).any()
        if no_positives:
            return Reason.NO_ROWS if no_negatives else Reason.NO_POSITIVES
        return Reason.NO_NEGATIVES if no_negatives else None

    @property
    def prevalence(self) -> float:
        """A pointwise metric reads the confusion matrix, never the prevalence itself."""
        raise NotImplementedError("each point may have a prevalence of its own")

    def at_prevalence(self, prevalence: float | str) -> "Points":
        """The same points, all read at one prevalence."""
        eta = checks.prevalence(prevalence)
        return Points(self._cells, (1 - eta) / eta)
