"""The test against chance: beside scipy, beside going through all labellings by hand, and under the null itself."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, multivariate_hypergeom

import baserate as br
from baserate.formulas.mann_whitney import mann_whitney_tail
from baserate.registry import Family
from baserate.uncertainty import picks as picking
from baserate.uncertainty.chance import better_than_chance
from baserate.uncertainty.picks import picks
from helpers.simulated import normal_curve, normal_rows

pytestmark = pytest.mark.slow  # together, these take long

AREAS = {
    f"{row.name}{dict(parameters) or ''}": partial(row.function, **parameters) if parameters else row.function
    for row in br.METRICS.values()
    if row.family is Family.AREA
    for parameters in row.examples
}
ETAS = [None, 1e-6, 0.01, 0.9]


def read_at(curve, eta):
    return curve if eta is None else curve.at_prevalence(eta)


@pytest.fixture
def shuffling(monkeypatch):
    """As if there were too many labellings to go through."""
    monkeypatch.setattr(picking, "_FEW_LABELLINGS", 0)


# --- exact AUC-ROC --------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-1.5, 0.0, 0.5, 3.0])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (1, 9), (9, 1), (2, 2), (3, 40), (40, 3), (12, 15), (30, 30)])
def test_auc_roc_without_ties_has_the_p_value_of_scipy(n_pos, n_neg, shift):
    labels, scores = normal_rows(n_pos, n_neg, shift, rng=n_pos + n_neg)
    found = better_than_chance(br.roc_auc, br.Curve.from_scores(labels, scores))
    expected = mannwhitneyu(scores[:n_pos], scores[n_pos:], alternative="greater", method="exact").pvalue
    assert found.method == "exact"
    assert found.chance == 0.5
    assert found.p_value == pytest.approx(expected, rel=1e-12)


def orders_by_pairs(n_pos, n_neg):
    """How many orders have each number of pairs in the right order: the last row is a positive or a negative."""
    table = {(0, 0): [1]}
    for m, n in itertools.product(range(n_pos + 1), range(n_neg + 1)):
        counts = table.setdefault((m, n), [0] * (m * n + 1))
        if (m, n) == (0, 0):
            continue
        for before, added in (((m - 1, n), 0), ((m, n - 1), m)):
            for u, ways in enumerate(table.get(before, [])):
                counts[u + added] += ways
    return table[n_pos, n_neg]


@pytest.mark.parametrize(("n_pos", "n_neg"), [(25, 25), (4, 60)])
def test_the_law_of_mann_and_whitney_is_right_to_the_last_digits_in_both_tails(n_pos, n_neg):
    orders = orders_by_pairs(n_pos, n_neg)
    assert sum(orders) == math.comb(n_pos + n_neg, n_pos)
    for u in range(0, n_pos * n_neg + 1, 7):
        expected = sum(orders[u:]) / sum(orders)
        assert mann_whitney_tail(n_pos, n_neg, u) == pytest.approx(expected, rel=1e-14)


def test_a_part_of_the_auc_and_tied_scores_do_not_follow_mann_and_whitney():
    labels, scores = normal_rows(3, 5, 0.0)
    assert better_than_chance(partial(br.roc_auc, max_fpr=0.5), br.Curve.from_scores(labels, scores)).method != "exact"
    assert better_than_chance(br.roc_auc, br.Curve.from_scores(labels, np.round(scores))).method != "exact"


def test_large_data_are_shuffled():
    curve = normal_curve(1000, 2000)
    found = better_than_chance(br.roc_auc, curve, n_permutations=99, rng=0)
    assert (found.method, found.p_value) == ("permutation of 99", 0.01)


# --- all labellings -------------------------------------------------------------------------------

TINY = {
    "untied": ([0, 1, 0, 1, 0, 0, 1], [7, 6, 5, 4, 3, 2, 1]),
    "tied": ([0, 1, 0, 1, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 1, 1, 1, 0]),
    "mostly tied": ([1, 1, 0, 0, 1, 1, 0, 1, 0, 1], [2, 2, 2, 2, 1, 1, 1, 1, 1, 1]),
    "one positive": ([0, 0, 1, 0, 0, 0], [5, 4, 4, 3, 2, 2]),
    "one negative": ([1, 1, 0, 1, 1, 1], [5, 4, 4, 3, 2, 2]),
    "all tied": ([1, 0, 0, 1], [1, 1, 1, 1]),
}


def by_hand(metric, labels, scores, eta):
    value = metric(read_at(br.Curve.from_scores(labels, scores), eta))
    shuffled = []
    for positives in itertools.combinations(range(len(labels)), sum(labels)):
        relabelled = np.isin(np.arange(len(labels)), positives)
        shuffled.append(metric(read_at(br.Curve.from_scores(relabelled, scores), eta)))
    return np.mean(shuffled), np.mean(np.array(shuffled) >= value - 1e-12 * abs(value) - 1e-14)


@pytest.mark.filterwarnings("ignore::baserate.errors.UndefinedMetricWarning")
@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("metric", [br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc, br.best_f1])
@pytest.mark.parametrize("data", TINY.values(), ids=TINY)
def test_all_labellings_by_hand(data, metric, eta):
    found = better_than_chance(metric, read_at(br.Curve.from_scores(*data), eta))
    assert found.method == ("exact" if metric is br.roc_auc and len(set(data[1])) == len(data[1]) else "enumerated")
    assert (found.chance, found.p_value) == pytest.approx(by_hand(metric, *data, eta), rel=1e-10)


@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("data", TINY.values(), ids=TINY)
def test_all_labellings_by_hand_for_a_function_of_ones_own(data, eta):
    def best_youden(curve):
        return float(np.max(br.youden_j(curve)))

    found = better_than_chance(best_youden, read_at(br.Curve.from_scores(*data), eta))
    assert (found.metric, found.method) == ("best_youden", "enumerated")
    assert (found.chance, found.p_value) == pytest.approx(by_hand(best_youden, *data, eta), rel=1e-10, abs=1e-15)


def test_the_best_order_is_as_rare_as_it_should_be():
    curve = br.Curve.from_scores([1, 1, 1] + [0] * 40, range(43, 0, -1))
    for metric in (br.average_precision, br.roc_auc, br.auc_prg):
        assert better_than_chance(metric, curve).p_value == pytest.approx(1 / math.comb(43, 3), rel=1e-12)


def test_many_cases_at_few_scores_are_gone_through_too():
    """Two scores and thousands of cases: the positives above follow a hypergeometric law."""
    curve = br.Curve.from_counts([2, 1], pos=[60, 40], neg=[4000, 6000])
    found = better_than_chance(br.average_precision, curve)
    law = multivariate_hypergeom([4060, 6040], 100)
    expected = sum(law.pmf([k, 100 - k]) for k in range(60, 101))
    assert found.method == "enumerated"
    assert found.p_value == pytest.approx(expected, rel=1e-9)


# --- shuffling ------------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [None, 0.01])
@pytest.mark.parametrize("data", TINY.values(), ids=TINY)
def test_shuffling_agrees_with_going_through_all(data, eta, monkeypatch):
    curve = read_at(br.Curve.from_scores(*data), eta)
    exact = better_than_chance(br.auc_pr, curve)
    monkeypatch.setattr(picking, "_FEW_LABELLINGS", 0)
    found = better_than_chance(br.auc_pr, curve, n_permutations=4000, rng=1)
    p = exact.p_value
    assert found.method == "permutation of 4,000"
    assert found.p_value == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 4000) + 1 / 4001)
    assert found.chance == pytest.approx(exact.chance, rel=0.1)


@pytest.mark.parametrize(("totals", "n_picked"), [([1, 2, 1, 3], 2), ([1, 2, 1, 3], 5), ([1, 1, 1, 1, 1], 3)])
def test_picks_follow_the_hypergeometric_law(totals, n_picked):
    drawn = picks(np.array(totals), n_picked, 20_000, np.random.default_rng(0))
    ways = [tuple(part.by_score(i, len(totals)).tolist()) for part in drawn for i in range(len(part.place))]
    assert len(ways) == 20_000
    possible = [way for way in itertools.product(*(range(t + 1) for t in totals)) if sum(way) == n_picked]
    assert set(ways) <= set(possible)
    for way in possible:
        p = multivariate_hypergeom.pmf(way, totals, n_picked)
        assert ways.count(way) / 20_000 == pytest.approx(p, abs=4.5 * math.sqrt(p * (1 - p) / 20_000))


@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("decimals", [0, 1, 9], ids=["mostly tied", "tied", "untied"])
@pytest.mark.parametrize("metric", AREAS.values(), ids=AREAS)
def test_areas_of_many_labellings_at_once_equal_those_of_one_at_a_time(metric, decimals, eta, shuffling):
    labels, scores = normal_rows(12, 30, 0.3, rng=5)
    curve = read_at(br.Curve.from_scores(labels, np.round(scores, decimals)), eta)

    def own(curve):
        return metric(curve)

    at_once, in_turn = (better_than_chance(m, curve, n_permutations=20, rng=2) for m in (metric, own))
    if at_once.method != "exact":
        assert at_once.p_value == in_turn.p_value
        assert at_once.chance == pytest.approx(in_turn.chance, rel=1e-12, abs=1e-13)


def test_the_same_seed_gives_the_same_result_and_numpys_own_random_state_is_left_alone():
    curve = normal_curve(10, 200, 0.0)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (better_than_chance(br.auc_pr, curve, n_permutations=200, rng=seed) for seed in (3, 3, 4))
    generator = better_than_chance(br.auc_pr, curve, n_permutations=200, rng=np.random.default_rng(3))
    assert first == again == generator != other
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


# --- under the null -------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [None, 1e-4])
def test_above_the_baseline_is_not_a_test(eta):
    """Three positives in 500 get 2.92 times the prevalence on average, from a random order."""
    labels = np.isin(np.arange(1, 501), [12, 200, 300])
    curve = read_at(br.Curve.from_scores(labels, -np.arange(500)), eta)
    found = [better_than_chance(br.average_precision, curve, n_permutations=2000, rng=seed) for seed in range(10)]
    chances = [one.chance for one in found]
    error = np.std(chances, ddof=1) / math.sqrt(10)
    assert np.mean(chances) == pytest.approx(br.chance_average_precision(curve), abs=4 * error)
    assert found[0].value > 2 * curve.prevalence
    assert found[0].p_value > 0.05


@pytest.mark.parametrize("metric", [br.average_precision, br.auc_prg, br.roc_auc])
@pytest.mark.parametrize("decimals", [0, 9], ids=["tied", "untied"])
@pytest.mark.slow
def test_p_values_are_uniform_under_the_null(metric, decimals):
    rng = np.random.default_rng(11)
    p_values = []
    for _ in range(300):
        labels, scores = normal_rows(4, 36, 0.0, rng=rng)
        curve = br.Curve.from_scores(labels, np.round(scores, decimals)).at_prevalence(0.01)
        p_values.append(better_than_chance(metric, curve, n_permutations=199, rng=rng).p_value)
    error = math.sqrt(0.05 * 0.95 / 300)
    rejected = np.mean(np.array(p_values) <= 0.05)
    assert rejected <= 0.05 + 3 * error
    assert np.mean(p_values) >= 0.5 - 3 * math.sqrt(1 / 12 / 300)
    if decimals:  # with ties, equal values make p-values larger than they need be
        assert rejected >= 0.05 - 3 * error
        assert np.mean(p_values) <= 0.5 + 3 * math.sqrt(1 / 12 / 300) + 1 / 200


@pytest.mark.parametrize("eta", [None, 1e-9, 0.3, 1 - 1e-9])
@pytest.mark.parametrize("metric", AREAS.values(), ids=AREAS)
@pytest.mark.filterwarnings("ignore::baserate.errors.UndefinedMetricWarning")
def test_constant_scores_are_no_evidence_up_to_rounding(metric, eta, shuffling):
    curve = read_at(br.Curve.from_scores([0, 1, 0, 0, 1], [7] * 5), eta)
    found = better_than_chance(metric, curve, n_permutations=20, rng=0)
    assert math.isnan(found.value) or found.p_value == 1


@pytest.mark.parametrize(("value", "lower", "p_value"), [(3e6, 3e6 * (1 - 1e-13), 1), (3e6, 3e6 * (1 - 1e-11), 1 / 3)])
def test_values_that_differ_by_rounding_are_equal(value, lower, p_value):
    curve = br.Curve.from_scores([1, 0, 0], [3, 2, 1])
    found = better_than_chance(lambda curve: value if curve.pos[0] else lower, curve)
    assert found.p_value == pytest.approx(p_value, rel=1e-12)


# --- what it says, and when it says no ------------------------------------------------------------


def test_one_sentence():
    curve = br.Curve.from_scores(np.arange(500) < 3, -np.arange(500))
    found = better_than_chance(br.average_precision, curve, rng=0)
    assert str(found) == (
        f"average_precision 1 against {found.chance:.4g} by chance: p = 0.0001 (permutation of 10,000, "
        "prevalence 1 in 167, 3 pos, 497 neg)"
    )


@pytest.mark.parametrize(
    ("labels", "reason"),
    [([], br.Reason.NO_ROWS), ([0, 0], br.Reason.NO_POSITIVES), ([1, 1], br.Reason.NO_NEGATIVES)],
)
def test_without_a_class_there_is_nothing_to_test(labels, reason):
    found = better_than_chance(br.average_precision, br.Curve.from_scores(labels, labels))
    assert found.reason is reason
    assert math.isnan(found.p_value)
    assert math.isnan(found.chance)
    assert str(found).endswith("; " + reason.sentence)


def test_without_a_class_there_is_nothing_to_test_even_if_there_is_a_value():
    curve = br.Curve.from_scores([1, 1], [1, 2])
    found = better_than_chance(lambda curve: br.recall(curve.at_threshold(2)), curve)
    assert (found.value, found.method, found.reason) == (0.5, "none", br.Reason.NO_NEGATIVES)
    assert math.isnan(found.p_value)


def test_a_metric_that_does_not_exist_says_why():
    curve = br.Curve.from_scores([0, 1, 0, 1], [4, 3, 2, 1])
    found = better_than_chance(lambda curve: br.precision(curve.at_threshold(9)), curve)
    assert found.reason is br.Reason.NO_ALERTS
    assert math.isnan(found.p_value)


def test_undefined_values_of_shuffled_labels_count_as_no_worse():
    curve = br.Curve.from_scores([1, 0, 0, 0], [4, 3, 2, 1])
    found = better_than_chance(lambda curve: [1.0, 0.5, math.nan, 0.0][int(np.argmax(curve.pos))], curve)
    assert found.p_value == 0.5
    assert found.chance == 0.5


def test_infinities_are_compared_as_they_are():
    curve = br.Curve.from_scores([1, 0, 0, 0], [4, 3, 2, 1])
    assert better_than_chance(lambda curve: math.inf if curve.pos[0] else 0.0, curve).p_value == 0.25


COUNTS = {"pos": [2, 1], "neg": [3, 9]}
WEIGHTED = br.Curve.from_counts([2, 1], **COUNTS, pos_squares=[1, 1], neg_squares=[1, 1])


@pytest.mark.parametrize(
    ("metric", "at", "words"),
    [
        (br.auc_pr, WEIGHTED, "counts of cases by score, got a curve made from weighted rows"),
        (br.auc_pr, br.Curve.from_rates([0.5], [0.1], n_pos=10, n_neg=90), "made from rates"),
        (br.f1, br.Curve.from_counts([2, 1], **COUNTS), "of the whole curve where higher is better, got f1"),
        (br.min_auc_pr, br.Curve.from_counts([2, 1], **COUNTS), "where higher is better, got min_auc_pr"),
        (br.f1, br.Curve.from_counts([2, 1], **COUNTS).at_threshold(2), "curve must be a Curve, got a Point"),
        (br.auc_pr, [0.1, 0.2], "curve must be a Curve, got a list"),
        (br.auc_pr, br.Curve.from_counts([2, 1], pos=[10**6] * 2, neg=[10**9] * 2), "fewer than 1,000,000,000"),
    ],
)
def test_refusals(metric, at, words):
    with pytest.raises(br.BaserateError, match=words):
        better_than_chance(metric, at)


@pytest.mark.parametrize("wrong", [{"n_permutations": 0}, {"n_permutations": 1.5}, {"rng": "seed"}])
def test_wrong_settings(wrong):
    with pytest.raises(br.errors.InputError, match=next(iter(wrong))):
        better_than_chance(br.auc_pr, br.Curve.from_counts([2, 1], **COUNTS), **wrong)
