"""What may be shared between threads, processes, after a fork and in an event loop: as docs/tables.md says."""

import asyncio
import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import baserate as br

RNG = np.random.default_rng(0)
Y, S = RNG.random(50_000) < 0.1, RNG.random(50_000)
CURVE = br.Curve.from_scores(Y, S)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_threads(work, n=4):
    with ThreadPoolExecutor(n) as pool:
        return [done.result() for done in [pool.submit(work) for _ in range(n)]]


@pytest.fixture
def hasty():
    """Threads take turns a hundred times as often."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 100)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.slow
@pytest.mark.parametrize("max_scores", [1_000_000, 1000])
def test_every_batch_of_every_thread_is_counted_once(hasty, max_scores):
    counted = br.Accumulator(max_scores=max_scores)
    in_threads(lambda: [counted.update(Y, S) for _ in range(20)])
    assert counted.n_rows == 80 * len(Y)
    found = counted.curve()
    assert (found.n_pos, found.n_neg) == (80 * CURVE.n_pos, 80 * CURVE.n_neg)


@pytest.mark.slow
def test_whatever_is_read_while_others_count_is_of_whole_batches(hasty, tmp_path):
    counted = br.Accumulator(max_scores=1000)
    stop = threading.Event()

    def read():
        sizes = set()
        while not stop.is_set():
            found = counted.curve()
            counted.save(tmp_path / f"{threading.get_ident()}.counted")
            sizes.add((found.n_pos + found.n_neg) % len(Y))
            str(counted)
        return sizes

    with ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        for _ in range(60):
            counted.update(Y, S)
        stop.set()
        assert [done.result() for done in reading] == [{0}, {0}]
    assert counted.curve().n_pos == 60 * CURVE.n_pos
    for file in tmp_path.glob("*.counted"):
        loaded = br.Accumulator.load(file)
        assert loaded.curve().n_pos + loaded.curve().n_neg == loaded.n_rows


def test_two_accumulators_may_be_merged_into_each_other(hasty):
    a, b = br.Accumulator(), br.Accumulator()
    a.update([0, 1], [0.1, 0.2])
    b.update([0, 1], [0.1, 0.2])
    first, second = threading.Thread(target=a.merge, args=(b,)), threading.Thread(target=b.merge, args=(a,))
    for thread in (first, second):
        thread.start()
    for thread in (first, second):
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert {a.n_rows, b.n_rows} <= {4, 6}


def test_threads_that_disagree_on_the_labels_are_refused_one_of_them(hasty):
    counted = br.Accumulator()
    outcomes = []

    def count(negative):
        try:
            counted.update([negative, 1], [0.1, 0.2])
            outcomes.append("counted")
        except br.errors.InputError:
            outcomes.append("refused")

    threads = [threading.Thread(target=count, args=(negative,)) for negative in (0, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["counted", "refused"]
    assert counted.n_rows == 2


def test_curves_are_read_from_many_threads(hasty):
    fresh = br.Curve.from_scores(Y, S)  # nothing is worked out yet
    work = lambda: (br.average_precision(fresh), br.roc_auc(fresh), br.best_f1(fresh), fresh.at_recall(0.5))  # noqa: E731
    first, *others = in_threads(work)
    assert all(other == first for other in others)


def test_estimates_with_the_same_seed_are_the_same_in_all_threads(hasty):
    first, *others = in_threads(lambda: br.estimate(br.average_precision, CURVE, n_resamples=200, rng=1))
    assert others == [first] * 3


def test_files_are_read_from_many_threads(tmp_path):
    pytest.importorskip("duckdb")
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n" + "".join(f"{y:d},{p}\n" for y, p in zip(Y[:2000], S[:2000], strict=True)))
    first, *others = in_threads(lambda: br.curve(path, label="y", score="p"), 3)
    assert others == [first] * 2


def test_an_accumulator_goes_to_another_process_and_comes_back():
    counted = br.Accumulator(positive="fraud", max_scores=100)
    counted.update(["ok", "fraud"], [0.1, 0.2])
    again = pickle.loads(pickle.dumps(counted))
    again.update(["ok", "fraud"], [0.3, 0.4])
    counted.merge(again)
    assert counted.n_rows == 6
    for value in (CURVE, CURVE.at_recall(0.5), br.estimate(br.f1, CURVE.at_threshold(0.5))):
        assert pickle.loads(pickle.dumps(value)) == value


def forked(work):
    """Do something in a child; True if it came back true."""
    child = multiprocessing.get_context("fork").Process(target=lambda: os._exit(0 if work() else 1))
    child.start()
    child.join(timeout=60)
    if child.is_alive():  # pragma: no cover
        child.kill()
        child.join()
    return child.exitcode == 0


@pytest.mark.slow
@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_counts_on_even_if_it_is_born_while_others_count(hasty):
    """A lock that another thread holds would never be let go in the child."""
    counted = br.Accumulator(max_scores=1000)
    counted.update([0, 1], [0.1, 0.2])
    stop = threading.Event()

    def keep_counting():
        while not stop.is_set():
            counted.update([0, 1], [0.1, 0.2])

    def count_once_more():
        before = counted.n_rows
        counted.update([0, 1], [0.1, 0.2])
        return counted.n_rows == before + 2 and counted.curve().n_pos == counted.n_rows / 2

    threads = [threading.Thread(target=keep_counting) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert all(forked(count_once_more) for _ in range(20))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def sentence_of(store):
    with pytest.raises(br.errors.InputError) as caught:
        store.keys()
    return str(caught.value)


def test_a_store_is_of_the_thread_that_opened_it(tmp_path):
    with br.monitoring.CurveStore(tmp_path / "store.db") as store:
        store.append(CURVE, model="m", period="2026-01")
        found = in_threads(lambda: sentence_of(store), 1)
        assert "must be used by the thread and the process that opened it" in found[0]
        in_threads(store.close, 1)  # does nothing there
        assert len(store.keys()) == 1

    def append_and_read():
        with br.monitoring.CurveStore(tmp_path / "store.db") as own:
            own.append(CURVE, model="m", period="2026-01")
            return own.curve(model="m", period="2026-01").n_pos

    assert in_threads(append_and_read) == [CURVE.n_pos] * 4


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_store_is_of_the_process_that_opened_it(tmp_path):
    with br.monitoring.CurveStore(tmp_path / "store.db") as store:
        assert forked(lambda: "opened it" in sentence_of(store))
        assert forked(lambda: br.monitoring.CurveStore(tmp_path / "store.db").keys() == [])
        assert store.keys() == []


def test_an_event_loop_goes_on_while_a_thread_works():
    async def both():
        ticks = 0
        work = asyncio.create_task(asyncio.to_thread(br.estimate, br.average_precision, CURVE, n_resamples=200, rng=0))
        while not work.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks, work.result()

    ticks, found = asyncio.run(both())
    assert ticks > 1
    assert found == br.estimate(br.average_precision, CURVE, n_resamples=200, rng=0)
