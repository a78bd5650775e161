"""Scores of a curve, moved to another prevalence."""

import functools
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.registry import MetricLaw

pytestmark = pytest.mark.slow  # together, these take long

tried = settings(max_examples=60)
etas = st.floats(-14, 14).map(lambda z: float(1 / (1 + np.exp(-z))))
RANKED = [
    functools.partial(row.function, **parameters)
    for row in br.METRICS.values()
    if MetricLaw.MONOTONE in row.laws
    for parameters in row.examples
]


@st.composite
def samples(draw, scores):
    n = draw(st.integers(2, 30))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n))
    return np.array(y), np.array(draw(st.lists(scores, min_size=n, max_size=n)))


well_apart = st.integers(0, 31).map(lambda k: k / 31)
anywhere = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.3, np.nextafter(0.3, 1), 1e-300, 1 - 2.0**-53])


def value(metric, curve):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.UndefinedMetricWarning)
        return metric(curve)


@tried
@given(sample=samples(well_apart), to=etas, at=etas)
def test_what_depends_on_ranks_does_not_change(sample, to, at):
    curve = br.Curve.from_scores(*sample).at_prevalence(at)
    moved = curve.shift_scores(to)
    assert len(moved) == len(curve)
    assert len(RANKED) >= 20
    for metric in RANKED:
        np.testing.assert_array_equal(value(metric, moved), value(metric, curve), err_msg=str(metric))


@tried
@given(sample=samples(anywhere), to=etas, before=etas)
def test_it_is_the_curve_of_the_adjusted_rows(sample, to, before):
    y, s = sample
    curve = br.Curve.from_scores(y, s)
    assert curve.shift_scores(to) == br.Curve.from_scores(y, br.adjust(s, curve.prevalence, to))
    assert curve.shift_scores(to, from_prevalence=before) == br.Curve.from_scores(y, br.adjust(s, before, to))


@tried
@given(sample=samples(anywhere), to=etas, seed=st.integers(0, 9))
def test_weights_move_along(sample, to, seed):
    y, s = sample
    weight = np.random.default_rng(seed).integers(1, 9, len(y)) / 4
    curve = br.Curve.from_scores(y, s, weight=weight)
    moved = curve.shift_scores(to)
    again = br.Curve.from_scores(y, br.adjust(s, curve.own_prevalence, to), weight=weight)
    assert moved.weighted
    for name in ("score", "pos", "neg", "pos_squares", "neg_squares"):
        np.testing.assert_allclose(getattr(moved, name), getattr(again, name), rtol=1e-15)


def test_where_it_is_read_stays():
    curve = br.Curve.from_counts([0.2, 0.9], pos=[20, 90], neg=[80, 10])
    assert curve.shift_scores(0.01).given_prevalence is None
    assert curve.shift_scores(0.01).prevalence == 0.55
    read = curve.at_prevalence(0.3)
    assert read.shift_scores(0.01).given_prevalence == 0.3
    # also the scores move from the curve's own prevalence, not from the one it is read at
    assert read.shift_scores(0.01) == curve.shift_scores(0.01).at_prevalence(0.3)
    assert read.shift_scores(0.01, from_prevalence="3:7").score[0] == br.adjust(0.9, 0.3, 0.01)


def test_moving_to_where_they_are_changes_nothing():
    curve = br.Curve.from_scores([0, 1, 1, 0], [0.1, 0.7, np.nextafter(0.7, 1), 1.0])
    assert curve.shift_scores(0.5) == curve


def test_calibrated_scores_are_calibrated_where_they_are_moved_to():
    """A score that holds in its group at one prevalence holds, moved, in the same group at the other."""
    score = np.array([0.1, 0.25, 0.5, 0.9])
    rows = np.array([1000, 400, 200, 100])
    curve = br.Curve.from_counts(score, pos=score * rows, neg=(1 - score) * rows, pos_squares=rows, neg_squares=rows)
    at = curve.at_prevalence(0.001).shift_scores(0.001)
    weight = at.odds_against * at.n_pos / at.n_neg
    assert at.score == pytest.approx(at.pos / (at.pos + weight * at.neg), rel=1e-14)


