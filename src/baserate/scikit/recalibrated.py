"""A scikit-learn classifier whose probabilities are recalibrated, and adjusted to another prevalence if wanted."""

from typing import Any, Self

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, Features, Prevalence
from baserate.calibration.recalibration import METHODS, OF_LOG_ODDS, Method, recalibrate
from baserate.curves.curve import Curve
from baserate.errors import MissingInformationError
from baserate.formulas.proportions import Share

try:
    from sklearn import get_config
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_predict
    from sklearn.utils.metadata_routing import process_routing
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError:
    raise MissingInformationError(
        "a RecalibratedClassifier needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from None

from baserate.scikit.adjusted import AdjustedClassifier, labels_of, probabilities_of, share_of_positives


class RecalibratedClassifier(AdjustedClassifier):
    """A scikit-learn classifier with probabilities recalibrated by `recalibrate`.

    The map is fitted to predictions for rows that the estimator was not fitted to, by cross-validation; then the
    estimator is fitted to all rows. Wrap a fitted model in ``sklearn.frozen.FrozenEstimator`` and pass other rows than
    it was fitted to. The positive class is the second of ``classes_``.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The classifier to fit. It must have ``predict_proba``, or ``decision_function`` for the methods "platt",
        "isotonic" and "bins", which prefer it.
    method : str
        As for `recalibrate`. By default "platt", because estimators may say 0 or 1, which have no log-odds.
    cv : int or splitter
        As for scikit-learn's ``cross_val_predict``.
    prevalence : float or str, optional
        The prevalence to adjust to; by default that of the rows.
    smoothing : float
        As for `recalibrate`.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        The estimator, fitted to all rows.
    recalibration_ : Recalibration
        The map from its scores to probabilities.
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
    >>> model = br.RecalibratedClassifier(GaussianNB(), method="isotonic").fit(X[:, :1], 1 - y)
    >>> print(model.recalibration_)
    isotonic recalibration, 16 steps (prevalence 1 in 2.68, 212 pos, 357 neg)
    >>> model.predict_proba(X[:3, :1])[:, 1].round(4)
    array([0.9667, 0.9932, 0.9932])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        method: Method = "platt",
        cv: Any = 5,
        prevalence: Prevalence | None = None,
        smoothing: float = 1.0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.prevalence = prevalence
        self.smoothing = smoothing

    def fit(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the map to predictions by cross-validation, and a clone of the estimator to all rows.

        Parameters
        ----------
        X : table
            Features, as the estimator takes them.
        y : column
            Two labels.
        sample_weight : column, optional
            A weight per row, for the estimator and for the map.
        **fit_params
            More for the estimator's ``fit``; with metadata routing, what it requests.
        """
        checks.one_of(self.method, METHODS, "method")
        labels = labels_of(y, "RecalibratedClassifier")
        if sample_weight is not None:
            sample_weight = fit_params["sample_weight"] = np.asarray(sample_weight)
            share_of_positives(labels, sample_weight)  # which refuses weights without a class
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        fitted = clone(self.estimator).fit(X, labels, **fit_params)
        how = "decision_function" if self._decides(fitted) else "predict_proba"
        self._has_fitted(fitted, labels, how)
        scores = cross_val_predict(self.estimator, X, labels, cv=self.cv, method=how, params=fit_params)
        curve = Curve.from_scores(
            labels == self.classes_[1], scores if scores.ndim == 1 else scores[:, 1], weight=sample_weight
        )
        found = recalibrate(curve, self.method, smoothing=self.smoothing)
        self.recalibration_ = found if self.prevalence is None else found.at_prevalence(self.prevalence)
        return self

    def _decides(self, fitted: Any) -> bool:
        """Whether the map reads what ``decision_function`` says, and not a probability."""
        return self.method not in OF_LOG_ODDS and hasattr(fitted, "decision_function")

    def _moved(self, X: Features) -> Share:
        check_is_fitted(self, "recalibration_")
        if self._decides(self.estimator_):
            return self.recalibration_.shares(np.asarray(self.estimator_.decision_function(X), np.float64))
        return self.recalibration_.shares(probabilities_of(self.estimator_, X)[:, 1])
