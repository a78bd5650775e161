"""The verdict on a series of periods, for Python as for the command."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.curves.compact import compact


def month(seed, *, n_pos=60, n_neg=3000, shift=2.0, digits=2):
    rng = np.random.default_rng(seed)
    label = np.arange(n_pos + n_neg) < n_pos
    return br.Curve.from_scores(label, (rng.normal(size=n_pos + n_neg) + shift * label).round(digits))


STEADY = {f"2026-{number:02}": month(number) for number in range(1, 6)}


def judged(curves, metric=br.average_precision, **settings):
    return br.monitoring.judge_periods(metric, curves, **{"prevalence": 0.01, "n_resamples": 200} | settings)


def test_nothing_has_changed():
    found = judged(STEADY)
    assert (found.verdict, found.prevalence_moved, found.first_alarm) == (None, False, None)
    assert found.sentence.startswith("no change detected (average_precision ")
    assert (found.reference, found.prevalence) == (("2026-01", "2026-02", "2026-03"), 0.01)
    assert [one.alarm for one in found.periods] == [None, None, None, False, False]
    assert [one.change is None for one in found.periods] == [True, True, True, False, False]


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_a_series_is_no_condition(shift):
    """An assertion of it would pass on a model that has become worse."""
    curves = {**STEADY, "2026-06": month(9, shift=shift)}
    for found in (judged(curves), br.monitoring.model_alarms(br.average_precision, curves, reference=3)):
        with pytest.raises(br.errors.InputError, match="neither true nor false"):
            assert found


@pytest.mark.parametrize(
    ("last", "verdict"), [(month(9, shift=0.5), "model"), (month(9, n_neg=600), "prevalence"), (month(9), None)]
)
def test_what_has_changed(last, verdict):
    found = judged({**STEADY, "2026-06": last})
    assert found.verdict == verdict
    assert found.prevalence_moved == (verdict == "prevalence")
    assert found.first_alarm == ("2026-06" if verdict == "model" else None)


def test_values_and_intervals_are_those_of_estimate():
    found = judged(STEADY, br.f1, at="threshold=1.5", last=2)
    for one, curve in zip(found.periods, STEADY.values(), strict=True):
        point = curve.at_threshold(1.5)
        assert one.own.value == br.f1(point)
        assert one.common.value == br.f1(point.at_prevalence(0.01))
        assert one.own_error == one.common_error == 0
    assert [math.isnan(one.own.low) for one in found.periods] == [True, True, True, False, False]
    assert found.periods[-1].common == br.estimate(br.f1, point.at_prevalence(0.01))


def test_a_threshold_that_is_not_known_well_enough_is_a_range():
    """A curve that was made small for its areas alone, as earlier stores have them."""
    whole = month(1, n_pos=3, n_neg=2000, digits=15)
    coarse = br.Curve.from_counts(
        whole.score[1999:1998:-1], top=whole.score[:1], pos=[int(whole.n_pos)], neg=[int(whole.n_neg)]
    )
    curves = {**STEADY, "2026-06": coarse}
    found = judged(curves, br.recall, at="threshold=1.5").periods[-1]
    assert math.isnan(found.own.value)
    assert found.own.reason is br.Reason.TOO_COARSE
    assert (found.own.low, found.own.high) == (0, 1)
    assert found.own_error == pytest.approx(1)
    assert found.row()["own"] is None


def test_a_small_curve_still_knows_every_threshold():
    """What a store keeps today is known well enough anywhere."""
    curves = {name: compact(month(seed, digits=15)) for seed, name in enumerate(STEADY)}
    assert all(curve.bucketed for curve in curves.values())
    for threshold in (0.3, 1.234, 2.5):
        found = judged(curves, br.precision, at=threshold, last=1)
        for one, seed in zip(found.periods, range(5), strict=True):
            exact = br.precision(month(seed, digits=15).at_threshold(threshold))
            assert abs(one.own.value - exact) <= one.own_error <= 0.02


def test_few_periods_are_too_early_to_say():
    found = judged(dict(list(STEADY.items())[:2]))
    assert found.verdict is None
    assert found.sentence == "too early to say (2 more periods needed to compare with the first 3)"
    moved = judged({"a": STEADY["2026-01"], "b": month(9, n_neg=600)}, reference=1, false_alarm=0.05)
    assert moved.verdict == "prevalence"


def test_periods_without_a_class_have_no_value():
    empty = br.Curve.from_counts([0.5], [0], [100])
    found = judged({**STEADY, "2026-06": empty})
    assert found.periods[-1].own.reason is br.Reason.NO_POSITIVES
    assert found.periods[-1].alarm is None
    assert found.rows()[-1]["own"] is None


def test_no_threshold_for_the_rule():
    found = judged({**STEADY, "2026-06": month(9, shift=-3.0)}, br.recall, at="precision=0.9")
    assert found.periods[-1].own.reason is br.Reason.NO_SUCH_POINT


def test_it_can_be_repeated_and_kept():
    found = judged(STEADY, last=2)
    assert judged(STEADY, last=2) == found
    assert br.results.SeriesVerdict.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"reference": 0}, "reference must be"),
        ({"false_alarm": 2}, "false_alarm must be"),
        ({"tolerated": -1}, "tolerated must be"),
        ({"last": 0}, "last must be"),
        ({"prevalence": "x"}, "prevalence must be"),
    ],
)
def test_bad_settings_get_a_sentence(settings, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        judged(STEADY, **settings)


def test_a_metric_of_a_threshold_needs_a_rule():
    with pytest.raises(br.errors.InputError, match="f1 is estimated at one operating point"):
        judged(dict(list(STEADY.items())[:2]), br.f1, last=1)


def test_no_curves_get_a_sentence():
    with pytest.raises(br.errors.InputError, match="at least one Curve"):
        judged({})
