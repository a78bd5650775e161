"""What other tools get wrong, each found by running them. One test per trap, named after it."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import average_precision_score

import baserate as br
from helpers.simulated import normal_curve

ETAS = [1e-9, 1e-4, 0.03, 0.5, 0.97, 1 - 1e-9]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.random(3000) < 0.2
    return y, np.round(rng.normal(size=3000) + 1.2 * y, 1)  # one decimal: many ties


@pytest.mark.parametrize("eta", ETAS)
def test_constant_scores_get_exactly_the_prevalence(eta):
    curve = br.Curve.from_scores([0, 1, 0, 0, 1], [7, 7, 7, 7, 7]).at_prevalence(eta)
    for metric in (br.average_precision, br.auc_pr):
        assert metric(curve) == pytest.approx(eta, rel=1e-15)
    assert br.auc_prg(curve) == pytest.approx(0, abs=1e-15)
    assert br.roc_auc(curve) == 0.5


def test_ties_do_not_depend_on_row_order(rows):
    y, s = rows
    curve = br.Curve.from_scores(y, s)
    rng = np.random.default_rng(0)
    for order in (np.argsort(y), np.argsort(~y), rng.permutation(len(y))):
        assert br.Curve.from_scores(y[order], s[order]) == curve


def test_ties_of_weighted_rows_do_not_depend_on_row_order(rows):
    y, s = rows
    weight = np.random.default_rng(1).random(len(y))
    curve = br.Curve.from_scores(y, s, weight=weight)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        assert br.Curve.from_scores(y[order], s[order], weight=weight[order]) == curve


def test_auc_prg_begins_where_recall_equals_the_prevalence_read_at():
    """Hand-made: T rises to 1 with F = 0.2, so precision gain is 1 - 0.2/T; integrate over recall gain."""
    curve = br.Curve.from_scores([0, 1, 1, 1, 1, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1])
    for eta in (0.3, 0.5, 0.9):
        u = np.linspace(1, 1 / eta, 1_000_001)
        expected = np.trapezoid(1 - 0.2 * u, u) * eta / (1 - eta)
        assert br.auc_prg(curve.at_prevalence(eta)) == pytest.approx(expected, rel=1e-10)


def test_auc_prg_of_a_useful_model_never_exceeds_one(rows):
    curve = br.Curve.from_scores(*rows)
    values = br.sweep(br.auc_prg, curve, np.geomspace(1e-6, 0.99, 200)).value
    assert (values <= 1).all()
    assert (values > 0).all()


def test_auc_prg_below_chance_is_negative():
    assert br.auc_prg(br.Curve.from_scores([0, 0, 1, 1], [4, 3, 2, 1])) < 0


def test_prevalence_applies_point_by_point_and_never_to_an_area(rows):
    curve = br.Curve.from_scores(*rows)
    eta, pi = 0.7, curve.prevalence
    area = br.average_precision(curve)
    shortcut = area * eta / (area * eta + (1 - area) * (1 - eta) * pi / (1 - pi))
    y, s = rows
    weight = np.where(y, 1.0, pi * (1 - eta) / (eta * (1 - pi)))
    read = br.average_precision(curve.at_prevalence(eta))
    assert read == pytest.approx(average_precision_score(y, s, sample_weight=weight), rel=1e-12)
    assert abs(read - shortcut) > 0.01


def test_prior_of_the_sample_respects_weights_and_the_positive_label():
    y, s, w = np.array([0, 1, 1, 0]), np.array([1, 2, 3, 4]), np.array([1.0, 2.0, 3.0, 6.0])
    assert br.Curve.from_scores(y, s, weight=w).prevalence == 5 / 12
    flipped = br.Curve.from_scores(y, s, weight=w, positive=0)
    assert flipped.prevalence == 7 / 12
    expected = average_precision_score(1 - y, s, sample_weight=w)
    assert br.average_precision(flipped) == pytest.approx(expected, rel=1e-14)


def test_no_point_is_invented_at_recall_zero():
    """The best score is a negative: precision there is 0, and nothing above it counts."""
    curve = br.Curve.from_scores([0, 1], [2, 1])
    assert br.average_precision(curve) == 0.5
    assert br.precision(curve).tolist() == [0, 0.5]
    assert curve.best(br.precision).threshold == 1
    assert br.auc_pr(curve) == pytest.approx(1 - np.log(2), rel=1e-15)
    with pytest.warns(br.errors.UndefinedMetricWarning, match="nothing is predicted positive"):
        assert np.isnan(br.precision(curve.at_threshold(3)))


@pytest.mark.parametrize("name", [name for name, row in br.METRICS.items() if row.family.name == "AREA"])
@pytest.mark.parametrize(
    ("y", "reason"), [([], "no_rows"), ([0, 0], "no_positives"), ([1, 1], "no_negatives")], ids=["empty", "neg", "pos"]
)
def test_one_class_is_nan_with_a_reason(name, y, reason):
    curve = br.Curve.from_scores(y, np.arange(len(y)))
    row = br.METRICS[name]
    for read in (curve, curve.at_prevalence(0.1)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert np.isnan(row.function(read, **row.examples[0]))
        assert [item.message.reason for item in caught] == [reason]


@pytest.mark.parametrize("y", [[], [0, 0], [1, 1]], ids=["empty", "neg", "pos"])
def test_one_class_warns_once_and_only_about_itself(y):
    curve = br.Curve.from_scores(y, np.arange(len(y)))
    for row in br.METRICS.values():
        for read in (curve, curve.at_prevalence(0.1)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                value = np.asarray(row.function(read, **row.examples[0]))
            assert {item.category for item in caught} <= {br.errors.UndefinedMetricWarning}
            assert len(caught) == int(np.isnan(value).any())


@pytest.mark.filterwarnings("ignore::baserate.errors.UndefinedMetricWarning")
def test_one_class_never_gives_0_or_1_to_a_metric_of_both():
    for y in ([0, 0], [1, 1]):
        curve = br.Curve.from_scores(y, [0.1, 0.2])
        for row in br.METRICS.values():
            if row.name not in ("recall", "specificity"):
                assert np.isnan(row.function(curve, **row.examples[0])).all(), row.name
    assert br.recall(br.Curve.from_scores([1, 1], [1, 2])).tolist() == [0.5, 1]


def test_recall_without_positives_says_so():
    with pytest.warns(br.errors.UndefinedMetricWarning, match="there are no positives"):
        br.recall(br.Curve.from_scores([0, 0], [1, 2]))


def test_one_positive_is_enough():
    curve = br.Curve.from_scores([0, 1, 0], [1, 2, 3])
    assert br.average_precision(curve) == 0.5
    assert br.min_average_precision(curve) == pytest.approx(1 / 3)


def test_sweeps_carry_the_reason_and_do_not_warn():
    swept = br.sweep(br.average_precision, br.Curve.from_scores([0, 0], [1, 2]), [0.1, 0.2])
    assert np.isnan(swept.value).all()
    assert swept.reason is br.Reason.NO_POSITIVES
    swept = br.sweep(br.precision, br.Point.from_counts(tp=0, fp=0, fn=5, tn=0), [0.1, 0.2])
    assert np.isnan(swept.value).tolist() == [True, True]
    assert swept.reason is br.Reason.NO_NEGATIVES
    swept = br.sweep(br.precision, br.Point.from_rates(0, 0), [0.1, 0.2])
    assert swept.reason is br.Reason.NO_ALERTS
    swept = br.sweep(lambda point: 2 * br.precision(point), br.Point.from_rates(0, 0), [0.1])
    assert swept.reason is br.Reason.NO_ALERTS
    assert br.sweep(br.precision, br.Point.from_rates(1, 0.1), [0.1]).reason is None


def test_infinite_scores_are_scores():
    y, s = [0, 1, 1, 0], [-np.inf, np.inf, 0, 0]
    assert br.Curve.from_scores(y, s).score.tolist() == [np.inf, 0, -np.inf]
    assert br.roc_auc(br.Curve.from_scores(y, s)) == br.roc_auc(br.Curve.from_scores(y, [0, 2, 1, 1]))


def test_scores_are_never_squashed_or_flipped():
    """Margins stay margins, and a ranking worse than chance stays worse."""
    y = np.array([0, 0, 1, 1])
    assert br.roc_auc(br.Curve.from_scores(y, [40, 50, 60, 70])) == 1
    assert br.roc_auc(br.Curve.from_scores(y, [70, 60, 50, 40])) == 0
    saturated = np.array([30.0, 40, 50, 60])
    assert len(np.unique(expit(saturated))) < 4
    assert br.roc_auc(br.Curve.from_scores(y, saturated)) == 1


@pytest.mark.parametrize("eta", [1e-9, 1 - 1e-9])
def test_extreme_prevalences_stay_accurate(eta):
    """All metrics are held to fifty digits elsewhere; this is the shortest way to see it fail."""
    point = br.Point.from_rates(0.5, 0.25, prevalence=eta)
    assert br.precision(point) == pytest.approx(eta * 0.5 / (eta * 0.5 + (1 - eta) * 0.25), rel=1e-15)
    assert br.lift(point) == pytest.approx(0.5 / br.alert_rate(point), rel=1e-14)
    curve = br.Curve.from_rates([0.5], [0.1], prevalence=eta)
    floor = eta / 2 + eta**2 / 6 if eta < 0.5 else 1 + (1 - eta) * np.log(1 - eta)
    assert br.min_auc_pr(curve) == pytest.approx(floor, rel=1e-12)


@pytest.mark.slow
def test_chance_with_few_positives_is_above_the_prevalence():
    curve = br.Curve.from_counts([0.0], [3], [497])
    assert br.chance_average_precision(curve) / curve.prevalence == pytest.approx(2.92, abs=0.005)
    rng = np.random.default_rng(0)
    y = np.arange(500) < 3
    for eta in (None, 0.2):
        read = curve if eta is None else curve.at_prevalence(eta)
        drawn = [br.Curve.from_scores(y, rng.random(500)) for _ in range(4000)]
        mean = np.mean([br.average_precision(c if eta is None else c.at_prevalence(eta)) for c in drawn])
        assert br.chance_average_precision(read) == pytest.approx(mean, rel=0.05)


def test_above_the_baseline_is_not_a_test():
    """Three positives in 500, at ranks 20, 200 and 300: four times the prevalence, as chance would have it."""
    curve = br.Curve.from_scores([int(rank in (20, 200, 300)) for rank in range(1, 501)], -np.arange(500))
    assert br.average_precision(curve) > 3.8 * curve.prevalence
    assert br.better_than_chance(br.average_precision, curve, rng=0).p_value > 0.05


def test_wilson_on_alerts_holds_at_one_prevalence_only():
    """60 right alerts of 160 have one Wilson interval; the interval of precision moves with the prevalence."""
    point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    here, rare = br.estimate(br.precision, point), br.estimate(br.precision, point.at_prevalence(1e-5))
    assert here.low > 10 * rare.high


def test_a_threshold_chosen_on_the_data_is_not_a_given_one():
    curve = normal_curve(100, 10_000, 1.5, rng=5)
    chosen = curve.at_recall(0.6)
    given = curve.at_threshold(chosen.threshold)
    again = br.estimate(br.precision, chosen, about="rule", rng=0)
    assert again.width > 2 * br.estimate(br.precision, given).width


def test_few_positives_are_resampled_within_their_class():
    """Rows drawn from both classes together would leave out two positives of 500 rows every seventh time."""
    curve = normal_curve(2, 498, rng=5)
    found = br.estimate(br.average_precision, curve, method="percentile", rng=0)
    assert found.reason is None
    assert 0 < found.low < found.high < 1


def test_delong_neither_leaves_the_unit_interval_nor_collapses():
    nearly = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], range(8))
    assert br.estimate(br.roc_auc, nearly, method="delong").high < 1
    separated = br.Curve.from_scores([0, 0, 0, 0, 1, 1, 1, 1], range(8))
    assert br.estimate(br.roc_auc, separated, method="delong").reason is br.Reason.NO_VARIATION
    assert br.estimate(br.roc_auc, separated, rng=0).low < 0.9


def test_the_band_of_f1_lets_recall_vary():
    """T .6 ± .1, F .01 ± .005 at prevalence .05; with recall held at .6 it would be [.618, .714]."""
    band = br.papers.box_band(br.f1, [0.05], tpr=(0.5, 0.7), fpr=(0.005, 0.015))
    assert (band.low[0], band.high[0]) == pytest.approx((0.560, 0.780), abs=5.001e-4)


def test_weights_are_never_ignored():
    y, s = [0, 1, 0, 1], [1, 2, 3, 4]
    plain, weighted = br.Curve.from_scores(y, s), br.Curve.from_scores(y, s, weight=[1, 2, 3, 4])
    assert br.average_precision(plain) != br.average_precision(weighted)


def test_very_uneven_weights_lose_nothing():
    curve = br.Curve.from_scores([1, 1, 0, 0], [0.9, 0.1, 0.9, 0.1], weight=[1e17, 1, 1, 1])
    assert br.npv(curve.at_threshold(0.5)) == 0.5
    assert br.npv(curve.at_threshold(0.5).at_prevalence(0.5)) == pytest.approx(1, abs=1e-15)
    uneven = br.Curve.from_scores([0, 1, 1, 0], [5, 4, 3, 3], weight=[1e-20, 1e-20, 1, 1])
    assert br.auc_pr(uneven) == 0.5
    cut = br.Curve.from_scores([1, 1, 1, 0, 0], [5, 4, 3, 4.5, 3], weight=[1, 1e-20, 1, 1, 1])
    whole = br.auc_pr(cut, recall_range=(0, 0.1)) + br.auc_pr(cut, recall_range=(0.1, 0.9))
    whole += br.auc_pr(cut, recall_range=(0.9, 1))
    assert whole == pytest.approx(br.auc_pr(cut), rel=1e-14)


def test_scores_one_ulp_apart_are_distinct():
    a = 0.7
    curve = br.Curve.from_scores([0, 1], [a, np.nextafter(a, 1)])
    assert br.roc_auc(curve) == 1
    assert curve.at_threshold(np.nextafter(a, 1)).fpr == 0
    assert curve.at_threshold(a).fpr == 1


def test_float32_scores_are_not_widened_into_new_ties():
    s = np.array([0.7, np.nextafter(np.float32(0.7), np.float32(1))], np.float32)
    curve = br.Curve.from_scores([0, 1], s)
    assert len(curve) == 2
    assert curve.at_threshold(s[1]).tpr == 1
    assert curve.at_threshold(s[1]).fpr == 0


def test_batches_and_the_pool_are_identical(rows):
    y, s = rows
    batches = [br.Curve.from_scores(y[k : k + 7], s[k : k + 7]) for k in range(0, len(y), 7)]
    assert sum(batches) == br.Curve.from_scores(y, s)


def test_counts_stay_exact_beyond_2_24_and_2_31_rows():
    for n in (2**24, 2**31, 2**45):
        curve = br.Curve.from_counts([3, 2, 1], [1, 0, 1], [n, 1, n + 1])
        assert curve.n_neg == 2 * n + 2
        assert curve.at_threshold(2).confusion.fp == n + 1
        assert br.roc_auc(curve) == 0.5 * (n + 2 + n / 2) / (2 * n + 2) + 0.5 * (n + 1) / 2 / (2 * n + 2)


@pytest.mark.slow
def test_ten_million_rows_of_ties():
    y = np.zeros(10_000_000, bool)
    y[::1000] = True
    curve = br.Curve.from_scores(y, np.ones(len(y), np.float32))
    assert (curve.n_pos, curve.n_neg, len(curve)) == (10_000, 9_990_000, 1)
    assert br.average_precision(curve) == 0.001


def test_importing_baserate_loads_no_heavy_library():
    heavy = ["sklearn", "pandas", "polars", "pyarrow", "matplotlib", "scipy.stats", "scipy.optimize", "scipy.special"]
    code = f"import sys, baserate; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
