"""What is loaded is checked before it takes memory: a typed error, or a curve that rows can give."""

import contextlib
import io
import json
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import baserate as br
from baserate.curves.packing import decode, encode

CURVES = [
    br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]),
    br.Curve.from_counts([0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50]).at_prevalence(0.01),
    br.Curve.from_scores([0, 1, 1], [1 / 3, 2, 2], weight=[0.3, 0.1, 2]),
    br.Curve.from_scores([], []),
]


def check_possible(curve):
    """It is a curve that rows can give, and can be kept again."""
    assert not np.isnan(curve.score).any()
    assert (curve.score[:-1] > curve.top[1:]).all()
    assert (curve.top >= curve.score).all()
    assert (curve.pos >= 0).all()
    assert (curve.neg >= 0).all()
    assert (curve.pos + curve.neg > 0).all()
    assert curve.n_pos >= 0
    assert curve.n_neg >= 0
    assert curve.unlabelled >= 0
    assert curve.given_prevalence is None or 0 < curve.given_prevalence < 1
    assert decode(encode(curve)) == curve


@contextlib.contextmanager
def at_most(n_bytes):
    """Whatever happens inside takes no more memory than this."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < n_bytes
    finally:
        tracemalloc.stop()


# --- kept curves ----------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.sampled_from(CURVES), st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=9)), max_size=3), st.data())
def test_changed_bytes_of_a_kept_curve(curve, changes, data):
    """Within the compression, whose checksum would find them."""
    raw = bytearray(zlib.decompress(encode(curve)))
    for place, content in changes:
        raw[place : place + data.draw(st.integers(0, 9))] = content
    with contextlib.suppress(br.errors.CurveFileError):
        check_possible(decode(zlib.compress(bytes(raw))))


HEADER = struct.Struct("<BBBIQd")


@given(
    st.builds(
        HEADER.pack,
        st.just(1),
        st.integers(0, 15),
        st.integers(0, 20),
        st.integers(0, 3) | st.integers(0, 2**32 - 1),
        st.integers(0, 2**64 - 1),
        st.floats(),
    ),
    st.binary(max_size=60),
)
@example(HEADER.pack(1, 0, 2, 2**32 - 1, 0, 0.0), bytes(3))
@example(HEADER.pack(1, 4, 2, 1, 0, 7.0), b"\1\1\1\1\1\1")
@example(HEADER.pack(1, 0, 0, 1, 0, 0.0), b"\x08" + b"\xff" * 7 + b"\x7f\1\1\1\1")
@example(HEADER.pack(1, 2, 2, 1, 0, 0.0), (b"\1\1" + b"\x08" + struct.pack("<d", -5.0)) + (b"\x08" + bytes(8)) * 3)
@example(HEADER.pack(1, 0, 2, 3, 0, 0.0), b"\1\2\1\1" + b"\x08" + (2**62).to_bytes(24, "little") + b"\1\1\1\1")
def test_headers_of_a_kept_curve(header, columns):
    packed = zlib.compress(header + columns)
    with at_most(2**22), contextlib.suppress(br.errors.CurveFileError):
        check_possible(decode(packed))


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ((1, 0, 2, 2**32 - 1, 0, 0.0), bytes(3)),
        ((1, 4, 2, 1, 0, 7.0), b"\1\1\1\1\1\1"),
        ((1, 4, 2, 1, 0, float("nan")), b"\1\1\1\1\1\1"),
        ((1, 0, 0, 1, 0, 0.0), b"\x08" + b"\xff" * 7 + b"\x7f\1\1\1\1"),  # a score of nan
        ((1, 2, 2, 1, 0, 0.0), b"\1\1" + b"\x08" + struct.pack("<d", -5.0) + (b"\x08" + struct.pack("<d", 2.0)) * 3),
        ((1, 0, 2, 1, 0, 0.0), b"\1\1\0\0"),  # nobody there
        ((1, 0, 2, 2, 0, 0.0), b"\1\1\0\1\1\1\1\1\1"),  # the same score twice
        ((1, 8, 2, 1, 0, 0.0), b"\1\1\1\1\1\1"),
        ((1, 0, 2, 1, 2**63, 0.0), b"\1\1\1\1\1\1"),
        ((1, 0, 2, 1, 0, 0.0), b"\x09" + b"\1" * 9 + b"\1\1\1\1"),
    ],
)
def test_what_no_rows_can_give_is_refused(header, columns):
    with at_most(2**20), pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
        decode(zlib.compress(HEADER.pack(*header) + columns))


@pytest.mark.slow
def test_bytes_that_unpack_to_very_many_are_refused():
    packed = zlib.compress(HEADER.pack(1, 0, 2, 2**26, 0, 0.0) + bytes(2**27))
    with at_most(2**24), pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
        decode(packed)


# --- saved curves ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("loading") / "saved"


@pytest.mark.slow
@given(st.sampled_from(CURVES), st.lists(st.tuples(st.integers(0, 1500), st.binary(max_size=9)), max_size=3), st.data())
def test_changed_bytes_of_a_saved_curve(path, curve, changes, data):
    curve.save(path)
    content = bytearray(path.read_bytes())
    for place, changed in changes:
        content[place : place + data.draw(st.integers(0, 9))] = changed
    path.write_bytes(content)
    with contextlib.suppress(br.errors.CurveFileError):
        assert br.Curve.load(path) == curve
    with contextlib.suppress(br.errors.CurveFileError):
        br.Accumulator.load(path)


@given(st.binary(max_size=300))
def test_bytes_that_are_no_saved_curve(path, content):
    for beginning in (b"", b"PK\3\4", b"\x93NUMPY\1\0"):
        path.write_bytes(beginning + content)
        for load in (br.Curve.load, br.Accumulator.load):
            with pytest.raises(br.errors.CurveFileError):
                load(path)


NUMBERS = st.floats() | st.integers(-5, 2**64) | st.none() | st.text(max_size=3) | st.booleans()
KINDS = st.sampled_from(["f8", "i8", "u1", "u8", "f2", "c16", "U3", "M8[s]", "?", "S2"])
COLUMNS = arrays.arrays(KINDS, arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
PLAIN = arrays.arrays("f8", 2) | arrays.arrays("i8", 2) | arrays.arrays("u8", 2)


def saved(path, kind, columns, facts):
    header = json.dumps({"format": f"baserate {kind}", "version": 1, "facts": facts})
    np.savez(path, header=np.array(header), **columns)


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from(["score", "pos", "neg", "top", "pos_squares", "neg_squares"]), COLUMNS | PLAIN)
    | st.fixed_dictionaries({"score": PLAIN, "pos": PLAIN, "neg": PLAIN}),
    st.dictionaries(st.sampled_from(["prevalence", "unlabelled", "rows"]), NUMBERS),
)
@example({"score": np.ones(1), "pos": np.ones(1), "neg": np.ones(1)}, {"prevalence": 7})
@example({"score": np.arange(4), "pos": np.full(4, 2**61), "neg": np.ones(4)}, {"prevalence": None})
@example({"score": np.ones(1), "pos": np.ones(1), "neg": np.ones(1)}, {"prevalence": None, "unlabelled": 2.0**63})
def test_columns_of_a_saved_curve(path, columns, facts):
    with open(path, "wb") as file:
        saved(file, "curve", columns, {"prevalence": None} | facts)
    with contextlib.suppress(br.errors.CurveFileError):
        check_possible(br.Curve.load(path))


@pytest.mark.slow
@given(
    st.fixed_dictionaries({"tpr": PLAIN | COLUMNS, "fpr": PLAIN | COLUMNS}),
    st.dictionaries(st.sampled_from(["prevalence", "n_pos", "n_neg", "more"]), NUMBERS),
)
def test_columns_of_saved_rates(path, columns, facts):
    with open(path, "wb") as file:
        saved(file, "curve", columns, facts)
    with contextlib.suppress(br.errors.CurveFileError):
        curve = br.Curve.load(path)
        assert (np.diff(curve.rates.tpr) >= 0).all()
        assert curve.given_prevalence is None or 0 < curve.given_prevalence < 1


FACTS = {"max_scores": 5, "positive": None, "other": 0, "rows": 2, "bits": None}


@pytest.mark.slow
@given(
    st.fixed_dictionaries({"score": PLAIN, "pos": PLAIN, "neg": PLAIN}, optional={"top": PLAIN | COLUMNS}),
    st.dictionaries(st.sampled_from(sorted(FACTS)), NUMBERS),
)
def test_columns_of_a_saved_accumulator(path, columns, facts):
    with open(path, "wb") as file:
        saved(file, "accumulator", columns, FACTS | facts)
    with contextlib.suppress(br.errors.CurveFileError):
        loaded = br.Accumulator.load(path)
        assert loaded.n_rows >= 0
        with contextlib.suppress(br.errors.InputError):  # no rows of any weight
            check_possible(loaded.curve())


@pytest.mark.slow
def test_a_file_that_unpacks_to_far_more_is_refused(path):
    with open(path, "wb") as file:
        header = json.dumps({"format": "baserate curve", "version": 1, "facts": {"prevalence": None}})
        zeros = np.zeros(2**22)
        np.savez_compressed(file, header=np.array(header), score=zeros, pos=zeros, neg=zeros)
    assert path.stat().st_size < 2**17
    with at_most(2**20), pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
        br.Curve.load(path)


def test_a_column_that_says_it_is_longer_than_it_is_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        column = io.BytesIO()
        np.lib.format.write_array_header_1_0(column, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
        archive.writestr("score.npy", column.getvalue() + bytes(8))
    with at_most(2**20), pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
        br.Curve.load(path)


@pytest.mark.slow
def test_whatever_is_saved_can_be_loaded(path):
    """Also rates that shrink to next to nothing."""
    curve = br.Curve.from_rates(np.repeat([0.2, 1.0], 2**20), np.repeat([0.1, 0.9], 2**20))
    curve.save(path)
    assert br.Curve.load(path) == curve
    many = br.Curve.from_counts(
        np.arange(2**20) / 2**20, np.zeros(2**20, int), np.append(2**40, np.ones(2**20 - 1, int))
    )
    many.save(path)
    assert br.Curve.load(path) == many
