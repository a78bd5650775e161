"""The door to scikit-learn's models: a classifier whose probabilities are right at another prevalence."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from baserate import checks
from baserate.arrays import Array, ArrayLike, FloatArray
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

# A probability of 0 has no finite log-odds; this one has.
_SMALLEST = 5e-324

# How far the probabilities of a row may be from adding up to 1: some models work in 32 bits.
_ROUNDING = 1e-4

# What models call the weights that they give to classes: scikit-learn's, and those of the boosting libraries.
_CLASS_WEIGHTS = ("class_weight", "priors", "class_prior", "scale_pos_weight")


def _has_decision_function(model: "PriorShiftClassifier") -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "decision_function")


class PriorShiftClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """A scikit-learn classifier with probabilities moved from the prevalence it learnt to the one that matters.

    Exact if positives and negatives each keep their features and only their mix changes: see `adjust`. The positive
    class is the second of ``classes_``.

    ``predict`` says positive from a moved probability of 0.5 on: the decision for two mistakes of the same cost at the
    new prevalence. For another threshold wrap it in scikit-learn's FixedThresholdClassifier or
    TunedThresholdClassifierCV.

    Parameters
    ----------
    estimator : scikit-learn classifier
        What to fit; it must have ``predict_proba``. A model that is fitted already goes into
        ``sklearn.frozen.FrozenEstimator``.
    prevalence : float or odds
        Where the probabilities are to be right.
    from_prevalence : float or odds, optional
        Where those of the estimator are right. If not given, at the share of positives in `y` when it is fitted,
        weighted if there are sample weights. It must be given where the estimator weights the classes itself: 0.5
        for ``class_weight="balanced"``.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        The fitted estimator.
    from_prevalence_, prevalence_ : float
        From where to where the probabilities are moved.
    classes_ : array
        Both labels, the positive one last.
    n_features_in_ : int
        Number of features, if the estimator knows it.
    feature_names_in_ : array
        Their names, if the estimator knows them.

    Examples
    --------
    >>> import baserate as br
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = br.PriorShiftClassifier(GaussianNB(), prevalence="1:1000").fit(X[:, :1], 1 - y)
    >>> round(model.from_prevalence_, 4)
    0.3726
    >>> model.estimator_.predict_proba(X[:3, :1])[:, 1].round(4)
    array([0.9863, 0.9999, 0.9995])
    >>> model.predict_proba(X[:3, :1])[:, 1].round(4)
    array([0.1084, 0.9629, 0.7795])
    """

    # The weights go on to the estimator, and this class wants no request of its own for them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    def __init__(
        self, estimator: object, *, prevalence: float | str, from_prevalence: float | str | None = None
    ) -> None:
        self.estimator = estimator
        self.prevalence = prevalence
        self.from_prevalence = from_prevalence

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: object) -> Self:
        """Fit a clone of the estimator, and learn the prevalence unless it was told.

        Parameters
        ----------
        X : table
            Features, whatever the estimator takes.
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

    def predict_proba(self, X: object) -> FloatArray:
        """The probabilities of both classes at the new prevalence, one row each, each with its digits next to 0."""
        moved = self._moved(X)
        return np.column_stack([moved.rest, moved.share])

    def predict(self, X: object) -> Array:
        """The positive class where its moved probability is at least 0.5."""
        moved = self._moved(X)
        labels: Array = np.asarray(self.classes_)[(moved.share >= 0.5).astype(np.intp)]
        return labels

    def predict_log_proba(self, X: object) -> FloatArray:
        """The logarithms of both moved probabilities; minus infinity for 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_decision_function)  # type: ignore[untyped-decorator]  # no stubs
    def decision_function(self, X: object) -> FloatArray:
        """The log-odds of the moved probability; there if the estimator has a ``decision_function`` too.

        Always finite, as scikit-learn's metrics demand: a probability of 0 counts as the smallest float above it.
        """
        moved = self._moved(X)
        share, rest = (np.log(np.maximum(part, _SMALLEST)) for part in moved)
        return np.asarray(share - rest, np.float64)

    def _moved(self, X: object) -> Share:
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

    # --- what scikit-learn wants to know -----------------------------------------------------------

    def get_metadata_routing(self) -> object:
        """What goes where: whatever the estimator's ``fit`` requests goes there."""
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
        raise InputError(f"y must hold rows of both classes, got 1 class: {classes.tolist()}; pass the other one too.")
    return labels


def _checked_classes(fitted: object, labels: Array) -> Array:
    """The classes of a fitted estimator, if it has probabilities for those of the labels."""
    if not hasattr(fitted, "predict_proba"):
        raise InputError(
            f"estimator must have predict_proba, got {fitted}, which has not; wrap it in scikit-learn's "
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
    """Weights of classes move probabilities away from the prevalence of the rows."""
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
    """The estimator and, of a pipeline, its last step, with the name it goes by; again of a pipeline in that."""
    found = [("", estimator)]
    while hasattr(found[-1][1], "steps"):
        found.append(found[-1][1].steps[-1])
    return found


def _share_of_positives(labels: Array, weight: object) -> float:
    """Their share of the weight, if both classes have some."""
    weights = np.ones(len(labels)) if weight is None else checks.weights(np.asarray(weight), len(labels))
    share = float(np.average(labels == np.unique(labels)[1], weights=weights))
    if not 0 < share < 1:
        raise InputError(
            f"sample_weight must leave both classes some weight, got a share of positives of {share}; pass weights "
            f"above 0 for rows of each."
        )
    return share
