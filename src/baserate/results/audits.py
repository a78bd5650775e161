"""Results about published numbers."""

from dataclasses import dataclass

from baserate.results.base import Result, Row, Said
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class ImpliedRange(Result):
    """The values that a metric can have if published numbers are true, as listed by an `Audit`.

    Attributes
    ----------
    metric : str
        The metric.
    prevalence : float or None
        The prevalence that it is read at; None for the one behind the published numbers.
    low, high : float
        The lowest and the highest possible value.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.audit({"precision": "0.90", "recall": "0.80"}).implied[-1])
    f1 is between 0.842 and 0.8521
    """

    metric: str
    prevalence: float | None
    low: float
    high: float

    def _said(self) -> Said:
        where = "" if self.prevalence is None else f" at prevalence {one_in(self.prevalence)}"
        return Said(f"{self.metric}{where} is between {self.low:.4g} and {self.high:.4g}")


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """Whether published numbers can be true together, and what they imply, as returned by `audit`.

    It is true in a condition if they can.

    Attributes
    ----------
    printed : tuple of str
        The published numbers.
    possible : bool
        Whether nothing rules them out.
    why : str or None
        Which of them contradict each other; None if they are possible.
    implied : tuple of ImpliedRange
        The possible values of metrics; none if the numbers are not possible.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.audit({"auc_pr": "0.25", "prevalence": "0.5"})
    >>> found.possible, found.why
    (False, 'auc_pr 0.25 contradicts prevalence 0.5, which implies auc_pr between 0.2693 and 1')
    """

    printed: tuple[str, ...]
    possible: bool
    why: str | None
    implied: tuple[ImpliedRange, ...]

    def __bool__(self) -> bool:
        return self.possible

    def _rows(self) -> list[Row]:
        return [one.row() for one in self.implied] if self.possible else [{"possible": False, "why": self.why}]

    def _said(self) -> Said:
        if self.why is not None:
            return Said(f"not possible: {self.why}")
        cells = [
            [one.metric, "as printed" if one.prevalence is None else one_in(one.prevalence), *_ends(one)]
            for one in self.implied
        ]
        return Said(f"possible: {', '.join(self.printed)}", ("metric", "prevalence", "low", "high"), cells)


def _ends(one: ImpliedRange) -> list[str]:
    return [f"{one.low:.4g}", f"{one.high:.4g}"]
