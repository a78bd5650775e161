"""Two normal populations whose metrics are known: positives N(2, 1), negatives N(mu0, 1), as in Siblini et al. 2020."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import baserate as br

Floats = NDArray[np.float64]

POSITIVE_MEAN = 2.0

# As published: F1 is read where the likelihood ratio is 0.5, whatever the prevalence.
METRICS: dict[str, Callable[[br.Curve], float]] = {
    "AUC-PR": br.average_precision,
    "AUC-PR gain": br.auc_prg,
    "F1": lambda curve: float(br.f1(curve.at_threshold(0.5))),
}


def sample(n: int, prevalence: float, negative_mean: float, rng: np.random.Generator) -> br.Curve:
    """A test set of `n` rows, scored by the likelihood ratio, the best score there is."""
    label = np.arange(n) < round(prevalence * n)
    x = rng.normal(np.where(label, POSITIVE_MEAN, negative_mean))
    middle = (POSITIVE_MEAN + negative_mean) / 2
    return br.Curve.from_scores(label, np.exp((POSITIVE_MEAN - negative_mean) * (x - middle)))


def population(negative_mean: float, n: int = 200_000) -> br.Curve:
    """The curve of the whole population, as a ROC curve through very many of its points."""
    tpr = np.unique(np.concatenate([np.geomspace(1e-12, 1, n), np.linspace(1e-3, 1, n)]))
    return br.Curve.from_rates(tpr, ndtr(ndtri(tpr) - (POSITIVE_MEAN - negative_mean)))


def rates(negative_mean: float) -> tuple[float, float]:
    """The true and the false positive rate where the likelihood ratio is 0.5."""
    threshold = np.log(0.5) / (POSITIVE_MEAN - negative_mean) + (POSITIVE_MEAN + negative_mean) / 2
    return float(ndtr(POSITIVE_MEAN - threshold)), float(ndtr(negative_mean - threshold))


def of_population(curve: br.Curve, negative_mean: float, prevalence: float) -> dict[str, float]:
    """The three metrics of a `population` at a prevalence; between its points precision is integrated exactly."""
    there = curve.at_prevalence(prevalence)
    tpr, fpr = rates(negative_mean)
    point = br.Point.from_rates(tpr=tpr, fpr=fpr, prevalence=prevalence)
    return {"AUC-PR": br.auc_pr(there), "AUC-PR gain": br.auc_prg(there), "F1": float(br.f1(point))}


def f1_error(negative_mean: float, prevalence: Floats | float, n_pos: Floats, n_neg: Floats) -> Floats:
    """The standard error of F1 there, of test sets of these sizes read at a prevalence: by the errors of both rates."""
    tpr, fpr = rates(negative_mean)
    odds_against = (1 - prevalence) / prevalence
    called = tpr + 1 + odds_against * fpr
    by_tpr = 2 * (called - tpr) / called**2 * np.sqrt(tpr * (1 - tpr) / n_pos)
    by_fpr = 2 * tpr * odds_against / called**2 * np.sqrt(fpr * (1 - fpr) / n_neg)
    error: Floats = np.hypot(by_tpr, by_fpr)
    return error
