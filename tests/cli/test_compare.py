"""``baserate compare``."""

import csv
import io
import json

import pytest

import baserate as br

pytestmark = pytest.mark.slow  # together, these take long

MODELS = ("--label", "fraud", "--score", "old_model", "--score", "new_model")


def curves(payments):
    return {name: br.curve(payments, label="fraud", score=name) for name in ("old_model", "new_model")}


def test_values_leaders_and_crossings_are_those_of_the_library(payments, program):
    done = program(
        "compare", payments, *MODELS, "--prevalence", "0.5", "--range", "1e-4:0.5", "--no-intervals", "--json"
    )
    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)
    models = curves(payments)
    at_half = {name: br.average_precision(curve.at_prevalence(0.5)) for name, curve in models.items()}
    assert {row["score"]: row["value"] for row in answer["values"][2:]} == at_half
    assert [row["leads"] for row in answer["values"]] == [False, True, True, False]
    (swap,) = br.crossings(br.average_precision, *models.values(), low=1e-4, high=0.5)
    (found,) = answer["crossings"]
    assert (found["prevalence"], found["value"]) == (swap.prevalence, swap.value)
    assert (found["leads_below"], found["leads_above"]) == ("new_model", "old_model")
    regions = br.ranking(br.average_precision, models, [0.1], low=1e-4, high=0.5).regions
    assert [(row["best"], row["from"], row["to"]) for row in answer["best"]] == [
        (region.winner, region.low, region.high) for region in regions
    ]


def test_intervals_are_those_of_each_model(payments, ask):
    done = ask("compare", payments, *MODELS, "--csv")
    assert (done.code, done.err) == (0, "")
    for row in csv.DictReader(io.StringIO(done.out)):
        found = br.estimate(br.average_precision, curves(payments)[row["score"]], rng=0)
        assert (float(row["low"]), float(row["high"])) == (found.low, found.high)


def test_a_table_has_three_parts(payments, ask):
    done = ask("compare", payments, "--no-intervals", "--quiet")
    assert (done.code, done.err) == (0, "")
    values, best, swaps = done.out.split("\n\n")
    assert values.splitlines()[2].split() == [
        "new_model",
        "1",
        "in",
        "40",
        "average_precision",
        "0.5988",
        "300",
        "11,700",
        "yes",
    ]
    assert best.splitlines()[0] == "Best from prevalence 1 in 1,000,000 to 99.9999 %:"
    assert " ".join(best.splitlines()[2].split()) == "average_precision 1 in 1,000,000 1 in 21 new_model"
    assert swaps.startswith("Crossings (without intervals: ")
    assert " ".join(swaps.splitlines()[2].split()) == "average_precision 1 in 21 0.6317 new_model old_model"


def test_of_a_cost_the_lower_one_leads(payments, ask):
    done = ask(
        "compare", payments, *MODELS, "--at", "recall=0.5", "--metric", "expected_cost:cost_fn=1:cost_fp=1",
        "--no-intervals", "--json",
    )  # fmt: skip
    answer = json.loads(done.out)
    first, second = answer["values"]
    assert first["leads"] == (first["value"] < second["value"])
    assert {row["best"] for row in answer["best"]} == {"new_model"}


def test_equal_models_both_lead_and_nobody_overtakes(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("y,a,b\n1,.5,5\n0,.4,4\n1,.3,3\n")
    done = ask("compare", tmp_path / "rows.csv", "--label", "y", "--score", "a", "--score", "b", "--no-intervals")
    assert [line.split()[-1] for line in done.out.splitlines()[1:3]] == ["yes", "yes"]
    assert done.out.splitlines()[-3].endswith("a and b")
    assert done.out.endswith("\nNo crossings.\n")


def test_a_threshold_that_moves_with_the_prevalence_has_no_crossings(payments, ask):
    done = ask("compare", payments, *MODELS, "--at", "alert_rate=0.01", "--no-intervals", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["best"], answer["crossings"]) == (0, [], [])
    assert done.err == "Note: no crossings of f1: alert_rate <= 0.01 depends on the prevalence\n"
    assert [row["metric"] for row in answer["values"]] == ["f1", "f1"]


def test_groups_are_compared_by_themselves(path, ask):
    done = ask(
        "compare", path, "--label", "y", "--score", "p", "--score", "q", "--by", "country", "--period", "ts:month",
        "--no-intervals", "--json",
    )  # fmt: skip
    answer = json.loads(done.out)
    assert done.code == 0
    assert [row["note"] for row in answer["values"][:2]] == ["there are no positives"] * 2
    assert [row["leads"] for row in answer["values"][:2]] == [False, False]
    assert {row["group"] for row in answer["best"]} == {"de 2026-01", "de 2026-02"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--label", "fraud", "--score", "old_model"), "compare needs at least two scores, got only 'old_model'"),
        (("--label", "fraud", "--score", "old_model", "--score", "old_model"), "compare needs at least two scores"),
        ((*MODELS, "--at", "recall=0.5", "--metric", "alert_rate"), "a metric must have a direction to be optimised"),
        ((*MODELS, "--range", "1:1000"), "a range must be two prevalences such as 1e-4:1e-2, got one: '1:1000'"),
        ((*MODELS, "--score", "newmodel"), "did you mean 'new_model'"),
    ],
)
def test_wrong_input(payments, ask, options, sentence):
    done = ask("compare", payments, *options)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_slices_of_one_model_are_shown_with_whole_cases(payments, ask):
    done = ask("compare", payments, "--label", "fraud", "--score", "new_model", "--by", "channel", "--quiet")
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    place = rows[0].index("neg")
    assert sum(int(row[place + 2].replace(",", "")) for row in rows[1:]) == 11_700  # "1 in 40" is three words
