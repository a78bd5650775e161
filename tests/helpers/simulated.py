"""Scores that are normal, where those of positives are higher by a distance."""

import numpy as np

import baserate as br


def normal_rows(n_pos, n_neg, distance=1.0, *, spread=1.0, rng=0, decimals=None):
    """Labels, positives first, and scores; `rng` is a seed or a generator, with few decimals there are ties."""
    label = np.repeat([1, 0], [n_pos, n_neg])
    score = np.random.default_rng(rng).normal(distance * label, np.where(label, spread, 1.0))
    return label, score if decimals is None else score.round(decimals)


def normal_curve(*sizes, **options):
    """The curve of `normal_rows`."""
    return br.Curve.from_scores(*normal_rows(*sizes, **options))


def normal_pair(n_pos, n_neg, *, seed=0, **options):
    """Two models that are equally good and agree in nothing."""
    label = np.repeat([1, 0], [n_pos, n_neg])
    a, b = np.random.default_rng(seed).normal(size=(2, n_pos + n_neg)) + label
    return br.Pair.from_scores(label, a, b, **options)
