"""An operating point, and arrays of operating points."""

import math
from dataclasses import dataclass, field, replace
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalence
from baserate.curves.reading import Reading
from baserate.errors import InputError, Reason, shown
from baserate.formulas import exact
from baserate.formulas.pointwise import Confusion, ratio, with_negatives_weighted

if TYPE_CHECKING:
    from baserate.curves.curve import Curve
    from baserate.curves.rules import Rule


def shortest(threshold: float, below: float) -> float:
    """A threshold in the fewest digits, at least four, that select the same rows: it stays above the score `below`."""
    if not math.isfinite(threshold):
        return threshold
    every_digit = Decimal(threshold)
    rounded = (
        float(Context(digits, way).plus(every_digit))
        for digits in range(4, 18)
        for way in (ROUND_HALF_EVEN, ROUND_FLOOR)
    )
    return next((value for value in rounded if below < value <= threshold), threshold)


@dataclass(frozen=True, repr=False)
class Point(Reading[float]):
    """One operating point: a TPR and an FPR, read at a prevalence.

    Points come from a Curve (``curve.at_recall(0.6)``), from rates or from a confusion matrix.

    Attributes
    ----------
    tpr, fnr, fpr, tnr : float
        The rates.
    prevalence : float
        The prevalence that metrics use.
    n_pos, n_neg : number or None
        Class sizes behind the rates.
    threshold : float or None
        Scores at or above it are predicted positive.
    chosen : Rule or None
        The rule that chose it; None for a point that was stated.
    curve : Curve or None
        The curve that it was chosen on, at its prevalence.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> point
    Point(tpr=0.6, fpr=0.001, 100 pos, 100,000 neg, prevalence 1 in 1,001)
    >>> br.precision(point)
    0.375
    >>> round(br.precision(point.at_prevalence("1 in 10,000")), 4)
    0.0566
    """

    _confusion: Confusion[float]
    _n: tuple[float | None, float | None]
    threshold: float | None = None
    chosen: "Rule | None" = None
    curve: "Curve | None" = field(default=None, compare=False)
    _given: float | None = None
    _noun: ClassVar[str] = "point"

    @property
    def confusion(self) -> Confusion[float]:
        """The confusion matrix in counts; for a point made from rates, in shares of each class."""
        return self._confusion

    def __post_init__(self) -> None:
        if not isinstance(self._confusion, Confusion):
            raise InputError(
                f"a Point must be made from rates or counts, got Point({shown(self._confusion)}, …); use "
                f"Point.from_rates(tpr, fpr) or Point.from_counts(tp, fp, fn, tn)."
            )

    @property
    def _totals(self) -> tuple[float, float]:
        tp, fn, fp, tn = self._confusion
        return tp + fn, fp + tn

    @property
    def threshold_text(self) -> str:
        """The threshold in the fewest digits that choose the same point on its curve; empty without a threshold."""
        if self.threshold is None:
            return ""
        if self.curve is None or not self.curve.has_scores:
            return repr(self.threshold).removesuffix(".0")
        below = self.curve.top[self.curve.score < self.threshold][:1]
        return repr(shortest(self.threshold, float(below.max(initial=-math.inf)))).removesuffix(".0")

    @property
    def chosen_by(self) -> str | None:
        """The text of the rule that chose this point, with the prevalence if the choice depends on it."""
        return None if self.chosen is None or self.curve is None else self.chosen.said_of(self.curve)

    @classmethod
    @checks.declared
    def from_rates(
        cls,
        tpr: float,
        fpr: float,
        *,
        prevalence: Prevalence | None = None,
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
    @checks.declared
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

    def at_prevalence(self, prevalence: Prevalence) -> "Point":
        """Read the operating point at another prevalence: a share, or a text such as "1 in 1,000" or "1:999".

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
            parts.append(f"threshold={self.threshold_text}")
        parts.append(self._sizes())
        if self.chosen_by is not None:
            parts.append(f"chosen by {self.chosen_by}")
        return f"Point({', '.join(parts)})"


class Points(Reading[FloatArray]):
    """Many operating points at once, such as those of a sweep or of resamples, for pointwise metrics.

    The cells and the odds are arrays or numbers that broadcast. The odds may have twice the precision of a float.
    """

    _noun = "point"

    def __init__(
        self, confusion: Confusion[FloatArray] | Confusion[float], odds_against: FloatArray | float | exact.Twofold
    ) -> None:
        odds = odds_against if isinstance(odds_against, exact.Twofold) else exact.Twofold(odds_against)
        *cells, high, low = np.broadcast_arrays(*confusion, *odds)
        self._odds = exact.Twofold(high, low)
        self._cells = Confusion(*(cell.astype(np.float64) for cell in cells))
        self._n, self._given = (None, None), None

    @property
    def confusion(self) -> Confusion[FloatArray]:
        """The confusion matrices in counts, or in shares of each class."""
        return self._cells

    def _as_read(self, counted: Confusion[FloatArray]) -> Confusion[FloatArray]:
        """The confusion matrices with their negatives weighted to match the odds."""
        tp, fn, fp, tn = counted
        return with_negatives_weighted(counted, self._odds.high * ratio(tp + fn, fp + tn))

    @property
    def exact_weight(self) -> exact.Twofold:
        """The weights of negatives, with twice the precision of a float."""
        tp, fn, fp, tn = self._cells
        return exact.quotient(exact.times(self._odds, tp + fn), fp + tn)

    @property
    def _totals(self) -> tuple[float, float]:
        raise NotImplementedError("each point has totals of its own")

    @property
    def missing_class(self) -> Reason | None:
        """The reason why metrics of both classes are undefined; None if both classes have rows."""
        tp, fn, fp, tn = self._cells
        if tp.size == 0:
            return None
        no_positives, no_negatives = not (tp + fn).any(), not (fp + tn).any()
        if no_positives:
            return Reason.NO_ROWS if no_negatives else Reason.NO_POSITIVES
        return Reason.NO_NEGATIVES if no_negatives else None

    @property
    def prevalence(self) -> float:
        """Not available: pointwise metrics read the confusion matrices only."""
        raise NotImplementedError("each point may have a prevalence of its own")

    def at_prevalence(self, prevalence: Prevalence) -> "Points":
        """Read all points at one prevalence."""
        eta = checks.prevalence(prevalence)
        return Points(self._cells, exact.odds_against(eta))
