"""Looking again and again: alarms that are false only as often as was agreed.

A stream is compared with a reference at every look, over windows of different lengths. What chance does to a look is
seen by dealing the rows of reference and stream again. A look uses nothing that comes later.

Looks share the reference, and windows share periods, so an alarm that is false is often raised again. Therefore each
look may take a little more than its share of false alarms. How much more is read off simulated noise, which knows only
how large periods are.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.rules import Rule
from baserate.metrics.over_prevalence import MetricFunction
from baserate.uncertainty.coarse import Read, reader, unending
from baserate.uncertainty.dealing import NOWHERE, Bundles, Sample, bundles, sample

SEED = 20_260_401  # so that the same stream has the same verdicts

_PATHS = 100_000  # of noise
_FEWEST = 50  # paths beyond a limit that say how many there are

_AT_ONCE = 250  # deals
_MANY_DEALS = 5000
_FEWEST_BEYOND = 10  # deals that may be as bad in an alarm, if there are not too many deals then


class Question(NamedTuple):
    """What is asked at each look."""

    metric: MetricFunction
    at: Rule | None
    windows: Sequence[int]  # periods, from the shortest window up
    side: int  # what is bad: 1 for low values, -1 for high ones, 0 for both
    n_deals: int  # at least
    seed: int


class Look(NamedTuple):
    """The worst deviation from the reference at a look, in standard errors, and where an alarm begins."""

    statistic: float
    window: float
    limit: float


def looks(periods: Sequence[Curve], reference: Curve, asked: Question, spend: float) -> Iterator[Look]:
    """A look at each period; `spend` is the chance of a false alarm at each if there was none before."""
    samples, pooled = [sample(reference)], reference
    noise = tuple(_noise(curve) for curve in periods)
    level = levels(noise, _noise(reference), tuple(asked.windows), spend, side=asked.side)
    for t, curve in enumerate(periods):
        pooled = Curve.pool([pooled, curve])
        samples.append(sample(curve))
        yield _look(samples, pooled, asked, level[t], t)


def _noise(curve: Curve) -> float:
    return 1 / float(curve.n_pos) + 1 / float(curve.n_neg)


# --- one look -------------------------------------------------------------------------------------


def _look(samples: Sequence[Sample], pooled: Curve, asked: Question, level: float, t: int) -> Look:
    cells, read = reader(asked.metric, asked.at, pooled)
    rows = [one.between(cells.edges) for one in samples]
    groups, lengths = _groups(len(samples) - 1, asked.windows)
    rng = np.random.default_rng([asked.seed, t])
    pos, neg = (bundles([of_class[k] for of_class in rows], groups, rng) for k in (0, 1))
    deals = _Deals(pos, neg, partial(_on_scale, asked.metric, read), rng)
    middle, error = _mean_and_spread(np.concatenate([deals.more() for _ in range(0, asked.n_deals, _AT_ONCE)]))
    seen = _standardised(deals.as_seen(), middle, error)[0]
    bad, worst = float(_worst(seen, asked.side)), int(np.argmax(_worst(seen[:, np.newaxis], asked.side)))
    most = max(asked.n_deals, _most_deals(level))
    law: list[FloatArray] = []
    n_dealt = n_as_bad = 0
    # Where too many deals are as bad already, more of them would change nothing.
    while n_dealt < most and (n_dealt < asked.n_deals or n_as_bad < level * (most + 1)):
        law.append(_worst(_standardised(deals.more(), middle, error), asked.side))
        n_dealt, n_as_bad = n_dealt + _AT_ONCE, n_as_bad + int(np.count_nonzero(law[-1] >= bad))
    limit = np.sort(np.concatenate(law))[-max(1, int(level * (n_dealt + 1)))]
    return Look(float(seen[worst]), lengths[worst], float(limit))


def _most_deals(level: float) -> int:
    """So many that luck in dealing decides little; where alarms are to be very rare, so many that there can be one."""
    return math.ceil(max(1 / level, min(_FEWEST_BEYOND / level, _MANY_DEALS)))


class _Deals(NamedTuple):
    """Reference and windows as they were seen, and with their rows dealt again."""

    pos: Bundles
    neg: Bundles
    read: Read
    rng: np.random.Generator

    def as_seen(self) -> FloatArray:
        return _deviations(self.read, self.pos.as_seen(), self.neg.as_seen())

    def more(self) -> FloatArray:
        return _deviations(self.read, self.pos.deal(_AT_ONCE, self.rng), self.neg.deal(_AT_ONCE, self.rng))


def _groups(n_periods: int, windows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which samples are read together: the reference, and periods that windows share; and how long windows are."""
    lengths = [length for length in windows if length <= n_periods] or [n_periods]
    age = np.arange(n_periods, 0, -1)
    shared = 1 + np.searchsorted(lengths, age)  # the shortest window that has it
    return [0, *np.where(age <= lengths[-1], shared, NOWHERE).tolist()], lengths


