"""Alarms: the statistic is what it says, false alarms are as rare as agreed, and a planted decay is found."""

from functools import partial

import numpy as np
import pytest

import baserate as br
from baserate.monitoring.alarms import _place_of
from baserate.monitoring.dealing import OfDeals
from baserate.monitoring.looks import _limit, _most_deals, badness, levels, spending
from baserate.uncertainty.cells import Part, alike, cells_of, every_score, scores_in_runs
from baserate.uncertainty.readers import values_where
from baserate.uncertainty.samplers import Streams
from helpers.simulated import normal_curve, normal_rows


def month(seed, n_pos=100, n_neg=2000, distance=2.0):
    return normal_curve(n_pos, n_neg, distance, rng=seed)


STREAM = {k: month(k, n_pos=80 + 10 * k) for k in range(6)}


def shuffled_recalls(caught, sizes, n_deals, rng):
    """The recall of samples, when it is chance which of all positives each has."""
    rows = np.tile(np.arange(sum(sizes)) < caught, (n_deals, 1))
    parts = np.split(rng.permuted(rows, axis=1), np.cumsum(sizes)[:-1], axis=1)
    return np.array([part.mean(axis=1) for part in parts])


@pytest.mark.slow
def test_the_statistic_and_its_limit_are_those_of_rows_dealt_again():
    """Recall at a threshold, dealt row by row here: of the last period, of the last two, and of the reference."""
    asked = {"reference": 2, "at": 2.0, "windows": [1, 2], "n_resamples": 20_000, "looks": 4}
    found = br.monitoring.model_alarms(br.recall, {k: STREAM[k] for k in range(4)}, **asked)
    assert found.keys == (2, 3)
    sizes = [STREAM[k].n_pos for k in range(4)]
    recalls = np.array([br.recall(STREAM[k].at_threshold(2.0)) for k in range(4)])
    dealt = shuffled_recalls(round(float(recalls @ sizes)), sizes, 20_000, np.random.default_rng(5))

    def deviations(of):  # of the second look
        weight = np.array(sizes)[:, np.newaxis]
        groups = [of[:2], of[3:], of[2:]], [weight[:2], weight[3:], weight[2:]]
        level, one, two = (np.arcsin(np.sqrt((a * w).sum(0) / w.sum(0))) for a, w in zip(*groups, strict=True))
        return np.array([one - level, two - level])

    law, seen = deviations(dealt), deviations(recalls[:, np.newaxis])[:, 0]
    z = (seen - law.mean(axis=1)) / law.std(axis=1)
    assert found.statistic[1] == pytest.approx(z.min(), abs=0.05)
    assert found.window[1] == 1 + np.argmin(z)
    worst = -((law.T - law.mean(axis=1)) / law.std(axis=1)).min(axis=1)
    noise = tuple(1 / STREAM[k].n_pos + 1 / STREAM[k].n_neg for k in range(2, 4))
    level = levels(noise, 1 / sum(sizes[:2]) + 1 / 4000, (1, 2), (0.05 / 4,) * 2, side=1)[1]
    assert found.limit[1] == pytest.approx(np.quantile(worst, 1 - level), abs=0.1)
    assert found.value[1] == br.recall(STREAM[3].at_threshold(2.0))
    assert found.difference[1] == pytest.approx(found.value[1] - found.reference)
    assert (found.looks, found.false_alarm) == (4, 0.05)


def test_windows_are_as_long_as_there_are_periods():
    asked = {"reference": 2, "prevalence": 0.03, "side": "both"}
    three = br.monitoring.model_alarms(br.average_precision, STREAM, windows=[3], **asked)
    assert three.window.tolist() == [1, 2, 3, 3]
    assert not three.alarm.any()
    assert (three.limit > 2).all()
    found = br.monitoring.model_alarms(br.average_precision, STREAM, windows=[1, 3], **asked)
    assert set(found.window[:2]) == {1}
    assert set(found.window[2:]) <= {1, 3}


