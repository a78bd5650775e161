"""How wide the interval of average precision comes out, in test sets that are drawn from a ROC curve.

Widths were seen within 2 % of those of `estimate` on average, with nearly log-normal laws.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.design.drawn_sets import drawn_sets
from baserate.design.roc_models import RocModel
from baserate.metrics import over_odds
from baserate.uncertainty import ends
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.draws import Reader, drawn, seeds_from
from baserate.uncertainty.samplers import OfCells

# As many populations are drawn by `estimate`, and at least so many here.
N_RESAMPLES = 2000
_FEWEST = 200
_FEWEST_SETS = 50
_SEED = 20_261_116
# What is narrower has no logarithm worth having.
_NARROWEST = 1e-9


class Widths(NamedTuple):
    """The law of the widths: log-normal."""

    middle: float  # the mean of their logarithms
    spread: float  # and the standard deviation

    def chance_within(self, width: float) -> float:
        """How often the width is at most this."""
        return float(scipy.special.ndtr((math.log(width) - self.middle) / self.spread))

    def mean(self) -> float:
        """The width to expect."""
        return math.exp(self.middle + self.spread**2 / 2)

    def quantile(self, share: float) -> float:
        """A width that is not exceeded in this share of the cases."""
        return math.exp(self.middle + float(scipy.special.ndtri(share)) * self.spread)


class Seen(NamedTuple):
    """What was seen of logarithms of widths: their mean, and variances from test set to test set and by drawing."""

    middle: float
    between: float  # may come out below 0
    noise: float  # of an interval by `estimate`
    n_sets: int


def ap_widths(
    model: RocModel, x: float, n_pos: int, n_neg: int, *, confidence_level: float, populations: int, beyond: int
) -> Seen:
    """Of the default intervals of test sets, with so many populations in all, and so many beyond an end for each."""
    rng = np.random.default_rng(_SEED)  # the same question has the same answer
    n_draws = _draws(confidence_level, beyond)
    n_sets = max(_FEWEST_SETS, populations // n_draws)
    logs = np.empty((3, n_sets))
    for i, cells in enumerate(drawn_sets(model, n_pos, n_neg, n_sets, rng)):
        found = _drawn(cells, x, n_draws, rng)
        half = n_draws // 2
        logs[:, i] = [_log_width(part, confidence_level) for part in (found, found[:, :half], found[:, half:])]
    # What two halves of the draws differ by has four times the variance of the noise that all of them leave. Fewer
    # draws make wider intervals: half of them, twice as much.
    noise, share = float(np.mean((logs[1] - logs[2]) ** 2)) / 4, n_draws / N_RESAMPLES
    excess = float(logs[1:].mean() - logs[0].mean()) * (1 - share)
    return Seen(float(logs[0].mean()) - excess, float(logs[0].var(ddof=1)) - noise, noise * share, n_sets)


def spread_of(seen: Sequence[Seen]) -> float:
    """How much widths vary, from all that were seen, since that changes little from size to size."""
    n_sets, between, noise = (np.array([getattr(one, of) for one in seen]) for of in ("n_sets", "between", "noise"))
    variance = max(float(n_sets @ between), 0.0) + float(n_sets @ noise)
    return max(math.sqrt(variance / float(n_sets.sum())), _NARROWEST)


def _draws(confidence_level: float, beyond: int) -> int:
    """So many that the next one beyond either end is as likely as it is to be, for an even number beyond."""
    tail = (1 - confidence_level) / 2
    return min(N_RESAMPLES, round(max(beyond, 2 * math.ceil(_FEWEST * tail / 2)) / tail) - 1)


def _drawn(cells: Cells, x: float, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Average precision as pessimists and as optimists see it."""
    odds = np.array([x])
    reader = Reader(lambda models: over_odds.average_precision(models[0], odds))
    (found,) = drawn(OfCells(cells), [reader], n_draws, seeds_from(rng))
    return found[..., 0]


def _log_width(drawn: FloatArray, confidence_level: float) -> float:
    pessimist, optimist = (ends.percentile(side, confidence_level) for side in drawn)
    return math.log(max(float(optimist.high - pessimist.low), _NARROWEST))
