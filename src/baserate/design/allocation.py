"""How many labels each stratum gets: Neyman's allocation, between a few labels and all rows."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.design.score_bins import ScoreBins

# No stratum has fewer labels, unless it has fewer rows: without any, all that depends on it would be unknown.
_FEWEST = 20


class Strata(NamedTuple):
    """Strata of scores from the highest down: their lowest scores, their rows, and what a label in each tells.

    Attributes
    ----------
    lowest, n_rows, pos : array
        The lowest score, the rows, and the positives expected among them.
    spread : array
        The standard deviation, within the stratum, of what a row adds to the metric.
    least : array
        Labels that each has at least.
    of_bin : array
        The stratum of each bin.
    rows_variance : float
        The variance of the metric if all rows are labelled.
    """

    lowest: FloatArray
    n_rows: FloatArray
    pos: FloatArray
    spread: FloatArray
    least: FloatArray
    of_bin: Indices
    rows_variance: float

    def allocated(self, n: float) -> FloatArray:
        """Labels for each stratum, of n in all: as Neyman has them, where there are as many rows."""
        wanted = np.maximum(self.n_rows * self.spread, 1e-12 * self.n_rows)
        found = self.least.copy()
        free = np.ones(len(found), np.bool_)
        while free.any():
            share = wanted * free * max(n - found[~free].sum(), 0.0) / wanted[free].sum()
            beyond = free & ((share >= self.n_rows) | (share <= self.least))
            if not beyond.any():
                return np.where(free, share, found)
            too_many = free & (share >= self.n_rows)  # settle these first: they leave more to the others
            settled = too_many if too_many.any() else beyond
            found[settled] = np.where(too_many, self.n_rows, self.least)[settled]
            free &= ~settled
        return found

    def variance(self, labels: FloatArray) -> float:
        """The variance of the metric, with this many labels in each stratum."""
        return self.rows_variance + float((self.n_rows**2 * self.spread**2 * (1 / labels - 1 / self.n_rows)).sum())


def strata_from(
    bins: ScoreBins, slopes: tuple[FloatArray, FloatArray], edges: Sequence[float], known: FloatArray | None = None
) -> Strata:
    """Strata with these lowest scores; the last has all that is below. `known` has the labels of each bin so far."""
    lowest = np.array([*sorted(set(edges), reverse=True), -np.inf])
    of_bin = np.searchsorted(-lowest, -bins.lowest)
    size = len(lowest)
    n_rows = _summed(of_bin, bins.n_rows, size)
    mean, square = _moments(bins, slopes)
    with np.errstate(invalid="ignore"):
        of_stratum = np.bincount(of_bin, bins.n_rows * mean, size) / n_rows
        spread = np.sqrt(np.maximum(np.bincount(of_bin, bins.n_rows * square, size) / n_rows - of_stratum**2, 0.0))
    whole = bins.n_rows.sum()
    rows_variance = bins.n_rows @ square - (bins.n_rows @ mean) ** 2 / whole
    least = np.minimum(n_rows, _FEWEST)
    if known is not None:
        least = np.maximum(least, np.bincount(of_bin, known, size))
    pos = _summed(of_bin, bins.pos, size)
    some = n_rows > 0
    return Strata(
        lowest[some],
        n_rows[some],
        pos[some],
        spread[some],
        least[some],
        np.cumsum(some)[of_bin] - 1,
        float(rows_variance),
    )


def _summed(of_bin: Indices, of_each: FloatArray, size: int) -> FloatArray:
    return np.bincount(of_bin, of_each, size).astype(np.float64)


def _moments(bins: ScoreBins, slopes: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The mean of what a row of each bin adds to the metric, and the mean of its square."""
    p = bins.positive
    return p * slopes[0] + (1 - p) * slopes[1], p * slopes[0] ** 2 + (1 - p) * slopes[1] ** 2


def best_edges(
    bins: ScoreBins, slopes: tuple[FloatArray, FloatArray], threshold: float | None, n: float
) -> list[float]:
    """The edges of three strata with the least variance, if n rows are labelled; a threshold is the first of them."""
    inner = [float(one) for one in bins.lowest[:-1] if np.isfinite(one)]
    if threshold is None:
        candidates = [list(pair) for pair in itertools.combinations(inner, 2)] or [inner]
    else:
        candidates = [[threshold, one] for one in inner if one < threshold] or [[threshold]]

    def variance(edges: list[float]) -> float:
        strata = strata_from(bins, slopes, edges)
        return strata.variance(strata.allocated(n))

    return min(candidates, key=variance)
