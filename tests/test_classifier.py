"""PriorShiftClassifier in real scikit-learn: its checks, its model selection, its other meta-estimators."""

import doctest
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import baserate as br
from helpers.scikit import FOLDS, MODEL, breast_cancer

pytestmark = pytest.mark.slow  # together, these take long


@pytest.fixture(scope="module")
def data():
    return breast_cancer()


def shift(estimator=MODEL, prevalence=0.01, **parameters):
    return br.PriorShiftClassifier(estimator, prevalence=prevalence, **parameters)


class KnowsItsClasses(ClassifierMixin, BaseEstimator):
    """Fitting notes the classes and nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


# --- scikit-learn's own checks ----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")  # the checks' own
@parametrize_with_checks(
    [
        br.PriorShiftClassifier(LogisticRegression(), prevalence=0.4),
        br.PriorShiftClassifier(GaussianNB(), prevalence="3:2", from_prevalence=0.5),
        br.PriorShiftClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), prevalence=0.5),
    ]
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# --- what it predicts ---------------------------------------------------------------------------------


def test_probabilities_are_adjusted_and_labels_follow(data):
    X, y = data
    model, plain = shift(prevalence="1:99").fit(X, y), MODEL.fit(X, y)
    assert model.from_prevalence_ == y.mean()
    assert model.prevalence_ == 0.01
    both = model.predict_proba(X)
    np.testing.assert_allclose(both[:, 1], br.adjust(plain.predict_proba(X)[:, 1], y.mean(), 0.01), rtol=1e-12)
    assert both.sum(1) == pytest.approx(1, rel=1e-15)
    assert (model.predict(X) == (both[:, 1] >= 0.5)).all()
    assert 0 < model.predict(X).sum() < plain.predict(X).sum()
    np.testing.assert_allclose(model.decision_function(X), scipy.special.logit(both[:, 1]), rtol=1e-6)
    assert ((model.decision_function(X) >= 0) == model.predict(X)).all()
    assert model.predict_log_proba(X) == pytest.approx(np.log(both))
    assert model.score(X, y) == (model.predict(X) == y).mean()


def test_the_threshold_is_where_the_odds_of_the_prevalences_meet(data):
    """Half at the new prevalence is the plain model's probability `adjust(0.5, to, from)`."""
    X, y = data
    model = shift(prevalence=0.05).fit(X, y)
    plain = MODEL.fit(X, y).predict_proba(X)[:, 1]
    assert (model.predict(X) == (plain >= br.adjust(0.5, 0.05, y.mean()))).all()


def test_exactly_half_is_positive():
    class Half(KnowsItsClasses):
        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    model = shift(Half(), 0.25, from_prevalence=0.25).fit([[0], [1]], ["no", "yes"])
    assert model.predict([[3]]).tolist() == ["yes"]
    assert shift(Half(), 0.25, from_prevalence=0.26).fit([[0], [1]], [0, 1]).predict([[3]]).tolist() == [0]


def test_digits_survive_next_to_one():
    """The estimator's two columns know more than one of them."""

    class Sure(KnowsItsClasses):
        def predict_proba(self, X):
            return np.array([[1e-30, 1.0], [1.0, 1e-30], [0.0, 1.0], [1.0, 0.0]])

        def decision_function(self, X):
            raise AssertionError("only its presence matters")

    model = shift(Sure(), 1e-6, from_prevalence=0.5).fit([[0], [1]], [0, 1])
    found = model.predict_proba([[0]] * 4)
    np.testing.assert_allclose(found[:2], [[1e-24, 1], [1, 1e-36]], rtol=1e-5)
    assert found[2:].tolist() == [[0, 1], [1, 0]]
    margins = model.decision_function([[0]] * 4)
    assert margins[:2] == pytest.approx([24 * np.log(10), -36 * np.log(10)], rel=1e-6)
    assert np.isfinite(margins).all()
    assert margins[2] > margins[0] > margins[1] > margins[3]


