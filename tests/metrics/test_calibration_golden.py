"""Calibration numbers of the lecture, and those on which other tools agree."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.curves.bins import Bins

REFERENCE = json.loads((Path(__file__).parents[1] / "golden" / "reference_values.json").read_text(encoding="utf-8"))
WITH_PROBABILITIES = [name for name, entry in REFERENCE.items() if "calibration" in entry]
BINS = {
    "ece_mce_ew10_right_closed_k/10": br.calibration.equal_width(10),
    "ece_mce_ew10_left_closed_k/10": br.calibration.equal_width(10, closed="left"),
    "ece_mce_ew10_right_closed_linspace": Bins("edges", 10, tuple(np.linspace(0, 1, 11)), "right"),
    "ece_mce_ew10_left_closed_linspace": Bins("edges", 10, tuple(np.linspace(0, 1, 11)), "left"),
    "ece_mce_ef10_quantile_unique_right_closed": br.calibration.equal_frequency(10),
}


@pytest.fixture(params=WITH_PROBABILITIES)
def reference(request, reference_data):
    entry = REFERENCE[request.param]
    rows = pd.read_csv(reference_data / "reference" / entry["file"], dtype={"score": str})
    # Numbers as Python reads them: those of pandas 2 may be off by the last bit.
    return br.Curve.from_scores(rows["y"], [float(score) for score in rows["score"]]), entry["calibration"]


@pytest.mark.filterwarnings("ignore::baserate.errors.FewerBinsWarning")
@pytest.mark.parametrize("key", BINS)
def test_other_tools_agree_on_binned_errors(reference, key):
    curve, values = reference
    found = br.reliability(curve, bins=BINS[key])
    assert len(found.n) == values[key]["nonempty_bins"]
    assert br.ece(curve, bins=BINS[key]) == pytest.approx(values[key]["ece"], abs=1e-9)
    assert found.ece == pytest.approx(values[key]["ece"], abs=1e-9)
    assert br.mce(curve, bins=BINS[key]) == pytest.approx(values[key]["mce"], abs=1e-9)


def test_other_tools_agree_on_brier_score_and_log_loss(reference):
    curve, values = reference
    assert br.brier_score(curve) == pytest.approx(values["brier"], abs=1e-9)
    clipped = br.log_loss(curve, clip=2**-52)  # as the other tools do
    assert clipped == pytest.approx(values["log_loss"], abs=1e-9)
    assert br.log_loss(curve) in (pytest.approx(clipped), np.inf)


# --- Performance Evaluation: Calibration versus Discrimination, a lecture of LMU Munich ------------


def test_the_weather_example():
    found = br.reliability(br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9]))
    np.testing.assert_allclose(found.mean_score, [0.1, 0.4, 0.7, 0.9])
    np.testing.assert_allclose(found.event_rate, [0, 1 / 2, 2 / 3, 1])
    assert (np.sign(found.event_rate - found.mean_score) == [-1, 1, -1, 1]).all()  # over, under, over, under


def test_the_same_calibration_in_the_large_and_opposite_discrimination():
    y = [1, 1, 0, 0]
    first, second = (br.Curve.from_scores(y, s) for s in ([1, 1, 0, 0], [0, 0, 1, 1]))
    for curve in (first, second):
        one_bin = br.reliability(curve, bins=1)
        assert (one_bin.mean_score, one_bin.event_rate) == (0.5, 0.5)
    assert (br.roc_auc(first), br.roc_auc(second)) == (1, 0)
    assert (br.ece(first), br.ece(second)) == (0, 1)


def test_perfect_discrimination_with_bad_calibration():
    y = [1, 1, 0, 0]
    first, second = (br.Curve.from_scores(y, s) for s in ([0.7, 0.7, 0.3, 0.3], [0.9, 0.9, 0.5, 0.5]))
    assert br.roc_auc(first) == br.roc_auc(second) == 1
    assert br.reliability(first, bins=1).mean_score == pytest.approx(0.5)
    assert br.reliability(second, bins=1).mean_score == pytest.approx(0.7)
    assert br.ece(first, bins=1) == pytest.approx(0)
    assert br.ece(second, bins=1) == pytest.approx(0.2)


def test_permuting_scores_within_bins_changes_the_auc_and_not_the_diagram():
    rng = np.random.default_rng(4)
    s = rng.uniform(size=4_000)
    y = rng.uniform(size=len(s)) < s
    place, permuted = np.ceil(10 * s), s.copy()
    for k in range(1, 11):
        permuted[place == k] = rng.permutation(s[place == k])
    before, after = br.Curve.from_scores(y, s), br.Curve.from_scores(y, permuted)
    for bins in (10, br.calibration.equal_width(10)):
        mine, other = br.reliability(before, bins=bins), br.reliability(after, bins=bins)
        for name in ("n", "mean_score", "event_rate", "rate_low", "rate_high"):
            np.testing.assert_allclose(getattr(mine, name), getattr(other, name), rtol=1e-12)
    assert br.roc_auc(after) < br.roc_auc(before) - 0.002


def test_a_monotone_transformation_changes_the_diagram_and_not_the_auc():
    rng = np.random.default_rng(4)
    s = rng.uniform(size=4_000)
    y = rng.uniform(size=len(s)) < s
    before, after = br.Curve.from_scores(y, s), br.Curve.from_scores(y, (s + 0.2) / 1.2)
    assert br.roc_auc(after) == br.roc_auc(before)
    assert br.ece(before, bins=br.calibration.equal_frequency(10)) < 0.03
    assert br.ece(after, bins=br.calibration.equal_frequency(10)) == pytest.approx(
        np.mean((s + 0.2) / 1.2 - s), abs=0.02
    )
    assert br.reliability(after, bins=br.calibration.equal_frequency(10)).leaning == "too high"


def test_different_groupings_give_different_pictures():
    y, s = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    two, eight = (br.reliability(br.Curve.from_scores(y, s), bins=br.calibration.equal_frequency(n)) for n in (2, 8))
    np.testing.assert_allclose(two.event_rate, [0.25, 0.75])
    np.testing.assert_allclose(two.mean_score, [0.25, 0.75])
    assert two.ece == pytest.approx(0)
    assert eight.event_rate.tolist() == y
    assert eight.ece == pytest.approx(np.abs(np.array(y) - s).mean())
