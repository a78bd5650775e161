"""Files that something happened to: each is read rightly or refused, in a sentence and in time.

What harms nothing must give the counts of the untouched file. What may harm must give an error of ours, or the counts
that Python finds in the same bytes. Parquet with checksums of its pages must give the counts of the untouched file.
Parquet without them cannot tell: what pyarrow finds, too, or refuses to read, is counted as other values. Files of
ours have a checksum and must give what was written. Results as JSON and claims have none, and must give what Python's
own parser finds.
"""

import argparse
import csv
import functools
import gzip
import io
import json
import random
import re
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import baserate as br
from baserate.curves.packing import decode, encode
from helpers.in_time import in_time
from helpers.scripts import script

FORMATS = ("csv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "checked.parquet")
KEPT = ("saved curve", "saved accumulator", "kept curve")  # what baserate itself writes
PARSED = ("result", "claims")  # what is text, and may be changed by hand
REFUSED, READ, OTHERWISE = "refused", "read", "read as other values"
MISSING = {"", "NA", "N/A", "n/a", "null", "NULL", "None", "nan", "NaN"}


def rows_of(rng):
    """Rows with all that is hard to write."""
    notes = ["a", "#1", "a,b", 'say "so"', "two\nlines", "", "é", " x ", "'", ";|\t"]
    return [(rng.randrange(2), rng.randrange(1, 10_000) / 10_000, rng.choice(notes)) for _ in range(60)]


# --- writing ----------------------------------------------------------------------------------------


def as_csv(rows, rng=None):
    """The rows as CSV; with a generator, in another of the ways that mean the same."""
    draw = (lambda *choices: choices[0]) if rng is None else (lambda *choices: rng.choice(choices))
    end, delimiter = draw("\n", "\r\n"), draw(",", ";", "\t", "|")
    quoting = draw(csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    order = [0, 1, 2] if rng is None else rng.sample(range(3), 3)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end, delimiter=delimiter, quoting=quoting)
    for row in [("y", "p", "note"), *rows]:
        writer.writerow([row[k] for k in order])
        text.write(draw("", "", "", end) if rng else "")
    return (draw("", "\ufeff") + text.getvalue().removesuffix(draw("", end))).encode()


def as_json(rows, rng=None):
    """The rows as JSON lines, likewise."""
    lines = []
    for y, p, note in rows:
        items = [("y", y), ("p", p), ("note", note)]
        if rng is not None:
            rng.shuffle(items)
        lines.append(json.dumps(dict(items), ensure_ascii=rng is None or rng.random() < 0.5))
    ends = "\n" if rng is None else rng.choice(["\n", "\r\n", "\n\n"])
    return ends.join([*lines, ""]).encode()


def as_parquet(rows, rng=None, **options):
    """The rows as Parquet, likewise."""
    y, p, note = (list(column) for column in zip(*rows, strict=True))
    if rng is not None:
        options |= {"compression": rng.choice(["none", "gzip", "zstd"]), "row_group_size": rng.choice([7, 100])}
        options |= {"use_dictionary": rng.random() < 0.5, "data_page_version": rng.choice(["1.0", "2.0"])}
    packed = io.BytesIO()
    pq.write_table(pa.table({"y": y, "p": p, "note": note}), packed, **options)
    return packed.getvalue()


def written(form, rows, rng=None):
    """The rows in a format."""
    checked = functools.partial(as_parquet, write_page_checksum=True)
    writers = {"csv": as_csv, "jsonl": as_json, "parquet": as_parquet, "checked.parquet": checked}
    data = writers[form.removesuffix(".gz")](rows, rng)
    if not form.endswith(".gz"):
        return data
    cut = 0 if rng is None else rng.randrange(len(data))
    return gzip.compress(data[:cut], mtime=0) + gzip.compress(data[cut:], mtime=0)


def harmed(data, rng):
    """The bytes after something that happens to files."""
    start = rng.randrange(len(data))
    end = min(start + rng.randrange(1, 40), len(data))
    other = rng.randrange(len(data))
    signs = rng.choice([b'"', b"\n", b"\r", b",", b";", b"#", b"\0", b"\xff", b"\\", b"{", b"9", rng.randbytes(5)])
    return rng.choice(
        [
            data[:start] + bytes([data[start] ^ (1 << rng.randrange(8))]) + data[start + 1 :],
            data[:start] + data[end:],
            data[:start],
            data[:start] + signs + data[start:],
            data[:start] + data[start:end] * 2 + data[end:],
            data[:other] + data[start:end] + data[other:],
            data + data[start:],
        ]
    )


# --- what is in them --------------------------------------------------------------------------------


def by_python(form, data):
    """The counts by score and class that Python finds by the same rules, None if it finds no table."""
    try:
        text = (gzip.decompress(data) if form.endswith(".gz") else data).decode("utf-8-sig")
        return _counts(_csv_rows(text) if form.startswith("csv") else _json_rows(text))
    except (ValueError, KeyError, TypeError, OSError, EOFError, csv.Error, gzip.zlib.error):
        return None


def _csv_rows(text):
    text = re.sub(r'([,;|\t\n]) "', r'\1"', text)  # one space before an opening quote does not count
    records = [record for record in csv.reader(io.StringIO(text, newline=""), strict=True) if record]
    if not records:
        raise ValueError("no header")
    header = records[0]
    # Empty fields beyond those of the header are none.
    rows = [record if any(record[len(header) :]) else record[: len(header)] for record in records[1:]]
    return [dict(zip(header, row, strict=True)) for row in rows]


def _json_rows(text):
    # A comma after the last member does not count.
    return [json.loads(re.sub(r",\s*}\s*$", "}", line)) for line in text.split("\n") if line.strip()]


def _counts(rows):
    found = Counter()
    for row in rows:
        y, p = (None if str(row.get(name)) in MISSING else float(row[name]) for name in ("y", "p"))
        found[None if y is None else (p, y)] += 1
    return found


def by_pyarrow(data):
    """The same of Parquet, by pyarrow; None if it cannot read the file."""
    try:
        return _counts(pq.read_table(io.BytesIO(data), columns=["y", "p"]).to_pylist())
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
        return None


def by_baserate(path):
    """The counts by score and class of a curve."""
    curve = br.curve(path, label="y", score="p", missing="random")
    found = Counter({None: curve.unlabelled})
    for score, pos, neg in zip(curve.score.tolist(), curve.pos.tolist(), curve.neg.tolist(), strict=True):
        found += Counter({(score, 1.0): pos, (score, 0.0): neg})
    return +found


def complaint(form, seed, folder):
    """What is wrong with how one file is read, None if nothing is; and what came of it."""
    rng = random.Random(f"{form} {seed}")
    rows = rows_of(rng)
    harmless = rng.random() < 0.3
    data = written(form, rows, rng) if harmless else harmed(written(form, rows), rng)
    path = Path(folder) / f"rows.{form}"
    path.write_bytes(data)
    expected = Counter((p, float(y)) for y, p, _ in rows)
    if not harmless and not form.endswith("parquet"):
        expected = by_python(form, data)
    try:
        with in_time():
            found = by_baserate(path)
    except br.BaserateError as error:
        return f"refused though nothing happened to it: {error}" if harmless else None, REFUSED
    except Exception as error:
        return f"{type(error).__name__}: {error}", REFUSED
    if found == expected:
        return None, READ
    if form == "parquet" and not harmless and by_pyarrow(data) in (found, None):
        return None, OTHERWISE
    return "no table for Python" if expected is None else f"read {found - expected}, not {expected - found}", READ


def complaint_of_kept(form, seed, folder):
    """The same of a file of ours, which gives the curve that was written, or is refused."""
    rng = random.Random(f"{form} {seed}")
    y, p, _ = zip(*rows_of(rng), strict=True)
    curve = br.Curve.from_scores(y, p)
    path = Path(folder) / "kept"
    if form == "saved curve":
        curve.save(path)
    elif form == "saved accumulator":
        counted = br.Accumulator(max_scores=rng.choice([20, 1000]))
        counted.update(y, p)
        counted.save(path)
        curve = counted.curve()
    else:
        path.write_bytes(encode(curve))
    path.write_bytes(harmed(path.read_bytes(), rng))
    try:
        with in_time():
            found = _loaded(form, path)
    except br.BaserateError:
        return None, REFUSED
    except Exception as error:
        return f"{type(error).__name__}: {error}", REFUSED
    return None if found == curve else f"loaded {found}, not {curve}", READ


def _loaded(form, path):
    if form == "kept curve":
        return decode(path.read_bytes())
    return br.Curve.load(path) if form == "saved curve" else br.Accumulator.load(path).curve()


CLAIMS = """prevalence = "1:1000"
confidence_level = 0.9
[[claim]]
name = "enough of the fraud"
metric = "recall"
at = "alert_rate = 0.01"
at_least = 0.4
[[claim]]
metric = "f_beta:beta=2"
at = "threshold = 0.5"
at_most = 0.25
prevalence = [0.001, 0.01]
"""


@functools.cache
def results():
    """A result of each kind, as JSON."""
    every = script(Path(__file__).parents[2] / "docs" / "every_result.py")
    return [makes[0]().to_json() for makes in every.MADE.values()]


def complaint_of_parsed(form, seed, folder):
    """The same of JSON and TOML: what is read is what Python's own parser finds in the text, or it is refused."""
    rng = random.Random(f"{form} {seed}")
    data = harmed((rng.choice(results()) if form == "result" else CLAIMS).encode(), rng)
    path = Path(folder) / "parsed"
    path.write_bytes(data)
    try:
        with in_time():
            if form == "result":
                found = json.loads(br.results.Result.from_json(data.decode("utf-8", "replace")).to_json())
                expected = json.loads(data.decode("utf-8", "replace"))
            else:
                found, parsed = [str(claim) for claim in br.read_claims(path)], tomllib.loads(data.decode())
                shared = {key: value for key, value in parsed.items() if key != "claim"}
                expected = [str(br.Claim(**(shared | row))) for row in parsed["claim"]]
    except br.BaserateError:
        return None, REFUSED
    except Exception as error:
        return f"{type(error).__name__}: {error}", REFUSED
    return None if found == expected else f"read {found}, not {expected}", READ


def main():
    """Many files; the first complaint of each format is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", choices=(*KEPT, *PARSED, *FORMATS))
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for form in asked.format or (*KEPT, *PARSED, *FORMATS):
            ask = complaint_of_kept if form in KEPT else complaint_of_parsed if form in PARSED else complaint
            outcomes = {seed: ask(form, seed, folder) for seed in range(asked.seed, asked.seed + asked.cases)}
            wrong = {seed: said for seed, (said, _) in outcomes.items() if said is not None}
            counts = Counter(outcome for _, outcome in outcomes.values())
            said = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in (REFUSED, READ, OTHERWISE))
            print(f"{form}: {asked.cases:,} files, {said}, {len(wrong)} wrong", flush=True)
            for seed, said in list(wrong.items())[:5]:
                print(f"  seed {seed}: {said[:500]}")
            failed += len(wrong)
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
