"""Calibration errors corrected for plug-in bias.

`gap` is event rate minus mean score in each bin, `variance` the sampling variance of the event rate, `share` the bin's
part of all rows. Kumar, Liang & Ma, Verified uncertainty calibration, NeurIPS 2019. arXiv:1909.10155.
"""

import numpy as np
import scipy

from baserate.arrays import FloatArray


def debiased_squares(gap: FloatArray, variance: FloatArray, share: FloatArray) -> float:
    """The mean squared gap minus its sampling variance; it may be negative."""
    return float(np.sum(share * (gap**2 - variance)))


def debiased_l1(gap: FloatArray, variance: FloatArray, share: FloatArray) -> float:
    """The mean absolute gap minus its bias, at least 0; the bias is the increase by one more sampling error."""
    return max(float(np.sum(share * (2 * np.abs(gap) - folded_normal_mean(gap, variance)))), 0.0)


def folded_normal_mean(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """The mean of the absolute value of a normal variable."""
    spread = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(spread > 0, np.abs(mean) / spread, np.inf)
    noise = spread * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    return np.asarray(noise + np.abs(mean) * scipy.special.erf(z / np.sqrt(2)), np.float64)
