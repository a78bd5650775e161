"""Looking again and again: limits that false alarms pass only as often as was agreed.

A stream is compared with a reference at every look, over windows of different lengths. All comparisons share the noise
of the reference, and windows share periods, so that the looks depend on each other. How, is known: the limits are read
off simulated noise with the variances of the stream so far. A limit looks at nothing that comes later.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray

_PATHS = 25_000  # of noise; always the same ones, so that the same stream has the same limits
_SEED = 20_260_401


class Seen(NamedTuple):
    """What was found at each look: an estimate, its variance, what it counts for in a mean, and what is left open."""

    estimate: FloatArray
    variance: FloatArray
    weight: FloatArray
    slack: FloatArray


class Look(NamedTuple):
    """The largest deviation from the reference at a look, in standard errors, and where an alarm begins."""

    statistic: float
    window: float
    limit: float


def looks(
    seen: Seen, reference: tuple[float, float, float], windows: Sequence[int], spend: float, *, side: int
) -> list[Look]:
    """The statistic and the limit of each look.

    `reference` is its estimate, variance and slack. `spend` is the chance of a false alarm at each look if there was
    none before. `side` is 1 if low values are bad, -1 if high ones are, 0 if both.
    """
    level, variance, slack = reference
    base = np.random.default_rng(_SEED).standard_normal(_PATHS) * np.sqrt(variance)
    shocks: list[FloatArray] = []
    alive = np.ones(_PATHS, bool)
    found = []
    for t in range(len(seen.estimate)):
        shocks = [*shocks, _shock(t) * np.sqrt(seen.variance[t])][-max(windows) :]
        best, simulated = (math.nan, math.nan), np.full(_PATHS, -np.inf)
        for length in [w for w in windows if w <= t + 1] or [t + 1]:
            last = slice(t + 1 - length, t + 1)
            share = seen.weight[last] / seen.weight[last].sum()
            error = np.sqrt(share**2 @ seen.variance[last] + variance)
            noise = sum(part * shock for part, shock in zip(share, shocks[-length:], strict=True)) - base
            simulated = np.maximum(simulated, badness(noise / error, side))
            gap = float(share @ seen.estimate[last]) - level
            gap = np.sign(gap) * max(abs(gap) - float(share @ seen.slack[last]) - slack, 0.0)
            if not badness(gap / error, side) <= badness(best[0], side):  # nan at first
                best = (float(gap / error), length)
        limit = float(np.quantile(simulated[alive], 1 - spend, method="higher"))
        alive &= simulated <= limit
        found.append(Look(*best, limit))
    return found


@lru_cache(maxsize=32)
def _shock(t: int) -> FloatArray:
    """Noise of a look; never written to."""
    return np.random.default_rng([_SEED, t + 1]).standard_normal(_PATHS)  # t + 1, as [seed, 0] is the seed alone


def badness(deviation: FloatArray | float, side: int) -> FloatArray:
    """How bad a deviation is: the way that is bad, or either way."""
    return np.abs(deviation) if side == 0 else -side * np.asarray(deviation)
