"""Results about calibration: the line, two tests, and calibration in the large and small."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from baserate.errors import Reason
from baserate.results.base import Result, Row, Said, with_key
from baserate.results.intervals import Estimate
from baserate.results.words import cases, counted, key_text, percent, plural, with_ends, with_notes


@dataclass(frozen=True, eq=False)
class CoxCalibration(Result):
    """The calibration line on the scale of log-odds, as returned by `cox_calibration`.

    Attributes
    ----------
    in_the_large : Estimate
        The intercept at slope 1: the log-odds of events above those of the scores; 0 for calibrated scores.
    intercept, slope : Estimate
        The line of log-odds of events against log-odds of scores; 0 and 1 for calibrated scores.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.8], pos=[30, 60, 70], neg=[70, 40, 30])
    >>> print(br.calibration.cox_calibration(curve))
    calibration_in_the_large 0.1756 [-0.1097, 0.4609] (95 %, robust_wald, prevalence 53.3 %, 160 pos, 140 neg)
    calibration_intercept 0.1496 [-0.0907, 0.3899] (95 %, wald, prevalence 53.3 %, 160 pos, 140 neg)
    calibration_slope 0.6144 [0.3955, 0.8333] (95 %, wald, prevalence 53.3 %, 160 pos, 140 neg)
    """

    in_the_large: Estimate
    intercept: Estimate
    slope: Estimate

    def _rows(self) -> list[Row]:
        return [estimate.row() for estimate in (self.in_the_large, self.intercept, self.slope)]

    def _said(self) -> Said:
        return Said("\n".join(str(estimate) for estimate in (self.in_the_large, self.intercept, self.slope)))


@dataclass(frozen=True, eq=False)
class HosmerLemeshow(Result):
    """A test of calibration by bins, as returned by `hosmer_lemeshow`.

    Attributes
    ----------
    statistic : float
        Sum of squared differences between counted and expected positives and negatives, each over its expectation.
    n_bins, df : int
        Bins that have rows, and degrees of freedom.
    p_value : float
        The p-value: the probability of a statistic at least as large for calibrated scores.
    in_sample : bool
        Whether the scores come from a model fitted on these rows.
    min_expected : float
        The smallest expected number of positives or negatives in a bin.
    low, high : float
        Bounds of the statistic if scores are in buckets; else the statistic itself.
    bins : str
        The bins as text.
    n_pos, n_neg : int
        Cases of each class.
    reason : Reason or None
        Why there is no p-value, if there is none.
    caution : str or None
        A caution, if the chi-squared approximation is poor.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.8], pos=[30, 50, 70], neg=[70, 50, 30])
    >>> print(br.calibration.hosmer_lemeshow(curve, in_sample=False))
    Hosmer–Lemeshow 12.5 in 3 bins: p = 0.00585 (3 degrees of freedom, scores of new rows, equal_frequency(10),
    150 pos, 150 neg)
    """

    statistic: float
    n_bins: int
    df: int
    p_value: float
    in_sample: bool
    min_expected: float
    low: float
    high: float
    bins: str
    n_pos: int
    n_neg: int
    reason: Reason | None = None
    caution: str | None = None

    def _said(self) -> Said:
        facts = [f"{self.df} degree{'s' * (self.df != 1)} of freedom"]
        facts += ["scores fitted on these rows" if self.in_sample else "scores of new rows", self.bins]
        facts.append(cases(self.n_pos, self.n_neg))
        value = f"{self.statistic:.4g}{_certain(self.low, self.high)} in {plural(self.n_bins, 'bin')}"
        text = f"Hosmer–Lemeshow {value}: p = {self.p_value:.3g} ({', '.join(facts)})"
        return Said(with_notes(text, self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class Spiegelhalter(Result):
    """A test of calibration without bins, as returned by `spiegelhalter`.

    Attributes
    ----------
    z : float
        The Brier score minus its expectation for calibrated scores, in standard errors.
    p_value : float
        The two-sided p-value.
    low, high : float
        Bounds of z if scores are in buckets; else z itself.
    n_pos, n_neg : int
        Cases of each class.
    reason : Reason or None
        Why there is no z, if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.2, 0.5, 0.8], pos=[30, 50, 70], neg=[70, 50, 30])
    >>> print(br.calibration.spiegelhalter(curve))
    Spiegelhalter's z 3.536: p = 0.000407 (150 pos, 150 neg)
    """

    z: float
    p_value: float
    low: float
    high: float
    n_pos: int
    n_neg: int
    reason: Reason | None = None

    def _said(self) -> Said:
        value = f"{self.z:.4g}{_certain(self.low, self.high)}"
        text = f"Spiegelhalter's z {value}: p = {self.p_value:.3g} ({cases(self.n_pos, self.n_neg)})"
        return Said(with_notes(text, self.reason))


@dataclass(frozen=True, eq=False)
class InTheLarge(Result):
    """The mean score compared with the event rate, as returned by `in_the_large`.

    Attributes
    ----------
    n : float
        Number of rows; for weighted rows, the effective sample size.
    mean_score, event_rate : float
        Both at the curve's prevalence.
    low, high : float
        An interval for the mean score minus the event rate.
    confidence_level : float
        The nominal coverage of the interval.
    prevalence : float
        The prevalence, which is the event rate.
    method : str
        "clopper_pearson" where the event rate is uncertain, "welch" where it is given and the mean score is uncertain.
    reason : Reason or None
        Why a number is nan, if one is.
    caution : str or None
        A caution about few cases, or about buckets.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.calibration.in_the_large(br.Curve.from_counts([0.2, 0.8], pos=[30, 70], neg=[70, 30])))
    mean score 0.5, event rate 0.5: agrees; difference 0 [-0.07134, 0.07134] (95 %, clopper_pearson, 200 rows)
    """

    n: float
    mean_score: float
    event_rate: float
    low: float
    high: float
    confidence_level: float
    prevalence: float
    method: str
    reason: Reason | None = None
    caution: str | None = None

    @property
    def difference(self) -> float:
        """Mean score minus event rate."""
        return self.mean_score - self.event_rate

    @property
    def verdict(self) -> str:
        """In words: "agrees", "scores are too high", "scores are too low", or "undecided" without an interval."""
        if not self.low <= self.high:
            return "undecided"
        if self.low > 0:
            return "scores are too high"
        return "scores are too low" if self.high < 0 else "agrees"

    def _rows(self) -> list[Row]:
        (row,) = super()._rows()
        return [row | {"difference": self.difference, "verdict": self.verdict}]

    def _said(self) -> Said:
        facts = f"{percent(self.confidence_level)}, {self.method}, {plural(self.n, 'row')}"
        text = (
            f"mean score {self.mean_score:.4g}, event rate {self.event_rate:.4g}: {self.verdict}; difference "
            f"{with_ends(self.difference, self.low, self.high)} ({facts})"
        )
        return Said(with_notes(text, self.reason, self.caution))


@dataclass(frozen=True, eq=False)
class InTheSmall(Result):
    """Mean scores compared with event rates within subsets, as returned by `in_the_small`.

    Attributes
    ----------
    subsets : mapping of key to InTheLarge
        Each subset, with an interval at the adjusted level (Bonferroni).
    confidence_level : float
        The simultaneous coverage of all intervals.

    Examples
    --------
    >>> import baserate as br
    >>> male = br.Curve.from_counts([0.2], pos=[1], neg=[2])
    >>> female = br.Curve.from_counts([0.8], pos=[2], neg=[1])
    >>> print(br.calibration.in_the_small({"male": male, "female": female}))
    subset  rows  mean score  event rate  difference                    verdict
    male       3         0.2      0.3333     -0.1333  [-0.734, 0.1958]  agrees
    female     3         0.8      0.6667      0.1333  [-0.1958, 0.734]  agrees
    2 subsets, all intervals together 95 %, each 97.5 %
    """

    subsets: Mapping[Hashable, InTheLarge]
    confidence_level: float

    @property
    def disagreeing(self) -> list[Hashable]:
        """The subsets whose scores are too high or too low."""
        return [key for key, subset in self.subsets.items() if subset.low > 0 or subset.high < 0]

    def _rows(self) -> list[Row]:
        return [with_key("subset", key, subset.row()) for key, subset in self.subsets.items()]

    def _said(self) -> Said:
        heads = ["subset", "rows", "mean score", "event rate", "difference", "", "verdict"]
        cells = []
        for key, subset in self.subsets.items():
            numbers = (f"{x:.4g}" for x in (subset.mean_score, subset.event_rate, subset.difference))
            note = f" ({subset.reason.sentence})" if subset.reason else ""
            ends = f"[{subset.low:.4g}, {subset.high:.4g}]"
            cells.append([key_text(key), counted(subset.n), *numbers, ends, subset.verdict + note])
        each = next((subset.confidence_level for subset in self.subsets.values()), self.confidence_level)
        level = f"all intervals together {percent(self.confidence_level)}, each {percent(each)}"
        return Said("", heads, cells, [f"{plural(len(self.subsets), 'subset')}, {level}"])


def _certain(low: float, high: float) -> str:
    return f" (between {low:.4g} and {high:.4g}, because scores are buckets)" if low < high else ""
