"""Which columns are taken when nobody names them."""

import polars as pl
import pytest

from baserate.cli.columns import label_among, scores_among
from baserate.errors import InputError
from baserate.ingest.files import Column, columns_of


def column(name, kind="other", *values):
    return Column(name, kind, values)


AMOUNT = column("amount", "float", 12.5, 80.0, 99.9)
TEXT = column("country")


@pytest.mark.parametrize(
    "label",
    [
        column("churned", "bool", True, False),
        column("churned", "bool"),
        column("churned", "whole", 0, 1),
        column("churned", "whole", 0),
        column("churned", "whole", -1, 1),
        column("churned", "float", 0.0, 1.0),
        column("isFraud"),
        column("Class", "whole", 1, 2),
        column("y_true", "float", 0.5),
    ],
    ids=str,
)
def test_the_only_column_that_can_be_the_label_is_it(label):
    assert label_among([TEXT, label, AMOUNT]) == label.name


@pytest.mark.parametrize(
    "other",
    [
        column("weekend", "bool", True),
        column("weekend", "whole", 0, 1),
        column("rounded", "float", 1.0),  # perhaps the score, in a file that is sorted by it
        column("target"),
        column("label", "whole", 0, 1, 2),  # likely the label, with a mistake in it: not a reason to take another
    ],
    ids=str,
)
def test_between_two_labels_nothing_is_chosen(other):
    with pytest.raises(
        InputError, match=f"cannot tell which column is the label: candidates are fraud, {other.name}; name it with"
    ):
        label_among([TEXT, column("fraud", "whole", 0, 1), AMOUNT, other])


@pytest.mark.parametrize(
    "other",
    [column("n", "whole", 0, 1, 2), column("n", "whole", -1, 0, 1), column("n", "whole"), column("id"), AMOUNT],
    ids=str,
)
def test_what_cannot_be_a_label_is_none(other):
    with pytest.raises(InputError, match="cannot tell which column is the label: no column looks like one"):
        label_among([other])


def test_the_only_float_is_the_score():
    assert scores_among([TEXT, column("n", "whole", 1, 2, 3), column("new", "float", 0.1)], 1) == ("new",)


@pytest.mark.parametrize("name", ["score", "P", "y_score", "y_pred_proba", "Probability", "prediction"])
@pytest.mark.parametrize("kind", ["float", "whole", "other"])  # as text it is refused later, with a sentence
def test_the_usual_name_of_a_score_wins(name, kind):
    assert scores_among([AMOUNT, column(name, kind)], 1) == (name,)


@pytest.mark.parametrize(
    ("columns", "candidates"),
    [
        ([column("old", "float"), column("new", "float")], "candidates are old, new"),
        ([column("score", "float"), column("prob", "float"), AMOUNT], "candidates are score, prob"),
        ([column("n", "whole", 1, 2, 3), TEXT], "no column looks like one"),
        ([], "no column looks like one"),
    ],
)
def test_between_two_scores_nothing_is_chosen(columns, candidates):
    with pytest.raises(InputError, match=f"cannot tell which column is the score: {candidates}; name it with --score"):
        scores_among(columns, 1)


def test_two_models_are_found_if_there_are_just_two():
    models = [column("old", "float"), column("new", "float")]
    assert scores_among([TEXT, *models], 2) == ("old", "new")
    with pytest.raises(InputError, match="which column is each of 2 scores: candidates are old, new, amount"):
        scores_among([*models, AMOUNT], 2)
    with pytest.raises(InputError, match="which column is each of 2 scores: candidates are score"):
        scores_among([column("score", "float"), AMOUNT], 2)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_columns_of_files(tmp_path, form):
    frame = pl.DataFrame(
        {
            "fraud": [0, 1, None],
            "ok": [True, None, False],
            "p": [0.25, None, 0.5],
            "n": [5, 3, 4],
            "name": ["a", "b", "c"],
        }
    )
    path = tmp_path / f"rows.{form}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[form](path)
    found = {one.name: (one.kind, set(one.values)) for one in columns_of(path)}
    assert found == {
        "fraud": ("whole", {0, 1}),
        "ok": ("bool", {False, True}),
        "p": ("float", {0.25, 0.5}),
        "n": ("whole", {3, 4, 5}),
        "name": ("other", set()),
    }


