"""Tests of calibration: golden numbers, refusals, what they say of themselves, false alarms and power."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import baserate as br
from baserate.errors import Reason

REFERENCE = json.loads((Path(__file__).parents[1] / "golden" / "reference_values.json").read_text(encoding="utf-8"))
WITH_TEST = [name for name, entry in REFERENCE.items() if "hosmer_lemeshow_g10" in entry.get("calibration", {})]
CURVE = br.Curve.from_counts([0.1, 0.3, 0.6, 0.9], pos=[5, 25, 62, 88], neg=[95, 75, 38, 12])


def test_there_are_reference_values():
    assert len(WITH_TEST) == 4


@pytest.mark.parametrize("name", WITH_TEST)
def test_other_tools_agree(name, reference_data):
    entry = REFERENCE[name]
    wanted = entry["calibration"]["hosmer_lemeshow_g10"]
    rows = pd.read_csv(reference_data / "reference" / entry["file"])
    curve = br.Curve.from_scores(rows["y"], rows["score"])
    found = br.calibration.hosmer_lemeshow(curve, in_sample=True)
    assert found.statistic == pytest.approx(wanted["stat"], abs=1e-9)
    assert (found.n_bins, found.df) == (wanted["groups"], wanted["df_G_minus_2"])
    assert found.p_value == pytest.approx(wanted["p_df_G_minus_2"], rel=1e-9)
    assert found.min_expected == pytest.approx(wanted["min_expected"], rel=1e-9)
    assert br.calibration.hosmer_lemeshow(curve, in_sample=False).df == wanted["groups"]


@pytest.mark.parametrize(("scores", "statistic"), [([0.9, 0.9, 0.1, 0.1], 0.4444), ([0.9, 0.9, 0.7, 0.7], 4.8889)])
@pytest.mark.parametrize("bins", [10, [0, 0.2, 0.8, 1], "equal_frequency(2)"])
def test_the_lecture_example(scores, statistic, bins):
    """LMU, Introduction to Machine Learning: calibration."""
    found = br.calibration.hosmer_lemeshow(br.Curve.from_scores([1, 1, 0, 0], scores), in_sample=False, bins=bins)
    assert found.statistic == pytest.approx(statistic, abs=5e-5)
    assert found.n_bins == 2


def test_degrees_of_freedom_are_what_the_caller_says():
    new, fitted = (br.calibration.hosmer_lemeshow(CURVE, in_sample=said) for said in (False, True))
    assert (new.df, fitted.df, new.n_bins) == (4, 2, 4)
    assert fitted.p_value < new.p_value
    assert fitted.p_value == pytest.approx(math.exp(-fitted.statistic / 2), rel=1e-12)
    assert "4 degrees of freedom, scores of new rows" in str(new)
    assert "2 degrees of freedom, scores fitted on these rows" in str(fitted)
    assert "in 4 bins" in str(new)
    with pytest.raises(TypeError):
        br.calibration.hosmer_lemeshow(CURVE)
    with pytest.raises(br.errors.InputError, match="in_sample must be True or False, got 1; pass one of them"):
        br.calibration.hosmer_lemeshow(CURVE, in_sample=1)


def test_two_bins_leave_nothing_in_sample():
    found = br.calibration.hosmer_lemeshow(CURVE, in_sample=True, bins=2)
    assert (found.df, found.reason, math.isnan(found.p_value)) == (0, Reason.TOO_FEW_BINS, True)
    assert found.statistic > 0
    assert br.calibration.hosmer_lemeshow(CURVE, in_sample=False, bins=1).df == 1


def test_what_cannot_be_is_infinite():
    found = br.calibration.hosmer_lemeshow(br.Curve.from_scores([1, 0, 0, 1], [0.0, 0.0, 0.3, 0.3]), in_sample=False)
    assert (found.statistic, found.p_value) == (math.inf, 0.0)
    sure = br.calibration.hosmer_lemeshow(br.Curve.from_scores([1, 0, 0, 1], [1.0, 0.0, 0.0, 1.0]), in_sample=False)
    assert (sure.statistic, sure.p_value) == (0.0, 1.0)


def test_small_expected_counts_are_said():
    assert br.calibration.hosmer_lemeshow(CURVE, in_sample=False).caution is None
    below_one = br.Curve.from_counts([0.001, 0.5, 0.6], pos=[0, 25, 31], neg=[50, 25, 19])
    found = br.calibration.hosmer_lemeshow(below_one, in_sample=False)
    assert found.min_expected == pytest.approx(0.05)
    assert "smallest expected count is 0.05" in found.caution
    assert found.caution in str(found)
    # Two of six expected counts are 4: above 1, and more than a fifth below 5. With ten counts it is a fifth.
    many_small = br.Curve.from_counts([0.1, 0.5, 0.9], pos=[4, 20, 36], neg=[36, 20, 4])
    assert br.calibration.hosmer_lemeshow(many_small, in_sample=False).caution is not None
    a_fifth = br.Curve.from_counts([0.1, 0.4, 0.5, 0.6, 0.9], pos=[4, 16, 20, 24, 36], neg=[36, 24, 20, 16, 4])
    assert br.calibration.hosmer_lemeshow(a_fifth, in_sample=False).caution is None


def test_spiegelhalter_says_which_way():
    extreme = br.calibration.spiegelhalter(br.Curve.from_counts([0.1, 0.9], pos=[20, 80], neg=[80, 20]))
    timid = br.calibration.spiegelhalter(br.Curve.from_counts([0.4, 0.6], pos=[20, 80], neg=[80, 20]))
    assert extreme.z > 0 > timid.z
    assert max(extreme.p_value, timid.p_value) < 0.001
    by_hand = (40 * (0.9 * 0.8) - 160 * (0.1 * 0.8)) / math.sqrt(200 * 0.8**2 * 0.09)
    assert extreme.z == pytest.approx(by_hand, rel=1e-12)
    assert (extreme.low, extreme.high) == (extreme.z, extreme.z)


def test_what_is_undefined_says_why():
    for curve, reason in (
        (br.Curve.from_counts([], [], []), Reason.NO_ROWS),
        (br.Curve.from_scores([0, 1, 0], [0.5, 0.5, 0.5]), Reason.NOTHING_TO_TEST),
        (br.Curve.from_scores([0, 1, 1], [0.0, 1.0, 0.5]), Reason.NOTHING_TO_TEST),
    ):
        found = br.calibration.spiegelhalter(curve)
        assert (math.isnan(found.z), math.isnan(found.p_value), found.reason) == (True, True, reason)
        assert reason.sentence in str(found)
    empty = br.calibration.hosmer_lemeshow(br.Curve.from_counts([], [], []), in_sample=False)
    assert (math.isnan(empty.statistic), math.isnan(empty.p_value), empty.reason) == (True, True, Reason.NO_ROWS)


def test_one_class_can_be_tested():
    only = br.Curve.from_counts([0.3, 0.4], pos=[0, 0], neg=[50, 50])
    assert br.calibration.hosmer_lemeshow(only, in_sample=False).p_value < 1e-6
    assert br.calibration.spiegelhalter(only).z < -3


@pytest.mark.parametrize(
    "test", [lambda c: br.calibration.hosmer_lemeshow(c, in_sample=False), br.calibration.spiegelhalter]
)
def test_they_count_cases(test):
    with pytest.raises(
        br.errors.InputError, match=r"own prevalence, got one at prevalence 1 in 100; leave out at_prevalence, or"
    ):
        test(CURVE.at_prevalence(0.01))
    with pytest.raises(br.errors.MissingInformationError, match="made from weighted rows"):
        test(br.Curve.from_scores([0, 1, 0], [0.2, 0.3, 0.4], weight=[1.0, 2.0, 1.0]))
    with pytest.raises(br.errors.MissingInformationError, match="made from rates"):
        test(br.Curve.from_rates([0.5], [0.1], n_pos=10, n_neg=10))
    with pytest.raises(
        br.errors.InputError, match="reads scores as probabilities between 0 and 1, got scores from -2 to 3"
    ):
        test(br.Curve.from_scores([0, 1, 0], [-2.0, 3.0, 0.4]))
    with pytest.raises(br.errors.InputError, match="must be a Curve, got a list"):
        test([0.1, 0.2])


def rows(n, rng, slope=1.0):
    """Scores whose log-odds are `slope` times too far from 0."""
    right = rng.normal(-1, 1.2, n)
    return rng.random(n) < expit(right), expit(slope * right)


def test_buckets_keep_the_statistic_within_limits():
    y, score = rows(4000, np.random.default_rng(0))
    exact = br.Curve.from_scores(y, score)
    number = np.floor(score * 500)
    columns = {"score": [], "top": [], "pos": [], "neg": []}
    for k in np.unique(number):
        here = number == k
        entry = (score[here].min(), score[here].max(), y[here].sum(), (~y[here]).sum())
        for name, value in zip(columns, entry, strict=True):
            columns[name].append(value)
    bucketed = br.Curve.from_counts(**columns)
    edges = [0, *(np.array([50, 100, 150, 200, 300]) / 500), 1]
    rough, fine = (br.calibration.hosmer_lemeshow(curve, in_sample=False, bins=edges) for curve in (bucketed, exact))
    assert rough.low < fine.statistic < rough.high
    assert rough.low < rough.statistic < rough.high
    assert rough.statistic == pytest.approx(fine.statistic, rel=0.05)
    assert "because scores are buckets" in str(rough)
    rough, fine = br.calibration.spiegelhalter(bucketed), br.calibration.spiegelhalter(exact)
    assert rough.low < fine.z < rough.high
    assert rough.z == pytest.approx(fine.z, abs=0.1)
    assert rough.high - rough.low < 2


@pytest.mark.slow
def test_false_alarms_and_power():
    """Calibrated scores of 1,000 rows alarm as often as the level says; log-odds 1.4 times too far are found."""
    rng = np.random.default_rng(1)
    n_draws = 1500

    def alarms(slope):
        found = np.zeros(2)
        for _ in range(n_draws):
            curve = br.Curve.from_scores(*rows(1000, rng, slope))
            tests = br.calibration.hosmer_lemeshow(curve, in_sample=False), br.calibration.spiegelhalter(curve)
            found += [test.p_value < 0.05 for test in tests]
        return found / n_draws

    # Three standard errors of 1,500 draws.
    assert alarms(1.0) == pytest.approx([0.05, 0.05], abs=0.017)
    power = alarms(1.4)
    assert power[0] > 0.8
    assert power[1] > 0.8


@pytest.mark.slow
def test_two_degrees_of_freedom_go_to_a_model_fitted_on_the_rows():
    """Scores refitted by the calibration line: with M - 2 as often as the level says, with M too seldom."""
    rng = np.random.default_rng(2)
    alarms, n_draws = np.zeros(2), 1500
    for _ in range(n_draws):
        y, score = rows(1000, rng)
        line = br.calibration.cox_calibration(br.Curve.from_scores(y, score))
        fitted = br.Curve.from_scores(y, expit(line.intercept.value + line.slope.value * logit(score)))
        alarms += [br.calibration.hosmer_lemeshow(fitted, in_sample=said).p_value < 0.05 for said in (True, False)]
    in_sample, as_if_new = alarms / n_draws
    assert in_sample == pytest.approx(0.05, abs=0.017)
    assert as_if_new < 0.03
