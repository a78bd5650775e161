"""File formats of curves: which version is written, and which versions are read. docs/formats.md is for users.

A version changes only if readers of the version before would misread the bytes. The latest version is written, all
versions from the oldest to the latest are read, later ones are refused. Curves read from any version can be pooled.
"""

from typing import NamedTuple

from baserate.errors import CurveFileError


class Format(NamedTuple):
    """A file format, with the version that is written and the oldest one that is read."""

    name: str  # as a sentence calls it
    version: int
    oldest: int = 1


# What `Curve.save` and `Accumulator.save` write: a zip of arrays (files.py).
SAVED_CURVE = Format("a saved curve", 1)
SAVED_ACCUMULATOR = Format("a saved accumulator", 1)

# Which scores share a bucket (buckets.py). Only accumulators have to know: they go on in the buckets they began with.
BUCKETS = Format("an accumulator's buckets", 1)

# A curve in a few kilobytes, as a row of a store holds it (packing.py).
COMPACT_CURVE = Format("a kept curve", 1)

# The tables of a store (monitor/store_rows.py), brought up to date by whoever may write first (monitor/store_file.py).
STORE = Format("a store", 2, oldest=0)


def check_version(kept: Format, version: object, where: str = "") -> None:
    """Refuse a version that this version of baserate cannot read."""
    if isinstance(version, int) and kept.oldest <= version <= kept.version:
        return
    known = f"{kept.oldest} to {kept.version}" if kept.oldest < kept.version else str(kept.version)
    raise CurveFileError(
        f"{kept.name} must be of version {known}, got version {version!r}{where and f' in {where}'}; read it with the "
        f"version of baserate that wrote it."
    )
