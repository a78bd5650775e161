"""Whether periods differ in more than their mix."""

import numpy as np
import pytest

import baserate as br
from baserate.page.periods import p_values


def month(seed, *, moved=0.0, n=2_000, digits=1, prevalence=0.2):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return br.Curve.from_scores(y, (rng.normal(size=n) + (2 - moved) * y).round(digits))


def test_they_are_the_library_s_against_all_others():
    curves = [month(0), month(1, moved=0.8), month(2, prevalence=0.05), None, month(3)]
    known = [curve for curve in curves if curve is not None]
    found = p_values(curves)
    assert np.isnan(found[3])
    for curve, p_value in zip(curves, found, strict=True):
        if curve is not None:
            others = br.Curve.pool(other for other in known if other is not curve)
            assert p_value == pytest.approx(br.prior.prior_shift_check(others, curve).p_value, rel=1e-9)
    assert found[1] < 1e-4


def test_many_scores_change_little():
    """Cuts at a thousand quantiles stand for all scores; another prevalence alone changes nothing."""
    curves = [month(k, digits=9, n=20_000, prevalence=p) for k, p in enumerate((0.5, 0.1, 0.02))]
    curves.append(month(9, digits=9, n=20_000, moved=0.2))
    found = p_values(curves)
    whole = [
        br.prior.prior_shift_check(br.Curve.pool(c for c in curves if c is not curve), curve).p_value
        for curve in curves
    ]
    assert found == pytest.approx(whole, abs=0.2)
    assert found[3] < 1e-6
    assert min(p_values(curves[:3])) > 0.01


def test_the_same_curve_twice_is_two_periods():
    curve = month(0)
    assert p_values([curve, curve]) == pytest.approx([1, 1])


def test_there_is_no_check_of_one_period_nor_of_weights_or_buckets():
    curve, lonely = month(0), br.Curve.from_scores([0, 0], [0.1, 0.2])
    assert np.isnan(p_values([curve])).all()
    assert np.isnan(p_values([curve, lonely, None])).all()
    assert np.isfinite(p_values([curve, lonely, curve])).tolist() == [True, False, True]
    weighted = br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], weight=[1, 2, 3, 4])
    bucketed = br.Curve.from_counts([0.2, 0.9], [10, 40], [900, 50], top=[0.8, 0.9])
    for other in (weighted, bucketed):
        assert np.isnan(p_values([curve, other])).all()
    assert p_values([]) == []
