"""Test sets simulated from a ROC curve, reduced to what the interval of average precision depends on.

That is the ranks of the positives, which are order statistics, and the numbers of negatives between them. The highest
positives have cells of their own; further down they are merged into runs, along which the curve is straight, as in
`estimate`. So a test set of millions takes no longer. For discrete scores it is the number of rows at each level.
"""

from collections.abc import Iterator

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.design.roc_models import RocLevels, RocModel, SmoothRoc
from baserate.uncertainty.cells import Cells, Part

# Positives from the top with cells of their own; the longest run, as a share of the positives above it and of all.
_SINGLE = 16
_GROWTH = 0.12
_LONGEST = 0.06


def drawn_sets(model: RocModel, n_pos: int, n_neg: int, n_sets: int, rng: np.random.Generator) -> Iterator[Cells]:
    """Simulated test sets of these sizes."""
    if isinstance(model, RocLevels):
        return _with_levels(model, n_pos, n_neg, n_sets, rng)
    return _without_ties(model, n_pos, n_neg, n_sets, rng)


def _with_levels(model: RocLevels, n_pos: int, n_neg: int, n_sets: int, rng: np.random.Generator) -> Iterator[Cells]:
    score = -np.arange(len(model.pos), dtype=np.float64)
    drawn_pos, drawn_neg = rng.multinomial(n_pos, model.pos, n_sets), rng.multinomial(n_neg, model.neg, n_sets)
    for pos, tied in zip(drawn_pos.astype(np.float64), drawn_neg, strict=True):
        neg = np.zeros(2 * len(tied) + 1)
        neg[1::2] = tied
        yield Cells(score, score, _counted(pos), _counted(neg))


def _without_ties(model: SmoothRoc, n_pos: int, n_neg: int, n_sets: int, rng: np.random.Generator) -> Iterator[Cells]:
    rows = np.diff(ranks(n_pos), prepend=0).astype(np.float64)
    places = np.cumsum(rng.standard_gamma(np.append(rows, 1.0), (n_sets, len(rows) + 1)), axis=1)
    fpr = model.fpr_at(places[:, :-1] / places[:, -1:])
    shares = np.diff(fpr, axis=1, prepend=0.0, append=1.0)
    for between in rng.multinomial(n_neg, shares).astype(np.float64):
        yield _runs(rows, between)


def ranks(n_pos: int) -> Indices:
    """Ranks of the positives at which a cell ends, from the highest score."""
    ends = list(range(1, min(n_pos, _SINGLE) + 1))
    while ends[-1] < n_pos:
        step = min(max(1, int(_GROWTH * ends[-1])), max(1, int(_LONGEST * n_pos)))
        ends.append(min(n_pos, ends[-1] + step))
    return np.array(ends)


def _runs(rows: FloatArray, between: FloatArray) -> Cells:
    """Cells of runs; one part of the negatives, one over the positives of the run, lies above its first positive."""
    neg = np.zeros(2 * len(rows) + 1)
    neg[:-1:2] = between[:-1] / rows
    neg[1::2] = between[:-1] - neg[:-1:2]
    neg[-1] = between[-1]
    score = -np.arange(len(rows), dtype=np.float64)
    return Cells(score, score + (rows > 1) / 2, _counted(rows), _counted(neg))


def _counted(rows: FloatArray) -> Part:
    return Part(rows, np.ones_like(rows))
