"""The store: what is acknowledged is there, what is not whole is refused."""

import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.curves.compact import width
from baserate.curves.formats import STORE
from baserate.curves.packing import encode
from baserate.monitoring import store_file
from baserate.monitoring.store_rows import CurveKey

KEPT = Path(__file__).parents[1] / "golden" / "formats"

MAY = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
JUNE = br.Curve.from_counts([0.2, 0.8], pos=[5, 25], neg=[400, 20])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "monitor.db"


@pytest.fixture
def store(path):
    with br.monitoring.CurveStore(path) as store:
        yield store


def large(seed=0, n=20_000):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.05
    return br.Curve.from_scores(y, rng.normal(size=n) + 2 * y)


# --- keeping --------------------------------------------------------------------------------------


def test_curves_come_back_by_their_keys(store, path):
    store.append(MAY, model="a", period="2026-05")
    store.append(JUNE, model="a", period="2026-06")
    store.append(JUNE, model="a", period="2026-05", slice="web")
    store.append(JUNE, model="b", period="2026-05")
    store.append(MAY, model="a", period="2025-12")
    with br.monitoring.CurveStore(path, read_only=True) as again:
        assert again.curve(model="a", period="2026-05") == MAY
        assert again.curve(model="a", period="2026-05", slice="web") == JUNE
        assert again.curves(model="a") == {"2025-12": MAY, "2026-05": MAY, "2026-06": JUNE}
        assert list(again.curves(model="a")) == ["2025-12", "2026-05", "2026-06"]
        assert list(again.curves(model="a", last=2)) == ["2026-05", "2026-06"]
        assert again.curves(model="a", slice="web") == {"2026-05": JUNE}
        assert again.curves(model="c") == {}
        assert again.keys() == [
            CurveKey("a", "2025-12"),
            CurveKey("a", "2026-05"),
            CurveKey("a", "2026-06"),
            CurveKey("a", "2026-05", "web"),
            CurveKey("b", "2026-05"),
        ]
        assert again.keys(model="b") == [("b", "2026-05", None)]
        assert len(again) == 5
        history = again.history(model="a")
        assert history["period"].tolist() == ["2025-12", "2026-05", "2026-06"]
        assert history["n_pos"].tolist() == [50, 50, 30]
        assert history["n_neg"].tolist() == [950, 950, 420]
        assert {len(column) for column in again.history(model="c").values()} == {0}
        again.verify()


@pytest.mark.parametrize(
    "curve",
    [
        MAY.at_prevalence(0.001),
        br.Curve.from_scores([0, 1, 1], [1, 2, 2], weight=[0.3, 0.1, 2]),
        br.Curve.from_scores([], []),
        br.Curve.from_scores([0, 0], [np.inf, -np.inf]),
    ],
    ids=["read elsewhere", "weighted", "empty", "no positives"],
)
def test_unusual_curves_come_back(store, curve):
    assert store.append(curve, model="a", period="p").exact
    assert store.curve(model="a", period="p") == curve


def test_names_may_be_anything_that_is_text(store):
    for name in ("Ω'; DROP TABLE curves; --", " ", "a/b\n", "%_"):
        store.append(MAY, model=name, period=name, slice=name)
        assert store.curve(model=name, period=name, slice=name) == MAY
        assert store.curves(model=name, slice=name) == {name: MAY}
    assert len(store) == 4


def test_a_large_curve_takes_four_kilobytes_and_says_what_that_costs(store):
    curve = large()
    receipt = store.append(curve, model="a", period="2026-05")
    print(receipt)
    assert str(receipt).startswith("a, 2026-05: added, ")
    assert f"average precision exact to {receipt.width:.2g}" in str(receipt)
    assert receipt.n_bytes <= 4096
    assert not receipt.exact
    kept = store.curve(model="a", period="2026-05")
    assert receipt.n_bytes == len(encode(kept))
    for prevalence in (1e-6, 1e-3, 0.5, kept.prevalence):
        bounds = br.bounds(br.average_precision, kept.at_prevalence(prevalence))
        assert bounds.low <= br.average_precision(curve.at_prevalence(prevalence)) <= bounds.high
        assert bounds.high - bounds.low <= receipt.width + 1e-11
    assert receipt.width < 0.01


