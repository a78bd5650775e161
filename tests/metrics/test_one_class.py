"""Data without positives or without negatives: nan with a reason, and Boyd's convention where it is asked for."""

from functools import partial

import numpy as np
import pytest

import baserate as br

NO_POSITIVES = br.Curve.from_counts([0.2, 0.9], pos=[0, 0], neg=[9, 5])
NO_NEGATIVES = br.Curve.from_counts([0.2, 0.9], pos=[9, 5], neg=[0, 0])
BOTH = br.Curve.from_counts([0.2, 0.9], pos=[1, 4], neg=[9, 5])
AREAS = [br.average_precision, br.auc_pr, br.normalized_average_precision, br.normalized_auc_pr]


@pytest.mark.parametrize("metric", AREAS)
def test_boyds_convention_on_request(metric):
    assert metric(NO_POSITIVES, undefined="boyd") == 0
    assert metric(NO_NEGATIVES, undefined="boyd") == 1
    assert metric(BOTH, undefined="boyd") == metric(BOTH)
    for curve in (NO_POSITIVES, NO_NEGATIVES):
        with pytest.warns(br.errors.UndefinedMetricWarning):
            assert np.isnan(metric(curve))


def test_part_of_the_recalls_is_a_smaller_area_but_no_smaller_share_of_it():
    half = {"recall_range": (0.5, 0.75), "undefined": "boyd"}
    assert br.auc_pr(NO_NEGATIVES, **half) == br.average_precision(NO_NEGATIVES, **half) == 0.25
    assert br.normalized_auc_pr(NO_NEGATIVES, **half) == 1


def test_it_holds_wherever_a_metric_is_asked_for():
    metric = partial(br.auc_pr, undefined="boyd")
    assert br.sweep(metric, NO_NEGATIVES, [0.1, 0.5]).value.tolist() == [1, 1]
    assert br.sweep(metric, BOTH, [0.1]).value == br.sweep(br.auc_pr, BOTH, [0.1]).value
    assert br.estimate(metric, BOTH, rng=0).low == br.estimate(br.auc_pr, BOTH, rng=0).low
    (answer,) = br.evaluate(NO_POSITIVES, metrics="auc_pr:undefined=boyd").answers
    assert (answer.value, answer.metric) == (0, "auc_pr:undefined=boyd")
    assert np.isnan(answer.low)
    assert answer.note


def test_nobody_gets_a_convention_that_is_not_there():
    with pytest.raises(br.errors.InputError, match="undefined must be one of 'nan', 'boyd', got 'boid'; did you mean"):
        br.auc_pr(BOTH, undefined="boid")
    with pytest.raises(br.errors.InputError, match="undefined"):
        br.sweep(partial(br.auc_pr, undefined=0), BOTH, [0.1])
    with pytest.raises(br.errors.InputError, match="roc_auc has no"):
        br.roc_auc(NO_POSITIVES, undefined="boyd")
