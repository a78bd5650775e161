"""Unseen rows, placed where they lower a rate most, or raise it most."""

from dataclasses import replace

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.mislabelled import ErrorRates, change_of_log
from baserate.formulas.pointwise import Confusion
from baserate.labels.seen import SeenLabels

# Slopes are taken over such a step of an error rate.
_STEP = 1e-6


def with_unseen(name: str, seen: SeenLabels, draws: SeenLabels, free: FloatArray, *, high: bool) -> SeenLabels:
    """Drawn rows and error rates with unseen rows at the places that make a rate low, or high.

    There is at most one of each label, and a right or a wrong label of each class where errors were counted; `free` has
    their drawn masses.
    """
    slopes = _RateSlopes(name, seen, high=high)
    rows = draws.rows
    pos = _with_one(rows.pos, slopes.of_cells("pos"), free[:, 0])
    neg = _with_one(rows.neg, slopes.of_cells("neg"), free[:, 1])
    rates = [_rate(draws.checked[:, :, k], slopes.of_rates(k), free[:, 2 + k], seen.rates[k]) for k in (0, 1)]
    return replace(draws, rows=rows._replace(pos=pos, neg=neg), rates=ErrorRates(*rates))


def _with_one(masses: FloatArray, slope: FloatArray, free: FloatArray) -> FloatArray:
    """Masses with one more row where the slope is steepest, if it goes up anywhere."""
    where = int(np.argmax(slope))
    added = masses.copy()
    if slope.flat[where] > 0:
        added.reshape(len(masses), -1)[:, where] += free
    return added


def _rate(checked: FloatArray, slope: FloatArray, free: FloatArray, known: FloatArray) -> FloatArray:
    """Drawn error rates, with one more right label where that is up, else one more wrong label; known ones stay."""
    right, wrong = checked[..., 0], checked[..., 1]
    right, wrong = right + np.outer(free, slope > 0), wrong + np.outer(free, slope <= 0)
    return np.where((checked > 0).any(axis=(0, 2)), right / (right + wrong), known)


class _RateSlopes:
    """How the log-odds of a rate change, times -1 for its lower end."""

    def __init__(self, name: str, seen: SeenLabels, *, high: bool) -> None:
        rows = seen.rows
        self.rate, self.high = name, high
        self.centre = replace(seen, rows=rows._replace(pos=rows.pos + 0.5, neg=rows.neg + 0.5))
        self.before = self._true(self.centre)

    def _true(self, seen: SeenLabels) -> FloatArray:
        return np.array(seen.true_counts(self.rate, high=self.high))

    def _slope(self, change: FloatArray) -> float:
        cells, before = Confusion(*change), Confusion(*self.before)
        slope = change_of_log(self.rate, cells, before)
        if self.rate == "precision" and self.centre.odds_against is not None:
            slope -= change_of_log("prevalence", cells, before)
        return slope if self.high else -slope

    def of_cells(self, label: str) -> FloatArray:
        """With one more row of a label in each cell."""
        cells = getattr(self.centre.rows, label)
        found = np.empty(cells.shape)
        for where in np.ndindex(cells.shape):
            more = cells.copy()
            more[where] += 1
            rows = self.centre.rows._replace(**{label: more})
            found[where] = self._slope(self._true(replace(self.centre, rows=rows)) - self.before)
        return found

    def of_rates(self, k: int) -> FloatArray:
        """With a higher rate of right labels in one class, in each range of scores."""
        found = np.empty(len(self.centre.rates[k]))
        for where in range(len(found)):
            rates = [rate.copy() for rate in self.centre.rates]
            rates[k][where] -= _STEP
            lower = self._true(replace(self.centre, rates=ErrorRates(*rates)))
            found[where] = self._slope(self.before - lower)
        return found