@pytest.mark.parametrize(("side", "windows"), [(1, (1,)), (1, (1, 2, 3, 6)), (0, (1, 3)), (-1, (1, 2))])
def test_levels_hold_for_noise_of_other_random_numbers(side, windows):
    """An independent simulation of the same noise, with a reference that all looks share."""
    rng = np.random.default_rng(7)
    variance, base = np.array([1, 2, 0.5, 1, 1, 3, 1, 1.0]), 0.4
    found = levels(tuple(variance), base, windows, (0.1 / 8,) * 8, side=side)
    assert found[0] == pytest.approx(0.1 / 8, rel=0.02)
    assert max(found) < 3 * 0.1 / 8
    n = 20_000
    noise, start = rng.normal(0, np.sqrt(variance), (n, 8)), rng.normal(0, np.sqrt(base), n)
    beyond = np.zeros(n, bool)
    for t in range(8):
        worst = np.full(n, -np.inf)
        for w in [w for w in windows if w <= t + 1] or [t + 1]:
            last = slice(t + 1 - w, t + 1)
            share = 1 / variance[last] / (1 / variance[last]).sum()
            z = (noise[:, last] @ share - start) / np.sqrt(share**2 @ variance[last] + base)
            worst = np.maximum(worst, badness(z, side))
        beyond |= worst > np.quantile(worst, 1 - found[t])
    assert beyond.mean() == pytest.approx(1 - (1 - 0.1 / 8) ** 8, abs=0.012)


@pytest.mark.slow
def test_small_rates_are_shared_out_evenly():
    """Noise cannot tell how often what is rarer than a path in many happens."""
    assert levels((1.0, 1.0), 0.4, (1,), (1e-5, 1e-5), side=1).tolist() == [1e-5, 1e-5]
    worse = STREAM | {6: month(6, n_pos=300, distance=1.0)}
    assert br.monitoring.model_alarms(br.roc_auc, worse, reference=3, false_alarm=1e-3).alarm.tolist() == [
        False
    ] * 3 + [True]


