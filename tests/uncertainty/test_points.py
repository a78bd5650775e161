"""Intervals at a given threshold where one of the two rates is certain."""

import pytest
import scipy

import baserate as br


@pytest.mark.parametrize("n", [3, 10, 100])
@pytest.mark.parametrize("metric", [br.precision, br.f1, br.youden_j])
def test_where_one_rate_is_certain_the_end_is_an_exact_quantile_of_the_other(metric, n):
    """All positives found: the upper end has TPR 1, and Clopper and Pearson's lower limit of FPR."""
    point = br.Point.from_counts(tp=n, fp=3, fn=0, tn=27).at_prevalence(0.01)
    lowest = float(scipy.special.betaincinv(3, 28, 0.025))
    best = metric(br.Point.from_rates(1.0, lowest, prevalence=0.01))
    assert br.estimate(metric, point, method="melded").high == pytest.approx(best, abs=2e-5)
    silent = br.Point.from_counts(tp=0, fp=3, fn=n, tn=27).at_prevalence(0.01)
    highest = float(scipy.special.betaincinv(4, 27, 0.975))
    worst = metric(br.Point.from_rates(0.0, highest, prevalence=0.01))
    assert br.estimate(metric, silent, method="melded").low == pytest.approx(worst, abs=2e-5)
