"""Recalibration: other libraries' values, laws, what is refused, and SQL."""

import json
import re
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.calibration import Recalibration, cross_fitted, recalibrate
from baserate.calibration.recalibration import METHODS, OF_LOG_ODDS
from helpers import calibration_sets
from helpers.calibration_sets import curve
from helpers.calibration_sets import inside as rows

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "recalibration.json").read_text(encoding="utf-8"))
PROBE = np.array(GOLDEN["probe"])
EVERY = pytest.mark.parametrize("name", calibration_sets.NAMES)
FITTED = [method for method in METHODS if method != "none"]


class Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probability is its only feature."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):
        return (X[:, 0] >= 0.5).astype(int)

    def __sklearn_is_fitted__(self):
        return True


# --- other libraries -------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize(("method", "read"), [("logistic", scipy.special.logit), ("platt", np.asarray)])
def test_scikit_learn_without_penalty_gives_the_same_line(name, method, read):
    score, label = rows(name)
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    theirs.fit(read(score)[:, np.newaxis], label)
    wanted = theirs.predict_proba(read(PROBE)[:, np.newaxis])[:, 1]
    assert recalibrate(curve(name), method, smoothing=0).map(PROBE) == pytest.approx(wanted, rel=1e-7)


@EVERY
def test_scikit_learn_gives_the_same_isotonic_rates(name):
    score, label = rows(name)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(score, label)
    everywhere = np.concatenate([score, PROBE, [0.0, 1.0], np.random.default_rng(0).random(500)])
    ours = recalibrate(curve(name), "isotonic", smoothing=0).map(everywhere)
    assert ours == pytest.approx(theirs.predict(everywhere), abs=1e-7)  # it keeps the rates as 32-bit floats


@EVERY
@pytest.mark.parametrize(
    ("method", "theirs", "smoothing", "close"),
    [("platt", "sigmoid", 1.0, 2e-4), ("isotonic", "isotonic", 0.0, 1e-7), ("temperature", "temperature", 0.0, 1e-3)],
)
def test_calibrated_classifier_of_scikit_learn(name, method, theirs, smoothing, close):
    score, label = rows(name)
    fitted = CalibratedClassifierCV(FrozenEstimator(Scores()), method=theirs).fit(score[:, np.newaxis], label)
    wanted = fitted.predict_proba(PROBE[:, np.newaxis])[:, 1]
    ours = recalibrate(curve(name), method, smoothing=smoothing)
    assert ours.map(PROBE) == pytest.approx(wanted, abs=close)  # its optimizer stops there
    assert _loss(ours, name, smoothing) <= _loss_of(fitted, name, smoothing) + 1e-10


def _targets(label, smoothing):
    n = np.where(label == 1, label.sum(), (1 - label).sum())
    own = (n + smoothing) / (n + 2 * smoothing)
    return np.where(label == 1, own, 1 - own)


def _loss(fitted, name, smoothing):
    score, label = rows(name)
    share, rest = fitted.shares(score)
    target = _targets(label, smoothing)
    return -np.mean(scipy.special.xlogy(target, share) + scipy.special.xlogy(1 - target, rest))


def _loss_of(theirs, name, smoothing):
    class Mapped:
        def shares(self, score):
            return theirs.predict_proba(score[:, np.newaxis])[:, ::-1].T

    return _loss(Mapped(), name, smoothing)


@EVERY
@pytest.mark.parametrize(
    ("method", "theirs", "close"),
    [
        ("beta", "betacal_abm", 3e-3),
        ("beta", "netcal_beta", 1e-4),
        ("logistic", "netcal_logistic", 5e-5),
        ("temperature", "netcal_temperature", 5e-6),
        ("isotonic", "netcal_isotonic", 1e-7),
    ],
)
def test_betacal_and_netcal(name, method, theirs, close):
    """betacal 1.1.0 and netcal 1.4.0, fitted to the same rows; their optimizers stop before ours."""
    ours = recalibrate(curve(name), method, smoothing=0)
    assert ours.map(PROBE) == pytest.approx(GOLDEN[name][theirs], abs=close)


@pytest.mark.parametrize("name", ["breast_cancer", "payments"])
def test_bins_of_netcal(name):
    """The simulated scores lie on edges, which netcal rounds otherwise: it has 0.30000000000000004 for 3/10."""
    ours = recalibrate(curve(name), "bins", smoothing=0, bins=10)
    assert ours.map(PROBE) == pytest.approx(GOLDEN[name]["netcal_bins"], abs=1e-9)