def test_text_labels(data):
    X, y = data
    text = np.where(y == 1, "malign", "benign")
    model, numbered = shift().fit(X, text), shift().fit(X, y)
    assert model.classes_.tolist() == ["benign", "malign"]
    assert model.from_prevalence_ == y.mean()
    assert model.predict(X).tolist() == np.where(numbered.predict(X) == 1, "malign", "benign").tolist()


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        pd.Series,
        pl.Series,
        lambda y: pd.Series(y, dtype="Int64"),
        lambda y: pd.Series(y, dtype="boolean"),
        lambda y: pd.Series(y).map({0: "a", 1: "b"}),
        lambda y: pd.Series(y).map({0: "a", 1: "b"}).astype("category"),
        lambda y: np.where(y == 1, 1, -1),
    ],
)
def test_labels_of_every_kind(data, wrap):
    X, y = data
    model = shift().fit(X, wrap(y))
    assert model.from_prevalence_ == y.mean()
    np.testing.assert_array_equal(model.predict_proba(X), shift().fit(X, y).predict_proba(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_dataframes_keep_their_names(data, frame):
    X, y = data
    table = frame({f"x{k}": X[:, k] for k in range(4)})
    model = shift().fit(table, y)
    assert model.feature_names_in_.tolist() == model.estimator_[0].feature_names_in_.tolist() == list(table.columns)
    assert model.n_features_in_ == 4
    np.testing.assert_allclose(model.predict_proba(table), shift().fit(X, y).predict_proba(X), rtol=1e-9)
    assert not hasattr(shift().fit(X, y), "feature_names_in_")


def test_decision_function_is_there_where_the_estimator_has_one(data):
    X, y = data
    assert hasattr(shift(LogisticRegression()), "decision_function")
    assert not hasattr(shift(GaussianNB()), "decision_function")
    assert not hasattr(shift(GaussianNB()).fit(X, y), "decision_function")


# --- where the probabilities come from ----------------------------------------------------------------


def test_sample_weights_count_for_the_estimator_and_for_the_prevalence(data):
    X, y = data
    X = StandardScaler().fit_transform(X)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    exact = LogisticRegression(tol=1e-10)
    weighted = shift(exact).fit(X, y, sample_weight=times)
    repeated = shift(exact).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.from_prevalence_ == pytest.approx(repeated.from_prevalence_, rel=1e-14)
    assert weighted.from_prevalence_ != pytest.approx(y.mean(), rel=1e-3)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)
    told = shift(GaussianNB(), from_prevalence="1:3").fit(X, y, sample_weight=times)
    assert told.from_prevalence_ == 0.25


def test_weights_of_a_step_of_a_pipeline(data):
    X, y = data
    weight = np.where(y == 1, 2.0, 1.0)
    expected = np.average(y, weights=weight)
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    model = shift(inner).fit(X, y, logisticregression__sample_weight=weight)
    assert model.from_prevalence_ == pytest.approx(expected, rel=1e-14)
    nested = shift(make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LogisticRegression())))
    nested.fit(X, y, pipeline__logisticregression__sample_weight=weight)
    assert nested.from_prevalence_ == pytest.approx(expected, rel=1e-14)
    # weights of another step say nothing about the prevalence
    assert shift(inner).fit(X, y, standardscaler__sample_weight=weight).from_prevalence_ == y.mean()


def test_metadata_routing_sends_weights_to_the_estimator(data):
    X, y = data
    weight = np.where(y == 1, 2.0, 1.0)
    expected = np.average(y, weights=weight)
    direct = shift(GaussianNB()).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = shift(GaussianNB().set_fit_request(sample_weight=True)).fit(X, y, sample_weight=weight)
        assert asks.from_prevalence_ == pytest.approx(expected, rel=1e-14)
        np.testing.assert_array_equal(asks.predict_proba(X), direct.predict_proba(X))
        alias = shift(GaussianNB().set_fit_request(sample_weight="w")).fit(X, y, w=weight)
        np.testing.assert_array_equal(alias.predict_proba(X), direct.predict_proba(X))
        with pytest.raises(ValueError, match="sample_weight"):
            shift(GaussianNB()).fit(X, y, sample_weight=weight)
        # what the estimator does not get does not count
        ignoring = shift(GaussianNB().set_fit_request(sample_weight=False))
        found = cross_validate(
            ignoring,
            X,
            y,
            cv=FOLDS,
            params={"sample_weight": weight},
            return_estimator=True,
            scoring=br.scorer(br.roc_auc).set_score_request(sample_weight=True),
        )
        for (train, _), model in zip(FOLDS.split(X, y), found["estimator"], strict=True):
            assert model.from_prevalence_ == y[train].mean()
        steps = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        assert shift(steps).fit(X, y, sample_weight=weight).from_prevalence_ == pytest.approx(expected, rel=1e-14)
    assert not hasattr(br.PriorShiftClassifier, "set_fit_request")


