"""Intervals: the numbers others print, the laws behind the draws, the edges, and the promises of `estimate`."""

import itertools
import json
import math
from functools import partial

import numpy as np
import pytest
import scipy
from scipy import stats

import baserate as br
from baserate.formulas.proportions import Interval
from baserate.uncertainty import cells as cutting
from baserate.uncertainty import choosing
from baserate.uncertainty.cells import corners
from baserate.uncertainty.methods import Estimand, methods
from baserate.uncertainty.readers import values
from baserate.uncertainty.samplers import OfCells
from helpers.drawn_rows import drawn_from
from helpers.simulated import normal_curve

pytestmark = pytest.mark.slow  # together, these take long

AREAS = (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc, br.best_f1)


def known_methods(metric, at, about="threshold"):
    return list(methods(Estimand(metric, at, np.ones(1), again=about == "rule")))


# --- published and reference numbers --------------------------------------------------------------

SETS = (
    "rocr_simple",
    "asah_s100b",
    "asah_wfns",
    "breast_cancer_lr",
    "tie_a_decile_grid",
    "precrec_p10n10",
    "creditcard_converged",
)


@pytest.mark.parametrize("name", SETS)
def test_delong_agrees_with_other_tools(reference_data, name):
    expected = json.loads((reference_data / "reference" / "values.json").read_text())[name]["values"]
    rows = np.genfromtxt(reference_data / "reference" / f"{name}.csv", delimiter=",", skip_header=1)
    curve = br.Curve.from_scores(rows[:, 0].astype(int), rows[:, 1])
    found = br.estimate(br.roc_auc, curve, method="delong_wald")
    assert found.value == pytest.approx(expected["auc_roc"], rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(expected["auc_roc_delong_ci95"].values()), rel=1e-10)
    safe = br.estimate(br.roc_auc, curve, method="delong")
    assert 0 < safe.low < found.value < safe.high < 1
    # On the logit scale the standard error is that of the plain scale divided by value (1 - value).
    half = (math.log(safe.high / (1 - safe.high)) - math.log(safe.low / (1 - safe.low))) / 2
    error = half * found.value * (1 - found.value) / stats.norm.ppf(0.975)
    assert error**2 == pytest.approx(expected["auc_roc_delong_var"], rel=1e-10)


# --- what is drawn --------------------------------------------------------------------------------


def test_many_curves_at_once_are_read_one_by_one():
    """Areas of drawn curves equal those of Curves built from them, where every score is an atom."""
    curve = normal_curve(30, 60, decimals=1)
    cells = corners(curve)
    x = np.array([3.0, 0.5, 700.0])
    drawn = drawn_from(cells, 5, again=True)
    for metric in (*AREAS, partial(br.auc_pr, recall_range=(0.2, 0.7)), br.normalized_average_precision):
        found = values(metric, curve, drawn, x)
        for i, steps in enumerate(zip(*drawn.steps[:4], strict=True)):
            tp, fp, pos, neg = ((n * share).round().astype(int) for n, share in zip((30, 60) * 2, steps, strict=True))
            gap = np.diff(np.append(0, fp)) - neg
            single = br.Curve.from_counts(
                np.concatenate([cells.score, cells.score + 0.01, [-99]]),
                np.concatenate([pos, 0 * gap, [0]]),
                np.concatenate([neg, gap, [60 - fp[-1]]]),
            )
            assert tp[-1] == single.n_pos
            expected = [metric(single.at_prevalence(1 / (1 + x_j))) for x_j in x]
            assert found[i] == pytest.approx(expected, rel=1e-12)


def test_a_run_moves_an_area_by_less_than_its_share_of_positives():
    """Cells of runs hold all rows, and the area of the curve they make is that of the curve, within the bound."""
    curve = normal_curve(3000, 3000)
    cells = cutting._cut(curve, *_runs_of(curve, 50))
    assert cells.pos.rows.sum() == 3000
    assert cells.neg.rows.sum() == 3000
    [drawn] = OfCells(cells).seen()
    for metric in (br.average_precision, br.auc_pr, br.roc_auc):
        [[found]] = values(metric, curve, drawn, np.array([30.0]))
        assert found == pytest.approx(metric(curve.at_prevalence(1 / 31)), abs=50 / 3000)
        assert found != metric(curve.at_prevalence(1 / 31))


