"""``baserate plan --draw``: rows of a file to label, drawn, filled in and put back."""

import csv

import numpy as np
import polars as pl
import pytest

import baserate as br

DRAW = ("--score", "new_model", "--threshold", "0.3")


@pytest.fixture
def folder(payments, monkeypatch):
    monkeypatch.chdir(payments.parent)
    return payments.parent


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fill_in(source, target, wrong=""):
    """What people do: they find out whether each row is a fraud; some rows they leave empty."""
    rows = rows_of(source)
    for number, row in enumerate(rows):
        row["drawn_label"] = row["fraud"] if number or not wrong else wrong
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_rows_are_drawn_as_the_library_draws_them(folder, ask):
    done = ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv", "--seed", "5")
    assert (done.code, done.err) == (0, "")
    scores = pl.read_csv("scores.csv")
    plan = br.design.labelling(scores["new_model"], threshold=0.3, budget=400)
    drawn = br.design.draw_rows(plan, scores["new_model"], rng=5)
    rows = rows_of(folder / "to_label.csv")
    assert [int(row["position"]) for row in rows] == drawn.position.tolist()
    assert [row["stratum"] for row in rows] == drawn.stratum.tolist()
    assert [float(row["inclusion"]) for row in rows] == pytest.approx(drawn.inclusion.tolist())
    assert {row["drawn_label"] for row in rows} == {""}
    assert rows[0]["fraud"] == str(scores["fraud"][int(drawn.position[0])])
    assert f"rule: {plan.rule}" in done.out
    again = ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "again.csv", "--seed", "5")
    assert again.out == done.out
    assert (folder / "again.csv").read_bytes() == (folder / "to_label.csv").read_bytes()


def test_labels_are_put_back_for_the_curve(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    done = ask("plan", "scores.csv", "--known", "filled.csv", "-o", "labelled.csv")
    said, rule = done.out.splitlines()
    assert said == "400 of 12,000 rows labelled in labelled.csv"
    whole = pl.read_csv("labelled.csv", infer_schema_length=None)
    curve = br.Curve.from_sampled(whole["drawn_label"], whole["new_model"], rule=rule.removeprefix("rule: "))
    filled = pl.read_csv("filled.csv")
    columns = (filled[name] for name in ("position", "drawn_label", "stratum"))
    assert br.design.curve_of_drawn(whole["new_model"], *columns) == curve
    assert br.recall(curve.at_threshold(0.3)) == pytest.approx(0.52, abs=0.2)


def test_a_second_round_has_the_rows_of_the_first(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    done = ask("plan", "scores.csv", *DRAW, "--draw", "900", "--known", "filled.csv", "-o", "second.csv")
    assert done.code == 0
    rows = rows_of(folder / "second.csv")
    first = {row["position"]: row["drawn_label"] for row in rows_of(folder / "filled.csv")}
    known = {row["position"]: row["drawn_label"] for row in rows if row["drawn_label"]}
    assert known == first
    assert len({row["position"] for row in rows}) == len(rows) == 900


def test_an_earlier_file_says_where_positives_are(folder, ask):
    asked = ("--metric", "precision", "--prevalence", "1 in 1,000", "--like", "scores.csv", "--label", "fraud")
    done = ask("plan", "scores.csv", *DRAW, *asked, "--draw", "500", "-o", "to_label.csv")
    assert done.out.startswith("500 labels for precision at threshold 0.3 at prevalence 1 in 1,000")
    assert "a random sample of all rows needs" in done.out
    assert len(rows_of(folder / "to_label.csv")) == 500


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "scores.csv", *DRAW, "--draw", "400"), "Missing option '--output'"),
        (("plan", "scores.csv", "--known", "x.csv"), "Missing option '--output'"),
        (("plan", "scores.csv"), "FILE needs --draw, or --known"),
        (("plan", "--draw", "400"), "need FILE"),
        (("plan", "scores.csv", "--draw", "4", "-o", "x.csv"), "--draw needs one --score"),
        (("plan", "scores.csv", *DRAW, "--draw", "4", "-o", "scores.csv"), "would overwrite an input"),
        (("plan", "none.csv", *DRAW, "--draw", "4", "-o", "x.csv"), "file not found"),
        (("plan", "scores.csv", "--score", "p", "--draw", "4", "-o", "x.csv"), "column 'p' must be in the file"),
        (("plan", "scores.csv", "--score", "channel", "--draw", "4", "-o", "x.csv"), "must hold numbers"),
        (("plan", "ragged.csv", *DRAW, "--draw", "4", "-o", "x.csv"), "line 3"),
        (("plan", "bytes.csv", *DRAW, "--draw", "4", "-o", "x.csv"), "CSV file"),
        (("plan", "taken.csv", *DRAW, "--draw", "1", "-o", "x.csv"), "rename it"),
        (("plan", "scores.csv", "--known", "far.csv", "-o", "x.csv"), "below the number of rows"),
        (("plan", "scores.csv", "--known", "three.csv", "-o", "x.csv"), "two classes"),
        (
            ("plan", "scores.csv", *DRAW, "--draw", "1", "-o", "x.csv"),
            "must leave a label for each stratum, got 1 for 3",
        ),
        (
            ("plan", "scores.csv", *DRAW[:2], "--metric", "average_precision", "--draw", "400", "-o", "x.csv"),
            "plan a second round with their labels",
        ),
        (("plan", "scores.csv", "--known", "twice.csv", "-o", "x.csv"), "position must be there once, got 2 in 2 rows"),
        (("plan", "scores.csv", "--known", "empty.csv", "-o", "x.csv"), "got an empty column in 'empty.csv'"),
        (("plan", "scores.csv", *DRAW, "--draw", "40", "--known", "empty.csv", "-o", "x.csv"), "got an empty column"),
        (("plan", "back.csv", "--known", "far.csv", "-o", "x.csv"), "got a file with 'drawn_label'"),
        (("plan", "scores.csv", "--known", "far.csv", "--known", "far.csv", "-o", "x.csv"), "--known takes one file"),
    ],
)
def test_what_cannot_be_drawn_is_refused(folder, ask, arguments, said):
    (folder / "ragged.csv").write_text("new_model,a\n0.5,1\n0.4\n", encoding="utf-8")
    (folder / "bytes.csv").write_bytes(b"new_model\n\xff\xfe\n")
    (folder / "taken.csv").write_text("new_model,stratum\n0.5,1\n", encoding="utf-8")
    (folder / "far.csv").write_text("position,stratum,drawn_label\n99999,all >= 0.3,1\n", encoding="utf-8")
    (folder / "three.csv").write_text("position,stratum,drawn_label\n1,else 5 %,1\n2,else 5 %,0\n3,else 5 %,no\n")
    (folder / "twice.csv").write_text("position,stratum,drawn_label\n1,else 5 %,1\n2,else 5 %,0\n2,else 5 %,1\n")
    (folder / "empty.csv").write_text("position,stratum,drawn_label\n1,else 5 %,\n", encoding="utf-8")
    (folder / "back.csv").write_text("new_model,drawn_label\n0.5,1\n", encoding="utf-8")
    before = (folder / "scores.csv").read_bytes()
    done = ask(*arguments)
    assert done.code in {1, 2}
    assert said in done.err
    assert (folder / "scores.csv").read_bytes() == before


