"""A loss taken apart: other tools, prevalences, and what cannot be taken apart."""

import math
from functools import partial

import numpy as np
import pytest

import baserate as br
from helpers.calibration_sets import GOLDEN, NAMES, rows


@pytest.mark.parametrize("name", NAMES)
def test_model_diagnostics_agrees(name):
    score, label = rows(name)
    curve = br.Curve.from_scores(label, score)
    for metric, key in ((br.brier_score, "brier"), (partial(br.log_loss, clip=1e-12), "log_loss")):
        found, wanted = br.calibration.decompose(metric, curve), GOLDEN[name][key]
        for part, value in wanted.items():
            assert getattr(found, part) == pytest.approx(value, rel=1e-9, abs=1e-12), part
        assert found.reason is None


@pytest.mark.parametrize("metric", [br.brier_score, br.log_loss, partial(br.log_loss, clip=0.1)])
@pytest.mark.parametrize("prevalence", [0.5, 0.001])
def test_reading_at_a_prevalence_equals_weights(metric, prevalence):
    data = br.examples.payments()
    curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    weight = np.where(data["fraud"] == 1, 1.0, (1 - prevalence) / prevalence * curve.n_pos / curve.n_neg)
    found = br.calibration.decompose(metric, curve.at_prevalence(prevalence))
    weighted = br.calibration.decompose(metric, br.Curve.from_scores(data["fraud"], data["new_model"], weight=weight))
    for part in ("value", "miscalibration", "discrimination", "uncertainty", "prevalence"):
        assert getattr(found, part) == pytest.approx(getattr(weighted, part), rel=1e-9), part
    assert found.value == pytest.approx(metric(curve.at_prevalence(prevalence)), rel=1e-14)
    assert found.value == pytest.approx(found.miscalibration - found.discrimination + found.uncertainty, rel=1e-9)
    entropy = -prevalence * math.log(prevalence) - (1 - prevalence) * math.log1p(-prevalence)
    spread = prevalence * (1 - prevalence)
    assert found.uncertainty == pytest.approx(spread if metric is br.brier_score else entropy, rel=1e-9)


def test_scores_that_are_right_lose_nothing_and_another_prevalence_makes_them_wrong():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
    assert br.calibration.decompose(br.brier_score, curve).miscalibration == pytest.approx(0, abs=1e-16)
    rare = curve.at_prevalence(0.01)
    assert br.calibration.decompose(br.brier_score, rare).miscalibration > 0.01
    told = br.calibration.decompose(br.brier_score, rare.shift_scores(0.01))
    assert told.miscalibration == pytest.approx(0, abs=1e-16)
    assert told.discrimination == pytest.approx(br.calibration.decompose(br.brier_score, rare).discrimination)


def test_buckets_say_how_far_the_value_may_be_off():
    rng = np.random.default_rng(3)
    s = rng.beta(1, 4, 20_000)
    y = rng.uniform(size=len(s)) < s
    counted = br.Accumulator(max_scores=900)
    counted.update(y, s)
    exact, found = (
        br.calibration.decompose(br.brier_score, curve) for curve in (br.Curve.from_scores(y, s), counted.curve())
    )
    assert exact.value_error == 0
    assert 0 < abs(found.value - exact.value) <= found.value_error < 1e-3
    assert "exact to 0.000" in str(found)


def test_scores_clipped_to_one_number_are_ties():
    curve = br.Curve.from_counts([0.01, 0.02, 0.9], pos=[1, 4, 40], neg=[60, 40, 10])
    found = br.calibration.decompose(partial(br.log_loss, clip=0.05), curve)
    tied = br.calibration.decompose(br.log_loss, br.Curve.from_counts([0.05, 0.9], pos=[5, 40], neg=[100, 10]))
    assert found.discrimination == pytest.approx(tied.discrimination)
    assert found.miscalibration == pytest.approx(tied.miscalibration)
    assert found.metric == "log_loss:clip=0.05"


def test_a_missing_class_is_nan_with_a_reason():
    found = br.calibration.decompose(br.brier_score, br.Curve.from_scores([0, 0], [0.1, 0.2]))
    assert math.isnan(found.miscalibration)
    assert found.reason is br.Reason.NO_POSITIVES
    assert str(found).endswith("there are no positives")


def test_what_is_refused():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
    with pytest.raises(br.errors.InputError, match=r"got ece; pass br\.brier_score or br\.log_loss"):
        br.calibration.decompose(br.ece, curve)
    with pytest.raises(br.errors.InputError, match="got <lambda>; pass"):
        br.calibration.decompose(lambda curve: 0.5, curve)
    with pytest.raises(br.errors.InputError, match="probabilities between 0 and 1"):
        br.calibration.decompose(br.brier_score, br.Curve.from_scores([0, 1], [-1.0, 2.0]))
    with pytest.raises(br.errors.InputError, match="pass the curve it was chosen on"):
        br.calibration.decompose(br.brier_score, curve.at_threshold(0.5))


def test_one_row_of_a_table():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
    row = br.calibration.decompose(br.log_loss, curve).row()
    assert list(row)[:6] == ["metric", "value", "miscalibration", "discrimination", "uncertainty", "prevalence"]
