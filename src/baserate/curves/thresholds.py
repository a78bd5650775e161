"""The thresholds of a curve, and rules to choose one of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from baserate import checks
from baserate.arrays import CountArray, Counts, FloatArray
from baserate.curves.counting import Counted
from baserate.curves.point import Point
from baserate.curves.reading import Reading
from baserate.curves.rules import AlertRate, Best, Fpr, Precision, Recall, Rule, Threshold, TopK
from baserate.curves.strata import SampledTable, Stratum, no_rows
from baserate.curves.table import CountTable, ThresholdTable
from baserate.errors import InputError, MissingInformationError, Reason
from baserate.formulas.pointwise import Confusion

if TYPE_CHECKING:
    from baserate.curves.curve import Curve


class Thresholds(Reading[FloatArray]):
    """The part of a Curve that deals with its thresholds, highest first.

    The ``at_`` methods and `best` choose one threshold and return a Point. Points are never interpolated. A target that
    is missed by a rounding error counts as met.
    """

    table: ThresholdTable

    def __len__(self) -> int:
        """Number of thresholds: distinct scores, or points of a curve of rates."""
        return len(self.table)

    @property
    def has_scores(self) -> bool:
        """False for a curve of rates."""
        return isinstance(self.table, CountTable)

    @property
    def weighted(self) -> bool:
        """True if rows had weights, so that totals are not numbers of cases."""
        return isinstance(self.table, CountTable) and self.table.weighted

    @property
    def sampled(self) -> bool:
        """True if only some rows were sampled for labelling, so that counts are estimates."""
        return isinstance(self.table, SampledTable)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """How rows were sampled for labelling; if all of them are labelled, there is one stratum at most."""
        if isinstance(self.table, SampledTable):
            return self.table.strata
        counted = self._counted("counts")
        if counted.pos_squares is not None:
            raise InputError(
                "curves of sampled labels can be added to curves of labelled rows, got weighted ones; count rows "
                "without weights."
            )
        return (Stratum("all", counted, no_rows()),)

    @property
    def missing_class(self) -> Reason | None:
        """The reason why metrics of both classes are undefined; None if they are not."""
        return self.not_labelled or super().missing_class

    def _check_not_sampled(self, what: str) -> None:
        """Refuse a curve of sampled labels where its strata would be ignored."""
        if self.sampled:
            raise MissingInformationError(
                f"{what} cannot yet use a curve of which only some rows were sampled for labelling; use metrics, "
                f"sweep, estimate or difference, or label all rows."
            )

    @property
    def _totals(self) -> tuple[float, float]:
        return self.table.total_pos, self.table.total_neg

    @property
    def confusion(self) -> Confusion[FloatArray]:
        """The confusion matrix at each threshold in counts; for a curve of rates, in shares of each class."""
        return self.table.confusion()

    @property
    def score(self) -> FloatArray:
        """The distinct scores, highest first: the thresholds."""
        return self._counted("scores").score

    @property
    def top(self) -> FloatArray:
        """The highest score of each entry; it equals `score` unless the entry is a bucket."""
        counted = self._counted("scores")
        return counted.score if counted.top is None else counted.top

    @property
    def middle(self) -> FloatArray:
        """The score of each entry, read as a probability; for a bucket its middle."""
        counted = self._counted("scores")
        return counted.score if counted.top is None else (counted.score + counted.top) / 2

    @property
    def bucketed(self) -> bool:
        """True if some entries are buckets: rows with different scores, whose order is lost.

        Counts at each `score` as threshold are exact. Metrics treat a bucket as a tie; `bounds` gives their range over
        all orders of its rows.
        """
        return isinstance(self.table, CountTable) and self.table.bucketed

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
        """Negatives at each score, weighted to the curve's prevalence."""
        return np.asarray(self.negative_weight * self.neg, np.float64)

    @property
    def pos_squares(self) -> CountArray:
        """Sum of squared weights of the positives at each score; without weights, their number."""
        self._check_not_sampled("what reads squared weights")
        squares = self._counted("counts").pos_squares
        return self.pos if squares is None else squares

    @property
    def neg_squares(self) -> CountArray:
        """Sum of squared weights of the negatives at each score; without weights, their number."""
        self._check_not_sampled("what reads squared weights")
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
        Point(tpr=0.8, fpr=0.05263, threshold=0.5, 50 pos, 950 neg, prevalence 1 in 20, chosen by threshold=0.5)
        """
        return self._chosen(Threshold(threshold))

    def at_recall(self, recall: float) -> Point:
        """The point at the highest threshold with a recall of at least `recall`.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_recall(0.6).threshold
        0.9
        """
        return self._chosen(Recall(recall))

    def at_fpr(self, fpr: float) -> Point:
        """The point at the lowest threshold with a false positive rate of at most `fpr`.

        If even the highest score has too many negatives, the threshold is infinite and there are no alerts.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.at_fpr(0.1).threshold, curve.at_fpr(0.01).threshold
        (0.9, inf)
        """
        return self._chosen(Fpr(fpr))

    def at_precision(self, precision: float) -> Point:
        """The point with the largest recall among those with a precision of at least `precision`, at the curve's
        prevalence.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
        >>> curve.at_precision(0.4).threshold
        0.9
        """
        return self._chosen(Precision(precision))

    def at_top_k(self, k: int) -> Point:
        """The point at the lowest threshold with at most `k` rows of the data at or above it.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_top_k(100).threshold
        0.9
        """
        return self._chosen(TopK(k))

    def at_alert_rate(self, alert_rate: float) -> Point:
        """The point at the lowest threshold with a share of alerts of at most `alert_rate`, at the curve's prevalence.

        Examples
        --------
        >>> import baserate as br
        >>> br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]).at_alert_rate(0.1).threshold
        0.9
        """
        return self._chosen(AlertRate(alert_rate))

    @checks.declared
    def best(self, metric: Callable[..., object]) -> Point:
        """The point at which a pointwise metric is best, at the curve's prevalence; the highest threshold if several
        are.

        No alerts at all, at an infinite threshold, is a candidate, too: at a small prevalence it may be the cheapest.
        Thresholds at which the metric is undefined are not. Costs are minimised. Your own function is maximised, and
        must accept a Curve and a Point.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
        >>> curve.best(br.f1).threshold, curve.at_prevalence(0.01).best(br.f1).threshold
        (0.4, 0.8)
        """
        return self._chosen(Best(metric))

    def _chosen(self, rule: Rule) -> Point:
        return rule.on(cast("Curve", self))


def _wide(counts: Counts) -> CountArray:
    """Counts as int64, so that the caller's arithmetic does not overflow narrow integers."""
    return counts if counts.dtype.kind == "f" else counts.astype(np.int64)