def _on_scale(metric: MetricFunction, read: Read, pos: FloatArray, neg: FloatArray) -> FloatArray:
    return unending(metric, read(pos, neg))


def _deviations(read: Read, pos: FloatArray, neg: FloatArray) -> FloatArray:
    """How far each window is from the reference: one row for each deal."""
    level = read(pos[:, 0], neg[:, 0])
    of_pos, of_neg = np.cumsum(pos[:, 1:], axis=1), np.cumsum(neg[:, 1:], axis=1)
    with np.errstate(invalid="ignore"):  # from infinity to infinity is no distance
        return np.stack([read(of_pos[:, k], of_neg[:, k]) - level for k in range(of_pos.shape[1])], axis=1)


def _mean_and_spread(deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each window, over deals where there is a number."""
    there = np.isfinite(deviation)
    n = np.maximum(there.sum(axis=0), 1)
    middle = np.sum(deviation, axis=0, where=there) / n
    return middle, np.sqrt(np.sum((deviation - middle) ** 2, axis=0, where=there) / n)


def _standardised(deviation: FloatArray, middle: FloatArray, error: FloatArray) -> FloatArray:
    """In standard errors, to so many digits that equal deals are equal; nan where there is no number."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(deviation == middle, 0.0, np.round((deviation - middle) / error, 9))


def _worst(standardised: FloatArray, side: int) -> FloatArray:
    """The badness of the worst window; what has no number says nothing."""
    found = badness(standardised, side)
    return np.asarray(np.max(np.where(np.isnan(found), -np.inf, found), axis=-1))


def badness(deviation: FloatArray | float, side: int) -> FloatArray:
    """How bad a deviation is: the way that is bad, or either way."""
    return np.abs(deviation) if side == 0 else -side * np.asarray(deviation)


# --- all looks ------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def levels(
    variance: tuple[float, ...], reference: float, windows: tuple[int, ...], spend: float, *, side: int
) -> tuple[float, ...]:
    """How often each look may raise a false alarm, so that `spend` is the chance of one if there was none before."""
    rng = np.random.default_rng(SEED)
    base = rng.standard_normal(_PATHS) * np.sqrt(reference)
    shocks: list[FloatArray] = []
    alive = np.ones(_PATHS, bool)
    found = []
    for t in range(len(variance)):
        shocks = [*shocks, rng.standard_normal(_PATHS) * np.sqrt(variance[t])][-max(windows) :]
        worst = np.full(_PATHS, -np.inf)
        for length in [w for w in windows if w <= t + 1] or [t + 1]:
            weight = 1 / np.array(variance[t + 1 - length : t + 1])
            share = weight / weight.sum()
            error = np.sqrt(1 / weight.sum() + reference)
            noise = sum(part * shock for part, shock in zip(share, shocks[-length:], strict=True)) - base
            worst = np.maximum(worst, badness(noise / error, side))
        beyond = worst > np.quantile(worst[alive], 1 - spend, method="higher")
        alive &= ~beyond
        found.append(max(spend, float(beyond.mean())) if spend * _PATHS >= _FEWEST else spend)
    return tuple(found)
