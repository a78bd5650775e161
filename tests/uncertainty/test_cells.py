"""A curve cut into cells: nothing is lost, few corners stay as they are, runs of many are too short to matter."""

import math

import numpy as np
import pytest
from scipy.special import logit

import baserate as br
from baserate.uncertainty import cells as cutting
from helpers.drawn_rows import CONTINUOUS, KINDS, all_tied, smooth, weighted, with_heavy_ties
from helpers.simulated import normal_rows

CUTS = (cutting.corners, cutting.every_corner, cutting.cells_of, cutting.scores_in_runs, cutting.every_score)


def held(part):
    return part.rows * part.weight


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cut", CUTS)
def test_cells_hold_all_rows(kind, cut):
    curve = kind(3000, 5000)
    cells = cut(curve)
    assert (cells.pos.total, cells.neg.total) == pytest.approx((curve.n_pos, curve.n_neg), rel=1e-12)
    for part, squares in ((cells.pos, curve.pos_squares), (cells.neg, curve.neg_squares)):
        assert held(part) @ part.weight == pytest.approx(squares.sum(), rel=1e-12)
    assert (np.diff(cells.score) < 0).all()
    assert (cells.top >= cells.score).all()
    assert (cells.top[1:] < cells.score[:-1]).all()
    assert len(cells.neg.rows) == 2 * len(cells.pos.rows) + 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cut", CUTS)
def test_each_row_is_in_the_cell_that_holds_it(kind, cut):
    """Counted from the rows by their scores, cells hold what they say."""
    curve = kind(2000, 3000)
    cells = cut(curve)
    cell = cutting.cell_of(curve.score, cells)
    assert (cell[curve.pos > 0] % 2 == 1).all()
    size = 2 * len(cells.score) + 1
    assert np.bincount(cell, curve.pos, size)[1::2] == pytest.approx(held(cells.pos), rel=1e-9, abs=1e-9)
    assert np.bincount(cell, curve.neg, size) == pytest.approx(held(cells.neg), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_few_corners_stay_as_they_are(kind):
    curve = kind(500, 2000)
    cells = cutting.cells_of(curve)
    assert np.array_equal(cells.score, curve.score[curve.pos > 0])
    assert not cells.straight.any()
    assert not cells.atoms.any()


def starts_and_ends(curve, cells, corners):
    """Shares of both classes above the first corner of each cell, above its last one, and down to its end."""
    first = np.searchsorted(-corners.score, -cells.top)
    last = np.searchsorted(-corners.score, -cells.score)
    assert np.array_equal(corners.score[first], cells.top)
    assert np.array_equal(corners.score[last], cells.score)
    for column in (curve.pos, curve.neg):
        down_to = np.cumsum(column)[np.searchsorted(-curve.score, -corners.score)] / column.sum()
        before = np.append(0.0, down_to[:-1])
        yield [np.clip(share, 1e-12, 1 - 1e-12) for share in (before[first], before[last], down_to[last])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("cut", "closely"), [CUTS[2:0:-1], CUTS[3:]])
def test_a_run_is_no_longer_than_a_sixteenth_of_a_unit_of_log_odds(kind, cut, closely):
    """That is to the last corner in it, which is no longer than that itself."""
    curve = kind(20_000, 30_000)
    cells, corners = cut(curve), closely(curve)
    for start, last, end in starts_and_ends(curve, cells, corners):
        assert (logit(last) - logit(start)).max() < 1 / 16
        assert (logit(end) - logit(last))[cells.straight].max(initial=0) < 1 / 16
    if kind is not all_tied:
        assert cells.straight.any()
        assert len(cells.score) < 1500


def test_the_number_of_runs_grows_with_the_logarithm_of_the_rows():
    """Each class has a first row and a last one, whose log odds move by that of how many times as many there are."""
    few, many = (len(cutting.cells_of(smooth(n, n)).score) for n in (20_000, 400_000))
    assert few < many < few + 16 * 4 * math.log(20)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not weighted])
def test_the_highest_rows_of_either_class_are_told_apart(kind):
    cells = cutting.cells_of(kind(20_000, 30_000))
    assert not cells.straight[np.cumsum(cells.pos.rows) <= 32].any()
    within_runs = np.where(cells.straight, cells.neg.rows[1::2], 0)
    assert (within_runs[np.cumsum(cells.neg.rows)[1::2] <= 16] == 0).all()


def moves_much(column):
    """Scores of more than one row that, standing or falling together, move a rate by a quarter of what chance does."""
    above, total = np.cumsum(column), column.sum()
    share = above / total
    chance = np.sqrt(total * share * (1 - share + column / total))
    return (column > 1) & (column >= 0.25 * chance)


@pytest.mark.parametrize("kind", [with_heavy_ties, all_tied])
def test_every_heavy_tie_stands_alone(kind):
    curve = kind(20_000, 30_000)
    heavy = curve.score[moves_much(curve.pos) | moves_much(curve.neg)]
    cells = cutting.cells_of(curve)
    assert len(heavy) >= 4
    assert np.isin(heavy, cells.score[~cells.straight]).all()
    assert cells.atoms[np.isin(cells.score, heavy)].all()


def test_a_row_worth_many_stands_alone():
    """Where rows are weighted, one of them may move a rate by more than a run may."""
    y, score = normal_rows(20_000, 20_000, 1.5)
    heavy = np.arange(0, len(y), 4000)
    curve = br.Curve.from_scores(y, score, weight=np.where(np.isin(np.arange(len(y)), heavy), 3000.0, 1.0))
    cells = cutting.cells_of(curve)
    assert np.isin(score[heavy[y[heavy] == 1]], cells.score[~cells.straight]).all()


@pytest.mark.parametrize("threshold", [-np.inf, 1.0, 1.5, 2.0, 3.0, 4.0, np.inf])
def test_between_thresholds_are_their_counts(threshold):
    curve = br.Curve.from_counts([3, 2, 1], [2, 3, 5], [7, 11, 13])
    cells, point = cutting.between(curve, np.array([threshold])), curve.at_threshold(threshold)
    assert tuple(cells.pos.rows) == (point.confusion.tp, point.confusion.fn)
    assert (cells.neg.rows[:2].sum(), cells.neg.rows[2:].sum()) == (point.confusion.fp, point.confusion.tn)


def test_whether_scores_are_mostly_tied():
    assert cutting.is_mostly_tied(br.Curve.from_counts([3, 2, 1], [2, 3, 5], [7, 11, 13]))
    assert not cutting.is_mostly_tied(smooth(20, 20))
    assert not cutting.is_mostly_tied(br.Curve.from_scores([1, 1, 0, 0], [1, 1, 0, 0], weight=[1, 2, 1, 2]))
