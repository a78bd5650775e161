"""Bytes of a store that are no longer what was written: every answer is the right one, or says so."""

import datetime
import os
import random
from collections import Counter

import numpy as np
import pytest

import baserate as br

pytestmark = pytest.mark.slow

FLIPS = int(os.environ.get("BASERATE_STORE_FLIPS", "150"))


def large(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(5000) < 0.05
    return br.Curve.from_scores(y, (rng.normal(size=5000) + 2 * y).round(6))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a store with curves of all sizes, some pages of which are no longer used."""
    path = tmp_path_factory.mktemp("store") / "monitor.db"
    with br.monitoring.CurveStore(path) as store:
        for month in range(1, 13):
            small = br.Curve.from_counts([0.2, 0.9], pos=[month, 40], neg=[900, 50 + month])
            parts = dict.fromkeys(("country=at", "country=de", "country=ch"), small)
            batch = {("fraud-3", f"2026-{month:02}", part): curve for part, curve in parts.items()}
            store.append_many(batch | {("fraud-3", f"2026-{month:02}", None): large(month)})
        for period in range(1, 6):  # whose labels come in three parts; of the first two periods only the last is known
            for part in (1, 2, 3):
                grown = br.Curve.from_counts([0.2, 0.9], pos=[part, 9 * part], neg=[300 * part, 5])
                known = {"matures": "60d", "today": datetime.date(2026, period + 1, part)}
                store.append(grown, model="fraud-5", period=f"2026-{period:02}", **known)
        store.prune_versions(keep=3, model="fraud-5")
        store.append(large(20), model="fraud-4", period="2026-01")
        store.append(large(21), model="fraud-4", period="2026-01", replace=True)
    return path.read_bytes()


def answers(store):
    """Everything that a store can be asked, by the question."""
    for part in (None, "country=at", "country=de", "country=ch"):
        yield f"curves of {part}", lambda part=part: store.curves(model="fraud-3", slice=part)
        yield f"last 2 of {part}", lambda part=part: store.curves(model="fraud-3", slice=part, last=2)
        yield f"history of {part}", lambda part=part: _plain(store.history(model="fraud-3", slice=part))
        for month in ("2026-01", "2026-07", "2026-12"):
            yield (
                f"curve of {part} in {month}",
                lambda part=part, month=month: store.curve(model="fraud-3", slice=part, period=month),
            )
    yield "the other model", lambda: store.curves(model="fraud-4")
    yield "the model that grows", lambda: store.curves(model="fraud-5")
    for model in ("fraud-3", "fraud-5"):
        yield f"versions of {model}", lambda model=model: _plain(store.versions(model=model))
    yield "history of the model that grows", lambda: _plain(store.history(model="fraud-5"))
    yield "thresholds that are watched", lambda: store.watched(model="fraud-3")
    yield "keys", store.keys
    yield "keys of one", lambda: store.keys(model="fraud-4")
    yield "how many", lambda: len(store)
    yield "verify", store.verify
    for model, month in (("fraud-3", "2026-06b"), ("fraud-3x", "2026-01"), ("a", "2026-01"), ("z", "2026-01")):
        yield f"what is not there: {model}, {month}", lambda m=model, p=month: _absent(store, m, p)


def _plain(history):
    return {name: column.tolist() for name, column in history.items()}


def _absent(store, model, period):
    try:
        return store.curve(model=model, period=period)
    except br.errors.InputError:
        return "not there"


def asked(path):
    """Each answer, or that it was refused; None if the file was."""
    try:
        store = br.monitoring.CurveStore(path, read_only=True)
    except br.errors.CurveFileError:
        return None
    found = {}
    with store:
        for question, answer in answers(store):
            try:
                found[question] = answer()
            except br.errors.CurveFileError:
                found[question] = "refused"
            except Exception as error:  # which nobody expects
                found[question] = repr(error)
    return found


def test_every_flipped_byte_is_reported_or_harmless(whole, tmp_path):
    path = tmp_path / "monitor.db"
    path.write_bytes(whole)
    truth = asked(path)
    assert "refused" not in truth.values()
    rng = random.Random(5)
    seen = Counter()
    wrong = []
    for _ in range(FLIPS):
        place = rng.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[place] ^= rng.randrange(1, 256)
        path.write_bytes(flipped)
        found = asked(path)
        if found is None:
            seen["the file is refused"] += 1
            continue
        wrong += [(place, question) for question in truth if found[question] not in ("refused", truth[question])]
        refused = sum(found[question] == "refused" for question in truth)
        wrong += [(place, "verify finds nothing")] * (refused > 0 and found["verify"] != "refused")
        seen["an answer is refused" if refused else "every answer is right"] += 1
    print(f"{FLIPS} flips: {dict(seen)}, {len({place for place, _ in wrong})} with a wrong answer")
    assert not wrong, wrong