@pytest.mark.parametrize("prevalence", [0.5, 0.01])
def test_a_heavy_tie_among_very_many_scores_is_not_taken_as_straight(prevalence):
    """A step as large as a fifth of the curve is no part of a run; the draws are around the value, step and all."""
    rng = np.random.default_rng(4)
    y = rng.random(60_000) < 0.5
    score = rng.normal(size=60_000) + 1.5 * y
    curve = br.Curve.from_scores(y, np.where((score > 1) & (score < 1.8), 1.4, score)).at_prevalence(prevalence)
    cells = cutting.cells_of(curve)
    assert len(cutting.corners(curve).score) > 20_000 > 1000 > len(cells.score)
    x = np.array([1 / prevalence - 1])
    for metric in AREAS:
        [drawn] = OfCells(cells).seen()
        [[found]] = values(metric, curve, drawn, x)
        # What is missing is what draws are moved by.
        assert found == pytest.approx(metric(curve), rel=3e-3)
        estimated = br.estimate(metric, curve, method="percentile", rng=0, n_resamples=200)
        assert estimated.low < estimated.value < estimated.high


def _runs_of(curve, size):
    at = np.flatnonzero(curve.pos > 0)
    first = np.arange(0, len(at), size)
    return at[first], at[np.append(first[1:], len(at)) - 1]


# --- fixed thresholds -----------------------------------------------------------------------------


def test_melding_agrees_with_simulated_betas():
    point = br.Point.from_counts(tp=7, fp=2, fn=5, tn=600).at_prevalence(0.01)
    rng = np.random.default_rng(5)
    low_law = rng.beta(7, 6, 400_000), rng.beta(3, 600, 400_000)
    high_law = rng.beta(8, 5, 400_000), rng.beta(2, 601, 400_000)
    for metric, function in (
        (br.precision, lambda t, f: t / (t + 99 * f)),
        (br.f1, lambda t, f: 2 * t / (t + 1 + 99 * f)),
        (br.youden_j, lambda t, f: t - f),
    ):
        found = br.estimate(metric, point)
        assert found.method == "melded" or metric is not br.youden_j
        found = br.estimate(metric, point, method="melded")
        assert found.low == pytest.approx(np.quantile(function(*low_law), 0.025), rel=0.01)
        assert found.high == pytest.approx(np.quantile(function(*high_law), 0.975), rel=0.01)


@pytest.mark.parametrize("metric", [br.recall, br.specificity])
def test_a_rate_has_the_interval_of_its_proportion(metric):
    point = br.Point.from_counts(tp=7, fp=2, fn=5, tn=600)
    k, n = (7, 12) if metric is br.recall else (600, 602)
    for method, scipy_name in (("clopper_pearson", "exact"), ("wilson", "wilson")):
        expected = stats.binomtest(k, n).proportion_ci(0.95, method=scipy_name)
        found = br.estimate(metric, point, method=method)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert br.estimate(metric, point).method == "clopper_pearson"


def test_precision_does_not_take_its_interval_from_the_alerts():
    """Wilson on TP/(TP+FP) would not move with the prevalence; the interval must."""
    point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    here, rare = (br.estimate(br.precision, at) for at in (point, point.at_prevalence(1e-5)))
    assert rare.high < here.low
    # All three depend on T/F only, so their intervals are one interval.
    ratio = br.estimate(br.lr_positive, point)
    x = point.odds_against
    assert here.low == pytest.approx(ratio.low / (ratio.low + x), rel=2e-3)
    assert here.high == pytest.approx(ratio.high / (ratio.high + x), rel=2e-3)


def test_a_box_holds_more_than_a_melded_interval():
    point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900).at_prevalence(0.001)
    for metric in (br.precision, br.f1, br.mcc, partial(br.expected_cost, cost_fn=10, cost_fp=1)):
        box, melded = (br.estimate(metric, point, method=method) for method in ("box", "melded"))
        assert box.low < melded.low < melded.high < box.high


