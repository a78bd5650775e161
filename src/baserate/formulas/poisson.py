"""Many Poisson laws as tables, in which numbers are looked up."""

from typing import NamedTuple

import numpy as np
import scipy

from baserate import native
from baserate.arrays import Counts, FloatArray, Indices

_REACH = 9.0  # standard deviations
_PARTS = 256


class PoissonTables(NamedTuple):
    """Distribution functions of Poisson laws: one row for each."""

    lowest: Counts  # the first value of each
    cdf: FloatArray  # up to each value; the last one is 1
    guide: Counts  # the first value whose share lies beyond each of equally many parts of the way from 0 to 1


def poisson_tables(mean: FloatArray) -> PoissonTables:
    """PoissonTables of Poisson laws with these means, as far as doubles tell their tails from nothing."""
    reach = _REACH * np.sqrt(mean)
    lowest = np.floor(np.maximum(mean - reach, 0.0))
    width = int((np.ceil(mean + reach + _REACH) - lowest).max())
    share = mean[:, np.newaxis] / np.maximum(lowest[:, np.newaxis] + np.arange(width), 1.0)  # over the one before
    share[:, 0] = np.exp(scipy.special.xlogy(lowest, mean) - mean - scipy.special.gammaln(lowest + 1))
    cdf = np.cumsum(np.cumprod(share, axis=1), axis=1)
    cdf /= cdf[:, -1:]
    before = np.ceil(cdf * _PARTS).astype(np.intp) + np.arange(len(mean))[:, np.newaxis] * (_PARTS + 1)
    ends_in = np.bincount(before.ravel(), minlength=len(mean) * (_PARTS + 1)).reshape(len(mean), _PARTS + 1)
    return PoissonTables(lowest.astype(np.int64), cdf, np.cumsum(ends_in, axis=1)[:, :-1])


def looked_up(uniform: FloatArray, table_of: Indices, tables: PoissonTables) -> Counts:
    """The least value of a law whose distribution function is beyond each uniform number; each row has its table."""
    if native.kernel is not None:
        found = np.empty(uniform.shape, np.int64)
        given = uniform.ravel(), table_of, tables.lowest, tables.cdf.ravel(), tables.guide.ravel()
        native.kernel.invert(*given, found.ravel())
        return found
    table = table_of[:, np.newaxis]
    found = tables.guide[table, (uniform * _PARTS).astype(np.intp)]
    low = uniform >= tables.cdf[table, found]
    while low.any():
        found += low
        low = uniform >= tables.cdf[table, found]
    return found + tables.lowest[table]
