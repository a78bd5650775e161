"""The family and its corners, cost curves, Brier curves, the H-measure and the cost map."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import baserate as br
from baserate.costs import brier_curve, cost_curve, cost_map, family_cells, h_measure, share_of_value
from baserate.registry import row_of
from helpers import calibration_sets

CURVE = br.Curve.from_counts([0.1, 0.4, 0.6, 0.9], pos=[10, 20, 15, 40], neg=[900, 60, 15, 10])
QUIET = {"worth_tp": 0.0, "worth_tn": 1.0}
CORNERS = [
    (br.recall, {}, {"cost_fn": 1.0}),
    (br.precision, {}, {"cost_fp": 1.0}),
    (br.f1, {}, {"cost_fp": 0.5, "cost_fn": 0.5}),
    (br.f_beta, {"beta": 2.0}, {"cost_fp": 0.2, "cost_fn": 0.8}),
    (br.f_beta, {"beta": 0.5}, {"cost_fp": 0.8, "cost_fn": 0.2}),
    (br.accuracy, {}, {"cost_fp": 1.0, "cost_fn": 1.0, "worth_tn": 1.0}),
    (br.specificity, {}, {"cost_fp": 1.0, **QUIET}),
    (br.npv, {}, {"cost_fn": 1.0, **QUIET}),
]


# --- the family ------------------------------------------------------------------------------------


def exactly(share):
    """A decimal such as 0.2 as the fraction it is written as."""
    return Fraction(str(share))


@pytest.mark.parametrize(("metric", "parameters", "costs"), CORNERS)
def test_a_corner_is_the_metric_as_fractions(metric, parameters, costs):
    """The weights of the cells are the same but for a common factor: equal for all counts, at all prevalences."""
    ours, theirs = family_cells(**costs), row_of(metric).traits.cells(**parameters)
    first, other = (exactly(one.denominator[0] or one.denominator[3]) for one in (theirs, ours))
    factor = first / other
    for mine, other in zip((*ours.numerator, *ours.denominator), (*theirs.numerator, *theirs.denominator), strict=True):
        assert exactly(mine) * factor == exactly(other)


@pytest.mark.parametrize(("metric", "parameters", "costs"), CORNERS)
@pytest.mark.parametrize("eta", [None, 1e-6, 0.5, 0.999])
def test_a_corner_is_the_metric_along_a_curve(metric, parameters, costs, eta):
    read = CURVE if eta is None else CURVE.at_prevalence(eta)
    if metric is not br.npv:  # which does not exist where all are alerts
        np.testing.assert_allclose(share_of_value(read, **costs), metric(read, **parameters), rtol=1e-14)
    point = read.at_recall(0.5)
    assert share_of_value(point, **costs) == pytest.approx(metric(point, **parameters), rel=1e-14)


def test_the_jaccard_index_and_its_relation_to_f1():
    jaccard = share_of_value(CURVE, cost_fp=1, cost_fn=1)
    matrix = CURVE.confusion
    np.testing.assert_allclose(jaccard, matrix.tp / (matrix.tp + matrix.fp + matrix.fn), rtol=1e-15)
    np.testing.assert_allclose(2 * jaccard / (1 + jaccard), br.f1(CURVE), rtol=1e-14)


def test_limits_along_the_family():
    """Towards a corner the family tends to its metric, and with the cost of alerts to the order of precision."""
    point = CURVE.at_recall(0.5)
    for small in (1e-3, 1e-6, 1e-9):
        assert share_of_value(point, cost_fp=1, cost_fn=small) == pytest.approx(br.precision(point), rel=2 * small)
        assert share_of_value(point, cost_fp=small, cost_fn=1) == pytest.approx(br.recall(point), rel=2 * small)
    large = 1e9
    odds = point.confusion.tp / (point.confusion.tp + point.confusion.fp)
    assert large * share_of_value(point, cost_alert=large) == pytest.approx(odds, rel=1e-8)
    precision = br.precision(point)
    assert share_of_value(point, cost_alert=0.25) == pytest.approx(precision / (precision + 0.25), rel=1e-14)


def test_neither_value_nor_cost_is_nan_and_nothing_of_worth_is_refused():
    silent = br.Point.from_counts(tp=0, fp=0, fn=5, tn=5)
    assert np.isnan(share_of_value(silent, cost_fp=1))
    with pytest.raises(br.errors.InputError, match="worth_tp or worth_tn must be above 0"):
        share_of_value(CURVE, worth_tp=0)
    with pytest.raises(br.errors.InputError, match="cost_fn must be finite and not negative"):
        share_of_value(CURVE, cost_fn=-1)


# --- curves of costs -------------------------------------------------------------------------------

counts = st.lists(st.integers(0, 20), min_size=4, max_size=4)


@given(pos=counts, neg=counts)
def test_a_cost_curve_is_the_lowest_cost_of_all_thresholds(pos, neg):
    pos[0] += 1
    neg[1] += 1
    curve = br.Curve.from_counts([0.1, 0.4, 0.6, 0.9], pos, neg)
    found = cost_curve(curve)
    grid = np.linspace(0, 1, 101)
    fpr, tpr = np.append(0, curve.fpr), np.append(0, curve.tpr)
    lowest = np.min(grid * (1 - tpr[:, None]) + (1 - grid) * fpr[:, None], axis=0)
    assert np.interp(grid, found.share, found.loss) == pytest.approx(lowest, abs=1e-12)
    assert (np.diff(found.share) >= 0).all()
    assert found.area == pytest.approx(np.trapezoid(found.loss, found.share), abs=1e-14)


def test_a_cost_curve_names_the_thresholds_and_agrees_with_expected_cost():
    found = cost_curve(CURVE)
    for k in range(len(found.share) - 1):
        share = (found.share[k] + found.share[k + 1]) / 2
        eta = CURVE.prevalence
        cost_fn, cost_fp = share / eta, (1 - share) / (1 - eta)
        point = CURVE.at_threshold(found.threshold[k])
        cost = br.expected_cost(point, cost_fn=cost_fn, cost_fp=cost_fp)
        assert cost == pytest.approx(np.interp(share, found.share, found.loss), rel=1e-12)
    rates = cost_curve(br.Curve.from_rates(CURVE.tpr, CURVE.fpr, prevalence=CURVE.prevalence))
    np.testing.assert_allclose(rates.loss, found.loss, atol=1e-15)
    assert np.isnan(rates.threshold).all()


@pytest.mark.parametrize("name", calibration_sets.NAMES)
@pytest.mark.parametrize("eta", [None, 0.01])
def test_the_area_below_a_brier_curve_is_the_brier_score(name, eta):
    score, label = calibration_sets.rows(name)
    curve = br.Curve.from_scores(label, score)
    curve = curve if eta is None else curve.at_prevalence(eta)
    found = brier_curve(curve)
    assert np.trapezoid(found.loss, found.share) == pytest.approx(br.brier_score(curve), rel=1e-10)
    assert found.area == br.brier_score(curve)
    lowest = cost_curve(curve)
    s, odds = found.share, curve.prevalence
    with_prevalence = s * odds / (s * odds + (1 - s) * (1 - odds))
    scale = 2 * (s * odds + (1 - s) * (1 - odds))
    assert (found.loss >= scale * np.interp(with_prevalence, lowest.share, lowest.loss) - 1e-12).all()


# --- the H-measure ---------------------------------------------------------------------------------

# hmeasure 0.1.6 of PyPI on the same rows; of payments and the simulated scores, clipped to 1e-6 from 0 and 1.
HMEASURE = {
    "breast_cancer": {None: 0.7153794651732763, 1.0: 0.7105685686816399, 0.1: 0.6511405942422323},
    "payments": {None: 0.5226000988359092, 1.0: 0.49481399525565706, 0.1: 0.527282573396048},
    "simulated": {None: 0.449356233802763, 1.0: 0.3757306499857115, 0.1: 0.48652098478472805},
}


@pytest.mark.parametrize("name", calibration_sets.NAMES)
@pytest.mark.parametrize("severity", [None, 1.0, 0.1])
def test_hmeasure_gives_the_same(name, severity):
    score, label = calibration_sets.rows(name)
    curve = br.Curve.from_scores(label, np.clip(score, 1e-6, 1 - 1e-6))
    assert h_measure(curve, severity=severity) == pytest.approx(HMEASURE[name][severity], abs=1e-12)


@pytest.mark.parametrize("eta", [0.001, 0.3])
@pytest.mark.parametrize("severity", [0.2, 3.0])
def test_the_h_measure_at_a_prevalence_by_quadrature(eta, severity):
    fpr, tpr = np.append(0, CURVE.fpr), np.append(0, CURVE.tpr)
    density = stats.beta(2, 1 + 1 / severity).pdf

    def mean(of_c, kinks):
        return integrate.quad(lambda c: of_c(c) * density(c), 0, 1, points=sorted(kinks), epsabs=1e-14, limit=500)[0]

    rise, run = eta * np.diff(CURVE.tpr), (1 - eta) * np.diff(CURVE.fpr)
    kinks = {*(rise / (rise + run)).tolist(), eta}
    model = mean(lambda c: np.min(c * (1 - eta) * fpr + (1 - c) * eta * (1 - tpr)), kinks)
    none = mean(lambda c: min(c * (1 - eta), (1 - c) * eta), kinks)
    assert h_measure(CURVE.at_prevalence(eta), severity=severity) == pytest.approx(1 - model / none, abs=1e-9)


def test_the_h_measure_of_chance_of_perfection_and_of_next_to_no_steps():
    assert h_measure(br.Curve.from_counts([0.5], pos=[3], neg=[9])) == pytest.approx(0, abs=1e-15)
    assert h_measure(br.Curve.from_counts([0.1, 0.9], pos=[0, 3], neg=[9, 0])) == pytest.approx(1, abs=1e-15)
    nearly = [0.0, 1e-14, 0.5, 0.5 + 1e-15, 1.0]  # steps that divide to nothing
    stairs = br.Curve.from_rates(nearly, [0.0, 0.0, 0.1, 0.1, 1.0], prevalence=0.01)
    plain = br.Curve.from_rates([0.5, 1.0], [0.1, 1.0], prevalence=0.01)
    assert h_measure(stairs) == pytest.approx(h_measure(plain), abs=1e-12)
    with pytest.raises(br.errors.MissingInformationError, match="rows of both classes"):
        h_measure(br.Curve.from_counts([0.5], pos=[3], neg=[0]))


# --- the map ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models():
    data = br.examples.payments()
    return br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))


def test_the_map_is_the_lowest_expected_cost_of_all_thresholds(models):
    found = cost_map(models, [0.001, 0.05, 0.4], [0.5, 10, 200], n_resamples=20, rng=0)
    assert len(found.leader) == 9
    for eta, ratio, leader, loss, margin in zip(
        found.prevalence, found.cost_ratio, found.leader, found.loss, found.margin, strict=True
    ):
        costs = {}
        for name, curve in zip(models.names, models.curves, strict=True):
            read = curve.at_prevalence(eta)
            along = br.expected_cost(read, cost_fn=ratio, cost_fp=1.0)
            costs[name] = min(along.min(), eta * ratio) / (eta * ratio + 1 - eta)
        assert loss == pytest.approx(min(costs.values()), rel=1e-12)
        assert margin == pytest.approx(abs(costs["old"] - costs["new"]), abs=1e-12)
        assert leader == (min(costs, key=costs.get) if margin > 1e-12 else "")


def test_the_map_has_stripes_and_says_where_it_is_sure(models):
    same = cost_map(models, [0.5, 1 / 3], [1, 2], n_resamples=100, rng=1)
    halves = [k for k in range(4) if np.isclose(same.prevalence[k] * same.cost_ratio[k], 1 - same.prevalence[k])]
    assert len(halves) == 2
    assert np.ptp(same.loss[halves]) < 1e-15
    assert np.ptp(same.support[halves]) == 0
    assert (same.sure == (same.support >= 0.95)).all()
    twins = br.Pair.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.8], [1, 4, 5, 8])
    nobody = cost_map(twins, [0.1], [1], n_resamples=20, rng=0)
    assert nobody.leader.tolist() == [""]
    assert not nobody.sure.any()
    with pytest.raises(br.errors.InputError, match="must be some positive numbers"):
        cost_map(models, [0.1], [0])
