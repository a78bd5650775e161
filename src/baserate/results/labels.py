"""Results about labels that come late."""

import math
from dataclasses import dataclass

from baserate.errors import Reason
from baserate.results.base import Result, Said
from baserate.results.words import counted, percent, prevalence_with_ends


@dataclass(frozen=True, eq=False)
class LabelForecast(Result):
    """How many positives a period will have once its labels are mature, as returned by `expected_labels`.

    Attributes
    ----------
    period : str
        The period.
    age : int
        Days from its end to the day when its rows were last stored; negative if it was not over.
    n_pos, n_neg : float
        The positives and negatives that were known then.
    n_periods : int
        The number of past periods that this comes from.
    confidence_level : float
        The nominal coverage of the intervals.
    known : float
        The share of positives that past periods knew at this age.
    expected, low, high : float
        The number of positives that the period will have, with a prediction interval.
    prevalence, prevalence_low, prevalence_high : float
        The share of positives that this is, of as many rows as the period will have.
    reason : Reason or None
        Why there is no forecast, if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.results.LabelForecast("2026-05", 12, 30, 9_970, 8, 0.95, 0.5, 60, 44, 79, 0.006, 0.0044, 0.0079)
    >>> print(found)
    2026-05 is provisional: 30 positives known 12 days after its end, 60 [44, 79] expected (prevalence 1 in 167 \
[1 in 227, 1 in 127]), as 50 % of the positives of 8 past periods were known by then
    """

    period: str
    age: int
    n_pos: float
    n_neg: float
    n_periods: int
    confidence_level: float
    known: float = math.nan
    expected: float = math.nan
    low: float = math.nan
    high: float = math.nan
    prevalence: float = math.nan
    prevalence_low: float = math.nan
    prevalence_high: float = math.nan
    reason: Reason | None = None

    def _said(self) -> Said:
        days = f"{abs(self.age)} day{'s' * (abs(self.age) != 1)} {'after' if self.age >= 0 else 'before'} its end"
        now = f"{self.period} is provisional: {counted(self.n_pos)} positives known {days}"
        if self.reason is not None:
            return Said(f"{now}; how many more will come is unknown: {self.reason.sentence}")
        expected = f"{self.expected:,.0f} [{self.low:,.0f}, {self.high:,.0f}] expected"
        share = prevalence_with_ends(self.prevalence, self.prevalence_low, self.prevalence_high)
        past = f"as {percent(self.known)} of the positives of {self.n_periods} past periods were known by then"
        return Said(f"{now}, {expected} (prevalence {share}), {past}")