# 20 positives in a period: what a metric does there is far from normal, and limits that rest on standard errors alone
# were passed by more than half of the series of the first three.
UNCHANGED = {
    "average precision at 1e-4": (br.average_precision, 2.0, {"prevalence": 1e-4}),
    "AUC of a nearly perfect model": (br.roc_auc, 5.0, {"prevalence": 0.01}),
    "precision at 1e-4": (br.precision, 2.0, {"prevalence": 1e-4, "at": 3.0, "side": "both"}),
    "Brier score": (br.brier_score, 2.0, {"prevalence": 0.01}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNCHANGED)
def test_a_model_that_stays_raises_few_alarms_with_few_positives(name):
    metric, distance, asked = UNCHANGED[name]
    raised = 0
    for seed in range(12):
        months = {t: month([seed, t], n_pos=20, n_neg=500, distance=distance) for t in range(8)}
        if metric is br.brier_score:
            months = {t: probabilities(curve) for t, curve in months.items()}
        raised += br.monitoring.model_alarms(metric, months, **asked).alarm.any()
    assert raised <= 3  # more in 2 of 1000 cases, if it is 5 %


def probabilities(curve):
    odds = np.exp(2 * curve.score - 2) * 0.02
    return br.Curve.from_counts(odds / (1 + odds), curve.pos, curve.neg)


def test_the_same_stream_has_the_same_verdicts():
    once, again = (br.monitoring.model_alarms(br.average_precision, STREAM, reference=3) for _ in range(2))
    assert once.limit.tolist() == again.limit.tolist()
    assert once.statistic.tolist() == again.statistic.tolist()
    other = br.monitoring.model_alarms(br.average_precision, STREAM, reference=3, rng=1)
    assert once.limit.tolist() != other.limit.tolist()
    same = br.monitoring.model_alarms(br.average_precision, STREAM, reference=3, rng=np.random.default_rng(1))
    assert same.limit.tolist() == other.limit.tolist()


def counts(one):
    """What cells hold, class by class."""
    return [(part.rows * part.weight).tolist() for part in (one.pos, one.neg)]


def test_curves_are_cut_where_the_pooled_one_is():
    """Row by row: each sample holds in a cell the rows whose scores the pooled curve has there."""
    curves = [month(k, n_pos=400, n_neg=3000) for k in range(3)]
    pooled = br.Curve.pool(curves)
    for cells in (cells_of(pooled, 2, 128), scores_in_runs(pooled, 2, 128), cells_of(pooled)):
        parts = alike(curves, pooled, cells)
        assert np.sum([counts(one)[0] for one in parts], axis=0).tolist() == counts(cells)[0]
        assert np.sum([counts(one)[1] for one in parts], axis=0).tolist() == counts(cells)[1]
        for curve, one in zip(curves, parts, strict=True):
            inside = [
                (curve.score >= low) & (curve.score <= top) for low, top in zip(cells.score, cells.top, strict=True)
            ]
            assert one.pos.rows.tolist() == [curve.pos[here].sum() for here in inside]
            assert one.neg.rows[1::2].tolist() == [curve.neg[here].sum() for here in inside]


def test_an_infinite_score_is_in_the_cell_of_its_own():
    curve = br.Curve.from_counts([np.inf, 1.0, 0.0], pos=[3, 2, 0], neg=[0, 4, 9])
    cells = cells_of(curve)
    (one,) = alike([curve], curve, cells)
    assert counts(one) == counts(cells)


def samples_of(rows):
    """Samples whose positives and negatives are as many in each cell."""
    cells = cells_of(
        br.Curve.from_counts(np.arange(len(rows[0]), 0, -1), pos=np.ones(len(rows[0])), neg=np.zeros(len(rows[0])))
    )
    empty = np.zeros(len(rows[0]) + 1)
    parts = [Part(np.asarray(one, float), np.ones(len(one))) for one in rows]
    gaps = [Part(np.insert(empty, np.arange(1, len(empty)), one), np.ones(2 * len(empty) - 1)) for one in rows]
    return [cells._replace(pos=pos, neg=neg) for pos, neg in zip(parts, gaps, strict=True)]


def test_rows_are_dealt_within_their_class_and_none_is_lost():
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 40, 6) for _ in range(3)]
    dealing = OfDeals(samples_of(rows), [0, 1, 2], rng)
    windows = [rows[0], rows[1], rows[1] + rows[2]]
    assert [counts(one)[0] for one in dealing.cells] == [one.tolist() for one in windows]
    for pos, neg in dealing.held(2000, Streams.of((1, 2, 3)))[:2]:
        for dealt in (pos, neg[:, 1::2]):
            assert len(set(dealt.sum(axis=1))) == 1
    for k, (pos, neg) in enumerate(dealing.held(4000, Streams.of((1, 2, 3)))):
        assert set(pos.sum(axis=1)) == set(neg.sum(axis=1)) == {windows[k].sum()}
        assert not neg[:, ::2].any()
        share = windows[k].sum() / sum(one.sum() for one in rows)
        for dealt in (pos, neg[:, 1::2]):
            assert dealt.mean(axis=0) == pytest.approx(sum(rows) * share, rel=0.05)
            # Without replacement, so that all that is dealt varies less than if each row fell by itself.
            n, total = windows[k].sum(), sum(one.sum() for one in rows)
            p = sum(rows) / total
            assert dealt.var(axis=0) == pytest.approx(n * p * (1 - p) * (total - n) / (total - 1), rel=0.1)


def test_weighted_rows_are_dealt_with_their_weights():
    """As so many equal rows as they are worth, which need not be a whole number."""
    rng = np.random.default_rng(0)
    rows = rng.integers(10, 40, (3, 5)) + 0.3
    weight = np.array([9.0, 4.0, 2.0, 1.0, 0.5])
    samples = [one._replace(pos=Part(one.pos.rows, weight)) for one in samples_of(rows)]
    dealing = OfDeals(samples, [0, 1, 2], rng)
    assert counts(dealing.cells[1])[0] == pytest.approx(rows[1] * weight)
    pos, _ = dealing.held(4000, Streams.of((1, 2, 3)))[1]
    share = rows[1].sum() / rows.sum()
    assert pos.mean(axis=0) == pytest.approx(rows.sum(axis=0) * weight * share, rel=0.05)
    assert pos.sum(axis=1).std() > 10  # heavy rows come and go


def test_many_rows_are_tied_up_by_cell_and_too_many_refused():
    rng = np.random.default_rng(0)
    rows = [np.array([10, 300_000, 90_000]), np.array([5, 100_000, 20_000])]
    dealing = OfDeals(samples_of(rows), [0, 1], rng)
    assert [counts(one)[0] for one in dealing.cells] == [one.tolist() for one in rows]
    with pytest.raises(br.errors.InputError, match="fewer than 1,000,000,000 rows of a class, got 1,000,000,005"):
        OfDeals(samples_of([np.array([5, 10**9]), rows[1][:2]]), [0, 1], rng)