@EVERY
@pytest.mark.parametrize("closed", ["left", "right"])
def test_bins_counted_one_by_one(name, closed):
    score, label = rows(name)
    edges = [k / 10 for k in range(11)]
    fitted = recalibrate(curve(name), "bins", smoothing=0, bins=br.calibration.equal_width(10, closed=closed))
    for low, high in pairwise(edges):
        inside = (score >= low) & (score < high) if closed == "left" else (score > low) & (score <= high)
        here = [low, (low + high) / 2] if closed == "left" else [(low + high) / 2, high]
        assert fitted.map(here) == pytest.approx(label[inside].mean(), rel=1e-12)


@EVERY
@pytest.mark.parametrize("method", ["logistic", "platt", "temperature", "beta"])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_no_other_coefficients_have_a_lower_loss(name, method, smoothing):
    fitted = recalibrate(curve(name), method, smoothing=smoothing)
    best = _loss(fitted, name, smoothing)
    for key, value in fitted.coefficients.items():
        for moved in (value * (1 - 1e-3), value * (1 + 1e-3), value - 1e-3, value + 1e-3):
            other = Recalibration.from_json(fitted.to_json())
            other.coefficients[key] = moved
            assert _loss(other, name, smoothing) > best


def test_a_negative_coefficient_of_beta_is_left_out():
    """Scores that say nothing at one end: the best of all betas falls there, the best allowed one does not."""
    falls = br.Curve.from_counts([0.05, 0.2, 0.5, 0.8, 0.95], pos=[30, 15, 12, 30, 60], neg=[60, 60, 60, 60, 60])
    found = recalibrate(falls, "beta", smoothing=0)
    assert found.coefficients["a"] == 0 < found.coefficients["b"]
    grid = [0.01 * k for k in range(200)]
    share = falls.middle

    def loss(a, b, c):
        log_odds = a * np.log(share) - b * np.log1p(-share) + c
        return np.sum(falls.pos * np.logaddexp(0, -log_odds) + falls.neg * np.logaddexp(0, log_odds))

    b, c = found.coefficients["b"], found.coefficients["c"]
    assert loss(0, b, c) <= min(
        loss(a, b + shift, c + move) for a in grid for shift in (-0.01, 0, 0.01) for move in (-0.01, 0, 0.01)
    )
    worthless = br.Curve.from_counts([0.2, 0.5, 0.8], pos=[60, 20, 10], neg=[10, 20, 60])
    found = recalibrate(worthless, "beta").coefficients
    assert (found["a"], found["b"]) == (0, 0)


# --- laws ------------------------------------------------------------------------------------------

counts = st.lists(st.integers(0, 30), min_size=4, max_size=4)


