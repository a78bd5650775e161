"""The bucket of a score, worked out by the engine: the same number as `baserate.curves.buckets.bucket_of` gives.

Each step is a column of its own: engines that compile expressions choke on one that holds all steps. Ids stay
floats, which hold them exactly; a cast to integers is one more thing that engines do differently.
"""

import narwhals.stable.v2 as nw

from baserate.curves.buckets import HIGHEST_OCTAVE, MOST_BITS, OCTAVES, upper_end
from baserate.ingest.collecting import AnyFrame

# In the last part of an octave however finely it is cut, and still if SQL takes it for a decimal and rounds it.
_BELOW_ONE = 1 - 2.0 ** -(MOST_BITS + 2)
_HALVINGS = (128, 64, 32, 16, 8, 4, 2, 1)
assert sum(_HALVINGS) == OCTAVES - 1


def with_bucket(frame: AnyFrame, bits: int) -> AnyFrame:
    """Add the column ``bucket`` for the column ``score``; null where the score is null."""
    score, distance, size, octave, rank = (
        nw.col(name) for name in ("score", "__distance", "__size", "__octave", "__rank")
    )
    frame = frame.with_columns(nw.when(score > 0.5).then(1 - score).otherwise(score).alias("__distance"))
    frame = frame.with_columns(nw.when(distance < 0).then(0 - distance).otherwise(distance).alias("__size"))
    # Scaled below 1, so that one direction of halving finds every octave.
    frame = frame.with_columns(
        nw.when(size < 2.0**HIGHEST_OCTAVE)
        .then(size * 2.0**-HIGHEST_OCTAVE)
        .otherwise(nw.lit(_BELOW_ONE))
        .alias("__size"),
        nw.lit(float(OCTAVES - 1)).alias("__octave"),
    )
    for step in _HALVINGS:
        small = size < 2.0**-step
        frame = frame.with_columns(
            nw.when(small).then(size * 2.0**step).otherwise(size).alias("__size"),
            nw.when(small).then(octave - float(step)).otherwise(octave).alias("__octave"),
        )
    parts = 2.0**bits
    within = ((2 * size - 1) * parts).floor()
    frame = frame.with_columns(
        nw.when(size >= 0.5).then(1 + octave * parts + within).otherwise(nw.lit(0.0)).alias("__rank")
    )
    frame = frame.with_columns(nw.when(distance < 0).then(-1 - rank).otherwise(rank).alias("__rank"))
    frame = frame.with_columns(nw.when(score > 0.5).then(float(upper_end(bits)) - rank).otherwise(rank).alias("__rank"))
    return frame.with_columns(nw.when(score.is_null()).then(nw.lit(None, nw.Float64)).otherwise(rank).alias("bucket"))
