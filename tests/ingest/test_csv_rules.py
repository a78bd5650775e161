"""CSV is read by rules that are declared: no row is dropped, added or changed by a guess."""

import csv
import gzip
import io
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.ingest.files import Options, columns_of


def read(folder, text, name="rows.csv", **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return br.curve(path, **({"label": "y", "score": "p"} | options))


def counts(curve):
    return [(score, pos, neg) for score, pos, neg in zip(curve.score, curve.pos, curve.neg, strict=True)]


def records_of(path, delimiter=","):
    """The rows that Python finds, as a curve."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    return br.Curve.from_scores([int(row["y"]) for row in rows], [float(row["p"]) for row in rows])


def lines_in_quotes(path, line, end="\n"):
    """Write a file that DuckDB would have several threads read, whose quoted fields hold lines, and many of them."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=end)
        writer.writerow(["y", "p", "note"])
        k = 0
        while file.tell() < 17_000_000:
            k += 1
            note = end.join(line.format(y=n % 2, p=n / 1000) for n in range(1 + k % 400))
            writer.writerow([k % 2, k % 1000 / 1000, note])
    return path


# --- every record is a row --------------------------------------------------------------------------


def test_rows_that_begin_with_a_hash_are_rows(tmp_path):
    text = "note,y,p\n1,1,.5\n#2,0,.25\n3,0,.75\n"
    assert list(by_note(tmp_path, text)) == ["#2", "1", "3"]
    assert counts(read(tmp_path, text)) == [(0.75, 0, 1), (0.5, 1, 0), (0.25, 0, 1)]


def by_note(folder, text, **options):
    (folder / "rows.csv").write_text(text)
    return br.curves_by(folder / "rows.csv", "note", label="y", score="p", **options)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "end"), [("{y},{p},x", "\n"), (",,,", "\r\n"), ("{y},{p},x", "\r\n")])
def test_quoted_lines_that_look_like_rows_are_none(tmp_path, line, end):
    path = lines_in_quotes(tmp_path / "rows.csv", line, end)
    curve = br.curve(path, label="y", score="p")
    assert curve == records_of(path)
    assert [column.name for column in columns_of(path)] == ["y", "p", "note"]


@pytest.mark.slow
def test_a_row_that_ends_in_open_quotes_is_not_left_out(tmp_path):
    path = lines_in_quotes(tmp_path / "rows.csv", "{y},{p},x")
    with open(path, "a", encoding="utf-8", newline="") as file:
        file.write('1,.5,"and so on\n')
    with pytest.raises(br.errors.DataFileError, match="cannot read"):
        br.curve(path, label="y", score="p")


def test_empty_fields_beyond_those_of_the_header_are_none(tmp_path):
    assert counts(read(tmp_path, "y,p\n1,.5,\n0,.25,,,\n")) == [(0.5, 1, 0), (0.25, 0, 1)]


def test_a_blank_line_of_one_column_is_a_missing_value(tmp_path):
    assert read(tmp_path, "p\n.5\n.4\n", label=None).n_neg == 2
    with pytest.raises(br.errors.InputError, match="got 1 row without a score"):
        read(tmp_path, "p\n.5\n\n.4\n", label=None)


LONG = "x" * 10_000


@pytest.mark.parametrize(
    "text",
    [
        f"y,p\n1,{LONG}\n",
        f'y,p\n1,"{LONG}\n',
        f"y,p\n1,.5,{LONG}\n",
        f"y,p\n{LONG},.5\n0,.5\n",
        f"y,{LONG}\n1,.5\n",
        f"0.5,{'1' * 10_000}\n1,.5\n",
    ],
)
def test_messages_do_not_hold_whole_fields(tmp_path, text):
    with pytest.raises(br.BaserateError) as refused:
        read(tmp_path, text)
    assert len(str(refused.value)) < 1000
    assert str(refused.value)[-1] == "."


def test_a_message_keeps_the_rule_and_what_to_do():
    with pytest.raises(br.errors.InputError, match=r"^no column .* … .*; choose another\.$"):
        raise br.errors.InputError(f"no column {LONG}; choose another.")