COST = partial(br.expected_cost, cost_fp=1.0, cost_fn=20.0)
RULES = {
    "recall": lambda curve: curve.at_recall(0.6),
    "fpr": lambda curve: curve.at_fpr(0.01),
    "top_k": lambda curve: curve.at_top_k(30),
    "alert_rate": lambda curve: curve.at_alert_rate(0.02),
    "precision": lambda curve: curve.at_precision(0.5),
    "best": lambda curve: curve.best(br.f1),
    "cheapest": lambda curve: curve.best(COST),
}


@pytest.mark.parametrize("name", RULES)
def test_rules_choose_on_many_samples_as_they_do_on_one(name):
    """All rows of few samples have cells of their own, so that what is chosen is what the rule chooses on the curve."""
    curves = [month(k, n_pos=80 + 10 * k).at_prevalence(0.02) for k in range(3)]
    pooled = br.Curve.pool(curves)
    (rule,) = {RULES[name](curve).chosen for curve in curves}
    dealing = OfDeals(alike(curves, pooled, every_score(pooled)), [0, 1, 2], np.random.default_rng(0))
    together = [curves[0], curves[1], br.Curve.pool(curves[1:])]
    for metric in (br.recall, br.precision):
        for drawn, curve in zip(dealing.seen(), together, strict=True):
            (found,) = values_where(metric, rule, drawn, np.array([49.0]))
            assert found[0] == pytest.approx(metric(RULES[name](curve)), rel=0.02)


@pytest.mark.slow
def test_a_rule_that_depends_on_the_rows_is_asked_of_each_deal():
    asked = {"reference": 3, "prevalence": 0.03, "n_resamples": 10}
    found = br.monitoring.model_alarms(
        br.recall, STREAM, at=lambda curve: curve.at_threshold(float(np.median(curve.score)) + 2), **asked
    )
    assert np.isfinite(found.statistic).all()
    own, recall, fpr = object(), *(RULES[name](STREAM[0]).chosen for name in ("recall", "fpr"))
    assert _place_of(own, {recall, fpr}) is own
    assert _place_of(own, {recall}) is recall


def test_equal_weights_change_nothing():
    weighted = {
        key: br.Curve.from_counts(c.score, 3.0 * c.pos, 3.0 * c.neg, pos_squares=9.0 * c.pos, neg_squares=9.0 * c.neg)
        for key, c in STREAM.items()
    }
    asked = {"reference": 3, "prevalence": 0.03}
    plain, heavy = (br.monitoring.model_alarms(br.average_precision, one, **asked) for one in (STREAM, weighted))
    assert heavy.statistic == pytest.approx(plain.statistic, abs=0.2)
    assert heavy.limit == pytest.approx(plain.limit, abs=0.5)


def rising_weights(seed, n_pos=60, n_neg=1500):
    label, score = normal_rows(n_pos, n_neg, 1.5, rng=seed)
    return br.Curve.from_scores(label, score, weight=np.exp(score))


@pytest.mark.slow
def test_heavy_rows_at_the_top_raise_few_alarms():
    """Few heavy rows decide there, and chance does more to them than to as many rows as all are worth."""
    asked = {"reference": 3, "prevalence": 0.02, "n_resamples": 100}
    streams = [{t: rising_weights([seed, t]) for t in range(7)} for seed in range(12)]
    raised = [br.monitoring.model_alarms(br.average_precision, stream, **asked).alarm.any() for stream in streams]
    assert sum(raised) <= 2  # more in 2 of 100 cases, if it is 5 %


@pytest.mark.slow
def test_limits_differ_little_between_seeds():
    """By 0.16 standard errors of the metric; the deal that is beyond as few others differs by more than 0.2."""
    asked = {"reference": 1, "looks": 12, "prevalence": 0.05}
    found = [
        [br.monitoring.model_alarms(metric, STREAM, rng=seed, **place, **asked).limit for seed in range(8)]
        for metric, place in ((br.average_precision, {}), (br.roc_auc, {}), (br.recall, {"at": 2.0}))
    ]
    assert np.sqrt(np.var(found, axis=1, ddof=1).mean()) < 0.19


