"""The hull against Qhull, and against what it is for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from baserate.formulas.hull import upper_hull


def rising(steps):
    return np.cumsum([s[0] for s in steps]), np.cumsum([s[1] for s in steps])


@pytest.mark.slow
@settings(max_examples=200)
@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60))
def test_the_best_of_any_mixture_is_on_the_hull(steps):
    right, up = rising(steps)
    kept = upper_hull(right, up)
    for angle in np.linspace(0, np.pi / 2, 19):
        gain = np.sin(angle) * up - np.cos(angle) * right
        assert gain[kept].max() == pytest.approx(gain.max(), abs=1e-12)


def test_the_hull_is_small_and_equals_qhull():
    rng = np.random.default_rng(0)
    label = rng.random(50_000) < 0.3
    score = rng.normal(size=50_000) + label
    order = np.argsort(-score)
    up, right = np.cumsum(label[order]), np.cumsum(~label[order])
    kept = upper_hull(right, up)
    vertices = ConvexHull(np.column_stack([right, up])).vertices
    above = {int(v) for v in vertices if up[v] * right[-1] >= right[v] * up[-1]}
    assert above <= set(kept.tolist())
    assert len(kept) < 2 * len(above) + 3


def test_a_slow_staircase_is_scanned():
    """Shrinking steps: hardly any point lies below its direct neighbours, yet few are on the hull."""
    right = np.arange(2000)
    up = np.floor(np.sqrt(right) * 3).astype(int)
    kept = upper_hull(right, up)
    assert len(kept) < 200
    for slope in np.geomspace(1e-3, 1, 20):
        assert (up - slope * right)[kept].max() == pytest.approx((up - slope * right).max(), abs=1e-9)


def test_every_vertex_of_a_smooth_arc_is_kept():
    """Neighbouring slopes differ by less than a thousandth, and still each point is best for some price."""
    angle = np.linspace(0, np.pi / 2, 6001)
    right, up = 1 - np.cos(angle), np.sin(angle)
    assert len(upper_hull(right, up)) == 6001
    assert len(upper_hull(np.append(right, 1.5), np.append(up, 1.0))) == 6002
