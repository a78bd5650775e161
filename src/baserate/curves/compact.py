"""A curve in a few kilobytes: neighbouring scores are joined into buckets where that affects metrics least.

A bucket that takes recall from ``T0`` to ``T1`` and the false positive rate from ``F0`` to ``F1`` leaves average
precision uncertain by at most ``T1 - T0`` times the difference between the best precision in it, all positives first,
and the mean of the worst, all negatives first. Each bucket is extended while this stays below a limit, which is the
lowest one at which the curve fits. As the uncertainty depends on the prevalence, those at several prevalences are
weighted, and the weights are changed until the largest uncertainty is as small as possible.

At a threshold within the bucket, recall is known to ``T1 - T0``. The odds of precision are known to the factor
``T1 / T0 * F1 / F0``, whatever the prevalence, so precision is known to ``tanh(log(factor) / 4)``. Both stay below a
second limit, the lowest one whose buckets take no more than a given share of the bytes.
"""

import math
from collections.abc import Iterable

import numpy as np

from baserate import checks
from baserate.arrays import Counts, FloatArray, Indices
from baserate.curves.counting import Counted, narrow
from baserate.curves.curve import Curve
from baserate.curves.extremes import blur
from baserate.curves.packing import counts_of, encode
from baserate.curves.table import CountTable
from baserate.errors import InputError

MAX_BYTES = 4096
_LEAST_BYTES = 256

# Where average precision has to be known: at the data's own prevalence, and at these.
PREVALENCES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5)

# What a bucket's share of the negatives costs, squared: little, so that it decides only where there is room to spare.
_SPREAD = 1e-4

# How often the weights of the prevalences are moved, and how often a limit is tried for each.
_ROUNDS, _TRIES = 4, 14

# What share of the bytes edges may take at most, and these with what points at a threshold need.
_ROOM, _ROOM_OF_POINTS = 0.6, 0.75

# Limits of what a bucket may leave open of precision and recall at a threshold, tried from the lowest on.
_REACHES = np.geomspace(0.002, 0.999, 64)

# A size this near to the largest allowed is as good as there.
_NEARLY_FULL = 0.97


def compact(
    curve: Curve,
    *,
    max_bytes: int = MAX_BYTES,
    edges: FloatArray | None = None,
    thresholds: Iterable[float] = (),
) -> Curve:
    """The curve itself if it is small enough when encoded, else a curve with as many buckets as fit.

    The remaining thresholds have exact counts, and are scores of the data; the given `thresholds` have exact counts,
    too. The order within buckets is lost; `bounds` gives the resulting error of a metric, `width` that of average
    precision, and `point_width` that of precision and recall at any threshold.

    When curves are pooled, overlapping buckets become one, and a chain of overlaps could join them all. No bucket
    crosses one of the `edges`, so curves made compact with the same edges can be pooled: see `edges_of`.

    Examples
    --------
    >>> import baserate as br, numpy as np
    >>> from baserate.curves.compact import compact, width
    >>> from baserate.curves.packing import encode
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(100_000) < 0.01
    >>> curve = br.Curve.from_scores(y, rng.normal(size=100_000) + 2 * y)
    >>> small = compact(curve)
    >>> len(encode(curve)) > 500_000, len(encode(small)) <= 4096
    (True, True)
    >>> width(small) < 0.01
    True
    """
    max_bytes = checks.whole_number(max_bytes, "max_bytes")
    if max_bytes < _LEAST_BYTES:
        raise InputError(f"max_bytes must be at least {_LEAST_BYTES}, got {max_bytes}; allow more.")
    counted = counts_of(curve)
    if fits(curve, max_bytes):
        return curve
    kept, always = np.empty(0) if edges is None else np.sort(edges), np.unique(list(thresholds))
    while True:
        thinning = _Thinning(curve, counted, max_bytes, np.union1d(kept, always))
        if thinning.has_room or not len(kept):
            return thinning.best()
        kept = kept[::2] if len(kept) > 1 else kept[:0]


def fits(curve: Curve, max_bytes: int = MAX_BYTES) -> bool:
    """Whether the encoded curve is small enough without buckets."""
    return len(curve) <= 4 * max_bytes and len(encode(curve)) <= max_bytes


