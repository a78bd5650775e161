"""``baserate plan``."""

import csv
import io
import json
from dataclasses import asdict

import pytest

import baserate as br

RATES = ("--tpr", "0.6", "--fpr", "0.01")
AP = ("--ap-width", "0.5", "--prevalence", "1:9")


@pytest.mark.slow
def test_a_plan_is_that_of_the_library(program):
    done = program("plan", *RATES, "--half-width", "0.1", "--prevalence", "1:100", "--cost-neg", "0.1", "--json")
    assert (done.code, done.err) == (0, "")
    plan = br.design.test_set(0.6, 0.01, half_width=0.1, prevalence="1:100", cost_neg=0.1)
    assert json.loads(done.out) == [asdict(plan)]


def test_people_see_the_sizes(ask):
    done = ask("plan", *RATES, "--delta", "0.3")
    plan = br.design.test_set(0.6, 0.01, delta=0.3)
    names, values = (line.split() for line in done.out.splitlines())
    assert done.code == 0
    assert names == ["metric", "method", "n_pos", "n_neg", "cost", "wanted_width", "expected_width", "chance"]
    assert values[:4] == ["precision", "exact", f"{plan.n_pos:,}", f"{plan.n_neg:,}"]


def test_methods_side_by_side(ask):
    done = ask("plan", *RATES, "--delta", "0.3", "--method", "wilson", "--method", "normal", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["interval"] for row in rows] == ["wilson", "normal"]
    for row in rows:
        plan = br.design.test_set(0.6, 0.01, delta=0.3, method=row["method"])
        assert (int(row["n_pos"]), int(row["n_neg"])) == (plan.n_pos, plan.n_neg)
        assert row["prevalence"] == ""


def test_levels_and_settled_sizes_are_heard(ask):
    options = ("--confidence-level", "0.9", "--assurance", "0.8", "--positives", "300", "--cost-pos", "2")
    done = ask("plan", *RATES, "--delta", "0.3", *options, "--json")
    (row,) = json.loads(done.out)
    plan = br.design.test_set(0.6, 0.01, delta=0.3, confidence_level=0.9, assurance=0.8, n_pos=300, cost_pos=2)
    assert row == asdict(plan)
    done = ask("plan", *RATES, "--delta", "0.3", "--negatives", "5000", "--json")
    assert json.loads(done.out)[0]["n_neg"] == 5000


@pytest.mark.slow
def test_average_precision_is_planned_for(ask):
    done = ask("plan", *RATES, *AP, "--json")
    plan = br.design.test_set(0.6, 0.01, ap_width=0.5, prevalence="1:9")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == [asdict(plan)]


@pytest.mark.slow
def test_an_example_is_followed(ask, payments):
    asked = ("plan", "--like", payments, "--score", "new_model", "--ap-width", "0.3", "--cost-neg", "0.1", "--json")
    data = br.examples.payments()
    curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    done = ask(*asked, "--prevalence", "1:100", "--positives", "200")
    plan = br.design.test_set_like(curve.at_prevalence("1:100"), ap_width=0.3, cost_neg=0.1, n_pos=200)
    assert (done.code, done.err) == (0, "Note: using column 'fraud' as label; --label chooses another\n")
    assert json.loads(done.out) == [asdict(plan)]


@pytest.mark.parametrize(
    ("wrong", "code", "sentence"),
    [
        (RATES, 1, "Error: one of --delta, --half-width and --ap-width must be given, got none; pass --delta 0.1 for"),
        ((*RATES, "--delta", "0.1", "--half-width", "0.1"), 1, "Error: one of --delta, --half-width and --ap-width"),
        ((*RATES, "--half-width", "0.1"), 1, "Error: --half-width and --ap-width need a prevalence"),
        ((*RATES, "--ap-width", "0.1"), 1, "Error: --half-width and --ap-width need a prevalence"),
        ((*RATES, *AP, "--method", "wilson"), 1, "Error: method must be 'exact' with --ap-width, got 'wilson'"),
        ((*RATES, "--delta", "0.1", "--score", "p"), 2, "Error: --score needs --like."),
        (("--like", "f", "--ap-width", "0.1", "--score", "p", "--score", "q"), 2, "Error: --like takes one --score"),
        (("--like", "none.csv", *AP), 1, "Error: file not found: 'none.csv'"),
        (("--like", "none.csv", *AP, "--method", "wilson"), 1, "Error: method must be 'exact' with --ap-width"),
        (("--like", "none.csv"), 2, "Error: Missing option '--ap-width'"),
        (("--like", "none.csv", *RATES, *AP), 2, "Error: --tpr cannot be combined with --like."),
        (("--like", "none.csv", "--half-width", "0.1"), 2, "Error: --half-width cannot be combined with --like."),
        ((*RATES, "--half-width", "0.1", "--prevalence", "1:0.5"), 1, "Error: invalid prevalence '1:0.5'; write"),
        ((*RATES, "--half-width", "0.1", "--prevalence", "1e-4:1e-2"), 1, "Error: one prevalence is needed here"),
        (("--tpr", "60", "--fpr", "0.1", "--delta", "0.1"), 1, "Error: tpr must be above 0 and at most 1, got 60.0"),
        ((*RATES, "--delta", "0.1", "--positives", "3"), 1, "Error: a plan must need at most"),
        (("--tpr", "0.6", "--delta", "0.1"), 2, "Error: Missing option '--fpr'"),
        ((*RATES, "--delta", "much"), 2, "Error: Invalid value for '--delta'"),
        ((*RATES, "--delta", "0.1", "--method", "magic"), 2, "Error: Invalid value for '--method'"),
        ((*RATES, "--delta", "0.1", "--positives", "0"), 2, "Error: Invalid value for '--positives'"),
    ],
)
def test_wrong_input(wrong, code, sentence, ask):
    done = ask("plan", *wrong)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err


def test_help_has_examples(ask):
    done = ask("plan", "--help")
    assert done.code == 0
    assert "baserate plan --tpr 0.6 --fpr 0.001 --delta 0.1\n" in done.out
    assert "baserate plan --like pilot.parquet --label y --score p --ap-width 0.05" in done.out
