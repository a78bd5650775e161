"""Uncertain prevalences: a distribution, or a range."""

from dataclasses import dataclass

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.errors import InputError, shown
from baserate.written import one_in

_PLACES = 33  # prevalences from end to end of a range
_STRATA = 64  # equally likely prevalences of a distribution


@dataclass(frozen=True)
class Beta:
    """A Beta distribution of the prevalence, as known from `a` positives and `b` negatives.

    Examples
    --------
    >>> import baserate as br
    >>> known = br.prior.Beta(12, 9_988)
    >>> known.mean
    0.0012
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> print(br.estimate(br.precision, point, prevalence=known))
    precision 0.4189 [0.2587, 0.558] (95 %, melded, prevalence Beta(12, 9988), 100 pos, 100,000 neg)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        checks.positive_number(self.a, "a")
        checks.positive_number(self.b, "b")

    @property
    def mean(self) -> float:
        """The expected prevalence."""
        return self.a / (self.a + self.b)

    def quantile(self, share: FloatArray) -> FloatArray:
        """The prevalence below which it lies with this probability."""
        try:
            shares = np.asarray(share, np.float64)
        except (TypeError, ValueError, OverflowError):
            shares = np.array(np.nan)
        if not ((shares >= 0) & (shares <= 1)).all():
            raise InputError(f"share must be numbers between 0 and 1, got {shown(share)}; pass 0.5 for the median.")
        return np.clip(scipy.special.betaincinv(self.a, self.b, shares), 1e-300, 1 - 1e-16)

    def __str__(self) -> str:
        return f"Beta({self.a:.6g}, {self.b:.6g})"


@dataclass(frozen=True)
class Span:
    """A range of prevalences."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The middle in log-odds."""
        return float(scipy.special.expit((scipy.special.logit(self.low) + scipy.special.logit(self.high)) / 2))

    def places(self) -> FloatArray:
        """Prevalences from end to end, evenly spaced in log-odds."""
        start, end = scipy.special.logit(self.low), scipy.special.logit(self.high)
        inner = scipy.special.expit(np.linspace(start, end, _PLACES)[1:-1])
        return np.concatenate([[self.low], inner, [self.high]])

    def __str__(self) -> str:
        return f"{one_in(self.low)} to {one_in(self.high)}"


def strata(known: Beta) -> FloatArray:
    """Equally likely prevalences that represent the distribution."""
    return known.quantile((np.arange(_STRATA) + 0.5) / _STRATA)


def uncertain(value: object) -> Beta | Span:
    """A distribution, or the two ends of a range."""
    if isinstance(value, Beta):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        return Span(*checks.prevalence_range(*value))
    raise InputError(
        f"prevalence must be br.prior.Beta(a, b) or a pair (low, high) here, got {shown(value)}; to read at one "
        f"prevalence, call at_prevalence on the curve or point."
    )
