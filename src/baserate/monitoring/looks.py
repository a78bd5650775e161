"""Sequential monitoring: alarms with a given probability of a false alarm over all looks.

At each look, windows of several lengths are compared with a reference. The null distribution of a look comes from a
permutation test that deals the rows of the reference and of the longest window again. A look uses no later data.

Each look may spend a share of the probability of any false alarm. Looks share the reference, and windows share periods,
so false alarms are correlated, and the level of a look may be somewhat larger than its share. How much larger is
computed from simulated normal noise, which depends only on the sizes of the periods.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.rules import Rule, Threshold
from baserate.metrics.over_prevalence import MetricFunction
from baserate.monitoring.dealing import OfDeals
from baserate.registry import row_of
from baserate.uncertainty.cells import Cells, alike, between, cells_of, scores_in_runs
from baserate.uncertainty.draws import Reader, drawn, seeds_from
from baserate.uncertainty.readers import losses_of, reading_of, values_where
from baserate.uncertainty.samplers import Drawn

SEED = 20_260_401  # fixed, so that the same data have the same alarms

_HALF_SPENT = 12  # looks after which half of the probability of any false alarm is spent, if more may follow

_PATHS = 100_000  # of simulated noise
_FEWEST = 50  # paths beyond a limit, to estimate a probability from

_COARSE = (
    2,
    128,
)  # runs per unit of log-odds, and corners that are never merged: enough cells for areas and mean losses

_AT_ONCE = 250  # deals
_MANY_DEALS = 5000
_MOST_DEALS = 20_000
_FEWEST_BEYOND = 10  # deals beyond the limit that are wanted, within the largest number of deals
_FEWEST_IN_TAIL, _WIDER = 50, 4  # deals that the limit is fitted to: at least, and as a multiple of those beyond it


class LookSettings(NamedTuple):
    """What is monitored, and how, at each look."""

    metric: MetricFunction
    at: Rule | None
    windows: Sequence[int]  # lengths in periods, shortest first
    side: int  # 1 if low values are bad, -1 if high ones are, 0 if both
    n_deals: int  # the fewest
    seed: int


class Look(NamedTuple):
    """The worst standardised deviation from the reference at a look, its window, and the limit of an alarm."""

    statistic: float
    window: float
    limit: float


# --- one look -------------------------------------------------------------------------------------


def look_at(periods: Sequence[Curve], reference: Curve, settings: LookSettings, level: float, t: int) -> Look:
    """The look at one period and those before it, beside the reference."""
    return LookWindows(periods[: t + 1], reference, settings, t).look(level)


class LookWindows:
    """The windows that end at the last period, beside the reference; rows are dealt as often as a decision needs.

    `past` has the periods until then, at least those of the longest window; the look is number `t`, from 0.
    """

    def __init__(self, past: Sequence[Curve], reference: Curve, settings: LookSettings, t: int) -> None:
        self._lengths = [length for length in settings.windows if length <= t + 1] or [t + 1]
        samples = [reference, *past[len(past) - self._lengths[-1] :]]
        self._rng, self._settings = np.random.default_rng([settings.seed, t]), settings
        # A threshold needs no pooling.
        pooled = samples[0] if isinstance(settings.at, Threshold) else Curve.pool(samples)
        age = np.arange(len(samples) - 1, 0, -1)
        groups = [0, *(1 + np.searchsorted(self._lengths, age)).tolist()]  # by the shortest window that contains it
        self._sampler = OfDeals(_cut(samples, pooled, settings), groups, self._rng)
        self._reader = Reader(_deviations(settings, pooled), of_curves=False)
        first, seen = self._deal(settings.n_deals), self._reader.read(self._sampler.seen())
        self._scale = _mean_and_spread(first)
        self._first = _worst(_standardised(first, *self._scale), settings.side)
        self._standing = _standardised(seen, *self._scale)[0]
        self.worst = float(_worst(self._standing, settings.side))  # in standard errors, positive if it is bad
        self._law = np.empty(0)

    def look(self, level: float) -> Look:
        """The worst window, and the limit of an alarm at a level."""
        which = int(np.argmax(_worst(self._standing[:, np.newaxis], self._settings.side)))
        limit = _limit(np.sort(self._deals(level)), self.worst, level)
        return Look(float(self._standing[which]), self._lengths[which], limit)

    def _deals(self, level: float) -> FloatArray:
        """The worst window in as many deals as a level needs."""
        most = max(self._settings.n_deals, _most_deals(level))
        if not _is_open(self._first, self.worst, level, most):
            return self._first
        n = 0  # decide by other deals than those that the standard error is from
        while n < most and _is_open(self._law[:n], self.worst, level, most):
            n += _AT_ONCE
            if n > len(self._law):
                more = _standardised(self._deal(_AT_ONCE), *self._scale)
                self._law = np.append(self._law, _worst(more, self._settings.side))
        return self._law[:n]

    def _deal(self, n_deals: int) -> FloatArray:
        (dealt,) = drawn(self._sampler, [self._reader], n_deals, seeds_from(self._rng), what="Dealing rows")
        return np.asarray(dealt[0], np.float64)


def _most_deals(level: float) -> int:
    """The largest number of deals: enough for a stable decision, and for an alarm to be possible by counting."""
    return math.ceil(min(max(1 / level, min(_FEWEST_BEYOND / level, _MANY_DEALS)), _MOST_DEALS))


def _is_open(law: FloatArray, bad: float, level: float, most: int) -> bool:
    """Whether an alarm is still possible: few enough deals are as bad as the data."""
    return bool(np.count_nonzero(law >= bad) < level * (most + 1))


def _limit(law: FloatArray, bad: float, level: float) -> float:
    """The limit of an alarm, from sorted permutations: the smooth quantile, unless the counted one decides otherwise.

    A level that is too small to be counted needs data beyond all deals, and beyond the smooth quantile.
    """
    counted, smooth = float(law[-max(1, int(level * (len(law) + 1)))]), _in_the_tail(law, level)
    if bad > smooth:
        return smooth if bad > counted else counted
    return counted if bad > counted and level * (len(law) + 1) >= 1 else smooth


def _in_the_tail(law: FloatArray, level: float) -> float:
    """The quantile of the deals at a small tail probability, from a normal tail fitted to the highest of them."""
    n = len(law)
    tail = law[-min(n, max(_FEWEST_IN_TAIL, math.ceil(_WIDER * level * n))) :]
    z = scipy.special.ndtri(1 - (np.arange(len(tail), 0, -1) - 0.5) / n)
    beyond = scipy.special.ndtri(1 - level)
    if len(tail) == 1 or not np.isfinite(tail).all():
        return float(tail[0])
    scale = np.mean(tail - tail[0]) / np.mean(z - z[0])
    return float(tail[0] + scale * (beyond - z[0]))


def _cut(samples: Sequence[Curve], pooled: Curve, settings: LookSettings) -> list[Cells]:
    """Common cells for all samples, from the pooled rows; areas and mean losses need few of them."""
    metric, at = settings.metric, settings.at
    if isinstance(at, Threshold):
        return [between(curve, np.array([at.target])) for curve in samples]
    row = row_of(metric)
    is_area = at is None and row is not None and row.over_odds is not None
    is_mean = is_area or (at is None and losses_of(metric) is not None)
    cut = cells_of if is_area or (at is not None and at.follows_draws) else scores_in_runs
    return alike(samples, pooled, cut(pooled, *_COARSE) if is_mean else cut(pooled))


def _deviations(settings: LookSettings, pooled: Curve) -> Callable[[tuple[Drawn, ...]], FloatArray]:
    """A function that reads the deviation of each window from the reference: one row per deal."""
    where = partial(values_where, settings.metric, settings.at) if settings.at else reading_of(settings.metric, pooled)
    x = np.array([pooled.odds_against])

    def read(models: tuple[Drawn, ...]) -> FloatArray:
        level, *of_windows = (_unending(settings.metric, where(one, x)) for one in models)
        with np.errstate(invalid="ignore"):  # from infinity to infinity is no distance
            return np.concatenate(of_windows, axis=1) - level

    return read


def _unending(metric: MetricFunction, value: FloatArray) -> FloatArray:
    """The metric on a variance-stabilising scale: arcsine or square root, by its range."""
    row = row_of(metric)
    if row is None or not (np.isfinite(row.lowest) or np.isfinite(row.highest)):
        return value
    low, high = row.lowest, row.highest
    if np.isfinite(low) and np.isfinite(high):
        return np.arcsin(np.sqrt(np.clip((value - low) / (high - low), 0.0, 1.0)))
    return np.sqrt(np.maximum(value - low, 0.0)) if np.isfinite(low) else -np.sqrt(np.maximum(high - value, 0.0))


def _mean_and_spread(deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each window, over finite deals."""
    there = np.isfinite(deviation)
    n = np.maximum(there.sum(axis=0), 1)
    middle = np.sum(deviation, axis=0, where=there) / n
    return middle, np.sqrt(np.sum((deviation - middle) ** 2, axis=0, where=there) / n)


