"""Mean scores beside event rates: the lecture's example, both intervals, subsets."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest, ttest_ind_from_stats

import baserate as br
from baserate.errors import Reason

MALE = br.Curve.from_counts([0.2], pos=[1], neg=[2])
FEMALE = br.Curve.from_counts([0.8], pos=[2], neg=[1])


def test_the_lecture_example():
    """LMU, Introduction to Machine Learning: survival on the Titanic, right in the large and wrong in the small."""
    found = br.calibration.in_the_large(MALE + FEMALE)
    assert (found.mean_score, found.event_rate) == pytest.approx((0.5, 0.5), abs=1e-15)
    assert found.verdict == "agrees"
    small = br.calibration.in_the_small({"male": MALE, "female": FEMALE})
    assert small.subsets["male"].mean_score == pytest.approx(0.20)
    assert small.subsets["male"].event_rate == pytest.approx(0.33, abs=0.005)
    assert small.subsets["female"].mean_score == pytest.approx(0.80)
    assert small.subsets["female"].event_rate == pytest.approx(0.67, abs=0.005)


def test_the_event_rate_has_the_interval_of_clopper_and_pearson():
    curve = br.Curve.from_counts([0.1, 0.4, 0.7], pos=[3, 6, 9], neg=[40, 20, 5])
    found = br.calibration.in_the_large(curve, confidence_level=0.9)
    rate = binomtest(18, 83).proportion_ci(0.9, method="exact")
    mean = (43 * 0.1 + 26 * 0.4 + 14 * 0.7) / 83
    assert found.mean_score == pytest.approx(mean, abs=1e-14)
    assert (found.low, found.high) == pytest.approx((mean - rate.high, mean - rate.low), abs=1e-12)
    assert (found.n, found.event_rate, found.method) == (83, 18 / 83, "clopper_pearson")
    assert found.difference == pytest.approx(mean - 18 / 83, abs=1e-14)


def test_at_a_given_prevalence_the_mean_score_is_uncertain():
    """At 0.5 it is half the difference of two means, of p of positives and of 1 - p of negatives: Welch's test."""
    rng = np.random.default_rng(0)
    y, score = np.repeat([1, 0], [40, 300]), rng.random(340)
    found = br.calibration.in_the_large(br.Curve.from_scores(y, score).at_prevalence(0.5))
    a, b = score[y == 1], 1 - score[y == 0]
    assert found.mean_score == pytest.approx((a.mean() + 1 - b.mean()) / 2, abs=1e-14)
    assert (found.event_rate, found.method, found.prevalence) == (0.5, "welch", 0.5)
    test = ttest_ind_from_stats(a.mean(), a.std(ddof=1), 40, b.mean(), b.std(ddof=1), 300, equal_var=False)
    assert test.pvalue < 0.5
    # The interval that just touches 0 has the level 1 - p.
    just = br.calibration.in_the_large(
        br.Curve.from_scores(y, score).at_prevalence(0.5), confidence_level=1 - test.pvalue
    )
    assert min(abs(just.low), abs(just.high)) == pytest.approx(0, abs=1e-10)


def test_weights_as_read_elsewhere():
    """Mean scores of the classes, in the shares of the prevalence."""
    curve = br.Curve.from_counts([0.2, 0.8], pos=[10, 40], neg=[240, 60])
    found = br.calibration.in_the_large(curve.at_prevalence(0.1))
    assert found.mean_score == pytest.approx(0.1 * 0.68 + 0.9 * 0.32, abs=1e-14)
    spread = math.sqrt(0.01 * 0.36 * 0.16 / 49 + 0.81 * 0.36 * 0.16 / 299)
    assert found.high - found.low == pytest.approx(2 * 1.96 * spread, rel=0.02)
    assert found.verdict == "scores are too high"
    assert br.calibration.in_the_large(curve.at_prevalence(0.9)).verdict == "scores are too low"


def test_weighted_rows_are_worth_fewer():
    rng = np.random.default_rng(1)
    y, score, weight = rng.integers(0, 2, 200), rng.random(200), rng.exponential(size=200)
    curve = br.Curve.from_scores(y, score, weight=weight)
    found = br.calibration.in_the_large(curve)
    assert found.mean_score == pytest.approx(np.average(score, weights=weight), abs=1e-12)
    assert found.event_rate == pytest.approx(np.average(y, weights=weight), abs=1e-12)
    assert found.n == pytest.approx(weight.sum() ** 2 / np.sum(weight**2))
    plain = br.calibration.in_the_large(br.Curve.from_scores(y, score))
    assert found.high - found.low > 1.2 * (plain.high - plain.low)
    read = br.calibration.in_the_large(curve.at_prevalence(0.3))
    part = []
    for label in (1, 0):
        w, s = weight[y == label], score[y == label]
        mean, size = np.average(s, weights=w), w.sum() ** 2 / np.sum(w**2)
        part.append(np.sum(w**2 * (s - mean) ** 2) / w.sum() ** 2 * size / (size - 1))
    spread = math.sqrt(0.09 * part[0] + 0.49 * part[1])
    assert read.high - read.low == pytest.approx(2 * 1.98 * spread, rel=0.02)


