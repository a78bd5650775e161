"""Points chosen on discrete scores: a difference, and an estimate over clusters, hold those of every likely level."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

import baserate as br
from baserate.formulas.proportions import Interval
from baserate.uncertainty.choosing import likely_levels
from baserate.uncertainty.ends import holding


def votes(rng, n_pos, n_neg):
    """Two forests of ten trees that agree in part."""
    y = np.repeat([1, 0], [n_pos, n_neg])
    common = rng.normal(size=len(y))
    logits = (math.sqrt(0.5) * (common + rng.normal(size=len(y))) + d * y - 1 for d in (1.6, 1.2))
    return y, *(rng.binomial(10, 1 / (1 + np.exp(-1.2 * z))) / 10 for z in logits)


def test_levels_that_are_chosen_often_enough_by_either_side():
    rare, often = [[0.5, np.nan]] * 2, [[0.4, 0.1]] * 98
    one, other = np.array(rare + often), np.array([[np.nan, np.nan]] * 50 + [[0.3, np.nan]] * 50)
    assert likely_levels([one], 0.025) == [(0.4, 0.1)]
    found = likely_levels([one, other], 0.01)
    assert {level[0] for level in found} == {0.3, 0.4, 0.5}
    assert (0.4, 0.1) in found


def test_levels_that_are_seldom_chosen_together_are_likely_together():
    together = np.array([[0.5, 0.5]] * 50 + [[0.4, 0.4]] * 50)
    assert set(likely_levels([together], 0.025)) == {(0.5, 0.5), (0.5, 0.4), (0.4, 0.5), (0.4, 0.4)}


def test_an_interval_holds_others_and_stays_undefined():
    ends = Interval(np.array([0.2, np.nan]), np.array([0.4, np.nan]))
    others = [
        Interval(np.array([0.1, 0.1]), np.array([0.3, 0.3])),
        Interval(np.array([0.3, 0.3]), np.array([0.5, 0.5])),
    ]
    low, high = holding(ends, others)
    assert low[0] == 0.1
    assert high[0] == 0.5
    assert np.isnan([low[1], high[1]]).all()


def test_a_difference_holds_those_at_likely_thresholds():
    """A recall of 0.6 may be reached at three levels of one model and two of the other: all six pairs are held."""
    pair = br.Pair.from_scores(*votes(np.random.default_rng(1), 60, 600)).at_prevalence(0.1)
    found = br.difference(br.precision, pair, at=partial(br.Curve.at_recall, recall=0.6), rng=0)
    given = [
        br.difference(br.precision, pair, at=tuple(partial(br.Curve.at_threshold, threshold=t) for t in levels), rng=1)
        for levels in itertools.product((0.4, 0.5, 0.6), (0.5, 0.6))
    ]
    assert found.low <= min(one.low for one in given) + 0.005
    assert found.high >= max(one.high for one in given) - 0.005
    assert found.p_value >= max(one.p_value for one in given) - 0.05
    ahead = br.lead(br.precision, pair, [0.1], at=partial(br.Curve.at_recall, recall=0.6), rng=0)
    assert (ahead.low[0], ahead.high[0]) == pytest.approx((found.low, found.high))


@pytest.mark.slow
def test_clusters_of_one_row_are_rows_also_at_a_likely_level():
    """Seven recalls from 0.6 on, some of them a close call between levels."""
    y, score, _ = votes(np.random.default_rng(2), 60, 600)
    single = {i: br.Curve.from_scores(y[i : i + 1], score[i : i + 1]) for i in range(len(y))}
    for recall in np.linspace(0.6, 0.72, 7):
        rule = partial(br.Curve.at_recall, recall=recall)
        clustered = br.cluster_estimate(br.precision, single, at=rule, about="rule", n_resamples=4000, rng=0)
        at = rule(br.Curve.from_scores(y, score))
        by_row = br.estimate(br.precision, at, about="rule", n_resamples=4000, rng=0)
        assert (clustered.low, clustered.high) == pytest.approx((by_row.low, by_row.high), abs=0.012)


@pytest.mark.slow
def test_a_difference_holds_where_the_choice_is_a_close_call():
    """The wanted recall is that of a level, less a hair: without the levels nine in ten of these held."""
    large = br.Pair.from_scores(*votes(np.random.default_rng(99), 300_000, 1_700_000)).at_prevalence(0.1)
    recalls = np.cumsum(large.a.pos) / large.a.n_pos
    target = float(recalls[np.argmin(np.abs(recalls - 0.6))]) * 0.9995
    rule = lambda curve: curve.at_recall(target)  # noqa: E731
    truth = br.precision(rule(large.a)) - br.precision(rule(large.b))
    held = 0
    for seed in range(300):
        pair = br.Pair.from_scores(*votes(np.random.default_rng(seed), 200, 2000)).at_prevalence(0.1)
        found = br.difference(br.precision, pair, at=rule, rng=seed, n_resamples=400)
        held += found.low <= truth <= found.high
    assert held >= 0.93 * 300
