"""Whether periods differ in more than their mix."""

import numpy as np
import pytest

import baserate as br
from baserate.page.periods import p_values


def month(seed, *, moved=0.0, n=2_000, digits=1, prevalence=0.2):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return br.Curve.from_scores(y, (rng.normal(size=n) + (2 - moved) * y).round(digits))


def test_they_are_the_library_s_against_the_reference():
    curves = [month(0), None, month(1), month(2, prevalence=0.05), month(3), month(4, moved=0.8)]
    found = p_values(curves)
    assert np.isnan(found[:4]).all()
    reference = br.Curve.pool([curves[0], curves[2], curves[3]])
    for curve, p_value in zip(curves[4:], found[4:], strict=True):
        assert p_value == br.prior.prior_shift_check(reference, curve).p_value
    assert found[4] > 0.01
    assert found[5] < 1e-4


def test_a_sound_month_is_not_blamed_for_those_that_decayed():
    """A month in which only the prevalence moved, among others in which the model collapsed."""
    sound = [month(k, n=20_000, digits=9) for k in range(3)]
    decayed = [month(k, n=20_000, digits=9, moved=1.0) for k in range(4, 9)]
    drift = month(3, n=20_000, digits=9, prevalence=0.05)
    found = p_values([*sound, drift, *decayed])
    assert found[3] > 0.01
    assert max(found[4:]) < 1e-6
    others = br.Curve.pool([*sound, *decayed])
    assert br.prior.prior_shift_check(others, drift).p_value < 1e-6  # which would have blamed it


def test_page_and_command_agree_on_every_month():
    sound = [month(k, n=20_000, digits=2) for k in range(5)]
    decayed = [month(k, n=20_000, digits=2, moved=1.0) for k in range(6, 9)]
    curves = dict(enumerate([*sound, *decayed]))
    alarms = br.monitoring.judge_periods(br.average_precision, curves, last=1).periods
    for one, p_value in zip(alarms[3:], p_values(list(curves.values()))[3:], strict=True):
        assert (p_value < 1e-4) == one.alarm


def test_few_periods_have_a_shorter_reference():
    assert np.isnan(p_values([month(0), month(1)])).tolist() == [True, False]
    assert np.isnan(p_values([month(0), month(1), month(2)])).tolist() == [True, True, False]


def test_the_same_curve_twice_is_two_periods():
    curve = month(0)
    assert p_values([curve, curve])[1] == pytest.approx(1)


def test_there_is_no_check_of_one_period_nor_of_weights():
    curve, lonely = month(0), br.Curve.from_scores([0, 0], [0.1, 0.2])
    assert np.isnan(p_values([curve])).all()
    assert np.isnan(p_values([curve, lonely, None])).all()
    assert np.isfinite(p_values([curve, lonely, curve])).tolist() == [False, False, True]
    weighted = br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], weight=[1, 2, 3, 4])
    assert np.isnan(p_values([curve, weighted])).all()
    bucketed = br.Curve.from_counts([0.2, 0.9], [10, 40], [900, 50], top=[0.8, 0.9])
    assert np.isfinite(p_values([bucketed, bucketed])[1])
    assert p_values([]) == []
