"""A store on a disk that is full: what was acknowledged is there, what was refused is not, and then it goes on."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("BASERATE_STORE_FULL", "3"))

# Fills a store until it is refused, makes room, and looks. The disk is full because of another file, on a file system
# of 256 KiB, or because no file may become larger.
PROGRAM = """
import datetime, os, random, resource, sys
from pathlib import Path
import numpy as np
import baserate as br
from baserate.curves.compact import compact

how, folder, times = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
y = rng.random(2000) < 0.05
small = compact(br.Curve.from_scores(y, rng.normal(size=2000) + 2 * y))
path, other, copy, saved = (folder / name for name in ("monitor.db", "other", "copy.db", "a.curve"))
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

def curve(period):
    return small.at_prevalence(1 / (period + 2))

def leave(room):
    if how == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    else:
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        with open(other, "ab") as file:
            file.write(bytes(max(free - room, 0)))

def make_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    other.unlink(missing_ok=True)

def refused(work, kind):
    try:
        work()
    except kind as error:
        return str(error)
    return ""

def grow(store, period):
    for days in (1, 2, 3):
        day = datetime.date(2000, 1, 1) + datetime.timedelta(period)
        grown = br.Curve.from_counts([0.2, 0.9], pos=[1, 9 * days], neg=[900, 5])
        known = {"matures": "9d", "today": day + datetime.timedelta(days)}
        store.append(grown, model="grown", period=str(day), **known)

def check_grown(store, n):
    table, found = store.versions(model="grown"), {}
    for period, n_pos in zip(table["period"].tolist(), table["n_pos"].tolist()):
        found.setdefault(period, []).append(n_pos)
    *_, last = sizes = [10, 19, 28]
    assert len(found) in (n, n + 1)
    assert all(one in (sizes, [last]) for one in list(found.values())[:n]), found
    assert all(one == sizes[: len(one)] for one in list(found.values())[n:]), found

def append(known):
    with br.monitoring.CurveStore(path) as store:
        while True:
            grow(store, known[-1] + 1)
            store.append(curve(known[-1] + 1), model="a", period=f"{known[-1] + 1:06}")
            known.append(known[-1] + 1)
            store.prune_versions(keep=3)

def back_up():
    with br.monitoring.CurveStore(path, read_only=True) as store:
        store.backup(copy)

draw = random.Random(3)
total = never_made = 0
for _ in range(times):
    known = [-1]
    leave(draw.randrange(1000, 60_000))
    said = refused(lambda: append(known), br.errors.CurveFileError)
    assert " cannot be " in said and "space" in said, said
    never_made += not path.exists()
    if path.exists():  # who reads needs no room
        with br.monitoring.CurveStore(path, read_only=True) as store:
            assert len(store.keys(model="a")) == len(known) - 1
            store.verify()
    leave(1000)
    assert not path.exists() or refused(back_up, br.errors.CurveFileError)
    assert refused(lambda: small.save(saved), OSError)
    make_room()
    left = set(os.listdir(folder)) - {"monitor.db"}
    assert not left, left
    with br.monitoring.CurveStore(path) as store:
        store.verify()
        assert store.curves(model="a") == {f"{period:06}": curve(period) for period in known[1:]}
        check_grown(store, len(known) - 1)
        store.append(curve(known[-1] + 1), model="a", period=f"{known[-1] + 1:06}")
        store.verify()
    total += len(known) - 1
    path.unlink()
print(f"{how}: full {times} times, {never_made} before there was a file, {total} curves acknowledged, none lost")
"""


def test_no_file_may_become_larger(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, "limit", tmp_path, str(TIMES)], check=True, capture_output=True, text=True
    ).stdout
    print(said)
    assert f"full {TIMES} times" in said


def test_the_file_system_is_full(tmp_path):
    alone = [shutil.which("unshare") or "unshare", "-rm", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=256k tmpfs '{tmp_path}'"
    try:
        subprocess.run([*alone, mount], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system of one's own may be mounted here")
    program = ["sh", sys.executable, "-c", PROGRAM, "tmpfs", str(tmp_path), str(TIMES)]
    command = [*alone, f'{mount} && exec "$@"', *program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert f"full {TIMES} times" in done.stdout