def test_doing_it_again_changes_nothing_and_is_told(store, path):
    first = store.append(large(), model="a", period="2026-05")
    before = path.read_bytes()
    again = store.append(large(), model="a", period="2026-05")
    assert (first.status, again.status) == ("added", "unchanged")
    assert (again.n_bytes, again.width, again.exact) == (first.n_bytes, first.width, first.exact)
    assert path.read_bytes() == before
    # What came out of the store may go in again: it stands for the same rows.
    kept = store.curve(model="a", period="2026-05")
    assert store.append(kept, model="a", period="2026-05").status == "unchanged"


def test_other_rows_are_refused_unless_they_are_to_replace(store):
    store.append(MAY, model="a", period="2026-05")
    with pytest.raises(
        br.errors.InputError, match=r"must keep its rows, got other rows for a, 2026-05 than .*; pass replace=True"
    ):
        store.append(JUNE, model="a", period="2026-05")
    assert store.curve(model="a", period="2026-05") == MAY
    assert store.append(JUNE, model="a", period="2026-05", replace=True).status == "replaced"
    assert store.curve(model="a", period="2026-05") == JUNE
    assert store.append(JUNE, model="a", period="2026-05", replace=True).status == "unchanged"
    assert store.append(MAY, model="a", period="2026-06", replace=True).status == "added"
    assert len(store) == 2


def test_many_are_there_together_or_not_at_all(store):
    store.append(MAY, model="a", period="2026-05")
    batch = {("a", "2026-04", None): MAY, ("a", "2026-05", None): JUNE, ("a", "2026-06", None): MAY}
    with pytest.raises(br.errors.InputError, match="a, 2026-05"):
        store.append_many(batch)
    assert store.keys() == [CurveKey("a", "2026-05")]
    receipts = store.append_many(batch, replace=True)
    assert [receipt.status for receipt in receipts] == ["added", "replaced", "added"]
    assert [receipt.key for receipt in receipts] == list(batch)
    assert store.append_many({}) == []


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ({"model": ""}, "model must be a non-empty text without null characters, got ''"),
        ({"model": 3}, "model must be text, got 3"),
        ({"period": None}, "period must be text"),
        ({"slice": ""}, "slice must be a non-empty text"),
        ({"slice": "a\0b"}, "slice must be a non-empty text"),
        ({"model": "\ud800"}, "must be valid UTF-8"),
    ],
)
def test_names_that_will_not_do(store, names, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        store.append(MAY, **({"model": "a", "period": "p"} | names))


def test_what_is_not_kept_or_cannot_be(store):
    with pytest.raises(br.errors.InputError, match="not in the store: a, 2026-05; see keys"):
        store.curve(model="a", period="2026-05")
    with pytest.raises(br.errors.InputError, match="only a curve of counts"):
        store.append(br.Curve.from_rates([0.5], [0.1]), model="a", period="p")
    assert len(store) == 0


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    assert repr(store).endswith("(closed)")
    with pytest.raises(br.errors.InputError, match="must be open"):
        store.keys()


def test_the_disk_is_told_before_a_receipt_is_given(store):
    """Receipts come after COMMIT, and a commit tells file, journal and folder to the disk."""
    assert store._open.execute("PRAGMA synchronous").fetchone() == (3,)
    assert store._open.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    said = []
    store._open.set_trace_callback(said.append)
    store.append(MAY, model="a", period="p")
    assert said[-1] == "COMMIT"
    assert not store._open.in_transaction


@pytest.mark.slow
def test_curves_of_a_model_can_be_pooled(store):
    for seed in range(3):
        store.append(large(seed), model="a", period=f"2026-0{seed + 1}")
    pooled = br.Curve.pool(store.curves(model="a").values())
    whole = br.Curve.pool(large(seed) for seed in range(3))
    found = br.bounds(br.average_precision, pooled)
    assert found.low <= br.average_precision(whole) <= found.high
    assert found.high - found.low < 0.03


# --- taking out -----------------------------------------------------------------------------------


def months(store, *, model="a", parts=(None,), n=6):
    store.append_many({(model, f"2026-0{k + 1}", part): MAY for k in range(n) for part in parts})


def test_a_slice_is_deleted_and_its_bytes_are_gone(store, path):
    months(store, parts=(None, "customer=acme", "customer=emca"))
    months(store, model="b", parts=("customer=acme",))
    store.append(large(), model="c", period="2026-01", slice="customer=acme")
    content = encode(store.curve(model="c", period="2026-01", slice="customer=acme"))
    assert content[500:600] in path.read_bytes()
    gone = store.delete(key for key in store.keys() if key.slice == "customer=acme")  # noqa: SIM118
    assert len(gone) == 13
    assert {key.slice for key in store.keys()} == {None, "customer=emca"}  # noqa: SIM118
    store.verify()
    left = path.read_bytes()
    assert b"acme" not in left
    assert all(content[k : k + 20] not in left for k in range(0, len(content) - 20, 20))
    # Nothing is left of the models that had nothing else, so that they may begin anew.
    assert store._open.execute("SELECT DISTINCT model FROM kept ORDER BY 1").fetchall() == [("",), ("a",)]
    assert store.append(JUNE, model="b", period="2026-01", slice="customer=acme").status == "added"


def test_all_are_deleted_or_none(store):
    months(store)
    with pytest.raises(br.errors.InputError, match="not in the store: a, 2027-01; see keys"):
        store.delete([("a", "2026-01", None), ("a", "2027-01", None)])
    assert len(store) == 6
    assert store.delete([]) == []
    assert store.delete([("a", "2026-01", None), CurveKey("a", "2026-01")]) == [CurveKey("a", "2026-01")]
    assert len(store) == 5
    assert len(store.delete(store.keys())) == 5
    assert store.keys() == []
    store.verify()


def test_a_damaged_curve_can_be_deleted(store, path):
    months(store)
    changed(path, "UPDATE kept SET content = x'1234' WHERE period = '2026-03'")
    store.delete([CurveKey("a", "2026-03")])
    store.verify()
    assert store.append(MAY, model="a", period="2026-03").status == "added"


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"keep": 2}, "56"),
        ({"keep": 2, "first": 1}, "156"),
        ({"keep": 6}, "123456"),
        ({"keep": 5, "first": 3}, "123456"),
        ({"keep": 100, "first": 100}, "123456"),
        ({"keep": 3, "model": "b"}, "123456"),
    ],
)
def test_the_past_is_pruned(store, options, left):
    """By periods of the model: a slice that is gone since long is not kept longer than the others."""
    months(store)
    months(store, parts=("gone",), n=3)
    gone = store.prune(**options)
    assert [key.period[-1] for key in store.keys(model="a") if key.slice is None] == list(left)
    assert [key.period[-1] for key in store.keys(model="a") if key.slice] == [k for k in left if k in "123"]
    assert len(gone) == 9 - len(store)
    assert store.prune(**options) == []
    store.verify()


