"""A short run of `fuzzing_calls`; `make fuzz` makes a hundred thousand calls."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.metrics.by_name import metric_from
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


def by_month(time):
    return br.curves_by(fuzzing_calls.TABLES[0], label="y", score="p", period=(time, "month"))


def a_store():
    return br.monitoring.CurveStore(Path(tempfile.mkdtemp()) / "store.db")


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
        (lambda: br.prior.Beta(2, 98).quantile("x"), "share must be numbers between 0 and 1, got 'x'"),
        (lambda: br.prior.Beta(2, 98).quantile([0.5, 2]), "share must be numbers between 0 and 1"),
        (lambda: br.sweep(br.f1, fuzzing_calls.POINTS[0], [0.1]).frame(np.eye(2)), "backend must be one of pandas,"),
        (lambda: br.Rule.parse("recall=0.6").on(1.5), "curve must be a Curve, got 1.5"),
        (lambda: br.curve(10**5000, label="y", score="p"), "a table must be a dataframe"),
        (lambda: br.curve("x.csv", label=10**5000, score="p"), "label must be text, got int of too many digits"),
        (
            lambda: br.plots.RocDisplay.from_curve(fuzzing_calls.CURVES[0]).plot(log_x=np.eye(2)),
            "log_x must be True or",
        ),
        (lambda: br.Point(10**5000, 1), "a Point must be made from rates or counts"),
        (lambda: br.results.Band.from_json(10**5000), "from_json needs the text that to_json wrote"),
        (lambda: br.curve(fuzzing_calls.TABLES[0], label="y", score=("p", 10**5000)), "score must be text"),
        (lambda: br.auc_pr(fuzzing_calls.CURVES[0], recall_range=10**5000), "recall_range must be a pair"),
        (lambda: br.Pair.from_scores([0, 1], [1, 2], [2, 1], names=10**5000), "names must be two different names"),
        (lambda: br.reliability(fuzzing_calls.CURVES[0], bins=10**5000), "must be"),
        (lambda: by_month(np.eye(2)), r"period must be a column and a length such as"),
        (lambda: by_month(pd.NA), r"period must be a column and a length such as"),
        (lambda: br.Curve.from_scores([0, 1], [1, 2], positive=10**5000), "got int of too many digits"),
        (lambda: br.audit({"recall": 10**5000}), "recall must be a number as it is printed"),
        (lambda: br.design.test_set(tpr=0.5, fpr=0.1, delta=10**5000, prevalence=0.1), "got delta=int of too many"),
        (lambda: br.audit({"recall": "0.5"}, metrics=3), "metrics must be names of metrics, got a int"),
        (lambda: br.audit(pd.Series([0.1])), "printed must be a dict, got a Series"),
        (lambda: br.Curve.from_sampled({"a": 1}, [0.1], rule="50 %"), r"label must be one-dimensional, got shape \(\)"),
        (lambda: a_store().delete(3), "keys must be a list, got 3; put it in brackets"),
        (lambda: a_store().keys(model="\ud800"), "model must be valid UTF-8"),
        (lambda: a_store().prune(keep=1, model="\ud800"), "model must be valid UTF-8"),
    ],
)
def test_what_was_found_is_a_sentence_now(call, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        call()


def test_no_prevalences_are_no_differences():
    assert len(br.lead(br.average_precision, fuzzing_calls.PAIRS[0], (), n_resamples=400).low) == 0


@pytest.mark.parametrize("name", ["f_beta", "best_f_beta", "net_benefit", "expected_cost", "modified_f_beta"])
def test_a_metric_that_needs_parameters_says_one_that_is_right(name):
    with pytest.raises(br.errors.InputError, match=f"{name} needs its parameter") as error:
        metric_from(name)
    metric_from(str(error.value).split("for example ")[1][:-1])
