"""Calibration: do scores agree with event rates, and what does another prevalence do to that?"""

from baserate.calibration.choosing import RecalibrationChoice, choose_recalibration
from baserate.calibration.cross_fitting import cross_fitted
from baserate.calibration.decomposition import decompose
from baserate.calibration.goodness_of_fit import hosmer_lemeshow, spiegelhalter
from baserate.calibration.isotonic_band import isotonic_reliability
from baserate.calibration.large_and_small import in_the_large, in_the_small
from baserate.calibration.line import cox_calibration
from baserate.calibration.prior_effects import prior_effect
from baserate.calibration.recalibration import Recalibration, recalibrate
from baserate.curves.bins import Bins, equal_frequency, equal_width

__all__ = [
    "Bins",
    "Recalibration",
    "RecalibrationChoice",
    "choose_recalibration",
    "cox_calibration",
    "cross_fitted",
    "decompose",
    "equal_frequency",
    "equal_width",
    "hosmer_lemeshow",
    "in_the_large",
    "in_the_small",
    "isotonic_reliability",
    "prior_effect",
    "recalibrate",
    "spiegelhalter",
]
