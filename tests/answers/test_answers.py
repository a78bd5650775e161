"""`evaluate` and `compare` answer what the commands answer, from tables, files and curves."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.answers.questions import EVALUATED
from helpers.programs import run_program

pytest.importorskip("click")

SCORES = ["old_model", "new_model"]
DATA = br.examples.payments()
TABLE = pd.DataFrame(DATA).assign(shop=["web", "store", "store"] * 4_000)
CURVES = {name: br.Curve.from_scores(DATA["fraud"], DATA[name]) for name in SCORES}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("data") / "payments.parquet"
    TABLE.to_parquet(found)
    return found


def command(*arguments):
    """What a command prints as JSON."""
    done = run_program(*arguments, "--json", "--quiet")
    assert done.code == 0, done.err
    return json.loads(done.out)


def as_json(rows):
    """Rows as the command writes them: what does not exist is null."""
    return [
        {name: None if isinstance(value, float) and value != value else value for name, value in row.items()}
        for row in rows
    ]


ASKED = [
    ({"prevalence": [0.001, "1:9"]}, ["--prevalence", "0.001", "--prevalence", "1:9"]),
    ({"at": "recall=0.6", "by": "shop"}, ["--at", "recall=0.6", "--by", "shop"]),
    ({"at": "best=f1", "metrics": ["precision", "f_beta:beta=2"], "prevalence": 0.01, "confidence_level": 0.9},
     ["--at", "best=f1", "--metric", "precision", "--metric", "f_beta:beta=2", "--prevalence", "0.01",
      "--confidence-level", "0.9"]),
    ({"at": "precision=0.99999", "metrics": br.recall, "confidence_level": None, "prevalence": 1e-5},
     ["--at", "precision=0.99999", "--metric", "recall", "--no-intervals", "--prevalence", "1e-5"]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "options"), ASKED)
def test_evaluate_is_what_the_command_shows(path, asked, options):
    columns = [part for name in SCORES for part in ("--score", name)]
    shown = command("evaluate", path, "--label", "fraud", *columns, *options)
    assert as_json(br.evaluate(path, label="fraud", score=SCORES, **asked).rows()) == shown


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "options"), ASKED[:2])
def test_compare_is_what_the_command_shows(path, asked, options):
    columns = [part for name in SCORES for part in ("--score", name)]
    shown = command("compare", path, "--label", "fraud", *columns, *options)
    found = br.compare(path, label="fraud", score=SCORES, **asked)
    assert as_json(found.rows()) == shown["values"]
    assert [one.row() for one in found.best] == shown["best"]
    assert [one.row() for one in found.crossings] == shown["crossings"]


def test_tables_files_and_curves_say_the_same(path):
    asked = {"metrics": [br.average_precision, "roc_auc"], "prevalence": 0.001, "confidence_level": None}
    of_curves = br.evaluate(CURVES, **asked)
    columns = {"label": "fraud", "score": SCORES}
    assert of_curves == br.evaluate(TABLE, **columns, **asked) == br.evaluate(pl.DataFrame(DATA), **columns, **asked)
    rows = [row | {"source": None} for row in br.evaluate(str(path), **columns, **asked).rows()]
    assert rows == of_curves.rows()
    (alone, *_) = br.evaluate(CURVES["old_model"], **asked).rows()
    assert alone == of_curves.rows()[0] | {"score": None}


def test_the_numbers_are_those_of_estimate():
    found = br.evaluate(CURVES, metrics="precision", at=0.5, prevalence=0.001)
    for answer, name in zip(found.answers[1::2], SCORES, strict=True):
        one = br.estimate(br.precision, CURVES[name].at_threshold(0.5).at_prevalence(0.001), rng=0)
        assert (answer.score, answer.threshold) == (name, CURVES[name].at_threshold(0.5).threshold)
        assert (answer.value, answer.low, answer.high) == (one.value, one.low, one.high)


def test_own_metrics_are_read_at_the_point_if_there_is_one():
    def fall_out(at):
        return 1 - br.specificity(at)

    (at_point,) = br.evaluate(CURVES["old_model"], metrics=fall_out, at="recall=0.5", confidence_level=None).answers
    assert at_point.value == pytest.approx(CURVES["old_model"].at_recall(0.5).fpr)


def test_a_comparison_says_who_leads_and_where():
    found = br.compare(CURVES, prevalence=[0.5, 1e-4], confidence_level=None)
    leading = [(row["prevalence"], row["score"]) for row in found.rows() if row["leads"]]
    assert leading == [(0.025, "new_model"), (0.5, "old_model"), (1e-4, "new_model")]
    (swap,) = found.crossings
    (expected,) = br.crossings(br.average_precision, *CURVES.values(), low=1e-6, high=0.999999)
    assert swap.prevalence == expected.prevalence
    assert [one.best for one in found.best] == ["new_model", "old_model"]
    assert "new_model leads below" in str(found)
    narrow = br.compare(CURVES, span=("1:9", 0.5), confidence_level=None)
    assert narrow.crossings == ()
    assert narrow.span == (0.1, 0.5)


def test_what_cannot_be_looked_for_is_a_note():
    found = br.compare(CURVES, at="best=f1", confidence_level=None)
    assert found.crossings == found.best == ()
    assert found.notes == ("no crossings of f1: best=f1 depends on the prevalence",)
    assert str(found).endswith(found.notes[0])


@pytest.mark.parametrize(
    ("data", "asked", "sentence"),
    [
        (TABLE, {"label": "fraud"}, "label and score must name columns of the table, got label='fraud' and score=None"),
        (TABLE, {"label": "fraud", "score": "p"}, "score must be a column of the table, got 'p'"),
        (CURVES, {"label": "fraud"}, "label is for tables and files, got curves; leave it out"),
        (CURVES, {"by": "shop"}, "by is for tables and files, got curves"),
        (CURVES, {"metrics": "precision"}, "precision needs a threshold; choose one, for example with at='recall=0.6'"),
        (CURVES, {"metrics": "roc_auc", "at": "recall=0.6"}, "at recall >= 0.6 has no effect"),
        (CURVES, {"metrics": 3}, "metrics must be a function of a Curve or a list of functions of a Curve, got 3"),
        (CURVES, {"prevalence": 2}, "prevalence must be strictly between 0 and 1, got 2"),
        (CURVES, {"prevalence": [0.1, "x"]}, "prevalence must be strictly between 0 and 1, got 'x'"),
        ({"a": 3}, {}, "data must be a table, a path, a Curve or Curves by name, got a int at 'a'"),
        (3, {"label": "y", "score": "p"}, "a table must be a dataframe"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(data, asked, sentence):
    with pytest.raises(br.BaserateError) as refused:
        br.evaluate(data, **asked)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("data", "asked", "sentence"),
    [
        ({"a": CURVES["old_model"]}, {}, "compare needs at least two scores, got only 'a'; pass another"),
        ({}, {}, "compare needs at least two scores"),
        (CURVES["old_model"], {}, "got one curve or none; pass several by name, as {'old': old, 'new': new}"),
        (CURVES, {"span": 0.1}, "span must be two prevalences such as (1e-4, 0.1), got 0.1"),
        (CURVES, {"metrics": "alert_rate", "at": "recall=0.6"}, "alert_rate"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(data, asked, sentence):
    with pytest.raises(br.errors.InputError) as refused:
        br.compare(data, **asked)
    assert sentence in str(refused.value)


def test_slices_of_one_model_are_compared_as_by_slice_compares_them(path):
    found = br.compare(
        path, label="fraud", score="new_model", by="shop", metrics=["roc_auc", "auc_pr"], prevalence=0.01
    )
    shops = br.curves_by(TABLE, "shop", label="fraud", score="new_model")
    assert found.groups == tuple(br.by_slice(one, shops, prevalence=0.01, rng=0) for one in (br.roc_auc, br.auc_pr))
    options = ("--metric", "roc_auc", "--metric", "auc_pr", "--by", "shop", "--prevalence", "0.01")
    assert as_json(found.rows()) == command("compare", path, "--label", "fraud", "--score", "new_model", *options)
    assert [row["common_prevalence"] for row in found.rows()] == [0.01] * 4


def test_periods_of_one_model_are_compared_at_their_mean_prevalence_unless_told():
    table = TABLE.assign(day=pd.to_datetime(TABLE["month"] + "-01"))
    asked = {"label": "fraud", "score": "new_model", "period": ("day", "quarter")}
    (found,) = br.compare(table, **asked, at="recall=0.5", metrics=br.precision).groups
    quarters = br.curves_by(table, **asked)
    assert found == br.by_period(br.precision, quarters, at="recall=0.5", rng=0)
    assert found.common_prevalence == pytest.approx(sum(c.prevalence for c in quarters.values()) / len(quarters))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"confidence_level": None}, "comparing groups takes intervals and p-values, got none"),
        ({"about": "rule", "at": "recall=0.5"}, "groups are compared at the chosen thresholds, got about 'rule'"),
        ({"period": ("day", "month")}, "one score is compared by slices or by periods, got both"),
    ],
)
def test_what_groups_of_one_model_cannot_be_asked(asked, sentence):
    table = TABLE.assign(day=pd.to_datetime(TABLE["month"] + "-01"))
    with pytest.raises(br.errors.InputError, match=sentence):
        br.compare(table, label="fraud", score="new_model", by="shop", **asked)


def test_one_score_without_groups_is_still_refused():
    with pytest.raises(br.errors.InputError, match="compare needs at least two scores, got only 'new_model'"):
        br.compare(TABLE, label="fraud", score="new_model")


@pytest.mark.parametrize("answer", [br.evaluate, br.compare])
def test_columns_are_named_and_not_passed(answer):
    with pytest.raises(br.errors.InputError, match="by must be a column name or a list of them, got ndarray"):
        answer(TABLE, label="fraud", score=SCORES, by=TABLE["shop"].to_numpy())
    with pytest.raises(br.errors.InputError, match="score must be a column name or a list of them, got Series"):
        answer(TABLE, label="fraud", score=TABLE["new_model"])


def test_of_sampled_labels_all_is_evaluated():
    rng = np.random.default_rng(0)
    y = rng.random(2_000) < 0.1
    score = rng.normal(size=2_000) + 2 * y
    label = np.where((score >= 2) | (rng.random(2_000) < 0.3), y.astype(float), np.nan)
    curve = br.Curve.from_sampled(label, score, rule="all >= 2, else 30 %")
    found = br.evaluate(curve, confidence_level=None)  # intervals of all of them take long
    assert [one.metric for one in found.answers] == list(EVALUATED[0])
    (best,) = br.evaluate(curve, metrics="best_f1").answers
    assert best.low < best.value < best.high


@pytest.mark.parametrize("rest", ["30 %", "none"])
def test_of_sampled_labels_the_labelled_rows_are_counted(rest):
    rng = np.random.default_rng(0)
    y = rng.random(2_000) < 0.1
    score = rng.normal(size=2_000) + 2 * y
    known = (score >= 2) | ((rng.random(2_000) < 0.3) & (rest != "none"))
    table = pl.DataFrame({"y": [int(one) if there else None for one, there in zip(y, known, strict=True)], "p": score})
    how = {"label": "y", "score": "p", "sampled": f"all >= 2, else {rest}"}
    asked = {"metrics": "precision", "at": 2.0, "prevalence": 0.01, "confidence_level": None}
    two = dict.fromkeys(("p", "q"), br.curve(table, **how))
    for found in (br.evaluate(table, **how, **asked), br.compare(two, **asked)):
        for one in found.answers:
            assert (one.pos, one.neg, one.unlabelled) == ((y & known).sum(), (~y & known).sum(), (~known).sum())


def test_models_are_compared_on_sampled_labels():
    rng = np.random.default_rng(0)
    y = rng.random(2_000) < 0.1
    old, new = rng.normal(size=2_000) + y, rng.normal(size=2_000) + 2 * y
    alert = new >= 2
    label = [
        int(positive) if there else None for positive, there in zip(y, alert | (np.arange(2_000) % 4 == 0), strict=True)
    ]
    table = pl.DataFrame({"y": label, "old": old, "new": new, "how": np.where(alert, "alert", "rest")})
    asked = {"label": "y", "score": ["old", "new"], "stratum": "how", "metrics": "roc_auc", "confidence_level": None}
    found = br.compare(table, **asked)
    known = np.array([np.nan if one is None else one for one in label])
    for answer, score in zip(found.answers, (old, new), strict=True):
        alone = br.Curve.from_sampled(known, score, stratum=table["how"].to_numpy())
        assert answer.value == pytest.approx(br.roc_auc(alone), rel=1e-12)
    with pytest.raises(br.errors.InputError, match="sampled= is a rule for one score, got 2 scores"):
        br.compare(table, **{name: value for name, value in asked.items() if name != "stratum"}, sampled="all")
