"""Logistic regression on counts, against other tools, a general optimiser and rows written out."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from baserate.formulas import logistic
from baserate.formulas.logistic import ClassSums, LogisticRows, LogOddsLine

SCORE = np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
POS = np.array([2, 3, 9, 8, 12, 15, 14, 25, 19])
NEG = np.array([40, 30, 35, 20, 14, 12, 9, 6, 3])
X = np.log(SCORE / (1 - SCORE))
ROWS = LogisticRows(X, POS * 1.0, NEG * 1.0)


def both(rows):
    return logistic.maximum(rows, logistic.start(rows, 0.0), "both")


def alone(rows):
    return logistic.maximum(rows, logistic.start(rows, 1.0), "intercept")


def test_statsmodels_gives_the_same_line_and_standard_errors():
    """GLM(Binomial) of statsmodels 0.15.0 with tol=1e-14, on these counts."""
    large, line = alone(ROWS), both(ROWS)
    assert large.line.intercept == pytest.approx(-0.264044530435438, abs=1e-12)
    assert np.sqrt(large.variance("intercept", "intercept")) == pytest.approx(0.16418930838770046, rel=1e-10)
    assert line.line == pytest.approx((-0.29627052434255197, 0.7774337824649257), abs=1e-12)
    assert np.sqrt(line.variance("intercept", "both")) == pytest.approx(0.15190375783721413, rel=1e-10)
    assert np.sqrt(line.variance("slope", "both")) == pytest.approx(0.09592806858129467, rel=1e-10)


def test_statsmodels_gives_the_same_sandwich():
    """GLM(Binomial, var_weights=…) of statsmodels 0.15.0 with cov_type="HC0": one row of each class at each score."""
    pos = np.array([1.0, 2.0, 0.5, 1.5, 1.0, 3.0, 0.7, 1.2, 2.2])
    neg = np.array([1.1, 0.4, 2.5, 1.0, 0.9, 1.3, 2.0, 0.6, 1.0])
    rows = LogisticRows(X, pos, neg)

    def error(best, of, free):
        parts = []
        for weight, positive in ((pos, True), (neg, False)):
            sums = ClassSums(weight, weight**2)
            spread = logistic.spread_of_class(X, best, sums, positive=positive, given_size=None)
            parts.append(logistic.sandwich(best, of, free, spread))
        return np.sqrt(sum(parts))

    large, line = alone(rows), both(rows)
    assert large.line.intercept == pytest.approx(0.33951998763360336, abs=1e-12)
    assert error(large, "intercept", "intercept") == pytest.approx(0.9429890441343113, rel=1e-10)
    assert line.line == pytest.approx((0.18851108424380364, 0.08481647221799449), abs=1e-12)
    assert error(line, "intercept", "both") == pytest.approx(0.5295731269223838, rel=1e-9)
    assert error(line, "slope", "both") == pytest.approx(0.2570736393663541, rel=1e-9)


def test_scatter_within_classes_is_that_of_rows_written_out():
    """With class sizes given: the covariance matrix of numpy, times the number of rows, class by class."""
    best = both(ROWS)
    design = np.stack([np.ones_like(X), X - best.mean])
    share = 1 / (1 + np.exp(-best.line.at(X)))
    for count, miss, positive in ((POS, 1 - share, True), (NEG, -share, False)):
        wanted = np.cov(np.repeat(miss * design, count, axis=1)) * count.sum()
        spread = logistic.spread_of_class(X, best, ClassSums(count, count), positive=positive, given_size=count.sum())
        assert spread == pytest.approx((wanted[0, 0], wanted[0, 1], wanted[1, 1]), rel=1e-10)


def test_scikit_learn_gives_the_same_line():
    rng = np.random.default_rng(0)
    x = rng.normal(-3, 2, 5000)
    y = rng.random(5000) < 1 / (1 + np.exp(0.7 - 1.4 * x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # C=inf and penalty=None have both been the way to say it
        model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(x[:, None], y)
    line = both(LogisticRows(x, y * 1.0, 1.0 - y)).line
    assert line == pytest.approx((model.intercept_[0], model.coef_[0, 0]), abs=1e-5)


@pytest.mark.slow
@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.floats(-30, 30), st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=8),
    st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_the_gradient_vanishes_at_the_maximum(entries, weight):
    """Also for scores far apart and classes of very different weight; no other line is more likely."""
    x, pos, neg = (np.array(column, float) for column in zip(*entries, strict=True))
    assume(pos.sum() > 0 and neg.sum() > 0)
    rows = LogisticRows(x, pos, neg * weight)
    best = alone(rows)
    expected = float(np.sum((rows.pos + rows.neg) / (1 + np.exp(-best.line.at(x)))))
    assert expected == pytest.approx(pos.sum(), rel=1e-9)
    if np.ptp(x[pos + neg > 0]) > 1e-3 and not logistic.is_separated(rows):
        line = both(rows)
        size = min(pos.sum(), rows.neg.sum())
        assert abs(line.gradient.intercept) <= 1e-7 * size
        assert abs(line.gradient.slope) <= 1e-7 * size * np.ptp(x)


def test_a_general_optimiser_finds_nothing_better():
    def loss(line):
        t = line[0] + line[1] * X
        return np.sum(POS * np.logaddexp(0, -t) + NEG * np.logaddexp(0, t))

    found = minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 5000})
    best = both(ROWS)
    assert best.line == pytest.approx(found.x, abs=1e-6)
    assert -best.log_likelihood == pytest.approx(found.fun, rel=1e-12)


def test_positives_far_below_all_negatives_are_reached():
    """Scores of 1e-300 that are always right: seven hundred units of log-odds away, where information underflows."""
    rows = LogisticRows(np.array([-690.0, -690.0]), np.array([50.0, 0.0]), np.array([0.0, 50.0]))
    assert alone(rows).line.intercept == pytest.approx(690.0, abs=1e-9)
    mixed = LogisticRows(np.array([-690.0, 690.0]), np.array([50.0, 0.0]), np.array([0.0, 50.0]))
    assert alone(mixed).line.intercept == pytest.approx(0.0, abs=1e-6)


def test_x_may_lie_far_away_and_vary_little():
    """A line about x - 7 is the same line, and x in units of a millionth has a million times the slope."""
    plain, moved = both(ROWS), both(LogisticRows(X * 1e-6 - 7, ROWS.pos, ROWS.neg))
    assert moved.line.slope == pytest.approx(1e6 * plain.line.slope, rel=1e-9)
    assert moved.line.intercept == pytest.approx(plain.line.intercept + 7e6 * plain.line.slope, rel=1e-9)
    assert moved.variance("slope", "both") == pytest.approx(1e12 * plain.variance("slope", "both"), rel=1e-7)


@pytest.mark.parametrize(
    ("pos", "neg", "separated"),
    [
        ([0, 0, 1], [1, 1, 0], True),
        ([1, 0, 0], [0, 1, 1], True),
        ([0, 1, 1], [1, 1, 0], True),  # they meet at one score, which no slope can do better at
        ([1, 1, 0], [0, 1, 1], True),
        ([1, 0, 1], [0, 1, 0], False),
        ([0, 1, 0], [1, 0, 1], False),
        ([1, 1, 1], [1, 0, 1], False),
    ],
)
def test_separation_is_seen(pos, neg, separated):
    assert logistic.is_separated(LogisticRows(np.array([-1.0, 0.0, 1.0]), np.array(pos), np.array(neg))) is separated


def test_many_rows_are_worked_on_in_pieces_that_add_up():
    rng = np.random.default_rng(1)
    x = rng.normal(size=50_000)
    y = (rng.random(50_000) < 0.3) * 1.0
    rows, line = LogisticRows(x, y, 1 - y), LogOddsLine(-0.3, 0.7)
    t = line.at(x)
    found = logistic.likelihood(rows, line, 0.0)
    assert found.log_likelihood == pytest.approx(-np.sum(np.logaddexp(0, np.where(y == 1, -t, t))), rel=1e-12)
    weight = 1 / (2 + 2 * np.cosh(t))
    assert found.mean == pytest.approx(np.sum(weight * x) / weight.sum(), rel=1e-9)
    assert found.information == pytest.approx((weight.sum(), np.sum(weight * (x - found.mean) ** 2)), rel=1e-9)


@pytest.mark.parametrize(("of", "free"), [("intercept", "intercept"), ("intercept", "both"), ("slope", "both")])
def test_sensitivity_bounds_what_small_moves_of_x_do(of, free):
    fit = both if free == "both" else alone
    best, slack = fit(ROWS), np.full(len(X), 1e-5)
    bound = logistic.sensitivity(ROWS, best, of, free, slack)
    rng = np.random.default_rng(2)
    largest = 0.0
    for _ in range(200):
        at_pos, at_neg = (X + rng.choice([-1e-5, 1e-5], len(X)) for _ in range(2))
        zero = np.zeros(len(X))
        moved = LogisticRows(np.append(at_pos, at_neg), np.append(ROWS.pos, zero), np.append(zero, ROWS.neg))
        largest = max(largest, abs(getattr(fit(moved).line, of) - getattr(best.line, of)))
    assert 0.4 * bound < largest <= bound * (1 + 1e-3)


@pytest.mark.parametrize(("free", "slope"), [("both", 0.0), ("intercept", 1.0)])
def test_many_rows_begin_near_their_line_and_end_at_the_same_one(monkeypatch, free, slope):
    rng = np.random.default_rng(3)
    x = np.sort(rng.normal(size=80_000))
    y = (rng.random(80_000) < 1 / (1 + np.exp(2 - 1.3 * x))) * 1.0
    rows, looks = LogisticRows(x, y, 1 - y), []
    likelihood = logistic.likelihood
    monkeypatch.setattr(
        logistic, "likelihood", lambda rows, *rest: looks.append(len(rows.x)) or likelihood(rows, *rest)
    )
    quick = logistic.maximum(rows, logistic.start(rows, slope), free)
    few = looks.count(len(x))
    monkeypatch.setattr(logistic, "_MANY", len(x))
    slow = logistic.maximum(rows, logistic.start(rows, slope), free)
    assert quick.line == pytest.approx(slow.line, rel=1e-9, abs=1e-12)
    assert few < looks.count(len(x)) - few
