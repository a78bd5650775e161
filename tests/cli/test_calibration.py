"""``baserate calibration``."""

import csv
import io
import json
from functools import partial

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.cli.calibration import bins_from

pytestmark = pytest.mark.slow  # together, these take long

SCORES = ("--label", "fraud", "--score", "old_model")
TABLES = ["bins", "verdicts", "in_the_large", "line", "errors", "decompositions", "tests", "in_the_small"]
TABLES += ["prior_effects", "prior_effect_bins", "prevalence_now"]


@pytest.fixture
def curve(payments):
    return br.curve(payments, label="fraud", score="old_model")


def without_score(rows):
    """A table as the library has it, without the name of the score."""
    return [{name: value for name, value in row.items() if name != "score"} for row in rows]


def answer(done):
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert list(found) == TABLES
    return found


def test_everything_is_that_of_the_library(payments, curve, ask):
    asked = ask("calibration", payments, *SCORES, "--prevalence", "0.001", "--json")
    assert asked.err == ""
    found = answer(asked)
    there = curve.at_prevalence(0.001)
    diagram, effect = br.reliability(curve), br.calibration.prior_effect(there)
    assert without_score(found["bins"]) == diagram.rows()
    assert {(row["score"], row["prevalence"]) for row in found["bins"]} == {("old_model", 0.025)}
    (verdict,) = found["verdicts"]
    assert (verdict["leaning"], verdict["verdict"]) == (diagram.leaning, diagram.verdict)
    assert without_score(found["prior_effect_bins"]) == effect.rows()
    (prior,) = found["prior_effects"]
    assert (prior["ece_before"], prior["ece"], prior["prior_part"], prior["shape"], prior["sentence"]) == (
        effect.ece_before,
        effect.ece,
        effect.prior_part,
        effect.shape,
        str(effect),
    )
    for table in ("in_the_large", "line", "errors", "decompositions"):
        assert {row["prevalence"] for row in found[table]} == {0.025, 0.001}
    for number, at in enumerate((curve, there)):
        errors = found["errors"][6 * number : 6 * (number + 1)]
        assert [row["metric"] for row in errors] == [
            "ece",
            "debiased_ece",
            "smooth_ece",
            "mce",
            "brier_score",
            "log_loss",
        ]
        assert [row["value"] for row in errors] == [getattr(br, row["metric"])(at) for row in errors]
        line = br.calibration.cox_calibration(at)
        for row, number_of_line in zip(
            found["line"][3 * number :], (line.in_the_large, line.intercept, line.slope), strict=False
        ):
            assert row["metric"] == number_of_line.metric
            assert (row["value"], row["low"], row["high"]) == (
                number_of_line.value,
                number_of_line.low,
                number_of_line.high,
            )
        means, row = br.calibration.in_the_large(at), found["in_the_large"][number]
        for name in ("n", "mean_score", "event_rate", "difference", "low", "high", "verdict"):
            assert row[name] == getattr(means, name)
        for metric, row in zip((br.brier_score, br.log_loss), found["decompositions"][2 * number :], strict=False):
            parts = br.calibration.decompose(metric, at)
            assert (row["metric"], row["value"]) == (metric.__name__, parts.value)
            for name in ("miscalibration", "discrimination", "uncertainty"):
                assert row[name] == getattr(parts, name)
    assert found["in_the_small"] == found["prevalence_now"] == []


@pytest.mark.parametrize("in_sample", [False, True])
def test_the_tests_are_those_of_the_library(payments, curve, ask, in_sample):
    found = answer(ask("calibration", payments, *SCORES, "--json", *["--in-sample"] * in_sample))
    by_bins, without = found["tests"]
    expected = br.calibration.hosmer_lemeshow(curve, in_sample=in_sample)
    assert (by_bins["test"], by_bins["statistic"], by_bins["p_value"]) == (
        "hosmer_lemeshow",
        expected.statistic,
        expected.p_value,
    )
    assert (by_bins["bins"], by_bins["df"], by_bins["note"]) == (10, 8 if in_sample else 10, expected.caution)
    z = br.calibration.spiegelhalter(curve)
    assert (without["test"], without["statistic"], without["p_value"]) == ("spiegelhalter", z.z, z.p_value)
    assert (without["bins"], without["df"], without["note"]) == (None, None, None)
    assert (by_bins["at_least"], by_bins["at_most"]) == (None, None)