FIELD = st.text(st.sampled_from("a#,;|\t\"\n\r 'é%"), max_size=6)


@st.composite
def tables(draw):
    """The bytes of a file with a note, a label and a score, as somebody may write it, and its delimiter."""
    delimiter, end = draw(st.sampled_from(",;|\t")), draw(st.sampled_from(["\n", "\r\n"]))
    rows = draw(st.lists(st.tuples(FIELD, st.integers(0, 1), st.integers(0, 9)), min_size=1, max_size=8))
    blank = draw(st.sets(st.integers(0, 8)))
    text = io.StringIO(newline="")
    # Python's writer may leave a lone carriage return without quotes, which is another end of a line.
    unquoted = draw(st.booleans()) and not any("\r" in note for note, *_ in rows)
    quoting = csv.QUOTE_MINIMAL if unquoted else csv.QUOTE_ALL
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["note", "y", "p"])
    for k, (note, label, tenths) in enumerate(rows):
        writer.writerow([note, label, f".{tenths}"])
        text.write(end if k in blank else "")
    whole = (draw(st.sampled_from(["", "\ufeff"])) + text.getvalue()).encode()
    return delimiter, gzip.compress(whole, mtime=0) if draw(st.booleans()) else whole


@pytest.mark.slow
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(tables())
@example((",", b'note,y,p\n"#\n\n#",1,.5\n#,0,.4\n'))
@example((",", b"note,y,p\r\n\r\n#,1,.5\r\n"))
def test_rows_are_the_records_that_python_finds(table):
    delimiter, data = table
    packed = data[:2] == b"\x1f\x8b"
    text = (gzip.decompress(data) if packed else data).decode("utf-8-sig")
    _, *records = (record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("rows.csv.gz" if packed else "rows.csv")
        path.write_bytes(data)
        by_key = br.curves_by(path, "note", label="y", score="p")
    scores = Counter((float(score), label) for _, label, score in records)
    different = sorted({score for score, _ in scores}, reverse=True)
    assert counts(sum(by_key.values())) == [(score, scores[score, "1"], scores[score, "0"]) for score in different]
    rows_by_key = {key: int(curve.n_pos + curve.n_neg) for key, curve in by_key.items()}
    assert rows_by_key == Counter(note or None for note, *_ in records)


def test_rows_far_behind_the_first_are_read_alike(tmp_path):
    rows = "".join(f'{k % 2},{k / 100_000},"a\n1,.5,b"\n' for k in range(60_000))
    curve = read(tmp_path, f"y,p,note\n{rows}1,.5,#\n")
    assert (curve.n_pos, curve.n_neg) == (30_001, 30_000)


def test_one_space_before_an_opening_quote_does_not_count(tmp_path):
    plain = read(tmp_path, 'y,p,note\n1,0.9,"a,b"\n0,0.2,"two\nlines"\n0,0.4,c\n')
    spaced = read(tmp_path, 'y,p,note\n1,0.9, "a,b"\n0,0.2, "two\nlines"\n0,0.4,c\n')
    assert counts(spaced) == counts(plain) == [(0.9, 1, 0), (0.4, 0, 1), (0.2, 0, 1)]
    for text in (', "a', ',  "a,b"', ',\t"a,b"'):  # nothing closes it, or it is text and does not quote
        with pytest.raises(br.errors.BaserateError):
            read(tmp_path, f"y,p,note\n1,0.9{text}\n0,0.2,b\n")


@pytest.mark.parametrize(
    "row",
    ["1", "1,.5,x,y", '1,.5,"x"y', '1,.5,"x', "1,.5,x\r"],
    ids=["short", "long", "text after a quote", "open quote", "another end of line"],
)
def test_a_row_that_does_not_fit_is_refused(tmp_path, row):
    with pytest.raises(br.errors.DataFileError, match=r"cannot read .* as CSV"):
        read(tmp_path, f"y,p,note\n1,.5,x\n{row}\n0,.5,x\n")


def test_text_must_be_utf8(tmp_path):
    with pytest.raises(br.errors.DataFileError, match=r"cannot read .* as CSV"):
        read(tmp_path, ("y,p\n" + "1,.5\n" * 10_000 + "é,.5\n").encode("latin-1"))
    for coding in ("latin-1", "utf-16"):
        with pytest.raises(br.errors.DataFileError, match="is not UTF-8; convert it"):
            read(tmp_path, "y,p,é\n1,.5,1\n0,.5,1\n".encode(coding))


# --- the header -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("y,p,n", ","), ("y;p;n", ";"), ("y\tp\tn", "\t"), ("y|p|n", "|"), ('y;p;"a,b|c"', ";"), ('"y";"p";"a\n,b"', ";")],
)
def test_the_header_tells_the_delimiter(tmp_path, header, delimiter):
    assert counts(read(tmp_path, header + f"\n1{delimiter}.5{delimiter}x\n")) == [(0.5, 1, 0)]


