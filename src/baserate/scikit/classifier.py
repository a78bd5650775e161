"""A scikit-learn classifier whose probabilities are adjusted to another prevalence."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import Array, ArrayLike, Features, FloatArray, Prevalence
from baserate.errors import InputError, MissingInformationError
from baserate.formulas.prior_shift import shifted
from baserate.formulas.proportions import Share

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.utils import get_tags
    from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d
except ModuleNotFoundError:
    raise MissingInformationError(
        "a PriorShiftClassifier needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from None

# The smallest probability whose logarithm is finite.
_SMALLEST = 5e-324

# The largest deviation of a row's sum of probabilities from 1: some models compute in 32 bits.
_ROUNDING = 1e-4

# Parameters for class weights, of scikit-learn and of the boosting libraries.
_CLASS_WEIGHTS = ("class_weight", "priors", "class_prior", "scale_pos_weight")


def _has_decision_function(model: "PriorShiftClassifier") -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "decision_function")


class PriorShiftClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """A scikit-learn classifier with probabilities adjusted from the prevalence of its training data to another one.

    This is exact under prior shift, see `adjust`. The positive class is the second of ``classes_``.

    ``predict`` returns the positive class if the adjusted probability is at least 0.5, which is optimal for equal costs
    at the new prevalence. For another threshold wrap it in scikit-learn's FixedThresholdClassifier or
    TunedThresholdClassifierCV.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The classifier to fit; it must have ``predict_proba``. Wrap a fitted model in
        ``sklearn.frozen.FrozenEstimator``.
    prevalence : float or str
        The prevalence to adjust to.
    from_prevalence : float or str, optional
        The prevalence at which the estimator is calibrated. By default the share of positives in `y` when it is fitted,
        with sample weights if there are any. It must be given if the estimator weights the classes itself: 0.5 for
        ``class_weight="balanced"``.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        The fitted estimator.
    from_prevalence_, prevalence_ : float
        The prevalences that probabilities are adjusted from and to.
    classes_ : array
        Both labels, the positive one last.
    n_features_in_ : int
        Number of features, if the estimator has it.
    feature_names_in_ : array
        Their names, if the estimator has them.

    Examples
    --------
    >>> import baserate as br
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = br.PriorShiftClassifier(GaussianNB(), prevalence="1 in 1,000").fit(X[:, :1], 1 - y)
    >>> round(model.from_prevalence_, 4)
    0.3726
    >>> model.estimator_.predict_proba(X[:3, :1])[:, 1].round(4)
    array([0.9863, 0.9999, 0.9995])
    >>> model.predict_proba(X[:3, :1])[:, 1].round(4)
    array([0.1085, 0.9629, 0.7797])
    """

    # Weights are passed to the estimator; this class makes no request of its own for them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    def __init__(self, estimator: Any, *, prevalence: Prevalence, from_prevalence: Prevalence | None = None) -> None:
        self.estimator = estimator
        self.prevalence = prevalence
        self.from_prevalence = from_prevalence

    def fit(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit a clone of the estimator, and take the prevalence from the labels unless it was given.

        Parameters
        ----------
        X : table
            Features, as the estimator takes them.
        y : column
            Two labels.
        sample_weight : column, optional
            A weight per row, for the estimator and for the prevalence.
        **fit_params
            More for the estimator's ``fit``; with metadata routing, what it requests.
        """
        prevalence = checks.prevalence(self.prevalence)
        told = None if self.from_prevalence is None else checks.prevalence(self.from_prevalence, "from_prevalence")
        labels = _labels(y)
        if told is None:
            _refuse_class_weights(self.estimator)
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        learnt = _share_of_positives(labels, _weight(self.estimator, fit_params))
        fitted = clone(self.estimator).fit(X, labels, **fit_params)
        self.classes_ = _checked_classes(fitted, labels)
        self.from_prevalence_ = learnt if told is None else told
        self.prevalence_ = prevalence
        self.estimator_ = fitted
        for known in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, known):
                setattr(self, known, getattr(fitted, known))
        return self

    def predict_proba(self, X: Features) -> FloatArray:
        """The probabilities of both classes at the new prevalence, accurate near 0 and near 1."""
        moved = self._moved(X)
        return np.column_stack([moved.rest, moved.share])

    def predict(self, X: Features) -> Array:
        """The positive class where its adjusted probability is at least 0.5."""
        moved = self._moved(X)
        labels: Array = np.asarray(self.classes_)[(moved.share >= 0.5).astype(np.intp)]
        return labels

    def predict_log_proba(self, X: Features) -> FloatArray:
        """The logarithms of both adjusted probabilities; minus infinity for 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_decision_function)  # type: ignore[untyped-decorator]  # no stubs
    def decision_function(self, X: Features) -> FloatArray:
        """The log-odds of the adjusted probability; available if the estimator has a ``decision_function``.

        They are always finite, as scikit-learn's metrics require: a probability of 0 counts as the smallest float.
        """
        moved = self._moved(X)
        share, rest = (np.log(np.maximum(part, _SMALLEST)) for part in moved)
        return np.asarray(share - rest, np.float64)

    def _moved(self, X: Features) -> Share:
        """The probabilities of the positive class and of the other."""
        check_is_fitted(self, "estimator_")
        both = np.asarray(self.estimator_.predict_proba(X), np.float64)
        if (
            both.ndim != 2
            or both.shape[1] != 2
            or not ((both >= 0) & (np.abs(both.sum(1) - 1) < _ROUNDING)[:, None]).all()
        ):
            raise InputError(
                f"predict_proba of the estimator must give two columns of probabilities that add up to 1, got "
                f"{np.array2string(both, threshold=6, edgeitems=2)}; calibrate it first."
            )
        return shifted(both[:, 1], both[:, 0], self.from_prevalence_, self.prevalence_)

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


def _labels(y: object) -> Array:
    """The labels as an array, if there are two of them."""
    if y is None:
        raise InputError("PriorShiftClassifier requires y to be passed, but the target y is None; pass the labels.")
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


def _checked_classes(fitted: object, labels: Array) -> Array:
    """The classes of a fitted estimator, which must be those of the labels."""
    if not hasattr(fitted, "predict_proba"):
        raise InputError(
            f"estimator must have predict_proba, got {fitted} without; wrap it in scikit-learn's "
            f"CalibratedClassifierCV."
        )
    classes: Array = np.asarray(getattr(fitted, "classes_", ()))
    if not np.array_equal(classes, np.unique(labels)):
        raise InputError(
            f"estimator must have the classes of y, got {classes.tolist()} and {np.unique(labels).tolist()}; pass the "
            f"labels that it was fitted to."
        )
    return classes


def _refuse_class_weights(estimator: object) -> None:
    """Refuse class weights: with them, probabilities are not calibrated at the prevalence of the rows."""
    *_, (_, last) = _steps(estimator)
    for name in _CLASS_WEIGHTS:
        weights = getattr(last, name, None)
        if weights is not None and not (isinstance(weights, int | float) and weights == 1):
            raise InputError(
                f"from_prevalence must be given for an estimator that weights classes itself, got {name}={weights!r}; "
                f"pass the share of positives with these weights, which is 0.5 for 'balanced'."
            )


def _weight(estimator: object, fit_params: Mapping[str, object]) -> object:
    """The weights of the rows that reach the estimator, or the last step of a pipeline."""
    prefix = "".join(f"{name}__" for name, _ in _steps(estimator) if name)
    return fit_params.get(f"{prefix}sample_weight", fit_params.get("sample_weight"))


def _steps(estimator: object) -> list[tuple[str, object]]:
    """The estimator and, if it is a pipeline, its last step with its name, recursively."""
    steps = [("", estimator)]
    while hasattr(steps[-1][1], "steps"):
        steps.append(steps[-1][1].steps[-1])
    return steps


def _share_of_positives(labels: Array, weight: object) -> float:
    """The share of positives in the total weight; both classes must have some."""
    weights = np.ones(len(labels)) if weight is None else checks.weights(np.asarray(weight), len(labels))
    share = float(np.average(labels == np.unique(labels)[1], weights=weights))
    if not 0 < share < 1:
        raise InputError(
            f"sample_weight must be positive for some rows of each class, got a share of positives of {share}; check "
            f"the weights."
        )
    return share