@pytest.mark.parametrize(
    ("text", "bins"),
    [
        ("5", 5),
        ("equal_frequency(4)", br.calibration.equal_frequency(4)),
        ("equal_width(4)", 4),
        ("0, 0.01, 1", [0, 0.01, 1]),
    ],
)
def test_bins_are_cut_as_told_everywhere(payments, curve, ask, text, bins):
    found = answer(ask("calibration", payments, *SCORES, "--bins", text, "--prevalence", "0.01", "--json"))
    there = curve.at_prevalence(0.01)
    diagram = br.reliability(curve, bins=bins)
    assert without_score(found["bins"]) == diagram.rows()
    errors = {(row["metric"], row["prevalence"]): row["value"] for row in found["errors"]}
    for metric in (br.ece, br.debiased_ece, br.mce):
        assert errors[metric.__name__, 0.025] == metric(curve, bins=bins)
        assert errors[metric.__name__, 0.01] == metric(there, bins=bins)
    assert found["tests"][0]["statistic"] == br.calibration.hosmer_lemeshow(curve, in_sample=False, bins=bins).statistic
    assert found["prior_effects"][0]["ece"] == br.calibration.prior_effect(there, bins=bins).ece


def test_the_confidence_level_is_that_of_every_interval(payments, curve, ask):
    asked = ("calibration", payments, *SCORES, "--confidence-level", "0.5", "--by", "channel")
    found = answer(ask(*asked, "--json"))
    assert [row["rate_low"] for row in found["bins"]] == br.reliability(curve, confidence_level=0.5).rate_low.tolist()
    assert found["line"][2]["low"] == br.calibration.cox_calibration(curve, confidence_level=0.5).slope.low
    assert found["in_the_large"][0]["low"] == br.calibration.in_the_large(curve, confidence_level=0.5).low
    groups = br.curves_by(payments, "channel", label="fraud", score="old_model")
    subsets = br.calibration.in_the_small(groups, confidence_level=0.5).subsets
    assert [row["low"] for row in found["in_the_small"]] == [subset.low for subset in subsets.values()]
    assert "50 % intervals" in ask(*asked).out


def test_groups_are_shown_in_the_small(payments, ask):
    found = answer(ask("calibration", payments, *SCORES, "--by", "channel", "--json"))
    groups = br.curves_by(payments, "channel", label="fraud", score="old_model")
    subsets = br.calibration.in_the_small(groups).subsets
    assert [row["group"] for row in found["in_the_small"]] == list(subsets) == ["shop", "web"]
    for row, subset in zip(found["in_the_small"], subsets.values(), strict=True):
        for name in ("n", "mean_score", "event_rate", "difference", "low", "high", "verdict", "prevalence"):
            assert row[name] == getattr(subset, name)


def test_a_group_without_positives_is_shown_too(path, ask):
    found = answer(
        ask("calibration", path, "--label", "y", "--score", "p", "--by", "country", "--period", "ts:month", "--json")
    )
    assert [row["group"] for row in found["in_the_small"]] == ["cz 2026-01", "cz 2026-02", "de 2026-01", "de 2026-02"]
    assert found["in_the_small"][0]["event_rate"] == 0


def test_each_model_has_its_tables(payments, ask):
    asked = ("calibration", payments, "--label", "fraud", "--score", "new_model", "--score", "old_model")
    found = answer(ask(*asked, "--json", "--by", "channel", "--prevalence", "1:1000"))
    assert found.pop("prevalence_now") == []
    for name, table in found.items():
        assert list(dict.fromkeys(row["score"] for row in table)) == ["new_model", "old_model"], name
        assert {tuple(row) for row in table} == {tuple(table[0])}, name  # the same fields in every row
    for score in ("new_model", "old_model"):
        subsets = br.calibration.in_the_small(
            br.curves_by(payments, "channel", label="fraud", score=score)
        ).subsets.values()
        shown = [row["mean_score"] for row in found["in_the_small"] if row["score"] == score]
        assert shown == [subset.mean_score for subset in subsets]
        (effect,) = (row for row in found["prior_effects"] if row["score"] == score)
        curve = br.curve(payments, label="fraud", score=score)
        assert effect["ece"] == br.calibration.prior_effect(curve.at_prevalence("1:1000")).ece


def test_a_prevalence_that_is_the_own_one_is_still_another_reading(payments, ask):
    done = ask("calibration", payments, *SCORES, "--prevalence", "0.025", "--prevalence", "0.025")
    assert done.code == 0
    assert done.out.count("negatives, prevalence 1 in 40") == 1
    assert done.out.count("old_model at prevalence 1 in 40") == 1
    assert done.out.count("Tests:") == 1