def test_how_many_are_kept_is_a_number(store):
    for wrong in ({"keep": 0}, {"keep": -1}, {"keep": 1.5}, {"keep": 1, "first": -1}):
        with pytest.raises(br.errors.InputError, match=r"keep must|first must"):
            store.prune(**wrong)


# --- copies ---------------------------------------------------------------------------------------


def test_a_copy_is_a_store(store, path, tmp_path):
    months(store)
    store.append(large(), model="c", period="p")
    store.backup(tmp_path / "copy.db")
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "monitor.db"]
    with br.monitoring.CurveStore(tmp_path / "copy.db") as copy:
        copy.verify()
        assert copy.keys() == store.keys()
        assert copy.curve(model="c", period="p") == store.curve(model="c", period="p")
        copy.append(JUNE, model="z", period="p")
    assert len(store) == 7


def test_a_copy_is_taken_while_others_write(store, path, tmp_path):
    months(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM kept")
    store.backup(tmp_path / "copy.db")
    other.execute("ROLLBACK")
    other.close()
    with br.monitoring.CurveStore(tmp_path / "copy.db", read_only=True) as copy:
        copy.verify()
        assert len(copy) == 6


def test_a_copy_replaces_only_what_it_is_told_to(store, path, tmp_path):
    months(store)
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(
        br.errors.InputError, match=r"must be a new file, got '.*copy.db', which exists; choose another"
    ):
        store.backup(target)
    assert target.read_text() == "precious"
    for itself in (path, tmp_path / "." / "monitor.db"):
        with pytest.raises(br.errors.InputError, match="must be a new file"):
            store.backup(itself, replace=True)
    store.backup(target, replace=True)
    with br.monitoring.CurveStore(target, read_only=True) as copy:
        assert len(copy) == 6
    with pytest.raises(br.errors.CurveFileError, match=r"nowhere.* cannot be written"):
        store.backup(tmp_path / "nowhere" / "copy.db")


def test_a_damaged_store_is_not_copied(store, path, tmp_path):
    months(store)
    changed(path, "UPDATE kept SET n_pos = 1 WHERE period = '2026-03'")
    with pytest.raises(br.errors.CurveFileError, match="the row of a, 2026-03 is not what was written"):
        store.backup(tmp_path / "copy.db")
    assert os.listdir(tmp_path) == ["monitor.db"]


# --- files ----------------------------------------------------------------------------------------


def filled(path, n=300):
    with br.monitoring.CurveStore(path) as store:
        store.append_many({("a", f"{period:04}", None): MAY for period in range(n)})
    return path.read_bytes()


def refused(path, sentence, **options):
    with pytest.raises(br.errors.CurveFileError, match=sentence) as caught:
        br.monitoring.CurveStore(path, **options).close()
    assert str(path) in str(caught.value)


def test_only_the_file_is_there(path):
    filled(path)
    assert os.listdir(path.parent) == ["monitor.db"]


def test_a_truncated_file_is_refused_wherever_it_ends(path):
    whole = filled(path)
    for length in [0, 1, 15, 16, 99, 100, 101, 4095, 4096, 4097, len(whole) // 2, len(whole) - 4096, len(whole) - 1]:
        path.write_bytes(whole[:length])
        refused(path, "empty, truncated|damaged|lacks")
    path.write_bytes(whole)
    with br.monitoring.CurveStore(path) as store:
        assert len(store) == 300


def test_foreign_files_are_refused_and_left_alone(path, tmp_path):
    for content in (b"label,score\n1,0.5\n", b"PK\3\4" + bytes(5000), bytes(8192)):
        path.write_bytes(content)
        refused(path, "something else")
        assert path.read_bytes() == content
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE curves (x)")
    other.close()
    before = path.read_bytes()
    refused(path, "another database; choose another path")
    assert path.read_bytes() == before
    refused(tmp_path, "cannot")
    refused(tmp_path / "no" / "folder.db", "cannot")


def changed(path, *statements):
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_file_from_a_later_version_is_refused(path):
    filled(path, 1)
    changed(path, f"PRAGMA user_version = {STORE.version + 1}")
    refused(
        path, f"of version 0 to {STORE.version}, got version {STORE.version + 1} in .*; read it with the version of"
    )


def test_a_file_without_its_table_is_refused(path):
    filled(path, 1)
    changed(path, "DROP TABLE kept")
    refused(path, "columns are missing")


def test_a_store_to_be_read_must_be_there(path):
    refused(path, "store not found", read_only=True)
    assert not path.exists()


def interrupted(path, into):
    """The files as a writer leaves them that is killed within a transaction."""
    filled(path, 300)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")  # so that changes are in the file before they are complete
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE kept SET content = zeroblob(3000)")
    for name in (path.name, f"{path.name}-journal"):
        shutil.copy(path.with_name(name), into)
    writer.close()
    return into / path.name


@pytest.mark.parametrize("read_only", [True, False])
def test_what_a_killed_writer_had_begun_is_taken_back(path, tmp_path, read_only):
    (tmp_path / "killed").mkdir()
    left = interrupted(path, tmp_path / "killed")
    with br.monitoring.CurveStore(left, read_only=read_only) as store:
        store.verify()
        assert len(store) == 300
    assert os.listdir(left.parent) == [left.name]


def test_a_read_only_store_is_not_written(path):
    filled(path, 1)
    with (
        br.monitoring.CurveStore(path, read_only=True) as store,
        pytest.raises(br.errors.CurveFileError, match="readonly"),
    ):
        store.append(JUNE, model="b", period="p")


def test_a_damaged_curve_is_named(path):
    filled(path, 3)
    changed(path, "UPDATE kept SET content = x'1234' WHERE period = '0001'")
    with br.monitoring.CurveStore(path) as store:
        assert store.curve(model="a", period="0000") == MAY
        for ask in (lambda: store.curves(model="a"), store.verify, lambda: store.curve(model="a", period="0001")):
            with pytest.raises(br.errors.CurveFileError, match=r"damaged: the row of a, 0001 is not what"):
                ask()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE kept SET n_pos = 49 WHERE period = '0001'",
        "UPDATE kept SET width = 0.5 WHERE period = '0001'",
        "UPDATE kept SET n_bytes = 20 WHERE period = '0001'",
        "UPDATE kept SET digest = x'00' WHERE period = '0001'",
        "UPDATE kept SET period = '0001b' WHERE period = '0001'",
        "UPDATE kept SET slice = 'web' WHERE period = '0001'",
        "UPDATE kept SET follows = x'00' WHERE period = '0001'",
        "DELETE FROM kept WHERE period = '0001'",
        "DELETE FROM kept WHERE period = '0002'",
        "DELETE FROM kept WHERE model = ''",
    ],
)
def test_what_was_not_written_by_a_store_is_seen(path, damage):
    filled(path, 3)
    changed(path, damage)
    with br.monitoring.CurveStore(path) as store:
        for ask in (
            store.keys,
            store.verify,
            lambda: len(store),
            lambda: store.history(model="a"),
            lambda: store.curves(model="a"),
            lambda: store.append_many({("a", f"000{n}", None): MAY for n in range(4)}),
        ):
            with pytest.raises(br.errors.CurveFileError, match=r"monitor\.db', which is damaged: .*; restore a backup"):
                ask()


