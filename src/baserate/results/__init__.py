"""What comes out when one float is not enough: frozen values that print themselves and make tables."""

from baserate.results.calibration_tests import (
    CoxCalibration,
    HosmerLemeshow,
    InTheLarge,
    InTheSmall,
    Spiegelhalter,
)
from baserate.results.comparisons import CrossingEstimate, Difference, Lead, Ranking, Region
from baserate.results.intervals import Band, Bounds, Estimate, MaxWidth
from baserate.results.isotonic import Decomposition, IsotonicReliability
from baserate.results.priors import PrevalenceEstimate, PriorShiftCheck
from baserate.results.readings import Crossing, NaturalFrequencies, Sweep
from baserate.results.reliability import PriorEffect, Reliability
from baserate.results.resampled import ChanceTest, Undersampled

__all__ = [
    "Band",
    "Bounds",
    "ChanceTest",
    "CoxCalibration",
    "Crossing",
    "CrossingEstimate",
    "Decomposition",
    "Difference",
    "Estimate",
    "HosmerLemeshow",
    "InTheLarge",
    "InTheSmall",
    "IsotonicReliability",
    "Lead",
    "MaxWidth",
    "NaturalFrequencies",
    "PrevalenceEstimate",
    "PriorEffect",
    "PriorShiftCheck",
    "Ranking",
    "Region",
    "Reliability",
    "Spiegelhalter",
    "Sweep",
    "Undersampled",
]
