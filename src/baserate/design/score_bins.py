"""What an earlier curve says of rows that are not labelled yet: the chance of each to be positive, by its score."""

from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import MissingInformationError
from baserate.formulas.isotonic import isotonic_rates
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction

# Shares of the rows above the edges of bins: finer where positives are.
_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


class ScoreBins(NamedTuple):
    """Rows by score, from the highest bin down: its lowest score, its rows, and the share of them expected positive.

    `behind` has the rows of the earlier curve, at the odds that it is read at.
    """

    lowest: FloatArray
    n_rows: FloatArray
    positive: FloatArray
    of_row: Indices
    behind: tuple["EarlierRows", ...] = ()
    odds_against: float = np.nan

    @property
    def pos(self) -> FloatArray:
        """Expected positives."""
        return self.n_rows * self.positive

    @property
    def neg(self) -> FloatArray:
        """Expected negatives."""
        return self.n_rows * (1 - self.positive)

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        """Shares of positives as they could be, for all that the earlier curve knows."""
        drawn = (
            EarlierRows(rng.standard_gamma(pos), rng.standard_gamma(neg), weight) for pos, neg, weight in self.behind
        )
        return _rates(tuple(drawn), self.odds_against)


class EarlierRows(NamedTuple):
    """Labelled rows of a stratum of the earlier curve by bin, and the rows that each stands for."""

    pos: FloatArray
    neg: FloatArray
    weight: float


def _rates(rows: tuple[EarlierRows, ...], odds_against: float) -> FloatArray:
    """The share of positives in each bin, at these odds."""
    pos = np.sum([one.weight * one.pos for one in rows], axis=0)
    neg = np.sum([one.weight * one.neg for one in rows], axis=0)
    pos, neg = np.maximum(pos, 1e-300), np.maximum(neg, 1e-300) * (odds_against * pos.sum() / neg.sum())
    share: FloatArray = pos / (pos + neg)
    return share


def bins_of(score: FloatArray, like: Curve, cuts: tuple[float, ...]) -> ScoreBins:
    """Bins of scores with edges at the cuts, and what is expected in each, at the prevalence of the earlier curve.

    The share of positives is taken to rise with the score: where it falls, neighbouring bins are pooled.
    """
    if like.not_labelled:
        raise MissingInformationError(
            "an earlier curve must have labels in each of its strata, got one without; label a few rows of each first."
        )
    falling = np.sort(score)[::-1]
    inner = falling[[int(share * len(falling)) for share in _SHARES if share * len(falling) >= 1]]
    lowest = np.unique(np.concatenate([inner, cuts, [-np.inf]]))[::-1]
    of_row = np.searchsorted(-lowest, -score)
    n_rows = np.bincount(of_row, minlength=len(lowest)).astype(np.float64)
    if (n_rows == 0).any():  # edges above the highest score, or between two neighbours
        lowest = np.append(lowest[:-1][n_rows[:-1] > 0], -np.inf)
        of_row = np.searchsorted(-lowest, -score)
        n_rows = np.bincount(of_row, minlength=len(lowest)).astype(np.float64)
    behind = _earlier(like, lowest, n_rows)
    rate = _rates(behind, like.odds_against)
    rising = isotonic_rates((rate * n_rows)[::-1], ((1 - rate) * n_rows)[::-1])
    return ScoreBins(lowest, n_rows, rising[::-1], of_row, behind, like.odds_against)


def _earlier(like: Curve, lowest: FloatArray, n_rows: FloatArray) -> tuple[EarlierRows, ...]:
    """Positives and negatives of the earlier curve by bin, each with half a row more in each of its strata.

    That none was found in a bin does not mean that there is none. The half row is spread like the rows of its stratum,
    and stands for as many rows as a labelled one.
    """
    if not like.sampled:
        parts = [(Counted(like.score, like.pos, like.neg), n_rows, 1.0)]
    else:
        parts = [
            (one.labelled, _by_bin(one.labelled, lowest) + _by_bin(one.unlabelled, lowest), one.weight)
            for one in like.strata
        ]
    found = []
    for counted, rows, weight in parts:
        half = rows / rows.sum() / 2
        place = np.searchsorted(-lowest, -counted.score)
        pos, neg = (np.bincount(place, column, len(lowest)) + half for column in (counted.pos, counted.neg))
        found.append(EarlierRows(pos, neg, weight))
    return tuple(found)


def _by_bin(counted: Counted, lowest: FloatArray) -> FloatArray:
    rows = np.asarray(counted.pos, np.float64) + counted.neg
    return np.bincount(np.searchsorted(-lowest, -counted.score), rows, len(lowest)).astype(np.float64)


def expected_curve(bins: ScoreBins, pos: FloatArray | None = None, neg: FloatArray | None = None) -> Curve:
    """The expected curve of the rows, in which a bin is one score."""
    pos, neg = bins.pos if pos is None else pos, bins.neg if neg is None else neg
    return Curve.from_counts(bins.lowest, pos, neg, pos_squares=pos, neg_squares=neg)


class LabelQuestion(NamedTuple):
    """A metric, at a threshold if it is one of a threshold, and the prevalence that it is read at, if it is given."""

    metric: MetricFunction
    threshold: float | None
    prevalence: float | None

    def at(self, curve: Curve) -> Curve | Point:
        """The curve or point that is read."""
        read = curve if self.prevalence is None else curve.at_prevalence(self.prevalence)
        return read if self.threshold is None else read.at_threshold(self.threshold)

    def value(self, curve: Curve) -> float:
        """The metric's value; nan where it is undefined."""
        return float(evaluate(self.metric, self.at(curve))[0])

    def expected(self, bins: ScoreBins) -> float:
        """The metric's value that the bins let expect."""
        return self.value(expected_curve(bins))


def slopes(question: LabelQuestion, bins: ScoreBins) -> tuple[FloatArray, FloatArray]:
    """How the metric changes with one more positive, and one more negative, in each bin."""
    pos, neg = bins.pos, bins.neg
    at_first = question.value(expected_curve(bins))
    found = []
    for which in (0, 1):
        changes = np.empty(len(pos))
        for k in range(len(pos)):
            masses = [pos.copy(), neg.copy()]
            step = 1e-4 * max(masses[which][k], 1.0)
            masses[which][k] += step
            changes[k] = (question.value(expected_curve(bins, *masses)) - at_first) / step
        found.append(np.nan_to_num(changes))
    return found[0], found[1]