# --- every metric, every edge ---------------------------------------------------------------------


def as_probabilities(curve):
    return br.Curve.from_counts(scipy.special.expit(curve.score), curve.pos, curve.neg)


EDGES = {
    "one positive": br.Curve.from_scores([1, 0, 0, 0, 0], [0.7, 0.9, 0.5, 0.3, 0.1]),
    "one of each": br.Curve.from_scores([1, 0], [0.7, 0.9]),
    "separated": br.Curve.from_scores([1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.1]),
    "reversed": br.Curve.from_scores([0, 0, 0, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.1]),
    "constant": br.Curve.from_scores([1, 0, 1, 0, 0], [0.5] * 5),
    "ordinary": as_probabilities(normal_curve(15, 60)),
}


def settings():
    for row in br.METRICS.values():
        for parameters in row.examples:
            yield partial(row.function, **parameters) if parameters else row.function


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("prevalence", [None, 1e-4])
def test_every_metric_has_an_interval_or_a_reason(name, prevalence):
    curve = EDGES[name] if prevalence is None else EDGES[name].at_prevalence(prevalence)
    threshold = float(np.median(curve.score))
    for metric in settings():
        row = br.METRICS[(metric.func if isinstance(metric, partial) else metric).__name__]
        pointwise = row.family.name == "POINTWISE"
        chosen = curve.at_recall(0.6)
        places = [(curve.at_threshold(threshold), "threshold"), (chosen, "threshold"), (chosen, "rule")]
        for at, about in places if pointwise else [(curve, "threshold")]:
            for method in known_methods(metric, at, about):
                found = br.estimate(metric, at, method=method, about=about, n_resamples=60, rng=0)
                if math.isnan(found.value) or math.isnan(found.low):
                    assert found.reason is not None
                    assert math.isnan(found.low)
                    assert math.isnan(found.high)
                    assert method not in ("melded", "clopper_pearson", "box") or math.isnan(found.value)
                else:
                    assert found.reason is None
                    assert row.lowest - 1e-12 <= found.low <= found.high <= row.highest + 1e-12
                    if math.isinf(found.value):
                        assert found.value in (found.low, found.high)
                        assert method == "percentile" or found.low < found.high
                    elif method in ("melded", "clopper_pearson", "box", "constant"):
                        rounding = 1e-9 * abs(found.value) + 1e-12
                        assert found.low <= found.value + rounding
                        assert found.high >= found.value - rounding
                assert found.method == method


def test_perfect_separation_is_not_certainty():
    for metric in (br.average_precision, br.auc_pr, br.roc_auc, br.best_f1):
        found = br.estimate(metric, EDGES["separated"], rng=0)
        assert found.value == found.high == 1
        assert 0.05 < found.low < 0.95
    assert br.estimate(br.roc_auc, EDGES["separated"], method="delong").reason is br.Reason.NO_VARIATION


def test_no_false_positives_is_not_precision_one():
    point = br.Point.from_counts(tp=30, fp=0, fn=20, tn=1000).at_prevalence("1:10000")
    for method in ("melded", "score", "box"):
        found = br.estimate(br.precision, point, method=method)
        assert found.value == found.high == 1
        assert 0.005 < found.low < 0.05  # up to three in a thousand may well be false


def test_a_missing_class_is_nan_with_a_reason():
    found = br.estimate(br.average_precision, br.Curve.from_scores([0, 0], [0.1, 0.2]), rng=0)
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert found.reason is br.Reason.NO_POSITIVES
    silent = br.estimate(br.precision, br.Point.from_counts(tp=0, fp=0, fn=3, tn=9))
    assert silent.reason is br.Reason.NO_ALERTS


# --- chosen thresholds ----------------------------------------------------------------------------


def test_a_chosen_threshold_is_chosen_again():
    curve = normal_curve(100, 10_000, distance=1.5)
    chosen = curve.at_recall(0.6)
    given = curve.at_threshold(chosen.threshold)
    again, fixed = br.estimate(br.precision, chosen, about="rule", rng=0), br.estimate(br.precision, given)
    assert again.value == fixed.value
    assert again.chosen == "recall >= 0.6"
    assert fixed.chosen is None
    assert again.width > 2 * fixed.width


