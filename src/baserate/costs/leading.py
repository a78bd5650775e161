"""Which model costs least at each prevalence and ratio of costs, and where that is sure."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, BoolArray, FloatArray, Indices, Prevalences
from baserate.curves.pair import Models, Pair
from baserate.errors import InputError, MissingInformationError
from baserate.formulas.cost_curves import hull_rates, losses
from baserate.results.costs import CostMap

# Losses nearer than this are equal but for rounding.
_EQUAL = 1e-12


@checks.declared
def cost_map(
    models: Models | Pair,
    prevalences: Prevalences,
    cost_ratios: ArrayLike,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    rng: np.random.Generator | int | None = None,
) -> CostMap:
    """Which model has the lowest expected cost at each prevalence and ratio of costs, and where that is sure.

    Each model is read at its best threshold of the place. The order depends on one number, the share of the cost that
    is due to misses (`cost_curve`), so the map is made of stripes along which prevalence times ratio stays about the
    same. Test sets are resampled by row, within each class, and a leader is sure where it leads in nearly all of them.

    Parameters
    ----------
    models : Models or Pair
        Models on the same rows.
    prevalences : sequence of float or str
        The prevalences.
    cost_ratios : sequence of float
        The cost of a miss over that of a false positive.
    confidence_level : float
        The share of resampled test sets in which a sure leader leads.
    n_resamples : int
        The number of resampled test sets.
    rng : Generator or int, optional
        For resampling.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> found = br.costs.cost_map(pair, [0.001, 0.1], [1, 100], n_resamples=50, rng=0)
    >>> found.leader.tolist(), found.sure.tolist()
    (['new', 'new', 'new', 'old'], [True, True, False, True])
    """
    level, n = checks.confidence_level(confidence_level), checks.repeats(n_resamples, "n_resamples")
    eta = checks.prevalences(prevalences)
    ratio = checks.numbers(cost_ratios, "cost_ratios")
    if not (len(eta) and len(ratio) and (ratio > 0).all() and np.isfinite(ratio).all()):
        raise InputError("cost_ratios and prevalences must be some positive numbers, got none or others; pass [1, 10].")
    if any(curve.missing_class for curve in models.curves):
        raise MissingInformationError("cost_map needs rows of both classes, got one class only; add rows of the other.")
    place_eta, place_ratio = (grid.ravel() for grid in np.meshgrid(eta, ratio, indexing="ij"))
    share = place_eta * place_ratio / (place_eta * place_ratio + 1 - place_eta)
    walks = [_walk(score) for score in models.scores]
    of_class = models.positive
    seen = _losses(walks, of_class.astype(np.float64), (~of_class).astype(np.float64), share)
    first, margin = _first(seen)
    random = checks.generator(rng)
    leads = np.zeros(len(share))
    for _ in range(n):
        pos, neg = (_resampled(mask, random) for mask in (of_class, ~of_class))
        again, by = _first(_losses(walks, pos, neg, share))
        leads += (again == first) & (by > _EQUAL)
    somebody = margin > _EQUAL
    support = np.where(somebody, leads / n, 0.0)
    return CostMap(
        prevalence=place_eta,
        cost_ratio=place_ratio,
        leader=np.where(somebody, np.array(models.names)[first], ""),
        loss=seen.min(0),
        margin=margin,
        support=support,
        sure=support >= level,
        names=models.names,
        confidence_level=level,
    )


class _Walk(NamedTuple):
    """Rows by falling score, and where each distinct score ends."""

    order: Indices
    last: Indices


def _walk(score: FloatArray) -> _Walk:
    order = np.argsort(-score, kind="stable")
    falling = score[order]
    return _Walk(order, np.append(np.flatnonzero(falling[1:] != falling[:-1]), len(falling) - 1))


def _losses(walks: Sequence[_Walk], pos: FloatArray, neg: FloatArray, share: FloatArray) -> FloatArray:
    """The lowest loss of each model at each share, of rows that count so often."""
    return np.array(
        [
            losses(hull_rates(*(np.cumsum(counts[walk.order])[walk.last] for counts in (neg, pos))), share)
            for walk in walks
        ]
    )


def _first(found: FloatArray) -> tuple[Indices, FloatArray]:
    """The model with the lowest loss at each place, and how much lower it is than the next."""
    two = np.sort(found, axis=0)[:2]
    return found.argmin(0), two[1] - two[0]


def _resampled(mask: BoolArray, rng: np.random.Generator) -> FloatArray:
    """How often each row of a class is in a resampled test set."""
    counts = np.zeros(len(mask))
    rows = np.flatnonzero(mask)
    counts[rows] = np.bincount(rng.integers(0, len(rows), len(rows)), minlength=len(rows))
    return counts
