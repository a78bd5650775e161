"""Means over folds and tasks, and the PR curve of the mean area."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from helpers.simulated import normal_curve


@pytest.fixture
def folds():
    rng = np.random.default_rng(3)
    return [normal_curve(*sizes, rng=rng, decimals=2) for sizes in ((30, 300), (7, 1000), (200, 100), (1, 50))]


# --- the curve ------------------------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [1e-6, 0.001, 0.05, 0.5, 0.999])
def test_its_area_is_the_mean_area(folds, prevalence):
    summary = br.folds.summary_pr_curve(folds, prevalence)
    mean = np.mean([br.auc_pr(fold.at_prevalence(prevalence)) for fold in folds])
    assert summary.area == pytest.approx(mean, rel=1e-12, abs=0)
    assert br.folds.mean_over_folds(br.auc_pr, folds, prevalence=prevalence).value == pytest.approx(mean, rel=1e-14)
    assert (summary.n_curves, summary.prevalence, summary.reasons) == (4, prevalence, {})


counts = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8).filter(
    lambda rows: all(map(sum, zip(*rows, strict=True)))
)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(counts, min_size=1, max_size=4), st.floats(1e-6, 1 - 1e-6))
def test_its_area_is_the_mean_area_of_any_curves(tables, prevalence):
    folds = [br.Curve.from_counts(range(len(rows)), *zip(*rows, strict=True)) for rows in tables]
    mean = np.mean([br.auc_pr(fold.at_prevalence(prevalence)) for fold in folds])
    assert br.folds.summary_pr_curve(folds, prevalence).area == pytest.approx(mean, rel=1e-12, abs=1e-15)


def interpolated(curve, recall):
    """Precision at a recall from first principles: FPR is linear in recall between two thresholds."""
    tpr, fpr = np.r_[0, curve.tpr], np.r_[0, curve.fpr]
    k = int(np.flatnonzero(tpr >= recall)[0])
    share = (recall - tpr[k - 1]) / (tpr[k] - tpr[k - 1])
    f = fpr[k - 1] + share * (fpr[k] - fpr[k - 1])
    return curve.prevalence * recall / (curve.prevalence * recall + (1 - curve.prevalence) * f)


def test_it_is_the_mean_precision_at_each_recall(folds):
    summary = br.folds.summary_pr_curve(folds, 0.05)
    read = [fold.at_prevalence(0.05) for fold in folds]
    ends = slice(1, None, 2)  # the last point of each stretch
    expected = [np.mean([interpolated(fold, recall) for fold in read]) for recall in summary.recall[ends]]
    np.testing.assert_allclose(summary.precision[ends], expected, rtol=1e-12)
    # Just behind the beginning of a stretch the curves are where its first point says.
    width = np.diff(summary.recall)[::2]
    behind = summary.recall[::2] + 1e-9 * width
    near = [np.mean([interpolated(fold, recall) for fold in read]) for recall in behind[1:]]
    np.testing.assert_allclose(summary.precision[2::2], near, rtol=1e-6)
    assert summary.recall[0] == 0
    assert summary.recall[-1] == 1
    assert list(summary.rows()[0]) == ["prevalence", "recall", "precision"]


def test_a_curve_that_begins_with_a_hit_begins_with_its_precision():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    summary = br.folds.summary_pr_curve([curve], 0.05)
    assert summary.precision[0] == pytest.approx(br.precision(curve.at_threshold(0.9)))
    first_wrong = br.Curve.from_counts([0.2, 0.9], pos=[50, 0], neg=[900, 50])
    assert br.folds.summary_pr_curve([first_wrong], 0.05).precision[0] == 0


def test_curves_without_a_class_are_left_out_and_named(folds):
    empty = br.Curve.from_counts([0.1], pos=[0], neg=[5])
    by_key = dict(zip("abcd", folds, strict=True)) | {"none": empty}
    summary = br.folds.summary_pr_curve(by_key, 0.05)
    assert summary.area == br.folds.summary_pr_curve(folds, 0.05).area
    assert summary.reasons == {"none": br.Reason.NO_POSITIVES}
    assert str(summary).startswith("mean of 4 PR curves at prevalence 1 in 20, 1 left out, area 0.")
    nothing = br.folds.summary_pr_curve([empty], 0.05)
    assert math.isnan(nothing.area)
    assert (nothing.n_curves, len(nothing.recall)) == (0, 0)
    assert str(nothing).endswith("no area")


def test_curves_of_rates_and_of_weights(folds):
    rates = br.Curve.from_rates([0.3, 0.9], [0.01, 0.4])
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 50)
    weighted = br.Curve.from_scores(y, rng.normal(y, 1), weight=rng.uniform(0.1, 3, 50))
    curves = [rates, weighted, *folds]
    mean = np.mean([br.auc_pr(one.at_prevalence(0.01)) for one in curves])
    assert br.folds.summary_pr_curve(curves, 0.01).area == pytest.approx(mean, rel=1e-12)


# --- means ----------------------------------------------------------------------------------------


def with_auc_pr(area, n_neg_per_pos):
    """A curve of the skew whose AUC-PR is the one wanted: some positives first, the others among the negatives."""
    n = 20_000

    def made(first):
        return br.Curve.from_counts([0, 1], [n - first, first], [n * n_neg_per_pos, 0])

    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if br.auc_pr(made(middle)) < area else (low, middle)
    return made(low)


# Boyd et al., ICML 2012, table 3: negatives per positive, AUCPR, AUCNPR.
TABLE_3 = [
    (1, 0.851, 0.785),
    (2, 0.740, 0.680),
    (3, 0.678, 0.627),
    (4, 0.701, 0.665),
    (5, 0.599, 0.560),
    (10, 0.383, 0.352),
    (24, 0.363, 0.349),
    (24, 0.330, 0.316),
    (24, 0.343, 0.329),
    (24, 0.334, 0.320),
]


def test_boyd_table_3():
    tasks = {i: with_auc_pr(area, skew) for i, (skew, area, _) in enumerate(TABLE_3)}
    plain = br.folds.mean_over_folds(br.auc_pr, tasks)
    normalized = br.folds.mean_over_folds(br.normalized_auc_pr, tasks)
    assert list(plain.each.values()) == pytest.approx([area for _, area, _ in TABLE_3], abs=1e-4)
    # The table's areas are rounded to three digits, which the normalized ones feel a little more.
    assert list(normalized.each.values()) == pytest.approx([area for _, _, area in TABLE_3], abs=1.3e-3)
    assert plain.normalized == normalized.value
    assert plain.prevalences == (0.04, 0.5)
    assert "folds differ in prevalence" in plain.caution
    assert normalized.caution is None
    assert normalized.normalized is None


def test_the_two_means_rank_models_differently_where_they_should():
    """Where the floor is high, as with balanced classes, less of an area is a model's own doing."""
    first = {"balanced": with_auc_pr(0.851, 1), "rare": with_auc_pr(0.330, 24)}
    second = {"balanced": with_auc_pr(0.811, 1), "rare": with_auc_pr(0.375, 24)}
    a, b = (br.folds.mean_over_folds(br.auc_pr, tasks) for tasks in (first, second))
    assert a.value < b.value
    assert a.normalized > b.normalized
    # At one prevalence there is one floor, and the two means agree.
    for prevalence in (0.04, 0.5):
        a, b = (br.folds.mean_over_folds(br.auc_pr, tasks, prevalence=prevalence) for tasks in (first, second))
        assert (a.value > b.value) == (a.normalized > b.normalized)
        assert a.caution is None


