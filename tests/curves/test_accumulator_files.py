"""Accumulators in files: to go on with, or refused in a sentence."""

import contextlib
import copy
import json
import os

import numpy as np
import pytest

import baserate as br
from baserate.curves import saving


def example(max_scores=20, **kwargs):
    rng = np.random.default_rng(4)
    result = br.Accumulator(max_scores=max_scores, **kwargs)
    result.update(rng.random(60) < 0.5, rng.random(60))
    return result


@pytest.mark.parametrize("positive", [True, 1, 1.0])
@pytest.mark.parametrize("max_scores", [20, 100])
def test_an_accumulator_comes_back_as_it_went(positive, max_scores, tmp_path):
    saved = example(max_scores, positive=positive)
    saved.update([False], [0.7], weight=[2])
    saved.save(tmp_path / "saved")
    loaded = br.Accumulator.load(tmp_path / "saved")
    assert os.listdir(tmp_path) == ["saved"]
    assert loaded.curve() == saved.curve()
    assert repr(loaded) == repr(saved)
    assert (loaded.n_rows, loaded._positive, loaded._max_scores) == (61, positive, max_scores)
    loaded.merge(saved)


def test_a_loaded_accumulator_remembers_both_labels(tmp_path):
    saved = br.Accumulator(positive="ja\0é")
    saved.update(["nein\ud800"], [1])
    saved.save(tmp_path / "saved")
    loaded = br.Accumulator.load(tmp_path / "saved")
    with pytest.raises(br.errors.InputError, match="after 'nein"):
        loaded.update(["no"], [1])
    loaded.update(["ja\0é", "nein\ud800"], [2, 3])


def test_damaged_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "saved"
    with pytest.raises(br.errors.CurveFileError, match=r"no saved accumulator found at .*check the path"):
        br.Accumulator.load(path)
    example().save(path)
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"label,score\n1,0.5\n"):
        path.write_bytes(broken)
        with pytest.raises(br.errors.CurveFileError, match=r"written by Accumulator.save, .*damaged or something else"):
            br.Accumulator.load(path)
    example().curve().save(path)
    with pytest.raises(br.errors.CurveFileError, match="'baserate accumulator', got 'baserate curve'"):
        br.Accumulator.load(path)
    example().save(path)
    with pytest.raises(br.errors.CurveFileError, match="'baserate curve', got 'baserate accumulator'"):
        br.Curve.load(path)


@pytest.mark.slow
def test_any_flipped_bit_is_refused_or_harmless(tmp_path):
    path = tmp_path / "saved"
    saved = example(10)
    saved.save(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with contextlib.suppress(br.errors.CurveFileError):
            assert br.Accumulator.load(path).curve() == saved.curve()


FACTS = {"max_scores": 9, "positive": None, "other": 0, "rows": 2, "bits": 3}
COLUMNS = {"score": [0.2], "top": [0.201], "pos": [1], "neg": [1]}


def test_a_file_made_by_hand_is_read(tmp_path):
    write_by_hand(tmp_path / "saved", FACTS, COLUMNS)
    loaded = br.Accumulator.load(tmp_path / "saved")
    assert repr(loaded) == "Accumulator(1 pos, 1 neg, buckets of 3 bits, 2 entries)"
    write_by_hand(tmp_path / "saved", FACTS | {"bits": None}, {"score": [1, 2, 1], "pos": [1, 0, 1], "neg": [0, 0, 3]})
    assert br.Accumulator.load(tmp_path / "saved").curve() == br.Curve.from_counts([1], [2], [3])


@pytest.mark.parametrize(
    ("facts", "changed"),
    [
        ({"bits": 43}, {}),
        ({"bits": -1}, {}),
        ({"bits": "3"}, {}),
        ({"bits": None}, {}),
        ({"max_scores": "9"}, {}),
        ({"rows": -1}, {}),
        ({"rows": None}, {}),
        ({"other": [0]}, {}),
        ({"positive": {}}, {}),
        ({}, {"top": [0.3]}),
        ({}, {"top": [0.1]}),
        ({}, {"pos": [-1]}),
        ({}, {"pos": [1, 2]}),
        ({}, {"score": [np.nan]}),
        ({}, {"pos": [0.5]}),
        ({}, {"more": [1]}),
    ],
)
def test_files_are_checked_like_any_input(facts, changed, tmp_path):
    write_by_hand(tmp_path / "saved", FACTS | facts, COLUMNS | changed)
    with pytest.raises(br.errors.CurveFileError, match=r"must hold the columns of one, .*; save it again\."):
        br.Accumulator.load(tmp_path / "saved")


@pytest.mark.parametrize("name", [*FACTS, *COLUMNS])
def test_a_file_without_one_of_its_parts_is_refused(name, tmp_path):
    kept = [{key: value for key, value in all_of.items() if key != name} for all_of in (FACTS, COLUMNS)]
    write_by_hand(tmp_path / "saved", *kept)
    with pytest.raises(br.errors.CurveFileError):
        br.Accumulator.load(tmp_path / "saved")


def write_by_hand(path, facts, columns):
    header = json.dumps({"format": "baserate accumulator", "version": 1, "facts": facts})
    with open(path, "wb") as file:
        np.savez(file, header=np.array(header), **columns)


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "saved"
    going = example()
    going.save(path)
    before = copy.copy(going).curve()
    going.update([0], [0.5])
    for moment in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(saving.os, moment, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                going.save(path)
        assert br.Accumulator.load(path).curve() == before
        assert os.listdir(tmp_path) == ["saved"]
