"""Agreement of metrics on models: scipy's correlations, winners, and what is refused."""

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.papers import agreement

METRICS = [br.average_precision, br.roc_auc, br.best_f1]


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    label = rng.random(1_500) < 0.2
    strength = np.linspace(0.4, 1.6, 6)
    spread = np.array([1.0, 2.0, 0.7, 1.5, 1.0, 0.5])
    scores = {f"m{k}": rng.normal(label * strength[k], np.where(label, spread[k], 1.0)) for k in range(6)}
    return br.Models.from_scores(label, scores)


def test_scipy_has_the_same_correlations(models):
    found = agreement(models, METRICS, [None, 0.01], n_resamples=5, rng=0)
    values = {
        "average_precision": [br.average_precision(curve) for curve in models.curves],
        "average_precision at 1 in 100": [br.average_precision(curve.at_prevalence(0.01)) for curve in models.curves],
        "roc_auc": [br.roc_auc(curve) for curve in models.curves],
        "best_f1": [br.best_f1(curve) for curve in models.curves],
        "best_f1 at 1 in 100": [br.best_f1(curve.at_prevalence(0.01)) for curve in models.curves],
    }
    assert len(found.first) == 10  # AUC-ROC is the same at both prevalences, and there once
    assert set(found.winners) == set(values)
    for k, (first, second) in enumerate(zip(found.first, found.second, strict=True)):
        one, other = values[first], values[second]
        assert found.spearman[k] == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
        assert found.kendall[k] == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)
        assert found.same_winner[k] == (np.argmax(one) == np.argmax(other))
    for name, column in values.items():
        assert found.winners[name] == models.names[int(np.argmax(column))]


def test_ends_and_support_come_from_the_same_rows_for_all(models):
    found = agreement(models, METRICS[:2], [0.01], n_resamples=60, rng=1)
    assert found.spearman_low[0] <= found.spearman[0] <= found.spearman_high[0]
    assert -1 <= found.kendall_low[0] < found.kendall_high[0] <= 1
    assert all(0 < share <= 1 for share in found.support.values())
    again = agreement(models, METRICS[:2], [0.01], n_resamples=60, rng=1)
    assert again == found
    twice = br.Models.from_scores(
        models.positive, {"a": models.scores[0], "b": models.scores[0], "c": models.scores[5]}
    )
    sure = agreement(twice, METRICS[:2], [0.01], n_resamples=40, rng=0)
    assert sure.support["roc_auc at 1 in 100"] == 1
    assert sure.spearman[0] == sure.spearman_low[0] == sure.spearman_high[0] == 1  # equal models stay equal


def test_costs_are_ranked_the_other_way_round_and_constants_have_no_rank(models):
    share = br.Models.from_scores(
        models.positive, {k: 1 / (1 + np.exp(-s)) for k, s in zip("abc", models.scores, strict=False)}
    )
    found = agreement(share, [br.brier_score, br.log_loss, lambda curve: 1.0], n_resamples=5, rng=0)
    best = min(zip(share.names, share.curves, strict=True), key=lambda one: br.brier_score(one[1]))[0]
    assert found.winners["brier_score"] == best
    assert np.isnan(found.spearman[1:]).all()


def test_curves_of_different_rows_have_values_and_no_ends(models):
    curves = dict(zip(models.names, models.curves, strict=True))
    found = agreement(curves, METRICS[:2], [0.01])
    assert np.isfinite(found.spearman).all()
    assert np.isnan([*found.spearman_low, *found.kendall_high, *found.support.values()]).all()
    with pytest.raises(br.errors.InputError, match="needs three models"):
        agreement(dict(list(curves.items())[:2]), METRICS)
    with pytest.raises(br.errors.InputError, match="two metrics with different values"):
        agreement(curves, [br.roc_auc], [0.1, 0.2])
    with pytest.raises(br.errors.InputError, match="metrics of whole curves"):
        agreement(curves, [br.precision, br.roc_auc])