def test_what_a_search_gains_is_taken_off():
    """Draws are 0.1 better than the rows; where those are best, a pessimist sees from 0.2 to 0.8."""
    drawn, there = np.linspace(0.6, 0.8, 2001), np.linspace(0.2, 0.8, 2001)
    plain, value = Interval(np.array([0.5]), np.array([0.9])), np.array([0.6])
    read = [one.reshape(1, -1, 1) for one in (drawn, there)]
    found = choosing.let_down(plain, value, 0.95, 1.0, read)
    assert (found.low, found.high) == (pytest.approx(0.2 + 0.6 * 0.025 - 0.1), plain.high)
    lowest = choosing.let_down(Interval(-plain.high, -plain.low), -value, 0.95, -1.0, [-one for one in read])
    assert (-lowest.high, -lowest.low) == (found.low, found.high)


@pytest.mark.parametrize(("n_pos", "n_neg", "tilt", "eta"), [(15, 300, 0.7, 0.01), (15, 300, -0.7, 0.5)])
def test_the_best_f1_of_weighted_rows_holds(n_pos, n_neg, tilt, eta):
    """Weights that rise or fall with normal scores, rows of much weight being as much rarer; truth by integration."""
    t = np.linspace(-8, 10, 20_001)
    tpr, fpr, x = scipy.special.ndtr(1.5 - t), scipy.special.ndtr(-t), (1 - eta) / eta
    truth, held = np.max(2 * tpr / (tpr + 1 + x * fpr)), 0
    rng = np.random.default_rng(0)
    for seed in range(60):
        score = np.append(rng.normal(1.5, 1, n_pos), rng.normal(0, 1, n_neg)) - tilt
        curve = br.Curve.from_scores(np.arange(len(score)) < n_pos, score, weight=np.exp(tilt * score))
        found = br.estimate(br.best_f1, curve.at_prevalence(eta), n_resamples=200, rng=seed)
        held += found.low <= truth <= found.high
    assert held >= 55


def test_levels_that_may_be_the_choice_are_held_too():
    """Two levels of which the data cannot say which one reaches the recall: the interval holds both."""
    curve = br.Curve.from_counts([3.0, 2.0, 1.0], pos=[601, 199, 200], neg=[20, 30, 50])
    found = br.estimate(br.f1, curve.at_recall(0.6), about="rule", rng=0)
    for threshold in (3.0, 2.0):
        level = br.estimate(br.f1, curve.at_threshold(threshold))
        assert found.low <= level.low
        assert found.high >= level.high
    sure = br.estimate(br.f1, curve.at_recall(0.5), about="rule", rng=0)
    assert sure.high < found.high - 0.05


# --- promises of the function ---------------------------------------------------------------------


@pytest.mark.parametrize("method", ["melded", "percentile"])
def test_the_same_rng_gives_the_same_result(method):
    curve = normal_curve(30, 300)
    before = np.random.get_state()[1].copy()  # noqa: NPY002  # the very thing that must not be touched
    first = br.estimate(br.average_precision, curve, method=method, rng=11)
    assert br.estimate(br.average_precision, curve, method=method, rng=11) == first
    assert br.estimate(br.average_precision, curve, method=method, rng=np.random.default_rng(11)) == first
    other = br.estimate(br.average_precision, curve, method=method, rng=12)
    assert other != first
    assert other.low == pytest.approx(first.low, rel=0.1)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc])
def test_a_higher_level_is_wider(metric):
    curve = normal_curve(30, 300)
    for method in known_methods(metric, curve):
        found = [br.estimate(metric, curve, method=method, confidence_level=c, rng=0) for c in (0.8, 0.95, 0.99)]
        for narrow, wide in itertools.pairwise(found):
            assert wide.low <= narrow.low < narrow.high <= wide.high
        assert found[0].width < found[2].width


