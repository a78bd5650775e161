"""The formats that curves are kept in: their versions, and which of them are read. docs/formats.md tells users.

One rule for all: a version goes up when somebody who knows the one before would misread the bytes, and only then. What
is written is of the latest version, what is read is of any from the oldest on, and what is later is refused. Whatever
was read is a `Curve` like any other, and adds up with those of every other version.
"""

from typing import NamedTuple

from baserate.errors import CurveFileError


class Format(NamedTuple):
    """Something that is kept, with the version that is written and the oldest that is read."""

    name: str  # as a sentence calls it
    version: int
    oldest: int = 1


# What `Curve.save` and `Accumulator.save` write: a zip of arrays (saving.py).
SAVED_CURVE = Format("a saved curve", 1)
SAVED_ACCUMULATOR = Format("a saved accumulator", 1)

# Which scores share a bucket (buckets.py). Only accumulators have to know: they go on in the buckets they began with.
BUCKETS = Format("an accumulator's buckets", 1)

# A curve in a few kilobytes, as a row of a store holds it (packing.py).
COMPACT_CURVE = Format("a kept curve", 1)

# The rows of a store (monitoring/store_rows.py), and their migration by whoever may write first (store_file.py).
STORE = Format("a store", 2, oldest=0)


def check_version(kept: Format, version: object, where: str = "") -> None:
    """Refuse what this version of baserate does not know, in a sentence."""
    if isinstance(version, int) and kept.oldest <= version <= kept.version:
        return
    known = f"{kept.oldest} to {kept.version}" if kept.oldest < kept.version else str(kept.version)
    raise CurveFileError(
        f"{kept.name} must be of version {known}, got version {version!r}{where and f' in {where}'}; read it with the "
        f"version of baserate that wrote it."
    )
