"""Tests for prior shift between each period and all others."""

from collections.abc import Sequence

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.prior.shift import prior_shift_check

# Scores are binned at so many quantiles of the positives' scores and of all scores; the test needs ten at most.
_CUTS = 500


def p_values(curves: Sequence[Curve | None]) -> list[float]:
    """The p-value of `prior_shift_check` for each period against all others together; nan if there is none.

    The test depends only on the order of scores. So scores are replaced by their bins, and the counts of all other
    periods are the total minus one, without pooling curves. Weighted rows and buckets cannot be tested in this way.
    """
    known = [curve is not None and not curve.missing_class for curve in curves]
    checked = [curve for curve in curves if curve is not None and not curve.missing_class]
    p_value = np.full(len(curves), np.nan)
    if len(checked) > 1 and not any(curve.weighted or curve.bucketed for curve in checked):
        cuts = _cuts(checked)
        counts = np.stack([_counts(curve, cuts) for curve in checked])
        p_value[known] = [
            _check(others, here) for others, here in zip(counts.sum(axis=0) - counts, counts, strict=True)
        ]
    return p_value.tolist()


def _cuts(curves: list[Curve]) -> FloatArray:
    scores = [np.concatenate([curve.score[curve.pos > 0] for curve in curves])]
    scores.append(np.concatenate([curve.score for curve in curves]))
    shares = np.linspace(0, 1, _CUTS)
    return np.unique([np.quantile(column, shares, method="inverted_cdf") for column in scores])


def _counts(curve: Curve, cuts: FloatArray) -> FloatArray:
    """Positives and negatives in each bin."""
    place = np.searchsorted(cuts, curve.score, side="right")
    return np.stack([np.bincount(place, weights=rows, minlength=len(cuts) + 1) for rows in (curve.pos, curve.neg)])


def _check(others: FloatArray, here: FloatArray) -> float:
    places = np.arange(here.shape[1])
    return prior_shift_check(Curve.from_counts(places, *others), Curve.from_counts(places, *here)).p_value
