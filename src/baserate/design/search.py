"""The cheapest sizes of both classes that meet a goal with the assurance that is wanted."""

import math
from collections.abc import Callable
from typing import NamedTuple

import scipy

from baserate.design.widths import Goal, widths
from baserate.formulas.proportions import z_score

# Beyond this many cases of a class the search gives up.
LARGEST = 10**13
# Relative tolerance of the sizes.
_CLOSE = 0.005
# Splits between the classes to try, as logarithms; then smaller steps from the best.
_TURNS = (0.15, -0.15, 0.3, -0.3, 0.5, -0.5, 0.8, -0.8, 1.2, -1.2, 1.8, -1.8, 3.0, -3.0, 4.5, -4.5)
_STEPS = (0.2, 0.1, 0.05)
# With few cases a smaller test set may be enough where a larger one is not, so these shares of the best cost are tried.
_SHARES = (1.0, 0.9, 0.75)
_FEW = 12
# Growth factors that a reserve may cost.
_GROWTHS = (1.0, 1.01, 1.02, 1.03, 1.04, 1.06, 1.08)
# Relative reductions of one class that are tried at the end.
_TRIMS = (0.15, 0.05, 0.02, 0.01, 0.005)


class Sizes(NamedTuple):
    """The number of cases of each class."""

    pos: int
    neg: int


class Prices(NamedTuple):
    """The cost of a case of each class."""

    pos: float
    neg: float

    def of(self, sizes: Sizes) -> float:
        """The cost of a test set."""
        return self.pos * sizes.pos + self.neg * sizes.neg


Enough = Callable[[Sizes], bool]


