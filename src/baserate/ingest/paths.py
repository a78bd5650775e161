"""Resolves paths to existing files. Only patterns written by the user are patterns; file names are taken literally."""

import contextlib
import glob
import gzip
import itertools
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from baserate.checks import did_you_mean
from baserate.errors import DataFileError
from baserate.progress import ProgressLine

COMPRESSED = ".gz"
# What Python says of a compressed file that is not whole.
TORN = (OSError, EOFError, zlib.error)

_FORMATS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".json": "JSON lines",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
}
# What writers of such folders put for a missing value.
_NULL_PART = "__HIVE_DEFAULT_PARTITION__"
_CHUNK = 2**20  # bytes looked at together


class File(NamedTuple):
    """A file found by a path.

    `parts` are the ``key=value`` folders between the given path and the file; `plain` is a name of it in which DuckDB
    sees no pattern.
    """

    path: str
    parts: tuple[tuple[str, str | None], ...] = ()
    plain: str = ""


def is_path(table: object) -> bool:
    """Whether a table argument is a path or a list of paths."""
    if isinstance(table, list | tuple):
        return bool(table) and all(isinstance(part, str | os.PathLike) for part in table)
    return isinstance(table, str | os.PathLike)


def found(path: object) -> list[File]:
    """All files of a path, a folder, a pattern or a list of these, each once; missing and empty files are refused."""
    named = path if isinstance(path, list | tuple) else [path]
    files = [file for one in named for file in _files_at(os.fsdecode(one))]  # type: ignore[arg-type]
    for file in files:
        if os.path.getsize(file.path) == 0:
            raise DataFileError(f"the file {file.path!r} is empty; check how it was written.")
        if not os.access(file.path, os.R_OK):
            raise DataFileError(f"the file {file.path!r} cannot be read; check its permissions.")
    _check_once(files)
    _check_parts(files)
    return files


def _files_at(path: str) -> list[File]:
    if os.path.isfile(path):
        return [File(path)]
    if os.path.isdir(path):
        inside = sorted(str(file) for file in Path(path).rglob("*") if _is_meant(file, path))
        if not inside:
            raise DataFileError(f"the folder {path!r} has no {_known()} files; check the path.")
        _check_regular(inside)
        return [_below(path, file) for file in inside]
    matching = sorted(file for file in glob.glob(path, recursive=True) if not os.path.isdir(file))
    _check_regular(matching)
    if not matching:
        remote = "; for remote files pass a relation of your own engine" if "://" in path else ""
        raise DataFileError(f"file not found: {path!r}; {_beside(path) or 'check the path'}{remote}.")
    written_out = list(itertools.takewhile(lambda part: not glob.has_magic(part), Path(path).parts))
    return [_below(str(Path(*written_out)), file) for file in matching]


def _is_meant(file: Path, folder: str) -> bool:
    """Whether a file of a folder is data; names that begin with a dot are hidden there, as they are from patterns."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return not hidden and not file.is_dir() and _suffix(str(file)) is not None


def _check_regular(files: Sequence[str]) -> None:
    """Refuse what cannot be read, or not twice; were it passed over, rows would be lost."""
    odd = next((file for file in files if not os.path.isfile(file)), None)
    if odd is not None:
        broken = os.path.islink(odd) and not os.path.exists(odd)
        what = "a broken link; remove or mend it" if broken else "a pipe or a device; write its rows to a file first"
        raise DataFileError(f"tables must be regular files, got {odd!r}, which is {what}.")


def _below(folder: str, file: str) -> File:
    """A file with the key=value folders of its path below the given folder; those above it are ignored."""
    between = Path(file).relative_to(folder).parent.parts
    pairs = [part.split("=", 1) for part in between if "=" in part]
    return File(
        file, tuple((unquote(key), None if value in ("", _NULL_PART) else unquote(value)) for key, value in pairs)
    )


def _check_once(files: Sequence[File]) -> None:
    seen: dict[str, str] = {}
    for file in files:
        place = os.path.realpath(file.path)
        if place in seen:
            raise DataFileError(
                f"{seen[place]!r} and {file.path!r} are the same file; leave one out, or its rows count twice."
            )
        seen[place] = file.path


def _check_parts(files: Sequence[File]) -> None:
    first = files[0]
    for file in files:
        keys = [key for key, _ in file.parts]
        if sorted(keys) != sorted(key for key, _ in first.parts) or len({*keys}) < len(keys):
            raise DataFileError(
                f"key=value folders must be the same keys for every file, got {first.path!r} and {file.path!r}; name "
                f"the files one by one, and no folder is read as a column."
            )


def named_plainly(files: Sequence[File], folder: str) -> list[File]:
    """The files, with links that have numbers as names, because DuckDB reads every name as a pattern."""
    os.makedirs(folder, exist_ok=True)
    return [file._replace(plain=_link(file, folder, str(k))) for k, file in enumerate(files)]


def _link(file: File, folder: str, number: str) -> str:
    link = os.path.join(folder, f"{number}{_suffix(file.path)}{COMPRESSED if is_compressed(file.path) else ''}")
    try:
        os.symlink(os.path.abspath(file.path), link)
    except OSError:  # not everyone may make links everywhere
        return file.path
    return link


# --- what is in them ------------------------------------------------------------------------------


def is_compressed(file: str) -> bool:
    """Whether the name of a file says that it is compressed."""
    return file.lower().endswith(COMPRESSED)


def _suffix(file: str) -> str | None:
    name = file.lower().removesuffix(COMPRESSED)
    return next((suffix for suffix in _FORMATS if name.endswith(suffix)), None)


def format_of(files: Sequence[File]) -> str:
    """The common format of all files."""
    kinds = {_FORMATS[suffix] if (suffix := _suffix(file.path)) else None for file in files}
    if None in kinds:
        odd = next(file.path for file in files if not _suffix(file.path))
        advice = _of_ours(odd) or f"convert it to one of {_known()}, or rename it"
        raise DataFileError(f"unknown file format: {odd!r}; {advice}.")
    if len(kinds) > 1:
        raise DataFileError(f"files read together must have one format, got {' and '.join(sorted(map(str, kinds)))}.")
    return str(kinds.pop())


def _of_ours(file: str) -> str:
    """What to do with a file that another part of this package has written; empty for others."""
    with open(file, "rb") as opened:
        first = opened.read(16)
    if first == b"SQLite format 3\0":
        return "a store is opened with br.monitoring.CurveStore, or baserate report --store"
    return "a saved curve is read with br.Curve.load" if first.startswith(b"PK") else ""


def check_whole(file: str) -> None:
    """Refuse an incomplete compressed file, of which DuckDB would silently read the first part."""
    size = os.path.getsize(file)
    try:
        with open(file, "rb") as packed, gzip.open(packed) as unpacked, ProgressLine("checking") as line:
            while unpacked.read(_CHUNK):
                line.show(packed.tell() / size)
    except TORN as error:
        raise torn(file, error) from None


def torn(file: str, error: Exception) -> DataFileError:
    """The error for a compressed file that is incomplete, or not compressed."""
    return DataFileError(f"the compressed file {file!r} is damaged ({error}); copy or write it again.")


def _beside(path: str) -> str:
    """A hint at a file with a similar name in the same folder."""
    with contextlib.suppress(OSError, ValueError):
        return did_you_mean(os.path.basename(path), sorted(os.listdir(os.path.dirname(path) or ".")))
    return ""


def _known() -> str:
    return ", ".join(_FORMATS)
