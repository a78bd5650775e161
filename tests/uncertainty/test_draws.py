"""Drawn populations: their laws, that they depend on nothing else, and that runs stand for the corners in them."""

from functools import lru_cache, partial

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score

import baserate as br
from baserate import native
from baserate.formulas import areas
from baserate.formulas.proportions import clopper_pearson
from baserate.formulas.steps import segments
from baserate.uncertainty import cells as cutting
from baserate.uncertainty import samplers
from baserate.uncertainty.cells import Part, cells_of, corners, every_corner, scores_in_runs
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import IntervalSettings, estimate_all, estimates
from baserate.uncertainty.laws import gamma_quantile, multinomial
from baserate.uncertainty.methods import Estimand
from baserate.uncertainty.readers import reading_of, values
from baserate.uncertainty.samplers import Drawn, OfCells, OfClusters, OfCurve, OfModels
from helpers.drawn_rows import KINDS, all_tied, drawn_from, smooth, weighted
from helpers.simulated import normal_rows

AREAS = (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc, br.best_f1)
SEEDS = (1, 2, 3)


def small(decimals=None, n_pos=20, n_neg=200):
    y, score = normal_rows(n_pos, n_neg)
    return br.Curve.from_scores(y, score if decimals is None else score.round(decimals))


# --- the laws -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc])
def test_resampling_cells_is_resampling_rows(metric, decimals):
    """An area over resampled cells and over literally resampled rows, sorted anew, has one distribution."""
    curve = small(decimals)
    score = np.concatenate([np.repeat(curve.score, curve.pos), np.repeat(curve.score, curve.neg)])
    label = np.repeat([1, 0], [20, 200])
    rng = np.random.default_rng(1)
    by_row = []
    for _ in range(1500):
        rows = np.concatenate([rng.integers(0, 20, 20), rng.integers(20, 220, 200)])
        by_row.append(metric(br.Curve.from_scores(label[rows], score[rows])))
    at = curve.at_prevalence(20 / 220)
    by_cell = values(metric, at, drawn_from(corners(curve), 6000, again=True), np.array([10.0]))[:, 0]
    assert stats.ks_2samp(by_row, by_cell).pvalue > 0.01
    if metric is br.average_precision:
        assert by_row[-1] == pytest.approx(average_precision_score(label[rows], score[rows]), rel=1e-12)


def test_rows_drawn_again_are_as_many_as_there_were():
    curve = small(decimals=0, n_pos=7, n_neg=30)
    steps = drawn_from(corners(curve), 50, again=True).steps
    assert (steps.n_pos, steps.n_neg) == (1, 1)
    assert steps.tp[:, -1] == pytest.approx(1, abs=0)
    for column, size in ((steps.tp, 7), (steps.pos, 7), (steps.fp, 30), (steps.neg, 30)):
        assert column * size == pytest.approx((column * size).round(), abs=1e-12)
        assert (column <= 1).all()


