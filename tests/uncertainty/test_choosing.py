"""Thresholds chosen again on drawn curves: what is chosen among fewer corners is what is chosen among all."""

import time
from functools import partial

import numpy as np
import pytest
from scipy.special import logit

import baserate as br
from baserate.uncertainty import cells as cutting
from baserate.uncertainty.choosing import cells_to_choose_from, choose, chosen_levels
from baserate.uncertainty.draws import Drawn, melds, resamples
from baserate.uncertainty.replicates import values


def scores(n_pos, n_neg):
    rng = np.random.default_rng(0)
    return np.repeat([1, 0], [n_pos, n_neg]), np.concatenate([rng.normal(1.5, 1, n_pos), rng.normal(0, 1, n_neg)])


def smooth(n_pos, n_neg):
    return br.Curve.from_scores(*scores(n_pos, n_neg))


def with_a_heavy_tie(n_pos, n_neg):
    """A fifth of all rows has one score, and many rows of each class have one that no other has."""
    y, score = scores(n_pos, n_neg)
    score[(score > 0.5) & (score < 1.2)] = 0.9
    score[(y == 1) & (score > 1.2) & (score < 1.5)] = 1.5
    score[(y == 0) & (score > 1.5) & (score < 2.5)] = 1.99
    score[(y == 0) & (score > 0) & (score < 0.5)] = 0.6
    return br.Curve.from_scores(y, score)


def with_few_positives_in_a_stretch(n_pos, n_neg):
    """Negatives are dense and positives rare below the median of the positives."""
    y, score = scores(n_pos, n_neg)
    rare = (y == 1) & (score > 0.5) & (score < 1.5) & (np.arange(len(y)) % 100 > 0)
    return br.Curve.from_scores(y, np.where(rare, score + 1, score))


def with_a_kink(n_pos, n_neg):
    """Nearly all positives are above nearly all negatives, and both are dense on their sides."""
    y, score = scores(n_pos, n_neg)
    return br.Curve.from_scores(y, np.where((score > 0.7) == (y == 1), score + 10 * y, score))


def all_tied(n_pos, n_neg):
    y, score = scores(n_pos, n_neg)
    return br.Curve.from_scores(y, score.round(2))


MANY_SCORES = (smooth, with_a_heavy_tie, with_few_positives_in_a_stretch, with_a_kink)
LIMITS = {
    "recall": lambda curve: curve.at_recall(0.6),
    "a recall within the tie": lambda curve: curve.at_recall(0.7),
    "a recall of all": lambda curve: curve.at_recall(1),
    "precision": lambda curve: curve.at_precision(0.8),
    "precision where positives are rare": lambda curve: curve.at_prevalence(0.001).at_precision(0.02),
    "fpr": lambda curve: curve.at_fpr(0.1),
    "an fpr within the tie": lambda curve: curve.at_fpr(0.2),
    "an fpr behind the tie": lambda curve: curve.at_fpr(0.4),
    "no fpr": lambda curve: curve.at_fpr(0),
    "alert rate": lambda curve: curve.at_prevalence(0.2).at_alert_rate(0.3),
    "top few": lambda curve: curve.at_top_k(30),
    "top many": lambda curve: curve.at_top_k(5000),
}


def through_ends(drawn, ends):
    """The same drawn curves where only the corners at these scores are seen."""
    last = np.searchsorted(-drawn.score, -ends)
    first = np.append(0, last[:-1] + 1)
    tp, fp, _, tied, n_pos, n_neg = drawn.steps
    pos = np.diff(tp[:, last], prepend=0)
    steps = type(drawn.steps)(tp[:, last], fp[:, last], pos, fp[:, last] - fp[:, first] + tied[:, first], n_pos, n_neg)
    return Drawn(steps, drawn.atoms[last] & (first == last), ends)


def drawn_twice(point, n_draws):
    """Draws with every corner, and the same draws with those that a rule is given to choose from."""
    every, few = cells_to_choose_from(point, every_corner=True), cells_to_choose_from(point)
    rng = np.random.default_rng(1)
    [resampled], [(pessimist, optimist)] = resamples(every, [n_draws], rng), melds(every, [n_draws], rng)
    yield resampled, through_ends(resampled, few.score)
    yield pessimist, through_ends(pessimist, np.append(few.score, -np.inf))
    yield optimist, through_ends(optimist, np.append(np.inf, few.score))