def test_damage_that_the_database_cannot_say_in_text(path):
    damaged = filled(path, 3).replace(b"CREATE TABLE kept (", b"CREATE TABEL kept (").replace(b"kept", b"k\xb5pt")
    path.write_bytes(damaged)
    refused(path, "damaged or something else")
    refused(path, "damaged or something else", read_only=True)


def test_a_missing_row_is_missed_by_who_looks_for_it_and_by_nobody_else(path):
    filled(path, 5)
    changed(path, "DELETE FROM kept WHERE period = '0002'")
    with br.monitoring.CurveStore(path) as store:
        with pytest.raises(br.errors.CurveFileError, match="rows are missing, or out of order, before that of a, 0003"):
            store.curve(model="a", period="0002")
        assert store.curve(model="a", period="0000") == MAY
        assert store.curve(model="a", period="0004") == MAY
        assert list(store.curves(model="a", last=1)) == ["0004"]
        assert store.curves(model="b") == {}


def test_a_curve_that_says_something_else_than_its_row_is_refused(path):
    """Rows of version 1 had no checksums; what can be compared is compared."""
    shutil.copy(KEPT / "store-1.db", path)
    changed(path, "UPDATE curves SET n_pos = 51 WHERE slice = '' AND model = 'fraud'")
    with (
        br.monitoring.CurveStore(path) as store,
        pytest.raises(br.errors.CurveFileError, match=r"got Curve.* for 51 pos and 950 neg"),
    ):
        store.curve(model="fraud", period="2026-05")


