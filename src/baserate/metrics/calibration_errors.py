"""Calibration errors: distances between scores and event rates."""

import math
import warnings
from collections.abc import Mapping

import numpy as np

from baserate.curves.bins import Binned, BinsLike, binned
from baserate.curves.curve import Curve
from baserate.errors import FewerBinsWarning
from baserate.formulas import debiased
from baserate.formulas.smooth_ece import smooth_ece as smoothed
from baserate.metrics import calibration_bounds
from baserate.metrics.definition import metric
from baserate.metrics.probabilities import READS_VALUES
from baserate.registry import Family, MetricLaw

# Noise shrinks with the number of rows, so copies of rows are not the same as weights.
_COUNTS_CASES = READS_VALUES | {MetricLaw.REPLICATION}
_BINS: tuple[Mapping[str, object], ...] = ({}, {"bins": 3}, {"bins": [0, 0.2, 0.7, 1]})


def _binned(curve: Curve, bins: BinsLike, asker: str) -> Binned:
    curve._check_not_sampled(asker)
    table = binned(curve, bins)
    if table.bins.kind == "equal_frequency" and 0 < len(table.n) < table.bins.n:
        warnings.warn(FewerBinsWarning(table.bins.n, len(table.n)), stacklevel=5)
    return table


@metric(
    label="ECE",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=READS_VALUES,
    examples=_BINS,
    within_buckets=calibration_bounds.of_ece,
)
def ece(curve: Curve, /, *, bins: BinsLike = 10) -> float:
    r"""Expected calibration error: the mean distance between score and event rate, by bins.

    .. math:: \sum_m \frac{n_m}{n}\,\lvert \bar y_m - \bar p_m \rvert

    From 0 to 1, lower is better. It is for the positive class, not for the top label. It depends on the bins and has
    plug-in bias: random error alone makes it positive; see `debiased_ece` and `smooth_ece`.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    bins : int, Bins, list of edges or text
        The bins, by default ten of equal width: `equal_width`, `equal_frequency`, or edges.

    References
    ----------
    Naeini, Cooper & Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015.
    doi:10.1609/aaai.v29i1.9602.

    Examples
    --------
    >>> import baserate as br
    >>> rain = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9])
    >>> round(br.ece(rain), 4)
    0.075
    """
    return _binned(curve, bins, "ece").mean_distance


@metric(
    label="MCE",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=READS_VALUES,
    examples=_BINS,
    within_buckets=calibration_bounds.of_mce,
)
def mce(curve: Curve, /, *, bins: BinsLike = 10) -> float:
    r"""Maximum calibration error: the largest distance between score and event rate in a bin.

    .. math:: \max_m\,\lvert \bar y_m - \bar p_m \rvert

    From 0 to 1, lower is better. With few rows in a bin it is often large by chance; `reliability` has intervals.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    bins : int, Bins, list of edges or text
        How to cut the scores, as in `ece`.

    References
    ----------
    Naeini, Cooper & Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015.
    doi:10.1609/aaai.v29i1.9602.

    Examples
    --------
    >>> import baserate as br
    >>> rain = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9])
    >>> round(br.mce(rain), 4)
    0.1
    """
    return float(np.max(np.abs(_binned(curve, bins, "mce").gap)))


@metric(
    label="RMS calibration error",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=READS_VALUES,
    examples=_BINS,
    within_buckets=calibration_bounds.of_rms_calibration_error,
)
def rms_calibration_error(curve: Curve, /, *, bins: BinsLike = 10) -> float:
    r"""The root of the mean squared distance between score and event rate, by bins.

    .. math:: \sqrt{\sum_m \frac{n_m}{n}\,(\bar y_m - \bar p_m)^2}

    From 0 to 1, lower is better.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    bins : int, Bins, list of edges or text
        How to cut the scores, as in `ece`.

    References
    ----------
    Kumar, Liang & Ma, Verified uncertainty calibration, NeurIPS 2019. arXiv:1909.10155.

    Examples
    --------
    >>> import baserate as br
    >>> rain = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9])
    >>> round(br.rms_calibration_error(rain), 4)
    0.0816
    """
    table = _binned(curve, bins, "rms_calibration_error")
    return math.sqrt(float(np.sum(table.mass * table.gap**2) / np.sum(table.mass)))