@given(pos=counts, neg=counts, eta=st.sampled_from([0.001, 0.2, 0.7]))
def test_steps_are_the_same_whether_moved_before_or_after(pos, neg, eta):
    """Under prior shift isotonic rates and rates of bins do not depend on where they were fitted."""
    pos[0] += 1
    neg[1] += 1
    one = br.Curve.from_counts([0.1, 0.3, 0.6, 0.9], pos, neg)
    for method, smoothing in [("isotonic", 0.0), ("isotonic", 1.0), ("bins", 2.0)]:
        before = recalibrate(one, method, smoothing=smoothing).at_prevalence(eta)
        after = recalibrate(one.at_prevalence(eta), method, smoothing=smoothing)
        assert before.map(one.score) == pytest.approx(after.map(one.score), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", FITTED)
def test_moved_to_another_prevalence(method):
    one = curve("simulated")
    fitted = recalibrate(one, method)
    moved = fitted.at_prevalence("1 in 1,000")
    wanted = br.adjust(fitted.map(PROBE), one.prevalence, 0.001)
    assert moved.map(PROBE) == pytest.approx(wanted, rel=1e-12)
    assert moved.at_prevalence(one.prevalence).map(PROBE) == pytest.approx(fitted.map(PROBE), rel=1e-12)


@pytest.mark.parametrize("method", FITTED)
def test_a_weight_counts_as_often_and_a_given_prevalence_weights_negatives(method):
    score, label = rows("breast_cancer")
    one = br.Curve.from_scores(label, score)
    bins = 10 if method == "bins" else None
    thrice = recalibrate(br.Curve.from_scores(label, score, weight=np.full(len(score), 3.0)), method, bins=bins)
    assert thrice.map(PROBE) == pytest.approx(recalibrate(one, method, bins=bins).map(PROBE), rel=1e-9)
    eta = one.n_pos / (one.n_pos + 5 * one.n_neg)
    heavy = br.Curve.from_scores(label, score, weight=np.where(label == 1, 1.0, 5.0))
    of_heavy, read = (
        recalibrate(curve, method, smoothing=0, bins=bins).map(PROBE) for curve in (heavy, one.at_prevalence(eta))
    )
    assert of_heavy == pytest.approx(read, rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_scores_and_equal_scores(method):
    fitted = recalibrate(curve("simulated"), method)
    along = fitted.map(np.linspace(0.001, 0.999, 999))
    assert method == "bins" or (np.diff(along) >= 0).all()
    assert ((along > 0) & (along < 1)).all()
    after = fitted.curve(curve("simulated"))
    assert after.n_pos == curve("simulated").n_pos
    if method != "bins":
        assert br.roc_auc(after) <= br.roc_auc(curve("simulated")) + 0.05


def test_scores_outside_of_what_was_fitted():
    one = br.Curve.from_counts([-1.0, 0.5, 3.0], pos=[1, 5, 9], neg=[9, 5, 1])
    for method in ("isotonic", "bins"):
        fitted = recalibrate(one, method)
        assert fitted.map([-np.inf, -7.0]) == pytest.approx(fitted.map([-1.0])[0])
        assert fitted.map([np.inf, 7.0]) == pytest.approx(fitted.map([3.0])[0])
    line = recalibrate(one, "platt").map([-np.inf, -7.0, -1.0, 3.0, 7.0, np.inf])
    assert (line[0], line[-1]) == (0, 1)
    assert (np.diff(line) > 0).all()


def test_smoothing_keeps_rates_from_0_and_1():
    one = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[0, 5, 10], neg=[10, 5, 0])
    assert recalibrate(one, "isotonic", smoothing=0).map([0.1, 0.9]).tolist() == [0, 1]
    assert recalibrate(one, "isotonic").map([0.1, 0.9]) == pytest.approx([0.5 / 10.5, 10 / 10.5])
    by_bin = recalibrate(one, "bins", bins=[0, 0.2, 0.8, 1]).map([0.1, 0.5, 0.9])
    assert by_bin == pytest.approx([0.5 / 11, 0.5, 10.5 / 11])


def test_buckets_have_one_rate_and_sampled_rows_are_fitted_by_their_weights():
    bucketed = br.Curve.from_counts([0.1, 0.5], pos=[10, 40], neg=[90, 10], top=[0.2, 0.9])
    fitted = recalibrate(bucketed, "isotonic", smoothing=0)
    assert fitted.map([0.0, 0.1, 0.15, 0.2, 0.5, 0.9, 1.0]).round(12).tolist() == [0.1] * 4 + [0.8] * 3
    assert fitted.curve(bucketed).score.round(12).tolist() == [0.8, 0.1]
    rng = np.random.default_rng(1)
    score = rng.random(20_000)
    label = (rng.random(20_000) < score**2).astype(float)
    known = np.where((score >= 0.9) | (rng.random(20_000) < 0.1), label, np.nan)
    sampled = br.Curve.from_sampled(known, score, rule="all >= 0.9, else 10 %")
    whole = recalibrate(br.Curve.from_scores(label, score), "beta").map(PROBE)
    assert recalibrate(sampled, "beta").map(PROBE) == pytest.approx(whole, abs=0.04)
    with pytest.raises(br.errors.MissingInformationError, match="map the scores of its rows"):
        recalibrate(sampled).curve(sampled)
    with pytest.raises(br.errors.MissingInformationError, match="cross-fitting cannot yet"):
        cross_fitted(sampled)


def test_an_estimated_prevalence():
    labelled = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[10, 30, 60], neg=[800, 150, 50])
    now = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[0, 0, 0], neg=[690, 190, 120])
    found = br.prior.estimate_prevalence(labelled, now)
    fitted = recalibrate(labelled)
    assert fitted.at_prevalence(found) == fitted.at_prevalence(found.value)
    nothing = br.prior.estimate_prevalence(labelled, [])
    with pytest.raises(br.errors.MissingInformationError, match="an estimated prevalence must exist"):
        fitted.at_prevalence(nothing)


# --- refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: recalibrate(curve("payments"), "magic"), "method must be one of"),
        (lambda: recalibrate(curve("payments"), bins=5), "bins are for the method 'bins'"),
        (lambda: recalibrate(curve("payments"), smoothing=-1), "smoothing must be finite and not negative"),
        (lambda: recalibrate(br.Curve.from_scores([1, 1], [0.2, 0.3])), "needs rows of both classes"),
        (lambda: recalibrate(br.Curve.from_scores([0, 1], [0.0, 0.3])), "scores strictly between 0 and 1, got 0.0"),
        (lambda: recalibrate(br.Curve.from_scores([0, 1], [-np.inf, 0.3]), "platt"), "needs finite scores"),
        (lambda: recalibrate(br.Curve.from_scores([0, 1], [0.3, 0.3])), "needs two scores or more"),
        (lambda: recalibrate(br.Curve.from_scores([0, 1], [0.2, 0.3]), smoothing=0), "classes that overlap"),
        (lambda: recalibrate(br.Curve.from_scores([0, 1], [0.2, 3.0])), "got scores from 0.2 to 3"),
        (lambda: recalibrate(curve("payments")).map([1.2]), "scores must be probabilities"),
        (lambda: recalibrate(curve("payments")).sql(" "), "column must be a column"),
        (lambda: recalibrate(curve("payments")).sql(3), "column must be text, got 3; pass one name in quotes"),
        (lambda: recalibrate(curve("payments")).sql({"a": 1}), "column must be text, got a dict"),
        (lambda: recalibrate(curve("payments")).sql(np.True_), "column must be text, got a bool"),
    ],
)
def test_refused(call, said):
    with pytest.raises(br.errors.BaserateError, match=said):
        call()


