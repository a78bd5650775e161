"""Isotonic regression of labels on scores: the increasing step function nearest to the event rates.

Along ascending scores, neighbours whose rates fall are pooled until none falls. This is the CORP reliability curve of
Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 118(8), 2021.
doi:10.1073/pnas.2016191118.
"""

from typing import NamedTuple

import numpy as np

from baserate.arrays import CountArray, FloatArray, Indices


class Blocks(NamedTuple):
    """Blocks of pooled scores: one per step of the curve, from the lowest score up."""

    first: Indices  # the entry that each block begins with
    pos: FloatArray
    neg: FloatArray

    @property
    def rate(self) -> FloatArray:
        """Share of the positives in each block, rising."""
        # Pooling compared rates that were rounded on the way, so that two may be the wrong way round by a last digit.
        return np.maximum.accumulate(self.pos / (self.pos + self.neg))


def isotonic_blocks(pos: CountArray, neg: CountArray) -> Blocks:
    """Pool adjacent violators along ascending scores. Every entry must have mass."""
    from scipy.optimize import isotonic_regression

    mass = np.asarray(pos + neg, np.float64)
    if len(mass) == 0:
        return Blocks(np.empty(0, np.intp), np.empty(0), np.empty(0))
    first = np.asarray(isotonic_regression(pos / mass, weights=mass).blocks[:-1], np.intp)
    pooled_pos = np.add.reduceat(np.asarray(pos, np.float64), first)
    return Blocks(first, pooled_pos, np.add.reduceat(np.asarray(neg, np.float64), first))


def isotonic_rates(pos: CountArray, neg: CountArray) -> FloatArray:
    """The recalibrated event rate of each entry, along ascending scores.

    An entry without mass gets the rate of the entry below it, or the first rate; all are nan if no entry has mass.
    """
    filled = np.flatnonzero((pos > 0) | (neg > 0))
    if len(filled) == 0:
        return np.full(len(pos), np.nan)
    blocks = isotonic_blocks(pos[filled], neg[filled])
    step = np.searchsorted(filled[blocks.first], np.arange(len(pos)), side="right") - 1
    return blocks.rate[np.maximum(step, 0)]
