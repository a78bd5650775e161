"""The calibration line: log-odds of events against log-odds of scores."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import CountArray
from baserate.curves.bins import check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.formulas import logistic
from baserate.formulas.logistic import ClassSums, Fit, Free, Parameter, Rows, Spread
from baserate.formulas.proportions import z_score
from baserate.results import CoxCalibration, Estimate


class _Asked(NamedTuple):
    """One of the three numbers: what to call it, which parameter it is, and of which line."""

    name: str
    of: Parameter
    free: Free


_IN_THE_LARGE = _Asked("calibration_in_the_large", "intercept", "intercept")
_INTERCEPT = _Asked("calibration_intercept", "intercept", "both")
_SLOPE = _Asked("calibration_slope", "slope", "both")
_LINE = (_INTERCEPT, _SLOPE)

# Below so many cases of a class, intervals from how much its rows scatter are rough.
FEW_CASES = 30
FEW_CASES_CAUTION = f"with fewer than {FEW_CASES} positives or negatives the interval may hold a little less often"


@checks.declared
def cox_calibration(curve: Curve, *, confidence_level: float = 0.95) -> CoxCalibration:
    r"""The calibration line of Cox, and both numbers that are called the calibration intercept.

    .. math:: \operatorname{logit} P(y = 1) = a + \operatorname{logit} p, \qquad
              \operatorname{logit} P(y = 1) = a' + b \operatorname{logit} p

    The first is calibration in the large: :math:`a` is 0 for calibrated scores, above 0 where scores are too low and
    below 0 where they are too high. The second has an intercept :math:`a'` and a slope :math:`b`, 0 and 1 for
    calibrated scores; a slope below 1 says that scores are too extreme, one above 1 that they are too timid. Where the
    slope is not 1 the two intercepts differ, and :math:`a'` is where the line meets :math:`p = 0.5`, not a mean.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read at the prevalence it says. Scores are taken as they are: read at another
        prevalence, calibrated scores are off by the difference of the log-odds of the two prevalences, which is what
        `in_the_large` then shows, while the slope stays.
    confidence_level : float
        How often each interval is to hold.

    Returns
    -------
    CoxCalibration
        With `in_the_large`, `intercept` and `slope`, an Estimate each; nan with a reason where a class is missing,
        where a score is exactly 0 or 1, and, of intercept and slope, where all scores are equal or a threshold
        separates the classes, because then no finite line fits best.

    Notes
    -----
    At the data's own prevalence the line has the maximum likelihood, and intervals reach so many standard errors to
    either side (Wald). Profile-likelihood intervals were studied beside them, with 7 to 1,000 events: they are up to
    4 % wider and, with few events, hold less often (93.6 % against 96.7 % of a slope from 7 events). Calibration in the
    large takes the larger of two standard errors, the likelihood's and that of how much rows scatter (the sandwich),
    because the first is too small where the slope is below 1.

    At a given prevalence negatives are weighted, and so are rows that have weights; then standard errors are those of
    the sandwich, and intervals use Student's t with Welch's degrees of freedom. Where the prevalence is given, rows
    scatter within classes, as they were seen to or as the line at the data's own prevalence expects them to, whichever
    is more: few rows of great weight may decide, and often none of them was seen. With what was seen alone, a slope
    from 100 positives and 100 negatives that are easy to tell apart, read at 0.001, would hold in 45 % of cases
    instead of 96 %.

    Of a bucketed curve, scores are taken in the middle of their buckets, and a caution says how much that can matter.

    References
    ----------
    Cox, Two further applications of a model for binary regression, Biometrika 1958. doi:10.1093/biomet/45.3-4.562.
    Van Calster et al., Calibration: the Achilles heel of predictive analytics, BMC Medicine 2019.
    doi:10.1186/s12916-019-1466-7.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[20, 50, 80], neg=[80, 50, 20])
    >>> found = br.calibration.cox_calibration(curve)
    >>> print(found.slope)
    calibration_slope 0.6309 [0.4732, 0.7886] (95 %, wald, prevalence 0.5, 150 pos, 150 neg)
    >>> round(br.calibration.cox_calibration(curve.at_prevalence(0.1)).slope.value, 4)
    0.6309
    """
    check_probabilities(curve, "the calibration line")
    level = checks.confidence_level(confidence_level)
    reading = _Reading(curve, level)
    if reading.problem is not None:
        return CoxCalibration(*(reading.undefined(asked, reading.problem) for asked in (_IN_THE_LARGE, *_LINE)))
    large = logistic.maximum(reading.rows, logistic.start(reading.rows, 1.0), "intercept")
    (in_the_large,) = reading.estimates(large, _IN_THE_LARGE)
    if reading.no_line is not None:
        return CoxCalibration(in_the_large, *(reading.undefined(asked, reading.no_line) for asked in _LINE))
    line = logistic.maximum(reading.rows, logistic.start(reading.rows, 0.0), "both")
    return CoxCalibration(in_the_large, *reading.estimates(line, *_LINE))


class _Reading:
    """A curve as the likelihood sees it: log-odds of scores, and rows weighted as it is read."""

    def __init__(self, curve: Curve, confidence_level: float) -> None:
        self.curve, self.confidence_level = curve, confidence_level
        self.by_scatter = curve.weighted or curve.given_prevalence is not None
        weight = curve.negative_weight if curve.missing_class is None else 1.0
        self.pos = ClassSums(curve.pos, curve.pos_squares)
        self.neg = ClassSums(*(np.asarray(x, np.float64) for x in (curve.neg * weight, curve.neg_squares * weight**2)))
        self.sizes = effective_size(curve.pos, curve.pos_squares), effective_size(curve.neg, curve.neg_squares)
        with np.errstate(divide="ignore"):
            log_odds = scipy.special.logit(curve.middle)
        self.rows = Rows(log_odds, np.asarray(curve.pos, np.float64), np.asarray(self.neg.weight))

    @property
    def problem(self) -> Reason | None:
        """Why there is no number at all, if there is none."""
        if self.curve.missing_class is not None:
            return self.curve.missing_class
        infinite = self.curve.score[-1] <= 0 or self.curve.top[0] >= 1
        return Reason.INFINITE_LOG_ODDS if infinite else None

    @cached_property
    def no_line(self) -> Reason | None:
        """Why there is no line with a slope of its own, if there is none."""
        if self.rows.x.min() == self.rows.x.max():
            return Reason.ONE_SCORE
        return Reason.SEPARATED if logistic.is_separated(self.rows) else None

    def estimates(self, best: Fit, *wanted: _Asked) -> list[Estimate]:
        """Numbers of one line, with intervals."""
        if not self.by_scatter:
            return [self._by_likelihood(asked, best) for asked in wanted]
        if min(self.sizes) <= 1:
            return [self._row(asked, best, math.nan, "sandwich", reason=Reason.ONE_CASE) for asked in wanted]
        spreads = [self._spreads(best, *sums) for sums in self._sources]
        return [self._by_sandwich(asked, best, spreads) for asked in wanted]

    def _by_likelihood(self, asked: _Asked, best: Fit) -> Estimate:
        variance, method = best.variance(asked.of, asked.free), "wald"
        if asked.free == "intercept":
            # The slope was held at 1, and where it is not 1 the likelihood misjudges how much rows scatter.
            spreads = self._spreads(best, self.pos, self.neg)
            scatter = sum(logistic.sandwich(best, asked.of, asked.free, spread) for spread in spreads)
            variance, method = max(variance, scatter), "robust_wald"
        return self._row(asked, best, z_score(self.confidence_level) * math.sqrt(variance), method)

    def _by_sandwich(self, asked: _Asked, best: Fit, spreads: list[tuple[Spread, Spread]]) -> Estimate:
        pairs = [[logistic.sandwich(best, asked.of, asked.free, spread) for spread in pair] for pair in spreads]
        # Of each class what was seen, or what was to be expected if that is more.
        variances = [max(of_class) for of_class in zip(*pairs, strict=True)]
        return self._row(asked, best, welch_margin(variances, self.sizes, self.confidence_level), "sandwich")

    def _spreads(self, best: Fit, pos: ClassSums, neg: ClassSums) -> tuple[Spread, Spread]:
        sizes = self.sizes if self.curve.given_prevalence is not None else (None, None)
        return (
            logistic.spread_of_class(self.rows.x, best, pos, positive=True, given_size=sizes[0]),
            logistic.spread_of_class(self.rows.x, best, neg, positive=False, given_size=sizes[1]),
        )

    @cached_property
    def _sources(self) -> list[tuple[ClassSums, ClassSums]]:
        """Both classes as seen and, at a given prevalence, as the line at the data's own prevalence expects them.

        Read at another prevalence, few rows of great weight may decide, and often none of them was seen.
        """
        seen = self.pos, self.neg
        if self.curve.given_prevalence is None or self.no_line is not None:
            return [seen]
        own = Rows(self.rows.x, self.pos.rows, self.neg.rows)
        log_odds = logistic.maximum(own, logistic.start(own, 0.0), "both").line.at(own.x)
        total = own.pos + own.neg
        pos = self.pos.spread_as(total * scipy.special.expit(log_odds))
        neg = self.neg.spread_as(total * scipy.special.expit(-log_odds))
        return [seen, (pos, neg)]

    def undefined(self, asked: _Asked, reason: Reason) -> Estimate:
        """No number."""
        return self._row(asked, None, math.nan, "none", reason=reason)

    def _caution(self, asked: _Asked, best: Fit) -> str | None:
        if self.curve.given_prevalence is not None and self.no_line is Reason.SEPARATED:
            return "positives and negatives do not overlap, and how they would is not in the interval"
        notes = [FEW_CASES_CAUTION] * (self.by_scatter and min(self.sizes) < FEW_CASES)
        if self.curve.bucketed:
            low, high = scipy.special.logit(self.curve.score), scipy.special.logit(self.curve.top)
            slack = np.maximum(high - self.rows.x, self.rows.x - low)
            moved = logistic.sensitivity(self.rows, best, asked.of, asked.free, slack)
            notes.append(
                f"scores are buckets, read in their middle, which moves it by up to {moved:.2g} to first order"
            )
        return "; ".join(notes) or None

    def _row(
        self, asked: _Asked, best: Fit | None, margin: float, method: str, *, reason: Reason | None = None
    ) -> Estimate:
        value = math.nan if best is None else getattr(best.line, asked.of)
        return Estimate(
            metric=asked.name,
            value=value,
            low=value - margin,
            high=value + margin,
            confidence_level=self.confidence_level,
            prevalence=self.curve.prevalence,
            method=method,
            n_pos=self.sizes[0],
            n_neg=self.sizes[1],
            reason=reason,
            caution=None if best is None or reason else self._caution(asked, best),
        )


def welch_margin(variances: Sequence[float], sizes: tuple[float, float], confidence_level: float) -> float:
    """How far an interval reaches if a variance is the sum of that of two classes, each known from so many cases."""
    total = sum(variances)
    if total == 0:
        return 0.0
    parts = (variance**2 / (size - 1) for variance, size in zip(variances, sizes, strict=True))
    df = total**2 / sum(parts)
    return float(-scipy.special.stdtrit(df, (1 - confidence_level) / 2) * math.sqrt(total))


def effective_size(weight: CountArray, squares: CountArray) -> float:
    """How many rows of equal weight some rows are worth; 0 if there are none."""
    total = float(weight.sum())
    return total * total / float(squares.sum()) if total else 0.0
