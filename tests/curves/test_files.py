"""Curves in files: read back whole, or refused in a sentence."""

import contextlib
import json
import os

import numpy as np
import pytest

import baserate as br
from baserate.curves import saving

CURVES = {
    "counts": br.Curve.from_scores([0, 1, 0, 1], [0.1, np.inf, -np.inf, np.nextafter(0.1, 1)]),
    "read at a prevalence": br.Curve.from_scores([0, 1], [1, 2]).at_prevalence(0.1),
    "weighted": br.Curve.from_scores([0, 1, 1], [1, 2, 2], weight=[0.3, 0.1, 2]),
    "rates": br.Curve.from_rates([0.5], [0.1]),
    "rates with sizes": br.Curve.from_rates([0.5], [0.1], prevalence=0.01, n_pos=5, n_neg=50),
    "one class": br.Curve.from_scores([0, 0], [1, 1]),
    "tiny weights": br.Curve.from_scores([0, 1], [1, 2], weight=[1e-60, 1e60]),
    "rates that wait at the start": br.Curve.from_rates([0, 0, 0.5, 1], [0, 0, 0.1, 1]),
    "more cases than floats count": br.Curve.pool([br.Curve.from_counts([1], [2**53], [1])] * 2),
    "empty": br.Curve.from_scores([], []),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_comes_back_as_it_went(name, tmp_path):
    path = tmp_path / "a curve.npz"
    CURVES[name].save(path)
    assert br.Curve.load(path) == CURVES[name]
    assert os.listdir(tmp_path) == ["a curve.npz"]


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "curve"
    br.Curve.from_scores(np.arange(2000) % 7 == 0, np.random.default_rng(0).random(2000)).save(path)
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", whole[:3000] + b"\0\0\0\0" + whole[3004:], b"label,score\n1,0.5\n"):
        path.write_bytes(broken)
        with pytest.raises(br.errors.CurveFileError, match=r"damaged or something else .*; save it again\."):
            br.Curve.load(path)


@pytest.mark.slow
def test_any_flipped_bit_is_refused_or_harmless(tmp_path):
    path = tmp_path / "curve"
    CURVES["counts"].save(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with contextlib.suppress(br.errors.CurveFileError):
            assert br.Curve.load(path) == CURVES["counts"]


def test_a_saved_file_can_be_read_by_whoever_the_system_lets(tmp_path):
    CURVES["counts"].save(tmp_path / "curve")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "curve").stat().st_mode == (tmp_path / "plain").stat().st_mode


def header(**changes):
    return np.array(json.dumps({"format": "baserate curve", "version": 1, "facts": {"prevalence": None}} | changes))


def test_foreign_and_future_files_are_refused(tmp_path):
    path = tmp_path / "curve.npz"
    columns = {"score": [1.0], "pos": [1], "neg": [1]}
    np.savez(path, **columns)
    with pytest.raises(br.errors.CurveFileError, match="something else"):
        br.Curve.load(path)
    np.savez(path, header=header(version=2), **columns)
    with pytest.raises(br.errors.CurveFileError, match="version 2"):
        br.Curve.load(path)
    np.savez(path, header=header(format="other"), **columns)
    with pytest.raises(br.errors.CurveFileError, match="'other'"):
        br.Curve.load(path)


def test_files_are_checked_like_any_input(tmp_path):
    path = tmp_path / "curve.npz"
    for columns in (
        {"score": [1.0], "pos": [-1], "neg": [1]},
        {"score": [np.nan], "pos": [1], "neg": [1]},
        {"pos": [1]},
    ):
        np.savez(path, header=header(), **columns)
        with pytest.raises(br.errors.CurveFileError, match="columns of a curve"):
            br.Curve.load(path)


def test_a_pickle_is_never_opened(tmp_path):
    path = tmp_path / "curve.npz"
    np.savez(path, header=header(), score=np.array([{"a": 1}], dtype=object), pos=[1], neg=[1])
    with pytest.raises(br.errors.CurveFileError):
        br.Curve.load(path)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(br.errors.CurveFileError, match="check the path"):
        br.Curve.load(tmp_path / "nowhere")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "curve.npz"
    CURVES["counts"].save(path)
    monkeypatch.setattr(np, "savez_compressed", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        CURVES["weighted"].save(path)
    assert br.Curve.load(path) == CURVES["counts"]
    assert os.listdir(tmp_path) == ["curve.npz"]


@pytest.fixture(params=["as it is", "without nameless files", "without links too"])
def system(request, monkeypatch):
    """What the system can do."""
    if request.param != "as it is":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if request.param == "without links too":
        monkeypatch.setattr(os, "link", lambda *a, **k: (_ for _ in ()).throw(OSError("no links")))


@pytest.mark.usefixtures("system")
def test_a_new_file_is_new(tmp_path):
    path = tmp_path / "new"
    saving.write_new(path, b"first")
    (tmp_path / "plain").write_text("")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    with pytest.raises(FileExistsError):
        saving.write_new(path, b"second")
    assert path.read_bytes() == b"first"
    with pytest.raises(FileNotFoundError):
        saving.write_new(tmp_path / "no" / "folder", b"first")
    assert sorted(os.listdir(tmp_path)) == ["new", "plain"]


@pytest.mark.usefixtures("system")
def test_a_new_file_that_cannot_be_finished_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        saving.write_new(tmp_path / "new", b"first")
    assert os.listdir(tmp_path) == []


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "no such folder" / "curve"
    with pytest.raises(FileNotFoundError) as error:
        CURVES["counts"].save(path)
    assert error.value.filename == str(path)
