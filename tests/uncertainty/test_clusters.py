"""Rows in clusters: intervals that know it."""

import math

import numpy as np
import pytest

import baserate as br


def clusters(seed, n_clusters=40, size=10, shared=1.0):
    """Rows of a cluster share a random effect and a leaning towards one class."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=n_clusters) * shared
    leaning = rng.beta(0.6, 0.6, n_clusters)
    found = {}
    for i in range(n_clusters):
        label = (rng.random(size) < leaning[i]).astype(int)
        found[i] = br.Curve.from_scores(label, rng.normal(size=size) + label + effect[i])
    return found


def test_clusters_of_one_row_are_rows():
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0], [30, 200])
    score = rng.normal(size=230) + label
    single = {i: br.Curve.from_scores([label[i]], [score[i]]) for i in range(230)}
    pooled = br.Curve.from_scores(label, score)
    for metric in (br.average_precision, br.roc_auc):
        by_cluster = br.cluster_estimate(metric, single, rng=0, n_resamples=4000)
        by_row = br.estimate(metric, pooled, rng=1, n_resamples=4000)
        assert by_cluster.value == by_row.value
        assert (by_cluster.low, by_cluster.high) == pytest.approx((by_row.low, by_row.high), abs=0.02)
        assert (by_cluster.n_pos, by_cluster.n_neg) == (30, 200)


@pytest.mark.slow
def test_intervals_hold_where_those_of_rows_do_not():
    truth_curves = clusters(999, n_clusters=20_000)
    truth = br.roc_auc(br.Curve.pool(truth_curves.values()))
    held = {"rows": 0, "clusters": 0}
    for seed in range(100):
        curves = clusters(seed)
        by_cluster = br.cluster_estimate(br.roc_auc, curves, rng=seed, n_resamples=300)
        by_row = br.estimate(br.roc_auc, br.Curve.pool(curves.values()), rng=seed, n_resamples=300)
        held["clusters"] += by_cluster.low <= truth <= by_cluster.high
        held["rows"] += by_row.low <= truth <= by_row.high
    assert held["clusters"] >= 93 - 2 * math.sqrt(100 * 0.93 * 0.07)
    assert held["rows"] < 85


def test_operating_points_and_prevalences():
    curves = clusters(1)
    given = br.cluster_estimate(br.precision, curves, at=lambda c: c.at_threshold(1.0), prevalence=0.01, rng=0)
    pooled = br.Curve.pool(curves.values())
    assert given.value == br.precision(pooled.at_threshold(1.0).at_prevalence(0.01))
    assert given.prevalence == 0.01
    assert given.low < given.value < given.high
    chosen = br.cluster_estimate(br.precision, curves, at=lambda c: c.at_recall(0.6), prevalence=0.01, rng=0)
    assert chosen.chosen == "recall >= 0.6"
    assert br.cluster_estimate(br.roc_auc, curves, rng=3) == br.cluster_estimate(br.roc_auc, curves, rng=3)


def test_few_clusters_are_refused_with_a_reason():
    few = {i: curve for i, curve in clusters(2).items() if i < 4}
    found = br.cluster_estimate(br.roc_auc, few, rng=0)
    assert found.value > 0
    assert math.isnan(found.low)
    assert found.reason is br.Reason.TOO_FEW_CLUSTERS
    empty = {i: br.Curve.from_scores([0, 0], [0.1, 0.2]) for i in range(9)}
    assert br.cluster_estimate(br.roc_auc, empty, rng=0).reason is br.Reason.NO_POSITIVES


@pytest.mark.parametrize("wrong", [[], {}, {"a": 3}, br.Curve.from_scores([0, 1], [0.1, 0.2])])
def test_bad_input_gets_a_sentence(wrong):
    with pytest.raises(br.errors.InputError, match="clusters must"):
        br.cluster_estimate(br.roc_auc, wrong)


def test_a_chosen_threshold_is_judged_as_it_is_shipped():
    """The recall of this threshold on new clusters is uncertain, although the rows that chose it have just that one."""
    curves = clusters(5)
    shipped = br.cluster_estimate(br.recall, curves, at="recall=0.5", rng=0)
    assert (shipped.about, shipped.chosen) == ("threshold", "recall >= 0.5")
    assert shipped.low < shipped.value - 0.05
    assert shipped.high > shipped.value + 0.05
    again = br.cluster_estimate(br.recall, curves, at="recall=0.5", about="rule", rng=0)
    assert again.about == "rule"
    assert again.high - again.low < shipped.high - shipped.low
    threshold = br.Curve.pool(curves.values()).at_recall(0.5).threshold
    given = br.cluster_estimate(br.recall, curves, at=f"threshold={threshold!r}", rng=0)
    assert (given.low, given.high) == (shipped.low, shipped.high)
    assert given.about is None


@pytest.mark.slow
@pytest.mark.parametrize("at", ["recall=0.5", "best=f1"])
@pytest.mark.parametrize("metric", [br.recall, br.precision])
def test_shipped_thresholds_hold(metric, at):
    truth = br.Curve.pool(clusters(998, n_clusters=20_000).values()).at_prevalence(0.2)
    held = 0
    for seed in range(120):
        curves = clusters(seed)
        found = br.cluster_estimate(metric, curves, at=at, prevalence=0.2, rng=seed, n_resamples=300)
        threshold = br.Rule.parse(at).on(br.Curve.pool(curves.values()).at_prevalence(0.2)).threshold
        held += found.low <= metric(truth.at_threshold(threshold)) <= found.high
    assert held >= 120 * 0.93 - 2 * math.sqrt(120 * 0.93 * 0.07)
