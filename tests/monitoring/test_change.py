"""A change is taken apart without a rest, and each part is known to be where it is said to be."""

import itertools
import math
from functools import partial

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.formulas.shapley import shares
from helpers.simulated import normal_curve

A, B = normal_curve(100, 2000, 2.0, decimals=1), normal_curve(60, 3000, 1.5, rng=1, decimals=1)
METRICS = [br.average_precision, br.auc_pr, br.roc_auc, br.auc_prg, partial(br.auc_pr, recall_range=(0.2, 0.8))]


@pytest.mark.parametrize("metric", METRICS)
def test_the_parts_are_those_of_the_formula_and_add_up(metric):
    found = br.explain_change(metric, A, B, n_resamples=100, rng=0)
    m = {(c, p): metric(curve.at_prevalence(eta)) for c, curve in (("A", A), ("B", B))
         for p, eta in (("A", A.prevalence), ("B", B.prevalence))}  # fmt: skip
    prior = (m["A", "B"] - m["A", "A"] + m["B", "B"] - m["B", "A"]) / 2
    model = (m["B", "A"] - m["A", "A"] + m["B", "B"] - m["A", "B"]) / 2
    assert (found.before, found.after) == pytest.approx((metric(A), metric(B)), rel=1e-12)
    assert found.prior.value == pytest.approx(prior, abs=1e-14)
    assert found.model.value == pytest.approx(model, abs=1e-14)
    assert found.threshold.value == 0
    assert found.total.value == pytest.approx(metric(B) - metric(A), abs=1e-14)
    assert found.prior.value + found.model.value == pytest.approx(found.total.value, abs=1e-14)
    assert (found.prevalence_before, found.prevalence_after) == (A.prevalence, B.prevalence)


def test_three_causes_are_the_mean_over_six_orders():
    thresholds = (1.0, 1.7)
    found = br.explain_change(br.precision, A, B, at=thresholds, n_resamples=100, rng=0)

    def value(state):
        curve, eta, threshold = (pair[one] for pair, one in zip(
            ((A, B), (A.prevalence, B.prevalence), thresholds), state, strict=True))  # fmt: skip
        return br.precision(curve.at_threshold(threshold).at_prevalence(eta))

    expected = np.zeros(3)
    for order in itertools.permutations(range(3)):
        state = [0, 0, 0]
        for cause in order:
            before = value(state)
            state[cause] = 1
            expected[cause] += (value(state) - before) / 6
    parts = [found.model.value, found.prior.value, found.threshold.value]
    assert parts == pytest.approx(expected, abs=1e-14)
    assert abs(found.threshold.value) > 0.01
    assert sum(parts) == pytest.approx(found.after - found.before, abs=1e-14)
    assert found.total.value == pytest.approx(found.after - found.before, abs=1e-14)
    assert "threshold" in str(found)


def test_shares_of_two_causes_are_halves():
    assert shares(2)[0].tolist() == [[-0.5, -0.5], [0.5, 0.5]]
    assert shares(2)[1].tolist() == [[-0.5, 0.5], [-0.5, 0.5]]
    assert shares(3).sum(axis=0)[1, 1, 1] == pytest.approx(1)
    assert np.abs(shares(3).sum(axis=0)).sum() == pytest.approx(2)
    assert shares(3).sum(axis=3) == pytest.approx(np.stack([*shares(2), np.zeros((2, 2))]))


def test_a_prevalence_that_was_given_counts():
    found = br.explain_change(br.average_precision, A.at_prevalence(0.01), B.at_prevalence(0.01), rng=0)
    assert (found.prior.value, found.prior.low, found.prior.high) == (0, 0, 0)
    assert found.model.value == found.total.value
    assert found.model.low < found.model.value < found.model.high


def test_the_same_rows_at_another_prevalence_have_changed_in_prevalence_alone():
    found = br.explain_change(br.auc_pr, A, A.at_prevalence(0.001), rng=0)
    assert found.model.value == 0
    assert found.model.low < 0 < found.model.high
    assert found.prior.high < 0


