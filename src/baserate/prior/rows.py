"""Labelled and unlabelled rows side by side."""

from dataclasses import dataclass

from baserate.arrays import CountArray, FloatArray, Indices
from baserate.curves.curve import Curve
from baserate.formulas.mixture import Histograms
from baserate.prior.bins import in_bins, places, summed


@dataclass(frozen=True, eq=False)
class Rows:
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
        What each stretch holds; of weighted rows, the number of equal ones that are worth as much.
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
        """Whether some of them have weights."""
        return self.curve.weighted or self.now.weighted

    def counts(self, cuts: Indices) -> Histograms:
        """The same by bins."""
        return Histograms(in_bins(self.pos, cuts), in_bins(self.neg, cuts), in_bins(self.unlabelled, cuts))


def side_by_side(curve: Curve, now: Curve) -> Rows:
    """Line two curves up; labels in the second are not looked at."""
    starts, (place, place_now) = places(curve, now)
    amounts = (
        (place, curve.pos, curve.pos_squares),
        (place, curve.neg, curve.neg_squares),
        (place_now, now.pos + now.neg, now.pos_squares + now.neg_squares),
    )
    pos, neg, rest = (_effective(*given, length=len(starts)) for given in amounts)
    return Rows(curve, now, starts, place, pos, neg, rest)


def _effective(place: Indices, amounts: CountArray, squares: CountArray, *, length: int) -> FloatArray:
    """Amounts that add up to the number of equal rows that the rows are worth."""
    total, of_squares = float(amounts.sum()), float(squares.sum())
    return summed(place, amounts, length) * (total / of_squares if of_squares > 0 else 0.0)
