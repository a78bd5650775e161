"""Results of permutation tests and of undersampling."""

from dataclasses import dataclass

import numpy as np

from baserate.arrays import FloatArray
from baserate.errors import Reason
from baserate.results.base import Result, Row, Said, cell
from baserate.results.words import cases, counted, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class ChanceTest(Result):
    """A permutation test of a metric, as returned by `better_than_chance`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    value : float
        The value on the data.
    chance : float
        The mean over shuffled labels.
    p_value : float
        The p-value: the probability of a value at least as high with shuffled labels.
    method : str
        "exact", "enumerated" or "permutation of 10,000"; "none" without a test.
    n_pos, n_neg : int
        Cases of each class.
    prevalence : float
        The prevalence that the metric was read at.
    reason : Reason or None
        Why there is no test, if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.5, 0.3, 0.2, 0.1])
    >>> print(br.better_than_chance(br.roc_auc, curve))
    roc_auc 1 against 0.5 by chance: p = 0.0667 (exact, prevalence 1 in 3, 2 pos, 4 neg)
    """

    metric: str
    value: float
    chance: float
    p_value: float
    method: str
    n_pos: int
    n_neg: int
    prevalence: float
    reason: Reason | None = None

    def _said(self) -> Said:
        facts = f"{self.method}, prevalence {one_in(self.prevalence)}, {cases(self.n_pos, self.n_neg)}"
        text = f"{self.metric} {self.value:.4g} against {self.chance:.4g} by chance: p = {self.p_value:.3g} ({facts})"
        return Said(with_notes(text, self.reason))


@dataclass(frozen=True, eq=False)
class Undersampled(Result):
    """A metric on undersampled test sets, as returned by `undersampled`.

    Attributes
    ----------
    metric : str
        Name of the metric, with its parameters.
    prevalence : float
        The prevalence of the test sets.
    value : float
        The metric of the whole curve at that prevalence: the closed form.
    samples : array of float
        The metric of each test set, read at the prevalence of the test set.
    n_pos, n_neg : int
        Cases that each test set keeps.
    reason : Reason or None
        Why the value or some of the samples are nan, if any are.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> found = br.papers.undersampled(lambda c: br.recall(c.at_threshold(0.5)), curve, "1 in 91", rng=0)
    >>> found.n_pos, found.n_neg, len(found.samples)
    (10, 900, 1000)
    >>> round(found.value, 3), round(found.mean, 2), round(found.spread, 1)
    (0.9, 0.9, 0.1)
    """

    metric: str
    prevalence: float
    value: float
    samples: FloatArray
    n_pos: int
    n_neg: int
    reason: Reason | None = None

    @property
    def mean(self) -> float:
        """The mean over the test sets; nan if one of them has no value."""
        return float(np.mean(self.samples))

    @property
    def spread(self) -> float:
        """The standard deviation over the test sets: the noise of undersampling."""
        return float(np.std(self.samples))

    @property
    def bias(self) -> float:
        """The mean over the test sets minus the closed form."""
        return self.mean - self.value

    def _rows(self) -> list[Row]:
        names = ("metric", "prevalence", "value", "mean", "spread", "bias", "n_pos", "n_neg", "reason")
        return [{name: cell(getattr(self, name)) for name in names}]

    def _said(self) -> Said:
        text = (
            f"{self.metric} at prevalence {one_in(self.prevalence)}: {self.value:.4g} in closed form, "
            f"{self.mean:.4g} ± {self.spread:.2g} over {counted(len(self.samples))} test sets thinned out to "
            f"{cases(self.n_pos, self.n_neg)}"
        )
        return Said(with_notes(text, self.reason))
