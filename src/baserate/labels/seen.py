"""Labelled rows and double-labelled rows: what was seen, and draws of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.mislabelled import ErrorRates, PossibleEnd, at_an_end, corrected, rates_of
from baserate.formulas.pointwise import Confusion
from baserate.labels.errors import LabelErrors
from baserate.labels.tables import LabelledRows

# Where many true positives above the threshold make a rate low.
_FALLING = frozenset({"fpr"})


@dataclass(frozen=True)
class SeenLabels:
    """Labelled rows, and the error rates of their labels: once, or with a leading axis of draws.

    Attributes
    ----------
    rows : LabelledRows
        The rows.
    rates : ErrorRates
        The error rates, by range of scores.
    checked : array
        Right and wrong labels behind the rates, by range, class, and right or wrong; 0 behind known rates.
    may_follow_score : bool
        Whether errors may follow the score.
    odds_against : float or None
        The odds at which precision is read; None for those of the true counts.
    """

    rows: LabelledRows
    rates: ErrorRates
    checked: FloatArray
    may_follow_score: bool
    odds_against: float | None

    @classmethod
    def of(
        cls,
        rows: LabelledRows,
        errors: Sequence[LabelErrors],
        *,
        may_follow_score: bool,
        odds_against: float | None,
    ) -> "SeenLabels":
        """What was seen, with error rates by range of scores."""
        rates = np.array([[one.sensitivity, one.specificity] for one in errors])
        n = np.array([[one.n_pos, one.n_neg] for one in errors])
        n = np.where(np.isfinite(n), n, 0.0)
        checked = np.stack([n * rates, n * (1 - rates)], axis=-1)
        return cls(rows, ErrorRates(rates[:, 0], rates[:, 1]), checked, may_follow_score, odds_against)

    def read(self, name: str, true: Confusion[FloatArray]) -> FloatArray:
        """A rate of true counts."""
        rate: FloatArray = getattr(rates_of(true, self.odds_against), name)
        return rate

    def as_labelled(self) -> Confusion[FloatArray]:
        """The confusion matrix as if all labels were right."""
        pos, neg = self.rows.standing_for_all()
        (tp, fn), (fp, tn) = pos.sum(axis=0), neg.sum(axis=0)
        return Confusion(tp, fn, fp, tn)

    def true_counts(self, name: str, *, high: bool) -> Confusion[FloatArray]:
        """The true counts, such that a rate is low, or high, if errors may follow the score."""
        pos, neg = self.rows.standing_for_all()
        if not self.may_follow_score:
            return corrected(pos, neg, self.rates)
        end: PossibleEnd = "most" if high != (name in _FALLING) else "least"
        return at_an_end(pos, neg, self.rates, end)

    def drawn(self, n: int, rng: np.random.Generator) -> "SeenLabels":
        """Draws of the rows and of the checked labels; the rates stay."""
        pos, neg, unlabelled, checked = (
            rng.standard_gamma(one, (n, *one.shape))
            for one in (self.rows.pos, self.rows.neg, self.rows.unlabelled, self.checked)
        )
        return replace(self, rows=LabelledRows(pos, neg, unlabelled), checked=checked)
