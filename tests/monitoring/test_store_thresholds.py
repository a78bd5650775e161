"""Metrics at a threshold, from stored curves: known within a stated width anywhere, exact where they are watched."""

import numpy as np
import pytest

import baserate as br
from baserate.curves.compact import compact, point_width

THRESHOLDS = (0.5, 1.0, 1.5, 2.0, 3.0)


def months(n_months=36, n=2500, seed=0):
    """Few positives, and more of them every month of a year."""
    rng, curves = np.random.default_rng(seed), {}
    for month in range(n_months):
        label = rng.random(n) < 0.01 + 0.02 * (month % 12) / 12
        score = rng.normal(size=n) + 2 * label
        curves[f"{2023 + month // 12}-{1 + month % 12:02}"] = br.Curve.from_scores(label, score)
    return curves


@pytest.fixture
def store(tmp_path):
    with br.monitoring.CurveStore(tmp_path / "monitor.db") as opened:
        yield opened


@pytest.mark.slow
def test_three_years_at_five_thresholds(store):
    curves = months()
    receipts = store.append_many({("m", month, None): curve for month, curve in curves.items()})
    kept = store.curves(model="m")
    widest = max(receipt.point_width for receipt in receipts)
    larger, whole = (
        max(point_width(compact(curve, max_bytes=size)) for curve in curves.values()) for size in (8192, 16384)
    )
    print(
        f"36 months of 2,500 rows: precision at any threshold within {widest:.2g} at 4 KiB, {larger:.2g} at 8, ", end=""
    )
    print(f"{whole:.2g} at 16")
    assert 0 == whole < larger < widest < 0.012
    for month, curve in curves.items():
        for threshold in THRESHOLDS:
            for metric, times in ((br.precision, 1), (br.recall, 1), (br.f1, 2)):
                found = br.bounds(metric, kept[month].at_threshold(threshold))
                assert found.low <= metric(curve.at_threshold(threshold)) <= found.high
                assert found.high - found.low <= times * widest + 1e-9


def test_watched_thresholds_are_exact_from_then_on(store):
    curves = months(4, n=20_000)
    january, february, march, april = curves.values()
    assert store.append(january, model="m", period="2026-01").status == "added"
    assert store.watched(model="m") == []
    assert store.append(february, model="m", period="2026-02", watch=[1.23, 2.34]).status == "added"
    store.append(march, model="m", period="2026-03", watch=[2.34, 0.1])
    store.append(april, model="m", period="2026-04")
    assert store.watched(model="m") == [0.1, 1.23, 2.34]
    kept = store.curves(model="m")
    for period, curve, thresholds in (
        ("2026-02", february, (1.23, 2.34)),
        ("2026-03", march, (0.1, 1.23, 2.34)),
        ("2026-04", april, (0.1, 1.23, 2.34)),
    ):
        for threshold in thresholds:
            assert br.f1(kept[period].at_threshold(threshold)) == br.f1(curve.at_threshold(threshold))
    found = br.bounds(br.f1, kept["2026-01"].at_threshold(1.23))  # it was stored before anybody watched
    assert found.low < found.high


def test_rows_that_are_offered_again_become_exact_there(store):
    (january,) = months(1, n=20_000).values()
    store.append(january, model="m", period="2026-01")
    assert store.append(january, model="m", period="2026-01", watch=[1.23]).status == "refined"
    assert store.append(january, model="m", period="2026-01").status == "unchanged"
    kept = store.curve(model="m", period="2026-01")
    assert br.f1(kept.at_threshold(1.23)) == br.f1(january.at_threshold(1.23))
    store.verify()


def test_what_a_model_watches_goes_with_its_curves(store):
    january, february = months(2, n=20_000).values()
    store.append(january, model="m", period="2026-01", watch=[1.23])
    store.append(february, model="n", period="2026-01")
    assert store.watched(model="n") == []
    store.delete([("m", "2026-01", None)])
    assert store.watched(model="m") == []


@pytest.mark.parametrize("wrong", [[np.nan], ["x"], [None]])
def test_what_is_watched_must_be_a_number(store, wrong):
    with pytest.raises(br.errors.InputError, match="watch must be a"):
        store.append(br.Curve.from_scores([0, 1], [1, 2]), model="m", period="1", watch=wrong)
