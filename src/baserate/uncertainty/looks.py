"""Looking again and again: alarms that are false only as often as was agreed.

A stream is compared with a reference at every look, over windows of different lengths. What chance does to a look is
seen by dealing the rows of reference and stream again. A look uses nothing that comes later.

Looks share the reference, and windows share periods, so an alarm that is false is often raised again. Therefore each
look may take a little more than its share of false alarms. How much more is read off simulated noise, which knows only
how large periods are.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.rules import Rule, Threshold
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import row_of
from baserate.uncertainty.cells import Cells, alike, between, cells_of, scores_in_runs
from baserate.uncertainty.dealing import NOWHERE, OfDeals
from baserate.uncertainty.draws import Reader, drawn, seeds_from
from baserate.uncertainty.readers import losses_of, reading_of, values_where
from baserate.uncertainty.samplers import Drawn

SEED = 20_260_401  # so that the same stream has the same verdicts

_PATHS = 100_000  # of noise
_FEWEST = 50  # paths beyond a limit that say how many there are

_COARSE = (
    2,
    128,
)  # runs to a unit of log odds, and corners that are all kept: as many cells as a mean over a curve needs

_AT_ONCE = 250  # deals
_MANY_DEALS = 5000
_FEWEST_BEYOND = 10  # deals that may be as bad in an alarm, if there are not too many deals then
_FEWEST_IN_TAIL, _WIDER = 50, 4  # deals that say where a limit is, and how many times as many as are beyond it


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
    samples, pooled = [reference], reference
    noise = tuple(_noise(curve) for curve in periods)
    level = levels(noise, _noise(reference), tuple(asked.windows), spend, side=asked.side)
    for t, curve in enumerate(periods):
        samples.append(curve)
        if not isinstance(asked.at, Threshold):  # which is all that is to be known of the rows
            pooled = Curve.pool([pooled, curve])
        yield _look(samples, pooled, asked, level[t], t)


def _noise(curve: Curve) -> float:
    """What chance does to a curve, but for a factor: one over each class's number of rows, or of equal rows."""
    of_class = (curve.n_pos, curve.pos_squares), (curve.n_neg, curve.neg_squares)
    return float(sum(squares.sum() / float(total) ** 2 for total, squares in of_class))


# --- one look -------------------------------------------------------------------------------------


def _look(samples: Sequence[Curve], pooled: Curve, asked: Question, level: float, t: int) -> Look:
    groups, lengths = _groups(len(samples) - 1, asked.windows)
    rng = np.random.default_rng([asked.seed, t])
    sampler = OfDeals(_cut(samples, pooled, asked), groups, rng)
    reader = Reader(_deviations(asked, pooled), of_curves=False)

    def deal(n_deals: int) -> FloatArray:
        (found,) = drawn(sampler, [reader], n_deals, seeds_from(rng), what="Dealing rows")
        return np.asarray(found[0], np.float64)

    first, seen = deal(asked.n_deals), reader.read(sampler.seen())
    middle, error = _mean_and_spread(first)
    standing = _standardised(seen, middle, error)[0]
    bad = float(_worst(standing, asked.side))
    law = _worst(_standardised(first, middle, error), asked.side)
    most = max(asked.n_deals, _most_deals(level))
    if _is_open(law, bad, level, most):  # others decide than those that say what a standard error is
        law = np.empty(0)
        while len(law) < most and _is_open(law, bad, level, most):
            law = np.append(law, _worst(_standardised(deal(_AT_ONCE), middle, error), asked.side))
    worst = int(np.argmax(_worst(standing[:, np.newaxis], asked.side)))
    return Look(float(standing[worst]), lengths[worst], _limit(np.sort(law), bad, level))


def _most_deals(level: float) -> int:
    """So many that luck in dealing decides little; where alarms are to be very rare, so many that there can be one."""
    return math.ceil(max(1 / level, min(_FEWEST_BEYOND / level, _MANY_DEALS)))


def _is_open(law: FloatArray, bad: float, level: float, most: int) -> bool:
    """Whether there may be an alarm; where too many deals are as bad already, more of them would change nothing."""
    return bool(np.count_nonzero(law >= bad) < level * (most + 1))


def _limit(law: FloatArray, bad: float, level: float) -> float:
    """Where an alarm begins, from how bad deals were, in order: a smooth limit, unless counting says otherwise."""
    counted, smooth = float(law[-max(1, int(level * (len(law) + 1)))]), _in_the_tail(law, level)
    return smooth if (bad > smooth) == (bad > counted) else counted


def _in_the_tail(law: FloatArray, level: float) -> float:
    """What a small share of deals is beyond, if the highest of them lie as those of a normal law do but for scale."""
    n = len(law)
    tail = law[-min(n, max(_FEWEST_IN_TAIL, math.ceil(_WIDER * level * n))) :]
    z = scipy.special.ndtri(1 - (np.arange(len(tail), 0, -1) - 0.5) / n)
    beyond = scipy.special.ndtri(1 - level)
    if len(tail) == 1 or not np.isfinite(tail).all():
        return float(tail[0])
    scale = np.mean(tail - tail[0]) / np.mean(z - z[0])
    return float(tail[0] + scale * (beyond - z[0]))


def _cut(samples: Sequence[Curve], pooled: Curve, asked: Question) -> list[Cells]:
    """The same cells for all, which follow from all rows together; few of them for means over a curve."""
    metric, at = asked.metric, asked.at
    if isinstance(at, Threshold):
        return [between(curve, np.array([at.target])) for curve in samples]
    row = row_of(metric)
    is_area = at is None and row is not None and row.over_odds is not None
    is_mean = is_area or (at is None and losses_of(metric) is not None)
    cut = cells_of if is_area or (at is not None and at.follows_draws) else scores_in_runs
    return alike(samples, pooled, cut(pooled, *_COARSE) if is_mean else cut(pooled))


def _groups(n_periods: int, windows: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which samples are read together: the reference, and periods that windows share; and how long windows are."""
    lengths = [length for length in windows if length <= n_periods] or [n_periods]
    age = np.arange(n_periods, 0, -1)
    shared = 1 + np.searchsorted(lengths, age)  # the shortest window that has it
    return [0, *np.where(age <= lengths[-1], shared, NOWHERE).tolist()], lengths


def _deviations(asked: Question, pooled: Curve) -> Callable[[tuple[Drawn, ...]], FloatArray]:
    """How far each window is from the reference: one row for each deal."""
    where = partial(values_where, asked.metric, asked.at) if asked.at else reading_of(asked.metric, pooled)
    x = np.array([pooled.odds_against])

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        level, *found = (_unending(asked.metric, where(one, x)) for one in models)
        with np.errstate(invalid="ignore"):  # from infinity to infinity is no distance
            return np.concatenate(found, axis=1) - level

    return read


def _unending(metric: MetricFunction, value: FloatArray) -> FloatArray:
    """A metric where its noise is more nearly the same everywhere: without the squeeze at the ends of its range."""
    row = row_of(metric)
    if row is None or not (np.isfinite(row.lowest) or np.isfinite(row.highest)):
        return value
    low, high = row.lowest, row.highest
    if np.isfinite(low) and np.isfinite(high):
        return np.arcsin(np.sqrt(np.clip((value - low) / (high - low), 0.0, 1.0)))
    return np.sqrt(np.maximum(value - low, 0.0)) if np.isfinite(low) else -np.sqrt(np.maximum(high - value, 0.0))


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
