"""Thresholds chosen again on drawn curves: a limit is met exactly where scores are continuous, and never crossed."""

import time
from functools import partial

import numpy as np
import pytest

import baserate as br
from baserate.uncertainty import cells as cutting
from baserate.uncertainty.cells import cells_of, corners, every_score
from baserate.uncertainty.readers import chosen_levels, chosen_on_draws, values
from helpers.drawn_rows import CONTINUOUS, KINDS, all_tied, drawn_from, smooth, weighted, with_heavy_ties
from helpers.simulated import normal_rows

COST = partial(br.expected_cost, cost_fn=5, cost_fp=1)
REACHED = ("recall >= 0.6", "recall >= 0.05", "recall >= 1", "precision >= 0.3", "precision >= 0.8")
KEPT = ("fpr <= 0.1", "fpr <= 0.003", "fpr <= 0.5", "alert_rate <= 0.2", "alert_rate <= 0.01", "top_k <= 300")
ETA = 0.1


def limited(rule, tpr, fpr, curve):
    """What a rule limits, and the limit: precision as the share of true alerts."""
    name, target = rule.split(" ")[0], float(rule.split("= ")[1])
    alerts = ETA * tpr + (1 - ETA) * fpr
    with np.errstate(invalid="ignore"):
        return {
            "recall": tpr,
            "fpr": fpr,
            "precision": ETA * tpr / alerts,
            "alert_rate": alerts,
            "top_k": curve.n_pos * tpr + curve.n_neg * fpr,
        }[name], target


def drawn_curves(curve, n_draws=40):
    """As both observers see them, in runs where there are many corners."""
    return drawn_from(cells_of(curve), n_draws)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CONTINUOUS)
@pytest.mark.parametrize("sizes", [(60, 240), (2000, 8000)], ids=["each corner", "runs"])
@pytest.mark.parametrize("rule", [*REACHED, *KEPT])
def test_a_limit_is_met_exactly_where_scores_are_continuous(kind, sizes, rule):
    """A precision is, within runs: elsewhere it rises up to a corner and falls in the gap behind it, at one recall."""
    curve = kind(*sizes).at_prevalence(ETA)
    at = br.Rule.parse(rule).on(curve)
    met = 0
    for drawn in drawn_curves(curve):
        tpr, fpr, _ = chosen_on_draws(at, drawn)
        found, target = limited(rule, tpr, fpr, curve)
        assert ((tpr >= 0) & (tpr <= 1 + 1e-12) & (fpr >= 0) & (fpr <= 1 + 1e-12)).all()
        if not rule.startswith("precision"):
            assert found == pytest.approx(target, rel=1e-9)
            continue
        assert (found[tpr > 0] >= target * (1 - 1e-9)).all()
        met += np.count_nonzero(np.isclose(found, target, rtol=1e-9))
        best = np.max(drawn.steps.tp, axis=1, initial=0, where=precisions(drawn) >= target)
        assert (tpr >= best - 1e-12).all()
    if rule == "precision >= 0.3" and kind is smooth and sizes[0] > 512:
        assert met >= 70


def precisions(drawn):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ETA * drawn.steps.tp / (ETA * drawn.steps.tp + (1 - ETA) * drawn.steps.fp))


@pytest.mark.parametrize("rule", [*REACHED, *KEPT])
@pytest.mark.parametrize("kind", KINDS)
def test_a_point_lies_on_the_drawn_curve(kind, rule):
    """FPR at its recall is that of the curve, straight within runs and upright or level elsewhere."""
    if kind is weighted and rule.startswith("top_k"):
        return
    curve = kind(2000, 8000).at_prevalence(ETA)
    at = br.Rule.parse(rule).on(curve)
    for drawn in drawn_curves(curve, 10):
        tpr, fpr, _ = chosen_on_draws(at, drawn)
        steps = drawn.steps
        for i in range(10):
            start_tpr, start_fpr = steps.tp[i] - steps.pos[i], steps.fp[i] - steps.neg[i]
            # Every corner has a start, to which a level piece leads, and an end.
            x = np.append(np.stack([start_fpr, steps.fp[i]], axis=1).ravel(), 1.0)
            y = np.append(np.stack([start_tpr, steps.tp[i]], axis=1).ravel(), 1.0)
            x, y = np.append(0.0, x), np.append(0.0, y)
            assert _distance(tpr[i], fpr[i], y, x) < 1e-9


def _distance(tpr, fpr, y, x):
    """How far a point is from the nearest piece of a path."""
    run, rise = np.diff(x), np.diff(y)
    length = np.maximum(run**2 + rise**2, 1e-300)
    along = np.clip(((fpr - x[:-1]) * run + (tpr - y[:-1]) * rise) / length, 0, 1)
    return np.hypot(x[:-1] + along * run - fpr, y[:-1] + along * rise - tpr).min()


