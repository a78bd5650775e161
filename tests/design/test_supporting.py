"""What a test set can answer."""

import math

import numpy as np
import pytest

import baserate as br

TEN = br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)


def width_at(point, prevalence, level=0.95):
    return br.estimate(br.precision, point.at_prevalence(prevalence), confidence_level=level).width


def test_the_rows_behind_each_rate_are_said():
    found = br.design.supports(TEN)
    assert "FPR 0.001 [0.0004796, 0.001838] rests on 10 of 10,000 negatives" in str(found)
    (one,) = found.points
    assert (one.tp, one.fn, one.fp, one.tn, one.tpr, one.fpr) == (60, 40, 10, 9990, 0.6, 0.001)
    assert one.cv_fpr == pytest.approx(math.sqrt(0.999 / 10))
    assert one.cv_tpr == pytest.approx(math.sqrt(0.4 / 60))
    recall = br.estimate(br.recall, TEN)
    assert one.tpr_interval == pytest.approx((recall.low, recall.high), rel=1e-12)
    assert one.max_width == br.design.max_width(tpr=one.tpr_interval, fpr=one.fpr_interval)


@pytest.mark.parametrize("width", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_precision_is_as_wide_as_wanted_at_both_ends_of_what_is_not_known(width, level):
    (one,) = br.design.supports(TEN, width=width, confidence_level=level).points
    low, high = one.not_known_between
    assert one.rarest_prevalence == high
    for end in (low, high):
        assert width_at(TEN, end, level) == pytest.approx(width, abs=2e-5)
    assert width_at(TEN, 1.1 * high, level) < width < width_at(TEN, math.sqrt(low * high), level)
    assert width_at(TEN, 0.9 * low, level) < width


def test_precision_known_everywhere_or_nowhere():
    rich = br.Point.from_counts(tp=60_000, fp=10_000, fn=40_000, tn=9_990_000)
    (one,) = br.design.supports(rich).points
    assert one.not_known_between is None
    assert one.rarest_prevalence == 0
    assert "at every prevalence" in str(one)
    nothing = br.Point.from_counts(tp=0, fp=0, fn=40, tn=100)
    (one,) = br.design.supports(nothing).points
    assert one.not_known_between == (0, 1)
    assert math.isnan(one.cv_tpr)
    assert "wider than 0.1 at every prevalence" in str(one)


def test_without_false_positives_the_upper_end_is_one():
    point = br.Point.from_counts(tp=60, fp=0, fn=40, tn=1000)
    (one,) = br.design.supports(point, width=0.2).points
    assert one.not_known_between[0] == 0
    assert width_at(point, one.rarest_prevalence) == pytest.approx(0.2, abs=2e-5)


def test_without_true_positives_precision_is_known_to_be_small():
    point = br.Point.from_counts(tp=0, fp=10, fn=40, tn=1000)
    (one,) = br.design.supports(point, width=0.2).points
    assert one.rarest_prevalence == 1
    assert width_at(point, one.not_known_between[0]) == pytest.approx(0.2, abs=2e-5)


def test_precision_at_prevalences_is_that_of_estimate():
    (one,) = br.design.supports(TEN, prevalences=["1:1000", 0.5]).points
    assert [found.prevalence for found in one.precision] == pytest.approx([1 / 1001, 0.5])
    assert one.precision[0].width == pytest.approx(width_at(TEN, "1:1000"), rel=1e-9)


def test_a_curve_is_looked_at_down_to_one_false_positive():
    data = br.examples.payments()
    curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    found = br.design.supports(curve)
    assert [one.point for one in found.points] == [f"fpr <= {fpr}" for fpr in (0.1, 0.01, 0.001, 0.0001)]
    assert [one.fp for one in found.points] == [1170, 117, 11, 1]
    assert (found.n_pos, found.n_neg) == (300, 11_700)
    table = found.frame("pandas").to_dict("list")
    assert {len(column) for column in table.values()} == {4}
    assert table["tp"] == [195, 171, 156, 126]
    assert table["cv_fpr"] == sorted(table["cv_fpr"])


def test_a_chosen_point_is_judged_as_if_its_threshold_had_been_fixed():
    data = br.examples.payments()
    curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    chosen = curve.at_fpr(0.001)
    (one,) = br.design.supports(chosen).points
    (fixed,) = br.design.supports(curve.at_threshold(chosen.threshold)).points
    assert one.not_known_between == fixed.not_known_between
    assert one.point == "fpr <= 0.001"


def test_weighted_rows_are_worth_fewer():
    rng = np.random.default_rng(3)
    y, score = rng.random(4000) < 0.3, rng.random(4000)
    weight = rng.exponential(size=4000)
    plain = br.Curve.from_scores(y, score + y)
    weighted = br.Curve.from_scores(y, score + y, weight=weight)
    (few,), (many,) = (br.design.supports(c.at_threshold(0.9)).points for c in (weighted, plain))
    assert few.fp + few.tn == pytest.approx((many.fp + many.tn) / 2, rel=0.1)


def test_what_is_refused():
    with pytest.raises(br.errors.InputError, match="at must be a Curve or a Point, got a dict"):
        br.design.supports({})
    with pytest.raises(br.errors.InputError, match="width must be strictly between 0 and 1"):
        br.design.supports(TEN, width=10)
    with pytest.raises(br.errors.InputError, match="rows of both classes, but there are no positives"):
        br.design.supports(br.Point.from_counts(tp=0, fp=1, fn=0, tn=10))
    with pytest.raises(br.errors.MissingInformationError, match="no numbers of cases"):
        br.design.supports(br.Point.from_rates(0.6, 0.001))
