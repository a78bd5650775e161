"""Curves and accumulators as files: a zip of plain arrays and a header, without pickle, checked like other input."""

import io
import json
import math
import os
import secrets
import stat
import warnings
import zipfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from baserate.arrays import Array
from baserate.curves.formats import SAVED_ACCUMULATOR, SAVED_CURVE, check_version
from baserate.errors import CurveFileError, InputError
from baserate.results.sources import Source

Fact = float | str | None

# Scores of a curve differ, so they hardly shrink; counts may, to next to nothing. No curve unpacks to more than this
# many times the bytes of its file, unless that is few bytes still.
_MOST_EXPANSION, _FEW_BYTES = 100, 2**24

# What is saved, by the name that a file says it by.
_KINDS = {"curve": SAVED_CURVE, "accumulator": SAVED_ACCUMULATOR}


class Saved(NamedTuple):
    """The content of a file."""

    columns: dict[str, Array]
    facts: dict[str, Fact]


def write(path: str | os.PathLike[str], saved: Saved, *, kind: str = "curve") -> None:
    """Write a curve or an accumulator."""
    header = json.dumps({"format": f"baserate {kind}", "version": _KINDS[kind].version, "facts": saved.facts})
    columns = {"header": np.array(header), **saved.columns}
    packed = io.BytesIO()
    np.savez_compressed(packed, **columns)  # type: ignore[arg-type]  # no flag
    if sum(column.nbytes for column in columns.values()) > _most_unpacked(packed.tell()):
        packed = io.BytesIO()
        np.savez(packed, **columns)  # type: ignore[arg-type]
    with packed.getbuffer() as content:  # released before what it belongs to, whatever happens
        write_whole(path, content)


def _most_unpacked(n_bytes: int) -> int:
    return max(_FEW_BYTES, _MOST_EXPANSION * n_bytes)


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse a file to write whose folder does not exist, or that is a folder itself."""
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise InputError(f"folder not found for output {os.fspath(path)!r}; create it first.")
    if target.is_dir():
        raise InputError(f"an output must be a file, got the folder {os.fspath(path)!r}; name a file in it.")


def write_whole(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a file atomically: it gets its name when it is complete.

    Otherwise it works like a shell's redirection: links are followed, devices and pipes get the bytes, and an existing
    file keeps its permissions, its owner and its hard links.
    """
    there = _status(path)
    if there is not None and not _replaceable(path, there):
        Path(path).write_bytes(content)
        return
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{secrets.token_hex(8)}")
    try:
        with open(unfinished, "xb") as file:
            if there is not None:
                os.chmod(unfinished, stat.S_IMODE(there.st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave the new name on an empty file
        os.replace(unfinished, target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:  # which names the unfinished file, if any
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _replaceable(path: str | os.PathLike[str], there: os.stat_result) -> bool:
    """Whether the file can be replaced by another without changing its permissions, owner or hard links."""
    if not stat.S_ISREG(there.st_mode) or there.st_nlink > 1 or not os.access(path, os.W_OK):
        return False
    own = os.name != "posix" or (there.st_uid, there.st_gid) == (os.geteuid(), os.getegid())
    return own and os.access(os.path.dirname(os.path.realpath(path)), os.W_OK)


def write_new(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a new file atomically; FileExistsError if one has that name already."""
    target = Path(path)
    try:
        _write_nameless(target, content)
    except FileExistsError:
        raise
    except (OSError, AttributeError):  # elsewhere than on Linux, or on a file system that needs names
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            write_whole(unfinished, content)
            _link(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    if os.name == "posix":  # or a power cut could take the name away again
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write_nameless(target: Path, content: bytes) -> None:
    """Write a file without a name, and name it when it is complete, so that a killed process leaves nothing behind."""
    with open(os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        # A folder does not matter to a full path; but with one, the link is to the file and not to its name in /proc.
        os.link(f"/proc/self/fd/{file.fileno()}", target, src_dir_fd=file.fileno())


def _link(unfinished: Path, target: Path) -> None:
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError(target) from None
        os.replace(unfinished, target)


def read(path: str | os.PathLike[str], *, kind: str = "curve") -> Saved:
    """Read a file; a damaged or foreign one is refused."""
    if not Path(path).is_file():
        raise CurveFileError(f"no saved {kind} found at {os.fspath(path)!r}; check the path.")
    try:
        with warnings.catch_warnings(action="error"), open(path, "rb") as file:
            _check_sizes(file)
            with np.load(file, allow_pickle=False) as archive:
                columns = {name: archive[name] for name in archive.files}
        header = json.loads(str(columns.pop("header")))
        format_name, version, facts = header["format"], header["version"], dict(header["facts"])
    except Exception as error:  # zip, zlib, numpy and json raise all kinds when bytes are not what they should be
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


def _check_sizes(file: BinaryIO) -> None:
    """Refuse arrays that are too large for a file of this size, before memory is allocated."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        most = _most_unpacked(file.seek(0, io.SEEK_END))
        if sum(member.file_size for member in members) > most:
            raise ValueError("it unpacks to more than a curve would")
        for member in members:
            with archive.open(member) as column:
                if np.lib.format.read_magic(column) != (1, 0):
                    raise ValueError("a column is not in the version that is written")
                shape, _, kind = np.lib.format.read_array_header_1_0(column)
                if column.tell() + math.prod(shape) * kind.itemsize != member.file_size:
                    raise ValueError("a column is not as long as it says")
    file.seek(0)


def source_from(saved: Fact) -> Source | None:
    """The source of a curve from its saved form."""
    try:
        return None if saved is None else Source.from_dict(json.loads(str(saved)))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"the saved source is damaged ({error}).") from None
