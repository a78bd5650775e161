"""Corners that were once wrong: each test holds one of them."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.progress import progress
from helpers.simulated import normal_curve, normal_pair
from helpers.terminals import Terminal


@pytest.mark.slow
@pytest.mark.parametrize("metric", [br.specificity, br.recall])
@pytest.mark.parametrize("threshold", [99, -99])
def test_a_threshold_above_or_below_all_rows_is_not_certain(metric, threshold):
    """Half a row more on the other side: for a difference it may be there in one model and not in the other."""
    pair = normal_pair(30, 400)
    rule = lambda curve: curve.at_threshold(threshold)  # noqa: E731
    n = 30 if metric is br.recall else 400
    reach = stats.beta(0.5, n).ppf(0.975)
    for method in (None, "melded"):
        found = br.difference(metric, pair, at=rule, method=method, rng=0, n_resamples=8000)
        assert found.value == 0
        assert (found.low, found.high) == pytest.approx((-reach, reach), rel=0.05)
        assert found.p_value == 1
    rows = {
        i: br.Curve.from_scores([label], [score])
        for i, (label, score) in enumerate(zip(pair.positive, pair.scores[0], strict=True))
    }
    clustered = br.cluster_estimate(metric, rows, at=rule, rng=0, n_resamples=8000)
    expected = (0, reach) if clustered.value == 0 else (1 - reach, 1)
    assert (clustered.low, clustered.high) == pytest.approx(expected, abs=0.05 * reach)
    assert clustered.chosen is None


@pytest.mark.slow
def test_equal_models_at_a_high_threshold_are_seldom_called_different():
    different = 0
    for seed in range(60):
        pair = normal_pair(30, 300, seed=seed)
        found = br.difference(br.specificity, pair, at=lambda c: c.at_threshold(2.9), rng=seed, n_resamples=200)
        different += not found.low <= 0 <= found.high
    assert different <= 3


def test_thresholds_cannot_be_swapped_as_ranks():
    with pytest.raises(br.errors.InputError, match="got a threshold; use difference"):
        br.swap_test(br.recall, normal_pair(20, 60), at=lambda c: c.at_threshold(0.5), n_permutations=9)


def test_a_rule_that_finds_no_point_once_swapped_speaks_against_a_difference():
    pair = normal_pair(10, 40)
    most = float(np.nanmax(br.precision(pair.b)))
    rule = lambda curve: curve.at_precision(min(most, float(np.nanmax(br.precision(pair.a)))))  # noqa: E731
    p_value = br.swap_test(br.recall, pair, at=rule, n_permutations=40, rng=0)
    assert 0.02 <= p_value <= 1


def test_a_rule_must_not_read_elsewhere():
    rule = lambda curve: curve.at_prevalence(0.001).at_recall(0.5)  # noqa: E731
    for call in (
        lambda: br.difference(br.precision, normal_pair(20, 60), at=rule),
        lambda: br.lead(br.precision, normal_pair(20, 60), [0.1], at=rule),
        lambda: br.cluster_estimate(br.precision, {i: normal_curve(3, 9, rng=i) for i in range(9)}, at=rule),
    ):
        with pytest.raises(br.errors.InputError, match="without changing its prevalence"):
            call()


@pytest.mark.slow
def test_a_gain_below_zero_is_not_cut_off():
    def gain(at):
        return -(at.fnr + 0.5 * at.fpr)

    point = normal_curve(40, 400).best(gain)
    for about in ("threshold", "rule"):
        found = br.estimate(gain, point, about=about, rng=0)
        assert found.low < found.value - 0.05
        vague = br.estimate(gain, point, about=about, rng=0, prevalence=br.prior.Beta(10, 90), n_resamples=200)
        assert vague.low < vague.value < vague.high < 0
    benefit = partial(br.net_benefit, threshold_probability=0.1)
    band = br.sweep_estimates(benefit, normal_curve(40, 400).at_prevalence(0.5).best(benefit), [0.01], rng=0)
    assert band.low[0] < band.value[0] - 0.005 < band.value[0] < band.high[0]


def test_draws_without_a_value_are_not_dropped_in_silence():
    narrow = partial(br.best_f1, recall_range=(0.5, 0.52))
    found = br.estimate(narrow, normal_curve(40, 400), rng=0)
    assert math.isnan(found.low)
    assert found.reason is br.Reason.UNDEFINED_IN_DRAWS
    topped = br.Curve.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    silent = br.estimate(br.precision, topped.at_fpr(0), about="rule", rng=0)
    assert silent.value == 1
    assert math.isnan(silent.low)
    assert silent.reason is br.Reason.UNDEFINED_IN_DRAWS
    # The same where scores are tied, so that levels have intervals of their own.
    tied = br.Curve.from_counts([3.0, 2.0, 1.0], pos=[5, 5, 5], neg=[0, 20, 30])
    assert br.estimate(br.precision, tied.at_fpr(0), about="rule", rng=0).reason is br.Reason.UNDEFINED_IN_DRAWS


def test_an_uncertain_prevalence_is_counted_once():
    curve = normal_curve(40, 400)
    fixed = br.estimate(br.best_f1, curve.at_prevalence(0.1), rng=0)
    vague = br.estimate(br.best_f1, curve, rng=0, prevalence=br.prior.Beta(1e5, 9e5))
    assert (vague.low, vague.high) == pytest.approx((fixed.low, fixed.high), abs=0.02)


@pytest.mark.parametrize("n_pos", [40, 1000, 2080])
def test_all_parts_of_an_uncertain_prevalence_get_their_share(n_pos):
    """AUC-PR of a classifier without skill is the prevalence, whose quartiles under Beta(1, 1) are 1/4 and 3/4."""
    score = np.arange(2 * n_pos, dtype=float)
    curve = br.Curve.from_scores(np.tile([1, 0], n_pos), score)
    found = br.estimate(br.auc_pr, curve, prevalence=br.prior.Beta(1, 1), confidence_level=0.5, rng=0, n_resamples=200)
    assert (found.low, found.high) == pytest.approx((0.25, 0.75), abs=0.12 if n_pos == 40 else 0.04)


def test_a_range_of_prevalences_is_looked_at_between_its_ends():
    """MCC vanishes towards both ends and is high between them."""
    point = br.Point.from_counts(tp=95, fp=10, fn=5, tn=9_999_990)
    found = br.estimate(br.mcc, point, prevalence=(1e-9, 1 - 1e-9))
    ends = [br.estimate(br.mcc, point.at_prevalence(end)) for end in (1e-9, 1 - 1e-9)]
    assert max(end.high for end in ends) < 0.1
    assert found.high > br.mcc(point.at_prevalence(0.01)) > 0.95


def test_partials_with_equal_parameters_are_one_metric():
    curve = normal_curve(40, 400)
    same = partial(br.f_beta, beta=2)
    one = br.estimate(same, curve.best(same), rng=0)
    other = br.estimate(partial(br.f_beta, beta=2), curve.best(partial(br.f_beta, beta=2)), rng=0)
    assert one == other


def test_a_band_of_one_place_is_the_same_simultaneous_or_not():
    curve = normal_curve(40, 400)
    for n in (200, 2000):
        pointwise, joint = (br.pr_band(curve, [0.9], rng=0, simultaneous=s, n_resamples=n) for s in (False, True))
        assert joint.low[0] <= pointwise.low[0]
        assert joint.high[0] >= pointwise.high[0]


def test_no_rows_is_a_reason():
    empty = br.Curve.from_scores([], [])
    assert br.estimate(br.roc_auc, empty).reason is br.Reason.NO_ROWS
    one_class = br.Pair.from_scores([0, 0], [0.1, 0.2], [0.2, 0.3])
    assert br.lead(br.roc_auc, one_class, [0.1]).reason is br.Reason.NO_POSITIVES
    assert br.pr_band(one_class.a.at_prevalence(0.1)).reason is br.Reason.NO_POSITIVES
    negatives = {i: br.Curve.from_scores([0, 0], [0.1, 0.2]) for i in range(9)}
    found = br.cluster_estimate(br.specificity, negatives, at=lambda c: c.at_threshold(0.15))
    assert found.reason is br.Reason.NO_POSITIVES


def test_a_pair_never_changes():
    label, a, b = np.array([0, 1, 0, 1]), np.array([0.1, 0.8, 0.4, 0.3]), np.array([0.2, 0.9, 0.1, 0.7])
    pair = br.Pair.from_scores(label, a, b)
    a[:] = a[::-1].copy()
    assert pair.scores[0].tolist() == [0.1, 0.8, 0.4, 0.3]
    with pytest.raises(ValueError, match="read-only"):
        pair.scores[0][0] = 9


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda c, p: br.lead(br.roc_auc, c, [0.1]), "pair must be a Pair, got a Curve; build one"),
        (lambda c, p: br.crossing_estimates(br.roc_auc, c), "pair must be a Pair, got a Curve; build one"),
        (lambda c, p: br.swap_test(br.roc_auc, c), "pair must be a Pair, got a Curve; build one"),
        (lambda c, p: br.pr_band(c.at_recall(0.5)), "curve must be a Curve, got a Point"),
        (lambda c, p: br.difference(br.recall, p, at=(len, len, len)), "one rule or a pair of them, got 3"),
        (lambda c, p: br.difference(br.recall, p, at=5), "at must be a rule such as 'recall=0.6', or a function"),
        (lambda c, p: br.difference(br.recall, p, at=lambda _: c.at_recall(0.5)), "on the curve it is given"),
        (lambda c, p: br.estimate("f1", c), "metric must be a function of a Curve, got 'f1'; pass br.f1"),
        (lambda c, p: br.estimate(lambda _: "x", c), "a metric must return a number, got 'x'"),
        (lambda c, p: br.estimate(br.roc_auc, c, n_resamples=10), "n_resamples must be at least 40"),
        (lambda c, p: br.papers.max_width_from_cvs(-1, 0.1), "pass a number from 0 up"),
        (lambda c, p: br.ranking(br.roc_auc, {1: c, "1": c}, [0.1]), "models must have different names"),
        (lambda c, p: br.Pair.from_scores([0, 1], [1, 2], [1, 2], names=(1, "1")), "names must be two different"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call(normal_curve(5, 20), normal_pair(5, 20))


def test_a_rate_may_be_melded_and_boxed():
    point = br.Point.from_counts(tp=5, fp=2, fn=0, tn=90)
    exact = br.estimate(br.recall, point)
    melded = br.estimate(br.recall, point, method="melded")
    assert (melded.low, melded.high) == (exact.low, exact.high)
    assert br.estimate(br.recall, point, method="box").low < exact.low


def test_scores_at_the_end_of_floats():
    curve = br.Curve.from_scores([1, 0, 1, 0], [1.7e308, 1.6e308, -1.7e308, -1.6e308])

    def area(curve):
        return br.roc_auc(curve)

    found = br.estimate(area, curve, rng=0, n_resamples=50)
    assert 0 <= found.low <= found.high <= 1


def test_progress_shows_on_a_terminal_only(monkeypatch, capsys):
    times = iter(range(0, 1000, 3))
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    terminal = Terminal()
    assert list(progress(range(4), 4, "Working", to=terminal)) == [0, 1, 2, 3]
    assert "Working [" in terminal.text
    assert terminal.text.endswith("\r\x1b[K")
    assert list(progress(range(4), 4, "Working")) == [0, 1, 2, 3]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr", None)
    assert list(progress(range(4), 4, "Working")) == [0, 1, 2, 3]
