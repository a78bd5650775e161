"""Two models on the same rows: differences, tests, leads and crossings."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import baserate as br
from baserate.uncertainty import contests, ends
from baserate.uncertainty.contests import methods_of
from baserate.uncertainty.difference import contest_of
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings
from baserate.uncertainty.lead import _nearest_swap
from baserate.uncertainty.readers import values
from baserate.uncertainty.samplers import NOBODY, Observer, Streams

pytestmark = pytest.mark.slow  # together, these take long


def rows(seed, n_pos=60, n_neg=300, distances=(1.5, 1.0), correlation=0.7, decimals=None):
    """Scores of two models that agree in part."""
    rng = np.random.default_rng(seed)
    label = np.repeat([1, 0], [n_pos, n_neg])
    common, own_a, own_b = rng.normal(size=(3, n_pos + n_neg))
    share = math.sqrt(correlation)
    a = share * common + math.sqrt(1 - correlation) * own_a + distances[0] * label
    b = share * common + math.sqrt(1 - correlation) * own_b + distances[1] * label
    return (label, a, b) if decimals is None else (label, a.round(decimals), b.round(decimals))


def placements(label, score):
    pos, neg = score[label == 1], score[label == 0]
    wins = (pos[:, np.newaxis] > neg) + 0.5 * (pos[:, np.newaxis] == neg)
    return wins.mean(axis=1), wins.mean(axis=0)


@pytest.mark.parametrize("decimals", [None, 0])
def test_delong_by_placements(decimals):
    label, a, b = rows(0, decimals=decimals)
    (pos_a, neg_a), (pos_b, neg_b) = placements(label, a), placements(label, b)
    variance = np.var(pos_a - pos_b, ddof=1) / 60 + np.var(neg_a - neg_b, ddof=1) / 300
    value = roc_auc_score(label, a) - roc_auc_score(label, b)
    found = br.difference(br.roc_auc, br.Pair.from_scores(label, a, b), method="delong")
    margin = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((value - margin, value + margin), rel=1e-10)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(value) / math.sqrt(variance)), rel=1e-9)
    plain = br.difference(br.roc_auc, br.Pair.from_scores(label, a, b), method="influence")
    assert 0.98 < (plain.high - plain.low) / (found.high - found.low) < 1


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [None, 1])
def test_resampling_groups_is_resampling_rows(decimals):
    """Differences over resampled groups of rows and over resampled rows have one distribution."""
    label, a, b = rows(1, 15, 80, decimals=decimals)
    rng = np.random.default_rng(0)
    by_row = []
    for _ in range(1200):
        kept = np.concatenate([rng.integers(0, 15, 15), rng.integers(15, 95, 80)])
        scores = [average_precision_score(label[kept], score[kept]) for score in (a, b)]
        by_row.append(scores[0] - scores[1])
    contest = contest_of(br.average_precision, br.Pair.from_scores(label, a, b), None)
    [worth] = drawn(contest.sampler(again=True), [Reader(contest.read_off)], 5000, (1, 2, 3))
    assert stats.ks_2samp(by_row, worth[0, :, 0, 0] - worth[0, :, 1, 0]).pvalue > 0.01


def test_both_models_see_the_same_rows():
    """Where the models agree on every row, draws differ only by what is not placed, and resamples not at all."""
    label, a, _ = rows(2)
    pair = br.Pair.from_scores(label, a, 3 * a + 1)
    contest = contest_of(br.average_precision, pair, None)
    for again in (True, False):
        sampler = contest.sampler(again=again)
        masses = sampler.masses(20, Streams.of((1, 2, 3)))
        for observer in (NOBODY, sampler.pessimist, sampler.optimist):
            of_a, of_b = sampler.seen_by(observer, masses)
            assert (of_a.steps.tp == of_b.steps.tp).all()
            assert (of_a.steps.fp == of_b.steps.fp).all()
    found = br.difference(br.average_precision, pair, method="percentile", rng=0)
    assert found.value == found.low == found.high == 0
    assert found.p_value == 1
    assert br.difference(br.roc_auc, pair, method="delong").reason is br.Reason.NO_VARIATION
    for method in (None, "melded"):
        melded = br.difference(br.average_precision, pair, method=method, rng=0)
        assert melded.low < 0 < melded.high
        assert melded.p_value == 1


@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc, br.auc_prg])
def test_pairing_narrows(metric):
    """Models that agree are compared more sharply than their two intervals would."""
    pair = br.Pair.from_scores(*rows(3, 100, 1000, correlation=0.95))
    found = br.difference(metric, pair, rng=0)
    alone = [br.estimate(metric, curve, rng=0).width for curve in (pair.a, pair.b)]
    assert found.high - found.low < 0.8 * math.hypot(*alone)


def test_methods_agree_on_ordinary_data():
    pair = br.Pair.from_scores(*rows(4, 300, 3000))
    found = {
        m: br.difference(br.roc_auc, pair, method=m, rng=0)
        for m in ("delong_t", "expanded", "melded", "percentile", "influence", "delong")
    }
    for one in found.values():
        assert one.low == pytest.approx(found["delong"].low, abs=0.006)
        assert one.high == pytest.approx(found["delong"].high, abs=0.006)
        assert one.p_value < 0.01
        assert one.value == found["delong"].value


def test_p_values_are_two_sided():
    """Where DeLong gives a p-value that is neither tiny nor large, draws give about the same, or more."""
    compared = 0
    for seed in range(12):
        pair = br.Pair.from_scores(*rows(seed, 300, 3000, distances=(1.1, 1.0)))
        delong = br.difference(br.roc_auc, pair, method="delong").p_value
        if 0.02 < delong < 0.5:
            compared += 1
            resampled, melded = (
                br.difference(br.roc_auc, pair, method=method, rng=0, n_resamples=1000).p_value
                for method in ("percentile", "melded")
            )
            assert delong / 1.4 - 0.01 < resampled < 1.4 * delong + 0.03
            assert resampled - 0.02 < melded < 3 * delong + 0.03  # on the safe side
    assert compared >= 3


@pytest.mark.slow
def test_intervals_of_differences_hold():
    """True differences by a large sample; 120 small test sets, at two prevalences."""
    truth_rows = br.Pair.from_scores(*rows(99, 40_000, 400_000))
    for prevalence in (0.2, 0.01):
        big = truth_rows.at_prevalence(prevalence)
        truth = br.average_precision(big.a) - br.average_precision(big.b)
        held = 0
        for seed in range(120):
            pair = br.Pair.from_scores(*rows(seed, 40, 400)).at_prevalence(prevalence)
            found = br.difference(br.average_precision, pair, rng=seed, n_resamples=300)
            held += found.low <= truth <= found.high
        assert held >= 0.93 * 120 - 2 * math.sqrt(120 * 0.93 * 0.07)


def test_operating_points():
    pair = br.Pair.from_scores(*rows(5, 100, 1000))
    chosen = br.difference(br.precision, pair, at=lambda curve: curve.at_recall(0.6), rng=0)
    given = br.difference(
        br.precision,
        pair,
        at=(
            lambda curve: curve.at_threshold(pair.a.at_recall(0.6).threshold),
            lambda curve: curve.at_threshold(pair.b.at_recall(0.6).threshold),
        ),
        rng=0,
    )
    assert chosen.value == pytest.approx(given.value)
    assert chosen.high - chosen.low > given.high - given.low
    cost = partial(br.expected_cost, cost_fn=10, cost_fp=1)
    found = br.difference(cost, pair, at=lambda curve: curve.best(cost), rng=0)
    assert found.value < 0  # the first model is better, hence cheaper
    assert found.low < found.value < found.high


@pytest.mark.parametrize("threshold", [-math.inf, -9.0, 0.0, 0.5, 9.0, math.inf])
def test_a_given_threshold_leaves_a_table_of_counts_however_many_rows_there_are(threshold):
    label, a, b = rows(12, n_pos=3000, n_neg=9000, decimals=1)
    contest = contest_of(br.recall, br.Pair.from_scores(label, a, b), lambda curve: curve.at_threshold(threshold))
    sampler = contest.sampler()
    for shared, is_in, size in ((sampler.pos, label == 1, 1), (sampler.neg, label == 0, 2)):
        groups = zip(*shared.cell.tolist(), shared.part.rows.tolist(), strict=True)
        found = np.zeros((2, 2))
        for of_a, of_b, n in groups:  # a negative may be tied with the threshold
            found[int(of_a >= size), int(of_b >= size)] += n
        seen = [is_in & (score < threshold) for score in (a, b)]
        wanted = [[np.sum(is_in & (seen[0] == i) & (seen[1] == j)) for j in (False, True)] for i in (False, True)]
        np.testing.assert_array_equal(found, wanted)
        assert len(shared.part.rows) <= 9


@pytest.mark.parametrize("free", [0.5, 1.0])
def test_a_given_threshold_is_drawn_like_a_proportion(free):
    """Alone, a fixed threshold in drawn curves has the law of the closed form, with so much of a row free."""
    label, a, _ = rows(6)
    pair = br.Pair.from_scores(label, a, a + 1)
    contest = contest_of(br.recall, pair, lambda curve: curve.at_threshold(0.77))
    sampler = contest.sampler()
    sides = sampler.pessimist, sampler.optimist
    observers = tuple(Observer(side.models, free, free) for side in sides)
    reader = Reader(lambda models: values(br.recall, contest.places[0], models[0], np.ones(1)), observers)
    [(low, high)] = drawn(sampler, [reader], 20_000, (1, 2, 3))
    above = np.count_nonzero(a[label == 1] >= 0.77)
    assert stats.kstest(low[:, 0], stats.beta(above, 60 - above + free).cdf).pvalue > 0.001
    assert stats.kstest(high[:, 0], stats.beta(above + free, 60 - above).cdf).pvalue > 0.001


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n_pos", [8, 60])
def test_p_values_agree_with_intervals(n_pos, level):
    """No difference is outside where the p-value is below what the level leaves, and inside where it is above."""
    compared = 0
    for seed in range(8):
        pair = br.Pair.from_scores(*rows(seed, n_pos, 200, distances=(1.7, 0.6)))
        for metric, at in ((br.average_precision, None), (br.roc_auc, None), (br.precision, "recall >= 0.5")):
            known = methods_of(contest_of(metric, pair, at))
            for method in known:
                found = br.difference(metric, pair, at=at, method=method, confidence_level=level, rng=seed)
                inside = found.low <= 0 <= found.high
                if not 0.9 * (1 - level) < found.p_value < 1.1 * (1 - level):  # ends are draws
                    assert (found.p_value > 1 - level) == inside, (metric, method)
                    compared += not inside
    assert compared >= 20


@pytest.mark.parametrize("prevalence", [None, 1e-4])
def test_one_model_less_another_is_the_other_less_the_one(prevalence):
    label, a, b = rows(3, 40, 400)
    for method in ("expanded", "melded"):
        pairs = (br.Pair.from_scores(label, *both) for both in ((a, b), (b, a)))
        one, other = (
            br.difference(
                br.average_precision,
                pair if prevalence is None else pair.at_prevalence(prevalence),
                method=method,
                rng=0,
            )
            for pair in pairs
        )
        assert one.value == pytest.approx(-other.value, rel=1e-12)
        width = one.high - one.low
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=0.12 * width)


def test_below_the_own_prevalence_an_unseen_negative_widens():
    """Perfect at the top, nothing in the rows says how precision falls once prevalence does."""
    label, a, b = rows(10, 40, 400, distances=(6.0, 6.0))
    pair = br.Pair.from_scores(label, a, b).at_prevalence(1e-5)
    default, plain = (br.difference(br.average_precision, pair, method=m, rng=0) for m in (None, "percentile"))
    assert default.method == "expanded"
    assert default.low < plain.low
    assert default.high > plain.high
    at_home = br.Pair.from_scores(label, a, b)
    wide, narrow = (br.difference(br.average_precision, at_home, method=m, rng=0) for m in (None, "percentile"))
    assert wide.high - wide.low == pytest.approx(narrow.high - narrow.low, rel=0.3)


@pytest.mark.parametrize("n", [4, 30, 3000])
def test_expanded_ends_are_those_of_students_law(n):
    """Of normal replicates, with as many degrees of freedom as the smaller class has rows, less one."""
    replicates = stats.norm.ppf((np.arange(400_000) + 0.5) / 400_000)[np.newaxis, :, np.newaxis]
    low, high, p = ends.expanded(replicates + 1.0, np.ones(1), 0.95, n)
    reach = stats.t(n - 1).ppf(0.975)
    assert (low[0], high[0]) == pytest.approx((1 - reach, 1 + reach), rel=0.01)
    assert p[0] == pytest.approx(2 * stats.t(n - 1).sf(1.0), rel=0.01)


def test_what_draws_show_of_a_bias_is_taken_back():
    """On the side of the bias only, by the multiple that is asked for; the p-value goes with the ends."""
    replicates = stats.norm.ppf((np.arange(40_000) + 0.5) / 40_000)[np.newaxis, :, np.newaxis] + 0.2
    value = np.array([2.1])
    low, high, p = ends.expanded(replicates + 2.1, value, 0.95, 1000)
    lower, higher, larger = ends.expanded(replicates + 2.1, value, 0.95, 1000, 3.0)
    assert (low[0] > 0 > lower[0], p[0] < 0.05 < larger[0]) == (True, True)
    assert (low[0] - lower[0], higher[0]) == pytest.approx((0.6, high[0]), rel=1e-6)


@pytest.mark.slow
def test_models_of_unequal_shape_are_compared_without_their_bias(monkeypatch):
    """One of them has positives 2.5 times as spread; intervals of the bootstrap alone held in 90 % of test sets."""
    models = [stats.norm(1.5), stats.norm(0.7828165873, 2.5)]
    truth = np.subtract(*(true_average_precision(one, 0.01) for one in models))
    held, random = {3.0: 0, 0.0: 0}, np.random.default_rng(8)
    for seed in range(120):
        noise = random.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 1030).T
        label = np.arange(1030) < 30
        scores = [np.where(label, one.mean() + one.std() * z, z) for one, z in zip(models, noise, strict=True)]
        pair = br.Pair.from_scores(label, *scores).at_prevalence(0.01)
        for biases in held:
            monkeypatch.setattr(contests, "_BIASES", biases)
            found = br.difference(br.average_precision, pair, n_resamples=400, rng=seed)
            held[biases] += found.low <= truth <= found.high
    assert held[3.0] >= 120 * 0.93 - 2 * np.sqrt(120 * 0.93 * 0.07)
    assert held[3.0] > held[0.0]


def true_average_precision(positives, prevalence):
    tpr = (np.arange(20_000) + 0.5) / 20_000
    fpr = stats.norm.sf(positives.isf(tpr))
    return np.mean(prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr))


def test_questions_of_two_models_share_their_draws():
    """A lead at many prevalences is what each is alone, draw by draw."""
    pair = br.Pair.from_scores(*rows(3, 40, 400))
    contest = contest_of(br.average_precision, pair, None)
    asked = IntervalSettings.of(0.95, 100, 0)
    x = np.array([3.0, 300.0, 9.0])
    for method in methods_of(contest).values():
        together = method(contest._replace(x=x), asked)
        for j in range(3):
            alone = method(contest._replace(x=x[[j]]), asked)
            assert [part[0, j] for part in together] == pytest.approx([part[0, 0] for part in alone], rel=1e-12)


def test_the_same_rng_gives_the_same_result():
    pair = br.Pair.from_scores(*rows(7))
    for method in ("expanded", "melded", "percentile"):
        first, second = (br.difference(br.average_precision, pair, method=method, rng=5) for _ in range(2))
        assert first == second
    assert br.swap_test(br.roc_auc, pair, n_permutations=50, rng=5) == br.swap_test(
        br.roc_auc, pair, n_permutations=50, rng=5
    )


# --- permutation ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_swapping_rejects_equal_models_as_often_as_it_says():
    rejected = 0
    for seed in range(100):
        pair = br.Pair.from_scores(*rows(seed, 12, 40, distances=(1.0, 1.0)))
        rejected += br.swap_test(br.average_precision, pair, n_permutations=99, rng=seed) <= 0.1
    assert rejected <= 10 + 3 * math.sqrt(9)
    assert rejected >= 2


def test_swapping_finds_a_better_model():
    pair = br.Pair.from_scores(*rows(8, 100, 1000, distances=(2.0, 1.0)))
    assert br.swap_test(br.average_precision, pair, n_permutations=199, rng=0) == 1 / 200
    exchanged = br.Pair.from_scores(pair.positive, np.exp(pair.scores[0]), pair.scores[1])  # the scale does not matter
    assert br.swap_test(br.average_precision, exchanged, n_permutations=49, rng=0) == 1 / 50


# --- over prevalences -----------------------------------------------------------------------------


def crossing_rows(seed, n_pos=200, n_neg=2000):
    """The first model is better among many positives, the second among few: part of them get the highest scores."""
    rng = np.random.default_rng(seed)
    label = np.repeat([1, 0], [n_pos, n_neg])
    broad = rng.normal(size=len(label)) + 2.0 * label
    sharp = rng.normal(size=len(label)) + np.where(rng.random(len(label)) < 0.5, 6.0, 0.3) * label
    return label, broad, sharp


def test_a_lead_is_the_difference_at_each_prevalence():
    pair = br.Pair.from_scores(*crossing_rows(0), names=("broad", "sharp"))
    found = br.lead(br.average_precision, pair, [0.5, 0.01], rng=0)
    for i, prevalence in enumerate((0.5, 0.01)):
        one = br.difference(br.average_precision, pair.at_prevalence(prevalence), rng=0)
        assert found.value[i] == pytest.approx(one.value, rel=1e-9)
        assert (found.low[i], found.high[i]) == pytest.approx((one.low, one.high), rel=1e-9)
    assert found.probability[0] > 0.95
    assert found.probability[1] < 0.3
    assert list(found.rows()[0])[:4] == ["metric", "model", "against", "prevalence"]


@pytest.mark.slow
def test_crossings_have_intervals_that_hold():
    truth = br.Pair.from_scores(*crossing_rows(99, 40_000, 400_000))
    [true] = br.crossings(br.average_precision, truth.a, truth.b, low=1e-4, high=0.9)
    held = found_one = 0
    for seed in range(16):
        pair = br.Pair.from_scores(*crossing_rows(seed), names=("broad", "sharp"))
        swaps = br.crossing_estimates(br.average_precision, pair, low=1e-4, high=0.9, rng=seed, n_resamples=200)
        for swap in swaps:
            found_one += 1
            held += swap.low <= true.prevalence <= swap.high
            assert swap.leads_below == "sharp"
            assert swap.low <= swap.prevalence <= swap.high
            assert 0 < swap.found_again <= 1
    assert found_one >= 15
    assert held >= 0.93 * found_one - 2 * math.sqrt(found_one * 0.93 * 0.07)


def test_the_nearest_swap_in_a_drawn_pair():
    grid = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    assert _nearest_swap(np.array([1.0, 3.0, -1.0, -2.0, -1.0]), grid, 0.0) == pytest.approx(1.75)
    assert _nearest_swap(np.array([1.0, -1.0, 1.0, 1.0, -3.0]), grid, 4.0) == pytest.approx(3.25)
    assert _nearest_swap(np.array([1.0, -1.0, 1.0, 1.0, -3.0]), grid, 0.0) == pytest.approx(0.5)
    assert _nearest_swap(np.ones(5), grid, 2.0) == np.inf  # the lead is yet to be lost
    assert _nearest_swap(-np.ones(5), grid, 2.0) == -np.inf  # it was lost before the range


def test_the_cheaper_model_leads():
    pair = br.Pair.from_scores(*rows(5, 100, 1000, distances=(2.5, 0.5)))
    cost = partial(br.expected_cost, cost_fn=10, cost_fp=1)
    found = br.lead(cost, pair, [0.1], at=lambda curve: curve.at_fpr(0.1), rng=0, n_resamples=200)
    assert found.value[0] < 0
    assert found.probability[0] > 0.99


def test_where_one_leads_throughout_there_is_no_crossing():
    pair = br.Pair.from_scores(*rows(9, distances=(3.0, 0.5)))
    assert br.crossing_estimates(br.roc_auc, pair, rng=0) == []


# --- many models ----------------------------------------------------------------------------------


def test_a_ranking_agrees_with_looking_everywhere():
    rng = np.random.default_rng(0)
    models = {
        name: br.Curve.from_rates(np.sort(rng.random(6)), np.sort(rng.random(6) ** power))
        for name, power in (("one", 3), ("two", 5), ("three", 8))
    }
    grid = 1 / (1 + np.exp(-np.linspace(-9, 9, 200)))
    found = br.ranking(br.auc_pr, models, grid, low=1e-4, high=0.9999)
    everywhere = np.array([found.values[name] for name in models])
    for prevalence, column in zip(grid, everywhere.T, strict=True):
        best = list(models)[int(column.argmax())]
        holding = [region for region in found.regions if region.low <= prevalence <= region.high]
        if 1e-4 <= prevalence <= 0.9999:
            assert best in [region.winner for region in holding]
    assert found.regions[0].low == 1e-4
    assert found.regions[-1].high == 0.9999
    for before, after in zip(found.regions, found.regions[1:], strict=False):
        assert before.high == after.low
        assert before.winner != after.winner
    cost = br.ranking(
        partial(br.expected_cost, cost_fn=1, cost_fp=1),
        {"good": br.Point.from_rates(0.9, 0.1), "bad": br.Point.from_rates(0.8, 0.2)},
        [0.5],
    )
    assert [region.winner for region in cost.regions] == ["good"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda p: br.difference(br.roc_auc, p.a), "pair must be a Pair, got a Curve"),
        (lambda p: br.difference(br.precision, p), "precision is estimated at one operating point"),
        (lambda p: br.difference(br.precision, p, at=lambda c: c), "or a function that chooses a point"),
        (lambda p: br.difference(br.average_precision, p, method="delong"), "method must be one of"),
        (lambda p: br.Pair.from_scores([0, 1], [1, 2], [1, 2, 3]), "score_b"),
        (lambda p: br.Pair.from_scores([0, 1], [1, 2], [1, 2], names=("x", "x")), "names must be two different"),
        (lambda p: br.ranking(br.f1, {}, [0.1]), "models must hold at least one Curve or Point"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call(br.Pair.from_scores(*rows(0)))


def test_a_missing_class_is_nan_with_a_reason():
    pair = br.Pair.from_scores([0, 0], [0.1, 0.2], [0.2, 0.3])
    found = br.difference(br.roc_auc, pair, rng=0)
    assert math.isnan(found.value)
    assert found.reason is br.Reason.NO_POSITIVES
    assert "there are no positives" in str(found)


def test_a_chosen_recall_of_continuous_scores_has_no_levels():
    """Each corner of a bootstrap sample was taken for a level that the rule may choose, which widened the interval."""
    pair = br.Pair.from_scores(*rows(3, 100, 2000)).at_prevalence(0.05)
    ask = partial(br.difference, br.precision, pair, at="recall >= 0.5", rng=0)
    default, plain = ask(), ask(method="percentile")
    assert default.method == "expanded"
    assert 1 <= (default.high - default.low) / (plain.high - plain.low) < 1.05


def test_a_better_model_is_found_far_below_the_prevalence_of_the_data():
    """Too much of an unseen negative hid it in seven of ten test sets."""
    found = 0
    for k in range(40):
        pair = br.Pair.from_scores(*rows(k, 100, 2000, (1.5, 2.0), 0.9)).at_prevalence("1 in 1000")
        found += br.difference(br.average_precision, pair, n_resamples=400, rng=k).p_value <= 0.05
    assert found >= 20


def test_a_page_has_the_intervals_of_lead():
    """Also for models of different shapes, where part of a bias is taken back."""
    rng, positive = np.random.default_rng(0), np.arange(1030) < 30
    first = rng.normal(size=1030)
    second = 0.9 * first + 0.44 * rng.normal(size=1030)
    scores = np.where(positive, 1.5 + first, first), np.where(positive, 1 + 2.5 * second, second)
    pair, places = br.Pair.from_scores(positive, *scores), np.array([0.5, 0.05, 0.01])
    contest = contest_of(br.average_precision, pair, None)._replace(x=(1 - places) / places)
    found = contests.standings(contest, IntervalSettings.of(0.95, 300, 0))
    lead = br.lead(br.average_precision, pair, places, n_resamples=300, rng=0)
    assert found.half_width[0] == pytest.approx((lead.high - lead.low) / 2, rel=1e-12)
    assert found.first_better[0] == pytest.approx(lead.probability, abs=1e-12)
    assert found.best[0] == pytest.approx(lead.probability, rel=1e-12)
