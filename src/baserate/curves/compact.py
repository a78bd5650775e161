"""A curve in a few kilobytes: neighbouring scores are joined into buckets where that affects average precision least.

A bucket that takes recall from ``T0`` to ``T1`` and the false positive rate from ``F0`` to ``F1`` leaves average
precision uncertain by at most ``T1 - T0`` times the difference between the best precision in it, all positives first,
and the mean of the worst, all negatives first. Each bucket is extended while this stays below a limit, which is the
lowest one at which the curve fits. As the uncertainty depends on the prevalence, those at several prevalences are
weighted, and the weights are changed until the largest uncertainty is as small as possible.
"""

import math

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

# What share of the bytes edges may take at most.
_ROOM = 0.6

# A size this near to the largest allowed is as good as there.
_NEARLY_FULL = 0.97


def compact(curve: Curve, *, max_bytes: int = MAX_BYTES, edges: FloatArray | None = None) -> Curve:
    """The curve itself if it is small enough when encoded, else a curve with as many buckets as fit.

    The remaining thresholds have exact counts, and are scores of the data. The order within buckets is lost; `bounds`
    gives the resulting error of a metric, and `width` that of average precision.

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
    kept = np.empty(0) if edges is None else np.sort(edges)
    while True:
        thinning = _Thinning(curve, counted, max_bytes, kept)
        if thinning.has_room:
            return thinning.best()
        kept = kept[::2] if len(kept) > 1 else kept[:0]


def fits(curve: Curve, max_bytes: int = MAX_BYTES) -> bool:
    """Whether the encoded curve is small enough without buckets."""
    return len(curve) <= 4 * max_bytes and len(encode(curve)) <= max_bytes


def edges_of(curve: Curve) -> FloatArray:
    """Edges for `compact`: scores that no bucket of this curve, or of others of the same model, should cross."""
    return compact(curve, max_bytes=MAX_BYTES // 3).score


def width(curve: Curve) -> float:
    """The largest width of the bounds of average precision, at the curve's own prevalence and from 1e-6 to 0.5."""
    return float(_widths(curve).max())


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

    @property
    def has_room(self) -> bool:
        """Whether there is room for more buckets than the edges require."""
        return len(self.ends) == 1 or len(encode(self._joined(self._cuts(math.inf)))) < _ROOM * self.max_bytes

    def best(self) -> Curve:
        """The best of a few rounds; each weights prevalences by the uncertainty that the round before has left."""
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
            if self._cost(begin, begin + tried) > limit:
                bad = tried
                break
            good, step = tried, 2 * step
        else:
            return most
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._cost(begin, begin + middle) > limit:
                bad = middle
            else:
                good = middle
        return good

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
