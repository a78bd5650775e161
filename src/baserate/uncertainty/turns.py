"""Interior extrema of a linear combination of readings of one curve.

For example, the precision lost to a lower prevalence is largest for a model of middling quality. No drawn population
passes such an extremum, so percentiles stop short of it if the data lie near it. There the end of the interval is
computed for a curve at the extremum, and only the remaining uncertainty is drawn.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import BoolArray, FloatArray
from baserate.formulas.proportions import z_score
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import DependsOn, traits_of
from baserate.uncertainty import ends, points

_PLACES = 25  # of the grid on which an extremum is searched
_CLOSER = 6  # refinements of the grid


class Rates(NamedTuple):
    """Both rates at several places of one curve: by place, and for observers, draws and places."""

    seen: tuple[FloatArray, FloatArray]
    drawn: tuple[FloatArray, FloatArray]
    x: FloatArray
    threshold: Sequence[str]  # places with the same threshold have the same rates
    sizes: tuple[float | None, float | None]  # positives and negatives

    def values(self, metric: MetricFunction) -> FloatArray:
        """The metric at the drawn rates."""
        return points.values(metric, *self.drawn, self.x, sizes=self.sizes)


class _Number(NamedTuple):
    """A number between 0 and 1 that a metric depends on, as a function of the rates, and rates that have it."""

    of: Callable[[FloatArray, FloatArray], FloatArray]
    rates: Callable[[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def _share(tpr: FloatArray, fpr: FloatArray) -> FloatArray:
    """The ratio of rates, as FPR/(TPR + FPR), which is finite."""
    with np.errstate(invalid="ignore"):
        return np.asarray(fpr / (tpr + fpr), np.float64)


def _with_share(share: FloatArray, *_: FloatArray) -> tuple[FloatArray, FloatArray]:
    larger = np.maximum(share, 1 - share)
    return (1 - share) / larger, share / larger


def _with_share_below(share: FloatArray, *_: FloatArray) -> tuple[FloatArray, FloatArray]:
    fnr, tnr = _with_share(share)
    return 1 - fnr, 1 - tnr


_TPR = _Number(lambda tpr, _: tpr, lambda tpr, _, fpr: (tpr, fpr))
_FPR = _Number(lambda _, fpr: fpr, lambda fpr, tpr, _: (tpr, fpr))
_BOTH = (_FPR, _TPR)
_NUMBERS = {
    DependsOn.TPR: (_TPR,),
    DependsOn.FPR: (_FPR,),
    DependsOn.LR_POSITIVE: (_Number(_share, _with_share),),
    DependsOn.LR_NEGATIVE: (_Number(lambda tpr, fpr: _share(1 - tpr, 1 - fpr), _with_share_below),),
}


def past_middling(
    drawn: FloatArray, seen: FloatArray, coefficients: FloatArray, confidence_level: float, least: FloatArray
) -> FloatArray:
    """The smallest sum of an area's readings in each draw, past its interior extremum if it has one.

    The sum is modelled as a parabola of the mean reading. A change of prevalence does least to a perfect model and to a
    useless one, so only the largest effect is an interior extremum. Drawn curves are rougher than the rows, which makes
    the effect smaller; the same difference is assumed between the rows and their population.
    """
    counts = coefficients != 0
    change, middle = drawn @ np.where(counts, coefficients, 0.0), drawn[..., counts].mean(axis=-1, keepdims=True)
    spread = np.ptp(middle)
    if not ((coefficients < 0).any() and (coefficients > 0).any() and np.isfinite(drawn).all() and spread > 0):
        return least
    center = np.mean(seen[counts], keepdims=True)
    reach = ends.melded(middle, center, 1 - 2 * float(scipy.special.ndtr(-z_score((1 + confidence_level) / 2))))
    places = np.linspace(reach.low[0], reach.high[0], _PLACES)

    def powers(of: FloatArray) -> FloatArray:
        return np.asarray(((of - center) / spread)[..., np.newaxis] ** np.arange(3), np.float64)

    parabola = np.linalg.lstsq(powers(middle).reshape(-1, 3), change.ravel())[0]
    along = powers(places) @ parabola
    if not along.min() < min(along[0], along[-1], 0.0):
        return least
    ragged = min(float(coefficients @ seen - parabola[0]), 0.0)
    rest = change - powers(middle)[..., 0, :] @ parabola
    return np.asarray(along.min() + ragged + rest.min(axis=0), np.float64)


def past(
    metric: MetricFunction, rates: Rates, coefficients: FloatArray, confidence_level: float, least: FloatArray
) -> FloatArray:
    """The smallest sum of metrics of points in each draw, over observers, past its interior extrema if it has any."""
    depends_on = traits_of(metric).depends_on
    numbers = _BOTH if depends_on is None else _NUMBERS.get(depends_on, _BOTH)
    counts = coefficients != 0

    def summed(tpr: FloatArray, fpr: FloatArray) -> FloatArray:
        values = points.values(metric, tpr[..., counts], fpr[..., counts], rates.x[counts], sizes=rates.sizes)
        return np.asarray(values @ coefficients[counts], np.float64)

    # Two curves may have extrema: with half the risk for each, both are within reach at the level. A distance in both
    # rates together may be the square root of two times as large in either.
    reach = len(numbers) ** 0.5 * z_score((1 + confidence_level) / 2)
    level = 1 - 2 * float(scipy.special.ndtr(-reach))
    held = rates
    for number in numbers:
        for threshold in dict.fromkeys(rates.threshold):
            here = np.array([one == threshold for one in rates.threshold])
            turn = _turn(number, held, here, summed, level)
            if turn is not None:
                seen, drawn = (_moved(number, turn, known, here) for known in (held.seen, held.drawn))
                held = held._replace(seen=seen, drawn=drawn)
    return least if held is rates else summed(*held.drawn).min(axis=0)


def _turn(
    number: _Number,
    rates: Rates,
    here: BoolArray,
    summed: Callable[[FloatArray, FloatArray], FloatArray],
    level: float,
) -> FloatArray | None:
    """Where a sum is lowest as one number varies; None if that is at an end of its plausible range."""
    first = [int(np.argmax(here))]
    drawn, seen = (number.of(*known)[..., first] for known in (rates.drawn, rates.seen))
    reach = ends.melded(drawn, seen, level)
    inside = drawn[(drawn >= reach.low) & (drawn <= reach.high)]
    if len(inside) == 0:
        return None
    grid = np.unique(np.quantile(inside, np.linspace(0, 1, _PLACES)))

    def along(grid: FloatArray) -> FloatArray:
        return summed(*_moved(number, grid[:, np.newaxis], rates.seen, here))

    sums = along(grid)
    at_ends = min(sums[0], sums[-1])
    for _ in range(_CLOSER):
        k = int(np.argmin(sums))
        grid = np.linspace(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)], _PLACES)
        sums = along(grid)
    return grid[np.argmin(sums)] if sums.min() < at_ends else None


def _moved(
    number: _Number, to: FloatArray, rates: tuple[FloatArray, FloatArray], here: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Rates with a number set to another value at some places."""
    tpr, fpr = (np.where(here, new, old) for new, old in zip(number.rates(to, *rates), rates, strict=True))
    return tpr, fpr
