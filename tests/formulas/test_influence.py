"""Influence functions against the definition: the area once more with a speck of weight added, to fifty digits."""

import json
from itertools import accumulate, product

import numpy as np
import pandas as pd
import pytest
from mpmath import mpf
from numpy.testing import assert_allclose, assert_array_equal

from baserate.formulas import areas, influence
from baserate.formulas.influence import Influence
from baserate.formulas.steps import Steps
from helpers import oracle

pytestmark = pytest.mark.slow  # together, these take long

SPECK = mpf(10) ** -22
ALL_X = [1e-9, 1e-4, 1.0, 99.0, 1e4, 1e8]

# How an area is written: its influence, its value, its definition.
AREAS = {
    "roc_auc": (
        lambda steps, x: influence.roc_auc(steps),
        lambda steps, x: areas.roc_auc(steps, 1.0),
        oracle.roc_auc,
    ),
    "average_precision": (
        influence.average_precision,
        lambda steps, x: areas.average_precision(steps, np.array([x]), 0.0, 1.0)[0],
        oracle.average_precision,
    ),
    "auc_pr": (
        influence.auc_pr,
        lambda steps, x: areas.auc_pr(steps, np.array([x]), 0.0, 1.0)[0],
        oracle.auc_pr,
    ),
    "auc_prg": (
        influence.auc_prg,
        lambda steps, x: areas.auc_prg(steps, np.array([x]), 0.0, 1.0)[0],
        oracle.auc_prg,
    ),
    "best_f_beta": (
        lambda steps, x: influence.best_f_beta(steps, x, 0.3),
        lambda steps, x: areas.best_f_beta(steps, np.array([x]), 0.3, 0.0, 1.0)[0],
        lambda rows: oracle.best_f_beta(rows, beta=0.3),
    ),
}


def steps_of(pos, gap, tied):
    """Corners from the counts at them, in the gaps above them and last below them, and tied with them."""
    before = np.cumsum(gap[..., :-1], axis=-1) + np.cumsum(tied, axis=-1) - tied
    n_pos, n_neg = (np.ravel(total)[0] for total in (pos.sum(-1), gap.sum(-1) + tied.sum(-1)))
    return Steps(np.cumsum(pos, axis=-1), before + tied, pos, tied, n_pos, n_neg)


def some_counts(corners, ties, seed):
    """Counts with many empty gaps; every other curve begins with positives on top."""
    rng = np.random.default_rng([corners, seed])
    pos = rng.integers(1, 6, corners)
    pos[-1] += 1 - pos.sum() % 2  # no recall is 1/2, where AUC-PRG has a kink at x = 1
    gap = rng.integers(0, 9, corners + 1) * (rng.random(corners + 1) < 0.6)
    tied = rng.integers(0, 5, corners) * (rng.random(corners) < 0.5) * ties
    gap[0] *= seed % 2
    gap[-1] += 3
    return pos, gap, tied


def definition(area, cells, x):
    """An area as a function of the masses at corners, in gaps and tied."""
    pos, gap, tied = cells
    table = [(mpf(0), gap[0])]
    for at_corner, with_it, below in zip(pos, tied, gap[1:], strict=True):
        table += [(at_corner, with_it), (mpf(0), below)]
    n_pos, n_neg = sum(pos), sum(gap) + sum(tied)
    rates = [(p / n_pos, oracle.exact(x) * q / n_neg) for p, q in table if p or q]
    sums = list(accumulate(rates, lambda a, b: (a[0] + b[0], a[1] + b[1])))
    return area([(tp, fp, sums[-1][0] - tp, sums[-1][1] - fp) for tp, fp in sums])


def as_cells(counts):
    return [[oracle.exact(float(count)) for count in column] for column in counts]


def by_definition(area, counts, x, speck=SPECK):
    """The change of the area by a speck of mass on each cell in turn, per speck."""
    cells = as_cells(counts)
    n_neg = sum(cells[1]) + sum(cells[2])
    before = definition(area, cells, x)
    answers = []
    for column, size in zip(cells, (sum(cells[0]), n_neg, n_neg), strict=True):
        answer = []
        for k, count in enumerate(column):
            column[k] = count + size * speck
            answer.append(float((definition(area, cells, x) - before) / speck))
            column[k] = count
        answers.append(np.array(answer))
    return Influence(*answers)


