"""Smooth ECE: against direct sums, against the authors' package, and the laws of the paper."""

import math
import time

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate.formulas.smooth_ece import gap_spectrum, gaps, smooth_ece, smoothed
from helpers.calibration_sets import GOLDEN, NAMES, counts

NODES = 1 << 15


def at_bandwidth(score, pos, neg, bandwidth, nodes=NODES):
    return smoothed(gap_spectrum(score, gaps(score, pos, neg), nodes), bandwidth)


# --- the oracle: kernels summed one by one, and a trapezoid of many points ------------------------------


def by_direct_sums(score, pos, neg, bandwidth, points=40_000):
    """The integral from its definition; each kernel has its images, and 0 and 1 mirror those that leave."""
    gap = (pos - (pos + neg) * score) / (pos.sum() + neg.sum())
    t = (np.arange(points) + 0.5) / points
    total = np.zeros(points)
    reach = math.ceil(4 * bandwidth) + 1
    for where, amount in zip(score, gap, strict=True):
        for turn in range(-reach, reach + 1):
            for image in (2 * turn + where, 2 * turn - where):
                total += amount * np.exp(-((t - image) ** 2) / (2 * bandwidth**2))
    return np.abs(total).mean() / (bandwidth * math.sqrt(2 * math.pi))


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", [0.8, 0.3, 0.05, 0.01, 0.002])
@pytest.mark.parametrize("kind", ["spread", "at the edges", "tied"])
def test_direct_sums_agree(kind, bandwidth):
    rng = np.random.default_rng(3)
    score = {
        "spread": rng.random(50),
        "at the edges": np.append(rng.choice([0, 1e-9, 1e-3, 0.999, 1 - 1e-9, 1], 20), rng.beta(0.2, 0.2, 30)),
        "tied": np.round(rng.random(50), 1),
    }[kind]
    pos, neg = rng.integers(0, 5, (2, 50)) * rng.random((2, 50))
    wanted = by_direct_sums(score, pos, neg, bandwidth)
    assert at_bandwidth(score, pos, neg, bandwidth) == pytest.approx(wanted, rel=5e-7)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1 << 12, 1 << 15, 1 << 18, 1 << 21])
