"""Guaranteed bounds of calibration errors if scores are in buckets, by interval arithmetic."""

import math
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray, Indices
from baserate.curves.bins import (
    Binned,
    Bins,
    BinsLike,
    as_bins,
    binned,
    inner_edges,
    place_of,
    quantile_place,
    rows_below,
)
from baserate.curves.curve import Curve
from baserate.formulas.smooth_ece import smooth_ece


class GapRange(NamedTuple):
    """The range of the distance between event rate and mean score of each bin."""

    least_distance: FloatArray
    most_distance: FloatArray
    least_sum: FloatArray  # of the distance times the share
    most_sum: FloatArray


def of_ece(curve: Curve, *, bins: BinsLike = 10) -> tuple[float, float]:
    """Bounds of the expected calibration error."""
    known = _gaps(curve, bins)
    return float(np.sum(known.least_sum)), min(float(np.sum(known.most_sum)), 1.0)


def of_mce(curve: Curve, *, bins: BinsLike = 10) -> tuple[float, float]:
    """Bounds of the maximum calibration error; a bin that may be empty does not raise the lower bound."""
    known = _gaps(curve, bins)
    return float(np.max(known.least_distance)), float(np.max(known.most_distance))


def of_rms_calibration_error(curve: Curve, *, bins: BinsLike = 10) -> tuple[float, float]:
    """Bounds of the root mean squared calibration error."""
    known = _gaps(curve, bins)
    squares = known.least_sum * known.least_distance, known.most_sum * known.most_distance
    low, high = (math.sqrt(min(float(np.sum(part)), 1.0)) for part in squares)
    return low, high


def of_debiased_rms_calibration_error(curve: Curve, *, bins: BinsLike = 10) -> tuple[float, float]:
    """Bounds of the debiased root mean squared error: 0, and the upper bound of the plain error."""
    return 0.0, of_rms_calibration_error(curve, bins=bins)[1]


def of_debiased_ece(curve: Curve, *, bins: BinsLike = 10) -> tuple[float, float]:
    """Bounds of the debiased error: at most the plain error, and at least that minus its noise."""
    low, high = of_ece(curve, bins=bins)
    _, variance, share = with_variance(binned(curve, bins))
    first, last = _reach(curve, as_bins(bins))
    crossing = bool((first != last).any())  # then the bins may hold other rows, and have other noise
    noise = 1.0 if crossing else float(np.sum(share * np.sqrt(2 * variance / np.pi)))
    left_out = 1 - float(np.sum(share))
    return max(low - noise - left_out, 0.0), high


def of_smooth_ece(curve: Curve) -> tuple[float, float]:
    """Bounds of the smooth error.

    Moving every score by up to d changes the error at a bandwidth s by at most ``d (1 + sqrt(2/pi) / s)``: the
    differences y - p change by d, and a kernel moved by d changes by ``d sqrt(2/pi) / s`` in the mean. The error falls
    with the bandwidth, so its fixed point moves up by at most that, and down by at most the t with that t at s - t.
    """
    pos, neg = np.asarray(curve.pos, np.float64), curve.neg_as_read
    value = smooth_ece(curve.middle, pos, neg).value
    moved = float(np.sum((pos + neg) * (curve.top - curve.score)) / np.sum(pos + neg)) / 2
    slope = math.sqrt(2 / math.pi)
    # t = moved (1 + slope / (value - t)): the smaller root, where there is one
    half = (value + moved) / 2
    rest = half**2 - moved * (value + slope)
    low = max(value - (half - math.sqrt(rest)), 0.0) if rest > 0 else 0.0
    return low, min(value + moved * (1 + slope / value), 1.0) if value > 0 else 1.0


def with_variance(bins: Binned) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gap, its sampling variance and the share of each bin that has more than one row."""
    variance = bins.rate_variance
    known = np.isfinite(variance)
    return bins.gap[known], variance[known], bins.share[known]


def _reach(curve: Curve, bins: Bins) -> tuple[Indices, Indices]:
    """The lowest and the highest bin in which rows of each entry may be.

    Edges may count as their nearest 32-bit floats, depending on scores that are not known; so a bucket reaches into a
    bin if it does with either. Quantiles may cut a bucket anywhere.
    """
    is_bucket = curve.top > curve.score
    if bins.kind == "equal_frequency":
        below, rows = rows_below(curve), curve.pos + curve.neg
        ends = (below, np.where(is_bucket, below + rows - (0 if curve.weighted else 1), below))
        total, ranked = float(rows.sum()), not curve.weighted
        first, last = (quantile_place(end, total, bins.n, ranked=ranked) for end in ends)
        return first, last
    inner = inner_edges(curve, bins)
    narrow = inner.astype(np.float32).astype(np.float64)
    first = place_of(curve.score, np.maximum(inner, narrow), bins.closed)
    last = place_of(curve.top, np.minimum(inner, narrow), bins.closed)
    alone = place_of(curve.score, inner, bins.closed)
    return np.where(is_bucket, first, alone), np.where(is_bucket, last, alone)


def _gaps(curve: Curve, bins: BinsLike) -> GapRange:
    """The range of the gap of each bin."""
    first, last = _reach(curve, as_bins(bins))
    n_bins = int(last.max()) + 1
    pos, neg = np.asarray(curve.pos, np.float64), curve.neg_as_read
    total = float(np.sum(pos) + np.sum(neg))
    least_mass, most_mass = np.zeros(n_bins), np.zeros(n_bins)
    least, most = np.zeros(n_bins), np.zeros(n_bins)  # sums of y - p

    whole = first == last
    for into, values in (
        (least_mass, pos + neg),
        (most_mass, pos + neg),
        (least, pos * (1 - curve.top) - neg * curve.top),
        (most, pos * (1 - curve.score) - neg * curve.score),
    ):
        into[:] = np.bincount(first[whole], weights=values[whole], minlength=n_bins)
    for entry in np.flatnonzero(~whole):  # any of its rows may be in any of these bins
        reached = slice(int(first[entry]), int(last[entry]) + 1)
        most_mass[reached] += pos[entry] + neg[entry]
        least[reached] -= neg[entry] * curve.top[entry]
        most[reached] += pos[entry] * (1 - curve.score[entry])
    return _ranges(least_mass, most_mass, least, most, total)


def _ranges(
    least_mass: FloatArray, most_mass: FloatArray, least: FloatArray, most: FloatArray, total: float
) -> GapRange:
    farthest = np.maximum(np.abs(least), np.abs(most))
    nearest = np.where((least <= 0) & (most >= 0), 0.0, np.minimum(np.abs(least), np.abs(most)))
    with np.errstate(divide="ignore", invalid="ignore"):
        nearest_gap = np.where(most_mass > 0, nearest / most_mass, 0.0)
        farthest_gap = np.where(farthest > 0, np.minimum(farthest / least_mass, 1.0), 0.0)
    return GapRange(nearest_gap, farthest_gap, nearest / total, farthest / total)
