"""Deployment: the worst value over a range of prevalences, and a threshold chosen on some data, evaluated on others."""

from dataclasses import replace
from typing import Literal

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import Prevalence
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import AlertRate, Rule
from baserate.errors import InputError, MissingInformationError
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.over_prevalence import MetricFunction, sweep
from baserate.metrics.predictive import alert_rate, precision
from baserate.metrics.rates import recall, specificity
from baserate.registry import lower_is_better, traits_of
from baserate.results import Deployment, Estimate
from baserate.uncertainty.estimate import IntervalSettings, check_estimable, estimate, estimates
from baserate.uncertainty.methods import Estimand
from baserate.uncertainty.prevalence import Span
from baserate.written import one_in

# Prevalences at which the metric is computed; intervals are computed at fewer.
_FINE = 257
_COARSER = 4  # every so many of the places of a span, with both ends


@checks.declared
def worst_case(
    metric: MetricFunction,
    at: Curve | Point,
    low: Prevalence,
    high: Prevalence,
    *,
    worst: Literal["lowest", "highest"] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Estimate:
    """The worst value of a metric over a range of prevalences, with an interval.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    at : Curve or Point
        The curve or operating point. Its prevalence matters only if the threshold was chosen at it.
    low, high : float or str
        The ends of the range.
    worst : {"lowest", "highest"}, optional
        Which value is the worst; by default the lowest, and for costs the highest.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Estimate
        Its `prevalence` is that of the worst value.

    Notes
    -----
    Precision, F-beta, average precision and similar metrics rise with the prevalence for every classifier, so it is
    known in advance at which end they are worst, and the interval is the one there. For metrics such as
    `expected_cost` this end depends on the data. For these, the limit on the bad side is the worst limit over the whole
    range, and the limit on the good side is the one at the worst value, at half the error probability because there are
    two places to choose from.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> print(br.worst_case(br.precision, point, 0.001, 0.01))
    precision 0.3752 [0.3133, 0.4377] (95 %, melded, prevalence 1 in 1,000, the worst of 1 in 1,000 to \
1 in 100, 100 pos, 100,000 neg)
    """
    check_estimable(metric, at)
    span = Span(*checks.prevalence_range(low, high))
    if worst is None:
        worst = "highest" if lower_is_better(metric) else "lowest"
    sign = 1.0 if checks.one_of(worst, ("lowest", "highest"), "worst") == "lowest" else -1.0
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    where = _where_worst(metric, at, span, sign)
    one_way = traits_of(metric).one_way  # then it is known in advance at which end it is worst
    places = np.array([where]) if one_way else np.unique(np.append(span.places()[::_COARSER], where))
    estimand = Estimand(metric, at, (1 - places) / places)
    (estimated,) = estimates([estimand], settings)
    base = estimated[int(np.searchsorted(places, where))]
    if not one_way:
        stricter = settings._replace(confidence_level=(1 + settings.confidence_level) / 2)
        ((base,),) = estimates([estimand._replace(x=estimand.x[places == where])], stricter)
    ends = [base.low, base.high]
    if sign > 0:
        ends[0] = float(np.min([one.low for one in estimated]))  # nan where one of them is
    else:
        ends[1] = float(np.max([one.high for one in estimated]))
    return replace(
        base,
        low=ends[0],
        high=ends[1],
        confidence_level=settings.confidence_level,
        prevalence=where,
        uncertain_prevalence=f"{one_in(where)}, the worst of {span}",
        reason=base.reason or next((one.reason for one in estimated if one.reason), None),
    )


def _where_worst(metric: MetricFunction, at: Curve | Point, span: Span, sign: float) -> float:
    """The prevalence of the worst value; the lower end if the metric is undefined."""
    first, last = (float(scipy.special.logit(end)) for end in (span.low, span.high))
    inner = scipy.special.expit(np.linspace(first, last, _FINE)[1:-1])
    places = np.concatenate([[span.low], inner, [span.high]])  # the ends without rounding
    values = sign * sweep(metric, at, places).value
    return float(places[0 if np.isnan(values).all() else np.nanargmin(values)])


@checks.declared
def deploy(
    choose: Curve,
    judge: Curve,
    *,
    at: Chooser | None = None,
    alerts_per_day: float | None = None,
    prevalence: Prevalence | None = None,
    traffic: float | None = None,
    confidence_level: float = 0.95,
) -> Deployment:
    """Choose a threshold on some data, and estimate its performance on others.

    A threshold that is evaluated on the rows it was chosen on looks too good. Here it is chosen on `choose`, and is a
    given threshold for `judge`, so that intervals need no correction.

    Parameters
    ----------
    choose, judge : Curve
        The data to choose on, and other data of the same model to evaluate it on.
    at : Rule, str or function
        The target: "recall=0.6", "fpr=0.001", "precision=0.9", "alert_rate=0.01", "threshold=0.5",
        "best=expected_cost:cost_fp=1:cost_fn=30", or a function such as ``lambda curve: curve.at_recall(0.6)``.
    alerts_per_day : float, optional
        The target as a number of alerts that can be handled, instead of `at`; needs `traffic`.
    prevalence : float or str, optional
        The prevalence in use; by default that of `judge`.
    traffic : float, optional
        Cases per day.
    confidence_level : float
        The nominal coverage of each interval.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> early = data["month"] <= "2026-03"
    >>> before, after = (
    ...     br.Curve.from_scores(data["fraud"][rows], data["new_model"][rows]) for rows in (early, ~early)
    ... )
    >>> plan = br.deploy(before, after, alerts_per_day=50, prevalence=0.001, traffic=20_000)
    >>> plan.chosen, plan.alerts_per_day[1] < 50 < plan.alerts_per_day[2]
    ('alert_rate <= 0.0025 at prevalence 1 in 1,000', True)
    """
    if prevalence is None and judge.not_labelled is not None:
        raise MissingInformationError(
            f"deploy needs the prevalence in use, got none, and that of judge is unknown: "
            f"{judge.not_labelled.sentence}; pass prevalence=."
        )
    eta = checks.prevalence(judge.prevalence if prevalence is None else prevalence)
    per_day = None if traffic is None else checks.positive_number(traffic, "traffic")
    choosing, judging = choose.at_prevalence(eta), judge.at_prevalence(eta)
    if choosing == judging:
        raise InputError(
            "judge must have other rows than choose, got the same counts twice; split the rows, and choose on one part."
        )
    chosen = _target(at, alerts_per_day, per_day).on(choosing)
    if chosen.threshold is None:
        raise MissingInformationError(
            "choose must be a curve with scores, got one made from rates; build it with from_scores."
        )
    estimated = judge.sampled and prevalence is None  # then the prevalence has an error, too
    point = (judge if estimated else judging).at_threshold(chosen.threshold)

    def judged(metric: MetricFunction) -> Estimate:
        return estimate(metric, point, confidence_level=confidence_level, rng=0)

    kept = judged(specificity)
    return Deployment(
        threshold=chosen.threshold,
        chosen=str(chosen.chosen_by),
        prevalence=eta,
        precision=judged(precision),
        recall=judged(recall),
        fpr=replace(kept, metric="fpr", value=point.fpr, low=1 - kept.high, high=1 - kept.low),
        alert_rate=judged(alert_rate),
        traffic=per_day,
    )


def _target(at: Chooser | None, alerts_per_day: float | None, traffic: float | None) -> Rule:
    """The rule that chooses the threshold."""
    if (at is None) == (alerts_per_day is None):
        raise InputError(
            "deploy needs one target, at= or alerts_per_day=, got "
            f"{'none' if at is None else 'both'}; pass for example at='recall=0.6'."
        )
    if at is not None:
        return rule_from(at)
    if traffic is None:
        raise InputError("alerts_per_day needs the number of cases per day, got none; pass traffic=10_000 for example.")
    budget = checks.positive_number(alerts_per_day, "alerts_per_day") / traffic
    return AlertRate(min(budget, 1.0))
