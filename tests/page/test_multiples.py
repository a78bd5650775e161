"""Slices over their periods, as small multiples."""

import pytest

import baserate as br
from baserate.page import content as contents
from baserate.page.multiples import multiples
from baserate.page.page import page
from helpers.browsing import near, quietly, settled

GOOD = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
BAD = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[20, 30, 50], neg=[80, 200, 620])
LONELY = br.Curve.from_counts([0.9], pos=[0], neg=[20])
MONTHS = [f"2026-{month:02}" for month in range(1, 9)]
STEADY = dict.fromkeys(MONTHS, GOOD)
BROKEN = STEADY | {"2026-03": LONELY} | dict.fromkeys(MONTHS[-3:], BAD)


def test_each_period_of_a_slice_is_read_at_the_prevalence_and_the_most_changed_comes_first():
    found = multiples("region", {"m": {"a": STEADY, "b": BROKEN, None: {"2026-09": GOOD}}}, 0.01)
    assert found["periods"] == [*MONTHS, "2026-09"]
    assert [row["key"] for row in found["rows"]] == ["b", "a", "(none)"]
    ((values,),) = (row["values"] for row in found["rows"] if row["key"] == "b")
    wanted = [br.average_precision(BROKEN[month].at_prevalence(0.01)) for month in MONTHS if month != "2026-03"]
    assert [value for value in values if value is not None] == pytest.approx(wanted, rel=1e-3)
    assert values[2] is values[-1] is None


def test_of_many_slices_those_that_have_changed_most_are_kept():
    slices = {f"steady {k}": STEADY for k in range(40)} | {f"broken {k}": BROKEN for k in range(3)}
    found = multiples("region", {"m": slices}, 0.01)
    assert len(found["rows"]) == 24
    assert found["all"] == 43
    assert [row["key"] for row in found["rows"][:4]] == ["broken 0", "broken 1", "broken 2", "steady 0"]


@pytest.mark.browser
def test_they_are_charts_that_can_be_read(browser, tmp_path):
    over_time = {"<region>": {"m": {"a": STEADY, "b": BROKEN}}}
    made = contents.content("Title", {"m": GOOD}, [0.01], {}, over_time=over_time, n_resamples=50)
    (tmp_path / "page.html").write_text(page(made), "utf-8")
    for tab in quietly(browser, tmp_path / "page.html"):
        assert "By <region> and period" in settled(tab).locator("h2").all_text_contents()
        assert tab.locator("#multiple-0-0 .line").count() == 2  # a month has no positives
        assert tab.locator("#multiple-0-1 .line").count() == 1
        tab.focus("#multiple-0-0")
        tab.keyboard.press("End")
        value = br.average_precision(BAD.at_prevalence(0.01))
        said = tab.text_content("#multiple-0-0 .tip")
        assert said.startswith("2026-08")
        assert near(said.split()[-1], value)
