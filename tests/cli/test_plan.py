"""``baserate plan``."""

import csv
import io
import json
from dataclasses import asdict

import pytest

import baserate as br

RATES = ("--tpr", "0.6", "--fpr", "0.01")


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
    assert names == ["method", "n_pos", "n_neg", "cost", "wanted_width", "expected_width", "chance"]
    assert values[:3] == ["exact", f"{plan.n_pos:,}", f"{plan.n_neg:,}"]


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


@pytest.mark.parametrize(
    ("wrong", "code", "sentence"),
    [
        (RATES, 1, "Error: either delta or half_width must be given, got neither"),
        ((*RATES, "--delta", "0.1", "--half-width", "0.1"), 1, "Error: either delta or half_width"),
        ((*RATES, "--half-width", "0.1"), 1, "Error: half_width and prevalence must come together"),
        ((*RATES, "--half-width", "0.1", "--prevalence", "1:0.5"), 1, "Error: a colon stands in odds"),
        ((*RATES, "--half-width", "0.1", "--prevalence", "1e-4:1e-2"), 1, "Error: one prevalence is wanted here"),
        (("--tpr", "60", "--fpr", "0.1", "--delta", "0.1"), 1, "Error: tpr must be above 0 and at most 1, got 60.0"),
        ((*RATES, "--delta", "0.1", "--positives", "3"), 1, "Error: a plan has at most"),
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
