"""Cases picked without replacement: at random, or by enumerating every way."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import Counts, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.errors import InputError, MissingInformationError

# All ways are enumerated up to this many, and up to this many counts in total.
_FEW_LABELLINGS = 20_000
_FEW_COUNTS = 2**22

# Counts per chunk: few enough to stay in the processor's cache.
_CHUNK = 2**17

# numpy draws without replacement from fewer cases than this.
TOO_MANY_CASES = 10**9


def check_cases(curve: Curve, what: str) -> None:
    """Refuse a curve that does not know how many cases there are at each score."""
    curve._check_not_sampled(what)
    made_from = "weighted rows" if curve.weighted else None if curve.has_scores else "rates"
    if made_from:
        raise MissingInformationError(
            f"{what} needs counts of cases by score, got a curve made from {made_from}; build it with from_scores or "
            f"from_counts, without weights."
        )


class Picks(NamedTuple):
    """Many samples of cases drawn without replacement from a table: one row each."""

    place: Indices  # index of the score, from the highest down
    cases: Counts  # number of cases there; 0 where an index is repeated

    def by_score(self, i: int, n_scores: int) -> Indices:
        """The number of cases at each score, in one of the samples."""
        return np.bincount(self.place[i], weights=self.cases[i], minlength=n_scores).astype(np.intp)


def picks(totals: Indices, n_picked: int, n_ways: int, rng: np.random.Generator) -> Iterator[Picks]:
    """Draw samples of cases without replacement, a chunk of samples at a time."""
    if totals.sum() >= TOO_MANY_CASES:
        raise InputError(
            f"sampling without replacement needs fewer than {TOO_MANY_CASES:,} cases, got {totals.sum():,}; take a "
            f"sample of the rows first."
        )
    # By score or case by case, whichever needs fewer numbers; the distribution is the same.
    n_scores = len(totals)
    for chunk in chunks(n_ways, min(n_scores, n_picked)):
        n_rows = chunk.stop - chunk.start
        if n_scores <= n_picked:
            cases = rng.multivariate_hypergeometric(totals, n_picked, size=n_rows, method="marginals")
            yield Picks(np.broadcast_to(np.arange(n_scores), cases.shape), cases)
        else:
            yield _picked_one_by_one(totals, n_picked, n_rows, rng)


def _picked_one_by_one(totals: Indices, n_picked: int, n_ways: int, rng: np.random.Generator) -> Picks:
    n_cases = int(totals.sum())
    picked = [rng.choice(n_cases, n_picked, replace=False, shuffle=False) for _ in range(n_ways)]
    place = np.sort(np.array(picked, np.intp), axis=1)
    if len(totals) < n_cases:
        place = np.searchsorted(np.cumsum(totals), place, side="right").astype(np.intp, copy=False)
    is_new = np.ones(place.shape, np.bool_)
    is_new[:, 1:] = place[:, 1:] != place[:, :-1]
    first = np.flatnonzero(is_new)
    cases = np.zeros(place.size, np.intp)
    cases[first] = np.diff(first, append=place.size)
    return Picks(place, cases.reshape(place.shape))


def chunks(n_ways: int, width: int) -> list[slice]:
    """Slices of the samples, each small enough for the cache."""
    size = max(1, _CHUNK // max(1, width))
    return [slice(start, min(start + size, n_ways)) for start in range(0, n_ways, size)]


def every_labelling(totals: Indices, n_pos: int) -> tuple[Picks, FloatArray] | None:
    """All distinct labellings with this number of positives, and their probabilities; None if there are too many."""
    n_scores = len(totals)
    if n_pos == 1:
        places = np.arange(n_scores)[:, np.newaxis]
        return None if n_scores > _FEW_LABELLINGS else (Picks(places, np.ones_like(places)), totals / totals.sum())
    most = min(_FEW_LABELLINGS, _FEW_COUNTS // n_scores)
    behind = totals.sum() - np.cumsum(totals)
    left = np.array([n_pos])  # positives left to assign, in each way so far
    levels: list[tuple[Indices, Indices]] = []
    for total, rest in zip(totals, behind, strict=True):
        fewest, highest = np.maximum(left - rest, 0), np.minimum(left, total)
        choices = highest - fewest + 1
        # Each way so far can be completed, so their number never falls.
        if choices.sum() > most:
            return None
        before = np.repeat(np.arange(len(left)), choices)
        nth_choice = np.arange(len(before)) - np.repeat(np.cumsum(choices) - choices, choices)
        here = fewest[before] + nth_choice
        left = left[before] - here
        levels.append((before, here))
    cases = np.empty((len(left), n_scores), np.intp)
    way = np.arange(len(left))
    for score in reversed(range(n_scores)):
        before, here = levels[score]
        cases[:, score], way = here[way], before[way]
    log_ways = -(scipy.special.betaln(totals - cases + 1, cases + 1) + np.log1p(totals)).sum(axis=1)
    weight = np.exp(log_ways - log_ways.max())
    return Picks(np.broadcast_to(np.arange(n_scores), cases.shape), cases), weight / weight.sum()