def test_values_are_three_at_most_and_come_from_the_first_rows(tmp_path):
    pl.DataFrame({"n": range(50_000)}).write_parquet(tmp_path / "rows.parquet")
    (found,) = columns_of(tmp_path / "rows.parquet")
    assert (found.kind, len(found.values)) == ("whole", 3)


def test_columns_that_are_found_are_said(path, ask):
    done = ask("evaluate", path, "--metric", "roc_auc", "--score", "q")
    assert (done.code, done.err) == (0, "Note: using column 'y' as label; --label chooses another\n")
    done = ask("evaluate", path, "--metric", "roc_auc", "--label", "y")
    assert (done.code, done.err) == (0, "Note: using column 'p' as score; --score chooses another\n")
    named = ask("evaluate", path, "--metric", "roc_auc", "--label", "y", "--score", "p")
    assert ask("evaluate", path, "--metric", "roc_auc", "--quiet") == (0, named.out, "")


def test_what_is_not_clear_lists_the_columns(payments, ask):
    done = ask("evaluate", payments, "--quiet")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Error: cannot tell which column is the score: candidates are old_model, new_model; name it with --score; the "
        "columns are month, channel, fraud, old_model, new_model.\n"
    )


def test_columns_with_another_part_are_not_candidates(tmp_path, ask):
    (tmp_path / "rows.csv").write_text("fraud,weekend,p,w\n1,0,.5,1.5\n0,0,.4,1.5\n1,1,.7,1.5\n0,1,.2,1.5\n")
    done = ask("evaluate", tmp_path / "rows.csv", "--by", "weekend", "--weight", "w", "--metric", "roc_auc", "-q")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("tab", ["tab", "\\t", "\t"])
def test_how_csv_is_written_may_be_said(tmp_path, ask, tab):
    path = tmp_path / "rows.csv"
    path.write_text("y;p;a,b\n1;0,5;x\n0;0,25;y\n")
    done = ask("evaluate", path, "--metric", "roc_auc", "-q")
    assert (done.code, "--delimiter ';'" in done.err) == (1, True)
    done = ask("evaluate", path, "--delimiter", ";", "--decimal", ",", "--metric", "roc_auc", "-q")
    assert (done.code, done.err) == (0, "")
    path.write_text("y\tp\ta,b\n1\t0.5\tx\n0\t0.25\ty\n")
    done = ask("evaluate", path, "--delimiter", tab, "--metric", "roc_auc", "-q")
    assert (done.code, done.err) == (0, "")
    path.write_text("y\tp\ta,b\n1\t0.5\tx\n1\t0.25\ty\n")  # which a plan refuses when it has read it
    done = ask("plan", "--like", path, "--delimiter", tab, "--label", "y", "--score", "p", "--ap-width", "0.05", "-q")
    assert (done.code, "there are no negatives" in done.err) == (1, True)


def test_scores_that_point_the_other_way_are_noted(ask, tmp_path):
    rows = [f"{k % 2},{(k * 37 % 100) / 100 - 0.5 * (k % 2)},{'ab'[k % 3 > 0]}" for k in range(200)]
    file = tmp_path / "rows.csv"
    file.write_text("y,p,g\n" + "\n".join(rows), encoding="utf-8")
    for by in ((), ("--by", "g")):
        done = ask("evaluate", file, "--label", "y", "--score", "p", "--metric", "roc_auc", "--no-intervals", *by)
        assert "Note: ROC AUC of 'p' is 0." in done.err
        assert "write a column of 1 - p and name it with --score" in done.err
    done = ask(
        "evaluate", file, "--label", "y", "--score", "p", "--positive", "0", "--metric", "roc_auc", "--no-intervals"
    )
    assert "Note" not in done.err  # the same scores, seen from the other class
    file.write_text("y,p\n" + "\n".join(f"{k % 2},{1 - k % 2}" for k in range(4)), encoding="utf-8")
    assert "Note: ROC" not in ask("evaluate", file, "--metric", "roc_auc", "--no-intervals").err  # too few rows to say