def assert_same(got, expected, counts, rtol):
    """Equal to `rtol` of the value or, for a value next to its own zero, of the spread in its class."""
    pos, gap, tied = counts
    spread_pos = np.sqrt(np.average(expected.at_corner**2, weights=pos))
    there = np.concatenate([gap, tied])
    of_neg = np.concatenate([expected.in_gap, expected.tied])
    spread_neg = np.sqrt(np.average(of_neg[there > 0] ** 2, weights=there[there > 0]))
    for one, other, spread in zip(got, expected, (spread_pos, spread_neg, spread_neg), strict=True):
        assert_allclose(one, other, rtol=rtol, atol=rtol * spread + 1e-18)


@pytest.mark.parametrize("x", ALL_X)
@pytest.mark.parametrize("corners", [1, 2, 5, 29])
@pytest.mark.parametrize("name", AREAS)
def test_influence_is_the_change_by_a_speck_of_weight(name, corners, x):
    of, value, area = AREAS[name]
    for seed, ties in ((0, True),) if corners == 29 else product((0, 1), (False, True)):
        counts = some_counts(corners, ties, seed)
        steps = steps_of(*counts)
        assert value(steps, x) == pytest.approx(float(definition(area, as_cells(counts), x)), rel=1e-12)
        got, expected = of(steps, x), by_definition(area, counts, x)
        if name == "auc_pr" and counts[1][0] == 0:
            assert got.in_gap[0] == -np.inf
            got.in_gap[0] = expected.in_gap[0]
        assert_same(got, expected, counts, 1e-12)


def test_the_mean_of_both_sides_is_taken_where_a_corner_has_the_prevalence_as_recall():
    """At recall = prevalence the area gains from a corner moved on, but loses nothing from one moved back."""
    counts = np.array([1, 1, 1, 1]), np.array([1, 0, 4, 1, 2]), np.array([0, 2, 0, 0])
    more, less = (by_definition(oracle.auc_prg, counts, 1.0, speck=sign * SPECK) for sign in (1, -1))
    mean = Influence(*((a + b) / 2 for a, b in zip(more, less, strict=True)))
    assert not np.allclose(more.at_corner, less.at_corner)
    assert_same(influence.auc_prg(steps_of(*counts), 1.0), mean, counts, 1e-12)


def cells_of(answer, counts):
    """The influence of the cells that have cases, positives and negatives by falling score, and the cases."""
    pos, gap, tied = counts
    negatives, there = np.empty(2 * len(pos) + 1), np.empty(2 * len(pos) + 1, int)
    negatives[::2], there[::2] = answer.in_gap, gap
    negatives[1::2], there[1::2] = answer.tied, tied
    return (answer.at_corner[pos > 0], pos[pos > 0]), (negatives[there > 0], there[there > 0])


def each_case(answer, counts):
    """The influence of each positive and of each negative by falling score."""
    return [np.repeat(*cells) for cells in cells_of(answer, counts)]


@pytest.fixture(scope="module")
def resampled():
    """A curve and bootstrap replicates of it, in which some corners have no positives, as narrow counts."""
    rng = np.random.default_rng(7)
    pos, gap, tied = some_counts(12, True, 1)
    n_pos, cells = pos.sum(), np.concatenate([gap, tied])
    rows = [(rng.multinomial(n_pos, pos / n_pos), rng.multinomial(cells.sum(), cells / cells.sum())) for _ in range(40)]
    rows.append((np.where(np.arange(12) == 6, n_pos, 0), rows[0][1]))
    rows.append((rows[0][0], np.where(np.arange(25) == 12, cells.sum(), 0)))  # a perfect curve
    rows.append((rows[0][0], np.where(np.arange(25) == 0, cells.sum(), 0)))  # and the worst
    pos, cells = (np.array(column) for column in zip(*rows, strict=True))
    assert (pos == 0).any(axis=0).all()  # each corner is missing somewhere
    return pos, cells[:, :13], cells[:, 13:]


def narrow(steps):
    return steps.each(lambda column: column.astype(np.uint8))


