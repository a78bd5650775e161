"""The page as a file: what is in it, and what is not."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.page import content as contents
from baserate.page import words
from baserate.page.page import page
from baserate.written import one_in

pytestmark = pytest.mark.slow  # together, these take long

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
    rare, common = (contents.verdict(made(curves, [p])) for p in (1e-4, 0.5))
    assert common[0].startswith(
        "At a prevalence of 1 in 2, old_model leads new_model (their own intervals do not overlap)"
    )
    assert "new_model and old_model cannot be told apart by their own intervals: average precision 0.4" in rare[0]
    assert rare[1] == "new_model leads old_model below 1 in 21, and trails above."
    alone = contents.verdict(made({"new_model": curves["new_model"]}, [1e-4]))
    assert len(alone) == 1
    assert "new_model has average precision 0.43" in alone[0]


def test_precision_in_the_verdict_is_the_library_s(curves):
    said = contents.verdict(made({"new_model": curves["new_model"]}, [1e-4]))[0]
    point = curves["new_model"].at_recall(0.5).at_prevalence(1e-4)
    assert f"{100 * br.precision(point):.3g} % are right" in said


def test_precision_in_the_verdict_comes_with_what_is_known_of_it():
    none_wrong = br.Curve.from_scores([1] * 10 + [0] * 90, [0.9] * 10 + [0.1] * 90)
    said = contents.verdict(made({"m": none_wrong}))[0]
    known = br.estimate(br.precision, none_wrong.at_recall(0.5), n_resamples=50, rng=0)
    assert f"100 % are right (95 % sure: {100 * known.low:.3g} % to 100 %)." in said


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


def test_what_cannot_be_shown_is_refused_in_a_sentence(curves, tmp_path):
    with pytest.raises(br.errors.InputError, match="a page needs a model, got none"):
        br.write_report(tmp_path / "page.html", {})
    with pytest.raises(br.errors.InputError, match="got 'empty': there are no positives"):
        br.write_report(tmp_path / "page.html", {"empty": br.Curve.from_scores([0, 0], [0.1, 0.2])})
    with pytest.raises(br.errors.InputError, match="got 'paper': it was made from rates"):
        br.write_report(tmp_path / "page.html", {"paper": br.Curve.from_rates([0.5], [0.1])})
    assert list(tmp_path.iterdir()) == []


def test_infinite_scores_are_fine(tmp_path):
    rng = np.random.default_rng(0)
    score = np.append(rng.random(100), [np.inf, -np.inf])
    curve = br.Curve.from_scores(np.append(rng.random(100) < 0.5, [True, False]), score)
    br.write_report(tmp_path / "page.html", {"model": curve}, n_resamples=50)
    threshold = embedded((tmp_path / "page.html").read_text("utf-8"))["models"][0]["points"]["threshold"]
    assert (threshold[0], threshold[-1]) == ("Infinity", "-Infinity")


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_threshold_as_shown_raises_the_same_alerts(scale):
    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.2
    curve = br.Curve.from_scores(y, scale * (1 + 1e-6 * (rng.normal(size=3_000) + y)))
    points = embedded(page(made({"model": curve})))["models"][0]["points"]
    for threshold, tpr, fpr in zip(points["threshold"], points["tpr"], points["fpr"], strict=True):
        at = curve.at_threshold(threshold)
        assert (at.tpr, at.fpr) == pytest.approx((tpr, fpr), rel=1e-8)


def test_a_cell_is_there_for_every_model_and_periods_are_in_order(curves):
    old, new = curves.values()
    groups = {"month": {"old_model": {"2026-02": old}, "new_model": {"2026-01": new, "2026-02": new}}}
    (table,) = embedded(page(made(curves, groups=groups)))["groups"]
    assert [row["key"] for row in table["rows"]] == ["2026-01", "2026-02"]
    assert table["ordered"]
    assert table["rows"][0]["models"][0] == {"reason": "there are no rows"}
    assert [len(row["models"]) for row in table["rows"]] == [2, 2]
    bins = embedded(page(made(curves, groups={"age": {"old_model": {"10-20": old, "20-30": old}}})))["groups"]
    assert not bins[0]["ordered"]


def test_groups_that_cannot_be_shown_are_refused(curves):
    with pytest.raises(br.errors.InputError, match="groups must belong to models of the page, got 'other' in 'month'"):
        made(curves, groups={"month": {"other": {"2026-01": curves["old_model"]}}})
    rates = br.Curve.from_rates([0.5], [0.1])
    with pytest.raises(br.errors.InputError, match="groups must have scores, got '2026-01' in 'month' from rates"):
        made(curves, groups={"month": {"old_model": {"2026-01": rates}}})


def test_many_periods_stay_small(curves):
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.2
    day = br.Curve.from_scores(y, (rng.normal(size=4_000) + y).round(1))
    days = {f"2026-{k // 28 + 1:02}-{k % 28 + 1:02}": day for k in range(300)}
    assert len(page(made(curves, groups={"day": dict.fromkeys(curves, days)}))) < 600_000


@pytest.mark.parametrize("asked", ["1:999", 0.001, ["1:999"]])
def test_one_prevalence_needs_no_list(tmp_path, curves, asked):
    br.write_report(tmp_path / "page.html", curves, prevalence=asked, n_resamples=100)
    assert "At a prevalence of 1 in 1,000" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("prevalence", [1e-9, 0.99])
def test_the_slider_reaches_what_was_asked_for(curves, prevalence):
    found = embedded(page(made(curves, [prevalence])))
    low, high = (1 / (1 + np.exp(-end)) for end in found["range"])
    assert found["prevalence"] == prevalence
    assert (low, high) == pytest.approx((min(prevalence, 1e-6), max(prevalence, 0.9)), rel=1e-12)
    own = br.Curve.from_counts([0.2, 0.9], [20, 40], [1, 0])
    assert embedded(page(made({"model": own})))["prevalence"] == own.prevalence


def test_any_two_models_may_swap_and_more_than_once(curves):
    """Neighbours in the list are not the only ones."""
    old, new = curves.values()
    best = br.Curve.from_scores([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    found = made({"old": old, "best": best, "new": new})
    assert contents.who_leads_where(found.crossings) == ["new leads old below 1 in 21, and trails above."]
    assert found.lead_changes == []
    assert len(contents.verdict(found)) == 1
    swaps = [br.results.Crossing("m", 1e-4, 0.1, "a", "b"), br.results.Crossing("m", 1e-2, 0.2, "b", "a")]
    assert contents.who_leads_where(swaps) == [
        "a leads b below 1 in 10,000, trails from there to 1 in 100, and leads above."
    ]


def test_numbers_are_said_as_people_say_them():
    assert [one_in(p) for p in (0.4, 0.047, 1e-6)] == ["1 in 2.5", "1 in 21", "1 in 1,000,000"]
    assert [one_in(p) for p in (0.9, 0.6, 0.99996)] == ["90 %", "60 %", "99.996 %"]
    assert [words.amount(n) for n in (1e6, 12_345_678, 1234.5)] == ["1,000,000", "12,345,678", "1,234.5"]
    rare = made({"m": br.Curve.from_scores([0, 1, 0, 0], [4, 3, 2, 1])}, [1e-4])
    assert "average precision 0.0003 (95 % sure: " in contents.verdict(rare)[0]


def test_names_from_right_to_left_leave_the_sentence_alone(curves):
    name = "\u202eמודל"
    said = contents.verdict(made({name: curves["old_model"]}))[0]
    assert f"\u2068{name}\u2069 has average precision" in said


def test_a_name_that_is_no_text_is_written_all_the_same(curves, tmp_path):
    br.write_report(tmp_path / "p.html", {"m\udcff": curves["old_model"]}, title="f\udcff.csv", n_resamples=50)
    assert "<title>f?.csv</title>" in (tmp_path / "p.html").read_text("utf-8")


def test_of_many_sentences_about_pairs_those_that_do_not_lead_are_folded_away():
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 30)
    many = {f"m{k}": br.Curve.from_scores(y, rng.normal(size=60) + y) for k in range(12)}
    text = page(made(many))
    (shown,) = re.findall(r"<p>By average precision(.*?)</section>", text, re.DOTALL)
    pairs = re.search(r"<summary>(\d+) other pairs that cross</summary>", shown)
    assert int(pairs[1]) > 6
    assert shown.partition("<details>")[2].count("<li>") == int(pairs[1])
    best = made(many | {"best": br.Curve.from_scores(y, y)})
    assert "the same model leads at all prevalences; these pairs cross:" in page(best)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nodir/page.html", "folder not found for output 'nodir/page.html'; create it first."),
        (Path("nodir/page.html"), "folder not found for output 'nodir/page.html'; create it first."),
        (".", "an output must be a file, got the folder '.'; name a file in it."),
    ],
)
def test_a_page_is_not_written_where_no_file_can_be(curves, tmp_path, monkeypatch, path, said):
    monkeypatch.chdir(tmp_path)
    report = br.report(curves["new_model"], quick=True)
    for write in (report.save, lambda path: br.write_report(path, {})):  # said before the data are looked at
        with pytest.raises(br.errors.InputError) as error:
            write(path)
        assert str(error.value) == said
