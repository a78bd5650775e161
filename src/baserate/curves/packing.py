"""Encodes a curve in few bytes: differences of scores and counts, split into byte planes and compressed."""

import hashlib
import struct
import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import checks
from baserate.arrays import Counts, FloatArray
from baserate.curves.counting import Counted
from baserate.curves.curve import Curve
from baserate.curves.formats import COMPACT_CURVE, check_version
from baserate.curves.table import CountTable
from baserate.errors import CurveFileError, InputError

_HEADER = struct.Struct("<BBBIQd")
_BUCKETED, _WEIGHTED, _GIVEN = 1, 2, 4

# How scores are written: as whole numbers that rise with them. Those with few decimals are multiples of a power of
# ten, those that a float of 32 bits holds are its bits, others the bits of their 64.
_AS_64_BITS, _AS_32_BITS, _AS_DECIMALS = 0, 1, 2
_MOST_DECIMALS = 15

Whole = npt.NDArray[np.uint64]

# More than zlib makes of four kilobytes, which is what a store keeps.
_MOST_UNPACKED = 2**22
_MOST_CASES = 2**62

# What zlib, struct and numpy raise when bytes are not what they should be.
_SIGNS_OF_DAMAGE = (zlib.error, struct.error, ValueError, IndexError, OverflowError)


class _Scale(NamedTuple):
    """An encoding of scores as whole numbers."""

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
    """The encoding that needs the fewest digits."""
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
    """Encode the curve: differences of scores and counts, split into byte planes and compressed; see `decode`."""
    counted = counts_of(curve)
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
    """Decode the bytes of `encode`; damaged bytes are refused."""
    try:
        return _decoded(_unpacked(packed))
    except CurveFileError:
        raise
    except _SIGNS_OF_DAMAGE as error:
        raise CurveFileError(
            f"a curve is decoded from the bytes of encode, got {len(packed):,} bytes that are damaged or "
            f"something else ({type(error).__name__}); encode it again."
        ) from None


def _unpacked(packed: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(packed, _MOST_UNPACKED)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("the packed bytes are incomplete, too many, or followed by others")
    return raw


def counts_of(curve: Curve) -> Counted:
    """The counts of a curve that are encoded."""
    if not isinstance(curve.table, CountTable):
        raise InputError(f"only a curve of counts can be compressed, got {curve!r}; make it from scores.")
    curve._check_not_sampled("a store")
    return curve.table.counted


def fingerprint(curve: Curve) -> bytes:
    """A digest of a curve's counts, by which the same rows are recognised however they are made compact."""
    saved = curve._saved()
    facts = sorted((name, value) for name, value in saved.facts.items() if name != "source")  # any file may have them
    digest = hashlib.sha256(repr(facts).encode())
    for name, column in sorted(saved.columns.items()):
        wide = column.astype("<f8" if column.dtype.kind == "f" else "<i8")
        digest.update(name.encode() + len(wide).to_bytes(8, "little") + wide.tobytes())
    return digest.digest()


def _decoded(raw: bytes) -> Curve:
    version, flags, code, n, unlabelled, given = _HEADER.unpack_from(raw)
    check_version(COMPACT_CURVE, version)
    # Every entry has rows, so some column has a byte or more for each; whatever is larger is not worth any memory.
    if n > len(raw) or flags >= 2 * _GIVEN or code > _AS_DECIMALS + _MOST_DECIMALS or unlabelled >= _MOST_CASES:
        raise ValueError("a header that encode does not write")
    bucketed, weighted = bool(flags & _BUCKETED), bool(flags & _WEIGHTED)
    columns = _columns(raw, _HEADER.size, n, (2 if bucketed else 1) + (4 if weighted else 2))
    falls = np.column_stack(columns[:2]).ravel() if bucketed else columns[0]
    written = falls.astype(np.uint64)
    np.negative(written[1:], out=written[1:])
    ends = _Scale(code).read(written.cumsum())
    score, top = (ends[1::2], ends[::2]) if bucketed else (ends, None)
    amounts = columns[2 if bucketed else 1 :]
    if weighted:
        amounts = [amount.astype(np.uint64).view(np.float64) for amount in amounts]
    counted = _possible(Counted(score, *amounts)._replace(top=top))
    return Curve._of(counted, checks.prevalence(given) if flags & _GIVEN else None, unlabelled)


def _possible(counted: Counted) -> Counted:
    """Refuse impossible counts. This is ten times as fast as the checks of user input, with a less helpful message."""
    top = counted.score if counted.top is None else counted.top
    if not (top >= counted.score).all() or not (counted.score[:-1] > top[1:]).all():  # nan is neither
        raise ValueError("scores are out of order")
    if not ((counted.pos > 0) | (counted.neg > 0)).all():
        raise ValueError("entries are empty")
    for column, largest in zip(counted[1:5], (1e100, 1e100, 1e200, 1e200), strict=True):
        if column is not None and counted.pos_squares is not None:
            checks.amounts(column, "weight", largest=largest)
        elif column is not None and column.sum(dtype=np.float64) >= _MOST_CASES:
            raise ValueError("more cases than can be counted")
    return counted


def _whole(amounts: Counts) -> Whole:
    """Counts unchanged; weights as the integers that have the same bits."""
    return amounts.view(np.uint64) if amounts.dtype.kind == "f" else amounts.astype(np.uint64)


def _planes(column: Whole) -> bytes:
    """Byte planes: the lowest bytes of all numbers, then the next ones, as many as the largest number has."""
    used = (int(column.max(initial=0)).bit_length() + 7) // 8
    table = np.ascontiguousarray(column, "<u8").view(np.uint8).reshape(len(column), 8)
    return bytes([used]) + np.ascontiguousarray(table[:, :used].T).tobytes()


def _columns(raw: bytes, place: int, n: int, how_many: int) -> list[Counts]:
    """Each column in the narrowest integer type that holds it."""
    columns = []
    for _ in range(how_many):
        used = raw[place]
        if used > 8 or place + 1 + n * used > len(raw):
            raise ValueError("bytes are missing")
        size = next(size for size in (1, 2, 4, 8) if used <= size)
        table = np.zeros((n, size), np.uint8)
        if used:
            table[:, :used] = np.frombuffer(raw, np.uint8, n * used, place + 1).reshape(used, n).T
        columns.append(table.view(f"<u{size}").ravel())
        place += 1 + n * used
    if place != len(raw):
        raise ValueError("bytes are left over")
    return columns
