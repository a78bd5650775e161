"""Brier score and log loss from counts, and taken apart: other tools, definitions, laws."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from baserate.formulas.isotonic import isotonic_blocks, isotonic_rates
from baserate.formulas.scoring import (
    brier,
    brier_by_class,
    brier_parts,
    log_loss,
    log_loss_by_class,
    log_loss_parts,
)
from helpers.calibration_sets import GOLDEN, NAMES, counts

pytestmark = pytest.mark.slow  # together, these take long

LOSSES = [(brier, brier_parts), (log_loss, log_loss_parts)]


@st.composite
def masses(draw, inside=False):
    """Ascending distinct scores with masses of both classes, some of them empty."""
    n = draw(st.integers(1, 12))
    ends = (1, 999) if inside else (0, 1000)
    score = np.array(sorted(draw(st.sets(st.integers(*ends), min_size=n, max_size=n)))) / 1000
    amounts = st.one_of(st.integers(0, 5).map(float), st.floats(1e-3, 1e3))
    pos, neg = (np.array(draw(st.lists(amounts, min_size=n, max_size=n))) for _ in range(2))
    pos[draw(st.integers(0, n - 1))] += 1
    neg[draw(st.integers(0, n - 1))] += 1
    return score, pos, neg


# --- the losses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_agrees_on_the_losses(name):
    score, pos, neg = counts(name, clip=1e-6)
    rows, label = np.concatenate([score, score]), np.repeat([1, 0], len(score))
    weight = np.concatenate([pos, neg])
    assert brier(score, pos, neg) == pytest.approx(brier_score_loss(label, rows, sample_weight=weight), rel=1e-12)
    assert log_loss(score, pos, neg) == pytest.approx(sklearn_log_loss(label, rows, sample_weight=weight), rel=1e-12)


def test_log_loss_keeps_its_digits_next_to_zero_and_one():
    tiny = 1e-18
    assert log_loss(np.array([tiny]), np.array([0]), np.array([3])) == pytest.approx(tiny, rel=1e-14, abs=0)
    near_one = 1 - 2.0**-53
    wanted = float(-mp.log(mp.mpf(near_one)))
    assert log_loss(np.array([near_one]), np.array([3]), np.array([0])) == pytest.approx(wanted, rel=1e-12, abs=0)


def test_log_loss_is_infinite_only_where_a_sure_score_was_wrong():
    sure = np.array([0.0, 1.0])
    assert log_loss(sure, np.array([0, 2]), np.array([3, 0])) == 0
    assert log_loss(sure, np.array([1, 2]), np.array([3, 0])) == np.inf
    assert log_loss(sure, np.array([0, 2]), np.array([3, 1])) == np.inf


def test_no_mass_has_no_loss_and_one_class_has_one():
    empty = np.empty(0)
    for loss, parts in LOSSES:
        assert np.isnan(loss(empty, empty, empty))
        assert np.isnan(parts(empty, empty, empty)).all()
    score, none, some = np.array([0.2, 0.4]), np.zeros(2), np.array([3.0, 1.0])
    assert brier(score, none, some) == pytest.approx((3 * 0.04 + 0.16) / 4)
    assert brier(score, some, none) == pytest.approx((3 * 0.64 + 0.36) / 4)
    assert np.isnan(brier_by_class(score, none, some).positives)


@given(masses(inside=True))
def test_a_loss_is_the_mean_of_those_of_the_classes(case):
    score, pos, neg = case
    for loss, by_class in ((brier, brier_by_class), (log_loss, log_loss_by_class)):
        means = by_class(score, pos, neg)
        wanted = (means.positives * pos.sum() + means.negatives * neg.sum()) / (pos.sum() + neg.sum())
        assert loss(score, pos, neg) == pytest.approx(wanted, rel=1e-12)
    cost = pos * np.log(score)
    assert log_loss_by_class(score, pos, neg).positives == pytest.approx(-cost.sum() / pos.sum(), rel=1e-12)


# --- isotonic rates --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learn_agrees_on_isotonic_rates(name):
    score, pos, neg = counts(name)
    wanted = IsotonicRegression().fit_transform(score, pos / (pos + neg), sample_weight=pos + neg)
    np.testing.assert_allclose(isotonic_rates(pos, neg), wanted, atol=1e-13)


def test_entries_without_mass_get_the_rate_below_them():
    pos, neg = np.array([0, 1, 0, 0, 2, 0]), np.array([0, 3, 0, 1, 0, 0])
    np.testing.assert_allclose(isotonic_rates(pos, neg), [0.2, 0.2, 0.2, 0.2, 1, 1])
    assert np.isnan(isotonic_rates(np.zeros(3), np.zeros(3))).all()
    assert len(isotonic_rates(np.empty(0), np.empty(0))) == 0
    assert len(isotonic_blocks(np.empty(0), np.empty(0)).rate) == 0


@given(masses(), st.floats(1e-6, 1e6))
def test_isotonic_rates_rise_and_read_at_any_prevalence(case, weight):
    _, pos, neg = case
    rate, again = isotonic_rates(pos, neg), isotonic_rates(pos, weight * neg)
    assert (np.diff(rate) >= 0).all()
    # The blocks are those of the convex hull of the ROC curve, which no weight of the negatives changes.
    np.testing.assert_allclose(again, rate / (rate + weight * (1 - rate)), rtol=1e-9, atol=1e-300)


# --- parts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_model_diagnostics_agrees_on_the_parts(name):
    for loss, parts, clip in (("brier", brier_parts, 0.0), ("log_loss", log_loss_parts, 1e-12)):
        found, wanted = parts(*counts(name, clip)), GOLDEN[name][loss]
        assert found.loss == pytest.approx(wanted["value"], rel=1e-10)
        for part in ("miscalibration", "discrimination", "uncertainty"):
            assert getattr(found, part) == pytest.approx(wanted[part], abs=1e-12), (loss, part)


@given(masses(inside=True))
def test_parts_are_those_of_the_definition_and_add_up(case):
    score, pos, neg = case
    recalibrated = isotonic_rates(pos, neg)
    everywhere = np.full(len(score), pos.sum() / (pos.sum() + neg.sum()))
    for loss, parts in LOSSES:
        found = parts(score, pos, neg)
        best, clueless = loss(recalibrated, pos, neg), loss(everywhere, pos, neg)
        assert found.loss == loss(score, pos, neg)
        assert found.miscalibration == pytest.approx(found.loss - best, abs=1e-12)
        assert found.discrimination == pytest.approx(clueless - best, abs=1e-12)
        assert found.uncertainty == pytest.approx(clueless, abs=1e-12)
        assert found.miscalibration >= 0
        assert found.discrimination >= 0
        assert found.loss == pytest.approx(
            found.miscalibration - found.discrimination + found.uncertainty, rel=1e-12, abs=1e-12
        )


@given(masses(), st.floats(1e-3, 1e3))
def test_scale_order_and_empty_entries_do_not_matter(case, scale):
    score, pos, neg = case
    for _, parts in LOSSES:
        found = parts(score, pos, neg)
        np.testing.assert_allclose(parts(score, scale * pos, scale * neg), found, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(parts(score[::-1], pos[::-1], neg[::-1]), found, rtol=1e-12)
        more = np.append(score, 2.0), np.append(pos, 0), np.append(neg, 0)
        assert parts(*more)[1:] == found[1:]


@given(masses(inside=True))
def test_an_increasing_map_changes_miscalibration_alone(case):
    score, pos, neg = case
    for _, parts in LOSSES:
        before, after = parts(score, pos, neg), parts(score**2, pos, neg)
        assert (after.discrimination, after.uncertainty) == (before.discrimination, before.uncertainty)
        assert parts(np.full_like(score, 0.5) + score / 1e9, pos, neg).discrimination == before.discrimination


@given(masses())
def test_recalibrated_scores_have_no_miscalibration(case):
    _, pos, neg = case
    rate, place = np.unique(isotonic_rates(pos, neg), return_inverse=True)
    pos, neg = np.bincount(place, pos), np.bincount(place, neg)
    for _, parts in LOSSES:
        assert parts(rate, pos, neg).miscalibration == pytest.approx(0, abs=1e-15)


def test_a_small_miscalibration_keeps_its_digits():
    score = np.array([0.25 + 2.0**-40, 0.75])
    found = brier_parts(score, np.array([1, 3]), np.array([3, 1]))
    assert found.miscalibration == pytest.approx(2.0**-81, rel=1e-9, abs=0)


def test_an_infinite_loss_is_miscalibration_alone():
    found = log_loss_parts(np.array([0.0, 0.5, 1.0]), np.array([1, 2, 3]), np.array([3, 2, 0]))
    assert found.loss == found.miscalibration == np.inf
    assert np.isfinite([found.discrimination, found.uncertainty]).all()
    right = log_loss_parts(np.array([0.0, 0.5, 0.6, 1.0]), np.array([0, 2, 1, 3]), np.array([3, 1, 2, 0]))
    assert np.isfinite(right).all()
    assert right.loss == pytest.approx(right.miscalibration - right.discrimination + right.uncertainty, rel=1e-12)


def test_a_step_to_a_sure_score_costs_nothing_where_blocks_end():
    # Positives that a block has beyond its rate are none at its end, where a rounding would meet an infinite logit.
    rng = np.random.default_rng(0)
    score = np.array([0.0, 0.3, 0.4, 0.5, 1.0])
    for _ in range(50):
        pos, neg = np.array([0, *rng.random(3), 1]), np.array([1, *rng.random(3), 0])
        assert np.isfinite(log_loss_parts(score, pos, neg)).all()