@pytest.mark.parametrize("kind", [with_heavy_ties, all_tied])
@pytest.mark.parametrize("rule", [*REACHED, *KEPT, "recall >= 0.7", "fpr <= 0.2", "fpr <= 0.4", "top_k <= 5000"])
def test_a_limit_is_kept_where_scores_are_discrete(kind, rule):
    """A tie is taken as a whole or not at all: what has to be reached is, and what must not be exceeded is not."""
    curve = kind(4000, 8000).at_prevalence(ETA)
    at = br.Rule.parse(rule).on(curve)
    for drawn in drawn_curves(curve):
        tpr, fpr, _ = chosen_on_draws(at, drawn)
        found, target = limited(rule, tpr, fpr, curve)
        chosen = tpr > 0
        if rule in KEPT or "<=" in rule:
            assert (found <= target * (1 + 1e-9)).all()
        else:
            assert (found[chosen] >= target * (1 - 1e-9)).all()
        inside = (drawn.steps.tp - drawn.steps.pos + 1e-9 < tpr[:, None]) & (tpr[:, None] < drawn.steps.tp - 1e-9)
        assert not inside[:, drawn.atoms].any()


def test_a_recall_within_a_tie_has_all_of_it():
    """Of the tie at 2, which reaches the recall, and of the one at 1, which would exceed the FPR."""
    curve = br.Curve.from_counts([3.0, 2.0, 1.0], pos=[40, 40, 20], neg=[10, 20, 970])
    pessimist, _ = drawn_from(cells_of(curve), 200)
    tpr, fpr, corner = chosen_on_draws(curve.at_recall(0.6), pessimist)
    assert (corner == 3).all()  # one corner lies above all levels
    assert np.array_equal(tpr, pessimist.steps.tp[:, 2])
    assert np.array_equal(fpr, pessimist.steps.fp[:, 2])
    tpr, fpr, _ = chosen_on_draws(curve.at_fpr(0.3), pessimist)
    assert np.array_equal(tpr, pessimist.steps.tp[:, 2])
    assert fpr == pytest.approx(pessimist.steps.fp[:, 2], rel=1e-12)
    assert (chosen_levels(curve.at_recall(0.6), pessimist) == 2).all()


@pytest.mark.parametrize("decimals", [None, 1])
def test_rules_choose_on_rows_drawn_again_as_on_curves(decimals):
    """Each rule on a resample, drawn cell by cell, finds what it finds on a Curve of the same rows."""
    y, score = normal_rows(40, 160)
    curve = br.Curve.from_scores(y, score if decimals is None else score.round(decimals)).at_prevalence(0.1)
    rules = {
        "recall": lambda c: c.at_recall(0.6),
        "precision": lambda c: c.at_precision(0.2),
        "best": lambda c: c.best(br.f1),
        "cost": lambda c: c.best(COST),
        "fpr": lambda c: c.at_fpr(0.1),
        "alert_rate": lambda c: c.at_alert_rate(0.2),
        "top_k": lambda c: c.at_top_k(30),
    }
    cells = every_score(curve)
    drawn = drawn_from(cells, 20, again=True)
    for name, rule in rules.items():
        found = values(br.recall, rule(curve), drawn, np.ones(1))[:, 0]
        fprs = 1 - values(br.specificity, rule(curve), drawn, np.ones(1))[:, 0]
        for i in range(20):
            pos, neg = (drawn.steps.pos[i] * 40).round().astype(int), (drawn.steps.neg[i] * 160).round().astype(int)
            point = rule(br.Curve.from_counts(cells.score, pos, neg).at_prevalence(0.1))
            assert found[i] == pytest.approx(point.tpr, abs=1e-12), name
            assert fprs[i] == pytest.approx(point.fpr, abs=1e-12), name


@pytest.mark.slow
def test_a_rule_within_a_gap_needs_no_table_of_all_scores():
    """Where scores are continuous, corners and gaps choose as all thresholds do, up to one negative."""
    curve = smooth(40, 4000)
    point = curve.at_fpr(0.05)
    found = []
    for seed, cells in enumerate((corners(curve), every_score(curve))):
        drawn = drawn_from(cells, 3000, seed=10 * seed, again=True)
        found.append(values(br.precision, point, drawn, np.array([100.0]))[:, 0])
    coarse, fine = (np.quantile(one, [0.025, 0.5, 0.975]) for one in found)
    assert coarse == pytest.approx(fine, rel=0.02)


@pytest.mark.slow
def test_a_chosen_recall_takes_no_longer_than_an_area():
    curve = smooth(200_000, 200_000)
    assert len(cutting.cells_of(curve).score) < 1000
    quickest = []
    for metric, at in ((br.average_precision, curve), (br.precision, curve.at_recall(0.5))):
        took = []
        for _ in range(4):  # the first one also pays for memory that the one before gave back
            began = time.process_time()
            br.estimate(metric, at, about="rule", rng=0)
            took.append(time.process_time() - began)
        quickest.append(min(took))
    assert quickest[1] < 1.5 * quickest[0]
