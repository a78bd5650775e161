"""Results about the costs of mistakes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baserate.arrays import BoolArray, FloatArray
from baserate.results.base import Result, Said
from baserate.results.words import percent, plural, prevalences
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class CostCurve(Result):
    """The lowest expected cost over all ratios of costs, as returned by `cost_curve` and `brier_curve`.

    Attributes
    ----------
    share : array
        The share of the cost that is due to misses, from 0 to 1: of `cost_curve` with the prevalence in it, of
        `brier_curve` the cost of a miss over that of both mistakes.
    loss : array
        The expected cost there; between two shares it is a straight line.
    threshold : array
        The threshold that has it, up to the next share; infinite for no alerts.
    area : float
        The area below the curve.
    prevalence : float
        The prevalence of the reading.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> print(br.costs.cost_curve(curve))
    cost curve: area 0.1073, at most 0.1743 at share 0.8257 (3 thresholds, prevalence 1 in 20)
    """

    _drawn = ("share", "loss")

    share: FloatArray
    loss: FloatArray
    threshold: FloatArray
    area: float
    prevalence: float

    def _said(self) -> Said:
        worst = int(np.argmax(self.loss))
        facts = f"{plural(len(np.unique(self.threshold)), 'threshold')}, prevalence {one_in(self.prevalence)}"
        most = f"at most {self.loss[worst]:.4g} at share {self.share[worst]:.4g}"
        return Said(f"cost curve: area {self.area:.4g}, {most} ({facts})")


@dataclass(frozen=True, eq=False)
class CostMap(Result):
    """Which model costs least at each prevalence and ratio of costs, as returned by `cost_map`.

    Attributes
    ----------
    prevalence, cost_ratio : array
        The places: a prevalence, and the cost of a miss over that of a false positive.
    leader : array of str
        The model with the lowest expected cost; "" where none is better than to alert on all rows or on none.
    loss, margin : array
        Its loss, as a share of the cost of all mistakes there, and how much less that is than the next model's.
    support : array
        The share of resampled test sets in which it leads, too.
    sure : array of bool
        Whether that share reaches the confidence level.
    names : tuple of str
        The models.
    confidence_level : float
        The level of `sure`, at each place by itself.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> models = {"old": data["old_model"], "new": data["new_model"]}
    >>> pair = br.Models.from_scores(data["fraud"], models)
    >>> print(br.costs.cost_map(pair, [0.001, 0.1], [1, 100], n_resamples=50, rng=0))
    prevalence  miss / false alert  leader     loss   margin  support
    1 in 1,000                   1     new  0.00059  0.00038  100 %
    1 in 1,000                 100     new  0.04409   0.0054  100 %
    1 in 10                      1     new  0.04831   0.0041  90 %
    1 in 10                    100     old  0.04826    0.031  100 %
    sure at 3 of 4 places (95 %), prevalences 1 in 1,000 to 1 in 10
    """

    prevalence: FloatArray
    cost_ratio: FloatArray
    leader: npt.NDArray[np.str_]
    loss: FloatArray
    margin: FloatArray
    support: FloatArray
    sure: BoolArray
    names: tuple[str, ...]
    confidence_level: float

    def _said(self) -> Said:
        heads = ["prevalence", "miss / false alert", "leader", "loss", "margin", "support"]
        cells = [
            [one_in(eta), f"{ratio:g}", leader or "none", f"{loss:.4g}", f"{margin:.2g}", f"{100 * support:.0f} %"]
            for eta, ratio, leader, loss, margin, support in zip(
                *(getattr(self, name) for name in ("prevalence", "cost_ratio", "leader", "loss", "margin", "support")),
                strict=True,
            )
        ]
        places = prevalences(float(self.prevalence.min()), float(self.prevalence.max()))
        foot = f"sure at {self.sure.sum()} of {plural(len(self.sure), 'place')} ({percent(self.confidence_level)})"
        return Said("", heads, cells, [f"{foot}, {places}"])
