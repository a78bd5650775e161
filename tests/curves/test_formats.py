"""Files that earlier versions wrote are read as they were meant; later ones are refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.curves import formats
from baserate.curves.compact import width
from baserate.curves.packing import encode, fingerprint

# One file of each version that was ever written, by the code that wrote it; a new version adds a file.
KEPT = Path(__file__).parents[1] / "golden" / "formats"

MAY = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
JUNE = br.Curve.from_scores([0, 1, 1], [1, 2, 2], weight=[0.3, 0.1, 2]).at_prevalence(0.001)
_K = np.arange(20_000)
LARGE = br.Curve.from_counts((_K * 7919 % 20_000) / 20_000 + 1e-9 * (_K % 13), pos=_K % 19 == 0, neg=_K % 19 > 0)


def versions(kept):
    """Those that a file is kept of."""
    return range(max(kept.oldest, 1), kept.version + 1)


@pytest.mark.parametrize("version", versions(formats.SAVED_CURVE))
def test_saved_curves_of_every_version(version):
    assert br.Curve.load(KEPT / f"curve-{version}.npz") == MAY


@pytest.mark.parametrize("version", versions(formats.SAVED_ACCUMULATOR))
def test_saved_accumulators_of_every_version_go_on(version):
    loaded = br.Accumulator.load(KEPT / f"accumulator-{version}.npz")
    counted = br.Accumulator(max_scores=50)
    counted.update(_K[:2000] % 7 == 0, _K[:2000] * 1.5)
    assert repr(loaded) == repr(counted)
    for each in (loaded, counted):
        each.update([0, 1], [5000, 6000])
    assert loaded.curve() == counted.curve()


@pytest.mark.slow
@pytest.mark.parametrize("version", versions(formats.STORE))
def test_stores_of_every_version(version, tmp_path):
    path = Path(shutil.copy(KEPT / f"store-{version}.db", tmp_path))
    with br.monitoring.CurveStore(path) as store:
        assert list(map(str, store.keys())) == ["fraud, 2026-05", "fraud, 2026-06, web", "large, 2026-05"]
        assert store.curve(model="fraud", period="2026-05") == MAY
        assert store.curve(model="fraud", period="2026-06", slice="web") == JUNE
        large = store.curve(model="large", period="2026-05")
        assert (large.n_pos, large.n_neg, large.bucketed, len(encode(large))) == (1053, 18_947, True, 4084)
        known = br.bounds(br.average_precision, large)
        assert known.low <= br.average_precision(LARGE) <= known.high
        # The same rows are known again, and others of the model get the same edges.
        assert store.append(LARGE, model="large", period="2026-05").status == "unchanged"
        for period in ("2026-06", "2026-07"):
            store.append(LARGE, model="large", period=period)
        _, june, july = store.curves(model="large").values()
        assert width(br.Curve.pool([june, july])) < 1.2 * width(large)
        # Buckets are chosen in another way than those of before, and share only the edges with them.
        assert width(br.Curve.pool([large, june, july])) < 3 * width(large)
        history = store.history(model="fraud", slice="web")
        assert history["n_pos"].tolist() == [2.1]
    with br.monitoring.CurveStore(path, read_only=True) as store:
        assert len(store) == 5
        store.verify()


def test_a_fingerprint_stays_what_it_was():
    """Stores of every version know the same rows again by it."""
    assert fingerprint(MAY).hex() == "cdd1cdd1ed748e591f1b583d9244aca7987d93cc962413e7f7e6924d98566cca"
    assert fingerprint(JUNE).hex() == "17e288e392494925b6922319246a305d30a6d55ce41bcc42cde0be992b56e78c"


@pytest.mark.parametrize("found", [2, -1, "1", None])
def test_versions_that_are_not_known_are_refused(found):
    kept = formats.Format("a thing", 1, oldest=0)
    formats.check_version(kept, 0)
    formats.check_version(kept, 1)
    with pytest.raises(
        br.errors.CurveFileError, match=rf"a thing must be of version 0 to 1, got version {found!r} in there; "
    ):
        formats.check_version(kept, found, "there")


def test_an_accumulator_of_other_buckets_is_refused(tmp_path):
    with np.load(KEPT / "accumulator-1.npz") as archive:
        columns = dict(archive)
    header = json.loads(str(columns.pop("header")))
    header["facts"]["buckets"] = formats.BUCKETS.version + 1
    np.savez(tmp_path / "later.npz", header=np.array(json.dumps(header)), **columns)
    with pytest.raises(
        br.errors.CurveFileError, match=r"an accumulator's buckets must be of version 1, got version 2 in '.*later"
    ):
        br.Accumulator.load(tmp_path / "later.npz")
