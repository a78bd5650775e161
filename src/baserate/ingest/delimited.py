"""CSV by declared rules: nothing is guessed from the rows, so that no row is dropped or changed by a guess.

The first line is the header; fields may be quoted by ``"``, which is doubled within them; there are no comments; every
row has as many fields as the header; blank lines are no rows; the text is UTF-8. The delimiter is the given one, or the
tab in ``.tsv`` files, or else the only one of ``, ; | tab`` that occurs in the header. The decimal sign is a point by
default.
"""

import csv
import gzip
import io
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from baserate import checks
from baserate.errors import DataFileError, InputError, cut
from baserate.ingest.paths import COMPRESSED, TORN, File, is_compressed, torn
from baserate.written import share_from

ColumnKind = Literal["bool", "whole", "float", "other"]

NULLS = ("", "NA", "N/A", "n/a", "null", "NULL", "None", "nan", "NaN")

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_HEADER = 2**20  # characters that a header may have
_CHUNK = 2**13


class Dialect(NamedTuple):
    """The given delimiter and decimal sign of CSV files; None for the default."""

    delimiter: str | None = None
    decimal: str = "."

    def __str__(self) -> str:
        return f"delimiter {self.delimiter!r}, decimal {self.decimal!r}"


def dialect(delimiter: object, decimal: object) -> Dialect:
    """Check a given delimiter and decimal sign."""
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'):
        raise InputError(f"delimiter must be one character such as ';', got {delimiter!r}.")
    said = Dialect(delimiter, str(checks.one_of(decimal, (".", ","), "decimal")))
    _check_apart(said)
    return said


def _check_apart(used: Dialect) -> None:
    if used.delimiter == used.decimal:
        raise InputError(
            f"delimiter and decimal must differ, got {used.decimal!r} for both; say delimiter= as it is in the file."
        )


class Layout(NamedTuple):
    """How a file is laid out: its dialect, and the names of its columns in order."""

    dialect: Dialect
    header: tuple[str, ...]


def layouts(files: Iterable[File], said: Dialect) -> dict[Layout, list[File]]:
    """Group files by their layout."""
    by_layout: dict[Layout, list[File]] = {}
    for file in files:
        by_layout.setdefault(_layout(file, said), []).append(file)
    return by_layout


def _layout(file: File, said: Dialect) -> Layout:
    line = _header_line(file)
    used = said if said.delimiter is not None else said._replace(delimiter=_delimiter(file, line))
    _check_apart(used)
    try:
        (header,) = csv.reader([line], delimiter=str(used.delimiter), strict=True)
    except (csv.Error, ValueError) as error:
        raise DataFileError(
            f"the first line of a CSV file must be its header, got one that is not ({error}) in {file.path!r}; check "
            f"the file."
        ) from None
    if _is_a_row(header, used.decimal):
        first = cut(", ".join(header[:3]))
        raise DataFileError(
            f"the first line of a CSV file must be its header, got {first} in {file.path!r}; add a line with the names "
            f"of the columns, such as label,score."
        )
    return Layout(used, tuple(header))


def _is_a_row(header: Sequence[str], decimal: str) -> bool:
    """Whether a header is a row of data: all fields are numbers, and one has decimals. Columns may be named 0, 1, 2."""
    plain = [name.replace(decimal, ".") for name in header]
    return all(not math.isnan(share_from(name)) for name in plain) and any("." in name for name in plain)


def _delimiter(file: File, line: str) -> str:
    if file.path.lower().removesuffix(COMPRESSED).endswith(".tsv"):
        return "\t"
    seen = {sign for sign, quoted in _signs(line) if sign in _DELIMITERS and not quoted}
    if len(seen) > 1:
        named = " and ".join(_DELIMITERS[sign] for sign in _DELIMITERS if sign in seen)
        raise DataFileError(
            f"ambiguous delimiter: the header of {file.path!r} has {named}; say which one, for example delimiter=';'."
        )
    return seen.pop() if seen else ","


def _header_line(file: File) -> str:
    """The header, which may span several lines if a line break is within quotes."""
    try:
        with _opened(file) as stream:
            line = "".join(sign for sign, _ in itertools.islice(_first_record(stream), _HEADER))
    except UnicodeDecodeError:
        raise DataFileError(f"the CSV file {file.path!r} is not UTF-8; convert it, for example with iconv.") from None
    except TORN as error:
        raise torn(file.path, error) from None
    if not line.strip() or "\0" in line:
        raise DataFileError(
            f"the first line of a CSV file must be its header, got a line without names in {file.path!r}; remove "
            f"what stands before the header."
        )
    return line


def n_records(file: File, layout: Layout) -> int:
    """How many rows Python finds below the header; -1 if it cannot read the file."""
    usual = csv.field_size_limit(sys.maxsize)
    try:
        with _opened(file) as stream:
            records = csv.reader(stream, delimiter=str(layout.dialect.delimiter), strict=True)
            # A blank line is no row, unless there is one column only.
            return sum(1 for record in records if record or len(layout.header) == 1) - 1
    except (csv.Error, ValueError, *TORN):
        return -1
    finally:
        csv.field_size_limit(usual)


def _opened(file: File) -> io.TextIOBase:
    opening = gzip.open if is_compressed(file.path) else open
    stream: io.TextIOBase = opening(file.path, "rt", encoding="utf-8-sig", newline="")
    return stream


def _first_record(stream: io.TextIOBase) -> Iterator[tuple[str, bool]]:
    text = itertools.chain.from_iterable(iter(lambda: stream.read(_CHUNK), ""))
    return itertools.takewhile(lambda sign: sign[1] or sign[0] not in "\r\n", _signs(text))


def _signs(text: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The characters of a text, and whether each is within quotes."""
    quoted = False
    for sign in text:
        quoted ^= sign == '"'
        yield sign, quoted


def values_of(texts: Sequence[str], layout: Layout) -> tuple[ColumnKind, tuple[object, ...]]:
    """The type of a column, from its first distinct texts, and up to three of their values."""
    readers: dict[ColumnKind, Callable[[str], object]] = {
        "bool": lambda text: {"true": True, "false": False}[text.lower()],
        "whole": int,
        "float": lambda text: float(text.replace(layout.dialect.decimal, ".")),
    }
    for kind, reader in readers.items():
        try:
            values = [reader(text) for text in texts]
        except (KeyError, ValueError):
            continue
        if values:
            return kind, tuple(values[:3])
    return "other", ()