def test_a_delimiter_that_is_not_clear_is_asked_for(tmp_path):
    text = "y;p;a,b\n1;.5;x\n"
    with pytest.raises(
        br.errors.DataFileError, match=r"ambiguous delimiter: the header of .* has comma and semicolon; say which one"
    ):
        read(tmp_path, text)
    assert counts(read(tmp_path, text, delimiter=";")) == [(0.5, 1, 0)]
    assert counts(read(tmp_path, "y\tp\ta,b\n1\t.5\tx\n", "rows.tsv")) == [(0.5, 1, 0)]
    assert counts(read(tmp_path, "y^p\n1^.5\n", delimiter="^")) == [(0.5, 1, 0)]


def test_the_first_line_is_the_header(tmp_path):
    for start in ("\n", "  \n"):
        with pytest.raises(br.errors.DataFileError, match="must be its header, got a line without names"):
            read(tmp_path, start + "y,p\n1,.5\n")
    with pytest.raises(
        br.errors.DataFileError, match=r"must be its header, got 1, \.5 in .*; add a line with the names"
    ):
        read(tmp_path, "1,.5\n0,.4\n", label=None)
    with pytest.raises(br.errors.InputError, match="got 'p'; its columns are 0, 1"):  # columns may be counted
        read(tmp_path, "0,1\n0,.4\n", label=None)
    with pytest.raises(br.errors.InputError, match="its columns are # made by a tool"):
        read(tmp_path, "# made by a tool\ny,p\n1,.5\n")


def test_columns_nobody_asks_for_may_be_called_anything(tmp_path):
    assert counts(read(tmp_path, ",P,p,y,x,x,unasked 0\n0,.1,.5,1,,,\n")) == [(0.5, 1, 0)]
    with pytest.raises(br.errors.DataFileError, match="duplicate column 'p' in the header of"):
        read(tmp_path, "p,p,y\n.1,.5,1\n")


# --- numbers, labels, keys --------------------------------------------------------------------------


def test_a_decimal_comma_is_read_only_if_it_is_said(tmp_path):
    text = "y;p\n1;0,5\n0;0,25\n"
    with pytest.raises(br.errors.DataFileError, match="must be numbers, got '0,5' in column 'p'"):
        read(tmp_path, text)
    assert counts(read(tmp_path, text, decimal=",")) == [(0.5, 1, 0), (0.25, 0, 1)]
    with pytest.raises(br.errors.DataFileError, match=r"must be numbers, got '0\.5' in column 'p'"):
        read(tmp_path, "y;p\n1;0.5\n", decimal=",")
    with pytest.raises(br.errors.InputError, match="delimiter and decimal must differ"):
        read(tmp_path, "y,p\n1,.5\n", decimal=",")


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"delimiter": ""}, "delimiter must be one character"),
        ({"delimiter": "ab"}, "delimiter must be one character"),
        ({"delimiter": '"'}, "delimiter must be one character"),
        ({"decimal": ";"}, "decimal must be"),
        ({"decimal": ",", "delimiter": ","}, "must differ"),
    ],
)
def test_bad_options(tmp_path, options, rule):
    with pytest.raises(br.errors.InputError, match=rule):
        read(tmp_path, "y,p\n1,.5\n", **options)


