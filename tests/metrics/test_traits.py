"""What the row of each metric says of it is so."""

import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import baserate as br
from baserate.curves.point import Points
from baserate.formulas import pointwise
from baserate.formulas.pointwise import Confusion
from baserate.registry import DependsOn, Family, normalized, takes

ETAS = [0.001, 0.03, 0.2, 0.5, 0.9]


def having(trait, told=lambda row, parameters: True):
    """Every metric whose row has the trait, with each of its parameter settings of which the trait tells."""
    found = [
        pytest.param(row, dict(parameters), id=f"{row.name}{dict(parameters) or ''}")
        for row in br.METRICS.values()
        for parameters in row.examples
        if getattr(row.traits, trait) and told(row, parameters)
    ]
    assert found
    return pytest.mark.parametrize(("row", "parameters"), found)


def tied_rows(seed=0, n=60, decimals=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, np.clip(rng.normal(0.4 + 0.2 * y, 0.2).round(decimals), 0.05, 0.95)


def curves(eta):
    return [br.Curve.from_scores(*tied_rows(seed)).at_prevalence(eta) for seed in range(3)]


def value(row, at, parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.UndefinedMetricWarning)
        return row.function(at, **parameters)


POINTWISE = [row for row in br.METRICS.values() if row.family is Family.POINTWISE]


# --- what it depends on ---------------------------------------------------------------------------

TPR, FPR = np.array([0.2, 0.6, 0.3, 0.5]), np.array([0.1, 0.3, 0.3, 0.05])
ALIKE = {
    DependsOn.NOTHING: (TPR, FPR),
    DependsOn.TPR: (np.full(4, 0.3), FPR),
    DependsOn.FPR: (TPR, np.full(4, 0.3)),
    DependsOn.LR_POSITIVE: (TPR, TPR / 3),
    DependsOn.LR_NEGATIVE: (1 - TPR / 3, 1 - TPR),
}


def at_rates(row, tpr, fpr, eta, parameters):
    return value(row, Points(Confusion(tpr, 1 - tpr, fpr, 1 - fpr), (1 - eta) / eta), parameters)


@having("depends_on")
@pytest.mark.parametrize("eta", ETAS)
def test_it_depends_on_nothing_else(row, parameters, eta):
    assert row.family is Family.POINTWISE
    if row.traits.depends_on is DependsOn.F_BETA:
        cells = Confusion(TPR * eta, (1 - TPR) * eta, FPR * (1 - eta), (1 - FPR) * (1 - eta))
        expected = pointwise.f_beta(cells, parameters.get("beta", 1.0))
        np.testing.assert_allclose(at_rates(row, TPR, FPR, eta, parameters), expected, rtol=1e-12)
    else:
        found = at_rates(row, *ALIKE[row.traits.depends_on], eta, parameters)
        np.testing.assert_allclose(found, np.full(4, found[0]), rtol=1e-12)


@pytest.mark.parametrize("row", POINTWISE, ids=lambda row: row.name)
def test_what_depends_on_less_than_both_rates_says_so(row):
    (parameters, *_) = row.examples
    less = [
        what
        for what, rates in ALIKE.items()
        if np.ptp(at_rates(row, *rates, 0.2, parameters)) < 1e-12 * abs(at_rates(row, TPR, FPR, 0.2, parameters)).max()
    ]
    if less:
        assert row.traits.depends_on is less[0]
    else:
        assert row.traits.depends_on in (None, DependsOn.F_BETA)


def test_baselines_do_not_depend_on_the_order():
    for row in br.METRICS.values():
        if row.family is Family.BASELINE:
            assert row.constant
            for parameters in row.examples:
                assert len({value(row, curve, parameters) for curve in curves(0.1)}) == 1


@having("cells")
@pytest.mark.parametrize("eta", ETAS)
def test_it_is_the_ratio_of_these_sums_of_cells(row, parameters, eta):
    cells = np.array([TPR * eta, (1 - TPR) * eta, FPR * (1 - eta), (1 - FPR) * (1 - eta)])
    numerator, denominator = row.traits.cells(**parameters)
    expected = (np.array(numerator) @ cells) / (np.array(denominator) @ cells)
    np.testing.assert_allclose(at_rates(row, TPR, FPR, eta, parameters), expected, rtol=1e-12, atol=1e-15)


# --- how it moves with the prevalence -------------------------------------------------------------


@having("one_way")
def test_it_goes_one_way_with_the_prevalence(row, parameters):
    prevalences = 1 / (1 + np.exp(-np.linspace(-9, 9, 61)))
    directions = set()
    for seed in range(6):
        y, s = tied_rows(seed)
        curve = br.Curve.from_scores(y, 1 - s if seed % 2 else s)  # better than chance, and worse
        at = curve.at_recall(0.1 + 0.15 * seed) if row.family is Family.POINTWISE else curve
        with np.errstate(invalid="ignore"):  # what is infinite stays so
            steps = np.diff(br.sweep(partial(row.function, **parameters), at, prevalences).value)
        directions |= set(np.sign(steps[np.abs(steps) > 1e-14]))
    assert len(directions) <= 1


# --- areas ----------------------------------------------------------------------------------------


def moved(row, parameters, eta, step, weight, i, j):
    y, s = tied_rows(n=30)
    at = weight.copy()
    at[i] += step
    at[j] -= step
    return value(row, br.Curve.from_scores(y, s, weight=at).at_prevalence(eta), parameters)


@pytest.mark.slow
@having("influence", lambda row, parameters: takes(row.traits.influence, parameters))
@pytest.mark.parametrize("eta", [0.013, 0.21])
def test_it_answers_to_weight_as_its_influence_says(row, parameters, eta):
    y, s = tied_rows(n=30)
    steps = br.Curve.from_scores(y, s).table.steps
    found = row.traits.influence(steps, (1 - eta) / eta, **parameters)
    at_corner, in_gap, tied = found
    corners = np.unique(s[y])[::-1]
    step, checked = 2.0**-16, 0
    for positive in (True, False):
        rows = np.flatnonzero(y == positive)
        answer = np.empty(len(rows))
        for k, score in enumerate(s[rows]):
            above = np.count_nonzero(corners > score)
            is_corner = score in corners
            answer[k] = at_corner[above] if positive else (tied if is_corner else in_gap)[above]
        order = np.argsort(s[rows])
        for k, m in pairwise(order):
            ends = [moved(row, parameters, eta, sign * step, np.ones(30), rows[k], rows[m]) for sign in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * step)
            assert slope == pytest.approx((answer[k] - answer[m]) / len(rows), rel=1e-5, abs=1e-8)
            checked += slope != 0
    assert checked


@having("share_of_pairs", lambda row, parameters: not parameters)
def test_it_is_the_share_of_pairs_in_the_right_order(row, parameters):
    y, s = tied_rows(decimals=1)
    pairs = s[y][:, np.newaxis] - s[~y]
    assert value(row, br.Curve.from_scores(y, s), {}) == pytest.approx(np.mean(np.heaviside(pairs, 0.5)), rel=1e-12)


@having("best_over_thresholds")
@pytest.mark.parametrize("eta", ETAS)
def test_it_is_the_best_of_curves_with_one_threshold(row, parameters, eta):
    y, s = tied_rows()
    alone = [br.Curve.from_scores(y, s >= t).at_prevalence(eta) for t in np.unique(s)]
    best = (np.nanmax if row.higher_is_better else np.nanmin)([value(row, curve, parameters) for curve in alone])
    assert value(row, br.Curve.from_scores(y, s).at_prevalence(eta), parameters) == pytest.approx(best, rel=1e-12)


@having("normalizes")
@pytest.mark.parametrize("eta", ETAS)
def test_it_is_the_area_on_a_scale_of_its_own(row, parameters, eta):
    area = br.METRICS[row.traits.normalizes.__name__]
    assert normalized(area) is row
    whole = np.diff(parameters.get("recall_range", (0.0, 1.0)))[0]
    missing = [(whole - value(area, curve, parameters), 1 - value(row, curve, parameters)) for curve in curves(eta)]
    ratios = [of_area / of_row for of_area, of_row in missing]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-9)
    assert 0 < ratios[0] <= whole


