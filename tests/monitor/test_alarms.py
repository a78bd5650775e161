"""Alarms: the statistic is what it says, false alarms are as rare as agreed, and a planted decay is found."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scripts import script

import baserate as br
from baserate.uncertainty import intervals
from baserate.uncertainty.looks import Seen, looks

PATH = Path(__file__).parents[2] / "benchmarks" / "monitoring.py"


@pytest.fixture(scope="module")
def study():
    return script(PATH)


def sample(seed, n_pos=100, n_neg=2000, distance=2.0):
    rng = np.random.default_rng(seed)
    score = np.append(rng.normal(distance, 1, n_pos), rng.normal(0, 1, n_neg))
    return br.Curve.from_scores(np.arange(n_pos + n_neg) < n_pos, score)


STREAM = {k: sample(k, n_pos=80 + 10 * k) for k in range(6)}


def on_logit_scale(curve):
    value = br.average_precision(curve)
    variance = float(intervals.variance(br.average_precision, curve.table.steps, curve.odds_against))
    return np.log(value / (1 - value)), variance / (value * (1 - value)) ** 2


def test_the_statistic_is_the_distance_in_standard_errors():
    found = br.model_alarms(br.average_precision, STREAM, reference=2, prevalence=0.03, windows=[1])
    assert found.keys == (2, 3, 4, 5)
    level, base = on_logit_scale(br.Curve.pool([STREAM[0], STREAM[1]]).at_prevalence(0.03))
    for k, key in enumerate(found.keys):
        read = STREAM[key].at_prevalence(0.03)
        estimate, variance = on_logit_scale(read)
        assert found.statistic[k] == pytest.approx((estimate - level) / np.sqrt(variance + base))
        assert found.value[k] == br.average_precision(read)
        assert found.difference[k] == pytest.approx(found.value[k] - found.reference)
    assert found.window.tolist() == [1] * 4
    assert (found.prevalence, found.looks, found.false_alarm) == (0.03, 4, 0.05)


def test_a_longer_window_is_a_weighted_mean():
    asked = {"reference": 2, "prevalence": 0.03, "side": "both"}
    found = br.model_alarms(br.average_precision, STREAM, windows=[1, 3], **asked)
    three = br.model_alarms(br.average_precision, STREAM, windows=[3], **asked)
    assert three.window.tolist() == [1, 2, 3, 3]  # as many as there are
    assert not three.alarm.any()
    assert (three.limit > 2).all()
    level, base = on_logit_scale(br.Curve.pool([STREAM[0], STREAM[1]]).at_prevalence(0.03))
    rows = [(*on_logit_scale(STREAM[k].at_prevalence(0.03)), 1 / (1 / STREAM[k].n_pos + 1 / 2000)) for k in range(2, 6)]
    for k in (2, 3):
        estimate, variance, weight = np.array(rows[k - 2 : k + 1]).T
        share = weight / weight.sum()
        whole = (share @ estimate - level) / np.sqrt(share**2 @ variance + base)
        alone = (rows[k][0] - level) / np.sqrt(rows[k][1] + base)
        assert three.statistic[k] == pytest.approx(whole)
        assert found.statistic[k] == pytest.approx(max(whole, alone, key=abs))
        assert found.window[k] == (3 if abs(whole) > abs(alone) else 1)
    assert found.window[:2].tolist() == [1, 1]


@pytest.mark.parametrize(("side", "windows"), [(1, (1,)), (1, (1, 2, 3, 6)), (0, (1, 3)), (-1, (2, 1))])
def test_limits_hold_for_noise_of_other_random_numbers(side, windows):
    """An independent simulation of the same noise, with a reference that all looks share."""
    rng = np.random.default_rng(7)
    variance, weight, base = np.array([1, 2, 0.5, 1, 1, 3, 1, 1.0]), np.array([2, 1, 3, 1, 1, 1, 1, 2.0]), 0.4
    limits = [one.limit for one in looks(Seen(0 * weight, variance, weight, 0 * weight), (0, base, 0), windows,
                                         0.1 / 8, side=side)]  # fmt: skip
    n = 20_000
    noise = rng.normal(0, np.sqrt(variance), (n, 8))
    start = rng.normal(0, np.sqrt(base), n)
    beyond = np.zeros(n, bool)
    for t in range(8):
        for w in windows:
            if w <= t + 1:
                last = slice(t + 1 - w, t + 1)
                share = weight[last] / weight[last].sum()
                z = (noise[:, last] @ share - start) / np.sqrt(share**2 @ variance[last] + base)
                beyond |= (np.abs(z) if side == 0 else -side * z) > limits[t]
    assert beyond.mean() == pytest.approx(1 - (1 - 0.1 / 8) ** 8, abs=0.012)


def test_verdicts_of_the_past_stay_when_periods_come():
    planned = {"reference": 2, "looks": 12}
    found = br.model_alarms(br.average_precision, STREAM, **planned)
    earlier = br.model_alarms(br.average_precision, {k: STREAM[k] for k in range(5)}, **planned)
    for name in ("value", "statistic", "limit", "window", "alarm"):
        assert getattr(found, name)[:3].tolist() == getattr(earlier, name).tolist()
    assert found.prevalence == earlier.prevalence == np.mean([STREAM[k].prevalence for k in (0, 1)])


def test_a_decay_is_found_and_a_better_model_only_if_asked():
    worse = STREAM | {6: sample(6, n_pos=300, distance=1.0)}
    assert br.model_alarms(br.average_precision, worse, reference=3).first == 6
    better = STREAM | {6: sample(6, n_pos=300, distance=3.5)}
    assert br.model_alarms(br.average_precision, better, reference=3).first is None
    both = br.model_alarms(br.average_precision, better, reference=3, side="both")
    assert both.first == 6
    assert both.statistic[-1] > both.limit[-1]


def test_a_cost_that_rises_is_worse():
    worse = STREAM | {6: sample(6, n_pos=300, distance=0.0)}
    asked = {"reference": 3, "at": 1.5, "prevalence": 0.1, "rng": 0}
    metric = partial(br.expected_cost, cost_fp=1.0, cost_fn=5.0)

    def cost(side, stream):
        return br.model_alarms(metric, stream, side=side, **asked)

    found = cost("worse", worse)
    assert found.first == 6
    assert found.statistic[-1] > 0
    better = STREAM | {6: sample(6, n_pos=300, distance=5.0)}
    assert cost("worse", better).first is None
    assert cost("both", better).first == 6


def test_metrics_without_a_closed_form_are_drawn():
    """The standard error of recall is that of a proportion."""
    found = br.model_alarms(br.recall, STREAM, reference=2, at=2.0, windows=[1], n_resamples=20_000, rng=0)
    pooled = br.Curve.pool([STREAM[0], STREAM[1]])

    def logit_and_variance(curve):
        p = br.recall(curve.at_threshold(2.0))
        return np.log(p / (1 - p)), 1 / (curve.n_pos * p * (1 - p))

    (a, v), (b, w) = logit_and_variance(STREAM[2]), logit_and_variance(pooled)
    assert found.statistic[0] == pytest.approx((a - b) / np.sqrt(v + w), rel=0.04)
    own = br.model_alarms(lambda curve: br.roc_auc(curve) ** 2, STREAM, reference=4, n_resamples=50, rng=0)
    assert np.isfinite(own.statistic).all()


def test_a_perfect_model_can_be_watched():
    perfect = br.Curve.from_counts([1, 0], pos=[50, 0], neg=[0, 500])
    bad = br.Curve.from_counts([1, 0], pos=[25, 25], neg=[25, 475])
    found = br.model_alarms(br.average_precision, {1: perfect, 2: perfect, 3: bad}, reference=1, rng=0)
    assert np.isfinite(found.statistic).all()
    assert found.alarm.tolist() == [False, True]


def test_buckets_raise_no_alarm_that_rests_on_how_ties_are_read():
    wide = br.Curve.from_counts([0.0, 1.0, 2.0], pos=[10, 400, 10], neg=[9000, 900, 10])
    bucketed = br.Curve.from_counts([0.0, 1.0], pos=[10, 410], neg=[9000, 910], top=[0.0, 2.0])
    as_tie = br.Curve.from_counts([0.0, 1.0], pos=[10, 410], neg=[9000, 910])
    sharp = br.Curve.from_counts([0.0, 1.0, 2.0], pos=[10, 200, 210], neg=[9000, 900, 10])
    asked = {"reference": sharp, "prevalence": 0.04}
    assert br.model_alarms(br.average_precision, {1: as_tie}, **asked).alarm.all()
    found = br.model_alarms(br.average_precision, {1: bucketed}, **asked)
    assert not found.alarm.any()
    assert found.statistic[0] == 0
    assert br.model_alarms(br.average_precision, {1: wide}, **asked).alarm.all()


def test_periods_that_are_too_small_are_not_looked_at():
    stream = {**STREAM, 6: sample(6, n_pos=5), 7: br.Curve.from_counts([0.5], pos=[0], neg=[9]), 8: sample(8)}
    found = br.model_alarms(br.average_precision, stream, reference=3)
    assert found.reasons[3:] == (br.Reason.TOO_FEW_CASES, br.Reason.NO_POSITIVES, None)
    assert np.isnan(found.limit).tolist() == [False] * 3 + [True] * 2 + [False]
    table = found.columns()
    assert table["reason"][3:5] == ["too_few_cases", "no_positives"]
    assert pl.DataFrame(table).shape == (6, 8)
    assert "there are fewer cases" in str(found)
    assert not found.alarm[3:5].any()
    rare = br.model_alarms(br.recall, STREAM, at=lambda curve: curve.at_precision(0.9999), reference=STREAM[0],
                           prevalence=0.5, rng=0)  # fmt: skip
    assert set(rare.reasons) <= {None, br.Reason.NO_SUCH_POINT}


def test_a_reference_of_its_own():
    found = br.model_alarms(br.roc_auc, STREAM, reference=sample(99).at_prevalence(0.2))
    assert found.keys == tuple(STREAM)
    assert found.prevalence == 0.2
    assert found.reference == br.roc_auc(sample(99))
    lines = str(found).splitlines()
    assert len(lines) == 8
    assert "5 % of series of 6 looks" in lines[0]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"reference": 6}, "leave periods to look at, got 6 of 6"),
        ({"reference": 0}, "reference must be"),
        ({"side": "better"}, "side must be one of"),
        ({"false_alarm": 1.5}, "false_alarm must be"),
        ({"windows": [0]}, "windows must be"),
        ({"looks": 2.5}, "looks must be a whole number"),
        ({"min_pos": 1000}, "reference must have a value"),
        ({"prevalence": "x"}, "key of a group"),
    ],
)
def test_bad_input_is_one_sentence(asked, message):
    with pytest.raises(br.InputError, match=message):
        br.model_alarms(br.average_precision, STREAM, **asked)


def test_a_metric_without_a_direction_has_no_worse():
    with pytest.raises(br.InputError, match="direction"):
        br.model_alarms(br.alert_rate, STREAM, at=1.0, rng=0)
    assert br.model_alarms(br.alert_rate, STREAM, at=1.0, side="both", rng=0).side == "both"


@pytest.mark.parametrize("metric", [br.ece, br.log_loss])
def test_a_metric_whose_spread_is_not_known_raises_no_alarms(metric):
    with pytest.raises(br.InputError, match=rf"a spread that is known, got {metric.__name__}; brier_score .* a clip"):
        br.model_alarms(metric, STREAM)


# --- the study in small ---------------------------------------------------------------------------


def test_the_streams_of_the_study_are_what_they_say(study):
    assert study.true_average_precision(study.distance(0.6), study.COMMON) == pytest.approx(0.6)
    assert study.distance(0.5) < study.distance(0.6)
    setting = study.Setting("x", 100, "falling", decay=0.1)
    curves = study.stream(setting, np.random.default_rng(0))
    assert len(curves) == study.REFERENCE + study.LOOKS
    assert [curve.prevalence for curve in curves.values()] == pytest.approx(study.prevalences("falling"), rel=0.02)
    large = study.stream(study.Setting("x", 4000, decay=0.1), np.random.default_rng(0))
    read = [br.average_precision(curve.at_prevalence(study.COMMON)) for curve in large.values()]
    changed = study.REFERENCE + study.CHANGED_AT - 1
    assert read[:changed] == pytest.approx([0.6] * changed, abs=0.03)
    assert read[changed:] == pytest.approx([0.5] * (len(read) - changed), abs=0.03)


@pytest.mark.slow
def test_a_prevalence_that_moves_raises_few_alarms_and_a_decay_is_seen_soon(study):
    (quiet,) = [study.simulate(setting, 200, seed=1) for setting in study.quiet_settings(quick=True)]
    assert quiet.any_alarm <= study.FALSE_ALARM + 2.5 * np.sqrt(0.05 * 0.95 / 200)
    assert quiet.naive_alarm > 0.9
    (worse,) = [study.simulate(setting, 200, seed=1) for setting in study.decay_settings(quick=True)]
    # 200 streams tell to 3 %; that it is 80 % or more is for the whole study to say.
    assert worse.soon >= study.WANTED - 2 * np.sqrt(0.8 * 0.2 / 200)
    text = study.page([quiet, worse], 200)
    assert "| prevalence falling | average_precision | 200 |" in text
    assert "| prevalence steady | 200 | 0.1 |" in text