def test_options_of_csv_are_for_csv(tmp_path):
    import polars as pl

    table = pl.DataFrame({"y": [0, 1], "p": [0.1, 0.2]})
    table.write_parquet(tmp_path / "rows.parquet")
    for given_table in (table, tmp_path / "rows.parquet"):
        with pytest.raises(br.errors.InputError, match="delimiter and decimal are for CSV files"):
            br.curve(given_table, label="y", score="p", delimiter=",")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["2", "10", "2"], [2, 10]),
        (["-1", "0", ""], [-1, 0, None]),
        (["02", "2", "2"], ["02", "2"]),
        (["1", "1.0", "1"], ["1", "1.0"]),
        (["1", "2", "+3"], ["+3", "1", "2"]),
        (["true", "false", "1"], ["1", "false", "true"]),
        (["2026-01-02", "03/04/2026", "x"], ["03/04/2026", "2026-01-02", "x"]),
        (["9" * 30, "1", "1"], [1, int("9" * 30)]),
    ],
)
def test_keys_are_text_or_whole_numbers(tmp_path, keys, expected):
    rows = "".join(f"{key},{k % 2},.5\n" for k, key in enumerate(keys))
    assert list(by_note(tmp_path, "note,y,p\n" + rows)) == expected


def test_columns_are_guessed_by_the_same_rules(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y;p;x,z;ok;note;none\n1;0,5;3;true;#1;\n0;1;4;False;x;NA\n;;;;;\n")
    found = columns_of(path, Options.checked(None, ";", ","))
    assert [(column.name, column.kind, column.values) for column in found] == [
        ("y", "whole", (1, 0)),
        ("p", "float", (0.5, 1.0)),
        ("x,z", "whole", (3, 4)),
        ("ok", "bool", (True, False)),
        ("note", "other", ()),
        ("none", "other", ()),
    ]


# --- times ------------------------------------------------------------------------------------------


def by_month(folder, *times, form="csv", tz=None):
    path = folder / f"rows.{form}"
    if form == "csv":
        path.write_text("y,p,at\n" + "".join(f"{k % 2},.5,{time}\n" for k, time in enumerate(times)))
    else:
        path.write_text("".join(f'{{"y": {k % 2}, "p": 0.5, "at": "{time}"}}\n' for k, time in enumerate(times)))
    return list(br.curves_by(path, label="y", score="p", period=("at", "month"), tz=tz))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_times_in_text_are_iso_8601(tmp_path, form):
    assert by_month(tmp_path, "2026-01-31", "2026-02-01 00:00:00", "2026-03-01T12:30", form=form) == [
        "2026-01",
        "2026-02",
        "2026-03",
    ]
    with_zone = ["2026-01-31T23:30:00Z", "2026-01-31 23:30:00.123456789+00:00", "2026-03-01T00:30:00+0100"]
    assert by_month(tmp_path, *with_zone, form=form, tz="UTC") == ["2026-01", "2026-02"]
    assert by_month(tmp_path, *with_zone, form=form, tz="Europe/Prague") == ["2026-02", "2026-03"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "times",
    [
        ("03/04/2026", "2026-01-31"),
        ("2026-01-31", "31.01.2026"),
        ("20260131", "20260131"),
        ("2026-02-30", "2026-01-31"),
        ("2026-1-2", "2026-01-31"),
        ("infinity", "2026-01-31"),
        ("2026-01-31 00:00:00", "2026-01-31T00:00:00Z"),
        ("2026-01-31 00:00:00+01:00", "2026-01-31 00:00:00"),
        ("1767225600", "1767225600"),
    ],
)
def test_other_times_are_refused(tmp_path, form, times):
    tz = "UTC" if times[0].endswith("+01:00") else None
    with pytest.raises(br.errors.DataFileError, match="times in text must be ISO 8601"):
        by_month(tmp_path, *times, form=form, tz=tz)
