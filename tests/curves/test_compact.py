"""Curves in a few kilobytes: what is kept is exact, and what is lost is certified."""

import zlib

import numpy as np
import pytest

import baserate as br
from baserate.curves.compact import MAX_BYTES, PREVALENCES, compact, edges_of, knows, point_width, width
from baserate.curves.packing import decode, encode, fingerprint

pytestmark = pytest.mark.slow  # together, these take long


def drawn(n, prevalence, *, seed=0, digits=None, single=False, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    score = 1 / (1 + np.exp(3 - rng.normal(size=n) - 2 * y))
    if digits is not None:
        score = np.round(score, digits)
    if single:
        score = score.astype(np.float32).astype(np.float64)
    return br.Curve.from_scores(y, score, weight=rng.gamma(2, size=n) if weighted else None)


CURVES = {
    "few scores": br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50]),
    "any numbers": br.Curve.from_scores([0, 1, 0, 1, 0], [-1e300, 5e-324, np.pi, -0.0, 1e300]),
    "infinities": br.Curve.from_scores([0, 1, 1], [-np.inf, np.inf, 0.5]),
    "whole numbers": br.Curve.from_scores([0, 1, 1, 0], [-3, 7, 120, 0]),
    "32 bits": br.Curve.from_scores([0, 1, 0], np.array([0.1, 0.3, -0.7], np.float32)),
    "15 decimals": br.Curve.from_scores([0, 1], [0.123456789012345, -0.000000000000001]),
    "read at a prevalence": br.Curve.from_scores([0, 1], [1, 2]).at_prevalence(0.1),
    "weighted": br.Curve.from_scores([0, 1, 1], [1, 2, 2], weight=[0.3, 0.1, 2]),
    "tiny weights": br.Curve.from_scores([0, 1], [1, 2], weight=[1e-60, 1e60]),
    "buckets": br.Curve.from_counts([0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50]),
    "many cases": br.Curve.pool([br.Curve.from_counts([1], [2**53], [1])] * 2),
    "no positives": br.Curve.from_scores([0, 0], [1, 1]),
    "empty": br.Curve.from_scores([], []),
}


@pytest.mark.parametrize("name", CURVES)
def test_small_curves_stay_exact(name):
    curve = CURVES[name]
    assert compact(curve) is curve
    assert decode(encode(curve)) == curve
    assert width(curve) == pytest.approx(0 if name != "buckets" else width(curve))


def test_rows_without_a_label_are_remembered():
    import polars as pl

    table = pl.DataFrame({"y": [0, 1, None], "p": [0.1, 0.4, 0.5]})
    curve = br.curve(table, label="y", score="p", missing="random")
    assert decode(encode(curve)).unlabelled == 1


@pytest.mark.parametrize(
    ("n", "prevalence", "settings", "promise"),
    [
        (100_000, 0.01, {}, 6e-3),
        (100_000, 0.1, {"single": True}, 3.5e-3),
        (100_000, 0.1, {"digits": 6}, 4e-3),
        (20_000, 0.001, {}, 0.0),  # few positives: negatives between them share buckets, which costs nothing
        (2_000, 0.5, {}, 3e-3),
        (5_000, 0.1, {"weighted": True}, 2.5e-2),
    ],
)
def test_what_is_lost_is_certified(n, prevalence, settings, promise):
    curve = drawn(n, prevalence, **settings)
    small = compact(curve)
    packed = encode(small)
    print(f"{curve!r}: {len(packed):,} bytes, {len(small)} buckets, average precision within {width(small):.2g}")
    assert 0.8 * MAX_BYTES <= len(packed) <= MAX_BYTES
    assert decode(packed) == small
    assert small.n_pos == pytest.approx(curve.n_pos, rel=1e-12)
    assert width(small) <= promise + 1e-12
    widths = []
    for at, of_all in [(small, curve)] + [(small.at_prevalence(p), curve.at_prevalence(p)) for p in PREVALENCES]:
        for metric in (br.average_precision, br.roc_auc, br.auc_pr, br.best_f1):
            found = br.bounds(metric, at)
            assert found.low <= metric(of_all) <= found.high
            if metric is br.average_precision:
                widths.append(found.high - found.low)
    assert width(small) == pytest.approx(max(widths), abs=1e-11)


