"""A scorer for scikit-learn's model selection. scikit-learn is imported only when a scorer is made."""

import math
from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, Features, Prevalence
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.errors import InputError, MissingInformationError, shown
from baserate.metrics.definition import evaluate
from baserate.registry import Family, lower_is_better, row_of


class Scorer(Protocol):
    """A scorer that scikit-learn accepts for ``scoring=``."""

    def __call__(self, estimator: Any, X: Features, y_true: ArrayLike, **parameters: object) -> float:
        """The score of an estimator on data."""

    def set_score_request(self, *, sample_weight: bool | str | None) -> "Scorer":
        """Request ``sample_weight`` from metadata routing."""


@checks.declared
def scorer(
    metric: Callable[..., object],
    *,
    prevalence: Prevalence | None = None,
    positive: Label | None = None,
    response: Literal["scores", "labels"] | None = None,
    undefined: float = math.nan,
) -> Scorer:
    """A scikit-learn scorer for a metric at a prevalence.

    Use it wherever scikit-learn takes ``scoring=``: cross_validate, GridSearchCV,
    TunedThresholdClassifierCV. It accepts ``sample_weight`` and takes part in metadata routing
    (``scorer(...).set_score_request(sample_weight=True)``).

    Parameters
    ----------
    metric : callable
        An area, which reads scores, or a pointwise metric, which reads predicted labels; parameters are bound by
        ``functools.partial``.
    prevalence : float or str, optional
        The prevalence to read it at; by default that of each fold.
    positive : label, optional
        The positive label, if labels are not 0/1, -1/1 or bool.
    response : {"scores", "labels"}, optional
        What the estimator is asked for; needed only for your own functions, which get a Curve or a Point.
    undefined : float
        The score if the metric is undefined, for example precision without alerts; by default nan. A search over
        thresholds needs a number, such as ``undefined=0``.

    Examples
    --------
    >>> import baserate as br
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rare = br.scorer(br.average_precision, prevalence=0.001)
    >>> cross_val_score(GaussianNB(), X, 1 - y, scoring=rare).round(3)
    array([0.021, 0.818, 0.638, 0.906, 0.84 ])
    """
    try:
        from sklearn.metrics import make_scorer
    except ModuleNotFoundError:
        raise MissingInformationError(
            "a scorer needs scikit-learn, which is not installed; pip install scikit-learn."
        ) from None

    row = row_of(metric)
    if response is not None:
        checks.one_of(response, ("scores", "labels"), "response")
    if row is not None and row.family is Family.POINTWISE and response == "scores":
        raise InputError(f"{row.name} needs predicted labels, got response='scores'; leave response out.")
    if not isinstance(undefined, int | float):
        raise InputError(f"undefined must be a number or nan, got {shown(undefined)}; pass a float.")
    if response is None:
        response = "labels" if row is not None and row.family is Family.POINTWISE else "scores"
    made: Scorer = make_scorer(
        _score,
        response_method="predict" if response == "labels" else ("decision_function", "predict_proba"),
        greater_is_better=not lower_is_better(metric),
        metric=metric,
        prevalence=None if prevalence is None else checks.prevalence(prevalence),
        pos_label=positive,
        response=response,
        undefined=float(undefined),
    )
    return made


def _score(
    y_true: Any,
    y_response: Any,
    *,
    metric: Callable[..., object],
    prevalence: float | None,
    response: str,
    undefined: float,
    pos_label: Label | None = None,
    sample_weight: Any = None,
) -> float:
    """The score function that scikit-learn calls with the labels and the estimator's response."""
    if response == "labels":
        y_response = checks.labels(y_response, pos_label, "predicted labels").astype(np.float64)
    curve = Curve.from_scores(y_true, y_response, weight=sample_weight, positive=pos_label)
    if prevalence is not None:
        curve = curve.at_prevalence(prevalence)
    value, reason = evaluate(metric, curve.at_threshold(1.0) if response == "labels" else curve)
    if reason is not None:  # scikit-learn negates scores of losses, and must not negate this one
        return -undefined if lower_is_better(metric) else undefined
    return float(value)
