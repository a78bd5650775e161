"""``baserate check``."""

import csv
import io
import json
import os
import subprocess
from xml.etree import ElementTree

import pytest

import baserate as br
from helpers.programs import PROGRAM

pytestmark = pytest.mark.slow  # together, these take long

CLAIMS = {
    "met": '[[claim]]\nname = "enough <fraud> & more"\nmetric = "recall"\nat = "threshold=0.3"\nat_least = 0.3\n',
    "broken": '[[claim]]\nmetric = "precision"\nat = "threshold=0.3"\nat_least = 0.99\nprevalence = "1:999"\n',
    "undecided": '[[claim]]\nname = "f2"\nmetric = "f_beta:beta=2"\nat = "threshold=0.3"\nat_least = 0.53\n',
}
COLUMNS = ("--label", "fraud", "--score", "new_model", "--quiet")
FIELDS = ["claim", "score", "group", "verdict", "metric", "prevalence", "value", "low", "high", "bound", "margin"]
FIELDS += ["more_pos", "more_neg", "pos", "neg", "note", "sentence", "source"]


@pytest.fixture
def claims(tmp_path):
    def write(*names):
        path = tmp_path / "claims.toml"
        path.write_text("".join(CLAIMS[name] for name in names), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["met"], 0),
        (["met", "met"], 0),
        (["broken"], 3),
        (["undecided"], 4),
        (["undecided", "met"], 4),
        (["undecided", "broken", "met"], 3),
    ],
)
def test_the_verdict_is_the_exit_code(claims, payments, ask, names, code):
    done = ask("check", claims(*names), payments, *COLUMNS, "--json")
    assert (done.code, done.err) == (code, "")
    assert [row["verdict"] for row in json.loads(done.out)] == names


def test_the_verdict_is_the_exit_code_of_the_program(claims, payments, program):
    for name, code in (("met", 0), ("broken", 3), ("undecided", 4)):
        done = program("check", claims(name), payments, *COLUMNS)
        assert (done.code, done.err) == (code, "")


def test_the_source_is_said_as_by_evaluate(claims, payments, ask):
    (row,) = json.loads(ask("check", claims("met"), payments, *COLUMNS, "--json").out)
    assert row["source"] == json.loads(ask("evaluate", payments, *COLUMNS, "--json").out)[0]["source"]
    assert row["source"].startswith("scores.csv: ")


def test_verdicts_are_those_of_the_library(claims, payments, ask):
    path = claims("met", "broken", "undecided")
    rows = json.loads(ask("check", path, payments, *COLUMNS, "--json").out)
    assert all(list(row) == FIELDS for row in rows)
    curve = br.curve(payments, label="fraud", score="new_model")
    for row, claim in zip(rows, br.read_claims(path), strict=True):
        verdict = br.check(claim, curve, rng=0)
        assert {name: row[name] for name in verdict.row()} == verdict.row()
        assert (row["score"], row["group"], row["sentence"]) == ("new_model", None, verdict.sentence)
    assert rows[2]["more_pos"] > 0


def test_the_table_is_for_people(claims, payments, ask):
    done = ask("check", claims("met", "broken", "undecided"), payments, *COLUMNS)
    head, *lines = done.out.splitlines()
    assert head.split() == [
        "claim", "score", "verdict", "prevalence", "value", "low", "high", "bound", "margin", "more_pos", "more_neg",
        "pos", "neg",
    ]  # fmt: skip
    assert lines[0].startswith("enough <fraud> & more")
    assert lines[3].startswith(
        "Broken for new_model: precision >= 0.99 at threshold=0.3, prevalence 1 in 1,000, 95 % sure: "
    )
    assert lines[4].startswith("Undecided for new_model: f2: f_beta:beta=2 is ")
    assert lines[4].endswith(" would decide.")
    assert len(lines) == 5


def test_csv(claims, payments, ask):
    done = ask("check", claims("broken"), payments, *COLUMNS, "--csv")
    assert done.code == 3
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert list(row) == FIELDS[:-1]  # the source is only in JSON


def test_each_score_and_each_group_is_checked(claims, payments, ask):
    asked = ("check", claims("met", "broken"), payments, "--label", "fraud", "--score", "new_model", "--score")
    rows = json.loads(ask(*asked, "old_model", "--by", "channel", "--quiet", "--json").out)
    assert len(rows) == 2 * 2 * 2
    assert {(row["score"], row["group"]) for row in rows} == {
        (score, group) for score in ("new_model", "old_model") for group in ("shop", "web")
    }
    table = ask(*asked, "old_model", "--by", "channel", "--quiet").out
    assert "Broken for old_model, web: precision" in table