def ten_levels(n_rows):
    return br.Curve.from_counts(np.arange(10.0), np.full(10, n_rows // 10), np.full(10, n_rows // 10))


@pytest.mark.parametrize("n_rows", [30, 3000])
def test_both_ways_to_draw_a_multinomial_have_its_variances(n_rows):
    pos = n_rows * drawn_from(corners(ten_levels(n_rows)), 20_000, again=True).steps.pos
    share = 0.1
    assert pos.mean(axis=0) == pytest.approx(n_rows * share, rel=0.02)
    assert pos.var(axis=0) == pytest.approx(n_rows * share * (1 - share), rel=0.06)
    assert np.cov(pos[:, 0], pos[:, 1])[0, 1] == pytest.approx(-n_rows * share**2, rel=0.5)


def many_cells():
    return np.concatenate([np.ones(60), np.arange(2.0, 40), [100, 300, 2000, 9000]])


def test_counts_by_poisson_are_those_of_rows_drawn_again():
    """Of single cells, of the small ones together, and of the large ones given them."""
    rows, n_draws = many_cells(), 20_000
    counts = multinomial(Part(rows, np.ones(len(rows))))(n_draws, np.random.default_rng(1))
    n_rows, of_small = int(rows.sum()), rows[:-2].sum()
    assert (counts.sum(axis=1) == n_rows).all()
    groups = [*counts[:, :: len(rows) // 5].T, counts[:, :-2].sum(axis=1), counts[:, -1]]
    shares = [*rows[:: len(rows) // 5] / n_rows, of_small / n_rows, rows[-1] / n_rows]
    for found, share in zip(groups, shares, strict=True):
        edges = np.unique(stats.binom(n_rows, share).ppf(np.linspace(0.05, 0.95, 10)))
        expected = np.diff(stats.binom(n_rows, share).cdf(edges), prepend=0.0, append=1.0)
        seen = np.bincount(np.searchsorted(edges, found), minlength=len(expected))
        assert stats.chisquare(seen, expected * n_draws).pvalue > 1e-3
    together = np.corrcoef(counts[:, :-2].sum(axis=1), counts[:, -1])[0, 1]
    p, q = of_small / n_rows, rows[-1] / n_rows
    assert together == pytest.approx(-np.sqrt(p * q / ((1 - p) * (1 - q))), abs=0.03)


def test_rows_drawn_again_without_the_kernel_are_the_same(monkeypatch):
    law = Part(many_cells(), np.ones(len(many_cells())))
    found = multinomial(law)(300, np.random.default_rng(2))
    monkeypatch.setattr(native, "kernel", None)
    assert np.array_equal(found, multinomial(law)(300, np.random.default_rng(2)))


def beyond(limit, rates, *, above):
    """How often rates lie beyond a limit; a limit that nothing may cross is not crossed."""
    return np.mean(rates > limit + 1e-12 if above else rates < limit - 1e-12)


@pytest.mark.parametrize("decimals", [None, 0])
def test_with_a_whole_row_free_drawn_rates_follow_clopper_and_pearson(decimals):
    """At any threshold the pessimist's TPR has the law of the lower limit, his FPR that of the upper one."""
    curve = small(decimals, n_pos=12, n_neg=40)
    pessimist, optimist = drawn_from(corners(curve), 40_000, rows=1.0)
    steps = curve.table.steps
    for corner in (0, len(steps.tp) // 2):
        tpr, fpr = clopper_pearson(steps.tp[corner], 12, 0.9), clopper_pearson(steps.fp[corner], 40, 0.9)
        # There is one more corner above all others.
        assert beyond(tpr.low, pessimist.steps.tp[:, corner + 1], above=False) == pytest.approx(0.05, abs=0.005)
        assert beyond(fpr.high, pessimist.steps.fp[:, corner + 1], above=True) == pytest.approx(0.05, abs=0.005)
        assert beyond(tpr.high, optimist.steps.tp[:, corner + 1], above=True) == pytest.approx(0.05, abs=0.005)
        expected = 0.05 if fpr.low > 0 else 0
        assert beyond(fpr.low, optimist.steps.fp[:, corner + 1], above=False) == pytest.approx(expected, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("free", [0.5, 1.0])
def test_drawn_rates_have_beta_laws(free):
    """Of k rows of n above a threshold: Beta(k, n - k + free) and Beta(k + free, n - k)."""
    curve = small(n_pos=12, n_neg=40)
    pessimist, optimist = drawn_from(corners(curve), 20_000, rows=free)
    steps = curve.table.steps
    for corner in (2, 6, 9):
        tp, fp = steps.tp[corner], steps.fp[corner]
        for rates, a, b in (
            (pessimist.steps.tp, tp, 12 - tp + free),
            (optimist.steps.tp, tp + free, 12 - tp),
            (pessimist.steps.fp, fp + free, 40 - fp),
            (optimist.steps.fp, fp, 40 - fp + free),
        ):
            assert stats.kstest(rates[:, corner + 1], stats.beta(a, b).cdf).pvalue > 0.001


@pytest.mark.parametrize("n", [5, 12, 50, 200])
def test_half_a_row_holds_on_average_like_mid_p(n):
    """Of a single rate: within Clopper and Pearson's interval, nearer to mid-P than it is, and right on average."""
    k = np.arange(n + 1)
    half, exact, mid_p = _beta_ends(k, n, 0.5, 0.95), clopper_pearson(k, n, 0.95), _mid_p(k, n, 0.95)
    assert (half[0] >= exact.low - 1e-12).all()
    assert (half[1] <= exact.high + 1e-12).all()
    for end in (0, 1):
        assert np.abs(half[end] - mid_p[end]).max() < 0.7 * np.abs(exact[end] - mid_p[end]).max()
    held, too_often, about = (_held_on_average(ends, k, n) for ends in (half, exact, mid_p))
    assert 0.95 < held < too_often - 0.005
    assert held == pytest.approx(about, abs=0.004)


def _held_on_average(ends, k, n):
    rates = (np.arange(1000) + 0.5) / 1000
    inside = (ends[0][:, np.newaxis] <= rates) & (rates <= ends[1][:, np.newaxis])
    return (inside * stats.binom.pmf(k[:, np.newaxis], n, rates)).sum(axis=0).mean()


def _beta_ends(k, n, free, level):
    tail = (1 - level) / 2
    low = np.where(k > 0, stats.beta.ppf(tail, np.maximum(k, 1e-9), n - k + free), 0.0)
    return low, np.where(k < n, stats.beta.ppf(1 - tail, k + free, np.maximum(n - k, 1e-9)), 1.0)


def _mid_p(k, n, level):
    """Rates for which neither tail, with half of what was seen, is below what the level leaves."""
    rates = np.linspace(0, 1, 2001)
    above = stats.binom.sf(k[:, np.newaxis], n, rates) + stats.binom.pmf(k[:, np.newaxis], n, rates) / 2
    inside = (above >= (1 - level) / 2) & (above <= (1 + level) / 2)
    return rates[inside.argmax(axis=1)], rates[len(rates) - 1 - inside[:, ::-1].argmax(axis=1)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_pessimist_sees_no_curve_above_an_optimists(kind):
    """Draw by draw: recall is no higher and FPR no lower at any score, and so with every area."""
    curve = kind(300, 700)
    for cells in (cells_of(curve), scores_in_runs(curve)):
        pessimist, optimist = drawn_from(cells, 50)
        assert (pessimist.steps.tp <= optimist.steps.tp + 1e-12).all()
        assert (pessimist.steps.fp >= optimist.steps.fp - 1e-12).all()
        for metric in AREAS:
            low, high = (values(metric, curve, one, np.array([0.5, 900.0])) for one in (pessimist, optimist))
            assert (low <= high + 1e-12).all()


# --- on what draws do not depend ------------------------------------------------------------------


def a_pair(n_pos=40, n_neg=300):
    y, a = normal_rows(n_pos, n_neg, 1.5)
    return br.Pair.from_scores(y, a, a + np.random.default_rng(5).normal(size=len(y)))


def some_clusters():
    y, score = normal_rows(60, 300, 1.5)
    rows = np.random.default_rng(5).permutation(len(y))
    return {i: br.Curve.from_scores(y[rows[i::12]], score[rows[i::12]]) for i in range(12)}


def in_many_cells():
    return br.Curve.from_counts(np.arange(102.0), many_cells(), many_cells()[::-1])


def samplers_of_each_kind():
    pooled = br.Curve.pool(some_clusters().values())
    return {
        "curve": OfCurve(pooled, cells_of(pooled)),
        "again": OfCurve(pooled, cells_of(pooled), again=True),
        "few levels again": OfCurve(levels := ten_levels(3000), cells_of(levels), again=True),
        "many cells again": OfCurve(many := in_many_cells(), cells_of(many), again=True),
        "weighted": OfCurve(uneven := weighted(50, 90), cells_of(uneven)),
        "pair": OfModels(a_pair(), cells_of),
        "pair again": OfModels(a_pair(), cells_of, again=True),
        "clusters": OfClusters(some_clusters(), pooled, cells_of(pooled)),
    }


@pytest.mark.parametrize("name", samplers_of_each_kind())
def test_draws_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch, name):
    sampler = samplers_of_each_kind()[name]
    reader = Reader(lambda models: np.concatenate([one.steps.tp + 2 * one.steps.fp for one in models], axis=1))
    found = []
    for chunk in (1, 7 * sampler.numbers, 2**30):
        monkeypatch.setattr(samplers, "_CHUNK", chunk)
        [read] = drawn(sampler, [reader], 45, SEEDS)
        found.append(read)
    assert read.shape[:2] == (1 if sampler.again else 2, 45)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0], drawn(sampler, [reader], 45, (4, 5, 6))[0])


def test_more_draws_begin_with_the_same_ones():
    sampler, reader = OfCurve(curve := small(), cells_of(curve)), Reader(lambda models: models[0].steps.tp)
    [few], [many] = (drawn(sampler, [reader], n, SEEDS) for n in (40, 400))
    assert np.array_equal(few, many[:, :40])


def many_questions(curve):
    x = np.array([3.0, 900.0])

    def own(curve):
        return br.roc_auc(curve)

    yield from (Estimand(metric, curve, x) for metric in (*AREAS, br.brier_score, own))
    for point in (curve.at_recall(0.6), curve.at_fpr(0.05), curve.at_prevalence(0.1).best(br.f1)):
        yield Estimand(br.precision, point, x, again=True)
        yield Estimand(br.precision, point, x)
    yield Estimand(br.recall, curve.at_threshold(0.7), x)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 900])
def test_what_is_asked_together_is_answered_as_if_alone(n):
    y, score = normal_rows(n, 2 * n, 1.5)
    curve = br.Curve.from_scores(y, 1 / (1 + np.exp(-score)))
    asked = IntervalSettings.of(0.9, 40, 0)
    estimands = list(many_questions(curve))
    together = estimates(estimands, asked)
    for estimand, found in zip(estimands, together, strict=True):
        [alone] = estimates([estimand], asked)
        assert alone == found
        for j, x_j in enumerate(estimand.x):
            [[single]] = estimates([estimand._replace(x=np.array([x_j]))], asked)
            assert (single.low, single.high) == pytest.approx((found[j].low, found[j].high), rel=1e-12)


def test_curves_asked_together_are_answered_as_if_alone():
    asked, x = IntervalSettings.of(0.9, 60, 0), np.array([9.0])
    estimands = [Estimand(br.auc_pr, curve, x) for curve in (small(), smooth(50, 60), small(1))]
    assert estimates(estimands, asked) == [estimates([estimand], asked)[0] for estimand in estimands]


# --- runs of corners ------------------------------------------------------------------------------


def through_cells(drawn, cells):
    """The same drawn curves where runs of corners stand as one."""
    inner = slice(1, -1) if len(drawn.score) > len(drawn.cells.score) else slice(None)
    last = np.searchsorted(-drawn.score, -cells.score)
    first = np.searchsorted(-drawn.score, -cells.top)
    score = cells.score
    if inner != slice(None):  # what is above all and what is below them keep their corners
        ends = 0, len(drawn.score) - 1
        first, last = (np.concatenate([ends[:1], column, ends[1:]]) for column in (first, last))
        score = np.concatenate([[np.inf], score, [-np.inf]])
    tp, fp, pos, neg, n_pos, n_neg = drawn.steps
    before = tp[:, first] - pos[:, first]
    steps = type(drawn.steps)(
        tp[:, last], fp[:, last], tp[:, last] - before, fp[:, last] - fp[:, first] + neg[:, first], n_pos, n_neg
    )
    return Drawn(steps, drawn.atoms[last] & (first == last), drawn.n_pos, drawn.n_neg, score, cells)


@lru_cache(maxsize=1)  # tests come kind by kind
def with_and_without_runs(kind):
    """The data, a pessimist's draws and an optimist's: with every corner, and in runs."""
    curve = kind(4000, 6000)
    every, few = every_corner(curve), cells_of(curve)
    assert len(few.score) < 0.2 * len(every.score)
    return curve, [(one, through_cells(one, few)) for one in (*OfCells(every).seen(), *drawn_from(every, 120))]


def closely_and_roughly(metric, at, curves):
    """What is read off drawn curves with every corner, and off the same ones in runs, moved as `drawn` moves it."""
    read, x = reading_of(metric, at), np.array([at.odds_against])
    (exact, rough), *drawn_ones = ([read(one, x)[:, 0] for one in both] for both in curves)
    return [(expected, found + exact - rough) for expected, found in drawn_ones]


WITH_RUNS = [kind for kind in KINDS if kind is not all_tied]


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0001])
@pytest.mark.parametrize("kind", WITH_RUNS)
def test_an_area_through_runs_is_that_through_every_corner(kind, prevalence):
    """Draw by draw, it is off by a hundredth of what chance makes of it."""
    curve, curves = with_and_without_runs(kind)
    for metric in (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc):
        for expected, found in closely_and_roughly(metric, curve.at_prevalence(prevalence), curves):
            assert np.sqrt(np.mean((found - expected) ** 2)) < 0.015 * expected.std()


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0001])
@pytest.mark.parametrize("kind", WITH_RUNS)
def test_the_best_of_the_ends_of_runs_is_as_good_as_the_best_of_all(kind, prevalence):
    """By what chance makes of it, a tenth."""
    curve, curves = with_and_without_runs(kind)
    curve = curve.at_prevalence(prevalence)
    cost = partial(br.expected_cost, cost_fn=20, cost_fp=1)
    for metric, at in ((br.best_f1, curve), (br.f1, curve.best(br.f1)), (cost, curve.best(cost))):
        for expected, found in closely_and_roughly(metric, at, curves):
            if expected.std() > 1e-9:
                assert np.sqrt(np.mean((found - expected) ** 2)) < 0.2 * expected.std()
                assert found.std() == pytest.approx(expected.std(), rel=0.1)


