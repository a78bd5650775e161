"""Results about labels that are sometimes wrong."""

import math
from dataclasses import dataclass

from baserate.errors import Reason
from baserate.results.base import Result, Row, Said
from baserate.results.words import percent
from baserate.written import one_in

_SAID = {"prevalence": "prevalence", "recall": "recall", "fpr": "false positive rate", "precision": "precision"}


@dataclass(frozen=True, eq=False)
class CorrectedRate(Result):
    """A rate corrected for wrong labels, as one of `CorrectedRates`.

    Attributes
    ----------
    rate : str
        "prevalence", "recall", "fpr" or "precision".
    value : float
        The corrected rate; nan if only bounds are known, or nothing.
    least, most : float
        Its bounds; both are the value, unless errors may follow the score.
    low, high : float
        The interval, which contains the bounds.
    labelled : float
        The rate if all labels were right.
    cut : bool
        Whether a corrected count was negative and was set to 0.
    reason : Reason or None
        Why there is no value, if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=10, fn=40, tn=890)
    >>> print(br.labels.corrected(point, br.labels.LabelErrors(0.9, 0.99), rng=0).recall)
    recall 0.6589 [0.5456, 0.7668], as labelled 0.6
    """

    rate: str
    value: float = math.nan
    least: float = math.nan
    most: float = math.nan
    low: float = math.nan
    high: float = math.nan
    labelled: float = math.nan
    cut: bool = False
    reason: Reason | None = None

    def _texts(self) -> list[str]:
        """Its name, what is known of it, its interval, and what the labels say."""
        return [_SAID[self.rate], self._known(), self._interval(), self._number(self.labelled)]

    def _number(self, value: float) -> str:
        if math.isnan(value):
            return "undefined"
        return one_in(value) if self.rate == "prevalence" and 0 < value < 1 else f"{value:.4g}"

    def _known(self) -> str:
        if self.reason is Reason.ERRORS_MAY_FOLLOW_SCORE and self.least != self.most:
            return f"{self._number(self.least)} to {self._number(self.most)}"
        return self._number(self.least)

    def _interval(self) -> str:
        return "" if math.isnan(self.low) else f"[{self._number(self.low)}, {self._number(self.high)}]"

    def _said(self) -> Said:
        name, known, interval, labelled = self._texts()
        text = " ".join(part for part in (name, known, interval) if part)
        return Said(f"{text}, as labelled {labelled}" + (f": {note}" if (note := self._note()) else ""))

    def _note(self) -> str:
        """A sentence about it, if there is one."""
        if self.reason is not None and self.reason is not Reason.ERRORS_MAY_FOLLOW_SCORE:
            return self.reason.sentence
        return "errors alone explain more labels than there are, so a corrected count was set to 0" if self.cut else ""


@dataclass(frozen=True, eq=False)
class CorrectedRates(Result):
    """Rates at a threshold, corrected for wrong labels, as returned by `labels.corrected`.

    Attributes
    ----------
    rates : tuple of CorrectedRate
        The prevalence, recall, the false positive rate and precision, in this order.
    errors : str
        The error rates as text.
    read_at : float or None
        The prevalence at which precision is read; None for the corrected one.
    n_labelled : int
        Rows with a label.
    confidence_level : float
        The nominal coverage of each interval.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=10, fn=40, tn=890)
    >>> found = br.labels.corrected(point, br.labels.LabelErrors(0.9, 0.99), rng=0)
    >>> [row["rate"] for row in found.rows()]
    ['prevalence', 'recall', 'fpr', 'precision']
    """

    rates: tuple[CorrectedRate, ...]
    errors: str
    read_at: float | None
    n_labelled: int
    confidence_level: float

    @property
    def prevalence(self) -> CorrectedRate:
        """The prevalence of the rows."""
        return self.rates[0]

    @property
    def recall(self) -> CorrectedRate:
        """The share of positives above the threshold."""
        return self.rates[1]

    @property
    def fpr(self) -> CorrectedRate:
        """The share of negatives above the threshold."""
        return self.rates[2]

    @property
    def precision(self) -> CorrectedRate:
        """The share of rows above the threshold that are positive."""
        return self.rates[3]

    def _rows(self) -> list[Row]:
        return [one.row() for one in self.rates]

    def _said(self) -> Said:
        where = "" if self.read_at is None else f"; precision at prevalence {one_in(self.read_at)}"
        bounds = any(one.reason is Reason.ERRORS_MAY_FOLLOW_SCORE for one in self.rates)
        notes = dict.fromkeys(note for one in self.rates if (note := one._note()))
        foot = [*([Reason.ERRORS_MAY_FOLLOW_SCORE.sentence] if bounds else []), *notes]
        return Said(
            f"corrected for labels of {self.errors} ({self.n_labelled:,} rows labelled{where})",
            ["", "corrected", percent(self.confidence_level), "as labelled"],
            [one._texts() for one in self.rates],
            foot,
        )