def test_the_width_counts_the_own_prevalence():
    curve = br.Curve.from_counts([0.2, 0.9], top=[0.8, 0.9], pos=[30, 20], neg=[1500, 1])
    own = br.bounds(br.average_precision, curve)
    elsewhere = [br.bounds(br.average_precision, curve.at_prevalence(p)) for p in PREVALENCES]
    assert own.high - own.low > max(found.high - found.low for found in elsewhere)
    assert width(curve) == pytest.approx(own.high - own.low, abs=1e-11)


def test_thresholds_that_are_kept_are_exact():
    curve = drawn(50_000, 0.05)
    small = compact(curve)
    assert np.isin(small.score, curve.score).all()
    assert np.isin(small.top, curve.score).all()
    for threshold in small.score[:: len(small) // 20]:
        assert small.at_threshold(threshold).confusion == curve.at_threshold(threshold).confusion


def test_prevalences_are_weighed_against_one_another():
    """The widest is not far from the others: the room is spent where it is needed."""
    small = compact(drawn(100_000, 0.01))
    own = br.bounds(br.average_precision, small)
    assert own.high - own.low >= 0.5 * width(small)


def test_squares_of_weights_add_up():
    curve = drawn(5_000, 0.1, weighted=True)
    small = compact(curve)
    assert small.weighted
    np.testing.assert_allclose(small.pos_squares.sum(), curve.pos_squares.sum(), rtol=1e-12)
    np.testing.assert_allclose(small.neg_squares.sum(), curve.neg_squares.sum(), rtol=1e-12)


def test_a_curve_with_one_class_only_is_spread_over_its_scores():
    small = compact(br.Curve.from_scores(np.zeros(50_000, bool), np.random.default_rng(0).random(50_000)))
    assert len(encode(small)) <= MAX_BYTES
    assert small.neg.max() / 50_000 < 0.02


def test_less_room_is_less_known_and_never_too_much():
    curve = drawn(30_000, 0.05)
    found = [compact(curve, max_bytes=size) for size in (512, 1024, 2048, 4096, 16_384)]
    sizes = [len(encode(small)) for small in found]
    assert all(size <= most for size, most in zip(sizes, (512, 1024, 2048, 4096, 16_384), strict=True))
    widths = [width(small) for small in found]
    assert widths == sorted(widths, reverse=True)
    assert compact(found[3]) is found[3]


def test_a_compact_curve_of_buckets_can_be_made_smaller():
    first = compact(drawn(30_000, 0.05), max_bytes=16_384)
    second = compact(first)
    assert len(encode(second)) <= MAX_BYTES
    assert width(second) > width(first)
    whole = br.average_precision(drawn(30_000, 0.05))
    assert br.bounds(br.average_precision, second).low <= whole <= br.bounds(br.average_precision, second).high


def test_curves_with_the_same_edges_can_be_pooled():
    months = [drawn(30_000, 0.03, seed=seed) for seed in range(3)]
    edges = edges_of(months[0])
    small = [compact(month, edges=edges) for month in months]
    assert all(len(encode(month)) <= MAX_BYTES for month in small)
    for month in small:
        inside = (edges > month.score[:, np.newaxis]) & (edges <= month.top[:, np.newaxis])
        assert not inside.any()
    pooled, whole = br.Curve.pool(small), br.Curve.pool(months)
    found = br.bounds(br.average_precision, pooled)
    assert found.low <= br.average_precision(whole) <= found.high
    assert width(pooled) < 0.03 < 0.3 < width(br.Curve.pool([compact(month) for month in months]))
    assert max(map(width, small)) < 1.3 * max(width(compact(month)) for month in months)


def test_edges_that_ask_for_too_much_are_thinned_out():
    curve = drawn(30_000, 0.03)
    small = compact(curve, edges=curve.score[::10])
    assert len(encode(small)) <= MAX_BYTES
    assert width(small) < 0.03


def test_wrong_input():
    with pytest.raises(br.errors.InputError, match="max_bytes must be at least 256, got 10"):
        compact(CURVES["few scores"], max_bytes=10)
    with pytest.raises(br.errors.InputError, match="only a curve of counts"):
        compact(br.Curve.from_rates([0.5], [0.1]))


def test_damaged_bytes_are_refused():
    packed = encode(drawn(500, 0.2))
    for broken in (b"", b"curve", packed[:-1], packed[: len(packed) // 2], zlib.compress(b"\1" * 50)):
        with pytest.raises(br.errors.CurveFileError, match="damaged or something else"):
            decode(broken)
    later = bytearray(zlib.decompress(packed))
    later[0] = 9
    with pytest.raises(br.errors.CurveFileError, match="must be of version 1, got version 9"):
        decode(zlib.compress(bytes(later)))


def test_a_fingerprint_does_not_depend_on_the_file(tmp_path):
    for name in ("january.csv", "year.csv"):
        (tmp_path / name).write_text("y,p\n0,0.1\n1,0.4\n")
    curves = [br.curve(tmp_path / name, label="y", score="p") for name in ("january.csv", "year.csv")]
    assert curves[0].source != curves[1].source
    assert fingerprint(curves[0]) == fingerprint(curves[1])


def test_a_fingerprint_tells_curves_apart_and_not_how_they_are_held():
    curve = CURVES["few scores"]
    wide = br.Curve.from_counts(np.array([0.9, 0.2]), pos=np.array([40.0, 10.0]), neg=[50, 900])
    assert fingerprint(curve) == fingerprint(wide)
    others = [fingerprint(other) for other in CURVES.values()]
    assert len(set(others)) == len(others)
    assert fingerprint(curve.at_prevalence(0.1)) != fingerprint(curve)


# --- at a threshold -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "prevalence", "promise"), [(2_500, 0.02, 0.01), (100_000, 0.01, 0.02), (20_000, 0.5, 0.02)]
)
def test_points_at_any_threshold_are_known(n, prevalence, promise):
    """Recall and, at any prevalence, precision lie within a stated width; F1 within twice that."""
    curve = drawn(n, prevalence)
    small, rng = compact(curve), np.random.default_rng(1)
    known = point_width(small)
    print(f"{curve!r}: precision and recall at any threshold within {known:.2g}")
    assert known <= promise
    for threshold in rng.choice(curve.score, 30):
        for eta in (None, *10 ** rng.uniform(-6, -0.1, 3)):
            true, kept = (one.at_threshold(threshold) for one in (curve, small))
            if eta is not None:
                true, kept = true.at_prevalence(eta), kept.at_prevalence(eta)
            for metric, times in ((br.recall, 1), (br.precision, 1), (br.f1, 2)):
                found = br.bounds(metric, kept)
                assert found.low <= metric(true) <= found.high
                assert found.high - found.low <= times * known + 1e-9


def test_what_is_stated_of_points_is_attained():
    """The largest width of precision over prevalences is that of the bucket whose counts grow most."""
    small = compact(drawn(20_000, 0.1))
    etas = np.geomspace(1e-6, 0.999, 400)
    widest = 0.0
    for eta in etas:
        found = br.bounds(br.precision, small.at_prevalence(eta))
        widest = max(widest, float(np.nanmax(found.high - found.low)))
    recall = br.bounds(br.recall, small)
    assert max(widest, float(np.max(recall.high - recall.low))) == pytest.approx(point_width(small), rel=0.02)


def test_counts_at_given_thresholds_are_exact():
    curve, rng = drawn(50_000, 0.02), np.random.default_rng(2)
    thresholds = np.sort(rng.choice(curve.score, 20)) + 1e-9 * rng.normal(size=20)
    small = compact(curve, edges=edges_of(curve), thresholds=thresholds)
    assert len(encode(small)) <= MAX_BYTES
    assert knows(small, thresholds)
    assert not knows(compact(curve), thresholds)
    for threshold in thresholds:
        assert br.f1(small.at_threshold(threshold)) == br.f1(curve.at_threshold(threshold))
        found = br.bounds(br.f1, small.at_threshold(threshold))
        assert found.high - found.low < 1e-9
