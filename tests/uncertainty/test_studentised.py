"""The studentised bootstrap beside the closed form that it corrects."""

import pytest

import baserate as br
from helpers.simulated import normal_curve


@pytest.mark.parametrize("metric", [br.roc_auc, br.average_precision])
def test_it_knows_how_many_cases_there_are(metric):
    """With many cases it is nearly as wide as the interval by influence."""
    curve = normal_curve(200, 400)
    widths = [
        br.estimate(metric, curve, method=method, n_resamples=500, rng=0).width
        for method in ("logit_studentised", "influence")
    ]
    assert 0.85 < widths[0] / widths[1] < 1.15
