"""Points chosen where scores are discrete: a rule jumps from level to level.

Draws are then a mixture over levels, whose quantiles do not do justice to any of them. An interval has to hold those of
every level that may be the population's choice.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.formulas.proportions import Interval
from baserate.uncertainty.choosing import chosen_levels
from baserate.uncertainty.draws import Drawn

# Rules that do not look at the data they are judged on.
_FIXED_RULES = ("given", "threshold")


def is_chosen(at: Curve | Point) -> bool:
    """Whether a point was chosen on the data it is judged on."""
    return isinstance(at, Point) and at.chosen.rule not in _FIXED_RULES and at.curve is not None


def levels_of(at: Curve | Point, drawn: Drawn) -> FloatArray:
    """The level chosen on each drawn curve; nan where nothing is chosen, or scores are continuous."""
    if not (isinstance(at, Point) and is_chosen(at) and drawn.atoms.any()):
        return np.full(len(drawn.steps.tp), np.nan)
    return chosen_levels(at, drawn)


def likely_levels(sides: Sequence[FloatArray], tail: float) -> list[tuple[float, ...]]:
    """Levels, one for each model, that are chosen together in more of one side's draws than may lie beyond an end.

    Each side has a row for every draw and a column for every model. Rows of nan alone are left out.
    """
    found: dict[tuple[float, ...], None] = {}
    for side in sides:
        known, codes = np.unique(side, return_inverse=True)
        rows, counts = np.unique(codes.reshape(side.shape), axis=0, return_counts=True)
        for row in rows[counts > tail * len(side)]:
            if not np.isnan(known[row]).all():
                found[tuple(known[row].tolist())] = None
    return list(found)


def at_level(at: Curve | Point, level: float) -> Curve | Point:
    """The point at a level as if it had been given beforehand; where there is none, what was there."""
    if np.isnan(level) or not isinstance(at, Point) or at.curve is None:
        return at
    return at.curve.at_threshold(level)


def holding(ends: Interval, others: Iterable[Interval]) -> Interval:
    """An interval that holds others as well; what it leaves undefined, they do not define."""
    low, high = ends
    for other in others:
        low, high = np.fmin(low, other.low), np.fmax(high, other.high)
    return Interval(np.where(np.isnan(ends.low), np.nan, low), np.where(np.isnan(ends.high), np.nan, high))
