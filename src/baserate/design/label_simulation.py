"""Simulated test sets of a plan for labelling, and how wide intervals are in them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.curves.counting import Counted, merge_counts
from baserate.curves.curve import Curve
from baserate.curves.strata import Stratum
from baserate.design.allocation import Strata
from baserate.design.score_bins import LabelQuestion, ScoreBins
from baserate.uncertainty.estimate import estimate

_DRAWS = 200  # of each interval


class Simulated(NamedTuple):
    """Widths in simulated test sets: their median, their quantile at the assurance, and at a higher one in reserve."""

    median: float
    assured: float
    reserve: float


def simulated_widths(
    question: LabelQuestion, curve: Callable[[int], Curve], settings: tuple[int, float, float, float]
) -> Simulated:
    """Widths of the interval in test sets of this kind.

    Their quantiles are those of a log-normal distribution, because there are only few.
    """
    n, level, *shares = settings
    widths = []
    for number in range(n):
        found = estimate(
            question.metric,
            question.at(curve(number)),
            confidence_level=level,
            n_resamples=_DRAWS,
            rng=number,
        )
        widths.append(1.0 if np.isnan(found.width) else found.width)
    logs = np.log(widths)
    quantiles = np.exp(logs.mean() + logs.std(ddof=1) * scipy.special.ndtri(shares))
    return Simulated(float(np.median(widths)), float(quantiles[0]), float(quantiles[1]))


def simulated(
    scores: FloatArray, bins: ScoreBins, strata: Strata, labels: FloatArray, rng: np.random.Generator
) -> Curve:
    """Draw labels for the rows; shares of positives are drawn, too, as the earlier curve leaves them uncertain."""
    chance = bins.drawn(rng)
    of_row = strata.of_bin[bins.of_row]
    found = []
    for k, n in enumerate(labels):
        rows = np.flatnonzero(of_row == k)
        chosen = rng.permutation(len(rows))[: int(n)]
        known = np.zeros(len(rows), np.bool_)
        known[chosen] = True
        positive = rng.random(int(n)) < chance[bins.of_row[rows[known]]]
        labelled, rest = scores[rows[known]], scores[rows[~known]]
        found.append(
            Stratum(
                str(k),
                merge_counts(Counted(labelled, positive.astype(np.int64), (~positive).astype(np.int64))),
                merge_counts(Counted(rest, np.zeros(len(rest), np.int64), np.ones(len(rest), np.int64))),
            )
        )
    return Curve._of_strata(found)
