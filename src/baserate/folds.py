"""Averages over folds or tasks: the mean of a metric, and the PR curve whose area is the mean."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalence
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.errors import InputError, Reason, shown
from baserate.formulas.areas import segment_area
from baserate.formulas.steps import Segments, Steps, per_rise
from baserate.metrics.definition import evaluate
from baserate.metrics.one_class import has_convention, value_of_one_class
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import UNDEFINED, Metric, bound_parameters, describe, normalized, row_of, takes
from baserate.results import FoldMean, SummaryPRCurve

FoldCurves = Mapping[Any, Curve] | Sequence[Curve]

_CONVENTIONS = ("leave out", "boyd")


@checks.declared
def mean_over_folds(
    metric: MetricFunction,
    curves: FoldCurves,
    *,
    prevalence: Prevalence | None = None,
    undefined: str = "leave out",
) -> FoldMean:
    """The mean of a metric over folds or tasks.

    AUC-PR and average precision have a floor that rises with the prevalence. If folds or tasks differ in prevalence,
    their mean favours models that do well where the floor is high. The mean of `normalized_auc_pr`, which is measured
    from the floor, is given as well. Or read all of them at one prevalence.

    Parameters
    ----------
    metric : callable
        A metric of whole curves.
    curves : mapping or sequence of Curve
        The folds or tasks.
    prevalence : float or str, optional
        The prevalence of all folds; by default each fold has its own.
    undefined : {"leave out", "boyd"}
        What to do if a class is missing: leave the fold out, or count 0 without positives and 1 without negatives,
        which is for areas under the PR curve only. The result has the number of such folds.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.

    Examples
    --------
    >>> import baserate as br
    >>> tasks = {
    ...     "common": br.Curve.from_counts([0.2, 0.9], pos=[100, 400], neg=[450, 50]),
    ...     "rare": br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]),
    ...     "empty": br.Curve.from_counts([0.2, 0.9], pos=[0, 0], neg=[900, 50]),
    ... }
    >>> found = br.folds.mean_over_folds(br.auc_pr, tasks)
    >>> round(found.value, 4), round(found.normalized, 4), found.n_undefined
    (0.6091, 0.5656, 1)
    >>> found.reasons
    {'empty': <Reason.NO_POSITIVES: 'no_positives'>}
    """
    folds = _read_at(_by_key(curves), prevalence)
    checks.one_of(undefined, _CONVENTIONS, "undefined")
    row = row_of(metric)
    if undefined == "boyd" and not has_convention(row):
        raise InputError(
            f"undefined='boyd' needs an area under the PR curve, got {describe(metric)}; pass undefined='leave out'."
        )
    each, reasons = _values(metric, folds, undefined)
    counted = [value for value in each.values() if not math.isnan(value)]
    beside = _beside(metric, row)
    floors = None if beside is None else _values(beside, folds, undefined)[0]
    where = [fold.prevalence for fold in folds.values() if not fold.missing_class]
    prevalences = (min(where), max(where)) if where else (math.nan, math.nan)
    return FoldMean(
        metric=describe(metric),
        value=_mean(counted),
        spread=float(np.std(counted, ddof=1)) if len(counted) > 1 else math.nan,
        normalized=None if floors is None else _mean([value for value in floors.values() if not math.isnan(value)]),
        each=each,
        reasons=reasons,
        convention=undefined,
        n_counted=len(counted),
        prevalences=prevalences,
        caution=_caution(row, prevalences),
    )


def _by_key(curves: FoldCurves) -> dict[Any, Curve]:
    """Folds by key; those of a sequence by index."""
    folds = dict(curves) if isinstance(curves, Mapping) else dict(enumerate(curves))
    if not folds:
        raise InputError("curves must hold at least one Curve, got none; pass the folds.")
    return folds


def _read_at(folds: dict[Any, Curve], prevalence: Prevalence | None) -> dict[Any, Curve]:
    return folds if prevalence is None else {key: fold.at_prevalence(prevalence) for key, fold in folds.items()}


def _values(
    metric: MetricFunction, folds: Mapping[Any, Curve], undefined: str
) -> tuple[dict[Any, float], dict[Any, Reason]]:
    """The value of each fold, and the reasons of those that are undefined."""
    each: dict[Any, float] = {}
    reasons: dict[Any, Reason] = {}
    for key, fold in folds.items():
        value, reason = evaluate(metric, fold)
        if np.ndim(value):
            raise InputError(
                f"mean_over_folds needs a metric of the whole curve, got {describe(metric)}, a metric at a threshold; "
                f"pass an area, or a function such as lambda curve: br.f1(curve.at_recall(0.6))."
            )
        each[key] = float(value)
        if reason is not None:
            reasons[key] = reason
            row = row_of(metric)
            convention = {**bound_parameters(metric), UNDEFINED: undefined}
            each[key] = math.nan if row is None else value_of_one_class(row, reason, convention)
    return each, reasons


def _beside(metric: MetricFunction, row: Metric | None) -> MetricFunction | None:
    """The version of this metric normalized by its minimum, or None if it has none."""
    twin, parameters = None if row is None else normalized(row), bound_parameters(metric)
    if twin is None or not takes(twin.compute, parameters):
        return None  # for example, the floor of average precision is known for the whole range of recalls only
    return cast(MetricFunction, partial(twin.function, **parameters))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _caution(row: Metric | None, prevalences: tuple[float, float]) -> str | None:
    low, high = prevalences
    if row is None or normalized(row) is None or not low < high:
        return None
    return "folds differ in prevalence, and so in their lowest value; use the normalized mean, or pass one prevalence"


# --- the curve of the mean ------------------------------------------------------------------------


class _Piecewise(NamedTuple):
    """FPR as a piecewise linear function of recall."""

    end: FloatArray  # the recall at which each piece ends
    start: FloatArray  # and begins
    fpr: FloatArray  # the FPR at its beginning
    slope: FloatArray


@checks.declared
def summary_pr_curve(curves: FoldCurves, prevalence: Prevalence) -> SummaryPRCurve:
    r"""The vertical average of PR curves at one prevalence: at each recall, the mean of their precisions.

    .. math:: \bar p(T) = \frac 1 K \sum_k \frac{T}{T + x F_k(T)}, \qquad x = (1 - \eta) / \eta

    Between the points of each curve FPR is linear in recall, as for `auc_pr`. At one prevalence all curves have the
    same unachievable region, and the area under their average is exactly the mean of their areas.

    Parameters
    ----------
    curves : mapping or sequence of Curve
        Folds or tasks; those without positives or negatives are left out, and the result lists them.
    prevalence : float or str
        The prevalence of all of them.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.1.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> by_month = [data["month"] == month for month in sorted(set(data["month"]))]
    >>> folds = [br.Curve.from_scores(data["fraud"][rows], data["new_model"][rows]) for rows in by_month]
    >>> summary = br.folds.summary_pr_curve(folds, 0.01)
    >>> abs(summary.area - br.folds.mean_over_folds(br.auc_pr, folds, prevalence=0.01).value) < 1e-12
    True
    """
    eta = checks.prevalence(prevalence)
    folds = _by_key(curves)
    reasons = {key: fold.missing_class for key, fold in folds.items() if fold.missing_class}
    pieces = [_piecewise(fold.table.merged_steps) for key, fold in folds.items() if key not in reasons]
    if not pieces:
        return SummaryPRCurve(np.zeros(0), np.zeros(0), math.nan, eta, 0, reasons)
    knots = np.unique(np.concatenate([[0.0], *(one.end for one in pieces)]))
    low, high = knots[:-1], knots[1:]
    x = (1 - eta) / eta
    area = np.zeros(len(low))
    first, last = np.zeros(len(low)), np.zeros(len(low))
    for one in pieces:
        between = _cut(one, low, high)
        area += segment_area(Segments(*(column[:, np.newaxis] for column in between)), x)
        first += _precision(between.tpr, between.fpr, between, x)
        last += _precision(high, between.fpr + between.run, between, x)
    precision = np.column_stack([first, last]).ravel() / len(pieces)
    recall = np.column_stack([low, high]).ravel()
    return SummaryPRCurve(recall, precision, math.fsum(area) / len(pieces), eta, len(pieces), reasons)


def _piecewise(steps: Steps) -> _Piecewise:
    end = np.asarray(steps.tp / steps.n_pos, np.float64)
    start = np.concatenate([[0.0], end[:-1]])
    end[-1] = 1.0  # weights may have rounded
    return _Piecewise(
        end, start, (steps.fp - steps.neg) / steps.n_neg, per_rise(steps.neg / steps.n_neg, steps.pos / steps.n_pos)
    )


def _cut(one: _Piecewise, low: FloatArray, high: FloatArray) -> Segments:
    """The pieces, split at the recalls of all curves."""
    k = np.searchsorted(one.end, low, side="right")
    return Segments(low, one.fpr[k] + one.slope[k] * (low - one.start[k]), high - low, one.slope[k] * (high - low))


def _precision(tpr: FloatArray, fpr: FloatArray, of: Segments, x: float) -> FloatArray:
    """Precision at one end of each piece; without alerts, its limit along the piece."""
    silent = (tpr == 0) & (fpr == 0)
    rise, run = np.where(silent, of.rise, tpr), np.where(silent, of.run, fpr)
    return rise / (rise + x * run)


# --- from scikit-learn ----------------------------------------------------------------------------


@checks.declared
def curves_from_cv(results: Mapping[str, Any], X: Any, y: Any, *, positive: Label | None = None) -> list[Curve]:
    """The curve of each fold of scikit-learn's ``cross_validate``, from its test rows.

    Parameters
    ----------
    results : dict
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y
        The data it was called with.
    positive : label, optional
        The positive label, if labels are not 0/1, -1/1 or bool.

    Examples
    --------
    >>> import baserate as br
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> results = cross_validate(GaussianNB(), X, 1 - y, return_estimator=True, return_indices=True)
    >>> folds = br.folds.curves_from_cv(results, X, 1 - y)
    >>> print(br.folds.mean_over_folds(br.auc_pr, folds, prevalence=0.01))
    auc_pr 0.7129 (sd 0.3083, 5 folds, prevalence 1 in 100), normalized 0.7114
    """
    for key, option in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if not isinstance(results, Mapping) or key not in results:
            raise InputError(f"results must have {key!r}, got none; call cross_validate with {option}=True.")
    labels = y if hasattr(y, "iloc") else np.asarray(y)
    curves = []
    for estimator, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
        score = _scores(estimator, _rows(X, rows), positive)
        curves.append(Curve.from_scores(_rows(labels, rows), score, positive=positive))
    return curves


def _rows(table: Any, rows: Any) -> Any:
    """Some rows of a dataframe, an array or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else [table[row] for row in rows]


def _scores(estimator: Any, X: Any, positive: Label | None) -> Any:
    """Scores of the positive class: the decision function if there is one, as in scikit-learn's own scorers."""
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise InputError(f"each estimator must have two classes, got {len(classes)}; use one_vs_rest for more.")
    second = positive is None or classes[1] == positive
    if not second and classes[0] != positive:
        raise InputError(f"positive must be one of the classes {classes}, got {shown(positive)}; name one of them.")
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X) * (1 if second else -1)
    return estimator.predict_proba(X)[:, int(second)]
