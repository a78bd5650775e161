"""A short run of `fuzzing_calls`; `make fuzz` makes a hundred thousand calls."""

import fuzzing_calls
import pytest


@pytest.mark.slow
def test_calls_are_answered_or_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, counts = fuzzing_calls.complaints(2_000)
    assert found == []
    assert min(counts["answered"], counts["refused"]) > 300


def test_a_raw_error_is_a_complaint():
    kind, complaint = fuzzing_calls.outcome(lambda curve: curve.nothing_such, fuzzing_calls.random.Random(1))
    assert kind == "wrong"
    assert complaint.startswith("AttributeError")
