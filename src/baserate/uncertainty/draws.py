"""One walk over drawn populations, on which everything that is asked of them is read."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.progress import progress
from baserate.uncertainty.samplers import NOBODY, Drawn, Masses, Observer, Sampler, Streams

Seeds = tuple[int, int, int]


class Reader(NamedTuple):
    """Reads something off drawn curves as observers see them: one row for each population, with some columns."""

    read: Callable[[tuple[Drawn, ...]], FloatArray]
    observers: tuple[Observer, ...] | None = None  # None for a pessimist and an optimist
    of_curves: bool = True  # whether it reads whole curves, or points chosen on them
    whole_row: bool = False  # whether a pessimist and an optimist place a whole row instead of half a one


def seeds_from(rng: np.random.Generator) -> Seeds:
    """What random numbers come from, whatever is asked and however often."""
    pos, neg, free = rng.integers(2**63, size=3).tolist()
    return pos, neg, free


def drawn(
    sampler: Sampler, readers: Sequence[Reader], n_draws: int, seeds: Seeds, *, what: str = "Drawing populations"
) -> list[FloatArray]:
    """What each reader reads off so many populations: observers, populations, columns.

    Where runs of corners stand as one, readings of whole curves are moved by what that does to the reading of the rows
    themselves. Of a chosen point that would be how ragged the curve is just there, which draws average out.
    """
    both = (NOBODY,) if sampler.again else (sampler.pessimist, sampler.optimist)
    whole = tuple(one._replace(pos=1.0, neg=1.0) for one in both)
    found: list[list[FloatArray]] = [[] for _ in readers]
    for masses in _masses(sampler, n_draws, seeds, what):
        seen: dict[Observer, tuple[Drawn, ...]] = {}
        for reader, parts in zip(readers, found, strict=True):
            views = (
                _seen_once(sampler, masses, one, seen)
                for one in reader.observers or (whole if reader.whole_row else both)
            )
            parts.append(np.stack([reader.read(models) for models in views]))
    values = [np.concatenate(parts, axis=1) for parts in found]
    closely = sampler.seen_closely() if any(reader.of_curves for reader in readers) else None
    if closely is None:
        return values
    roughly = sampler.seen()
    return [
        value + _offset(reader.read(closely), reader.read(roughly)) if reader.of_curves else value
        for reader, value in zip(readers, values, strict=True)
    ]


def _masses(sampler: Sampler, n_draws: int, seeds: Seeds, what: str) -> Iterator[Masses]:
    streams, sizes = Streams.of(seeds), sampler.chunks(n_draws)
    for size in progress(sizes, len(sizes), what):
        yield sampler.masses(size, streams)


def _seen_once(
    sampler: Sampler, masses: Masses, observer: Observer, seen: dict[Observer, tuple[Drawn, ...]]
) -> tuple[Drawn, ...]:
    if observer not in seen:
        seen[observer] = sampler.seen_by(observer, masses)
    return seen[observer]


def _offset(closely: FloatArray, roughly: FloatArray) -> FloatArray:
    """What a reading gains by looking closely; nothing where that cannot be said."""
    with np.errstate(invalid="ignore"):
        gain = closely - roughly
    return np.where(np.isfinite(gain), gain, 0.0)
