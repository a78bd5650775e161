"""Is it better than chance? A test that shuffles labels, exact where that can be done."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.table import CountTable
from baserate.errors import InputError
from baserate.formulas.areas import Corners
from baserate.formulas.mann_whitney import mann_whitney_tail
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import Family, bound_parameters, describe, row_of, traits_of
from baserate.results import ChanceTest
from baserate.uncertainty.picks import Picks, check_cases, chunks, every_labelling, picks

# Two values closer than this, relatively, are equal. A value that may be negative is a difference, and near zero it is
# known to the rounding of its terms only.
_ROUNDING = 1e-12
_ROUNDING_OF_TERMS = 1e-14

# The law of AUC-ROC without ties is worked out up to here, which takes a fraction of a second. Its smallest
# probability is still far from where floats end.
_FEW_PAIRS = 1_000_000
_FEW_STEPS = 20_000_000


@checks.declared
def better_than_chance(
    metric: MetricFunction,
    curve: Curve,
    *,
    n_permutations: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> ChanceTest:
    r"""Whether a metric is higher than labels shuffled at random would make it.

    .. math:: p = P(M(\text{shuffled}) \ge M(\text{seen}))

    To lie above the baseline is not a test: with few positives a random order does so, and by much, as a matter of
    course. Small p-values mean that an order without skill would hardly do as well.

    Parameters
    ----------
    metric : callable
        A metric of the whole curve such as `average_precision`, or your own function of a Curve that returns a float,
        where higher is better. Where your own function is nan for shuffled labels, these count as no worse than what
        was seen.
    curve : Curve
        The curve, read at the prevalence it says. Labels are shuffled among its rows, and the metric of shuffled
        labels is read at the same prevalence.
    n_permutations : int
        How often to shuffle, where not all labellings are gone through.
    rng : Generator or int, optional
        Where random numbers come from; the same seed gives the same result.

    Returns
    -------
    ChanceTest
        With value, chance level and p-value; nan with a reason where a class is missing.

    Notes
    -----
    Every way to hand out as many positive labels among the rows is equally likely, and rows of equal score stay tied.
    AUC-ROC without ties follows the law of Mann and Whitney's U, which is worked out exactly where that takes less than
    a second, such as for 50 positives among 8,000 rows. Other metrics, and tied scores, go through all labellings where
    there are up to 20,000 that differ at some score. Otherwise labels are shuffled :math:`n` times and

    .. math:: p = \frac{1 + \#\{\text{shuffled} \ge \text{seen}\}}{1 + n},

    which is never zero and never too small on average. Values that differ by rounding count as equal.

    References
    ----------
    Mann & Whitney, On a test of whether one of two random variables is stochastically larger than the other, Annals of
    Mathematical Statistics 1947. doi:10.1214/aoms/1177730491.
    Phipson & Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics and Molecular
    Biology 2010. doi:10.2202/1544-6115.1585.

    Examples
    --------
    Three positives in 500, found at ranks 20, 200 and 300: almost four times the prevalence, and no evidence.

    >>> import baserate as br
    >>> labels = [int(rank in (20, 200, 300)) for rank in range(1, 501)]
    >>> curve = br.Curve.from_scores(labels, range(500, 0, -1))
    >>> round(br.average_precision(curve) / curve.prevalence, 1)
    3.9
    >>> found = br.better_than_chance(br.average_precision, curve, rng=0)
    >>> found.p_value > 0.05
    True
    """
    check_cases(curve, "a test against chance")
    _check_metric(metric)
    n_permutations, rng = checks.repeats(n_permutations, "n_permutations"), checks.generator(rng)
    value, reason = evaluate(metric, curve)
    found = ChanceTest(
        metric=describe(metric),
        value=float(value),
        chance=math.nan,
        p_value=math.nan,
        method="none",
        n_pos=int(curve.n_pos),
        n_neg=int(curve.n_neg),
        prevalence=curve.prevalence,
        reason=curve.missing_class or reason,
    )
    if found.reason is not None:
        return found
    if _follows_mann_whitney(metric, curve):
        n_reached = round(found.value * found.n_pos * found.n_neg)
        p_value = mann_whitney_tail(found.n_pos, found.n_neg, n_reached)
        return replace(found, chance=0.5, p_value=p_value, method="exact")
    every = every_labelling(_totals(curve), found.n_pos)
    if every is not None:
        return _by_enumeration(found, metric, curve, *every)
    return _by_permutation(found, metric, curve, n_permutations, rng)


def _check_metric(metric: MetricFunction) -> None:
    row = row_of(metric)
    if row is not None and not (row.family is Family.AREA and row.higher_is_better):
        raise InputError(
            f"a test against chance needs a metric of the whole curve where higher is better, got {row.name}; use one "
            f"such as br.average_precision, or your own function such as lambda curve: br.f1(curve.at_threshold(0.5))."
        )


def _totals(curve: Curve) -> Indices:
    """Cases at each score, whatever their label."""
    return np.asarray(curve.pos + curve.neg, np.intp)


# --- AUC-ROC without ties -------------------------------------------------------------------------


def _follows_mann_whitney(metric: MetricFunction, curve: Curve) -> bool:
    n_pairs = curve.n_pos * curve.n_neg
    few = n_pairs <= _FEW_PAIRS and n_pairs * min(curve.n_pos, curve.n_neg) <= _FEW_STEPS
    untied = len(curve) == curve.n_pos + curve.n_neg
    return traits_of(metric).share_of_pairs and not bound_parameters(metric) and few and untied


# --- the metric of shuffled labels ----------------------------------------------------------------


def _by_enumeration(
    found: ChanceTest, metric: MetricFunction, curve: Curve, every: Picks, probability: FloatArray
) -> ChanceTest:
    slices = chunks(*every.place.shape)
    parts = (Picks(every.place[part], every.cases[part]) for part in slices)
    shuffled = _values_of(metric, curve, progress(parts, len(slices), "Going through all labellings"))
    reached = _reaches(metric, shuffled, found.value)
    # Probabilities add up to 1 only up to rounding.
    p_value = min(float(probability[reached].sum()), 1.0)
    return replace(found, chance=_mean(shuffled, probability), p_value=p_value, method="enumerated")


def _by_permutation(
    found: ChanceTest, metric: MetricFunction, curve: Curve, n_permutations: int, rng: np.random.Generator
) -> ChanceTest:
    totals = _totals(curve)
    n_chunks = len(chunks(n_permutations, min(len(totals), found.n_pos)))
    drawn = progress(picks(totals, found.n_pos, n_permutations, rng), n_chunks, "Shuffling labels")
    shuffled = _values_of(metric, curve, drawn)
    n_reached = int(np.count_nonzero(_reaches(metric, shuffled, found.value)))
    return replace(
        found,
        chance=_mean(shuffled, np.ones(n_permutations)),
        p_value=(1 + n_reached) / (1 + n_permutations),
        method=f"permutation of {n_permutations:,}",
    )


def _values_of(metric: MetricFunction, curve: Curve, labellings: Iterator[Picks]) -> FloatArray:
    """The metric of the curve with positives where they were picked, at the prevalence it is read at."""
    row = row_of(metric)
    if row is None or row.over_odds is None:
        return np.concatenate([_one_by_one(metric, curve, positives) for positives in labellings])
    totals, x = _totals(curve), np.array([curve.odds_against])
    above = np.cumsum(totals)
    found = []
    for place, cases in labellings:
        tp = np.cumsum(cases, axis=1)
        neg = np.where(cases > 0, totals[place] - cases, 0)
        steps = Steps(tp, above[place] - tp, cases, neg, curve.n_pos, curve.n_neg)
        # The data are read as they are, in steps at each score.
        shuffled = Corners(steps, None, curve.n_pos, curve.n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(row.over_odds(shuffled, x, **bound_parameters(metric))[:, 0])
    return np.concatenate(found)


def _one_by_one(metric: MetricFunction, curve: Curve, positives: Picks) -> FloatArray:
    totals = _totals(curve)
    found = []
    for i in range(len(positives.place)):
        pos = positives.by_score(i, len(totals))
        relabelled = replace(curve, table=CountTable(Counted(curve.score, pos, totals - pos)))
        found.append(float(evaluate(metric, relabelled)[0]))
    return np.array(found)


def _reaches(metric: MetricFunction, shuffled: FloatArray, value: float) -> BoolArray:
    """Where shuffled labels do no worse, up to rounding, or where it cannot be said."""
    row = row_of(metric)
    rounding = _ROUNDING * abs(value) if math.isfinite(value) else 0.0
    if row is None or row.lowest < 0:
        rounding = max(rounding, _ROUNDING_OF_TERMS)
    return np.isnan(shuffled) | (shuffled >= value - rounding)


def _mean(shuffled: FloatArray, weight: FloatArray) -> float:
    """The mean of what is defined."""
    defined = ~np.isnan(shuffled)
    with np.errstate(invalid="ignore"):  # two infinities
        return float(np.average(shuffled[defined], weights=weight[defined])) if defined.any() else math.nan
