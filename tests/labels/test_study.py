"""The study of intervals for labels that may be wrong, in small."""

from pathlib import Path

import pytest

from helpers.scripts import script

PATH = Path(__file__).parents[2] / "benchmarks" / "label_errors.py"


@pytest.fixture(scope="module")
def study():
    return script(PATH)


def test_the_study_runs_every_kind_of_setting_and_makes_its_page(study):
    first = {one.kind: one for one in reversed(list(study.settings()))}
    assert set(first) == set(study.KINDS)
    answers = {one: list(study.simulate(one, 3)) for one in first.values()}
    shares = [one.held for several in answers.values() for one in several]
    assert sum(shares) > 0.8 * len(shares)
    page = study.page(answers, 3)
    assert all(kind in page for kind in study.KINDS)
    assert "precision at 1 in 1,000" in page


def test_errors_that_follow_the_score_are_as_frequent_as_the_judges_own(study):
    for one in study.settings():
        if one.kind == "errors follow the score":
            (se_above, sp_above), (se_below, sp_below) = one.by_score
            assert study.RECALL * se_above + (1 - study.RECALL) * se_below == pytest.approx(one.judge[0])
            assert study.FPR * sp_above + (1 - study.FPR) * sp_below == pytest.approx(one.judge[1])
