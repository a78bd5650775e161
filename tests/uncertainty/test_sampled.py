"""Intervals where only some rows were sampled for labelling: coverage, limits in closed form, and what is refused."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.claims.more_labels import copies
from baserate.curves.compact import compact
from baserate.uncertainty.cells import cells_of
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.readers import chosen_on_draws
from baserate.uncertainty.sampled import OfSampled
from baserate.uncertainty.sampled_methods import on_labelled
from baserate.uncertainty.samplers import NOBODY, OfCurve, Streams

N, CUTOFF, RATE = 50_000, 2.0, 0.005


def labelled(rng, n=N, prevalence=0.01, rate=RATE):
    """Normal classes two apart; all scores from 2 on are labelled, which half the positives have, few below."""
    y = np.arange(n) < rng.binomial(n, prevalence)
    score = rng.normal(size=n) + 2 * y
    known = (score >= CUTOFF) | (rng.random(n) < rate)
    return np.where(known, y.astype(float), np.nan), score


def curve_of(rng, **settings):
    label, score = labelled(rng, **settings)
    return br.Curve.from_sampled(label, score, rule=f"all >= 2, else {settings.get('rate', RATE)!r}")


def held(intervals, truth):
    return np.mean([one.low <= truth <= one.high for one in intervals])


@pytest.mark.slow
def test_recall_of_alerts_is_covered_where_one_effective_size_is_not_enough():
    """Leaving rows out says 1.00; weights of 1/rate hold in about three of four samples, and less by chance."""
    found, weighted, left_out = [], [], []
    for seed in range(80):
        label, score = labelled(np.random.default_rng(seed))
        known = ~np.isnan(label)
        sampled = br.Curve.from_sampled(label, score, rule="all >= 2, else 0.5 %").at_threshold(2)
        found.append(br.estimate(br.recall, sampled, n_resamples=200, rng=seed))
        weight = np.where(score[known] >= CUTOFF, 1, 1 / RATE)
        naive = br.Curve.from_scores(label[known], score[known], weight=weight).at_threshold(2)
        weighted.append(br.estimate(br.recall, naive))
        left_out.append(br.recall(br.Curve.from_scores(label[known], score[known]).at_threshold(2)))
    assert np.mean(left_out) > 0.98
    assert held(weighted, 0.5) < 0.87
    assert held(found, 0.5) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 80)
    none = [one for one in found if one.value == 1]
    assert none  # in some samples no positive was found in the rest
    assert all(one.high == 1 and one.low < 0.4 for one in none)


@pytest.mark.slow
def test_other_questions_are_covered_too():
    """Areas, precision below the cutoff and the prevalence; about two of fifty positives in the rest are found."""
    grid = np.linspace(12, -10, 20_001)
    tpr, fpr = stats.norm.sf(grid - 2), stats.norm.sf(grid)
    at_own, rare = (np.diff(tpr, prepend=0) @ (tpr / (tpr + x * fpr)) for x in (19, 999))
    below = (0.05 * stats.norm.sf(-1)) / (0.05 * stats.norm.sf(-1) + 0.95 * stats.norm.sf(1))
    truths = {
        "AP": (br.average_precision, lambda curve: curve, at_own),
        "AP at 0.001": (br.average_precision, lambda curve: curve.at_prevalence(0.001), rare),
        "AUC": (br.roc_auc, lambda curve: curve, stats.norm.cdf(np.sqrt(2))),
        "precision below": (br.precision, lambda curve: curve.at_threshold(1), below),
        "prevalence": (br.chance_precision, lambda curve: curve.at_threshold(1), 0.05),
    }
    curves = [curve_of(np.random.default_rng(seed), n=2_000, prevalence=0.05, rate=0.05) for seed in range(40)]
    for what, (metric, at, truth) in truths.items():
        found = [br.estimate(metric, at(curve), n_resamples=100, rng=0) for curve in curves]
        assert held(found, truth) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 40), what


def test_alerts_alone_have_the_interval_of_clopper_and_pearson():
    label, score = [1] * 30 + [0] * 12 + [None] * 500, [2.0] * 42 + [1.0] * 500
    point = br.Curve.from_sampled(label, score, rule="all >= 2, else none").at_threshold(2)
    found = br.estimate(br.precision, point, n_resamples=20_000, rng=0)
    exact = stats.binomtest(30, 42).proportion_ci(method="exact")
    assert found.value == 30 / 42
    assert (found.low, found.high) == pytest.approx(exact, abs=0.004)
    for metric in (br.recall, br.specificity, br.f1):
        unknown = br.estimate(metric, point)
        assert math.isnan(unknown.value)
        assert math.isnan(unknown.low)
        assert unknown.reason == br.Reason.NOT_LABELLED
    assert br.estimate(br.roc_auc, point.curve).reason == br.Reason.NOT_LABELLED
    assert br.estimate(br.precision, point.at_prevalence(0.1)).reason == br.Reason.NOT_LABELLED


def test_no_positive_found_in_the_rest_leaves_three_rows_or_four():
    """The upper limit of a count of 0 is 3.69, and each stands for 200 rows."""
    label, score = [1.0] * 500 + [0.0] * 500 + [0.0] * 200 + [np.nan] * 39_800, [3.0] * 1000 + [1.0] * 40_000
    point = br.Curve.from_sampled(label, score, rule="all >= 2, else 0.5 %").at_threshold(2)
    found = br.estimate(br.recall, point, n_resamples=20_000, rng=0)
    assert (found.value, found.high) == (1, 1)
    share = stats.beta(1, 200).ppf(0.975)  # of the rest, that may be positive
    assert found.low == pytest.approx(500 / (500 + share * 40_000), rel=0.05)


@pytest.mark.parametrize(("k", "n"), [(2, 200), (0, 50), (19, 400)])
def test_the_prevalence_of_a_random_sample_has_the_interval_of_clopper_and_pearson(k, n):
    """All rows were drawn from the population, so what the unlabelled ones tell is nothing, apart from their number."""
    label = np.r_[np.ones(k + 1), np.zeros(n - k - 1), np.full(100 * n, np.nan)]
    score = np.arange(len(label), dtype=float)
    curve = br.Curve.from_sampled(label, score, stratum=["all"] * len(label))
    found = br.estimate(br.chance_precision, curve.at_threshold(0), n_resamples=20_000, rng=0)
    exact = stats.binomtest(int(np.nansum(label)), int(np.sum(~np.isnan(label)))).proportion_ci(method="exact")
    assert found.low == pytest.approx(exact.low, rel=0.12)  # few draws are so low
    assert found.high == pytest.approx(exact.high, rel=0.04)


def test_draws_have_the_variance_of_begg_and_greenes():
    """The variance of the log-odds of recall, of a screening test whose positives are verified more often."""
    alerts, rest = (4_000, 800, 0.4), (40_000, 2_000, 0.05)  # rows, labelled, share of positives
    label, score = [], []
    for value, (n, n_labelled, share) in ((1.0, alerts), (0.0, rest)):
        n_pos = round(n_labelled * share)
        label += [1.0] * n_pos + [0.0] * (n_labelled - n_pos) + [np.nan] * (n - n_labelled)
        score += [value] * n
    curve = br.Curve.from_sampled(label, score, stratum=score)
    assert br.recall(curve.at_threshold(1)) == pytest.approx(1600 / 3600, rel=1e-12)
    sampler = OfSampled(br.Curve.from_scores([1, 0], [1, 0]), curve.strata, _cells(curve))
    (tpr,) = drawn(sampler, [Reader(_at_1, (NOBODY,))], 20_000, (1, 2, 3))
    variance = sum(1 / n + (1 - share) / (share * n_labelled) for n, n_labelled, share in (alerts, rest))
    odds = np.log(tpr[0, :, 0] / (1 - tpr[0, :, 0]))
    assert np.var(odds) == pytest.approx(variance, rel=0.05)


def _cells(curve):
    return cells_of(br.Curve(curve.table.labelled(), (curve.n_pos, curve.n_neg)))


def _at_1(models):
    (one,) = models
    place = int(np.flatnonzero(one.score >= 1)[-1])
    return one.steps.tp[:, place : place + 1]


def test_with_all_rows_labelled_draws_are_those_of_a_curve():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    plain = br.Curve.from_scores(y, rng.normal(size=300) + y)
    cells = cells_of(plain)
    readers = [Reader(lambda models: br.METRICS["roc_auc"].over_odds(models[0], np.ones(1)), (NOBODY,))]
    for_both = [
        drawn(sampler, readers, 20_000, (1, 2, 3))[0][0, :, 0]
        for sampler in (OfCurve(plain, cells), OfSampled(plain, plain.strata, cells))
    ]
    for share in (0.025, 0.5, 0.975):
        ends = [np.quantile(one, share) for one in for_both]
        assert ends[0] == pytest.approx(ends[1], abs=0.002)


def test_draws_do_not_depend_on_how_many_are_made_at_once():
    curve = curve_of(np.random.default_rng(0), n=5_000, rate=0.1)
    sampler = OfSampled(curve, curve.strata, _cells(curve))
    few, many = (drawn(sampler, [Reader(_first, (NOBODY,))], n, (1, 2, 3))[0] for n in (50, 1_000))
    assert np.array_equal(few, many[:, :50])


def _first(models):
    return models[0].steps.tp[:, :1]


def test_the_same_seed_gives_the_same_interval():
    curve = curve_of(np.random.default_rng(0), n=5_000, rate=0.1)
    ends = {str(br.estimate(br.average_precision, curve, n_resamples=100, rng=1)) for _ in range(2)}
    assert len(ends) == 1
    assert "weights" not in ends.pop()


def test_own_functions_are_read_at_the_prevalence_of_each_population():
    curve = curve_of(np.random.default_rng(0), n=500, rate=0.2, prevalence=0.2)
    by_hand = br.estimate(lambda one: one.prevalence, curve, n_resamples=200, rng=0)
    known = br.estimate(br.chance_precision, curve.at_threshold(0), n_resamples=200, rng=1)
    assert (by_hand.low, by_hand.high) == pytest.approx((known.low, known.high), rel=0.1)
    assert by_hand.low < curve.prevalence < by_hand.high


CHOSEN = {
    "the best of all": lambda curve: (br.best_f1, curve, "threshold"),
    "a searched threshold": lambda curve: (br.f1, curve.best(br.f1), "threshold"),
    "another metric there": lambda curve: (br.recall, curve.best(br.f1), "threshold"),
    "the largest recall": lambda curve: (br.recall, curve.at_precision(0.5), "threshold"),
    "the rule that searches": lambda curve: (br.f1, curve.best(br.f1), "rule"),
    "the rule, for another metric": lambda curve: (br.recall, curve.best(br.f1), "rule"),
    "a precision, chosen again": lambda curve: (br.recall, curve.at_precision(0.5), "rule"),
    "a recall, chosen again": lambda curve: (br.precision, curve.at_recall(0.5), "rule"),
    "losses": lambda curve: (br.brier_score, curve, "threshold"),
    "clipped losses": lambda curve: (partial(br.log_loss, clip=0.01), curve, "threshold"),
}


@pytest.mark.parametrize("what", CHOSEN)
def test_thresholds_that_were_chosen_have_the_intervals_of_labelled_rows(what):
    """With one row of 2,000 unlabelled, intervals are those of the others, whatever is asked."""
    rng = np.random.default_rng(3)
    y = rng.random(2_000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(size=2_000) - 1.5 * y))
    label = np.where(np.arange(2_000) == np.argsort(score)[1_000], np.nan, y)
    known = ~np.isnan(label)
    sampled = br.Curve.from_sampled(label, score, stratum=["all"] * 2_000)
    plain = br.Curve.from_scores(label[known], score[known])
    found, same = [], []
    for curve, estimates in ((sampled, found), (plain, same)):
        metric, at, about = CHOSEN[what](curve.at_prevalence(0.1))
        estimates.append(br.estimate(metric, at, about=about, n_resamples=2_000, rng=0))
    (one,), (other,) = found, same
    width = other.high - other.low
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.1 * width)
    assert one.method == other.method


@pytest.mark.parametrize("rule", ["best=f1", "precision >= 0.6", "alert_rate <= 0.05", "recall >= 0.5"])
def test_a_rule_chooses_in_each_population_at_its_own_prevalence(rule):
    """A population that is read at its own prevalence has the point that a curve of its counts has."""
    curve = curve_of(np.random.default_rng(1), n=5_000, rate=0.1, prevalence=0.1)
    point = br.Rule.parse(rule).on(on_labelled(curve))
    sampler = OfSampled(curve, curve.strata, _cells(curve))
    (drawn_curves,) = sampler.seen_by(NOBODY, sampler.masses(5, Streams.of((1, 2, 3))))
    chosen = chosen_on_draws(point, drawn_curves)
    for i, odds in enumerate(drawn_curves.odds):
        steps = drawn_curves.steps.each(lambda column, i=i: column[i : i + 1])
        alone = replace(drawn_curves, steps=steps, odds=None)
        there = replace(point, curve=point.curve.at_prevalence(1 / (1 + odds)))
        assert np.concatenate(chosen_on_draws(there, alone)) == pytest.approx([one[i] for one in chosen], rel=1e-12)
    assert len(np.unique(drawn_curves.odds)) == 5


@pytest.mark.slow
def test_searched_thresholds_are_covered_too():
    """F1 at the threshold that is best on the rows, the best F1, and the recall where a precision was wanted."""
    grid = np.linspace(8, -6, 20_001)
    tpr, fpr = stats.norm.sf(grid - 2), stats.norm.sf(grid)
    x = 0.95 / 0.05
    f1 = 2 * tpr / (tpr + 1 + x * fpr)
    found = {"f1": [], "best": [], "recall": []}
    for seed in range(60):
        curve = curve_of(np.random.default_rng(seed), n=2_000, prevalence=0.05, rate=0.05)
        best, precise = curve.best(br.f1), curve.at_precision(0.4)
        for what, metric, at, truth in (
            ("f1", br.f1, best, np.interp(-best.threshold, -grid, f1)),
            ("best", br.best_f1, curve, f1.max()),
            ("recall", br.recall, precise, stats.norm.sf(precise.threshold - 2)),
        ):
            one = br.estimate(metric, at, n_resamples=100, rng=0)
            found[what].append(one.low <= truth <= one.high)
    for what, contained in found.items():
        assert np.mean(contained) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 60), what


# --- over prevalences, claims, and a threshold for use --------------------------------------------


def test_a_sweep_has_the_intervals_of_each_prevalence():
    curve = curve_of(np.random.default_rng(0), n=5_000, rate=0.1)
    for metric, at in (
        (br.average_precision, curve),
        (br.precision, curve.at_threshold(1)),
        (br.f1, curve.at_recall(0.5)),
    ):
        band = br.sweep_estimates(metric, at, [0.1, 0.001], n_resamples=200, rng=0)
        alone = [br.estimate(metric, at.at_prevalence(one), n_resamples=200, rng=0) for one in (0.1, 0.001)]
        for name in ("value", "low", "high"):
            assert getattr(band, name) == pytest.approx([getattr(one, name) for one in alone], rel=1e-12)
        assert (band.n_pos, band.n_neg) == (alone[0].n_pos, alone[0].n_neg)


ALERTS_ONLY = br.Curve.from_sampled(
    [1] * 30 + [0] * 12 + [None] * 500, [2.0] * 42 + [1.0] * 500, rule="all >= 2, else none"
)


def test_bands_along_a_curve():
    """The band at a recall is the interval of precision there, about the rule that chooses this recall."""
    curve = curve_of(np.random.default_rng(0), n=10_000, rate=0.1, prevalence=0.05)
    for at in (curve, curve.at_prevalence(0.001)):
        band = br.pr_band(at, [0.4], n_resamples=500, rng=0)
        rule = br.estimate(br.precision, at.at_recall(0.4), about="rule", n_resamples=500, rng=0)
        assert (band.low[0], band.high[0]) == pytest.approx((rule.low, rule.high), rel=1e-9)
        wide = br.pr_band(at, [0.2, 0.4], simultaneous=True, n_resamples=500, rng=0)
        assert wide.low[1] <= band.low[0] < band.high[0] <= wide.high[1]
    roc = br.roc_band(curve, [0.01, 0.1], n_resamples=500, rng=0)
    assert ((roc.low < roc.value) & (roc.value < roc.high)).all()
    gain = br.prg_band(curve.at_prevalence(0.001), [0.6], n_resamples=500, rng=0)
    assert gain.low[0] <= gain.value[0] <= gain.high[0]


def test_a_sweep_over_alerts_alone_says_what_is_unknown():
    band = br.sweep_estimates(br.precision, ALERTS_ONLY.at_threshold(2), [0.1, 0.001], rng=0)
    assert np.isnan(band.value).all()
    assert np.isnan(band.low).all()
    assert band.reason == br.Reason.NOT_LABELLED


def test_claims_about_sampled_labels():
    curve = curve_of(np.random.default_rng(0), n=20_000, rate=0.05)
    found = br.estimate(br.recall, curve.at_threshold(2), confidence_level=0.9, n_resamples=500, rng=0)
    met, open_yet, broken = (
        br.check(br.Claim(br.recall, at_least=bound, at="threshold=2"), curve, n_resamples=500, rng=0)
        for bound in (found.low - 0.05, found.low + 0.05, found.high + 0.05)
    )
    assert [one.verdict for one in (met, open_yet, broken)] == ["met", "undecided", "broken"]
    assert open_yet.more_pos > 0
    unknown = br.check(br.Claim(br.recall, at_least=0.1, at="threshold=2"), ALERTS_ONLY, rng=0)
    assert (unknown.verdict, unknown.note) == ("undecided", br.Reason.NOT_LABELLED.sentence)
    alerts = br.check(br.Claim(br.precision, at_least=0.5, at="threshold=2"), ALERTS_ONLY, rng=0)
    assert alerts.verdict == "met"
    over = br.check(br.Claim(br.precision, at_least=0.9, at="threshold=2", prevalence=(0.01, 0.02)), curve, rng=0)
    assert over.verdict == "broken"


def test_copies_of_sampled_rows_have_the_same_rates():
    curve = curve_of(np.random.default_rng(0), n=2_000, rate=0.1).at_prevalence(0.02)
    many = copies(curve, 3)
    assert [one.n_rows for one in many.strata] == [3 * one.n_rows for one in curve.strata]
    assert many.given_prevalence == 0.02
    assert br.average_precision(many) == pytest.approx(br.average_precision(curve), rel=1e-12)


def test_a_threshold_is_deployed_on_sampled_labels():
    choose, judge = (curve_of(np.random.default_rng(seed), n=20_000, rate=0.05) for seed in (0, 1))
    plan = br.deploy(choose, judge, at="recall=0.4")
    point = judge.at_threshold(plan.threshold)
    found = br.estimate(br.precision, point, rng=0)
    assert (plan.precision.low, plan.precision.high) == (found.low, found.high)
    rare = br.deploy(choose, judge, at="recall=0.4", prevalence=1e-4)
    assert rare.precision.high < plan.precision.low
    assert (rare.recall.low, rare.recall.high) == (plan.recall.low, plan.recall.high)
    with pytest.raises(br.BaserateError, match="that of judge is unknown: some rows could not be labelled"):
        br.deploy(judge, ALERTS_ONLY, at="threshold=2")


PLAIN = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[6, 3, 1], neg=[2, 20, 68])
PAIR = br.Pair.from_sampled(
    [1, 0, 1, 0, None], [0.9, 0.8, 0.7, 0.6, 0.1], [0.1, 0.2, 0.7, 0.6, 0.1], stratum=list("aabbb")
)
REFUSED = {
    "weights": lambda curve: curve.pos_squares,
    "other scores": lambda curve: curve.shift_scores(0.1),
    "bounds": lambda curve: br.bounds(br.roc_auc, curve),
    "a store": compact,
    "monitoring": lambda curve: br.explain_change(br.roc_auc, curve, PLAIN),
    "calibration": br.reliability,
    "prevalence now": lambda curve: br.prior.estimate_prevalence(PLAIN, curve),
    "a swap test": lambda curve: br.swap_test(br.roc_auc, PAIR),
    "crossings with intervals": lambda curve: br.crossing_estimates(br.roc_auc, PAIR),
    "a rule that searches": lambda curve: br.difference(br.f1, PAIR, at="best=f1"),
    "the difference of optima": lambda curve: br.difference(br.best_f1, PAIR),
    "a band at an unknown prevalence": br.prg_band,
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_to_hold_is_refused(what):
    label, score = [1, 0, 1, 0, None, 0, 1, None], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
    curve = br.Curve.from_sampled(label, score, rule="all >= 0.5, else 50 %")
    with pytest.raises(br.BaserateError, match="only some rows were sampled"):
        REFUSED[what](curve)
