"""Memory of intervals: what is drawn is held in cells, however many rows there are."""

import tracemalloc

import numpy as np
import pytest

import baserate as br

N = 100_000
MOST = 40e6  # bytes; one number for each row and each of 200 draws would be 160e6


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    label = rng.random(N) < 0.5
    first = rng.normal(size=N) + label
    return label, first, 0.9 * first + 0.44 * rng.normal(size=N), rng.integers(500, size=N)


ASKED = {
    "an area": lambda label, a, b, group: br.estimate(br.average_precision, br.Curve.from_scores(label, a)),
    "a searched threshold": lambda label, a, b, group: br.estimate(
        br.f1, br.Curve.from_scores(label, a).best(br.f1), n_resamples=200
    ),
    "a rule applied again": lambda label, a, b, group: br.estimate(
        br.precision, br.Curve.from_scores(label, a).at_recall(0.5), about="rule", n_resamples=200
    ),
    "a pair": lambda label, a, b, group: br.difference(
        br.average_precision, br.Pair.from_scores(label, a, b), n_resamples=200
    ),
    "a pair at a chosen recall": lambda label, a, b, group: br.difference(
        br.precision, br.Pair.from_scores(label, a, b), at="recall=0.5", n_resamples=200
    ),
    "clusters at a searched threshold": lambda label, a, b, group: br.cluster_estimate(
        br.precision,
        {i: br.Curve.from_scores(label[group == i], a[group == i]) for i in range(500)},
        at="best=f1",
        n_resamples=200,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_memory_is_bounded(rows, name):
    tracemalloc.start()
    try:
        ASKED[name](*rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST
