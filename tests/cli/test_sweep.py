"""``baserate sweep``."""

import csv
import io
import json

import numpy as np
import pytest

import baserate as br
from baserate.cli.prevalences import grid_from

SCORES = ("--label", "fraud", "--score", "new_model")


def new_model(payments):
    return br.curve(payments, label="fraud", score="new_model")


def column(rows, name):
    return np.array([row[name] for row in rows], float)


@pytest.mark.slow
def test_a_band_is_that_of_the_library(payments, program):
    done = program("sweep", payments, *SCORES, "--prevalence", "1e-4:1e-2", "--points", "5", "--json")
    assert (done.code, done.err) == (0, "")
    rows = json.loads(done.out)
    grid = grid_from(["1e-4:1e-2"], 5)
    band = br.sweep_estimates(br.average_precision, new_model(payments), grid, rng=0)
    assert [row["prevalence"] for row in rows] == grid
    for name in ("value", "low", "high"):
        assert column(rows, name).tolist() == getattr(band, name).tolist()


@pytest.mark.slow
def test_a_point_that_stays_is_swept_with_one_threshold(payments, ask):
    done = ask(
        "sweep", payments, *SCORES, "--at", "recall=0.5", "--prevalence", "1:100", "--prevalence", "1:1000", "--csv"
    )
    rows = list(csv.DictReader(io.StringIO(done.out)))
    band = br.sweep_estimates(br.precision, new_model(payments).at_recall(0.5), [1 / 1001, 1 / 101], rng=0)
    assert {row["threshold"] for row in rows} == {"0.361"}
    np.testing.assert_allclose(column(rows, "value"), band.value, rtol=1e-12)
    np.testing.assert_allclose(column(rows, "low"), band.low, rtol=1e-9)


@pytest.mark.slow
def test_a_rule_that_depends_on_the_prevalence_chooses_at_each(payments, ask):
    done = ask(
        "sweep", payments, *SCORES, "--at", "precision=0.9", "--metric", "recall", "--prevalence", "1e-4:0.1",
        "--points", "3", "--no-intervals", "--json",
    )  # fmt: skip
    rows = json.loads(done.out)
    points = [new_model(payments).at_prevalence(row["prevalence"]).at_precision(0.9) for row in rows]
    assert [row["threshold"] for row in rows] == [point.threshold for point in points]
    assert [row["value"] for row in rows] == [br.recall(point) for point in points]
    assert len({row["threshold"] for row in rows}) > 1


def test_without_intervals_it_is_a_sweep(payments, ask):
    done = ask("sweep", payments, *SCORES, "--metric", "best_f1", "--metric", "auc_pr", "--no-intervals", "--json")
    rows = json.loads(done.out)
    assert len(rows) == 2 * 13
    swept = br.sweep(br.best_f1, new_model(payments), grid_from(["1e-4:0.5"], 13))
    assert column(rows[:13], "value").tolist() == swept.value.tolist()
    assert {row["low"] for row in rows} == {None}


def test_a_group_without_positives_is_a_note(path, ask):
    done = ask(
        "sweep", path, "--label", "y", "--score", "p", "--by", "country", "--period", "ts:month", "--csv",
        "--prevalence", "0.1", "--prevalence", "0.2",
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0
    assert [row["note"] for row in rows[:2]] == ["there are no positives"] * 2
    assert [float(row["prevalence"]) for row in rows[:2]] == [0.1, 0.2]


def test_a_rule_without_a_point_is_a_note(path, ask, rows):
    (path.parent / "top.csv").write_text("y,p\n1,inf\n0,inf\n0,.4\n")
    done = ask("sweep", path.parent / "top.csv", "--at", "fpr=0.1", "--prevalence", "0.1", "--csv", "-q")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert done.code == 0
    assert row["note"].startswith("no threshold has fpr <= 0.1")


def test_wrong_input(payments, ask):
    for wrong, code, sentence in [
        (
            ("--prevalence", "1:0.5"),
            1,
            "Error: invalid prevalence '1:0.5'; write \"1 in 1,000\", odds of whole numbers such as 1:999, or a range",
        ),
        (("--prevalence", "0.5:0.1"), 1, "Error: low must be below high"),
        (("--metric", "precision"), 1, "Error: precision needs a threshold"),
        (("--points", "1"), 2, "Error: Invalid value for '--points'"),
        (("--point", "3", "--pionts", "5"), 2, "Error: No such option"),
    ]:
        done = ask("sweep", payments, *SCORES, *wrong)
        assert (done.code, done.out) == (code, "")
        assert sentence in done.err


def test_the_mean_over_a_range_is_that_of_the_library(payments, ask):
    done = ask("sweep", payments, *SCORES, "--metric", "auc_pr", "--prevalence", "1e-4:1e-2", "--mean", "--json")
    (row,) = json.loads(done.out)
    assert (row["from"], row["to"]) == (1e-4, 1e-2)
    assert row["mean"] == br.mean_over_prevalence(br.auc_pr, new_model(payments), low=1e-4, high=1e-2)


def test_the_mean_at_a_threshold_that_does_not_follow_the_prevalence(payments, ask):
    asked = ("sweep", payments, *SCORES, "--prevalence", "1e-4:1e-2", "--mean")
    (row,) = json.loads(ask(*asked, "--at", "recall=0.5", "--json").out)
    point = new_model(payments).at_recall(0.5)
    assert row["mean"] == br.mean_over_prevalence(br.precision, point, low=1e-4, high=1e-2)
    refused = ask(*asked, "--at", "precision=0.5", "--metric", "recall")
    assert refused.code == 1
    assert "--mean needs one threshold for all prevalences, got --at precision >= 0.5" in refused.err


def test_a_mean_needs_a_range(payments, ask):
    done = ask("sweep", payments, *SCORES, "--prevalence", "1:100", "--mean")
    assert done.code == 1
    assert "a range must be two prevalences such as 1e-4:1e-2" in done.err
