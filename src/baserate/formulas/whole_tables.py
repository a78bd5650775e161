"""All confusion matrices of whole numbers, with given class sizes, that obey given inequalities: by enumeration.

For each number of true positives, the inequalities leave a range of false positives. A ratio of sums of cells is
monotone in the false positives, so it is extreme at an end of such a range.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.formulas.shares_of_tables import Vector


class WholeTables(NamedTuple):
    """Tables of whole numbers: for each number of true positives the least and the most false positives."""

    tp: Indices
    least: Indices
    most: Indices
    n_pos: int
    n_neg: int

    def extremes(
        self, numerator: Sequence[float], denominator: Sequence[float], prevalence: float | None = None
    ) -> tuple[float, float]:
        """The lowest and the highest value of a ratio, at a prevalence or at the tables' own; nan if undefined."""
        weight = 1.0 if prevalence is None else self.n_pos / self.n_neg * (1 - prevalence) / prevalence
        values = []
        for fp in (self.least, np.minimum(self.least + 1, self.most), self.most):
            cells = np.stack([self.tp, self.n_pos - self.tp, weight * fp, weight * (self.n_neg - fp)])
            with np.errstate(divide="ignore", invalid="ignore"):
                values.append((np.asarray(numerator) @ cells) / (np.asarray(denominator) @ cells))
        known: FloatArray = np.concatenate(values)
        known = known[~np.isnan(known)]
        return (float(known.min()), float(known.max())) if len(known) else (np.nan, np.nan)


def whole_tables(constraints: Iterable[Vector], positive: Iterable[Vector], n_pos: int, n_neg: int) -> WholeTables:
    """The tables with c · v >= 0 for each constraint c, and > 0 for each of `positive`."""
    limits = [(c, 0) for c in constraints] + [(c, 1) for c in positive]
    tp = np.arange(n_pos + 1)
    least, most = np.zeros_like(tp), np.full_like(tp, n_neg)
    for (of_tp, of_fn, of_fp, of_tn), at_least in limits:
        # rest + slope * fp >= 0
        slope = of_fp - of_tn
        large = 4 * max(map(abs, (of_tp, of_fn, of_fp, of_tn))) * (n_pos + n_neg) >= 2**62
        rest = (tp.astype(object) if large else tp) * (of_tp - of_fn) + (of_fn * n_pos + of_tn * n_neg - at_least)
        if slope > 0:
            least = np.maximum(least, np.minimum(-(rest // slope), n_neg + 1).astype(np.int64))
        elif slope < 0:
            most = np.minimum(most, np.maximum(rest // -slope, -1).astype(np.int64))
        else:
            most = np.where((rest >= 0).astype(bool), most, -1)
    there = least <= most
    return WholeTables(tp[there], least[there], most[there], n_pos, n_neg)
