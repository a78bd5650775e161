"""A scikit-learn classifier whose probabilities are adjusted to another prevalence."""

from collections.abc import Mapping
from typing import Any, Self

from baserate import checks
from baserate.arrays import ArrayLike, Features, Prevalence
from baserate.errors import InputError, MissingInformationError
from baserate.formulas.prior_shift import shifted
from baserate.formulas.proportions import Share

try:
    from sklearn import get_config
    from sklearn.base import clone
    from sklearn.utils.metadata_routing import process_routing
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError:
    raise MissingInformationError(
        "a PriorShiftClassifier needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from None

from baserate.scikit.adjusted import AdjustedClassifier, labels_of, probabilities_of, share_of_positives

# Parameters for class weights, of scikit-learn and of the boosting libraries.
_CLASS_WEIGHTS = ("class_weight", "priors", "class_prior", "scale_pos_weight")


class PriorShiftClassifier(AdjustedClassifier):
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
        labels = labels_of(y, "PriorShiftClassifier")
        if told is None:
            _refuse_class_weights(self.estimator)
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        learnt = share_of_positives(labels, _weight(self.estimator, fit_params))
        fitted = clone(self.estimator).fit(X, labels, **fit_params)
        self._has_fitted(fitted, labels)
        self.from_prevalence_ = learnt if told is None else told
        self.prevalence_ = prevalence
        return self

    def _moved(self, X: Features) -> Share:
        check_is_fitted(self, "estimator_")
        both = probabilities_of(self.estimator_, X)
        return shifted(both[:, 1], both[:, 0], self.from_prevalence_, self.prevalence_)


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