def test_a_function_of_ones_own():
    curve = normal_curve(30, 300)

    def area(curve):
        return br.roc_auc(curve)

    def share_right(point):
        return br.precision(point)

    own = br.estimate(area, curve, rng=0, n_resamples=400)
    known = br.estimate(br.roc_auc, curve, rng=0, n_resamples=4000)
    assert own.metric == "area"
    assert (own.low, own.high) == pytest.approx((known.low, known.high), abs=0.02)
    point = curve.at_threshold(1.0)
    own_point = br.estimate(share_right, point)
    known_point = br.estimate(br.precision, point, method="melded")
    assert (own_point.low, own_point.high) == pytest.approx((known_point.low, known_point.high), rel=0.05)
    chosen = curve.at_recall(0.6)
    own_chosen = br.estimate(share_right, chosen, about="rule", rng=0, n_resamples=500)
    known_chosen = br.estimate(br.precision, chosen, about="rule", rng=0, n_resamples=500)
    assert (own_chosen.low, own_chosen.high) == pytest.approx((known_chosen.low, known_chosen.high), rel=1e-9)


def test_weights_count_for_what_they_are_worth():
    rng = np.random.default_rng(9)
    label = np.repeat([1, 0], [40, 400])
    score = np.concatenate([rng.normal(1, 1, 40), rng.normal(0, 1, 400)])
    plain = br.estimate(br.average_precision, br.Curve.from_scores(label, score), rng=0)
    for weight in (1.0, 3.0):
        curve = br.Curve.from_scores(label, score, weight=np.full(440, weight))
        found = br.estimate(br.average_precision, curve, rng=0)
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
        assert (found.n_pos, found.n_neg) == pytest.approx((40, 400))
    uneven = br.Curve.from_scores(label, score, weight=rng.exponential(size=440))
    found = br.estimate(br.average_precision, uneven, rng=0)
    assert found.n_pos < 30
    assert found.width > plain.width
    with pytest.raises(br.errors.InputError, match="method must be one of 'melded'"):
        br.estimate(br.average_precision, uneven, method="percentile")
    point = uneven.at_threshold(1.0)
    assert br.estimate(br.recall, point).n_pos == pytest.approx(found.n_pos, rel=1e-12)
    assert (
        br.estimate(br.recall, point).width
        > br.estimate(br.recall, br.Curve.from_scores(label, score).at_threshold(1.0)).width
    )


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc])
def test_intervals_of_weighted_rows_hold(metric):
    """Weights that have nothing to do with the scores cost cases and nothing else."""
    rng = np.random.default_rng(1)
    truth = metric(normal_curve(200_000, 200_000, rng=99).at_prevalence(0.1))
    held = {"weighted": 0, "as if not": 0}
    for seed in range(100):
        label = np.repeat([1, 0], [50, 500])
        score = rng.normal(size=550) + label
        weight = rng.exponential(size=550) ** 2
        weighted = br.Curve.from_scores(label, score, weight=weight).at_prevalence(0.1)
        found = br.estimate(metric, weighted, rng=seed, n_resamples=300)
        held["weighted"] += found.low <= truth <= found.high
        pretended = br.estimate(
            metric, br.Curve.from_scores(label, score).at_prevalence(0.1), rng=seed, n_resamples=300
        )
        half = pretended.width / 2
        held["as if not"] += abs(found.value - truth) <= half
    assert held["weighted"] >= 93 - 2 * math.sqrt(100 * 0.93 * 0.07)
    assert held["as if not"] < 85


def test_an_uncertain_prevalence_widens():
    curve = normal_curve(50, 1000, distance=2)
    point = curve.at_threshold(1.5)
    for metric, at in ((br.average_precision, curve), (br.precision, point), (br.precision, curve.at_recall(0.6))):
        fixed = br.estimate(metric, at.at_prevalence(0.01), rng=0)
        vague = br.estimate(metric, at, prevalence=br.prior.Beta(5, 495), rng=0)
        sharp = br.estimate(metric, at, prevalence=br.prior.Beta(1e6, 99e6), rng=0)
        assert vague.low < fixed.low < fixed.high < vague.high
        assert (sharp.low, sharp.high) == pytest.approx((fixed.low, fixed.high), rel=0.08)
        assert sharp.value == pytest.approx(fixed.value)
        assert vague.uncertain_prevalence == "Beta(5, 495)"
        span = br.estimate(metric, at, prevalence=(0.005, "1:49"), rng=0)
        ends = [br.estimate(metric, at.at_prevalence(p), rng=0) for p in (0.005, 0.02)]
        assert span.low == pytest.approx(min(end.low for end in ends), rel=1e-6)
        assert span.high == pytest.approx(max(end.high for end in ends), rel=1e-6)


