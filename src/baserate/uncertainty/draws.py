"""One pass over drawn populations, from which all readings are taken."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.progress import progress
from baserate.uncertainty.samplers import NOBODY, Drawn, Observer, Sampler, Streams

Seeds = tuple[int, int, int]


class Reader(NamedTuple):
    """Reads values off drawn curves: one row for each population, with one or more columns."""

    read: Callable[[tuple[Drawn, ...]], FloatArray]
    observers: tuple[Observer, ...] | None = None  # None for a pessimist and an optimist
    of_curves: bool = True  # False for points chosen on curves
    whole_row: bool = False  # True if pessimist and optimist place a whole row instead of half a row


def seeds_from(rng: np.random.Generator) -> Seeds:
    """Seeds of the streams; they are drawn once, whatever is read later."""
    pos, neg, free = rng.integers(2**63, size=3).tolist()
    return pos, neg, free


def drawn(
    sampler: Sampler, readers: Sequence[Reader], n_draws: int, seeds: Seeds, *, what: str = "Drawing populations"
) -> list[FloatArray]:
    """Draw populations and read each with every reader: one array per reader, by observer, population and column.

    If corners are merged into runs, readings of whole curves are shifted by the error of merging, measured on the rows.
    Readings of chosen points are not: there the difference is mostly local noise of the curve, which draws average out.
    """
    both = (NOBODY,) if sampler.again else sampler.observers
    whole = tuple(one._replace(pos=1.0, neg=1.0) for one in both)
    chunks: list[list[FloatArray]] = [[] for _ in readers]
    streams, sizes = Streams.of(seeds), sampler.chunks(n_draws)
    for size in progress(sizes, len(sizes), what):
        see = cache(partial(sampler.seen_by, masses=sampler.masses(size, streams)))
        for reader, parts in zip(readers, chunks, strict=True):
            observers = reader.observers or (whole if reader.whole_row else both)
            parts.append(np.stack([reader.read(see(one)) for one in observers]))
    values = [np.concatenate(parts, axis=1) for parts in chunks]
    closely = sampler.seen_closely() if any(reader.of_curves for reader in readers) else None
    if closely is None:
        return values
    roughly = sampler.seen()
    return [
        value + _offset(reader.read(closely), reader.read(roughly)) if reader.of_curves else value
        for reader, value in zip(readers, values, strict=True)
    ]


def _offset(closely: FloatArray, roughly: FloatArray) -> FloatArray:
    """The error of merging corners; 0 where it is not finite."""
    with np.errstate(invalid="ignore"):
        gain = closely - roughly
    return np.where(np.isfinite(gain), gain, 0.0)
