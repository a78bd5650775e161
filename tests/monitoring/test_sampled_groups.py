"""Slices and periods of which only some rows were sampled for labelling."""

import math

import numpy as np
import pytest

import baserate as br


def month(seed, shift=2.0, n=5_000, prevalence=0.04, rate=0.05):
    """All scores from 2 on are labelled, and a share of the rest."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < rng.binomial(n, prevalence)
    score = rng.normal(size=n) + shift * y
    known = (score >= 2) | (rng.random(n) < rate)
    return br.Curve.from_sampled(np.where(known, y.astype(float), np.nan), score, rule=f"all >= 2, else {rate!r}")


def test_each_group_has_the_intervals_that_it_has_alone():
    months = {"may": month(0), "june": month(1), "july": month(2, shift=1)}
    table = br.by_period(br.recall, months, at="threshold=2", prevalence=0.01, n_resamples=200, rng=0)
    for row, (key, curve) in zip(table.groups, months.items(), strict=True):
        assert row.key == key
        point = curve.at_threshold(2)
        for found, place in ((row.own, point), (row.common, point.at_prevalence(0.01))):
            alone = br.estimate(br.recall, place, n_resamples=200, rng=0)
            assert (found.value, found.low, found.high) == (alone.value, alone.low, alone.high)
    _, june, july = table.groups
    assert june.differences[0].low < 0 < june.differences[0].high
    assert july.differences[0].value == july.common.value - june.common.value
    assert july.differences[0].simultaneous_high < 0


def test_slices_are_compared_with_all_others():
    slices = {"a": month(0), "b": month(1), "c": month(2)}
    table = br.by_slice(br.average_precision, slices, prevalence=0.01, n_resamples=200, rng=0)
    rest = (slices["b"] + slices["c"]).at_prevalence(0.01)
    value = br.average_precision(slices["a"].at_prevalence(0.01)) - br.average_precision(rest)
    (first, *_) = table.groups
    assert first.differences[0].value == pytest.approx(value, rel=1e-12)


def test_floors_count_the_positives_that_were_found():
    label, score = [1] * 4 + [0] * 30 + [1, *[0] * 19, *[None] * 980], [3] * 34 + [1] * 1000
    few = br.Curve.from_sampled(label, score, rule="all >= 2, else 2 %")
    assert few.n_pos > 10  # by weight
    table = br.by_period(br.recall, {"may": month(0), "june": few}, at="threshold=2", n_resamples=100, rng=0)
    assert [row.own.reason for row in table.groups] == [None, br.Reason.TOO_FEW_CASES]
    assert (table.groups[1].own.n_pos, table.groups[1].own.n_neg) == (5, 49)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "at"), [(br.recall, "threshold=2"), (br.average_precision, None)])
def test_no_difference_is_covered(metric, at):
    held = []
    for seed in range(30):
        months = {"may": month(2 * seed), "june": month(2 * seed + 1)}
        table = br.by_period(metric, months, at=at, prevalence=0.01, n_resamples=100, rng=seed)
        (_, june) = table.groups
        held.append(june.differences[0].low <= 0 <= june.differences[0].high)
    assert np.mean(held) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 30)
