"""A curve in a few kilobytes: neighbouring scores share a bucket where average precision is hurt least by that.

A bucket that takes recall from ``T0`` to ``T1`` and the false positive rate from ``F0`` to ``F1`` leaves average
precision uncertain by at most ``T1 - T0`` times the difference between the best precision in it, all positives first,
and the mean of the worst, all negatives first. Buckets are made as long as this stays below a limit, the same for all
of them; the limit is the lowest at which the curve fits. As the prevalence matters and is not known, the uncertainties
at several prevalences are weighted, and the weights moved until the largest of them is as small as it gets.
"""

import hashlib
import math
import struct
import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import checks
from baserate.arrays import Counts, FloatArray, Indices
from baserate.curves.counting import Counted, narrow
from baserate.curves.curve import Curve
from baserate.curves.extremes import blur
from baserate.curves.formats import COMPACT_CURVE, check_version
from baserate.curves.table import CountTable
from baserate.errors import CurveFileError, InputError

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
    """The curve itself if `encode` gives few enough bytes, else one with as many buckets as fit.

    Thresholds that are left have exact counts, and their scores occur in the data. What is lost is the order within
    buckets; `bounds` says what that does to a metric, and `width` to average precision.

    Buckets of different curves that overlap become one when the curves are pooled, and these would overlap in a chain
    from one end to the other. No bucket crosses any of the `edges`, so curves that are made compact with the same ones
    can be pooled: see `edges_of`.

    Examples
    --------
    >>> import baserate as br, numpy as np
    >>> from baserate.curves.compact import compact, encode, width
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
    counted = _counted(curve)
    if fits(curve, max_bytes):
        return curve
    kept = np.empty(0) if edges is None else np.sort(edges)
    while True:
        thinning = _Thinning(curve, counted, max_bytes, kept)
        if thinning.has_room:
            return thinning.best()
        kept = kept[::2] if len(kept) > 1 else kept[:0]


def fits(curve: Curve, max_bytes: int = MAX_BYTES) -> bool:
    """Whether it is small enough as it is."""
    return len(curve) <= 4 * max_bytes and len(encode(curve)) <= max_bytes


def edges_of(curve: Curve) -> FloatArray:
    """Scores that buckets of this curve, and of others of the same model, had better not cross."""
    return compact(curve, max_bytes=MAX_BYTES // 3).score


def width(curve: Curve) -> float:
    """How far apart the certain bounds of average precision are, at most: at its own prevalence and 1e-6 to 0.5."""
    return float(_widths(curve).max())


def _widths(curve: Curve) -> FloatArray:
    assert isinstance(curve.table, CountTable)
    return np.maximum(blur(curve.table, _odds(curve)), 0.0)  # rounding may go below


def _odds(curve: Curve) -> FloatArray:
    odds = [(1 - prevalence) / prevalence for prevalence in PREVALENCES]
    return np.array(odds if curve.missing_class else [*odds, float(curve.n_neg) / float(curve.n_pos)])


def _counted(curve: Curve) -> Counted:
    if not isinstance(curve.table, CountTable):
        raise InputError(f"only a curve of counts can be kept in few bytes, got {curve!r}; make it from scores.")
    return curve.table.counted


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
        """Whether there is room for more than the edges ask for."""
        return len(self.ends) == 1 or len(encode(self._joined(self._cuts(math.inf)))) < _ROOM * self.max_bytes

    def best(self) -> Curve:
        """The narrowest of a few rounds, each of which weighs the prevalences by what the one before left open."""
        limit = 1e-5
        found: Curve | None = None
        least = math.inf
        for _ in range(_ROUNDS):
            fitted, limit = self._fitted(limit)
            widths = _widths(fitted)
            widest = float(widths.max())
            if found is None or widest < least:
                found, least = fitted, widest
            if widest == 0:
                break
            moved = np.array(self.weights) * (0.05 + widths / widest)
            self.weights = (moved / moved.sum()).tolist()
        assert found is not None
        return found

    def _fitted(self, limit: float) -> tuple[Curve, float]:
        """The buckets of the lowest limit that fit, and that limit."""
        too_low, fits, found = 0.0, math.inf, None
        for _ in range(_TRIES):
            tried = self._joined(self._cuts(limit))
            size = len(encode(tried))
            if size <= self.max_bytes:
                fits, found = limit, tried
                if size >= _NEARLY_FULL * self.max_bytes:
                    break
            else:
                too_low = limit
            # The number of buckets goes about as one over the root of the limit.
            limit *= (size / (0.985 * self.max_bytes)) ** 2
            if not too_low < limit < fits:
                limit = math.sqrt(too_low * fits) if too_low and fits < math.inf else limit
        if found is None:  # not seen, but as few buckets as there can be always fit
            fits, found = math.inf, self._joined(self._cuts(math.inf))
        return found, fits

    def _cuts(self, limit: float) -> Indices:
        """Where buckets begin if each is as long as the limit and the edges allow."""
        begins, begin, length = [], 0, 1
        for end in self.ends.tolist():
            while begin < end:
                begins.append(begin)
                length = self._longest(begin, end, length, limit)
                begin += length
        return np.array(begins)

    def _longest(self, begin: int, end: int, guess: int, limit: float) -> int:
        """How many entries a bucket may hold: more and more are tried, then halves."""
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
        """What is not known about average precision if these entries are one bucket, and a little for negatives."""
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
        return Curve._of(joined, self.curve.given_prevalence, self.curve.unlabelled)


# --- bytes ----------------------------------------------------------------------------------------

_HEADER = struct.Struct("<BBBIQd")
_BUCKETED, _WEIGHTED, _GIVEN = 1, 2, 4

# How scores are written: as whole numbers that rise with them. Those with few decimals are multiples of a power of
# ten, those that a float of 32 bits holds are its bits, others the bits of their 64.
_AS_64_BITS, _AS_32_BITS, _AS_DECIMALS = 0, 1, 2
_MOST_DECIMALS = 15

Whole = npt.NDArray[np.uint64]

# What zlib, struct and numpy raise when bytes are not what they should be.
_SIGNS_OF_DAMAGE = (zlib.error, struct.error, ValueError, IndexError, OverflowError)


class _Scale(NamedTuple):
    """A way to write scores."""

    code: int

    def written(self, scores: FloatArray) -> Whole:
        if self.code == _AS_64_BITS:
            bits = scores.view(np.int64)
            return (bits ^ ((bits >> 63) & np.int64(2**63 - 1))).view(np.uint64)
        if self.code == _AS_32_BITS:
            short = scores.astype(np.float32).view(np.int32).astype(np.int64)
            return (short ^ ((short >> 63) & np.int64(2**31 - 1))).view(np.uint64)
        return np.round(scores * 10.0 ** (self.code - _AS_DECIMALS)).astype(np.int64).view(np.uint64)

    def read(self, written: Whole) -> FloatArray:
        whole = written.view(np.int64)
        if self.code == _AS_64_BITS:
            return (whole ^ ((whole >> 63) & np.int64(2**63 - 1))).view(np.float64)
        if self.code == _AS_32_BITS:
            bits = (whole ^ ((whole >> 63) & np.int64(2**31 - 1))).astype(np.int32)
            return bits.view(np.float32).astype(np.float64)
        return whole / 10.0 ** (self.code - _AS_DECIMALS)


def _scale_for(scores: FloatArray) -> _Scale:
    """The way that needs the fewest digits."""
    largest = float(np.abs(scores).max(initial=0.0))
    for decimals in range(_MOST_DECIMALS + 1):
        power = 10.0**decimals
        if largest * power >= 2**53:  # infinities too
            break
        if np.array_equal(np.round(scores * power) / power, scores):
            return _Scale(_AS_DECIMALS + decimals)
    with np.errstate(over="ignore"):
        short = np.array_equal(scores.astype(np.float32).astype(np.float64), scores)
    return _Scale(_AS_32_BITS if short else _AS_64_BITS)


def encode(curve: Curve) -> bytes:
    """The curve as bytes: differences of scores, and counts, byte by byte, compressed; `decode` gives it back."""
    counted = _counted(curve)
    ends = counted.score if counted.top is None else np.column_stack([counted.top, counted.score]).ravel()
    scale = _scale_for(ends)
    given = curve.given_prevalence
    flags = _BUCKETED * (counted.top is not None) + _WEIGHTED * curve.weighted + _GIVEN * (given is not None)
    written = scale.written(ends)
    # Highest first, so that what is left to write is how far down it goes; differences may pass 2**63, and wrap.
    falls = np.concatenate([written[:1], written[:-1] - written[1:]])
    columns = [falls] if counted.top is None else [falls[::2], falls[1::2]]
    amounts = [counted.pos, counted.neg]
    if curve.weighted:
        assert counted.pos_squares is not None
        assert counted.neg_squares is not None
        amounts += [counted.pos_squares, counted.neg_squares]
    columns += [_whole(amount) for amount in amounts]
    header = _HEADER.pack(COMPACT_CURVE.version, flags, scale.code, len(counted.score), curve.unlabelled, given or 0.0)
    return zlib.compress(header + b"".join(map(_planes, columns)), 9)


def decode(packed: bytes) -> Curve:
    """The curve that `encode` made the bytes from; damaged ones are refused."""
    try:
        return _decoded(zlib.decompress(packed))
    except CurveFileError:
        raise
    except _SIGNS_OF_DAMAGE as error:
        raise CurveFileError(
            f"a kept curve must be bytes that encode made, got {len(packed):,} that are damaged or something else "
            f"({type(error).__name__}); keep it again."
        ) from None


def fingerprint(curve: Curve) -> bytes:
    """What tells a curve from others, so that the same rows are known again however they are made compact."""
    saved = curve._saved()
    found = hashlib.sha256(repr(sorted(saved.facts.items())).encode())
    for name, column in sorted(saved.columns.items()):
        wide = column.astype("<f8" if column.dtype.kind == "f" else "<i8")
        found.update(name.encode() + len(wide).to_bytes(8, "little") + wide.tobytes())
    return found.digest()


def _decoded(raw: bytes) -> Curve:
    version, flags, code, n, unlabelled, given = _HEADER.unpack_from(raw)
    check_version(COMPACT_CURVE, version)
    bucketed, weighted = bool(flags & _BUCKETED), bool(flags & _WEIGHTED)
    columns = _columns(raw, _HEADER.size, n, (2 if bucketed else 1) + (4 if weighted else 2))
    falls = np.column_stack(columns[:2]).ravel() if bucketed else columns[0]
    written = falls.astype(np.uint64)
    np.negative(written[1:], out=written[1:])
    ends = _Scale(code).read(written.cumsum())
    if (ends[1:] > ends[:-1]).any() or code > _AS_DECIMALS + _MOST_DECIMALS:
        raise ValueError("scores are out of order")
    score, top = (ends[1::2], ends[::2]) if bucketed else (ends, None)
    amounts = columns[2 if bucketed else 1 :]
    if weighted:
        amounts = [amount.astype(np.uint64).view(np.float64) for amount in amounts]
    counted = Counted(score, *amounts)._replace(top=top)
    return Curve._of(counted, given if flags & _GIVEN else None, unlabelled)


def _whole(amounts: Counts) -> Whole:
    """Counts as they are, weights as their bits."""
    return amounts.view(np.uint64) if amounts.dtype.kind == "f" else amounts.astype(np.uint64)


def _planes(column: Whole) -> bytes:
    """The lowest bytes of all numbers, then the next ones, as many as the largest number has."""
    used = (int(column.max(initial=0)).bit_length() + 7) // 8
    table = np.ascontiguousarray(column, "<u8").view(np.uint8).reshape(len(column), 8)
    return bytes([used]) + np.ascontiguousarray(table[:, :used].T).tobytes()


def _columns(raw: bytes, place: int, n: int, how_many: int) -> list[Counts]:
    """Each column in the narrowest whole numbers that hold it, which is how counts are kept."""
    found = []
    for _ in range(how_many):
        used = raw[place]
        size = next(size for size in (1, 2, 4, 8) if used <= size)
        table = np.zeros((n, size), np.uint8)
        if used:
            table[:, :used] = np.frombuffer(raw, np.uint8, n * used, place + 1).reshape(used, n).T
        found.append(table.view(f"<u{size}").ravel())
        place += 1 + n * used
    if place != len(raw):
        raise ValueError("bytes are left over")
    return found
