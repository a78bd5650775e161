"""Results about the prevalence of unlabelled rows, and about prior shift."""

from dataclasses import dataclass

from baserate.errors import Reason
from baserate.results.base import Result, Said
from baserate.results.words import cases, counted, percent, prevalence_with_ends, with_notes
from baserate.written import one_in

# Below this a check says that something does not fit.
CHECK_LEVEL = 0.05

# An end of 0 or 1 is no prevalence to read a metric at; this is how near to it one comes.
_NEAREST = 1e-12


@dataclass(frozen=True, eq=False)
class PrevalenceEstimate(Result):
    """The prevalence among unlabelled rows, as returned by `estimate_prevalence`.

    A list of them makes a table: ``pd.DataFrame(estimates)``.

    Attributes
    ----------
    value, low, high : float
        The most likely prevalence, and the interval around it; both may reach 0 and 1.
    confidence_level : float
        The nominal coverage of the interval, if only the prevalence has changed.
    method : str
        The method.
    n_unlabelled, n_pos, n_neg : float
        Unlabelled rows, and labelled ones of each class; for weighted rows, effective sample sizes.
    n_bins : int
        The number of bins of the test of fit, and of the method "mixture".
    threshold : float or None
        The threshold of "adjusted_count".
    scores_prevalence : float or None
        The prevalence at which "em" assumes the scores to be calibrated.
    fit_statistic, fit_df, fit_p_value : float
        The test of fit of a mixture of the labelled classes: its deviance, degrees of freedom and p-value.
    fit_reason, reason : Reason or None
        Why there is no test of fit, and why there is no prevalence, if there is none.
    caution : str or None
        A caution, if coverage may be below the confidence level.

    Examples
    --------
    >>> import baserate as br
    >>> labelled = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[10, 30, 60], neg=[800, 150, 50])
    >>> now = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[0, 0, 0], neg=[690, 190, 120])
    >>> found = br.prior.estimate_prevalence(labelled, now)
    >>> print(found)
    prevalence 1 in 7.09 [1 in 10, 1 in 5.23] (95 %, mixture of 3 bins, 1,000 unlabelled, 100 pos, 1,000 neg); \
the unlabelled scores look like a mix of the labelled classes (p = 0.26)
    >>> found.fits
    True
    """

    value: float
    low: float
    high: float
    confidence_level: float
    method: str
    n_unlabelled: float
    n_pos: float
    n_neg: float
    n_bins: int
    threshold: float | None
    scores_prevalence: float | None
    fit_statistic: float
    fit_df: int
    fit_p_value: float
    fit_reason: Reason | None = None
    reason: Reason | None = None
    caution: str | None = None

    @property
    def width(self) -> float:
        """From the lower to the upper end."""
        return self.high - self.low

    @property
    def fits(self) -> bool | None:
        """Whether the test does not reject at 5 %; None without a test."""
        return None if self.fit_reason else self.fit_p_value >= CHECK_LEVEL

    @property
    def verdict(self) -> str:
        """The result of the test as a sentence."""
        if self.fit_reason:
            return f"whether they are a mix of the labelled classes is not checked: {self.fit_reason.sentence}"
        if self.fits:
            return f"the unlabelled scores look like a mix of the labelled classes (p = {self.fit_p_value:.2g})"
        return (
            f"the unlabelled scores are not a mix of the labelled classes (p = {self.fit_p_value:.2g}): more than the "
            f"prevalence has changed, and the estimate does not hold"
        )

    @property
    def span(self) -> tuple[float, float]:
        """Both ends, as ``estimate(metric, point, prevalence=…)`` takes them: strictly between 0 and 1."""
        return max(self.low, _NEAREST), min(self.high, 1 - _NEAREST)

    def _said(self) -> Said:
        how = self.method
        how += f" of {self.n_bins} bins" if self.method == "mixture" and self.n_bins else ""
        how += f" at {self.threshold:.4g}" if self.threshold is not None else ""
        how += f" from {one_in(self.scores_prevalence)}" if self.scores_prevalence is not None else ""
        sizes = f"{counted(self.n_unlabelled)} unlabelled, {cases(self.n_pos, self.n_neg)}"
        text = f"prevalence {prevalence_with_ends(self.value, self.low, self.high)}"
        facts = f"{percent(self.confidence_level)}, {how}, {sizes}"
        return Said(with_notes(f"{text} ({facts})", self.reason or self.verdict, self.caution))


@dataclass(frozen=True, eq=False)
class PriorShiftCheck(Result):
    """A test for prior shift, as returned by `prior_shift_check`.

    It is true if there was a test and it does not reject, as `fits` says, and only then.

    Attributes
    ----------
    statistic, df, p_value : float
        Pearson's chi² of both classes together.
    statistic_pos, df_pos, p_value_pos, statistic_neg, df_neg, p_value_neg : float
        That of each class; nan where it has too few rows.
    reason : Reason or None
        Why there is no check at all, or none of one class.

    Examples
    --------
    >>> import baserate as br
    >>> may = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[10, 30, 60], neg=[800, 150, 50])
    >>> june = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[3, 11, 26], neg=[1500, 420, 80])
    >>> print(br.prior.prior_shift_check(may, june))
    scores have changed within the negatives, not only the prevalence (positives p = 0.58, negatives p = 0.00028, \
together p = 0.00084)
    """

    statistic: float
    df: int
    p_value: float
    statistic_pos: float
    df_pos: int
    p_value_pos: float
    statistic_neg: float
    df_neg: int
    p_value_neg: float
    reason: Reason | None = None

    def __bool__(self) -> bool:
        return self.fits is True

    @property
    def fits(self) -> bool | None:
        """Whether the test does not reject at 5 %; None without a test."""
        return None if self.df == 0 else self.p_value >= CHECK_LEVEL

    @property
    def verdict(self) -> str:
        """The result of the test as a sentence."""
        if self.fits is None:
            return "whether scores have changed within the classes is not known"
        if self.fits:
            return "no change of scores within the classes detected"
        classes = (("positives", self.p_value_pos), ("negatives", self.p_value_neg))
        changed = [name for name, p_value in classes if p_value < CHECK_LEVEL] or ["classes"]
        return f"scores have changed within the {' and the '.join(changed)}, not only the prevalence"

    def _said(self) -> Said:
        parts = (("positives", self.p_value_pos), ("negatives", self.p_value_neg), ("together", self.p_value))
        text = f"{self.verdict} ({', '.join(f'{name} p = {p_value:.2g}' for name, p_value in parts)})"
        return Said(with_notes(text, self.reason))
