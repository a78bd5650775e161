"""How often a labeller is right."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from baserate import checks
from baserate.errors import InputError, shown
from baserate.written import percent


@dataclass(frozen=True)
class LabelErrors:
    """How often a labeller, such as a person or a language model, is right in each class.

    Attributes
    ----------
    sensitivity, specificity : float
        The share of true positives labelled positive, and of true negatives labelled negative. Together they must be
        above 1: labels must be better than chance.
    n_pos, n_neg : float
        The numbers of true positives and true negatives that the rates come from; infinite if the rates are known.

    Examples
    --------
    >>> import baserate as br
    >>> br.labels.LabelErrors(sensitivity=0.9, specificity=0.99)
    LabelErrors(sensitivity=0.9, specificity=0.99)
    """

    sensitivity: float
    specificity: float
    n_pos: float = math.inf
    n_neg: float = math.inf

    def __post_init__(self) -> None:
        for name in ("sensitivity", "specificity"):
            object.__setattr__(self, name, checks.share(getattr(self, name), name))
        for name in ("n_pos", "n_neg"):
            n = checks.number(getattr(self, name), name)
            if n <= 0:
                raise InputError(
                    f"{name} must be above 0, got {shown(n)}; error rates need true positives and true negatives."
                )
        if self.sensitivity + self.specificity <= 1:
            raise InputError(
                f"labels must be better than chance, sensitivity + specificity above 1, got {self.sensitivity:.6g} and "
                f"{self.specificity:.6g}; no correction can make up for such labels."
            )

    @classmethod
    @checks.declared
    def from_double_labelled(cls, *, tp: int, fn: int, fp: int, tn: int) -> "LabelErrors":
        """Error rates from rows whose true label is known, too.

        The rows must be a random sample, or one of each true class. If they were chosen by the labeller's own answer,
        the rates are wrong.

        Parameters
        ----------
        tp, fn : int
            True positives that the labeller called positive, and negative.
        fp, tn : int
            True negatives that the labeller called positive, and negative.

        Examples
        --------
        >>> import baserate as br
        >>> br.labels.LabelErrors.from_double_labelled(tp=90, fn=10, fp=4, tn=396)
        LabelErrors(sensitivity=0.9, specificity=0.99, n_pos=100, n_neg=400)
        """
        named = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
        counts = {name: _count(value, name) for name, value in named.items()}
        n_pos, n_neg = counts["tp"] + counts["fn"], counts["fp"] + counts["tn"]
        for name, n in (("tp + fn", n_pos), ("fp + tn", n_neg)):
            if n == 0:
                raise InputError(
                    f"{name} must be above 0, got 0; error rates need rows of both true classes, labelled twice."
                )
        return cls(counts["tp"] / n_pos, counts["tn"] / n_neg, n_pos, n_neg)

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name):.6g}" for name in ("sensitivity", "specificity")]
        parts += [f"{name}={n:.6g}" for name in ("n_pos", "n_neg") if math.isfinite(n := getattr(self, name))]
        return f"LabelErrors({', '.join(parts)})"

    def __str__(self) -> str:
        rates = (("sensitivity", self.sensitivity, self.n_pos), ("specificity", self.specificity, self.n_neg))
        return ", ".join(
            f"{name} {percent(rate)}" + (f" of {n:,.6g}" if math.isfinite(n) else "") for name, rate, n in rates
        )


def _count(value: object, name: str) -> int:
    """A whole number of rows, none included."""
    n = checks.number(value, name)
    if not (n >= 0 and n.is_integer()):
        raise InputError(f"{name} must be a number of rows, got {shown(value)}; pass a whole number from 0 up.")
    return int(n)


def _lowest(key: object) -> float:
    if isinstance(key, str):
        raise InputError(
            f"each key of errors must be the lowest score of a range, a number, got {shown(key)}; write {{0.5: …, "
            f"-math.inf: …}}."
        )
    return checks.number(key, "each key of errors")


def by_score(errors: LabelErrors | Mapping[float, LabelErrors]) -> tuple[tuple[float, LabelErrors], ...]:
    """The lowest score of each range with error rates of its own, and its rates, from the highest range down."""
    if isinstance(errors, LabelErrors):
        return ((-math.inf, errors),)
    ranges = sorted(((_lowest(lowest), one) for lowest, one in errors.items()), key=lambda one: -one[0])
    if not ranges or ranges[-1][0] != -math.inf:
        raise InputError(
            f"errors by score must reach down to -inf, got {shown([lowest for lowest, _ in ranges])}; write "
            f"{{0.5: …, -math.inf: …}}, the lowest score of each range with its LabelErrors."
        )
    return tuple(ranges)
