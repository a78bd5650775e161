"""A metric with an interval."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError, MissingInformationError, Reason
from baserate.formulas.proportions import Interval
from baserate.metrics.bounds import bounds
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.results import Estimate
from baserate.uncertainty import points
from baserate.uncertainty.cells import cells_of
from baserate.uncertainty.draws import Seeds, seeds_from
from baserate.uncertainty.levels import is_chosen
from baserate.uncertainty.methods import NOTHING, Question, made, methods
from baserate.uncertainty.prevalence import Beta, Span, strata, uncertain

# Methods that held less often than they say somewhere in the coverage study (docs/coverage.md); a test compares.
FELL_SHORT = frozenset(
    {
        "bca",
        "delong",
        "delong_wald",
        "influence",
        "jeffreys",
        "logit_delta",
        "logit_studentised",
        "normal",
        "percentile",
        "score",
        "wilson",
    }
)
CAUTION = "this method has been seen to hold less often than it says (docs/coverage.md)"
BUCKETS_AS_TIES = "scores in one bucket are read as ties, and what that does to this metric is not known"


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
    """A metric and an interval that holds what is true of the population.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float. For your own function the default
        interval expects that the value moves one way when positives rank higher.
    at : Curve or Point
        Where to read it, at the prevalence it says.
    about : {"threshold", "rule"}
        For a Point that was chosen on the data, by `at_recall`, `at_fpr`, `at_precision` or `best` for example, what
        the interval is about. "threshold": this threshold, shipped as it is: what it will do from now on. The interval
        holds although the same rows chose it. "rule": the rule, applied again: the point that it would choose in the
        population. A threshold that was given has nothing to choose again.
    method : str, optional
        How to make the interval; see the notes. How often each of them holds is in docs/coverage.md.
    confidence_level : float
        How often the interval is to hold.
    prevalence : Beta or (low, high), optional
        An uncertain prevalence: a distribution, which is mixed in, or a range, over which the interval holds
        throughout.
    n_resamples : int
        How many curves to draw, for methods that draw.
    rng : Generator or int, optional
        Where random numbers come from; the same seed gives the same result.

    Returns
    -------
    Estimate
        With value, low and high; nan with a reason where there is nothing to estimate.

    Notes
    -----
    "melded", the default, carries exact laws of rates through the metric: at a threshold by melding Clopper and
    Pearson's intervals of TPR and FPR, for areas by drawing populations whose rates at each threshold follow the same
    laws but for half a row in each class, which is about mid-P. On a bucketed curve its ends are moved apart by what
    `bounds` leaves open. Brier score and log loss are means of losses, and are melded with what is free at no loss and
    at the worst; without ``clip=`` the worst log loss is infinite, and so is the upper end, unless scores are mostly
    tied. Calibration errors such as `ece` have no interval: chance biases them upwards (plug-in bias).

    "corrected" is the default at a threshold that was searched for (`best`, `at_precision`): as if it had been given,
    with an end let down by the mean optimism of searches on drawn curves.

    Weighted rows at a threshold that was given count by what they show of each rate, from the squared weights above and
    below it (Korn and Graubard), with one more row as heavy as any on its side. A caution says where the weights halve
    what rows are worth and one side has fewer than five rows' worth. In drawn populations what
    is free is as heavy as the rows next to its place.

    Others, for comparison or for large data: of rates "clopper_pearson" (the default there), "wilson", "jeffreys",
    "hoeffding" and "normal"; of precision, NPV, F-beta and likelihood ratios "score" (Koopman) and "logit_delta"
    (Mercaldo); of any point "box" (Brabec), from two intervals at the root of the level; of areas "percentile", "bca"
    and "logit_studentised" by the bootstrap within each class, and "influence" in closed form; of AUC-ROC "delong" on
    the logit scale and "delong_wald".

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
    >>> found = br.estimate(br.average_precision, curve.at_prevalence("1:10000"), rng=0)
    >>> found.low < found.value < found.high
    True
    """
    check_estimable(metric, at)
    given = None if prevalence is None else uncertain(prevalence)
    asked = Asked.of(confidence_level, n_resamples, rng)
    question = Question(metric, at, np.array([at.odds_against]), again=is_again(at, about))
    if given is None:
        return estimates([question], asked, method)[0][0]
    return _under(given, question, asked, method)


def is_again(at: Curve | Point, about: object) -> bool:
    """Whether an interval is about a rule that chooses again, rather than about a threshold."""
    return checks.one_of(about, ("threshold", "rule"), "about") == "rule" and is_chosen(at)


About = Literal["threshold", "rule"]


def estimate_all(
    asked: Sequence[tuple[MetricFunction, Curve | Point, About]],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> list[Estimate]:
    """What `estimate` gives for each metric and place; those of one curve come from the same draws."""
    for metric, at, _ in asked:
        check_estimable(metric, at)
    questions = [
        Question(metric, at, np.array([at.odds_against]), again=is_again(at, about)) for metric, at, about in asked
    ]
    return [one for (one,) in estimates(questions, Asked.of(confidence_level, n_resamples, rng))]


class Asked(NamedTuple):
    """How an interval is wanted, checked."""

    confidence_level: float
    n_draws: int
    seeds: Seeds

    @classmethod
    def of(cls, confidence_level: float, n_resamples: int, rng: np.random.Generator | int | None) -> "Asked":
        """Refuse what cannot be asked for."""
        level, n_draws = checks.confidence_level(confidence_level), checks.repeats(n_resamples, "n_resamples")
        return cls(level, n_draws, seeds_from(checks.generator(rng)))

    def apart(self, part: int) -> "Asked":
        """The same with random numbers of its own for each of several independent curves."""
        return self._replace(seeds=seeds_from(np.random.default_rng([*self.seeds, part])))


def _under(given: Beta | Span, question: Question, asked: Asked, method: str | None) -> Estimate:
    """An estimate at a prevalence that is not one number."""
    if isinstance(given, Beta):
        middle, places = given.mean, strata(given)
    else:
        middle, places = given.middle, given.places()
    at_places = question._replace(x=(1 - places) / places, mixed=isinstance(given, Beta))
    (found,) = estimates([at_places], asked, method)
    value, reason = question.evaluate((1 - middle) / middle)
    return replace(
        found[0],
        value=value,
        low=float(np.min([part.low for part in found])),  # nan where one of them is
        high=float(np.max([part.high for part in found])),
        prevalence=middle,
        uncertain_prevalence=str(given),
        reason=reason or next((part.reason for part in found if part.reason), None),
    )


def estimates(questions: Sequence[Question], asked: Asked, method: str | None = None) -> list[list[Estimate]]:
    """Of each question one estimate for each prevalence; all that are about one curve come from the same draws."""
    names, wanted, read = [], [], []
    for question in questions:
        available = methods(question)
        name = next(iter(available)) if method is None else checks.one_of(method, list(available), "method")
        names.append(name)
        read.append([question.evaluate(x_j) for x_j in question.x])
        known = not all(math.isnan(value) for value, _ in read[-1])
        wanted.append((question, available[name] if known else NOTHING))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = made(wanted, *asked)
    return [
        _rows(question, name, values, interval, asked.confidence_level)
        for question, name, values, interval in zip(questions, names, read, found, strict=True)
    ]


def _rows(
    question: Question, name: str, read: list[tuple[float, Reason | None]], ends: Interval, confidence_level: float
) -> list[Estimate]:
    at = question.at
    ends = _within_range(ends, question.metric)
    if is_bucketed(at) and row_of(question.metric) is not None and name != "none":
        ends = _widened(ends, question)
    n_pos, n_neg = sizes_behind(at)
    caution = _caution(name, question)
    made = []
    lows, highs = (np.broadcast_to(end, len(question.x)) for end in ends)
    for (value, reason), low, high, x_j in zip(read, lows, highs, question.x, strict=True):
        defined = reason is None
        made.append(
            Estimate(
                metric=describe(question.metric),
                value=value,
                low=float(low) if defined else math.nan,
                high=float(high) if defined else math.nan,
                confidence_level=confidence_level,
                prevalence=1 / (1 + float(x_j)),
                method=name,
                n_pos=n_pos,
                n_neg=n_neg,
                chosen=at.chosen_by if isinstance(at, Point) and is_chosen(at) else None,
                about=("rule" if question.again else "threshold") if is_chosen(at) else None,
                reason=reason or (_reason_of_no_interval(name) if np.isnan(low) or np.isnan(high) else None),
                caution=caution,
            )
        )
    return made


def _caution(method: str, question: Question) -> str | None:
    if method in FELL_SHORT:
        return CAUTION
    of_weights = points.caution(question.metric, question.at) if isinstance(question.at, Point) else None
    if of_weights is not None:
        return of_weights
    return BUCKETS_AS_TIES if is_bucketed(question.at) and row_of(question.metric) is None else None


def is_bucketed(at: Curve | Point) -> bool:
    """Whether it stands on a curve some of whose scores are no longer told apart."""
    curve = at if isinstance(at, Curve) else at.curve
    return curve is not None and curve.bucketed


def _widened(ends: Interval, question: Question) -> Interval:
    """Ends moved apart by what the value may be off, because buckets are read as ties."""
    certain = [bounds(question.metric, question.at.at_prevalence(1 / (1 + float(x_j)))) for x_j in question.x]
    value, low, high = (np.array([getattr(b, name) for b in certain], np.float64) for name in ("value", "low", "high"))
    return _within_range(Interval(ends.low - (value - low), ends.high + (high - value)), question.metric)


def _reason_of_no_interval(method: str) -> Reason:
    if method == "none":
        return Reason.NO_INTERVAL
    return Reason.UNDEFINED_IN_DRAWS if method in ("melded", "percentile") else Reason.NO_VARIATION


def _within_range(ends: Interval, metric: MetricFunction) -> Interval:
    """Ends without the rounding that has carried them beyond the range of the metric."""
    row = row_of(metric)
    return ends if row is None else Interval(*(np.clip(end, row.lowest, row.highest) for end in ends))


def check_estimable(metric: object, at: object) -> None:
    """Refuse what has no numbers of cases, or no operating point where one is needed."""
    if not callable(metric):
        raise InputError(f"a metric is a function such as br.average_precision, got {metric!r}; pass one.")
    if not isinstance(at, Curve | Point):
        raise InputError(f"a metric is estimated on a Curve or a Point, got {type(at).__name__}; build a Curve first.")
    row = row_of(metric)
    if isinstance(at, Curve) and row is not None and row.family is Family.POINTWISE:
        raise InputError(
            f"{row.name} is estimated at one operating point, got a Curve; choose one, for example "
            f"curve.at_recall(0.6)."
        )
    if isinstance(at, Curve):
        check_counted(at)


def check_counted(curve: Curve) -> None:
    """Refuse a curve that does not know how many cases there are at each score."""
    if not curve.has_scores:
        raise MissingInformationError(
            "an interval rests on numbers of cases at each score, and this curve was made from rates; build it with "
            "from_scores or from_counts."
        )


def sizes_behind(at: Curve | Point) -> tuple[float, float]:
    """Cases of each class; of weighted rows, the number of equal ones that are worth as much.

    At a threshold these are other numbers for TPR and for FPR than for areas.
    """
    curve = at if isinstance(at, Curve) else at.curve
    if curve is None or not curve.weighted:
        return float(at.n_pos), float(at.n_neg)
    if isinstance(at, Point):
        seen = points.cases(at)
        return seen.n_pos, seen.n_neg
    cells = cells_of(curve)
    return cells.pos.effective_size, cells.neg.effective_size
