"""``baserate store``: what is kept is listed, checked, tidied up and copied."""

import csv
import datetime
import io
import json
import os
import sqlite3

import pytest

import baserate as br

MAY = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
HEAVY = br.Curve.from_scores([0, 1], [0.1, 0.4], weight=[0.5, 2.25])


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store of two models, one with slices."""
    monkeypatch.chdir(tmp_path)
    with br.monitoring.CurveStore("monitor.db") as store:
        months = [f"2026-{month:02}" for month in range(1, 7)]
        store.append_many({("p", month, part): MAY for month in months for part in (None, "who=acme", "who=emca")})
        store.append(HEAVY, model="q", period="2026-01")
    return tmp_path / "monitor.db"


def keys(path="monitor.db"):
    with br.monitoring.CurveStore(path, read_only=True) as store:
        store.verify()
        return store.keys()


def test_list(ask, kept):
    done = ask("store", "list", "monitor.db")
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()] == [
        ["model", "slice", "periods", "first", "last", "pos", "neg", "bytes"],
        ["p", "–", "6", "2026-01", "2026-06", "300", "5,700", "150"],
        ["p", "who=acme", "6", "2026-01", "2026-06", "300", "5,700", "150"],
        ["p", "who=emca", "6", "2026-01", "2026-06", "300", "5,700", "150"],
        ["q", "–", "1", "2026-01", "2026-01", "2.25", "0.5", "41"],
    ]
    found = json.loads(ask("store", "list", "monitor.db", "--model", "q", "--json").out)
    assert [row["model"] for row in found] == ["q"]
    assert found[0]["pos"] == 2.25


def test_an_empty_store_is_no_error(ask, tmp_path):
    br.monitoring.CurveStore(tmp_path / "empty.db").close()
    done = ask("store", "list", tmp_path / "empty.db")
    assert (done.code, done.out, done.err) == (0, "", "Note: the store is empty\n")
    assert json.loads(ask("store", "list", tmp_path / "empty.db", "--json").out) == []
    assert ask("store", "verify", tmp_path / "empty.db").out.endswith("0 curves, all intact.\n")


def test_show(ask, kept):
    done = ask("store", "show", "monitor.db", "--model", "p", "--slice", "who=acme", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["period"] for row in rows] == [f"2026-{month:02}" for month in range(1, 7)]
    assert {row["slice"] for row in rows} == {"who=acme"}
    assert (rows[0]["pos"], rows[0]["neg"], rows[0]["prevalence"], rows[0]["bytes"]) == ("50", "950", "0.05", "25")
    assert float(rows[0]["width"]) == 0
    assert ask("store", "show", "monitor.db", "--model", "q").out.splitlines()[1].split()[1:4] == [
        "2026-01",
        "2.25",
        "0.5",
    ]


def test_a_number_can_be_traced_to_its_file(ask, tmp_path):
    """Which file the rows of each period came from, and how many, is kept beside the curve."""
    path, kept = tmp_path / "may.csv", tmp_path / "monitor.db"
    days = "".join(f"2026-0{1 + i % 4}-01,{i % 9 == 0:d},{i / 400}\n" for i in range(400))
    path.write_text("day,y,p\n" + days)
    assert ask("monitor", path, "--label", "y", "--score", "p", "--period", "day:month", "--store", kept).code == 0
    rows = json.loads(ask("store", "show", kept, "--json").out)
    source = br.curve(path, label="y", score="p").source
    assert [row["source"] for row in rows] == [
        f"may.csv: 400 rows, 100 labelled and 0 unlabelled counted; CSV, delimiter ',', decimal '.'; "
        f"{path.stat().st_size:,} bytes, {source.fingerprint}"
    ] * 4
    with br.monitoring.CurveStore(kept) as store:
        assert store.history(model="p")["source"].tolist() == [row["source"] for row in rows]
        store.append(MAY, model="q", period="2026-05")
        assert store.history(model="q")["source"].tolist() == [""]
    assert "source" not in ask("store", "show", kept, "--model", "p").out


def test_verify(ask, kept):
    assert ask("store", "verify", "monitor.db").out == "monitor.db: 19 curves, all intact.\n"
    with sqlite3.connect("monitor.db") as connection:
        connection.execute("UPDATE kept SET n_pos = 51 WHERE period = '2026-03' AND slice = 'who=acme'")
    connection.close()
    done = ask("store", "verify", "monitor.db")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Error: a store must be intact, got 'monitor.db', which is damaged: the row of p, 2026-03, who=acme is not "
        "what was written; restore a backup.\n"
    )


def test_delete(ask, kept):
    done = ask("store", "delete", "monitor.db", "--slice", "who=acme", "--dry-run")
    assert done.out == "p, who=acme: 6 curves would be deleted, 2026-01 to 2026-06\n"
    assert len(keys()) == 19
    done = ask("store", "delete", "monitor.db", "--slice", "who=acme")
    assert (done.code, done.out) == (0, "p, who=acme: 6 curves deleted, 2026-01 to 2026-06\n")
    assert {key.slice for key in keys()} == {None, "who=emca"}
    assert b"acme" not in kept.read_bytes()
    done = ask("store", "delete", "monitor.db", "--model", "p", "--period", "2026-02")
    assert done.out == "p: 1 curve deleted, 2026-02\np, who=emca: 1 curve deleted, 2026-02\n"
    assert len(keys()) == 11


def test_prune(ask, kept):
    done = ask("store", "prune", "monitor.db", "--keep", "2", "--first", "3", "--model", "p", "--dry-run")
    assert done.out.splitlines()[0] == "p: 1 curve would be deleted, 2026-04"
    assert (done.err, len(keys())) == ("", 19)
    done = ask("store", "prune", "monitor.db", "--keep", "2")
    assert done.out == "".join(
        f"p{part}: 4 curves deleted, 2026-01 to 2026-04\n" for part in ("", ", who=acme", ", who=emca")
    )
    assert "the first remaining periods are now the reference of baserate monitor" in done.err
    assert len(keys()) == 7
    done = ask("store", "prune", "monitor.db", "--keep", "2")
    assert (done.code, done.out, done.err) == (0, "no curve deleted\n", "")


def test_prune_versions(ask, kept):
    with br.monitoring.CurveStore("monitor.db") as store:
        for day, n_pos in ((2, 3), (9, 5)):
            curve = br.Curve.from_counts([0.9, 0.2], pos=[n_pos, 0], neg=[9 - n_pos, 90])
            for month in (5, 6):
                known = {"matures": "60d", "today": datetime.date(2026, month + 1, day)}
                store.append(curve, model="late", period=f"2026-0{month}", **known)
    said = "late: earlier versions of 1 curve {}, 2026-05\n"
    assert ask("store", "prune", "monitor.db", "--versions", "1", "--dry-run").out == said.format("would be deleted")
    done = ask("store", "prune", "monitor.db", "--versions", "1")
    assert (done.out, done.err) == (said.format("deleted"), "")
    assert ask("store", "prune", "monitor.db", "--versions", "1").out == "no earlier versions of curves deleted\n"
    assert len(keys()) == 21
    done = ask("store", "prune", "monitor.db", "--keep", "1", "--versions", "2", "--model", "late")
    assert done.out.splitlines() == ["late: 1 curve deleted, 2026-05", "no earlier versions of curves deleted"]


def test_backup(ask, kept):
    assert ask("store", "backup", "monitor.db", "copy.db").out == "copy.db: 19 curves copied.\n"
    assert keys("copy.db") == keys()
    ask("store", "delete", "monitor.db", "--model", "q")
    done = ask("store", "backup", "monitor.db", "copy.db")
    assert done.code == 1
    assert done.err.endswith("which exists; choose another path, or replace an older backup with --replace.\n")
    assert ask("store", "backup", "monitor.db", "copy.db", "--replace").code == 0
    assert keys("copy.db") == keys()
    assert sorted(os.listdir()) == ["copy.db", "monitor.db"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["list", "no.db"], 1, "store not found: 'no.db'"),
        (["delete", "no.db", "--model", "p"], 1, "store not found"),
        (["prune", "no.db", "--keep", "3"], 1, "store not found"),
        (["list", "monitor.db", "--model", "z"], 1, "not in the store 'monitor.db': model 'z'; see"),
        (
            ["delete", "monitor.db", "--model", "p", "--slice", "z"],
            1,
            "not in the store 'monitor.db': model 'p', slice 'z'",
        ),
        (["show", "monitor.db"], 1, "the store has several models: p, q; choose one with --model"),
        (["show", "monitor.db", "--model", "p", "--slice", "z"], 1, "not in the store: z of model 'p'"),
        (["delete", "monitor.db"], 2, "Missing option: --model, --slice or --period"),
        (["prune", "monitor.db"], 2, "Missing option: --keep or --versions"),
        (["prune", "monitor.db", "--keep", "0"], 2, "0 is not in the range"),
        (["show"], 2, "STORE"),
        (["lst", "monitor.db"], 2, "No such command 'lst'"),
        (["backup", "monitor.db", "no/where.db"], 1, "the store 'no/where.db' cannot be written"),
    ],
)
def test_wrong_input(ask, kept, arguments, code, sentence):
    done = ask("store", *arguments)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert os.listdir() == ["monitor.db"]
    assert len(keys()) == 19