def test_a_fitted_model_is_not_fitted_again(data):
    X, y = data
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300])
    before = fitted.predict_proba(X)
    told = shift(FrozenEstimator(fitted), from_prevalence=y[:300].mean()).fit(X[300:], y[300:])
    assert told.estimator_.estimator is fitted
    np.testing.assert_array_equal(fitted.predict_proba(X), before)
    assert told.predict_proba(X)[:, 1] == pytest.approx(br.adjust(before[:, 1], y[:300].mean(), 0.01), rel=1e-12)
    learnt = shift(FrozenEstimator(fitted)).fit(X[:300], y[:300])
    np.testing.assert_array_equal(learnt.predict_proba(X), told.predict_proba(X))
    assert learnt.n_features_in_ == 4


def test_class_weights_must_be_told(data):
    X, y = data
    balanced = LogisticRegression(class_weight="balanced", max_iter=1000)
    for estimator in (balanced, make_pipeline(StandardScaler(), balanced), FrozenEstimator(balanced.fit(X, y))):
        with pytest.raises(
            br.errors.InputError,
            match=r"^from_prevalence must be given for an estimator that weights classes itself, got "
            r"class_weight='balanced'; pass .* 0\.5 for 'balanced'\.$",
        ):
            shift(estimator).fit(X, y)
    with pytest.raises(br.errors.InputError, match=r"got priors=\[0.2, 0.8\]"):
        shift(GaussianNB(priors=[0.2, 0.8])).fit(X, y)
    model = shift(make_pipeline(StandardScaler(), balanced), 0.2, from_prevalence=0.5).fit(X, y)
    plain = shift(prevalence=0.2).fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(plain.predict_proba(X)[:, 1].mean(), rel=0.05)


# --- composing ------------------------------------------------------------------------------------------


def test_calibration_inside_keeps_the_shift_and_outside_undoes_it(data):
    X, y = data
    inside = shift(CalibratedClassifierCV(GaussianNB(), cv=FOLDS)).fit(X, y)
    calibrated = CalibratedClassifierCV(GaussianNB(), cv=FOLDS).fit(X, y).predict_proba(X)[:, 1]
    assert inside.predict_proba(X)[:, 1] == pytest.approx(br.adjust(calibrated, y.mean(), 0.01), rel=1e-12)
    for method in ("sigmoid", "isotonic"):
        outside = CalibratedClassifierCV(shift(), cv=FOLDS, method=method).fit(X, y)
        assert outside.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)
    weighted = CalibratedClassifierCV(shift(GaussianNB()), cv=FOLDS).fit(X, y, sample_weight=np.ones(len(y)))
    assert weighted.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


def test_linear_svm_through_calibration(data):
    X, y = data
    calibrated = CalibratedClassifierCV(LinearSVC(), cv=FOLDS)
    model = shift(make_pipeline(StandardScaler(), calibrated)).fit(X, y)
    assert 0 < model.predict_proba(X)[:, 1].mean() < y.mean()


def test_thresholds_of_scikit_learn(data):
    X, y = data
    fixed = FixedThresholdClassifier(shift(), threshold=0.05, response_method="predict_proba", pos_label=1).fit(X, y)
    assert (fixed.predict(X) == (shift().fit(X, y).predict_proba(X)[:, 1] >= 0.05)).all()
    tuned = TunedThresholdClassifierCV(shift(), scoring=br.scorer(br.f1, prevalence=0.01), cv=FOLDS).fit(X, y)
    assert 0 < tuned.best_threshold_ < 1
    around = shift(TunedThresholdClassifierCV(MODEL, scoring=br.scorer(br.f1), cv=FOLDS)).fit(X, y)
    np.testing.assert_array_equal(around.predict_proba(X), shift().fit(X, y).predict_proba(X))


def test_in_a_pipeline_with_names(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), shift(LogisticRegression())).set_output(transform="pandas")
    pipeline.fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == list("abcd")
    np.testing.assert_allclose(pipeline.predict_proba(frame), shift().fit(X, y).predict_proba(X), rtol=1e-9)


def test_grid_search_over_what_is_inside(data):
    X, y = data
    grid = {"estimator__logisticregression__C": [1e-4, 1.0], "prevalence": [0.01, "1:9"]}
    search = GridSearchCV(shift(), grid, scoring=br.scorer(br.average_precision, prevalence=0.01), cv=FOLDS).fit(X, y)
    assert search.best_params_["estimator__logisticregression__C"] == 1.0
    # ranks do not depend on the prevalence, so neither does average precision
    scores = search.cv_results_["mean_test_score"]
    assert scores[0::2] == pytest.approx(scores[1::2], rel=1e-12)


