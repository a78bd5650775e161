"""Shares and prevalences as people write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.cli.prevalences import prevalence_from, range_from
from baserate.written import one_in, one_in_to_four_digits, right_form, share_from

CURVE = br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])

READ = {
    "5%": 0.05, "5 %": 0.05, "0.5 %": 0.005, "0.1%": 0.001, "5 percent": 0.05, "1 in 200": 1 / 200, "1/300": 1 / 300,
    "1:299": 1 / 300, "0.001": 0.001, "1e-4": 1e-4, "1 in 1,000": 0.001, "1 in 1,000,000": 1e-6, "1:1,999": 1 / 2000,
    "2 in 1000": 0.002, "1 out of 50": 0.02, "1-in-200": 1 / 200, "1 in 2.5": 0.4, " .5 ": 0.5,
}  # fmt: skip

ANSWERED = {
    "5": 'write 0.05 for 5 % or "1 in 5"', "1": "write 0.01 for 1 %", "200": 'write "1 in 200"',
    "0,001": "write 0.001, with a decimal point", "0,5 %": "write 0.5%, with a decimal point", "rare": "pass a share",
    "1 in 0": "pass a share", "0": "pass a share", "-1%": "pass a share", "1/2/3": "pass a share",
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_what_can_mean_one_thing_is_read_everywhere(text):
    assert CURVE.at_prevalence(text).prevalence == pytest.approx(READ[text], rel=1e-15)
    assert br.sweep(br.roc_auc, CURVE, [text]).prevalence[0] == pytest.approx(READ[text], rel=1e-15)
    assert prevalence_from(text) == pytest.approx(READ[text], rel=1e-15)
    assert br.by_slice(br.roc_auc, {"a": CURVE}, prevalence=text).common_prevalence == pytest.approx(READ[text])


@pytest.mark.parametrize("text", ANSWERED)
def test_what_can_mean_two_things_is_answered_with_the_right_form(text):
    for read in (CURVE.at_prevalence, prevalence_from):
        with pytest.raises(br.errors.InputError, match="strictly between 0 and 1") as caught:
            read(text)
        assert ANSWERED[text] in str(caught.value)


def test_numbers_get_the_same_answer():
    with pytest.raises(br.errors.InputError, match=r'got 5; write 0\.05 for 5 % or "1 in 5"\.$'):
        CURVE.at_prevalence(5)
    with pytest.raises(br.errors.InputError, match=r"got 95; write 0\.95 for 95 %\.$"):
        br.estimate(br.roc_auc, CURVE, confidence_level=95)
    with pytest.raises(br.errors.InputError, match=r"recall must be a number, got '60%'; pass 0\.6, without quotes\.$"):
        CURVE.at_recall("60%")


def test_ranges_have_any_two_of_them():
    for text in ("0.1%:1%", "1 in 1,000:1/100", "1e-3:0.01"):
        assert range_from(text) == pytest.approx((0.001, 0.01), rel=1e-15)


def test_rules_take_percentages():
    assert str(br.Rule.parse("recall=60%")) == "recall >= 0.6"
    with pytest.raises(br.errors.InputError, match=r"got 'recall=0,6'; write 0\.6, with a decimal point\.$"):
        br.Rule.parse("recall=0,6")


def test_no_share():
    assert all(math.isnan(share_from(text)) for text in ("", "%", "often", "0x1", "1_000", "nan"))
    assert right_form(None) == right_form("often") == right_form(math.inf) == ""


@pytest.mark.slow
@given(st.floats(1e-9, 0.999))
def test_what_is_said_can_be_read(prevalence):
    read = prevalence_from(one_in(prevalence))
    if prevalence <= 0.5:
        assert abs(1 / read - 1 / prevalence) <= max(0.5, 0.0051 / prevalence)
    else:
        assert read == pytest.approx(prevalence, abs=0.0006)


def test_as_people_say_it():
    assert [one_in(p) for p in (0.4, 0.047, 1e-3, 1e-6)] == ["1 in 2.5", "1 in 21", "1 in 1,000", "1 in 1,000,000"]
    assert [one_in(p) for p in (0.9, 0.6, 0.99996, 0.0, math.nan)] == ["90 %", "60 %", "99.996 %", "none", "unknown"]


def test_four_digits_tell_similar_prevalences_apart():
    said = {0.001: "1 in 1,000", 1 / 1001: "1 in 1,001", 80 / 1450: "1 in 18.12", 0.4: "1 in 2.5", 1e-12: "1 in 1e+12"}
    assert {prevalence: one_in_to_four_digits(prevalence) for prevalence in said} == said
    assert [one_in_to_four_digits(p) for p in (0.0, 0.9, math.nan)] == ["0", "90 %", "unknown"]
