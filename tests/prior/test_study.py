"""The study of intervals for the prevalence in small: they hold, the check is quiet, and it sees what it is to see."""

from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.prior.rows import side_by_side
from helpers.scripts import script

PATH = Path(__file__).parents[2] / "benchmarks" / "prevalence.py"


@pytest.fixture(scope="module")
def study():
    return script(PATH)


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("model", ["strong", "weak"])
@pytest.mark.parametrize(
    ("labelled", "m", "eta"), [((50, 500), 100_000, 0.1), ((200, 2000), 10_000, 0.01), ((200, 2000), 1000, 0.5)]
)
def test_intervals_hold_and_the_check_is_quiet(study, model, labelled, m, eta, tied):
    lines = study.simulate(study.Setting(model, *labelled, m, eta, tied), 250, seed=1)
    assert [line for line in lines if line.falls_short] == []
    assert not lines[0].alarms_too_often
    assert lines[0].n == 250


@pytest.mark.slow
@pytest.mark.parametrize("model", ["strong", "weak"])
@pytest.mark.parametrize("eta", [0.001, 0.1, 0.5])
def test_the_check_sees_the_named_shift(study, model, eta):
    (line,) = study.simulate(study.Setting(model, 200, 2000, 10_000, eta, shift=study.NAMED), 100, seed=1)
    assert line.alarms >= study.WANTED_POWER


@pytest.mark.slow
def test_the_study_can_tell(study, monkeypatch):
    """Without the correction for what is estimated along the way the intervals are seen to be too narrow."""
    setting = study.Setting("weak", 50, 500, 100_000, 0.1)
    monkeypatch.setattr(study, "largest_rise", lambda *_: 2.5)
    lines = study.simulate(setting, 250, seed=1)
    assert lines[0].falls_short
    assert "| mixture | 50 : 500 |" in study.page(lines, 250)


def test_the_study_asks_what_the_library_answers(study):
    setting = study.Setting("weak", 200, 2000, 1000, 0.1)
    pairs = [study.drawn(setting, np.random.default_rng(k)) for k in range(4)]
    many = [side_by_side(*pair) for pair in pairs]
    of_mixture, of_em = study.mixtures(many), study.trusting(many, setting)
    for k, (curve, now) in enumerate(pairs):
        found = br.prior.estimate_prevalence(curve, now)
        assert (found.low, found.high, found.fit_p_value) == pytest.approx([column[k] for column in of_mixture])
        trusted = br.prior.estimate_prevalence(curve, now, method="em")
        assert (trusted.low, trusted.high) == pytest.approx((of_em.low[k], of_em.high[k]))


def test_the_scores_of_the_study_are_probabilities(study):
    """In a large sample as many are positive as they promise."""
    for tied in (False, True):
        cells = study.cells(study.Setting("weak", 200, 2000, 1000, 0.1, tied))
        promised = 200 * cells.pos / (200 * cells.pos + 2000 * cells.neg)
        assert cells.score == pytest.approx(promised, rel=1e-6)
        assert (np.diff(cells.score) > 0).all()