@pytest.mark.parametrize("strict", [False, True])
def test_junit(claims, payments, ask, tmp_path, strict):
    out = tmp_path / "out.xml"
    path = claims("met", "broken", "undecided")
    done = ask("check", path, payments, *COLUMNS, "--junit", out, *["--strict"] * strict)
    assert done.code == 3
    root = ElementTree.parse(out).getroot()
    (suite,) = root
    assert root.tag == "testsuites"
    counted = {"tests": "3", "failures": str(1 + strict), "errors": "0", "skipped": str(1 - strict)}
    for element in (root, suite):
        assert {name: element.get(name) for name in counted} == counted
    met, broken, undecided = suite
    assert (met.get("name"), met.get("classname")) == ("enough <fraud> & more", "new_model")
    assert [child.tag for child in met] == ["system-out"]
    assert [child.tag for child in broken] == ["failure"]
    assert broken[0].get("message").startswith("precision is ")
    assert [child.tag for child in undecided] == ["failure" if strict else "skipped"]
    assert "more positives" in undecided[0].text
    assert not list(tmp_path.glob("*.part"))


def test_strict_does_not_change_the_exit_code(claims, payments, ask):
    assert ask("check", claims("undecided"), payments, *COLUMNS, "--strict").code == 4
    assert ask("check", claims("met"), payments, *COLUMNS, "--strict").code == 0


def test_names_that_xml_cannot_hold(payments, ask, tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(CLAIMS["met"].replace("<fraud>", r"\u0001 ]]> \" š"), encoding="utf-8")
    out = tmp_path / "out.xml"
    assert ask("check", path, payments, *COLUMNS, "--junit", out).code == 0
    (case,) = ElementTree.parse(out).getroot()[0]
    assert case.get("name") == 'enough \ufffd ]]> " š & more'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Error: a file of claims must have at least one [[claim]]"),
        (
            CLAIMS["met"].replace("at_least", "at_leest"),
            "('enough <fraud> & more') has no key 'at_leest'; did you mean",
        ),
        (CLAIMS["met"].replace('"recall"', '"recal"'), "did you mean 'recall'"),
    ],
)
def test_claims_that_will_not_do_are_one(payments, ask, tmp_path, text, sentence):
    path = tmp_path / "claims.toml"
    path.write_text(text, encoding="utf-8")
    done = ask("check", path, payments, *COLUMNS)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_data_that_will_not_do_are_one(claims, payments, ask, tmp_path):
    for arguments in (
        (claims("met"), tmp_path / "nowhere.csv", *COLUMNS),
        (tmp_path / "nowhere.toml", payments, *COLUMNS),
        (claims("met"), payments, "--label", "fraud", "--score", "newmodel"),
        (claims("met"), payments, *COLUMNS, "--junit", tmp_path / "no" / "folder" / "out.xml"),
    ):
        done = ask("check", *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("Error: ")


def test_what_is_not_understood_is_two(claims, payments, ask):
    assert ask("check").code == 2
    assert ask("check", claims("met")).code == 2
    assert ask("check", claims("met"), payments, "--strikt").code == 2


def test_help_has_the_exit_codes_and_a_file_of_claims(ask, tmp_path, payments):
    done = ask("check", "--help")
    assert (done.code, done.err) == (0, "")
    for line in (
        "3    a claim is broken",
        "4    no claim is broken, but one is undecided",
        "baserate check claims.toml",
    ):
        assert line in done.out
    begin = done.out.index("A file of claims:") + len("A file of claims:")
    shown = done.out[begin : done.out.index("Exit codes:")]
    path = tmp_path / "shown.toml"
    path.write_text("\n".join(line.strip() for line in shown.splitlines()), encoding="utf-8")
    (claim,) = br.read_claims(path)
    assert str(claim) == "precision >= 0.5 at recall >= 0.6, prevalence 1 in 1,000 to 1 in 100, 95 % sure"


def test_a_reader_that_has_gone_does_not_change_the_verdict(claims, payments):
    for name, code in (("broken", 3), ("undecided", 4), ("met", 0)):
        reader, writer = os.pipe()
        os.close(reader)
        asked = [*PROGRAM, "check", claims(name), payments, *COLUMNS]
        done = subprocess.run(asked, stdout=writer, stderr=subprocess.PIPE, check=False, text=True)
        os.close(writer)
        assert (done.returncode, done.stderr) == (code, "")