def test_one_class_has_an_event_rate_and_is_missed_at_a_given_prevalence():
    only = br.Curve.from_counts([0.3, 0.4], pos=[0, 0], neg=[50, 50])
    found = br.calibration.in_the_large(only)
    assert (found.event_rate, found.verdict) == (0, "scores are too high")
    assert found.mean_score == pytest.approx(0.35)
    read = br.calibration.in_the_large(only.at_prevalence(0.2))
    assert (math.isnan(read.mean_score), read.reason, read.verdict) == (True, Reason.NO_POSITIVES, "undecided")
    empty = br.calibration.in_the_large(br.Curve.from_counts([], [], []))
    assert (empty.reason, empty.verdict, empty.n) == (Reason.NO_ROWS, "undecided", 0)
    assert "there are no rows" in str(empty)


def test_one_case_of_a_class_has_no_spread():
    curve = br.Curve.from_counts([0.2, 0.3], pos=[1, 0], neg=[5, 5]).at_prevalence(0.5)
    found = br.calibration.in_the_large(curve)
    assert (math.isnan(found.low), found.reason) == (True, Reason.ONE_CASE)
    assert found.mean_score == pytest.approx(0.5 * 0.2 + 0.5 * 0.25)
    assert found.caution is None


def test_few_cases_are_said():
    curve = br.Curve.from_counts([0.2, 0.3], pos=[9, 20], neg=[50, 50])
    assert "fewer than 30" in br.calibration.in_the_large(curve.at_prevalence(0.5)).caution
    assert br.calibration.in_the_large(curve).caution is None
    assert br.calibration.in_the_large((curve + curve).at_prevalence(0.5)).caution is None


def test_buckets_widen_the_interval():
    fine = br.Curve.from_counts([0.25, 0.55], pos=[30, 70], neg=[70, 30])
    rough = br.Curve.from_counts([0.2, 0.5], pos=[30, 70], neg=[70, 30], top=[0.3, 0.6])
    for exact, found in (
        (br.calibration.in_the_large(fine), br.calibration.in_the_large(rough)),
        (br.calibration.in_the_large(fine.at_prevalence(0.3)), br.calibration.in_the_large(rough.at_prevalence(0.3))),
    ):
        assert found.mean_score == pytest.approx(exact.mean_score, abs=1e-14)
        assert (found.low, found.high) == pytest.approx((exact.low - 0.05, exact.high + 0.05), abs=1e-12)
        assert "widens the interval by 0.05" in found.caution


def test_all_subsets_hold_together():
    found = br.calibration.in_the_small({"male": MALE, "female": FEMALE}, confidence_level=0.9)
    assert found.confidence_level == 0.9
    assert found.subsets["male"].confidence_level == pytest.approx(0.95)
    assert found.subsets["male"] == br.calibration.in_the_large(
        MALE, confidence_level=found.subsets["male"].confidence_level
    )
    assert "2 subsets, all intervals together 90 %, each 95 %" in str(found)


def test_a_table_of_subsets():
    many = {"male": MALE, "female": br.Curve.pool([FEMALE] * 200), 3: br.Curve.from_counts([], [], [])}
    found = br.calibration.in_the_small(many)
    table = pd.DataFrame(found.rows())
    assert list(table["subset"]) == ["male", "female", 3]
    assert list(table["verdict"]) == ["agrees", "scores are too high", "undecided"]
    assert found.disagreeing == ["female"]
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines] == ["subset", "male", "female", "3", "3"]
    assert "there are no rows" in lines[3]
    starts = {line.index(word) for line, word in zip(lines[1:4], ("agrees", "scores", "undecided"), strict=True)}
    assert len(starts) == 1


def test_subsets_of_a_table():
    frame = pd.DataFrame({"sex": ["m"] * 3 + ["f"] * 3, "y": [1, 0, 0, 1, 1, 0], "p": [0.2] * 3 + [0.8] * 3})
    found = br.calibration.in_the_small(br.curves_by(frame, "sex", label="y", score="p"))
    assert {key: round(subset.event_rate, 2) for key, subset in found.subsets.items()} == {"m": 0.33, "f": 0.67}


@pytest.mark.parametrize("bad", [{}, [MALE], MALE, None])
def test_subsets_must_be_a_mapping(bad):
    with pytest.raises(
        br.errors.InputError, match=r"curves must (be a mapping of names to|hold at least one) Curves?, got"
    ):
        br.calibration.in_the_small(bad)


def test_bad_input():
    with pytest.raises(br.errors.InputError, match="calibration in the large reads scores as probabilities"):
        br.calibration.in_the_large(br.Curve.from_scores([0, 1], [0.5, 2.0]))
    with pytest.raises(br.errors.InputError, match="curve must be a Curve, got a list"):
        br.calibration.in_the_large([0.1])
    with pytest.raises(br.errors.InputError, match="confidence_level"):
        br.calibration.in_the_large(MALE, confidence_level=95)


@pytest.mark.slow
def test_intervals_hold():
    """Of calibrated scores: at the own prevalence always, at a given one with 30 cases or more."""
    rng = np.random.default_rng(2)
    labels = np.repeat([1, 0], [30, 300])
    held = np.zeros(2)
    true_pos, true_neg = (expit(rng.normal(x, 1, 2_000_000)).mean() for x in (-1, -2))
    for _ in range(1000):
        score = expit(rng.normal(-1, 1, 200))
        found = br.calibration.in_the_large(br.Curve.from_scores(rng.random(200) < score, score))
        read = br.calibration.in_the_large(
            br.Curve.from_scores(labels, expit(rng.normal(labels - 2.0, 1))).at_prevalence(0.2)
        )
        held += [found.verdict == "agrees", read.low <= 0.2 * true_pos + 0.8 * true_neg - 0.2 <= read.high]
    assert held[0] > 950
    assert held[1] == pytest.approx(950, abs=21)