@pytest.mark.parametrize("rule", [lambda c: c.at_recall(0.6), lambda c: c.at_precision(0.3), lambda c: c.at_fpr(0.05)])
def test_a_rule_is_part_of_what_is_measured(rule):
    found = br.explain_change(br.f1, A, B, at=rule, n_resamples=100, rng=0)

    def value(curve, eta):
        return br.f1(rule(curve.at_prevalence(eta)))

    a, b = A.prevalence, B.prevalence
    model = (value(B, a) - value(A, a) + value(B, b) - value(A, b)) / 2
    assert found.model.value == pytest.approx(model, abs=1e-14)
    assert found.threshold.value == 0
    assert found.model.low <= model <= found.model.high


@pytest.mark.slow
def test_of_alert_rate_which_rises_with_both_rates_both_ends_are_right():
    """Quantiles of independent Betas, by brute force."""
    eta = 0.1
    before, after = (br.Curve.from_counts([1, 0], pos=[30, 70], neg=[n, 90 - n]).at_prevalence(eta) for n in (9, 18))
    found = br.explain_change(br.alert_rate, before, after, at=0.5, n_resamples=20_000, rng=0)
    rng = np.random.default_rng(1)
    n = 200_000

    def limit(fp, upper):
        tpr = rng.beta(30 + upper, 70 + 1 - upper, n)
        return eta * tpr + (1 - eta) * rng.beta(fp + upper, 90 - fp + 1 - upper, n)

    low = np.quantile(limit(18, 0) - limit(9, 1), 0.025)
    high = np.quantile(limit(18, 1) - limit(9, 0), 0.975)
    assert (found.model.low, found.model.high) == pytest.approx((low, high), abs=0.003)


def test_many_periods():
    year = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    months = br.curves_by(year, label="fraud", score="new_model", period=("day", "quarter"))
    keys = list(months)
    for against, befores in (("first", [keys[0]] * 3), ("previous", keys[:-1])):
        found = br.monitoring.explain_changes(br.average_precision, months, against=against, n_resamples=100, rng=0)
        assert found.keys == tuple(keys[1:])
        for before, key, row in zip(befores, found.keys, found.changes, strict=True):
            one = br.explain_change(br.average_precision, months[before], months[key], n_resamples=100)
            assert (row.prior.value, row.model.value) == (one.prior.value, one.model.value)
    table = pl.DataFrame(found.rows())
    assert table.shape == (3, 19)
    assert table["total"].to_list() == pytest.approx([row.after - row.before for row in found.changes])
    assert str(found).splitlines()[0] == "average_precision against the previous period"
    assert len(str(found).splitlines()) == 5
    by_reference = br.monitoring.explain_changes(br.average_precision, months, against=A, n_resamples=100, rng=0)
    assert by_reference.keys == tuple(keys)
    assert by_reference.changes[0].before == br.average_precision(A)


def test_what_is_undefined_says_why():
    nothing = br.Curve.from_counts([0.5], pos=[0], neg=[9])
    found = br.explain_change(br.average_precision, A, nothing)
    assert found.reason is br.Reason.NO_POSITIVES
    assert math.isnan(found.model.value)
    rows = br.monitoring.explain_changes(
        br.recall, {"a": A, "b": B}, at=lambda curve: curve.at_precision(0.999999), n_resamples=100
    ).changes
    assert rows[0].reason is br.Reason.NO_SUCH_POINT
    assert "no threshold satisfies the rule" in str(rows[0])
    assert br.explain_change(br.ece, *probabilities(), n_resamples=100).reason is br.Reason.NO_INTERVAL


def probabilities():
    counts = [0.9, 0.5, 0.1], [60, 30, 10], [20, 200, 680]
    return br.Curve.from_counts(*counts), br.Curve.from_counts(counts[0], [30, 30, 40], counts[2])


def test_losses_have_intervals_too():
    found = br.explain_change(br.brier_score, *probabilities(), rng=0)
    assert found.model.low < found.model.value < found.model.high
    assert found.model.low > 0  # worse
    assert found.prior.value == pytest.approx(0, abs=1e-15)


def test_a_best_of_many_comes_with_a_caution():
    found = br.explain_change(br.best_f1, A, B, n_resamples=100, rng=0)
    assert "is optimistic" in found.caution
    assert "is optimistic" in str(found)