def test_rows_without_labels_say_what_their_prevalence_is(payments, curve, ask, tmp_path):
    rows = pl.read_csv(payments)
    web = rows.filter(channel="web").drop("fraud")
    web[:3000].write_parquet(tmp_path / "first.parquet")
    web[3000:].write_parquet(tmp_path / "second.parquet")
    asked = ("calibration", payments, *SCORES, "--score", "new_model", "--confidence-level", "0.9")
    asked += ("--unlabelled", tmp_path / "first.parquet", "--unlabelled", tmp_path / "second.parquet")
    now, other = answer(ask(*asked, "--json"))["prevalence_now"]
    found = br.prior.estimate_prevalence(curve, web["old_model"], confidence_level=0.9)
    for name in ("value", "low", "high", "n_unlabelled", "fit_p_value", "fits"):
        assert now[name] == getattr(found, name)
    assert (now["prevalence"], now["sentence"], now["note"]) == (0.025, str(found), None)
    assert other["score"] == "new_model"
    assert other["value"] != now["value"]
    assert f"Rows without labels: {found}" in ask(*asked).out.splitlines()


def test_rows_without_labels_that_lack_the_score_are_a_sentence(payments, ask, tmp_path):
    pl.read_csv(payments).select("new_model").write_csv(tmp_path / "other.csv")
    done = ask("calibration", payments, *SCORES, "--unlabelled", tmp_path / "other.csv")
    assert (done.code, done.out) == (1, "")
    assert "score must be a column of the table, got 'old_model'" in done.err
    done = ask("calibration", payments, *SCORES, "--unlabelled", tmp_path / "nowhere.csv")
    assert (done.code, done.out) == (1, "")
    assert "nowhere.csv" in done.err


def test_csv_holds_the_bins(payments, curve, ask):
    done = ask("calibration", payments, *SCORES, "--csv", "--bins", "5")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    diagram = br.reliability(curve, bins=5)
    assert list(rows[0]) == ["score", *diagram.rows()[0]]
    assert [float(row["event_rate"]) for row in rows] == diagram.event_rate.tolist()
    assert [int(row["n"]) for row in rows] == diagram.n.tolist()
    assert [row["judgement"] for row in rows] == diagram.judgement.tolist()


def test_what_people_see(payments, curve, ask):
    done = ask("calibration", payments, *SCORES, "--prevalence", "1:1000", "--by", "channel")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "old_model: 300 positives, 11,700 negatives, prevalence 1 in 40, 95 % intervals"
    head = ["low", "high", "n", "mean_score", "event_rate", "rate_low", "rate_high", "judgement"]
    assert lines[1].split() == head
    assert len(lines[2].split()) == len(head)
    assert lines[12] == br.reliability(curve).verdict
    assert str(br.calibration.prior_effect(curve.at_prevalence("1:1000"))) in lines
    for heading in ("Calibration in the large:", "Tests:", "Decomposition of the proper scores:"):
        assert heading in lines
    assert "\x1b" not in done.out


def test_scores_that_are_no_probabilities_are_refused_by_name(tmp_path, rows, ask):
    rows.with_columns(margin=pl.col("p") * 8 - 4).write_parquet(tmp_path / "rows.parquet")
    done = ask("calibration", tmp_path / "rows.parquet", "--label", "y", "--score", "p", "--score", "margin")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Error: calibration of 'margin' reads scores as probabilities between 0 and 1, got scores from -3.2 to 3.2; "
        "turn them into probabilities first, for example with scikit-learn's CalibratedClassifierCV.\n"
    )


@pytest.mark.parametrize(("label", "missing"), [(0, "there are no positives"), (1, "there are no negatives")])
def test_one_class_is_a_sentence(tmp_path, rows, ask, label, missing):
    rows.filter(pl.col("y") == label).write_parquet(tmp_path / "rows.parquet")
    done = ask("calibration", tmp_path / "rows.parquet", "--label", "y", "--score", "p", "--json")
    assert (done.code, done.out) == (1, "")
    assert done.err == f"Error: reliability needs rows of both classes, but {missing}; add rows of the other class.\n"


def test_weighted_rows_are_not_tested(tmp_path, rows, ask):
    rows.with_columns(w=pl.Series([1.0, 2, 1, 0.5, 1, 1, 3, 1])).write_parquet(tmp_path / "rows.parquet")
    asked = ("calibration", tmp_path / "rows.parquet", "--label", "y", "--score", "p", "--weight", "w")
    found = answer(ask(*asked, "--json"))
    assert [row["note"] for row in found["tests"]] == ["a test on counted cases, and these have weights"] * 2
    assert {row["statistic"] for row in found["tests"]} == {None}
    weighted = br.curve(tmp_path / "rows.parquet", label="y", score="p", weight="w")
    assert found["errors"][0]["value"] == br.ece(weighted)
    unweighted = answer(ask(*asked[:-2], "--json"))
    assert [list(row) for row in found["tests"]] == [list(row) for row in unweighted["tests"]]
    assert ask(*asked).code == 0


