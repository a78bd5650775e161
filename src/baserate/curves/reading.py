"""What a Curve and a Point have in common: four rates, two class sizes, and a prevalence to read them at."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Self

from baserate.arrays import Prevalence
from baserate.errors import MissingInformationError, Reason
from baserate.formulas import exact
from baserate.formulas.pointwise import Confusion, N, Rates, rates, ratio, with_negatives_weighted


class Reading(ABC, Generic[N]):
    """Rates read at a prevalence: its own, which follows the class sizes, or a given one.

    What pointwise metrics read. ``Point`` is a ``Reading[float]`` and ``Curve`` one of arrays along its
    thresholds; a metric of your own may be annotated with it.

    Examples
    --------
    >>> import baserate as br
    >>> def false_alarms_per_hit(at: br.Reading) -> float:
    ...     return at.confusion_as_read.fp / at.confusion_as_read.tp
    >>> point = br.Point.from_rates(tpr=0.5, fpr=0.01)
    >>> br.sweep(false_alarms_per_hit, point, [0.5, 0.01]).value.round(2)
    array([0.02, 1.98])
    """

    _n: tuple[float | None, float | None]  # class sizes
    _given: float | None  # the prevalence it was told to be read at
    _noun: ClassVar[str]

    @property
    @abstractmethod
    def confusion(self) -> Confusion[N]:
        """The confusion matrix as counted; of a curve or point made from rates, as shares of each class."""

    @property
    @abstractmethod
    def _totals(self) -> tuple[float, float]:
        """What the cells of each class add up to: the class sizes, or 1 where the cells are shares."""

    @property
    def confusion_as_read(self) -> Confusion[N]:
        """The confusion matrix at the prevalence read at: negatives weighted to match, by 1 at its own."""
        return self._as_read(self.confusion)

    def _as_read(self, counted: Confusion[N]) -> Confusion[N]:
        """The confusion matrix as counted with its negatives weighted to match the prevalence read at."""
        if self._at_own:
            return counted
        return with_negatives_weighted(counted, self.negative_weight)

    @property
    def _at_own(self) -> bool:
        return self._given is None and self._totals == self._n

    @property
    def negative_weight(self) -> float:
        """What one negative counts as, against one positive, at the prevalence read at; 1 at its own."""
        if self._at_own:
            return 1.0
        n_pos, n_neg = self._totals
        return self.odds_against * ratio(n_pos, n_neg)

    @property
    def exact_weight(self) -> exact.Twofold:
        """The weight of a negative with twice the digits, for a difference that may come next to 0."""
        if self._at_own:
            return exact.Twofold(1.0)
        n_pos, n_neg = self._totals
        return exact.quotient(exact.times(self._exact_odds, float(n_pos)), float(n_neg))

    @property
    def _exact_odds(self) -> exact.Twofold:
        if self._given is not None:
            return exact.odds_against(self._given)
        return exact.quotient(exact.Twofold(float(self.n_neg)), float(self.n_pos))

    @property
    def rates(self) -> Rates[N]:
        """The four rates together: tpr, fnr, fpr, tnr; nan for a class that has no rows."""
        return rates(self.confusion)

    @property
    def n_pos(self) -> float:
        """Number (or total weight) of positives."""
        return self._size(0)

    @property
    def n_neg(self) -> float:
        """Number (or total weight) of negatives."""
        return self._size(1)

    def _size(self, which: int) -> float:
        size = self._n[which]
        if size is None:
            raise MissingInformationError(
                f"this {self._noun} was made from rates and has no numbers of cases; pass n_pos= and n_neg= with them."
            )
        return size

    @abstractmethod
    def at_prevalence(self, prevalence: Prevalence) -> Self:
        """Read it at another prevalence."""

    @property
    def tpr(self) -> N:
        """Share of the positives predicted positive: recall, sensitivity."""
        return self.rates.tpr

    @property
    def fnr(self) -> N:
        """Share of the positives predicted negative."""
        return self.rates.fnr

    @property
    def fpr(self) -> N:
        """Share of the negatives predicted positive."""
        return self.rates.fpr

    @property
    def tnr(self) -> N:
        """Share of the negatives predicted negative: specificity."""
        return self.rates.tnr

    @property
    def own_prevalence(self) -> float | None:
        """Share of positives in the data; None where only rates are known, nan without rows."""
        n_pos, n_neg = self._n
        if n_pos is None or n_neg is None:
            return None
        return ratio(float(n_pos), float(n_pos + n_neg))

    @property
    def given_prevalence(self) -> float | None:
        """The prevalence it was told to be read at; None if it is read at its own."""
        return self._given

    @property
    def prevalence(self) -> float:
        """The prevalence it is read at."""
        prevalence = self._given if self._given is not None else self.own_prevalence
        if prevalence is None:
            raise MissingInformationError(
                f"this {self._noun} was made from rates and has no prevalence; "
                f"read it at one with .at_prevalence(0.01)."
            )
        return prevalence

    @property
    def odds_against(self) -> float:
        """Negatives per positive at the prevalence it is read at."""
        prevalence = self.prevalence
        if self._given is None:
            return ratio(float(self.n_neg), float(self.n_pos))
        return (1 - prevalence) / prevalence

    @property
    def missing_class(self) -> Reason | None:
        """What is missing for a metric of both classes; None where nothing is."""
        n_pos, n_neg = self._n
        if n_pos == 0:
            return Reason.NO_ROWS if n_neg == 0 else Reason.NO_POSITIVES
        return Reason.NO_NEGATIVES if n_neg == 0 else None

    def _sizes(self) -> str:
        """Class sizes and prevalence, for a repr."""
        parts = []
        for size, name in zip(self._n, ("pos", "neg"), strict=True):
            if size is not None:
                parts.append(f"{size:,.6g} {name}" if isinstance(size, float) else f"{size:,} {name}")
        if self._given is not None:
            own = self.own_prevalence
            parts.append(f"read at prevalence={self._given:.4g}" + (f", own {own:.4g}" if own is not None else ""))
        elif self.own_prevalence is not None:
            parts.append(f"prevalence={self.own_prevalence:.4g}")
        else:
            parts.append("no prevalence")
        return ", ".join(parts)