def test_buckets_widen_the_interval():
    cuts = np.arange(-4.0, 6.0, 0.5)

    def bucketed(curve):
        place = np.searchsorted(cuts, curve.score, side="right")
        keep = [place == k for k in np.unique(place)]
        columns = [
            [np.min(curve.score[k]), np.max(curve.score[k]), curve.pos[k].sum(), curve.neg[k].sum()] for k in keep
        ]
        low, top, pos, neg = (np.array(column) for column in zip(*columns, strict=True))
        return br.Curve.from_counts(low, pos.astype(int), neg.astype(int), top=top)

    coarse = [bucketed(curve).at_prevalence(0.02) for curve in (A, B)]
    assert coarse[0].bucketed
    found = br.explain_change(br.average_precision, *coarse, rng=0)
    certain = [br.bounds(br.average_precision, curve) for curve in coarse]
    as_ties = br.explain_change(
        br.average_precision, *(br.Curve.from_counts(c.score, c.pos, c.neg).at_prevalence(0.02) for c in coarse), rng=0
    )
    down = (certain[1].value - certain[1].low) + (certain[0].high - certain[0].value)
    assert found.model.low == pytest.approx(as_ties.model.low - down, abs=1e-12)
    assert abs(certain[0].high + certain[0].low - 2 * certain[0].value) > 0.01  # not the same to both sides
    up = (certain[1].high - certain[1].value) + (certain[0].value - certain[0].low)
    assert found.model.high == pytest.approx(as_ties.model.high + up, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: br.explain_change(br.roc_auc, A, 3), "after must be a Curve, got 3"),
        (lambda: br.explain_change(br.precision, A, B), "one operating point"),
        (lambda: br.explain_change(br.precision, A, B, at=(0.1, 0.2, 0.3)), "pair of them, got 3"),
        (
            lambda: br.explain_change(br.precision, A, B, at="0.1"),
            "at must be a rule and a number such as recall=0.6, got '0.1'",
        ),
        (lambda: br.explain_change(br.precision, A, B, at=[0.1]), "at must be a rule such as 'recall=0.6'"),
        (lambda: br.explain_change(br.roc_auc, A, B, n_resamples=10), "at least 40"),
        (lambda: br.monitoring.explain_changes(br.roc_auc, {}), "curves must hold at least one Curve, got none"),
        (
            lambda: br.monitoring.explain_changes(br.roc_auc, [A, B]),
            "curves must be a mapping of names to Curves, got a list",
        ),
        (lambda: br.monitoring.explain_changes(br.roc_auc, {"a": A, "b": B}, against="frist"), "did you mean 'first'"),
    ],
)
def test_bad_input_is_one_sentence(call, message):
    with pytest.raises(br.errors.InputError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["average_precision", "precision at thresholds", "recall 0.6"])
def test_intervals_of_all_parts_hold(case):
    """In 300 simulated pairs whose truth is known, as that of two samples of two million rows."""
    metric, at = {
        "average_precision": (br.average_precision, None),
        "precision at thresholds": (br.precision, (1.5, 2.0)),
        "recall 0.6": (br.precision, lambda curve: curve.at_recall(0.6)),
    }[case]
    etas = (0.02, 0.005)

    def pair(seed, n_pos, n_neg):
        rng = np.random.default_rng(seed)
        made = []
        for d, eta in zip((2.0, 1.5), etas, strict=True):
            made.append(normal_curve(n_pos, n_neg, d, rng=rng).at_prevalence(eta))
        return made

    truth = br.explain_change(metric, *pair(1, 500_000, 1_500_000), at=at, n_resamples=40, rng=0)
    held = dict.fromkeys(("total", "prior", "model", "threshold"), 0)
    for seed in range(300):
        found = br.explain_change(metric, *pair(100 + seed, 60, 1500), at=at, n_resamples=300, rng=seed)
        for name in held:
            part, true = getattr(found, name), getattr(truth, name).value
            held[name] += part.low - 1e-12 <= true <= part.high + 1e-12
    print(case, held)
    assert min(held.values()) >= 0.93 * 300


