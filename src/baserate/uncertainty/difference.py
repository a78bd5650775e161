"""Two models on the same rows: how much better is one, and is it better at all?"""

import math

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import Pair, SameRows
from baserate.curves.point import Point
from baserate.errors import InputError, NoSuchPointError, Reason
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import Family, describe, row_of
from baserate.results import Difference
from baserate.uncertainty.contests import Contest, Verdict, methods_of
from baserate.uncertainty.estimate import CAUTION, FELL_SHORT, Asked, check_estimable
from baserate.uncertainty.levels import is_chosen
from baserate.uncertainty.readers import why_no_ends


@checks.declared
def difference(
    metric: MetricFunction,
    pair: Pair,
    *,
    at: Chooser | tuple[Chooser, Chooser] | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Difference:
    """How much better the first model is than the second, at the prevalence the pair is read at.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    pair : Pair
        Two models on the same rows.
    at : Rule, str or function, or a pair of these, optional
        For pointwise metrics, the rule that chooses the operating point on a curve, for each model if they differ:
        "recall >= 0.6", or a function such as ``lambda curve: curve.at_recall(0.6)``. A threshold chosen on the data is
        chosen again in every draw, one that was given, by "threshold=0.5", is not. The curve comes as the pair is read;
        to read it elsewhere, use ``pair.at_prevalence``.
    method : str, optional
        "expanded", the default from 20 rows of each class up: percentiles of the paired bootstrap, as far out as
        Student's law has them. For AUC-ROC "delong_t", DeLong's variance with Satterthwaite's degrees of freedom.
        Others: "melded", as for `estimate`, with what is free where it harms one model and helps the other most, which
        is the default for fewer rows (below five there is no "expanded"), of Brier score and of log loss; "percentile",
        the bootstrap as it is; for areas "influence"; for AUC-ROC "delong". Calibration errors such as `ece` have no
        interval, and neither have their differences.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Difference
        First less second, with an interval and a two-sided p-value. For a cost, a negative difference is a lead.

    References
    ----------
    Hesterberg, What teachers should know about the bootstrap, The American Statistician 2015.
    doi:10.1080/00031305.2015.1089789.
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under two or more correlated ROC curves, Biometrics 1988.
    doi:10.2307/2531595.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))
    >>> found = br.difference(br.average_precision, pair.at_prevalence(0.001), rng=0)
    >>> found.high < 0  # the new one is better there
    True
    >>> found = br.difference(br.precision, pair, at="recall >= 0.5", rng=0)
    >>> round(found.first, 2), round(found.second, 2)
    (0.55, 0.96)
    """
    asked = Asked.of(confidence_level, n_resamples, rng)
    contest = contest_of(metric, pair, at)
    available = methods_of(contest)
    name = next(iter(available)) if method is None else checks.one_of(method, list(available), "method")
    (first, second), reason = contest.read()
    verdict = available[name](contest, asked) if reason is None else Verdict.none(contest)
    low, high, p_value = (float(part[0, 0]) for part in verdict[:3])
    if reason is None and (math.isnan(low) or math.isnan(high)):
        in_closed_form = name in ("influence", "delong", "delong_t")
        reason = Reason.NO_VARIATION if in_closed_form else why_no_ends(metric)
    return Difference(
        metric=describe(metric),
        names=pair.names,
        first=first,
        second=second,
        value=first - second,
        low=low,
        high=high,
        p_value=p_value,
        confidence_level=asked.confidence_level,
        prevalence=pair.a.prevalence,
        method=name,
        n_pos=float(pair.a.n_pos),
        n_neg=float(pair.a.n_neg),
        reason=reason,
        caution=CAUTION if name in FELL_SHORT else None,
    )


def contest_of(metric: MetricFunction, pair: Pair, at: Chooser | tuple[Chooser, ...] | None) -> Contest:
    """Both models, at the operating points that the rule chooses if there is one."""
    if not isinstance(pair, Pair):
        raise InputError(
            f"two models are compared as a Pair, got {type(pair).__name__}; build one with Pair.from_scores."
        )
    return contest_among(metric, pair, at)


def contest_among(metric: MetricFunction, models: SameRows, at: Chooser | tuple[Chooser, ...] | None) -> Contest:
    """Models on the same rows, at the operating points that the rules choose if there are any."""
    curves, places = models.curves, tuple[Curve | Point, ...](models.curves)
    if at is not None and not curves[0].missing_class:
        rules = at if isinstance(at, tuple) else (at,) * len(curves)
        if len(rules) != len(curves):
            many = "a pair of them" if len(curves) == 2 else f"{len(curves)} of them"
            raise InputError(f"at must be one rule or {many}, got {len(rules)}; pass one for each model.")
        places = tuple(rule_from(rule).on(curve) for rule, curve in zip(rules, curves, strict=True))
    if at is None or not curves[0].missing_class:
        for place in places:
            check_estimable(metric, place)
    return Contest(metric, models, places, np.array([curves[0].odds_against]))


@checks.declared
def swap_test(
    metric: MetricFunction,
    pair: Pair,
    *,
    at: Chooser | tuple[Chooser, Chooser] | None = None,
    n_permutations: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> float:
    """The p-value of a permutation test that two models are exchangeable.

    They are if it is all the same which of them has given a row which of its two ranks; where scores are read as
    probabilities, which of its two scores. Each permutation swaps those of a random half of the rows; the p-value is
    the share of permutations, the data among them, with as large a difference of the metric in either direction. For
    exchangeable models it is at or below 0.05 in at most 5 % of test sets, however few rows there are.

    This is more than an equal metric: models may be equally good in different ways, and then nothing is promised. Of an
    equal metric `difference` has a p-value, which agrees with an interval.

    Parameters
    ----------
    metric, pair, at
        As for `difference`.
    n_permutations : int
        How many to draw.
    rng : Generator or int, optional
        Where random numbers come from.

    Notes
    -----
    Where average precision is equal and only the shapes differ (positives of one model spread 2.5 or 0.4 times as
    widely), it was at or below 0.05 in 2.5 % to 5.5 % of test sets with 100 positives and 1,000 negatives, and with 30
    and 1,000 in 6 % and 6.5 % (scores correlated by 0.5) or 8.5 % and 10.5 % (0.9). To divide each difference by its
    standard error (Chung & Romano, doi:10.1214/13-AOS1090) made 7.5 % and 10 % of the last two; it took no power, and
    is not done. `difference` had 10 % there as well: what is left is not due to swapping, but to average precision,
    which is too high on so few positives, by 0.025 for one of these models and by 0.008 for the other.

    References
    ----------
    Venkatraman & Begg, A distribution-free procedure for comparing receiver operating characteristic curves from a
    paired experiment, Biometrika 1996. doi:10.1093/biomet/83.4.835.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"])
    >>> br.swap_test(br.roc_auc, pair, n_permutations=99, rng=0)
    0.01
    """
    n, generator = checks.repeats(n_permutations, "n_permutations"), checks.generator(rng)
    contest = contest_of(metric, pair, at)
    if any(isinstance(model, Point) and not is_chosen(model) for model in contest.places):
        raise InputError(
            "at must choose by recall, FPR or another rule that ranks can follow here, got a threshold; use difference "
            "for thresholds that were given."
        )
    (first, second), reason = contest.read()
    if reason is not None:
        return math.nan
    row = row_of(metric)
    as_probabilities = row is not None and row.family is Family.PROBABILITY
    ranks = [score if as_probabilities else _ranks(score) for score in pair.scores]
    as_large = 0
    for _ in progress(range(n), n, "Swapping"):
        swap = generator.random(len(pair.positive)) < 0.5
        swapped = Pair.from_scores(
            pair.positive, np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        ).at_prevalence(pair.a.prevalence)
        # What is undefined once it is swapped speaks against a difference.
        as_large += not _difference_of(metric, swapped, at) < abs(first - second) * (1 - 1e-12)
    return (1 + as_large) / (1 + n)


def _difference_of(metric: MetricFunction, pair: Pair, at: Chooser | tuple[Chooser, Chooser] | None) -> float:
    try:
        (first, second), _ = contest_of(metric, pair, at).read()
    except NoSuchPointError:
        return math.nan
    return abs(first - second)


def _ranks(score: FloatArray) -> FloatArray:
    """How many rows lie below, half of those tied included: on the same scale for every model."""
    ordered = np.sort(score)
    return (np.searchsorted(ordered, score) + np.searchsorted(ordered, score, side="right")) / 2
