"""Widths of all outcomes, against the library's intervals of each of them."""

import math

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.design.widths import OF_A_RATE, OF_PRECISION, Goal, WidthSpread, widths
from baserate.formulas.proportions import PROPORTIONS

N_POS, N_NEG, TPR, FPR = 6, 9, 0.7, 0.2


def counts(tp, fp):
    return br.Point.from_counts(tp=tp, fn=N_POS - tp, fp=fp, tn=N_NEG - fp)


def at_prevalence(method, tp, fp, prevalence):
    if method == "hoeffding":
        each = math.sqrt(0.95)
        t, f = PROPORTIONS[method](tp, N_POS, each), PROPORTIONS[method](fp, N_NEG, each)
        band = br.papers.box_band(br.precision, [prevalence], tpr=tuple(map(float, t)), fpr=tuple(map(float, f)))
        return 1.0 if tp == fp == 0 else float(band.high[0] - band.low[0])
    if method == "normal" and (tp == N_POS or fp == N_NEG):
        return 1.0
    width = br.estimate(br.precision, counts(tp, fp).at_prevalence(prevalence), method=OF_PRECISION[method]).width
    return 1.0 if math.isnan(width) else width


def at_worst(method, tp, fp):
    t, f = (PROPORTIONS[OF_A_RATE[method]](k, n, 0.95) for k, n in ((tp, N_POS), (fp, N_NEG)))
    if not (t.low < t.high and f.low < f.high):
        return 1.0
    return br.design.max_width(tpr=tuple(map(float, t)), fpr=tuple(map(float, f))).width


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.05])
@pytest.mark.parametrize("method", OF_A_RATE)
def test_every_outcome_has_the_width_of_its_interval(method, prevalence):
    x = None if prevalence is None else (1 - prevalence) / prevalence
    found = widths(Goal(TPR, FPR, 0.3, x, 0.95, method), N_POS, N_NEG)
    tps, fps = np.arange(N_POS + 1), np.arange(found.width.shape[1])
    of = at_worst if prevalence is None else at_prevalence
    given = () if prevalence is None else (prevalence,)
    expected = np.array([[of(method, int(tp), int(fp), *given) for fp in fps] for tp in tps])
    # The library's own ends were seen 0.0035 off where one rate is taken for known.
    np.testing.assert_allclose(found.width, expected, atol=0.008 if method == "exact" else 1e-9)
    np.testing.assert_allclose(
        found.chance, np.outer(stats.binom.pmf(tps, N_POS, TPR), stats.binom.pmf(fps, N_NEG, FPR)), atol=3e-6
    )


@pytest.mark.parametrize("method", ["exact", "wilson"])
@pytest.mark.parametrize(
    ("n_pos", "n_neg", "tpr", "fpr", "prevalence"),
    [(200, 20_000, 0.6, 0.001, 0.001), (60, 9000, 0.95, 0.001, 0.01), (50, 30_000, 0.9, 0.01, 0.1)],
)
def test_between_nodes_widths_are_those_of_intervals(n_pos, n_neg, tpr, fpr, prevalence, method):
    goal = Goal(tpr, fpr, 0.1, (1 - prevalence) / prevalence, 0.95, method)
    found, rng = widths(goal, n_pos, n_neg), np.random.default_rng(1)
    tps, fps = (side.astype(int) for side in (found_counts(n_pos, tpr), found_counts(n_neg, fpr)))
    assert found.width.shape == (len(tps), len(fps))
    for _ in range(12):
        i, j = rng.integers(len(tps)), rng.integers(len(fps))
        point = br.Point.from_counts(tp=tps[i], fn=n_pos - tps[i], fp=fps[j], tn=n_neg - fps[j])
        width = br.estimate(br.precision, point.at_prevalence(prevalence), method=OF_PRECISION[method]).width
        assert found.width[i, j] == pytest.approx(width, abs=0.003)


def found_counts(n, rate):
    from baserate.design.outcomes import outcomes

    found = outcomes(n, rate).successes
    assert (found == np.round(found)).all()
    return found


def test_what_a_spread_says():
    found = WidthSpread(np.array([[0.1, 0.4], [0.2, 1.0]]), np.array([[0.5, 0.1], [0.3, 0.1]]))
    assert found.chance_within(0.2) == pytest.approx(0.8)
    assert found.mean() == pytest.approx(0.05 + 0.04 + 0.06 + 0.1)
    assert [found.quantile(share) for share in (0.3, 0.79, 0.85, 0.95, 1.0)] == [0.1, 0.2, 0.4, 1.0, 1.0]
