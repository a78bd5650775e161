"""The scorer in real scikit-learn model selection."""

import functools
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, precision_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
)

import baserate as br
from helpers.scikit import FOLDS, MODEL, breast_cancer


@pytest.fixture(scope="module")
def data():
    return breast_cancer()


def weights_to(y, eta):
    pi = y.mean()
    return np.where(y == 1, 1.0, pi * (1 - eta) / (eta * (1 - pi)))


def test_area_at_a_prevalence_equals_the_weight_trick(data):
    X, y = data
    scores = cross_validate(MODEL, X, y, cv=FOLDS, scoring=br.scorer(br.average_precision, prevalence=0.01))
    for (train, test), score in zip(FOLDS.split(X, y), scores["test_score"], strict=True):
        margin = MODEL.fit(X[train], y[train]).decision_function(X[test])
        expected = average_precision_score(y[test], margin, sample_weight=weights_to(y[test], 0.01))
        assert score == pytest.approx(expected, rel=1e-12)


def test_pointwise_metric_judges_the_predicted_labels(data):
    X, y = data
    scoring = {"precision": br.scorer(br.precision, prevalence="1:99"), "own": br.scorer(br.f1)}
    scores = cross_validate(MODEL, X, y, cv=FOLDS, scoring=scoring)
    predicted = cross_val_predict(MODEL, X, y, cv=FOLDS)
    for k, (_, test) in enumerate(FOLDS.split(X, y)):
        weighted = precision_score(y[test], predicted[test], sample_weight=weights_to(y[test], 0.01))
        assert scores["test_precision"][k] == pytest.approx(weighted, rel=1e-12)
        assert scores["test_own"][k] == pytest.approx(f1_score(y[test], predicted[test]), rel=1e-14)


@pytest.mark.slow
def test_grid_search_in_two_processes_with_a_forest(data):
    X, y = data
    search = GridSearchCV(
        RandomForestClassifier(10, random_state=0),
        {"max_depth": [1, 4]},
        scoring=br.scorer(br.auc_pr, prevalence=0.001),
        cv=FOLDS,
        n_jobs=2,
    ).fit(X, y)
    assert search.best_params_ == {"max_depth": 4}
    assert 0 < search.best_score_ < 1


def test_tuned_threshold_moves_with_the_prevalence(data):
    X, y = data
    thresholds = [
        TunedThresholdClassifierCV(MODEL, scoring=br.scorer(br.f1, prevalence=eta), cv=FOLDS).fit(X, y).best_threshold_
        for eta in (0.5, 0.001)
    ]
    assert thresholds[0] < thresholds[1]


def test_tuned_threshold_with_a_metric_that_may_be_undefined(data):
    X, y = data
    tuned = TunedThresholdClassifierCV(MODEL, scoring=br.scorer(br.precision, prevalence=0.1, undefined=0), cv=FOLDS)
    assert np.isfinite(tuned.fit(X, y).best_score_)


def test_undefined_is_nan_unless_said_otherwise(data):
    X, _ = data
    never = LogisticRegression().fit(X, np.arange(len(X)) % 2)
    never.coef_[:], never.intercept_[:] = 0, -1
    assert np.isnan(br.scorer(br.precision, prevalence=0.1)(never, X, np.arange(len(X)) % 2))
    assert br.scorer(br.precision, prevalence=0.1, undefined=0)(never, X, np.arange(len(X)) % 2) == 0


def test_what_is_said_for_undefined_is_not_negated(data):
    X, y = data
    always = LogisticRegression().fit(X, y)
    always.coef_[:], always.intercept_[:] = 0, 1
    assert br.scorer(br.lr_negative, undefined=-5)(always, X, y) == -5


def test_costs_are_negated_as_scikit_learn_expects(data):
    X, y = data
    cost = functools.partial(br.expected_cost, cost_fn=10, cost_fp=1)
    model = MODEL.fit(X, y)
    curve = br.Curve.from_scores(y, model.predict(X)).at_prevalence(0.01)
    expected = br.expected_cost(curve.at_threshold(1), cost_fn=10, cost_fp=1)
    assert br.scorer(cost, prevalence=0.01)(model, X, y) == -expected


def test_text_labels_name_the_positive_one(data):
    X, y = data
    text = np.where(y == 1, "benign?no", "a-benign")
    model = MODEL.fit(X, text)
    for metric in (br.average_precision, br.f1):
        named = br.scorer(metric, prevalence=0.01, positive="benign?no")(model, X, text)
        assert named == br.scorer(metric, prevalence=0.01)(MODEL.fit(X, y), X, y)
        model = MODEL.fit(X, text)
    first = br.scorer(br.roc_auc, positive="a-benign")(model, X, text)
    assert first == pytest.approx(br.scorer(br.roc_auc, positive="benign?no")(model, X, text))


def test_a_users_own_metric(data):
    X, y = data
    model = MODEL.fit(X, y)
    own = br.scorer(lambda curve: br.precision(curve.at_recall(0.5)), prevalence=0.01)
    curve = br.Curve.from_scores(y, model.decision_function(X)).at_prevalence(0.01)
    assert own(model, X, y) == br.precision(curve.at_recall(0.5))
    youden = br.scorer(lambda point: point.tpr - point.fpr, response="labels")
    assert youden(model, X, y) == pytest.approx(br.scorer(br.youden_j)(model, X, y), rel=1e-14)


def test_sample_weight_is_routed(data):
    X, y = data
    weight = np.random.default_rng(0).random(len(y))
    scoring = br.scorer(br.average_precision)
    model = MODEL.fit(X, y)
    expected = average_precision_score(y, model.decision_function(X), sample_weight=weight)
    assert scoring(model, X, y, sample_weight=weight) == pytest.approx(expected, rel=1e-12)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            LogisticRegression(max_iter=1000).set_fit_request(sample_weight=False),
            X,
            y,
            cv=FOLDS,
            scoring=scoring.set_score_request(sample_weight=True),
            params={"sample_weight": weight},
        )
        plain = cross_validate(
            LogisticRegression(max_iter=1000), X, y, cv=FOLDS, scoring=br.scorer(br.average_precision)
        )
    for fold, (train, test) in enumerate(FOLDS.split(X, y)):
        margin = LogisticRegression(max_iter=1000).fit(X[train], y[train]).decision_function(X[test])
        expected = average_precision_score(y[test], margin, sample_weight=weight[test])
        assert routed["test_score"][fold] == pytest.approx(expected, rel=1e-12)
        assert plain["test_score"][fold] == pytest.approx(average_precision_score(y[test], margin), rel=1e-12)


def test_scorers_can_be_sent_to_other_processes():
    scoring = br.scorer(functools.partial(br.f_beta, beta=2), prevalence=0.01)
    assert repr(pickle.loads(pickle.dumps(scoring))) == repr(scoring)
