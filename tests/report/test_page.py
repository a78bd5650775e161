"""The page as a file: what is in it, and what is not."""

import json
import re

import numpy as np
import pytest

import baserate as br
from baserate.report import content as contents
from baserate.report.page import page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{verdict}}"


@pytest.fixture(scope="module")
def curves():
    data = br.examples.payments()
    return {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}


def made(models, prevalences=(), groups=None, title="Title"):
    return contents.content(title, models, list(prevalences), groups or {}, n_resamples=50)


def embedded(text):
    (found,) = re.findall(r'<script type="application/json" id="content">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_it_is_small_and_asks_for_nothing(curves):
    text = page(made(curves))
    assert len(text) < 300_000
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:,)", text)
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "default-src 'none'" in text


def test_it_opens_at_the_first_prevalence_asked_for_or_at_the_own(curves):
    assert embedded(page(made(curves, [0.001, 0.01])))["prevalence"] == 0.001
    assert embedded(page(made(curves)))["prevalence"] == 0.025


def test_the_verdict_names_the_best_model_there(curves):
    rare, common = (contents.verdict(made(curves, [p])) for p in (1e-4, 0.3))
    assert rare[0].startswith(
        "At a prevalence of 1 in 10,000, new_model is the best of 2 models: average precision 0.43"
    )
    assert "old_model is the best of 2 models" in common[0]
    assert rare[1] == "new_model leads old_model below 1 in 21, and trails above."
    alone = contents.verdict(made({"new_model": curves["new_model"]}, [1e-4]))
    assert len(alone) == 1
    assert "new_model has average precision 0.43" in alone[0]


def test_precision_in_the_verdict_is_the_library_s(curves):
    said = contents.verdict(made(curves, [1e-4]))[0]
    point = curves["new_model"].at_recall(0.5).at_prevalence(1e-4)
    assert f"{100 * br.precision(point):.3g} % are right" in said


def test_names_are_text_and_never_run(curves):
    groups = {HOSTILE: {HOSTILE: {HOSTILE: curves["old_model"]}}}
    text = page(made({HOSTILE: curves["old_model"]}, groups=groups, title=HOSTILE))
    assert text.count("<script") == 2
    assert "<img" not in text
    assert text.count('class="verdict"') == 1
    assert embedded(text)["models"][0]["name"] == HOSTILE


def test_groups_keep_their_reasons(curves):
    lonely = br.Curve.from_scores([0, 0], [0.1, 0.2])
    found = embedded(
        page(made(curves, groups={"month": {"old_model": {"2026-01": lonely, None: curves["old_model"]}}}))
    )
    first, second = found["groups"][0]["rows"]
    assert first["models"] == [{"reason": "there are no positives"}]
    assert second["key"] == "(none)"
    assert second["models"][0]["own"] == br.average_precision(curves["old_model"])


def test_facts_say_what_the_numbers_rest_on(curves):
    ((name, said),) = contents.facts(made({"new_model": curves["new_model"]}))
    assert name == "new_model"
    assert "300 positives, 11,700 negatives, prevalence 1 in 40" in said
    assert "0 rows without a label" in said
    assert "share their score with another" in said
    bucketed = br.Curve.from_counts([0.2, 0.9], [10, 40], [900, 50], top=[0.8, 0.9])
    assert "average precision is certain within 0.09" in contents.facts(made({"m": bucketed}))[0][1]


def test_what_cannot_be_shown_is_refused_in_a_sentence(curves, tmp_path):
    with pytest.raises(br.InputError, match="a page needs a model, got none"):
        br.write_report(tmp_path / "page.html", {})
    with pytest.raises(br.InputError, match="got 'empty': there are no positives"):
        br.write_report(tmp_path / "page.html", {"empty": br.Curve.from_scores([0, 0], [0.1, 0.2])})
    with pytest.raises(br.InputError, match="got 'paper': it has rates and no scores"):
        br.write_report(tmp_path / "page.html", {"paper": br.Curve.from_rates([0.5], [0.1])})
    assert list(tmp_path.iterdir()) == []


def test_infinite_scores_are_fine(tmp_path):
    rng = np.random.default_rng(0)
    score = np.append(rng.random(100), [np.inf, -np.inf])
    curve = br.Curve.from_scores(np.append(rng.random(100) < 0.5, [True, False]), score)
    br.write_report(tmp_path / "page.html", {"model": curve}, n_resamples=50)
    assert embedded((tmp_path / "page.html").read_text("utf-8"))["models"][0]["points"]["threshold"][0] is None