LIMITS = {
    "recall": (br.precision, "recall >= 0.6"),
    "fpr": (br.recall, "fpr <= 0.01"),
    "a high fpr": (br.precision, "fpr <= 0.1"),
    "precision": (br.recall, "precision >= 0.2"),
    "alert rate": (br.f1, "alert_rate <= 0.02"),
    "top many": (br.precision, "top_k <= 1500"),
}


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("kind", WITH_RUNS)
def test_a_limit_within_a_run_is_about_where_it_is_among_its_corners(kind, name):
    """The ragged curve between corners is a part of what chance makes of a point on it, three tenths at the most."""
    metric, rule = LIMITS[name]
    if kind is weighted and name == "top many":
        pytest.skip("weighted rows are not counted")
    curve, curves = with_and_without_runs(kind)
    at = br.Rule.parse(rule).on(curve.at_prevalence(0.01))
    for expected, found in closely_and_roughly(metric, at, curves):
        if expected.std() > 1e-9:
            error = (found - expected) / expected.std()
            assert abs(error.mean()) < 0.25
            assert error.std() < 0.3
            assert found.std() == pytest.approx(expected.std(), rel=0.1)


@pytest.mark.slow
def test_ends_do_not_depend_on_runs(monkeypatch):
    """Ends with every corner and ends with runs differ as two seeds do, for areas, rules, losses and differences."""
    y, score = normal_rows(3000, 6000, 1.5)
    probability = 1 / (1 + np.exp(-score))
    curve = br.Curve.from_scores(y, probability).at_prevalence(0.05)
    noise = np.random.default_rng(3).normal(size=len(y))
    pair = br.Pair.from_scores(y, score, score + 0.5 * noise).at_prevalence(0.05)
    asked = {
        **{metric.__name__: partial(br.estimate, metric, curve) for metric in (*AREAS, br.brier_score)},
        "percentile": partial(br.estimate, br.average_precision, curve, method="percentile"),
        "recall": partial(br.estimate, br.precision, curve.at_recall(0.6), about="rule"),
        "fpr": partial(br.estimate, br.recall, curve.at_fpr(0.01), about="rule"),
        "difference": partial(br.difference, br.average_precision, pair),
        "melded difference": partial(br.difference, br.average_precision, pair, method="melded"),
    }
    for name, ask in asked.items():
        monkeypatch.setattr(cutting, "_FEW_CORNERS", 10**9)
        closely = ask(rng=0, n_resamples=1000)
        monkeypatch.setattr(cutting, "_FEW_CORNERS", 0)
        roughly = ask(rng=1, n_resamples=1000)
        room = 0.12 * (closely.high - closely.low)  # four standard errors of a difference of two such ends
        assert (roughly.low, roughly.high) == pytest.approx((closely.low, closely.high), abs=room), name