def _standardised(deviation: FloatArray, middle: FloatArray, error: FloatArray) -> FloatArray:
    """Deviations in standard errors, rounded so that equal deals compare as equal; nan where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(deviation == middle, 0.0, np.round((deviation - middle) / error, 9))


def _worst(standardised: FloatArray, side: int) -> FloatArray:
    """The badness of the worst window; undefined ones are ignored."""
    bad = badness(standardised, side)
    return np.asarray(np.max(np.where(np.isnan(bad), -np.inf, bad), axis=-1))


def badness(deviation: FloatArray | float, side: int) -> FloatArray:
    """How far a deviation goes in the bad direction, or in either."""
    return np.abs(deviation) if side == 0 else -side * np.asarray(deviation)


# --- all looks ------------------------------------------------------------------------------------


def spending(n_looks: int, false_alarm: float, planned: int | None = None) -> list[float]:
    """The share of the probability of any false alarm that each look spends.

    If the number of looks is planned, all have the same share. If any number may follow, the shares add up to
    `false_alarm`, however many there are: after t looks, t / (t + 12) of it is spent.
    """
    if planned is not None:
        return [false_alarm / planned] * n_looks
    return [false_alarm * _HALF_SPENT / ((t + _HALF_SPENT) * (t + 1 + _HALF_SPENT)) for t in range(n_looks)]


def levels_of(periods: Sequence[Curve], reference: Curve, settings: LookSettings, spend: Sequence[float]) -> FloatArray:
    """The level of each look, from what it may spend."""
    noise = tuple(_noise(curve) for curve in periods)
    return levels(noise, _noise(reference), tuple(settings.windows), tuple(spend), side=settings.side)


def _noise(curve: Curve) -> float:
    """The sampling variance of a curve, up to a factor: the sum of 1 over the effective size of each class."""
    of_class = (curve.n_pos, curve.pos_squares), (curve.n_neg, curve.neg_squares)
    return float(sum(squares.sum() / float(total) ** 2 for total, squares in of_class))


@lru_cache(maxsize=64)
def levels(
    variance: tuple[float, ...], reference: float, windows: tuple[int, ...], spend: tuple[float, ...], *, side: int
) -> FloatArray:
    """The level of each look, such that the probability of a false alarm, given none before, is what it may spend.

    A look that may spend very little has that as its level: too few simulated paths tell how much larger it may be.
    """
    rng = np.random.default_rng(SEED)
    base = rng.standard_normal(_PATHS) * np.sqrt(reference)
    shocks: list[FloatArray] = []
    alive = np.ones(_PATHS, bool)
    level = np.array(spend)
    last = max((t for t, share in enumerate(spend) if share * _PATHS >= _FEWEST), default=-1)
    for t in range(last + 1):
        shocks = [*shocks, rng.standard_normal(_PATHS) * np.sqrt(variance[t])][-max(windows) :]
        worst = np.full(_PATHS, -np.inf)
        for length in [w for w in windows if w <= t + 1] or [t + 1]:
            weight = 1 / np.array(variance[t + 1 - length : t + 1])
            share = weight / weight.sum()
            error = np.sqrt(1 / weight.sum() + reference)
            noise = sum(part * shock for part, shock in zip(share, shocks[-length:], strict=True)) - base
            worst = np.maximum(worst, badness(noise / error, side))
        beyond = worst > np.quantile(worst[alive], 1 - spend[t], method="higher")
        alive &= ~beyond
        level[t] = max(spend[t], float(beyond.mean()))
    return level
