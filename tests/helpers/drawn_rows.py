"""Rows to draw populations from, of several shapes, and what is drawn from them."""

import numpy as np

import baserate as br
from baserate.uncertainty.samplers import NOBODY, OfCells, Streams
from helpers.simulated import normal_curve, normal_rows


def smooth(n_pos, n_neg):
    return normal_curve(n_pos, n_neg, 1.5)


def with_heavy_ties(n_pos, n_neg):
    """A fifth of all rows has one score, and many rows of each class have one that no other has."""
    y, score = normal_rows(n_pos, n_neg, 1.5)
    score[(score > 0.5) & (score < 1.2)] = 0.9
    score[(y == 1) & (score > 1.2) & (score < 1.5)] = 1.5
    score[(y == 0) & (score > 1.5) & (score < 2.5)] = 1.99
    score[(y == 0) & (score > 0) & (score < 0.5)] = 0.6
    return br.Curve.from_scores(y, score)


def with_few_positives_in_a_stretch(n_pos, n_neg):
    """Negatives are dense and positives rare below the median of the positives."""
    y, score = normal_rows(n_pos, n_neg, 1.5)
    rare = (y == 1) & (score > 0.5) & (score < 1.5) & (np.arange(len(y)) % 100 > 0)
    return br.Curve.from_scores(y, np.where(rare, score + 1, score))


def with_a_kink(n_pos, n_neg):
    """Nearly all positives are above nearly all negatives, and both are dense on their sides."""
    y, score = normal_rows(n_pos, n_neg, 1.5)
    return br.Curve.from_scores(y, np.where((score > 0.7) == (y == 1), score + 10 * y, score))


def all_tied(n_pos, n_neg):
    y, score = normal_rows(n_pos, n_neg, 1.5)
    return br.Curve.from_scores(y, score.round(2))


def weighted(n_pos, n_neg):
    y, score = normal_rows(n_pos, n_neg, 1.5)
    return br.Curve.from_scores(y, score, weight=np.random.default_rng(1).exponential(size=len(y)))


CONTINUOUS = (smooth, with_few_positives_in_a_stretch, with_a_kink)
KINDS = (*CONTINUOUS, with_heavy_ties, all_tied, weighted)


def drawn_from(cells, n_draws, *, seed=0, again=False, rows=0.5):
    """Populations as a pessimist and an optimist see them, or rows drawn again; so much of a row is free."""
    sampler = OfCells(cells, again=again)
    masses = sampler.masses(n_draws, Streams.of((seed, seed + 1, seed + 2)))
    if again:
        return sampler.seen_by(NOBODY, masses)[0]
    both = (observer._replace(pos=rows, neg=rows) for observer in (sampler.pessimist, sampler.optimist))
    return tuple(sampler.seen_by(observer, masses)[0] for observer in both)