def held_at_the_turn(metric, at, n_pos, n_neg, *, tpr, fpr, n_sets=60):
    """How many intervals of the prior part hold it where it is as large as it can be for this TPR, on both sides."""
    etas = (0.05, 0.02)
    point = br.Point.from_rates(tpr, fpr)
    truth = metric(point.at_prevalence(etas[1])) - metric(point.at_prevalence(etas[0]))
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(n_sets):
        before, after = (
            br.Curve.from_counts([1.0, 0.0], pos=[tp, n_pos - tp], neg=[fp, n_neg - fp]).at_prevalence(eta)
            for eta, tp, fp in zip(etas, rng.binomial(n_pos, tpr, 2), rng.binomial(n_neg, fpr, 2), strict=True)
        )
        part = br.explain_change(metric, before, after, at=at, n_resamples=200, rng=seed).prior
        held += part.low - 1e-12 <= truth <= part.high + 1e-12
    return held


def own_precision(point):
    return br.precision(point)


AT_MOST = 0.6 / math.sqrt(19 * 49)  # the FPR at which precision at TPR 0.6 loses most from 1:19 to 1:49


@pytest.mark.parametrize(
    ("n_pos", "n_neg"), [*(pytest.param(n, 2000, marks=pytest.mark.slow) for n in (50, 200)), (400, 400)]
)
def test_the_prior_part_of_precision_holds_where_it_is_largest(n_pos, n_neg):
    assert held_at_the_turn(br.precision, 0.5, n_pos, n_neg, tpr=0.6, fpr=AT_MOST) >= 54


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "fpr"), [(partial(br.f_beta, beta=0.5), 0.0279), (br.mcc, 0.0355)])
def test_the_prior_part_of_metrics_of_both_rates_holds_where_it_is_largest(metric, fpr):
    assert held_at_the_turn(metric, 0.5, 400, 400, tpr=0.6, fpr=fpr) >= 54


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.precision, own_precision])
def test_the_prior_part_at_a_rule_holds_where_it_is_largest(metric):
    """At recall 0.6, of normal scores at the distance that makes the FPR there the one at which most is lost."""
    distance, etas, held = 2.3141, (0.05, 0.02), 0
    at_most = br.Point.from_rates(0.6, AT_MOST)
    truth = br.precision(at_most.at_prevalence(etas[1])) - br.precision(at_most.at_prevalence(etas[0]))
    rng = np.random.default_rng(0)
    for seed in range(8):
        pair = []
        for eta in etas:
            score = np.append(rng.normal(distance, 1, 50), rng.normal(0, 1, 2000))
            pair.append(br.Curve.from_scores(np.arange(2050) < 50, score).at_prevalence(eta))
        part = br.explain_change(metric, *pair, at="recall >= 0.6", n_resamples=100, rng=seed).prior
        held += part.low - 1e-12 <= truth <= part.high
    assert held >= 7


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.precision, own_precision])
def test_the_end_next_to_a_turn_is_the_turn(metric):
    pair = [br.Curve.from_counts([1, 0], pos=[60, 40], neg=[21, 979]).at_prevalence(eta) for eta in (0.05, 0.02)]
    found = br.explain_change(metric, *pair, at=0.5, n_resamples=100, rng=0)
    x = np.sqrt([19, 49])
    assert found.prior.low == pytest.approx((x[0] - x[1]) / x.sum(), abs=1e-12)
    assert found.prior.low < found.prior.value < found.prior.high


@pytest.mark.slow
def test_the_prior_part_of_an_area_holds_for_middling_models():
    """Average precision of normal scores, by integration: it loses most to a mix about halfway between 0 and 1."""
    sides, held = ((2.0, 15), (1.5, 7)), 0
    truth = (0.39724814 - 0.52856679 + 0.20766492 - 0.32635784) / 2  # at 15 : 300 and 7 : 300
    rng = np.random.default_rng(4)
    for seed in range(80):
        pair = (
            br.Curve.from_scores(np.arange(n + 300) < n, np.append(rng.normal(d, 1, n), rng.normal(0, 1, 300)))
            for d, n in sides
        )
        part = br.explain_change(br.average_precision, *pair, n_resamples=200, rng=seed).prior
        held += part.low <= truth <= part.high
    assert held >= 74


@pytest.mark.slow
def test_own_functions_may_look_at_class_sizes():
    pair = A.at_prevalence(0.05), B.at_prevalence(0.02)
    found = br.explain_change(lambda point: point.tpr * point.n_pos, *pair, at=1.0, n_resamples=40, rng=0)
    assert found.model.low < found.model.value < found.model.high
