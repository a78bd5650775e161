"""Prevalence of unlabelled rows (quantification), and tests for prior shift."""

from baserate.prior.prevalence import estimate_prevalence
from baserate.prior.shift import prior_shift_check
from baserate.uncertainty.prevalence import Beta

__all__ = [
    "Beta",
    "estimate_prevalence",
    "prior_shift_check",
]