def test_each_grid_serves_down_to_its_finest_bandwidth(nodes):
    rng = np.random.default_rng(4)
    bandwidth = 16 / nodes
    score = 0.4 + 60 * bandwidth * rng.random(40)
    pos, neg = rng.integers(0, 5, (2, 40)) * 1.0
    # All happens within a few bandwidths: the same numbers, but for the weights, in units of the bandwidth.
    gap = (pos - (pos + neg) * score) / (pos.sum() + neg.sum())
    t = np.linspace(0.4 - 10 * bandwidth, 0.4 + 70 * bandwidth, 200_001)
    density = sum(a * np.exp(-((t - s) ** 2) / (2 * bandwidth**2)) for s, a in zip(score, gap, strict=True))
    wanted = np.trapezoid(np.abs(density), t) / (bandwidth * math.sqrt(2 * math.pi))
    assert at_bandwidth(score, pos, neg, bandwidth, nodes) == pytest.approx(wanted, rel=2e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_value_is_the_fixed_point_of_direct_sums(name):
    score, pos, neg = counts(name)
    keep = slice(None, None, max(1, len(score) // 60))
    score, pos, neg = score[keep], pos[keep], neg[keep]
    found = smooth_ece(score, pos, neg)
    assert found.value == pytest.approx(found.bandwidth, rel=1e-9)
    wanted = scipy.optimize.brentq(
        lambda bandwidth: by_direct_sums(score, pos, neg, bandwidth, 10_000) - bandwidth,
        found.value * 0.999,
        found.value * 1.001,
        xtol=1e-12,
    )
    assert found.value == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("score", [0.0, 0.001, 0.013, 0.02, 0.4, 0.5, 0.985, 0.999, 1.0])
def test_the_spectrum_is_that_of_cosines_up_to_the_edges(score):
    found = gap_spectrum(np.array([score]), np.array([0.7]), 64)[:5]
    np.testing.assert_allclose(found, 0.7 * np.cos(np.pi * np.arange(5) * score), atol=2e-7)


# --- the authors' package -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_relplot_agrees_to_what_its_meshes_allow(name):
    score, pos, neg = counts(name, clip=0.01)
    golden = GOLDEN[name]["relplot"]
    # It sums over a mesh of points whose first and last count in full: 20001 of them at a bandwidth …
    for bandwidth in (0.05, 0.02):
        assert at_bandwidth(score, pos, neg, bandwidth) == pytest.approx(golden[f"at_{bandwidth}"], rel=1e-3)
    # … and some hundreds to find one, which it looks for in steps of 1/1024.
    found = smooth_ece(score, pos, neg)
    assert found.bandwidth == pytest.approx(golden["bandwidth"], abs=1 / 1024)
    assert found.value == pytest.approx(golden["default"], rel=0.03)


def test_relplot_mirrors_rows_at_the_very_edge_by_half():
    # A score of 0 is its own mirror image. Here it counts like one just above 0; there it counts half.
    score, pos, neg = counts("simulated")
    half = np.where((score == 0) | (score == 1), 0.5, 1.0)
    assert half.min() == 0.5
    for bandwidth in (0.05, 0.02):
        golden = GOLDEN["simulated"]["relplot"][f"unclipped_at_{bandwidth}"]
        assert at_bandwidth(score, half * pos, half * neg, bandwidth) == pytest.approx(golden, rel=1e-3)


# --- laws ---------------------------------------------------------------------------------------------


@st.composite
def masses(draw):
    n = draw(st.integers(1, 8))
    score = np.array(draw(st.lists(st.integers(0, 1000), min_size=n, max_size=n, unique=True))) / 1000
    pos, neg = (np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), np.float64) for _ in range(2))
    pos[0] += 1
    return score, pos, neg


@pytest.mark.slow
@given(masses(), st.floats(0.01, 100))
@settings(max_examples=40)
def test_between_the_error_in_the_large_and_that_of_every_score(case, scale):
    score, pos, neg = case
    value, bandwidth = smooth_ece(score, pos, neg)
    gap = gaps(score, pos, neg)
    assert abs(gap.sum()) - 1e-12 <= value <= np.abs(gap).sum() + 1e-12
    assert 0 <= bandwidth <= 1
    assert smooth_ece(score, scale * pos, scale * neg).value == pytest.approx(value, rel=1e-7, abs=1e-12)
    assert smooth_ece(1 - score, neg, pos).value == pytest.approx(value, rel=1e-7, abs=1e-12)
    backwards = smooth_ece(score[::-1], pos[::-1], neg[::-1])
    assert backwards.value == pytest.approx(value, rel=1e-9, abs=1e-12)


@given(masses(), st.floats(2e-3, 0.5), st.floats(1.0, 4.0))
@settings(max_examples=40)
def test_a_wider_kernel_sees_less(case, bandwidth, factor):
    narrow, wide = at_bandwidth(*case, bandwidth), at_bandwidth(*case, bandwidth * factor)
    assert wide <= narrow * (1 + 1e-7) + 1e-12
    assert narrow <= np.abs(gaps(*case)).sum() * (1 + 1e-7)


@given(masses(), st.floats(-1e-3, 1e-3))
@settings(max_examples=40)
def test_scores_that_move_a_little_change_it_a_little(case, shift):
    # At a bandwidth s, a score moved by d moves its gap by d and its kernel by at most sqrt(2/pi) d / s.
    score, pos, neg = case
    moved = np.clip(score + shift, 0, 1)
    for bandwidth in (0.5, 0.05):
        bound = abs(shift) * (1 + math.sqrt(2 / math.pi) / bandwidth)
        before, after = at_bandwidth(score, pos, neg, bandwidth), at_bandwidth(moved, pos, neg, bandwidth)
        assert abs(after - before) <= bound * (1 + 1e-6) + 1e-12


@given(masses())
@settings(max_examples=40)
def test_at_most_twice_the_root_of_the_distance_to_calibration(case):
    # Giving everyone the event rate is calibrated, and so far away. At a bandwidth s that is an error of at most
    # d (1 + sqrt(2/pi) / s), which is s at most at twice the root of d.
    score, pos, neg = case
    mass = pos + neg
    distance = np.sum(mass * np.abs(score - pos.sum() / mass.sum())) / mass.sum()
    assert smooth_ece(score, pos, neg).value <= 2 * math.sqrt(distance) + 1e-12


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4])
def test_two_kernels_have_a_closed_form(distance):
    # Scores that tell the labels apart by a hair are that far from calibrated; the value is of the size of its root.
    score = np.array([0.5 - distance, 0.5 + distance])
    value = smooth_ece(score, np.array([0, 1]), np.array([1, 0])).value
    assert value == pytest.approx((0.5 - distance) * scipy.special.erf(distance / value / math.sqrt(2)), rel=3e-7)
    assert 0.5 * math.sqrt(distance) < value < math.sqrt(distance)


