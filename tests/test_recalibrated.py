"""RecalibratedClassifier beside scikit-learn's CalibratedClassifierCV, and in scikit-learn's checks."""

import doctest
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import baserate as br
from helpers.scikit import breast_cancer

# A row of weight 2 is in one fold, and its two copies may be in two; CalibratedClassifierCV fails these, too.
OTHER_FOLDS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "rows are dealt to folds" for kind in ("dense", "sparse")
}


@pytest.fixture(scope="module")
def data():
    X, y = breast_cancer()
    return np.asarray(X), np.asarray(y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")  # the checks' own
@parametrize_with_checks(
    [br.RecalibratedClassifier(LogisticRegression(), cv=2, prevalence=0.3)],
    expected_failed_checks=lambda _: OTHER_FOLDS,
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("method", "theirs", "close"), [("isotonic", "isotonic", 1e-6), ("platt", "sigmoid", 1e-3)])
@pytest.mark.parametrize("estimator", [GaussianNB(), LinearSVC(random_state=0)])
def test_scikit_learn_calibrates_so(data, method, theirs, close, estimator):
    X, y = data
    # Of Platt's targets, weights of 1 to 3 are fewer rows here than there.
    weight = None if method == "platt" else np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    smoothing = 0.0 if method == "isotonic" else 1.0
    ours = br.RecalibratedClassifier(estimator, method=method, smoothing=smoothing).fit(X, y, sample_weight=weight)
    other = CalibratedClassifierCV(estimator, method=theirs, cv=5, ensemble=False).fit(X, y, sample_weight=weight)
    assert ours.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=close)


def test_the_map_is_the_one_of_predictions_for_rows_left_out(data):
    X, y = data
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = br.RecalibratedClassifier(GaussianNB(), method="beta", cv=folds).fit(X[:, :1], y)
    left_out = np.zeros(len(y))
    for fit, judge in folds.split(X, y):
        left_out[judge] = GaussianNB().fit(X[fit, :1], y[fit]).predict_proba(X[judge, :1])[:, 1]
    assert model.recalibration_ == br.calibration.recalibrate(br.Curve.from_scores(y, left_out), "beta")
    plain = GaussianNB().fit(X[:, :1], y).predict_proba(X[:, :1])[:, 1]
    assert model.predict_proba(X[:, :1])[:, 1] == pytest.approx(model.recalibration_.map(plain))


def test_another_prevalence_in_one_step(data):
    X, y = data
    here = br.RecalibratedClassifier(GaussianNB()).fit(X[:, :1], y)
    rare = br.RecalibratedClassifier(GaussianNB(), prevalence="1 in 1,000").fit(X[:, :1], y)
    wanted = br.adjust(here.predict_proba(X[:, :1])[:, 1], y.mean(), 0.001)
    assert rare.predict_proba(X[:, :1])[:, 1] == pytest.approx(wanted, rel=1e-9)
    assert rare.predict(X[:, :1]).sum() < here.predict(X[:, :1]).sum()


def test_a_fitted_model_learns_from_other_rows(data):
    X, y = data
    fitted = FrozenEstimator(GaussianNB().fit(X[:300, :1], y[:300]))
    model = br.RecalibratedClassifier(fitted, method="isotonic").fit(X[300:, :1], y[300:])
    score = fitted.predict_proba(X[300:, :1])[:, 1]
    assert model.recalibration_ == br.calibration.recalibrate(br.Curve.from_scores(y[300:], score), "isotonic")


def test_search_pickle_text_labels_and_routing(data):
    X, y = data
    grid = {"method": ["platt", "isotonic"], "estimator__var_smoothing": [1e-9, 1e-3]}
    found = GridSearchCV(br.RecalibratedClassifier(GaussianNB(), cv=3), grid, cv=3, scoring="neg_log_loss").fit(X, y)
    again = pickle.loads(pickle.dumps(found.best_estimator_))
    assert (again.predict_proba(X) == found.predict_proba(X)).all()
    text = br.RecalibratedClassifier(GaussianNB()).fit(X[:, :1], np.where(y == 1, "malign", "benign"))
    assert set(text.predict(X[:, :1])) == {"benign", "malign"}
    weight = np.linspace(1, 2, len(y))
    plain = br.RecalibratedClassifier(GaussianNB()).fit(X[:, :1], y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_fit_request(sample_weight=True)
        routed = br.RecalibratedClassifier(asking).fit(X[:, :1], y, sample_weight=weight)
    assert routed.recalibration_ == plain.recalibration_


def test_refused_and_the_example(data):
    X, y = data
    with pytest.raises(br.errors.InputError, match="method must be one of"):
        br.RecalibratedClassifier(GaussianNB(), method="magic").fit(X, y)
    with pytest.raises(br.errors.InputError, match="estimator must have predict_proba"):
        br.RecalibratedClassifier(LinearSVC(), method="beta").fit(X, y)
    tests = doctest.DocTestFinder(recurse=False).find(br.RecalibratedClassifier, "RecalibratedClassifier")
    assert [doctest.DocTestRunner().run(test).failed for test in tests] == [0]
