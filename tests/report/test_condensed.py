"""A curve in a few kilobytes says what the whole one says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.metrics import over_odds
from baserate.report import condensed

X = np.exp(np.linspace(np.log(1 / 9), np.log(1e6), 60))


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
    kept = condensed.condensed(curve, 1e-6, 0.9)
    assert np.abs(kept.average_precision.at(X) - over_odds.average_precision(curve, X)).max() < 2e-6
    assert np.abs(kept.auc_pr.at(X) - over_odds.auc_pr(curve, X)).max() < 2e-6
    whole = over_odds.auc_prg(curve, X)
    assert (np.abs(kept.gains.at(X) - whole) / np.maximum(np.abs(whole), 1)).max() <= kept.error + 1e-6
    assert kept.error < 2e-5
    assert len(kept.average_precision.weight) < 2_000
    assert len(kept.auc_pr.weight) < 2_000
    assert len(kept.rows) < 1_200


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_f1_is_among_the_kept_points(kind):
    curve = simulated(kind)
    rows = condensed.condensed(curve, 1e-6, 0.9).rows
    tpr, fpr = curve.tpr[rows], curve.fpr[rows]
    best = [np.max(2 * tpr / (tpr + 1 + x * fpr)) for x in X]
    assert best == pytest.approx(over_odds.best_f1(curve, X), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
        lambda rows: len({y for y, _ in rows}) == 2
    )
)
def test_small_and_tied_curves_too(rows):
    curve = br.Curve.from_scores([y for y, _ in rows], [s for _, s in rows])
    kept = condensed.condensed(curve, 1e-6, 0.9)
    assert kept.error < 3e-6
    assert np.abs(kept.auc_pr.at(X) - over_odds.auc_pr(curve, X)).max() < 3e-6
    assert kept.rows[-1] == len(curve) - 1


def test_more_rows_do_not_make_it_larger():
    small, large = (condensed.condensed(simulated("good", n), 1e-6, 0.9) for n in (20_000, 400_000))
    assert len(large.average_precision.weight) < 4 * len(small.average_precision.weight)
    assert len(large.rows) < 1_200
