"""A table along its thresholds: what is there, and which one to choose."""

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from baserate import checks
from baserate.arrays import CountArray, Counts, FloatArray
from baserate.curves.counting import Counted
from baserate.curves.point import Choice, Point
from baserate.curves.reading import Reading
from baserate.curves.table import CountTable, Table
from baserate.errors import InputError, MissingInformationError, NoSuchPointError, UndefinedMetricWarning
from baserate.formulas import pointwise
from baserate.formulas.pointwise import Confusion
from baserate.registry import describe, lower_is_better

if TYPE_CHECKING:
    from baserate.curves.curve import Curve

# Two values closer than this, relatively, are equal: they differ by the rounding of the formula only.
ROUNDING = 8 * np.finfo(np.float64).eps

# The row above all others: nothing is predicted positive.
_ABOVE_ALL = -1


class Thresholds(Reading[FloatArray]):
    """The part of a Curve that looks along its thresholds, highest first.

    The ``at_`` rules and `best` pick one threshold as a Point. Points are never interpolated, and a wish is met
    if it is met up to the rounding of the arithmetic.
    """

    table: Table

    def __len__(self) -> int:
        """Number of thresholds: distinct scores, or points of a curve of rates."""
        return len(self.table)

    @property
    def has_scores(self) -> bool:
        """False for a curve of rates."""
        return self.table.score is not None

    @property
    def weighted(self) -> bool:
        """True if rows had weights, so that totals are not numbers of cases."""
        return isinstance(self.table, CountTable) and self.table.weighted

    @property
    def _totals(self) -> tuple[float, float]:
        return self.table.total_pos, self.table.total_neg

    @property
    def confusion(self) -> Confusion[FloatArray]:
        """The confusion matrix at each threshold, as counted; of a curve of rates, as shares of each class."""
        return self.table.confusion()

    @property
    def score(self) -> FloatArray:
        """The distinct scores, highest first: the thresholds."""
        return self._counted("scores").score

    @property
    def top(self) -> FloatArray:
        """The highest score among the rows counted at each `score`: the same, unless the entry is a bucket."""
        counted = self._counted("scores")
        return counted.score if counted.top is None else counted.top

    @property
    def middle(self) -> FloatArray:
        """The score that the rows of each entry are read at as probabilities: halfway through a bucket."""
        counted = self._counted("scores")
        return counted.score if counted.top is None else (counted.score + counted.top) / 2

    @property
    def bucketed(self) -> bool:
        """True if some entries are buckets: rows with different scores that are no longer told apart.

        Every `score` is still a threshold whose counts are exact. Metrics read a bucket as a tie; `bounds` tells
        what they could be if its rows were told apart.
        """
        return isinstance(self.table, CountTable) and self.table.counted.top is not None

    @property
    def pos(self) -> CountArray:
        """Positives (or their weight) at each score."""
        return _wide(self._counted("counts").pos)

    @property
    def neg(self) -> CountArray:
        """Negatives (or their weight) at each score."""
        return _wide(self._counted("counts").neg)

    @property
    def neg_as_read(self) -> FloatArray:
        """Negatives at each score, weighted to the prevalence the curve is read at."""
        return np.asarray(self.negative_weight * self.neg, np.float64)

    @property
    def pos_squares(self) -> CountArray:
        """Sum of squared weights of the positives at each score; their number where rows have no weights."""
        squares = self._counted("counts").pos_squares
        return self.pos if squares is None else squares

    @property
    def neg_squares(self) -> CountArray:
        """Sum of squared weights of the negatives at each score; their number where rows have no weights."""
        squares = self._counted("counts").neg_squares
        return self.neg if squares is None else squares

    def _counted(self, wanted: str) -> Counted:
        if not isinstance(self.table, CountTable):
            raise MissingInformationError(
                f"this curve was made from rates and has no {wanted}; build it with from_scores or from_counts."
            )
        return self.table.counted

    # --- choosing one --------------------------------------------------------------------------------

    def at_threshold(self, threshold: float) -> Point:
        """The point that predicts positive at `threshold` and above.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_threshold(0.5)
        Point(tpr=0.8, fpr=0.05263, threshold=0.5, 50 pos, 950 neg, prevalence=0.05, chosen by threshold 0.5)
        """
        wanted = checks.number(threshold, "threshold")
        row = len(self) - int(np.searchsorted(self.score[::-1], wanted)) - 1
        return self._point(row, Choice("threshold", wanted), threshold=wanted)

    def at_recall(self, recall: float) -> Point:
        """The highest threshold whose recall reaches `recall`.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_recall(0.6).threshold
        0.9
        """
        wanted = checks.share(recall, "recall", above=True)
        self._needs_both_classes()
        tp, _ = self.table.cumulative()
        row = int(np.searchsorted(tp, wanted * self.table.total_pos * (1 - ROUNDING)))
        return self._point(row, Choice("recall", wanted))

    def at_fpr(self, fpr: float) -> Point:
        """The lowest threshold whose false positive rate stays within `fpr`.

        Where even the highest score has too many negatives, the point alerts on nothing and its threshold
        is infinite.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.at_fpr(0.1).threshold, curve.at_fpr(0.01).threshold
        (0.9, inf)
        """
        wanted = checks.share(fpr, "fpr")
        self._needs_both_classes()
        _, fp = self.table.cumulative()
        return self._point(_last_within(fp, wanted * self.table.total_neg), Choice("fpr", wanted))

    def at_precision(self, precision: float) -> Point:
        """The threshold with the largest recall among those whose precision, as read, reaches `precision`.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.at_precision(0.4).threshold
        0.9
        """
        wanted = checks.share(precision, "precision", above=True)
        self._needs_both_classes()
        cases = self.confusion_as_read
        reached = pointwise.precision(cases)
        rows = np.flatnonzero(reached >= wanted * (1 - ROUNDING))
        if len(rows) == 0:
            highest = int(np.nanargmax(reached))
            where = f", at threshold {self.score[highest]:.6g}" if self.has_scores else ""
            raise NoSuchPointError(
                f"no threshold has precision >= {wanted} at prevalence {self.prevalence:.4g}; the highest is "
                f"{reached[highest]:.4g}{where}."
            )
        # Several thresholds may share the largest recall; the highest of them has the best precision.
        row = int(rows[cases.tp[rows] == cases.tp[rows[-1]]][0])
        return self._point(row, Choice("precision", wanted, prevalence=self.prevalence))

    def at_top_k(self, k: int) -> Point:
        """The lowest threshold with at most `k` rows of the data at or above it.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_top_k(100).threshold
        0.9
        """
        wanted = checks.whole_number(k, "k")
        if self.weighted or not self.has_scores:
            raise MissingInformationError(
                "at_top_k counts rows, and this curve has weights or rates instead; use at_alert_rate with a share."
            )
        rows_above = np.cumsum(self.pos + self.neg)
        return self._point(_last_within(rows_above, wanted), Choice("top_k", wanted))

    def at_alert_rate(self, alert_rate: float) -> Point:
        """The lowest threshold whose share of alerts, at the prevalence read at, stays within `alert_rate`.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_alert_rate(0.1).threshold
        0.9
        """
        wanted = checks.share(alert_rate, "alert_rate")
        self._needs_both_classes()
        row = _last_within(pointwise.alert_rate(self.confusion_as_read), wanted)
        return self._point(row, Choice("alert_rate", wanted, prevalence=self.prevalence))

    def best(self, metric: Callable[..., object]) -> Point:
        """The threshold where a pointwise metric is best, as read; among equals the highest.

        Alerting on nothing, at an infinite threshold, competes too: at a small prevalence it may well be the
        cheapest. Thresholds where the metric is undefined do not compete. A cost is made lowest; a function of
        your own is made highest, and must work on a Curve and on a Point alike.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
        >>> curve.best(br.f1).threshold, curve.at_prevalence(0.01).best(br.f1).threshold
        (0.4, 0.8)
        """
        self._needs_both_classes()
        sign = -1.0 if lower_is_better(metric) else 1.0
        choice = Choice("best", metric=metric, prevalence=self.prevalence)
        can_be_silent = not self.has_scores or self.top[0] < math.inf
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # an undefined threshold is simply not the best
            values = np.asarray(metric(self), np.float64)
            if values.shape != (len(self),):
                raise InputError(
                    f"best needs a pointwise metric, one value per threshold, got shape {values.shape} from "
                    f"{describe(metric)}; pass one such as br.f1."
                )
            silent = float(np.asarray(metric(self._point(_ABOVE_ALL, choice)))) if can_be_silent else math.nan
        gains: FloatArray = sign * np.append(silent, values)
        gains[np.isnan(gains)] = -np.inf
        highest = float(gains.max())
        if highest == -np.inf:
            raise NoSuchPointError(f"{describe(metric)} is undefined at every threshold of this curve.")
        nearly = highest - ROUNDING * abs(highest) if math.isfinite(highest) else highest
        return self._point(int(np.argmax(gains >= nearly)) - 1, choice)

    def _needs_both_classes(self) -> None:
        if self.missing_class:
            raise NoSuchPointError(f"a threshold cannot be chosen on this curve: {self.missing_class.sentence}.")

    def _point(self, row: int, choice: Choice, threshold: float | None = None) -> Point:
        if threshold is None and self.has_scores:
            if row == _ABOVE_ALL and len(self) and self.top[0] == math.inf:
                raise NoSuchPointError(f"no threshold has {choice}: the highest score is infinite, none lies above it.")
            threshold = float(self.score[row]) if row != _ABOVE_ALL else math.inf
        curve = cast("Curve", self)
        return Point(self.table.confusion_at(row), self._n, threshold, choice, curve, _given=self._given)


def _last_within(rising: Counts, limit: float) -> int:
    return int(np.searchsorted(rising, limit * (1 + ROUNDING), side="right")) - 1


def _wide(counts: Counts) -> CountArray:
    """Counts as int64, so that a caller's arithmetic cannot overflow the narrow ones kept inside."""
    return counts if counts.dtype.kind == "f" else counts.astype(np.int64)