def test_areas_that_are_one_are_worked_out_once(monkeypatch):
    """Of continuous scores a population has no steps: average precision is the area under its PR curve."""
    looks, areas_of_many = [], areas._areas_of_many
    monkeypatch.setattr(areas, "_areas_of_many", lambda *asked: looks.append(1) or areas_of_many(*asked))
    curve = small(n_pos=40, n_neg=200)
    alone = br.estimate(br.average_precision, curve, n_resamples=200, rng=0)
    n_alone = len(looks)
    both = [(metric, curve, "threshold") for metric in (br.average_precision, br.auc_pr, br.normalized_auc_pr)]
    assert estimate_all(both, n_resamples=200, rng=0)[0] == alone
    assert len(looks) == 2 * n_alone > 0


def test_areas_of_many_curves_have_ten_digits():
    for one in drawn_from(corners(small(n_pos=40, n_neg=200)), 20):
        pieces = segments(one.steps, 0.0, 1.0)
        for x in (1e-3, 1.0, 1e3, 1e6):
            exactly = areas.segment_area(pieces, x)
            assert areas._areas_of_many(pieces, np.array([x]))[:, 0] == pytest.approx(exactly, rel=1e-10)


@pytest.mark.parametrize("rows", [0.5, 1.0, 2.5])
def test_quantiles_of_what_is_free_are_those_of_a_gamma_law(rows):
    share = np.array([1e-12, 0.001, 0.3, 0.5, 0.9, 0.999, 1 - 1e-12])
    np.testing.assert_allclose(gamma_quantile(rows, share), stats.gamma(rows).ppf(share), rtol=1e-9, atol=1e-16)
