"""The base of Curve and Point: four rates, two class sizes and a prevalence."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Self

from baserate.arrays import Prevalence
from baserate.errors import MissingInformationError, Reason
from baserate.formulas import exact
from baserate.formulas.pointwise import ClassRates, Confusion, N, rates, ratio, with_negatives_weighted
from baserate.written import one_in_to_four_digits


class Reading(ABC, Generic[N]):
    """Rates at a prevalence, which is that of the data or a given one.

    Pointwise metrics read it. A ``Point`` is a ``Reading[float]``, and a ``Curve`` is one with arrays along its
    thresholds.
    """

    _n: tuple[float | None, float | None]  # class sizes
    _given: float | None  # the prevalence it was told to be read at
    _noun: ClassVar[str]

    @property
    @abstractmethod
    def confusion(self) -> Confusion[N]:
        """The confusion matrix in counts; for a curve or point made from rates, in shares of each class."""

    @property
    @abstractmethod
    def _totals(self) -> tuple[float, float]:
        """The sum of the cells of each class: the class size, or 1 if cells are shares."""

    @property
    def confusion_as_read(self) -> Confusion[N]:
        """The confusion matrix with negatives weighted to the prevalence; at the data's own, their weight is 1."""
        return self._as_read(self.confusion)

    def _as_read(self, counted: Confusion[N]) -> Confusion[N]:
        """The confusion matrix of counts, with negatives weighted to the prevalence."""
        if self._at_own:
            return counted
        return with_negatives_weighted(counted, self.negative_weight)

    @property
    def _at_own(self) -> bool:
        return self._given is None and (self._totals == self._n or self.not_labelled is not None)

    @property
    def negative_weight(self) -> float:
        """The weight of a negative at the prevalence, if a positive has weight 1; at the data's own it is 1."""
        if self._at_own:
            return 1.0
        n_pos, n_neg = self._totals
        return self.odds_against * ratio(n_pos, n_neg)

    @property
    def exact_weight(self) -> exact.Twofold:
        """The weight of a negative with twice the precision of a float, for differences near 0."""
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
    def rates(self) -> ClassRates[N]:
        """The four rates tpr, fnr, fpr and tnr; nan for a class without rows."""
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
        """Set another prevalence."""

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
        """Share of positives in the data; None if only rates are known, nan without rows."""
        n_pos, n_neg = self._n
        if n_pos is None or n_neg is None:
            return None
        return ratio(float(n_pos), float(n_pos + n_neg))

    @property
    def given_prevalence(self) -> float | None:
        """The prevalence set by `at_prevalence`; None at the data's own."""
        return self._given

    @property
    def prevalence(self) -> float:
        """The prevalence that metrics use."""
        prevalence = self._given if self._given is not None else self.own_prevalence
        if prevalence is None:
            raise MissingInformationError(
                f"this {self._noun} was made from rates and has no prevalence; "
                f"read it at one with .at_prevalence(0.01)."
            )
        return prevalence

    @property
    def odds_against(self) -> float:
        """Negatives per positive at the prevalence."""
        n_pos, n_neg = self._n
        if self._given is None and n_pos is not None and n_neg is not None:
            return ratio(float(n_neg), float(n_pos))
        prevalence = self.prevalence
        return (1 - prevalence) / prevalence

    @property
    def not_labelled(self) -> Reason | None:
        """The reason why class sizes are unknown, if a stratum of the rows has no labels."""
        return Reason.NOT_LABELLED if any(size is not None and math.isnan(size) for size in self._n) else None

    @property
    def missing_class(self) -> Reason | None:
        """The reason why metrics of both classes are undefined; None if both classes have rows."""
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
            parts.append(f"read at prevalence {one_in_to_four_digits(self._given)}")
            parts += [f"own {one_in_to_four_digits(own)}"] if own is not None else []
        elif self.own_prevalence is not None:
            parts.append(f"prevalence {one_in_to_four_digits(self.own_prevalence)}")
        else:
            parts.append("no prevalence")
        return ", ".join(parts)
