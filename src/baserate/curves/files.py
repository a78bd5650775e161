"""A curve or an accumulator in a file: a zip of plain arrays and a header, no pickle, checked like any other input."""

import io
import json
import os
import secrets
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from baserate.arrays import Array
from baserate.curves.formats import SAVED_ACCUMULATOR, SAVED_CURVE, check_version
from baserate.errors import CurveFileError

Fact = float | str | None

# What zip, zlib, numpy and json raise when bytes are not what they should be.
_SIGNS_OF_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


# What is saved, by the name that a file says it by.
_KINDS = {"curve": SAVED_CURVE, "accumulator": SAVED_ACCUMULATOR}


class Saved(NamedTuple):
    """What a file holds."""

    columns: dict[str, Array]
    facts: dict[str, Fact]


def write(path: str | os.PathLike[str], saved: Saved, *, kind: str = "curve") -> None:
    """Write a curve or an accumulator."""
    header = json.dumps({"format": f"baserate {kind}", "version": _KINDS[kind].version, "facts": saved.facts})
    packed = io.BytesIO()
    np.savez_compressed(packed, header=np.array(header), **saved.columns)  # type: ignore[arg-type]  # no flag
    write_whole(path, packed.getbuffer())


def write_whole(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write the whole file or nothing: it appears under its name only when it is complete."""
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with open(unfinished, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave the new name on an empty file
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def read(path: str | os.PathLike[str], *, kind: str = "curve") -> Saved:
    """Read a file back, or say in a sentence what is wrong with it."""
    if not Path(path).is_file():
        raise CurveFileError(
            f"a saved {kind} must be a file, got {os.fspath(path)!r}, which is not one; check the path."
        )
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            columns = {name: archive[name] for name in archive.files}
        header = json.loads(str(columns.pop("header")))
        format_name, version, facts = header["format"], header["version"], dict(header["facts"])
    except _SIGNS_OF_DAMAGE as error:
        raise CurveFileError(
            f"a saved {kind} must be a file written by {kind.capitalize()}.save, got {os.fspath(path)!r}, which is "
            f"damaged or something else ({type(error).__name__}); save it again."
        ) from None
    if format_name != f"baserate {kind}":
        raise CurveFileError(
            f"a saved {kind} must be in format 'baserate {kind}', got {format_name!r} in {os.fspath(path)!r}; check "
            f"the path."
        )
    check_version(_KINDS[kind], version, repr(os.fspath(path)))
    return Saved(columns, facts)