# --- means of losses ------------------------------------------------------------------------------


@having("losses")
@pytest.mark.parametrize("eta", ETAS)
def test_it_is_the_mean_of_its_losses(row, parameters, eta):
    y, s = tied_rows()
    losses = row.traits.losses(**parameters)
    of_classes = losses.of_positive(s[y]), losses.of_negative(s[~y])
    found = value(row, br.Curve.from_scores(y, s).at_prevalence(eta), parameters)
    assert found == pytest.approx(eta * of_classes[0].mean() + (1 - eta) * of_classes[1].mean(), rel=1e-12)
    assert max(cost.max() for cost in of_classes) <= losses.worst
    with np.errstate(divide="ignore"):
        assert losses.of_positive(np.zeros(1))[0] == pytest.approx(losses.worst)


@having("parts")
def test_its_parts_add_up_to_it(row, parameters):
    curve = br.Curve.from_scores(*tied_rows(decimals=1))
    parts = row.traits.parts(curve.score, curve.pos, curve.neg)
    assert parts[0] == pytest.approx(value(row, curve, parameters), rel=1e-12)
    assert parts[1] - parts[2] + parts[3] == pytest.approx(parts[0], rel=1e-12)
    assert min(parts) > 0


# --- how it rounds --------------------------------------------------------------------------------


@having("difference")
def test_near_zero_it_is_bounded_by_the_rounding_of_its_terms(row, parameters):
    buckets = {"score": [0.6, 0.4, 0.1], "top": [0.9, 0.5, 0.3]}
    if row.family is Family.POINTWISE:  # no better than chance
        at = br.Curve.from_counts(**buckets, pos=[10, 20, 30], neg=[70, 140, 210]).at_threshold(0.4)
    else:  # nothing is worse
        at = br.Curve.from_counts(**buckets, pos=[0, 0, 30], neg=[70, 140, 0])
    certain = br.bounds(partial(row.function, **parameters), at)
    assert abs(certain.value) < 1e-15
    assert certain.low < -5e-15
    assert certain.high > 5e-15
