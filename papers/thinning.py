"""Test sets brought to another prevalence by throwing negatives away."""

import numpy as np

import baserate as br


def thinned(curve: br.Curve, prevalence: float, rng: np.random.Generator) -> br.Curve:
    """All positives, and as many negatives, drawn at random, as make the prevalence."""
    n_neg = round(curve.n_pos * (1 - prevalence) / prevalence)
    left = rng.multivariate_hypergeometric(np.asarray(curve.neg, np.intp), n_neg, method="count")
    return br.Curve.from_counts(curve.score, curve.pos, left)
