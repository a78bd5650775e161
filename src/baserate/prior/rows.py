"""Labelled and unlabelled rows side by side."""

from dataclasses import dataclass

from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.formulas.mixture import Histograms
from baserate.prior.bins import in_bins, places, summed


@dataclass(frozen=True, eq=False)
class StretchedRows:
    """Rows by stretches of scores that split no entry of either curve, lowest first.

    Attributes
    ----------
    curve, now : Curve
        The labelled rows, and the unlabelled ones.
    starts : array
        The lowest score of each stretch.
    place : array of int
        The stretch of each entry of the labelled curve.
    pos, neg, unlabelled : array
        Counts by stretch; for weighted rows, effective numbers.
    """

    curve: Curve
    now: Curve
    starts: FloatArray
    place: Indices
    pos: FloatArray
    neg: FloatArray
    unlabelled: FloatArray

    @property
    def weighted(self) -> bool:
        """Whether either curve is weighted."""
        return self.curve.weighted or self.now.weighted

    def counts(self, cuts: Indices) -> Histograms:
        """Counts of labelled and unlabelled rows by bin."""
        return Histograms(in_bins(self.pos, cuts), in_bins(self.neg, cuts), in_bins(self.unlabelled, cuts))


def side_by_side(curve: Curve, now: Curve) -> StretchedRows:
    """Align two curves by score; labels in the second are ignored."""
    starts, (place, place_now) = places(curve, now)
    amounts = (
        (place, curve.pos, curve.pos_squares),
        (place, curve.neg, curve.neg_squares),
        (place_now, now.pos + now.neg, now.pos_squares + now.neg_squares),
    )
    pos, neg, rest = (_effective(*given, length=len(starts)) for given in amounts)
    return StretchedRows(curve, now, starts, place, pos, neg, rest)


def _effective(place: Indices, amounts: CountArray, squares: CountArray, *, length: int) -> FloatArray:
    """Sums by stretch, scaled to the effective sample size."""
    total, of_squares = float(amounts.sum()), float(squares.sum())
    return summed(place, amounts, length) * (total / of_squares if of_squares > 0 else 0.0)
