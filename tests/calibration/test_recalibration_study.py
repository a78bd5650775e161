"""The study of recalibration in small: it finds what is known, and intervals hold."""

from pathlib import Path

import numpy as np
import pytest

import baserate as br
from helpers.scripts import script


@pytest.fixture(scope="module")
def study():
    return script(Path(__file__).parents[2] / "benchmarks" / "recalibration.py")


def test_the_expected_loss_of_a_map_is_that_of_many_rows(study):
    whole = study.population(-1.0)
    rng = np.random.default_rng(0)
    fitted = br.calibration.recalibrate(whole.drawn(2_000, rng), "beta")
    many = fitted.curve(whole.drawn(400_000, rng))
    assert br.log_loss(many) == pytest.approx(whole.loss(fitted, whole.prevalence), rel=5e-3)
    assert br.log_loss(many.at_prevalence(0.01)) == pytest.approx(whole.loss(fitted, 0.01), rel=2e-2)
    best = whole.loss(br.calibration.recalibrate(whole.drawn(400_000, rng), "logistic"), whole.prevalence)
    entropy = -(
        whole.share * (whole.chance * np.log(whole.chance) + (1 - whole.chance) * np.log(1 - whole.chance))
    ).sum()
    assert best == pytest.approx(entropy, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [None, 0.01])
def test_intervals_hold(study, eta):
    assert study.covered(study.population(-4.0), 1_000, eta, repeats=60, seed=2) > 0.86


@pytest.mark.slow
def test_one_split_of_a_data_set_has_all_methods(study):
    found = study.judged(dict(study.data_sets(None))["breast_cancer"], seed=0)
    assert len(found) == 2 * (len(study.OURS) + len(study.THEIRS))
    ours, theirs = found[False, "logistic"], found[False, "sigmoid (scikit-learn)"]
    assert ours.log_loss == pytest.approx(theirs.log_loss, abs=1e-4)  # a boosted model's decisions are log-odds
