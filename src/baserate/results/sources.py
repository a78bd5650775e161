"""The files that the rows of a curve came from."""

import datetime
import hashlib
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from baserate.errors import DataFileError, InputError
from baserate.results.base import Result, Row, Said
from baserate.results.words import counted, plural

_END = 2**14  # bytes at the head and at the tail that a fingerprint is made of
_CHUNK = 2**20


@dataclass(frozen=True, eq=False)
class SourceFile(Result):
    """A file when it was read: its given path, its size in bytes, and the time of its last change in UTC.

    The fingerprint is a SHA-256 of the size and of the first and last 16 KiB, so it takes the same time for files of
    any size; `Source.sha256` hashes whole files.
    """

    path: str
    size: int
    modified: str
    fingerprint: str

    @classmethod
    def of(cls, path: str) -> "SourceFile":
        """The file as it is now."""
        with open(path, "rb") as file:
            facts = os.fstat(file.fileno())
            size = facts.st_size
            content = hashlib.sha256(b"%d\n" % size + file.read(_END))
            file.seek(max(size - _END, 0))
            content.update(file.read(_END))
        modified = datetime.datetime.fromtimestamp(facts.st_mtime_ns // 1000 / 1e6, datetime.UTC).isoformat()
        return cls(path, size, modified, content.hexdigest())

    def _said(self) -> Said:
        return Said(f"{_printable(os.path.basename(self.path))}: {self.size:,} bytes, {self.fingerprint[:16]}")


@dataclass(frozen=True, eq=False)
class SourceTable(Result):
    """Files that were read as one table, with their format and number of rows."""

    files: tuple[SourceFile, ...]
    format: str
    n_rows: int

    def _rows(self) -> list[Row]:
        return [file.row() | {"format": self.format} for file in self.files]

    def _said(self) -> Said:
        return Said(f"{plural(len(self.files), 'file')}: {counted(self.n_rows)} rows; {self.format}")


@dataclass(frozen=True, eq=False)
class Source(Result):
    r"""The files that the rows of a curve came from.

    Attributes
    ----------
    tables : tuple of SourceTable
        The files with their format and number of rows; several tables if curves were pooled.
    labelled, unlabelled : int
        The number of rows in the curve, and of rows left out because they have no label. No others are left out: a file
        with an unreadable row is refused.

    Examples
    --------
    >>> import baserate as br, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "may.csv"
    >>> written = path.write_text("fraud;p\n1;0.9\n0;0.2\n0;0.1\n")
    >>> source = br.curve(path, label="fraud", score="p").source
    >>> (source.labelled, source.unlabelled), source.tables[0].format
    ((3, 0), "CSV, delimiter ';', decimal '.'")
    >>> print(source)
    may.csv: 3 rows, 3 labelled and 0 unlabelled counted; CSV, delimiter ';', decimal '.'; 26 bytes, ba2c011202d32244
    """

    tables: tuple[SourceTable, ...]
    labelled: int
    unlabelled: int

    @property
    def n_rows(self) -> int:
        """Number of rows of the files."""
        return sum(table.n_rows for table in self.tables)

    @property
    def fingerprint(self) -> str:
        """One fingerprint for all files, whatever their order and their folders."""
        fingerprints = sorted(file.fingerprint for table in self.tables for file in table.files)
        return hashlib.sha256("\n".join(fingerprints).encode()).hexdigest()[:16]

    def sha256(self) -> dict[str, str]:
        """The SHA-256 of each whole file, by its path; a file that has changed since is refused."""
        sums = {}
        for file in (file for table in self.tables for file in table.files):
            check_unchanged(file)
            with open(file.path, "rb") as stream:
                content = hashlib.sha256()
                while chunk := stream.read(_CHUNK):
                    content.update(chunk)
            sums[file.path] = content.hexdigest()
        return sums

    def to_dict(self) -> dict[str, Any]:
        """The source as a dict, as in a saved curve."""
        tables = [
            {"files": [asdict(file) for file in table.files], "format": table.format, "rows": table.n_rows}
            for table in self.tables
        ]
        return {"tables": tables, "labelled": self.labelled, "unlabelled": self.unlabelled}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> "Source":
        """The source from the dict of `to_dict`."""
        try:
            tables = [
                SourceTable(tuple(SourceFile(**file) for file in one["files"]), str(one["format"]), int(one["rows"]))
                for one in saved["tables"]
            ]
            return cls(tuple(tables), int(saved["labelled"]), int(saved["unlabelled"]))
        except (TypeError, KeyError, ValueError, IndexError):
            raise InputError(f"from_dict needs the dict of to_dict, got {type(saved).__name__}; pass that.") from None

    def _rows(self) -> list[Row]:
        return [row for table in self.tables for row in table.rows()]

    def _said(self) -> Said:
        files = [file for table in self.tables for file in table.files]
        named = ", ".join(_printable(os.path.basename(file.path)) for file in files[:3])
        more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
        rows = f"{self.n_rows:,} rows, {self.labelled:,} labelled and {self.unlabelled:,} unlabelled counted"
        formats = " and ".join(dict.fromkeys(table.format for table in self.tables))
        size = sum(file.size for file in files)
        return Said(f"{named}{more}: {rows}; {formats}; {size:,} bytes, {self.fingerprint}")


def _printable(name: str) -> str:
    """A file name as printable text, even if it is not valid UTF-8."""
    return os.fsencode(name).decode("utf-8", "replace")


def check_unchanged(file: SourceFile) -> None:
    """Refuse a file that has changed since it was read."""
    try:
        now: SourceFile | None = SourceFile.of(file.path)
    except OSError:
        now = None
    if now != file:
        raise DataFileError(f"the file {file.path!r} has changed since it was first read; read a copy of it.")


def pooled(sources: Iterable[Source | None]) -> Source | None:
    """Source of pooled curves; None if one is unknown."""
    known = list(sources)
    there = [source for source in known if source is not None]
    if len(there) < len(known) or not there:
        return None
    tables = dict.fromkeys(table for source in there for table in source.tables)
    labelled, unlabelled = (sum(getattr(one, name) for one in there) for name in ("labelled", "unlabelled"))
    return Source(tuple(tables), labelled, unlabelled)
