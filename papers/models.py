"""Fitted models: the one of the credit card data, and thirty quick ones of many kinds to be ranked by metrics."""

import functools
import warnings
from typing import Any

import data
import numpy as np
import polars as pl
from experiment import Setup
from numpy.typing import NDArray

import baserate as br


def classifiers(*, quick: bool = False) -> dict[str, Any]:
    """Names and unfitted scikit-learn classifiers; six of them if `quick`."""
    from sklearn import discriminant_analysis, ensemble, linear_model, naive_bayes, neighbors, svm, tree

    few: dict[str, Any] = {
        "logistic, C 0.01": linear_model.LogisticRegression(C=0.01),
        "logistic": linear_model.LogisticRegression(),
        "naive Bayes": naive_bayes.GaussianNB(),
        "5 neighbours": neighbors.KNeighborsClassifier(5),
        "tree of depth 3": tree.DecisionTreeClassifier(max_depth=3, random_state=0),
        "linear discriminant": discriminant_analysis.LinearDiscriminantAnalysis(),
    }
    if quick:
        return few
    forest = {"random_state": 0, "n_jobs": 1}
    return few | {
        "logistic, C 100": linear_model.LogisticRegression(C=100),
        "logistic, balanced": linear_model.LogisticRegression(class_weight="balanced"),
        "ridge": linear_model.RidgeClassifier(),
        "ridge, balanced": linear_model.RidgeClassifier(class_weight="balanced"),
        "perceptron": linear_model.Perceptron(random_state=0),
        "stochastic gradient": linear_model.SGDClassifier(loss="log_loss", random_state=0),
        "naive Bayes, smoothed": naive_bayes.GaussianNB(var_smoothing=0.1),
        "naive Bayes of signs": naive_bayes.BernoulliNB(),
        "1 neighbour": neighbors.KNeighborsClassifier(1),
        "15 neighbours": neighbors.KNeighborsClassifier(15),
        "30 neighbours, by distance": neighbors.KNeighborsClassifier(30, weights="distance"),
        "stump": tree.DecisionTreeClassifier(max_depth=1, random_state=0),
        "tree of depth 6": tree.DecisionTreeClassifier(max_depth=6, random_state=0),
        "tree": tree.DecisionTreeClassifier(random_state=0),
        "tree with leaves of 10": tree.DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
        "tree, balanced": tree.DecisionTreeClassifier(max_depth=6, class_weight="balanced", random_state=0),
        "random forest": ensemble.RandomForestClassifier(10, **forest),
        "random forest of depth 3": ensemble.RandomForestClassifier(10, max_depth=3, **forest),
        "extra trees": ensemble.ExtraTreesClassifier(10, **forest),
        "bagged trees": ensemble.BaggingClassifier(n_estimators=5, **forest),
        "AdaBoost": ensemble.AdaBoostClassifier(n_estimators=10, random_state=0),
        "boosted stumps": ensemble.GradientBoostingClassifier(n_estimators=20, max_depth=1, random_state=0),
        "boosted trees": ensemble.GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0),
        "linear support vectors": svm.LinearSVC(max_iter=200, random_state=0),
    }


def scores_out_of_fold(
    model: Any, features: NDArray[np.float64], label: NDArray[np.int64], folds: int
) -> NDArray[np.float64]:
    """Every row's score by a model that has not seen it; features are standardised within each fold."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    scores = np.zeros(len(label))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that has not converged is one more model to be ranked
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(features, label):
            scale = StandardScaler().fit(features[train])
            fitted = clone(model).fit(scale.transform(features[train]), label[train])
            seen = scale.transform(features[test])
            scores[test] = (
                fitted.predict_proba(seen)[:, 1] if hasattr(fitted, "predict_proba") else fitted.decision_function(seen)
            )
    return scores


# What the pages say of the fit below.
OF_CARDS = (
    "The authors fitted with the default parameters of scikit-learn, which stop elsewhere today than they did then "
    "(AUC-PR 0.7643 in place of 0.7653): here the fit goes on until it has converged, Time is left out, and Amount is "
    "standardised."
)


@functools.cache
def credit_card_curve(setup: Setup) -> br.Curve:
    """The test set of the credit card data, scored as in Siblini et al.: a logistic regression on 70 % of the rows."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    table = data.creditcard(setup)
    amount = table["Amount"].cast(pl.Float64).to_numpy()
    columns = [
        *(table[f"V{k}"].cast(pl.Float64).to_numpy() for k in range(1, 29)),
        (amount - amount.mean()) / amount.std(),
    ]
    parts = train_test_split(np.column_stack(columns), table["Class"].to_numpy(), test_size=0.3, random_state=0)
    train, test, train_label, test_label = parts
    fitted = LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(train, train_label)
    return br.Curve.from_scores(test_label, fitted.predict_proba(test)[:, 1])
