"""The store under attack: writers killed at any moment, several at once, two hundred thousand curves inside.

Some of what is written are periods that grow as their labels come, and whose older versions are forgotten.

A kill shows that transactions are whole and receipts are true for the files as the system holds them. It cannot show
what a power cut does to a disk; for that the store relies on SQLite's ``synchronous = EXTRA``, which another test sees.
"""

import contextlib
import datetime
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import baserate as br
from baserate.monitoring.store_rows import CurveKey, row_of_curve

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("BASERATE_STORE_KILLS", "20"))
ROUNDS = int(os.environ.get("BASERATE_STORE_ROUNDS", "4"))

# Begins a writer for each line that it reads. A writer appends one period after another and says so after each
# receipt: a single curve, or a batch of three slices. Another model is pruned again and again, and the periods of one
# more grow by the labels of a day, and lose old versions. One program begins all writers, as importing takes longest.
WRITERS = """
import datetime, os, sys
import baserate as br

br.monitoring, br.Curve  # loaded once, before writers begin

def say(*words):  # at once: a writer and the program that began it share the pipe
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def grow(store, model, period):
    day = datetime.date(2000, 1, 1) + datetime.timedelta(period)
    for days, (pos, neg) in ((1, ([1, 20], [700, 40])), (2, ([period + 1, 40], [900, 50 + period]))):
        known = {"matures": "9d", "today": day + datetime.timedelta(days)}
        store.append(br.Curve.from_counts([0.2, 0.9], pos=pos, neg=neg), model=model, period=str(day), **known)
    if period % 4 == 0:
        store.prune_versions(keep=2, model=model)

def write(path, name, periods):
    with br.monitoring.CurveStore(path, timeout=60) as store:
        done = len(store.curves(model=name))
        for period in range(done, done + periods):
            curve = br.Curve.from_counts([0.2, 0.9], pos=[period, 40], neg=[900, 50 + period])
            parts = (None, "web", "shop")[: 1 + 2 * (period % 2)]
            grow(store, f"{name} grown", period)
            store.append_many({(name, f"{period:06}", part): curve for part in parts})
            say(period)
            if period % 3 == 0:
                store.append(curve, model=f"{name} lately", period=f"{period:06}", replace=True)
                store.prune(keep=2, model=f"{name} lately")

for line in sys.stdin:
    path, name, periods = line[:-1].split("\\t")
    child = os.fork()
    if child == 0:
        write(path, name, int(periods))
        os._exit(0)
    say("began", child)
    say("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@contextlib.contextmanager
def writers():
    """Lets a writer begin; gives its number, and a function that waits for its end: what it said, its exit code."""
    program = subprocess.Popen(
        [sys.executable, "-c", WRITERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def begin(path, name, periods=10**6):
        said = []
        program.stdin.write(f"{path}\t{name}\t{periods}\n")
        program.stdin.flush()
        while not (line := program.stdout.readline()).startswith("began"):
            said.append(int(line))

        def end():
            while not (last := program.stdout.readline()).startswith("ended"):
                said.append(int(last))
            return said, int(last.split()[1])

        return int(line.split()[1]), end

    with program:
        yield begin
        program.stdin.close()


def curve_in(period):
    return br.Curve.from_counts([0.2, 0.9], pos=[period, 40], neg=[900, 50 + period])


def parts_of(period):
    return (None, "web", "shop")[: 1 + 2 * (period % 2)]


def check_whole(path, name, known):
    """Every known period is there, and of one more, whose receipt was not given, all slices or none; the last one."""
    with br.monitoring.CurveStore(path) as store:
        store.verify()
        kept = set(store.keys(model=name))
        wanted = {CurveKey(name, f"{period:06}", part) for period in range(known + 1) for part in parts_of(period)}
        assert wanted <= kept
        following = {CurveKey(name, f"{known + 1:06}", part) for part in parts_of(known + 1)}
        assert kept - wanted in (set(), following)
        for model in (name, f"{name} lately"):
            for period, curve in store.curves(model=model).items():
                assert curve == curve_in(int(period))
        check_grown(store, f"{name} grown", known)
        return known + (kept != wanted)


def check_grown(store, model, known):
    """Every known period has all of its labels and says when they came, unless that was forgotten; the last may not."""
    table = store.versions(model=model)
    found = {}
    for period, on, pos in zip(table["period"].tolist(), table["on"].tolist(), table["n_pos"].tolist(), strict=True):
        found.setdefault(period, []).append((on, pos))
    days = [datetime.date(2000, 1, 1) + datetime.timedelta(k) for k in range(len(found))]
    assert list(found) == [str(day) for day in days]
    assert known + 1 <= len(found) <= known + 2
    for k, (day, curve) in enumerate(zip(days, store.curves(model=model).values(), strict=True)):
        first, last = ((str(day + datetime.timedelta(days)), pos) for days, pos in ((1, 21.0), (2, k + 41.0)))
        may_be = [[first, last]] if k <= known else [[first], [first, last]]
        if k < known - known % 4 - 1:
            may_be = [[last]]
        elif k < known:
            may_be.append([last])
        assert found[str(day)] in may_be
        assert curve.n_pos == found[str(day)][-1][1]


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path):
    rng = random.Random(7)
    path = tmp_path / "monitor.db"
    acknowledged, interrupted = 0, 0
    with writers() as begin:
        assert begin(path, "a", 1)[1]() == ([0], 0)  # waits until the program has imported all
        begun = time.perf_counter()
        assert begin(path, "a", 1)[1]() == ([1], 0)
        once = time.perf_counter() - begun  # so that kills come after some periods, however busy the machine is
        known = 1
        for _ in range(KILLS):
            child, end = begin(path, "a")
            time.sleep(rng.uniform(0, 4 * once))
            os.kill(child, signal.SIGKILL)
            said, code = end()
            assert code == -signal.SIGKILL
            acknowledged += len(said)
            interrupted += path.with_name("monitor.db-journal").exists()
            known = check_whole(path, "a", max([known, *said]))
    print(f"{KILLS} kills, {interrupted} within a transaction, {acknowledged} periods acknowledged, none lost")
    assert acknowledged > 0
    assert interrupted > 0


def test_a_writer_killed_while_it_makes_the_file_leaves_a_whole_one_or_none(tmp_path):
    rng = random.Random(8)
    made = 0
    with writers() as begin:
        for kill in range(KILLS):
            path = tmp_path / f"{kill}.db"
            child, end = begin(path, "a")
            time.sleep(rng.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            said = end()[0]
            assert {name.removesuffix("-journal") for name in os.listdir(tmp_path)} <= {f"{kill}.db"}
            made += path.exists()
            check_whole(path, "a", max([-1, *said]))
            path.unlink()
            path.with_name(f"{kill}.db-journal").unlink(missing_ok=True)  # an empty one stays until somebody writes
    print(
        f"{KILLS} kills of a writer that makes the file: {made} times it was there and whole, and never anything else"
    )


def test_two_writers_at_once(tmp_path):
    path = tmp_path / "monitor.db"
    with writers() as begin, writers() as begin_another:
        ends = {"a": begin(path, "a", 60)[1], "b": begin_another(path, "b", 60)[1]}  # both make the file
        for name, end in ends.items():
            assert end() == (list(range(60)), 0)
            check_whole(path, name, 59)
    with br.monitoring.CurveStore(path) as store:
        names = [f"{name}{rest}" for rest in ("", " lately", " grown") for name in "ab"]
        assert [len(store.keys(model=name)) for name in names] == [120, 120, 2, 2, 60, 60]


# Appends the curves of one month of a model, slices first or last, as soon as it is told a path.
MONTHLY = """
import datetime, sys
import numpy as np
import baserate as br