@pytest.mark.parametrize("x", ALL_X)
@pytest.mark.parametrize("name", AREAS)
def test_many_curves_at_once_equal_one_by_one(name, x, resampled):
    of = AREAS[name][0]
    together = narrow(steps_of(*resampled))
    answers = of(together, x)
    variance = influence.variance(answers, together)
    assert variance.shape == (len(resampled[0]),)
    for row, counts in enumerate(zip(*resampled, strict=True)):
        alone = steps_of(*counts)
        for one, other in zip(of(alone, x), answers, strict=True):
            assert_array_equal(one, other[row])
        assert influence.variance(of(alone, x), alone) == variance[row]
        assert influence.delong_variance(alone) == influence.delong_variance(together)[row]


def without_empty_corners(pos, gap, tied):
    """The same cases; what is tied with a corner that has no positives is in a gap then."""
    real = pos > 0
    gap_of = np.append(0, np.cumsum(real))
    wider = np.bincount(gap_of, gap) + np.bincount(gap_of[1:], tied * ~real, gap_of[-1] + 1)
    return pos[real], wider.astype(int), tied[real]


@pytest.mark.parametrize("x", ALL_X)
@pytest.mark.parametrize("name", AREAS)
def test_corners_without_positives_do_not_count(name, x, resampled):
    of = AREAS[name][0]
    answers = of(narrow(steps_of(*resampled)), x)
    assert not any(np.isnan(column).any() for column in answers)
    for row, counts in enumerate(zip(*resampled, strict=True)):
        fewer = without_empty_corners(*counts)
        got = each_case(Influence(*(column[row] for column in answers)), counts)
        for one, other in zip(got, each_case(of(steps_of(*fewer), x), fewer), strict=True):
            assert_allclose(one, other, rtol=1e-9, atol=1e-12 * np.abs(other).max() + 1e-25)


@pytest.mark.parametrize("pos", [[1, 1, 0, 1, 1], [1, 0, 1, 1, 1], [1, 0, 2, 1, 0], [0, 2, 0, 0, 2]])
def test_nor_do_they_where_the_recall_is_the_prevalence(pos):
    counts = np.array(pos), np.array([1, 3, 0, 4, 1, 2]), np.array([0, 2, 5, 0, 1])
    fewer = without_empty_corners(*counts)
    got, expected = (each_case(influence.auc_prg(steps_of(*c), 1.0), c) for c in (counts, fewer))
    for one, other in zip(got, expected, strict=True):
        assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("name", AREAS)
def test_influence_is_centred_and_its_variance_is_that_of_the_cases(name, resampled):
    of = AREAS[name][0]
    for counts in zip(*resampled, strict=True):
        steps = steps_of(*counts)
        answer = of(steps, 99.0)
        cases = each_case(answer, counts)
        for case in cases:
            assert abs(case.mean()) <= 1e-14 * np.abs(case).max()
        variance = sum((case**2).sum() / len(case) ** 2 for case in cases)
        assert influence.variance(answer, steps) == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("name", AREAS)
def test_only_shares_count(name):
    """Weights are sums of any size, down to a curve of rates with one positive and one negative."""
    of = AREAS[name][0]
    pos, gap, tied = counts = some_counts(20, True, 1)
    n_neg = gap.sum() + tied.sum()
    shares = steps_of(pos / pos.sum(), gap / n_neg, tied / n_neg)._replace(n_pos=1.0, n_neg=1.0)
    assert_same(of(shares, 3.0), of(steps_of(*counts), 3.0), counts, 1e-12)


@pytest.mark.parametrize("x", ALL_X)
@pytest.mark.parametrize("name", AREAS)
def test_a_perfect_curve_does_not_vary(name, x):
    """Exactly: what is left over by rounding would be taken for a width."""
    rng = np.random.default_rng(0)
    pos = rng.integers(1, 9, 50)
    steps = steps_of(pos, np.append(np.zeros(50, int), 77), np.zeros(50, int))
    answer = AREAS[name][0](steps, x)
    assert influence.variance(answer, steps) == 0


def test_all_predicted_positive_does_not_vary():
    """At a high prevalence the best F_beta predicts everything positive and is the same for any sample."""
    pos, gap, tied = some_counts(20, True, 0)
    gap[-1] = 0
    steps = steps_of(pos, gap, tied)
    answer = influence.best_f_beta(steps, 1e-4, 1.0)
    assert influence.variance(answer, steps) == 0