def knows(curve: Curve, thresholds: FloatArray) -> bool:
    """Whether counts at these thresholds are exact: none of them lies within a bucket."""
    table = curve.table
    assert isinstance(table, CountTable)
    low, high = curve.score[table.buckets], curve.top[table.buckets]
    return not bool(((low < thresholds[:, np.newaxis]) & (thresholds[:, np.newaxis] <= high)).any())


def edges_of(curve: Curve) -> FloatArray:
    """Edges for `compact`: scores that no bucket of this curve, or of others of the same model, should cross."""
    return compact(curve, max_bytes=MAX_BYTES // 3).score


def width(curve: Curve) -> float:
    """The largest width of the bounds of average precision, at the curve's own prevalence and from 1e-6 to 0.5."""
    return float(_widths(curve).max())


def point_width(curve: Curve) -> float:
    """The largest error, at any threshold, of recall and of precision at any prevalence; F1 may have twice that."""
    table = curve.table
    assert isinstance(table, CountTable)
    tp, fp = (np.append(0.0, column) for column in table.cumulative())
    last = np.flatnonzero(table.buckets)
    reach = _reach(*(column[end] / max(column[-1], 1) for column in (tp, fp) for end in (last, last + 1)))
    return float(np.max(reach, initial=0.0))


def _reach(before: FloatArray, after: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray:
    """The error of recall and of precision in buckets that take TPR and FPR from one value to another."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(after > before, after / before, 1.0) * np.where(most > least, most / least, 1.0)
        of_precision = np.where((after == 0) | (most == 0), 0.0, np.tanh(np.log(factor) / 4))  # it is 0 or 1 there
    return np.maximum(after - before, of_precision)


def _widths(curve: Curve) -> FloatArray:
    assert isinstance(curve.table, CountTable)
    return np.maximum(blur(curve.table, _odds(curve)), 0.0)  # rounding may go below


def _odds(curve: Curve) -> FloatArray:
    odds = [(1 - prevalence) / prevalence for prevalence in PREVALENCES]
    return np.array(odds if curve.missing_class else [*odds, float(curve.n_neg) / float(curve.n_pos)])


# --- where to cut ---------------------------------------------------------------------------------


class _Thinning:
    """The search for the best buckets that fit."""

    def __init__(self, curve: Curve, counted: Counted, max_bytes: int, edges: FloatArray) -> None:
        self.curve, self.counted, self.max_bytes = curve, counted, max_bytes
        tp, fp = (np.append(0.0, column) for column in curve.table.cumulative())
        # Plain numbers: one bucket is weighed at a time, and arrays of eight would take longer.
        self.tpr: list[float] = (tp / max(tp[-1], math.ulp(0.0))).tolist()
        self.fpr: list[float] = (fp / max(fp[-1], math.ulp(0.0))).tolist()
        self.odds: list[float] = _odds(curve).tolist()
        self.weights = [1 / len(self.odds)] * len(self.odds)
        # Where a bucket has to end: behind the last score at or above an edge.
        self.ends = np.union1d(np.searchsorted(-counted.score, -edges, side="right"), len(counted.score))
        self.reach = 1.0  # of a bucket: its error of recall, and that of precision by its log factor
        self.log_factor = math.inf

    @property
    def has_room(self) -> bool:
        """Whether there is room for more buckets than the edges require."""
        return len(self.ends) == 1 or self._size(math.inf) < _ROOM * self.max_bytes

    def _size(self, limit: float) -> int:
        return len(encode(self._joined(self._cuts(limit))))

    def _limit_reach(self) -> None:
        """Set the lowest limit for points at a threshold whose buckets leave room."""
        low, high = 0, len(_REACHES) - 1
        while low < high:
            middle = (low + high) // 2
            self._set_reach(_REACHES[middle])
            if self._size(math.inf) <= _ROOM_OF_POINTS * self.max_bytes:
                high = middle
            else:
                low = middle + 1
        self._set_reach(_REACHES[high])

    def _set_reach(self, reach: float) -> None:
        self.reach, self.log_factor = float(reach), 4 * math.atanh(float(reach))

    def best(self) -> Curve:
        """The best of a few rounds; each weights prevalences by the uncertainty that the round before has left."""
        self._limit_reach()
        limit = 1e-5
        narrowest: Curve | None = None
        least = math.inf
        for _ in range(_ROUNDS):
            fitted, limit = self._fitted(limit)
            widths = _widths(fitted)
            widest = float(widths.max())
            if narrowest is None or widest < least:
                narrowest, least = fitted, widest
            if widest == 0:
                break
            moved = np.array(self.weights) * (0.05 + widths / widest)
            self.weights = (moved / moved.sum()).tolist()
        assert narrowest is not None
        return narrowest

    def _fitted(self, limit: float) -> tuple[Curve, float]:
        """The lowest limit at which the curve fits, and its buckets."""
        too_low, fits, fitted = 0.0, math.inf, None
        for _ in range(_TRIES):
            tried = self._joined(self._cuts(limit))
            size = len(encode(tried))
            if size <= self.max_bytes:
                fits, fitted = limit, tried
                if size >= _NEARLY_FULL * self.max_bytes:
                    break
            else:
                too_low = limit
            # The number of buckets goes about as one over the root of the limit.
            limit *= (size / (0.985 * self.max_bytes)) ** 2
            if not too_low < limit < fits:
                limit = math.sqrt(too_low * fits) if too_low and fits < math.inf else limit
        if fitted is None:  # not seen, but as few buckets as there can be always fit
            fits, fitted = math.inf, self._joined(self._cuts(math.inf))
        return fitted, fits

    def _cuts(self, limit: float) -> Indices:
        """The first entry of each bucket, if each is as long as the limit and the edges allow."""
        begins, begin, length = [], 0, 1
        for end in self.ends.tolist():
            while begin < end:
                begins.append(begin)
                length = self._longest(begin, end, length, limit)
                begin += length
        return np.array(begins)

    def _longest(self, begin: int, end: int, guess: int, limit: float) -> int:
        """The largest number of entries of a bucket, by doubling and then bisection."""
        most = end - begin
        good, step = 1, max(guess // 2, 1)
        while good < most:
            tried = min(good + step, most)
            if not self._allows(begin, begin + tried, limit):
                bad = tried
                break
            good, step = tried, 2 * step
        else:
            return most
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._allows(begin, begin + middle, limit):
                good = middle
            else:
                bad = middle
        return good

    def _allows(self, begin: int, end: int, limit: float) -> bool:
        """Whether these entries may be one bucket."""
        before, after, least, most = self.tpr[begin], self.tpr[end], self.fpr[begin], self.fpr[end]
        if after - before > self.reach:
            return False
        if after > 0 and most > 0:  # else precision is 0 or 1 at every threshold in it
            if before == 0 or least == 0:
                return self.reach >= _REACHES[-1] and self._cost(begin, end) <= limit
            if math.log(after / before) + math.log(most / least) > self.log_factor:
                return False
        return limit == math.inf or self._cost(begin, end) <= limit

    def _cost(self, begin: int, end: int) -> float:
        """The uncertainty of average precision if these entries are one bucket, plus a small term for negatives."""
        before, after, least, most = self.tpr[begin], self.tpr[end], self.fpr[begin], self.fpr[end]
        rise, run = after - before, most - least
        cost = _SPREAD * run * run
        if rise <= 0:
            return cost
        for x, weight in zip(self.odds, self.weights, strict=True):
            false = x * most
            lost = false / rise * math.log1p(rise / (before + false)) if false else 0.0
            cost += weight * rise * (lost - x * least / (after + x * least))
        return cost

    def _joined(self, begins: Indices) -> Curve:
        counted = self.counted
        ends = np.append(begins[1:], len(counted.score)) - 1
        top = (counted.score if counted.top is None else counted.top)[begins]
        score = counted.score[ends]

        def summed(column: Counts) -> Counts:
            wide = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
            return narrow(np.add.reduceat(wide, begins))

        squares = [
            None if column is None else summed(column).astype(np.float64)
            for column in (counted.pos_squares, counted.neg_squares)
        ]
        joined = Counted(score, summed(counted.pos), summed(counted.neg), squares[0], squares[1], top)
        return Curve._of(joined, self.curve.given_prevalence, self.curve.unlabelled, self.curve.source)
