"""Detects reversed scores, which are low for positives."""

import math
from collections.abc import Sequence

from baserate.cli.notes import note
from baserate.curves.curve import Curve
from baserate.metrics.areas import roc_auc

# A ROC AUC that is further below one half than this, and than chance explains, has another cause.
_FAR, _STANDARD_ERRORS = 0.1, 4.0


def note_direction(score: str, curves: Sequence[Curve]) -> None:
    """Print a note if negatives score above positives, over all groups of a file."""
    both = [curve for curve in curves if curve.missing_class is None]
    pairs = [float(curve.n_pos) * float(curve.n_neg) for curve in both]
    if not both:
        return
    auc = math.fsum(roc_auc(curve) * n for curve, n in zip(both, pairs, strict=True)) / math.fsum(pairs)
    # The variance of a rank sum without ties if scores know nothing; those of groups add up.
    variance = math.fsum(n * (float(curve.n_pos + curve.n_neg) + 1) / 12 for curve, n in zip(both, pairs, strict=True))
    if auc < 0.5 - max(_FAR, _STANDARD_ERRORS * math.sqrt(variance) / math.fsum(pairs)):
        note(
            f"ROC AUC of {score!r} is {auc:.2g}: negatives score higher than positives; if a low score means positive, "
            f"write a column of 1 - {score} and name it with --score; if labels are swapped, use --positive"
        )