ONE_CLASS = {
    "both": br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]),
    "no positives": br.Curve.from_counts([0.2], pos=[0], neg=[9]),
    "no negatives": br.Curve.from_counts([0.2], pos=[9], neg=[0]),
    "no rows": br.Curve.from_counts([], [], []),
}
REASONS = {
    "no positives": br.Reason.NO_POSITIVES,
    "no negatives": br.Reason.NO_NEGATIVES,
    "no rows": br.Reason.NO_ROWS,
}


@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_undefined_folds_are_left_out_and_counted(prevalence):
    found = br.folds.mean_over_folds(br.auc_pr, ONE_CLASS, prevalence=prevalence)
    alone = br.folds.mean_over_folds(br.auc_pr, [ONE_CLASS["both"]], prevalence=prevalence)
    assert (found.value, found.normalized) == (alone.value, alone.normalized)
    assert (found.n_counted, found.n_undefined, found.reasons) == (1, 3, REASONS)
    assert "3 undefined, left out" in str(found)
    assert math.isnan(found.spread)
    assert [row["reason"] for row in found.rows()] == [None, *REASONS.values()]


def test_boyds_convention_is_there_on_request_and_is_reported():
    found = br.folds.mean_over_folds(br.auc_pr, ONE_CLASS, undefined="boyd")
    own = br.auc_pr(ONE_CLASS["both"])
    assert found.value == pytest.approx((own + 0 + 1) / 3, rel=1e-15)
    assert found.normalized == pytest.approx((br.normalized_auc_pr(ONE_CLASS["both"]) + 0 + 1) / 3, rel=1e-15)
    assert (found.n_counted, found.reasons) == (3, REASONS)  # without rows there is nothing to count
    assert "by Boyd's convention" in str(found)
    part = partial(br.auc_pr, recall_range=(0.5, 0.75))
    assert br.folds.mean_over_folds(part, ONE_CLASS, undefined="boyd").each["no negatives"] == 0.25


