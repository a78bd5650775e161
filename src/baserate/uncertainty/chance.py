"""Is a metric better than chance? A permutation test of the labels, exact where that is feasible."""

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

# Values within this relative difference are equal. A metric that may be negative is a difference of terms, and near
# zero it has their rounding error.
_ROUNDING = 1e-12
_ROUNDING_OF_TERMS = 1e-14

# The exact distribution of AUC-ROC without ties is computed up to here, in a fraction of a second. Its smallest
# probability is far above the smallest float.
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
    r"""A permutation test: is a metric higher than with labels shuffled at random?

    .. math:: p = P(M(\text{shuffled}) \ge M(\text{seen}))

    A value above the baseline is no evidence by itself: with few positives a random order often lies far above it. A
    small p-value means that a random order would rarely do as well.

    Parameters
    ----------
    metric : callable
        A metric of the whole curve such as `average_precision`, or your own function of a Curve that returns a float,
        where higher is better. A permutation for which your own function is nan counts as no worse than the data.
    curve : Curve
        The curve, at its prevalence. Labels are shuffled among its rows, and shuffled labels are read at the same
        prevalence.
    n_permutations : int
        The number of permutations, if not all labellings are enumerated.
    rng : Generator or int, optional
        The random generator, or its seed; the same seed gives the same result.

    Returns
    -------
    ChanceTest
        With value, chance level and p-value; nan with a reason if a class is missing.

    Notes
    -----
    Under the null hypothesis every assignment of the positive labels to the rows is equally likely; ties stay ties.
    AUC-ROC without ties follows the distribution of Mann and Whitney's U, which is computed exactly where that takes
    less than a second, such as for 50 positives among 8,000 rows. For other metrics, and tied scores, all labellings
    are enumerated if at most 20,000 of them are distinct. Otherwise labels are shuffled :math:`n` times and

    .. math:: p = \frac{1 + \#\{\text{shuffled} \ge \text{seen}\}}{1 + n},

    which is never zero, and valid for any :math:`n`. Values that differ by rounding count as equal.

    References
    ----------
    Mann & Whitney, On a test of whether one of two random variables is stochastically larger than the other, Annals of
    Mathematical Statistics 1947. doi:10.1214/aoms/1177730491.
    Phipson & Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics and Molecular
    Biology 2010. doi:10.2202/1544-6115.1585.

    Examples
    --------
    Three positives in 500, at ranks 20, 200 and 300: average precision is almost four times the prevalence, and that is
    no evidence.

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
    test = ChanceTest(
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
    if test.reason is not None:
        return test
    if _follows_mann_whitney(metric, curve):
        n_reached = round(test.value * test.n_pos * test.n_neg)
        p_value = mann_whitney_tail(test.n_pos, test.n_neg, n_reached)
        return replace(test, chance=0.5, p_value=p_value, method="exact")
    every = every_labelling(_totals(curve), test.n_pos)
    if every is not None:
        return _by_enumeration(test, metric, curve, *every)
    return _by_permutation(test, metric, curve, n_permutations, rng)


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
    test: ChanceTest, metric: MetricFunction, curve: Curve, every: Picks, probability: FloatArray
) -> ChanceTest:
    slices = chunks(*every.place.shape)
    parts = (Picks(every.place[part], every.cases[part]) for part in slices)
    shuffled = _values_of(metric, curve, progress(parts, len(slices), "Going through all labellings"))
    reached = _reaches(metric, shuffled, test.value)
    # Probabilities add up to 1 only up to rounding.
    p_value = min(float(probability[reached].sum()), 1.0)
    return replace(test, chance=_mean(shuffled, probability), p_value=p_value, method="enumerated")


def _by_permutation(
    test: ChanceTest, metric: MetricFunction, curve: Curve, n_permutations: int, rng: np.random.Generator
) -> ChanceTest:
    totals = _totals(curve)
    n_chunks = len(chunks(n_permutations, min(len(totals), test.n_pos)))
    drawn = progress(picks(totals, test.n_pos, n_permutations, rng), n_chunks, "Shuffling labels")
    shuffled = _values_of(metric, curve, drawn)
    n_reached = int(np.count_nonzero(_reaches(metric, shuffled, test.value)))
    return replace(
        test,
        chance=_mean(shuffled, np.ones(n_permutations)),
        p_value=(1 + n_reached) / (1 + n_permutations),
        method=f"permutation of {n_permutations:,}",
    )


def _values_of(metric: MetricFunction, curve: Curve, labellings: Iterator[Picks]) -> FloatArray:
    """The metric of the curve with its positives at the picked rows, at the curve's prevalence."""
    row = row_of(metric)
    if row is None or row.over_odds is None:
        return np.concatenate([_one_by_one(metric, curve, positives) for positives in labellings])
    totals, x = _totals(curve), np.array([curve.odds_against])
    above = np.cumsum(totals)
    values = []
    for place, cases in labellings:
        tp = np.cumsum(cases, axis=1)
        neg = np.where(cases > 0, totals[place] - cases, 0)
        steps = Steps(tp, above[place] - tp, cases, neg, curve.n_pos, curve.n_neg)
        # Ties are read as in the data, as one step.
        shuffled = Corners(steps, None, curve.n_pos, curve.n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            values.append(row.over_odds(shuffled, x, **bound_parameters(metric))[:, 0])
    return np.concatenate(values)


def _one_by_one(metric: MetricFunction, curve: Curve, positives: Picks) -> FloatArray:
    totals = _totals(curve)
    values = []
    for i in range(len(positives.place)):
        pos = positives.by_score(i, len(totals))
        relabelled = replace(curve, table=CountTable(Counted(curve.score, pos, totals - pos)))
        values.append(float(evaluate(metric, relabelled)[0]))
    return np.array(values)


def _reaches(metric: MetricFunction, shuffled: FloatArray, value: float) -> BoolArray:
    """Which shuffled labels do no worse, up to rounding, or have no value."""
    row = row_of(metric)
    rounding = _ROUNDING * abs(value) if math.isfinite(value) else 0.0
    if row is None or row.lowest < 0:
        rounding = max(rounding, _ROUNDING_OF_TERMS)
    return np.isnan(shuffled) | (shuffled >= value - rounding)


def _mean(shuffled: FloatArray, weight: FloatArray) -> float:
    """The mean of the defined values."""
    defined = ~np.isnan(shuffled)
    with np.errstate(invalid="ignore"):  # two infinities
        return float(np.average(shuffled[defined], weights=weight[defined])) if defined.any() else math.nan