def test_separated_classes_have_a_finite_map_with_smoothing():
    apart = br.Curve.from_counts([0.2, 0.3, 0.7, 0.8], pos=[0, 0, 5, 5], neg=[5, 5, 0, 0])
    for method in FITTED:
        share = recalibrate(apart, method).map([0.2, 0.8])
        assert 0.02 < share[0] < 0.2, method
        assert 0.8 < share[1] < 0.98, method


# --- SQL -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("eta", [None, 1e-4])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_sql_gives_the_same_probabilities(method, eta, smoothing):
    fitted = recalibrate(curve("breast_cancer"), method, smoothing=smoothing)
    fitted = fitted if eta is None else fitted.at_prevalence(eta)
    scores = np.concatenate([[0.0, 1.0, 1e-300], PROBE, fitted.score, np.random.default_rng(6).random(50)])
    got, kinds = in_duckdb(fitted, scores.tolist())
    assert got == pytest.approx(fitted.map(scores).tolist(), rel=1e-9, abs=1e-290)
    assert kinds == {"DOUBLE"}


def in_duckdb(fitted, scores):
    """The SQL at scores, and the types of its answers."""
    with duckdb.connect() as connection:
        query = f"SELECT q, typeof(q) FROM (SELECT {fitted.sql('p')} AS q FROM (SELECT unnest(?)::DOUBLE AS p))"
        written = [None if score is None else repr(float(score)) for score in scores]  # a NaN would become a null
        answers = connection.execute(query, [written]).fetchall()
    return [share for share, _ in answers], {kind for _, kind in answers}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("eta", [None, 1e-4])
def test_sql_is_null_where_there_is_no_probability(method, eta):
    fitted = recalibrate(curve("breast_cancer"), method, smoothing=0)
    fitted = fitted if eta is None else fitted.at_prevalence(eta)
    read = {}
    for score in (np.nan, -np.inf, -1e300, -0.5, -5e-324, 0.0, 1.0, np.nextafter(1, 2), 1.5, np.inf):
        try:
            read[score] = pytest.approx(float(fitted.map([score])[0]), rel=1e-9, abs=1e-290)
        except br.errors.InputError:
            read[score] = None
    got, _ = in_duckdb(fitted, list(read))
    assert got == list(read.values())
    assert got[0] is None
    assert in_duckdb(fitted, [None])[0] == [None]


@pytest.mark.parametrize("method", METHODS)
def test_sql_takes_no_branch_for_nan_where_it_lies_beside_all_numbers(method):
    """As IEEE compares, unlike DuckDB: the outermost conditions, read as Python."""
    said = recalibrate(curve("payments"), method).sql("p")
    conditions = re.findall(r"WHEN (.*?) THEN", said if method in OF_LOG_ODDS else said[: said.index(" THEN") + 5])
    assert conditions
    for condition in conditions:
        python = (
            re.sub(r"(.*) BETWEEN 0 AND 1", r"0 <= \1 <= 1", condition).replace("AND", "and").replace(" = ", " == ")
        )
        reads = [eval(python, {"p": value}) for value in (0.0, 0.5, 1.0)]
        assert any(reads), condition
        assert not eval(python, {"p": np.nan}), condition
    inner = re.sub(r"(?<!^)CASE.*?END", "", said)
    assert "ELSE" not in inner


@pytest.mark.parametrize("scores", [[-np.inf, 0.3, 0.5, 0.7], [0.2, 0.3, 0.5, np.inf]])
@pytest.mark.parametrize("method", ["isotonic", "bins"])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_sql_of_infinite_knots(method, scores):
    fitted = recalibrate(br.Curve.from_scores([0, 1, 0, 1], scores), method)
    probe = [-np.inf, -1e300, 0.0, 0.3, 0.4, 0.6, 1e300, np.inf]
    assert in_duckdb(fitted, probe)[0] == pytest.approx(fitted.map(probe).tolist(), rel=1e-12)