def test_damaged_pages_are_found(path):
    whole = bytearray(filled(path))
    middle = len(whole) // 8192 * 4096
    whole[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(whole)
    with pytest.raises(br.errors.CurveFileError, match="damaged"), br.monitoring.CurveStore(path) as store:
        store.verify()


# --- versions -------------------------------------------------------------------------------------


def of_version_0(path, n=3):
    """A store as version 0 made it: keys and curves, nothing else."""
    changed(
        path,
        "CREATE TABLE curves (model TEXT, period TEXT, slice TEXT, content BLOB, PRIMARY KEY (model, period, slice))",
        f"PRAGMA application_id = {store_file.APPLICATION}",
    )
    connection = sqlite3.connect(path)
    kept = br.Curve.from_counts([0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50])
    rows = [("a", f"{period:04}", [None, "web"][period % 2], encode([MAY, kept][period % 2])) for period in range(n)]
    connection.executemany("INSERT INTO curves VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return kept


def test_version_0_is_brought_up_to_date(path):
    bucketed = of_version_0(path)
    with br.monitoring.CurveStore(path) as store:
        assert store.keys() == [CurveKey("a", "0000"), CurveKey("a", "0002"), CurveKey("a", "0001", "web")]
        assert store.curve(model="a", period="0001", slice="web") == bucketed
        assert store.append(MAY, model="a", period="0000").status == "unchanged"
        receipt = store.append(bucketed, model="a", period="0001", slice="web")
        assert (receipt.status, receipt.exact) == ("unchanged", False)
        assert receipt.width == width(bucketed) > 0
        store.append(JUNE, model="a", period="0003")
    with br.monitoring.CurveStore(path, read_only=True) as store:
        assert len(store) == 4
        assert store._open.execute("PRAGMA user_version").fetchone() == (STORE.version,)
        store.verify()


def test_version_0_stays_as_it_was_if_a_curve_in_it_is_damaged(path):
    of_version_0(path)
    changed(path, "UPDATE curves SET content = x'00' WHERE period = '0002'")
    refused_before = path.read_bytes()
    with pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
        br.monitoring.CurveStore(path)
    assert sqlite_rows(path) == 3
    assert path.read_bytes()[60:64] == refused_before[60:64]


def sqlite_rows(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT count(*) FROM curves").fetchone()[0]
    connection.close()
    return found


@pytest.mark.parametrize("version", [0, 1])
def test_earlier_versions_are_read_without_being_changed(path, version):
    if version == 0:
        of_version_0(path)
    else:
        shutil.copy(KEPT / "store-1.db", path)
    before = path.read_bytes()
    with br.monitoring.CurveStore(path, read_only=True) as store:
        found = {key: store.curve(**key._asdict()) for key in store.keys()}  # noqa: SIM118
        assert len(found) == 3
        store.verify()
        with pytest.raises(br.errors.CurveFileError, match="readonly"):
            store.append(JUNE, model="b", period="p")
    assert path.read_bytes() == before
    with br.monitoring.CurveStore(path) as store:
        assert {key: store.curve(**key._asdict()) for key in store.keys()} == found  # noqa: SIM118
        assert store.append(JUNE, model="b", period="p").status == "added"
    assert path.read_bytes() != before


@pytest.mark.slow
@pytest.mark.parametrize("column", ["source", "digest", "n_pos", "follows"])
def test_a_value_of_another_kind_is_damage(path, column):
    """A byte of the header of a row can make bytes of a text."""
    filled(path)
    other = "x'00'" if column in ("source", "n_pos") else "'text'"
    changed(path, f"UPDATE kept SET {column} = {other} WHERE period = '0003'")
    with (
        br.monitoring.CurveStore(path, read_only=True) as store,
        pytest.raises(br.errors.CurveFileError, match="not what was written"),
    ):
        store.keys()


# --- several at once ------------------------------------------------------------------------------


def test_a_writer_waits_for_another(path):
    filled(path, 1)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.5, lambda: other.execute("ROLLBACK")).start()
    with br.monitoring.CurveStore(path, timeout=20) as store:
        begun = time.monotonic()
        assert store.append(JUNE, model="b", period="p").status == "added"
        assert time.monotonic() - begun > 0.3
    other.close()


def test_a_writer_that_waited_in_vain_is_told(path):
    filled(path, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with br.monitoring.CurveStore(path, timeout=0.05) as store:
        with pytest.raises(br.errors.CurveFileError, match=r"others have been writing for 0\.05 seconds; try again"):
            store.append(JUNE, model="b", period="p")
        assert store.curve(model="a", period="0000") == MAY  # who only reads is not kept waiting
        other.execute("ROLLBACK")
        assert store.append(JUNE, model="b", period="p").status == "added"
    other.close()


def test_a_store_belongs_to_its_thread(store):
    caught = []

    def ask():
        try:
            store.keys()
        except br.errors.InputError as error:
            caught.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert caught[0].startswith("a store must be used by the thread and the process that opened it")


def test_months_and_weeks_of_a_model_are_not_in_one_store(store):
    curve = br.Curve.from_scores([0, 1], [0.1, 0.4])
    store.append(curve, model="m", period="2026-05")
    with pytest.raises(br.errors.InputError, match="one length, got m, 2026-W18 in a store that has 2026-05"):
        store.append(curve, model="m", period="2026-W18")
    with pytest.raises(br.errors.InputError, match="one length"):
        store.append_many({("n", "2026-05", "a"): curve, ("n", "2026-Q2", "a"): curve})
    store.append(curve, model="m", period="2026-W18", slice="by week")
    store.append(curve, model="m", period="May")
    stored = store.keys()
    assert [key.period for key in stored] == ["2026-05", "May", "2026-W18"]
