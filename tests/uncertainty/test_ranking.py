"""Many models on the same rows: ranks that are plausible, and who leads."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import baserate as br
from baserate.formulas.holm import holm
from baserate.uncertainty import ends

FEW = {"n_resamples": 300, "rng": 0}


def models(seed, distances=(2.0, 1.5, 1.5), n_pos=60, n_neg=300, correlation=0.7):
    """Scores of several models that agree in part; those with one distance are equally good."""
    rng = np.random.default_rng(seed)
    label = np.repeat([1, 0], [n_pos, n_neg])
    common, *own = rng.normal(size=(1 + len(distances), len(label)))
    mixed = [math.sqrt(correlation) * common + math.sqrt(1 - correlation) * noise for noise in own]
    return br.Models.from_scores(label, {f"m{k}": mixed[k] + d * label for k, d in enumerate(distances)})


def test_models_know_their_rows():
    three = models(0)
    assert repr(three) == "Models(m0, m1 and m2, 60 pos, 300 neg, prevalence 1 in 6)"
    for curve, score in zip(three.curves, three.scores, strict=True):
        alone = br.Curve.from_scores(three.positive, score)
        assert br.average_precision(alone) == br.average_precision(curve)
    assert [curve.prevalence for curve in three.at_prevalence("1:99").curves] == pytest.approx([0.01] * 3)
    with pytest.raises(ValueError, match="read-only"):
        three.scores[0][0] = 1.0


def test_values_and_intervals_are_those_of_estimate():
    three = models(1)
    found = br.ranking(br.average_precision, three, [0.2, 0.01], **FEW)
    for k, curve in enumerate(three.curves):
        for j, prevalence in enumerate((0.2, 0.01)):
            one = br.estimate(br.average_precision, curve.at_prevalence(prevalence), **FEW)
            got = found.value[k, j], found.low[k, j], found.high[k, j]
            assert got == pytest.approx((one.value, one.low, one.high), rel=1e-9)
    assert found.names == three.names
    assert list(found.values) == list(three.names)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.average_precision, br.roc_auc, br.brier_score])
def test_two_models_are_ranked_as_difference_and_lead_say(metric):
    for seed in range(4):
        two = models(seed, (2.2, 1.2))
        scores = [stats.norm.cdf(score) for score in two.scores]
        pair = br.Pair.from_scores(two.positive, *scores)
        found = br.ranking(metric, pair, [0.1], **FEW)
        lead = br.lead(metric, pair, [0.1], **FEW)
        assert found.leads[:, 0] == pytest.approx([lead.probability[0], 1 - lead.probability[0]])
        p = br.difference(metric, pair.at_prevalence(0.1), **FEW).p_value
        assert (found.rank_low[:, 0] == found.rank_high[:, 0]).all() == (p <= 0.05)
        assert sorted(found.rank[:, 0]) == [1, 2]


def test_many_models_are_compared_two_by_two():
    """With three models, who is surely better than whom is what `difference` says, by Holm's method."""
    three = models(3, (2.4, 1.5, 0.8), 40, 400)
    found = br.ranking(br.average_precision, three, [0.05], **FEW)
    assert found.rank[:, 0].tolist() == [1, 2, 3]
    for k in range(3):
        others = [i for i in range(3) if i != k]
        pairs = [br.Pair.from_scores(three.positive, three.scores[k], three.scores[i]) for i in others]
        seen = [br.difference(br.average_precision, pair.at_prevalence(0.05), **FEW) for pair in pairs]
        p = np.array([one.p_value for one in seen])
        sure = np.maximum.accumulate(np.sort(p) * [2, 1])[np.argsort(np.argsort(p))] <= 0.05
        better = sum(s and one.value < 0 for s, one in zip(sure, seen, strict=True))
        worse = sum(s and one.value > 0 for s, one in zip(sure, seen, strict=True))
        assert (found.rank_low[k, 0], found.rank_high[k, 0]) == (1 + better, 3 - worse)
    assert found.leads[:, 0].sum() == pytest.approx(1)


def test_the_lowest_cost_ranks_first():
    three = models(4, (2.5, 1.5, 0.5), 100, 1000)
    cost = partial(br.expected_cost, cost_fn=10, cost_fp=1)
    found = br.ranking(cost, three, [0.1], at="fpr <= 0.1", **FEW)
    assert found.rank[:, 0].tolist() == [1, 2, 3]
    assert found.leads[0, 0] > 0.99
    assert found.rank_low[2, 0] > 1
    assert found.regions[0].winner == "m0"


@pytest.mark.slow
@pytest.mark.parametrize(("distances", "prevalence"), [((1.5, 1.5, 1.5), 0.2), ((2.0, 1.2, 1.2, 1.2), 0.01)])
def test_plausible_ranks_hold_where_models_are_equally_good(distances, prevalence):
    """Equal models share ranks, all of which are to be in the interval: in 93 % of test sets at least."""
    true = np.array(distances)
    first = 1 + np.array([(true > d).sum() for d in true])
    last = len(true) - np.array([(true < d).sum() for d in true])
    held, n = np.zeros(len(true)), 60
    for seed in range(n):
        found = br.ranking(
            br.average_precision, models(seed, distances, 40, 200), [prevalence], n_resamples=150, rng=seed
        )
        held += (found.rank_low[:, 0] <= first) & (last <= found.rank_high[:, 0])
    assert held.mean() >= 0.93 * n - 2 * math.sqrt(n * 0.93 * 0.07)
    assert held.min() >= 0.93 * n - 3 * math.sqrt(n * 0.93 * 0.07)


