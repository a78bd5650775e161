"""The studentised bootstrap beside the closed form that it corrects."""

import numpy as np
import pytest

import baserate as br


@pytest.mark.parametrize("metric", [br.roc_auc, br.average_precision])
def test_it_knows_how_many_cases_there_are(metric):
    """With many cases it is nearly as wide as the interval by influence."""
    rng = np.random.default_rng(0)
    curve = br.Curve.from_scores(np.arange(600) < 200, np.append(rng.normal(1, 1, 200), rng.normal(0, 1, 400)))
    widths = [
        br.estimate(metric, curve, method=method, n_resamples=500, rng=0).width
        for method in ("logit_studentised", "influence")
    ]
    assert 0.85 < widths[0] / widths[1] < 1.15
