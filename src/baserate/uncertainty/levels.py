"""Points chosen where scores are discrete: the rule jumps from one score level to another.

Draws are then a mixture over levels, and quantiles of the mixture cover none of them well. So an interval must contain
the interval at every level that the rule may choose in the population.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.uncertainty.readers import chosen_levels, is_chosen
from baserate.uncertainty.samplers import Drawn


def levels_of(at: Sequence[Curve | Point], drawn: Sequence[Drawn]) -> FloatArray:
    """The level that a rule chooses on each drawn curve of each model; nan without a rule, or for continuous scores."""
    return np.stack([_of_one(*one) for one in zip(at, drawn, strict=True)], axis=1)


def _of_one(at: Curve | Point, drawn: Drawn) -> FloatArray:
    if isinstance(at, Point) and is_chosen(at) and drawn.atoms.any():
        return chosen_levels(at, drawn)
    return np.full(len(drawn.steps.tp), np.nan)


def likely_levels(sides: FloatArray, tail: float) -> list[tuple[float, ...]]:
    """Combinations of levels, one per model, each chosen in a larger share of an observer's draws than `tail`.

    Each of `sides` has a row per draw and a column per model. If models have several such levels, all combinations
    count, even those that were rarely drawn together: the draws share the luck of the rows. A combination that is nan
    for all models is left out.
    """
    likely: dict[tuple[float, ...], None] = {}
    for side in sides:
        for levels in itertools.product(*(_likely(column, tail) for column in side.T)):
            if not np.isnan(levels).all():
                likely[levels] = None
    return list(likely)


def _likely(chosen: FloatArray, tail: float) -> list[float]:
    levels, counts = np.unique(chosen, return_counts=True)
    likely: list[float] = levels[counts > tail * len(chosen)].tolist()
    return likely


def at_level(at: Curve | Point, level: float) -> Curve | Point:
    """The point at a level, as a given threshold; `at` itself if there is no level."""
    if np.isnan(level) or not isinstance(at, Point) or at.curve is None:
        return at
    return at.curve.at_threshold(level)