def test_mixing_over_the_prevalence_is_exact_for_a_known_point():
    """With both rates all but known, precision has the distribution that the prevalence gives it."""
    point = br.Point.from_rates(0.6, 0.001, n_pos=10**9, n_neg=10**12)
    found = br.estimate(br.precision, point, prevalence=br.prior.Beta(12, 9_988))
    eta = stats.beta(12, 9_988).ppf([0.025, 0.975])
    expected = 0.6 * eta / (0.6 * eta + 0.001 * (1 - eta))
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=0.02)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda c: br.estimate(br.precision, c), "precision is estimated at one operating point, got a Curve"),
        (lambda c: br.estimate(br.roc_auc, c, method="delnog"), "did you mean 'delong'"),
        (lambda c: br.estimate(br.average_precision, c, method="delong"), "method must be one of 'melded'"),
        (
            lambda c: br.estimate(br.roc_auc, c, confidence_level=95),
            "confidence_level must be at least 0.5 and below 1",
        ),
        (lambda c: br.estimate(br.roc_auc, c, rng="x"), "rng must be a seed"),
        (lambda c: br.estimate(br.roc_auc, c, n_resamples=0), "n_resamples must be"),
        (lambda c: br.estimate(br.roc_auc, c, prevalence=0.1), "prevalence must be br.prior.Beta"),
        (lambda c: br.estimate(br.roc_auc, [1, 2]), "at must be a Curve or a Point, got a list"),
        (lambda c: br.prior.Beta(0, 1), "a must be finite and above 0"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call(normal_curve(5, 20))


def test_rates_without_cases_have_no_interval():
    with pytest.raises(br.errors.MissingInformationError, match="made from rates"):
        br.estimate(br.auc_pr, br.Curve.from_rates([0.6], [0.01], prevalence=0.1))
    with pytest.raises(br.errors.MissingInformationError, match="no numbers of cases"):
        br.estimate(br.precision, br.Point.from_rates(0.6, 0.01, prevalence=0.1))


def test_an_estimate_says_why_its_method_was_chosen():
    data = br.examples.payments()
    payments = br.Curve.from_scores(data["fraud"], data["new_model"])
    point, searched = payments.at_threshold(0.5), payments.best(br.f1)
    assert br.estimate(br.recall, point).why == "one rate at a threshold: exact limits"
    assert br.estimate(br.precision, point).why == "two rates at a threshold: their exact limits, melded"
    assert "searched for" in br.estimate(br.f1, searched, n_resamples=100).why
    assert "another metric" in br.estimate(br.precision, searched, about="rule", n_resamples=100).why
    assert "unseen rows" in br.estimate(br.average_precision, payments, n_resamples=100).why
    assert br.estimate(br.recall, point, method="wilson").why == "it was asked for"
    assert "no method" in br.estimate(br.ece, payments).why


@pytest.mark.parametrize(
    ("n_pos", "why"), [(19, "fewer than 20 rows of a class"), (20, "at least 20 rows of each class")]
)
def test_a_difference_says_why_its_method_was_chosen(n_pos, why):
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0], [n_pos, 50])
    pair = br.Pair.from_scores(label, label + rng.normal(size=n_pos + 50), rng.normal(size=n_pos + 50))
    assert br.difference(br.average_precision, pair, n_resamples=100).why.startswith(why)
    assert "closed form" in br.difference(br.roc_auc, pair).why
    assert br.difference(br.roc_auc, pair, method="delong").why == "it was asked for"
