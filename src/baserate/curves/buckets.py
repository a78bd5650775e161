r"""The number of the bucket of a score: a whole number that increases with the score.

Each octave of the score, [1/4, 1/2) for example, is cut into ``2**bits`` equal buckets; above 1/2, octaves of 1 - score
are. So buckets are narrow near 0 and near 1, where rare events are decided. Margins of any size and sign have buckets,
too. One bit less joins neighbouring buckets and never splits one.

Only comparisons and powers of two are used. These are exact in every engine, so a score has the same bucket everywhere.
Logarithms are not exact, and are not used.
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
    """The number of the bucket of 1, so large that buckets below 1 do not meet those above 0."""
    return 4 * OCTAVES << bits