def test_looks_spend_the_whole_rate_but_no_more_however_many_they_are():
    spent = np.cumsum(spending(100_000, 0.05))
    assert spent[[11, 35, 107]] == pytest.approx([0.05 / 2, 0.05 * 3 / 4, 0.05 * 9 / 10])
    assert (np.diff(spent) > 0).all()
    assert 0.0499 < spent[-1] < 0.05
    assert spending(3, 0.05, 10) == [0.005] * 3
    # Dependence between looks raises levels of early looks; those of late ones are too small to tell.
    share = spending(100, 0.05)
    found = levels((1.0,) * 100, 1 / 3, (1, 2, 3, 6), tuple(share), side=1)
    assert found[0] == pytest.approx(share[0], rel=0.05)
    assert 1.2 < found[9] / share[9] < 3
    assert found[30:].tolist() == share[30:]


def test_a_level_that_is_too_small_to_count_needs_data_beyond_all_deals():
    assert _most_deals(1e-3) == 5000
    assert _most_deals(1e-4) == 10_000
    assert _most_deals(1e-7) == 20_000
    law = np.sort(np.random.default_rng(0).normal(size=20_000))
    limit = _limit(law, 9.0, 1e-7)
    assert limit == pytest.approx(5.2, abs=0.3)  # that of a normal law
    assert _limit(law, 4.6, 1e-7) == limit  # beyond all deals, but not beyond the limit
    steep = np.append(law[:-1], 7.0)
    assert _limit(steep, 6.5, 1e-7) == 7.0  # beyond the smooth limit, but not beyond all deals
    assert _limit(law, 3.2, 1e-3) == pytest.approx(3.09, abs=0.1)


@pytest.mark.parametrize("planned", [{}, {"looks": 12}])
def test_verdicts_of_the_past_stay_when_periods_come(planned):
    planned = {"reference": 2, **planned}
    found = br.monitoring.model_alarms(br.average_precision, STREAM, **planned)
    earlier = br.monitoring.model_alarms(br.average_precision, {k: STREAM[k] for k in range(5)}, **planned)
    for name in ("value", "statistic", "limit", "window", "alarm"):
        assert getattr(found, name)[:3].tolist() == getattr(earlier, name).tolist()
    assert found.prevalence == earlier.prevalence == np.mean([STREAM[k].prevalence for k in (0, 1)])


def test_a_decay_is_found_and_a_better_model_only_if_asked():
    worse = STREAM | {6: month(6, n_pos=300, distance=1.0)}
    assert br.monitoring.model_alarms(br.average_precision, worse, reference=3).first == 6
    better = STREAM | {6: month(6, n_pos=300, distance=3.5)}
    assert br.monitoring.model_alarms(br.average_precision, better, reference=3).first is None
    both = br.monitoring.model_alarms(br.average_precision, better, reference=3, side="both")
    assert both.first == 6
    assert both.statistic[-1] > both.limit[-1]


def test_a_cost_that_rises_is_worse():
    worse = STREAM | {6: month(6, n_pos=300, distance=0.0)}
    asked = {"reference": 3, "at": 1.5, "prevalence": 0.1, "rng": 0}
    metric = partial(br.expected_cost, cost_fp=1.0, cost_fn=5.0)

    def cost(side, stream):
        return br.monitoring.model_alarms(metric, stream, side=side, **asked)

    found = cost("worse", worse)
    assert found.first == 6
    assert found.statistic[-1] > 0
    better = STREAM | {6: month(6, n_pos=300, distance=5.0)}
    assert cost("worse", better).first is None
    assert cost("both", better).first == 6


@pytest.mark.slow
def test_your_own_function_can_be_watched():
    worse = {k: STREAM[k] for k in (0, 1, 2)} | {6: month(6, n_pos=300, distance=0.0)}
    asked = {"reference": 2, "n_resamples": 10}
    found = br.monitoring.model_alarms(lambda curve: br.roc_auc(curve) ** 2, worse, **asked)
    assert np.isfinite(found.statistic).all()
    assert found.first == 6
    at_a_point = br.monitoring.model_alarms(lambda point: float(point.tpr), worse, at=2.0, **asked)
    assert at_a_point.first == 6


def test_a_perfect_model_can_be_watched():
    perfect = br.Curve.from_counts([1, 0], pos=[50, 0], neg=[0, 500])
    bad = br.Curve.from_counts([1, 0], pos=[25, 25], neg=[25, 475])
    found = br.monitoring.model_alarms(br.average_precision, {1: perfect, 2: perfect, 3: bad}, reference=1, rng=0)
    assert np.isfinite(found.statistic).all()
    assert found.alarm.tolist() == [False, True]


