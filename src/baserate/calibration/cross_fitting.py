"""Recalibration judged on rows that it was not fitted to."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import CountArray
from baserate.calibration.recalibration import Method, recalibrate
from baserate.curves.bins import BinsLike
from baserate.curves.curve import Curve
from baserate.errors import InputError, MissingInformationError
from baserate.uncertainty.picks import TOO_MANY_CASES


class Fold(NamedTuple):
    """Rows to fit to, and those left out, to judge."""

    fitted: Curve
    judged: Curve


@checks.declared
def cross_fitted(
    curve: Curve,
    method: Method = "logistic",
    *,
    folds: int = 5,
    smoothing: float = 1.0,
    bins: BinsLike | None = None,
    rng: np.random.Generator | int | None = None,
) -> Curve:
    """The curve with each score mapped by a recalibration that was fitted to other rows.

    Rows are dealt at random to folds, each class evenly; those of a fold get the map that was fitted to the other
    folds. So metrics, diagrams and tests of the result are not flattered by the fit. Of weighted rows, all with the
    same score are dealt together.

    Parameters
    ----------
    curve, method, smoothing, bins
        As for `recalibrate`.
    folds : int
        The number of folds.
    rng : Generator or int, optional
        For the deal.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> after = br.calibration.cross_fitted(curve, "beta", rng=0)
    >>> round(br.ece(curve), 4), round(br.ece(after), 4)
    (0.0096, 0.0011)
    """
    dealt = folds_of(curve, folds, rng)
    return Curve.pool(
        recalibrate(fold.fitted, method, smoothing=smoothing, bins=bins).curve(fold.judged) for fold in dealt
    )


def folds_of(curve: Curve, folds: int, rng: np.random.Generator | int | None) -> list[Fold]:
    """The rows of a curve, dealt to folds, each of which is judged by the others."""
    k = checks.whole_number(folds, "folds", most=1000)
    if curve.sampled:
        raise MissingInformationError(
            "cross-fitting cannot yet deal rows of which only some were sampled for labelling, got such a curve; fit "
            "with recalibrate and judge on another sample."
        )
    if k < 2:
        raise InputError(f"folds must be 2 or more, got {k}; pass 5 for example.")
    deal = _weighted_masks if curve.weighted else _dealt
    parts = list(deal(curve, k, checks.generator(rng)))
    if any(
        side.sum() <= dealt.sum() for part in parts for side, dealt in zip((curve.pos, curve.neg), part, strict=True)
    ):
        raise MissingInformationError(
            "cross-fitting needs rows of both classes in all folds but one, got too few; collect more, or fit with "
            "recalibrate and judge on other rows."
        )
    given = curve.given_prevalence
    made = []
    for pos, neg in parts:
        pair = _part(curve, curve.pos - pos, curve.neg - neg), _part(curve, pos, neg)
        made.append(Fold(*(one if given is None else one.at_prevalence(given) for one in pair)))
    return made


def _dealt(curve: Curve, folds: int, rng: np.random.Generator) -> Iterator[Sequence[CountArray]]:
    """Positives and negatives of each fold, of rows dealt evenly."""
    left = [np.asarray(side, np.int64).copy() for side in (curve.pos, curve.neg)]
    if max(int(side.sum()) for side in left) >= TOO_MANY_CASES:
        raise InputError(
            f"cross-fitting deals fewer than {TOO_MANY_CASES:,} rows of a class, got more; fit with recalibrate and "
            f"judge on other rows."
        )
    for last in range(folds, 0, -1):
        # The positives' remainder goes to the first folds, the negatives' to the last.
        sizes = -(-int(left[0].sum()) // last), int(left[1].sum()) // last
        part = [
            rng.multivariate_hypergeometric(side, size, method="marginals")
            for side, size in zip(left, sizes, strict=True)
        ]
        left = [side - taken for side, taken in zip(left, part, strict=True)]
        yield part


def _weighted_masks(curve: Curve, folds: int, rng: np.random.Generator) -> Iterator[Sequence[CountArray]]:
    """The masses of each fold, of scores dealt evenly."""
    place = rng.permutation(len(curve)) % folds
    return ([curve.pos * (place == k), curve.neg * (place == k)] for k in range(folds))


def _part(curve: Curve, pos: CountArray, neg: CountArray) -> Curve:
    """The entries of a curve with some of its rows."""
    top = {"top": curve.top} if curve.bucketed else {}
    if not curve.weighted:
        return Curve.from_counts(curve.score, pos, neg, **top)
    squares = {
        "pos_squares": np.where(pos > 0, curve.pos_squares, 0.0),
        "neg_squares": np.where(neg > 0, curve.neg_squares, 0.0),
    }
    return Curve.from_counts(curve.score, pos, neg, **top, **squares)