def test_cross_validation_sees_the_scorer(data):
    X, y = data
    scoring = {"ap": br.scorer(br.average_precision, prevalence=0.01), "auc": "roc_auc", "loss": "neg_log_loss"}
    for estimator in (shift(), shift(RandomForestClassifier(5, random_state=0)), shift(GaussianNB())):
        found = cross_validate(estimator, X, y, cv=FOLDS, scoring=scoring)
        plain = cross_validate(estimator.estimator, X, y, cv=FOLDS, scoring=scoring)
        np.testing.assert_allclose(found["test_ap"], plain["test_ap"], rtol=1e-9)
        np.testing.assert_allclose(found["test_auc"], plain["test_auc"], rtol=1e-9)
        assert (found["test_loss"] != plain["test_loss"]).all()
    moved = cross_val_predict(shift(), X, y, cv=FOLDS, method="predict_proba")
    assert moved.shape == (len(y), 2)


def test_one_of_several_voters(data):
    X, y = data
    vote = VotingClassifier([("a", shift()), ("b", shift(GaussianNB()))], voting="soft").fit(X, y)
    parts = [shift(), shift(GaussianNB())]
    mean = np.mean([part.fit(X, y).predict_proba(X) for part in parts], axis=0)
    np.testing.assert_allclose(vote.predict_proba(X), mean)
    around = shift(VotingClassifier([("a", MODEL), ("b", GaussianNB())], voting="soft", weights=[1, 3])).fit(X, y)
    assert around.predict_proba(X).sum(1) == pytest.approx(1)


def test_three_classes_through_one_versus_the_rest():
    X = np.random.default_rng(0).normal(size=(90, 2))
    y = np.repeat([0, 1, 2], 30)
    assert OneVsRestClassifier(shift(LogisticRegression())).fit(X, y).predict_proba(X).shape == (90, 3)


def test_clone_pickle_params_and_html(data):
    X, y = data
    model = shift(from_prevalence="1:3").fit(X, y)
    copied = clone(model)
    assert copied.get_params()["from_prevalence"] == "1:3"
    assert not hasattr(copied, "estimator_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    moved = clone(model).set_params(prevalence=0.5, estimator__logisticregression__C=2.0)
    assert moved.estimator.steps[-1][1].C == 2.0
    assert "prevalence=0.01" in repr(model)
    assert "PriorShiftClassifier" in model._repr_html_()


def test_setting_the_prevalence_waits_for_fit(data):
    X, y = data
    model = shift().fit(X, y)
    before = model.predict_proba(X)
    model.set_params(prevalence=0.5)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.fit(X, y).prevalence_ == 0.5


# --- statistics -----------------------------------------------------------------------------------------


def gaussians(rng, n, prevalence):
    """Two classes whose log-odds are linear in two features, so that logistic regression is right."""
    y = rng.random(n) < prevalence
    return rng.normal(size=(n, 2)) + y[:, None] * np.array([1.5, 1.0]), y.astype(int)


def test_trained_on_balanced_data_it_is_right_at_one_percent():
    rng = np.random.default_rng(1)
    X, y = gaussians(rng, 200_000, 0.5)
    far_X, far_y = gaussians(rng, 400_000, 0.01)
    model, plain = shift(LogisticRegression()).fit(X, y), LogisticRegression().fit(X, y)
    p, unadjusted = model.predict_proba(far_X)[:, 1], plain.predict_proba(far_X)[:, 1]
    standard_error = np.sqrt(np.sum(p * (1 - p))) / len(p)
    assert abs(p.mean() - far_y.mean()) < 3 * standard_error
    assert unadjusted.mean() > 10 * far_y.mean()
    assert log_loss(far_y, p) < 0.2 * log_loss(far_y, unadjusted)
    # the labels are the best ones: moving the threshold either way costs accuracy
    assert (model.predict(far_X) == far_y).mean() >= max(((p >= t) == far_y).mean() for t in (0.3, 0.7))


def test_a_tuned_threshold_is_near_the_best_one():
    """Of right probabilities, the best threshold for F1 is half the best F1 (Lipton, Elkan & Naryanaswamy 2014)."""
    rng = np.random.default_rng(2)
    X, y = gaussians(rng, 40_000, 0.5)
    scoring = br.scorer(br.f1, prevalence=0.01, undefined=0)
    tuned = TunedThresholdClassifierCV(shift(LogisticRegression()), scoring=scoring, cv=FOLDS).fit(X, y)
    far_X, far_y = gaussians(rng, 1_000_000, 0.01)
    curve = br.Curve.from_scores(far_y, tuned.predict_proba(far_X)[:, 1])
    best = br.best_f1(curve)
    assert br.f1(curve.at_threshold(tuned.best_threshold_)) > 0.97 * best
    assert tuned.best_threshold_ == pytest.approx(best / 2, abs=0.05)


# --- what it refuses ------------------------------------------------------------------------------------


class Unsure(KnowsItsClasses):
    """An estimator that answers what it is told to."""

    def __init__(self, answer=None):
        self.answer = answer

    def predict_proba(self, X):
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [
        [[0.2, 0.9]],
        [[-0.1, 1.1]],
        [[np.nan, np.nan]],
        [[0.0, 0.0]],
        [0.2],
        [[0.2, 0.3, 0.5]],
    ],
)
def test_what_are_not_probabilities_is_refused(answer):
    model = shift(Unsure(np.array(answer))).fit([[0], [1]], [0, 1])
    with pytest.raises(br.errors.InputError, match="must give two columns of probabilities that add up to 1, got"):
        model.predict_proba([[0]])


