"""Plans for labelling: allocations and variances in closed form, draws that can be repeated, and what is refused."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.design.allocation import Strata, best_edges, strata_from
from baserate.design.score_bins import LabelQuestion, ScoreBins, bins_of, slopes
from helpers.scripts import script

PATH = Path(__file__).parents[2] / "benchmarks" / "labelling_plans.py"


def _population(seed, n=6_000, share=0.03):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, rng.normal(size=n) + 2 * y


LIKE = br.Curve.from_scores(*_population(0))
Y, SCORE = _population(1)


def _bins(n_rows, positive):
    lowest = np.array([*np.arange(len(n_rows) - 1, 0, -1.0), -np.inf])
    return ScoreBins(lowest, np.array(n_rows, float), np.array(positive), np.zeros(0, np.intp))


# --- variances and allocations --------------------------------------------------------------------

TWO = _bins([400, 9_600], [0.6, 0.02])  # 240 positives above the threshold, 192 below
QUESTION = LabelQuestion(br.recall, 1.0, None)


def test_slopes_of_recall_are_its_influence():
    of_pos, of_neg = slopes(QUESTION, TWO)
    recall, positives = 240 / 432, 432
    np.testing.assert_allclose(of_pos, [(1 - recall) / positives, -recall / positives], rtol=1e-3)
    np.testing.assert_allclose(of_neg, 0, atol=1e-9)


def test_slopes_of_precision_at_another_prevalence_are_its_influence():
    of_pos, of_neg = slopes(LabelQuestion(br.precision, 1.0, 0.001), TWO)
    tpr, fpr = 240 / 432, 160 / 9_568
    precision = tpr / (tpr + 999 * fpr)
    scale = precision * (1 - precision)
    np.testing.assert_allclose(of_pos, [scale * (1 / 240 - 1 / 432), -scale / 432], rtol=1e-3)
    np.testing.assert_allclose(of_neg, [-scale * (1 / 160 - 1 / 9_568), scale / 9_568], rtol=1e-3)


def test_the_variance_of_recall_is_begg_and_greenes():
    """Two groups of a screening test, some of each verified, by the delta method; and R (1 - R) / P if all are."""
    strata = strata_from(TWO, slopes(QUESTION, TWO), [1.0])
    labels, recall, positives = np.array([100.0, 500.0]), 240 / 432, 432
    sampled = sum(
        weight**2 * rows**2 * p * (1 - p) * (1 / n - 1 / rows)
        for weight, rows, p, n in ((1 - recall, 400, 0.6, 100), (recall, 9_600, 0.02, 500))
    )
    wanted = sampled / positives**2 + recall * (1 - recall) / positives
    assert strata.variance(labels) == pytest.approx(wanted, rel=2e-3)
    assert strata.variance(strata.n_rows) == pytest.approx(recall * (1 - recall) / positives, rel=2e-3)


def test_no_other_allocation_has_a_smaller_variance():
    strata = Strata(
        np.array([2.0, 1.0, -np.inf]),
        np.array([30.0, 200.0, 5_000.0]),
        np.zeros(3),
        np.array([0.9, 0.4, 0.03]),
        np.array([5.0, 5.0, 5.0]),
        np.zeros(0, np.intp),
        0.0,
    )
    for n in (20, 60, 150, 400):
        best = strata.allocated(n)
        assert best.sum() == pytest.approx(n)
        assert ((best >= strata.least) & (best <= strata.n_rows)).all()
        others = [
            np.array([a, b, n - a - b], float)
            for a, b in itertools.product(range(5, 31), range(5, 201, 3))
            if 5 <= n - a - b <= 5_000
        ]
        assert strata.variance(best) <= min(map(strata.variance, others)) * (1 + 1e-9)
    free = strata._replace(n_rows=np.full(3, 1e6), least=np.full(3, 1e-9))
    np.testing.assert_allclose(free.allocated(100) / 100, strata.spread / strata.spread.sum(), rtol=1e-6)


def test_the_band_is_the_one_with_the_least_variance():
    bins = bins_of(SCORE, LIKE, (2.0,))
    by_bin = slopes(LabelQuestion(br.recall, 2.0, None), bins)
    found = best_edges(bins, by_bin, 2.0, 500)

    def variance(edge):
        strata = strata_from(bins, by_bin, [2.0, edge])
        return strata.variance(strata.allocated(500))

    assert variance(found[1]) == min(variance(edge) for edge in bins.lowest[:-1] if edge < 2.0)
    assert variance(found[1]) < variance(-np.inf)


def test_expected_positives_follow_the_earlier_curve_at_its_prevalence():
    bins = bins_of(SCORE, LIKE, (2.0,))
    assert bins.n_rows.sum() == len(SCORE)
    assert bins.pos.sum() == pytest.approx(Y.sum(), rel=0.3)
    rare = bins_of(SCORE, LIKE.at_prevalence(0.001), (2.0,))
    assert rare.pos.sum() < 0.2 * bins.pos.sum()
    assert (bins.positive > 0).all()


# --- plans ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "threshold"), [(br.recall, 2.0), (br.precision, 2.0), (br.average_precision, None)])
def test_a_budget_is_spent_and_better_than_at_random(metric, threshold):
    plan = br.design.labelling(SCORE, LIKE, metric=metric, threshold=threshold, budget=800, simulations=0)
    assert plan.n_labels == 800
    assert sum(one.n_rows for one in plan.strata) == len(SCORE)
    assert len(plan.strata) == 3
    assert plan.factor > 1.2
    assert plan.value == pytest.approx(metric(LIKE if threshold is None else LIKE.at_threshold(threshold)), abs=0.06)
    at_random = "only if it is all 6,000 rows" if metric is br.precision else f"{plan.factor:.1f} times"
    assert str(plan).endswith(at_random)


def test_a_first_round_needs_no_earlier_curve():
    plan = br.design.labelling(SCORE, threshold=2.0, budget=400)
    n_alerts = int((SCORE >= 2).sum())
    assert [one.n_labels for one in plan.strata] == [min(200, n_alerts), 100, 100]
    assert plan.strata[1].n_rows == pytest.approx(9 * n_alerts, abs=2)
    assert math.isnan(plan.value)


def test_a_draw_can_be_repeated_and_read_back():
    plan = br.design.labelling(SCORE, LIKE, threshold=2.0, budget=600, simulations=0)
    drawn, again, other = (br.design.draw_rows(plan, SCORE, rng=seed) for seed in (7, 7, 8))
    assert drawn == again
    assert not np.array_equal(drawn.position, other.position)
    for one in plan.strata:
        here = drawn.stratum == one.clause
        assert here.sum() == one.n_labels
        assert (drawn.score[here] >= one.lowest).all()
        np.testing.assert_allclose(drawn.inclusion[here], one.n_labels / one.n_rows)
    label = np.full(len(SCORE), np.nan)
    label[drawn.position] = Y[drawn.position]
    curve = br.Curve.from_sampled(label, SCORE, rule=plan.rule)
    order = np.random.default_rng(0).permutation(len(drawn))  # a filled-in file may be sorted
    back = (column[order] for column in (drawn.position, Y[drawn.position], drawn.stratum))
    assert br.design.curve_of_drawn(SCORE, *back) == curve
    assert curve.strata[0].n_labelled == plan.strata[0].n_labels


def test_a_second_round_keeps_the_labels_of_the_first():
    first = br.design.labelling(SCORE, threshold=2.0, budget=300)
    label = np.full(len(SCORE), np.nan)
    pilot = br.design.draw_rows(first, SCORE, rng=1).position
    label[pilot] = Y[pilot]
    second = br.design.labelling(SCORE, threshold=2.0, budget=900, label=label, rule=first.rule, simulations=0)
    assert second.n_labels == 900
    assert sum(one.n_known for one in second.strata) == 300
    assert {one.lowest for one in first.strata} <= {one.lowest for one in second.strata}
    assert all(one.n_known <= one.n_labels <= one.n_rows for one in second.strata)
    more = br.design.draw_rows(second, SCORE, label=label, rng=2)
    assert not set(more.position) & set(pilot)
    label[more.position] = Y[more.position]
    curve = br.Curve.from_sampled(label, SCORE, rule=second.rule)
    assert sum(one.n_labelled for one in curve.strata) == 900


def test_a_width_is_reached_in_most_test_sets_of_the_study():
    """The study in small: one plan by ten simulations, twelve test sets."""
    study = script(PATH)
    setting = study.Setting(br.recall, 0.03, None, 0.4)
    lines = study.report((setting,), 12, say=len, simulations=10)
    assert float(lines[0][4].removesuffix(" %")) >= 75
    assert len(lines[0]) == len(study.HEADS)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"threshold": 2.0}, "one of width and budget"),
        ({"threshold": 2.0, "width": 0.1, "budget": 100}, "one of width and budget"),
        ({"budget": 100}, "needs a threshold"),
        ({"threshold": 2.0, "budget": 10**6}, "at most the number of rows"),
        ({"threshold": 2.0, "width": 0.1}, "only a pilot"),
        ({"threshold": 2.0, "width": 0.1, "like": LIKE, "simulations": 5}, "simulations must be at least 10"),
        ({"threshold": 2.0, "budget": 100, "label": np.full(len(SCORE), np.nan)}, "need the rule"),
    ],
)
def test_what_cannot_be_planned_is_refused(settings, said):
    with pytest.raises(br.BaserateError, match=said):
        br.design.labelling(SCORE, **settings)


def test_a_width_that_all_labels_cannot_give_is_refused():
    with pytest.raises(br.BaserateError, match="with all of them it is about"):
        br.design.labelling(SCORE[:600], LIKE, threshold=2.0, width=0.02, simulations=10)


def test_rows_of_another_file_are_refused():
    plan = br.design.labelling(SCORE, LIKE, threshold=2.0, budget=600, simulations=0)
    with pytest.raises(br.BaserateError, match="planned for"):
        br.design.draw_rows(plan, SCORE[:-5])
    with pytest.raises(br.BaserateError, match="position must be there once, got 0 in 2 rows"):
        br.design.curve_of_drawn(SCORE, [0, 0], [1, 0], ["else 5 %"] * 2)


def test_a_row_with_two_labels_is_refused_with_its_position():
    with pytest.raises(br.BaserateError, match="each position must be there once, got 7 in 2 rows"):
        br.design.curve_of_drawn(SCORE, [3, 7, 7], [1, 0, 1], ["else 5 %"] * 3)
    with pytest.raises(br.BaserateError, match="position must be below the number of scores, 6,000, got 9,000"):
        br.design.curve_of_drawn(SCORE, [3, 9_000], [1, 0], ["else 5 %"] * 2)


def test_a_random_sample_that_must_be_all_rows_is_said_to_be():
    """Precision depends on alerts only: if all of them are labelled, no random sample of fewer rows is as good."""
    plan = br.design.labelling(SCORE, LIKE, metric=br.precision, threshold=2.0, budget=600, simulations=0)
    assert plan.strata[0].share == 1
    assert plan.random_labels == pytest.approx(6_000)
    assert "times" not in str(plan)
    assert "a random sample is as good only if it is all 6,000 rows" in str(plan)
