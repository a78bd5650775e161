"""A curve with a wanted area, for tables that print an area and no curve."""

from gaussians import POSITIVE_MEAN, population

import baserate as br


def binormal(separation: float, prevalence: float) -> br.Curve:
    """Normal scores, the means of the classes so far apart; a few hundred points are enough to draw or compare."""
    return population(POSITIVE_MEAN - separation, n=500).at_prevalence(prevalence)


def with_auc_pr(area: float, prevalence: float) -> br.Curve:
    """The curve of this kind that has a given AUC-PR at a prevalence; the perfect one for an area of 1."""
    from scipy.optimize import brentq

    if area == 1:
        return br.Curve.from_rates([1.0], [0.0], prevalence=prevalence)
    separation = brentq(lambda d: br.auc_pr(binormal(d, prevalence)) - area, -6, 8, xtol=1e-12)
    return binormal(float(separation), prevalence)
