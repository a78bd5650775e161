"""What Parquet files say about their own columns is compared with what is read."""

import io
import zlib

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.ingest import parquet

RNG = np.random.default_rng(0)
ROWS = {"y": np.arange(3000) % 2, "p": RNG.random(3000).round(3), "note": [str(k) for k in range(3000)]}


def written(path, rows=ROWS, **options):
    """A file with checksums, unless told otherwise, and its metadata."""
    pq.write_table(pa.table(rows), path, **{"write_page_checksum": True} | options)
    return pq.read_metadata(path)


def span(metadata, column, group=0):
    """Where the pages of a column begin and end."""
    names = [metadata.schema.column(k).name for k in range(metadata.num_columns)]
    chunk = metadata.row_group(group).column(names.index(column))
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    return start, start + chunk.total_compressed_size


def flip(path, at, bit=0):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


KINDS = [
    {},
    {"compression": "none"},
    {"compression": "zstd", "data_page_version": "2.0"},
    {"use_dictionary": False, "row_group_size": 1000, "data_page_size": 500},
]


@pytest.mark.parametrize("options", KINDS)
def test_a_page_that_differs_from_its_checksum_is_refused(tmp_path, options):
    path = tmp_path / "rows.parquet"
    metadata = written(path, **options)
    whole, data = br.curve(path, label="y", score="p"), path.read_bytes()
    group = metadata.num_row_groups - 1
    for column in ("y", "p"):
        flip(path, span(metadata, column, group)[1] - 1)  # in the last page
        with pytest.raises(br.errors.DataFileError, match=f"a page of column '{column}' differs from its checksum"):
            br.curve(path, label="y", score="p")
        path.write_bytes(data)
    flip(path, span(metadata, "note", group)[1] - 1)  # which nobody asked for
    assert br.curve(path, label="y", score="p") == whole


@pytest.mark.spark
@pytest.mark.parametrize("version", ["PARQUET_1_0", "PARQUET_2_0"])
def test_spark_writes_checksums(tmp_path, spark_sessions, version):
    frame = spark_sessions.classic.sql("SELECT id % 2 AS y, round(rand(1), 3) AS p FROM range(50000)").coalesce(1)
    frame.write.option("parquet.writer.version", version).parquet(str(tmp_path / "rows"))
    (path,) = (tmp_path / "rows").glob("*.parquet")
    assert br.curve(path, label="y", score="p").n_pos == 25_000
    flip(path, span(pq.read_metadata(path), "p")[1] - 1)
    with pytest.raises(br.errors.DataFileError, match="a page of column 'p' differs from its checksum"):
        br.curve(path, label="y", score="p")


def test_each_of_many_files_is_checked(tmp_path):
    for k in range(3):
        metadata = written(tmp_path / f"{k}.parquet")
    assert br.curve(tmp_path, label="y", score="p").n_pos == 4500
    flip(tmp_path / "1.parquet", span(metadata, "p")[1] - 1)
    with pytest.raises(br.errors.DataFileError, match=r"1\.parquet' is damaged"):
        br.curve(tmp_path, label="y", score="p")


def test_headers_may_be_long(tmp_path):
    """They have the least and the largest value of the page."""
    path, long = tmp_path / "rows.parquet", ["a" * 1900, "b" * 1900]
    metadata = written(path, {"y": [0, 1], "p": [0.1, 0.2], "key": long}, data_page_version="2.0")
    assert list(br.curves_by(path, "key", label="y", score="p")) == long
    flip(path, span(metadata, "key")[1] - 1)
    with pytest.raises(br.errors.DataFileError, match="a page of column 'key' differs"):
        br.curves_by(path, "key", label="y", score="p")


def test_a_page_that_is_lost_among_others_is_missed(tmp_path):
    """Where its header should be there is something else."""
    path = tmp_path / "rows.parquet"
    metadata = written(path, use_dictionary=False, data_page_size=500, compression="none")
    start, _ = span(metadata, "p")
    with open(path, "rb", buffering=0) as file:
        header, at = parquet._header(file, start)
    second = at + header[parquet._SIZE]
    data = path.read_bytes()
    path.write_bytes(data[:second] + b"\x1a" * 8 + data[second + 8 :])
    with pytest.raises(br.errors.DataFileError, match="a page of column 'p' differs from its checksum"):
        br.curve(path, label="y", score="p")