class Meets:
    """Whether sizes meet the goal in a share of the test sets; probabilities are cached."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self._known: dict[Sizes, float] = {}

    def chance(self, sizes: Sizes) -> float:
        """The probability that the goal is met."""
        if sizes not in self._known:
            self._known[sizes] = widths(self.goal, *sizes).chance_within(self.goal.width)
        return self._known[sizes]

    def at(self, share: float) -> Enough:
        """A test whether it is met in this share of test sets."""
        return lambda sizes: self.chance(sizes) >= share


class _Search(NamedTuple):
    goal: Goal
    prices: Prices
    enough: Enough
    start: tuple[float, float]


def cheapest(goal: Goal, prices: Prices, enough: Enough) -> Sizes | None:
    """The cheapest sizes that are enough; None if none are."""
    search = _Search(goal, prices, enough, _first_guess(goal, prices))
    best = _least(enough, _split(search.start, 0.0))
    if best is None:
        return None
    at = 0.0
    for turn in _TURNS:
        at, best = _better(search, turn, at, best)
    for step in _STEPS:
        for turn in (at - step, at + step):
            at, best = _better(search, turn, at, best)
    return _trimmed(prices, enough, best)


def with_one_given(goal: Goal, enough: Enough, *, n_pos: int | None, n_neg: int | None) -> Sizes | None:
    """The smallest size of the class that is not given; None if no size is enough."""
    guess = _first_guess(goal, Prices(1.0, 1.0))
    smallest = _least(
        enough,
        lambda s: Sizes(n_pos or _whole(guess[0] * s), n_neg or _whole(guess[1] * s)),
    )
    return None if smallest is None else _trimmed(prices_of_others(n_pos, n_neg), enough, smallest)


def prices_of_others(n_pos: int | None, n_neg: int | None) -> Prices:
    """Prices at which a class of given size costs nothing."""
    return Prices(float(n_pos is None), float(n_neg is None))


Split = Callable[[float], Sizes]


def _split(start: tuple[float, float], turn: float) -> Split:
    """Sizes as a function of their scale; a larger `turn` has more positives and fewer negatives."""
    pos, neg = start[0] * math.exp(turn), start[1] * math.exp(-turn)
    return lambda scale: Sizes(_whole(pos * scale), _whole(neg * scale))


def _whole(size: float) -> int:
    return max(1, math.ceil(size - 1e-9))


def _least(enough: Enough, split: Split, scale: float = 1.0) -> Sizes | None:
    """The sizes at the smallest scale that is enough, by bisection; it assumes that more is better."""
    factor = 1.3
    if enough(split(scale)):
        high, low = scale, scale / factor
        while split(low) != split(high) and enough(split(low)):
            factor *= factor
            high, low = low, low / factor
    else:
        low, high = scale, scale * factor
        while not enough(split(high)):
            factor *= 1.5
            low, high = high, high * factor
            if max(split(high)) > LARGEST:
                return None
    while high / low > 1 + _CLOSE and split(low) != split(high):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(split(middle)) else (middle, high)
    return split(high)


def _better(search: _Search, turn: float, at: float, best: Sizes) -> tuple[float, Sizes]:
    """The best split so far and its sizes, or this split if it is cheaper."""
    goal, prices, enough, start = search
    split = _split(start, turn)
    per_scale = prices.pos * start[0] * math.exp(turn) + prices.neg * start[1] * math.exp(-turn)
    few = min(best.pos * goal.tpr, best.pos * (1 - goal.tpr), best.neg * goal.fpr) < _FEW
    for share in _SHARES if few else _SHARES[:1]:
        scale = share * (1 - _CLOSE) * prices.of(best) / per_scale
        if prices.of(split(scale)) < prices.of(best) and enough(split(scale)):
            cheaper = _least(enough, split, scale)
            if cheaper is not None and prices.of(cheaper) < prices.of(best):
                return turn, cheaper
    return at, best


def _trimmed(prices: Prices, enough: Enough, sizes: Sizes) -> Sizes:
    """Sizes with one class reduced, as long as they are enough."""
    for trim in _TRIMS:
        for of in ("pos", "neg"):
            less = _less(sizes, of, trim)
            while min(less) > 0 and prices.of(less) < prices.of(sizes) and enough(less):
                sizes, less = less, _less(less, of, trim)
    return sizes


def _less(sizes: Sizes, of: str, trim: float) -> Sizes:
    pos, neg = (size - max(1, int(trim * size)) for size in sizes)
    return Sizes(pos, sizes.neg) if of == "pos" else Sizes(sizes.pos, neg)


def with_reserve(prices: Prices, enough: Enough, sizes: Sizes) -> Sizes:
    """Slightly larger sizes that meet a stricter test; the given ones if that would cost much more.

    A class that costs nothing stays as it is.
    """
    for growth in _GROWTHS:
        larger = Sizes(*(_whole(growth * n) if price else n for n, price in zip(sizes, prices, strict=True)))
        if enough(larger):
            return _trimmed(prices, enough, larger)
    return sizes


# --- initial sizes --------------------------------------------------------------------------------


def _first_guess(goal: Goal, prices: Prices) -> tuple[float, float]:
    """Sizes in closed form, by the normal approximation of log-rates.

    The margins of log T and log F are ``a / sqrt(n)``. At a prevalence their squares add up, in a box the margins do.
    """
    a, b = _relative_margins(goal)
    if goal.x is None or goal.method == "hoeffding":
        together = 2 * math.atanh(goal.width) if goal.x is None else _log_margin(goal)
        parts = a ** (2 / 3) * prices.pos ** (1 / 3) + b ** (2 / 3) * prices.neg ** (1 / 3)
        scale = (parts / together) ** 2
        return max(2.0, scale * (a / prices.pos) ** (2 / 3)), max(2.0, scale * (b / prices.neg) ** (2 / 3))
    scale = (a * math.sqrt(prices.pos) + b * math.sqrt(prices.neg)) / _log_margin(goal) ** 2
    return max(2.0, scale * a / math.sqrt(prices.pos)), max(2.0, scale * b / math.sqrt(prices.neg))


def _relative_margins(goal: Goal) -> tuple[float, float]:
    if goal.method == "hoeffding":
        level = goal.confidence_level if goal.x is None else math.sqrt(goal.confidence_level)
        margin = math.sqrt(math.log(2 / (1 - level)) / 2)
        return margin / goal.tpr, margin / goal.fpr
    z = z_score(goal.confidence_level)
    return (
        z * math.sqrt(max(1 - goal.tpr, 0.05) / goal.tpr),
        z * math.sqrt(max(1 - goal.fpr, 0.05) / goal.fpr),
    )


def _log_margin(goal: Goal) -> float:
    """The margin of log(T/F) at which the interval of precision has the wanted width, by bisection."""
    assert goal.x is not None
    middle = math.log(goal.tpr) - math.log(goal.fpr) - math.log(goal.x)
    low, high = 0.0, 100.0 + abs(middle)
    for _ in range(60):
        margin = (low + high) / 2
        width = scipy.special.expit(middle + margin) - scipy.special.expit(middle - margin)
        low, high = (margin, high) if width < goal.width else (low, margin)
    return high