@pytest.mark.parametrize("kind", [*MANY_SCORES, all_tied])
@pytest.mark.parametrize("rule", LIMITS.values(), ids=LIMITS)
def test_a_limit_chooses_the_same_where_one_side_of_it_stands_as_one(monkeypatch, kind, rule):
    monkeypatch.setattr(cutting, "_SINGLE_CORNERS", 50)
    point = rule(kind(8000, 16_000))
    every, few = cells_to_choose_from(point, every_corner=True), cells_to_choose_from(point)
    assert len(few.score) < len(every.score)
    assert (few.pos.rows.sum(), few.neg.rows.sum()) == (8000, 16_000)
    resampled, *populations = drawn_twice(point, 50)
    for all_corners, some_corners in (resampled, *populations):
        expected, found = choose(point, all_corners), choose(point, some_corners)
        assert np.array_equal(found.tpr, expected.tpr)
        assert np.allclose(found.fpr, expected.fpr, rtol=1e-12, atol=0)
    for all_corners, some_corners in populations:
        levels, expected_levels = chosen_levels(point, some_corners), chosen_levels(point, all_corners)
        assert np.array_equal(levels, expected_levels, equal_nan=True)


def test_what_no_draw_can_choose_is_not_drawn():
    point = smooth(40_000, 40_000).at_recall(0.6)
    assert len(cells_to_choose_from(point, every_corner=True).score) == 40_000
    assert len(cells_to_choose_from(point).score) < 2000


def shares_above(curve, cells):
    """The share of each class above all corners and down to each one."""
    behind = np.append(0, 1 + np.searchsorted(-curve.score, -cells.score))
    return [np.append(0, np.cumsum(column))[behind] / column.sum() for column in (curve.pos, curve.neg)]


@pytest.mark.parametrize("kind", MANY_SCORES)
def test_no_run_for_a_search_makes_a_difference(kind):
    """Each has at most two thousandths of what is above it or below it, and ends at the threshold if that is in it."""
    curve = kind(40_000, 40_000)
    somewhere = curve.score[curve.pos > 0][::331]
    for threshold in (None, *somewhere):
        cells = cutting.corners_for_the_best(curve, threshold)
        for share in shares_above(curve, cells):
            spans = np.diff(logit(np.clip(share, 1e-9, 1 - 1e-9)))
            assert spans[cells.straight].max() < 0.002
        assert threshold is None or threshold in cells.score


@pytest.mark.parametrize("kind", MANY_SCORES)
def test_no_run_for_an_area_is_large(kind):
    curve = kind(40_000, 40_000)
    cells = cutting.corners_for_areas(curve)
    assert not cells.straight[:8192].any()
    pos, _ = shares_above(curve, cells)
    assert np.diff(pos)[cells.straight].max() < 1 / 4096
    every = cutting.corners(curve)
    for share in shares_above(curve, every):
        large = every.score[np.diff(share) > 1 / 8192]
        assert np.isin(large, cells.score[~cells.straight]).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANY_SCORES)
@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0001])
@pytest.mark.parametrize("metric", [br.f1, br.youden_j, partial(br.expected_cost, cost_fn=20, cost_fp=1)])
def test_the_best_of_the_ends_of_runs_is_as_good_as_the_best_of_all(kind, prevalence, metric):
    """It is less good by a few hundredths of the standard deviation, and by one on average."""
    point = kind(40_000, 40_000).at_prevalence(prevalence).best(metric)
    x = np.array([1 / prevalence - 1])
    for all_corners, some_corners in drawn_twice(point, 30):
        expected, found = (values(metric, point, drawn, x)[:, 0] for drawn in (all_corners, some_corners))
        worse = np.abs(found - expected) / expected.std()
        assert worse.max() < 0.1
        assert worse.mean() < 0.03
        assert len(some_corners.score) < len(all_corners.score)


def test_weighted_rows_are_all_drawn():
    """A single row may be worth more than all others, and move a choice by more than chance moves equal rows."""
    y, score = scores(20_000, 20_000)
    point = br.Curve.from_scores(y, score, weight=np.where(score > 4, 1e4, 1.0)).at_recall(0.6)
    assert len(cells_to_choose_from(point).score) == 20_000


@pytest.mark.slow
def test_a_chosen_recall_takes_no_longer_than_an_area():
    """The corners near it are fewer than those of an area, however many rows there are."""
    curve = smooth(200_000, 200_000)
    took = []
    for metric, at in ((br.average_precision, curve), (br.precision, curve.at_recall(0.5))):
        began = time.process_time()
        br.estimate(metric, at, rng=0)
        took.append(time.process_time() - began)
    assert took[1] < took[0]
