"""What comes out when one float is not enough: frozen values that print themselves and make tables."""

from baserate.results.comparisons import CrossingEstimate, Difference, Lead, Ranking, Region
from baserate.results.intervals import Band, Bounds, Estimate, MaxWidth
from baserate.results.readings import Crossing, NaturalFrequencies, Sweep
from baserate.results.resampled import ChanceTest, Undersampled

__all__ = [
    "Band",
    "Bounds",
    "ChanceTest",
    "Crossing",
    "CrossingEstimate",
    "Difference",
    "Estimate",
    "Lead",
    "MaxWidth",
    "NaturalFrequencies",
    "Ranking",
    "Region",
    "Sweep",
    "Undersampled",
]
