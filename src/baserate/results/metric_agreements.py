"""Result about metrics that rank models alike, or not."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baserate.arrays import BoolArray, FloatArray
from baserate.results.base import Result, Said
from baserate.results.words import percent, plural, with_ends


@dataclass(frozen=True, eq=False)
class MetricAgreement(Result):
    """Which metrics rank models alike, as returned by `agreement`.

    Attributes
    ----------
    first, second : array of str
        Each pair of metrics, with the prevalence that they are read at.
    spearman, spearman_low, spearman_high : array
        The rank correlation of the models, and its interval; nan if a metric finds all of them equal.
    kendall, kendall_low, kendall_high : array
        The share of pairs of models in the same order minus that in the other, and its interval.
    same_winner : array of bool
        Whether both metrics have the same best model.
    winners : mapping of str to str
        The best model by each metric.
    support : mapping of str to float
        The share of resampled test sets in which it is the best, too; nan for models without common rows.
    models : tuple of str
        The models.
    confidence_level : float
        The nominal coverage of the intervals.

    Examples
    --------
    >>> import baserate as br
    >>> curves = {
    ...     "a": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680]),
    ...     "b": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[2, 200, 698]),
    ...     "c": br.Curve.from_counts([0.9, 0.5, 0.1], pos=[40, 59, 1], neg=[5, 300, 595]),
    ... }
    >>> print(br.papers.agreement(curves, [br.average_precision], [0.001, 0.5]))
    metric                                            and metric  Spearman  Kendall  same winner
    average_precision at 1 in 1,000  average_precision at 1 in 2        -1       -1  no
    Best of 3 models by average_precision at 1 in 1,000: b; average_precision at 1 in 2: a
    """

    first: npt.NDArray[np.str_]
    second: npt.NDArray[np.str_]
    spearman: FloatArray
    spearman_low: FloatArray
    spearman_high: FloatArray
    kendall: FloatArray
    kendall_low: FloatArray
    kendall_high: FloatArray
    same_winner: BoolArray
    winners: Mapping[str, str]
    support: Mapping[str, float]
    models: tuple[str, ...]
    confidence_level: float

    def _said(self) -> Said:
        heads = ["metric", "and metric", "Spearman", "Kendall", "same winner"]
        cells = [
            [first, second, self._with_ends("spearman", k), self._with_ends("kendall", k), "yes" if same else "no"]
            for k, (first, second, same) in enumerate(zip(self.first, self.second, self.same_winner, strict=True))
        ]
        sure = {name: "" if np.isnan(share) else f" ({percent(share)})" for name, share in self.support.items()}
        best = "; ".join(f"{name}: {winner}{sure[name]}" for name, winner in self.winners.items())
        return Said("", heads, cells, [f"Best of {plural(len(self.models), 'model')} by {best}"])

    def _with_ends(self, what: str, k: int) -> str:
        value, low, high = (float(getattr(self, f"{what}{end}")[k]) for end in ("", "_low", "_high"))
        return f"{value:.3g}" if np.isnan(low) else with_ends(value, low, high)