def curve(month, part):
    rng = np.random.default_rng([month, part])
    y = rng.random(800) < 0.05
    return br.Curve.from_scores(y, rng.normal(size=800) + 2 * y)

def batch(month):
    parts = {None: curve(month, 0), "web": curve(month, 1)}
    return {("a", f"2026-{month:02}", part): parts[part] for part in (parts if month % 2 else reversed(parts))}

def grow(store, month):
    for day, n_pos in ((1, 3), (9, 8)):
        curve = br.Curve.from_counts([0.2, 0.9], pos=[1, n_pos], neg=[90 * month, 9])
        known = {"matures": "60d", "today": datetime.date(2026, month + 1, day)}
        store.append(curve, model="grown", period=f"2026-{month:02}", **known)

if __name__ == "__main__":
    curves = batch(int(sys.argv[1]))
    print("ready", flush=True)
    for line in sys.stdin:
        with br.monitoring.CurveStore(line[:-1], timeout=100) as store:
            grow(store, int(sys.argv[1]))
            print(*(receipt.status for receipt in store.append_many(curves)), flush=True)
"""


def test_writers_at_once_leave_what_some_order_of_them_leaves(tmp_path):
    """Which month comes first decides the edges of all; then every curve is what it would be one after another."""
    months = range(1, 5)
    exec(MONTHLY, made := {"__name__": "here"})

    def kept(path):
        with br.monitoring.CurveStore(path) as store:
            store.verify()
            versions = {name: column.tolist() for name, column in store.versions(model="grown").items()}
            return versions, {key: store.curve(**key._asdict()) for key in sorted(store.keys(), key=str)}

    one_after_another = {}
    for first in months:
        path = tmp_path / f"first-{first}.db"
        with br.monitoring.CurveStore(path) as store:
            for month in (first, *(month for month in months if month != first)):
                made["grow"](store, month)
                store.append_many(made["batch"](month))
        one_after_another[first] = kept(path)

    command = [sys.executable, "-c", MONTHLY]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    came_first, rng = [], random.Random(9)
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(subprocess.Popen([*command, str(month)], **pipes)) for month in months]
        assert [program.stdout.readline() for program in programs] == ["ready\n"] * len(programs)
        for number in range(ROUNDS):
            path = tmp_path / f"{number}.db"
            for program in rng.sample(programs, len(programs)):
                program.stdin.write(f"{path}\n")
                program.stdin.flush()
                time.sleep(rng.uniform(0, 0.05))
            assert [program.stdout.readline() for program in programs] == ["added added\n"] * len(programs)
            found = kept(path)
            came_first += [first for first, wanted in one_after_another.items() if wanted == found]
            assert len(came_first) == number + 1
        for program in programs:
            program.stdin.close()
    print(f"4 writers at once, {ROUNDS} times: as one after another, months {sorted(set(came_first))} came first")


def test_two_writers_of_the_same_key_agree(tmp_path):
    """Whoever comes second is told that the curve is there already."""
    path = tmp_path / "monitor.db"
    with br.monitoring.CurveStore(path) as one, br.monitoring.CurveStore(path) as other:
        assert one.append(curve_in(1), model="a", period="p").status == "added"
        assert other.append(curve_in(1), model="a", period="p").status == "unchanged"
        with pytest.raises(br.errors.InputError, match="other rows"):
            other.append(curve_in(2), model="a", period="p")


def test_ten_thousand_periods_of_twenty_slices(tmp_path):
    path = tmp_path / "monitor.db"
    row = row_of_curve(("a", "", "0"), curve_in(7))
    parts = ["", *(f"slice {part:02}" for part in range(1, 20))]
    with br.monitoring.CurveStore(path) as store, store._writing() as rows:
        rows.connection.execute("DROP TABLE kept")
        rows.begin(row._replace(slice=part, period=f"{n:05}") for part in parts for n in range(10_000))

    seconds = {}
    with br.monitoring.CurveStore(path) as store:
        new = {("a", "10000", f"slice {part:02}" if part else None): curve_in(part) for part in range(20)}
        for name, work in {
            "one more period of 20 slices": lambda: store.append_many(new),
            "the table of one slice": lambda: store.history(model="a", slice="slice 03"),
            "the last 100 curves of one slice": lambda: store.curves(model="a", slice="slice 03", last=100),
            "all 10,001 curves of one slice": lambda: store.curves(model="a", slice="slice 03"),
        }.items():
            took = []
            for _ in range(3):  # the best of three, as others may use the machine
                begun = time.perf_counter()
                found = work()
                took.append(time.perf_counter() - begun)
                if "more" in name:
                    break  # the second time there is nothing to write
            seconds[name] = min(took)
        assert len(found) == 10_001
    print({name: round(took, 4) for name, took in seconds.items()})
    *asked, everything = seconds.values()
    assert max(asked) < 1
    assert everything < 5  # which is more than a query: ten thousand curves are unpacked
