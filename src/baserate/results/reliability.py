"""Reliability tables, and the effect of another prevalence on calibration."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baserate.arrays import CountArray, FloatArray
from baserate.results.base import Result, Said
from baserate.results.words import percent, with_ends
from baserate.written import one_in

AGREES, TOO_HIGH, TOO_LOW = "agrees", "too high", "too low"


@dataclass(frozen=True, eq=False)
class Reliability(Result):
    """The reliability table, as returned by `reliability`: the data of a reliability diagram.

    Attributes
    ----------
    low, high : array
        Edges of the bins; of bins of equal frequency, the lowest and the highest score.
    n, pos, neg : array
        Rows in each bin, as counted.
    share : array
        The share of rows in each bin, at the prevalence of the reading.
    mean_score, event_rate : array
        Mean score and event rate of each bin, at the prevalence of the reading.
    rate_low, rate_high : array
        The interval of each event rate.
    judgement : array of str
        For each bin, whether its scores are "too high", "too low" or "agrees" with the data. The intervals behind it
        hold for all bins together, and allow for the uncertainty of mean scores, which weights or another prevalence
        cause; `rate_low` to `rate_high` is for the event rate alone.
    confidence_level : float
        The nominal coverage of each interval, and of all judgements together.
    prevalence : float
        The prevalence of the reading.
    bins : str
        The bins as text.
    asked : int
        The number of bins that was given.
    score_error : float
        The largest error of a mean score from buckets.
    ece : float
        The mean distance between score and event rate.

    Examples
    --------
    >>> import baserate as br
    >>> rain = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9])
    >>> print(br.reliability(rain, bins=5))
    bin         rows  score  event rate               judgement
    [0, 0.2]    2     0.1    0 [0, 0.8419]            agrees
    (0.2, 0.4]  2     0.4    0.5 [0.01258, 0.9874]    agrees
    (0.6, 0.8]  3     0.7    0.6667 [0.0943, 0.9916]  agrees
    (0.8, 1]    1     0.9    1 [0.025, 1]             agrees
    ECE 0.075, prevalence 1 in 2, equal_width(5), 95 % intervals
    No bin is significantly miscalibrated.
    """

    _drawn = ("mean_score", "event_rate", "rate_low", "rate_high")

    low: FloatArray
    high: FloatArray
    n: CountArray
    pos: CountArray
    neg: CountArray
    share: FloatArray
    mean_score: FloatArray
    event_rate: FloatArray
    rate_low: FloatArray
    rate_high: FloatArray
    judgement: npt.NDArray[np.str_]
    confidence_level: float
    prevalence: float
    bins: str
    asked: int
    score_error: float
    ece: float

    @property
    def verdict(self) -> str:
        """A sentence: which bins are miscalibrated, in which direction, and whether over- or underconfident."""
        off = self.judgement != AGREES
        if not off.any():
            return "No bin is significantly miscalibrated."
        parts = [
            f"{word} in {_listed(self._names()[self.judgement == word])}"
            for word in (TOO_HIGH, TOO_LOW)
            if (self.judgement == word).any()
        ]
        return f"Scores are {' and '.join(parts)}: {_LEANINGS[self.leaning]}."

    @property
    def leaning(self) -> str:
        """The direction of all miscalibrated bins, in a word.

        "overconfident" if all their scores are too far from 0.5, "underconfident" if all are too near to it; else "too
        high" or "too low" if all are, "mixed" otherwise, and "none" if no bin is miscalibrated. If all scores are on
        one side of 0.5, it is "too high" or "too low", which is plainer.
        """
        off = self.judgement != AGREES
        if not off.any():
            return "none"
        high, above = self.judgement[off] == TOO_HIGH, self.mean_score[off] > 0.5
        if high.all() or not high.any():
            return TOO_HIGH if high.all() else TOO_LOW
        if (high == above).all():
            return "overconfident"
        return "underconfident" if (high != above).all() else "mixed"

    def _names(self) -> npt.NDArray[np.str_]:
        """The bins as intervals, with brackets for the ends they include; the first includes 0 and the last 1."""
        ends = zip(self.low, self.high, strict=True)
        if self.bins.startswith("equal_frequency"):
            return np.array([f"[{low:.4g}, {high:.4g}]" for low, high in ends])
        if "left-closed" in self.bins:
            return np.array([f"[{low:.4g}, {high:.4g}{']' if high == 1 else ')'}" for low, high in ends])
        return np.array([f"{'[' if low == 0 else '('}{low:.4g}, {high:.4g}]" for low, high in ends])

    def _said(self) -> Said:
        rates = map(with_ends, self.event_rate, self.rate_low, self.rate_high)
        rows, scores = [f"{n:,.6g}" for n in self.n], [f"{score:.4g}" for score in self.mean_score]
        cells = list(zip(self._names(), rows, scores, rates, self.judgement, strict=True))
        facts = [f"ECE {self.ece:.4g}", f"prevalence {one_in(self.prevalence)}", self.bins]
        if self.bins.startswith("equal_frequency") and len(self.n) < self.asked:
            facts.append(f"{len(self.n)} bins, because equal scores are never split")
        facts.append(f"{percent(self.confidence_level)} intervals")
        if self.score_error:
            facts.append(f"scores exact to {self.score_error:.1g}")
        heads = ["bin", "rows", "score", "event rate", "judgement"]
        return Said("", heads, cells, [", ".join(facts), self.verdict])


_LEANINGS = {
    "overconfident": "overconfident, too near to 0 and 1, to be pulled toward 0.5",
    "underconfident": "underconfident, too near to 0.5, to be spread toward 0 and 1",
    TOO_HIGH: "fewer events occur than they predict",
    TOO_LOW: "more events occur than they predict",
    "mixed": "without a common direction",
}


def _listed(names: npt.NDArray[np.str_], most: int = 3) -> str:
    some = ", ".join(names[:most])
    count = f"{len(names)} bin{'s' * (len(names) > 1)}"
    return f"{count} ({some}{', …' * (len(names) > most)})"


@dataclass(frozen=True, eq=False)
class PriorEffect(Result):
    """The effect of another prevalence on calibration, as returned by `prior_effect`.

    Attributes
    ----------
    ece_before : float
        The calibration error at the prevalence that the scores are calibrated for.
    ece : float
        That of the unadjusted scores at the other prevalence.
    ece_shifted : float
        That of the adjusted scores, over the same rows in each bin.
    from_prevalence, prevalence : float
        The two prevalences.
    low, high, share, mean_score, shifted_score, event_rate_before, event_rate : array
        By bin: edges, share of rows at the new prevalence, mean score before and after adjusting, and event rate before
        and at the new prevalence.
    bins : str
        The bins as text.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[10, 50, 90], neg=[90, 50, 10])
    >>> found = br.calibration.prior_effect(curve.at_prevalence(0.01))
    >>> print(found)
    ECE 0 at prevalence 1 in 2, where the scores belong; at 1 in 100 it is 0.2809 without adjusting them and 0 after: \
0.2809 is due to the prior, 0 to the shape.
    """

    ece_before: float
    ece: float
    ece_shifted: float
    from_prevalence: float
    prevalence: float
    low: FloatArray
    high: FloatArray
    share: FloatArray
    mean_score: FloatArray
    shifted_score: FloatArray
    event_rate_before: FloatArray
    event_rate: FloatArray
    bins: str

    @property
    def prior_part(self) -> float:
        """The error that adjusting the scores removes; negative if it makes the error larger."""
        return self.ece - self.ece_shifted

    @property
    def shape(self) -> float:
        """The error that remains after adjusting the scores."""
        return self.ece_shifted

    def _said(self) -> Said:
        before, here, moved, prior = (
            f"{round(error, 12):.4g}" for error in (self.ece_before, self.ece, self.ece_shifted, self.prior_part)
        )
        return Said(
            f"ECE {before} at prevalence {one_in(self.from_prevalence)}, where the scores belong; at "
            f"{one_in(self.prevalence)} it is {here} without adjusting them and {moved} after: {prior} is due to the "
            f"prior, {moved} to the shape."
        )
