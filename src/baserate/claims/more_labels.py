"""The factor by which labels must grow until an interval ends at a bound."""

import math
from collections.abc import Callable

from baserate.curves.curve import Curve

# The largest factor that is tried.
_MOST = 10_000

# When to stop the bisection: the interval has Monte Carlo error, and the answer is an expectation.
_LOOKS = 3
_NEAR_ENOUGH = 1.5


def copies(curve: Curve, times: int) -> Curve:
    """The curve of `times` copies of every row: the same rates from more cases."""
    if curve.sampled:
        copied = Curve._of_strata(one.copies(times) for one in curve.strata)
    else:
        columns = {"score": curve.score, "pos": curve.pos * times, "neg": curve.neg * times}
        if curve.bucketed:
            columns["top"] = curve.top
        if curve.weighted:
            columns |= {"pos_squares": curve.pos_squares * times, "neg_squares": curve.neg_squares * times}
        copied = Curve.from_counts(**columns)
    return copied if curve.given_prevalence is None else copied.at_prevalence(curve.given_prevalence)


def factor_that_reaches(goal: float, distance: Callable[[int], float] | None, now: float) -> float:
    """The factor at which the distance from a value to the end of its interval shrinks to the goal.

    `distance` gives it for a number of copies of the data, `now` for one. It is interpolated as a power of this number;
    without `distance` it is assumed to fall with its square root. Infinite if no reasonable factor is enough.
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
        reached = distance(middle)
        if not reached <= goal:
            below, far = middle, reached
        else:
            above, near = middle, reached
    return _between(below, far, above, near, goal)


def _between(below: int, far: float, above: int, near: float, goal: float) -> float:
    """Where a power law through two points meets the goal."""
    if not 0 < near < far:
        return float(above)
    share = math.log(far / goal) / math.log(far / near)
    return float(below * (above / below) ** min(share, 1.0))