def test_nothing_but_undefined_folds():
    found = br.folds.mean_over_folds(br.auc_pr, [ONE_CLASS["no rows"], ONE_CLASS["no positives"]])
    assert math.isnan(found.value)
    assert (found.n_counted, found.n_undefined) == (0, 2)


def test_spread_and_other_metrics(folds):
    found = br.folds.mean_over_folds(br.roc_auc, folds)
    each = [br.roc_auc(fold) for fold in folds]
    assert (found.value, found.spread) == (pytest.approx(np.mean(each)), pytest.approx(np.std(each, ddof=1)))
    assert (found.normalized, found.caution) == (None, None)
    average = br.folds.mean_over_folds(br.average_precision, folds)
    assert average.normalized == pytest.approx(np.mean([br.normalized_average_precision(fold) for fold in folds]))
    assert br.folds.mean_over_folds(partial(br.average_precision, recall_range=(0, 0.5)), folds).normalized is None


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            lambda c: br.folds.mean_over_folds(br.roc_auc, [c], undefined="boyd"),
            "undefined='boyd' needs an area under the PR",
        ),
        (lambda c: br.folds.mean_over_folds(br.auc_pr, [c], undefined="Boyd"), "did you mean 'boyd'"),
        (lambda c: br.folds.mean_over_folds("auc_pr", [c]), "metric must be a function"),
        (lambda c: br.folds.mean_over_folds(br.auc_pr, []), "at least one Curve, got none"),
        (
            lambda c: br.folds.mean_over_folds(br.auc_pr, c),
            "a mapping of names to Curves or a list of Curves, got a Curve",
        ),
        (
            lambda c: br.folds.summary_pr_curve([c, 1], 0.1),
            "to Curves or a list of Curves, got a list",
        ),
        (lambda c: br.folds.summary_pr_curve([c], 1.5), "prevalence must be strictly between 0 and 1"),
    ],
)
def test_bad_input_is_a_sentence(folds, asked, sentence):
    with pytest.raises(br.errors.InputError, match=sentence.replace("(", r"\(")):
        asked(folds[0])


# --- from scikit-learn ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def breast_cancer():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, 1 - y


def cross_validated(model, X, y, **options):
    from sklearn.model_selection import cross_validate

    return cross_validate(model, X, y, return_estimator=True, return_indices=True, cv=4, **options)


@pytest.mark.parametrize("kind", ["pandas", "numpy", "lists", "polars"])
def test_curves_of_folds_are_those_that_scikit_learn_scores(breast_cancer, kind):
    from sklearn.naive_bayes import GaussianNB

    X, y = breast_cancer
    if kind == "numpy":
        X, y = X.to_numpy(), y.to_numpy()
    elif kind == "lists":
        X, y = X.to_numpy().tolist(), y.tolist()
    elif kind == "polars":
        import polars as pl

        X = pl.from_pandas(X)
    results = cross_validated(GaussianNB(), X, y, scoring="average_precision")
    folds = br.folds.curves_from_cv(results, X, y)
    assert [br.average_precision(fold) for fold in folds] == pytest.approx(list(results["test_score"]), rel=1e-12)


@pytest.mark.parametrize("positive", ["benign", "malignant"])
def test_either_class_may_be_the_positive_one(breast_cancer, positive):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import average_precision_score, make_scorer
    from sklearn.naive_bayes import GaussianNB

    X, y = breast_cancer
    y = y.map({0: "benign", 1: "malignant"})
    for model in (GaussianNB(), LinearDiscriminantAnalysis()):
        response = ("decision_function", "predict_proba")
        scoring = make_scorer(average_precision_score, response_method=response, pos_label=positive)
        results = cross_validated(model, X, y, scoring=scoring)
        folds = br.folds.curves_from_cv(results, X, y, positive=positive)
        assert [br.average_precision(fold) for fold in folds] == pytest.approx(list(results["test_score"]), rel=1e-12)


def test_what_cross_validate_must_be_asked_for(breast_cancer):
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB

    X, y = breast_cancer
    with pytest.raises(br.errors.InputError, match="call cross_validate with return_estimator=True"):
        br.folds.curves_from_cv(cross_validate(GaussianNB(), X, y), X, y)
    with pytest.raises(br.errors.InputError, match="call cross_validate with return_indices=True"):
        br.folds.curves_from_cv(cross_validate(GaussianNB(), X, y, return_estimator=True), X, y)
    results = cross_validated(GaussianNB(), X, y)
    with pytest.raises(br.errors.InputError, match="positive must be one of the classes"):
        br.folds.curves_from_cv(results, X, y, positive=7)
    three = cross_validated(GaussianNB(), X, np.arange(len(y)) % 3)
    with pytest.raises(br.errors.InputError, match="must have two classes, got 3"):
        br.folds.curves_from_cv(three, X, y)