def placements(positives, negatives):
    """DeLong's structural components, pair by pair."""
    above = (positives[:, np.newaxis] > negatives) + (positives[:, np.newaxis] == negatives) / 2
    return above.mean(axis=1), above.mean(axis=0)


def steps_from_scores(label, score):
    positives, negatives = score[label == 1], score[label == 0]
    corner, pos = (column[::-1] for column in np.unique(positives, return_counts=True))
    ordered = np.sort(negatives)
    fp = len(negatives) - np.searchsorted(ordered, corner, "left")
    above = len(negatives) - np.searchsorted(ordered, corner, "right")
    return Steps(np.cumsum(pos), fp, pos, fp - above, len(positives), len(negatives))


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_roc_auc_has_the_placements_as_influence_and_the_variance_of_delong(decimals):
    rng = np.random.default_rng(3)
    label = (rng.random(300) < 0.3).astype(int)
    score = (rng.normal(size=300) + label).round(decimals)
    steps = steps_from_scores(label, score)
    both = placements(-np.sort(-score[label == 1]), -np.sort(-score[label == 0]))
    gap = np.append(steps.fp - steps.neg, steps.n_neg) - np.append(0, steps.fp)
    cases = each_case(influence.roc_auc(steps), (steps.pos, gap, steps.neg))
    for case, placement in zip(cases, both, strict=True):
        assert_allclose(case, placement - placement.mean(), atol=1e-13)
    expected = sum(placement.var(ddof=1) / len(placement) for placement in both)
    assert influence.delong_variance(steps) == pytest.approx(expected, rel=1e-12)


def test_delong_variance_equals_that_of_other_tools(reference_data):
    folder = reference_data / "reference"
    compared = 0
    for entry in json.loads((folder / "values.json").read_text()).values():
        rows = pd.read_csv(folder / entry["file"])
        steps = steps_from_scores(rows["y"].to_numpy(), rows["score"].to_numpy())
        assert influence.delong_variance(steps) == pytest.approx(entry["values"]["auc_roc_delong_var"], rel=1e-10)
        compared += 1
    assert compared >= 7


@pytest.mark.parametrize("counts", [([1], [2, 3], [1]), ([1, 2], [0, 0, 1], [0, 0])])
def test_one_case_has_no_delong_variance(counts):
    assert np.isnan(influence.delong_variance(steps_of(*map(np.array, counts))))


@pytest.mark.parametrize("name", ["roc_auc", "auc_pr", "auc_prg", "best_f_beta"])
def test_a_million_corners_keep_their_digits(name):
    """In one pass: anything that grows with the square would not end. The halves of a corner are as the whole."""
    of = AREAS[name][0]
    rng = np.random.default_rng(5)
    half = rng.integers(1, 4, 500_000)
    gap = rng.integers(0, 3, 500_001) * (rng.random(500_001) < np.linspace(0, 1, 500_001))
    none = np.zeros(500_000, int)
    whole = of(steps_of(2 * half, gap, none), 1e4)
    split_gap = np.append(np.column_stack([gap[:-1], none]).ravel(), gap[-1])
    split = of(steps_of(np.repeat(half, 2), split_gap, np.zeros(1_000_000, int)), 1e4)
    corners = split.at_corner.reshape(-1, 2)
    near = 1e-11 * np.abs(whole.at_corner).max()
    assert_allclose(corners, np.broadcast_to(whole.at_corner[:, np.newaxis], corners.shape), rtol=1e-9, atol=near)
    near = 1e-11 * np.abs(whole.in_gap[1:]).max()
    assert_allclose(split.in_gap[2::2], whole.in_gap[1:], rtol=1e-9, atol=near)


def test_average_precision_of_a_million_corners_takes_one_pass():
    rng = np.random.default_rng(6)
    counts = rng.integers(1, 4, 1_000_000), rng.integers(0, 3, 1_000_001), rng.integers(0, 2, 1_000_000)
    steps = steps_of(*counts)
    answer = influence.average_precision(steps, 1e4)
    for case in each_case(answer, counts):
        assert abs(case.mean()) < 1e-12 * np.abs(case).mean()
    assert 0 < influence.variance(answer, steps) < 1
