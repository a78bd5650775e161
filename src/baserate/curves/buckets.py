r"""Which bucket a score belongs to: whole numbers that rise with the score.

A bucket is an octave of the score, cut into ``2**bits`` equal parts; above 1/2 it is an octave of what the score
lacks to 1. So buckets are narrow, relative to the distance, near 0 and near 1, where rare events are decided, and
margins of any size and sign have buckets too. Halving the bits joins neighbours and never splits a bucket.

The number of a bucket comes from comparisons and powers of two alone. These are exact in every engine, so the same
score has the same bucket everywhere; no logarithm is, and none is used.
"""

import numpy as np
import numpy.typing as npt

from baserate.arrays import FloatArray

BucketIds = npt.NDArray[np.int64]

# Octaves that are told apart: from 2**-192 to 2**64. Scores nearer to 0 or 1 share a bucket, and so do larger ones.
OCTAVES = 256
HIGHEST_OCTAVE = 64

# Ids stay below 2**53, so that engines may work them out in floats.
MOST_BITS = 42


def bucket_of(scores: FloatArray, bits: int) -> BucketIds:
    """The bucket of each score; no score may be nan."""
    upper = scores > 0.5
    distance = np.where(upper, 1 - scores, scores)  # exact near 1, and never out of order elsewhere
    largest = np.nextafter(2.0**HIGHEST_OCTAVE, 0)
    fraction, exponent = np.frexp(np.minimum(np.abs(distance), largest))
    octave = exponent.astype(np.int64) + (OCTAVES - 1 - HIGHEST_OCTAVE)
    part = np.floor((2 * fraction - 1) * 2.0**bits).astype(np.int64)
    near = (octave < 0) | (fraction == 0)
    rank = np.where(near, 0, 1 + octave * 2**bits + part)
    signed = np.where(distance < 0, -1 - rank, rank)
    return np.where(upper, upper_end(bits) - signed, signed)


def upper_end(bits: int) -> int:
    """The bucket of 1: far enough up for the buckets below 1 not to meet those above 0."""
    return 4 * OCTAVES << bits