@metric(
    label="debiased RMS calibration error",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=_COUNTS_CASES,
    examples=_BINS,
    within_buckets=calibration_bounds.of_debiased_rms_calibration_error,
)
def debiased_rms_calibration_error(curve: Curve, /, *, bins: BinsLike = 10) -> float:
    r"""The root mean squared calibration error, corrected for plug-in bias.

    .. math:: \sqrt{\max\bigl(0, \sum_m \frac{n_m}{n}\,[(\bar y_m - \bar p_m)^2 - s_m^2]\bigr)}

    where :math:`s_m^2` is the sampling variance of the event rate, :math:`\bar y_m (1 - \bar y_m) / (n_m - 1)` at the
    data's own prevalence. The sum is unbiased before it is cut off at 0. From 0 to 1, lower is better. Bins with one
    row are left out, because their variance is unknown.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    bins : int, Bins, list of edges or text
        How to cut the scores, as in `ece`.

    References
    ----------
    Kumar, Liang & Ma, Verified uncertainty calibration, NeurIPS 2019. arXiv:1909.10155.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.8], pos=[2, 6], neg=[8, 4])
    >>> round(br.rms_calibration_error(curve), 4), round(br.debiased_rms_calibration_error(curve), 4)
    (0.1581, 0.0527)
    """
    squares = debiased.debiased_squares(
        *calibration_bounds.with_variance(_binned(curve, bins, "debiased_rms_calibration_error"))
    )
    return math.sqrt(max(squares, 0.0))


@metric(
    label="debiased ECE",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=_COUNTS_CASES,
    examples=_BINS,
    within_buckets=calibration_bounds.of_debiased_ece,
)
def debiased_ece(curve: Curve, /, *, bins: BinsLike = 10) -> float:
    r"""The expected calibration error, corrected for plug-in bias.

    .. math:: 2\,\text{ECE} - \sum_m \frac{n_m}{n}\,\mathrm{E}\,\lvert N(\bar y_m - \bar p_m, s_m^2) \rvert

    where the second term is the expected ECE if the sampling error :math:`s_m` is added to each event rate once more.
    From 0 to 1, lower is better; negative results become 0. Bins with one row are left out, because their sampling
    error is unknown.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.
    bins : int, Bins, list of edges or text
        How to cut the scores, as in `ece`.

    References
    ----------
    Kumar, Liang & Ma, Verified uncertainty calibration, NeurIPS 2019. arXiv:1909.10155. The expectation is in closed
    form here, where the paper draws it.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> br.debiased_ece(curve) < br.ece(curve)
    True
    """
    return float(debiased.debiased_l1(*calibration_bounds.with_variance(_binned(curve, bins, "debiased_ece"))))


@metric(
    label="smooth ECE",
    family=Family.PROBABILITY,
    bounds=(0.0, 1.0),
    higher_is_better=False,
    breaks=READS_VALUES,
    within_buckets=calibration_bounds.of_smooth_ece,
)
def smooth_ece(curve: Curve, /) -> float:
    r"""The smooth calibration error, without bins: residuals are averaged by a kernel as wide as the error itself.

    .. math:: \text{smECE}_\sigma = \int_0^1 \Bigl\lvert \tfrac1n \sum_i (y_i - p_i) K_\sigma(t, p_i) \Bigr\rvert dt
        \quad\text{at}\quad \sigma = \text{smECE}_\sigma

    where K is the normal density reflected at 0 and 1. From 0 to 1, lower is better. It has no bins to choose and does
    not jump when a score crosses an edge.

    Parameters
    ----------
    curve : Curve
        With scores between 0 and 1, read as they are.

    References
    ----------
    Błasiok & Nakkiran, Smooth ECE: principled reliability diagrams via kernel smoothing, ICLR 2024. arXiv:2309.12236.

    Examples
    --------
    >>> import baserate as br
    >>> rain = br.Curve.from_scores([0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9])
    >>> round(br.smooth_ece(rain), 4)
    0.0688
    """
    return smoothed(curve.middle, curve.pos, curve.neg_as_read).value
