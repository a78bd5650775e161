"""A curve in a few kilobytes says what the whole one says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.metrics import over_odds
from baserate.page import condensed

pytestmark = pytest.mark.slow  # together, these take long

SPAN = condensed.LogOddsRange.of(1e-6, 0.9)
LOG_ODDS = np.linspace(*SPAN, 61)
X = np.exp(-LOG_ODDS)


def simulated(kind, n=20_000, prevalence=0.02):
    rng = np.random.default_rng(0)
    y = rng.random(n) < prevalence
    score = rng.normal(size=n) + 2 * y
    return br.Curve.from_scores(
        y, {"good": score, "ties": score.round(1), "few ties": score.round(), "chance": rng.random(n), "bad": -score,
            "perfect": y + rng.random(n) / 2}[kind]
    )  # fmt: skip


KINDS = ("good", "ties", "few ties", "chance", "bad", "perfect")


@pytest.mark.parametrize("kind", KINDS)
def test_areas_are_those_of_the_curve(kind):
    curve = simulated(kind)
    kept = condensed.condensed(curve, SPAN)
    assert kept.average_precision.at(LOG_ODDS) == pytest.approx(over_odds.average_precision(curve, X), rel=1e-7)
    assert kept.auc_pr.at(LOG_ODDS) == pytest.approx(over_odds.auc_pr(curve, X), rel=1e-7)
    whole = over_odds.auc_prg(curve, X)
    assert (np.abs(kept.gains.at(X) - whole) / np.maximum(np.abs(whole), 1)).max() <= kept.error + 1e-6
    assert kept.error < 2e-5
    assert len(kept.average_precision.values) == len(kept.auc_pr.values) < 60
    assert len(kept.rows) < 1_200


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_f1_is_among_the_kept_points(kind):
    curve = simulated(kind)
    rows = condensed.condensed(curve, SPAN).rows
    tpr, fpr = curve.tpr[rows], curve.fpr[rows]
    best = [np.max(2 * tpr / (tpr + 1 + x * fpr)) for x in X]
    assert best == pytest.approx(over_odds.best_f1(curve, X), rel=1e-12)


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
        lambda rows: len({y for y, _ in rows}) == 2
    )
)
def test_small_and_tied_curves_too(rows):
    curve = br.Curve.from_scores([y for y, _ in rows], [s for _, s in rows])
    kept = condensed.condensed(curve, SPAN)
    assert kept.error < 3e-6
    assert kept.auc_pr.at(LOG_ODDS) == pytest.approx(over_odds.auc_pr(curve, X), rel=1e-7)
    assert kept.auc_pr.at(SPAN.nodes) == pytest.approx(over_odds.auc_pr(curve, np.exp(-SPAN.nodes)), rel=1e-12)
    assert kept.rows[-1] == len(curve) - 1


def test_more_rows_do_not_make_it_larger():
    small, large = (condensed.condensed(simulated("good", n), SPAN) for n in (20_000, 400_000))
    assert len(large.average_precision.values) == len(small.average_precision.values)
    assert len(large.gains.tpr) < 2 * len(small.gains.tpr)
    assert len(large.rows) < 1_200


@pytest.mark.parametrize("kind", ["chance", "good"])
def test_many_positives_near_chance_stay_small(kind):
    """The gains of such a curve go up and down everywhere; eight of them have to fit a page."""
    curve = simulated(kind, n=300_000, prevalence=0.4)
    kept = condensed.condensed(curve, SPAN)
    assert kept.error < 2e-5
    assert len(kept.gains.tpr) < 1_000
    x = np.exp(-np.linspace(*SPAN, 7_001))  # between the prevalences it was compared at
    whole = over_odds.auc_prg(curve, x)
    assert (np.abs(kept.gains.at(x) - whole) / np.maximum(np.abs(whole), 1)).max() < 3e-5


def test_a_wider_span_is_as_near():
    curve, wide = simulated("good"), condensed.LogOddsRange.of(1e-10, 0.9999)
    log_odds = np.linspace(*wide, 61)
    whole = over_odds.average_precision(curve, np.exp(-log_odds))
    assert condensed.average_precision(curve, wide).at(log_odds) == pytest.approx(whole, rel=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_the_threshold_of_every_whole_percent_of_recall_is_kept(kind):
    curve = simulated(kind, 400_000)
    kept = set(curve.score[condensed.condensed(curve, SPAN).rows].tolist())
    assert {curve.at_recall(k / 100).threshold for k in range(1, 101)} <= kept
