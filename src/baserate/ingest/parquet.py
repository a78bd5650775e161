"""What Parquet files say about their columns: checksums of pages, numbers and limits of values. DuckDB compares none.

A page has a header, in Thrift's compact protocol, and then its bytes; the header may have a CRC-32 of these.
"""

import glob
import math
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from io import FileIO
from typing import Any, NamedTuple

import numpy as np

from baserate.errors import DataFileError
from baserate.ingest.paths import File
from baserate.ingest.sql import literal
from baserate.progress import ProgressLine

Limits = dict[str, tuple[float, float]]

_HEADERS = (2**10, 2**20)  # bytes that nearly all headers fit into, and all others
_PIECE = 2**17  # bytes looked at together, which fit into the cache of a processor
_DEEPEST = 8  # structs within structs; a header has three
_KIND, _SIZE, _CRC = 1, 3, 4  # fields of a header, by their numbers
_DICTIONARY = 2  # a kind of page
_NUMBERS: dict[str, Callable[[str], float]] = {"DOUBLE": float, "FLOAT": lambda text: float(np.float32(text))}
_NUMBERS |= {"INT32": float, "INT64": float}


class Chunk(NamedTuple):
    """The pages of one column in one row group, and what the end of the file says of its values."""

    file: str
    column: str
    type: str
    dictionary: int | None
    data: int
    size: int
    least: str | None
    largest: str | None
    is_missing: bool  # all of it
    rows: int  # of its row group
    values: int  # missing ones, too: as many as rows

    @property
    def start(self) -> int:
        """Where its first page begins."""
        return min(self.dictionary or self.data, self.data)


class NoHeader(Exception):
    """There is no header of a page where one should be."""


def chunks(connection: Any, files: Iterable[File], columns: Collection[str]) -> list[Chunk]:
    """The chunks of columns, in the order of the files and in that of their bytes; nested columns have none."""
    named = {file.plain: file.path for file in files}
    rows = connection.execute(
        "SELECT file_name, path_in_schema, type, dictionary_page_offset, data_page_offset, total_compressed_size, "
        "stats_min_value, stats_max_value, coalesce(stats_null_count = num_values, false), "
        "row_group_num_rows, num_values "
        f"FROM parquet_metadata({literal([glob.escape(plain) for plain in named])}) "
        f"WHERE list_contains({literal(sorted(columns))}, path_in_schema)"
    ).fetchall()
    found = [Chunk(named[plain], *row) for plain, *row in rows]
    for chunk in found:
        if chunk.rows != chunk.values:
            raise DataFileError(
                f"the file {chunk.file!r} is damaged: it says that {chunk.rows:,} rows have {chunk.values:,} values of "
                f"column {chunk.column!r}; copy or write it again."
            )
    order = {path: k for k, path in enumerate(named.values())}
    return sorted(found, key=lambda chunk: (order[chunk.file], chunk.start))


def limits(found: Sequence[Chunk], columns: Iterable[str]) -> Limits:
    """The least and the largest value of columns of numbers, where every chunk says them."""
    known = {}
    for column in columns:
        ends = [_ends(chunk) for chunk in found if chunk.column == column and not chunk.is_missing]
        if ends and not any(math.isnan(end) for pair in ends for end in pair):
            # Writers put -0.0 for 0.0.
            known[column] = (min(low for low, _ in ends) + 0.0, max(high for _, high in ends))
    return known


def _ends(chunk: Chunk) -> tuple[float, float]:
    number = _NUMBERS.get(chunk.type)
    if number is None or chunk.least is None or chunk.largest is None:
        return math.nan, math.nan
    try:
        return number(chunk.least), number(chunk.largest)
    except ValueError:  # perhaps it is a time
        return math.nan, math.nan


# --- checksums ------------------------------------------------------------------------------------


def check_pages(found: Sequence[Chunk]) -> None:
    """Refuse a file if the bytes of a page differ from its checksum; files without checksums are not read."""
    with ProgressLine("checking") as line:
        for k, chunk in enumerate(found):
            line.show(k / len(found))
            with open(chunk.file, "rb", buffering=0) as file:
                _check_chunk(file, chunk)


def _check_chunk(file: FileIO, chunk: Chunk) -> None:
    at = chunk.start
    checked: set[int | None] = set()  # kinds of pages
    while at < chunk.start + chunk.size:
        try:
            header, at = _header(file, at)
        except NoHeader:
            if checked:
                raise _damaged(chunk) from None
            return  # DuckDB will say what is wrong
        kind = header.get(_KIND)
        if _CRC in header:
            checked.add(kind)
            if _crc(file, at, header[_SIZE]) != header[_CRC] % 2**32:
                raise _damaged(chunk)
        elif kind in checked:
            raise _damaged(chunk)
        elif kind != _DICTIONARY:  # some writers have checksums of dictionaries only, or of data only
            return
        at += header[_SIZE]


def _crc(file: FileIO, at: int, size: int) -> int:
    file.seek(at)
    crc, room = 0, memoryview(bytearray(min(size, _PIECE)))
    while size > 0 and (length := file.readinto(room[:size])):
        crc = zlib.crc32(room[:length], crc)
        size -= length
    return crc


def _damaged(chunk: Chunk) -> DataFileError:
    return DataFileError(
        f"the file {chunk.file!r} is damaged: a page of column {chunk.column!r} differs from its checksum; copy or "
        f"write it again."
    )


def _header(file: FileIO, at: int) -> tuple[dict[int, int], int]:
    """The whole numbers in the header of a page by field, and where its bytes begin."""
    for size in _HEADERS:
        file.seek(at)
        try:
            fields, length = _struct(file.read(size), 0, 0)
        except IndexError:
            continue
        if fields.get(_SIZE, -1) < 0:
            break
        return fields, at + length
    raise NoHeader


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, int], int]:
    """The whole numbers of a struct by field, and where it ends."""
    if depth > _DEEPEST:
        raise NoHeader
    numbers: dict[int, int] = {}
    field = 0
    while byte := data[at]:
        at, kind, step = at + 1, byte & 15, byte >> 4
        if step:
            field += step
        else:
            field, at = _number(data, at)
        if kind in (1, 2):  # true, false
            continue
        if kind == 3:  # a byte
            at += 1
        elif kind in (4, 5, 6):
            numbers[field], at = _number(data, at)
        elif kind == 7:  # a float
            at += 8
        elif kind == 8:  # bytes
            length, at = _varint(data, at)
            at += length
        elif kind == 12:
            _, at = _struct(data, at, depth + 1)
        else:
            raise NoHeader
    return numbers, at + 1


def _number(data: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while (byte := data[at]) >= 128:
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if shift > 63:
            raise NoHeader
    return number | byte << shift, at + 1