def test_names_of_the_positive_class_are_read(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    rows = rows_of(folder / "to_label.csv")
    lines = ["position,stratum,drawn_label"]
    lines += [f"{row['position']},{row['stratum']},{('ok', 'fraud')[int(row['fraud'])]}" for row in rows]
    (folder / "filled.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ask("plan", "scores.csv", "--known", "filled.csv", "-o", "labelled.csv", "--positive", "fraud")
    found = pl.read_csv("labelled.csv", infer_schema_length=None)["drawn_label"].to_numpy()
    assert np.nansum(found) == sum(int(row["fraud"]) for row in rows)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_labels_of_people_are_not_overwritten(folder, ask, delimiter):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    assert ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv").code == 0  # nobody has filled it in
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    for command in ((*DRAW, "--draw", "400"), ("--known", "filled.csv")):
        written = (folder / "filled.csv").read_text(encoding="utf-8").replace(",", delimiter)
        (folder / "people.csv").write_text(written, encoding="utf-8")
        done = ask("plan", "scores.csv", *command, "-o", "people.csv")
        assert done.code == 1
        assert "would overwrite 400 labels" in done.err
        assert (folder / "people.csv").read_text(encoding="utf-8") == written
    for _ in range(2):  # the whole file with these labels can be written again
        assert ask("plan", "scores.csv", "--known", "filled.csv", "-o", "labelled.csv").code == 0


@pytest.mark.parametrize("changed", ["sorted", "a row more", "another column"])
@pytest.mark.parametrize("second", [(), (*DRAW, "--draw", "900")])
def test_labels_are_not_put_on_other_rows(folder, ask, changed, second):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    header, *rows = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()
    if changed == "sorted":
        rows.sort()
    elif changed == "a row more":
        rows.insert(0, rows[-1])
    else:
        rows = [row.replace("web", "net") for row in rows]
    (folder / "other.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    done = ask("plan", "other.csv", *second, "--known", "filled.csv", "-o", "x.csv")
    assert done.code == 1
    assert "labels must be of rows of the file, got " in done.err
    assert not (folder / "x.csv").exists()


def test_rounding_of_a_spreadsheet_is_not_another_row(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    rows = rows_of(folder / "filled.csv")
    rows = [row | {"new_model": f"{float(row['new_model']):.9E}", "channel": row["channel"].upper()} for row in rows]
    with (folder / "filled.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert ask("plan", "scores.csv", "--known", "filled.csv", "-o", "labelled.csv").code == 0


def test_a_threshold_above_all_scores_is_noted_and_no_random_sample_is_compared(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    asked = ("plan", "scores.csv", *DRAW[:2], "--threshold", "5", "--draw", "600", "-o", "x.csv")
    for known in ((), ("--known", "filled.csv")):
        done = ask(*asked, *known)
        assert done.code == 0
        assert "Note: no row has a score of 5 or above; the highest is " in done.err
        assert "random sample" not in done.out


def test_rows_added_at_the_end_are_noted(folder, ask):
    ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "to_label.csv")
    fill_in(folder / "to_label.csv", folder / "filled.csv")
    text = (folder / "scores.csv").read_text(encoding="utf-8")
    (folder / "longer.csv").write_text(text + text.splitlines()[-1] + "\n", encoding="utf-8")
    done = ask("plan", "longer.csv", "--known", "filled.csv", "-o", "labelled.csv")
    assert done.code == 0
    assert "Note: the drawn rows stand for 12,000 rows, and the file has 12,001" in done.err
    second = ask("plan", "scores.csv", *DRAW, "--draw", "900", "--known", "filled.csv", "-o", "second.csv")
    fill_in(folder / "second.csv", folder / "both.csv")
    again = ask("plan", "scores.csv", "--known", "both.csv", "-o", "labelled.csv")
    assert (second.err, again.err) == ("", "")


def test_a_file_that_is_no_table_is_written_over(folder, ask):
    (folder / "old.bin").write_text('"' + "x" * 200_000, encoding="utf-8")  # a longer value than the reader takes
    assert ask("plan", "scores.csv", *DRAW, "--draw", "400", "-o", "old.bin").code == 0
    assert len(rows_of(folder / "old.bin")) == 400
