"""Scores beside their isotonic recalibration: the step curve with its band, and a loss taken apart."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from baserate.arrays import BoolArray, CountArray, FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Said
from baserate.results.words import counted, percent, plural, with_notes


@dataclass(frozen=True, eq=False)
class Decomposition(Result):
    """A mean loss taken apart, as returned by `decompose`.

    ``value = miscalibration - discrimination + uncertainty``

    Attributes
    ----------
    metric : str
        Name of the loss, with its parameters.
    value : float
        The loss itself.
    miscalibration : float
        What recalibration would take off it; 0 or more.
    discrimination : float
        What the recalibrated scores take off the loss of the prevalence; 0 or more.
    uncertainty : float
        The loss of the prevalence, given to every case.
    prevalence : float
        Where it was read.
    reason : Reason or None
        Why all is nan, if it is.
    value_error : float
        How far the value, and with it miscalibration, may be off because the curve is bucketed. Discrimination takes
        the rows of a bucket as ties, and may be larger if they are told apart.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[90, 60])
    >>> print(br.calibration.decompose(br.brier_score, curve))
    brier_score 0.295 = miscalibration 0.13 - discrimination 0.0225 + uncertainty 0.1875 (prevalence 0.25)
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
        known = f", known to {self.value_error:.1g}" if self.value_error else ""
        return Said(with_notes(f"{text} (prevalence {self.prevalence:.4g}{known})", self.reason))


@dataclass(frozen=True, eq=False)
class IsotonicReliability(Result):
    """Recalibrated rates along the scores, with a band, as returned by `isotonic_reliability`.

    Attributes
    ----------
    score : array
        The distinct scores, lowest first; of a bucketed curve, the middles of its buckets.
    rate : array
        The recalibrated event rate at each: steps that never fall.
    low, high : array
        The band.
    n : array
        Rows at each score.
    band : str
        "consistency": where the rates would be if the scores were right. "confidence": around the rates.
    confidence_level : float
        How often the band is to hold at a score, not everywhere at once.
    prevalence : float
        Where the rates were read.
    score_error : float
        How far a score may be off because the curve is bucketed.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.9], pos=[10, 12, 40], neg=[90, 18, 60])
    >>> found = br.calibration.isotonic_reliability(curve, rng=0)
    >>> found.rate.round(3)
    array([0.1, 0.4, 0.4])
    >>> print(found)
    isotonic reliability: 2 steps, from 0.1 to 0.4 (230 rows, 95 % consistency band, prevalence 0.2696)
    the band does not hold at 2 of 3 scores, with 87 % of the rows
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
        """Where score and rate disagree by more than the band: one of them has it around it, the other is outside."""
        inside = self.rate if self.band == "consistency" else self.score
        return (inside < self.low) | (inside > self.high)

    def _said(self) -> Said:
        rows, off = self.n.sum(), self.off
        facts = f"{rows:,} rows, {percent(self.confidence_level)} {self.band} band, prevalence {self.prevalence:.4g}"
        facts += f", scores known to {self.score_error:.1g}" if self.score_error else ""
        ends = f"{plural(len(np.unique(self.rate)), 'step')}, from {self.rate[0]:.4g} to {self.rate[-1]:.4g}"
        verdict = "the band holds at every score"
        if off.any():
            share = f"{100 * self.n[off].sum() / rows:.3g} % of the rows"
            verdict = f"the band does not hold at {off.sum():,} of {counted(len(off))} scores, with {share}"
        return Said(f"isotonic reliability: {ends} ({facts})", foot=[verdict])
