"""Confidence distributions of the lower and upper limit of a mean of values in [0, 1], from rows that may be weighted.

The lower limit follows the law of the mean with one more row at 0, the upper one with one more row at 1. The law is the
Beta distribution that has the mean and the variance of the mean over these rows. For values 0 and 1 and equal weights,
these are exactly the distributions behind Clopper and Pearson's interval. For unequal weights, the variance determines
the effective sample size, as in Korn and Graubard's interval.
"""

from typing import NamedTuple

# Beyond this a law is so narrow that its quantiles cannot be told apart.
_NARROWEST = 1e10


class Law(NamedTuple):
    """A Beta distribution; if its first parameter is 0 the mean is 0, if its second is 0 the mean is 1."""

    a: float
    b: float


class Sums(NamedTuple):
    """Sums over rows of weight w and value x: of w, w², w x, w² x and w² x²."""

    weight: float
    squares: float
    value: float
    squares_value: float
    squares_value2: float

    def and_a_row(self, weight: float, value: float) -> "Sums":
        """The sums with one more row."""
        more = (weight, weight**2, weight * value, weight**2 * value, (weight * value) ** 2)
        return Sums(*(total + part for total, part in zip(self, more, strict=True)))

    @property
    def law(self) -> Law:
        """The Beta distribution with the mean and the variance of the mean of these rows."""
        mean = self.value / self.weight
        if not 0 < mean < 1:
            return Law(float(mean > 0), float(mean <= 0))
        spread = self.squares_value2 - 2 * mean * self.squares_value + mean**2 * self.squares
        size = min(mean * (1 - mean) * self.weight**2 / max(spread, 1e-300), _NARROWEST)
        return Law(mean * size, (1 - mean) * size)


def laws(sums: Sums, row_at_0: float, row_at_1: float) -> tuple[Law, Law]:
    """The distributions of the lower and of the upper limit of a mean, given the weight of one more row."""
    return sums.and_a_row(row_at_0, 0.0).law, sums.and_a_row(row_at_1, 1.0).law


class Rows(NamedTuple):
    """Rows on one side of a threshold: sums of their weights and of the squares, the heaviest weight, their number."""

    weight: float
    squares: float
    heaviest: float
    number: float

    @property
    def worth(self) -> float:
        """Kish's effective sample size."""
        return self.weight**2 / self.squares if self.weight else 0.0


class Sides(NamedTuple):
    """The rows of one class above and below a threshold."""

    above: Rows
    below: Rows

    @property
    def all(self) -> Rows:
        """Both sides."""
        above, below = self
        heaviest = max(above.heaviest, below.heaviest)
        return Rows(above.weight + below.weight, above.squares + below.squares, heaviest, above.number + below.number)

    @property
    def uneven(self) -> float:
        """The number of rows divided by the effective sample size."""
        return self.all.number / self.all.worth

    @property
    def fewest(self) -> float:
        """The smaller effective sample size of the two sides."""
        return min(side.worth for side in self)

    @property
    def laws(self) -> tuple[Law, Law]:
        """The distributions of both limits of the share above the threshold."""
        above, below = self
        sums = Sums(self.all.weight, self.all.squares, above.weight, above.squares, above.squares)
        return laws(sums, self.one_more(below), self.one_more(above))

    def one_more(self, side: Rows) -> float:
        """The assumed weight of one more row on a side.

        It is the heaviest weight on that side, but at least the weighted mean weight of the class; for an empty side,
        the heaviest weight of the class.
        """
        whole = self.all
        return max(side.heaviest, whole.squares / whole.weight) if side.weight else whole.heaviest

    @property
    def effective_size(self) -> float:
        """The effective sample size for the share above, at most that of all rows."""
        whole = self.all
        share, rest = (side.weight / whole.weight for side in self)
        spread = self.above.squares * rest**2 + self.below.squares * share**2
        if share == 0 or rest == 0:
            return whole.weight / whole.heaviest
        return min(share * rest * whole.weight**2 / spread, whole.worth)


def equal_sides(above: float, below: float) -> Sides:
    """Sides with the given numbers of rows of weight 1."""
    return Sides(*(Rows(n, n, 1.0, n) for n in (above, below)))