def test_buckets_raise_no_alarm_that_rests_on_how_ties_are_read():
    wide = br.Curve.from_counts([0.0, 1.0, 2.0], pos=[10, 400, 10], neg=[9000, 900, 10])
    bucketed = br.Curve.from_counts([0.0, 1.0], pos=[10, 410], neg=[9000, 910], top=[0.0, 2.0])
    as_tie = br.Curve.from_counts([0.0, 1.0], pos=[10, 410], neg=[9000, 910])
    sharp = br.Curve.from_counts([0.0, 1.0, 2.0], pos=[10, 200, 210], neg=[9000, 900, 10])
    asked = {"reference": sharp, "prevalence": 0.04}
    assert br.monitoring.model_alarms(br.average_precision, {1: as_tie}, **asked).alarm.all()
    found = br.monitoring.model_alarms(br.average_precision, {1: bucketed}, **asked)
    assert not found.alarm.any()
    assert abs(found.statistic[0]) < 0.5
    assert br.monitoring.model_alarms(br.average_precision, {1: wide}, **asked).alarm.all()


@pytest.mark.slow
def test_periods_that_are_too_small_are_not_looked_at():
    stream = {**STREAM, 6: month(6, n_pos=5), 7: br.Curve.from_counts([0.5], pos=[0], neg=[9]), 8: month(8)}
    found = br.monitoring.model_alarms(br.average_precision, stream, reference=3)
    assert found.reasons[3:] == (br.Reason.TOO_FEW_CASES, br.Reason.NO_POSITIVES, None)
    assert np.isnan(found.limit).tolist() == [False] * 3 + [True] * 2 + [False]
    table = found.frame("polars")
    assert table["reason"].to_list()[3:5] == ["too_few_cases", "no_positives"]
    assert table.shape == (6, 10)
    assert "there are fewer cases" in str(found)
    assert not found.alarm[3:5].any()
    asked = {"at": lambda curve: curve.at_precision(0.9999), "prevalence": 0.5, "rng": 0}
    rare = br.monitoring.model_alarms(br.recall, STREAM, reference=STREAM[0], **asked)
    assert set(rare.reasons) <= {None, br.Reason.NO_SUCH_POINT}


def test_a_reference_of_its_own():
    found = br.monitoring.model_alarms(br.roc_auc, STREAM, reference=month(99).at_prevalence(0.2))
    assert found.keys == tuple(STREAM)
    assert found.prevalence == 0.2
    assert found.reference == br.roc_auc(month(99))
    lines = str(found).splitlines()
    assert len(lines) == 8
    assert "5 % of series, however long" in lines[0]
    assert "5 % of series of 6 looks" in str(br.monitoring.model_alarms(br.roc_auc, STREAM, looks=6))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"reference": 6}, "fewer than all periods, got 6 of 6"),
        ({"reference": 0}, "reference must be"),
        ({"side": "better"}, "side must be one of"),
        ({"false_alarm": 1.5}, "false_alarm must be"),
        ({"windows": [0]}, "windows must be"),
        ({"looks": 2.5}, "looks must be a whole number"),
        ({"min_pos": 1000}, "must be defined on the reference"),
        ({"prevalence": "x"}, "key of a group"),
    ],
)
def test_bad_input_is_one_sentence(asked, message):
    with pytest.raises(br.errors.InputError, match=message):
        br.monitoring.model_alarms(br.average_precision, STREAM, **asked)


def test_a_metric_without_a_direction_has_no_worse():
    with pytest.raises(br.errors.InputError, match="direction"):
        br.monitoring.model_alarms(br.alert_rate, STREAM, at=1.0, rng=0)
    assert br.monitoring.model_alarms(br.alert_rate, STREAM, at=1.0, side="both", rng=0).side == "both"


@pytest.mark.parametrize("metric", [br.ece, br.log_loss])
def test_a_metric_whose_spread_is_not_known_raises_no_alarms(metric):
    with pytest.raises(
        br.errors.InputError,
        match=rf"plug-in bias or infinite losses, got {metric.__name__}; use brier_score, .* a clip",
    ):
        br.monitoring.model_alarms(metric, STREAM)
