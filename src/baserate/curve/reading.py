"""What a Curve and a Point have in common: four rates, two class sizes, and a prevalence to read them at."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Self

import numpy as np

from baserate.errors import MissingInformationError, Reason
from baserate.formulas.pointwise import Confusion, N, Rates, rates, ratio, with_negatives_weighted


class Reading(ABC, Generic[N]):
    """Rates read at a prevalence: its own, which follows the class sizes, or a given one."""

    _n: tuple[float | None, float | None]  # class sizes
    _given: float | None  # the prevalence it was told to be read at
    _noun: ClassVar[str]

    @property
    @abstractmethod
    def confusion(self) -> Confusion[N]:
        """The confusion matrix as counted; of a curve or point made from rates, as shares of each class."""

    @property
    def cases(self) -> Confusion[N]:
        """The confusion matrix at the prevalence read at: negatives weighted to match, 1 at its own."""
        c = self.confusion
        if np.size(c.tp) == 0:
            return c
        n_pos, n_neg = (float(np.ravel(total)[0]) for total in (c.tp + c.fn, c.fp + c.tn))
        if self._given is None and (n_pos, n_neg) == self._n:
            return c
        return with_negatives_weighted(c, self.odds_against * ratio(n_pos, n_neg))

    @property
    def rates(self) -> Rates[N]:
        """The four rates together: tpr, fnr, fpr, tnr; nan for a class that has no rows."""
        return rates(self.confusion)

    @property
    def n_pos(self) -> float | None:
        """Number (or total weight) of positives; None where only rates are known."""
        return self._n[0]

    @property
    def n_neg(self) -> float | None:
        """Number (or total weight) of negatives; None where only rates are known."""
        return self._n[1]

    @abstractmethod
    def at_prevalence(self, prevalence: float | str) -> Self:
        """The same thing read at another prevalence."""

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
        if self.n_pos is None or self.n_neg is None:
            return None
        total = self.n_pos + self.n_neg
        return self.n_pos / total if total else float("nan")

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
        if self._given is None and self.n_pos and self.n_neg is not None:
            return self.n_neg / self.n_pos
        return (1 - prevalence) / prevalence if prevalence else float("inf")

    @property
    def lacks(self) -> Reason | None:
        """What is missing for a metric of both classes; None where nothing is."""
        if self.n_pos == 0:
            return Reason.NO_ROWS if self.n_neg == 0 else Reason.NO_POSITIVES
        return Reason.NO_NEGATIVES if self.n_neg == 0 else None

    def _sizes(self) -> str:
        """Class sizes and prevalence, for a repr."""
        parts = []
        if self.n_pos is not None and self.n_neg is not None:
            parts += [f"{self.n_pos:,.6g} pos" if isinstance(self.n_pos, float) else f"{self.n_pos:,} pos"]
            parts += [f"{self.n_neg:,.6g} neg" if isinstance(self.n_neg, float) else f"{self.n_neg:,} neg"]
        if self._given is not None:
            own = self.own_prevalence
            parts.append(f"read at prevalence={self._given:.4g}" + (f", own {own:.4g}" if own is not None else ""))
        elif self.own_prevalence is not None:
            parts.append(f"prevalence={self.own_prevalence:.4g}")
        else:
            parts.append("no prevalence")
        return ", ".join(parts)
