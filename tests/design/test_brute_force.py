"""Plans against test sets that are drawn and judged by `estimate` and `max_width` themselves, without the planner.

A planned size has to be enough, and no split of 1/1.2 of its cost may be.
"""

import math
import os
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtri

import baserate as br
from helpers.precision_plans import GRID

DEARER = 1.2
# Of the positives in proportion, as many in other splits of a smaller cost.
SPLITS = (0.5, 0.75, 1.0, 1.33, 2.0)
# The most test sets that are drawn of a size, and the fewest; it ends as soon as the failures are too many by so many
# standard errors.
N_SETS, FEWEST, ERRORS = 400, 30, 3.3


def splits(plan, cost_neg, cost):
    for factor in SPLITS:
        n_pos = max(1, math.floor(plan.n_pos * factor * cost / plan.cost))
        n_neg = math.floor((cost - n_pos) / cost_neg)
        if n_neg >= 1:
            yield n_pos, n_neg


def fails(width_of, n_pos, n_neg, wanted, seed):
    """Whether more than 5 % of the test sets of this size are wider than wanted."""
    rng, wider = np.random.default_rng(seed), 0
    for drawn in range(1, N_SETS + 1):
        wider += width_of(rng, n_pos, n_neg) > wanted
        if drawn >= FEWEST and wider > 0.05 * drawn + ERRORS * math.sqrt(0.05 * 0.95 * drawn):
            return True
    return wider > 0.05 * N_SETS


# --- average precision ----------------------------------------------------------------------------

# TPR, FPR, prevalence, wanted width, the price of a negative.
AP_GRID = [
    (0.6, 0.1, 0.5, 0.2, 1.0),
    (0.3, 0.0001, 0.01, 0.25, 0.01),
    (0.9, 0.05, 0.5, 0.1, 1.0),
    (0.6, 0.001, 0.001, 0.3, 0.01),
    (0.9, 0.05, 0.05, 0.2, 0.1),
    (0.6, 0.1, 0.05, 0.25, 0.1),
]
if os.environ.get("BASERATE_DESIGN") != "full":  # which takes some minutes
    AP_GRID = AP_GRID[:3]


def ap_width(tpr, fpr, prevalence):
    """The width of the interval of a fresh test set from two normal laws."""
    distance = ndtri(tpr) - ndtri(fpr)

    def width_of(rng, n_pos, n_neg):
        y = np.arange(n_pos + n_neg) < n_pos
        curve = br.Curve.from_scores(y, rng.normal(np.where(y, distance, 0.0)))
        return br.estimate(br.average_precision, curve.at_prevalence(prevalence), rng=rng).width

    return width_of


@pytest.mark.slow
@pytest.mark.parametrize("wanted", AP_GRID, ids=str)
def test_a_plan_for_average_precision_is_enough_and_no_cheaper_one_is(wanted):
    tpr, fpr, prevalence, width, cost_neg = wanted
    plan = br.design.test_set(tpr, fpr, ap_width=width, prevalence=prevalence, cost_neg=cost_neg)
    width_of, rng = ap_width(tpr, fpr, prevalence), np.random.default_rng(5)
    found = np.array([width_of(rng, plan.n_pos, plan.n_neg) for _ in range(150)])
    assert np.mean(found <= width) >= 0.95 - 2.6 * math.sqrt(0.05 * 0.95 / len(found))
    assert found.mean() == pytest.approx(plan.expected_width, rel=0.02)
    assert 0.963 <= plan.chance < 0.975
    for n_pos, n_neg in splits(plan, cost_neg, plan.cost / DEARER):
        assert fails(width_of, n_pos, n_neg, width, seed=6), (n_pos, n_neg)


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [3, 10])
def test_a_plan_on_levels_is_enough_and_no_cheaper_one_is(n_levels):
    """From a large example. If levels were smoothed, ten would get nearly twice as many cases as are enough."""
    cut, width = np.linspace(-0.5, 3.0, n_levels - 1), 0.15

    def drawn(rng, n_pos, n_neg):
        y = np.arange(n_pos + n_neg) < n_pos
        levels = np.digitize(rng.normal(np.where(y, 2.0, 0.0)), cut)
        return br.Curve.from_scores(y, levels.astype(float)).at_prevalence(0.05)

    def width_of(rng, n_pos, n_neg):
        return br.estimate(br.average_precision, drawn(rng, n_pos, n_neg), rng=rng).width

    plan = br.design.test_set_like(drawn(np.random.default_rng(9), 200_000, 400_000), ap_width=width)
    rng = np.random.default_rng(10)
    found = np.array([width_of(rng, plan.n_pos, plan.n_neg) for _ in range(400)])
    assert np.mean(found <= width) >= 0.95 - 2.6 * math.sqrt(0.05 * 0.95 / len(found))
    assert found.mean() == pytest.approx(plan.expected_width, rel=0.02)
    for n_pos, n_neg in splits(plan, 1.0, plan.cost / DEARER):
        assert fails(width_of, n_pos, n_neg, width, seed=11), (n_pos, n_neg)


# --- precision ------------------------------------------------------------------------------------


def precision_width(tpr, fpr, prevalence):
    """The width of the interval, or of the band at its widest, of a fresh test set; counts repeat."""

    @cache
    def of_counts(tp, fp, n_pos, n_neg):
        point = br.Point.from_counts(tp=tp, fn=n_pos - tp, fp=fp, tn=n_neg - fp)
        if prevalence is not None:
            found = br.estimate(br.precision, point.at_prevalence(prevalence))
            return 1.0 if math.isnan(found.width) else found.width
        rates = (br.estimate(metric, point) for metric in (br.recall, br.specificity))
        t, s = ((one.low, one.high) for one in rates)
        return br.design.max_width(tpr=t, fpr=(1 - s[1], 1 - s[0])).width

    def width_of(rng, n_pos, n_neg):
        return of_counts(int(rng.binomial(n_pos, tpr)), int(rng.binomial(n_neg, fpr)), n_pos, n_neg)

    return width_of


@pytest.mark.slow
@pytest.mark.parametrize("wanted", GRID, ids=str)
def test_a_plan_for_precision_is_enough_and_no_cheaper_one_is(wanted):
    tpr, fpr, prevalence, width, cost_neg = wanted
    asked = {"delta": width} if prevalence is None else {"half_width": width / 2, "prevalence": prevalence}
    plan = br.design.test_set(tpr, fpr, **asked, cost_neg=cost_neg)
    width_of, rng = precision_width(tpr, fpr, prevalence), np.random.default_rng(7)
    found = np.array([width_of(rng, plan.n_pos, plan.n_neg) for _ in range(400)])
    assert np.mean(found <= width) >= 0.95 - 2.6 * math.sqrt(0.05 * 0.95 / len(found))
    for n_pos, n_neg in splits(plan, cost_neg, plan.cost / DEARER):
        assert fails(width_of, n_pos, n_neg, width, seed=8), (n_pos, n_neg)
