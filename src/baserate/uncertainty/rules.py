"""How a caller says where on a curve to look: a function that chooses a point."""

from collections.abc import Callable

from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError

Rule = Callable[[Curve], Point]


def chosen_on(curve: Curve, rule: object) -> Point:
    """The point that a rule chooses on a curve, and on no other."""
    point = rule(curve) if callable(rule) else rule
    if not isinstance(point, Point) or point.curve is not curve:
        raise InputError(
            f"at must be a function that chooses a point on the curve it is given, as it is read, got {point!r}; pass "
            f"at=lambda curve: curve.at_recall(0.6) for example."
        )
    return point
