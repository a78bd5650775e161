"""Finds the threshold that meets a target, on one curve or on each of many drawn ones.

Rates have a row for each drawn curve. Corners are counted from 1; at 0 nothing is predicted positive.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import BoolArray, Counts, FloatArray, Indices
from baserate.formulas.steps import Steps

# Two values closer than this, relatively, are equal: they differ by the rounding of the formula only.
ROUNDING = 8 * np.finfo(np.float64).eps


def first_reaching(rising: Counts, least: float) -> int:
    """The first index at which rising values reach the target."""
    return int(np.searchsorted(rising, least * (1 - ROUNDING)))


def last_within(rising: Counts, most: float) -> int:
    """The last index at which rising values do not exceed the limit; -1 if there is none."""
    return int(np.searchsorted(rising, most * (1 + ROUNDING), side="right")) - 1


def first_of_the_highest(values: FloatArray) -> int:
    """The first index of the highest value; values that differ by rounding are equal."""
    highest = float(values.max())
    return int(np.argmax(values >= (highest - ROUNDING * abs(highest) if np.isfinite(highest) else highest)))


def corner_reaching(rates: FloatArray, least: float) -> Indices:
    """The first corner of each row at which a rising rate reaches the target, or the last corner."""
    return np.minimum(_how_many(rates < least * (1 - ROUNDING)) + 1, np.intp(rates.shape[1]))


def corner_within(rates: FloatArray, most: float) -> Indices:
    """The last corner of each row at which a rising rate does not exceed the limit, or 0."""
    return _how_many(rates <= most * (1 + ROUNDING))


def corner_of_the_largest(rates: FloatArray, allowed: BoolArray) -> Indices:
    """The first corner of each row with the largest rate among the allowed corners, or 0."""
    largest = np.max(rates, axis=1, keepdims=True, where=allowed, initial=0.0)
    first = np.argmax(allowed & (rates >= largest), axis=1)
    return np.where(allowed.any(axis=1), first + 1, 0).astype(np.intp)


def with_silence(rates: FloatArray) -> FloatArray:
    """The rates with a 0 in front, for the point without alerts."""
    return np.append(np.zeros((len(rates), 1)), rates, 1)


def at_corner(rates: FloatArray, corner: Indices) -> FloatArray:
    """The rate of each row at its corner."""
    return np.take_along_axis(with_silence(rates), corner[:, np.newaxis], 1)[:, 0]


class Way(NamedTuple):
    """The path from a corner of each curve to the next: first through the gap, where only FPR rises, then upwards."""

    tpr: FloatArray  # at the corner
    fpr: FloatArray
    gap_end: FloatArray  # FPR where the next piece begins
    rise: FloatArray  # of that piece
    run: FloatArray
    jumps: BoolArray  # whether that piece has nothing between its ends

    def at(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both rates at this fraction of the next piece."""
        return self.tpr + share * self.rise, self.gap_end + share * self.run

    def until(self, for_tpr: float, for_fpr: float, limit: float) -> FloatArray:
        """The fraction of the next piece at which a linear function of both rates reaches the limit.

        0 if the limit is reached before the piece, or if the piece has length 0.
        """
        whole = for_tpr * self.rise + for_fpr * self.run
        left = limit - for_tpr * self.tpr - for_fpr * self.gap_end
        return np.clip(np.divide(left, whole, out=np.zeros_like(left), where=(whole > 0) & ~self.jumps), 0.0, 1.0)


def way_from(corner: Indices, steps: Steps, atoms: BoolArray) -> Way:
    """The path from a corner of each curve to the next; after the last corner there is only a gap."""
    tp, fp, pos, neg = (column / n for column, n in zip(steps[:4], (steps.n_pos, steps.n_neg) * 2, strict=True))
    before = np.append(fp - neg, np.ones((len(fp), 1)), 1)
    pos, neg = (np.append(column, np.zeros((len(fp), 1)), 1) for column in (pos, neg))
    behind = [np.take_along_axis(column, corner[:, np.newaxis], 1)[:, 0] for column in (before, pos, neg)]
    gap_end, rise, run = behind
    return Way(at_corner(tp, corner), at_corner(fp, corner), gap_end, rise, run, np.append(atoms, True)[corner])


def _how_many(there: BoolArray) -> Indices:
    counted: Indices = there.sum(axis=1, dtype=np.intp)
    return counted
