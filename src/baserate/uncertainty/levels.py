"""Points chosen where scores are discrete: a rule jumps from level to level.

Draws are then a mixture over levels, whose quantiles do not do justice to any of them. An interval has to hold those of
every level that may be the population's choice.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.uncertainty.readers import chosen_levels
from baserate.uncertainty.samplers import Drawn


def is_chosen(at: Curve | Point) -> bool:
    """Whether a point was chosen on the data it is judged on."""
    return isinstance(at, Point) and at.chosen is not None and not at.chosen.is_given and at.curve is not None


def levels_of(at: Sequence[Curve | Point], drawn: Sequence[Drawn]) -> FloatArray:
    """The level chosen on each drawn curve of each model; nan where nothing is chosen, or scores are continuous."""
    return np.stack([_of_one(*one) for one in zip(at, drawn, strict=True)], axis=1)


def _of_one(at: Curve | Point, drawn: Drawn) -> FloatArray:
    if isinstance(at, Point) and is_chosen(at) and drawn.atoms.any():
        return chosen_levels(at, drawn)
    return np.full(len(drawn.steps.tp), np.nan)


def likely_levels(sides: FloatArray, tail: float) -> list[tuple[float, ...]]:
    """Levels, one for each model, each of which is chosen in more of one side's draws than may lie beyond an end.

    Each side has a row for every draw and a column for every model. Where models have several such levels, all pairs
    are likely, also those that were seldom drawn together: draws resemble the rows, which may have been lucky with both
    models alike. What is nan for all models is left out.
    """
    found: dict[tuple[float, ...], None] = {}
    for side in sides:
        for levels in itertools.product(*(_likely(column, tail) for column in side.T)):
            if not np.isnan(levels).all():
                found[levels] = None
    return list(found)


def _likely(chosen: FloatArray, tail: float) -> list[float]:
    levels, counts = np.unique(chosen, return_counts=True)
    likely: list[float] = levels[counts > tail * len(chosen)].tolist()
    return likely


def at_level(at: Curve | Point, level: float) -> Curve | Point:
    """The point at a level as if it had been given beforehand; where there is none, what was there."""
    if np.isnan(level) or not isinstance(at, Point) or at.curve is None:
        return at
    return at.curve.at_threshold(level)
