"""A metric with an interval."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, MissingInformationError, Reason, shown
from baserate.formulas.proportions import Interval
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.results import Estimate
from baserate.uncertainty import points
from baserate.uncertainty.cells import cells_of
from baserate.uncertainty.draws import Seeds, seeds_from
from baserate.uncertainty.methods import INDEPENDENT, NOTHING, Estimand, HowRowsCame, made
from baserate.uncertainty.prevalence import Beta, Span, strata, uncertain
from baserate.uncertainty.readers import is_chosen
from baserate.uncertainty.sampled_methods import how_labels_came, on_labelled

# Methods whose coverage fell below the confidence level somewhere in docs/coverage.md; a test compares.
FELL_SHORT = frozenset(
    {
        "delong",
        "delong_wald",
        "influence",
        "jeffreys",
        "logit_delta",
        "normal",
        "percentile",
        "score",
        "wilson",
    }
)
CAUTION = "coverage of this method fell below the confidence level in simulations (docs/coverage.md)"
ASKED_FOR = "it was asked for"
BUCKETS_AS_TIES = "scores within a bucket are read as ties; the error this causes in the metric is unknown"


@checks.declared
def estimate(
    metric: MetricFunction,
    at: Curve | Point,
    *,
    method: str | None = None,
    about: Literal["threshold", "rule"] = "threshold",
    confidence_level: float = 0.95,
    prevalence: Beta | tuple[float | str, float | str] | None = None,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Estimate:
    """A metric with a confidence interval for its value in the population.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float. The default interval of your own
        function assumes that it is monotone: it never falls, or never rises, when positives rank higher.
    at : Curve or Point
        The curve or operating point, at its prevalence.
    about : {"threshold", "rule"}
        What the interval is about, if `at` is a Point chosen on the same data, for example by `at_recall`, `at_fpr`,
        `at_precision` or `best`. "threshold": the performance of this very threshold on new data; the interval allows
        for the choice on the same rows. "rule": the point that the rule would choose in the population. For a
        threshold that was given both are the same.
    method : str, optional
        The method of the interval; see the notes. The coverage of each is in docs/coverage.md.
    confidence_level : float
        The nominal coverage of the interval.
    prevalence : Beta or (low, high), optional
        An uncertain prevalence: a distribution, over which the metric is mixed, or a range, for all of which the
        interval holds.
    n_resamples : int
        The number of curves to draw, for methods that draw.
    rng : Generator or int, optional
        The random generator, or its seed; the same seed gives the same result.

    Returns
    -------
    Estimate
        With value, low and high; nan with a reason where they are undefined.

    Notes
    -----
    "melded" is the default. At a threshold it melds Clopper and Pearson's intervals of TPR and FPR. For areas it draws
    populations whose rates at each threshold follow the same distributions, with half a free row per class instead of
    a whole one, which is about mid-P. On a bucketed curve the ends are widened by what `bounds` leaves open. Brier
    score and log loss are means of losses: the free row has no loss at one end and the largest possible loss at the
    other. Without ``clip=`` the largest log loss is infinite, and so is the upper end, unless scores are mostly tied.
    Calibration errors such as `ece` have no interval, because they have plug-in bias.

    "corrected" is the default at a threshold that optimises a metric (`best`, `at_precision`): the interval of a given
    threshold, with one end lowered by the mean optimism of such searches on drawn curves.

    At a given threshold, weighted rows count by their effective sample size, from the squared weights above and below
    the threshold (Korn and Graubard), with one free row as heavy as any on its side. There is a caution if weights
    halve the effective sample size and one side has fewer than five effective rows. In drawn populations the free row
    is as heavy as the rows next to its place.

    Other methods, for comparison or for large data: for rates "clopper_pearson" (the default there), "wilson",
    "jeffreys", "hoeffding" and "normal"; for precision, NPV, F-beta and likelihood ratios "score" (Koopman) and
    "logit_delta" (Mercaldo); for any point "box" (Brabec), from two intervals at the square root of the level; for
    areas "percentile" by the bootstrap within each class, and "influence" in closed form; for AUC-ROC "delong" on the
    logit scale and "delong_wald".

    References
    ----------
    Fay, Proschan & Brittain, Combining one-sample confidence procedures for inference in the two-sample case,
    Biometrics 2015. doi:10.1111/biom.12231.
    Mercaldo, Lau & Zhou, Confidence intervals for predictive values, Statistics in Medicine 2007. doi:10.1002/sim.2677.
    Koopman, Confidence intervals for the ratio of two binomial proportions, Biometrics 1984. doi:10.2307/2530926.
    Korn & Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from
    survey data, Survey Methodology 1998.
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under two or more correlated ROC curves, Biometrics 1988.
    doi:10.2307/2531595.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> found = br.estimate(br.average_precision, curve.at_prevalence("1 in 10000"), rng=0)
    >>> found.low < found.value < found.high
    True
    """
    check_estimable(metric, at)
    given = None if prevalence is None else uncertain(prevalence)
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    estimand = Estimand(metric, at, np.array([at.odds_against]), again=is_again(at, about))
    if given is None:
        return estimates([estimand], settings, method)[0][0]
    return _under(given, estimand, settings, method)


def is_again(at: Curve | Point, about: object) -> bool:
    """Whether an interval is about the rule, which chooses again in the population, and not about the threshold."""
    return checks.one_of(about, ("threshold", "rule"), "about") == "rule" and is_chosen(at)


About = Literal["threshold", "rule"]


def estimate_all(
    wanted: Sequence[tuple[MetricFunction, Curve | Point, About]],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> list[Estimate]:
    """What `estimate` returns for each metric and place; those of one curve share their draws."""
    for metric, at, _ in wanted:
        check_estimable(metric, at)
    estimands = [
        Estimand(metric, at, np.array([at.odds_against]), again=is_again(at, about)) for metric, at, about in wanted
    ]
    return [one for (one,) in estimates(estimands, IntervalSettings.of(confidence_level, n_resamples, rng))]


class IntervalSettings(NamedTuple):
    """Checked settings of intervals: level, number of draws and seeds."""

    confidence_level: float
    n_draws: int
    seeds: Seeds

    @classmethod
    def of(cls, confidence_level: float, n_resamples: int, rng: np.random.Generator | int | None) -> "IntervalSettings":
        """Check the settings."""
        level, n_draws = checks.confidence_level(confidence_level), checks.repeats(n_resamples, "n_resamples")
        return cls(level, n_draws, seeds_from(checks.generator(rng)))

    def apart(self, part: int) -> "IntervalSettings":
        """These settings with other seeds, for one of several independent curves."""
        return self._replace(seeds=seeds_from(np.random.default_rng([*self.seeds, part])))


def _under(given: Beta | Span, estimand: Estimand, settings: IntervalSettings, method: str | None) -> Estimate:
    """An estimate at an uncertain prevalence."""
    if isinstance(given, Beta):
        middle, places = given.mean, strata(given)
    else:
        middle, places = given.middle, given.places()
    at_places = estimand._replace(x=(1 - places) / places, mixed=isinstance(given, Beta))
    (at_each,) = estimates([at_places], settings, method)
    value, reason = estimand.evaluate((1 - middle) / middle)
    return replace(
        at_each[0],
        value=value,
        low=float(np.min([part.low for part in at_each])),  # nan where one of them is
        high=float(np.max([part.high for part in at_each])),
        prevalence=middle,
        uncertain_prevalence=str(given),
        reason=reason or next((part.reason for part in at_each if part.reason), None),
    )


def estimates(
    estimands: Sequence[Estimand],
    settings: IntervalSettings,
    method: str | None = None,
    rows: HowRowsCame = INDEPENDENT,
) -> list[list[Estimate]]:
    """For each estimand one estimate per prevalence; estimands about one curve share their draws."""
    if any(estimand.at_sampled for estimand in estimands):
        return [
            _where_sampled(one, settings, method, rows)
            if one.at_sampled
            else estimates([one], settings, method, rows)[0]
            for one in estimands
        ]
    names, why, wanted, read = [], [], [], []
    for estimand in estimands:
        available = rows.methods(estimand)
        name = next(iter(available)) if method is None else checks.one_of(method, list(available), "method")
        names.append(name)
        why.append(available[name].why if method is None else ASKED_FOR)
        read.append([estimand.evaluate(x_j) for x_j in estimand.x])
        known = not all(math.isnan(value) for value, _ in read[-1])
        wanted.append((estimand, available[name] if known else NOTHING))
    with np.errstate(divide="ignore", invalid="ignore"):
        intervals = made(wanted, rows, *settings)
    return [
        [replace(row, why=reason) for row in _rows(estimand, name, values, interval, settings.confidence_level)]
        for estimand, name, reason, values, interval in zip(estimands, names, why, read, intervals, strict=True)
    ]


def _where_sampled(
    estimand: Estimand, settings: IntervalSettings, method: str | None, rows: HowRowsCame
) -> list[Estimate]:
    """Estimates where only some rows were sampled for labelling."""
    at = estimand.at
    if rows is not INDEPENDENT:
        estimand.curve._check_not_sampled("an interval for clusters of rows")
    if at.not_labelled is not None and len(estimand.x) > 1:  # what is known at one prevalence need not be at others
        each = ((at.at_prevalence(1 / (1 + float(x_j))), np.array([x_j])) for x_j in estimand.x)
        alone = (estimand._replace(at=place, x=x_j, mixed=False) for place, x_j in each)
        return [row for one in alone for row in _where_sampled(one, settings, method, rows)]
    alike = estimand._replace(at=on_labelled(at))
    value, reason = evaluate(estimand.metric, at)
    unknown = math.isnan(value) and at.not_labelled is not None
    if at.not_labelled is not None:  # what is known there does not depend on the prevalence
        alike = alike._replace(x=np.array([alike.at.odds_against]))
    how = how_labels_came(at, settings.n_draws, settings.seeds)
    ((*made,),) = estimates([alike], settings, method, how)
    n_pos, n_neg = sizes_behind(at)
    made = [replace(row, n_pos=n_pos, n_neg=n_neg, caution=None) for row in made]
    if at.not_labelled is not None:
        made = [replace(row, prevalence=at.prevalence) for row in made]
    if unknown:
        made = [replace(row, value=math.nan, low=math.nan, high=math.nan, reason=reason) for row in made]
    return made


def _rows(
    estimand: Estimand, name: str, read: list[tuple[float, Reason | None]], ends: Interval, confidence_level: float
) -> list[Estimate]:
    at = estimand.at
    ends = _within_range(ends, estimand.metric)
    if is_bucketed(at) and row_of(estimand.metric) is not None and name != "none":
        ends = _widened(ends, estimand)
    n_pos, n_neg = sizes_behind(at)
    caution = _caution(name, estimand)
    made = []
    lows, highs = (np.broadcast_to(end, len(estimand.x)) for end in ends)
    for (value, reason), low, high, x_j in zip(read, lows, highs, estimand.x, strict=True):
        defined = reason is None
        made.append(
            Estimate(
                metric=describe(estimand.metric),
                value=value,
                low=float(low) if defined else math.nan,
                high=float(high) if defined else math.nan,
                confidence_level=confidence_level,
                prevalence=1 / (1 + float(x_j)),
                method=name,
                n_pos=n_pos,
                n_neg=n_neg,
                chosen=at.chosen_by if isinstance(at, Point) and is_chosen(at) else None,
                about=("rule" if estimand.again else "threshold") if is_chosen(at) else None,
                reason=reason or (_reason_of_no_interval(name) if np.isnan(low) or np.isnan(high) else None),
                caution=caution,
            )
        )
    return made


def _caution(method: str, estimand: Estimand) -> str | None:
    if method in FELL_SHORT:
        return CAUTION
    of_weights = points.caution(estimand.metric, estimand.at) if isinstance(estimand.at, Point) else None
    if of_weights is not None:
        return of_weights
    return BUCKETS_AS_TIES if is_bucketed(estimand.at) and row_of(estimand.metric) is None else None


def is_bucketed(at: Curve | Point) -> bool:
    """Whether the curve, or the curve of the point, has buckets: scores that share a bucket."""
    curve = at if isinstance(at, Curve) else at.curve
    return curve is not None and curve.bucketed


def _widened(ends: Interval, estimand: Estimand) -> Interval:
    """Ends widened by the error that the value may have, because buckets are read as ties."""
    certain = [bounds(estimand.metric, estimand.at.at_prevalence(1 / (1 + float(x_j)))) for x_j in estimand.x]
    value, low, high = (np.array([getattr(b, name) for b in certain], np.float64) for name in ("value", "low", "high"))
    return _within_range(Interval(ends.low - (value - low), ends.high + (high - value)), estimand.metric)


def _reason_of_no_interval(method: str) -> Reason:
    if method == "none":
        return Reason.NO_INTERVAL
    return Reason.UNDEFINED_IN_DRAWS if method in ("melded", "percentile") else Reason.NO_VARIATION


def _within_range(ends: Interval, metric: MetricFunction) -> Interval:
    """Ends clipped to the range of the metric, which rounding may exceed."""
    row = row_of(metric)
    return ends if row is None else Interval(*(np.clip(end, row.lowest, row.highest) for end in ends))


def check_estimable(metric: object, at: object) -> None:
    """Refuse what has no counts of cases, or no operating point where one is needed."""
    if not callable(metric):
        raise InputError(f"metric must be a function, got {shown(metric)}; pass one such as br.average_precision.")
    if not isinstance(at, Curve | Point):
        raise InputError(f"metrics are estimated on a Curve or a Point, got {type(at).__name__}; build a Curve first.")
    row = row_of(metric)
    if isinstance(at, Curve) and row is not None and row.family is Family.POINTWISE:
        raise InputError(
            f"{row.name} is estimated at one operating point, got a Curve; choose one, for example "
            f"curve.at_recall(0.6)."
        )
    if isinstance(at, Curve):
        check_counted(at)


def check_counted(curve: Curve) -> None:
    """Refuse a curve without counts of cases by score."""
    if not curve.has_scores:
        raise MissingInformationError(
            "an interval needs counts of cases by score, got a curve made from rates; build it with from_scores or "
            "from_counts."
        )


def sizes_behind(at: Curve | Point) -> tuple[float, float]:
    """Cases of each class; for weighted rows, the effective sample sizes, which differ between rates and areas.

    Of rows that were sampled for labelling, these are the labelled ones.
    """
    curve = at if isinstance(at, Curve) else at.curve
    if curve is not None and curve.sampled:
        n_pos = float(sum(one.n_pos for one in curve.strata))
        return n_pos, float(sum(one.n_labelled for one in curve.strata)) - n_pos
    if curve is None or not curve.weighted:
        return float(at.n_pos), float(at.n_neg)
    if isinstance(at, Point):
        seen = points.cases(at)
        return seen.n_pos, seen.n_neg
    cells = cells_of(curve)
    return cells.pos.effective_size, cells.neg.effective_size
