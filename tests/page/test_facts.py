"""What the page says that its numbers rest on, and where labels are missing."""

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.page import content as contents
from baserate.page.facts import facts
from baserate.page.unlabelled import where_labels_are_missing

pytestmark = pytest.mark.slow  # together, these take long


@pytest.fixture(scope="module")
def curves():
    data = br.examples.payments()
    return {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}


def made(models, groups=None):
    return contents.content("Title", models, [], groups or {}, n_resamples=50)


def test_facts_say_what_the_numbers_rest_on(curves):
    (name, said), (last, _) = facts(made({"new_model": curves["new_model"]}))
    assert (name, last) == ("new_model", "What this page reveals")
    assert "300 positives, 11,700 negatives, prevalence 1 in 40" in said
    assert "0 rows without a label" in said
    assert "share their score with another" in said
    bucketed = br.Curve.from_counts([0.2, 0.9], [10, 40], [900, 50], top=[0.8, 0.9])
    assert "average precision is exact to 0.09" in facts(made({"m": bucketed}))[0][1]


def test_facts_say_which_files_were_read(tmp_path):
    (tmp_path / "rows.csv").write_text("y,p\n1,0.9\n0,0.2\n1,0.7\n0,0.1\n")
    curve = br.curve(tmp_path / "rows.csv", label="y", score="p")
    said = facts(made({"m": curve}))[0][1]
    assert f"read from {curve.source};" in said


def test_rows_that_share_a_score_are_counted(curves):
    pairs = br.Curve.from_scores([0, 1, 0, 1, 1], [1, 1, 2, 2, 3])
    assert "80 % of the rows share their score" in facts(made({"m": pairs}))[0][1]
    weighted = br.Curve.from_scores([0, 1, 0, 1, 1], [1, 1, 2, 2, 3], weight=[9, 1, 1, 1, 1])
    assert "share their score" not in facts(made({"m": weighted}))[0][1]


def test_what_all_models_share_is_said_once(curves):
    said = dict(facts(made(curves)))
    assert list(said) == ["All models", *curves, "How the models were compared", "What this page reveals"]
    assert said["All models"].startswith("300 positives, 11,700 negatives, prevalence 1 in 40; 0 rows without a label")
    assert "areas on this page have an error of at most" in said["All models"]
    assert all("positives" not in said[name] and "thresholds, scores from" in said[name] for name in curves)


def test_facts_say_where_labels_are_missing(curves):
    labels = [0, 1] * 50 + [None] * 60 + [0, 1] * 20
    table = {"y": labels, "s": np.linspace(0, 1, 200), "region": ["North"] * 100 + ["South"] * 100}
    with pytest.warns(br.errors.UnlabelledWarning):
        regions = br.curves_by(pl.DataFrame(table), "region", label="y", score="s", missing="later")
    said = dict(facts(made({"m": curves["old_model"]}, {"region": {"m": regions}})))
    assert said["Where labels are missing"] == "By region: most in South (60 % of the rows), fewest in North (0 %)."
    assert where_labels_are_missing("region", {"m": {"North": regions["North"]}}) == ""
    assert where_labels_are_missing("region", {"m": {}}) == ""