def test_scores_that_are_right_have_none():
    score = np.linspace(0, 1, 33)
    assert smooth_ece(score, score, 1 - score) == (0, 0)
    noisy = smooth_ece(np.linspace(0, 1, 1001), np.linspace(0, 1, 1001), 1 - np.linspace(0, 1, 1001))
    assert noisy.value < 1e-15


def test_one_score_has_its_gap():
    assert smooth_ece(np.array([0.3]), np.array([1]), np.array([3])).value == pytest.approx(0.05, rel=1e-9)
    assert smooth_ece(np.array([1.0]), np.array([0]), np.array([7])).value == pytest.approx(1.0, rel=1e-9)
    assert smooth_ece(np.array([0.5, 0.9]), np.array([0, 0]), np.array([2, 0])).value == pytest.approx(0.5, rel=1e-9)


def test_gaps_that_cancel_far_apart_do_not_cancel():
    found = smooth_ece(np.array([0.1, 0.9]), np.array([11, 89]), np.array([89, 11]))
    assert found.value == pytest.approx(0.01, rel=1e-9)
    close = smooth_ece(np.array([0.5, 0.5001]), np.array([60, 40]), np.array([40, 60]))
    assert close.value < 0.01


def test_nothing_to_measure():
    empty = np.empty(0)
    assert np.isnan(smooth_ece(empty, empty, empty).value)
    assert np.isnan(smooth_ece(np.array([0.5]), np.zeros(1), np.zeros(1)).value)


@pytest.mark.slow
def test_below_the_finest_grid_the_value_is_within_what_is_stated():
    score, error = np.array([0.2, 0.6]), 1e-8
    found = smooth_ece(score, score + np.array([error, -error]), 1 - score + np.array([-error, error]))
    assert found.value == pytest.approx(error, rel=1e-6, abs=0)  # scores apart: exact all the same
    score = np.array([0.5, 0.5 + 1e-6])
    found = smooth_ece(score, score + np.array([error, -error]), 1 - score + np.array([-error, error]))
    assert 0 <= found.value <= error


@pytest.mark.slow
def test_a_million_scores_take_seconds_at_most():
    rng = np.random.default_rng(0)
    score = rng.random(1_000_000)
    pos = (rng.random(1_000_000) < score).astype(np.int64)
    started = time.process_time()
    found = smooth_ece(score, pos, 1 - pos)
    assert time.process_time() - started < 10  # some half a second on an idle machine
    assert found.value == pytest.approx(found.bandwidth, rel=1e-9)
