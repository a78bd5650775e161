"""Widths of the interval of average precision in test sets simulated from a ROC curve.

On average they were within 2 % of those of `estimate`, and nearly log-normal.
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

# Populations drawn by `estimate`, and the fewest drawn here.
N_RESAMPLES = 2000
_FEWEST = 200
_FEWEST_SETS = 50
_SEED = 20_261_116
# Narrower widths count as this.
_NARROWEST = 1e-9


class Widths(NamedTuple):
    """A log-normal distribution of widths."""

    middle: float  # the mean of their logarithms
    spread: float  # and the standard deviation

    def chance_within(self, width: float) -> float:
        """The probability of at most this width."""
        return float(scipy.special.ndtr((math.log(width) - self.middle) / self.spread))

    def mean(self) -> float:
        """The expected width."""
        return math.exp(self.middle + self.spread**2 / 2)

    def quantile(self, share: float) -> float:
        """The quantile of the width."""
        return math.exp(self.middle + float(scipy.special.ndtri(share)) * self.spread)


class Seen(NamedTuple):
    """The mean of simulated log-widths, and its variance between test sets and from Monte Carlo error."""

    middle: float
    between: float  # an estimate, which may be negative
    noise: float  # with as many draws as `estimate` makes
    n_sets: int


def ap_widths(
    model: RocModel, x: float, n_pos: int, n_neg: int, *, confidence_level: float, populations: int, beyond: int
) -> Seen:
    """Simulated log-widths of default intervals.

    `populations` is the number of draws in all test sets, `beyond` the number beyond an end in each.
    """
    rng = np.random.default_rng(_SEED)  # the same question has the same answer
    n_draws = _draws(confidence_level, beyond)
    n_sets = max(_FEWEST_SETS, populations // n_draws)
    logs = np.empty((3, n_sets))
    for i, cells in enumerate(drawn_sets(model, n_pos, n_neg, n_sets, rng)):
        drawn_ap = _drawn(cells, x, n_draws, rng)
        half = n_draws // 2
        logs[:, i] = [_log_width(part, confidence_level) for part in (drawn_ap, drawn_ap[:, :half], drawn_ap[:, half:])]
    # The difference of two halves of the draws has four times the Monte Carlo variance of all of them. Fewer draws give
    # wider intervals: with half of them the excess doubles.
    noise, share = float(np.mean((logs[1] - logs[2]) ** 2)) / 4, n_draws / N_RESAMPLES
    excess = float(logs[1:].mean() - logs[0].mean()) * (1 - share)
    return Seen(float(logs[0].mean()) - excess, float(logs[0].var(ddof=1)) - noise, noise * share, n_sets)


def spread_of(seen: Sequence[Seen]) -> float:
    """The standard deviation of log-widths, pooled over sizes, since it depends little on the size."""
    n_sets, between, noise = (np.array([getattr(one, of) for one in seen]) for of in ("n_sets", "between", "noise"))
    variance = max(float(n_sets @ between), 0.0) + float(n_sets @ noise)
    return max(math.sqrt(variance / float(n_sets.sum())), _NARROWEST)


def _draws(confidence_level: float, beyond: int) -> int:
    """The number of draws for which an even number of them lies beyond the ends on average."""
    tail = (1 - confidence_level) / 2
    return min(N_RESAMPLES, round(max(beyond, 2 * math.ceil(_FEWEST * tail / 2)) / tail) - 1)


def _drawn(cells: Cells, x: float, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Drawn average precision, by observer: pessimist and optimist."""
    odds = np.array([x])
    reader = Reader(lambda models: over_odds.average_precision(models[0], odds))
    (values,) = drawn(OfCells(cells), [reader], n_draws, seeds_from(rng))
    return values[..., 0]


def _log_width(drawn: FloatArray, confidence_level: float) -> float:
    pessimist, optimist = (ends.percentile(side, confidence_level) for side in drawn)
    return math.log(max(float(optimist.high - pessimist.low), _NARROWEST))
