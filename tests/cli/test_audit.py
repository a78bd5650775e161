"""``baserate audit``."""

import csv
import io
import json

import baserate as br

POSSIBLE = {"precision": "0.90", "recall": "0.80"}
IMPOSSIBLE = ("precision=0.90", "recall=0.90", "f1=0.50")
WHY = "f1 0.50 contradicts precision 0.90, recall 0.90, which imply f1 between 0.895 and 0.905"


def test_it_says_what_the_library_says(ask):
    numbers = [f"{name}={number}" for name, number in POSSIBLE.items()]
    done = ask("audit", *numbers, "--at", "1 in 1,000", "--at", "0.01", "--metric", "npv")
    found = br.audit(POSSIBLE, at=["1 in 1,000", 0.01], metrics="npv")
    assert (done.code, done.out, done.err) == (0, f"{found}\n", "")
    as_json = ask("audit", *numbers, "--json")
    assert json.loads(as_json.out) == {"possible": True, "why": None, "implied": br.audit(POSSIBLE).rows()}
    rows = list(csv.DictReader(io.StringIO(ask("audit", *numbers, "--csv").out)))
    assert [float(row["high"]) for row in rows] == [one.high for one in br.audit(POSSIBLE).implied]


def test_a_contradiction_is_3(ask):
    done = ask("audit", *IMPOSSIBLE)
    assert (done.code, done.out, done.err) == (3, f"not possible: {WHY}\n", "")
    as_csv = ask("audit", *IMPOSSIBLE, "--csv")
    assert (as_csv.code, as_csv.out, as_csv.err) == (3, f'possible,why\nFalse,"{WHY}"\n', "")
    as_json = ask("audit", *IMPOSSIBLE, "--json")
    assert as_json.code == 3
    assert json.loads(as_json.out) == {"possible": False, "why": WHY, "implied": []}
