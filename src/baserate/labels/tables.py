"""Labelled rows around a threshold: by sample, by range of scores, and above or below."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.counting import Counted
from baserate.curves.point import Point
from baserate.errors import InputError, MissingInformationError


class LabelledRows(NamedTuple):
    """Labelled rows by sample, range of scores and side of the threshold, and the unlabelled ones of each sample.

    A sample is a stratum, whose labelled rows stand for the others; rows that are all labelled are one sample.
    """

    pos: FloatArray
    neg: FloatArray
    unlabelled: FloatArray
    not_known: tuple[bool, bool] = (
        False,
        False,
    )  # whether a stratum without labels has rows above, below the threshold

    def standing_for_all(self) -> tuple[FloatArray, FloatArray]:
        """Labelled rows as the rows that they stand for, samples added up."""
        labelled = (self.pos + self.neg).sum(axis=(-2, -1))
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(self.unlabelled > 0, 1 + self.unlabelled / labelled, 1.0)[..., np.newaxis, np.newaxis]
        return (self.pos * factor).sum(axis=-3), (self.neg * factor).sum(axis=-3)


def rows_around(point: Point, lowest: Sequence[float]) -> LabelledRows:
    """The labelled rows of a point, in ranges of scores given by their lowest score, from the highest down."""
    curve = point.curve
    if curve is None or not curve.has_scores:
        return _without_scores(point, lowest)
    if curve.weighted and not curve.sampled:
        raise MissingInformationError(
            "correcting for wrong labels is not available for weighted rows, got a weighted curve; pass the rows "
            "without weights, or say how they were sampled with Curve.from_sampled."
        )
    assert point.threshold is not None
    if not curve.sampled:
        counted = Counted(curve.score, curve.pos, curve.neg, top=curve.top)
        pos, neg = _by_side(counted, point.threshold, lowest)
        return LabelledRows(pos[np.newaxis], neg[np.newaxis], np.zeros(1))
    known = [one for one in curve.strata if not one.missing]
    tables = [_by_side(one.labelled, point.threshold, lowest) for one in known]
    above = [(one.ends[1] >= point.threshold, one.ends[0] < point.threshold) for one in curve.strata if one.missing]
    return LabelledRows(
        np.array([pos for pos, _ in tables]),
        np.array([neg for _, neg in tables]),
        np.array([one.n_unlabelled for one in known], np.float64),
        (any(up for up, _ in above), any(down for _, down in above)),
    )


def _without_scores(point: Point, lowest: Sequence[float]) -> LabelledRows:
    if point._n[0] is None or point._n[1] is None:
        raise MissingInformationError(
            "correcting for wrong labels needs counts, got a point made from rates; use "
            "Point.from_counts(tp, fp, fn, tn)."
        )
    if len(lowest) > 1:
        raise MissingInformationError(
            "errors by score need scores, got a point without them; choose a point of a curve, or pass one LabelErrors."
        )
    tpr, fnr, fpr, tnr = point.rates
    pos, neg = np.array([tpr, fnr]) * point.n_pos, np.array([fpr, tnr]) * point.n_neg
    return LabelledRows(_whole(pos), _whole(neg), np.zeros(1))


def _whole(rows: FloatArray) -> FloatArray:
    """Counts of a point without scores: by one sample and one range."""
    return np.nan_to_num(np.rint(rows))[np.newaxis, np.newaxis]


def _by_side(counted: Counted, threshold: float, lowest: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Positives and negatives by range of scores, and above or below the threshold."""
    top = counted.score if counted.top is None else counted.top
    for cut in lowest:
        if ((counted.score < cut) & (cut <= top)).any():
            raise InputError(
                f"scores where error rates change must not be within a bucket, got {cut!r}; pass the score of an entry."
            )
    of_range = np.searchsorted(-np.array(lowest[:-1], np.float64), -counted.score)
    cell = 2 * of_range + (counted.score < threshold)
    size = 2 * len(lowest)
    pos, neg = (np.bincount(cell, column, size).reshape(-1, 2) for column in (counted.pos, counted.neg))
    return pos.astype(np.float64), neg.astype(np.float64)
