"""A short run of `fuzzing_calls`; `make fuzz` makes a hundred thousand calls."""

import numpy as np
import pytest

import baserate as br
from helpers import fuzzing_calls


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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: br.Curve.pool(np.array(3.0)), "curves must be a list of Curves, got a ndarray"),
        (lambda: br.Curve.from_scores(np.array([0, 1]), [1, 2], positive=2**63), "positive= must be one of the labels"),
        (
            lambda: br.prg_band(fuzzing_calls.CURVES[0], simultaneous=np.array([1, 2])),
            "must be True or False, got",
        ),
        (lambda: br.prg_band(fuzzing_calls.CURVES[0], simultaneous="no"), "must be True or False, got 'no'"),
    ],
)
def test_what_was_found_is_a_sentence_now(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call()


def test_no_prevalences_are_no_differences():
    assert len(br.lead(br.average_precision, fuzzing_calls.PAIRS[0], (), n_resamples=400).low) == 0
