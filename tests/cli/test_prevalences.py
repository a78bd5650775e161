"""How prevalences are written on the command line."""

import pytest

from baserate.cli.prevalences import grid_from, prevalence_from, range_from
from baserate.errors import InputError


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.001", 0.001),
        ("1e-4", 1e-4),
        (" .5 ", 0.5),
        ("1:999", 0.001),
        ("1:1", 0.5),
        ("3:1", 0.75),
        ("10:9990", 0.001),
    ],
)
def test_one_prevalence(text, share):
    assert prevalence_from(text) == pytest.approx(share, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "ends"), [("1e-4:1e-2", (1e-4, 1e-2)), ("0.001:0.5", (0.001, 0.5)), (".1:9e-1", (0.1, 0.9))]
)
def test_a_range(text, ends):
    assert range_from(text) == ends


BOTH_WAYS = r'"1 in 1,000", odds of whole numbers such as 1:999, or a range of shares between 0 and 1 such as 1e-4:1e-2'


@pytest.mark.parametrize(
    "text",
    ["1:0.5", "0.5:1", "0.001:1", "0:0.5", "1e3:1e5", "1.0:1000.0", "2.5:1000", "0.1:", ":", "1:10:100", "a:b", "1:-5"],
)
@pytest.mark.parametrize("read", [prevalence_from, range_from])
def test_what_is_neither_odds_nor_a_range_is_refused_with_both_ways_of_writing(text, read):
    with pytest.raises(InputError, match=BOTH_WAYS):
        read(text)


@pytest.mark.parametrize("text", ["often", "", "nan", "0.1,0.2", "1/x"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(InputError, match=r'a share such as 0\.001, "1 in 1,000", "0\.1 %" or odds such as "1:999"'):
        prevalence_from(text)


@pytest.mark.parametrize("text", ["0", "1", "2", "-0.1", "inf", "0:1000", "1:0"])
def test_a_prevalence_that_cannot_be_is_refused(text):
    with pytest.raises(InputError, match=r"strictly between 0 and 1"):
        prevalence_from(text)


def test_a_range_runs_upwards():
    with pytest.raises(InputError, match=r"low must be below high, got '1e-2' and '1e-4'; swap"):
        range_from("1e-2:1e-4")


def test_one_prevalence_is_no_range_and_the_reverse():
    with pytest.raises(InputError, match="a range must be two prevalences such as 1e-4:1e-2, got one: '1:1000'"):
        range_from("1:1000")
    with pytest.raises(InputError, match="one prevalence is needed here, got the range '1e-4:1e-2'"):
        prevalence_from("1e-4:1e-2")


def test_a_grid_is_even_in_log_odds_and_keeps_its_ends():
    grid = grid_from(["0.1:0.9"], 5)
    assert (grid[0], grid[-1]) == (0.1, 0.9)
    assert [p / (1 - p) for p in grid] == pytest.approx([1 / 9, 1 / 3, 1, 3, 9], rel=1e-14)


def test_a_grid_holds_each_prevalence_once_and_in_order():
    assert grid_from(["1:1", "0.1:0.9", "0.1", "1:999"], 2) == [pytest.approx(0.001), 0.1, 0.5, 0.9]
