"""Results of isotonic recalibration: the reliability curve with its band, and decompositions."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from baserate.arrays import BoolArray, CountArray, FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Said
from baserate.results.words import counted, percent, plural, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class Decomposition(Result):
    """The decomposition of a mean loss, as returned by `decompose`.

    ``value = miscalibration - discrimination + uncertainty``

    Attributes
    ----------
    metric : str
        Name of the loss, with its parameters.
    value : float
        The loss itself.
    miscalibration : float
        The loss that recalibration would remove; at least 0.
    discrimination : float
        The loss of the prevalence minus that of the recalibrated scores; at least 0.
    uncertainty : float
        The loss if every case had the prevalence as score.
    prevalence : float
        The prevalence of the reading.
    reason : Reason or None
        Why all is nan, if it is.
    value_error : float
        The largest error of the value, and of miscalibration, from buckets. Discrimination reads the rows of a bucket
        as ties, and may be larger without buckets.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[90, 60])
    >>> print(br.calibration.decompose(br.brier_score, curve))
    brier_score 0.295 = miscalibration 0.13 - discrimination 0.0225 + uncertainty 0.1875 (prevalence 1 in 4)
    """

    metric: str
    value: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    prevalence: float
    reason: Reason | None = None
    value_error: float = 0.0

    def _said(self) -> Said:
        parts = f"miscalibration {self.miscalibration:.4g} - discrimination {self.discrimination:.4g}"
        text = f"{self.metric} {self.value:.4g} = {parts} + uncertainty {self.uncertainty:.4g}"
        known = f", exact to {self.value_error:.1g}" if self.value_error else ""
        return Said(with_notes(f"{text} (prevalence {one_in(self.prevalence)}{known})", self.reason))


@dataclass(frozen=True, eq=False)
class IsotonicReliability(Result):
    """Recalibrated rates along the scores, with a band, as returned by `isotonic_reliability`.

    Attributes
    ----------
    score : array
        The distinct scores, lowest first; the score of a bucket is its middle.
    rate : array
        The recalibrated event rate at each: an increasing step function.
    low, high : array
        The band.
    n : array
        Rows at each score.
    band : str
        "consistency": where the rates would lie if scores were calibrated. "confidence": where the true rates may lie.
    confidence_level : float
        The nominal coverage at each score (pointwise).
    prevalence : float
        The prevalence of the rates.
    score_error : float
        The largest error of a score from buckets.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.9], pos=[10, 12, 40], neg=[90, 18, 60])
    >>> found = br.calibration.isotonic_reliability(curve, rng=0)
    >>> found.rate.round(3)
    array([0.1, 0.4, 0.4])
    >>> print(found)
    isotonic reliability: 2 steps, from 0.1 to 0.4 (230 rows, 95 % consistency band, prevalence 1 in 3.71)
    outside the band: 2 of 3 scores, with 87 % of the rows
    """

    _drawn = ("score", "rate", "low", "high")

    score: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    n: CountArray
    band: Literal["consistency", "confidence"]
    confidence_level: float
    prevalence: float
    score_error: float = 0.0

    @property
    def off(self) -> BoolArray:
        """Which scores and rates disagree by more than the band."""
        inside = self.rate if self.band == "consistency" else self.score
        return (inside < self.low) | (inside > self.high)

    def _said(self) -> Said:
        rows, off = self.n.sum(), self.off
        facts = (
            f"{rows:,} rows, {percent(self.confidence_level)} {self.band} band, prevalence {one_in(self.prevalence)}"
        )
        facts += f", scores exact to {self.score_error:.1g}" if self.score_error else ""
        ends = f"{plural(len(np.unique(self.rate)), 'step')}, from {self.rate[0]:.4g} to {self.rate[-1]:.4g}"
        verdict = "no score is outside the band"
        if off.any():
            share = f"{100 * self.n[off].sum() / rows:.3g} % of the rows"
            verdict = f"outside the band: {off.sum():,} of {counted(len(off))} scores, with {share}"
        return Said(f"isotonic reliability: {ends} ({facts})", foot=[verdict])
