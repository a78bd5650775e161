"""Undersampling to another prevalence: what it does to a metric, beside its closed form."""

from collections.abc import Iterator

import numpy as np

from baserate import checks
from baserate.arrays import Indices
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.progress import progress
from baserate.registry import Family, describe, row_of
from baserate.results import Undersampled
from baserate.uncertainty.picks import check_cases, picks
from baserate.written import one_in


@checks.declared
def undersampled(
    metric: MetricFunction,
    curve: Curve,
    prevalence: float | str,
    *,
    n_samples: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> Undersampled:
    r"""A metric on test sets that were undersampled at random to another prevalence.

    .. math:: N' = \frac{1 - \eta}{\eta} P \quad \text{or} \quad P' = \frac{\eta}{1 - \eta} N

    Test sets are often brought to another prevalence in this way. It estimates what ``curve.at_prevalence`` gives in
    closed form, but with noise and, for metrics that are not linear in the rates, with bias. It is here for comparison:
    the closed form uses all cases and no random numbers.

    Parameters
    ----------
    metric : callable
        A metric of the whole curve, or your own function of a Curve that returns a float, such as
        ``lambda curve: br.f1(curve.at_threshold(0.5))``.
    curve : Curve
        The curve of all cases; its prevalence does not matter.
    prevalence : float or str
        The prevalence of the test sets. Above that of the data negatives are removed, below it positives; the other
        class is kept. Numbers of cases are rounded to integers.
    n_samples : int
        The number of test sets.
    rng : Generator or int, optional
        The random generator, or its seed; the same seed gives the same result.

    Returns
    -------
    Undersampled
        With the closed form, the values on the test sets, and their mean, standard deviation and bias.

    References
    ----------
    Jeni, Cohn & De la Torre, Facing imbalanced data: recommendations for the use of performance metrics, ACII 2013.
    doi:10.1109/ACII.2013.47.
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020, figure 6.
    doi:10.1007/978-3-030-50423-6_6.
    Siblini et al., Master Your Metrics with Calibration, IDA 2020. doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    >>> found = br.papers.undersampled(br.average_precision, curve, 0.5, rng=0)
    >>> found.n_pos, found.n_neg
    (100, 100)
    >>> round(found.value, 3) == round(br.average_precision(curve.at_prevalence(0.5)), 3)
    True
    >>> found.spread > 0
    True
    """
    check_cases(curve, "undersampling")
    _check_metric(metric)
    wanted = checks.prevalence(prevalence)
    n_samples, rng = checks.repeats(n_samples, "n_samples"), checks.generator(rng)
    n_pos, n_neg = _sizes(curve, wanted)
    test_sets = progress(_test_sets(curve, n_pos, n_neg, n_samples, rng), n_samples, "Drawing test sets")
    value, reason = evaluate(metric, curve.at_prevalence(wanted))
    drawn = [evaluate(metric, test_set) for test_set in test_sets]
    return Undersampled(
        metric=describe(metric),
        prevalence=wanted,
        value=float(value),
        samples=np.array([sample for sample, _ in drawn], np.float64),
        n_pos=n_pos,
        n_neg=n_neg,
        reason=next((why for why in (reason, *(why for _, why in drawn)) if why), None),
    )


def _check_metric(metric: MetricFunction) -> None:
    row = row_of(metric)
    if row is not None and row.family is Family.POINTWISE:
        raise InputError(
            f"undersampling needs a metric of the whole curve, got {row.name}; pass a function that chooses a point, "
            f"for example lambda curve: br.{row.name}(curve.at_threshold(0.5))."
        )


def _sizes(curve: Curve, prevalence: float) -> tuple[int, int]:
    """The number of cases of each class to keep."""
    n_pos, n_neg = int(curve.n_pos), int(curve.n_neg)
    odds_against = (1 - prevalence) / prevalence
    if n_pos * odds_against < n_neg:
        kept = n_pos, round(n_pos * odds_against)
    else:
        kept = round(n_neg / odds_against), n_neg
    if 0 in kept:
        raise InputError(
            f"a test set needs positives and negatives, got {kept[0]:,} and {kept[1]:,} at prevalence "
            f"{one_in(prevalence)} out of {n_pos:,} and {n_neg:,}; use curve.at_prevalence, which throws nothing away."
        )
    return kept


def _test_sets(curve: Curve, n_pos: int, n_neg: int, n_samples: int, rng: np.random.Generator) -> Iterator[Curve]:
    """Curves with the given numbers of positives and negatives, each at its own prevalence."""
    removes_negatives = n_pos == curve.n_pos
    counts, n_kept = (curve.neg, n_neg) if removes_negatives else (curve.pos, n_pos)
    for left in _thinned(np.asarray(counts, np.intp), n_kept, n_samples, rng):
        pos, neg = (curve.pos, left) if removes_negatives else (left, curve.neg)
        yield Curve.from_counts(curve.score, pos, neg)


def _thinned(counts: Indices, n_kept: int, n_samples: int, rng: np.random.Generator) -> Iterator[Indices]:
    """Counts by score of `n_kept` cases kept at random."""
    used = np.flatnonzero(counts)
    for some in picks(counts[used], n_kept, n_samples, rng):
        for i in range(len(some.place)):
            left = np.zeros_like(counts)
            left[used] = some.by_score(i, len(used))
            yield left