def test_a_tie_in_the_data_is_a_shared_rank():
    label, score = [1, 1, 1, 0, 0, 0, 0], [7, 6, 3, 5, 4, 2, 1]
    twice = br.Models.from_scores(label, {"one": score, "same": score, "worse": score[::-1]})
    found = br.ranking(br.roc_auc, twice, [0.1], **FEW)
    assert found.rank[:, 0].tolist() == [1, 1, 3]
    assert found.leads[0, 0] == pytest.approx(found.leads[1, 0])
    assert found.leads[2, 0] < 0.1


def test_holm():
    assert holm(np.array([0.01, 0.04, np.nan, 0.03])) == pytest.approx([0.03, 0.06, np.nan, 0.06], nan_ok=True)
    assert holm(np.array([0.9, 0.8])).tolist() == [1, 1]
    assert holm(np.array([])).tolist() == []


def test_who_leads_counts_ties_in_parts():
    worth = np.array([3.0, 3.0, 1.0])[np.newaxis, np.newaxis, :, np.newaxis]
    assert ends.leading(worth, worth)[:, 0].tolist() == [0.5, 0.5, 0]
    assert ends.leading(worth[..., [0, 0, 0], :], worth[..., [0, 0, 0], :])[:, 0] == pytest.approx([1 / 3] * 3)
    both = np.array([[2.0, 3.0], [2.5, 2.0]])[:, np.newaxis, :, np.newaxis]  # a pessimist and an optimist
    assert ends.leading(both, both)[:, 0].tolist() == [0.5, 0.5]
    assert ends.leading(both, both[::-1])[:, 0].tolist() == [0.25, 0.75]


def test_curves_by_name_have_ranks_and_say_why_no_interval():
    three = models(5)
    found = br.ranking(br.average_precision, dict(zip(three.names, three.curves, strict=True)), [0.2, 0.01])
    with_rows = br.ranking(br.average_precision, three, [0.2, 0.01], **FEW)
    assert found.reason is br.Reason.ROWS_UNKNOWN
    assert np.isnan(found.rank_low).all()
    assert found.value == pytest.approx(with_rows.value, rel=1e-9)
    assert (found.rank == with_rows.rank).all()
    assert found.regions == with_rows.regions


def test_a_ranking_is_a_table():
    found = br.ranking(br.average_precision, models(6), [0.2, 0.01], **FEW)
    table = found.frame("polars")
    assert pd.DataFrame(found.rows()).shape == table.shape == (6, 10)
    assert table["model"].to_list() == ["m0", "m0", "m1", "m1", "m2", "m2"]
    assert table["rank_high"].to_list() == found.rank_high.ravel().tolist()
    assert str(found).splitlines()[-1] == "in brackets the ranks that are plausible (95 %)"


@pytest.mark.slow
def test_what_is_undefined_has_a_reason():
    none = br.Models.from_scores([0, 0], {"a": [0.1, 0.2], "b": [0.2, 0.1]})
    found = br.ranking(br.precision, none, [0.1], at="recall >= 0.5", **FEW)
    assert found.reason is br.Reason.NO_POSITIVES
    assert np.isnan(found.value).all()
    assert np.isnan(found.rank).all()
    assert found.regions == ()
    three = models(7)
    probable = br.Models.from_scores(three.positive, dict(zip("abc", map(stats.norm.cdf, three.scores), strict=True)))
    errors = br.ranking(br.ece, probable, [0.1], **FEW)
    assert errors.reason is br.Reason.NO_INTERVAL
    assert np.isnan(errors.rank_low).all()
    assert sorted(errors.rank[:, 0]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: br.Models.from_scores([0, 1], {"a": [1, 2]}), "scores must be a mapping of two names or more"),
        (lambda m: br.Models.from_scores([0, 1], [[1, 2], [1, 2]]), "scores must be a dict, got a list"),
        (lambda m: br.Models.from_scores([0, 1], {1: [1, 2], "1": [2, 1]}), "models must have different names"),
        (lambda m: br.Models.from_scores([0, 1], {"a": [1, 2], "b": [1, 2, 3]}), "b"),
        (lambda m: br.ranking(br.roc_auc, m, [0.1], n_resamples=50), "n_resamples must be at least 80"),
        (lambda m: br.ranking(br.f1, m, [0.1]), "f1 is estimated at one operating point"),
        (lambda m: br.ranking(br.f1, m, [0.1], at=("recall >= 0.5",) * 2), "at must be one rule or 3 of them, got 2"),
        (lambda m: br.ranking(br.f1, {"a": m.curves[0]}, [0.1], at="recall >= 0.5"), "at needs Models or a Pair"),
        (lambda m: br.difference(br.roc_auc, m), "pair must be a Pair, got a Models"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call(models(0))
