"""The bucket of a score, computed by the engine: a multiplication by a power of two, and a floor.

Both are exact, so every engine finds the same buckets; logarithms are not exact, and are not used. Scores from 0 to 1
are cut into ``2**bits`` equal parts, and 1 has a bucket of its own. Other scores (margins) have wider buckets farther
from 0: there are a few ranges, each with its own power of two. One more bit halves every bucket.

Ids are floats, which represent them exactly, because engines differ in how they cast to integers.
"""

import narwhals.stable.v2 as nw
import numpy as np

from baserate.arrays import FloatArray
from baserate.ingest.collecting import AnyFrame

# Ids stay below 2**53.
MOST_BITS = 48

# Margins up to each of these powers of two have buckets of one width; the last is beyond all floats.
_REACH = (4, 10, 20, 40, 80, 160, 320, 640, 1024)
_LARGEST = float(np.finfo(np.float64).max)
_FAR = [2.0**power if power < 1024 else _LARGEST for power in _REACH]


def with_bucket(frame: AnyFrame, bits: int) -> AnyFrame:
    """Add the column ``bucket`` for the column ``score``; null where the score is null or nan."""
    score = nw.col("score")
    infinite = nw.when(score == float("inf")).then(nw.lit(_beyond(bits)))
    bucket: nw.Expr = infinite.otherwise(nw.when(score == float("-inf")).then(nw.lit(-_beyond(bits))))
    for place, (power, far) in reversed([*enumerate(zip(_REACH, _FAR, strict=True), start=1)]):
        start = nw.when(score > 0).then(nw.lit(_start(place, bits))).otherwise(nw.lit(-_start(place, bits)))
        within = (score >= -far) & (score <= far)  # never true of nan: which of the two is not, engines disagree on
        bucket = nw.when(within).then((score * 2.0 ** (bits - power)).floor() + start).otherwise(bucket)
    share = (score >= 0) & (score <= 1)
    part = (score * 2.0**bits).floor() + 0.0  # there is a zero below zero, which some engines group apart
    return frame.with_columns(nw.when(share).then(part).otherwise(bucket).alias("bucket"))


def bucket_of(score: FloatArray, bits: int) -> FloatArray:
    """The bucket of each score of an array, computed by numpy."""
    if len(score) and score.min() >= 0 and score.max() <= 1:
        return np.floor(score * 2.0**bits) + 0.0
    size = np.abs(score)
    place = np.searchsorted(_FAR, size)  # a margin on the end of a range is within it
    power = np.append(_REACH, 0.0)[place]
    with np.errstate(invalid="ignore", over="ignore"):  # of scores that are no shares, or infinite
        within = (
            np.floor(score * np.exp2(bits - power))
            + np.sign(score) * np.array([_start(k, bits) for k in range(1, len(_REACH) + 2)])[place]
        )
        share = np.floor(score * 2.0**bits) + 0.0
    found = np.where(
        (score >= 0) & (score <= 1), share, np.where(np.isinf(score), np.sign(score) * _beyond(bits), within)
    )
    return np.where(np.isnan(score), np.nan, found)


def _start(place: int, bits: int) -> float:
    """The first id of a range of margins, after those of all ranges before."""
    return float(place * 2 ** (bits + 1))


def _beyond(bits: int) -> float:
    return _start(len(_REACH) + 1, bits)


def widths(score: FloatArray, bits: FloatArray) -> FloatArray:
    """The width of the bucket of each score, for this number of bits."""
    power = np.append(_REACH, np.inf)[np.searchsorted(2.0 ** np.array(_REACH[:-1]), np.abs(score))]
    return np.exp2(np.where((score >= 0) & (score <= 1), 0.0, power) - bits)