def test_what_does_not_exist_is_null_with_a_note(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("y,p\n1,1\n0,0\n1,0.5\n0,1\n")
    found = answer(ask("calibration", tmp_path / "rows.csv", "--label", "y", "--score", "p", "--json", "-q"))
    assert [row["value"] for row in found["line"]] == [None] * 3
    assert found["line"][0]["note"] == "some scores are exactly 0 or 1, and their log-odds are infinite"
    assert {row["metric"]: row["value"] for row in found["errors"]}["log_loss"] == "inf"


def test_ties_that_leave_fewer_bins_are_noted(path, ask):
    done = ask("calibration", path, "--label", "y", "--score", "p", "--bins", "equal_frequency(10)")
    assert done.code == 0
    assert done.err == "Note: only 8 of 10 bins: equal scores are never split\n"
    assert ask("calibration", path, "--label", "y", "--score", "p", "--bins", "equal_frequency(10)", "-q").err == ""


def test_a_bucketed_curve_says_what_is_certain(payments, ask, monkeypatch):
    from baserate.answers import curves

    bucketed = br.curve(str(payments), label="fraud", score="old_model", max_scores=3000)
    assert bucketed.bucketed
    monkeypatch.setattr(curves.tables, "curves_by_score", lambda *_, **__: {("old_model", ()): bucketed})
    found = answer(ask("calibration", payments, *SCORES, "--bins", "5", "--json"))
    for row, metric in zip(found["errors"][:2], (br.ece, br.debiased_ece), strict=True):
        certain = br.bounds(partial(metric, bins=5), bucketed)
        assert (row["at_least"], row["at_most"]) == (certain.low, certain.high)
    by_bins = br.calibration.hosmer_lemeshow(bucketed, in_sample=False, bins=5)
    assert (found["tests"][0]["at_least"], found["tests"][0]["at_most"]) == (by_bins.low, by_bins.high)
    assert "buckets" in found["line"][0]["note"]


def test_columns_may_be_left_out(path, ask):
    done = ask("calibration", path, "--score", "q", "--by", "country", "--json")
    assert done.err == "Note: using column 'y' as label; --label chooses another\n"
    assert {row["score"] for row in answer(done)["bins"]} == {"q"}


WRONG = [
    (("--label", "frawd"), 1, "Error: label must be a column of the table, got 'frawd'; did you mean 'fraud'."),
    (("--score", "oldmodel"), 1, "did you mean 'old_model'"),
    (("--by", "chanel"), 1, "did you mean 'channel'"),
    (("--prevalence", "2"), 1, "Error: prevalence must be strictly between 0 and 1"),
    (("--prevalence", "1e-4:1e-2"), 1, "Error: one prevalence is needed here, got the range '1e-4:1e-2'"),
    (("--confidence-level", "95"), 1, "Error: --confidence-level must be at least 0.5 and below 1, got 95"),
    (("--bins", "0"), 1, "Error: bins must be finite and above 0, got 0"),
    (("--bins", "-3"), 1, "Error: bins must be finite and above 0, got -3"),
    (("--bins", "deciles"), 1, "Error: bins as text must be such as 'equal_width(10)' or 'equal_frequency(10)'"),
    (
        ("--bins", "0,some,1"),
        1,
        "Error: invalid --bins '0,some,1'; write a number such as 10, equal_frequency(10), or edges",
    ),
    (("--bins", "0,0.5"), 1, "Error: bins must cover every score, got edges from 0 to 0.5"),
    (("--tz", "Europe/Prague"), 2, "Error: --tz needs --period."),
    (("--insample",), 2, "Error: No such option '--insample'"),
    (("--in-sample", "yes"), 1, "Error: "),
]


@pytest.mark.parametrize(("wrong", "code", "sentence"), WRONG, ids=[" ".join(wrong) for wrong, *_ in WRONG])
def test_wrong_input(payments, ask, wrong, code, sentence):
    done = ask("calibration", payments, *SCORES, *wrong)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_bad_bins_are_noticed_before_a_file_is_read(ask):
    done = ask("calibration", "nowhere.csv", "--bins", "deciles")
    assert done.code == 1
    assert "bins as text" in done.err


def test_bins_as_people_write_them():
    assert bins_from(None) is None
    assert bins_from(" 7 ") == br.calibration.equal_width(7)
    assert bins_from("0,.5,1").edges == (0.0, 0.5, 1.0)


def test_help_has_examples_that_work(payments, ask):
    text = ask("calibration", "--help").out
    assert "baserate calibration scores.csv" in text
    assert "--in-sample" in text


def test_as_a_program(payments, program):
    done = program("calibration", payments, *SCORES, "--json")
    assert (done.code, done.err) == (0, "")
    assert np.isclose(json.loads(done.out)["errors"][0]["value"], 0.0049, atol=1e-4)