@pytest.mark.parametrize("data", [b"", b"\x1c" * 5000, b"\x15" + b"\xff" * 50, b"\x19\x15", b"\x18\xff\x7f", b"\x00"])
def test_what_is_no_header(data):
    with pytest.raises(parquet.NoHeader):
        parquet._header(io.BytesIO(data), 0)


def test_a_header_is_read_by_its_fields():
    crc = zlib.crc32(b"page")
    signed = crc - 2**32 if crc >= 2**31 else crc

    def varint(number):
        out = bytearray()
        number = number << 1 if number >= 0 else (-number << 1) - 1
        while number >= 128:
            out.append(number & 127 | 128)
            number >>= 7
        return bytes([*out, number])

    inner = b"\x11\x12\x13\x07\x17" + bytes(8) + b"\x18\x03abc\x00"  # bools, a byte, a float, bytes
    header = b"\x15\x00\x15\x08\x15\x08\x15" + varint(signed) + b"\x1c" + inner + b"\x05" + varint(40) + b"\x0a\x00"
    fields, end = parquet._header(io.BytesIO(header + b"page"), 0)
    assert fields == {1: 0, 2: 4, 3: 4, 4: signed, 40: 5}
    assert end == len(header)


# --- the least and the largest score ---------------------------------------------------------------


@pytest.mark.parametrize("value", [7.0, -1.0])
def test_a_score_beyond_those_of_the_file_is_refused(tmp_path, value):
    path = tmp_path / "rows.parquet"
    metadata = written(path, write_page_checksum=False, use_dictionary=False, compression="none")
    _, end = span(metadata, "p")
    data = path.read_bytes()
    path.write_bytes(data[: end - 8] + np.float64(value).tobytes() + data[end:])
    for most in (10**6, 1000):  # rows, and buckets
        with pytest.raises(br.errors.DataFileError, match=rf"within 0 and 1, as the Parquet .* got {value:g}; "):
            br.curve(path, label="y", score="p", max_scores=most)
    assert br.curve(path, label=None, score="y").n_neg == 3000  # others are as they were


def by_polars(table, path):
    pl.from_arrow(table).write_parquet(path)


def by_duckdb(table, path):
    duckdb.from_arrow(table).write_parquet(str(path))


@pytest.mark.parametrize("write", [pq.write_table, by_polars, by_duckdb])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.int8(), pa.uint32()])
def test_what_was_written_is_within(tmp_path, write, kind):
    """Scores of any bits, with nan where there is no label."""
    for seed in range(10):
        bits = np.random.default_rng(seed).integers(0, 2**32, 50, dtype=np.uint32)
        scores = bits.view(np.float32) if pa.types.is_floating(kind) else bits % 128
        label = [None if score != score else k % 2 for k, score in enumerate(scores)]
        table = pa.table({"y": [0, 1, *label], "p": pa.array([3, 4, *scores.tolist()]).cast(kind)})
        write(table, tmp_path / "rows.parquet")
        found = br.curve(tmp_path / "rows.parquet", label="y", score="p", missing="random")
        assert set(found.score.tolist()) == {3.0, 4.0, *scores[scores == scores].tolist()}


def test_no_score_in_a_row_group(tmp_path):
    path = tmp_path / "rows.parquet"
    written(path, {"y": [0, 1, None, None], "p": [0.1, 0.2, None, None]}, row_group_size=2)
    assert br.curve(path, label="y", score="p", missing="random").n_pos == 1


def test_a_row_group_that_lost_rows_is_refused(tmp_path):
    """DuckDB reads as many rows as the row group says, however many values its columns have."""
    path = tmp_path / "rows.parquet"
    written(path, {name: column[:60] for name, column in ROWS.items()})
    data, tried = path.read_bytes(), 0
    for at in (at for at in range(len(data)) if data[at] == 2 * 60):  # 60, as the footer writes it
        path.write_bytes(data[:at] + bytes([2 * 52]) + data[at + 1 :])
        asked = f"SELECT row_group_num_rows, num_values FROM parquet_metadata('{path}')"
        try:
            with duckdb.connect() as connection:  # a new one, which remembers nothing of the file
                found = connection.execute(asked).fetchall()
        except duckdb.Error:
            continue
        if set(found) == {(52, 60)}:
            tried += 1
            with pytest.raises(br.errors.DataFileError, match="52 rows have 60 values of column 'y'"):
                br.curve(path, label="y", score="p")
    assert tried == 1
