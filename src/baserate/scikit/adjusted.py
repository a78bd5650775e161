"""The base of classifiers that wrap another one and change its probabilities."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from baserate import checks
from baserate.arrays import Array, Features, FloatArray
from baserate.errors import InputError
from baserate.formulas.proportions import Share

# The smallest probability whose logarithm is finite.
_SMALLEST = 5e-324

# The largest deviation of a row's sum of probabilities from 1: some models compute in 32 bits.
_ROUNDING = 1e-4


def _has_decision_function(model: "AdjustedClassifier") -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "decision_function")


class AdjustedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """What such classifiers share: predictions, and what scikit-learn asks."""

    # Weights are passed to the estimator; this class makes no request of its own for them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    estimator: Any
    estimator_: Any
    classes_: Any

    @abstractmethod
    def _moved(self, X: Features) -> Share:
        """The changed probabilities of the positive class and of the other."""

    def predict_proba(self, X: Features) -> FloatArray:
        """The changed probabilities of both classes, accurate near 0 and near 1."""
        moved = self._moved(X)
        return np.column_stack([moved.rest, moved.share])

    def predict(self, X: Features) -> Array:
        """The positive class where its changed probability is at least 0.5."""
        moved = self._moved(X)
        labels: Array = np.asarray(self.classes_)[(moved.share >= 0.5).astype(np.intp)]
        return labels

    def predict_log_proba(self, X: Features) -> FloatArray:
        """The logarithms of both changed probabilities; minus infinity for 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_decision_function)  # type: ignore[untyped-decorator]  # no stubs
    def decision_function(self, X: Features) -> FloatArray:
        """The log-odds of the changed probability; available if the estimator has a ``decision_function``.

        They are always finite, as scikit-learn's metrics require: a probability of 0 counts as the smallest float.
        """
        moved = self._moved(X)
        share, rest = (np.log(np.maximum(part, _SMALLEST)) for part in moved)
        return np.asarray(share - rest, np.float64)

    def _has_fitted(self, fitted: Any, labels: Array, needs: str = "predict_proba") -> None:
        """Keep the fitted estimator and what it says of itself."""
        self.classes_ = checked_classes(fitted, labels, needs)
        self.estimator_ = fitted
        for known in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, known):
                setattr(self, known, getattr(fitted, known))

    # --- for scikit-learn --------------------------------------------------------------------------

    def get_metadata_routing(self) -> object:
        """Metadata routing: what the estimator's ``fit`` requests is passed to it."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=type(self).__name__).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def probabilities_of(fitted: Any, X: Features) -> FloatArray:
    """The two columns of probabilities of a fitted estimator."""
    both = np.asarray(fitted.predict_proba(X), np.float64)
    if both.ndim != 2 or both.shape[1] != 2 or not ((both >= 0) & (np.abs(both.sum(1) - 1) < _ROUNDING)[:, None]).all():
        raise InputError(
            f"predict_proba of the estimator must give two columns of probabilities that add up to 1, got "
            f"{np.array2string(both, threshold=6, edgeitems=2)}; calibrate it first."
        )
    return both


def labels_of(y: object, asker: str) -> Array:
    """The labels as an array, if there are two of them."""
    if y is None:
        raise InputError(f"{asker} requires y to be passed, but the target y is None; pass the labels.")
    labels: Array = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    classes = np.unique(labels)
    if len(classes) > 2:
        raise InputError(
            f"Only binary classification is supported, got {len(classes)} classes; wrap the classifier in "
            f"scikit-learn's OneVsRestClassifier."
        )
    if len(classes) < 2:
        raise InputError(f"y must have rows of both classes, got 1 class: {classes.tolist()}; add rows of the other.")
    return labels


def checked_classes(fitted: object, labels: Array, needs: str) -> Array:
    """The classes of a fitted estimator, which must be those of the labels."""
    if not hasattr(fitted, needs):
        raise InputError(
            f"estimator must have {needs}, got {fitted} without; wrap it in scikit-learn's CalibratedClassifierCV."
        )
    classes: Array = np.asarray(getattr(fitted, "classes_", ()))
    if not np.array_equal(classes, np.unique(labels)):
        raise InputError(
            f"estimator must have the classes of y, got {classes.tolist()} and {np.unique(labels).tolist()}; pass the "
            f"labels that it was fitted to."
        )
    return classes


def share_of_positives(labels: Array, weight: object) -> float:
    """The share of positives in the total weight; both classes must have some."""
    weights = np.ones(len(labels)) if weight is None else checks.weights(np.asarray(weight), len(labels))
    share = float(np.average(labels == np.unique(labels)[1], weights=weights))
    if not 0 < share < 1:
        raise InputError(
            f"sample_weight must be positive for some rows of each class, got a share of positives of {share}; check "
            f"the weights."
        )
    return share
