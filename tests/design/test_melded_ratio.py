"""The quick melded interval against the library's."""

import numpy as np
import pytest
import scipy
from scipy import optimize, stats

import baserate as br
from baserate.design.melded_ratio import log_ratio

FEW = [(1, 3, 0, 20), (3, 10, 0, 100), (10, 20, 1, 1000), (20, 20, 3, 300), (600, 1000, 3, 3000), (1, 50, 50, 5000)]
MANY = [(60, 100, 10, 10_000), (60, 100, 100, 100_000), (60_000, 100_000, 100, 100_000), (20, 30, 3000, 4000)]


@pytest.mark.parametrize("confidence_level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("counts", "tolerance"), [*((c, 0.005) for c in FEW), *((c, 5e-4) for c in MANY)])
def test_precision_has_the_interval_of_estimate(counts, tolerance, confidence_level):
    tp, n_pos, fp, n_neg = counts
    tolerance = 0.008 if tp == n_pos else tolerance  # there the library's own ends were seen 0.0035 off
    low, high = log_ratio(np.array(float(tp)), n_pos, np.array(float(fp)), n_neg, confidence_level)
    middle = np.log(tp / n_pos) - np.log(max(fp, 1) / n_neg)
    for shift in (-2, 0, 2):
        log_odds = shift - middle
        point = br.Point.from_counts(tp=tp, fn=n_pos - tp, fp=fp, tn=n_neg - fp)
        point = point.at_prevalence(float(scipy.special.expit(log_odds)))
        exact = br.estimate(br.precision, point, confidence_level=confidence_level)
        assert float(scipy.special.expit(low + log_odds)) == pytest.approx(exact.low, abs=tolerance)
        assert float(scipy.special.expit(high + log_odds)) == pytest.approx(exact.high, abs=tolerance)


def test_many_at_once_are_each_by_itself():
    tp, fp = np.array([[0.0], [3.0], [8.0]]), np.array([0.0, 2.0])
    low, high = log_ratio(tp, 8, fp, 40, 0.95)
    assert low.shape == high.shape == (3, 2)
    assert np.isneginf(low[0]).all()
    assert np.isposinf(high[:, 0]).all()
    one = log_ratio(np.array(3.0), 8, np.array(2.0), 40, 0.95)
    np.testing.assert_allclose([low[1, 1], high[1, 1]], [*one], rtol=1e-12)


def quantile(share, of_t, of_f):
    """Below which log T - log F lies, by adding up over quantiles of F."""
    places = scipy.special.expit(np.linspace(-30, 30, 3001))
    f = of_f.ppf(places)

    def missing(log_ratio):
        return np.trapezoid(of_t.cdf(np.exp(log_ratio) * f), places) - share

    return optimize.brentq(missing, -30, 30, xtol=1e-10)


@pytest.mark.parametrize(
    ("counts", "tolerance"),
    [((1, 3, 1, 20), 0.002), ((10, 20, 1, 1000), 0.002), ((600, 1000, 3, 3000), 0.002), ((60, 100, 10, 10_000), 2e-4)],
)
def test_ends_are_quantiles_of_the_laws(counts, tolerance):
    tp, n_pos, fp, n_neg = counts
    found = log_ratio(np.array(float(tp)), n_pos, np.array(float(fp)), n_neg, 0.95)
    low = quantile(0.025, stats.beta(tp, n_pos - tp + 1), stats.beta(fp + 1, n_neg - fp))
    high = quantile(0.975, stats.beta(tp + 1, n_pos - tp), stats.beta(fp, n_neg - fp + 1))
    middle = np.log(tp / n_pos) - np.log(fp / n_neg)
    ends, exact = (scipy.special.expit(np.array(pair) - middle) for pair in ([*found], [low, high]))
    np.testing.assert_allclose(ends, exact, atol=tolerance)