def test_probabilities_in_32_bits_are_welcome():
    answer = np.array([[1 - 1e-3, 1e-3], [0.3, 0.7]], np.float32)
    moved = shift(Unsure(answer), from_prevalence=0.5).fit([[0], [1]], [0, 1]).predict_proba([[0], [0]])
    assert moved.dtype == np.float64
    assert moved.sum(1) == pytest.approx(1, rel=1e-15)


def test_refusals(data):
    X, y = data
    with pytest.raises(br.errors.InputError, match=r"^Only binary classification is supported, got 3 classes; .*\.$"):
        shift().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(br.errors.InputError, match=r"^y must have rows of both classes, got 1 class: \[0\]; .*\.$"):
        shift().fit(X, np.zeros(len(y), int))
    with pytest.raises(br.errors.InputError, match=r"^prevalence must be strictly between 0 and 1, got 1\.5"):
        shift(prevalence=1.5).fit(X, y)
    with pytest.raises(br.errors.InputError, match=r"^from_prevalence must be strictly between 0 and 1, got 0"):
        shift(from_prevalence=0).fit(X, y)
    with pytest.raises(br.errors.InputError, match=r"^estimator must have predict_proba, got LinearSVC\(\) without"):
        shift(LinearSVC()).fit(X, y)
    with pytest.raises(br.errors.InputError, match=r"^estimator must have the classes of y, got \[0, 1\] and \[3, 4\]"):
        shift(FrozenEstimator(LogisticRegression().fit(X / 1000, y))).fit(X, y + 3)
    with pytest.raises(
        br.errors.InputError,
        match=r"^sample_weight must be positive for some rows of each class, got a share of positives of 1\.0",
    ):
        shift(GaussianNB(), from_prevalence=0.5).fit(X, y, sample_weight=y)
    with pytest.raises(NotFittedError):
        shift().predict(X)
    with pytest.raises(TypeError, match="prevalence"):
        br.PriorShiftClassifier(MODEL)


# --- the door -------------------------------------------------------------------------------------------


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_scikit_learn_is_imported_when_it_is_asked_for():
    lines = [
        "import sys, baserate as br",
        "from baserate import *",
        "print('sklearn' in sys.modules, 'PriorShiftClassifier' in dir(br), 'sklearn' in sys.modules)",
        "print(br.PriorShiftClassifier.__name__, 'sklearn' in sys.modules, hasattr(br, 'PriorShift'))",
    ]
    assert run("\n".join(lines)) == "False True False\nPriorShiftClassifier True False"


def test_without_scikit_learn_a_sentence_says_how_to_install_it():
    lines = [
        "import sys, pydoc",
        "sys.modules['sklearn'] = None",
        "import baserate as br",
        "print('PriorShiftClassifier' in dir(br), len(pydoc.render_doc(br)) > 1000)",
        "for ask in ('br.PriorShiftClassifier', 'from baserate import PriorShiftClassifier'):",
        "    try: exec(ask)",
        "    except br.errors.MissingInformationError as error: print(error)",
    ]
    sentence = "a PriorShiftClassifier needs scikit-learn, which is not installed; pip install scikit-learn."
    assert run("\n".join(lines)) == f"False True\n{sentence}\n{sentence}"


def test_it_is_documented_like_every_public_name():
    assert br.PriorShiftClassifier.__doc__
    tests = doctest.DocTestFinder(recurse=False).find(br.PriorShiftClassifier, "PriorShiftClassifier")
    assert any(test.examples for test in tests)
