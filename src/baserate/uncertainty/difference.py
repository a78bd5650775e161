"""The difference of two models on the same rows: interval, p-value and permutation test."""

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
from baserate.uncertainty.contests import Contest, Verdict, methods_of, why_default
from baserate.uncertainty.estimate import ASKED_FOR, CAUTION, FELL_SHORT, IntervalSettings, check_estimable
from baserate.uncertainty.readers import is_chosen, why_no_ends
from baserate.uncertainty.sampled_methods import WHY
from baserate.uncertainty.sampled_pairs import compared
from baserate.uncertainty.samplers import check_draws


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
    """The difference of two models on the same rows, first minus second, at the prevalence of the pair.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve (of a Point, with `at`) that returns a float.
    pair : Pair
        Two models on the same rows.
    at : Rule, str or function, or a pair of these, optional
        For pointwise metrics, the rule that chooses the operating point on a curve, for each model if they differ:
        "recall >= 0.6", or a function such as ``lambda curve: curve.at_recall(0.6)``. A rule that depends on the data
        is applied again in every draw; a given threshold, such as "threshold=0.5", stays. Rules see the curve at the
        pair's prevalence; ``pair.at_prevalence`` sets another one.
    method : str, optional
        "expanded", the default from 20 rows per class: percentiles of the paired bootstrap, widened by Student's
        quantile and, for areas, by the bias that the bootstrap shows. "delong_t", the default for AUC-ROC: DeLong's
        variance with Satterthwaite's degrees of freedom. "melded", the default for fewer rows, for Brier score and for
        log loss: as for `estimate`, with the free row placed against one model and for the other. With fewer than
        five rows in a class, "expanded" is not available. Others: "percentile", the plain bootstrap; for areas
        "influence"; for AUC-ROC "delong". Calibration errors such as `ece` have no interval, nor have their
        differences.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Difference
        First minus second, with an interval and a two-sided p-value. For a cost, a negative difference means that the
        first model is better.

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
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    if pair.a.sampled:
        return _where_sampled(metric, pair, at, method, settings)
    contest = contest_of(metric, pair, at)
    available = methods_of(contest)
    name = next(iter(available)) if method is None else checks.one_of(method, list(available), "method")
    (first, second), reason = contest.read()
    verdict = available[name](contest, settings) if reason is None else Verdict.none(contest)
    low, high, p_value = (float(part[0, 0]) for part in verdict[:3])
    if reason is None and (math.isnan(low) or math.isnan(high)):
        in_closed_form = name in ("influence", "delong", "delong_t")
        reason = Reason.NO_VARIATION if in_closed_form else why_no_ends(metric)
    why = why_default(contest, name) if method is None else ASKED_FOR
    sizes = float(pair.a.n_pos), float(pair.a.n_neg)
    found = first, second, low, high, p_value
    return _difference(metric, pair, settings, found, reason, method=name, why=why, sizes=sizes)


def _where_sampled(
    metric: MetricFunction,
    pair: Pair,
    at: Chooser | tuple[Chooser, ...] | None,
    method: str | None,
    settings: IntervalSettings,
) -> Difference:
    """A difference where only some rows were sampled for labelling."""
    if method is not None:
        checks.one_of(method, ["melded"], "method")
    check_draws(settings.n_draws, settings.confidence_level)
    *found, _, reason = compared(metric, pair, at, settings)
    first, second, low, high, p_value = (float(column[0]) for column in found)
    n_labelled, n_pos = (sum(getattr(one, name) for one in pair.a.strata) for name in ("n_labelled", "n_pos"))
    sizes, why = (float(n_pos), float(n_labelled - n_pos)), WHY if method is None else ASKED_FOR
    at_one = first, second, low, high, p_value
    return _difference(metric, pair, settings, at_one, reason, method="melded", why=why, sizes=sizes)


def _difference(
    metric: MetricFunction,
    pair: Pair,
    settings: IntervalSettings,
    found: tuple[float, float, float, float, float],
    reason: Reason | None,
    *,
    method: str,
    why: str,
    sizes: tuple[float, float],
) -> Difference:
    first, second, low, high, p_value = found
    return Difference(
        metric=describe(metric),
        names=pair.names,
        first=first,
        second=second,
        value=first - second,
        low=low,
        high=high,
        p_value=p_value,
        confidence_level=settings.confidence_level,
        prevalence=pair.a.prevalence,
        method=method,
        n_pos=sizes[0],
        n_neg=sizes[1],
        reason=reason,
        caution=CAUTION if method in FELL_SHORT else None,
        why=why,
    )


def contest_of(metric: MetricFunction, pair: Pair, at: Chooser | tuple[Chooser, ...] | None) -> Contest:
    """Both models, at the operating points that the rule chooses if there is one."""
    if not isinstance(pair, Pair):
        raise InputError(
            f"pair must be a Pair, got {type(pair).__name__}; build one with br.Pair.from_scores(y_true, score_a, "
            f"score_b)."
        )
    return contest_among(metric, pair, at)


def contest_among(metric: MetricFunction, models: SameRows, at: Chooser | tuple[Chooser, ...] | None) -> Contest:
    """Models on the same rows, at the operating points that the rules choose if there are any."""
    models.curves[0]._check_not_sampled("this comparison")
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

    Models are exchangeable if swapping their two ranks of a row does not change the distribution of the data. For
    metrics of probabilities, scores are swapped instead of ranks. Each permutation swaps each row with probability one
    half. The p-value is the share of permutations, the data included, with a difference of the metric at least as large
    in absolute value. For exchangeable models it is at or below 0.05 in at most 5 % of test sets, however few rows
    there are.

    Exchangeability is more than an equal metric: models may be equally good in different ways, and then the level is
    not guaranteed. `difference` tests for an equal metric; its p-value agrees with its interval.

    Parameters
    ----------
    metric, pair, at
        As for `difference`.
    n_permutations : int
        The number of permutations.
    rng : Generator or int, optional
        The random generator, or its seed.

    Notes
    -----
    In simulations with equal average precision and different shapes (the positives of one model had 2.5 or 0.4 times
    the spread), the p-value was at or below 0.05 in 2.5 % to 5.5 % of test sets with 100 positives and 1,000 negatives.
    With 30 positives and 1,000 negatives it was in 6 % and 6.5 % (scores correlated by 0.5) or 8.5 % and 10.5 % (by
    0.9). Dividing each difference by its standard error (Chung & Romano, doi:10.1214/13-AOS1090) made the last two
    7.5 % and 10 %, at no loss of power; it is not done. The rest is due to the bias of average precision with so few
    positives: 0.025 for one of these models and 0.008 for the other.

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
            "at must be a rule that depends on ranks only, such as recall or FPR, got a threshold; use difference for "
            "given thresholds."
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
        # An undefined difference counts as large, which is conservative.
        as_large += not _difference_of(metric, swapped, at) < abs(first - second) * (1 - 1e-12)
    return (1 + as_large) / (1 + n)


def _difference_of(metric: MetricFunction, pair: Pair, at: Chooser | tuple[Chooser, Chooser] | None) -> float:
    try:
        (first, second), _ = contest_of(metric, pair, at).read()
    except NoSuchPointError:
        return math.nan
    return abs(first - second)


def _ranks(score: FloatArray) -> FloatArray:
    """Mid-ranks: the number of rows below, and half of those tied."""
    ordered = np.sort(score)
    return (np.searchsorted(ordered, score) + np.searchsorted(ordered, score, side="right")) / 2
