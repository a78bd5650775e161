"""What a page says of rows of which only some were sampled for labelling: intervals of rates, and where labels are."""

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.formulas.proportions import Interval
from baserate.page.words import counted, isolated
from baserate.uncertainty import ends
from baserate.uncertainty.draws import seeds_from
from baserate.uncertainty.sampled_methods import rates_drawn

_DRAWS = 500


class DrawnRates:
    """TPR and FPR at falling thresholds, as observed and in drawn populations."""

    def __init__(self, curve: Curve, falling: FloatArray) -> None:
        points = [curve.at_threshold(one) for one in falling.tolist()]
        self.seen = np.array([one.tpr for one in points]), np.array([one.fpr for one in points])
        self._drawn = rates_drawn(curve, falling, _DRAWS, seeds_from(np.random.default_rng(0)))

    def tpr(self, level: float) -> Interval:
        """Intervals of TPR."""
        return ends.melded(self._drawn[0], self.seen[0], level)

    def fpr(self, level: float) -> Interval:
        """Intervals of FPR."""
        return ends.melded(self._drawn[1], self.seen[1], level)

    def precision(self, against: float, level: float) -> Interval:
        """Intervals of precision with so many negatives per positive."""
        with np.errstate(divide="ignore", invalid="ignore"):
            seen, drawn = (tpr / (tpr + against * fpr) for tpr, fpr in (self.seen, self._drawn))
        return ends.melded(drawn, seen, level)


def where_labels_are(curve: Curve) -> str:
    """How many rows of each stratum are labelled."""
    each = (
        f"{isolated(one.name)}: {one.n_labelled:,} of {counted(one.n_rows, 'row')}, {counted(one.n_pos, 'positive')}"
        for one in curve.strata
    )
    return f"labels were sampled, and counts are estimates; labelled were {'; '.join(each)}"
