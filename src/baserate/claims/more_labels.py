"""How many times the labels there are would bring the end of an interval to a bound."""

import math
from collections.abc import Callable

from baserate.curves.curve import Curve

# More copies of the data than this are not thought about.
_MOST = 10_000

# When to stop looking: the interval is drawn, and the answer an expectation anyway.
_LOOKS = 3
_NEAR_ENOUGH = 1.5


def copies(curve: Curve, times: int) -> Curve:
    """The curve of data that hold each row so many times: the same rates, from more cases."""
    columns = {"score": curve.score, "pos": curve.pos * times, "neg": curve.neg * times}
    if curve.bucketed:
        columns["top"] = curve.top
    if curve.weighted:
        columns |= {"pos_squares": curve.pos_squares * times, "neg_squares": curve.neg_squares * times}
    copied = Curve.from_counts(**columns)
    return copied if curve.given_prevalence is None else copied.at_prevalence(curve.given_prevalence)


def factor_that_reaches(goal: float, distance: Callable[[int], float] | None, now: float) -> float:
    """The factor at which the distance from a value to the end of its interval has shrunk to the goal.

    `distance` tells how far the end is with so many copies of the data, `now` with one. Between two numbers of copies
    the distance is taken for a power of their number, and without `distance` for a root of it. Infinite if no
    reasonable number is enough.
    """
    if not 0 < goal < now:
        return math.inf if goal <= 0 else 1.0
    by_the_root = (now / goal) ** 2
    if distance is None:
        return by_the_root if by_the_root <= _MOST else math.inf
    below, far = 1, now
    above = min(max(2, math.ceil(min(by_the_root, _MOST))), _MOST)
    near = distance(above)
    while not near <= goal:  # nan is not enough
        if above == _MOST:
            return math.inf
        below, far, above = above, near, min(4 * above, _MOST)
        near = distance(above)
    for _ in range(_LOOKS):
        if above - below <= 1 or above <= _NEAR_ENOUGH * below:
            break
        middle = min(max(round(_between(below, far, above, near, goal)), below + 1), above - 1)
        found = distance(middle)
        if not found <= goal:
            below, far = middle, found
        else:
            above, near = middle, found
    return _between(below, far, above, near, goal)


def _between(below: int, far: float, above: int, near: float, goal: float) -> float:
    """Where a power law through two points meets the goal."""
    if not 0 < near < far:
        return float(above)
    share = math.log(far / goal) / math.log(far / near)
    return float(below * (above / below) ** min(share, 1.0))