def test_equal_floats_are_ties():
    close = np.array([1 - 2.0**-53, 1 - 2.0**-52, 0.5])
    curve = br.Curve.from_counts(close, pos=[3, 4, 5], neg=[1, 2, 30]).shift_scores(0.99, from_prevalence=0.01)
    assert curve.score[0] == 1
    assert curve.pos.tolist() == [7, 5]
    assert curve.neg.tolist() == [3, 30]
    assert not curve.bucketed


def test_buckets_and_rows_without_label_survive():
    curve = br.Curve.from_counts([0.1, 0.5, 0.8], pos=[1, 5, 6], neg=[50, 9, 2], top=[0.4, 0.5, 0.95])
    moved = curve.shift_scores(0.01)
    assert moved.bucketed
    assert moved.score.tolist() == br.adjust([0.8, 0.5, 0.1], curve.prevalence, 0.01).tolist()
    assert moved.top.tolist() == br.adjust([0.95, 0.5, 0.4], curve.prevalence, 0.01).tolist()
    for metric in (br.roc_auc, br.average_precision):
        before, after = br.bounds(metric, curve), br.bounds(metric, moved)
        assert (before.low, before.high) == (after.low, after.high)
    some = br.curve(pl.DataFrame({"y": [0, 1, None], "p": [0.1, 0.4, 0.5]}), label="y", score="p", missing="random")
    assert some.shift_scores(0.1).unlabelled == 1


def test_buckets_that_meet_become_one():
    curve = br.Curve.from_counts([1 - 2.0**-52, 0.5], [3, 4], [1, 2], top=[1.0, 1 - 2.0**-51])
    assert len(curve) == 2
    moved = curve.shift_scores(0.999, from_prevalence=0.001)
    assert len(moved) == 1
    assert moved.top.tolist() == [1]
    assert moved.pos.tolist() == [7]


def test_a_saved_moved_curve_is_the_same(tmp_path):
    curve = br.Curve.from_scores([0, 1, 1, 0], [0.1, 0.7, 0.3, 0.9]).shift_scores(0.01)
    curve.save(tmp_path / "moved")
    assert br.Curve.load(tmp_path / "moved") == curve


def test_no_rows_are_no_rows():
    assert br.Curve.from_counts([], [], []).shift_scores(0.1, from_prevalence=0.5) == br.Curve.from_counts([], [], [])


@pytest.mark.parametrize(
    ("curve", "arguments", "error", "sentence"),
    [
        (
            br.Curve.from_scores([0, 1], [-0.1, 0.5]),
            {"prevalence": 0.1},
            br.errors.InputError,
            r"^shift_scores reads scores as probabilities between 0 and 1, got scores from -0.1 to 0.5; .*\.$",
        ),
        (
            br.Curve.from_counts([0.5, 0.2], [1, 1], [1, 1], top=[1.5, 0.2]),
            {"prevalence": 0.1},
            br.errors.InputError,
            "got scores from 0.2 to 1.5",
        ),
        (
            br.Curve.from_rates([0.5], [0.1], n_pos=5, n_neg=5),
            {"prevalence": 0.1},
            br.errors.MissingInformationError,
            r"^this curve was made from rates and has no scores; .*\.$",
        ),
        (
            br.Curve.from_scores([0, 0], [0.1, 0.5]),
            {"prevalence": 0.1},
            br.errors.MissingInformationError,
            r"^the prevalence at which the scores are calibrated is unknown, because there are no positives; pass "
            r"from_prevalence=\.$",
        ),
        (
            br.Curve.from_scores([1], [0.1]).at_prevalence(0.5),
            {"prevalence": 0.1},
            br.errors.MissingInformationError,
            "no negatives",
        ),
        (br.Curve.from_counts([], [], []), {"prevalence": 0.1}, br.errors.MissingInformationError, "there are no rows"),
        (
            br.Curve.from_scores([0, 1], [0, 1]),
            {"prevalence": 1.0},
            br.errors.InputError,
            "^prevalence must be strictly",
        ),
        (
            br.Curve.from_scores([0, 1], [0, 1]),
            {"prevalence": 0.1, "from_prevalence": 0},
            br.errors.InputError,
            "^from_prevalence must be strictly",
        ),
    ],
)
def test_refusals(curve, arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        curve.shift_scores(**arguments)
